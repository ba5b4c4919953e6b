//! A framer of protobuf lists.
//!
//! Each item is returned as soon as its last byte has arrived, as the bytes of its message. One
//! item is buffered. The envelope states the list's type before the list begins. Unknown fields are
//! skipped.

use bytes::Bytes;
use kube_decode::DecodeError;
use kube_decode::protobuf::Cursor;
use kube_decode::protobuf::text;
use kube_decode::protobuf::{ENCODED, MAGIC, MEDIA_TYPE, types};

use crate::lister_watcher::ListMetadata;
use crate::transport::framing::capture::{Capture, Input, RawBytes};
use crate::transport::framing::{Framer, ListPart, Malformed, stated_version};

/// The size limit of a list's metadata, in bytes.
const METADATA_LIMIT: usize = 1024 * 1024;

/// The size limit of a list's type and of the name of its encoding, in bytes.
const TYPES_LIMIT: usize = 4096;

/// A framer of a protobuf list.
#[derive(Debug)]
pub(in crate::transport) struct ProtobufListFramer {
    input: Input,
    state: ListState,
    head: Head,
    limit: usize,
    typed: bool,
    /// True if the list itself has begun, after its type.
    listed: bool,
    /// The position of the list's end in the body. `None` before the list begins.
    end: Option<u64>,
}

#[derive(Debug)]
enum ListState {
    Magic(Capture),
    /// Before a field of the envelope, or inside its head.
    Envelope,
    /// Before a field of the list, or inside its head.
    List,
    Types(Capture),
    /// Inside the name of the list's encoding, which follows the list.
    Encoded(Capture),
    Metadata(Capture),
    Item(Capture),
    Skip(Capture),
}

/// The bytes of a field's head received so far.
#[derive(Debug, Default)]
struct Head {
    tag: Option<u64>,
    value: u64,
    bytes: u32,
}

/// A field whose head is complete: its number, and the length of the rest.
struct Field {
    number: u64,
    /// True if the field holds bytes. False if it holds a number.
    bytes: bool,
    length: u64,
}

impl ProtobufListFramer {
    /// Creates a framer. `limit` is the largest size of an item, in bytes.
    pub(in crate::transport) fn new(limit: usize) -> Self {
        let input = Input::default();
        let magic = Capture::of_length(&input, MAGIC.len(), MAGIC.len());
        let (state, head) = (ListState::Magic(magic), Head::default());
        Self { input, state, head, limit, typed: false, listed: false, end: None }
    }

    /// Returns the next part. `None` if more bytes are needed.
    fn step(&mut self) -> Result<Option<ListPart>, &'static str> {
        loop {
            let captured = match &mut self.state {
                ListState::Envelope | ListState::List => None,
                ListState::Magic(capture)
                | ListState::Types(capture)
                | ListState::Encoded(capture)
                | ListState::Metadata(capture)
                | ListState::Item(capture)
                | ListState::Skip(capture) => {
                    let Some(captured) = capture.feed(&mut self.input) else { return Ok(None) };
                    Some((captured, capture.offset()))
                }
            };
            let next = if self.end.is_some() { ListState::List } else { ListState::Envelope };
            let part = match (std::mem::replace(&mut self.state, next), captured) {
                (ListState::Magic(_), Some((captured, _))) => {
                    if captured != RawBytes::Whole(Bytes::from_static(MAGIC)) {
                        return Err("not Kubernetes protobuf");
                    }
                    None
                }
                (ListState::Types(_), Some((captured, _))) => Some(self.types(captured)?),
                (ListState::Encoded(_), Some((captured, _))) => {
                    let plain = ["", MEDIA_TYPE].map(|plain| RawBytes::Whole(plain.into()));
                    if !plain.contains(&captured) {
                        return Err(ENCODED);
                    }
                    None
                }
                (ListState::Metadata(_), Some((RawBytes::Whole(metadata), offset))) => {
                    Some(ListPart::Metadata(metadata, offset))
                }
                (ListState::Metadata(_), Some(_)) => {
                    return Err("the list's metadata is too large");
                }
                (ListState::Item(_), Some((item, offset))) => Some(ListPart::Item(item, offset)),
                _ => None,
            };
            if part.is_some() {
                return Ok(part);
            }
            if matches!(self.state, ListState::List) && self.end == Some(self.input.offset()) {
                if self.head.bytes > 0 || self.head.tag.is_some() {
                    return Err("the list ends within a field");
                }
                self.state = ListState::Envelope;
                self.end = None;
            }
            let Some(field) = self.field()? else { return Ok(None) };
            if let Some(part) = self.enter(&field)? {
                return Ok(Some(part));
            }
        }
    }

    /// Begins the value of a field.
    fn enter(&mut self, field: &Field) -> Result<Option<ListPart>, &'static str> {
        let in_list = matches!(self.state, ListState::List);
        let length = usize::try_from(field.length).map_err(|_| "a field is too long")?;
        let end = self.input.offset().checked_add(field.length).ok_or("a field is too long")?;
        if self.end.is_some_and(|list| end > list) {
            return Err("a field is longer than its list");
        }
        let capture = |limit| Capture::of_length(&self.input, length, limit);
        self.state = match (in_list, field.number) {
            _ if !field.bytes => ListState::Skip(capture(0)),
            (false, 1) => ListState::Types(capture(TYPES_LIMIT)),
            (false, 2) if !self.typed => return Err("the list does not state its type"),
            (false, 2) => {
                self.state = ListState::List;
                self.listed = true;
                self.end = Some(end);
                return Ok(Some(ListPart::Items));
            }
            (false, 3 | 4) => ListState::Encoded(capture(TYPES_LIMIT)),
            (true, 1) => ListState::Metadata(capture(METADATA_LIMIT)),
            (true, 2) => ListState::Item(capture(self.limit)),
            _ => ListState::Skip(capture(0)),
        };
        Ok(None)
    }

    /// Returns the head of the next field when it is complete. A number is skipped with its head.
    fn field(&mut self) -> Result<Option<Field>, &'static str> {
        while self.end != Some(self.input.offset()) {
            let Some(byte) = self.input.peek() else { return Ok(None) };
            self.input.skip(1);
            let Head { tag, value, bytes } = &mut self.head;
            if *bytes == 10 {
                return Err("a number does not end");
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
                _ => return Err("a field has no known wire type"),
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
        let RawBytes::Whole(bytes) = captured else { return Err("the list's type is too large") };
        let (api_version, kind) = types(Cursor::new(&bytes, 0), ("", ""))
            .map_err(|_| "the list's type cannot be read")?;
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
            ListState::Magic(_) => Some("nothing"),
            ListState::Envelope
                if self.listed && self.head.tag.is_none() && self.head.bytes == 0 =>
            {
                None
            }
            ListState::Item(_) => Some("an item"),
            ListState::List => Some("the items"),
            _ => Some("the list"),
        }
    }
}

/// Reads a list's metadata. The error is the position of the problem in `bytes`.
pub(in crate::transport) fn metadata(bytes: &[u8]) -> Result<ListMetadata, usize> {
    read_metadata(bytes).map_err(|error| error.offset().unwrap_or_default())
}

fn read_metadata(bytes: &[u8]) -> Result<ListMetadata, DecodeError> {
    let mut metadata = ListMetadata::default();
    let mut fields = Cursor::new(bytes, 0);
    while let Some(field) = fields.next()? {
        match field.number {
            2 => {
                metadata.version = stated_version(Some(text(field.bytes()?).into_owned()));
            }
            3 => {
                let token = text(field.bytes()?);
                metadata.continue_token = (!token.is_empty()).then(|| token.into_owned());
            }
            4 => metadata.remaining = field.int()?.try_into().ok(),
            5 => metadata.sharded = true,
            _ => {}
        }
    }
    Ok(metadata)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use kube_decode::protobuf::encode::{envelope, field, int as number};

    /// Returns the parts of a body that comes in frames of `cut` bytes.
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
        fn list_parts_do_not_depend_on_cuts(
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
                ListPart::Metadata(bytes, _) => metadata(bytes).ok(),
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
        fn arbitrary_bytes_neither_panic_nor_loop(
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
        fn cut_body_is_never_complete(end in 0usize..1000) {
            let list = [field(1, ""), field(2, "abc"), field(2, [7; 200])].concat();
            let mut body = envelope("v1", "PodList", &list);
            body.truncate(body.len() - 4);
            let end = end % body.len();
            prop_assert!(parts(&body[..end], 7, 1 << 20).is_err(), "{end}");
        }
    }

    #[test]
    fn malformed_list_error_has_its_place() {
        let types = field(1, [field(1, "v1"), field(2, "PodList")].concat());
        let body = |rest: &[u8]| [&MAGIC[..], &types, rest].concat();
        let begin = body(b"").len() as u64;
        for (body, offset, problem) in [
            (b"{}{}".to_vec(), 4, "not Kubernetes protobuf"),
            ([&MAGIC[..], &field(2, "")].concat(), 6, "does not state its type"),
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
    fn oversized_item_does_not_affect_its_neighbours() {
        let list = [field(2, "a"), field(2, vec![9; 100_000]), field(2, "b")].concat();
        let body = envelope("v1", "PodList", &list);
        for cut in [1, 7, 1000, 1 << 20] {
            let parts = parts(&body, cut, 50).unwrap();
            let oversized = RawBytes::Oversized(Bytes::copy_from_slice(&[9; 50]));
            assert_eq!(items(&parts), [&whole(b"a"), &oversized, &whole(b"b")]);
        }
    }

    #[test]
    fn metadata_has_the_continue_token() {
        let bytes = [field(1, ""), field(2, "7"), field(3, "token"), number(4, 12)].concat();
        let found = metadata(&bytes).unwrap();
        assert_eq!(found.version, Some(7.into()));
        assert_eq!((found.continue_token.as_deref(), found.remaining), (Some("token"), Some(12)));
        assert!(!found.sharded);
        assert!(metadata(&[bytes, field(5, field(1, "shardRange()"))].concat()).unwrap().sharded);
        assert_eq!(
            metadata(&[field(2, ""), field(3, ""), number(4, -1)].concat()),
            Ok(ListMetadata::default())
        );
        assert_eq!(metadata(b"\x12\x09"), Err(2));
        assert_eq!(metadata(&[field(1, "x"), number(2, 7)].concat()), Err(4));
    }
}
