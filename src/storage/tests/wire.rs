//! The default: objects are kept as they arrived, where that saves memory.

use kube_decode::SerdeDecode;

use super::*;
use crate::codec::{Codecs, Encoding};
use crate::packer::Packer;

/// Stores objects that arrive as JSON, in the default storage. Returns how many are packed, and the
/// storage's status.
fn arrive<K>(objects: impl IntoIterator<Item = Value>) -> (usize, StorageStatus)
where
    K: Resource + DeserializeOwned + Send + Sync + 'static,
{
    let keeper = Storage::<K>::default().keeper(&"things".into(), SafeDropper::default()).unwrap();
    let packer = Packer::keeping(keeper.clone());
    let codecs = Codecs::new(decode_any::<K>(Arc::new(SerdeDecode::new())));
    let codec = codecs.of(Encoding::Json, None);
    let arrive = |object: Value| {
        let bytes = object.to_string().into_bytes();
        packer.pack_wire(&WireObject { bytes: &bytes, codec: &codec }).unwrap().1
    };
    let objects: Vec<_> = objects.into_iter().map(arrive).collect();
    (objects.iter().filter(|object| object.is_packed()).count(), keeper.status())
}

/// Returns objects with much content that does not compress.
fn objects(count: u64) -> impl Iterator<Item = Value> {
    (0..count).map(|n| {
        let mut rng = fastrand::Rng::with_seed(n);
        let data = (0..40).map(|n| (format!("k{n}"), format!("{:x}", rng.u128(..)).into()));
        let data: serde_json::Map<_, _> = data.collect();
        serde_json::json!({"metadata": {"name": format!("thing-{n}")}, "data": data})
    })
}

/// A keeper, and a way to pack objects that arrive as JSON with an owner.
struct Arrivals {
    keeper: Arc<dyn Keeper>,
    packer: Packer,
    codec: Arc<Codec>,
    controller: bool,
}

impl Arrivals {
    fn new(resource: &str, controller: bool) -> Self {
        let storage = Storage::<DynamicObject>::default();
        let keeper = storage.keeper(&resource.into(), SafeDropper::default()).unwrap();
        let codecs = Codecs::new(decode_any::<DynamicObject>(Arc::new(SerdeDecode::new())));
        let packer = Packer::keeping(keeper.clone());
        Self { keeper, packer, codec: codecs.of(Encoding::Json, None), controller }
    }

    /// Packs object `n` of this owner, made from a template, and reads it.
    fn pack(&self, owner: usize, n: usize, template: &Value) -> Cached {
        let mut object = template.clone();
        object["metadata"] = serde_json::json!({
            "name": format!("thing-{n}"), "uid": format!("{owner}-{n}"),
            "ownerReferences": [{
                "apiVersion": "v1", "kind": "Owner", "name": "o", "uid": format!("owner-{owner}"),
                "controller": self.controller,
            }],
        });
        let bytes = object.to_string().into_bytes();
        let wire = WireObject { bytes: &bytes, codec: &self.codec };
        let (_, packed) = self.packer.pack_wire(&wire).unwrap();
        let read = packed.get_as::<DynamicObject>().unwrap();
        assert_eq!(serde_json::to_value(&*read).unwrap(), object);
        packed
    }

    /// Packs ten objects of each of twenty templates. Returns them, and the bytes that they take.
    fn pack_all(&self) -> (Vec<Cached>, usize) {
        let templates = objects(20).enumerate();
        let packed = templates.flat_map(|(owner, template)| {
            (0..10).map(move |n| self.pack(owner, n, &template)).collect::<Vec<_>>()
        });
        let packed: Vec<_> = packed.collect();
        (packed, self.keeper.status().bytes)
    }
}

#[test]
fn objects_of_one_controller_compress_each_other() {
    let (_, owned) = Arrivals::new("things", true).pack_all();
    for (resource, controller) in [("things", false), ("secrets", true)] {
        let (_, alone) = Arrivals::new(resource, controller).pack_all();
        assert!(owned * 3 < alone, "{owned} of {alone}");
    }
}

#[test]
fn dictionary_of_an_owner_lives_as_long_as_its_objects() {
    let arrivals = Arrivals::new("things", true);
    let (mut packed, _) = arrivals.pack_all();
    // The first object of each owner is gone, and still read.
    let mut n = 0..;
    packed.retain(|_| n.next().unwrap() % 10 != 0);
    assert_eq!(arrivals.keeper.status().objects, 200);
    assert!(packed.iter().all(|object| object.get_as::<DynamicObject>().is_some()));
    drop(packed);
    assert_eq!((arrivals.keeper.status().objects, arrivals.keeper.status().bytes), (0, 0));
}

#[test]
fn later_states_of_an_only_object_keep_no_earlier_one() {
    let arrivals = Arrivals::new("things", true);
    let template = objects(1).next().unwrap();
    let mut only = arrivals.pack(0, 0, &template);
    for _ in 0..5 {
        only = arrivals.pack(0, 0, &template);
        assert_eq!(arrivals.keeper.status().objects, 1);
    }
    drop(only);
}

#[test]
fn dictionary_follows_the_template_of_its_owner() {
    let arrivals = Arrivals::new("things", true);
    let templates: Vec<_> = objects(30).collect();
    // With these, the samples of all objects have no room for the template.
    let _others: Vec<_> =
        templates[2..].iter().enumerate().map(|(n, of)| arrivals.pack(n + 1, 0, of)).collect();
    let size = |n: usize, template: &Value| {
        let before = arrivals.keeper.status().bytes;
        let packed = arrivals.pack(0, n, template);
        let size = arrivals.keeper.status().bytes - before;
        (packed, size)
    };
    let _old: Vec<_> = (0..3).map(|n| size(n, &templates[0])).collect();
    let new: Vec<_> = (0..20).map(|n| size(n, &templates[1])).collect();
    let sizes: Vec<_> = new.iter().map(|(_, size)| *size).collect();
    assert!(sizes[0] > 1_000, "{sizes:?}");
    assert!(sizes[10..].iter().all(|size| *size < 300), "{sizes:?}");
}

/// A type that reads little.
#[derive(Deserialize, Resource)]
#[resource(inherit = ConfigMap)]
struct Slim {
    metadata: ObjectMeta,
}

#[test]
fn type_that_reads_little_is_kept_decoded() {
    let (packed, status) = arrive::<Slim>(objects(20));
    // The first ones are packed for the comparison.
    assert_eq!((packed, status.refused), (8, Some(PackError::NotSmaller.to_string())));
    assert_eq!((status.objects, status.kept_decoded), (8, 0));
    let (packed, status) = arrive::<DynamicObject>(objects(20));
    assert_eq!((packed, status.refused), (20, None));
}

#[test]
fn object_without_bytes_is_kept_decoded() {
    let keeper =
        Storage::<ConfigMap>::default().keeper(&"things".into(), SafeDropper::default()).unwrap();
    let object = Packer::keeping(keeper.clone()).pack(config_map(1));
    assert!(is_decoded(&object, &config_map(1)));
    let expected = StorageStatus { hot_limit: 64 << 20, ..StorageStatus::default() };
    assert_eq!(keeper.status(), expected);
}

/// Any thread may read a packed object, and decodes it on its own stack.
#[test]
fn object_that_takes_much_stack_is_kept_decoded() {
    let by_name = |schema| JSONSchemaProps {
        properties: Some([("p".to_owned(), schema)].into()),
        ..JSONSchemaProps::default()
    };
    let definition = |depth| serde_json::to_value(nested_schemas(depth, by_name)).unwrap();
    let (packed, status) = arrive::<Definition>([1, 2, 50].map(definition));
    assert_eq!((packed, status.kept_decoded, status.refused), (2, 1, None));
}
