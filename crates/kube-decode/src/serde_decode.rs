//! The decoder of any type that implements `Deserialize`.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kube::core::{DynamicObject, ObjectMeta};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::budget::MEMORY_LIMIT;
use super::node::{self, from_json};
use super::protobuf::ProtobufObject;
use super::rule::Rule;
use super::{Decode, DecodeError, DecodeProtobuf, FieldSet, direct, dynamic};

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
pub(super) struct DecodeOptions {
    /// The memory limit of one decoded object, in bytes.
    pub(super) memory: usize,
    pub(super) managed_fields: bool,
}

impl Default for DecodeOptions {
    fn default() -> Self {
        Self { memory: MEMORY_LIMIT, managed_fields: true }
    }
}

impl DecodeOptions {
    /// Returns the rule for an object of which these fields are read, or all.
    pub(super) fn rule(self, fields: Option<&FieldSet>) -> Option<Rule<'_>> {
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

/// Decodes a value from JSON, within the default memory limit.
#[doc(hidden)]
pub fn json<'de, T: Deserialize<'de>>(text: &'de [u8]) -> Result<T, DecodeError> {
    from_json(text, None, MEMORY_LIMIT)
}
