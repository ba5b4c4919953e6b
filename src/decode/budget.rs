//! A memory limit for one decoded object, enforced before the object is built.
//!
//! A few bytes can encode a large value: an empty volume is two bytes in protobuf and three
//! kilobytes as a `Volume`. Every element of a list, entry of a map, boxed value and text is
//! therefore charged to a budget before it is built, by the size of its Rust type. If the budget
//! runs out, decoding fails.
//!
//! The charge is an estimate. A type that buffers its input first, such as a serde untagged enum,
//! is charged for the buffer, but not for the value that it builds from it.

use std::cell::Cell;
use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

/// The default memory limit of one decoded object, in bytes.
pub(crate) const MEMORY_LIMIT: usize = 64 * 1024 * 1024;

/// The overhead of a text beside its bytes.
const TEXT: usize = 16;

/// The number of entries in a B-tree node.
const NODE: usize = 11;

/// The largest vector that serde allocates because of a size hint, in bytes.
const HINTED: usize = 1024 * 1024;

/// The memory that decoding may still take.
#[derive(Debug)]
pub(crate) struct Budget {
    left: Cell<usize>,
    exceeded: Cell<bool>,
}

impl Budget {
    pub(crate) fn new(bytes: usize) -> Self {
        Self { left: Cell::new(bytes), exceeded: Cell::new(false) }
    }

    /// Returns whether a charge was refused.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.exceeded.get()
    }

    /// Wraps a deserialization seed, so that the value is charged.
    pub(crate) fn charging<S>(&self, seed: S) -> Charged<'_, S> {
        Charged { inner: seed, budget: self, room: 0, charge: 0 }
    }

    fn charge<E: Error>(&self, bytes: usize) -> Result<(), E> {
        if let Some(left) = self.left.get().checked_sub(bytes) {
            self.left.set(left);
            return Ok(());
        }
        self.exceeded.set(true);
        Err(E::custom(
            "the object exceeds the memory limit; raise `memory_limit` if it may be this large",
        ))
    }
}

/// A deserializer, seed or access, with the budget to charge its value to.
pub(crate) struct Charged<'b, T> {
    inner: T,
    budget: &'b Budget,
    /// The number of bytes that are already paid for the value, as part of its container.
    room: usize,
    /// The charge that is due when the value exists.
    charge: usize,
}

impl<'b, T> Charged<'b, T> {
    fn with<U>(&self, inner: U) -> Charged<'b, U> {
        Charged { inner, budget: self.budget, room: self.room, charge: 0 }
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Charged<'_, S> {
    type Value = S::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.budget.charge(self.charge)?;
        self.inner.deserialize(Charged { inner, budget: self.budget, room: self.room, charge: 0 })
    }
}

/// Forwards to the format, and charges the result.
macro_rules! ask {
    ($within:literal: $($method:ident($($argument:ident: $type:ty),*))*) => {
        $(#[inline]
        fn $method<V: Visitor<'de>>(
            self,
            $($argument: $type,)*
            visitor: V,
        ) -> Result<V::Value, Self::Error> {
            let taking = self.taking::<V, D::Error>(visitor, $within)?;
            self.inner.$method($($argument,)* taking)
        })*
    };
}

impl<'b, D> Charged<'b, D> {
    /// Charges a value that lies outside its container, because it is boxed.
    #[inline]
    fn taking<'de, V: Visitor<'de>, E: Error>(
        &self,
        visitor: V,
        within: bool,
    ) -> Result<Taking<'b, V>, E> {
        let size = size_of::<V::Value>();
        if size > self.room {
            self.budget.charge(size)?;
        }
        Ok(Taking { inner: visitor, budget: self.budget, room: size.max(self.room), within })
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Charged<'_, D> {
    type Error = D::Error;

    ask! { false:
        deserialize_any()
        deserialize_bool()
        deserialize_i8()
        deserialize_i16()
        deserialize_i32()
        deserialize_i64()
        deserialize_i128()
        deserialize_u8()
        deserialize_u16()
        deserialize_u32()
        deserialize_u64()
        deserialize_u128()
        deserialize_f32()
        deserialize_f64()
        deserialize_char()
        deserialize_str()
        deserialize_string()
        deserialize_bytes()
        deserialize_byte_buf()
        deserialize_option()
        deserialize_unit()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_seq()
        deserialize_map()
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    // The parts of these values lie inside them.
    ask! { true:
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
    }

    // These build no value.

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_identifier(visitor)
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_ignored_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// A visitor whose value is charged.
struct Taking<'b, V> {
    inner: V,
    budget: &'b Budget,
    room: usize,
    /// True if the parts of the value lie inside it, as fields do. The entries of a map lie
    /// outside.
    within: bool,
}

impl<'b, V> Taking<'b, V> {
    fn charged<T>(&self, inner: T) -> Charged<'b, T> {
        Charged { inner, budget: self.budget, room: self.room, charge: 0 }
    }

    #[inline]
    fn text<E: Error>(&self, bytes: usize) -> Result<(), E> {
        self.budget.charge(bytes.saturating_add(TEXT))
    }
}

/// Forwards values without parts.
macro_rules! pass {
    ($($method:ident($type:ty))*) => {
        $(#[inline]
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$method(value)
        })*
    };
}

/// Charges texts and bytes, which may be copied.
macro_rules! copied {
    ($($method:ident($type:ty))*) => {
        $(#[inline]
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.text(value.len())?;
            self.inner.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Taking<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    pass! {
        visit_bool(bool)
        visit_i8(i8)
        visit_i16(i16)
        visit_i32(i32)
        visit_i64(i64)
        visit_i128(i128)
        visit_u8(u8)
        visit_u16(u16)
        visit_u32(u32)
        visit_u64(u64)
        visit_u128(u128)
        visit_f32(f32)
        visit_f64(f64)
        visit_char(char)
    }

    copied! {
        visit_str(&str)
        visit_borrowed_str(&'de str)
        visit_string(String)
        visit_bytes(&[u8])
        visit_borrowed_bytes(&'de [u8])
        visit_byte_buf(Vec<u8>)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let inner = self.charged(inner);
        self.inner.visit_some(inner)
    }

    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let inner = self.charged(inner);
        self.inner.visit_newtype_struct(inner)
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let access = self.charged(inner);
        let capacity = if self.within { usize::MAX } else { 0 };
        self.inner.visit_seq(Elements { access, count: 0, capacity })
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let access = self.charged(inner);
        self.inner.visit_map(Entries { access, within: self.within, count: 0, key: 0 })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let access = self.charged(inner);
        self.inner.visit_enum(access)
    }
}

/// The elements of a list, charged as a vector grows.
struct Elements<'b, A> {
    access: Charged<'b, A>,
    count: usize,
    capacity: usize,
}

impl<A> Elements<'_, A> {
    /// Returns the next capacity of the vector, for elements of `size` bytes.
    fn grown(&self, size: usize, hint: Option<usize>) -> usize {
        let hint = hint.unwrap_or_default();
        if self.capacity == 0 && hint > 0 {
            // Charge all announced elements at once, before the first one is built.
            let mut capacity = hint.min((HINTED / size).max(1));
            while capacity < hint {
                capacity = capacity.saturating_mul(2);
            }
            return capacity;
        }
        let least = if size > 1024 { 1 } else { 4 };
        self.capacity.saturating_mul(2).max(least)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Elements<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let size = size_of::<S::Value>();
        let (mut charge, mut capacity) = (0, self.capacity);
        if size > 0 && self.count == capacity {
            capacity = self.grown(size, self.access.inner.size_hint());
            charge = (capacity - self.capacity).saturating_mul(size);
        }
        let seed = Charged { inner: seed, budget: self.access.budget, room: size, charge };
        let element = self.access.inner.next_element_seed(seed)?;
        if element.is_some() {
            (self.count, self.capacity) = (self.count + 1, capacity);
        }
        Ok(element)
    }

    fn size_hint(&self) -> Option<usize> {
        self.access.inner.size_hint()
    }
}

/// The fields of a value, or the entries of a map. Entries are charged as a B-tree grows.
struct Entries<'b, A> {
    access: Charged<'b, A>,
    within: bool,
    count: usize,
    /// The size of the current key.
    key: usize,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entries<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        if self.within {
            return self.access.inner.next_key_seed(seed);
        }
        self.key = size_of::<S::Value>();
        let seed = Charged { inner: seed, budget: self.access.budget, room: self.key, charge: 0 };
        self.access.inner.next_key_seed(seed)
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let room = size_of::<S::Value>();
        let mut charge = 0;
        if !self.within {
            // Nodes are at least half full.
            let entries = if self.count == 0 { NODE } else { 2 * usize::from(self.count >= NODE) };
            charge = entries.saturating_mul(self.key + room);
            self.count += 1;
        }
        let seed = Charged { inner: seed, budget: self.access.budget, room, charge };
        self.access.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.access.inner.size_hint()
    }
}

impl<'b, 'de, A: EnumAccess<'de>> EnumAccess<'de> for Charged<'b, A> {
    type Error = A::Error;
    type Variant = Charged<'b, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let Self { inner, budget, room, charge } = self;
        let (value, inner) = inner.variant_seed(seed)?;
        Ok((value, Charged { inner, budget, room, charge }))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Charged<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.with(seed);
        self.inner.newtype_variant_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let taking = self.taking::<V, A::Error>(visitor, true)?;
        self.inner.tuple_variant(len, taking)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let taking = self.taking::<V, A::Error>(visitor, true)?;
        self.inner.struct_variant(fields, taking)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use k8s_openapi::api::core::v1::{ConfigMap, Pod};
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use serde_json::Value;

    use super::*;

    /// Returns the number of bytes charged for the value of a JSON text.
    fn charged<K: DeserializeOwned>(text: &str) -> usize {
        let budget = Budget::new(usize::MAX);
        let seed = budget.charging(std::marker::PhantomData::<K>);
        seed.deserialize(&mut serde_json::Deserializer::from_str(text)).unwrap();
        usize::MAX - budget.left.get()
    }

    fn fits<K: DeserializeOwned>(text: &str, limit: usize) -> bool {
        let budget = Budget::new(limit);
        let seed = budget.charging(std::marker::PhantomData::<K>);
        let read = seed.deserialize(&mut serde_json::Deserializer::from_str(text));
        assert_eq!(read.is_err(), budget.is_exceeded());
        read.is_ok()
    }

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only its size matters")]
    enum Choice {
        Unit,
        One(Box<[u64; 32]>),
        Two(u8, Box<[u64; 32]>),
        Named { a: Box<[u64; 32]> },
    }

    #[test]
    fn vector_is_charged_as_it_grows() {
        assert_eq!(charged::<Vec<u64>>("[]"), 24);
        assert_eq!(charged::<Vec<u64>>("[1]"), 24 + 4 * 8);
        assert_eq!(charged::<Vec<u64>>("[1,2,3,4]"), 24 + 4 * 8);
        assert_eq!(charged::<Vec<u64>>("[1,2,3,4,5]"), 24 + 8 * 8);
        assert_eq!(charged::<Vec<String>>(r#"["abc"]"#), 24 + 4 * 24 + 3 + TEXT);
        assert_eq!(charged::<[u64; 2]>("[1,2]"), 16);
    }

    #[test]
    fn map_is_charged_by_its_nodes() {
        let one = charged::<BTreeMap<String, u64>>(r#"{"a":1}"#);
        assert_eq!(one, 24 + NODE * 32 + 1 + TEXT);
        let many: BTreeMap<String, u64> = (0..100).map(|n| (format!("{n:03}"), n)).collect();
        let many = charged::<BTreeMap<String, u64>>(&serde_json::to_string(&many).unwrap());
        assert_eq!(many, 24 + NODE * 32 + 89 * 2 * 32 + 100 * (3 + TEXT));
    }

    #[test]
    fn fields_are_free_and_boxes_are_charged() {
        let empty = charged::<Pod>("{}");
        assert_eq!(empty, size_of::<Pod>());
        assert_eq!(charged::<Pod>(r#"{"spec":{"containers":[]},"status":{}}"#), empty);
        let schema = r#"{"not":{"not":{}}}"#;
        assert_eq!(charged::<JSONSchemaProps>(schema), 3 * size_of::<JSONSchemaProps>());
        for choice in [r#"{"One":[]}"#, r#"{"Two":[1,[]]}"#, r#"{"Named":{"a":[]}}"#] {
            assert!(!fits::<Choice>(&choice.replace("[]", &format!("{:?}", [1; 32])), 200));
        }
        assert!(fits::<Choice>(r#""Unit""#, 200));
    }

    #[test]
    fn skipped_values_are_free() {
        let text = format!(r#"{{"unknown":[{}1]}}"#, "1,".repeat(1000));
        assert_eq!(charged::<ConfigMap>(&text), size_of::<ConfigMap>());
        assert!(charged::<Value>(&text) > 32 * 1000);
    }

    #[test]
    fn exceeded_budget_is_an_error() {
        let text = format!("[{}{{}}]", "{},".repeat(9999));
        assert!(fits::<Vec<Pod>>(&text, 2 * 16384 * size_of::<Pod>()));
        assert!(!fits::<Vec<Pod>>(&text, 9999 * size_of::<Pod>()));
        assert!(!fits::<Pod>("{}", 0));
    }
}
