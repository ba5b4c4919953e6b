//! A part of an answer, before its object is decoded.
//!
//! A part can be decoded and packed on any thread. Temporary values are then freed on the thread
//! that allocated them.

use std::sync::Arc;

use bytes::Bytes;
use kube_decode::protobuf::ProtobufObject;
use kube_decode::{DecodeError, time};

use super::framing::capture::RawBytes;
use super::framing::{Encoding, Peeked};
use crate::codec::Codec;
use crate::error::{Fault, RequestName, SourceError};
use crate::lister_watcher::{SourceForm, SourceObject, Undecodable};
use crate::object::{Cached, Digest, ObjectKey};
use crate::packer::Packer;
use crate::storage::WireObject;

/// The properties that all objects of an answer share.
pub(super) struct ResponseContext {
    pub(super) request: RequestName,
    pub(super) encoding: Encoding,
    /// The size limit of one encoded object, in bytes.
    pub(super) limit: usize,
    /// Packs the objects. `None` if they are not packed.
    pub(super) packer: Option<Packer>,
    /// Group and version of the objects, if they are not the resource's own.
    pub(super) moved_to: Option<Arc<str>>,
}

/// An item of an answer, or an object that becomes one when it is decoded.
pub(super) enum RawItem<T> {
    Item(T),
    Object { object: RawObject, item: fn(Result<SourceObject, Undecodable>) -> T },
}

/// The bytes of an object.
pub(super) struct RawObject {
    pub(super) bytes: RawBytes,
    /// The position in the body where the object begins, in bytes.
    pub(super) offset: u64,
    pub(super) codec: Arc<Codec>,
    pub(super) answer: Arc<ResponseContext>,
}

impl<T> RawItem<T> {
    pub(super) fn decode(self) -> T {
        match self {
            Self::Item(item) => item,
            Self::Object { object, item } => item(object.decode()),
        }
    }
}

impl RawObject {
    /// Returns the number of bytes to decode.
    pub(super) fn len(&self) -> usize {
        match &self.bytes {
            RawBytes::Whole(object) => object.len(),
            RawBytes::Oversized(_) => 0,
        }
    }

    pub(super) fn decode(self) -> Result<SourceObject, Undecodable> {
        let object = match &self.bytes {
            RawBytes::Whole(object) => object,
            RawBytes::Oversized(head) => {
                let fault = Fault::TooLarge { offset: self.offset, limit: self.answer.limit };
                return Err(self.undecodable(&self.answer.encoding.peek(head), fault));
            }
        };
        self.read(object).map_err(|error| {
            let peeked = self.answer.encoding.peek(object);
            let fault = Fault::Undecodable { key: key(&peeked), problem: error.to_string() };
            self.undecodable(&peeked, fault)
        })
    }

    fn read(&self, object: &Bytes) -> Result<SourceObject, DecodeError> {
        let (form, is_clamped) = time::watched(|| self.form(object));
        let mut object = SourceObject::from(form?);
        object.is_clamped = is_clamped;
        Ok(object)
    }

    fn form(&self, object: &Bytes) -> Result<SourceForm, DecodeError> {
        let Some(packer) = &self.answer.packer else {
            let decoded =
                Cached::any(self.codec.decode(object)?).with_digest(Some(self.digest(object)));
            return Ok(SourceForm::Decoded(decoded));
        };
        let wire = WireObject { bytes: object, codec: &self.codec };
        let (key, cached) = packer.pack_wire(&wire)?;
        Ok(SourceForm::Packed(key, cached.with_digest(Some(self.digest(object)))))
    }

    /// Returns the digest of an object's bytes without its type. An event's object states its type,
    /// in a protobuf envelope or in JSON members, but a list's item may not.
    fn digest(&self, object: &Bytes) -> Digest {
        let digest = match self.answer.encoding {
            Encoding::Json => Digest::of(without_type(object)),
            Encoding::Protobuf => {
                let message = ProtobufObject::from_envelope(object).ok();
                Digest::of(message.map_or(object, |object| object.message()))
            }
        };
        match &self.answer.moved_to {
            Some(version) => digest.in_version(version),
            None => digest,
        }
    }

    fn undecodable(&self, peeked: &Peeked, fault: Fault) -> Undecodable {
        Undecodable::new(peeked, SourceError::new(self.answer.request.clone(), fault))
    }
}

/// Returns the bytes after the members `kind` and `apiVersion`, if the object begins with them, as
/// Go writes it.
fn without_type(object: &[u8]) -> &[u8] {
    let Some(mut rest) = object.strip_prefix(b"{") else { return object };
    while let Some(value) =
        rest.strip_prefix(br#""kind":""#).or_else(|| rest.strip_prefix(br#""apiVersion":""#))
    {
        let Some(end) = value.iter().position(|byte| *byte == b'"') else { return object };
        let after = &value[end + 1..];
        rest = after.strip_prefix(b",").unwrap_or(after);
    }
    rest
}

impl Undecodable {
    /// Creates an error of an object, with the key and version that could be read.
    pub(super) fn new(peeked: &Peeked, error: SourceError) -> Self {
        let version = peeked.version.as_deref().map(Into::into);
        Self { key: key(peeked), version, error }
    }
}

fn key(peeked: &Peeked) -> Option<ObjectKey> {
    ObjectKey::from_parts(peeked.namespace.as_deref(), peeked.name.as_deref()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_of_json_objects_does_not_count() {
        let rest = br#""metadata":{"name":"a"}}"#;
        for types in [
            r#""kind":"Route","apiVersion":"route.openshift.io/v1","#,
            r#""apiVersion":"v1","kind":"Pod","#,
            "",
        ] {
            let object = [b"{", types.as_bytes(), rest].concat();
            assert_eq!(without_type(&object), rest);
        }
        for odd in [&b"[]"[..], br#"{"kind":"Pod"#, b""] {
            assert_eq!(without_type(odd), odd);
        }
    }
}
