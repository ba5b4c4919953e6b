//! A JSON text as a row of tokens, read from front to back.
//!
//! The text is checked once and then never looked at again. A list's or map's token has its length,
//! so that a vector is allocated once, and its end, so that a value is skipped in one step. Members
//! that a [`Rule`] skips leave no token. Texts without escapes are borrowed.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::error::Place;
use super::rule::{Rule, Verdict};
use super::text::Text;
use super::{DecodeError, describe};

/// The tokens of one JSON text, and the position of the reader.
#[derive(Debug)]
pub(super) struct Tape<'de> {
    tokens: Vec<Token<'de>>,
    /// The reader's position: the number of tokens before it.
    pub(super) at: usize,
}

/// A value, the beginning of one, or the name of a member.
#[derive(Debug)]
pub(super) enum Token<'de> {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    /// JSON that is not read yet: a [`Spot::Tree`].
    Raw(&'de str),
    /// A text without escapes.
    Text(&'de str),
    /// A text that had escapes.
    Unescaped(Box<str>),
    /// A map: its number of members, and the position after them.
    Map(u32, u32),
    /// A list: its number of elements, and the position after them.
    List(u32, u32),
}

/// The approximate number of bytes of text for each token.
const DENSITY: usize = 16;

/// The most tokens that have room before the text is read.
const FIRST: usize = 16 * 1024;

/// The name by which a `serde_json` with arbitrary precision passes the text of a number.
const NUMBER: &str = "$serde_json::private::Number";

impl<'de> Tape<'de> {
    /// Reads a JSON text into tokens that take at most `memory` bytes.
    ///
    /// Returns `Ok(None)` if they would take more.
    pub(super) fn read(
        text: &'de [u8],
        spot: Spot,
        rule: Option<Rule<'_>>,
        memory: usize,
    ) -> Result<Option<Self>, DecodeError> {
        let room = memory / size_of::<Token<'_>>();
        let mut builder = Builder::new(room.min(u32::MAX as usize));
        builder.tokens.reserve_exact((text.len() / DENSITY).min(FIRST).min(builder.room));
        match builder.read(text, spot, rule) {
            Ok(()) => Ok(Some(Self { tokens: builder.tokens, at: 0 })),
            Err(_) if builder.full => Ok(None),
            Err(error) => Err(DecodeError::new(describe(&error))),
        }
    }

    /// Returns line and column after the beginning of a token in the same text.
    #[cold]
    pub(super) fn place(
        text: &'de [u8],
        rule: Option<Rule<'_>>,
        token: usize,
    ) -> Option<(usize, usize)> {
        let mut builder = Builder::new(usize::MAX);
        builder.stop = token;
        let stopped = builder.read(text, Spot::Object, rule).err()?;
        Some((stopped.line(), stopped.column()))
    }

    /// Returns the number of bytes that the tokens take.
    pub(super) fn bytes(&self) -> usize {
        let unescaped = self.tokens.iter().map(|token| match token {
            Token::Unescaped(text) => text.len(),
            _ => 0,
        });
        self.tokens.capacity() * size_of::<Token<'_>>() + unescaped.sum::<usize>()
    }

    /// Takes the token at the reader's position.
    ///
    /// The reader stands on a value until it takes it. After the last value there is only null.
    pub(super) fn take(&mut self) -> Token<'de> {
        let token = self.tokens.get_mut(self.at);
        self.at += 1;
        token.map_or(Token::Null, |token| std::mem::replace(token, Token::Null))
    }

    /// Takes the token at the reader's position if it is a text.
    #[inline]
    pub(super) fn take_text(&mut self) -> Option<Text<'de>> {
        let text = match self.tokens.get_mut(self.at)? {
            Token::Text(text) => Text::Borrowed(text),
            Token::Unescaped(text) => Text::Owned(std::mem::take(text).into()),
            _ => return None,
        };
        self.at += 1;
        Some(text)
    }

    /// Returns the token at the reader's position.
    #[inline]
    pub(super) fn peek(&self) -> &Token<'de> {
        self.tokens.get(self.at).unwrap_or(&Token::Null)
    }

    /// Returns the position after the value at the reader's position.
    #[inline]
    pub(super) fn end(&self) -> usize {
        match self.peek() {
            Token::Map(_, end) | Token::List(_, end) => *end as usize,
            _ => self.at + 1,
        }
    }

    /// Takes the value at the reader's position as JSON text.
    pub(super) fn take_json(&mut self) -> String {
        let mut text = String::new();
        self.write_json(&mut text);
        text
    }

    fn write_json(&mut self, text: &mut String) {
        let quoted = |value: &str| serde_json::Value::from(value).to_string();
        match self.take() {
            Token::Null => text.push_str("null"),
            Token::Bool(value) => text.push_str(if value { "true" } else { "false" }),
            Token::Unsigned(value) => text.push_str(&value.to_string()),
            Token::Signed(value) => text.push_str(&value.to_string()),
            Token::Float(value) => text.push_str(&serde_json::Value::from(value).to_string()),
            Token::Raw(json) => text.push_str(json),
            Token::Text(value) => text.push_str(&quoted(value)),
            Token::Unescaped(value) => text.push_str(&quoted(&value)),
            Token::Map(members, _) => {
                for n in 0..members {
                    text.push(if n == 0 { '{' } else { ',' });
                    self.write_json(text);
                    text.push(':');
                    self.write_json(text);
                }
                text.push_str(if members == 0 { "{}" } else { "}" });
            }
            Token::List(elements, _) => {
                for n in 0..elements {
                    text.push(if n == 0 { '[' } else { ',' });
                    self.write_json(text);
                }
                text.push_str(if elements == 0 { "[]" } else { "]" });
            }
        }
    }
}

/// A tape whose reader stands on the value.
pub(super) struct Tokens<'w, 'de> {
    tape: Handle<'w, 'de>,
    /// The place of JSON inside something else.
    outer: Option<Place>,
}

enum Handle<'w, 'de> {
    Shared(&'w mut Tape<'de>),
    Own(Box<Tape<'de>>),
}

impl<'w, 'de> Tokens<'w, 'de> {
    /// Creates the tokens of a whole object.
    pub(super) fn of(tape: &'w mut Tape<'de>) -> Self {
        Self { tape: Handle::Shared(tape), outer: None }
    }

    /// Creates the tokens of JSON at this place of an object.
    pub(super) fn inside(tape: Tape<'de>, place: Place) -> Self {
        Self { tape: Handle::Own(Box::new(tape)), outer: Some(place) }
    }

    #[inline]
    pub(super) fn tape(&mut self) -> &mut Tape<'de> {
        match &mut self.tape {
            Handle::Shared(tape) => tape,
            Handle::Own(tape) => tape,
        }
    }

    /// Returns the place of the value on which the reader stands.
    #[inline]
    pub(super) fn place(&self) -> Place {
        let tape = match &self.tape {
            Handle::Shared(tape) => &**tape,
            Handle::Own(tape) => tape,
        };
        self.outer.unwrap_or(Place::Token(tape.at))
    }

    /// Returns the same tape for a value inside this one.
    #[inline]
    pub(super) fn inner(&mut self) -> Tokens<'_, 'de> {
        let outer = self.outer;
        Tokens { tape: Handle::Shared(self.tape()), outer }
    }
}

/// The values of a list, or the names and values of a map, that were not read yet.
pub(super) struct Run<'w, 'de> {
    tokens: Tokens<'w, 'de>,
    left: u32,
    /// The position of the next name or value.
    next: usize,
}

impl<'w, 'de> Run<'w, 'de> {
    /// Creates the run of a list or map of this length, after whose token the reader stands.
    #[inline]
    pub(super) fn new(mut tokens: Tokens<'w, 'de>, length: u32) -> Self {
        let next = tokens.tape().at;
        Self { tokens, left: length, next }
    }

    /// Returns the number of values left.
    #[inline]
    pub(super) fn left(&self) -> usize {
        self.left as usize
    }

    /// Goes to the next value of a list.
    #[inline]
    pub(super) fn next(&mut self) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        let tape = self.tokens.tape();
        tape.at = self.next;
        self.next = tape.end();
        true
    }

    /// Goes to the next value of a map, and returns its name.
    #[inline]
    pub(super) fn next_name(&mut self) -> Option<Text<'de>> {
        self.left = self.left.checked_sub(1)?;
        let tape = self.tokens.tape();
        tape.at = self.next;
        let name = tape.take_text()?;
        self.next = tape.end();
        Some(name)
    }

    /// Returns the tokens of the value that was gone to.
    #[inline]
    pub(super) fn value(&mut self) -> Tokens<'_, 'de> {
        self.tokens.inner()
    }

    /// Returns the place of the value that was gone to.
    #[inline]
    pub(super) fn place(&self) -> Place {
        self.tokens.place()
    }
}

/// The tokens that were read so far.
struct Builder<'de> {
    tokens: Vec<Token<'de>>,
    /// The largest number of tokens. An unescaped text counts for its bytes, too.
    room: usize,
    /// True if there were more.
    full: bool,
    /// The token that is refused.
    stop: usize,
}

impl<'de> Builder<'de> {
    fn new(room: usize) -> Self {
        Self { tokens: Vec::new(), room, full: false, stop: usize::MAX }
    }

    fn read(
        &mut self,
        text: &'de [u8],
        spot: Spot,
        rule: Option<Rule<'_>>,
    ) -> serde_json::Result<()> {
        let next = Next { builder: self, rule, spot };
        // Checking all of it for UTF-8 once is cheaper than each text. Texts that are skipped may
        // be anything.
        if let Ok(text) = std::str::from_utf8(text) {
            let mut json = serde_json::Deserializer::from_str(text);
            return next.deserialize(&mut json).and_then(|()| json.end());
        }
        let mut json = serde_json::Deserializer::from_slice(text);
        next.deserialize(&mut json).and_then(|()| json.end())
    }

    #[inline]
    fn push<E: serde::de::Error>(&mut self, token: Token<'de>) -> Result<(), E> {
        if self.tokens.len() >= self.room || self.tokens.len() == self.stop {
            self.full = true;
            return Err(E::custom("too many tokens"));
        }
        if self.tokens.len() == self.tokens.capacity() {
            // Doubled, but never beyond the room.
            let more = self.tokens.len().max(64).min(self.room - self.tokens.len());
            self.tokens.reserve_exact(more);
        }
        self.tokens.push(token);
        Ok(())
    }

    fn unescaped<E: serde::de::Error>(&mut self, text: Box<str>) -> Result<(), E> {
        let room = self.room.saturating_sub(text.len() / size_of::<Token<'_>>());
        self.push(Token::Unescaped(text))?;
        self.room = room;
        Ok(())
    }

    /// Returns the number of tokens, which are at most `u32::MAX`.
    fn end(&self) -> u32 {
        u32::try_from(self.tokens.len()).unwrap_or(u32::MAX)
    }
}

/// The reader of the next value.
struct Next<'b, 'f, 'de> {
    builder: &'b mut Builder<'de>,
    rule: Option<Rule<'f>>,
    spot: Spot,
}

/// The part of an object that a value is.
///
/// A `fieldsV1` of managed fields is a tree of empty maps, many times the size of the rest, and
/// most types keep it as it is. It is one token, which is read when the type asks for it. Nothing
/// else is, because each such token begins a new count of the depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    Object,
    Metadata,
    ManagedFields,
    ManagedFieldsEntry,
    Tree,
    Other,
}

impl Spot {
    fn member(self, name: &str) -> Self {
        match (self, name) {
            (Self::Object, "metadata") => Self::Metadata,
            (Self::Metadata, "managedFields") => Self::ManagedFields,
            (Self::ManagedFieldsEntry, "fieldsV1") => Self::Tree,
            _ => Self::Other,
        }
    }

    fn element(self) -> Self {
        if self == Self::ManagedFields { Self::ManagedFieldsEntry } else { Self::Other }
    }
}

impl<'de> DeserializeSeed<'de> for Next<'_, '_, 'de> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Next<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.builder.push(Token::Null)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.builder.push(Token::Bool(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.builder.push(Token::Unsigned(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.builder.push(Token::Signed(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        self.builder.push(Token::Float(value))
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'de str) -> Result<(), E> {
        self.builder.push(Token::Text(text))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.builder.unescaped(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let Self { builder, rule, spot } = self;
        let (rule, spot) = (rule.and_then(Rule::for_elements), spot.element());
        let at = builder.tokens.len();
        builder.push(Token::List(0, 0))?;
        let mut count = 0;
        while elements.next_element_seed(Next { builder: &mut *builder, rule, spot })?.is_some() {
            count += 1;
        }
        builder.tokens[at] = Token::List(count, builder.end());
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Self { builder, rule, spot } = self;
        let at = builder.tokens.len();
        builder.push(Token::Map(0, 0))?;
        let mut count = 0;
        while let Some(Name(name)) = members.next_key()? {
            if name == NUMBER && count == 0 && *ARBITRARY_PRECISION {
                builder.tokens[at] = number(&members.next_value::<String>()?)?;
                return Ok(());
            }
            let rule = match rule.map(|rule| rule.judge(&name)) {
                Some(Verdict::Skip) => {
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
                Some(Verdict::Look(rule)) => Some(rule),
                Some(Verdict::Pass) | None => None,
            };
            let spot = spot.member(&name);
            match name {
                Cow::Borrowed(name) => builder.push(Token::Text(name))?,
                Cow::Owned(name) => builder.unescaped(name.into())?,
            }
            count += 1;
            if spot == Spot::Tree && rule.is_none() {
                let json = members.next_value::<&RawValue>()?.get();
                builder.push(if json == "null" { Token::Null } else { Token::Raw(json) })?;
                continue;
            }
            members.next_value_seed(Next { builder: &mut *builder, rule, spot })?;
        }
        builder.tokens[at] = Token::Map(count, builder.end());
        Ok(())
    }
}

/// True if some crate of the program turned on `serde_json`'s arbitrary precision.
static ARBITRARY_PRECISION: LazyLock<bool> = LazyLock::new(|| {
    struct Probe;
    impl<'de> Visitor<'de> for Probe {
        type Value = bool;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number")
        }

        fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
            Ok(false)
        }

        fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<bool, A::Error> {
            Ok(true)
        }
    }
    serde_json::Deserializer::from_str("1").deserialize_any(Probe).unwrap_or(false)
});

/// Returns the token of a number, as `serde_json` reads it without arbitrary precision.
fn number<'de, E: serde::de::Error>(text: &str) -> Result<Token<'de>, E> {
    if let Ok(value) = text.parse() {
        return Ok(Token::Unsigned(value));
    }
    if let Ok(value) = text.parse() {
        return Ok(Token::Signed(value));
    }
    let value = text.parse().ok().filter(|value: &f64| value.is_finite());
    value.map(Token::Float).ok_or_else(|| E::custom("number out of range"))
}

/// A member's name, borrowed from the input if it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
