//! An object that was cut out of an answer and is still to be decoded.
//!
//! It is a value of its own, so that it can be decoded on any thread; and packed there, so that what is
//! made in between is freed where it was made.

use std::sync::Arc;

use bytes::Bytes;
use kube::Resource;

use super::capture::Captured;
use super::decode::DecodeError;
use super::forms::Form;
use super::framer::Peeked;
use crate::error::{Fault, RequestScope, SourceError};
use crate::lister_watcher::{Decoded, Given, Undecodable};
use crate::object::{Arrived, Encoded, ObjectKey, Pack};

/// What holds for all objects of an answer.
pub(super) struct Terms<K> {
    pub(super) asked: RequestScope,
    /// How large an object may be, in bytes.
    pub(super) limit: usize,
    /// How objects are to be packed, if they are.
    pub(super) pack: Option<Arc<dyn Pack<K>>>,
}

/// The bytes of an object.
pub(super) struct Undecoded<K> {
    pub(super) object: Captured,
    /// Where it began.
    pub(super) offset: u64,
    /// It is one of many, and nobody waits for it alone.
    pub(super) bulk: bool,
    pub(super) form: Arc<Form<K>>,
    pub(super) terms: Arc<Terms<K>>,
}

impl<K: Resource + 'static> Undecoded<K> {
    /// How many bytes there are to decode.
    pub(super) fn len(&self) -> usize {
        match &self.object {
            Captured::Whole(object) => object.len(),
            Captured::Oversized(_) => 0,
        }
    }

    pub(super) fn decode(self) -> Decoded<K> {
        let object = match &self.object {
            Captured::Whole(object) => object,
            Captured::Oversized(head) => {
                let fault = Fault::TooLarge { offset: self.offset, limit: self.terms.limit };
                return Err(self.undecodable(&self.form.encoding().peek(head), fault));
            }
        };
        self.given(object).map_err(|error| {
            let peeked = self.form.encoding().peek(object);
            let fault = Fault::Undecodable { key: key(&peeked), problem: error.to_string() };
            self.undecodable(&peeked, fault)
        })
    }

    fn given(&self, object: &Bytes) -> Result<Given<K>, DecodeError> {
        let Some(pack) = &self.terms.pack else { return Ok(self.form.decode(object)?.into()) };
        let encoded = Encoded { bytes: object.clone(), encoding: self.form.clone() };
        if pack.packs_undecoded() {
            let meta = self.form.look_into(object)?;
            let (namespace, name) = (meta.namespace.as_deref(), meta.name.as_deref());
            if let Ok(key) = ObjectKey::from_parts(namespace, name.unwrap_or_default())
                && let Some(packed) = pack.pack_undecoded(&meta, &encoded)
            {
                return Ok(Given::Packed(key, packed));
            }
        }
        let (decoded, whole) = self.form.decode_lightly(object)?;
        // One without a name can't be kept, which is for who asked to say.
        let Ok(key) = ObjectKey::of(&decoded) else { return Ok(decoded.into()) };
        let arrived = Arrived { object: decoded, whole, bulk: self.bulk, encoded: Some(encoded) };
        Ok(Given::Packed(key, pack.pack(arrived)))
    }

    fn undecodable(&self, peeked: &Peeked, fault: Fault) -> Undecodable {
        Undecodable::new(peeked, SourceError::new(self.terms.asked.clone(), fault))
    }
}

impl Undecodable {
    /// What can be said of an object of which this much was seen.
    pub(super) fn new(peeked: &Peeked, error: SourceError) -> Self {
        let version = peeked.version.as_deref().map(Into::into);
        Self { key: key(peeked), version, error }
    }
}

fn key(peeked: &Peeked) -> Option<ObjectKey> {
    ObjectKey::from_parts(peeked.namespace.as_deref(), peeked.name.as_deref()?).ok()
}
