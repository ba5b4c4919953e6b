//! Decoders: from the bytes of one object to the object.
//!
//! This module knows nothing of requests. [`transport`](crate::transport) cuts objects out of an
//! answer, and [`storage`](crate::storage) keeps the bytes of some. Both decode them here.
//!
//! [`Decode`] is the interface for an encoding, a projection, or a type that reads only metadata.
//! Errors never quote the object, because it may be a Secret.

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

/// A decoder of one object.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::transport::{Decode, SerdeDecode};
///
/// let pod: Pod = SerdeDecode::new().decode(br#"{"metadata":{"name":"web"}}"#)?;
/// assert_eq!(pod.metadata.name.as_deref(), Some("web"));
/// # Ok::<(), kube_informer::transport::DecodeError>(())
/// ```
pub trait Decode<K>: Send + Sync + 'static {
    /// Decodes an object from one JSON value.
    ///
    /// # Errors
    /// [`DecodeError`] states the problem and its place. It must not quote the object.
    fn decode(&self, object: &[u8]) -> Result<K, DecodeError>;

    /// Decodes an object for a reader of only these fields. Other fields may be missing from the
    /// result. Unless implemented, this decodes the whole object.
    ///
    /// # Errors
    /// [`DecodeError`], as [`decode`](Self::decode).
    fn decode_fields(&self, object: &[u8], fields: &FieldSet) -> Result<K, DecodeError> {
        let _ = fields;
        self.decode(object)
    }

    /// Returns the decoder of protobuf. `None` unless implemented. Protobuf is requested from
    /// servers only if there is one.
    fn protobuf(&self) -> Option<&dyn DecodeProtobuf<K>> {
        None
    }

    /// Returns a decoder of the same type that skips `metadata.managedFields`. `None` unless
    /// implemented. Storage that keeps the bytes of objects also uses it, to check that they can be
    /// decoded.
    fn without_managed_fields(&self) -> Option<Arc<dyn Decode<K>>> {
        None
    }

    /// Returns the same decoder with a memory limit: it refuses an object that would take more than
    /// this many bytes decoded. `None` if the decoder cannot be limited.
    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn Decode<K>>> {
        let _ = bytes;
        None
    }
}

/// A decoder of one object in protobuf.
pub trait DecodeProtobuf<K> {
    /// Decodes an object from this message.
    ///
    /// # Errors
    /// [`DecodeError`] states the problem and its place. It must not quote the object.
    fn decode_protobuf(&self, object: &ProtobufObject<'_>) -> Result<K, DecodeError>;

    /// Decodes an object for a reader of only these fields. Other fields may be missing from the
    /// result. Unless implemented, this decodes the whole object.
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

/// The reason why an object cannot be decoded, in words that are fit for a log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct DecodeError {
    problem: String,
    offset: Option<usize>,
}

/// A decoder of JSON and protobuf into any type that implements `Deserialize`.
///
/// It refuses an object that would take more than 64 MiB of memory decoded.
/// [`memory_limit`](Self::memory_limit) changes the limit.
pub struct SerdeDecode<K> {
    memory: usize,
    decodes: PhantomData<fn() -> K>,
}

/// A decoder of JSON into any type that implements `Deserialize`. With it, a source does not
/// request protobuf.
///
/// It refuses an object that would take more than 64 MiB of memory decoded.
/// [`memory_limit`](Self::memory_limit) changes the limit.
///
/// ```
/// use k8s_openapi::api::core::v1::Secret;
/// use kube_informer::transport::{Decode, JsonDecode};
///
/// let decoder = JsonDecode::<Secret>::new().memory_limit(1 << 10);
/// let large = format!(r#"{{"type":"{}"}}"#, "x".repeat(1 << 12));
/// assert!(decoder.decode(large.as_bytes()).is_err());
/// ```
pub struct JsonDecode<K> {
    memory: usize,
    decodes: PhantomData<fn() -> K>,
}

impl<K> JsonDecode<K> {
    /// Creates the decoder.
    pub fn new() -> Self {
        Self { memory: MEMORY_LIMIT, decodes: PhantomData }
    }

    /// Sets the memory limit of one decoded object, in bytes. 64 MiB unless set.
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
    /// Creates the decoder.
    pub fn new() -> Self {
        Self { memory: MEMORY_LIMIT, decodes: PhantomData }
    }

    /// Sets the memory limit of one decoded object, in bytes. 64 MiB unless set.
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

/// Deserialises JSON with a seed, within this many bytes of memory.
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

/// A decoder that works like another one, but skips the managed fields.
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

/// A decoder of dynamic objects, from JSON only. The items of a built-in type's list do not state
/// their type, so they get the requested one. Protobuf is not supported, because a table of fields
/// could leave out a field that the server has.
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
    /// Creates an error with a decoder's own text. The text must not quote the object.
    pub fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), offset: None }
    }

    /// Creates an error with the problem at this byte of the object.
    pub(crate) fn at(problem: &str, offset: usize) -> Self {
        Self { problem: format!("{problem} at byte {offset}"), offset: Some(offset) }
    }

    /// Creates an error of an object that exceeds this memory limit.
    pub(crate) fn too_large(memory: usize) -> Self {
        Self::new(format!(
            "it would take more than {memory} bytes of memory; raise the memory limit if it may be \
             this large"
        ))
    }

    /// Sets the offset, unless the error has one.
    pub(crate) fn or_at(mut self, offset: usize) -> Self {
        self.offset.get_or_insert(offset);
        self
    }

    /// Returns the offset of the problem in the decoded bytes. Always set for protobuf. `None` for
    /// JSON, whose errors state line and column.
    pub fn offset(&self) -> Option<usize> {
        self.offset
    }
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        Self::new(describe(&error))
    }
}

/// Describes a problem in JSON and its place. No word comes from the object.
pub(crate) fn describe(error: &serde_json::Error) -> String {
    let place = format!("line {} column {}", error.line(), error.column());
    let problem = match error.classify() {
        serde_json::error::Category::Data => redact(&error.to_string()),
        serde_json::error::Category::Eof => "the object is incomplete".into(),
        _ => "not JSON".into(),
    };
    format!("{problem} at {place}")
}

/// Returns the parts of serde's text that do not come from the object: the type of the value found,
/// and the expected type. The value itself is left out.
fn redact(message: &str) -> String {
    if message.starts_with("missing field `") {
        // The field name comes from the type.
        return message.split(" at line ").next().unwrap_or_default().to_owned();
    }
    let Some(rest) = message.strip_prefix("invalid type: ") else {
        return "a value does not fit its type".into();
    };
    let found = ["string", "integer", "floating point", "boolean", "null", "map", "sequence"]
        .into_iter()
        .find(|kind| rest.starts_with(kind))
        .unwrap_or("a value");
    // Use the last one, because the value before it may contain the same words.
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

    /// Generates any JSON value.
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
    fn error_states_the_expected_type() {
        let error = JsonDecode::<Secret>::new().decode(br#"{"immutable":"x"}"#).unwrap_err();
        assert_eq!(error.to_string(), "found string, expected a boolean at line 1 column 16");
    }
}
