//! The content of a message for serde: members, elements and entries.
//!
//! A run of fields becomes a list or map of exactly that size. Names come from the table and keys
//! from the message. None of them is copied.

use std::borrow::Cow;

use serde::de::value::{BorrowedStrDeserializer, CowStrDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::error::{Error, Result};
use super::fields::{Fields, Found, Run};
use super::scalar;
use super::schema::{Field, INLINE, Kind, MessageId};
use super::value::{Data, Value, visit_text};
use super::wire::Cursor;

/// The largest depth of nested messages. It is deeper than any type except a schema, and safe for a
/// thread's stack.
pub(super) const MAX_DEPTH: usize = 64;

pub(super) const TOO_DEEP: &str = "messages lie too deep within one another";

/// The members of a message.
#[derive(Debug)]
pub(super) struct Members<'de> {
    fields: Fields<'de>,
    next: Option<Value<'de>>,
    /// The message in which these fields are inlined.
    outer: Option<Box<Outer<'de>>>,
    /// The object's type, which comes before all other members: names and values, in reverse order.
    types: Vec<(&'static str, &'de str)>,
    offset: usize,
    depth: usize,
}

/// The fields that follow an inlined message.
#[derive(Debug)]
struct Outer<'de> {
    fields: Fields<'de>,
    outer: Option<Box<Outer<'de>>>,
}

impl<'de> Members<'de> {
    pub(super) fn new(message: Cursor<'de>, id: MessageId, depth: usize) -> Result<Self> {
        let offset = message.offset();
        if depth > MAX_DEPTH {
            return Err(Error::new(TOO_DEEP, offset));
        }
        let fields = Fields::new(message, id)?;
        Ok(Self { fields, next: None, outer: None, types: Vec::new(), offset, depth })
    }

    /// Creates the members of an object that states its type.
    pub(super) fn object(
        message: Cursor<'de>,
        id: MessageId,
        (api_version, kind): (&'de str, &'de str),
        depth: usize,
    ) -> Result<Self> {
        let mut members = Self::new(message, id, depth)?;
        members.types = vec![("apiVersion", api_version), ("kind", kind)];
        members.types.retain(|(_, said)| !said.is_empty());
        Ok(members)
    }

    /// Returns the next member that has its own name.
    fn field(&mut self) -> Result<Option<(&'static Field, Found<'de>)>> {
        loop {
            match self.fields.next()? {
                Some((field, found)) if field.is(INLINE) => {
                    let message = match found {
                        Found::One(raw) => raw.message()?,
                        _ => Cursor::new(b"", self.offset),
                    };
                    let inner = Fields::new(message, field.target())?;
                    let fields = std::mem::replace(&mut self.fields, inner);
                    let outer = self.outer.take();
                    self.outer = Some(Box::new(Outer { fields, outer }));
                }
                Some(found) => return Ok(Some(found)),
                None => {
                    let Some(outer) = self.outer.take() else { return Ok(None) };
                    (self.fields, self.outer) = (outer.fields, outer.outer);
                }
            }
        }
    }
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let name = if let Some((name, _)) = self.types.last() {
            name
        } else {
            let Some((field, found)) = self.field()? else { return Ok(None) };
            self.next = Some(Value::new(field, found, self.offset, self.depth));
            field.name()
        };
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        if let Some((_, said)) = self.types.pop() {
            let value = seed.deserialize(BorrowedStrDeserializer::new(said));
            return value.map_err(|error: Error| error.or_at(self.offset));
        }
        let value = self.next.take();
        let value = value.ok_or_else(|| Error::custom("a value was asked for before its name"))?;
        let offset = value.offset;
        seed.deserialize(value).map_err(|error| error.or_at(offset))
    }
}

/// The elements of a list.
#[derive(Debug)]
pub(super) struct Elements<'de> {
    pub(super) run: Run<'de>,
    pub(super) kind: Kind,
    pub(super) target: MessageId,
    pub(super) depth: usize,
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let Some(raw) = self.run.next()? else { return Ok(None) };
        let value = Value {
            kind: self.kind,
            target: self.target,
            nullable: false,
            data: Data::One(raw),
            offset: raw.offset,
            depth: self.depth,
        };
        seed.deserialize(value).map(Some).map_err(|error| error.or_at(raw.offset))
    }

    /// The size hint is exact, so that a vector is allocated once.
    fn size_hint(&self) -> Option<usize> {
        Some(self.run.left())
    }
}

/// The entries of a map: messages with a key and a value.
#[derive(Debug)]
pub(super) struct Entries<'de> {
    pub(super) run: Run<'de>,
    pub(super) kind: Kind,
    pub(super) target: MessageId,
    pub(super) depth: usize,
    pub(super) next: Option<Value<'de>>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let Some(entry) = self.run.next()? else { return Ok(None) };
        let (mut key, mut data) = (&b""[..], Data::Missing);
        let mut fields = entry.message()?;
        while let Some(field) = fields.next()? {
            match field.number {
                1 => key = field.bytes()?,
                2 => data = Data::One(field),
                _ => {}
            }
        }
        self.next = Some(Value {
            kind: self.kind,
            target: self.target,
            nullable: false,
            data,
            offset: entry.offset,
            depth: self.depth,
        });
        let key = seed.deserialize(Text(scalar::text(key)));
        key.map(Some).map_err(|error| error.or_at(entry.offset))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let value = self.next.take();
        let value = value.ok_or_else(|| Error::custom("a value was asked for before its name"))?;
        let offset = value.offset;
        seed.deserialize(value).map_err(|error| error.or_at(offset))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.run.left())
    }
}

/// A map key: a text, or a number or boolean if the type's keys have that type.
struct Text<'de>(Cow<'de, str>);

impl<'de> Deserializer<'de> for Text<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visit_text(self.0, visitor)
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

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let text: CowStrDeserializer<'_, Error> = self.0.into_deserializer();
        text.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
