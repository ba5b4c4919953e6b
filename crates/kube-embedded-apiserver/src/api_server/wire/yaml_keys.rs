//! Keys of YAML mappings: they are texts in JSON, and a mapping has each only once.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::{DuplicateKeyPolicy, Error};

/// Returns the first key that occurs twice in a mapping, in the words of a real server.
pub(super) fn repeated(body: &[u8]) -> Option<String> {
    let options = serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::Error,
        legacy_octal_numbers: true,
        strict_booleans: false,
    };
    let read = serde_saphyr::from_slice_with_options::<YamlValue>(body, options);
    match read.err()?.without_snippet() {
        Error::DuplicateMappingKey { key: Some(key), location } => {
            Some(format!("line {}: key {key:?} already set in map", location.line()))
        }
        _ => None,
    }
}

/// A value whose keys are converted to texts: the key `y` is a boolean, and becomes `true`.
#[derive(Debug)]
pub(super) struct YamlValue(pub(super) Value);

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Self)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a YAML value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(YamlValue(element)) = elements.next_element()? {
            list.push(element);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((YamlValue(key), YamlValue(value))) = members.next_entry()? {
            let key = match key {
                Value::String(text) => text,
                other => other.to_string(),
            };
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_repeated_key_is_named_with_its_line() {
        let found = repeated(b"a: 1\nb:\n  k: v\n  k: w\n");
        assert_eq!(found.as_deref(), Some("line 4: key \"k\" already set in map"));
        assert_eq!(repeated(b"a: 1\nb: {a: 1}\n"), None);
        assert_eq!(repeated(b"{"), None);
        let json = br#"{"a": {"k": 1, "k": 2}}"#;
        assert_eq!(repeated(json).as_deref(), Some("line 1: key \"k\" already set in map"));
    }
}
