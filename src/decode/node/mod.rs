//! The deserializer of an object, in JSON or protobuf.
//!
//! A type's `Deserialize` code is instantiated once, for [`Node`]. Encoding, skipped members and
//! memory limit are values, not types, because a type such as `Pod` has hundreds of parts and each
//! instantiation costs a program seconds of compile time and a megabyte. For the same reason, most
//! of the work is in functions that are not generic.

mod key;
mod members;

use serde::Deserialize;
use serde::de::value::{CowStrDeserializer, MapAccessDeserializer, MapDeserializer};
use serde::de::{Deserializer, Expected, Unexpected, Visitor};

use self::members::{ElementSource, Elements, MemberSource, Members};
use super::budget::{Budget, largest_tree};
use super::error::{Error, Place, Result};
use super::protobuf::ProtobufObject;
use super::protobuf::value::{Part, Value};
use super::rule::Rule;
use super::tape::{Run, Spot, Tape, Token, Tokens};
use super::text::Text;
use super::{DecodeError, describe_place};

/// The name by which `serde_json` asks for the text of a value.
const RAW: &str = "$serde_json::private::RawValue";

/// Decodes an object from JSON, without the members that the rule skips.
pub(super) fn from_json<'de, T: Deserialize<'de>>(
    text: &'de [u8],
    rule: Option<Rule<'_>>,
    memory: usize,
) -> std::result::Result<T, DecodeError> {
    let too_large = || DecodeError::too_large(memory);
    let mut tape = Tape::read(text, Spot::Object, rule, memory)?.ok_or_else(too_large)?;
    let budget = Budget::new(memory.saturating_sub(tape.bytes()));
    let data = Data::Json(Tokens::of(&mut tape));
    decode(Node { data, budget: &budget, room: 0 }).map_err(|error| {
        if budget.is_exceeded() {
            return too_large();
        }
        let token = match error.place() {
            Some(Place::Token(token)) => token,
            _ => 0,
        };
        let (line, column) = Tape::place(text, rule, token).unwrap_or((1, 0));
        DecodeError::new(describe_place(&error.to_string(), line, column))
    })
}

/// Decodes a value from JSON, and charges this budget.
#[cfg(test)]
pub(super) fn from_json_within<T: serde::de::DeserializeOwned>(
    text: &[u8],
    budget: &Budget,
) -> Result<T> {
    let mut tape = Tape::read(text, Spot::Object, None, usize::MAX).unwrap().unwrap();
    let data = Data::Json(Tokens::of(&mut tape));
    decode(Node { data, budget, room: 0 })
}

/// Decodes an object from protobuf, without the members that the rule skips.
pub(super) fn from_protobuf<'de, T: Deserialize<'de>>(
    object: ProtobufObject<'de>,
    rule: Option<Rule<'_>>,
    memory: usize,
) -> std::result::Result<T, DecodeError> {
    let budget = Budget::new(memory);
    let data = Data::Object(object, rule);
    decode(Node { data, budget: &budget, room: 0 }).map_err(|error| {
        let error = error.or(Place::Byte(object.offset()));
        if !budget.is_exceeded() {
            return error.into();
        }
        let error = DecodeError::from(error);
        DecodeError::too_large(memory).or_at(error.offset().unwrap_or_default())
    })
}

/// The one instantiation of a type's code.
#[inline(never)]
fn decode<'de, T: Deserialize<'de>>(node: Node<'_, 'de>) -> Result<T> {
    T::deserialize(node)
}

/// A value that is not decoded yet.
pub(crate) struct Node<'w, 'de> {
    data: Data<'w, 'de>,
    budget: &'w Budget,
    /// The number of bytes that are already paid for the value, as part of its container.
    room: usize,
}

enum Data<'w, 'de> {
    Json(Tokens<'w, 'de>),
    Protobuf(Value<'de>, Option<Rule<'w>>),
    /// The root of an object in protobuf.
    Object(ProtobufObject<'de>, Option<Rule<'w>>),
    /// The apiVersion or kind that an envelope states.
    Stated(&'de str),
}

/// A value whose form is known.
enum Opened<'w, 'de> {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(Text<'de>),
    Members(Members<'w, 'de>),
    Elements(Elements<'w, 'de>),
    /// JSON that is not read yet, and its place.
    Json(&'de [u8], Place),
}

impl<'w, 'de> Node<'w, 'de> {
    /// Pays for a value of this many bytes if it lies outside its container, because it is boxed.
    #[inline]
    fn pay(&mut self, bytes: usize) -> Result<()> {
        if bytes > self.room {
            self.budget.charge(bytes)?;
            self.room = bytes;
        }
        Ok(())
    }

    #[inline]
    fn is_null(&mut self) -> Result<bool> {
        match &mut self.data {
            Data::Json(tokens) => Ok(matches!(tokens.tape().peek(), Token::Null)),
            Data::Protobuf(value, _) => value.is_null(),
            Data::Object(..) | Data::Stated(_) => Ok(false),
        }
    }

    /// Opens the value. `within` says that the parts of it lie inside it, as fields do.
    fn open(self, within: bool) -> Result<Opened<'w, 'de>> {
        let Self { data, budget, .. } = self;
        let (part, rule) = match data {
            Data::Json(tokens) => return Ok(Self::open_json(tokens, budget, within)),
            Data::Stated(text) => return Ok(Opened::Text(Text::Borrowed(text))),
            Data::Object(object, rule) => (Part::Message(object.members(0)?), rule),
            Data::Protobuf(value, rule) => (value.open()?, rule),
        };
        Ok(match part {
            Part::Null => Opened::Null,
            Part::Bool(value) => Opened::Bool(value),
            // As the JSON decoder reads it: a number that is not negative is unsigned.
            Part::Int(value) => match u64::try_from(value) {
                Ok(value) => Opened::Unsigned(value),
                Err(_) => Opened::Signed(value),
            },
            Part::Float(value) => Opened::Float(value),
            Part::Text(text) => Opened::Text(text),
            Part::Message(message) => {
                let source = MemberSource::Message { message, next: None };
                Opened::Members(Members::new(source, budget, rule, within))
            }
            Part::Entries(entries) => {
                let source = MemberSource::Entries { entries, next: None };
                Opened::Members(Members::new(source, budget, rule, within))
            }
            Part::List(list) => {
                let source = ElementSource::List(list);
                Opened::Elements(Elements::new(source, budget, rule, within))
            }
            Part::Empty => {
                Opened::Elements(Elements::new(ElementSource::Empty, budget, rule, within))
            }
            Part::Json(json, offset) if rule.is_some() => {
                Self::open_raw(json, Place::Byte(offset), rule, budget, within)?
            }
            Part::Json(json, offset) => Opened::Json(json, Place::Byte(offset)),
        })
    }

    /// Opens JSON that was not read yet.
    fn open_raw(
        json: &'de [u8],
        place: Place,
        rule: Option<Rule<'w>>,
        budget: &'w Budget,
        within: bool,
    ) -> Result<Opened<'w, 'de>> {
        let tokens = read_raw(json, place, rule, budget)?;
        Ok(Self::open_json(tokens, budget, within))
    }

    /// Opens the value, and reads its JSON if that was not read yet.
    fn open_whole(self, within: bool) -> Result<Opened<'w, 'de>> {
        let budget = self.budget;
        match self.open(within)? {
            Opened::Json(json, place) => Self::open_raw(json, place, None, budget, within),
            opened => Ok(opened),
        }
    }

    #[inline]
    fn open_json(mut tokens: Tokens<'w, 'de>, budget: &'w Budget, within: bool) -> Opened<'w, 'de> {
        let place = tokens.place();
        match tokens.tape().take() {
            Token::Null => Opened::Null,
            Token::Bool(value) => Opened::Bool(value),
            Token::Unsigned(value) => Opened::Unsigned(value),
            Token::Signed(value) => Opened::Signed(value),
            Token::Float(value) => Opened::Float(value),
            Token::Raw(json) => Opened::Json(json.as_bytes(), place),
            Token::Text(text) => Opened::Text(Text::Borrowed(text)),
            Token::Unescaped(text) => Opened::Text(Text::Owned(text.into())),
            Token::Map(length, _) => {
                let source = MemberSource::Json(Run::new(tokens, length));
                Opened::Members(Members::new(source, budget, None, within))
            }
            Token::List(length, _) => {
                let source = ElementSource::Json(Run::new(tokens, length));
                Opened::Elements(Elements::new(source, budget, None, within))
            }
        }
    }

    fn members(self, within: bool, expected: &dyn Expected) -> Result<Members<'w, 'de>> {
        let Self { data, budget, room } = self;
        // The most frequent forms first, because each move of an opened value costs.
        let data = match data {
            Data::Protobuf(value, rule) if value.is_message() => {
                let source = MemberSource::Message { message: value.members()?, next: None };
                return Ok(Members::new(source, budget, rule, within));
            }
            Data::Json(mut tokens) => match *tokens.tape().peek() {
                Token::Map(length, _) => {
                    tokens.tape().at += 1;
                    let source = MemberSource::Json(Run::new(tokens, length));
                    return Ok(Members::new(source, budget, None, within));
                }
                _ => Data::Json(tokens),
            },
            data => data,
        };
        match (Self { data, budget, room }).open_whole(within)? {
            Opened::Members(members) => Ok(members),
            other => Err(other.mismatch(expected)),
        }
    }

    fn elements(self, tuple: bool, expected: &dyn Expected) -> Result<Elements<'w, 'de>> {
        match self.open_whole(tuple)? {
            Opened::Elements(elements) => Ok(elements),
            other => Err(other.mismatch(expected)),
        }
    }

    fn text(mut self, expected: &dyn Expected) -> Result<Text<'de>> {
        let budget = self.budget;
        // The most frequent forms first.
        let text = match &mut self.data {
            Data::Json(tokens) => tokens.tape().take_text(),
            Data::Protobuf(value, _) => value.plain_text()?.map(Text::from),
            Data::Object(..) | Data::Stated(_) => None,
        };
        if let Some(text) = text {
            budget.charge_text(text.len())?;
            return Ok(text);
        }
        match self.open_whole(false)? {
            Opened::Text(text) => {
                budget.charge_text(text.len())?;
                Ok(text)
            }
            other => Err(other.mismatch(expected)),
        }
    }

    /// Returns a number, for which a value of any other form is an error.
    fn number(self, expected: &dyn Expected) -> Result<Opened<'w, 'de>> {
        match self.open_whole(false)? {
            number @ (Opened::Unsigned(_) | Opened::Signed(_) | Opened::Float(_)) => Ok(number),
            other => Err(other.mismatch(expected)),
        }
    }

    fn bool(self, expected: &dyn Expected) -> Result<bool> {
        match self.open_whole(false)? {
            Opened::Bool(value) => Ok(value),
            other => Err(other.mismatch(expected)),
        }
    }

    /// Returns the JSON text of a value that is JSON.
    fn json(&mut self) -> Result<Option<String>> {
        match &mut self.data {
            Data::Json(tokens) => Ok(Some(tokens.tape().take_json())),
            Data::Protobuf(value, _) => value.json(),
            Data::Object(..) | Data::Stated(_) => Ok(None),
        }
    }
}

impl Opened<'_, '_> {
    #[cold]
    fn mismatch(self, expected: &dyn Expected) -> Error {
        let found = match self {
            Self::Null => Unexpected::Unit,
            Self::Bool(value) => Unexpected::Bool(value),
            Self::Unsigned(value) => Unexpected::Unsigned(value),
            Self::Signed(value) => Unexpected::Signed(value),
            Self::Float(value) => Unexpected::Float(value),
            Self::Text(_) => Unexpected::Str(""),
            Self::Members(_) => Unexpected::Map,
            Self::Elements(_) => Unexpected::Seq,
            Self::Json(..) => Unexpected::Other("a value"),
        };
        serde::de::Error::invalid_type(found, expected)
    }
}

/// Reads JSON that was not read yet, and charges its tokens.
fn read_raw<'w, 'de>(
    json: &'de [u8],
    place: Place,
    rule: Option<Rule<'_>>,
    budget: &Budget,
) -> Result<Tokens<'w, 'de>> {
    let tape = Tape::read(json, Spot::Other, rule, budget.left());
    let tape = tape.map_err(|error| Error::nowhere(error.problem).or(place))?;
    let tape = tape.ok_or_else(|| budget.refuse())?;
    budget.charge(tape.bytes())?;
    Ok(Tokens::inside(tape, place))
}

/// Decodes a tree of JSON that is kept as it is, without tokens between.
///
/// The budget is charged for the most that the tree can take. If that exceeds the budget, each part
/// is charged instead.
fn tree<'de, V: Visitor<'de>>(
    json: &'de [u8],
    place: Place,
    budget: &Budget,
    visitor: V,
) -> Result<V::Value> {
    let most = largest_tree(json);
    if most > budget.left() {
        let data = Data::Json(read_raw(json, place, None, budget)?);
        return Node { data, budget, room: size_of::<V::Value>() }.deserialize_any(visitor);
    }
    budget.charge(most)?;
    let text = std::str::from_utf8(json).map_err(|_| not_utf8().or(place))?;
    let mut json = serde_json::Deserializer::from_str(text);
    let value = json.deserialize_any(visitor).and_then(|value| json.end().map(|()| value));
    value.map_err(|error| Error::nowhere(super::describe(&error)).or(place))
}

#[cold]
fn not_utf8() -> Error {
    Error::nowhere("the JSON is not UTF-8")
}

/// Deserialises a number.
macro_rules! numbers {
    ($($method:ident)*) => {
        $(#[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.deserialize_number(visitor)
        })*
    };
}

impl<'de> Node<'_, 'de> {
    fn deserialize_number<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(size_of::<V::Value>())?;
        match self.number(&visitor)? {
            Opened::Unsigned(value) => visitor.visit_u64(value),
            Opened::Signed(value) => visitor.visit_i64(value),
            Opened::Float(value) => visitor.visit_f64(value),
            other => Err(other.mismatch(&visitor)),
        }
    }

    fn deserialize_elements<V: Visitor<'de>>(
        mut self,
        tuple: bool,
        visitor: V,
    ) -> Result<V::Value> {
        self.pay(size_of::<V::Value>())?;
        self.elements(tuple, &visitor)?.visit(visitor)
    }
}

impl<'de> Deserializer<'de> for Node<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(size_of::<V::Value>())?;
        let budget = self.budget;
        match self.open(false)? {
            Opened::Null => visitor.visit_unit(),
            Opened::Bool(value) => visitor.visit_bool(value),
            Opened::Unsigned(value) => visitor.visit_u64(value),
            Opened::Signed(value) => visitor.visit_i64(value),
            Opened::Float(value) => visitor.visit_f64(value),
            Opened::Text(text) => {
                budget.charge_text(text.len())?;
                text.visit(visitor)
            }
            Opened::Members(mut members) => visitor.visit_map(&mut members),
            Opened::Elements(elements) => elements.visit(visitor),
            // Few types ask for anything, and those keep the tree as it is.
            Opened::Json(json, place) => tree(json, place, budget, visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(size_of::<V::Value>())?;
        let value = self.bool(&visitor)?;
        visitor.visit_bool(value)
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    fn deserialize_string<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(size_of::<V::Value>())?;
        self.text(&visitor)?.visit(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_string(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_string(visitor)
    }

    // A text is bytes for a type that asks for bytes, and so is a list of numbers.
    fn deserialize_bytes<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(size_of::<V::Value>())?;
        let budget = self.budget;
        match self.open_whole(false)? {
            Opened::Text(text) => {
                budget.charge_text(text.len())?;
                text.visit_bytes(visitor)
            }
            Opened::Elements(mut elements) => visitor.visit_seq(&mut elements),
            other => Err(other.mismatch(&visitor)),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(size_of::<V::Value>())?;
        if self.is_null()? { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(size_of::<V::Value>())?;
        match self.open_whole(false)? {
            Opened::Null => visitor.visit_unit(),
            other => Err(other.mismatch(&visitor)),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.pay(size_of::<V::Value>())?;
        if name == RAW
            && let Some(json) = self.json()?
        {
            self.budget.charge_text(json.len())?;
            return visitor.visit_map(MapDeserializer::new(std::iter::once((RAW, json))));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_elements(false, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_elements(true, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_elements(true, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(size_of::<V::Value>())?;
        let mut members = self.members(false, &visitor)?;
        visitor.visit_map(&mut members)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        mut self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.pay(size_of::<V::Value>())?;
        let mut members = self.members(true, &visitor)?;
        visitor.visit_map(&mut members)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.pay(size_of::<V::Value>())?;
        match self.open_whole(true)? {
            Opened::Text(text) => {
                CowStrDeserializer::new(text.into_cow()).deserialize_enum(name, variants, visitor)
            }
            Opened::Members(mut members) => {
                let choice = MapAccessDeserializer::new(&mut members);
                let value = choice.deserialize_enum(name, variants, visitor)?;
                members.finish()?;
                Ok(value)
            }
            other => Err(other.mismatch(&"a text or an object")),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_string(visitor)
    }

    // The container passes over the value.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }
}
