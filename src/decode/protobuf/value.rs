//! A value in the form in which serde meets it in JSON.
//!
//! Values are decoded directly into any type that implements `Deserialize`. Names, numbers, nulls
//! and texts are those of the JSON that a server would send for the same object. A field that the
//! type does not have is skipped unread. Texts are borrowed from the message.

use std::borrow::Cow;

use serde::de::value::{CowStrDeserializer, MapAccessDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use super::envelope;
use super::error::{Error, Result};
use super::fields::{Fields, Found, Run};
use super::members::{Elements, Entries, MAX_DEPTH, Members, TOO_DEEP};
use super::scalar::{self, IntOrString};
use super::schema::{Field, Kind, MessageId, NULLABLE, Shape};
use super::wire::{Cursor, Raw, last};

/// A member of a message, an element of a list, or a value of a map.
#[derive(Debug)]
pub(super) struct Value<'de> {
    pub(super) kind: Kind,
    pub(super) target: MessageId,
    pub(super) nullable: bool,
    pub(super) data: Data<'de>,
    /// The offset of the value in the object.
    pub(super) offset: usize,
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

impl<'de> Value<'de> {
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

    fn members(&self) -> Result<Members<'de>> {
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
                if depth > MAX_DEPTH {
                    return Err(Error::new(TOO_DEEP, self.offset));
                }
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

    fn visit_raw<V: Visitor<'de>>(&self, raw: Raw<'de>, visitor: V) -> Result<V::Value> {
        let bytes = raw.bytes()?;
        if bytes.starts_with(envelope::MAGIC) {
            let object = envelope::open(bytes, raw.offset)?;
            return visitor.visit_map(object.members(self.depth + 1)?);
        }
        json(bytes, raw.offset, |json| json.deserialize_any(visitor))
    }

    /// Returns whether the value is null in JSON.
    #[inline]
    fn is_null(&self) -> Result<bool> {
        Ok(match (&self.data, self.kind) {
            (Data::Missing, _) if self.nullable => true,
            (Data::List(_) | Data::Map(_), _) => false,
            (_, Kind::Time | Kind::MicroTime) => self.message()?.is_empty(),
            (_, Kind::Raw) => self.raw()?.is_none(),
            (_, Kind::SchemaOrArray) => self.items(2)?.is_none() && self.schema(1)?.is_none(),
            _ => false,
        })
    }

    fn visit_one<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let raw = match &self.data {
            Data::One(raw) => Some(*raw),
            _ => None,
        };
        match self.kind {
            Kind::String => {
                visit_text(raw.map_or(Ok(&b""[..]), |raw| raw.bytes()).map(scalar::text)?, visitor)
            }
            Kind::Bytes => {
                visitor.visit_string(scalar::base64(raw.map_or(Ok(&b""[..]), |raw| raw.bytes())?))
            }
            Kind::Int => visit_int(raw.map_or(Ok(0), |raw| raw.int())?, visitor),
            Kind::Bool => visitor.visit_bool(raw.map_or(Ok(0), |raw| raw.int())? != 0),
            Kind::Double => {
                let value = raw.map_or(Ok(0.0), |raw| raw.double())?;
                match scalar::whole(value) {
                    Some(whole) => visit_int(whole, visitor),
                    None => visitor.visit_f64(value),
                }
            }
            Kind::Message => visitor.visit_map(self.members()?),
            Kind::Items => match self.items(1)? {
                Some(elements) => visitor.visit_seq(elements),
                None => visitor.visit_seq(SeqDeserializer::new(std::iter::empty::<()>())),
            },
            Kind::Time | Kind::MicroTime => {
                match scalar::time(&self.message()?, self.kind == Kind::MicroTime)? {
                    Some(stamp) => visitor.visit_str(stamp.as_str()),
                    None => visitor.visit_unit(),
                }
            }
            Kind::Quantity => visit_text(scalar::quantity(self.message()?)?, visitor),
            Kind::IntOrString => match scalar::int_or_string(&self.message()?)? {
                IntOrString::Int(value) => visit_int(value, visitor),
                IntOrString::String(text) => visit_text(text, visitor),
            },
            Kind::Raw => match self.raw()? {
                Some(raw) => self.visit_raw(raw, visitor),
                None => visitor.visit_unit(),
            },
            Kind::SchemaOrBool => {
                if let Some(schema) = self.schema(2)? {
                    return visitor.visit_map(schema.members()?);
                }
                let allows = last(self.message()?, 1)?;
                visitor.visit_bool(allows.map_or(Ok(0), |raw| raw.int())? != 0)
            }
            Kind::SchemaOrArray => match (self.items(2)?, self.schema(1)?) {
                (Some(elements), _) => visitor.visit_seq(elements),
                (None, Some(schema)) => visitor.visit_map(schema.members()?),
                (None, None) => visitor.visit_unit(),
            },
        }
    }
}

pub(super) fn visit_text<'de, V: Visitor<'de>>(
    text: Cow<'de, str>,
    visitor: V,
) -> Result<V::Value> {
    match text {
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
        Cow::Owned(text) => visitor.visit_string(text),
    }
}

/// Visits an integer like the JSON decoder: numbers that are not negative are unsigned.
fn visit_int<'de, V: Visitor<'de>>(value: i64, visitor: V) -> Result<V::Value> {
    match u64::try_from(value) {
        Ok(value) => visitor.visit_u64(value),
        Err(_) => visitor.visit_i64(value),
    }
}

/// Deserialises JSON inside the message.
fn json<'de, T>(
    bytes: &'de [u8],
    offset: usize,
    visit: impl FnOnce(
        &mut serde_json::Deserializer<serde_json::de::StrRead<'de>>,
    ) -> serde_json::Result<T>,
) -> Result<T> {
    // Check all of the JSON for UTF-8 once, and not each text in it.
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Error::new("the JSON is not UTF-8", offset.saturating_add(error.valid_up_to()))
    })?;
    let mut json = serde_json::Deserializer::from_str(text);
    let value = visit(&mut json).and_then(|value| json.end().map(|()| value));
    value.map_err(|error| Error::json(&error, offset))
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (kind, target, depth) = (self.kind, self.target, self.depth);
        match self.data {
            Data::List(run) => visitor.visit_seq(Elements { run, kind, target, depth }),
            Data::Map(run) => visitor.visit_map(Entries { run, kind, target, depth, next: None }),
            Data::Missing if self.nullable => visitor.visit_unit(),
            _ => self.visit_one(visitor),
        }
    }

    // The most frequent requests take a short path, which skips the match over all kinds.

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match (&self.data, self.kind) {
            (Data::One(raw), Kind::String) => visit_text(scalar::text(raw.bytes()?), visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match (&self.data, self.kind) {
            (Data::One(_), Kind::Message) => visitor.visit_map(self.members()?),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_map(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (kind, target, depth) = (self.kind, self.target, self.depth);
        match self.data {
            Data::List(run) => visitor.visit_seq(Elements { run, kind, target, depth }),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.is_null()? { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        // serde_json's `RawValue` requests its text in this way.
        if self.kind == Kind::Raw
            && let Data::One(_) = self.data
            && let Some(raw) = self.raw()?
            && let bytes = raw.bytes()?
            && !bytes.starts_with(envelope::MAGIC)
        {
            return json(bytes, raw.offset, |json| json.deserialize_newtype_struct(name, visitor));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match (&self.data, self.kind) {
            (Data::One(raw), Kind::String) => {
                let text = CowStrDeserializer::new(scalar::text(raw.bytes()?));
                text.deserialize_enum(name, variants, visitor)
            }
            (Data::One(_), Kind::Message) => MapAccessDeserializer::new(self.members()?)
                .deserialize_enum(name, variants, visitor),
            _ => Err(Error::invalid_type(Unexpected::Other("a value"), &"a text or an object")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str bytes byte_buf unit unit_struct
        tuple tuple_struct identifier
    }
}
