//! A look at the way in which a type reads an object.

use std::cell::Cell;

use serde::Deserialize;
use serde::de::value::Error;
use serde::de::{Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// Returns whether a type names the fields of an object that it reads, so that all others are
/// skipped. A type that takes any field does not: one with `#[serde(flatten)]`, an untagged enum,
/// or a map.
#[must_use]
pub fn names_its_fields<'de, T: Deserialize<'de>>() -> bool {
    let named = Cell::new(false);
    // The probe has no value to give.
    drop(T::deserialize(Probe(&named)));
    named.get()
}

/// A value that only notes how it is asked for.
struct Probe<'n>(&'n Cell<bool>);

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("there is no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.set(true);
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;
    use kube::core::{DynamicObject, PartialObjectMeta};
    use serde_json::Value;

    use super::*;

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only its code is of interest")]
    struct Slim {
        metadata: Value,
    }

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only its code is of interest")]
    struct Flat {
        #[serde(flatten)]
        all: Slim,
    }

    #[test]
    fn flattened_and_dynamic_types_take_any_field() {
        assert!(names_its_fields::<Pod>() && names_its_fields::<Slim>());
        assert!(!names_its_fields::<Flat>() && !names_its_fields::<Value>());
        assert!(!names_its_fields::<DynamicObject>());
        assert!(!names_its_fields::<PartialObjectMeta<Pod>>());
    }
}
