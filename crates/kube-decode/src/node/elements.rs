//! The elements of a list, in either encoding.

use std::any::type_name;
use std::cell::Cell;

use serde::de::{DeserializeSeed, Expected, SeqAccess, Visitor};

use super::Node;
use super::context::{Context, Data};
use crate::budget::{is_vector, node_size};
use crate::error::{Error, Result};
use crate::protobuf;
use crate::rule::Rule;

/// The size of a large element, in bytes.
const LARGE: usize = 1024;

/// The elements of a list.
pub(super) struct Elements<'w, 'r, 'de> {
    context: &'w Context<'r, 'de>,
    source: ElementSource<'de>,
    rule: Option<Rule<'r>>,
    /// The place of the current element, if that is in protobuf.
    offset: Option<usize>,
    taken: usize,
    /// The number of elements, if it is known.
    length: Cell<Option<usize>>,
    /// The number of elements that are paid for.
    paid: usize,
    is_vector: bool,
    at_end: bool,
}

pub(super) enum ElementSource<'de> {
    Json,
    List(protobuf::Elements<'de>),
    Empty,
}

impl<'w, 'r, 'de> Elements<'w, 'r, 'de> {
    /// Takes the beginning of a value that becomes this many bytes. The elements of a tuple lie
    /// inside it.
    #[inline]
    pub(super) fn open(
        mut node: Node<'w, 'r, 'de>,
        bytes: usize,
        tuple: bool,
        expected: &dyn Expected,
    ) -> Result<Self> {
        node.pay(bytes)?;
        let context = node.context;
        context.check_stack()?;
        Ok(Self::new(context, context.elements(expected)?, tuple))
    }

    /// Takes the beginning of a value that was opened.
    #[inline]
    pub(super) fn begin(context: &'w Context<'r, 'de>, source: ElementSource<'de>) -> Result<Self> {
        context.check_stack()?;
        context.begin_elements(&source)?;
        Ok(Self::new(context, source, false))
    }

    /// Creates the elements of a value whose beginning was taken.
    #[inline]
    fn new(context: &'w Context<'r, 'de>, source: ElementSource<'de>, tuple: bool) -> Self {
        let rule = context.take_rule().and_then(Rule::for_elements);
        let length = Cell::new(match &source {
            ElementSource::Json => None,
            ElementSource::List(list) => Some(list.left()),
            ElementSource::Empty => Some(0),
        });
        let paid = if tuple { usize::MAX } else { 0 };
        let is_vector = true;
        Self {
            context,
            source,
            rule,
            offset: None,
            taken: 0,
            length,
            paid,
            is_vector,
            at_end: false,
        }
    }

    /// Goes to the next element, after charging it.
    fn next_value(&mut self, size: usize) -> Result<bool> {
        if self.at_end {
            return Ok(false);
        }
        let more = match &mut self.source {
            ElementSource::Json => {
                let more = self.context.json.next_element(self.taken == 0)?;
                if more && self.rule.is_some() {
                    self.context.set_rule(self.rule);
                }
                more
            }
            ElementSource::List(list) => match list.next()? {
                Some(value) => {
                    self.offset = Some(value.offset);
                    self.context.set(Data::Protobuf(value), self.rule)?;
                    true
                }
                None => false,
            },
            ElementSource::Empty => false,
        };
        if !more {
            self.at_end = true;
            return Ok(false);
        }
        if self.taken == self.paid {
            self.paid = match self.length.get() {
                _ if !self.is_vector => {
                    let (bytes, elements) = node_size(size, self.taken);
                    self.context.budget.charge(bytes)?;
                    self.taken + elements
                }
                Some(length) if length > self.taken => {
                    self.context.budget.charge_vec(size, length)?;
                    length
                }
                _ => self.context.budget.charge_growth(size, self.taken)?,
            };
        }
        self.taken += 1;
        Ok(true)
    }

    /// Shows the elements to a visitor, which must take all of them.
    #[inline]
    pub(super) fn visit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.is_vector = is_vector(type_name::<V::Value>());
        let result = visitor.visit_seq(&mut self);
        match self.leave(result.is_ok()) {
            Ok(()) => result,
            Err(error) => Err(error),
        }
    }

    /// Refuses elements that an accepting visitor did not take.
    #[inline]
    fn leave(&mut self, accepted: bool) -> Result<()> {
        if self.at_end || !accepted { Ok(()) } else { self.finish() }
    }

    /// Refuses elements that the visitor did not take.
    fn finish(&mut self) -> Result<()> {
        let more = match &mut self.source {
            ElementSource::Json => self.context.json.next_element(self.taken == 0)?,
            ElementSource::List(list) => list.left() > 0,
            ElementSource::Empty => false,
        };
        if more {
            return Err(self
                .context
                .place(Error::nowhere("a list has more elements than its type")));
        }
        Ok(())
    }

    #[cold]
    fn place(&self, error: Error) -> Error {
        match self.offset {
            Some(offset) => error.or(offset),
            None => self.context.place(error),
        }
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, '_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let size = const { size_of::<S::Value>() };
        match self.next_value(size) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Err(error),
        }
        let node = Node { context: self.context, room: size };
        match seed.deserialize(node) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(self.place(error)),
        }
    }

    /// The size hint is exact, so that a vector is allocated once. It is less if the elements would
    /// exceed the budget at the size of [`LARGE`], because a type may believe it before the first
    /// element is charged.
    fn size_hint(&self) -> Option<usize> {
        // Managed fields are not worth it: the trees in them would be scanned.
        let managed_fields = matches!(self.rule, Some(Rule::ManagedFields));
        if self.taken == 0 && self.length.get().is_none() && !managed_fields {
            self.length.set(self.context.json.length(&self.context.budget));
        }
        let most = self.context.budget.left() / LARGE;
        self.length.get().map(|length| length.saturating_sub(self.taken).min(most))
    }
}
