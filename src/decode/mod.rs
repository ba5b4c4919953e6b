//! From the bytes of one object to the object.
//!
//! It knows nothing of requests: [`transport`](crate::transport) cuts objects out of an answer, and
//! [`storage`](crate::storage) keeps the bytes of some; both decode them here.
//!
//! The seam where an encoding, a projection or a peek plugs in. What goes wrong here is told
//! without a word of what the object holds: it may be a Secret.

pub(crate) mod budget;
pub(crate) mod codec;
mod filter;
pub mod protobuf;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kube::api::{DynamicObject, TypeMeta};
use serde::de::{DeserializeOwned, DeserializeSeed};

use self::budget::{Budget, MEMORY_LIMIT};
use self::filter::Only;
pub use self::filter::WithoutManagedFields;
use self::protobuf::ProtobufObject;
use crate::object::FieldSet;

/// Decodes one object.
pub trait Decode<K>: Send + Sync + 'static {
    /// The object of these bytes: one JSON value.
    ///
    /// # Errors
    /// [`DecodeError`] says what is wrong and where, and nothing of what the object holds.
    fn decode(&self, object: &[u8]) -> Result<K, DecodeError>;

    /// The object, for who looks at these fields alone: others may be left out. Unless implemented, none
    /// is.
    ///
    /// # Errors
    /// [`DecodeError`], as [`decode`](Self::decode).
    fn decode_fields(&self, object: &[u8], fields: &FieldSet) -> Result<K, DecodeError> {
        let _ = fields;
        self.decode(object)
    }

    /// What decodes protobuf, where this decoder can do that, too. Servers are asked for protobuf
    /// only if it can.
    fn protobuf(&self) -> Option<&dyn DecodeProtobuf<K>> {
        None
    }

    /// What decodes the same without `metadata.managedFields`, where this decoder can do that. Also asked
    /// by who keeps objects as bytes, to see that they can be decoded.
    fn without_managed_fields(&self) -> Option<Arc<dyn Decode<K>>> {
        None
    }

    /// Returns a decoder that does the same and refuses an object that would take more than this many
    /// bytes of memory decoded. `None`: this decoder does not bound memory, or not so.
    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn Decode<K>>> {
        let _ = bytes;
        None
    }
}

/// Decodes one object in protobuf.
pub trait DecodeProtobuf<K> {
    /// The object of this message.
    ///
    /// # Errors
    /// [`DecodeError`] says what is wrong and where, and nothing of what the object holds.
    fn decode_protobuf(&self, object: &ProtobufObject<'_>) -> Result<K, DecodeError>;

    /// The object, for who looks at these fields alone: others may be left out. Unless implemented, none
    /// is.
    ///
    /// # Errors
    /// [`DecodeError`], as [`decode_protobuf`](Self::decode_protobuf).
    fn decode_protobuf_fields(
        &self,
        object: &ProtobufObject<'_>,
        fields: &FieldSet,
    ) -> Result<K, DecodeError> {
        let _ = fields;
        self.decode_protobuf(object)
    }
}

/// Why an object can't be decoded, in words that are fit for a log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct DecodeError {
    problem: String,
    offset: Option<usize>,
}

/// Decodes JSON and protobuf into anything that implements `Deserialize`.
///
/// An object that would take more than 64 MiB of memory decoded is refused; see
/// [`memory_limit`](Self::memory_limit).
pub struct SerdeDecode<K> {
    memory: usize,
    decodes: PhantomData<fn() -> K>,
}

/// Decodes JSON into anything that implements `Deserialize`. With it, protobuf is not asked for.
///
/// An object that would take more than 64 MiB of memory decoded is refused; see
/// [`memory_limit`](Self::memory_limit).
pub struct JsonDecode<K> {
    memory: usize,
    decodes: PhantomData<fn() -> K>,
}

impl<K> JsonDecode<K> {
    /// Returns the decoder.
    pub fn new() -> Self {
        Self { memory: MEMORY_LIMIT, decodes: PhantomData }
    }

    /// Refuses an object that would take more than this many bytes of memory decoded.
    #[must_use]
    pub fn memory_limit(self, bytes: usize) -> Self {
        Self { memory: bytes, ..self }
    }
}

impl<K: DeserializeOwned + 'static> Decode<K> for JsonDecode<K> {
    fn decode(&self, object: &[u8]) -> Result<K, DecodeError> {
        json(object, PhantomData, self.memory)
    }

    fn decode_fields(&self, object: &[u8], fields: &FieldSet) -> Result<K, DecodeError> {
        json(object, Only::new(fields), self.memory)
    }

    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn Decode<K>>> {
        Some(Arc::new(Self::new().memory_limit(bytes)))
    }
}

impl<K> SerdeDecode<K> {
    /// Returns the decoder.
    pub fn new() -> Self {
        Self { memory: MEMORY_LIMIT, decodes: PhantomData }
    }

    /// Refuses an object that would take more than this many bytes of memory decoded.
    #[must_use]
    pub fn memory_limit(self, bytes: usize) -> Self {
        Self { memory: bytes, ..self }
    }
}

impl<K: DeserializeOwned + 'static> Decode<K> for SerdeDecode<K> {
    fn decode(&self, object: &[u8]) -> Result<K, DecodeError> {
        json(object, PhantomData, self.memory)
    }

    fn decode_fields(&self, object: &[u8], fields: &FieldSet) -> Result<K, DecodeError> {
        json(object, Only::new(fields), self.memory)
    }

    fn protobuf(&self) -> Option<&dyn DecodeProtobuf<K>> {
        Some(self)
    }

    fn without_managed_fields(&self) -> Option<Arc<dyn Decode<K>>> {
        Some(Arc::new(Without(Self::new().memory_limit(self.memory))))
    }

    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn Decode<K>>> {
        Some(Arc::new(Self::new().memory_limit(bytes)))
    }
}

impl<K: DeserializeOwned> DecodeProtobuf<K> for SerdeDecode<K> {
    fn decode_protobuf(&self, object: &ProtobufObject<'_>) -> Result<K, DecodeError> {
        object.decode_by(PhantomData, self.memory)
    }

    fn decode_protobuf_fields(
        &self,
        object: &ProtobufObject<'_>,
        fields: &FieldSet,
    ) -> Result<K, DecodeError> {
        object.decode_by(Only::new(fields), self.memory)
    }
}

/// Reads JSON as a seed does, within this many bytes of memory.
pub(crate) fn json<'de, S: DeserializeSeed<'de>>(
    object: &'de [u8],
    seed: S,
    memory: usize,
) -> Result<S::Value, DecodeError> {
    let budget = Budget::new(memory);
    let mut json = serde_json::Deserializer::from_slice(object);
    let read = budget.charging(seed).deserialize(&mut json);
    let read = read.and_then(|object| json.end().map(|()| object));
    read.map_err(
        |error| {
            if budget.is_exceeded() { DecodeError::too_large(memory) } else { error.into() }
        },
    )
}

/// Decodes as another decoder does, without the managed fields.
struct Without<D>(D);

impl<K: DeserializeOwned + 'static> Decode<K> for Without<SerdeDecode<K>> {
    fn decode(&self, object: &[u8]) -> Result<K, DecodeError> {
        let WithoutManagedFields(object) = json(object, PhantomData, self.0.memory)?;
        Ok(object)
    }

    fn decode_fields(&self, object: &[u8], fields: &FieldSet) -> Result<K, DecodeError> {
        let WithoutManagedFields(object) = json(object, Only::new(fields), self.0.memory)?;
        Ok(object)
    }

    fn protobuf(&self) -> Option<&dyn DecodeProtobuf<K>> {
        Some(self)
    }

    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn Decode<K>>> {
        Some(Arc::new(Self(SerdeDecode::new().memory_limit(bytes))))
    }
}

impl<K: DeserializeOwned> DecodeProtobuf<K> for Without<SerdeDecode<K>> {
    fn decode_protobuf(&self, object: &ProtobufObject<'_>) -> Result<K, DecodeError> {
        let WithoutManagedFields(object) = object.decode_by(PhantomData, self.0.memory)?;
        Ok(object)
    }

    fn decode_protobuf_fields(
        &self,
        object: &ProtobufObject<'_>,
        fields: &FieldSet,
    ) -> Result<K, DecodeError> {
        let WithoutManagedFields(object) = object.decode_by(Only::new(fields), self.0.memory)?;
        Ok(object)
    }
}

impl Decode<DynamicObject> for Without<DynamicDecode> {
    fn decode(&self, object: &[u8]) -> Result<DynamicObject, DecodeError> {
        let WithoutManagedFields(object) = json(object, PhantomData, self.0.memory)?;
        Ok(self.0.typed(object))
    }

    fn decode_fields(
        &self,
        object: &[u8],
        fields: &FieldSet,
    ) -> Result<DynamicObject, DecodeError> {
        let WithoutManagedFields(object) = json(object, Only::new(fields), self.0.memory)?;
        Ok(self.0.typed(object))
    }

    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn Decode<DynamicObject>>> {
        Some(Arc::new(Self(DynamicDecode { memory: bytes, ..self.0.clone() })))
    }
}

/// Decodes dynamic objects. In the list of a built-in type items do not say what they are; then it
/// is what was asked for. JSON alone: an object that no type describes has to come with all that the
/// server has, and a table of fields could leave something out.
#[derive(Clone, Debug)]
pub(crate) struct DynamicDecode {
    types: TypeMeta,
    memory: usize,
}

impl Decode<DynamicObject> for DynamicDecode {
    fn decode(&self, object: &[u8]) -> Result<DynamicObject, DecodeError> {
        Ok(self.typed(json(object, PhantomData, self.memory)?))
    }

    fn decode_fields(
        &self,
        object: &[u8],
        fields: &FieldSet,
    ) -> Result<DynamicObject, DecodeError> {
        Ok(self.typed(json(object, Only::new(fields), self.memory)?))
    }

    fn without_managed_fields(&self) -> Option<Arc<dyn Decode<DynamicObject>>> {
        Some(Arc::new(Without(self.clone())))
    }

    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn Decode<DynamicObject>>> {
        Some(Arc::new(Self { memory: bytes, ..self.clone() }))
    }
}

impl DynamicDecode {
    pub(crate) fn new(types: TypeMeta) -> Self {
        Self { types, memory: MEMORY_LIMIT }
    }

    fn typed(&self, mut object: DynamicObject) -> DynamicObject {
        object.types.get_or_insert_with(|| self.types.clone());
        object
    }
}

impl DecodeError {
    /// A decoder's own words. They must not quote the object.
    pub fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), offset: None }
    }

    /// A problem at a byte of the object.
    pub(crate) fn at(problem: &str, offset: usize) -> Self {
        Self { problem: format!("{problem} at byte {offset}"), offset: Some(offset) }
    }

    /// The object would take more memory than it may.
    pub(crate) fn too_large(memory: usize) -> Self {
        Self::new(format!(
            "it would take more than {memory} bytes of memory; if it is what it should be, raise the \
             memory limit"
        ))
    }

    /// The place, where none is known yet.
    pub(crate) fn or_at(mut self, offset: usize) -> Self {
        self.offset.get_or_insert(offset);
        self
    }

    /// At which byte of what was decoded, where that is known: of protobuf it always is.
    pub fn offset(&self) -> Option<usize> {
        self.offset
    }
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        Self::new(words(&error))
    }
}

/// What is wrong with JSON, and where, in words of which none comes from the object.
pub(crate) fn words(error: &serde_json::Error) -> String {
    let place = format!("line {} column {}", error.line(), error.column());
    let problem = match error.classify() {
        serde_json::error::Category::Data => redact(&error.to_string()),
        serde_json::error::Category::Eof => "the object is not whole".into(),
        _ => "not JSON".into(),
    };
    format!("{problem} at {place}")
}

/// What of serde's words does not come from the object: the kind of the value found, never the
/// value, and what the type expected.
fn redact(message: &str) -> String {
    if message.starts_with("missing field `") {
        // The name is the type's own.
        return message.split(" at line ").next().unwrap_or_default().to_owned();
    }
    let Some(rest) = message.strip_prefix("invalid type: ") else {
        return "a value is not as its type wants it".into();
    };
    let found = ["string", "integer", "floating point", "boolean", "null", "map", "sequence"]
        .into_iter()
        .find(|kind| rest.starts_with(kind))
        .unwrap_or("a value");
    // The last one: a value before it may say the same.
    let expected = rest.rsplit_once(", expected ").map_or("something else", |(_, tail)| {
        tail.rsplit_once(" at line ").map_or(tail, |(expected, _)| expected)
    });
    format!("found {found}, expected {expected}")
}

impl<K> Default for JsonDecode<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> Default for SerdeDecode<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> fmt::Debug for SerdeDecode<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SerdeDecode")
    }
}

impl<K> fmt::Debug for JsonDecode<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JsonDecode")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use k8s_openapi::api::core::v1::Secret;
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// Any JSON.
    pub(crate) fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "(\\PC|[\"\\\\{}\\[\\],:]){0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a\"\\\\}]{0,3}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    #[test]
    fn no_error_quotes_the_object() {
        for text in [
            r#"{"metadata":{"name":"s"},"data":{"password":"hunter2"}}"#,
            r#"{"metadata":{"name":"s"},"type":{"a":"hunter2"}}"#,
            r#"{"metadata":{"name":"s","labels":"hunter2, expected hunter2 at line hunter2"}}"#,
            r#"{"metadata":{"name":"s","generation":"hunter2"}}"#,
            r#"{"metadata":{"name":"s","creationTimestamp":"hunter2"}}"#,
            r#"{"kind":"hunter2","metadata":{}}"#,
            r#"{"data":{"a":"hunter2"#,
            r#"{"data":hunter2}"#,
        ] {
            let error = JsonDecode::<Secret>::new().decode(text.as_bytes()).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hunter"), "{error}");
            assert!(error.to_string().contains("at line 1 column"), "{error}");
        }
    }

    #[test]
    fn says_what_was_expected() {
        let error = JsonDecode::<Secret>::new().decode(br#"{"immutable":"x"}"#).unwrap_err();
        assert_eq!(error.to_string(), "found string, expected a boolean at line 1 column 16");
    }
}
