//! A framer of JSON lists.
//!
//! Each element of `items` is returned as soon as its last byte has arrived, and `metadata` is
//! returned whole, before or after the items. One element is buffered. Members may come in any
//! order, and unknown members are skipped.

use bytes::Bytes;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::lister_watcher::ListMetadata;
use crate::transport::framing::capture::{Capture, Input, RawBytes};
use crate::transport::framing::{Framer, ListPart, Malformed, stated_version};

/// The longest name of a member, in bytes. No known member has a longer one.
const LONGEST_NAME: usize = 1024;

/// The size limit of a list's metadata, in bytes.
const METADATA_LIMIT: usize = 1024 * 1024;

/// A framer of a JSON list.
#[derive(Debug)]
pub(in crate::transport) struct JsonListFramer {
    input: Input,
    state: ListState,
    limit: usize,
}

/// The result of one step.
enum ListStep {
    /// A part was completed.
    Part(ListPart),
    /// No part was completed yet.
    Continue,
    /// More bytes are needed.
    NeedsBytes,
}

#[derive(Debug)]
enum ListState {
    Start,
    /// Before a member's name. If `first`, the object may also end here.
    Name {
        first: bool,
    },
    InName(Capture),
    Colon(ListMember),
    Value(ListMember),
    InValue(ListMember, Capture),
    /// Before an item. If `first`, the array may also end here.
    Item {
        first: bool,
    },
    InItem(Capture),
    AfterItem,
    AfterValue,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListMember {
    Items,
    Metadata,
    ApiVersion,
    Kind,
    Other,
}

impl JsonListFramer {
    /// Creates a framer. `limit` is the largest size of an item, in bytes.
    pub(in crate::transport) fn new(limit: usize) -> Self {
        Self { input: Input::default(), state: ListState::Start, limit }
    }

    fn step(&mut self) -> Result<ListStep, &'static str> {
        match &mut self.state {
            ListState::InName(capture) => {
                let Some(name) = capture.feed(&mut self.input) else {
                    return Ok(ListStep::NeedsBytes);
                };
                // A name may have escapes.
                let text = match &name {
                    RawBytes::Whole(name) => serde_json::from_slice::<String>(name).ok(),
                    RawBytes::Oversized(_) => None,
                };
                let member = match text.as_deref() {
                    Some("items") => ListMember::Items,
                    Some("metadata") => ListMember::Metadata,
                    Some("kind") => ListMember::Kind,
                    Some("apiVersion") => ListMember::ApiVersion,
                    _ => ListMember::Other,
                };
                self.state = ListState::Colon(member);
                return Ok(ListStep::Continue);
            }
            ListState::InValue(member, capture) => {
                let Some(value) = capture.feed(&mut self.input) else {
                    return Ok(ListStep::NeedsBytes);
                };
                let (member, offset) = (*member, capture.offset());
                self.state = ListState::AfterValue;
                return match (member, value) {
                    (ListMember::Metadata, RawBytes::Whole(value)) => {
                        Ok(ListStep::Part(ListPart::Metadata(value, offset)))
                    }
                    (ListMember::Kind, RawBytes::Whole(value)) => {
                        let kind = serde_json::from_slice(&value).unwrap_or_default();
                        Ok(ListStep::Part(ListPart::Kind(kind)))
                    }
                    (ListMember::ApiVersion, RawBytes::Whole(value)) => {
                        let version = serde_json::from_slice(&value).unwrap_or_default();
                        Ok(ListStep::Part(ListPart::ApiVersion(version)))
                    }
                    // As if they were missing.
                    (ListMember::Items, RawBytes::Whole(value)) if value == "null" => {
                        Ok(ListStep::Continue)
                    }
                    (ListMember::Items, _) => Err("items is not an array"),
                    (ListMember::Metadata | ListMember::ApiVersion | ListMember::Kind, _) => {
                        Err("the list's metadata is too large")
                    }
                    (ListMember::Other, _) => Ok(ListStep::Continue),
                };
            }
            ListState::InItem(capture) => {
                let Some(item) = capture.feed(&mut self.input) else {
                    return Ok(ListStep::NeedsBytes);
                };
                let offset = capture.offset();
                self.state = ListState::AfterItem;
                return Ok(ListStep::Part(ListPart::Item(item, offset)));
            }
            _ => {}
        }
        let Some(token) = self.input.peek_token() else { return Ok(ListStep::NeedsBytes) };
        let (next, consumed) = match (&self.state, token) {
            (ListState::Start, b'{') => (ListState::Name { first: true }, 1),
            (ListState::Start, _) => return Err("not a JSON object"),
            (ListState::Name { .. }, b'"') => {
                (ListState::InName(Capture::new(&self.input, LONGEST_NAME)), 0)
            }
            (ListState::Name { first: true } | ListState::AfterValue, b'}') => (ListState::End, 1),
            (ListState::Name { .. }, _) => return Err("expected a member's name"),
            (ListState::Colon(member), b':') => (ListState::Value(*member), 1),
            (ListState::Colon(_), _) => return Err("expected a colon"),
            (ListState::Value(ListMember::Items), b'[') => (ListState::Item { first: true }, 1),
            (ListState::Item { first: true } | ListState::AfterItem, b']') => {
                (ListState::AfterValue, 1)
            }
            (ListState::Value(_) | ListState::Item { .. }, b',' | b'}' | b':' | b']') => {
                return Err("expected a value");
            }
            (ListState::Value(member), _) => {
                // Only the end of other members matters.
                let limit = if *member == ListMember::Other { 0 } else { METADATA_LIMIT };
                (ListState::InValue(*member, Capture::new(&self.input, limit)), 0)
            }
            (ListState::Item { .. }, _) => {
                (ListState::InItem(Capture::new(&self.input, self.limit)), 0)
            }
            (ListState::AfterItem, b',') => (ListState::Item { first: false }, 1),
            (ListState::AfterItem, _) => return Err("expected a comma or the end of the items"),
            (ListState::AfterValue, b',') => (ListState::Name { first: false }, 1),
            (ListState::AfterValue, _) => return Err("expected a comma or the end of the list"),
            (ListState::End, _) => return Err("something follows the list"),
            (ListState::InName(_) | ListState::InValue(..) | ListState::InItem(_), _) => {
                return Ok(ListStep::NeedsBytes);
            }
        };
        let items = matches!(self.state, ListState::Value(ListMember::Items))
            && matches!(next, ListState::Item { .. });
        self.state = next;
        self.input.skip(consumed);
        Ok(if items { ListStep::Part(ListPart::Items) } else { ListStep::Continue })
    }
}

impl Framer for JsonListFramer {
    type Part = ListPart;

    fn push(&mut self, frame: Bytes) {
        self.input.push(frame);
    }

    fn next(&mut self) -> Option<Result<ListPart, Malformed>> {
        loop {
            match self.step() {
                Ok(ListStep::Part(part)) => return Some(Ok(part)),
                Ok(ListStep::Continue) => {}
                Ok(ListStep::NeedsBytes) => return None,
                Err(problem) => {
                    return Some(Err(Malformed { offset: self.input.offset(), problem }));
                }
            }
        }
    }

    fn within(&self) -> Option<&'static str> {
        match self.state {
            ListState::End => None,
            ListState::Start => Some("nothing"),
            ListState::InItem(_) => Some("an item"),
            ListState::Item { .. } | ListState::AfterItem => Some("the items"),
            _ => Some("the list"),
        }
    }
}

/// Reads a list's metadata. The error is the position of the problem in `bytes`.
pub(in crate::transport) fn metadata(bytes: &[u8]) -> Result<ListMetadata, usize> {
    #[derive(Deserialize, Default)]
    #[serde(default, rename_all = "camelCase")]
    struct Metadata {
        resource_version: Option<String>,
        r#continue: Option<String>,
        remaining_item_count: Option<i64>,
        shard_info: Option<IgnoredAny>,
    }
    let metadata: Option<Metadata> =
        serde_json::from_slice(bytes).map_err(|error| position(bytes, &error))?;
    let metadata = metadata.unwrap_or_default();
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    Ok(ListMetadata {
        version: stated_version(metadata.resource_version),
        continue_token: filled(metadata.r#continue),
        remaining: metadata.remaining_item_count.and_then(|count| count.try_into().ok()),
        sharded: metadata.shard_info.is_some(),
    })
}

/// Returns the position of the error in the text.
fn position(text: &[u8], error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
    let start: usize = lines.map(<[u8]>::len).sum();
    let at = start + error.column().saturating_sub(1);
    // serde_json refuses a list or map of the wrong type before taking its first byte.
    let before = matches!(text.get(at), Some(b':' | b',' | b' ' | b'\n' | b'\r' | b'\t'));
    (at + usize::from(before && error.is_data())).min(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::any_json::any_json as json_value;

    type ItemsAndMetadata = (Vec<Vec<u8>>, Vec<Vec<u8>>);

    /// Returns items and metadata of a text that comes in frames of `cut` bytes.
    fn frames(text: &[u8], cut: usize, limit: usize) -> Result<ItemsAndMetadata, Malformed> {
        let mut framer = JsonListFramer::new(limit);
        let (mut items, mut metadata) = (vec![], vec![]);
        for frame in text.chunks(cut) {
            framer.push(Bytes::copy_from_slice(frame));
            while let Some(part) = framer.next() {
                match part? {
                    ListPart::Item(RawBytes::Whole(item), _) => items.push(item.to_vec()),
                    ListPart::Item(RawBytes::Oversized(head), _) => {
                        items.push([b"oversized ", &head[..]].concat());
                    }
                    ListPart::Metadata(value, _) => metadata.push(value.to_vec()),
                    _ => {}
                }
            }
        }
        match framer.within() {
            None => Ok((items, metadata)),
            Some(problem) => Err(Malformed { offset: text.len() as u64, problem }),
        }
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn list_parts_do_not_depend_on_cuts(
            items in proptest::collection::vec(json_value(), 0..5),
            other in json_value(),
            pretty in any::<bool>(),
            metadata_first in any::<bool>(),
            cut in 1usize..40,
        ) {
            let mut members = vec![("other", other), ("items", Value::from(items.clone()))];
            members.insert(if metadata_first { 0 } else { 2 }, ("metadata", json!({"a": 1})));
            let members = members.iter().map(|(name, value)| {
                let value = if pretty {
                    serde_json::to_string_pretty(value).unwrap()
                } else {
                    value.to_string()
                };
                format!("\"{name}\": {value}")
            });
            let text = format!("{{{}}}\n", members.collect::<Vec<_>>().join(","));
            let (found, metadata) = frames(text.as_bytes(), cut, 1 << 20).unwrap();
            let found: Vec<Value> =
                found.iter().map(|item| serde_json::from_slice(item).unwrap()).collect();
            prop_assert_eq!(found, items);
            prop_assert_eq!(metadata.len(), 1);
        }

        #[test]
        fn arbitrary_bytes_neither_panic_nor_loop(
            bytes in proptest::collection::vec(
                prop_oneof![any::<u8>(), proptest::sample::select(&br#"{}[],:" "items""#[..])],
                0..200,
            ),
            cut in 1usize..9,
        ) {
            let _ = frames(&bytes, cut, 64);
        }
    }

    #[test]
    fn null_and_absent_items_are_no_items() {
        for text in
            [r#"{"items":null}"#, "{}", r#"{"items":[]}"#, r#"{"metadata":{},"items" : null }"#]
        {
            assert_eq!(frames(text.as_bytes(), 3, 99).unwrap().0, Vec::<Vec<u8>>::new(), "{text}");
        }
    }

    #[test]
    fn escaped_names_are_those_of_their_members() {
        let text = r#"{"it\u0065ms":[1,2],"metad\u0061ta":{}}"#;
        let (items, metadata) = frames(text.as_bytes(), 3, 99).unwrap();
        assert_eq!((items.len(), metadata.len()), (2, 1));
    }

    #[test]
    fn metadata_states_a_shard_if_the_server_selected() {
        let sharded = |text: &str| metadata(text.as_bytes()).unwrap().sharded;
        assert!(sharded(r#"{"resourceVersion":"7","shardInfo":{"selector":"shardRange()"}}"#));
        assert!(!sharded(r#"{"resourceVersion":"7","shardInfo":null}"#));
        assert!(!sharded(r#"{"resourceVersion":"7"}"#) && !sharded("null"));
    }

    #[test]
    fn malformed_metadata_error_has_its_place() {
        for (text, at) in [
            (r#"{"resourceVersion":7}"#, 19),
            ("{\n\"continue\":\n [1]}", 15),
            ("7", 0),
            (r#"{"resourceVersion":"7",}"#, 23),
        ] {
            assert_eq!(metadata(text.as_bytes()), Err(at), "{text}");
        }
    }

    #[test]
    fn malformed_list_error_has_its_place() {
        for (text, offset) in [
            ("<html>", 0),
            ("[]", 0),
            (r#"{"items":{}}"#, 11),
            (r#"{"items":[1 2]}"#, 12),
            (r#"{"items":[1,]}"#, 12),
            (r#"{"a" 1}"#, 5),
            (r#"{"a":1 "b":2}"#, 7),
            (r#"{"a":1,}"#, 7),
            (r"{} x", 3),
            (r#"{"items":[{"a":1}"#, 17),
            ("", 0),
        ] {
            for cut in [1, 99] {
                let error = frames(text.as_bytes(), cut, 99).unwrap_err();
                assert_eq!(error.offset, offset, "{text} {error:?}");
            }
        }
    }

    #[test]
    fn oversized_item_does_not_affect_its_neighbours() {
        let big = format!("{{\"name\":\"big\",\"x\":\"{}\"}}", "y".repeat(100_000));
        let text = format!("{{\"items\":[1,{big},2]}}");
        for cut in [1, 7, 1000, 1 << 20] {
            let (items, _) = frames(text.as_bytes(), cut, 50).unwrap();
            assert_eq!((&items[0][..], &items[2][..]), (&b"1"[..], &b"2"[..]));
            assert_eq!(items[1], [b"oversized ", &big.as_bytes()[..50]].concat());
        }
    }
}
