//! Reads parts of an object without decoding it.
//!
//! It works on an object that no type fits, and on the beginning of an object that is cut off. An
//! object's metadata is the first field of every kind, so it comes early.

use crate::decode::protobuf::{Cursor, Raw};
use crate::decode::protobuf::{MAGIC, ProtobufObject};
use crate::object::ObjectState;
use crate::transport::framing::Peeked;

/// Reads the key, uid and version of an object, with or without an envelope. `None` if they are
/// missing.
///
/// It allocates nothing and stops at the metadata's version, which comes after the names.
pub(in crate::transport) fn state(object: &[u8]) -> Option<ObjectState<'_>> {
    let message = match object.strip_prefix(MAGIC) {
        Some(_) => ProtobufObject::from_envelope(object).ok()?.message(),
        None => object,
    };
    let mut fields = Cursor::new(message, 0);
    let mut metadata = loop {
        let field = fields.next().ok()??;
        if field.number == 1 {
            break field.message().ok()?;
        }
    };
    let (mut namespace, mut name, mut uid, mut version) = (None, None, None, None);
    while let Some(field) = metadata.next().ok()? {
        let to = match field.number {
            1 => &mut name,
            3 => &mut namespace,
            5 => &mut uid,
            6 => &mut version,
            _ => continue,
        };
        let text = std::str::from_utf8(field.bytes().ok()?).ok()?;
        *to = (!text.is_empty()).then_some(text);
        if let (Some(name), Some(uid), Some(version)) = (name, uid, version) {
            return Some(ObjectState { namespace, name, uid, version });
        }
    }
    None
}

/// Reads as much as the bytes contain, with or without an envelope.
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

/// Returns the message in a field. It is empty if the field holds none.
fn inner(field: Raw<'_>) -> Cursor<'_> {
    field.message().unwrap_or(Cursor::new(b"", field.offset))
}

/// Stores a text. A text that is cut off, or empty, is ignored.
fn set(to: &mut Option<String>, field: Raw<'_>, whole: bool) {
    let text = field.bytes().ok().and_then(|bytes| std::str::from_utf8(bytes).ok());
    *to = text.filter(|text| whole && !text.is_empty()).map(str::to_owned);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::decode::protobuf::encode::{envelope, field, named};

    fn object() -> Vec<u8> {
        let annotation =
            |key: &str, value: &str| field(12, [field(1, key), field(2, value)].concat());
        let metadata = [
            field(1, "web"),
            field(2, ""),
            field(3, "shop"),
            field(6, "7"),
            annotation("a", "b"),
            annotation("k8s.io/initial-events-end", "true"),
        ];
        [field(1, metadata.concat()), field(2, field(1, "no"))].concat()
    }

    #[test]
    fn peek_reads_key_kind_and_version() {
        let mut expected = Peeked {
            kind: None,
            name: Some("web".into()),
            namespace: Some("shop".into()),
            version: Some("7".into()),
            initial_events_end: true,
        };
        assert_eq!(peek(&object()), expected);
        expected.kind = Some("Pod".into());
        assert_eq!(peek(&envelope("v1", "Pod", &object())), expected);
    }

    #[test]
    fn state_is_read_up_to_the_version() {
        let expected =
            ObjectState { namespace: Some("shop"), name: "web", uid: "u-1", version: "7" };
        let metadata = [
            field(1, "web"),
            field(2, "we"),
            field(3, "shop"),
            field(4, ""),
            field(5, "u-1"),
            field(6, "7"),
            vec![0xff],
        ];
        let object = [field(1, metadata.concat()), field(2, [0xff])].concat();
        assert_eq!(state(&object), Some(expected));
        assert_eq!(state(&envelope("v1", "Pod", &object)), Some(expected));
        assert_eq!(state(&envelope("example.com/v1", "Thing", &object)), None);
        for end in 0..metadata[..6].concat().len() {
            assert_eq!(state(&object[..end]), None, "{end}");
            assert_eq!(state(&field(1, &metadata.concat()[..end])), None, "{end}");
        }
        for missing in [0, 4, 5] {
            let mut metadata = metadata[..6].to_vec();
            metadata[missing] = field(missing as u64 + 1, "");
            assert_eq!(state(&field(1, metadata.concat())), None);
        }
    }

    #[test]
    fn cut_object_never_gives_half_a_name() {
        for object in [object(), envelope("v1", "Pod", &object())] {
            for end in 0..object.len() {
                let peeked = peek(&object[..end]);
                assert!(peeked.name.is_none_or(|name| name == "web"));
                assert!(peeked.namespace.is_none_or(|namespace| namespace == "shop"));
                assert!(peeked.kind.is_none_or(|kind| kind == "Pod"));
            }
        }
        let torn = [named("web", "shop", "7"), vec![0x12, 0xff, 0x7f, 1]].concat();
        assert_eq!(peek(&torn).name.as_deref(), Some("web"));
    }

    #[test]
    fn only_exact_true_ends_initial_events() {
        for (value, end) in [("true", true), ("True", false), ("", false)] {
            let annotation = [field(1, "k8s.io/initial-events-end"), field(2, value)].concat();
            let object = field(1, field(12, annotation));
            assert_eq!(peek(&object).initial_events_end, end);
        }
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn arbitrary_bytes_do_not_panic(
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 0u8..20], 0..100),
        ) {
            let _ = (state(&bytes), state(&[&MAGIC[..], &bytes].concat()));
            let _ = peek(&bytes);
            let _ = peek(&[&MAGIC[..], &bytes].concat());
        }
    }
}
