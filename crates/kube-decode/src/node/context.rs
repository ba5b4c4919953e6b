//! The state that all values of one object share, and the work that does not depend on their types.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use serde::de::{Expected, Unexpected};
use serde_json::de::StrRead;

use super::Kept;
use super::elements::ElementSource;
use super::members::MemberSource;
use crate::base64;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::json::{MAX_DEPTH, Number, Reader, Token};
use crate::protobuf::ProtobufObject;
use crate::protobuf::value::{Part, Value};
use crate::rule::Rule;
use crate::stack::{NO_STACK, Stack};
use crate::text::Text;
use crate::time;

/// The state of decoding one object. It stands before exactly one value, which the next [`Node`]
/// takes.
///
/// [`Node`]: super::Node
pub(super) struct Context<'r, 'de> {
    /// The JSON text that is read: the object, or JSON inside an object in protobuf. It is used up
    /// whenever the next value is in protobuf.
    pub(super) json: Reader<'de>,
    /// The next value, if it is in protobuf.
    data: RefCell<Data<'de>>,
    /// The rule for the next value. Values without a rule have none inside, either.
    rule: Cell<Option<Rule<'r>>>,
    /// The offset of JSON inside protobuf.
    offset: Cell<Option<usize>>,
    pub(super) budget: Budget,
    pub(super) stack: Stack,
    /// The number of buffered lists and maps around the next value.
    buffered: Cell<usize>,
}

/// The next value.
pub(super) enum Data<'de> {
    Json,
    Protobuf(Value<'de>),
    /// The root of an object in protobuf.
    Object(ProtobufObject<'de>),
    /// The apiVersion or kind that an envelope states.
    Stated(&'de str),
}

/// A value whose form is known.
pub(super) enum Opened<'de> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Text<'de>),
    Members(MemberSource<'de>),
    Elements(ElementSource<'de>),
}

impl Opened<'_> {
    /// Returns whether the value is a map or list.
    #[inline]
    pub(super) fn has_parts(&self) -> bool {
        matches!(self, Self::Members(_) | Self::Elements(_))
    }

    /// Returns whether the value is a map or list in JSON.
    #[inline]
    pub(super) fn has_json_parts(&self) -> bool {
        matches!(self, Self::Members(MemberSource::Json) | Self::Elements(ElementSource::Json))
    }
}

impl<'r, 'de> Context<'r, 'de> {
    /// Creates the context of an object in JSON.
    pub(super) fn json(text: &'de [u8], rule: Option<Rule<'r>>, budget: Budget) -> Self {
        Self {
            json: Reader::new(text),
            data: RefCell::new(Data::Json),
            rule: Cell::new(rule),
            offset: Cell::new(None),
            budget,
            stack: Stack::here(),
            buffered: Cell::new(0),
        }
    }

    /// Creates the context of an object in protobuf.
    pub(super) fn protobuf(
        object: ProtobufObject<'de>,
        rule: Option<Rule<'r>>,
        budget: Budget,
    ) -> Self {
        let context = Self::json(b"", rule, budget);
        context.data.replace(Data::Object(object));
        context
    }

    /// Sets the next value, which is in protobuf, and its rule.
    #[inline]
    pub(super) fn set(&self, data: Data<'de>, rule: Option<Rule<'r>>) -> Result<()> {
        if self.offset.get().is_some() {
            self.leave()?;
        }
        self.data.replace(data);
        self.rule.set(rule);
        Ok(())
    }

    /// Sets the rule for the next value.
    #[inline]
    pub(super) fn set_rule(&self, rule: Option<Rule<'r>>) {
        self.rule.set(rule);
    }

    /// Takes the rule for the next value.
    #[inline]
    pub(super) fn take_rule(&self) -> Option<Rule<'r>> {
        self.rule.take()
    }

    /// Sets the place of an error in JSON inside protobuf.
    #[cold]
    pub(super) fn place(&self, error: Error) -> Error {
        match self.offset.get() {
            Some(offset) => error.or(offset),
            None => error,
        }
    }

    /// Pays for a value of this many bytes if it lies outside its container, because it is boxed.
    #[inline]
    pub(super) fn pay(&self, room: &mut usize, bytes: usize) -> Result<()> {
        if bytes > *room {
            self.budget.charge(bytes)?;
            *room = bytes;
        }
        Ok(())
    }

    /// Takes a text, if nothing is special about it.
    #[inline]
    pub(super) fn plain_text(&self) -> Option<&'de str> {
        let text = self.json.plain_text()?;
        if self.budget.charge_text(text.len()).is_err() {
            return None;
        }
        Some(text)
    }

    /// Returns whether the next value is null, and takes it if so.
    #[inline]
    pub(super) fn take_null(&self) -> Result<bool> {
        match self.json.peek() {
            Some(b'n') => self.json.literal(b"null").map(|()| true),
            Some(_) => Ok(false),
            None => self.is_null(),
        }
    }

    fn is_null(&self) -> Result<bool> {
        match &*self.data.borrow() {
            Data::Protobuf(value) => value.is_null(),
            _ => Ok(false),
        }
    }

    /// Refuses a list or map that lies so deep that the stack could overflow.
    #[inline]
    pub(super) fn check_stack(&self) -> Result<()> {
        if self.stack.is_used_up() { Err(Error::nowhere(NO_STACK)) } else { Ok(()) }
    }

    /// Goes into a list or map. Refuses a buffered one from which nothing could be built, because
    /// the stack could overflow. Returns the number of buffered lists and maps around it.
    pub(super) fn enter_buffer(&self, kept: Kept) -> Result<usize> {
        let around = self.buffered.get();
        if kept == Kept::Buffered {
            if !self.stack.holds(around + 1) {
                return Err(self.place(Error::nowhere(NO_STACK)));
            }
            self.buffered.set(around + 1);
        }
        Ok(around)
    }

    /// Leaves a list or map.
    pub(super) fn leave_buffer(&self, around: usize) {
        self.buffered.set(around);
    }

    /// Takes the beginning of a map or message, which is a struct if `within`.
    #[inline]
    pub(super) fn members(
        &self,
        within: bool,
        expected: &dyn Expected,
    ) -> Result<MemberSource<'de>> {
        if self.json.peek() == Some(b'{') {
            self.json.open()?;
            return Ok(MemberSource::Json);
        }
        self.other_members(within, expected)
    }

    #[inline(never)]
    fn other_members(&self, within: bool, expected: &dyn Expected) -> Result<MemberSource<'de>> {
        if let Data::Protobuf(value) = &*self.data.borrow()
            && value.is_message()
        {
            return Ok(MemberSource::Message { message: value.members()?, next: None });
        }
        match self.open()? {
            Opened::Members(source) => {
                self.begin_members(&source)?;
                Ok(source)
            }
            other => {
                // Servers never send a struct as a list. For `serde_json`, this one could be such.
                if within && matches!(other, Opened::Elements(ElementSource::Json)) {
                    self.json.refuse_list()?;
                }
                Err(self.mismatch(&other, expected))
            }
        }
    }

    /// Takes the beginning of a list.
    #[inline]
    pub(super) fn elements(&self, expected: &dyn Expected) -> Result<ElementSource<'de>> {
        if self.json.peek() == Some(b'[') {
            self.json.open()?;
            return Ok(ElementSource::Json);
        }
        self.other_elements(expected)
    }

    #[inline(never)]
    fn other_elements(&self, expected: &dyn Expected) -> Result<ElementSource<'de>> {
        match self.open()? {
            Opened::Elements(source) => {
                self.begin_elements(&source)?;
                Ok(source)
            }
            other => Err(self.mismatch(&other, expected)),
        }
    }

    /// Takes the beginning of an opened map.
    #[inline]
    pub(super) fn begin_members(&self, source: &MemberSource<'de>) -> Result<()> {
        if matches!(source, MemberSource::Json) { self.json.open() } else { Ok(()) }
    }

    /// Takes the beginning of an opened list.
    #[inline]
    pub(super) fn begin_elements(&self, source: &ElementSource<'de>) -> Result<()> {
        if matches!(source, ElementSource::Json) { self.json.open() } else { Ok(()) }
    }

    /// Takes a text.
    pub(super) fn text(&self, expected: &dyn Expected) -> Result<Text<'de>> {
        if self.budget.is_exceeded() {
            return Err(self.budget.refuse());
        }
        let plain = match &*self.data.borrow() {
            Data::Protobuf(value) => value.plain_text()?.map(Text::from),
            _ => None,
        };
        let text = match plain {
            Some(text) => text,
            None => match self.open()? {
                Opened::Text(text) => text,
                other => return Err(self.mismatch(&other, expected)),
            },
        };
        self.budget.charge_text(text.len())?;
        Ok(text)
    }

    /// Takes the text of a time, in a form that a `Timestamp` is read from. If the type does not
    /// hold the time, the text is that of the nearest one.
    pub(super) fn time(&self, expected: &dyn Expected) -> Result<Text<'de>> {
        let text = match self.plain_text() {
            Some(text) => Text::Borrowed(text),
            None => self.text(expected)?,
        };
        if time::is_usual(text.as_str()) {
            return Ok(text);
        }
        Ok(time::readable(text.as_str()).map_or(text, Text::Owned))
    }

    /// Replaces a null, as Go writes its zero time, by that time.
    #[inline]
    pub(super) fn fill_time(&self) -> Result<()> {
        if self.take_null()? {
            self.data.replace(Data::Stated(time::ZERO));
        }
        Ok(())
    }

    /// Takes a text of base64, without the line breaks and last bits that Go passes over.
    pub(super) fn base64(&self, expected: &dyn Expected) -> Result<Text<'de>> {
        let text = match self.plain_text() {
            Some(text) => Text::Borrowed(text),
            None => self.text(expected)?,
        };
        Ok(base64::canonical(text.as_str()).map_or(text, Text::Owned))
    }

    /// Takes a number, for which a value of any other form is an error.
    pub(super) fn number(&self, expected: &dyn Expected) -> Result<Number> {
        match self.open()? {
            Opened::Number(number) => Ok(number),
            other => Err(self.mismatch(&other, expected)),
        }
    }

    /// Takes a boolean.
    pub(super) fn bool(&self, expected: &dyn Expected) -> Result<bool> {
        match self.open()? {
            Opened::Bool(value) => Ok(value),
            other => Err(self.mismatch(&other, expected)),
        }
    }

    /// Takes a null.
    pub(super) fn null(&self, expected: &dyn Expected) -> Result<()> {
        match self.open()? {
            Opened::Null => Ok(()),
            other => Err(self.mismatch(&other, expected)),
        }
    }

    /// Passes over the next value.
    pub(super) fn skip(&self) -> Result<()> {
        match self.data.replace(Data::Json) {
            Data::Json => self.json.skip(),
            _ => Ok(()),
        }
    }

    /// Returns whether the rule for the next value may skip some of its members.
    pub(super) fn skips_members(&self) -> bool {
        self.rule.get().is_some_and(Rule::skips_members)
    }

    /// Takes the JSON text of a value that is JSON.
    pub(super) fn raw(&self) -> Result<Option<Cow<'de, str>>> {
        let json = match &*self.data.borrow() {
            Data::Json => Some(Cow::Borrowed(self.json.raw()?)),
            Data::Protobuf(value) => value.json()?.map(Cow::Owned),
            Data::Object(_) | Data::Stated(_) => None,
        };
        if let Some(json) = &json {
            self.budget.charge_text(json.len())?;
        }
        Ok(json)
    }

    /// Returns the deserializer of a value that a type keeps as it is. `None` if a rule looks into
    /// the value.
    pub(super) fn tree(&self) -> Option<(serde_json::Deserializer<StrRead<'de>>, bool)> {
        let is_tree = match self.rule.get() {
            None => false,
            Some(Rule::Tree) => true,
            Some(_) => return None,
        };
        let json = self.json.tree(&self.budget)?;
        self.rule.set(None);
        // Trees of managed fields are many, and lie where no list or map can lie deeper.
        Some((json, !is_tree))
    }

    /// Returns whether the next value is an integer of JSON, which may have any size.
    pub(super) fn is_json(&self) -> bool {
        matches!(*self.data.borrow(), Data::Json)
    }

    /// Takes the next value. Of a map or list in JSON, takes nothing.
    pub(super) fn open_any(&self) -> Result<Opened<'de>> {
        if self.budget.is_exceeded() {
            return Err(self.budget.refuse());
        }
        let opened = self.open()?;
        if let Opened::Text(text) = &opened {
            self.budget.charge_text(text.len())?;
        }
        Ok(opened)
    }

    /// Opens the next value. Of a map or list in JSON, takes nothing.
    fn open(&self) -> Result<Opened<'de>> {
        let part = match self.data.replace(Data::Json) {
            Data::Json => return self.open_json(),
            Data::Stated(text) => return Ok(Opened::Text(Text::Borrowed(text))),
            Data::Object(object) => Part::Message(object.members(0)?),
            Data::Protobuf(value) => value.open()?,
        };
        Ok(match part {
            Part::Null => Opened::Null,
            Part::Bool(value) => Opened::Bool(value),
            // As the JSON decoder reads it: a number that is not negative is unsigned.
            Part::Int(value) => Opened::Number(match u64::try_from(value) {
                Ok(value) => Number::Unsigned(value),
                Err(_) => Number::Signed(value),
            }),
            Part::Double(number) => Opened::Number(number),
            Part::Text(text) => Opened::Text(text),
            Part::Message(message) => {
                Opened::Members(MemberSource::Message { message, next: None })
            }
            Part::Entries(entries) => {
                Opened::Members(MemberSource::Entries { entries, next: None })
            }
            Part::List(list) => Opened::Elements(ElementSource::List(list)),
            Part::Empty => Opened::Elements(ElementSource::Empty),
            Part::Json(json, offset, depth) => {
                self.enter(json, offset, depth)?;
                return self.open_json();
            }
        })
    }

    /// Takes a value in JSON. Of a map or list, takes nothing.
    fn open_json(&self) -> Result<Opened<'de>> {
        Ok(match self.json.token()? {
            Token::Null => Opened::Null,
            Token::Bool(value) => Opened::Bool(value),
            Token::Number(number) => Opened::Number(number),
            Token::Text(text) => Opened::Text(text),
            Token::Map => Opened::Members(MemberSource::Json),
            Token::List => Opened::Elements(ElementSource::Json),
        })
    }

    /// Goes to the beginning of JSON inside protobuf, which is the next value.
    #[cold]
    fn enter(&self, json: &'de [u8], offset: usize, depth: usize) -> Result<()> {
        std::str::from_utf8(json).map_err(|error| {
            Error::new("the JSON is not UTF-8", offset.saturating_add(error.valid_up_to()))
        })?;
        // No message lies deeper than the limit.
        self.json.enter(json, u8::try_from(depth).unwrap_or(MAX_DEPTH).min(MAX_DEPTH));
        self.offset.set(Some(offset));
        Ok(())
    }

    /// Leaves JSON inside protobuf, which must have been read to its end.
    #[cold]
    pub(super) fn leave(&self) -> Result<()> {
        let end = self.json.end().map_err(|error| self.place(error));
        self.json.enter(b"", 0);
        self.offset.set(None);
        end
    }

    #[cold]
    pub(super) fn mismatch(&self, found: &Opened<'_>, expected: &dyn Expected) -> Error {
        let found = match found {
            Opened::Null => Unexpected::Unit,
            Opened::Bool(value) => Unexpected::Bool(*value),
            Opened::Number(Number::Unsigned(value)) => Unexpected::Unsigned(*value),
            Opened::Number(Number::Signed(value)) => Unexpected::Signed(*value),
            Opened::Number(Number::Float(value)) => Unexpected::Float(*value),
            Opened::Text(_) => Unexpected::Str(""),
            Opened::Members(_) => Unexpected::Map,
            Opened::Elements(_) => Unexpected::Seq,
        };
        self.place(serde::de::Error::invalid_type(found, expected))
    }
}
