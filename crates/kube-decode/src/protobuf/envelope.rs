//! The envelope of each object in protobuf: four magic bytes, the object's type, and its message.

use std::fmt;

use serde::Deserialize;

use super::members::Members;
use super::schema::MessageId;
use super::wire::Cursor;
use crate::bare;
use crate::budget::MEMORY_LIMIT;
use crate::error::{Error, Result};
use crate::path::Path;
use crate::{DecodeError, node};

/// The first bytes of every body.
#[doc(hidden)]
pub const MAGIC: &[u8; 4] = b"k8s\0";

/// The media type of bodies, and of the object inside an envelope.
pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// One object in Kubernetes' protobuf encoding, not yet decoded, with its type if it states one.
///
/// A [`Decode`](crate::Decode) receives objects in this form. It can decode the object,
/// read parts of it, or keep its bytes.
#[derive(Clone, Copy)]
pub struct ProtobufObject<'a> {
    id: MessageId,
    /// apiVersion and kind, if the object states them.
    types: Option<(&'a str, &'a str)>,
    message: &'a [u8],
    /// The offset of the message in the received bytes.
    offset: usize,
}

/// The type of a list's items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct ItemType(MessageId);

#[doc(hidden)]
impl ItemType {
    /// Returns the item type of this kind of list. `None` if it is no list of a built-in kind.
    pub fn of(api_version: &str, list_kind: &str) -> Option<Self> {
        match MessageId::of(api_version, list_kind)?.fields() {
            [_, items] if items.name() == "items" => Some(Self(items.target())),
            _ => None,
        }
    }

    pub fn object(self, message: &[u8]) -> ProtobufObject<'_> {
        ProtobufObject { id: self.0, types: None, message, offset: 0 }
    }
}

impl<'a> ProtobufObject<'a> {
    /// Returns the object in a body. The body is an answer to a get, or the object of a watch
    /// event.
    ///
    /// # Errors
    /// [`DecodeError`] if the body is no envelope, or if its kind is not built in.
    pub fn from_envelope(body: &'a [u8]) -> std::result::Result<Self, DecodeError> {
        Ok(open(body, 0)?)
    }

    /// Returns the object of a message without an envelope, as in a list. Such a message does not
    /// state its type. `None` if the kind is not built in, because its encoding is then unknown.
    pub fn from_message(api_version: &str, kind: &str, message: &'a [u8]) -> Option<Self> {
        Some(Self { id: MessageId::of(api_version, kind)?, types: None, message, offset: 0 })
    }

    /// Returns apiVersion and kind. `None` for an item of a list, which does not state them.
    pub fn types(&self) -> Option<(&'a str, &'a str)> {
        self.types
    }

    /// Returns the bytes of the message, without the envelope.
    pub fn message(&self) -> &'a [u8] {
        self.message
    }

    /// Decodes the object into any type that implements `Deserialize`: a type of `k8s-openapi`, a
    /// struct with only some fields, or a [`serde_json::Value`]. Fields have the names of the JSON
    /// form.
    ///
    /// The result equals that of decoding the JSON that a server sends for the same object. Fields
    /// that the type does not have are skipped unread, in linear time. Fields newer than
    /// [`RELEASE`](super::RELEASE) are also skipped. Texts can be borrowed.
    ///
    /// An object that would take more than 64 MiB of memory is refused.
    ///
    /// # Errors
    /// [`DecodeError`] states the problem and the byte at which it is. It never quotes the object.
    pub fn decode<T: Deserialize<'a>>(&self) -> std::result::Result<T, DecodeError> {
        node::from_protobuf(*self, None, MEMORY_LIMIT)
    }

    /// Returns the object with only this manager's managed fields. `None` if it has no others, or
    /// an unusual form. `cut` holds the bytes.
    #[doc(hidden)]
    pub fn of_manager<'b>(&self, manager: &str, cut: &'b mut Vec<u8>) -> Option<ProtobufObject<'b>>
    where
        'a: 'b,
    {
        *cut = bare::protobuf_of(self.message, false, Some(manager))?;
        Some(ProtobufObject { message: cut, ..*self })
    }

    /// Returns the number of the object's message in the table.
    #[doc(hidden)]
    pub fn message_number(&self) -> u16 {
        self.id.number()
    }

    /// Returns the offset of the message in the received bytes.
    #[doc(hidden)]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Goes to the field whose content has this offset in the received bytes.
    pub(crate) fn find_path(&self, offset: usize, path: &mut Path<'_>) {
        super::path::find(Cursor::new(self.message, self.offset), self.id, offset, path);
    }

    pub(crate) fn members(&self, depth: usize) -> Result<Members<'a>> {
        let cursor = Cursor::new(self.message, self.offset);
        match self.types {
            Some(types) => Members::object(cursor, self.id, types, depth),
            None => Members::new(cursor, self.id, depth),
        }
    }
}

impl fmt::Debug for ProtobufObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Leave the bytes out, because they may be a Secret's.
        let mut object = f.debug_struct("ProtobufObject");
        object.field("types", &self.types).field("bytes", &self.message.len());
        object.finish_non_exhaustive()
    }
}

/// Opens the envelope whose first byte is at offset `base`.
pub(super) fn open(body: &[u8], base: usize) -> Result<ProtobufObject<'_>> {
    let fields = body.strip_prefix(MAGIC);
    let fields = fields.ok_or_else(|| Error::new("not Kubernetes protobuf", base))?;
    let begin = base + MAGIC.len();
    let (mut said, mut message, mut offset) = (("", ""), &b""[..], begin);
    let mut fields = Cursor::new(fields, begin);
    while let Some(field) = fields.next()? {
        match field.number {
            1 => said = types(field.message()?, said)?,
            2 => (message, offset) = (field.bytes()?, field.offset),
            3 if !field.is_zero() => return Err(Error::new(ENCODED, field.offset)),
            4 if !field.is_zero() && field.bytes()? != MEDIA_TYPE.as_bytes() => {
                return Err(Error::new(ENCODED, field.offset));
            }
            _ => {}
        }
    }
    let id = MessageId::of(said.0, said.1);
    let id = id.ok_or_else(|| Error::new("the kind of the object is not built in", base))?;
    Ok(ProtobufObject { id, types: Some(said), message, offset })
}

/// The error of an envelope whose content has another encoding. No known server sends one.
#[doc(hidden)]
pub const ENCODED: &str = "the object in the envelope is not plain protobuf";

/// Reads apiVersion and kind of a message. The arguments are the values that were read before.
#[doc(hidden)]
#[allow(clippy::missing_errors_doc, reason = "hidden: public for `kube-informer` only")]
pub fn types<'a>(
    mut message: Cursor<'a>,
    (mut api_version, mut kind): (&'a str, &'a str),
) -> Result<(&'a str, &'a str)> {
    while let Some(field) = message.next()? {
        let text = || {
            let text = std::str::from_utf8(field.bytes()?);
            text.map_err(|_| Error::new("the kind is not a text", field.offset))
        };
        match field.number {
            1 => api_version = text()?,
            2 => kind = text()?,
            _ => {}
        }
    }
    Ok((api_version, kind))
}
