//! The protobuf wire format: numbered fields, one after another.
//!
//! Reading a field reads its head. Its content is borrowed and never copied, so an unused field
//! costs nothing more. Every place is an offset in the whole object.

#![allow(
    clippy::missing_errors_doc,
    clippy::return_self_not_must_use,
    clippy::should_implement_trait,
    reason = "hidden: public for `kube-informer` only"
)]

use crate::error::{Error, Result};

/// The longest varint, in bytes: 64 bits, seven in each byte.
const LONGEST_VARINT: usize = 10;

/// The fields of a message, from some position on.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Cursor<'a> {
    left: &'a [u8],
    /// The offset of these bytes in the object.
    at: usize,
}

/// The content of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(hidden)]
pub enum Wire<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
}

/// A field of a message, not yet interpreted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(hidden)]
pub struct Raw<'a> {
    pub number: u32,
    pub wire: Wire<'a>,
    /// The offset of the content in the object.
    pub offset: usize,
}

#[doc(hidden)]
impl<'a> Cursor<'a> {
    /// Creates a cursor over a message that begins at this offset of the object.
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { left: bytes, at }
    }

    /// Returns the offset of the next field in the object.
    pub fn offset(&self) -> usize {
        self.at
    }

    pub fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// Returns the fields from here up to another cursor of the same message.
    pub fn up_to(&self, end: &Self) -> Self {
        Self { left: &self.left[..end.at - self.at], at: self.at }
    }

    /// Returns the next field. `None` at the end of the message.
    #[inline]
    pub fn next(&mut self) -> Result<Option<Raw<'a>>> {
        let offset = self.at + 2;
        match self.short() {
            Some((number, wire)) => Ok(Some(Raw { number, wire, offset })),
            None => self.next_long(),
        }
    }

    /// Skips the next field and returns its number. `None` at the end of the message.
    #[inline]
    pub fn pass(&mut self) -> Result<Option<u32>> {
        match self.short() {
            Some((number, _)) => Ok(Some(number)),
            None => Ok(self.next_long()?.map(|raw| raw.number)),
        }
    }

    /// Reads the head of a field with a low number and at most 127 bytes, which is two bytes long.
    /// Nearly all fields are like that.
    #[inline]
    fn short(&mut self) -> Option<(u32, Wire<'a>)> {
        let [head, length, rest @ ..] = self.left else { return None };
        if head & 0x87 != 2 || *head < 8 || *length >= 0x80 {
            return None;
        }
        let (bytes, rest) = rest.split_at_checked(usize::from(*length))?;
        self.left = rest;
        self.at += 2 + bytes.len();
        Some((u32::from(head >> 3), Wire::Bytes(bytes)))
    }

    fn next_long(&mut self) -> Result<Option<Raw<'a>>> {
        if self.left.is_empty() {
            return Ok(None);
        }
        let head = self.at;
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).ok().filter(|number| (1..1 << 29).contains(number));
        let number = number.ok_or_else(|| Error::new("a field's number is out of range", head))?;
        let mut offset = self.at;
        let wire = match tag & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed64(u64::from_le_bytes(self.fixed()?)),
            2 => {
                let length = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
                offset = self.at;
                Wire::Bytes(self.take(length)?)
            }
            5 => Wire::Fixed32(u32::from_le_bytes(self.fixed()?)),
            _ => return Err(Error::new("a field has no known wire type", head)),
        };
        Ok(Some(Raw { number, wire, offset }))
    }

    /// Returns the next field of a message that may be cut off, and whether the field is complete.
    /// If its bytes are cut off, the field has those that are there.
    pub fn next_torn(&mut self) -> Option<(Raw<'a>, bool)> {
        let mut torn = self.clone();
        if let Ok(field) = self.next() {
            return field.map(|field| (field, true));
        }
        let tag = torn.varint().ok()?;
        if tag & 7 != 2 {
            return None;
        }
        let length = usize::try_from(torn.varint().ok()?).unwrap_or(usize::MAX);
        if length <= torn.left.len() {
            return None;
        }
        let number = u32::try_from(tag >> 3).ok()?;
        let raw = Raw { number, wire: Wire::Bytes(torn.left), offset: torn.at };
        // Nothing follows a field that is cut off.
        self.skip(self.left.len());
        Some((raw, false))
    }

    #[inline]
    fn skip(&mut self, length: usize) {
        self.left = &self.left[length..];
        self.at += length;
    }

    #[inline]
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let Some(bytes) = self.left.get(..length) else {
            return Err(Error::new("a field is longer than its message", self.at));
        };
        self.skip(length);
        Ok(bytes)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N]> {
        let offset = self.at;
        let bytes = self.take(N)?;
        bytes.try_into().map_err(|_| Error::new("a field is longer than its message", offset))
    }

    /// Reads a varint. Nearly every number is below 128.
    #[inline]
    fn varint(&mut self) -> Result<u64> {
        match self.left {
            [byte, ..] if *byte < 0x80 => {
                self.skip(1);
                Ok((*byte).into())
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for (n, &byte) in self.left.iter().take(LONGEST_VARINT).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * n);
            if byte < 0x80 {
                if n + 1 == LONGEST_VARINT && byte > 1 {
                    break;
                }
                self.skip(n + 1);
                return Ok(value);
            }
        }
        Err(Error::new("a number does not end", self.at))
    }
}

#[doc(hidden)]
impl<'a> Raw<'a> {
    #[inline]
    pub fn bytes(&self) -> Result<&'a [u8]> {
        match self.wire {
            Wire::Bytes(bytes) => Ok(bytes),
            _ => Err(self.odd()),
        }
    }

    /// Returns the content as a message.
    #[inline]
    pub fn message(&self) -> Result<Cursor<'a>> {
        Ok(Cursor::new(self.bytes()?, self.offset))
    }

    #[expect(
        clippy::cast_possible_wrap,
        reason = "the wire has negative numbers in two's complement"
    )]
    pub fn int(&self) -> Result<i64> {
        match self.wire {
            Wire::Varint(value) => Ok(value as i64),
            _ => Err(self.odd()),
        }
    }

    pub fn double(&self) -> Result<f64> {
        match self.wire {
            Wire::Fixed64(bits) => Ok(f64::from_bits(bits)),
            _ => Err(self.odd()),
        }
    }

    /// Returns whether the content is the zero of its type.
    pub fn is_zero(&self) -> bool {
        match self.wire {
            Wire::Varint(value) | Wire::Fixed64(value) => value == 0,
            Wire::Fixed32(value) => value == 0,
            Wire::Bytes(bytes) => bytes.is_empty(),
        }
    }

    #[cold]
    fn odd(&self) -> Error {
        Error::new("a field has another wire type than its kind", self.offset)
    }
}

/// Returns the last field of this number.
pub(crate) fn last(mut message: Cursor<'_>, number: u32) -> Result<Option<Raw<'_>>> {
    let mut last = None;
    while let Some(field) = message.next()? {
        if field.number == number {
            last = Some(field);
        }
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_wire_type_is_read_with_its_place() {
        let bytes =
            [0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1d, 1, 0, 0, 0, 0x21, 2, 0, 0, 0, 0, 0, 0, 0];
        let mut cursor = Cursor::new(&bytes, 100);
        let mut found = vec![];
        while let Some(field) = cursor.next().unwrap() {
            found.push((field.number, field.wire, field.offset));
        }
        let expected = [
            (1, Wire::Varint(150), 101),
            (2, Wire::Bytes(b"hi"), 105),
            (3, Wire::Fixed32(1), 108),
            (4, Wire::Fixed64(2), 113),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn malformed_message_error_has_its_place() {
        for (bytes, offset) in [
            (&[0x08][..], 1),
            (&[0x12, 5, 1], 2),
            (&[0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], 11),
            (&[0x0b], 0),
            (&[0x00, 1], 0),
            (&[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2], 1),
            (&[0x08, 1, 0x09, 1, 2], 3),
        ] {
            let mut cursor = Cursor::new(bytes, 0);
            let error = loop {
                match cursor.next() {
                    Ok(field) => assert!(field.is_some(), "{bytes:?}"),
                    Err(error) => break error,
                }
            };
            let error = crate::DecodeError::from(error);
            assert_eq!(error.offset(), Some(offset), "{bytes:?} {error}");
        }
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn arbitrary_bytes_neither_panic_nor_loop(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut cursor = Cursor::new(&bytes, 0);
            let mut fields = 0;
            while let Ok(Some(_)) = cursor.next() {
                fields += 1;
            }
            prop_assert!(fields <= bytes.len());
        }
    }
}
