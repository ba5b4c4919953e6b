//! A value in the form in which serde meets it in JSON.
//!
//! Names, numbers, nulls and texts are those of the JSON that a server would send for the same
//! object. A field that the type does not have is skipped unread. Texts are borrowed from the
//! message.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::envelope;
use super::fields::{Fields, Found, Run};
use super::members::{Elements, Entries, Members, check_depth};
use super::scalar::{self, IntOrString};
use super::schema::{Field, Kind, MessageId, NULLABLE, Shape};
use super::wire::{Cursor, Raw, Wire, last};
use crate::decode_error::describe;
use crate::error::{Error, Result};
use crate::json::Number;
use crate::text::Text;

/// A member of a message, an element of a list, or a value of a map.
#[derive(Debug)]
pub(crate) struct Value<'de> {
    pub(super) kind: Kind,
    pub(super) target: MessageId,
    pub(super) nullable: bool,
    pub(super) data: Data<'de>,
    /// The offset of the value in the object.
    pub(crate) offset: usize,
    pub(super) depth: usize,
}

/// The content of a value.
#[derive(Debug)]
pub(super) enum Data<'de> {
    One(Raw<'de>),
    List(Run<'de>),
    Map(Run<'de>),
    Missing,
}

/// A value whose form is known.
#[derive(Debug)]
pub(crate) enum Part<'de> {
    Null,
    Bool(bool),
    Int(i64),
    /// A number that may have a fraction.
    Double(Number),
    Text(Text<'de>),
    Message(Members<'de>),
    Entries(Entries<'de>),
    List(Elements<'de>),
    /// A list without elements.
    Empty,
    /// JSON inside the message, its offset, and the number of lists and maps that it lies in.
    Json(&'de [u8], usize, usize),
}

impl<'de> Value<'de> {
    #[inline]
    pub(super) fn new(
        field: &'static Field,
        found: Found<'de>,
        outer: usize,
        depth: usize,
    ) -> Self {
        let (data, offset) = match found {
            Found::One(raw) => (Data::One(raw), raw.offset),
            Found::Many(run) if field.shape == Shape::Map => (Data::Map(run), outer),
            Found::Many(run) => (Data::List(run), outer),
            Found::Missing => (Data::Missing, outer),
        };
        let (kind, target) = (field.kind, field.target());
        Self { kind, target, nullable: field.is(NULLABLE), data, offset, depth }
    }

    /// Returns the message. It is empty if the field is missing.
    fn message(&self) -> Result<Cursor<'de>> {
        match &self.data {
            Data::One(raw) => raw.message(),
            _ => Ok(Cursor::new(b"", self.offset)),
        }
    }

    /// Returns whether the value is a message like any other.
    #[inline]
    pub(crate) fn is_message(&self) -> bool {
        self.kind == Kind::Message && matches!(self.data, Data::One(_))
    }

    /// Returns the text of a value that is a text on the wire.
    #[inline]
    pub(crate) fn plain_text(&self) -> Result<Option<Cow<'de, str>>> {
        match (&self.data, self.kind) {
            (Data::One(raw), Kind::String) => raw.bytes().map(scalar::text).map(Some),
            _ => Ok(None),
        }
    }

    pub(crate) fn members(&self) -> Result<Members<'de>> {
        Members::new(self.message()?, self.target, self.depth + 1)
    }

    /// Returns the elements of a message that is a list: its fields of this number.
    fn items(&self, number: u16) -> Result<Option<Elements<'de>>> {
        let mut fields = Fields::new(self.message()?, self.target)?;
        while let Some((field, found)) = fields.next()? {
            if let Found::Many(run) = found
                && field.number == number
            {
                let (kind, target, depth) = (field.kind, field.target(), self.depth + 1);
                check_depth(depth, self.offset)?;
                return Ok(Some(Elements { run, kind, target, depth }));
            }
        }
        Ok(None)
    }

    /// Returns the schema in field `number` of a message that holds a schema or something else.
    fn schema(&self, number: u16) -> Result<Option<Value<'de>>> {
        let field = self.target.fields().iter().find(|field| field.number == number);
        let raw = last(self.message()?, number.into())?;
        Ok(field
            .zip(raw)
            .map(|(field, raw)| Value::new(field, Found::One(raw), self.offset, self.depth)))
    }

    /// Returns the JSON or the object inside the message. `None` if it is empty.
    fn raw(&self) -> Result<Option<Raw<'de>>> {
        let raw = last(self.message()?, 1)?;
        Ok(raw.filter(|raw| !raw.is_zero()))
    }

    fn open_raw(&self, raw: Raw<'de>) -> Result<Part<'de>> {
        let bytes = raw.bytes()?;
        if !bytes.starts_with(envelope::MAGIC) {
            return Ok(Part::Json(bytes, raw.offset, self.depth + 1));
        }
        let object = envelope::open(bytes, raw.offset)?;
        Ok(Part::Message(object.members(self.depth + 1)?))
    }

    /// Returns the text of a value that is JSON inside the message.
    pub(crate) fn json(&self) -> Result<Option<String>> {
        let (Kind::Raw, Data::One(_)) = (self.kind, &self.data) else { return Ok(None) };
        let Some(raw) = self.raw()? else { return Ok(None) };
        match self.open_raw(raw)? {
            Part::Json(json, offset, _) => {
                let json = std::str::from_utf8(json).map_err(|error| {
                    Error::new("the JSON is not UTF-8", offset.saturating_add(error.valid_up_to()))
                })?;
                // A `RawValue` trusts that its text is JSON.
                serde_json::from_str::<IgnoredAny>(json)
                    .map_err(|error| Error::new(describe(&error), offset))?;
                Ok(Some(json.to_owned()))
            }
            _ => Ok(None),
        }
    }

    /// Returns whether the value is null in JSON.
    #[inline]
    pub(crate) fn is_null(&self) -> Result<bool> {
        Ok(match (&self.data, self.kind) {
            (Data::Missing, _) if self.nullable => true,
            (Data::List(_) | Data::Map(_), _) => false,
            (_, Kind::Time | Kind::MicroTime) => self.message()?.is_empty(),
            (_, Kind::Raw) => self.raw()?.is_none_or(|raw| is_json_null(&raw)),
            (_, Kind::SchemaOrArray) => self.items(2)?.is_none() && self.schema(1)?.is_none(),
            _ => false,
        })
    }

    /// Opens the value.
    pub(crate) fn open(self) -> Result<Part<'de>> {
        let (kind, target, depth) = (self.kind, self.target, self.depth + 1);
        if matches!(self.data, Data::List(_) | Data::Map(_)) {
            check_depth(depth, self.offset)?;
        }
        match self.data {
            Data::List(run) => Ok(Part::List(Elements { run, kind, target, depth })),
            Data::Map(run) => Ok(Part::Entries(Entries::new(run, kind, target, depth))),
            Data::Missing if self.nullable => Ok(Part::Null),
            _ => self.open_one(),
        }
    }

    fn open_one(&self) -> Result<Part<'de>> {
        let raw = match &self.data {
            Data::One(raw) => Some(*raw),
            _ => None,
        };
        let bytes = || raw.map_or(Ok(&b""[..]), |raw| raw.bytes());
        let int = || raw.map_or(Ok(0), |raw| raw.int());
        Ok(match self.kind {
            Kind::String => Part::Text(scalar::text(bytes()?).into()),
            Kind::Bytes => Part::Text(Text::Owned(scalar::base64(bytes()?))),
            Kind::Int => Part::Int(int()?),
            Kind::Bool => Part::Bool(int()? != 0),
            Kind::Double => {
                let value = raw.map_or(Ok(0.0), |raw| raw.double())?;
                Part::Double(scalar::json_number(value))
            }
            Kind::Message => Part::Message(self.members()?),
            Kind::Items => self.items(1)?.map_or(Part::Empty, Part::List),
            Kind::Time | Kind::MicroTime => {
                let time = scalar::time(&self.message()?, self.kind == Kind::MicroTime)?;
                time.map_or(Part::Null, Part::Text)
            }
            Kind::Quantity => Part::Text(scalar::quantity(self.message()?)?.into()),
            Kind::IntOrString => match scalar::int_or_string(&self.message()?)? {
                IntOrString::Int(value) => Part::Int(value),
                IntOrString::String(text) => Part::Text(text.into()),
            },
            Kind::Raw => match self.raw()? {
                Some(raw) => self.open_raw(raw)?,
                None => Part::Null,
            },
            Kind::SchemaOrBool => {
                if let Some(schema) = self.schema(2)? {
                    return Ok(Part::Message(schema.members()?));
                }
                let allows = last(self.message()?, 1)?;
                Part::Bool(allows.map_or(Ok(0), |raw| raw.int())? != 0)
            }
            Kind::SchemaOrArray => match (self.items(2)?, self.schema(1)?) {
                (Some(elements), _) => Part::List(elements),
                (None, Some(schema)) => Part::Message(schema.members()?),
                (None, None) => Part::Null,
            },
        })
    }
}

/// Returns whether JSON inside a message is `null`. In an object in JSON, this means no value.
fn is_json_null(raw: &Raw<'_>) -> bool {
    let white = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
    let Wire::Bytes(json) = raw.wire else { return false };
    let start = json.iter().position(|byte| !white(byte)).unwrap_or(json.len());
    json[start..].strip_prefix(b"null").is_some_and(|rest| rest.iter().all(white))
}
