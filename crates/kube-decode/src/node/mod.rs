//! The deserializer of an object, in JSON or protobuf.
//!
//! A type's `Deserialize` code is instantiated once, for [`Node`]. Encoding, skipped members and
//! memory limit are values, not types, because a type such as `Pod` has hundreds of parts and each
//! instantiation costs a program seconds of compile time and a megabyte. For the same reason, most
//! of the work is in functions that are not generic. Generic functions match results, where a
//! question mark would be two more calls.
//!
//! A `Node` is two words, because it is moved often. All else is in the [`Context`] that all values
//! of an object share. Generic functions try the frequent form of JSON first, which takes no call.

mod context;
mod elements;
mod key;
mod members;

use std::any::type_name;
use std::borrow::Cow;

use k8s_openapi::ByteString;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, Time};
use k8s_openapi::jiff::Timestamp;
use serde::Deserialize;
use serde::de::value::{
    BorrowedStrDeserializer, CowStrDeserializer, MapAccessDeserializer, MapDeserializer,
};
use serde::de::{Deserializer, Visitor};

use self::context::{Context, Opened};
use self::elements::Elements;
use self::members::Members;
use super::budget::Budget;
use super::decode_error::{DecodeError, INCOMPLETE, NO_FIT, NOT_JSON, describe_place};
use super::error::{Error, Result};
use super::json::{Number, Sought, levels};
use super::path::Path;
use super::private_keys::RAW;
use super::protobuf::ProtobufObject;
use super::rule::Rule;
use super::stack::{NO_STACK, is_buffer};

/// Decodes an object from JSON, without the members that the rule skips.
pub(super) fn from_json<'de, T: Deserialize<'de>>(
    text: &'de [u8],
    rule: Option<Rule<'_>>,
    memory: usize,
) -> std::result::Result<T, DecodeError> {
    json_with(text, rule, memory, decode)
}

/// Decodes an object from JSON like [`from_json`], by a function.
pub(super) fn json_with<'de, T>(
    text: &'de [u8],
    rule: Option<Rule<'_>>,
    memory: usize,
    decode: impl FnOnce(Node<'_, '_, 'de>) -> Result<T>,
) -> std::result::Result<T, DecodeError> {
    let rule = rule.or(Some(Rule::Whole));
    let context = Context::json(text, rule, Budget::new(memory));
    let value = decode(Node { context: &context, room: 0 });
    match value.and_then(|value| context.json.end().map(|()| value)) {
        Ok(value) => Ok(value),
        Err(error) => Err(describe_json(&context, &error, memory)),
    }
}

#[cold]
fn describe_json(context: &Context<'_, '_>, error: &Error, memory: usize) -> DecodeError {
    if context.budget.is_exceeded() {
        return DecodeError::too_large(memory);
    }
    let (line, column) = context.json.place();
    let (text, end) = (error.to_string(), context.json.position());
    let problem = describe_place(&text, line, column);
    if [INCOMPLETE, NOT_JSON].contains(&&*text) {
        return DecodeError::new(problem);
    }
    let find = |sought| {
        let mut path = Path::new(error.names());
        context.json.rewind();
        context.json.find_path(sought, &mut path).then_some(path)
    };
    let mut problem = match find(Sought::At(end)) {
        Some(path) => path.describe(&problem),
        None => problem,
    };
    // The type may have built its value from a buffer, where the time could not be clamped.
    if text == NO_FIT
        && let Some(path) = find(Sought::ClampedTime)
    {
        problem.push_str("; ");
        problem.push_str(&path.describe("a time that no `Timestamp` holds"));
    }
    DecodeError::new(problem)
}

/// Decodes a value from JSON, and returns what is left of a budget of this many bytes.
#[cfg(test)]
pub(super) fn from_json_within<T: serde::de::DeserializeOwned>(
    text: &[u8],
    memory: usize,
) -> (Result<T>, Budget) {
    let context = Context::json(text, None, Budget::new(memory));
    let value = decode(Node { context: &context, room: 0 });
    (value, context.budget)
}

/// Decodes an object from protobuf, without the members that the rule skips.
pub(super) fn from_protobuf<'de, T: Deserialize<'de>>(
    object: ProtobufObject<'de>,
    rule: Option<Rule<'_>>,
    memory: usize,
) -> std::result::Result<T, DecodeError> {
    protobuf_with(object, rule, memory, decode)
}

/// Decodes an object from protobuf like [`from_protobuf`], by a function.
pub(super) fn protobuf_with<'de, T>(
    object: ProtobufObject<'de>,
    rule: Option<Rule<'_>>,
    memory: usize,
    decode: impl FnOnce(Node<'_, '_, 'de>) -> Result<T>,
) -> std::result::Result<T, DecodeError> {
    let rule = rule.or(Some(Rule::Whole));
    let context = Context::protobuf(object, rule, Budget::new(memory));
    let value = decode(Node { context: &context, room: 0 });
    let value = value.and_then(|value| context.leave().map(|()| value));
    value.map_err(|error| {
        let error = error.or(object.offset());
        let offset = error.offset().unwrap_or_default();
        if context.budget.is_exceeded() {
            return DecodeError::too_large(memory).or_at(offset);
        }
        let mut path = Path::new(error.names());
        object.find_path(offset, &mut path);
        DecodeError::at(&path.describe(&error.to_string()), offset)
    })
}

/// The one instantiation of a type's code.
#[inline(never)]
fn decode<'de, T: Deserialize<'de>>(node: Node<'_, '_, 'de>) -> Result<T> {
    T::deserialize(node)
}

/// A value that is not decoded yet: the one before which its context stands.
pub(crate) struct Node<'w, 'r, 'de> {
    context: &'w Context<'r, 'de>,
    /// The number of bytes that are already paid for the value, as part of its container.
    room: usize,
}

/// The way in which a type takes any value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Its own code reads the value.
    Not,
    /// It keeps the value as it is.
    Tree,
    /// Serde's derived code buffers the value, and builds another from the buffer.
    Buffered,
}

impl Kept {
    /// Returns how a visitor with this result takes a value.
    fn of<T>() -> Self {
        match std::any::type_name::<T>() {
            "serde_json::value::Value" => Self::Tree,
            _ if is_buffer::<T>() => Self::Buffered,
            _ => Self::Not,
        }
    }
}

/// The problems of texts that a type does not read.
const NO_TIME: &str = "found string, expected a time as RFC 3339 writes it";
const NO_CIVIL_TIME: &str = "found string, expected a date or a time without `Z`";
const NO_BASE64: &str = "found string, expected base64";

/// Returns whether both are the same type, of which the first may borrow.
#[inline]
fn is<T, U>() -> bool {
    (const { size_of::<T>() == size_of::<U>() }) && type_name::<T>() == type_name::<U>()
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

/// Deserialises a number that can be larger than a word, or that a `f64` would round twice.
macro_rules! large_numbers {
    ($($method:ident $number:ident $visit:ident $fits:expr;)*) => {
        $(fn $method<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
            self.pay(const { size_of::<V::Value>() })?;
            if !self.context.is_json() {
                return self.deserialize_number(visitor);
            }
            let refused = concat!("found another number, expected ", stringify!($number));
            let value = self.context.json.delegate::<$number>();
            match value.map_err(|error| error.of_number(refused))? {
                value if $fits(value) => visitor.$visit(value),
                _ => Err(self.context.place(Error::nowhere(refused))),
            }
        })*
    };
}

impl<'de> Node<'_, '_, 'de> {
    /// Pays for a value of this many bytes if it lies outside its container, because it is boxed.
    #[inline]
    fn pay(&mut self, bytes: usize) -> Result<()> {
        self.context.pay(&mut self.room, bytes)
    }

    /// Returns whether the value is null, and takes it if so. Pays for the option of this many
    /// bytes.
    #[inline]
    fn take_null(&mut self, bytes: usize) -> Result<bool> {
        self.pay(bytes)?;
        self.context.take_null()
    }

    #[inline]
    fn deserialize_number<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(const { size_of::<V::Value>() })?;
        if let Some(value) = self.context.json.plain_integer() {
            return visitor.visit_u64(value);
        }
        match self.context.number(&visitor)? {
            Number::Unsigned(value) => visitor.visit_u64(value),
            Number::Signed(value) => visitor.visit_i64(value),
            Number::Float(value) => visitor.visit_f64(value),
        }
    }

    #[inline]
    fn deserialize_elements<V: Visitor<'de>>(self, tuple: bool, visitor: V) -> Result<V::Value> {
        match Elements::open(self, const { size_of::<V::Value>() }, tuple, &visitor) {
            Ok(parts) => parts.visit(visitor),
            Err(error) => Err(error),
        }
    }

    #[inline]
    fn deserialize_members<V: Visitor<'de>>(self, within: bool, visitor: V) -> Result<V::Value> {
        match Members::open(self, const { size_of::<V::Value>() }, within, &visitor) {
            Ok(parts) => parts.visit(visitor),
            Err(error) => Err(error),
        }
    }
}

impl<'de> Deserializer<'de> for Node<'_, '_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(const { size_of::<V::Value>() })?;
        let context = self.context;
        if let Some(text) = context.plain_text() {
            return visitor.visit_borrowed_str(text);
        }
        let opened = context.open_any()?;
        let kept = if opened.has_parts() { Kept::of::<V::Value>() } else { Kept::Not };
        if kept != Kept::Not
            && opened.has_json_parts()
            && let Some((mut json, check_depth)) = context.tree()
        {
            return match json.deserialize_any(visitor) {
                Ok(value) => {
                    let tree = context.json.take_tree(json, check_depth, &context.budget)?;
                    if kept == Kept::Buffered && !context.stack.holds(levels(tree)) {
                        return Err(context.place(Error::nowhere(NO_STACK)));
                    }
                    Ok(value)
                }
                Err(error) => Err(context.place(context.json.refuse_tree(&error))),
            };
        }
        match opened {
            Opened::Null => visitor.visit_unit(),
            Opened::Bool(value) => visitor.visit_bool(value),
            Opened::Number(Number::Unsigned(value)) => visitor.visit_u64(value),
            Opened::Number(Number::Signed(value)) => visitor.visit_i64(value),
            Opened::Number(Number::Float(value)) => visitor.visit_f64(value),
            Opened::Text(text) => text.visit(visitor),
            Opened::Members(source) => {
                let around = context.enter_buffer(kept)?;
                let value = Members::begin_any(context, source)?.visit(visitor);
                context.leave_buffer(around);
                value
            }
            Opened::Elements(source) => {
                let around = context.enter_buffer(kept)?;
                let value = Elements::begin(context, source)?.visit(visitor);
                context.leave_buffer(around);
                value
            }
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(const { size_of::<V::Value>() })?;
        let value = self.context.bool(&visitor)?;
        visitor.visit_bool(value)
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_f64
    }

    large_numbers! {
        deserialize_f32 f32 visit_f32 f32::is_finite;
        deserialize_i128 i128 visit_i128 |_| true;
        deserialize_u128 u128 visit_u128 |_| true;
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(const { size_of::<V::Value>() })?;
        match self.context.plain_text() {
            Some(text) => visitor.visit_borrowed_str(text),
            None => self.context.text(&visitor)?.visit(visitor),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let context = self.context;
        if is::<V::Value, Timestamp>() {
            self.pay(const { size_of::<V::Value>() })?;
            let time = context.time(&visitor)?.visit(visitor);
            return time.map_err(|_| context.place(Error::nowhere(NO_TIME)));
        }
        if is::<V::Value, ByteString>() {
            self.pay(const { size_of::<V::Value>() })?;
            let bytes = context.base64(&visitor)?.visit(visitor);
            return bytes.map_err(|_| context.place(Error::nowhere(NO_BASE64)));
        }
        self.deserialize_string(visitor).map_err(|error| {
            if error.is_no_fit() && type_name::<V::Value>().starts_with("jiff::civil::") {
                return context.place(Error::nowhere(NO_CIVIL_TIME));
            }
            error
        })
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_string(visitor)
    }

    // A text is bytes for a type that asks for bytes, and so is a list of numbers.
    fn deserialize_bytes<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(const { size_of::<V::Value>() })?;
        match self.context.open_any()? {
            Opened::Text(text) => text.visit_bytes(visitor),
            Opened::Elements(source) => Elements::begin(self.context, source)?.visit(visitor),
            other => Err(self.context.mismatch(&other, &visitor)),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        match self.take_null(const { size_of::<V::Value>() }) {
            Ok(true) => visitor.visit_none(),
            Ok(false) => visitor.visit_some(self),
            Err(error) => Err(error),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.pay(const { size_of::<V::Value>() })?;
        self.context.null(&visitor)?;
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.pay(const { size_of::<V::Value>() })?;
        if name == RAW {
            return self.deserialize_raw(visitor);
        }
        if is::<V::Value, Time>() || is::<V::Value, MicroTime>() {
            self.context.fill_time()?;
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

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_members(false, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.deserialize_members(true, visitor) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.within(names)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.pay(const { size_of::<V::Value>() })?;
        match self.context.open_any()? {
            Opened::Text(text) => {
                CowStrDeserializer::new(text.into_cow()).deserialize_enum(name, variants, visitor)
            }
            Opened::Members(source) => {
                let mut members = Members::begin(self.context, source, true)?;
                let choice = MapAccessDeserializer::new(&mut members);
                let value = choice.deserialize_enum(name, variants, visitor)?;
                members.finish()?;
                Ok(value)
            }
            other => Err(self.context.mismatch(&other, &"a text or an object")),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_string(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.context.skip()?;
        visitor.visit_unit()
    }
}

impl<'de> Node<'_, '_, 'de> {
    /// Shows a value as its JSON text. A value of protobuf has none, nor has one that lacks some of
    /// its members, so one is written.
    #[cold]
    fn deserialize_raw<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let json = if self.context.skips_members() { None } else { self.context.raw()? };
        match json {
            Some(Cow::Borrowed(json)) => {
                let json = BorrowedStrDeserializer::new(json);
                visitor.visit_map(MapDeserializer::new(std::iter::once((RAW, json))))
            }
            Some(Cow::Owned(json)) => {
                visitor.visit_map(MapDeserializer::new(std::iter::once((RAW, json))))
            }
            None => {
                let budget = &self.context.budget;
                let json = serde_json::Value::deserialize(self)?.to_string();
                budget.charge_text(json.len())?;
                visitor.visit_map(MapDeserializer::new(std::iter::once((RAW, json))))
            }
        }
    }
}
