//! An object that was cut out of an answer and is still to be decoded.
//!
//! It is a value of its own, so that it can be decoded on any thread.

use std::sync::Arc;

use super::capture::Captured;
use super::decode::DecodeError;
use super::forms::Form;
use super::framer::Peeked;
use crate::error::{Asked, Fault, SourceError};
use crate::lister_watcher::{Decoded, Undecodable};
use crate::object::{Arrived, Encoded, ObjectKey};

/// What holds for all objects of an answer.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) asked: Asked,
    /// How large an object may be, in bytes.
    pub(super) limit: usize,
    /// Objects are to come with their bytes.
    pub(super) encoded: bool,
}

/// The bytes of an object.
#[derive(Debug)]
pub(super) struct Undecoded<K> {
    pub(super) object: Captured,
    /// Where it began.
    pub(super) offset: u64,
    pub(super) form: Arc<Form<K>>,
    pub(super) terms: Arc<Terms>,
}

impl<K: 'static> Undecoded<K> {
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
        let arrived = if self.terms.encoded {
            self.form.decode_lightly(object).map(|(decoded, whole)| {
                let encoded = Encoded { bytes: object.clone(), encoding: self.form.clone() };
                Arrived { object: decoded, whole, encoded: Some(encoded) }
            })
        } else {
            self.form.decode(object).map(Arrived::from)
        };
        arrived.map_err(|error: DecodeError| {
            let peeked = self.form.encoding().peek(object);
            let fault = Fault::Undecodable { key: key(&peeked), problem: error.to_string() };
            self.undecodable(&peeked, fault)
        })
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
