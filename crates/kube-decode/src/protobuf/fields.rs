//! The fields of one message, in the form in which a JSON decoder meets members.
//!
//! Each field comes once, a repeated field as one run, and fields that JSON always has come last.
//! Servers write fields in the order of their numbers. A run is then a slice of the message, and
//! nothing is allocated. Fields in another order are sorted first.

use std::vec;

use super::schema::{Field, Kind, MessageId, SKIP_ZERO, Shape};
use super::wire::{Cursor, Raw};
use crate::error::{Error, Result};

/// The largest number of fields that are sorted in one message. No server writes even two out of
/// order. A field of two bytes takes fifty bytes to sort.
const MAX_SORTED: usize = 4096;

/// The fields of one message.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    cursor: Cursor<'a>,
    table: &'static [Field],
    /// The position of the last field in the table. The next field is at or after it.
    hint: usize,
    /// A bit for each field that JSON always has and this message does not.
    missing: u64,
    /// The sorted fields, if they were out of order. Boxed, because that is rare.
    sorted: Option<Box<Sorted<'a>>>,
}

type Sorted<'a> = std::iter::Peekable<vec::IntoIter<(usize, Raw<'a>)>>;

/// The content of a field.
#[derive(Debug)]
pub(super) enum Found<'a> {
    One(Raw<'a>),
    Many(Run<'a>),
    /// The message does not have the field, but JSON does.
    Missing,
}

/// The occurrences of a repeated field.
#[derive(Debug)]
pub(super) enum Run<'a> {
    /// The occurrences follow each other. The number is their count.
    Straight(Cursor<'a>, usize),
    Picked(vec::IntoIter<Raw<'a>>),
}

impl<'a> Fields<'a> {
    /// Creates the fields of a message. Reads the head of each field to check their order.
    pub(super) fn new(cursor: Cursor<'a>, message: MessageId) -> Result<Self> {
        let (table, missing) = (message.fields(), message.required());
        let mut fields = Self { cursor, table, hint: 0, missing, sorted: None };
        let mut ahead = fields.cursor.clone();
        let (mut last, mut repeated, mut ordered) = (0, 0, true);
        while let Some(number) = ahead.pass()? {
            if number == last && number != repeated {
                let known = fields.find(number).map(|at| table[at].shape);
                ordered &= known != Some(Shape::One);
                repeated = number;
            }
            ordered &= number >= last;
            last = number;
        }
        if !ordered {
            fields.sort()?;
        }
        Ok(fields)
    }

    /// Returns the next field. `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<(&'static Field, Found<'a>)>> {
        loop {
            let (at, raw, start) = if let Some(sorted) = &mut self.sorted {
                let Some((at, raw)) = sorted.next() else { break };
                (at, raw, None)
            } else {
                let start = self.cursor.clone();
                let Some(raw) = self.cursor.next()? else { break };
                let Some(at) = self.advance(raw.number) else { continue };
                (at, raw, Some(start))
            };
            self.missing &= !(1 << at);
            let field = &self.table[at];
            if field.shape != Shape::One {
                return Ok(Some((field, Found::Many(self.run(at, raw, start)?))));
            }
            if !(field.is(SKIP_ZERO) && raw.is_zero()) {
                return Ok(Some((field, Found::One(raw))));
            }
        }
        if self.missing == 0 {
            return Ok(None);
        }
        let at = self.missing.trailing_zeros();
        self.missing &= self.missing - 1;
        Ok(Some((&self.table[at as usize], Found::Missing)))
    }

    /// Returns the run that begins with this occurrence.
    fn run(&mut self, at: usize, first: Raw<'a>, start: Option<Cursor<'a>>) -> Result<Run<'a>> {
        let Some(start) = start else {
            let mut picked = vec![first];
            if let Some(sorted) = &mut self.sorted {
                while let Some((_, raw)) = sorted.next_if(|(other, _)| *other == at) {
                    picked.push(raw);
                }
            }
            return Ok(Run::Picked(picked.into_iter()));
        };
        let mut count = 1;
        let mut end = self.cursor.clone();
        while end.pass()? == Some(first.number) {
            count += 1;
            self.cursor = end.clone();
        }
        Ok(Run::Straight(start.up_to(&self.cursor), count))
    }

    /// Returns the position of a field in the table, at or after the last one.
    #[inline]
    fn advance(&mut self, number: u32) -> Option<usize> {
        while u32::from(self.table.get(self.hint)?.number) < number {
            self.hint += 1;
        }
        (u32::from(self.table[self.hint].number) == number).then_some(self.hint)
    }

    /// Returns the position of a field in the table.
    fn find(&self, number: u32) -> Option<usize> {
        self.table.binary_search_by_key(&number, |field| field.number.into()).ok()
    }

    fn sort(&mut self) -> Result<()> {
        let (mut sorted, mut ahead) = (Vec::<(usize, Raw<'a>)>::new(), self.cursor.clone());
        while let Some(raw) = ahead.next()? {
            if let Some(at) = self.find(raw.number) {
                if sorted.len() == MAX_SORTED {
                    return Err(Error::new("too many fields out of order", raw.offset));
                }
                sorted.push((at, raw));
            }
        }
        // The sort is stable, so repeated fields keep their order.
        sorted.sort_by_key(|(at, _)| *at);
        let mut once = Vec::<(usize, Raw<'a>)>::with_capacity(sorted.len());
        for (at, raw) in sorted {
            let field = &self.table[at];
            if let Some(last) = once.last_mut()
                && last.0 == at
                && field.shape == Shape::One
            {
                // Of plain values, the last one counts. No server writes a message in two pieces.
                if !matches!(
                    field.kind,
                    Kind::String | Kind::Bytes | Kind::Int | Kind::Bool | Kind::Double
                ) {
                    return Err(Error::new("a message comes in two pieces", raw.offset));
                }
                last.1 = raw;
            } else {
                once.push((at, raw));
            }
        }
        self.sorted = Some(Box::new(once.into_iter().peekable()));
        Ok(())
    }
}

impl<'a> Run<'a> {
    pub(super) fn next(&mut self) -> Result<Option<Raw<'a>>> {
        match self {
            Self::Straight(cursor, left) => {
                *left = left.saturating_sub(1);
                cursor.next()
            }
            Self::Picked(picked) => Ok(picked.next()),
        }
    }

    /// Returns the number of occurrences left.
    pub(super) fn left(&self) -> usize {
        match self {
            Self::Straight(_, left) => *left,
            Self::Picked(picked) => picked.len(),
        }
    }
}
