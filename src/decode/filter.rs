//! Partial decoding, which skips the other parts of an object unread.
//!
//! One filter skips `metadata.managedFields`. Decoded, they are a tree of maps several times the
//! size of everything else, and only the server needs them. The other filter keeps only some
//! fields. In both cases the type sees an object that has no other fields.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

use crate::object::{FieldSet, Wanted};

/// A wrapper that deserialises a `K` as if it had no `metadata.managedFields`. Works with any
/// self-describing format.
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
        K::deserialize(Filter { inner: deserializer, rule: Rule::AllButManagedFields }).map(Self)
    }
}

/// A seed that deserialises a `K` as if it had only these fields. Managed fields are skipped even
/// if all metadata is among them.
pub(super) struct Only<'f, K>(&'f FieldSet, PhantomData<fn() -> K>);

impl<'f, K> Only<'f, K> {
    pub(super) fn new(fields: &'f FieldSet) -> Self {
        Self(fields, PhantomData)
    }
}

impl<'de, K: Deserialize<'de>> DeserializeSeed<'de> for Only<'_, K> {
    type Value = K;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<K, D::Error> {
        K::deserialize(Filter { inner: deserializer, rule: Rule::Object(self.0) })
    }
}

/// The filter rule for the members at one level.
#[derive(Clone, Copy)]
enum Rule<'f> {
    /// At the level of an object: all but its managed fields.
    AllButManagedFields,
    /// At the level of an object's metadata: all but its managed fields.
    Metadata,
    /// At the level of an object: these fields.
    Object(&'f FieldSet),
    /// At a level inside an object: these fields.
    Within(&'f FieldSet),
}

/// The decision about one member.
enum Verdict<'f> {
    Skip,
    Pass,
    Look(Rule<'f>),
}

impl<'f> Rule<'f> {
    fn judge(self, name: &str) -> Verdict<'f> {
        match self {
            Self::AllButManagedFields if name == "metadata" => Verdict::Look(Self::Metadata),
            Self::Metadata if name == "managedFields" => Verdict::Skip,
            Self::AllButManagedFields | Self::Metadata => Verdict::Pass,
            Self::Object(fields) | Self::Within(fields) => match fields.of(name) {
                None => Verdict::Skip,
                Some(Wanted::Some(within)) => Verdict::Look(Self::Within(within)),
                Some(Wanted::All) if matches!(self, Self::Object(_)) => {
                    Self::AllButManagedFields.judge(name)
                }
                Some(Wanted::All) => Verdict::Pass,
            },
        }
    }
}

/// A deserializer, visitor or seed whose members are filtered, at this level and below.
struct Filter<'f, T> {
    inner: T,
    rule: Rule<'f>,
}

/// Forwards the request to the format, and filters the result.
macro_rules! ask {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(
            self,
            $($argument: $type,)*
            visitor: V,
        ) -> Result<V::Value, Self::Error> {
            let Self { inner, rule } = self;
            inner.$method($($argument,)* Filter { inner: visitor, rule })
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Filter<'_, D> {
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

/// Forwards values that have no members.
macro_rules! pass {
    ($($method:ident($type:ty))*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Filter<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        let Self { inner, rule } = self;
        inner.visit_map(Members { inner: members, rule, next: None })
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Filter { inner, rule: self.rule })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Filter { inner, rule: self.rule })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<V::Value, A::Error> {
        match self.rule {
            Rule::Within(_) => self.inner.visit_seq(Elements { inner: elements, rule: self.rule }),
            _ => self.inner.visit_seq(elements),
        }
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

/// The members of an object, or of a value inside it.
struct Members<'f, A> {
    inner: A,
    rule: Rule<'f>,
    /// The rule for the next value. `None` if it is not filtered.
    next: Option<Rule<'f>>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        loop {
            let Some(Name(name)) = self.inner.next_key()? else { return Ok(None) };
            self.next = match self.rule.judge(&name) {
                Verdict::Skip => {
                    self.inner.next_value::<IgnoredAny>()?;
                    continue;
                }
                Verdict::Pass => None,
                Verdict::Look(rule) => Some(rule),
            };
            return match name {
                Cow::Borrowed(name) => seed.deserialize(BorrowedStrDeserializer::new(name)),
                Cow::Owned(name) => seed.deserialize(name.into_deserializer()),
            }
            .map(Some);
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        match self.next.take() {
            Some(rule) => self.inner.next_value_seed(Filter { inner: seed, rule }),
            None => self.inner.next_value_seed(seed),
        }
    }
}

/// The elements of a list. The same rule holds for each.
struct Elements<'f, A> {
    inner: A,
    rule: Rule<'f>,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Elements<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_element_seed(Filter { inner: seed, rule: self.rule })
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Filter<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Filter { inner, rule: self.rule })
    }
}

/// A member's name, borrowed from the input if it has no escapes.
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
    use crate::decode::tests::any_json;

    /// A user's own struct, which collects unknown members.
    #[derive(Debug, PartialEq, Deserialize)]
    struct Slim {
        metadata: ObjectMeta,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }

    const MANY: &str = "managedFields";

    /// Asserts that the filtered type equals the type decoded from the filtered object.
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
    fn only_the_objects_own_managed_fields_are_skipped() {
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

    /// Returns the parts of a value that the rule keeps.
    fn cut(value: &Value, rule: Rule<'_>) -> Value {
        match value {
            Value::Object(members) => {
                let cut = members.iter().filter_map(|(name, member)| match rule.judge(name) {
                    Verdict::Skip => None,
                    Verdict::Pass => Some((name.clone(), member.clone())),
                    Verdict::Look(rule) => Some((name.clone(), cut(member, rule))),
                });
                cut.collect()
            }
            Value::Array(elements) if matches!(rule, Rule::Within(_)) => {
                elements.iter().map(|element| cut(element, rule)).collect()
            }
            other => other.clone(),
        }
    }

    fn only<K: DeserializeOwned>(object: &Value, fields: &FieldSet) -> serde_json::Result<K> {
        Only::new(fields).deserialize(&mut serde_json::Deserializer::from_str(&object.to_string()))
    }

    #[test]
    fn only_wanted_fields_are_decoded() {
        let object = json!({
            "metadata": {"name": "web", "labels": {"app": "web"}, MANY: [{"manager": "m"}]},
            "spec": {"nodeName": "n", "containers": [
                {"name": "a", "image": "x", "env": [{"name": "E", "value": "v"}]},
                {"name": "b", "image": "y"},
            ]},
            "status": "no status at all",
        });
        for (paths, left) in [
            (&["metadata"][..], json!({"metadata": {"name": "web", "labels": {"app": "web"}}})),
            (&["metadata.labels.app"], json!({"metadata": {"labels": {"app": "web"}}})),
            (
                &["spec.containers.image", "spec.nodeName"],
                json!({"spec": {"nodeName": "n", "containers": [{"image": "x"}, {"image": "y"}]}}),
            ),
            (&["metadata.managedFields.manager"], json!({"metadata": {MANY: [{"manager": "m"}]}})),
            (&["nothing", "spec.nothing", ""], json!({"spec": {}})),
            (&[], json!({})),
        ] {
            let fields = FieldSet::from_paths(paths);
            assert_eq!(only::<Value>(&object, &fields).unwrap(), left);
        }
        // A pod always has a list of containers.
        let fields = FieldSet::from_paths(["spec.nodeName"]);
        let pod: Pod = only(&object, &fields).unwrap();
        assert_eq!(pod.spec.unwrap().node_name.as_deref(), Some("n"));
        assert!(only::<Pod>(&object, &FieldSet::from_paths(["status"])).is_err());
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn any_filter_keeps_exactly_the_wanted_fields(
            value in any_json(),
            paths in proptest::collection::vec("([a\"}]{0,2}\\.){0,2}[a\"}]{0,2}", 0..6),
        ) {
            let fields = FieldSet::from_paths(paths);
            prop_assert_eq!(
                only::<Value>(&value, &fields).unwrap(),
                cut(&value, Rule::Object(&fields))
            );
        }

        #[test]
        fn other_fields_are_unchanged(value in any_json(), rest in any_json(), extra in any_json()) {
            agrees::<Value>(&json!({"a": extra, "metadata": {"x": value, MANY: rest}}));
            agrees::<ObjectMeta>(&json!({"metadata": value}));
        }
    }
}
