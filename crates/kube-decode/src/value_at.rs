//! The value at a path of an object, found without decoding the rest.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::protobuf::ProtobufObject;
use super::{DecodeError, MEMORY_LIMIT, node};

/// Returns the value at a path of an object in JSON, as [`FieldSet`](crate::FieldSet) names paths.
/// A list on the way gives a list of what its elements have there.
///
/// # Errors
/// [`DecodeError`] if the object is malformed.
pub fn value_in_json(object: &[u8], path: &str) -> Result<Option<Value>, DecodeError> {
    node::json_with(object, None, MEMORY_LIMIT, |node| At(path).deserialize(node))
}

/// Returns the value at a path of an object in protobuf.
///
/// # Errors
/// [`DecodeError`] if the object is malformed.
pub fn value_in_protobuf(
    object: &ProtobufObject<'_>,
    path: &str,
) -> Result<Option<Value>, DecodeError> {
    node::protobuf_with(*object, None, MEMORY_LIMIT, |node| At(path).deserialize(node))
}

/// The value at this path below another. An empty path is the value itself.
#[derive(Clone, Copy)]
struct At<'p>(&'p str);

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
        if self.0.is_empty() { Option::deserialize(value) } else { value.deserialize_any(self) }
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let (name, rest) = self.0.split_once('.').unwrap_or((self.0, ""));
        let mut found = None;
        while let Some(is_sought) = members.next_key_seed(Is(name))? {
            if is_sought {
                found = members.next_value_seed(At(rest))?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(value) = elements.next_element_seed(self)? {
            found.extend(value);
        }
        Ok(Some(Value::Array(found)))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }
}

/// A name, which is this one or another.
struct Is<'p>(&'p str);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<bool, D::Error> {
        name.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn value_is_found_in_both_encodings() {
        let pod = json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "web", "labels": {"app": "a"}, "generation": 3},
            "spec": {"nodeName": "n", "hostNetwork": true, "containers": [
                {"name": "one", "image": "i", "ports": [{"containerPort": 80}]}, {"name": "two"}]}});
        let bytes = crate::encode_protobuf(&pod).unwrap();
        let message = ProtobufObject::from_envelope(&bytes).unwrap();
        for (path, expected) in [
            ("spec.nodeName", json!("n")),
            ("spec.hostNetwork", json!(true)),
            ("metadata.generation", json!(3)),
            ("metadata.labels.app", json!("a")),
            ("metadata.labels", json!({"app": "a"})),
            ("spec.containers.name", json!(["one", "two"])),
            ("spec.containers.image", json!(["i"])),
            ("spec.containers.ports.containerPort", json!([[80]])),
            ("spec.nodeName.deeper", Value::Null),
            ("spec.missing", Value::Null),
            ("status.phase", Value::Null),
        ] {
            let expected = Some(expected).filter(|value| !value.is_null());
            let found = value_in_json(pod.to_string().as_bytes(), path).unwrap();
            assert_eq!(found, expected, "{path}");
            assert_eq!(value_in_protobuf(&message, path).unwrap(), expected, "{path}");
        }
        assert!(value_in_json(b"{\"spec\": {", "spec.a").is_err());
    }
}
