mod derived;
mod faults;
mod heat;
mod readers;
mod wire;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use futures::FutureExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition as Definition, CustomResourceDefinitionSpec,
    CustomResourceDefinitionVersion, CustomResourceValidation, JSONSchemaProps,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::Resource;
use kube::api::{DynamicObject, ObjectMeta};
use kube_decode::{Decode, DecodeError};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::{Number, Value};

use super::heat::HOTTEST;
use super::keeper::PackedKeeper;
use super::{
    AGE, Keeper, PackError, SETTINGS, Settings, Storage, StorageStatus, WireObject, buffer,
};
use crate::codec::{Codec, decode_any};
use crate::object::Cached;
use crate::panic::SafeDropper;

/// An object whose `Drop` panics.
#[derive(Serialize, Deserialize, Resource)]
#[resource(inherit = ConfigMap)]
struct Bomb {
    metadata: ObjectMeta,
}

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

/// The keeper of objects of one type.
struct Keeping<K>(Arc<PackedKeeper>, PhantomData<K>);

fn compact<K>(wipe: bool) -> Keeping<K>
where
    K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    keeping(Settings { wipe, ..SETTINGS }, SafeDropper::default())
}

fn keeping<K>(settings: Settings, dropper: SafeDropper) -> Keeping<K>
where
    K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    let make = Storage::<K>::compact().packing.unwrap().1;
    let keeper = PackedKeeper::new(settings, make, &"things".into(), dropper);
    Keeping(Arc::new(keeper), PhantomData)
}

impl<K: Resource + Send + Sync + 'static> Keeping<K> {
    fn pack(&self, object: K) -> Cached<K> {
        self.0.pack(Arc::new(object), None).cast()
    }

    fn pack_wire(&self, wire: &WireObject<'_>, object: K, heat: u8) -> Cached<K> {
        self.0.pack_wire(wire, Arc::new(object), None, Some(heat)).cast()
    }
}

impl<K> Deref for Keeping<K> {
    type Target = Arc<PackedKeeper>;

    fn deref(&self) -> &Arc<PackedKeeper> {
        &self.0
    }
}

fn packed<K: ?Sized>(cached: Cached<K>) -> Cached<K> {
    assert!(cached.is_packed(), "kept decoded");
    cached
}

fn metadata(n: usize) -> ObjectMeta {
    ObjectMeta {
        name: Some(format!("thing-{n}")),
        uid: Some(format!("uid-{n}")),
        resource_version: Some(n.to_string()),
        labels: Some([("app".into(), format!("app-{}", n % 3))].into()),
        ..ObjectMeta::default()
    }
}

fn config_map(n: usize) -> ConfigMap {
    let data = Some([("text".into(), format!("{n} ").repeat(100))].into());
    ConfigMap { metadata: metadata(n), data, ..ConfigMap::default() }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|f| Number::from_f64(f).map_or(Value::Null, Value::Number)),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            btree_map(".{0,6}", inner, 0..6).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

fn meta() -> impl Strategy<Value = ObjectMeta> {
    let text = || proptest::option::of("[a-z0-9]{0,12}");
    let labels = proptest::option::of(btree_map("[a-z]{1,3}", "[a-z]{0,3}", 0..4));
    (text(), text(), text(), labels).prop_map(|(name, uid, resource_version, labels)| ObjectMeta {
        name,
        uid,
        resource_version,
        labels,
        ..ObjectMeta::default()
    })
}

proptest! {
    #![proptest_config(crate::seeds::kept())]

    #[test]
    fn any_json_survives_packing(
        objects in vec((meta(), btree_map("[a-z]{1,5}", json(), 0..5)), 1..12), wipe: bool,
    ) {
        let storage = compact::<DynamicObject>(wipe);
        for (n, (metadata, fields)) in objects.into_iter().enumerate() {
            let named = |name: &&String| !["apiVersion", "kind", "metadata"].contains(&name.as_str());
            let data = fields.iter().filter(|(name, _)| named(name));
            let data = data.map(|(name, value)| (name.clone(), value.clone())).collect();
            let types = (n % 2 == 0).then(|| kube::api::TypeMeta {
                api_version: "example.com/v1".into(),
                kind: "Thing".into(),
            });
            let object = DynamicObject { types, metadata, data };
            let packed = packed(storage.pack(object.clone()));
            prop_assert_eq!(&*packed.get().unwrap(), &object);
            prop_assert_eq!(packed.uid(), object.metadata.uid.as_deref().filter(|u| !u.is_empty()));
            let version = packed.version().map(|version| version.to_string());
            prop_assert_eq!(version, object.metadata.resource_version.filter(|v| !v.is_empty()));
            prop_assert_eq!(packed.labels(), object.metadata.labels.as_ref());
        }
        let StorageStatus { objects, bytes, kept_decoded, refused, .. } = storage.status();
        prop_assert_eq!((objects, bytes, kept_decoded, refused), (0, 0, 0, None));
    }
}

/// A decoder of JSON that returns more than the type serialises: the decoder's number as
/// generation.
struct Sent(usize);

impl Decode<DynamicObject> for Sent {
    fn decode(&self, object: &[u8]) -> Result<DynamicObject, DecodeError> {
        let mut object: DynamicObject = serde_json::from_slice(object)?;
        object.metadata.generation = self.0.try_into().ok();
        Ok(object)
    }
}

/// Returns an object's bytes as they arrive, and the object.
fn arrived(metadata: ObjectMeta, data: &Value, codec: &Codec) -> (Vec<u8>, DynamicObject) {
    let object = DynamicObject { types: None, metadata, data: serde_json::json!({"data": data}) };
    let mut whole = serde_json::to_value(&object).unwrap();
    whole["metadata"]["managedFields"] = serde_json::json!([{"manager": "kubectl"}]);
    let bytes = whole.to_string().into_bytes();
    let whole = Cached::any(codec.decode(&bytes).unwrap()).into_inner().unwrap();
    (bytes, whole)
}

proptest! {
    #![proptest_config(crate::seeds::kept())]

    #[test]
    fn wire_bytes_survive_packing(
        objects in vec((meta(), json(), 0usize..20, 0..=HOTTEST), 1..40), wipe: bool,
    ) {
        let storage = compact::<DynamicObject>(wipe);
        // More codecs than are remembered. Each object must be decoded by its own.
        let codecs: Vec<_> = (0..20).map(|n| Arc::new(Codec::plain(decode_any(Arc::new(Sent(n))), 11))).collect();
        let _sweeping = storage.0.clone().sweep(Box::new(drop));
        let mut kept = Vec::new();
        for (metadata, data, n, heat) in objects {
            let (bytes, whole) = arrived(metadata, &data, &codecs[n]);
            let wire = WireObject { bytes: &bytes, codec: &codecs[n] };
            kept.push((packed(storage.pack_wire(&wire, whole.clone(), heat)), whole));
        }
        for (packed, whole) in &kept {
            prop_assert_eq!(&*packed.get().unwrap(), whole);
            prop_assert_eq!(packed.uid(), whole.metadata.uid.as_deref().filter(|u| !u.is_empty()));
            let version = packed.version().map(|version| version.to_string());
            let said = whole.metadata.resource_version.clone().filter(|v| !v.is_empty());
            prop_assert_eq!(version, said);
            prop_assert_eq!(packed.labels(), whole.metadata.labels.as_ref());
        }
        drop(kept);
        let StorageStatus { objects, bytes, kept_decoded, refused, .. } = storage.status();
        prop_assert_eq!((objects, bytes, kept_decoded, refused), (0, 0, 0, None));
    }
}

/// An object whose `Serialize` and `Deserialize` behave as `oddity` says.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(inherit = ConfigMap)]
struct Odd {
    metadata: ObjectMeta,
    oddity: Oddity,
    more: HashMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Oddity {
    None,
    NotSerialised,
    Panics,
    /// Deserialises as another value.
    Changes,
    /// Can't be deserialised.
    NotRead,
    /// Can't be deserialised once [`BROKEN`] is set.
    Breaks,
}

thread_local!(static BROKEN: Cell<bool> = const { Cell::new(false) });

#[derive(Serialize, Deserialize)]
struct Plain {
    metadata: ObjectMeta,
    oddity: Oddity,
    more: HashMap<String, String>,
}

impl Serialize for Odd {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.oddity {
            Oddity::NotSerialised => return Err(serde::ser::Error::custom("hunter2")),
            Oddity::Panics => panic!("hunter2"),
            _ => {}
        }
        let Self { metadata, oddity, more } = self.clone();
        Plain { metadata, oddity, more }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Odd {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Plain { metadata, oddity, more } = Plain::deserialize(deserializer)?;
        let oddity = match oddity {
            Oddity::Changes => Oddity::None,
            Oddity::NotRead => return Err(serde::de::Error::custom("hunter2")),
            Oddity::Breaks if BROKEN.get() => return Err(serde::de::Error::custom("hunter2")),
            other => other,
        };
        Ok(Self { metadata, oddity, more })
    }
}

fn odd(n: usize, oddity: Oddity) -> Odd {
    let more = (0..20).map(|n| (n.to_string(), n.to_string())).collect();
    Odd { metadata: metadata(n), oddity, more }
}

fn is_decoded<K: Resource + PartialEq + Send + Sync + 'static>(
    cached: &Cached<K>,
    object: &K,
) -> bool {
    !cached.is_packed() && cached.get().is_some_and(|decoded| *decoded == *object)
}

#[test]
fn unserialisable_object_is_kept_decoded() {
    let storage = compact::<Odd>(false);
    for oddity in [Oddity::NotSerialised, Oddity::Panics] {
        let object = odd(1, oddity);
        assert!(is_decoded(&storage.pack(object.clone()), &object));
    }
    packed(storage.pack(odd(2, Oddity::None)));
    let status = storage.status();
    assert_eq!((status.kept_decoded, status.refused), (2, None));
}

#[test]
fn object_with_a_key_of_serde_json_is_kept_decoded() {
    let storage = compact::<DynamicObject>(false);
    let object = |spec| DynamicObject {
        types: None,
        metadata: metadata(1),
        data: serde_json::json!({"spec": spec}),
    };
    packed(storage.pack(object(Value::from(1))));
    // Read by a `Value`, it would be another value.
    let key = serde_json::json!({"$serde_json::private::RawValue": "[1]"});
    assert!(is_decoded(&storage.pack(object(key.clone())), &object(key)));
    assert_eq!(storage.status().refused, None);
}

#[test]
fn type_that_fails_the_round_trip_is_kept_decoded() {
    for (oddity, error) in
        [(Oddity::Changes, PackError::Disagrees), (Oddity::NotRead, PackError::NotUnpacked)]
    {
        let storage = compact::<Odd>(false);
        let before = packed(storage.pack(odd(0, Oddity::None)));
        for object in [odd(1, oddity), odd(2, Oddity::None)] {
            assert!(is_decoded(&storage.pack(object.clone()), &object));
        }
        let status = storage.status();
        assert_eq!((status.objects, status.kept_decoded), (1, 2));
        assert_eq!(status.refused, Some(error.to_string()));
        assert_eq!(*before.get().unwrap(), odd(0, Oddity::None));
    }
}

#[test]
fn failed_unpacking_is_counted_and_retried() {
    let storage = compact::<Odd>(false);
    let packed = packed(storage.pack(odd(1, Oddity::Breaks)));
    BROKEN.set(true);
    assert!(packed.get().is_none());
    assert_eq!(storage.status().unreadable, 1);
    BROKEN.set(false);
    assert_eq!(*packed.get().unwrap(), odd(1, Oddity::Breaks));
}

#[test]
fn concurrent_readers_get_the_same_object() {
    let storage = compact::<ConfigMap>(false);
    let packed = packed(storage.pack(config_map(1)));
    let start = std::sync::Barrier::new(100);
    let got: Vec<_> = thread::scope(|scope| {
        let ask = || {
            start.wait();
            packed.get().unwrap()
        };
        let threads: Vec<_> = (0..100).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(got.iter().all(|object| Arc::ptr_eq(object, &got[0])));
    let status = storage.status();
    assert_eq!(status.hits + status.misses, 100);
    assert!(status.misses > 0);
}

#[test]
fn object_is_read_as_unpacking_returns_it() {
    for swept in [false, true] {
        let storage = compact::<ConfigMap>(false);
        let _sweeping = swept.then(|| storage.clone().sweep(Box::new(drop)));
        let mut given = config_map(7);
        given.metadata.creation_timestamp = Some(Time("2026-01-02T03:04:05.678Z".parse().unwrap()));
        let mut read = given.clone();
        read.metadata.creation_timestamp = Some(Time("2026-01-02T03:04:05Z".parse().unwrap()));
        let packed = packed(storage.pack(given));
        for _ in 0..2 {
            assert_eq!(*packed.get().unwrap(), read);
        }
    }
}

/// An object of collections without an order, with keys that are not texts.
#[derive(Clone, Debug, PartialEq, Resource, Serialize, Deserialize)]
#[resource(inherit = ConfigMap)]
struct Collected {
    metadata: ObjectMeta,
    names: HashSet<String>,
    sets: Vec<BTreeSet<(i32, bool)>>,
    by_number: HashMap<i64, HashSet<u8>>,
    by_truth: HashMap<bool, String>,
    by_letter: BTreeMap<char, f64>,
}

#[test]
fn sets_and_any_keys_survive_packing() {
    let storage = compact::<Collected>(false);
    for n in 0..20 {
        let object = Collected {
            metadata: metadata(n),
            names: (0..50).map(|name| name.to_string()).collect(),
            sets: vec![[(1, true), (-1, false)].into(), BTreeSet::new()],
            by_number: (-9..9).map(|key| (key, (0..40).collect())).collect(),
            by_truth: [(true, "yes".into()), (false, "no".into())].into(),
            by_letter: [('a', 0.5), ('b', -0.0)].into(),
        };
        assert_eq!(*packed(storage.pack(object.clone())).get().unwrap(), object);
    }
    assert_eq!(storage.status().refused, None);
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Auto;

/// Bytes that are read as a list.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Blob(Vec<u8>);

impl Serialize for Blob {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(&self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Either {
    List(Vec<String>),
    Auto(Auto),
    Text(String),
    Bytes(Blob),
    Itself(Box<Either>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Blobs {
    blob: Blob,
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

/// An object with parts that serde's derived code builds from a buffer.
#[derive(Clone, Debug, PartialEq, Resource, Serialize, Deserialize)]
#[resource(inherit = ConfigMap)]
struct Buffered {
    metadata: ObjectMeta,
    either: Vec<Either>,
    #[serde(flatten)]
    blobs: Blobs,
}

#[test]
fn parts_that_serde_buffers_survive_packing() {
    let storage = compact::<Buffered>(false);
    let blob = || Blob(b"abc".to_vec());
    let object = Buffered {
        metadata: metadata(1),
        either: vec![
            Either::List(vec![]),
            Either::Auto(Auto),
            Either::Text("abc".into()),
            Either::Bytes(blob()),
        ],
        blobs: Blobs { blob: blob(), more: [("wide".into(), Value::from(-1.5e300))].into() },
    };
    assert_eq!(*packed(storage.pack(object.clone())).get().unwrap(), object);
}

/// A number that is written without its sign.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Unsigned(i8);

impl Serialize for Unsigned {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u8(self.0.unsigned_abs())
    }
}

#[derive(Clone, Debug, PartialEq, Resource, Serialize, Deserialize)]
#[resource(inherit = ConfigMap)]
struct Keyed {
    metadata: ObjectMeta,
    by_number: BTreeMap<Unsigned, u8>,
}

#[test]
fn object_with_keys_that_are_written_alike_is_kept_decoded() {
    let storage = compact::<Keyed>(false);
    // Only the last value would be read.
    let by_number = [(Unsigned(-1), 1), (Unsigned(1), 1)].into();
    let object = Keyed { metadata: metadata(1), by_number };
    assert!(is_decoded(&storage.pack(object.clone()), &object));
    assert_eq!(storage.status().refused, None);
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Tagged {
    Empty,
    Ports { ports: BTreeMap<u16, String> },
}

/// An object that JSON can hold, or not.
#[derive(Clone, Debug, PartialEq, Resource, Serialize, Deserialize)]
#[resource(inherit = ConfigMap)]
struct Strange {
    metadata: ObjectMeta,
    number: f64,
    small: f32,
    tagged: Tagged,
    free: BTreeMap<String, String>,
    names: HashSet<String>,
}

fn strange(n: usize) -> Strange {
    Strange {
        metadata: metadata(n),
        number: 0.5,
        // Rounded to a double first, it would be another one.
        small: 7.038_531e-26,
        tagged: Tagged::Empty,
        free: BTreeMap::new(),
        names: (0..40).map(|name| name.to_string()).collect(),
    }
}

#[test]
fn object_that_json_cannot_hold_is_kept_decoded() {
    // Among the first objects, and later.
    for before in [0, 9] {
        let storage = compact::<Strange>(false);
        let ordinary: Vec<_> = (0..before).map(|n| packed(storage.pack(strange(n)))).collect();
        let odd = storage.pack(Strange { number: f64::NAN, ..strange(90) });
        assert!(!odd.is_packed() && odd.get().unwrap().number.is_nan());
        let mut nested = "[".repeat(126) + &"]".repeat(126);
        for _ in 0..9 {
            let text = serde_json::to_string(&nested).unwrap();
            nested = format!(r#"{{"$serde_json::private::RawValue":{text}}}"#);
        }
        let free = BTreeMap::from([("$serde_json::private::RawValue".to_owned(), nested)]);
        let ports = Tagged::Ports { ports: [(80, "http".to_owned())].into() };
        for odd in [Strange { tagged: ports, ..strange(91) }, Strange { free, ..strange(92) }] {
            assert!(is_decoded(&storage.pack(odd.clone()), &odd));
        }
        let status = storage.status();
        assert_eq!((status.kept_decoded, status.unreadable, status.refused), (3, 0, None));
        assert_eq!(*packed(storage.pack(strange(93))).get().unwrap(), strange(93));
        assert!(ordinary.iter().all(|object| object.get().is_some()));
    }
}

/// Returns a definition whose schemas are nested to this depth.
fn nested_schemas(depth: usize, nest: impl Fn(JSONSchemaProps) -> JSONSchemaProps) -> Definition {
    let schema = (0..depth).fold(JSONSchemaProps::default(), |schema, _| nest(schema));
    let schema = Some(CustomResourceValidation { open_api_v3_schema: Some(schema) });
    let version = CustomResourceDefinitionVersion { schema, ..Default::default() };
    let spec = CustomResourceDefinitionSpec { versions: vec![version], ..Default::default() };
    Definition { metadata: metadata(depth), spec, status: None }
}

#[test]
fn object_nested_too_deep_is_kept_decoded() {
    let by_not = |schema| JSONSchemaProps { not: Some(Box::new(schema)), ..Default::default() };
    let by_name = |schema| JSONSchemaProps {
        properties: Some([("p".to_owned(), schema)].into()),
        ..JSONSchemaProps::default()
    };
    let nests: [&dyn Fn(usize) -> Definition; 2] =
        [&|depth| nested_schemas(depth, by_not), &|depth| nested_schemas(depth, by_name)];
    for object in nests {
        let storage = compact::<Definition>(false);
        assert_eq!(*packed(storage.pack(object(5))).get().unwrap(), object(5));
        for depth in [60, 95, 500] {
            assert!(is_decoded(&storage.pack(object(depth)), &object(depth)));
        }
        let status = storage.status();
        assert_eq!((status.kept_decoded, status.refused), (3, None));
    }
}

#[test]
fn written_object_has_at_most_64_levels() {
    let nested = |levels| {
        let inner = (1..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        let data = serde_json::json!({"spec": inner});
        DynamicObject { types: None, metadata: metadata(1), data }
    };
    let storage = compact::<DynamicObject>(false);
    assert_eq!(*packed(storage.pack(nested(64))).get().unwrap(), nested(64));
    assert!(is_decoded(&storage.pack(nested(65)), &nested(65)));
    assert_eq!((storage.status().kept_decoded, storage.status().refused), (1, None));
}

sixty! {
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    Sixty {}
}

sixty! {
    /// A type that contains itself and so much else that its levels take much of the stack.
    #[derive(Clone, Debug, Default, PartialEq, Resource, Serialize, Deserialize)]
    #[resource(inherit = ConfigMap)]
    Large {
        metadata: ObjectMeta,
        one: Option<Sixty>,
        other: Option<Sixty>,
        next: Option<Box<Large>>,
        list: Vec<Large>,
        /// Absent where it can't be read.
        #[serde(deserialize_with = "lenient")]
        lenient: Option<Box<Large>>,
        untagged: Option<Box<Untagged>>,
    }
}

/// A type that is built from serde's buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "its size is what is tested")]
enum Untagged {
    Inner { one: Option<Sixty>, other: Option<Sixty>, next: Box<Untagged> },
    Large(Box<Large>),
}

#[expect(clippy::unnecessary_wraps, reason = "serde asks for a result")]
fn lenient<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Box<Large>>, D::Error> {
    Ok(Option::deserialize(value).unwrap_or_default())
}

#[test]
fn large_type_does_not_overflow_the_stack() {
    let by_buffer = |inner| {
        let untagged = match inner {
            Large { untagged: Some(next), .. } => Untagged::Inner { one: None, other: None, next },
            inner => Untagged::Large(Box::new(inner)),
        };
        Large { untagged: Some(Box::new(untagged)), ..Large::default() }
    };
    let nests = [
        |inner| Large { next: Some(Box::new(inner)), ..Large::default() },
        |inner| Large { list: vec![inner], ..Large::default() },
        |inner| Large { lenient: Some(Box::new(inner)), ..Large::default() },
        by_buffer,
    ];
    let pack = move || {
        let storage = compact::<Large>(false);
        for (nest, deepest) in nests.into_iter().zip([62, 31, 62, 61]) {
            for levels in [1, 4, 10, 20, deepest] {
                let object = (0..levels).fold(Large::default(), |inner, _| nest(inner));
                let object = Large { metadata: metadata(levels), ..object };
                let cached = storage.pack(object.clone());
                // A build may take so little of the stack that all levels fit.
                assert!(cached.is_packed() || levels > 1, "{levels}");
                assert_eq!(*cached.get().unwrap(), object);
            }
        }
        let status = storage.status();
        assert_eq!((status.unreadable, status.refused), (0, None));
    };
    let thread = thread::Builder::new().stack_size(2 << 20).spawn(pack);
    thread.unwrap().join().unwrap();
}

#[test]
fn equal_labels_are_shared_and_freed_with_the_last() {
    let storage = compact::<ConfigMap>(false);
    let mut objects: Vec<_> = (0..30).map(|n| packed(storage.pack(config_map(n)))).collect();
    assert!(std::ptr::eq(objects[0].labels().unwrap(), objects[3].labels().unwrap()));
    assert_eq!(storage.label_maps(), 3);
    objects.retain(|object| object.labels().unwrap()["app"] == "app-1");
    assert_eq!(storage.label_maps(), 1);
    objects.clear();
    assert_eq!(storage.label_maps(), 0);
}

/// Returns the bytes overwritten by packing, reading and dropping the objects; and their packed
/// size.
fn wiped<K>(storage: &Keeping<K>, objects: impl Iterator<Item = K>) -> ([usize; 3], usize)
where
    K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    let _sweeping = storage.0.clone().sweep(Box::new(drop));
    let start = buffer::tests::wiped();
    let kept: Vec<_> = objects.map(|object| packed(storage.pack(object))).collect();
    let stored = buffer::tests::wiped();
    assert!(kept.iter().all(|object| object.get().is_some()));
    let read = buffer::tests::wiped();
    let StorageStatus { bytes, hot_objects, .. } = storage.status();
    assert!(hot_objects == 0 || read == stored, "{hot_objects} stay");
    drop(kept);
    ([stored - start, read - stored, buffer::tests::wiped() - read], bytes)
}

#[test]
fn secrets_are_wiped_and_never_held() {
    const SIZE: usize = 600;
    let secrets = || {
        (0..40).map(|n| {
            let mut rng = fastrand::Rng::with_seed(n as u64);
            let secret = std::iter::repeat_with(|| rng.u8(..)).take(SIZE).collect();
            let data = Some(BTreeMap::from([("k".into(), k8s_openapi::ByteString(secret))]));
            Secret { metadata: metadata(n), data, ..Secret::default() }
        })
    };
    let ([stored, read, dropped], bytes) = wiped(&compact::<Secret>(true), secrets());
    // Packing wipes each object as serialised and as compressed. Reading wipes it as decompressed.
    assert!(stored > 2 * 40 * SIZE && read > 40 * SIZE, "{stored} {read}");
    assert_eq!(dropped, bytes);
    let ([stored, read, dropped], _) = wiped(&compact::<Secret>(false), secrets());
    assert_eq!((stored, read, dropped), (0, 0, 0));
}
