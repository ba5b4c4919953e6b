//! Keys that have a meaning for `serde_json`.
//!
//! `serde_json::Value` reads a map whose first key is such a key as another value: as the JSON in a
//! text, with the feature `raw_value`, in which all limits begin again. Any crate of a program may
//! enable the features. A user may choose the keys of some objects, so these keys are refused
//! wherever a type takes any map: in a value that it keeps as it is, or buffers. A type that asks
//! for a map gets them.

use memchr::{memchr_iter, memmem};

use super::error::Error;

/// The key of the text of a value, by which `serde_json` also asks for that text.
pub(crate) const RAW: &str = "$serde_json::private::RawValue";

/// The beginning of the keys.
const PREFIX: &str = "$serde_json::private::";

/// Creates the error of an object that has such a key.
#[cold]
pub(crate) fn refuse() -> Error {
    Error::nowhere(
        "a map has a key that begins with $serde_json::private::, which serde_json would read as \
         another value",
    )
}

/// Returns whether this is such a key.
#[inline]
pub(crate) fn is_private(key: &str) -> bool {
    key.starts_with(PREFIX)
}

/// Returns whether a JSON text may have such a key. Parts of the key may be written with escapes.
#[must_use]
pub fn may_be_in(json: &[u8]) -> bool {
    // Either the dollar is an escape, or the first byte that differs begins one.
    let may_begin = |at: usize| {
        let mut pairs = json[at..].iter().zip(PREFIX.as_bytes());
        pairs.find(|(byte, wanted)| byte != wanted).is_none_or(|(byte, _)| *byte == b'\\')
    };
    memchr_iter(b'$', json).any(may_begin) || memmem::find(json, br"\u0024").is_some()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use kube::core::{DynamicObject, ObjectMeta};
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::any_json::any_json;
    use crate::protobuf::ProtobufObject;
    use crate::{Decode, SerdeDecode, encode_protobuf};

    const NUMBER: &str = "$serde_json::private::Number";

    /// Returns an object with this map as its data, and as one of its members.
    fn object(map: &Value) -> Value {
        json!({"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": "a"},
               "revision": 1, "data": {"a": [map]}})
    }

    fn refused<T>(read: Result<T, crate::DecodeError>) -> bool {
        read.is_err_and(|error| error.to_string().contains(PREFIX))
    }

    /// A type that takes its members as they come.
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only decoded")]
    struct Flat {
        metadata: ObjectMeta,
        #[serde(flatten)]
        rest: Value,
    }

    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only decoded")]
    enum Either {
        Number(u8),
        Any(Value),
    }

    #[derive(Debug, Deserialize)]
    #[serde(tag = "kind")]
    #[expect(dead_code, reason = "only decoded")]
    enum Tagged {
        ControllerRevision { data: Value },
    }

    #[test]
    fn private_key_is_refused_in_any_value() {
        use k8s_openapi::api::apps::v1::ControllerRevision;

        for map in [
            json!({RAW: "[1,2]"}),
            json!({RAW: "[1,2]", "x": 1}),
            json!({RAW: "no JSON"}),
            json!({RAW: 5}),
            json!({NUMBER: "5"}),
            json!({"!": 1, RAW: "5"}),
        ] {
            let object = object(&map);
            let plain = object.to_string();
            // The server may write a character with an escape.
            let escaped = [plain.replace("serde", "s\\u0065rde"), plain.replace('$', "\\u0024")];
            for text in escaped.into_iter().chain([plain]) {
                // A small limit leads to another reader.
                for limit in [1 << 26, 20_000] {
                    macro_rules! each {
                        ($($type:ty)*) => {$(
                            let read = SerdeDecode::<$type>::new().memory_limit(limit);
                            assert!(refused(read.decode(text.as_bytes())), "{text}");
                        )*};
                    }
                    each!(Value DynamicObject ControllerRevision Flat Either Tagged
                        BTreeMap<String, Either>);
                }
            }
            let bytes = encode_protobuf(&object).unwrap();
            let message = ProtobufObject::from_envelope(&bytes).unwrap();
            assert!(refused(message.decode::<ControllerRevision>()));
            assert!(refused(message.decode::<Value>()));
        }
    }

    #[test]
    fn private_key_at_the_top_is_refused_where_members_are_kept() {
        for text in [
            json!({"apiVersion": "v1", "kind": "Foo", "metadata": {"name": "a"}, RAW: "{}"}),
            json!({RAW: r#"{"metadata":{"name":"evil"}}"#, "metadata": {"name": "a"}}),
        ] {
            let text = text.to_string();
            assert!(refused(SerdeDecode::<DynamicObject>::new().decode(text.as_bytes())));
            assert!(refused(SerdeDecode::<Flat>::new().decode(text.as_bytes())));
            assert!(refused(SerdeDecode::<Value>::new().decode(text.as_bytes())));
        }
    }

    #[test]
    fn map_of_a_type_has_the_private_key() {
        use k8s_openapi::api::storage::v1::StorageClass;

        let parameters = json!({RAW: "[1,2]"});
        let class = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": {"name": "a"}, "provisioner": "x", "parameters": parameters});
        let text = class.to_string();
        let read: StorageClass = SerdeDecode::new().decode(text.as_bytes()).unwrap();
        assert_eq!(json!(read.parameters), parameters);
        let bytes = encode_protobuf(&class).unwrap();
        let message = ProtobufObject::from_envelope(&bytes).unwrap();
        let read: StorageClass = message.decode().unwrap();
        assert_eq!(json!(read.parameters), parameters);
        assert!(refused(message.decode::<Value>()));
        let read = SerdeDecode::<Map<String, Value>>::new();
        assert_eq!(json!(read.decode(parameters.to_string().as_bytes()).unwrap()), parameters);
    }

    #[test]
    fn direct_decoder_leaves_the_private_key_to_the_table() {
        use k8s_openapi::api::core::v1::ConfigMap;

        let managed = json!([{"manager": "m", "fieldsV1": {"f:data": {RAW: "{}"}}}]);
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "a", "managedFields": managed}});
        let bytes = encode_protobuf(&map).unwrap();
        let message = ProtobufObject::from_envelope(&bytes).unwrap();
        assert!(refused(message.decode::<ConfigMap>()));
    }

    /// Puts a private key at some places of a tree. `places` is used up.
    fn with_keys(value: Value, places: &mut Vec<u8>) -> Value {
        match value {
            Value::Array(list) => list.into_iter().map(|part| with_keys(part, places)).collect(),
            Value::Object(map) => {
                let parts = map.into_iter().map(|(key, part)| (key, with_keys(part, places)));
                let mut map: Map<_, _> = parts.collect();
                match places.pop() {
                    Some(0) => drop(map.insert(RAW.to_owned(), json!("[1]"))),
                    Some(1) => drop(map.insert(NUMBER.to_owned(), json!("7"))),
                    Some(2) => map = [(RAW.to_owned(), Value::Object(map))].into_iter().collect(),
                    _ => {}
                }
                Value::Object(map)
            }
            value => value,
        }
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn tree_is_itself_or_refused_for_its_key(
            value in any_json(),
            mut places in proptest::collection::vec(0_u8..8, 0..12),
            escaped in any::<bool>(),
            limit in prop_oneof![Just(1_usize << 26), Just(30_000)],
        ) {
            let tree = json!({"data": with_keys(value, &mut places)});
            let mut text = tree.to_string();
            let has_key = text.contains(PREFIX);
            if escaped {
                text = text.replace("serde", "serd\\u0065");
            }
            let read = SerdeDecode::<Value>::new().memory_limit(limit).decode(text.as_bytes());
            match read {
                Ok(read) => prop_assert!(!has_key && read == tree, "{text}"),
                Err(error) if has_key => {
                    let error = error.to_string();
                    prop_assert!(error.contains(PREFIX) || error.contains("memory"), "{error}");
                }
                Err(error) => prop_assert!(error.to_string().contains("memory"), "{error}: {text}"),
            }
        }
    }
}
