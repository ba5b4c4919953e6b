//! The encoding of objects that did not arrive as bytes: `MessagePack` with named fields. Types are
//! told that the format is human-readable, so they write what they would write in JSON.
//!
//! A type's `Serialize` and `Deserialize` are user code. If one fails or panics, the error leaves
//! out its message, which may quote the object.

mod reader;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use kube::Resource;
use kube::api::ObjectMeta;
use kube_decode::private_keys::RAW;
use kube_decode::{Decode, DecodeError};
use memchr::memmem;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use self::reader::Reader;
use super::buffer::Buffer;
use super::{PackError, depth};
use crate::codec::{Codec, Head, decode_any};
use crate::panic::{catch, drop_safely};

const INVALID: &str = "the packed bytes are not valid";

/// A decoder of what [`write`] serialised.
struct MessagePack;

impl<K: DeserializeOwned> Decode<K> for MessagePack {
    fn decode(&self, object: &[u8]) -> Result<K, DecodeError> {
        read(object).map_err(|_| DecodeError::new(INVALID))
    }
}

// One function, so that the check of a deep object takes as much stack as a read.
#[inline(never)]
fn read<K: DeserializeOwned>(object: &[u8]) -> Result<K, PackError> {
    let mut reader = Reader::new(object);
    let read = K::deserialize(&mut reader);
    // A type may ignore a part's error.
    if reader.is_used_up() {
        return Err(PackError::TooDeep);
    }
    // A type that announces fewer fields than it writes would lose the others.
    read.ok().filter(|_| reader.is_at_end()).ok_or(PackError::NotUnpacked)
}

/// Reads the metadata of an object that [`write`] serialised, without decoding the object.
pub(super) fn read_head(object: &[u8]) -> Result<ObjectMeta, DecodeError> {
    read::<Head>(object).map(Into::into).map_err(|_| DecodeError::new(INVALID))
}

/// Returns the codec of objects that [`write`] serialised.
pub(super) fn codec<K>() -> Codec
where
    K: Resource + DeserializeOwned + Send + Sync + 'static,
{
    // Measured on pods: 8 to 9 times as a typed object, 12 times as JSON values.
    Codec::plain(decode_any::<K>(Arc::new(MessagePack)), 9)
}

/// A serialised object.
pub(super) struct Written {
    pub(super) bytes: Buffer,
    pub(super) is_deep: bool,
}

/// Serialises an object. `room` is its estimated size in bytes.
pub(super) fn write<T: Serialize>(
    object: &T,
    room: usize,
    wipe: bool,
) -> Result<Written, PackError> {
    let mut bytes = Buffer::with_capacity(room, wipe);
    let writing = || {
        let is_deep = depth::check(object)?;
        let form = rmp_serde::Serializer::new(&mut bytes);
        let done = object.serialize(&mut form.with_struct_map().with_human_readable());
        done.map_err(|_| PackError::NotSerialised)?;
        // A `Value` would read the JSON in it, in which all limits begin again.
        if memmem::find(bytes.as_slice(), RAW.as_bytes()).is_some() {
            return Err(PackError::NotUnpacked);
        }
        Ok(is_deep)
    };
    let is_deep = catch(writing).unwrap_or(Err(PackError::NotSerialised))?;
    Ok(Written { bytes, is_deep })
}

/// Checks that unpacking a deep object does not overflow the stack.
pub(super) fn check_stack<K: DeserializeOwned>(written: &[u8]) -> Result<(), PackError> {
    let read = catch(|| read::<K>(written)).unwrap_or(Err(PackError::NotUnpacked));
    drop_safely(read?);
    Ok(())
}

/// Returns whether both encode the same value. The order of entries and elements does not count,
/// because a hash map and a set have none.
pub(super) fn is_equivalent(a: &[u8], b: &[u8]) -> bool {
    let value = |bytes| read::<Unordered>(bytes).ok();
    a == b || matches!((value(a), value(b)), (Some(a), Some(b)) if a == b)
}

/// A value with sorted entries and elements. A key may be any value.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Unordered {
    Nil,
    Bool(bool),
    Integer(i128),
    /// The bits of a floating point number.
    Float(u64),
    Bytes(Vec<u8>),
    Text(String),
    List(Vec<Unordered>),
    Map(Vec<(Unordered, Unordered)>),
}

impl<'de> Deserialize<'de> for Unordered {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Unordered;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Unordered, E> {
        Ok(Unordered::Nil)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Unordered, E> {
        Ok(Unordered::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Unordered, E> {
        Ok(Unordered::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Unordered, E> {
        Ok(Unordered::Integer(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Unordered, E> {
        Ok(Unordered::Float(value.to_bits()))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Unordered, E> {
        Ok(Unordered::Bytes(bytes.to_owned()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Unordered, E> {
        Ok(Unordered::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Unordered, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element()? {
            elements.push(element);
        }
        elements.sort_unstable();
        Ok(Unordered::List(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unordered, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        entries.sort_unstable();
        Ok(Unordered::Map(entries))
    }
}
