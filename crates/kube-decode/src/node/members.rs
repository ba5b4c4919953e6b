//! The members of an object, in either encoding.

use serde::de::{DeserializeSeed, Expected, MapAccess, Visitor};

use super::Node;
use super::context::{Context, Data};
use super::key::Key;
use crate::budget::MapCharge;
use crate::decode_error::NO_FIT;
use crate::error::{Error, Result};
use crate::private_keys::{self, is_private};
use crate::protobuf::value::Value;
use crate::protobuf::{self, MemberValue};
use crate::rule::{Rule, Verdict};
use crate::text::Text;

/// The members of an object, or the entries of a map.
pub(super) struct Members<'w, 'r, 'de> {
    context: &'w Context<'r, 'de>,
    source: MemberSource<'de>,
    rule: Option<Rule<'r>>,
    /// The charges of the entries. `None` for fields, which lie inside their value.
    charge: Option<MapCharge>,
    /// The size of the current key.
    key: usize,
    /// The current name, unless it is plain.
    name: Option<Text<'de>>,
    /// The place of the current value, if that is in protobuf.
    offset: Option<usize>,
    progress: Progress,
    /// True if the type takes any map.
    any: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    First,
    Middle,
    End,
}

pub(super) enum MemberSource<'de> {
    Json,
    Message { message: protobuf::Members<'de>, next: Option<MemberValue<'de>> },
    Entries { entries: protobuf::Entries<'de>, next: Option<Value<'de>> },
}

impl<'w, 'r, 'de> Members<'w, 'r, 'de> {
    /// Takes the beginning of a value that becomes this many bytes. `within` says that the parts of
    /// it lie inside it, as fields do.
    #[inline]
    pub(super) fn open(
        mut node: Node<'w, 'r, 'de>,
        bytes: usize,
        within: bool,
        expected: &dyn Expected,
    ) -> Result<Self> {
        node.pay(bytes)?;
        let context = node.context;
        context.check_stack()?;
        Ok(Self::new(context, context.members(within, expected)?, within))
    }

    /// Takes the beginning of a value that was opened.
    #[inline]
    pub(super) fn begin(
        context: &'w Context<'r, 'de>,
        source: MemberSource<'de>,
        within: bool,
    ) -> Result<Self> {
        context.check_stack()?;
        context.begin_members(&source)?;
        Ok(Self::new(context, source, within))
    }

    /// Takes the beginning of a value that was opened for a type that takes any.
    #[inline]
    pub(super) fn begin_any(
        context: &'w Context<'r, 'de>,
        source: MemberSource<'de>,
    ) -> Result<Self> {
        let members = Self::begin(context, source, false)?;
        // A rule, so that each name is looked at.
        let rule = members.rule.or(Some(Rule::Tree));
        Ok(Self { rule, any: true, ..members })
    }

    /// Creates the members of a value whose beginning was taken.
    #[inline]
    fn new(context: &'w Context<'r, 'de>, source: MemberSource<'de>, within: bool) -> Self {
        let charge = (!within).then(MapCharge::default);
        let (rule, progress) = (context.take_rule(), Progress::First);
        let (name, offset) = (None, None);
        Self { context, source, rule, charge, key: 0, name, offset, progress, any: false }
    }

    /// Returns the next name, if it is in JSON, and nothing is special about it.
    #[inline]
    fn plain_name(&mut self, size: usize) -> Option<&'de str> {
        let ended = self.progress == Progress::End;
        if ended || self.rule.is_some() || !matches!(self.source, MemberSource::Json) {
            return None;
        }
        if self.progress == Progress::Middle && self.context.json.takes_end() {
            self.progress = Progress::End;
            return None;
        }
        let name = self.context.json.plain_name(self.progress == Progress::First)?;
        self.progress = Progress::Middle;
        if self.charge.is_some() {
            self.key = size;
            self.context.budget.charge_text(name.len()).ok()?;
        }
        Some(name)
    }

    /// Goes to the next member that the rule does not skip, if there is one. Its name becomes a key
    /// of this many bytes.
    #[inline]
    fn next_name(&mut self, size: usize) -> Result<bool> {
        if self.progress == Progress::End { Ok(false) } else { self.find_name(size) }
    }

    fn find_name(&mut self, size: usize) -> Result<bool> {
        if self.context.budget.is_exceeded() {
            return Err(self.context.budget.refuse());
        }
        loop {
            let name = match &mut self.source {
                MemberSource::Json => {
                    let first = self.progress == Progress::First;
                    let more = self.context.json.next_member(first)?;
                    if more { Some(self.context.json.text()?) } else { None }
                }
                MemberSource::Message { message, next } => message.next()?.map(|(name, value)| {
                    *next = Some(value);
                    Text::Borrowed(name)
                }),
                MemberSource::Entries { entries, next } => entries.next()?.map(|(name, value)| {
                    *next = Some(value);
                    name
                }),
            };
            let Some(name) = name else {
                self.progress = Progress::End;
                return Ok(false);
            };
            self.progress = Progress::Middle;
            let inner = match self.rule.map(|rule| rule.judge(name.as_str())) {
                Some(Verdict::Skip) => {
                    if matches!(self.source, MemberSource::Json) {
                        self.context.json.colon()?;
                        self.context.json.skip()?;
                    }
                    continue;
                }
                Some(Verdict::Look(rule)) => Some(rule),
                Some(Verdict::Pass) | None => None,
            };
            if self.any && is_private(name.as_str()) {
                return Err(self.place_of_name(private_keys::refuse()));
            }
            self.context.set_rule(inner);
            if self.charge.is_some() {
                self.key = size;
                self.context.budget.charge_text(name.len())?;
            }
            self.name = Some(name);
            return Ok(true);
        }
    }

    /// Goes to the value of the last name, after charging its entry.
    #[inline]
    fn next_value(&mut self, size: usize) -> Result<()> {
        if let Some(charge) = &mut self.charge {
            charge.next(&self.context.budget, self.key + size)?;
        }
        match self.source {
            MemberSource::Json => self.context.json.colon(),
            _ => self.next_protobuf(),
        }
    }

    #[inline(never)]
    fn next_protobuf(&mut self) -> Result<()> {
        let unasked = || Error::nowhere("a value was asked for before its name");
        let (data, offset) = match &mut self.source {
            MemberSource::Json => return Ok(()),
            MemberSource::Message { message, next } => match next.take().ok_or_else(unasked)? {
                MemberValue::Stated(text) => (Data::Stated(text), message.offset()),
                MemberValue::Field(value) => {
                    let offset = value.offset;
                    (Data::Protobuf(value), offset)
                }
            },
            MemberSource::Entries { next, .. } => {
                let value = next.take().ok_or_else(unasked)?;
                let offset = value.offset;
                (Data::Protobuf(value), offset)
            }
        };
        let rule = self.context.take_rule();
        self.context.set(data, rule)?;
        self.offset = Some(offset);
        Ok(())
    }

    /// Sets the place of an error of the current value.
    #[cold]
    fn place(&self, error: Error) -> Error {
        match self.offset {
            Some(offset) => error.or(offset),
            None => self.context.place(error),
        }
    }

    /// Sets the place of an error of the current name.
    #[cold]
    fn place_of_name(&self, error: Error) -> Error {
        match &self.source {
            MemberSource::Json => self.context.place(error),
            MemberSource::Message { .. } => error,
            MemberSource::Entries { entries, .. } => error.or(entries.offset()),
        }
    }

    /// Shows the members to a visitor.
    #[inline]
    pub(super) fn visit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let result = visitor.visit_map(&mut self);
        match self.leave(result.is_ok()) {
            Ok(()) => result,
            Err(error) => Err(error),
        }
    }

    /// Refuses members that an accepting visitor did not take, if they are JSON.
    #[inline]
    fn leave(&mut self, accepted: bool) -> Result<()> {
        let ended = self.progress == Progress::End || !matches!(self.source, MemberSource::Json);
        if ended || !accepted { Ok(()) } else { self.finish() }
    }

    /// Refuses members that the visitor did not take.
    #[cold]
    pub(super) fn finish(&mut self) -> Result<()> {
        if !self.next_name(0)? {
            return Ok(());
        }
        Err(Error::nowhere(NO_FIT))
    }
}

impl<'de> MapAccess<'de> for Members<'_, '_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let size = const { size_of::<S::Value>() };
        let key = match self.plain_name(size) {
            Some(name) => Key::Plain(name),
            None => match self.next_name(size) {
                Ok(true) => Key::Other(&mut self.name),
                Ok(false) => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        match seed.deserialize(key) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(self.place_of_name(error)),
        }
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let size = const { size_of::<S::Value>() };
        match self.next_value(size) {
            Ok(()) => match seed.deserialize(Node { context: self.context, room: size }) {
                Ok(value) => Ok(value),
                Err(error) => Err(self.place(error)),
            },
            Err(error) => Err(error),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        match &self.source {
            // A hash table has the same size whether it grows or not.
            MemberSource::Json | MemberSource::Message { .. } => None,
            MemberSource::Entries { entries, .. } => Some(entries.left()),
        }
    }
}
