//! Cuts one value out of a stream of frames.
//!
//! A value inside one frame is a slice of it. Only a value across frames is copied. A value over
//! the limit is skipped, but its beginning is kept so that its key can be read.

use bytes::{Buf, Bytes, BytesMut};

use super::json::Scanner;

/// The number of bytes that are kept of an oversized value. It is more than any metadata that etcd
/// stores. In a custom resource, whose members are sorted by name, annotations and managed fields
/// come before the object's name.
const HEAD: usize = 2 * 1024 * 1024;

/// The unread bytes of a body, and their position.
#[derive(Debug, Default)]
pub(in crate::transport) struct Input {
    frame: Bytes,
    /// The position of the frame in the body.
    offset: u64,
}

/// A value that is being cut out.
#[derive(Debug)]
pub(in crate::transport) struct Capture {
    end: End,
    kept: BytesMut,
    length: usize,
    offset: u64,
    limit: usize,
}

/// The way to find the end of a value.
#[derive(Debug)]
enum End {
    /// The scanner finds the end of a JSON value.
    Scanned(Scanner),
    /// The value ends after this many bytes.
    After(usize),
}

/// The bytes of one value.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::transport) enum RawBytes {
    /// The whole value.
    Whole(Bytes),
    /// The beginning of a value over the limit.
    Oversized(Bytes),
}

impl RawBytes {
    /// Returns the bytes that were kept.
    pub(in crate::transport) fn kept(&self) -> &Bytes {
        let (Self::Whole(bytes) | Self::Oversized(bytes)) = self;
        bytes
    }
}

impl Input {
    pub(in crate::transport) fn push(&mut self, frame: Bytes) {
        debug_assert!(self.frame.is_empty(), "a frame is pushed when the last one is read");
        self.frame = frame;
    }

    pub(in crate::transport) fn offset(&self) -> u64 {
        self.offset
    }

    pub(in crate::transport) fn peek(&self) -> Option<u8> {
        self.frame.first().copied()
    }

    /// Returns the next byte that is not white space.
    pub(in crate::transport) fn peek_token(&mut self) -> Option<u8> {
        let space = self.frame.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.skip(space);
        self.peek()
    }

    pub(in crate::transport) fn skip(&mut self, bytes: usize) {
        self.frame.advance(bytes);
        self.offset += bytes as u64;
    }

    fn take(&mut self, bytes: usize) -> Bytes {
        self.offset += bytes as u64;
        self.frame.split_to(bytes)
    }
}

impl Capture {
    /// Begins a JSON value at its first byte.
    pub(in crate::transport) fn new(input: &Input, limit: usize) -> Self {
        Self::until(End::Scanned(Scanner::default()), input, limit)
    }

    /// Begins a value of this many bytes at its first byte.
    pub(in crate::transport) fn of_length(input: &Input, length: usize, limit: usize) -> Self {
        Self::until(End::After(length), input, limit)
    }

    fn until(end: End, input: &Input, limit: usize) -> Self {
        Self { end, kept: BytesMut::new(), length: 0, offset: input.offset, limit }
    }

    /// Returns the position of the value in the body.
    pub(in crate::transport) fn offset(&self) -> u64 {
        self.offset
    }

    /// Takes the available bytes. Returns the value when it is complete.
    pub(in crate::transport) fn feed(&mut self, input: &mut Input) -> Option<RawBytes> {
        let end = match &mut self.end {
            End::Scanned(scanner) => scanner.feed(&input.frame),
            End::After(left) if *left <= input.frame.len() => Some(*left),
            End::After(left) => {
                *left -= input.frame.len();
                None
            }
        };
        let part = input.take(end.unwrap_or(input.frame.len()));
        self.length += part.len();
        if self.length > self.limit {
            let head = HEAD.min(self.limit);
            self.kept
                .extend_from_slice(&part[..part.len().min(head.saturating_sub(self.kept.len()))]);
            self.kept.truncate(head);
            end?;
            return Some(RawBytes::Oversized(self.kept.split().freeze()));
        }
        if end.is_some() && self.kept.is_empty() {
            return Some(RawBytes::Whole(part));
        }
        self.kept.extend_from_slice(&part);
        end?;
        Some(RawBytes::Whole(self.kept.split().freeze()))
    }
}
