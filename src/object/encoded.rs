//! An object as it came: the bytes that a server sent, and what makes the object of them again.
//!
//! Who keeps objects small keeps these rather than write the object anew: nothing is lost that way,
//! whatever the type's `Serialize` leaves out, and nothing is written.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::FieldSet;

/// The bytes of one object, as its source gave them.
pub struct Encoded<K> {
    /// The bytes. They may be a part of a larger buffer: who keeps them for long copies them.
    pub bytes: Bytes,
    /// What decodes them; the same `Arc` for all objects that come the same way.
    pub encoding: Arc<dyn ObjectEncoding<K>>,
}

/// How objects were encoded by where they come from.
pub trait ObjectEncoding<K>: Send + Sync {
    /// The object of these bytes; the same object whenever it is asked. `None`: it can't be decoded.
    fn decode(&self, object: &[u8]) -> Option<K>;

    /// The object, for who looks at these fields alone: others may be left out. Unless implemented, none
    /// is.
    fn decode_fields(&self, object: &[u8], fields: &FieldSet) -> Option<K> {
        let _ = fields;
        self.decode(object)
    }

    /// About how many bytes of memory each byte becomes.
    fn expansion(&self) -> usize {
        10
    }
}

/// An object that is to be kept.
pub struct Arrived<K> {
    /// The object.
    pub object: K,
    /// Whether it is all there. With `encoded` it may lack `metadata.managedFields`, which nothing asks
    /// of an object on its way.
    pub whole: bool,
    /// Whether it is one of many that come together, as in a first list: then nobody is about to read
    /// it in particular.
    pub bulk: bool,
    /// The bytes that the whole object can be had from, where there are such.
    pub encoded: Option<Encoded<K>>,
}

impl<K> From<K> for Arrived<K> {
    fn from(object: K) -> Self {
        Self { object, whole: true, bulk: false, encoded: None }
    }
}

impl<K> Clone for Encoded<K> {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), encoding: self.encoding.clone() }
    }
}

impl<K> fmt::Debug for Encoded<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the bytes: they may be a Secret's.
        f.debug_struct("Encoded").field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}

impl<K: fmt::Debug> fmt::Debug for Arrived<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arrived")
            .field("object", &self.object)
            .field("whole", &self.whole)
            .field("bulk", &self.bulk)
            .field("encoded", &self.encoded)
            .finish()
    }
}
