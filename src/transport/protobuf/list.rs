//! Takes a list in protobuf apart while it arrives.
//!
//! Each item comes out as soon as its last byte is there, as the bytes of its message; what is held
//! is one item. The envelope says what the list is before the list begins; fields that are not
//! known are passed over.

use bytes::Bytes;

use super::envelope::{ENCODED, MAGIC, MEDIA_TYPE, types};
use super::scalar::text;
use super::wire::Cursor;
use crate::lister_watcher::ListMetadata;
use crate::transport::capture::{Capture, Captured, Input};
use crate::transport::framer::{Framer, ListPart, Malformed};

/// A list's metadata larger than this is none.
const METADATA_LIMIT: usize = 1024 * 1024;

/// What a list says it is, and what its encoding is, are no longer than this.
const TYPES_LIMIT: usize = 4096;

/// The bytes of a list go in, its parts come out.
#[derive(Debug)]
pub(in crate::transport) struct ProtobufListFramer {
    input: Input,
    state: State,
    head: Head,
    limit: usize,
    typed: bool,
    /// Where the list ends in its envelope, once it began.
    end: Option<u64>,
}

#[derive(Debug)]
enum State {
    Magic(Capture),
    /// Before a field of the envelope, or within its head.
    Envelope,
    /// Before a field of the list, or within its head.
    List,
    Types(Capture),
    /// How the list is encoded, which is told after it.
    Encoded(Capture),
    Metadata(Capture),
    Item(Capture),
    Skip(Capture),
}

/// The head of a field, as far as it came.
#[derive(Debug, Default)]
struct Head {
    tag: Option<u64>,
    value: u64,
    bytes: u32,
}

/// A field whose head came: its number, and how long it is from here.
struct Field {
    number: u64,
    /// Whether it holds bytes; otherwise it is a number.
    bytes: bool,
    length: u64,
}

impl ProtobufListFramer {
    /// `limit`: how large an item may be, in bytes.
    pub(in crate::transport) fn new(limit: usize) -> Self {
        let input = Input::default();
        let magic = Capture::of_length(&input, MAGIC.len(), MAGIC.len());
        let (state, head) = (State::Magic(magic), Head::default());
        Self { input, state, head, limit, typed: false, end: None }
    }

    /// The next part; nothing where more bytes are needed.
    fn step(&mut self) -> Result<Option<ListPart>, &'static str> {
        loop {
            let captured = match &mut self.state {
                State::Envelope | State::List => None,
                State::Magic(capture)
                | State::Types(capture)
                | State::Encoded(capture)
                | State::Metadata(capture)
                | State::Item(capture)
                | State::Skip(capture) => {
                    let Some(captured) = capture.feed(&mut self.input) else { return Ok(None) };
                    Some((captured, capture.offset()))
                }
            };
            let next = if self.end.is_some() { State::List } else { State::Envelope };
            let part = match (std::mem::replace(&mut self.state, next), captured) {
                (State::Magic(_), Some((captured, _))) => {
                    if captured != Captured::Whole(Bytes::from_static(MAGIC)) {
                        return Err("no Kubernetes protobuf");
                    }
                    None
                }
                (State::Types(_), Some((captured, _))) => Some(self.types(captured)?),
                (State::Encoded(_), Some((captured, _))) => {
                    let plain = ["", MEDIA_TYPE].map(|plain| Captured::Whole(plain.into()));
                    if !plain.contains(&captured) {
                        return Err(ENCODED);
                    }
                    None
                }
                (State::Metadata(_), Some((Captured::Whole(metadata), _))) => {
                    Some(ListPart::Metadata(metadata))
                }
                (State::Metadata(_), Some(_)) => return Err("the list's metadata is too large"),
                (State::Item(_), Some((item, offset))) => Some(ListPart::Item(item, offset)),
                _ => None,
            };
            if part.is_some() {
                return Ok(part);
            }
            if matches!(self.state, State::List) && self.end == Some(self.input.offset()) {
                if self.head.bytes > 0 || self.head.tag.is_some() {
                    return Err("the list ends within a field");
                }
                self.state = State::Envelope;
                self.end = None;
            }
            let Some(field) = self.field()? else { return Ok(None) };
            if let Some(part) = self.enter(&field)? {
                return Ok(Some(part));
            }
        }
    }

    /// Goes on with the value of a field.
    fn enter(&mut self, field: &Field) -> Result<Option<ListPart>, &'static str> {
        let in_list = matches!(self.state, State::List);
        let length = usize::try_from(field.length).map_err(|_| "a field without an end")?;
        let end = self.input.offset().checked_add(field.length).ok_or("a field without an end")?;
        if self.end.is_some_and(|list| end > list) {
            return Err("a field is longer than its list");
        }
        let capture = |limit| Capture::of_length(&self.input, length, limit);
        self.state = match (in_list, field.number) {
            _ if !field.bytes => State::Skip(capture(0)),
            (false, 1) => State::Types(capture(TYPES_LIMIT)),
            (false, 2) if !self.typed => return Err("a list that does not say what it is"),
            (false, 2) => {
                self.state = State::List;
                self.end = Some(end);
                return Ok(Some(ListPart::Items));
            }
            (false, 3 | 4) => State::Encoded(capture(TYPES_LIMIT)),
            (true, 1) => State::Metadata(capture(METADATA_LIMIT)),
            (true, 2) => State::Item(capture(self.limit)),
            _ => State::Skip(capture(0)),
        };
        Ok(None)
    }

    /// The head of the next field, once it is all there. A number is passed over with it.
    fn field(&mut self) -> Result<Option<Field>, &'static str> {
        while self.end != Some(self.input.offset()) {
            let Some(byte) = self.input.peek() else { return Ok(None) };
            self.input.skip(1);
            let Head { tag, value, bytes } = &mut self.head;
            if *bytes == 10 {
                return Err("a number that does not end");
            }
            *value |= u64::from(byte & 0x7f).checked_shl(7 * *bytes).unwrap_or_default();
            *bytes += 1;
            if byte >= 0x80 {
                continue;
            }
            let field = match (*tag, *value & 7) {
                (Some(tag), _) if tag & 7 == 0 => {
                    Field { number: tag >> 3, bytes: false, length: 0 }
                }
                (Some(tag), _) => Field { number: tag >> 3, bytes: true, length: *value },
                (None, 1) => Field { number: *value >> 3, bytes: false, length: 8 },
                (None, 5) => Field { number: *value >> 3, bytes: false, length: 4 },
                (None, 0 | 2) => {
                    self.head = Head { tag: Some(*value), value: 0, bytes: 0 };
                    continue;
                }
                _ => return Err("a field of no known wire type"),
            };
            self.head = Head::default();
            return Ok(Some(field));
        }
        if self.head.bytes > 0 || self.head.tag.is_some() {
            return Err("the list ends within a field");
        }
        Ok(None)
    }

    fn types(&mut self, captured: Captured) -> Result<ListPart, &'static str> {
        let Captured::Whole(bytes) = captured else { return Err("what the list is has no end") };
        let (api_version, kind) =
            types(Cursor::new(&bytes, 0)).map_err(|_| "what the list is can't be read")?;
        self.typed = true;
        Ok(ListPart::Kind { api_version: Some(api_version.to_owned()), kind: kind.to_owned() })
    }
}

impl Framer for ProtobufListFramer {
    type Part = ListPart;

    fn push(&mut self, frame: Bytes) {
        self.input.push(frame);
    }

    fn next(&mut self) -> Option<Result<ListPart, Malformed>> {
        match self.step() {
            Ok(part) => part.map(Ok),
            Err(problem) => Some(Err(Malformed { offset: self.input.offset(), problem })),
        }
    }

    fn within(&self) -> Option<&'static str> {
        match self.state {
            State::Magic(_) => Some("nothing"),
            State::Envelope if self.typed && self.head.tag.is_none() && self.head.bytes == 0 => {
                None
            }
            State::Item(_) => Some("an item"),
            State::List => Some("the items"),
            _ => Some("the list"),
        }
    }
}

/// What a list's metadata says; `None`: it is not as it should be.
pub(in crate::transport) fn metadata(bytes: &[u8]) -> Option<ListMetadata> {
    let mut metadata = ListMetadata::default();
    let mut fields = Cursor::new(bytes, 0);
    while let Some(field) = fields.next().ok()? {
        match field.number {
            2 => {
                let version = text(field.bytes().ok()?);
                metadata.version = (!version.is_empty()).then(|| (&*version).into());
            }
            3 => {
                let token = text(field.bytes().ok()?);
                metadata.continue_token = (!token.is_empty()).then(|| token.into_owned());
            }
            4 => metadata.remaining = field.int().ok()?.try_into().ok(),
            _ => {}
        }
    }
    Some(metadata)
}
