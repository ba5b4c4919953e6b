//! Partial reads of an object that is not decoded.
//!
//! They work on an object that fits no type, and on the beginning of an object that is cut off.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::Scanner;
use crate::object::ObjectState;
use crate::transport::framing::Peeked;

/// Reads an object's key, uid and version. `None` if they are missing, have escapes, or are not in
/// their usual places.
///
/// It allocates nothing and stops once it has name, uid and version, which come first or last in
/// the metadata. It misses a namespace after all three, because no server writes it there. It also
/// misses repeated members: finding them would cost as much as cutting the object out.
pub(in crate::transport) fn state(object: &[u8]) -> Option<ObjectState<'_>> {
    let mut members = Flat::new(object)?;
    while let Some((name, value)) = members.next() {
        if name == b"metadata" {
            return metadata_state(value);
        }
        members.skip(value)?;
    }
    None
}

/// Reads an object's kind. `None` if it is missing or has escapes. Allocates nothing.
pub(in crate::transport) fn kind(object: &[u8]) -> Option<&str> {
    let mut members = Flat::new(object)?;
    while let Some((name, value)) = members.next() {
        let value = members.skip(value)?;
        if name == b"kind" {
            return plain(value);
        }
    }
    None
}

/// Reads an object's `apiVersion` and `kind`, each if it is among the first two members, where
/// servers write them.
pub(in crate::transport) fn leading_types(object: &[u8]) -> (Option<&str>, Option<&str>) {
    let (mut api_version, mut kind) = (None, None);
    let Some(mut members) = Flat::new(object) else { return (None, None) };
    for _ in 0..2 {
        let Some((name, value)) = members.next() else { break };
        let to = match name {
            b"apiVersion" => &mut api_version,
            b"kind" => &mut kind,
            _ => break,
        };
        *to = members.skip(value).and_then(plain);
    }
    (api_version, kind)
}

fn metadata_state(metadata: &[u8]) -> Option<ObjectState<'_>> {
    let (mut namespace, mut name, mut uid, mut version) = (None, None, None, None);
    let mut members = Flat::new(metadata)?;
    while let Some((member, value)) = members.next() {
        let to = match member {
            b"namespace" => &mut namespace,
            b"name" => &mut name,
            b"uid" => &mut uid,
            b"resourceVersion" => &mut version,
            _ => {
                members.skip(value)?;
                continue;
            }
        };
        *to = Some(plain(members.skip(value)?)?);
        if let (Some(name), Some(uid), Some(version)) = (name, uid, version) {
            return Some(ObjectState { namespace, name, uid, version });
        }
    }
    None
}

/// Returns a text that has no escapes and is not empty.
pub(super) fn plain(value: &[u8]) -> Option<&str> {
    let text = value.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if text.is_empty() || text.contains(&b'\\') {
        return None;
    }
    std::str::from_utf8(text).ok()
}

/// The members of an object, not decoded.
pub(super) struct Flat<'a> {
    rest: &'a [u8],
    first: bool,
}

impl<'a> Flat<'a> {
    pub(super) fn new(object: &'a [u8]) -> Option<Self> {
        Some(Self { rest: object.trim_ascii_start().strip_prefix(b"{")?, first: true })
    }

    /// Returns the next member's name, and all bytes from its value on. The caller then skips the
    /// value. `None` at the end, and if this is not JSON.
    pub(super) fn next(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let mut rest = self.rest.trim_ascii_start();
        if !std::mem::replace(&mut self.first, false) {
            rest = rest.strip_prefix(b",")?.trim_ascii_start();
        }
        let name = rest.strip_prefix(b"\"")?;
        let end = Scanner::default().feed(rest)?;
        let value = rest[end..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        Some((&name[..end - 2], value))
    }

    /// Skips a member's value, and returns it.
    pub(super) fn skip(&mut self, from: &'a [u8]) -> Option<&'a [u8]> {
        let (value, rest) = from.split_at(Scanner::default().feed(from)?);
        self.rest = rest;
        Some(value)
    }

    /// Skips a member's value, and returns it if it is JSON. Behind a damaged value, members of an
    /// inner object would look like those of this one.
    fn skip_json(&mut self, from: &'a [u8]) -> Option<&'a [u8]> {
        let value = self.skip(from)?;
        serde_json::from_slice::<IgnoredAny>(value).ok().map(|_| value)
    }

    /// Returns whether the object ends after the skipped members. If not, and no member follows,
    /// the object is cut off or not JSON.
    pub(super) fn at_end(&self) -> bool {
        self.rest.trim_ascii_start().first() == Some(&b'}')
    }
}

/// Reads as much as the bytes contain.
pub(in crate::transport) fn peek(object: &[u8]) -> Peeked {
    let mut peeked = Peeked::default();
    // An object that is cut off has no end, but the parts before it were read.
    let _end = read_object(object, &mut peeked);
    peeked
}

/// Reads an object up to its end. `None` if it is cut off or not JSON. The last of several members
/// counts, as for the decoder.
fn read_object(object: &[u8], peeked: &mut Peeked) -> Option<()> {
    let mut members = Flat::new(object)?;
    while let Some((name, rest)) = members.next() {
        match &*unescaped(name)? {
            "metadata" => {
                let (api_version, kind) = (peeked.api_version.take(), peeked.kind.take());
                *peeked = Peeked { api_version, kind, ..Peeked::default() };
                if read_metadata(rest, peeked).is_none() && peeked.namespace.is_none() {
                    // The namespace may be missing. Without it, this name would belong to another
                    // object.
                    peeked.name = None;
                }
                members.skip_json(rest)?;
            }
            "apiVersion" => peeked.api_version = text(members.skip_json(rest)?)?,
            "kind" => peeked.kind = text(members.skip_json(rest)?)?,
            _ => drop(members.skip_json(rest)?),
        }
    }
    members.at_end().then_some(())
}

fn read_metadata(metadata: &[u8], peeked: &mut Peeked) -> Option<()> {
    let mut members = Flat::new(metadata)?;
    while let Some((name, rest)) = members.next() {
        let (name, value) = (unescaped(name)?, members.skip_json(rest)?);
        match &*name {
            "name" => peeked.name = text(value)?,
            "namespace" => peeked.namespace = text(value)?,
            "resourceVersion" => peeked.version = text(value)?,
            "annotations" => peeked.initial_events_end = ends_initial_events(value),
            _ => {}
        }
    }
    members.at_end().then_some(())
}

fn ends_initial_events(annotations: &[u8]) -> bool {
    let (mut ends, Some(mut members)) = (false, Flat::new(annotations)) else { return false };
    while let Some((name, rest)) = members.next() {
        let Some(value) = members.skip(rest) else { break };
        if unescaped(name).as_deref() == Some("k8s.io/initial-events-end") {
            ends = text(value).flatten().as_deref() == Some("true");
        }
    }
    ends
}

/// Returns a member's name without escapes. `None` if it is no text.
fn unescaped(name: &[u8]) -> Option<Cow<'_, str>> {
    let name = std::str::from_utf8(name).ok()?;
    if !name.contains('\\') {
        return Some(name.into());
    }
    serde_json::from_str(&format!("\"{name}\"")).ok().map(Cow::Owned)
}

/// Returns a value if it is a text: `Some(None)` if it is another one, of any size. `None` if it is
/// no JSON.
#[expect(clippy::option_option, reason = "the outer one is an error")]
fn text(value: &[u8]) -> Option<Option<String>> {
    if value.first() != Some(&b'"') {
        return Some(None);
    }
    serde_json::from_slice(value).ok().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: &str = r#"{"kind":"Pod","spec":{"metadata":{"name":"no"}},"metadata":{"labels":{"name":"no"},
        "name":"web","namespace":"shop","resourceVersion":"7",
        "annotations":{"a":"b","k8s.io/initial-events-end":"true"}},"status":{"x":[1,2]}}"#;

    #[test]
    fn peek_reads_key_kind_and_version() {
        let peeked = peek(OBJECT.as_bytes());
        assert_eq!(
            peeked,
            Peeked {
                api_version: None,
                kind: Some("Pod".into()),
                name: Some("web".into()),
                namespace: Some("shop".into()),
                version: Some("7".into()),
                initial_events_end: true,
            }
        );
    }

    #[test]
    fn last_of_repeated_members_counts() {
        let annotations = r#""annotations":{"k8s.io/initial-events-end":"true"}"#;
        let twice = format!(
            r#"{{"metadata":{{"name":"a","namespace":"b",{annotations}}},"metadata":
            {{"name":"x","name":"c",{annotations},"annotations":{{}}}}}}"#
        );
        assert_eq!(peek(twice.as_bytes()), Peeked { name: Some("c".into()), ..Peeked::default() });
    }

    #[test]
    fn state_is_read_in_any_order() {
        let expected =
            ObjectState { namespace: Some("shop"), name: "web", uid: "u-1", version: "7" };
        for object in [
            r#"{"metadata":{"name":"web","namespace":"shop","uid":"u-1","resourceVersion":"7","x"#,
            r#" { "kind" : "Pod", "spec": {"metadata": {"name": "no"}}, "metadata" : { "labels":
                {"name": "no", "uid": "}"}, "namespace":"shop", "resourceVersion" :"7", "uid":
                "u-1", "name" : "web" } } "#,
        ] {
            assert_eq!(state(object.as_bytes()), Some(expected), "{object}");
        }
        let cluster = r#"{"metadata":{"name":"n1","uid":"u","resourceVersion":"7"},"spec":{}}"#;
        assert_eq!(state(cluster.as_bytes()).unwrap().namespace, None);
    }

    #[test]
    fn unusual_metadata_has_no_state() {
        let whole =
            r#"{"metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":"7"}}"#;
        for end in 0..whole.len() - 2 {
            assert_eq!(state(&whole.as_bytes()[..end]), None, "{end}");
        }
        for object in [
            r#"{"metadata":{"name":"w\u0065b","uid":"u","resourceVersion":"7"}}"#,
            r#"{"metadata":{"name":"","uid":"u","resourceVersion":"7"}}"#,
            r#"{"metadata":{"name":"web","uid":"","resourceVersion":"7"}}"#,
            r#"{"metadata":{"name":"web","uid":"u","resourceVersion":7}}"#,
            r#"{"metadata":{"name":"web","resourceVersion":"7"}}"#,
            r#"{"spec":{"metadata":{"name":"web","uid":"u","resourceVersion":"7"}}}"#,
            r#"[{"metadata":{"name":"web","uid":"u","resourceVersion":"7"}}]"#,
            r#"{"metadata":null}"#,
            "{}",
            "",
        ] {
            assert_eq!(state(object.as_bytes()), None, "{object}");
        }
    }

    proptest::proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn arbitrary_bytes_neither_panic_nor_loop(
            bytes in proptest::collection::vec(
                proptest::prop_oneof![
                    proptest::prelude::any::<u8>(),
                    proptest::sample::select(&br#"{}[],:" "metadata""#[..]),
                ],
                0..200,
            ),
        ) {
            for object in [&bytes, &[&br#"{"metadata":{"name":"#[..], &bytes].concat()] {
                let _ = (state(object), peek(object));
            }
        }
    }

    #[test]
    fn cut_object_is_read_up_to_the_cut() {
        for end in 0..OBJECT.len() {
            let peeked = peek(&OBJECT.as_bytes()[..end]);
            assert!(peeked.name.as_deref().is_none_or(|name| name == "web"));
            assert!(peeked.name.is_none() || peeked.namespace.as_deref() == Some("shop"));
        }
        for garbled in [
            &b"{\"metadata\":{\"name\":\"web\",\"name\xffpace\":\"shop\"}}"[..],
            b"{\"metadata\":{\"name\":\"web\",\"na",
        ] {
            assert_eq!(peek(garbled), Peeked::default());
        }
        // A bit more closes the spec too early.
        let damaged = br#"{"metadata":{"name":"web","namespace":"shop"},"spec":{"x":[y}],"metadata":{"name":"z"}}}"#;
        assert_eq!(peek(damaged).name.as_deref(), Some("web"));
        let escaped = br#"{"metadata":{"name":"web","n\u0061mespace":"sh\u006fp"}}"#;
        assert_eq!(peek(escaped).namespace.as_deref(), Some("shop"));
        for garbled in [
            &br#"{"metadata":{"name":"web","labels":{"a":b,"namespace":"shop"},"spec":{}}"#[..],
            b"{\"metadata\":{\"name\":\"web\",\"namespace\":\"sh\xffop\"}}",
        ] {
            assert_eq!(peek(garbled), Peeked::default());
        }
        let broken = br#"{"metadata":{"name":"web","namespace":"shop"},"spec":{"x":"#;
        assert_eq!(peek(broken).name.as_deref(), Some("web"));
        for not in [&b"[1]"[..], b"7", b"null", br#"{"metadata":7}"#, b"\xff", b""] {
            assert_eq!(peek(not), Peeked::default());
        }
    }

    #[test]
    fn only_exact_true_ends_initial_events() {
        for (value, end) in [(r#""true""#, true), (r#""True""#, false), ("true", false)] {
            let object = format!(
                r#"{{"metadata":{{"annotations":{{"k8s.io/initial-events-end":{value}}}}}}}"#
            );
            assert_eq!(peek(object.as_bytes()).initial_events_end, end);
        }
    }
}
