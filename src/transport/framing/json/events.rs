//! A framer of JSON watches: one event after another.
//!
//! Servers write one event in each line, but only the end of the JSON value counts. Blank lines, a
//! missing last newline and events over several lines are therefore accepted.

use bytes::Bytes;

use super::peek::{Flat, plain};
use crate::transport::framing::capture::{Capture, Input, RawBytes};
use crate::transport::framing::{Framer, Malformed, RawEvent, WatchPart};

/// The largest difference between the size of an event and the size of its object, in bytes.
const ENVELOPE: usize = 64;

/// A framer of a JSON watch.
#[derive(Debug)]
pub(in crate::transport) struct JsonWatchFramer {
    input: Input,
    event: Option<Capture>,
    limit: usize,
}

impl JsonWatchFramer {
    /// Creates a framer. `limit` is the largest size of an object, in bytes.
    pub(in crate::transport) fn new(limit: usize) -> Self {
        Self { input: Input::default(), event: None, limit: limit.saturating_add(ENVELOPE) }
    }
}

impl Framer for JsonWatchFramer {
    type Part = WatchPart;

    fn push(&mut self, frame: Bytes) {
        self.input.push(frame);
    }

    fn next(&mut self) -> Option<Result<WatchPart, Malformed>> {
        if self.event.is_none() {
            if self.input.peek_token()? != b'{' {
                let offset = self.input.offset();
                return Some(Err(Malformed { offset, problem: "expected an event" }));
            }
            self.event = Some(Capture::new(&self.input, self.limit));
        }
        let event = self.event.as_mut()?;
        let captured = event.feed(&mut self.input)?;
        let offset = event.offset();
        self.event = None;
        let opened = opened(&captured);
        Some(Ok((captured, opened, offset)))
    }

    fn within(&self) -> Option<&'static str> {
        self.event.is_some().then_some("an event")
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
    open_canonical(event).or_else(|| open_flat(event))
}

/// Splits an event at its brackets, whatever the object contains.
fn open_flat(event: &Bytes) -> Option<RawEvent> {
    let (mut kind, mut object) = (None, None);
    let mut members = Flat::new(event)?;
    while let Some((name, value)) = members.next() {
        let value = members.skip(value)?;
        match name {
            b"type" => kind = Some(plain(value)?.into()),
            b"object" => object = Some(event.slice_ref(value)),
            _ => {}
        }
    }
    Some(RawEvent { kind: kind?, object: object? }).filter(|_| members.at_end())
}

/// Splits an event that is written as servers write it, `{"type":"…","object":…}`, without a search
/// for the object's end.
fn open_canonical(event: &Bytes) -> Option<RawEvent> {
    const OBJECT: &[u8] = br#"","object":"#;
    let rest = event.strip_prefix(br#"{"type":""#)?;
    let end = rest.iter().position(|byte| *byte == b'"')?;
    let kind = std::str::from_utf8(&rest[..end]).ok()?;
    let object = rest[end..].strip_prefix(OBJECT)?.strip_suffix(b"}")?;
    // If members follow the object, the last bracket is not the object's own.
    let whole = super::scan::Scanner::default().feed(object) == Some(object.len());
    whole.then(|| RawEvent { kind: kind.into(), object: event.slice_ref(object) })
}

/// Splits an event that is cut off.
fn open_head(head: &Bytes) -> Option<RawEvent> {
    const OBJECT: &[u8] = br#"","object":"#;
    let rest = head.strip_prefix(br#"{"type":""#)?;
    let end = rest.iter().position(|byte| *byte == b'"')?;
    let kind = std::str::from_utf8(&rest[..end]).ok()?.into();
    let object = head.slice_ref(rest[end..].strip_prefix(OBJECT)?);
    Some(RawEvent { kind, object })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::transport::framing::EventKind;

    fn events(text: &[u8], cut: usize) -> Result<(Vec<RawEvent>, bool), Malformed> {
        let mut framer = JsonWatchFramer::new(1 << 20);
        let mut events = Vec::new();
        for frame in text.chunks(cut) {
            framer.push(Bytes::copy_from_slice(frame));
            while let Some(event) = framer.next() {
                let (RawBytes::Whole(_), event, _) = event? else { panic!("oversized") };
                events.push(event.unwrap());
            }
        }
        Ok((events, framer.within().is_none()))
    }

    #[test]
    fn events_do_not_depend_on_format_and_cuts() {
        let text = concat!(
            "{\"type\":\"ADDED\",\"object\":{\"a\":\"}\"}}\n",
            "\r\n\n",
            "{\"object\": {\"b\": [1]} , \"type\": \"DELETED\"}",
            "{\"type\":\"MODIFIED\",\"object\":{\"c\":1},\"more\":{}}",
        );
        for cut in 1..text.len() {
            let (events, complete) = events(text.as_bytes(), cut).unwrap();
            let found: Vec<_> = events.iter().map(|e| (e.kind, &e.object[..])).collect();
            assert_eq!(
                found,
                [
                    (EventKind::Added, &br#"{"a":"}"}"#[..]),
                    (EventKind::Deleted, br#"{"b": [1]}"#),
                    (EventKind::Modified, br#"{"c":1}"#)
                ]
            );
            assert!(complete);
        }
    }

    #[test]
    fn object_without_text_keeps_its_event() {
        for text in [
            &b"{\"type\":\"MODIFIED\",\"object\":{\"a\":\"\xff\xc3\"}}"[..],
            b"{\"object\": {\"a\":\"\xff\xc3\"}, \"type\": \"MODIFIED\"}",
        ] {
            let event = open(&Bytes::copy_from_slice(text)).unwrap();
            assert_eq!(event.kind, EventKind::Modified);
            assert_eq!(&event.object[..], b"{\"a\":\"\xff\xc3\"}");
        }
        for text in ["{}", r#"{"type":"ADDED"}"#, r#"{"object":{}}"#, r#"{"type":7,"object":{}}"#] {
            assert!(open(&Bytes::from(text)).is_none(), "{text}");
        }
    }

    #[test]
    fn cut_event_is_incomplete() {
        let (events, complete) = events(br#"{"type":"ADDED","object":{}}{"type":"#, 5).unwrap();
        assert_eq!((events.len(), complete), (1, false));
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn arbitrary_bytes_do_not_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..100),
            cut in 1usize..9,
        ) {
            let mut framer = JsonWatchFramer::new(16);
            for frame in bytes.chunks(cut) {
                framer.push(Bytes::copy_from_slice(frame));
                while let Some(event) = framer.next() {
                    if event.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}
