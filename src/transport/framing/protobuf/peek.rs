//! Partial reads of an object that is not decoded.
//!
//! They work on an object that fits no type, and on the beginning of an object that is cut off. An
//! object's metadata is the first field of every kind, so it comes early.

use kube_decode::protobuf::{Cursor, Raw};
use kube_decode::protobuf::{MAGIC, ProtobufObject};

use crate::object::ObjectState;
use crate::transport::framing::Peeked;

/// Reads the key, uid and version of an object, with or without an envelope. `None` if they are
/// missing, or if one of them comes twice, which is left to the decoder.
///
/// It allocates nothing.
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
    while let Some(number) = fields.pass().ok()? {
        if number == 1 {
            return None;
        }
    }
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
        if to.replace(text).is_some() {
            return None;
        }
    }
    let stated = |text: Option<_>| text.filter(|text: &&str| !text.is_empty());
    Some(ObjectState {
        namespace: stated(namespace),
        name: stated(name)?,
        uid: stated(uid)?,
        version: stated(version)?,
    })
}

/// Reads as much as the bytes contain, with or without an envelope. As for the decoder, the last of
/// repeated fields counts, and the parts of a message are merged.
///
/// If the metadata is cut off before the namespace, there is no name. Without the namespace, it
/// would belong to another object.
pub(in crate::transport) fn peek(object: &[u8]) -> Peeked {
    let mut peeked = Peeked::default();
    match object.strip_prefix(MAGIC) {
        Some(fields) => {
            each(Cursor::new(fields, 0), |field, _| match field.number {
                1 => {
                    each(inner(field), |field, whole| match field.number {
                        1 => set(&mut peeked.api_version, field, whole),
                        2 => set(&mut peeked.kind, field, whole),
                        _ => {}
                    });
                }
                2 => {
                    let (api_version, kind) = (peeked.api_version.take(), peeked.kind.take());
                    peeked = Peeked { api_version, kind, ..Peeked::default() };
                    message(inner(field), &mut peeked);
                }
                _ => {}
            });
        }
        None => message(Cursor::new(object, 0), &mut peeked),
    }
    peeked
}

fn message(fields: Cursor<'_>, peeked: &mut Peeked) {
    let mut whole = true;
    each(fields, |field, is_whole| {
        if field.number == 1 {
            whole &= metadata(inner(field), peeked) && is_whole;
        }
    });
    if !whole && peeked.namespace.is_none() {
        peeked.name = None;
    }
}

/// Returns whether the metadata was read to its end.
fn metadata(fields: Cursor<'_>, peeked: &mut Peeked) -> bool {
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
    })
}

/// Returns whether the fields were read to their end, and all of them are whole.
fn each<'a>(mut fields: Cursor<'a>, mut visit: impl FnMut(Raw<'a>, bool)) -> bool {
    let mut all = true;
    while let Some((field, whole)) = fields.next_torn() {
        visit(field, whole);
        all &= whole;
    }
    all && fields.is_empty()
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
    use kube_decode::protobuf::encode::{envelope, field, named};

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
            api_version: None,
            kind: None,
            name: Some("web".into()),
            namespace: Some("shop".into()),
            version: Some("7".into()),
            initial_events_end: true,
        };
        assert_eq!(peek(&object()), expected);
        (expected.api_version, expected.kind) = (Some("v1".into()), Some("Pod".into()));
        assert_eq!(peek(&envelope("v1", "Pod", &object())), expected);
    }

    #[test]
    fn state_is_the_whole_metadata() {
        let expected =
            ObjectState { namespace: Some("shop"), name: "web", uid: "u-1", version: "7" };
        let metadata = [
            field(1, "web"),
            field(2, "we"),
            field(3, "shop"),
            field(4, ""),
            field(5, "u-1"),
            field(6, "7"),
            field(7, "late"),
        ];
        let object = [field(1, metadata.concat()), field(2, [0xff])].concat();
        assert_eq!(state(&object), Some(expected));
        for repeated in [0, 2, 4, 5] {
            let twice = [&metadata.concat()[..], &metadata[repeated]].concat();
            assert_eq!(state(&field(1, twice)), None);
        }
        assert_eq!(state(&[&object[..], &field(1, field(1, "db"))].concat()), None);
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
                assert!(peeked.name.as_deref().is_none_or(|name| name == "web"));
                assert!(peeked.name.is_none() || peeked.namespace.as_deref() == Some("shop"));
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

    /// The fields of an object's metadata, some of them twice or elsewhere.
    fn any_metadata() -> impl Strategy<Value = Vec<u8>> {
        let number = prop_oneof![9 => sample(&[1, 2, 3, 5, 6]), 1 => 1u64..20];
        let text = (number, sample(&["", "web", "db", "shop", "7"]));
        let text = text.prop_map(|(number, text)| field(number, text));
        let annotation = (sample(&["a", "k8s.io/initial-events-end"]), sample(&["true", "no"]));
        let annotation = annotation
            .prop_map(|(key, value)| field(12, [field(1, key), field(2, value)].concat()));
        let fields = prop_oneof![5 => text, 1 => annotation];
        proptest::collection::vec(fields, 0..9).prop_map(|fields| fields.concat())
    }

    fn sample<T: Copy + std::fmt::Debug>(from: &[T]) -> proptest::sample::Select<T> {
        proptest::sample::select(from.to_vec())
    }

    /// An object of one or two pieces of metadata, with a changed byte or a cut.
    fn any_object() -> impl Strategy<Value = (Vec<u8>, bool)> {
        let usual = [field(1, "web"), field(3, "shop"), field(5, "u"), field(6, "7")].concat();
        let metadata = prop_oneof![Just(usual), any_metadata()];
        let change = proptest::option::weighted(0.3, (any::<usize>(), any::<u8>()));
        (proptest::collection::vec(metadata, 1..3), change, any::<bool>()).prop_map(
            |(pieces, change, wrapped)| {
                let mut object: Vec<u8> =
                    pieces.iter().flat_map(|piece| field(1, piece)).chain(field(2, "")).collect();
                if let Some((at, byte)) = change {
                    let at = at % object.len();
                    object[at] = byte;
                }
                if wrapped {
                    object = envelope("v1", "Pod", &object);
                }
                (object, wrapped)
            },
        )
    }

    #[derive(serde::Deserialize)]
    struct Head {
        metadata: Option<kube::api::ObjectMeta>,
    }

    proptest! {
        #![proptest_config(crate::seeds::cases(500))]

        #[test]
        fn whole_object_is_peeked_as_it_is_decoded((bytes, wrapped) in any_object()) {
            let object = if wrapped {
                ProtobufObject::from_envelope(&bytes)
            } else {
                Ok(ProtobufObject::from_message("v1", "Pod", &bytes).unwrap())
            };
            let Ok(Head { metadata }) = object.and_then(|object| object.decode()) else {
                return Ok(());
            };
            let metadata = metadata.unwrap_or_default();
            let filled = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
            // Only the decoder reads text that is not UTF-8.
            let is_text = |text: &Option<String>| !text.iter().any(|text| text.contains('\u{fffd}'));
            if let Some(state) = state(&bytes) {
                prop_assert_eq!(state.namespace.map(str::to_owned), filled(&metadata.namespace));
                prop_assert_eq!(Some(state.name), metadata.name.as_deref());
                prop_assert_eq!(Some(state.uid), metadata.uid.as_deref());
                prop_assert_eq!(Some(state.version), metadata.resource_version.as_deref());
            }
            let peeked = peek(&bytes);
            if [&metadata.name, &metadata.namespace, &metadata.resource_version].into_iter().all(is_text) {
                prop_assert_eq!(peeked.name, filled(&metadata.name));
                prop_assert_eq!(peeked.namespace, filled(&metadata.namespace));
                prop_assert_eq!(peeked.version, filled(&metadata.resource_version));
            }
            let annotations = metadata.annotations.unwrap_or_default();
            let end = annotations.get("k8s.io/initial-events-end").is_some_and(|end| end == "true");
            prop_assert_eq!(peeked.initial_events_end, end);
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
