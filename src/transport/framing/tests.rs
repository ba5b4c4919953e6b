//! Tests of places on the ring, which must be those of the decoded metadata in both encodings.

use std::collections::BTreeMap;

use fastrand::Rng;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::ObjectMeta;
use kube_decode::protobuf::encode::{encode_message, envelope, field};
use kube_decode::protobuf::{Cursor, ProtobufObject};
use proptest::prelude::*;
use serde_json::Value;

use super::Encoding;
use crate::object::{ShardKey, ring_hash};

const KEYS: [ShardKey; 4] =
    [ShardKey::Uid, ShardKey::Namespace, ShardKey::Name, ShardKey::ControllerUid];

fn text() -> impl Strategy<Value = String> {
    "(\\PC|[\"\\\\{}\\[\\],:]){0,8}"
}

fn owner() -> impl Strategy<Value = OwnerReference> {
    let controller = proptest::option::of(any::<bool>());
    (text(), controller).prop_map(|(uid, controller)| OwnerReference {
        api_version: "v1".into(),
        kind: "Owner".into(),
        name: "owner".into(),
        uid,
        controller,
        ..OwnerReference::default()
    })
}

fn texts() -> impl Strategy<Value = Option<BTreeMap<String, String>>> {
    let name =
        prop_oneof![Just("uid".into()), Just("namespace".into()), Just("name".into()), text()];
    proptest::option::of(proptest::collection::btree_map(name, text(), 0..3))
}

fn metadata() -> impl Strategy<Value = ObjectMeta> {
    let optional = || proptest::option::of(text());
    let owners = proptest::option::of(proptest::collection::vec(owner(), 0..4));
    let parts = (optional(), optional(), optional(), owners, texts(), texts());
    parts.prop_map(|(name, namespace, uid, owner_references, labels, annotations)| ObjectMeta {
        name,
        namespace,
        uid,
        owner_references,
        labels,
        annotations,
        finalizers: Some(vec!["a".into()]),
        ..ObjectMeta::default()
    })
}

fn map(metadata: ObjectMeta) -> Value {
    serde_json::to_value(ConfigMap { metadata, ..ConfigMap::default() }).unwrap()
}

/// Writes a value with members in any order, and with any escapes and white space.
fn written(value: &Value, rng: &mut Rng, odd: bool) -> String {
    let space = |rng: &mut Rng| " ".repeat(if odd { rng.usize(..3) } else { 0 });
    let quoted = |text: &str, rng: &mut Rng| {
        if !odd || rng.u8(..4) > 0 {
            return Value::from(text).to_string();
        }
        let escaped: Vec<_> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        format!("\"{}\"", escaped.concat())
    };
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            rng.shuffle(&mut members);
            let members = members.into_iter().map(|(name, value)| {
                let (name, value) = (quoted(name, rng), written(value, rng, odd));
                format!("{}{name}{}:{}{value}{}", space(rng), space(rng), space(rng), space(rng))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(elements) => {
            let elements = elements.iter().map(|element| {
                format!("{}{}{}", space(rng), written(element, rng, odd), space(rng))
            });
            format!("[{}]", elements.collect::<Vec<_>>().join(","))
        }
        Value::String(text) => quoted(text, rng),
        other => other.to_string(),
    }
}

/// Returns a message with its fields in any order.
fn shuffled(message: &[u8], rng: &mut Rng) -> Vec<u8> {
    let (mut cursor, mut fields, mut from) = (Cursor::new(message, 0), vec![], 0);
    while cursor.next().unwrap().is_some() {
        fields.push(&message[from..cursor.offset()]);
        from = cursor.offset();
    }
    rng.shuffle(&mut fields);
    fields.concat()
}

/// Encodes a config map with fields in any order, and earlier values of some.
fn encoded(metadata: &ObjectMeta, earlier: Option<&str>, rng: &mut Rng) -> Vec<u8> {
    let message = encode_message("v1", "ConfigMap", &map(metadata.clone())).unwrap();
    let metadata = Cursor::new(&message, 0).next().unwrap().unwrap().bytes().unwrap().to_vec();
    let mut metadata = shuffled(&metadata, rng);
    if let Some(earlier) = earlier {
        metadata = [field(5, earlier), field(3, earlier), metadata].concat();
    }
    let data = field(2, [field(1, "uid"), field(2, "x")].concat());
    shuffled(&[field(1, metadata), data, field(99, "x")].concat(), rng)
}

proptest! {
    #![proptest_config(crate::seeds::cases(125))]

    #[test]
    fn place_in_json_is_that_of_decoded_metadata(
        metadata in metadata(),
        seed in any::<u64>(),
        odd in any::<bool>(),
    ) {
        let text = written(&map(metadata.clone()), &mut Rng::with_seed(seed), odd);
        for key in KEYS {
            let place = Encoding::Json.place(text.as_bytes(), key);
            prop_assert_eq!(place, Some(key.hash(&metadata)), "{:?} {}", key, text);
        }
    }

    #[test]
    fn place_in_protobuf_is_that_of_decoded_metadata(
        metadata in metadata(),
        earlier in proptest::option::of(text()),
        seed in any::<u64>(),
    ) {
        let message = encoded(&metadata, earlier.as_deref(), &mut Rng::with_seed(seed));
        let decoded = ProtobufObject::from_message("v1", "ConfigMap", &message).unwrap();
        let decoded: ConfigMap = decoded.decode().unwrap();
        let envelope = envelope("v1", "ConfigMap", &message);
        for key in KEYS {
            let expected = Some(key.hash(&decoded.metadata));
            prop_assert_eq!(Encoding::Protobuf.place(&message, key), expected, "{:?}", key);
            prop_assert_eq!(Encoding::Protobuf.place(&envelope, key), expected, "{:?}", key);
        }
    }

    #[test]
    fn cut_object_never_has_a_wrong_place(metadata in metadata(), seed in any::<u64>()) {
        let rng = &mut Rng::with_seed(seed);
        let text = written(&map(metadata.clone()), rng, false).into_bytes();
        let message = encoded(&metadata, None, rng);
        let envelope = envelope("v1", "ConfigMap", &message);
        for (encoding, object) in [
            (Encoding::Json, text),
            (Encoding::Protobuf, message),
            (Encoding::Protobuf, envelope),
        ] {
            for key in KEYS {
                let whole = encoding.place(&object, key);
                prop_assert!(whole.is_some());
                for end in 0..object.len() {
                    let place = encoding.place(&object[..end], key);
                    prop_assert!(place.is_none() || place == whole, "{:?} {}", key, end);
                }
            }
        }
    }

    #[test]
    fn places_of_arbitrary_bytes_do_not_panic(
        bytes in proptest::collection::vec(
            prop_oneof![any::<u8>(), 0u8..20, proptest::sample::select(&br#"{}[],:" "#[..])],
            0..100,
        ),
    ) {
        for key in KEYS {
            let _ = Encoding::Protobuf.place(&bytes, key);
            let _ = Encoding::Protobuf.place(&[&b"k8s\0"[..], &bytes].concat(), key);
            let _ = Encoding::Json.place(&bytes, key);
            let owners = [&br#"{"metadata":{"ownerReferences":["#[..], &bytes].concat();
            let _ = Encoding::Json.place(&owners, key);
        }
    }
}

#[test]
fn field_of_a_cut_object_has_a_place() {
    let owners =
        br#"{"metadata":{"ownerReferences":[{"uid":"o","controller":true}],"uid":"u","namesp"#;
    let place = |key| Encoding::Json.place(owners, key);
    assert_eq!(place(ShardKey::ControllerUid), Some(ring_hash("o")));
    assert_eq!(place(ShardKey::Uid), Some(ring_hash("u")));
    assert_eq!(place(ShardKey::Namespace), None);

    let owner = [field(4, "o"), vec![0x30, 1]].concat();
    let metadata = [field(1, "n"), field(3, "ns"), field(5, "u"), field(13, owner)].concat();
    let object = [field(1, metadata), field(2, [7; 90])].concat();
    for object in
        [object[..object.len() - 40].to_vec(), envelope("v1", "Pod", &object)[..40].to_vec()]
    {
        let place = |key| Encoding::Protobuf.place(&object, key);
        assert_eq!(place(ShardKey::ControllerUid), Some(ring_hash("o")));
        assert_eq!(place(ShardKey::Uid), Some(ring_hash("u")));
        assert_eq!(place(ShardKey::Namespace), Some(ring_hash("ns")));
        assert_eq!(place(ShardKey::Name), Some(ring_hash("n")));
    }

    // Metadata that is whole has no further owners.
    let object = [field(1, field(5, "u")), field(2, [7; 90])].concat();
    for object in [&object[..40], &envelope("v1", "Pod", &object)[..40]] {
        let place = Encoding::Protobuf.place(object, ShardKey::ControllerUid);
        assert_eq!(place, Some(ring_hash("u")));
    }
}

#[test]
fn missing_field_is_empty_and_unreadable_has_no_place() {
    for key in KEYS {
        for empty in ["{}", r#"{"uid":null,"ownerReferences":null}"#, r#"{"uid":"","x":7}"#] {
            let object = format!(r#"{{"metadata":{empty}}}"#);
            assert_eq!(
                Encoding::Json.place(object.as_bytes(), key),
                Some(ring_hash("")),
                "{empty}"
            );
        }
        assert_eq!(Encoding::Protobuf.place(&field(1, ""), key), Some(ring_hash("")));
        for unreadable in ["{}", r#"{"metadata":null}"#, r#"{"metadata":7}"#, "[]", "7", "", "null"]
        {
            assert_eq!(Encoding::Json.place(unreadable.as_bytes(), key), None, "{unreadable}");
        }
        let twice = [field(1, ""), field(1, "")].concat();
        for unreadable in [&b""[..], b"k8s\0", &twice, b"\x0a\x09"] {
            assert_eq!(Encoding::Protobuf.place(unreadable, key), None, "{unreadable:?}");
        }
    }
    let number = br#"{"metadata":{"uid":7,"namespace":7,"name":7,"ownerReferences":7}}"#;
    assert!(KEYS.iter().all(|key| Encoding::Json.place(number, *key).is_none()));
}
