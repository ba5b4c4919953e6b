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
    assert_eq!((packed, status.refused), (8, Some(PackError::NotSmaller)));
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
    assert_eq!(keeper.status(), StorageStatus::default());
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
