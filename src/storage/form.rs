//! What an object is written as: `MessagePack` with named fields, for which types are asked to
//! say what they say in JSON.
//!
//! Serde's code of a type is a user's: where it fails or panics that is an answer, without its words,
//! which may quote the object.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::PackError;
use super::buffer::Buffer;

/// Writes an object; `room`: how large it probably is.
pub(super) fn write<T: Serialize>(
    object: &T,
    room: usize,
    wipe: bool,
) -> Result<Buffer, PackError> {
    let mut written = Buffer::with_capacity(room, wipe);
    let writing = AssertUnwindSafe(|| {
        let form = rmp_serde::Serializer::new(&mut written);
        object.serialize(&mut form.with_struct_map().with_human_readable()).is_ok()
    });
    match catch_unwind(writing) {
        Ok(true) => Ok(written),
        _ => Err(PackError::NotSerialised),
    }
}

/// Reads what was written.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, PackError> {
    let reading = AssertUnwindSafe(|| {
        let form = rmp_serde::Deserializer::from_read_ref(bytes);
        T::deserialize(&mut form.with_human_readable()).ok()
    });
    catch_unwind(reading).ok().flatten().ok_or(PackError::NotUnpacked)
}

/// Whether both say the same, in whatever order: a hash map has no order of its own.
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    let value = |bytes: &[u8]| read::<serde_json::Value>(bytes).ok();
    a == b || matches!((value(a), value(b)), (Some(a), Some(b)) if a == b)
}
