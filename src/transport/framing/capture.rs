//! Cuts one value out of a stream of frames.
//!
//! A value that lies within one frame is a slice of it; only one that crosses frames is copied. A
//! value over the limit is passed over without being kept, but for its head, so that it can still
//! be named.

use bytes::{Buf, Bytes, BytesMut};

use super::json::Scanner;

/// How much of an oversized value is kept: enough for any metadata that etcd would store. In a
/// custom resource, whose members are in order of name, annotations and managed fields come before
/// the object's name.
const HEAD: usize = 2 * 1024 * 1024;

/// The unread bytes of a body, and where they are in it.
#[derive(Debug, Default)]
pub(in crate::transport) struct Input {
    frame: Bytes,
    /// Where the frame begins in the body.
    offset: u64,
}

/// One value being cut out.
#[derive(Debug)]
pub(in crate::transport) struct Capture {
    end: End,
    kept: BytesMut,
    length: usize,
    offset: u64,
    limit: usize,
}

/// How the end of a value is found.
#[derive(Debug)]
enum End {
    /// By its brackets.
    Scanned(Scanner),
    /// After so many bytes.
    After(usize),
}

/// One value, cut out.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::transport) enum RawBytes {
    /// The whole value.
    Whole(Bytes),
    /// It is over the limit; this is how it begins.
    Oversized(Bytes),
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

    /// The next byte that is not white space.
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
    /// A JSON value. Begins at its first byte.
    pub(in crate::transport) fn new(input: &Input, limit: usize) -> Self {
        Self::until(End::Scanned(Scanner::default()), input, limit)
    }

    /// A value of so many bytes. Begins at its first byte.
    pub(in crate::transport) fn of_length(input: &Input, length: usize, limit: usize) -> Self {
        Self::until(End::After(length), input, limit)
    }

    fn until(end: End, input: &Input, limit: usize) -> Self {
        Self { end, kept: BytesMut::new(), length: 0, offset: input.offset, limit }
    }

    /// Where the value begins in the body.
    pub(in crate::transport) fn offset(&self) -> u64 {
        self.offset
    }

    /// Takes what there is; the value, once it is all there.
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
