//! The interface of decoders.

use std::sync::Arc;

use kube::core::ObjectMeta;

use super::protobuf::ProtobufObject;
use super::{DecodeError, FieldSet};

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
