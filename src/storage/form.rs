//! What an object's bytes are: those that a server sent, or `MessagePack` with named fields, for which
//! types are asked to say what they say in JSON.
//!
//! Serde's code of a type is a user's: where it fails or panics that is an answer, without its words,
//! which may quote the object.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::PackError;
use super::buffer::Buffer;
use crate::object::{FieldSet, ObjectEncoding};
use crate::panic::catch;

/// How objects are written that are packed together.
pub(super) enum Form<K> {
    /// As they were sent.
    Sent(Arc<dyn ObjectEncoding<K>>),
    /// As this storage writes them: without uid, version and labels, which it keeps beside the bytes.
    Own(fn(&[u8]) -> Option<K>),
}

impl<K: DeserializeOwned> Form<K> {
    /// `MessagePack`.
    pub(super) fn own() -> Self {
        Self::Own(|bytes| {
            let form = rmp_serde::Deserializer::from_read_ref(bytes);
            K::deserialize(&mut form.with_human_readable()).ok()
        })
    }
}

impl<K> Form<K> {
    /// Reads what was written: all of it, or at least so far as to have these fields.
    pub(super) fn read(&self, bytes: &[u8], fields: Option<&FieldSet>) -> Result<K, PackError> {
        let reading = || match (self, fields) {
            (Self::Sent(encoding), Some(fields)) => encoding.decode_fields(bytes, fields),
            (Self::Sent(encoding), None) => encoding.decode(bytes),
            (Self::Own(read), _) => read(bytes),
        };
        catch(reading).ok().flatten().ok_or(PackError::NotUnpacked)
    }

    /// About how many bytes an object takes for each byte that it is written as.
    pub(super) fn expansion(&self) -> usize {
        match self {
            Self::Sent(encoding) => encoding.expansion(),
            // Of a pod as its type has it 8 to 9, as JSON values 12.
            Self::Own(_) => 9,
        }
    }
}

/// Writes an object; `room`: how large it probably is.
pub(super) fn write<T: Serialize>(
    object: &T,
    room: usize,
    wipe: bool,
) -> Result<Buffer, PackError> {
    let mut written = Buffer::with_capacity(room, wipe);
    let writing = || {
        let form = rmp_serde::Serializer::new(&mut written);
        object.serialize(&mut form.with_struct_map().with_human_readable()).is_ok()
    };
    match catch(writing) {
        Ok(true) => Ok(written),
        _ => Err(PackError::NotSerialised),
    }
}

/// Whether both say the same, in whatever order: a hash map has no order of its own.
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    let value = |bytes: &[u8]| Form::<serde_json::Value>::own().read(bytes, None).ok();
    a == b || matches!((value(a), value(b)), (Some(a), Some(b)) if a == b)
}
