//! Takes a watch in protobuf apart while it arrives: one event after another.
//!
//! Each event has its length before it, in four bytes, the highest first. It holds its type and the
//! object in an envelope of its own.

use bytes::Bytes;

use super::wire::Cursor;
use crate::transport::capture::{Capture, Input};
use crate::transport::framer::{EventKind, Framer, Malformed, RawEvent, WatchPart};

/// An event may be larger than its object by its own head, the envelope and what the object is.
const ENVELOPE: usize = 512;

/// The bytes of a watch go in, its events come out.
#[derive(Debug)]
pub(in crate::transport) struct ProtobufWatchFramer {
    input: Input,
    state: State,
    limit: usize,
}

#[derive(Debug)]
enum State {
    /// So many bytes of the length came.
    Length(u32, u8),
    Event(Capture),
}

impl ProtobufWatchFramer {
    /// `limit`: how large an object may be, in bytes.
    pub(in crate::transport) fn new(limit: usize) -> Self {
        let limit = limit.saturating_add(ENVELOPE);
        Self { input: Input::default(), state: State::Length(0, 0), limit }
    }
}

impl Framer for ProtobufWatchFramer {
    type Part = WatchPart;

    fn push(&mut self, frame: Bytes) {
        self.input.push(frame);
    }

    fn next(&mut self) -> Option<Result<WatchPart, Malformed>> {
        loop {
            match &mut self.state {
                State::Length(length, 4) => {
                    let length = usize::try_from(*length).unwrap_or(usize::MAX);
                    self.state = State::Event(Capture::of_length(&self.input, length, self.limit));
                }
                State::Length(length, bytes) => {
                    *length = *length << 8 | u32::from(self.input.peek()?);
                    *bytes += 1;
                    self.input.skip(1);
                }
                State::Event(capture) => {
                    let captured = capture.feed(&mut self.input)?;
                    let offset = capture.offset();
                    self.state = State::Length(0, 0);
                    return Some(Ok((captured, offset)));
                }
            }
        }
    }

    fn within(&self) -> Option<&'static str> {
        (!matches!(self.state, State::Length(_, 0))).then_some("an event")
    }
}

/// Type and object of an event.
pub(in crate::transport) fn open(event: &Bytes) -> Option<RawEvent> {
    let (mut kind, mut object) = (None, None);
    let mut fields = Cursor::new(event, 0);
    while let Some(field) = fields.next().ok()? {
        match field.number {
            1 => kind = Some(kind_of(field.bytes().ok()?)),
            2 => {
                let mut fields = field.message().ok()?;
                while let Some(field) = fields.next().ok()? {
                    if field.number == 1 {
                        object = Some(event.slice_ref(field.bytes().ok()?));
                    }
                }
            }
            _ => {}
        }
    }
    Some(RawEvent { kind: kind?, object: object? })
}

/// Type and object of an event of which only the head is there.
pub(in crate::transport) fn open_head(head: &Bytes) -> Option<RawEvent> {
    let mut kind = None;
    let mut fields = Cursor::new(head, 0);
    while let Some((field, _)) = fields.next_torn() {
        match field.number {
            1 => kind = Some(kind_of(field.bytes().ok()?)),
            2 => {
                let (object, _) = field.message().ok()?.next_torn()?;
                let object = head.slice_ref(object.bytes().ok()?);
                return Some(RawEvent { kind: kind?, object });
            }
            _ => {}
        }
    }
    None
}

fn kind_of(text: &[u8]) -> EventKind {
    std::str::from_utf8(text).map_or(EventKind::Unknown, EventKind::from)
}
