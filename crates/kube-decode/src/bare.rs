//! Encoded objects without `metadata.managedFields`, which are up to half of their bytes, or with
//! only one manager's entries.
//!
//! The field or its entries are cut out. Everything else stays as it came, so a decoder that skips
//! the field returns the same object.

use std::ops::Range;

use super::json::Reader;
use super::protobuf::{Cursor, MAGIC};

/// The numbers of the object's message in the envelope, of the metadata, and of the managed fields.
const MESSAGE: u32 = 2;
const METADATA: u32 = 1;
const MANAGED_FIELDS: u32 = 17;

/// The number of an entry's manager.
const MANAGER: u32 = 1;

/// Returns an object in JSON without its managed fields. `None` if it has none, or an unusual form.
#[must_use]
pub fn json(object: &[u8]) -> Option<Vec<u8>> {
    let reader = Reader::new(object);
    reader.find("metadata")?;
    let (start, is_first) = reader.find("managedFields")?;
    reader.skip().ok()?;
    let end = reader.position();
    // The comma before the member goes with it. If there is none, the one behind it does.
    let end = if is_first && reader.peek()? == b',' { reader.position() + 1 } else { end };
    Some([&object[..start], &object[end..]].concat())
}

/// Returns an object in JSON with only this manager's entries. `None` if it has no others, or an
/// unusual form.
#[must_use]
pub fn json_of(object: &[u8], manager: &str) -> Option<Vec<u8>> {
    let reader = Reader::new(object);
    reader.find("metadata")?;
    reader.find("managedFields")?;
    if reader.peek()? != b'[' {
        return None;
    }
    let start = reader.position();
    reader.open().ok()?;
    let (mut kept, mut count) = (Vec::new(), 0);
    while reader.next_element(count == 0).ok()? {
        count += 1;
        let entry = reader.raw().ok()?.as_bytes();
        if is_of(entry, manager) {
            kept.push(entry);
        }
    }
    match kept.len() {
        0 => json(object),
        kept if kept == count => None,
        _ => {
            let end = &object[reader.position()..];
            Some([&object[..start], b"[", &kept.join(&b','), b"]", end].concat())
        }
    }
}

/// Returns whether an entry in JSON has this manager.
fn is_of(entry: &[u8], manager: &str) -> bool {
    let reader = Reader::new(entry);
    let found = reader.find("manager").filter(|_| reader.peek() == Some(b'"'));
    found.is_some() && reader.text().is_ok_and(|name| name.as_str() == manager)
}

/// Returns an object in protobuf without its managed fields: a message, in an envelope or without
/// one. `None` if it has none, or an unusual form.
#[must_use]
pub fn protobuf(object: &[u8], in_envelope: bool) -> Option<Vec<u8>> {
    protobuf_of(object, in_envelope, None)
}

/// Returns an object in protobuf with only this manager's entries, or with none. `None` if it has
/// no others, or an unusual form.
#[must_use]
pub fn protobuf_of(object: &[u8], in_envelope: bool, manager: Option<&str>) -> Option<Vec<u8>> {
    let whole = if in_envelope && object.starts_with(MAGIC) { MAGIC.len() } else { 0 };
    let path: &[u32] = if in_envelope { &[MESSAGE, METADATA] } else { &[METADATA] };
    let (mut outer, mut lengths) = (whole..object.len(), [const { 0..0 }; 2]);
    for (number, length) in path.iter().zip(&mut lengths) {
        (*length, outer) = only(object, outer, *number)?;
    }
    let mut cuts = Vec::new();
    let mut fields = Cursor::new(&object[outer.clone()], outer.start);
    loop {
        let start = fields.offset();
        let Some(field) = fields.next().ok()? else { break };
        if field.number != MANAGED_FIELDS {
            continue;
        }
        if let Some(manager) = manager
            && let Ok(entry) = field.bytes()
            && let Some((_, name)) = only(entry, 0..entry.len(), MANAGER)
            && entry[name.clone()] == *manager.as_bytes()
        {
            continue;
        }
        cuts.push(start..fields.offset());
    }
    let cut: usize = cuts.iter().map(ExactSizeIterator::len).sum();
    if cut == 0 {
        return None;
    }
    let (mut bare, mut at) = (Vec::with_capacity(object.len() - cut), 0);
    for length in lengths.into_iter().filter(|length| !length.is_empty()) {
        bare.extend_from_slice(&object[at..length.start]);
        at = length.end;
        write_length(&mut bare, &object[length], cut);
    }
    for cut in cuts {
        bare.extend_from_slice(&object[at..cut.start]);
        at = cut.end;
    }
    bare.extend_from_slice(&object[at..]);
    Some(bare)
}

/// Returns the places of the length and the content of the only field with this number. `None` if
/// there are several.
fn only(object: &[u8], message: Range<usize>, number: u32) -> Option<(Range<usize>, Range<usize>)> {
    let mut fields = Cursor::new(&object[message.clone()], message.start);
    let mut found = None;
    loop {
        let start = fields.offset();
        let Some(field) = fields.next().ok()? else { return found };
        if field.number == number {
            let content = field.offset..field.offset + field.bytes().ok()?.len();
            let head = object[start..].iter().position(|byte| *byte < 0x80)? + 1;
            if found.replace((start + head..field.offset, content)).is_some() {
                return None;
            }
        }
    }
}

/// Writes a length that is smaller by `cut`, in as many bytes as before, so that no other length
/// changes.
fn write_length(bare: &mut Vec<u8>, length: &[u8], cut: usize) {
    let read = |value, byte: &u8| value << 7 | usize::from(byte & 0x7f);
    let mut left = length.iter().rev().fold(0, read) - cut;
    for n in 1..=length.len() {
        let more = if n < length.len() { 0x80 } else { 0 };
        bare.push(u8::try_from(left & 0x7f).unwrap_or_default() | more);
        left >>= 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protobuf::encode::{field, int};

    #[test]
    fn managed_fields_are_cut_out_of_json() {
        for (object, bare) in [
            (
                r#"{"metadata":{"name":"a","managedFields":[{"x":"}"}]},"b":1}"#,
                r#"{"metadata":{"name":"a"},"b":1}"#,
            ),
            (r#"{"metadata":{"managedFields":[],"name":"a"}}"#, r#"{"metadata":{"name":"a"}}"#),
            (
                r#"{ "metadata" : { "managedFields" : null , "a":1} }"#,
                r#"{ "metadata" : { "a":1} }"#,
            ),
            (r#"{"metadata":{"managedFields":[]}}"#, r#"{"metadata":{}}"#),
            (
                r#"{"a":{"metadata":{"managedFields":1}},"metadata":{"b":[1] , "managedFields":2 }}"#,
                r#"{"a":{"metadata":{"managedFields":1}},"metadata":{"b":[1] }}"#,
            ),
        ] {
            assert_eq!(String::from_utf8(json(object.as_bytes()).unwrap()).unwrap(), bare);
        }
        for object in [
            "",
            "[]",
            "null",
            r#"{"metadata":[]}"#,
            r#"{"metadata":{"name":"a"}}"#,
            r#"{"metadata":{"managedFields":[}}"#,
            r#"{"metadata":{"managedFields":1"#,
            r#"{"managedFields":1}"#,
            r#"{"metadata":{},"managedFields":1}"#,
        ] {
            assert_eq!(json(object.as_bytes()), None, "{object}");
        }
    }

    #[test]
    fn entries_of_other_managers_are_cut_out() {
        for (entries, kept) in [
            (r#"[{"manager":"a"}, {"manager":"b","x":["]"]} ,{"manager":"\u0061"}]"#, 2),
            (r#"[{"manager":"b"},{"manager":"a"},{},null,{"manager":1}]"#, 1),
            (r#"[{"manager":"b"},{"x":{"manager":"a"}}]"#, 0),
        ] {
            let object =
                format!(r#"{{"metadata":{{"managedFields":{entries},"name":"n"}},"b":1}}"#);
            let found = json_of(object.as_bytes(), "a").unwrap();
            let found: serde_json::Value = serde_json::from_slice(&found).unwrap();
            let entries = found["metadata"]["managedFields"].as_array();
            assert_eq!(entries.map_or(0, Vec::len), kept, "{found}");
            assert!(entries.into_iter().flatten().all(|entry| entry["manager"] == "a"));
            assert_eq!((&found["metadata"]["name"], &found["b"]), (&"n".into(), &1.into()));
        }
        for object in [
            r#"{"metadata":{"managedFields":[{"manager":"a"}]}}"#,
            r#"{"metadata":{"managedFields":{"manager":"b"}}}"#,
            r#"{"metadata":{"managedFields":[{"manager":"b"},]}}"#,
            r#"{"metadata":{}}"#,
        ] {
            assert_eq!(json_of(object.as_bytes(), "a"), None, "{object}");
        }
        let entry = |name| field(17, [field(1, name), field(2, "Apply")].concat());
        let message = |entries: &[Vec<u8>]| field(1, [field(1, "n"), entries.concat()].concat());
        let all = message(&[entry("b"), entry("a"), field(17, ""), entry("ab")]);
        assert_eq!(protobuf_of(&all, false, Some("a")).unwrap(), message(&[entry("a")]));
        assert_eq!(protobuf_of(&message(&[entry("a")]), false, Some("a")), None);
    }

    #[test]
    fn managed_fields_are_cut_out_of_protobuf() {
        let (name, entry) = (field(1, "a"), field(17, "x".repeat(200)));
        let parts = [&name[..], &entry, &field(11, ""), &entry, &int(99, 7)].concat();
        let rest = field(2, field(1, [&entry[..], &name].concat()));
        let message = [field(1, parts), rest.clone()].concat();
        let bare = protobuf(&message, false).unwrap();
        assert_eq!(bare.len(), message.len() - 2 * entry.len());
        // The length takes as many bytes as before.
        let kept = [&name[..], &field(11, ""), &int(99, 7)].concat();
        let length = [u8::try_from(kept.len()).unwrap() | 0x80, 0];
        assert_eq!(bare, [&[0x0a][..], &length, &kept, &rest].concat());

        let types = field(1, "types");
        let envelope =
            |message: &[u8]| [&MAGIC[..], &types, &field(2, message), &field(3, "")].concat();
        let inside = protobuf(&envelope(&message), true).unwrap();
        let expected = envelope(&message).len() - 2 * entry.len();
        assert_eq!(inside.len(), expected);
        assert!(memchr::memmem::find(&inside, &bare).is_some());
        for (object, in_envelope) in [
            (bare, false),
            (inside, true),
            (vec![], false),
            (vec![], true),
            ([&message[..], &message].concat(), false),
            (message[..100].to_vec(), false),
            (int(1, 7), false),
        ] {
            assert_eq!(protobuf(&object, in_envelope), None);
        }
    }
}
