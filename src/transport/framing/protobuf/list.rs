//! Takes a list in protobuf apart while it arrives.
//!
//! Each item comes out as soon as its last byte is there, as the bytes of its message; what is held
//! is one item. The envelope says what the list is before the list begins; fields that are not
//! known are passed over.

use bytes::Bytes;

use crate::decode::protobuf::Cursor;
use crate::decode::protobuf::text;
use crate::decode::protobuf::{ENCODED, MAGIC, MEDIA_TYPE, types};
use crate::lister_watcher::ListMetadata;
use crate::transport::framing::capture::{Capture, Input, RawBytes};
use crate::transport::framing::{Framer, ListPart, Malformed};

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
    /// The list itself came, not only what it is.
    listed: bool,
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
        Self { input, state, head, limit, typed: false, listed: false, end: None }
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
                    if captured != RawBytes::Whole(Bytes::from_static(MAGIC)) {
                        return Err("no Kubernetes protobuf");
                    }
                    None
                }
                (State::Types(_), Some((captured, _))) => Some(self.types(captured)?),
                (State::Encoded(_), Some((captured, _))) => {
                    let plain = ["", MEDIA_TYPE].map(|plain| RawBytes::Whole(plain.into()));
                    if !plain.contains(&captured) {
                        return Err(ENCODED);
                    }
                    None
                }
                (State::Metadata(_), Some((RawBytes::Whole(metadata), _))) => {
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
                self.listed = true;
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
            let number = tag.unwrap_or(*value) >> 3;
            let field = match (*tag, tag.unwrap_or(*value) & 7) {
                (Some(_), 0) => Field { number, bytes: false, length: 0 },
                (Some(_), _) => Field { number, bytes: true, length: *value },
                (None, 1) => Field { number, bytes: false, length: 8 },
                (None, 5) => Field { number, bytes: false, length: 4 },
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

    fn types(&mut self, captured: RawBytes) -> Result<ListPart, &'static str> {
        let RawBytes::Whole(bytes) = captured else { return Err("what the list is has no end") };
        let (api_version, kind) =
            types(Cursor::new(&bytes, 0)).map_err(|_| "what the list is can't be read")?;
        self.typed = true;
        Ok(ListPart::Types { api_version: api_version.to_owned(), kind: kind.to_owned() })
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
            State::Envelope if self.listed && self.head.tag.is_none() && self.head.bytes == 0 => {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::decode::protobuf::encode::{envelope, field, int as number};

    /// The parts of a body that comes in frames of `cut` bytes.
    fn parts(body: &[u8], cut: usize, limit: usize) -> Result<Vec<ListPart>, Malformed> {
        let mut framer = ProtobufListFramer::new(limit);
        let mut parts = vec![];
        for frame in body.chunks(cut) {
            framer.push(Bytes::copy_from_slice(frame));
            while let Some(part) = framer.next() {
                parts.push(part?);
            }
        }
        match framer.within() {
            None => Ok(parts),
            Some(problem) => Err(Malformed { offset: body.len() as u64, problem }),
        }
    }

    fn items(parts: &[ListPart]) -> Vec<&RawBytes> {
        let mut items = vec![];
        for part in parts {
            if let ListPart::Item(item, _) = part {
                items.push(item);
            }
        }
        items
    }

    fn whole(bytes: &[u8]) -> RawBytes {
        RawBytes::Whole(Bytes::copy_from_slice(bytes))
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn any_list_comes_apart_the_same_however_it_is_cut(
            items in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..300), 0..5),
            other in proptest::collection::vec(any::<u8>(), 0..40),
            metadata_last in any::<bool>(),
            cut in 1usize..40,
        ) {
            let mut list: Vec<Vec<u8>> = items.iter().map(|item| field(2, item)).collect();
            list.push(field(77, &other));
            list.push(number(78, -1));
            list.push([&[0xf1, 4][..], &[7; 8], &[0xf5, 4], &[7; 4]].concat());
            list.insert(if metadata_last { list.len() } else { 0 }, field(1, field(2, "333")));
            let body = [envelope("v1", "PodList", &list.concat()), field(9, &other)].concat();
            let parts = parts(&body, cut, 1 << 20).unwrap();
            let kind = ListPart::Types { api_version: "v1".into(), kind: "PodList".into() };
            prop_assert_eq!(&parts[..2], &[kind, ListPart::Items]);
            let expected: Vec<_> = items.iter().map(|item| whole(item)).collect();
            prop_assert_eq!(super::tests::items(&parts), expected.iter().collect::<Vec<_>>());
            let metadata = parts.iter().find_map(|part| match part {
                ListPart::Metadata(bytes) => metadata(bytes),
                _ => None,
            });
            prop_assert_eq!(metadata.unwrap().version, Some("333".into()));
            for (part, item) in parts.iter().filter(|part| matches!(part, ListPart::Item(..))).zip(&items) {
                let ListPart::Item(_, offset) = part else { continue };
                let offset = usize::try_from(*offset).unwrap();
                prop_assert_eq!(&body[offset..offset + item.len()], &item[..]);
            }
        }

        #[test]
        fn no_bytes_make_it_panic_or_loop(
            bytes in proptest::collection::vec(
                prop_oneof![any::<u8>(), proptest::sample::select(&[0x0a, 0x12, 0x80, 0, 1, 2][..])],
                0..200,
            ),
            cut in 1usize..9,
        ) {
            let head = &envelope("v1", "PodList", b"")[..15];
            let _ = parts(&[head, &bytes].concat(), cut, 64);
            let _ = parts(&bytes, cut, 64);
        }

        #[test]
        fn a_body_that_breaks_off_is_never_whole(end in 0usize..1000) {
            let list = [field(1, ""), field(2, "abc"), field(2, [7; 200])].concat();
            let mut body = envelope("v1", "PodList", &list);
            body.truncate(body.len() - 4);
            let end = end % body.len();
            prop_assert!(parts(&body[..end], 7, 1 << 20).is_err(), "{end}");
        }
    }

    #[test]
    fn says_where_it_is_no_list() {
        let types = field(1, [field(1, "v1"), field(2, "PodList")].concat());
        let body = |rest: &[u8]| [&MAGIC[..], &types, rest].concat();
        let begin = body(b"").len() as u64;
        for (body, offset, problem) in [
            (b"{}{}".to_vec(), 4, "no Kubernetes protobuf"),
            ([&MAGIC[..], &field(2, "")].concat(), 6, "does not say what it is"),
            (body(&field(2, [0x12, 9, 1])), begin + 4, "longer than its list"),
            (body(&field(2, [0x12])), begin + 3, "ends within a field"),
            (body(&field(2, [0x0f, 1])), begin + 3, "no known wire type"),
            (body(&[0xff; 12]), begin + 11, "does not end"),
            (body(&field(4, "application/json")), begin + 18, "not plain protobuf"),
            (body(&[0x12, 5, 1]), begin + 2, ""),
        ] {
            for cut in [1, 99] {
                let error = parts(&body, cut, 99).unwrap_err();
                assert!(error.problem.contains(problem), "{body:?} {error:?}");
                assert!(
                    problem.is_empty() || error.offset == offset,
                    "{body:?} {error:?} {offset}"
                );
            }
        }
    }

    #[test]
    fn an_oversized_item_is_passed_over_and_its_neighbours_come() {
        let list = [field(2, "a"), field(2, vec![9; 100_000]), field(2, "b")].concat();
        let body = envelope("v1", "PodList", &list);
        for cut in [1, 7, 1000, 1 << 20] {
            let parts = parts(&body, cut, 50).unwrap();
            let oversized = RawBytes::Oversized(Bytes::copy_from_slice(&[9; 50]));
            assert_eq!(items(&parts), [&whole(b"a"), &oversized, &whole(b"b")]);
        }
    }

    #[test]
    fn metadata_says_what_comes_next() {
        let bytes = [field(1, ""), field(2, "7"), field(3, "token"), number(4, 12)].concat();
        let found = metadata(&bytes).unwrap();
        assert_eq!(found.version, Some(7.into()));
        assert_eq!((found.continue_token.as_deref(), found.remaining), (Some("token"), Some(12)));
        assert_eq!(
            metadata(&[field(2, ""), field(3, ""), number(4, -1)].concat()),
            Some(ListMetadata::default())
        );
        assert_eq!(metadata(b"\x12\x09"), None);
    }
}
