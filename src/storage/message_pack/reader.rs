//! A reader of `MessagePack` for `Deserialize`.
//!
//! `rmp_serde` has one, too. Its code for every form of a value is compiled again for each type: a
//! few kinds take more of it than all else of this crate. This reader reads a [`Token`] in a
//! function without type parameters, and generic functions match results, where a question mark
//! would be two more calls. A type that asks for a number, a text, a list or a map gets it or an
//! error, as with JSON.

use std::fmt;

use kube_decode::stack::{Stack, is_buffer};
use rmp::Marker;
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// The error of bytes that are not what a type expects. It has no message, which might quote the
/// object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Invalid;

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(super::INVALID)
    }
}

impl std::error::Error for Invalid {}

impl de::Error for Invalid {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// A value, or the beginning of a list or map of so many elements or entries.
#[derive(Clone, Copy)]
enum Token<'o> {
    Nil,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(&'o str),
    Bytes(&'o [u8]),
    List(usize),
    Map(usize),
}

/// Reads a value from the beginning of some bytes. It fails if reading takes too much of the stack.
/// The stack of a type that is built from serde's buffer, such as an untagged enum, is estimated.
pub(super) struct Reader<'o> {
    rest: &'o [u8],
    /// A token that was read, and that the next read returns.
    next: Option<Token<'o>>,
    /// The place on the stack at which reading began.
    stack: Stack,
    is_used_up: bool,
    /// The number of lists and maps around the next value from which serde makes a buffer.
    buffered: usize,
}

impl<'o> Reader<'o> {
    /// Makes a reader, whose use of the stack counts from here.
    pub(super) fn new(bytes: &'o [u8]) -> Self {
        Self { rest: bytes, next: None, stack: Stack::here(), is_used_up: false, buffered: 0 }
    }

    /// Returns whether a read failed for lack of stack. A type may have ignored that error.
    pub(super) fn is_used_up(&self) -> bool {
        self.is_used_up
    }

    /// Returns whether everything was read.
    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty() && self.next.is_none()
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Invalid> {
        let (array, rest) = self.rest.split_first_chunk().ok_or(Invalid)?;
        self.rest = rest;
        Ok(*array)
    }

    /// Reads a number of `N` bytes.
    fn unsigned<const N: usize>(&mut self) -> Result<u64, Invalid> {
        let bytes = self.array::<N>()?;
        Ok(bytes.into_iter().fold(0, |value, byte| value << 8 | u64::from(byte)))
    }

    fn length<const N: usize>(&mut self) -> Result<usize, Invalid> {
        self.unsigned::<N>()?.try_into().map_err(|_| Invalid)
    }

    fn bytes(&mut self, length: usize) -> Result<&'o [u8], Invalid> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(Invalid)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// Reads bytes behind their length of `N` bytes.
    fn prefixed<const N: usize>(&mut self) -> Result<&'o [u8], Invalid> {
        let length = self.length::<N>()?;
        self.bytes(length)
    }

    fn token(&mut self) -> Result<Token<'o>, Invalid> {
        // Checked for a token that was put back, too: a type may put it back at each level.
        self.is_used_up |= self.stack.is_used_up();
        if self.is_used_up {
            return Err(Invalid);
        }
        if let Some(token) = self.next.take() {
            return Ok(token);
        }
        let [first] = self.array()?;
        Ok(match Marker::from_u8(first) {
            Marker::Null => Token::Nil,
            Marker::False => Token::Bool(false),
            Marker::True => Token::Bool(true),
            Marker::FixPos(value) => Token::Unsigned(value.into()),
            Marker::U8 => Token::Unsigned(self.unsigned::<1>()?),
            Marker::U16 => Token::Unsigned(self.unsigned::<2>()?),
            Marker::U32 => Token::Unsigned(self.unsigned::<4>()?),
            Marker::U64 => Token::Unsigned(self.unsigned::<8>()?),
            Marker::FixNeg(value) => Token::Signed(value.into()),
            Marker::I8 => Token::Signed(i8::from_be_bytes(self.array()?).into()),
            Marker::I16 => Token::Signed(i16::from_be_bytes(self.array()?).into()),
            Marker::I32 => Token::Signed(i32::from_be_bytes(self.array()?).into()),
            Marker::I64 => Token::Signed(i64::from_be_bytes(self.array()?)),
            Marker::F32 => Token::Float(f32::from_be_bytes(self.array()?).into()),
            Marker::F64 => Token::Float(f64::from_be_bytes(self.array()?)),
            Marker::FixStr(length) => text(self.bytes(length.into())?)?,
            Marker::Str8 => text(self.prefixed::<1>()?)?,
            Marker::Str16 => text(self.prefixed::<2>()?)?,
            Marker::Str32 => text(self.prefixed::<4>()?)?,
            Marker::Bin8 => Token::Bytes(self.prefixed::<1>()?),
            Marker::Bin16 => Token::Bytes(self.prefixed::<2>()?),
            Marker::Bin32 => Token::Bytes(self.prefixed::<4>()?),
            Marker::FixArray(length) => Token::List(length.into()),
            Marker::Array16 => Token::List(self.length::<2>()?),
            Marker::Array32 => Token::List(self.length::<4>()?),
            Marker::FixMap(length) => Token::Map(length.into()),
            Marker::Map16 => Token::Map(self.length::<2>()?),
            Marker::Map32 => Token::Map(self.length::<4>()?),
            // The serialiser writes no extension but for a type that asks for one by name.
            _ => return Err(Invalid),
        })
    }

    /// Goes into a list or map. Refuses a buffered one from which nothing could be built, because
    /// the stack could overflow. Returns the number of buffered lists and maps around it.
    fn enter(&mut self, is_buffered: bool) -> Result<usize, Invalid> {
        let around = self.buffered;
        self.buffered += usize::from(is_buffered);
        self.is_used_up |= is_buffered && !self.stack.holds(self.buffered);
        if self.is_used_up { Err(Invalid) } else { Ok(around) }
    }

    /// Passes over a value.
    fn skip(&mut self) -> Result<(), Invalid> {
        let mut left = 1_usize;
        while left > 0 {
            left -= 1;
            match self.token()? {
                // Each takes a byte, so it can't be more than there are.
                Token::List(elements) => left = left.saturating_add(elements),
                Token::Map(entries) => left = left.saturating_add(entries).saturating_add(entries),
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads a 128-bit integer. The serialiser writes each of these as sixteen bytes.
    fn wide(&mut self) -> Result<i128, Invalid> {
        match self.token()? {
            Token::Unsigned(value) => Ok(value.into()),
            Token::Signed(value) => Ok(value.into()),
            Token::Bytes(bytes) => bytes.try_into().map(i128::from_be_bytes).map_err(|_| Invalid),
            _ => Err(Invalid),
        }
    }

    fn visit_list<V: Visitor<'o>>(
        &mut self,
        list: Token<'o>,
        visitor: V,
    ) -> Result<V::Value, Invalid> {
        match self.elements(list) {
            Ok(mut parts) => {
                let visited = visitor.visit_seq(&mut parts);
                parts.end(visited)
            }
            Err(error) => Err(error),
        }
    }

    fn visit_map<V: Visitor<'o>>(
        &mut self,
        map: Token<'o>,
        visitor: V,
    ) -> Result<V::Value, Invalid> {
        match self.entries(map) {
            Ok(mut parts) => {
                let visited = visitor.visit_map(&mut parts);
                parts.end(visited)
            }
            Err(error) => Err(error),
        }
    }

    fn elements(&mut self, list: Token<'o>) -> Result<Parts<'_, 'o>, Invalid> {
        match list {
            Token::List(length) => self.parts(length),
            // A type may write its bytes as such, and read them as a list of numbers.
            Token::Bytes(bytes) => Ok(Parts { reader: self, left: bytes.len(), bytes }),
            _ => Err(Invalid),
        }
    }

    fn entries(&mut self, map: Token<'o>) -> Result<Parts<'_, 'o>, Invalid> {
        if let Token::Map(length) = map { self.parts(length) } else { Err(Invalid) }
    }

    fn parts(&mut self, length: usize) -> Result<Parts<'_, 'o>, Invalid> {
        // A part takes a byte or more. A type may allocate for as many as it is told.
        if length > self.rest.len() {
            return Err(Invalid);
        }
        Ok(Parts { reader: self, left: length, bytes: &[] })
    }
}

fn text(bytes: &[u8]) -> Result<Token<'_>, Invalid> {
    std::str::from_utf8(bytes).map(Token::Text).map_err(|_| Invalid)
}

/// Types that expect a number, or a text.
macro_rules! scalars {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'o>>(self, visitor: V) -> Result<V::Value, Invalid> {
            match self.token() {
                Ok(Token::Unsigned(value)) => visitor.visit_u64(value),
                Ok(Token::Signed(value)) => visitor.visit_i64(value),
                Ok(Token::Float(value)) => visitor.visit_f64(value),
                _ => Err(Invalid),
            }
        })*
    };
    ($($method:ident)*; text) => {
        $(fn $method<V: Visitor<'o>>(self, visitor: V) -> Result<V::Value, Invalid> {
            match self.token() {
                Ok(Token::Text(text)) => visitor.visit_borrowed_str(text),
                _ => Err(Invalid),
            }
        })*
    };
}

impl<'o> Deserializer<'o> for &mut Reader<'o> {
    type Error = Invalid;

    fn deserialize_any<V: Visitor<'o>>(self, visitor: V) -> Result<V::Value, Invalid> {
        match self.token() {
            Ok(Token::Nil) => visitor.visit_unit(),
            Ok(Token::Bool(value)) => visitor.visit_bool(value),
            Ok(Token::Unsigned(value)) => visitor.visit_u64(value),
            Ok(Token::Signed(value)) => visitor.visit_i64(value),
            Ok(Token::Float(value)) => visitor.visit_f64(value),
            Ok(Token::Text(text)) => visitor.visit_borrowed_str(text),
            Ok(Token::Bytes(bytes)) => visitor.visit_borrowed_bytes(bytes),
            Ok(parts @ (Token::List(_) | Token::Map(_))) => {
                let Ok(around) = self.enter(is_buffer::<V::Value>()) else { return Err(Invalid) };
                let visited = match parts {
                    Token::Map(_) => self.visit_map(parts, visitor),
                    _ => self.visit_list(parts, visitor),
                };
                self.buffered = around;
                visited
            }
            Err(error) => Err(error),
        }
    }

    fn deserialize_bool<V: Visitor<'o>>(self, visitor: V) -> Result<V::Value, Invalid> {
        match self.token() {
            Ok(Token::Bool(value)) => visitor.visit_bool(value),
            _ => Err(Invalid),
        }
    }

    scalars! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_f32 deserialize_f64
    }

    fn deserialize_i128<V: Visitor<'o>>(self, visitor: V) -> Result<V::Value, Invalid> {
        visitor.visit_i128(self.wide()?)
    }

    fn deserialize_u128<V: Visitor<'o>>(self, visitor: V) -> Result<V::Value, Invalid> {
        visitor.visit_u128(self.wide()?.cast_unsigned())
    }

    scalars! { deserialize_char deserialize_str deserialize_string; text }

    // The name of a field may be the key of a flattened map, which may be a number.
    forward_to_deserialize_any! { <W: Visitor<'o>> bytes byte_buf identifier }

    fn deserialize_option<V: Visitor<'o>>(self, visitor: V) -> Result<V::Value, Invalid> {
        match self.token() {
            Ok(Token::Nil) => visitor.visit_none(),
            Ok(token) => {
                self.next = Some(token);
                visitor.visit_some(self)
            }
            Err(error) => Err(error),
        }
    }

    fn deserialize_unit<V: Visitor<'o>>(self, visitor: V) -> Result<V::Value, Invalid> {
        match self.token() {
            // The serialiser writes an empty list for a unit struct.
            Ok(Token::Nil | Token::List(0)) => visitor.visit_unit(),
            _ => Err(Invalid),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'o>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Invalid> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'o>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Invalid> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'o>>(self, visitor: V) -> Result<V::Value, Invalid> {
        match self.token() {
            Ok(list) => self.visit_list(list, visitor),
            Err(error) => Err(error),
        }
    }

    fn deserialize_tuple<V: Visitor<'o>>(self, _: usize, visitor: V) -> Result<V::Value, Invalid> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'o>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Invalid> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'o>>(self, visitor: V) -> Result<V::Value, Invalid> {
        match self.token() {
            Ok(map) => self.visit_map(map, visitor),
            Err(error) => Err(error),
        }
    }

    fn deserialize_struct<V: Visitor<'o>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Invalid> {
        match self.token() {
            Ok(map @ Token::Map(_)) => self.visit_map(map, visitor),
            Ok(list) => self.visit_list(list, visitor),
            Err(error) => Err(error),
        }
    }

    fn deserialize_enum<V: Visitor<'o>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Invalid> {
        match self.token() {
            Ok(token @ Token::Text(_)) => {
                self.next = Some(token);
                visitor.visit_enum(Variant { reader: self, has_content: false })
            }
            Ok(Token::Map(1)) => visitor.visit_enum(Variant { reader: self, has_content: true }),
            _ => Err(Invalid),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'o>>(self, visitor: V) -> Result<V::Value, Invalid> {
        self.skip()?;
        visitor.visit_unit()
    }
}

/// The elements of a list, or the entries of a map.
struct Parts<'r, 'o> {
    reader: &'r mut Reader<'o>,
    left: usize,
    /// Bytes that are read as the elements.
    bytes: &'o [u8],
}

impl Parts<'_, '_> {
    /// Returns what a visitor returned, if it took all of the parts.
    fn end<T>(&self, visited: Result<T, Invalid>) -> Result<T, Invalid> {
        if self.left == 0 { visited } else { Err(Invalid) }
    }

    /// Takes the next element or entry off the count. Returns whether there is one.
    fn advance(&mut self) -> bool {
        if let Some((byte, rest)) = self.bytes.split_first() {
            (self.reader.next, self.bytes) = (Some(Token::Unsigned((*byte).into())), rest);
        }
        let is_there = self.left > 0;
        self.left -= usize::from(is_there);
        is_there
    }
}

impl<'o> SeqAccess<'o> for Parts<'_, 'o> {
    type Error = Invalid;

    fn next_element_seed<T: DeserializeSeed<'o>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Invalid> {
        if self.advance() { seed.deserialize(&mut *self.reader).map(Some) } else { Ok(None) }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'o> MapAccess<'o> for Parts<'_, 'o> {
    type Error = Invalid;

    fn next_key_seed<T: DeserializeSeed<'o>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Invalid> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'o>>(&mut self, seed: T) -> Result<T::Value, Invalid> {
        seed.deserialize(&mut *self.reader)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// A variant of an enum: its name alone, or a map of its name to its content.
struct Variant<'r, 'o> {
    reader: &'r mut Reader<'o>,
    has_content: bool,
}

impl<'r, 'o> Variant<'r, 'o> {
    fn content(self) -> Result<&'r mut Reader<'o>, Invalid> {
        if self.has_content { Ok(self.reader) } else { Err(Invalid) }
    }
}

impl<'o> EnumAccess<'o> for Variant<'_, 'o> {
    type Error = Invalid;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'o>>(self, seed: T) -> Result<(T::Value, Self), Invalid> {
        Ok((seed.deserialize(&mut *self.reader)?, self))
    }
}

impl<'o> VariantAccess<'o> for Variant<'_, 'o> {
    type Error = Invalid;

    fn unit_variant(self) -> Result<(), Invalid> {
        if self.has_content { <()>::deserialize(self.reader) } else { Ok(()) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'o>>(self, seed: T) -> Result<T::Value, Invalid> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'o>>(self, _: usize, visitor: V) -> Result<V::Value, Invalid> {
        self.content()?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'o>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Invalid> {
        self.content()?.deserialize_struct("", fields, visitor)
    }
}
