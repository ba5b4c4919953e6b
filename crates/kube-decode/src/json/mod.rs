//! A pull reader of JSON text.
//!
//! The reader walks over the text itself and builds nothing: its caller asks for a text, a number,
//! or the next member. UTF-8 is checked once for the whole text. Frequent forms have a short path,
//! which returns `None` for anything else and then leaves the reader where it was: a text without
//! escapes, an integer, a member without whitespace before it. Rare forms go to `serde_json`:
//! escapes and other numbers. Errors have the place at which `serde_json` puts them.
//!
//! The lexer of the library `hifijson` is sound, but it looks at the bytes of a text one by one and
//! checks UTF-8 for each text apart, and it does not report the position of an error.

mod lengths;
#[cfg(test)]
mod odd_types;
mod path;
mod scan;
mod skip;
#[cfg(test)]
mod tests;
mod tree;

use std::cell::{Cell, RefCell};

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, Visitor};

use self::lengths::Lengths;
pub(super) use self::path::Sought;
pub(crate) use self::tree::{first_too_deep, levels};
use super::budget::Budget;
use super::decode_error::{INCOMPLETE, NOT_JSON, TOO_DEEP, describe_problem};
use super::error::{Error, Result};
use super::text::Text;

/// The largest depth of nested lists and maps, as in `serde_json`.
pub(super) const MAX_DEPTH: u8 = 127;

/// A JSON text, and the reader's position in it.
#[derive(Debug, Default)]
pub(super) struct Reader<'de> {
    bytes: Cell<&'de [u8]>,
    /// The longest prefix of the bytes that is UTF-8: all of them, unless the text is malformed.
    text: Cell<&'de str>,
    at: Cell<usize>,
    depth: Cell<u8>,
    lengths: RefCell<Lengths>,
    /// True if the text may have keys that are [private](crate::private_keys), once it is known.
    private_keys: Cell<Option<bool>>,
}

/// A number, as `serde_json` reads it without arbitrary precision.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

/// A value without parts, or the beginning of one with parts.
#[derive(Debug)]
pub(super) enum Token<'de> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Text<'de>),
    Map,
    List,
}

impl<'de> Reader<'de> {
    /// Creates the reader of this text.
    pub(super) fn new(bytes: &'de [u8]) -> Self {
        let reader = Self::default();
        reader.enter(bytes, 0);
        reader
    }

    /// Goes to the beginning of another text, at this depth of lists and maps.
    pub(super) fn enter(&self, bytes: &'de [u8], depth: u8) {
        let text = std::str::from_utf8(bytes).unwrap_or_else(|error| {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        });
        self.bytes.set(bytes);
        self.text.set(text);
        self.at.set(0);
        self.depth.set(depth);
        self.lengths.borrow_mut().clear();
        self.private_keys.set(None);
    }

    /// Goes back to the beginning of the text.
    #[cold]
    pub(super) fn rewind(&self) {
        self.at.set(0);
        self.depth.set(0);
    }

    /// Returns line and column of the reader's position, as `serde_json` counts them.
    #[cold]
    pub(super) fn place(&self) -> (usize, usize) {
        let before = &self.bytes.get()[..self.at.get()];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        (line, before.len() - start)
    }

    /// Skips whitespace, and returns the next byte without taking it.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        let byte = *self.bytes.get().get(self.at.get())?;
        if byte > b' ' { Some(byte) } else { self.peek_behind() }
    }

    fn peek_behind(&self) -> Option<u8> {
        let rest = self.bytes.get().get(self.at.get()..)?;
        let white = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
        let skipped = rest.iter().position(|byte| !white(byte)).unwrap_or(rest.len());
        self.at.set(self.at.get() + skipped);
        rest.get(skipped).copied()
    }

    /// Takes the byte that was peeked at.
    #[inline]
    fn advance(&self) {
        self.at.set(self.at.get() + 1);
    }

    /// Creates the error of the byte that was peeked at, or of its absence.
    #[cold]
    fn refuse(&self) -> Error {
        let (at, length) = (self.at.get(), self.bytes.get().len());
        self.at.set(length.min(at + 1));
        malformed(at >= length)
    }

    /// Checks that nothing but whitespace is left.
    pub(super) fn end(&self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.refuse()),
        }
    }

    /// Takes the beginning of a map or list.
    #[inline]
    pub(super) fn open(&self) -> Result<()> {
        let depth = self.depth.get();
        if depth == MAX_DEPTH {
            self.refuse();
            return Err(too_deep());
        }
        self.depth.set(depth + 1);
        self.advance();
        Ok(())
    }

    /// Takes the end of a map or list.
    #[inline]
    fn close(&self) {
        self.depth.set(self.depth.get() - 1);
        self.advance();
    }

    /// Goes to the next name of a map. Otherwise takes the map's end and returns false.
    pub(super) fn next_member(&self, first: bool) -> Result<bool> {
        let byte = match self.peek() {
            Some(b'}') => {
                self.close();
                return Ok(false);
            }
            Some(b',') if !first => {
                self.advance();
                self.peek()
            }
            byte if first => byte,
            _ => None,
        };
        if byte == Some(b'"') { Ok(true) } else { Err(self.refuse()) }
    }

    /// Goes to the next element of a list. Otherwise takes the list's end and returns false.
    #[inline]
    pub(super) fn next_element(&self, first: bool) -> Result<bool> {
        match self.peek() {
            Some(b']') => {
                self.close();
                Ok(false)
            }
            Some(b',') if !first => {
                self.advance();
                match self.peek() {
                    Some(b']') | None => Err(self.refuse()),
                    Some(_) => Ok(true),
                }
            }
            Some(_) if first => Ok(true),
            _ => Err(self.refuse()),
        }
    }

    /// Goes to the position at which `serde_json` refuses a list if no element was requested.
    #[cold]
    pub(super) fn refuse_list(&self) -> Result<()> {
        self.open()?;
        match self.peek() {
            Some(b']') => self.advance(),
            Some(b',') => {
                self.advance();
                self.peek();
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes the colon after a name.
    #[inline]
    pub(super) fn colon(&self) -> Result<()> {
        if self.peek() != Some(b':') {
            return Err(self.refuse());
        }
        self.advance();
        Ok(())
    }

    /// Takes the next name of a map, if nothing is special about it.
    #[inline]
    pub(super) fn plain_name(&self, first: bool) -> Option<&'de str> {
        let mut at = self.at.get();
        if !first {
            if self.bytes.get().get(at) != Some(&b',') {
                return None;
            }
            at += 1;
        }
        self.plain_text_at(at)
    }

    /// Takes a text, if nothing is special about it.
    #[inline]
    pub(super) fn plain_text(&self) -> Option<&'de str> {
        self.plain_text_at(self.at.get())
    }

    #[inline]
    fn plain_text_at(&self, at: usize) -> Option<&'de str> {
        let bytes = self.bytes.get();
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        let end = scan::special(bytes, at + 1);
        if bytes.get(end) != Some(&b'"') {
            return None;
        }
        let text = self.text.get().get(at + 1..end)?;
        self.at.set(end + 1);
        Some(text)
    }

    /// Takes the text whose quote was peeked at.
    pub(super) fn text(&self) -> Result<Text<'de>> {
        if let Some(text) = self.plain_text() {
            return Ok(Text::Borrowed(text));
        }
        let text = self.delegate::<String>()?;
        Ok(Text::Owned(text))
    }

    /// Takes an integer that is not negative, if nothing is special about it.
    #[inline]
    pub(super) fn plain_integer(&self) -> Option<u64> {
        let (bytes, start) = (self.bytes.get(), self.at.get());
        let (mut value, mut at) = (0_u64, start);
        while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0'))
            && digit < 10
        {
            value = value.wrapping_mul(10).wrapping_add(digit.into());
            at += 1;
        }
        // More digits could overflow.
        let digits = at - start;
        if digits == 0 || digits > 18 || (digits > 1 && bytes[start] == b'0') {
            return None;
        }
        match bytes.get(at) {
            Some(b',' | b'}' | b']') => {
                self.at.set(at);
                Some(value)
            }
            _ => None,
        }
    }

    /// Reads a number after its first sign or digit was peeked at.
    pub(super) fn number(&self) -> Result<Number> {
        if let Some(value) = self.plain_integer() {
            return Ok(Number::Unsigned(value));
        }
        self.delegate()
    }

    /// Takes the literal whose first byte was peeked at.
    pub(super) fn literal(&self, literal: &[u8]) -> Result<()> {
        let (bytes, start) = (self.bytes.get(), self.at.get());
        for (n, byte) in literal.iter().enumerate() {
            match bytes.get(start + n) {
                Some(found) if found == byte => {}
                found => {
                    self.at.set(start + n);
                    return Err(match found {
                        Some(_) => self.refuse(),
                        None => malformed(true),
                    });
                }
            }
        }
        self.at.set(start + literal.len());
        Ok(())
    }

    /// Takes a value without parts. Of a value with parts, takes nothing.
    pub(super) fn token(&self) -> Result<Token<'de>> {
        match self.peek() {
            Some(b'{') => Ok(Token::Map),
            Some(b'[') => Ok(Token::List),
            Some(b'"') => self.text().map(Token::Text),
            Some(b'-' | b'0'..=b'9') => self.number().map(Token::Number),
            Some(b'n') => self.literal(b"null").map(|()| Token::Null),
            Some(b't') => self.literal(b"true").map(|()| Token::Bool(true)),
            Some(b'f') => self.literal(b"false").map(|()| Token::Bool(false)),
            _ => Err(self.refuse()),
        }
    }

    /// Takes the end of a map, unless there is something before it.
    #[inline]
    pub(super) fn takes_end(&self) -> bool {
        let is_end = self.bytes.get().get(self.at.get()) == Some(&b'}');
        if is_end {
            self.close();
        }
        is_end
    }

    /// Returns the length of the list that was opened last, if its text is well-formed.
    pub(super) fn length(&self, budget: &Budget) -> Option<usize> {
        self.lengths.borrow_mut().of(self.bytes.get(), self.at.get(), budget)
    }

    /// Takes a value of this type with `serde_json`.
    #[cold]
    #[inline(never)]
    pub(super) fn delegate<T: Deserialize<'de>>(&self) -> Result<T> {
        let start = self.at.get();
        let rest = self.bytes.get().get(start..).unwrap_or_default();
        let mut json = serde_json::Deserializer::from_slice(rest);
        match T::deserialize(&mut json) {
            Ok(value) => {
                self.at.set(start + json.into_iter::<IgnoredAny>().byte_offset());
                Ok(value)
            }
            Err(error) => Err(self.refused(start, &error)),
        }
    }

    /// Creates the error of a value that `serde_json` refused.
    #[cold]
    fn refused(&self, start: usize, error: &serde_json::Error) -> Error {
        let rest = self.bytes.get().get(start..).unwrap_or_default();
        self.at.set(start + offset(rest, error.line(), error.column()));
        Error::nowhere(describe_problem(error))
    }
}

/// Returns the position of this line and column in a text.
fn offset(text: &[u8], line: usize, column: usize) -> usize {
    let mut ends = memchr::memchr_iter(b'\n', text);
    let start = line.checked_sub(2).and_then(|n| ends.nth(n)).map_or(0, |end| end + 1);
    (start + column).min(text.len())
}

/// Creates the error of text that is not JSON.
#[cold]
fn malformed(incomplete: bool) -> Error {
    Error::nowhere(if incomplete { INCOMPLETE } else { NOT_JSON })
}

/// Creates the error of a text that is nested too deep.
#[cold]
fn too_deep() -> Error {
    Error::nowhere(TOO_DEEP)
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(json: D) -> std::result::Result<Self, D::Error> {
        struct Any;

        impl Visitor<'_> for Any {
            type Value = Number;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number")
            }

            fn visit_u64<E>(self, value: u64) -> std::result::Result<Number, E> {
                Ok(Number::Unsigned(value))
            }

            fn visit_i64<E>(self, value: i64) -> std::result::Result<Number, E> {
                Ok(Number::Signed(value))
            }

            fn visit_f64<E>(self, value: f64) -> std::result::Result<Number, E> {
                Ok(Number::Float(value))
            }
        }
        // Asked for a float, `serde_json` shows integers as such, even with arbitrary precision.
        json.deserialize_f64(Any)
    }
}
