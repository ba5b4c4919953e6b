//! The envelope that every object in protobuf comes in: four bytes, then what the object is and the
//! message itself.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::error::{Error, Result};
use super::members::Members;
use super::schema::MessageId;
use super::wire::Cursor;
use crate::decode::DecodeError;
use crate::decode::budget::{Budget, MEMORY_LIMIT};

/// What every body begins with.
pub(crate) const MAGIC: &[u8; 4] = b"k8s\0";

/// The media type, also of what the envelope holds.
pub(crate) const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// The bytes of one object in Kubernetes' protobuf encoding, and what it is.
///
/// Nothing is decoded yet: this is the form in which a [`Decode`](crate::transport::Decode) gets an
/// object, to decode it, to look into it, or to keep its bytes.
#[derive(Clone, Copy)]
pub struct ProtobufObject<'a> {
    id: MessageId,
    /// apiVersion and kind, where the object says them.
    types: Option<(&'a str, &'a str)>,
    message: &'a [u8],
    /// Where the message begins in what was received.
    offset: usize,
}

/// What the items of a list are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ItemType(MessageId);

impl ItemType {
    /// What the items of this kind of list are; `None`: it is no list of a built-in kind.
    pub(crate) fn of(api_version: &str, list_kind: &str) -> Option<Self> {
        match MessageId::of(api_version, list_kind)?.fields() {
            [_, items] if items.name() == "items" => Some(Self(items.target())),
            _ => None,
        }
    }

    pub(crate) fn object(self, message: &[u8]) -> ProtobufObject<'_> {
        ProtobufObject { id: self.0, types: None, message, offset: 0 }
    }
}

impl<'a> ProtobufObject<'a> {
    /// The object in a body: an answer to a get, or what a watch event holds.
    ///
    /// # Errors
    /// [`DecodeError`] where this is no envelope, or of a kind that is not built in.
    pub fn from_envelope(body: &'a [u8]) -> std::result::Result<Self, DecodeError> {
        Ok(open(body, 0)?)
    }

    /// An object without an envelope, as in a list: it does not say what it is. `None`: this is no
    /// built-in kind, so nothing is known of its encoding.
    pub fn from_message(api_version: &str, kind: &str, message: &'a [u8]) -> Option<Self> {
        Some(Self { id: MessageId::of(api_version, kind)?, types: None, message, offset: 0 })
    }

    /// apiVersion and kind, where the object says them: an element of a list does not.
    pub fn types(&self) -> Option<(&'a str, &'a str)> {
        self.types
    }

    /// The message's bytes, without the envelope.
    pub fn message(&self) -> &'a [u8] {
        self.message
    }

    /// Decodes the object, by the names of its JSON form, into any type that implements
    /// `Deserialize`: one of `k8s-openapi`, a struct that keeps only some fields, a
    /// [`serde_json::Value`].
    ///
    /// What comes of it is what would come of the JSON that a server sends for the same object.
    /// Fields that the type does not want are passed over unread, in linear time; so are fields
    /// newer than [`RELEASE`](super::RELEASE). Texts can be borrowed.
    ///
    /// An object that would take more than 64 MiB of memory is refused;
    /// [`decode_within`](Self::decode_within) has another limit.
    ///
    /// # Errors
    /// [`DecodeError`] says what is wrong and at which byte, and nothing of what the object holds.
    pub fn decode<T: Deserialize<'a>>(&self) -> std::result::Result<T, DecodeError> {
        self.decode_within(MEMORY_LIMIT)
    }

    /// Decodes the object as [`decode`](Self::decode) does, unless it would take more than this many
    /// bytes of memory.
    ///
    /// # Errors
    /// [`DecodeError`] says what is wrong and at which byte, and nothing of what the object holds.
    pub fn decode_within<T: Deserialize<'a>>(
        &self,
        memory: usize,
    ) -> std::result::Result<T, DecodeError> {
        self.decode_by(PhantomData::<T>, memory)
    }

    /// Decodes the object as a seed says, within this many bytes of memory.
    pub(crate) fn decode_by<S: DeserializeSeed<'a>>(
        &self,
        seed: S,
        memory: usize,
    ) -> std::result::Result<S::Value, DecodeError> {
        let budget = Budget::new(memory);
        budget.charging(seed).deserialize(Source(*self)).map_err(|error| {
            if budget.is_exceeded() {
                DecodeError::too_large(memory).or_at(error.offset().unwrap_or(self.offset))
            } else {
                error.or_at(self.offset).into()
            }
        })
    }

    pub(super) fn members(&self, depth: usize) -> Result<Members<'a>> {
        let cursor = Cursor::new(self.message, self.offset);
        match self.types {
            Some(types) => Members::object(cursor, self.id, types, depth),
            None => Members::new(cursor, self.id, depth),
        }
    }
}

impl fmt::Debug for ProtobufObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the bytes: they may be a Secret's.
        let mut object = f.debug_struct("ProtobufObject");
        object.field("types", &self.types).field("bytes", &self.message.len());
        object.finish_non_exhaustive()
    }
}

/// What serde reads an object from.
struct Source<'a>(ProtobufObject<'a>);

impl<'de> Deserializer<'de> for Source<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_map(self.0.members(0)?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// An object in its envelope, whose first byte is at `base`.
pub(super) fn open(body: &[u8], base: usize) -> Result<ProtobufObject<'_>> {
    let fields = body.strip_prefix(MAGIC);
    let fields = fields.ok_or_else(|| Error::new("no Kubernetes protobuf", base))?;
    let begin = base + MAGIC.len();
    let (mut said, mut message, mut offset) = (("", ""), &b""[..], begin);
    let mut fields = Cursor::new(fields, begin);
    while let Some(field) = fields.next()? {
        match field.number {
            1 => said = types(field.message()?)?,
            2 => (message, offset) = (field.bytes()?, field.offset),
            3 if !field.is_zero() => return Err(Error::new(ENCODED, field.offset)),
            4 if !field.is_zero() && field.bytes()? != MEDIA_TYPE.as_bytes() => {
                return Err(Error::new(ENCODED, field.offset));
            }
            _ => {}
        }
    }
    let id = MessageId::of(said.0, said.1);
    let id = id.ok_or_else(|| Error::new("an object of a kind that is not built in", base))?;
    Ok(ProtobufObject { id, types: Some(said), message, offset })
}

/// No server does it.
pub(crate) const ENCODED: &str = "the object in the envelope is not plain protobuf";

/// What an object is: apiVersion and kind.
pub(crate) fn types(mut message: Cursor<'_>) -> Result<(&str, &str)> {
    let (mut api_version, mut kind) = ("", "");
    while let Some(field) = message.next()? {
        let text = || {
            let text = std::str::from_utf8(field.bytes()?);
            text.map_err(|_| Error::new("a kind that is no text", field.offset))
        };
        match field.number {
            1 => api_version = text()?,
            2 => kind = text()?,
            _ => {}
        }
    }
    Ok((api_version, kind))
}
