//! Decodes an object without its `metadata.managedFields`, which it passes over unread.
//!
//! Who owns which field is for the server to know; decoded it is a tree of maps several times the
//! size of everything else. Nothing else is left out,
//! at no other place.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

/// Deserialises a `K` as if it had no `metadata.managedFields`. From any self-describing format.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::transport::WithoutManagedFields;
///
/// let text = r#"{"metadata":{"name":"web","managedFields":[{"manager":"kubectl"}]}}"#;
/// let WithoutManagedFields(pod) = serde_json::from_str::<WithoutManagedFields<Pod>>(text)?;
/// assert_eq!(pod.metadata.name.as_deref(), Some("web"));
/// assert_eq!(pod.metadata.managed_fields, None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithoutManagedFields<K>(pub K);

impl<'de, K: Deserialize<'de>> Deserialize<'de> for WithoutManagedFields<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        K::deserialize(Filter { inner: deserializer, level: Level::Object }).map(Self)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Object,
    Metadata,
}

/// Whatever it wraps, with what is left out left out at this level and below.
struct Filter<T> {
    inner: T,
    level: Level,
}

/// What is asked of the format; what comes of it is filtered.
macro_rules! ask {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(
            self,
            $($argument: $type,)*
            visitor: V,
        ) -> Result<V::Value, Self::Error> {
            let Self { inner, level } = self;
            inner.$method($($argument,)* Filter { inner: visitor, level })
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Filter<D> {
    type Error = D::Error;

    ask! {
        deserialize_any()
        deserialize_option()
        deserialize_map()
        deserialize_newtype_struct(name: &'static str)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_ignored_any()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct enum identifier
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// What has no members comes as it is.
macro_rules! pass {
    ($($method:ident($type:ty))*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Filter<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        let Self { inner, level } = self;
        inner.visit_map(Members { inner: members, level, metadata: false })
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Filter { inner, level: self.level })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Filter { inner, level: self.level })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(elements)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    pass! {
        visit_bool(bool)
        visit_i64(i64)
        visit_u64(u64)
        visit_f64(f64)
        visit_str(&str)
        visit_borrowed_str(&'de str)
        visit_string(String)
    }
}

/// The members of an object, or of its metadata.
struct Members<A> {
    inner: A,
    level: Level,
    /// The member whose value comes next is the metadata.
    metadata: bool,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        loop {
            let Some(Name(name)) = self.inner.next_key()? else { return Ok(None) };
            if self.level == Level::Metadata && name == "managedFields" {
                self.inner.next_value::<IgnoredAny>()?;
                continue;
            }
            self.metadata = self.level == Level::Object && name == "metadata";
            return match name {
                Cow::Borrowed(name) => seed.deserialize(BorrowedStrDeserializer::new(name)),
                Cow::Owned(name) => seed.deserialize(name.into_deserializer()),
            }
            .map(Some);
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        if self.metadata {
            return self.inner.next_value_seed(Filter { inner: seed, level: Level::Metadata });
        }
        self.inner.next_value_seed(seed)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Filter<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Filter { inner, level: self.level })
    }
}

/// A member's name, borrowed where the format has it as it is.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use k8s_openapi::api::core::v1::Pod;
    use kube::api::{DynamicObject, ObjectMeta};
    use proptest::prelude::*;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;
    use crate::transport::json::scan::tests::json;

    /// As a struct of one's own may be: with what is not its own beside it.
    #[derive(Debug, PartialEq, Deserialize)]
    struct Slim {
        metadata: ObjectMeta,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }

    const MANY: &str = "managedFields";

    /// What the type itself makes of the object without them.
    fn agrees<K: DeserializeOwned + PartialEq + fmt::Debug>(object: &Value) {
        let mut without = object.clone();
        if let Some(metadata) = without.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove(MANY);
        }
        let read: Result<WithoutManagedFields<K>, _> = serde_json::from_str(&object.to_string());
        let expected: Result<K, _> = serde_json::from_value(without);
        assert_eq!(read.ok().map(|WithoutManagedFields(object)| object), expected.ok(), "{object}");
    }

    #[test]
    fn only_the_objects_own_are_left_out() {
        let object = json!({
            "apiVersion": "v1", "kind": "Pod",
            "managedFields": "stays",
            "metadata": {
                "name": "web", "a\"b": 1,
                MANY: [{"manager": "m", "fieldsV1": {"f:metadata": {MANY: {}}}}],
                "labels": {MANY: "stays"},
                "annotations": {"metadata": "stays"},
            },
            "spec": {"containers": [], "metadata": {MANY: "stays"}},
        });
        agrees::<Value>(&object);
        agrees::<Pod>(&object);
        agrees::<Option<Pod>>(&object);
        agrees::<DynamicObject>(&object);
        agrees::<Slim>(&object);
        for odd in
            [json!(null), json!(7), json!(-7), json!(0.5), json!("x"), json!([1]), json!(true)]
        {
            agrees::<Value>(&odd);
            agrees::<Option<Pod>>(&odd);
            agrees::<Value>(&json!({"metadata": odd.clone()}));
            agrees::<Pod>(&json!({"metadata": odd}));
        }
    }

    proptest! {
        #[test]
        fn everything_else_is_as_it_was(value in json(), rest in json(), extra in json()) {
            agrees::<Value>(&json!({"a": extra, "metadata": {"x": value, MANY: rest}}));
            agrees::<ObjectMeta>(&json!({"metadata": value}));
        }
    }
}
