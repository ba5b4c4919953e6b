//! `MessagePack` with named fields, as which this storage writes objects that did not come as bytes.
//! Types are asked to say what they say in JSON.
//!
//! Serde's code of a type is a user's: where it fails or panics that is an answer, without its words,
//! which may quote the object.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::PackError;
use super::buffer::Buffer;
use crate::decode::codec::Codec;
use crate::decode::{Decode, DecodeError};
use crate::panic::catch;

/// Decodes `MessagePack`.
struct MessagePack;

impl<K: DeserializeOwned> Decode<K> for MessagePack {
    fn decode(&self, object: &[u8]) -> Result<K, DecodeError> {
        let bytes = rmp_serde::Deserializer::from_read_ref(object);
        let read = K::deserialize(&mut bytes.with_human_readable());
        read.map_err(|_| DecodeError::new("not what was written"))
    }
}

/// Returns the codec of objects that [`write`] wrote.
pub(super) fn codec<K: DeserializeOwned + 'static>() -> Codec<K> {
    // Of a pod as its type has it 8 to 9, as JSON values 12.
    Codec::plain(MessagePack, 9)
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

/// Returns whether both say the same, in whatever order: a hash map has no order of its own.
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    let value = |bytes: &[u8]| Decode::<serde_json::Value>::decode(&MessagePack, bytes).ok();
    a == b || matches!((value(a), value(b)), (Some(a), Some(b)) if a == b)
}
