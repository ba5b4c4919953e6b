//! Types with fields that are computed from other fields as an object is decoded.

use kube_decode::SerdeDecode;

use super::*;

/// An object whose tier is computed from its metadata, and not written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Resource)]
#[resource(inherit = ConfigMap)]
#[serde(from = "Bare", into = "Bare")]
struct Tiered {
    metadata: ObjectMeta,
    text: String,
    tier: String,
}

#[derive(Serialize, Deserialize)]
struct Bare {
    metadata: ObjectMeta,
    text: String,
}

impl From<Bare> for Tiered {
    fn from(Bare { metadata, text }: Bare) -> Self {
        Self { tier: tier(&metadata), metadata, text }
    }
}

impl From<Tiered> for Bare {
    fn from(Tiered { metadata, text, .. }: Tiered) -> Self {
        Self { metadata, text }
    }
}

fn tier(metadata: &ObjectMeta) -> String {
    let ObjectMeta { labels, uid, resource_version, owner_references, .. } = metadata;
    format!("{labels:?} {uid:?} {resource_version:?} {owner_references:?}")
}

fn tiered(n: usize) -> Tiered {
    Bare { metadata: metadata(n), text: format!("{n} ").repeat(100) }.into()
}

#[test]
fn computed_field_is_read_as_it_was_decoded() {
    for wipe in [false, true] {
        let storage = compact::<Tiered>(wipe);
        for n in 0..20 {
            assert_eq!(*packed(storage.pack(tiered(n))).get().unwrap(), tiered(n));
        }
        assert_eq!(storage.status().refused, None);
    }
    let storage = compact::<Tiered>(false);
    let codec = Arc::new(Codec::plain(decode_any(Arc::new(SerdeDecode::<Tiered>::new())), 11));
    for n in 0..20 {
        let bytes = serde_json::to_vec(&tiered(n)).unwrap();
        let wire = WireObject { bytes: &bytes, codec: &codec };
        assert_eq!(*packed(storage.pack_wire(&wire, tiered(n), 0)).get().unwrap(), tiered(n));
    }
}

/// The same, but the tier is written, too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Resource)]
#[resource(inherit = ConfigMap)]
#[serde(from = "Bare")]
struct Written {
    metadata: ObjectMeta,
    text: String,
    tier: String,
}

impl From<Bare> for Written {
    fn from(bare: Bare) -> Self {
        let Tiered { metadata, text, tier } = bare.into();
        Self { metadata, text, tier }
    }
}

#[test]
fn type_whose_source_a_transform_removed_is_kept_decoded() {
    let storage = compact::<Written>(false);
    let mut object = Written::from(Bare::from(tiered(1)));
    assert_eq!(*packed(storage.pack(object.clone())).get().unwrap(), object);
    object.metadata.labels = None;
    assert!(is_decoded(&storage.pack(object.clone()), &object));
    assert_eq!(storage.status().refused, Some(PackError::Disagrees.to_string()));
}

/// An object that writes no labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Resource)]
#[resource(inherit = ConfigMap)]
#[serde(into = "Bare")]
struct Unlabelled {
    metadata: ObjectMeta,
    text: String,
}

impl From<Unlabelled> for Bare {
    fn from(Unlabelled { metadata, text }: Unlabelled) -> Self {
        Self { metadata: ObjectMeta { labels: None, ..metadata }, text }
    }
}

#[test]
fn type_that_does_not_write_its_labels_is_kept_decoded() {
    let storage = compact::<Unlabelled>(false);
    let object = Unlabelled { metadata: metadata(1), text: String::new() };
    assert!(is_decoded(&storage.pack(object.clone()), &object));
    assert_eq!(storage.status().refused, Some(PackError::Disagrees.to_string()));
}
