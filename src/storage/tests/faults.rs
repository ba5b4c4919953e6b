//! Objects that can't be decoded, and objects whose `Drop` panics.

use kube_decode::SerdeDecode;

use super::*;
use crate::codec::{Codecs, Encoding};
use crate::packer::Packer;

/// Packs an object that arrives as this JSON.
fn arrive<K>(packer: &Packer, json: &Value) -> Result<Cached, DecodeError>
where
    K: Resource + DeserializeOwned + Send + Sync + 'static,
{
    let codecs = Codecs::new(decode_any::<K>(Arc::new(SerdeDecode::new())));
    let codec = codecs.of(Encoding::Json, None);
    let bytes = json.to_string().into_bytes();
    packer.pack_wire(&WireObject { bytes: &bytes, codec: &codec }).map(|(_, cached)| cached)
}

#[test]
fn arrival_checks_what_a_read_decodes() {
    let packer = Storage::<ConfigMap>::compact().packer("things");
    let entry = serde_json::json!({"manager": "m", "time": "no time"});
    let json = serde_json::json!({"metadata": {"name": "a", "managedFields": [entry]}});
    assert!(arrive::<ConfigMap>(&packer, &json).is_err());
}

#[test]
fn failed_read_makes_packing_check_each_object() {
    let storage = compact::<Odd>(false);
    // More objects than the first few, whose round trip is checked.
    let before: Vec<_> = (0..20).map(|n| packed(storage.pack(odd(n, Oddity::Breaks)))).collect();
    BROKEN.set(true);
    assert!(before[19].get().is_none());
    let next = storage.pack(odd(1, Oddity::Breaks));
    packed(storage.pack(odd(2, Oddity::None)));
    BROKEN.set(false);
    assert!(!next.is_packed(), "it could not be read, either");
    let StorageStatus { kept_decoded, refused, .. } = storage.status();
    assert_eq!((kept_decoded, refused), (1, None));
}

#[test]
fn packing_contains_each_drop() {
    let dropper = SafeDropper::default();
    let storage = Storage::<Bomb>::compact();
    let keeper = storage.keeper(&"things".into(), dropper.clone());
    let packer = Packer::keeping(keeper.unwrap());
    let json = |name: &str| serde_json::json!({"metadata": {"name": name}});
    assert!(arrive::<Bomb>(&packer, &json("a")).unwrap().is_packed());
    assert_eq!(dropper.faults(), 1);
    assert!(arrive::<Bomb>(&packer, &json("")).is_err(), "it has no name");
    assert!(packer.pack(Bomb { metadata: metadata(1) }).is_packed());
    // The object, and its copy of the round trip.
    assert_eq!(dropper.faults(), 3);
}
