//! Decoders of Kubernetes objects: protobuf and JSON, into `k8s-openapi`'s types or any type that
//! implements `Deserialize`.
//!
//! A server sends built-in kinds in protobuf to a client that asks for it. A pod then takes two
//! thirds of the bytes of JSON and half of the work to decode. This crate decodes both:
//!
//! ```
//! use k8s_openapi::api::core::v1::Pod;
//! use kube_decode::protobuf::ProtobufObject;
//! # let body = kube_decode::encode_protobuf(&serde_json::json!({
//! #     "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
//! # })).unwrap();
//!
//! // The body of an answer:
//! let pod: Pod = ProtobufObject::from_envelope(&body)?.decode()?;
//! assert_eq!(pod.metadata.name.as_deref(), Some("web"));
//! # Ok::<(), kube_decode::DecodeError>(())
//! ```
//!
//! [`SerdeDecode`] decodes both encodings, with a memory limit, and on request without
//! `metadata.managedFields`. [`Decode`] is the interface for an encoding, a projection, or a type
//! that reads only metadata.
//!
//! Nearly everything is decoded by serde. The protobuf of common kinds has direct decoders, which
//! leave every unusual form to serde. No bytes cause a panic. Errors name the field by its path and
//! never quote the object, because it may be a Secret: a key of a map is shown as `*`.
//!
//! This crate sends no requests. `kube-informer` lists and watches with it.

#[cfg(test)]
#[macro_use]
mod sixty;

#[cfg(test)]
mod any_json;
#[doc(hidden)]
pub mod bare;
mod base64;
mod budget;
#[doc(hidden)]
pub mod content;
mod direct;
mod dynamic;
mod error;
mod field_set;
mod json;
#[doc(hidden)]
pub mod labels;
#[doc(hidden)]
pub mod names;
mod node;
#[doc(hidden)]
pub mod numbers;
mod path;
#[doc(hidden)]
pub mod private_keys;
mod probe;
pub mod protobuf;
mod rule;
#[cfg(test)]
#[path = "../../../src/seeds.rs"]
mod seeds;
#[doc(hidden)]
pub mod stack;
mod text;
#[doc(hidden)]
pub mod time;
mod value_at;

#[doc(hidden)]
pub use budget::{MEMORY_LIMIT, charged, uncharged};
pub use field_set::FieldSet;
#[doc(hidden)]
pub use probe::names_its_fields;
#[cfg(feature = "encode")]
pub use protobuf::encode::encode as encode_protobuf;
#[doc(hidden)]
pub use value_at::{value_in_json, value_in_protobuf};

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kube::core::{DynamicObject, ObjectMeta, TypeMeta};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use self::node::from_json;
use self::protobuf::ProtobufObject;
use self::rule::Rule;

/// A decoder of one object.
///
/// It runs on a thread that cannot be interrupted. A decoder that never returns keeps its informer
/// from ending, and may keep a tokio runtime from being dropped: see `Runtime::shutdown_timeout`.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_decode::{Decode, SerdeDecode};
///
/// let pod: Pod = SerdeDecode::new().decode(br#"{"metadata":{"name":"web"}}"#)?;
/// assert_eq!(pod.metadata.name.as_deref(), Some("web"));
/// # Ok::<(), kube_decode::DecodeError>(())
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
    /// implemented. Storage that keeps the bytes of objects cuts the field out of those that this
    /// decoder reads.
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

    /// Returns the metadata of an object that [`decode_protobuf`](Self::decode_protobuf) is sure to
    /// decode, and builds nothing else. `None` if only decoding tells, and unless implemented.
    ///
    /// `wanted` gets namespace and name before anything is checked. If it returns false, the object
    /// stays unchecked, and the result is `None`. Of an object that a decoder with this
    /// [`fingerprint`](Self::fingerprint) has `accepted`, only the metadata is checked.
    #[doc(hidden)]
    fn check_protobuf(
        &self,
        object: &ProtobufObject<'_>,
        accepted: bool,
        wanted: &mut dyn FnMut(Option<&str>, &str) -> bool,
    ) -> Option<ObjectMeta> {
        let _ = (object, accepted, wanted);
        None
    }

    /// Returns a number that decoders share only if they decode the same objects, whatever program
    /// they are in. `None` if there is no such number.
    #[doc(hidden)]
    fn fingerprint(&self) -> Option<u64> {
        None
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
/// [`memory_limit`](Self::memory_limit) changes the limit. Parts that serde buffers are counted at
/// the size of the buffer, 32 bytes a value, whatever is built from it. Serde buffers for
/// `#[serde(flatten)]`, and for untagged and internally tagged enums.
///
/// It also refuses an object whose type takes more than 1.5 MiB of the stack. A level of a buffered
/// part counts as 44 KiB, or 48 KiB in a build with debug assertions.
///
/// The time of a decode has no limit, because the type's own code takes it. Untagged enums try one
/// variant after the other. If an enum contains itself in two variants that both fit, each level of
/// the object can double the time. A few hundred bytes with 30 levels then take minutes. Give such
/// variants different required fields, so that at most one of them fits.
///
/// Some values that Go reads are read in another form, except in parts that serde buffers:
///
/// - A time that no `Timestamp` holds is read as the nearest one that it holds. So
///   9999-12-31T23:59:59Z, which often means *never*, is read as 9999-12-30T22:00:00Z. Types that
///   keep texts get the server's text. Do not write such an object back whole, because the server
///   would store the nearest time.
/// - Null for a required `Time` or `MicroTime` is Go's zero time, 0001-01-01T00:00:00Z.
/// - A time may have more than nine digits of a second, of which the first nine count.
/// - Line breaks in the base64 of a `ByteString` are passed over, as are bits after the last byte.
///
/// A map with a key that begins with `$serde_json::private::` is refused in any part that is
/// buffered or kept as it is, such as a `serde_json::Value`: `serde_json` would read another value.
///
/// All decoders of one type share one instantiation of the type's `Deserialize` code, whatever
/// their options.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_decode::{Decode, SerdeDecode};
///
/// let text = br#"{"metadata":{"name":"web","managedFields":[{"manager":"kubectl"}]}}"#;
/// let pod: Pod = SerdeDecode::new().managed_fields(false).decode(text)?;
/// assert_eq!(pod.metadata.name.as_deref(), Some("web"));
/// assert_eq!(pod.metadata.managed_fields, None);
/// # Ok::<(), kube_decode::DecodeError>(())
/// ```
pub struct SerdeDecode<K> {
    options: DecodeOptions,
    decodes: PhantomData<fn() -> K>,
}

/// The options of a decoder.
#[derive(Clone, Copy, Debug)]
struct DecodeOptions {
    /// The memory limit of one decoded object, in bytes.
    memory: usize,
    managed_fields: bool,
}

impl Default for DecodeOptions {
    fn default() -> Self {
        Self { memory: MEMORY_LIMIT, managed_fields: true }
    }
}

impl DecodeOptions {
    /// Returns the rule for an object of which these fields are read, or all.
    fn rule(self, fields: Option<&FieldSet>) -> Option<Rule<'_>> {
        match fields {
            Some(fields) if self.managed_fields => Some(Rule::Object(fields)),
            Some(fields) => Some(Rule::BareObject(fields)),
            None => (!self.managed_fields).then_some(Rule::AllButManagedFields),
        }
    }
}

impl<K> SerdeDecode<K> {
    /// Creates the decoder.
    pub fn new() -> Self {
        DecodeOptions::default().into()
    }

    /// Sets the memory limit of one decoded object, in bytes. 64 MiB unless set.
    #[must_use]
    pub fn memory_limit(self, bytes: usize) -> Self {
        DecodeOptions { memory: bytes, ..self.options }.into()
    }

    /// Sets whether objects keep their `metadata.managedFields`. They do unless set. Otherwise the
    /// decoder skips them unread.
    #[must_use]
    pub fn managed_fields(self, keep: bool) -> Self {
        DecodeOptions { managed_fields: keep, ..self.options }.into()
    }
}

impl<K> From<DecodeOptions> for SerdeDecode<K> {
    fn from(options: DecodeOptions) -> Self {
        Self { options, decodes: PhantomData }
    }
}

impl<K: DeserializeOwned + 'static> Decode<K> for SerdeDecode<K> {
    fn decode(&self, object: &[u8]) -> Result<K, DecodeError> {
        decode_json(object, self.options.rule(None), self.options.memory)
    }

    fn decode_fields(&self, object: &[u8], fields: &FieldSet) -> Result<K, DecodeError> {
        decode_json(object, self.options.rule(Some(fields)), self.options.memory)
    }

    fn protobuf(&self) -> Option<&dyn DecodeProtobuf<K>> {
        Some(self)
    }

    fn without_managed_fields(&self) -> Option<Arc<dyn Decode<K>>> {
        Some(Arc::new(Self::from(self.options).managed_fields(false)))
    }

    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn Decode<K>>> {
        Some(Arc::new(Self::from(self.options).memory_limit(bytes)))
    }
}

/// Decodes an object, in a way of their own if it is a dynamic object.
fn decode_json<K: DeserializeOwned + 'static>(
    text: &[u8],
    rule: Option<Rule<'_>>,
    memory: usize,
) -> Result<K, DecodeError> {
    let mut object: Option<K> = None;
    let any: &mut dyn Any = &mut object;
    if let Some(object) = any.downcast_mut::<Option<DynamicObject>>() {
        *object = Some(dynamic::from_json(text, rule, memory)?);
    }
    match object {
        Some(object) => Ok(object),
        None => from_json(text, rule, memory),
    }
}

impl<K: DeserializeOwned + 'static> DecodeProtobuf<K> for SerdeDecode<K> {
    fn decode_protobuf(&self, object: &ProtobufObject<'_>) -> Result<K, DecodeError> {
        let DecodeOptions { memory, managed_fields } = self.options;
        if let Some(decoded) = direct::decode(object, managed_fields, memory) {
            return Ok(decoded);
        }
        node::from_protobuf(*object, self.options.rule(None), self.options.memory)
    }

    fn decode_protobuf_fields(
        &self,
        object: &ProtobufObject<'_>,
        fields: &FieldSet,
    ) -> Result<K, DecodeError> {
        node::from_protobuf(*object, self.options.rule(Some(fields)), self.options.memory)
    }

    fn check_protobuf(
        &self,
        object: &ProtobufObject<'_>,
        accepted: bool,
        wanted: &mut dyn FnMut(Option<&str>, &str) -> bool,
    ) -> Option<ObjectMeta> {
        let DecodeOptions { memory, managed_fields } = self.options;
        direct::check::<K>(object, managed_fields, memory, accepted, wanted)
    }

    fn fingerprint(&self) -> Option<u64> {
        let DecodeOptions { memory, managed_fields } = self.options;
        direct::fingerprint::<K>(managed_fields, memory)
    }
}

/// A decoder of dynamic objects, from JSON only. The items of a built-in type's list do not state
/// their type, so they get the requested one. Protobuf is not supported, because a table of fields
/// could leave out a field that the server has.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct DynamicDecode {
    types: TypeMeta,
    options: DecodeOptions,
}

impl Decode<DynamicObject> for DynamicDecode {
    fn decode(&self, object: &[u8]) -> Result<DynamicObject, DecodeError> {
        dynamic::from_json(object, self.options.rule(None), self.options.memory)
            .map(|object| self.typed(object))
    }

    fn decode_fields(
        &self,
        object: &[u8],
        fields: &FieldSet,
    ) -> Result<DynamicObject, DecodeError> {
        dynamic::from_json(object, self.options.rule(Some(fields)), self.options.memory)
            .map(|object| self.typed(object))
    }

    fn without_managed_fields(&self) -> Option<Arc<dyn Decode<DynamicObject>>> {
        let options = DecodeOptions { managed_fields: false, ..self.options };
        Some(Arc::new(Self { options, ..self.clone() }))
    }

    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn Decode<DynamicObject>>> {
        let options = DecodeOptions { memory: bytes, ..self.options };
        Some(Arc::new(Self { options, ..self.clone() }))
    }
}

impl DynamicDecode {
    #[doc(hidden)]
    pub fn new(types: TypeMeta) -> Self {
        Self { types, options: DecodeOptions::default() }
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

/// Decodes a value from JSON, within the default memory limit.
#[doc(hidden)]
pub fn json<'de, T: Deserialize<'de>>(text: &'de [u8]) -> Result<T, DecodeError> {
    from_json(text, None, MEMORY_LIMIT)
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        Self::new(describe(&error))
    }
}

/// The problem of a value that its type refuses, in words that may quote it.
const NO_FIT: &str = "a value does not fit its type";

/// The problem of JSON that ends too early.
const INCOMPLETE: &str = "the object is incomplete";

/// The problem of text that is not JSON.
const NOT_JSON: &str = "not JSON";

/// The problem of an object that is nested too deep, in either encoding.
const TOO_DEEP: &str = "lists and maps are nested deeper than the limit of 127 levels";

/// The beginnings of `serde_json`'s texts, and the problems that they state.
const PROBLEMS: [(&str, &str); 5] = [
    ("recursion limit exceeded", TOO_DEEP),
    ("number out of range", OUT_OF_RANGE),
    ("lone leading surrogate", HALF_A_PAIR),
    ("unexpected end of hex escape", HALF_A_PAIR),
    ("invalid unicode code point", "found a text that is not UTF-8"),
];

/// The problem of a number that is too large.
const OUT_OF_RANGE: &str = "found a number that no 64-bit float holds";

/// The problem of a text with half of the escapes of a character.
const HALF_A_PAIR: &str = "found a text with half of a surrogate pair";

/// Describes a problem in JSON and its place. No word comes from the object.
fn describe(error: &serde_json::Error) -> String {
    describe_place(&describe_problem(error), error.line(), error.column())
}

/// Describes a problem in JSON. No word comes from the object.
fn describe_problem(error: &serde_json::Error) -> Cow<'static, str> {
    match error.classify() {
        serde_json::error::Category::Data => redact(&error.to_string()).into(),
        serde_json::error::Category::Eof => INCOMPLETE.into(),
        serde_json::error::Category::Syntax | serde_json::error::Category::Io => {
            // `serde_json` states these only in its text.
            let text = error.to_string();
            let known = PROBLEMS.iter().find(|(begin, _)| text.starts_with(begin));
            known.map_or(NOT_JSON, |(_, problem)| problem).into()
        }
    }
}

/// Adds the place to the description of a problem.
fn describe_place(problem: &str, line: usize, column: usize) -> String {
    format!("{problem} at line {line} column {column}")
}

/// Returns the parts of serde's text that do not come from the object: the type of the value found,
/// and the expected type. The value itself is left out.
fn redact(message: &str) -> String {
    if message.starts_with("missing field `") {
        // The field name comes from the type.
        return message.split(" at line ").next().unwrap_or_default().to_owned();
    }
    let Some(rest) = message.strip_prefix("invalid type: ") else {
        return NO_FIT.into();
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

impl<K> Default for SerdeDecode<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> fmt::Debug for SerdeDecode<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SerdeDecode").field(&self.options).finish()
    }
}

#[cfg(test)]
pub(crate) mod tests;

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
