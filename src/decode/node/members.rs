//! The members of an object and the elements of a list, in either encoding.

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::key::Key;
use super::{Data, Node};
use crate::decode::budget::{Budget, MapCharge};
use crate::decode::error::{Error, Place, Result};
use crate::decode::protobuf::value::Value;
use crate::decode::protobuf::{self, MemberValue};
use crate::decode::rule::{Rule, Verdict};
use crate::decode::tape;
use crate::decode::text::Text;

/// The members of an object, or the entries of a map.
pub(super) struct Members<'w, 'de> {
    source: MemberSource<'w, 'de>,
    budget: &'w Budget,
    rule: Option<Rule<'w>>,
    /// The rule for the next value.
    inner: Option<Rule<'w>>,
    /// The charges of the entries. `None` for fields, which lie inside their value.
    charge: Option<MapCharge>,
    /// The size of the current key.
    key: usize,
}

pub(super) enum MemberSource<'w, 'de> {
    Json(tape::Run<'w, 'de>),
    Message { message: protobuf::Members<'de>, next: Option<MemberValue<'de>> },
    Entries { entries: protobuf::Entries<'de>, next: Option<Value<'de>> },
}

impl<'w, 'de> Members<'w, 'de> {
    pub(super) fn new(
        source: MemberSource<'w, 'de>,
        budget: &'w Budget,
        rule: Option<Rule<'w>>,
        within: bool,
    ) -> Self {
        let charge = (!within).then(MapCharge::default);
        Self { source, budget, rule, inner: None, charge, key: 0 }
    }

    /// Returns the name of the next member that the rule does not skip.
    #[inline]
    fn next_name(&mut self) -> Result<Option<Text<'de>>> {
        loop {
            let name = match &mut self.source {
                // A tape has no members that the rule skips.
                MemberSource::Json(run) => return Ok(run.next_name()),
                MemberSource::Message { message, next } => {
                    let Some((name, value)) = message.next()? else { return Ok(None) };
                    *next = Some(value);
                    Text::Borrowed(name)
                }
                MemberSource::Entries { entries, next } => {
                    let Some((name, value)) = entries.next()? else { return Ok(None) };
                    *next = Some(value);
                    name
                }
            };
            self.inner = match self.rule.map(|rule| rule.judge(name.as_str())) {
                Some(Verdict::Skip) => continue,
                Some(Verdict::Look(rule)) => Some(rule),
                Some(Verdict::Pass) | None => None,
            };
            return Ok(Some(name));
        }
    }

    /// Returns the next name, after charging it if it becomes a key of this many bytes.
    fn next_key(&mut self, size: usize) -> Result<Option<Text<'de>>> {
        let Some(name) = self.next_name()? else { return Ok(None) };
        if self.charge.is_some() {
            self.key = size;
            self.budget.charge_text(name.len())?;
        }
        Ok(Some(name))
    }

    /// Returns the value of the last name and its place, after charging its entry.
    fn next_node(&mut self, size: usize) -> Result<(Node<'_, 'de>, Place)> {
        if let Some(charge) = &mut self.charge {
            charge.next(self.budget, self.key + size)?;
        }
        let unasked = || Error::nowhere("a value was asked for before its name");
        let (data, place) = match &mut self.source {
            MemberSource::Json(run) => {
                let place = run.place();
                (Data::Json(run.value()), place)
            }
            MemberSource::Message { message, next } => match next.take().ok_or_else(unasked)? {
                MemberValue::Stated(text) => (Data::Stated(text), Place::Byte(message.offset())),
                MemberValue::Field(value) => {
                    let place = Place::Byte(value.offset);
                    (Data::Protobuf(value, self.inner), place)
                }
            },
            MemberSource::Entries { next, .. } => {
                let value = next.take().ok_or_else(unasked)?;
                let place = Place::Byte(value.offset);
                (Data::Protobuf(value, self.inner), place)
            }
        };
        Ok((Node { data, budget: self.budget, room: size }, place))
    }

    fn place(&self) -> Option<Place> {
        match &self.source {
            MemberSource::Json(run) => Some(run.place()),
            MemberSource::Message { .. } => None,
            MemberSource::Entries { entries, .. } => Some(Place::Byte(entries.offset())),
        }
    }

    /// Refuses members that the visitor did not take.
    pub(super) fn finish(mut self) -> Result<()> {
        match self.next_name()? {
            None => Ok(()),
            Some(_) => Err(Error::nowhere("a value does not fit its type")),
        }
    }
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let Some(name) = self.next_key(size_of::<S::Value>())? else { return Ok(None) };
        match seed.deserialize(Key(name)) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(match self.place() {
                Some(place) => error.or(place),
                None => error,
            }),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let (node, place) = self.next_node(size_of::<S::Value>())?;
        seed.deserialize(node).map_err(|error| error.or(place))
    }

    fn size_hint(&self) -> Option<usize> {
        match &self.source {
            MemberSource::Json(run) => Some(run.left()),
            MemberSource::Message { .. } => None,
            MemberSource::Entries { entries, .. } => Some(entries.left()),
        }
    }
}

/// The elements of a list.
pub(super) struct Elements<'w, 'de> {
    source: ElementSource<'w, 'de>,
    budget: &'w Budget,
    rule: Option<Rule<'w>>,
    /// True if the elements are paid for. Those of a tuple lie inside it.
    charged: bool,
}

pub(super) enum ElementSource<'w, 'de> {
    Json(tape::Run<'w, 'de>),
    List(protobuf::Elements<'de>),
    Empty,
}

impl<'w, 'de> Elements<'w, 'de> {
    pub(super) fn new(
        source: ElementSource<'w, 'de>,
        budget: &'w Budget,
        rule: Option<Rule<'w>>,
        tuple: bool,
    ) -> Self {
        let rule = rule.and_then(Rule::for_elements);
        Self { source, budget, rule, charged: tuple }
    }

    fn left(&self) -> usize {
        match &self.source {
            ElementSource::Json(run) => run.left(),
            ElementSource::List(list) => list.left(),
            ElementSource::Empty => 0,
        }
    }

    /// Returns the next element and its place, after charging it.
    fn next_node(&mut self, size: usize) -> Result<Option<(Node<'_, 'de>, Place)>> {
        let count = self.left();
        if count == 0 {
            return Ok(None);
        }
        if !self.charged {
            self.budget.charge_vec(size, count)?;
            self.charged = true;
        }
        let (data, place) = match &mut self.source {
            ElementSource::Json(run) => {
                if !run.next() {
                    return Ok(None);
                }
                let place = run.place();
                (Data::Json(run.value()), place)
            }
            ElementSource::List(list) => {
                let Some(value) = list.next()? else { return Ok(None) };
                let place = Place::Byte(value.offset);
                (Data::Protobuf(value, self.rule), place)
            }
            ElementSource::Empty => return Ok(None),
        };
        Ok(Some((Node { data, budget: self.budget, room: size }, place)))
    }

    /// Shows the elements to a visitor, which must take all of them.
    pub(super) fn visit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let value = visitor.visit_seq(&mut self)?;
        if self.left() == 0 {
            return Ok(value);
        }
        Err(Error::nowhere("a list has more elements than its type"))
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let Some((node, place)) = self.next_node(size_of::<S::Value>())? else { return Ok(None) };
        seed.deserialize(node).map(Some).map_err(|error| error.or(place))
    }

    /// The size hint is exact, so that a vector is allocated once.
    fn size_hint(&self) -> Option<usize> {
        Some(self.left())
    }
}
