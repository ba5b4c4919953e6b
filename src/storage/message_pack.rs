//! The encoding of objects that did not arrive as bytes: `MessagePack` with named fields. Types are
//! told that the format is human-readable, so they write what they would write in JSON.
//!
//! A type's `Serialize` and `Deserialize` are user code. If one fails or panics, the error leaves
//! out its message, which may quote the object.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::PackError;
use super::buffer::Buffer;
use crate::decode::codec::Codec;
use crate::decode::{Decode, DecodeError};
use crate::panic::catch;

/// A decoder of `MessagePack`.
struct MessagePack;

impl<K: DeserializeOwned> Decode<K> for MessagePack {
    fn decode(&self, object: &[u8]) -> Result<K, DecodeError> {
        let bytes = rmp_serde::Deserializer::from_read_ref(object);
        let read = K::deserialize(&mut bytes.with_human_readable());
        read.map_err(|_| DecodeError::new("the packed bytes are not valid"))
    }
}

/// Returns the codec of objects that [`write`] serialised.
pub(super) fn codec<K: DeserializeOwned + 'static>() -> Codec<K> {
    // Measured on pods: 8 to 9 times as a typed object, 12 times as JSON values.
    Codec::plain(MessagePack, 9)
}

/// Serialises an object. `room` is its estimated size in bytes.
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

/// Returns whether both encode the same value. The order of map entries does not count, because a
/// hash map has no order.
pub(super) fn is_equivalent(a: &[u8], b: &[u8]) -> bool {
    let value = |bytes: &[u8]| Decode::<serde_json::Value>::decode(&MessagePack, bytes).ok();
    a == b || matches!((value(a), value(b)), (Some(a), Some(b)) if a == b)
}
