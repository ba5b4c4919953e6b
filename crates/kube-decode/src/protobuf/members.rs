//! The content of a message: members, elements and entries.
//!
//! A run of fields becomes a list or map of exactly that size. Names come from the table and keys
//! from the message. None of them is copied.

use super::fields::{Fields, Found, Run};
use super::scalar;
use super::schema::{Field, INLINE, Kind, MessageId};
use super::value::{Data, Value};
use super::wire::Cursor;
use crate::decode_error::TOO_DEEP;
use crate::error::{Error, Result};
use crate::json::MAX_DEPTH;
use crate::text::Text;

/// Checks the depth at which a message, list or map lies in JSON. The limit is that of JSON, so
/// that both encodings accept the same objects.
pub(super) fn check_depth(depth: usize, offset: usize) -> Result<()> {
    if depth < usize::from(MAX_DEPTH) { Ok(()) } else { Err(Error::new(TOO_DEEP, offset)) }
}

/// The members of a message.
#[derive(Debug)]
pub(crate) struct Members<'de> {
    fields: Fields<'de>,
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
        check_depth(depth, offset)?;
        let fields = Fields::new(message, id)?;
        Ok(Self { fields, outer: None, types: Vec::new(), offset, depth })
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
    #[inline]
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

/// The value of a member.
#[derive(Debug)]
pub(crate) enum MemberValue<'de> {
    Field(Value<'de>),
    /// The apiVersion or kind that an envelope states.
    Stated(&'de str),
}

impl<'de> Members<'de> {
    /// Returns the name and value of the next member.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<(&'static str, MemberValue<'de>)>> {
        if let Some((name, stated)) = self.types.pop() {
            return Ok(Some((name, MemberValue::Stated(stated))));
        }
        let Some((field, found)) = self.field()? else { return Ok(None) };
        let value = Value::new(field, found, self.offset, self.depth);
        Ok(Some((field.name(), MemberValue::Field(value))))
    }

    /// Returns the offset of the message in the object.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }
}

/// The elements of a list.
#[derive(Debug)]
pub(crate) struct Elements<'de> {
    pub(super) run: Run<'de>,
    pub(super) kind: Kind,
    pub(super) target: MessageId,
    pub(super) depth: usize,
}

impl<'de> Elements<'de> {
    pub(crate) fn next(&mut self) -> Result<Option<Value<'de>>> {
        let Some(raw) = self.run.next()? else { return Ok(None) };
        Ok(Some(Value {
            kind: self.kind,
            target: self.target,
            nullable: false,
            data: Data::One(raw),
            offset: raw.offset,
            depth: self.depth,
        }))
    }

    /// Returns the number of elements left.
    pub(crate) fn left(&self) -> usize {
        self.run.left()
    }
}

/// The entries of a map: messages with a key and a value.
#[derive(Debug)]
pub(crate) struct Entries<'de> {
    run: Run<'de>,
    kind: Kind,
    target: MessageId,
    depth: usize,
    /// The offset of the last entry.
    offset: usize,
}

impl<'de> Entries<'de> {
    pub(super) fn new(run: Run<'de>, kind: Kind, target: MessageId, depth: usize) -> Self {
        Self { run, kind, target, depth, offset: 0 }
    }

    /// Returns the key and value of the next entry.
    pub(crate) fn next(&mut self) -> Result<Option<(Text<'de>, Value<'de>)>> {
        let Some(entry) = self.run.next()? else { return Ok(None) };
        self.offset = entry.offset;
        let (mut key, mut data) = (&b""[..], Data::Missing);
        let mut fields = entry.message()?;
        while let Some(field) = fields.next()? {
            match field.number {
                1 => key = field.bytes()?,
                2 => data = Data::One(field),
                _ => {}
            }
        }
        let value = Value {
            kind: self.kind,
            target: self.target,
            nullable: false,
            data,
            offset: entry.offset,
            depth: self.depth,
        };
        Ok(Some((scalar::text(key).into(), value)))
    }

    /// Returns the number of entries left.
    pub(crate) fn left(&self) -> usize {
        self.run.left()
    }

    /// Returns the offset of the last entry.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }
}
