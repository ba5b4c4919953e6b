//! A part of an answer, before its object is decoded.
//!
//! It is a value of its own, so that it can be decoded on any thread; and packed there, so that what is
//! made in between is freed where it was made.

use std::sync::Arc;

use bytes::Bytes;
use kube::Resource;

use super::framing::capture::RawBytes;
use super::framing::{Encoding, Peeked};
use crate::decode::DecodeError;
use crate::decode::codec::Codec;
use crate::error::{Fault, RequestScope, SourceError};
use crate::lister_watcher::{SourceObject, SourceState, Undecodable};
use crate::object::ObjectKey;
use crate::packer::Packer;
use crate::storage::WireObject;

/// What holds for all objects of an answer.
pub(super) struct Answer<K> {
    pub(super) asked: RequestScope,
    pub(super) encoding: Encoding,
    /// How large an object may be, in bytes.
    pub(super) limit: usize,
    /// How objects are to be packed, if they are.
    pub(super) packer: Option<Packer<K>>,
}

/// A part of an answer: an item, or an object that is still to be decoded and becomes one.
pub(super) enum RawItem<K, T> {
    Item(T),
    Object { object: RawObject<K>, item: fn(Result<SourceObject<K>, Undecodable>) -> T },
}

/// The bytes of an object.
pub(super) struct RawObject<K> {
    pub(super) bytes: RawBytes,
    /// Where it began.
    pub(super) offset: u64,
    /// It is one of many, and nothing waits for it in particular.
    pub(super) bulk: bool,
    pub(super) codec: Arc<Codec<K>>,
    pub(super) answer: Arc<Answer<K>>,
}

impl<K: Resource + 'static, T> RawItem<K, T> {
    pub(super) fn decode(self) -> T {
        match self {
            Self::Item(item) => item,
            Self::Object { object, item } => item(object.decode()),
        }
    }
}

impl<K: Resource + 'static> RawObject<K> {
    /// How many bytes there are to decode.
    pub(super) fn len(&self) -> usize {
        match &self.bytes {
            RawBytes::Whole(object) => object.len(),
            RawBytes::Oversized(_) => 0,
        }
    }

    fn decode(self) -> Result<SourceObject<K>, Undecodable> {
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

    fn read(&self, object: &Bytes) -> Result<SourceObject<K>, DecodeError> {
        let Some(packer) = &self.answer.packer else {
            return Ok(self.codec.decode(object)?.into());
        };
        let wire = WireObject { bytes: object, codec: &self.codec, bulk: self.bulk };
        let (key, object) = packer.pack_wire(&wire)?;
        Ok(SourceObject(SourceState::Packed(key, object)))
    }

    fn undecodable(&self, peeked: &Peeked, fault: Fault) -> Undecodable {
        Undecodable::new(peeked, SourceError::new(self.answer.asked.clone(), fault))
    }
}

impl Undecodable {
    /// Says as much as is known of an object of which this was seen.
    pub(super) fn new(peeked: &Peeked, error: SourceError) -> Self {
        let version = peeked.version.as_deref().map(Into::into);
        Self { key: key(peeked), version, error }
    }
}

fn key(peeked: &Peeked) -> Option<ObjectKey> {
    ObjectKey::from_parts(peeked.namespace.as_deref(), peeked.name.as_deref()?).ok()
}
