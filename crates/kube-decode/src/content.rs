//! Encoded objects without some of their fields, so that two states can be compared by their bytes.
//!
//! The fields are passed over, and nothing is decoded. Two objects without the same fields have
//! equal bytes only if the rest of them is equal. The rest may be equal although the bytes differ,
//! but only if the encoder ordered or wrote the parts differently.

use std::ops::Range;

use serde_json::Value;

use super::FieldSet;
use super::field_set::Wanted;
use super::json::Reader;
use super::protobuf::schema::{INLINE, Kind, MessageId, Shape};
use super::protobuf::{Cursor, ProtobufObject};

/// Returns an object in JSON without these fields. `None` if it is not JSON.
#[must_use]
pub fn json(object: &[u8], without: &FieldSet) -> Option<Vec<u8>> {
    let (reader, mut cuts) = (Reader::new(object), Vec::new());
    find(&reader, without, &mut cuts)?;
    reader.end().ok()?;
    let (mut rest, mut at) = (Vec::with_capacity(object.len()), 0);
    for cut in cuts {
        rest.extend_from_slice(object.get(at..cut.start)?);
        at = cut.end;
    }
    rest.extend_from_slice(object.get(at..)?);
    Some(rest)
}

/// Finds the fields in the value that comes next, with the commas that go with them.
fn find(reader: &Reader<'_>, without: &FieldSet, cuts: &mut Vec<Range<usize>>) -> Option<()> {
    let (mut first, mut keeps) = (true, false);
    match reader.peek()? {
        b'{' => {
            reader.open().ok()?;
            loop {
                let before = reader.position();
                if !reader.next_member(first).ok()? {
                    return Some(());
                }
                let start = reader.position();
                let name = reader.text().ok()?;
                reader.colon().ok()?;
                let wanted = without.of(name.as_str());
                if wanted != Some(&Wanted::All) && !keeps && !first {
                    // Every member before this one is cut, so the comma goes, too.
                    cuts.push(before..start);
                }
                match wanted {
                    Some(Wanted::Some(within)) => find(reader, within, cuts)?,
                    _ => reader.skip().ok()?,
                }
                if wanted == Some(&Wanted::All) {
                    cuts.push(before..reader.position());
                } else {
                    keeps = true;
                }
                first = false;
            }
        }
        b'[' => {
            reader.open().ok()?;
            while reader.next_element(first).ok()? {
                find(reader, without, cuts)?;
                first = false;
            }
            Some(())
        }
        _ => reader.skip().ok(),
    }
}

/// Returns an object in protobuf without these fields, in a form that is only for comparison.
/// `None` if it is malformed, or if a path leads into JSON within the message.
#[must_use]
pub fn protobuf(object: &ProtobufObject<'_>, without: &FieldSet) -> Option<Vec<u8>> {
    let mut rest = Vec::with_capacity(object.message().len());
    let id = MessageId::numbered(object.message_number());
    write_rest(&mut rest, object.message(), id, without)?;
    Some(rest)
}

/// Writes the fields of a message that are not in the set.
fn write_rest(rest: &mut Vec<u8>, message: &[u8], id: MessageId, without: &FieldSet) -> Option<()> {
    let (mut fields, mut map) = (Cursor::new(message, 0), 0);
    loop {
        let start = fields.offset();
        let Some(raw) = fields.next().ok()? else { return Some(()) };
        let field = id.fields().iter().find(|field| u32::from(field.number) == raw.number);
        let inline = field.is_some_and(|field| field.is(INLINE));
        let within = match field.map(|field| without.of(field.name())) {
            Some(Some(Wanted::All)) => continue,
            Some(Some(Wanted::Some(within))) => within,
            _ if inline => without,
            _ => {
                rest.extend_from_slice(&message[start..fields.offset()]);
                continue;
            }
        };
        let field = field?;
        let whole = &message[start..fields.offset()];
        match (field.shape, field.kind) {
            (Shape::Map, kind) => {
                if std::mem::replace(&mut map, raw.number) != raw.number {
                    // The map is there even if every entry is left out.
                    rest.extend_from_slice(&raw.number.to_le_bytes());
                }
                let (key, value) = entry(raw.bytes().ok()?)?;
                match within.of(key) {
                    Some(Wanted::All) => {}
                    Some(Wanted::Some(within)) if kind == Kind::Message => {
                        write_framed(rest, raw.number, |rest| {
                            rest.extend_from_slice(key.as_bytes());
                            // Ends the key, because no text holds this byte.
                            rest.push(0xff);
                            write_rest(rest, value, field.target(), within)
                        })?;
                    }
                    Some(Wanted::Some(_)) if !is_leaf(kind) => return None,
                    _ => rest.extend_from_slice(whole),
                }
            }
            (_, Kind::Message) => write_framed(rest, raw.number, |rest| {
                write_rest(rest, raw.bytes().ok()?, field.target(), within)
            })?,
            (_, kind) if is_leaf(kind) => rest.extend_from_slice(whole),
            _ => return None,
        }
    }
}

/// Returns whether JSON has no members below a value of this kind.
fn is_leaf(kind: Kind) -> bool {
    use Kind::{Bool, Bytes, Double, Int, IntOrString, MicroTime, Quantity, String, Time};
    matches!(kind, String | Bytes | Int | Bool | Double | Time | MicroTime | Quantity | IntOrString)
}

/// Writes a message with its length, which is that of what is left of it.
fn write_framed(
    rest: &mut Vec<u8>,
    number: u32,
    write: impl FnOnce(&mut Vec<u8>) -> Option<()>,
) -> Option<()> {
    rest.extend_from_slice(&number.to_le_bytes());
    let length = rest.len();
    rest.extend_from_slice(&[0; 8]);
    let start = rest.len();
    write(rest)?;
    let written = u64::try_from(rest.len() - start).ok()?;
    rest.get_mut(length..start)?.copy_from_slice(&written.to_le_bytes());
    Some(())
}

/// Returns the key and the value of a map's entry.
fn entry(entry: &[u8]) -> Option<(&str, &[u8])> {
    let (mut fields, mut key, mut value) = (Cursor::new(entry, 0), "", &b""[..]);
    while let Some(raw) = fields.next().ok()? {
        match raw.number {
            1 => key = std::str::from_utf8(raw.bytes().ok()?).ok()?,
            2 => value = raw.bytes().unwrap_or_default(),
            _ => {}
        }
    }
    Some((key, value))
}

/// Removes these fields from an object.
pub fn remove(object: &mut Value, fields: &FieldSet) {
    match object {
        Value::Object(members) => members.retain(|name, value| match fields.of(name) {
            Some(Wanted::All) => false,
            Some(Wanted::Some(within)) => {
                remove(value, within);
                true
            }
            None => true,
        }),
        Value::Array(elements) => elements.iter_mut().for_each(|element| remove(element, fields)),
        _ => {}
    }
}

#[cfg(test)]
#[path = "content/tests.rs"]
mod tests;
