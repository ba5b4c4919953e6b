//! A framer of protobuf watches: one event after another.
//!
//! A big-endian length of four bytes precedes each event. An event holds its type, and the object
//! in its own envelope.

use bytes::Bytes;
use kube_decode::protobuf::Cursor;

use crate::transport::framing::capture::{Capture, Input, RawBytes};
use crate::transport::framing::{EventKind, Framer, Malformed, RawEvent, WatchPart};

/// The largest difference between the sizes of an event and its object, in bytes: the event's head,
/// the envelope and the object's type.
const ENVELOPE: usize = 512;

/// A framer of a protobuf watch.
#[derive(Debug)]
pub(in crate::transport) struct ProtobufWatchFramer {
    input: Input,
    state: EventState,
    limit: usize,
}

#[derive(Debug)]
enum EventState {
    /// The bytes of the length read so far, and their count.
    Length(u32, u8),
    Event(Capture),
}

impl ProtobufWatchFramer {
    /// Creates a framer. `limit` is the largest size of an object, in bytes.
    pub(in crate::transport) fn new(limit: usize) -> Self {
        let limit = limit.saturating_add(ENVELOPE);
        Self { input: Input::default(), state: EventState::Length(0, 0), limit }
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
                EventState::Length(length, 4) => {
                    let length = usize::try_from(*length).unwrap_or(usize::MAX);
                    self.state =
                        EventState::Event(Capture::of_length(&self.input, length, self.limit));
                }
                EventState::Length(length, bytes) => {
                    *length = *length << 8 | u32::from(self.input.peek()?);
                    *bytes += 1;
                    self.input.skip(1);
                }
                EventState::Event(capture) => {
                    let captured = capture.feed(&mut self.input)?;
                    let offset = capture.offset();
                    self.state = EventState::Length(0, 0);
                    let opened = opened(&captured);
                    return Some(Ok((captured, opened, offset)));
                }
            }
        }
    }

    fn within(&self) -> Option<&'static str> {
        (!matches!(self.state, EventState::Length(_, 0))).then_some("an event")
    }
}

/// Splits an event, which may be cut off, into type and object.
fn opened(event: &RawBytes) -> Option<RawEvent> {
    match event {
        RawBytes::Whole(event) => open(event),
        RawBytes::Oversized(head) => open_head(head),
    }
}

/// Splits an event into type and object.
fn open(event: &Bytes) -> Option<RawEvent> {
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

/// Splits an event that is cut off.
fn open_head(head: &Bytes) -> Option<RawEvent> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use kube_decode::protobuf::encode::field;

    fn frame(event: &[u8]) -> Vec<u8> {
        [&u32::try_from(event.len()).unwrap().to_be_bytes(), event].concat()
    }

    fn event(kind: &str, object: &[u8]) -> Vec<u8> {
        [field(1, kind), field(2, field(1, object))].concat()
    }

    fn captured(body: &[u8], cut: usize, limit: usize) -> (Vec<WatchPart>, bool) {
        let mut framer = ProtobufWatchFramer::new(limit);
        let mut parts = vec![];
        for frame in body.chunks(cut) {
            framer.push(Bytes::copy_from_slice(frame));
            while let Some(part) = framer.next() {
                parts.push(part.unwrap());
            }
        }
        (parts, framer.within().is_none())
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn events_do_not_depend_on_cuts(
            objects in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..300), 0..5),
            cut in 1usize..40,
        ) {
            let body: Vec<u8> = objects.iter().flat_map(|object| frame(&event("ADDED", object))).collect();
            let (parts, complete) = captured(&body, cut, 1 << 20);
            prop_assert!(complete);
            let mut found = vec![];
            for (part, event, _) in &parts {
                prop_assert!(matches!(part, RawBytes::Whole(_)));
                let event = event.as_ref().unwrap();
                prop_assert_eq!(event.kind, EventKind::Added);
                found.push(event.object.to_vec());
            }
            prop_assert_eq!(found, objects);
            if !body.is_empty() {
                prop_assert!(!captured(&body[..body.len() - 1], cut, 1 << 20).1);
            }
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 0u8..20], 0..100),
            cut in 1usize..9,
        ) {
            drop(captured(&bytes, cut, 16));
            let _ = (open(&Bytes::copy_from_slice(&bytes)), open_head(&Bytes::from(bytes)));
        }
    }

    #[test]
    fn oversized_event_keeps_head_and_neighbours() {
        let big = event("MODIFIED", &vec![9; 100_000]);
        let small = event("DELETED", b"x");
        let body = [frame(&small), frame(&big), frame(&small)].concat();
        for cut in [1, 1000, 1 << 20] {
            let (parts, complete) = captured(&body, cut, 100);
            assert!(complete && parts.len() == 3);
            let (RawBytes::Oversized(_), Some(event), _) = &parts[1] else { panic!("whole") };
            assert_eq!(event.kind, EventKind::Modified);
            assert!(event.object.len() > 500 && event.object.iter().all(|byte| *byte == 9));
        }
    }

    #[test]
    fn event_without_type_or_object_is_none() {
        for event in [&b""[..], &field(1, "ADDED"), &field(2, field(1, "x")), b"\x0a\x09"] {
            assert_eq!(open(&Bytes::copy_from_slice(event)), None);
        }
        let odd = [field(1, b"\xff"), field(2, field(1, ""))].concat();
        assert_eq!(open(&odd.into()).unwrap().kind, EventKind::Unknown);
    }
}
