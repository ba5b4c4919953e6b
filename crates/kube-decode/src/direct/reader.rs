//! The wire format as the direct decoders read it.
//!
//! A reader gives up where [`wire::Cursor`](super::super::protobuf::Cursor) has an error, and where
//! a message is not as servers write it: fields in the order of their numbers, each once unless it
//! is repeated. Nothing keeps a place, because the table finds it.

use std::borrow::Cow;

use super::{Charge, Field};
use crate::budget::text_size;
use crate::protobuf::text;

/// The wire types that occur.
const VARINT: u8 = 0;
const FIXED64: u8 = 1;
const BYTES: u8 = 2;
const FIXED32: u8 = 5;

/// The longest varint, in bytes: 64 bits, seven in each byte.
const LONGEST_VARINT: u32 = 10;

/// The rest of a message, from some field on.
pub(crate) struct Reader<'a, C> {
    left: &'a [u8],
    /// The number and the wire type of the field whose content comes next.
    number: u32,
    wire: u8,
    /// True if `managedFields` of the metadata that is read are skipped.
    pub(super) skips_managed: bool,
    /// True while the metadata of the object itself is read.
    pub(super) in_metadata: bool,
    charge: &'a C,
}

impl<'a, C: Charge> Reader<'a, C> {
    pub(super) fn new(message: &'a [u8], charge: &'a C) -> Self {
        Self { left: message, number: 0, wire: 0, skips_managed: false, in_metadata: false, charge }
    }

    /// Charges `bytes` before a value takes them.
    #[inline]
    pub(super) fn charge(&self, bytes: usize) -> Option<()> {
        self.charge.charge(bytes)
    }

    /// Returns the number of bytes that decoding may still take.
    pub(super) fn allowance(&self) -> usize {
        self.charge.left()
    }

    /// Reads the head of the next field and returns its number. Zero at the end of the message.
    #[inline]
    pub(super) fn head(&mut self) -> Option<u32> {
        let tag = match self.left {
            [] => return Some(0),
            [tag, rest @ ..] if *tag < 0x80 => {
                self.left = rest;
                u32::from(*tag)
            }
            [low, high, rest @ ..] if *high < 0x80 => {
                self.left = rest;
                u32::from(low & 0x7f) | u32::from(*high) << 7
            }
            _ => self.long_tag()?,
        };
        self.wire = (tag & 7) as u8;
        self.number = tag >> 3;
        (self.number > 0).then_some(self.number)
    }

    #[cold]
    fn long_tag(&mut self) -> Option<u32> {
        u32::try_from(self.varint()?).ok()
    }

    #[inline]
    fn varint(&mut self) -> Option<u64> {
        match self.left {
            [byte, rest @ ..] if *byte < 0x80 => {
                self.left = rest;
                Some((*byte).into())
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for n in 0..LONGEST_VARINT {
            let (byte, rest) = self.left.split_first()?;
            self.left = rest;
            value |= u64::from(byte & 0x7f) << (7 * n);
            if *byte < 0x80 {
                return (n + 1 < LONGEST_VARINT || *byte <= 1).then_some(value);
            }
        }
        None
    }

    /// Reads the content of a field that is bytes.
    #[inline]
    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        if self.wire != BYTES {
            return None;
        }
        let length = usize::try_from(self.varint()?).ok()?;
        let (bytes, rest) = self.left.split_at_checked(length)?;
        self.left = rest;
        Some(bytes)
    }

    /// Reads the content of a field that is a number.
    #[expect(
        clippy::cast_possible_wrap,
        reason = "the wire has negative numbers in two's complement"
    )]
    #[inline]
    pub(super) fn int(&mut self) -> Option<i64> {
        if self.wire == VARINT { Some(self.varint()? as i64) } else { None }
    }

    /// Reads a text, and charges it before it is copied.
    #[inline(never)]
    pub(super) fn text(&mut self) -> Option<String> {
        let bytes = self.bytes()?;
        self.charge_text(bytes).map(Cow::into_owned)
    }

    /// Charges the text of these bytes, and returns it.
    pub(super) fn charge_text(&self, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
        let text = text(bytes);
        self.charge(text_size(text.len()))?;
        Some(text)
    }

    /// Skips the content of a field.
    #[inline(never)]
    pub(super) fn pass(&mut self) -> Option<()> {
        let length = match self.wire {
            VARINT => return self.varint().map(drop),
            FIXED64 => 8,
            BYTES => return self.bytes().map(drop),
            FIXED32 => 4,
            _ => return None,
        };
        self.left = self.left.get(length..)?;
        Some(())
    }

    /// Skips the content of a field, and all that follow with the same number.
    #[cold]
    pub(super) fn pass_run(&mut self) -> Option<()> {
        let number = self.number;
        loop {
            self.pass()?;
            let left = self.left;
            if self.head()? != number {
                self.left = left;
                return Some(());
            }
        }
    }

    /// Returns the number of fields in the run that begins with this one.
    pub(super) fn count(&self) -> Option<usize> {
        let mut ahead = Self { ..*self };
        let mut count = 0;
        loop {
            count += 1;
            ahead.pass()?;
            if ahead.head()? != self.number {
                return Some(count);
            }
        }
    }

    /// Enters the message in a field. Returns the bytes after it, for [`leave`](Self::leave).
    #[inline]
    pub(super) fn enter(&mut self) -> Option<&'a [u8]> {
        let message = self.bytes()?;
        Some(std::mem::replace(&mut self.left, message))
    }

    /// Enters a message that has no fields.
    pub(super) fn enter_empty(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.left)
    }

    /// Continues after a message that was read to its end.
    #[inline]
    pub(super) fn leave(&mut self, rest: &'a [u8]) {
        self.left = rest;
    }

    /// Reads a field whose zero JSON leaves out.
    #[inline(never)]
    pub(super) fn omit<T: Field>(&mut self, field: &mut T) -> Option<()> {
        if self.is_zero()? { self.pass() } else { field.read(self) }
    }

    /// Returns whether the content is zero or empty.
    #[inline]
    pub(super) fn is_zero(&self) -> Option<bool> {
        match self.left.first()? {
            0 => Some(matches!(self.wire, VARINT | BYTES)),
            1..0x80 => Some(false),
            _ => self.is_long_zero(),
        }
    }

    /// Returns the same where a zero may have a longer form than it needs.
    #[cold]
    fn is_long_zero(&self) -> Option<bool> {
        let mut ahead = Self { ..*self };
        match self.wire {
            VARINT => Some(ahead.varint()? == 0),
            _ => Some(ahead.bytes()?.is_empty()),
        }
    }

    /// Reads `managedFields`, or skips them.
    pub(super) fn managed<T: Field>(&mut self, field: &mut T) -> Option<()> {
        if self.skips_managed { self.pass_run() } else { field.read(self) }
    }
}
