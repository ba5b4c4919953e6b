//! Reads what an object says of itself without decoding it.
//!
//! Works on an object that no type fits, and as far as it goes on one that breaks off. An object's
//! metadata is the first field of every kind, so it comes early.

use super::envelope::MAGIC;
use super::wire::{Cursor, Raw};
use crate::transport::framer::Peeked;

/// Reads as much as there is, with the envelope or without.
pub(in crate::transport) fn peek(object: &[u8]) -> Peeked {
    let mut peeked = Peeked::default();
    match object.strip_prefix(MAGIC) {
        Some(fields) => each(Cursor::new(fields, 0), |field, _| match field.number {
            1 => each(inner(field), |field, whole| {
                if field.number == 2 {
                    set(&mut peeked.kind, field, whole);
                }
            }),
            2 => message(inner(field), &mut peeked),
            _ => {}
        }),
        None => message(Cursor::new(object, 0), &mut peeked),
    }
    peeked
}

fn message(fields: Cursor<'_>, peeked: &mut Peeked) {
    each(fields, |field, _| {
        if field.number == 1 {
            metadata(inner(field), peeked);
        }
    });
}

fn metadata(fields: Cursor<'_>, peeked: &mut Peeked) {
    each(fields, |field, whole| match field.number {
        1 => set(&mut peeked.name, field, whole),
        3 => set(&mut peeked.namespace, field, whole),
        6 => set(&mut peeked.version, field, whole),
        12 => {
            let (mut key, mut value) = (None, None);
            each(inner(field), |field, whole| match field.number {
                1 => set(&mut key, field, whole),
                2 => set(&mut value, field, whole),
                _ => {}
            });
            if key.as_deref() == Some("k8s.io/initial-events-end") {
                peeked.initial_events_end = value.as_deref() == Some("true");
            }
        }
        _ => {}
    });
}

fn each<'a>(mut fields: Cursor<'a>, mut visit: impl FnMut(Raw<'a>, bool)) {
    while let Some((field, whole)) = fields.next_torn() {
        visit(field, whole);
    }
}

/// The message a field holds; where it holds none, an empty one.
fn inner(field: Raw<'_>) -> Cursor<'_> {
    field.message().unwrap_or(Cursor::new(b"", field.offset))
}

/// Takes a text; half of one is none, and so is an empty one, which stands for nothing.
fn set(to: &mut Option<String>, field: Raw<'_>, whole: bool) {
    let text = field.bytes().ok().and_then(|bytes| std::str::from_utf8(bytes).ok());
    *to = text.filter(|text| whole && !text.is_empty()).map(str::to_owned);
}
