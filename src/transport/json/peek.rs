//! Reads what an object says of itself without decoding it.
//!
//! Works on an object that no type fits, and as far as it goes on one that breaks off.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::transport::framer::Peeked;

/// Reads as much as there is.
pub(in crate::transport) fn peek(object: &[u8]) -> Peeked {
    let mut peeked = Peeked::default();
    let mut deserializer = serde_json::Deserializer::from_slice(object);
    // An object that breaks off ends in an error; what came before was read all the same.
    let _ = Members(&mut peeked, Level::Object).deserialize(&mut deserializer);
    peeked
}

struct Members<'p>(&'p mut Peeked, Level);

#[derive(Clone, Copy)]
enum Level {
    Object,
    Metadata,
    Annotations,
}

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// A text, or whatever stands in its place.
#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Is(String),
    Not(IgnoredAny),
}

impl From<Text> for Option<String> {
    fn from(text: Text) -> Self {
        match text {
            Text::Is(text) => Some(text),
            Text::Not(IgnoredAny) => None,
        }
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let Self(peeked, level) = self;
        let read = members(peeked, level, map);
        if read.is_err() && matches!(level, Level::Metadata) && peeked.namespace.is_none() {
            // A namespace may have been to come: without it this is another object's name.
            peeked.name = None;
        }
        read
    }
}

fn members<'de, A: MapAccess<'de>>(
    peeked: &mut Peeked,
    level: Level,
    mut map: A,
) -> Result<(), A::Error> {
    while let Some(member) = map.next_key::<String>()? {
        match (level, &*member) {
            (Level::Object, "metadata") => {
                map.next_value_seed(Members(peeked, Level::Metadata))?;
            }
            (Level::Metadata, "annotations") => {
                map.next_value_seed(Members(peeked, Level::Annotations))?;
            }
            (Level::Object, "kind") => peeked.kind = map.next_value::<Text>()?.into(),
            (Level::Metadata, "name") => peeked.name = map.next_value::<Text>()?.into(),
            (Level::Metadata, "namespace") => {
                peeked.namespace = map.next_value::<Text>()?.into();
            }
            (Level::Metadata, "resourceVersion") => {
                peeked.version = map.next_value::<Text>()?.into();
            }
            (Level::Annotations, "k8s.io/initial-events-end") => {
                let value: Option<String> = map.next_value::<Text>()?.into();
                peeked.initial_events_end = value.as_deref() == Some("true");
            }
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: &str = r#"{"kind":"Pod","spec":{"metadata":{"name":"no"}},"metadata":{"labels":{"name":"no"},
        "name":"web","namespace":"shop","resourceVersion":"7",
        "annotations":{"a":"b","k8s.io/initial-events-end":"true"}},"status":{"x":[1,2]}}"#;

    #[test]
    fn reads_what_the_object_says_of_itself() {
        let peeked = peek(OBJECT.as_bytes());
        assert_eq!(
            peeked,
            Peeked {
                kind: Some("Pod".into()),
                name: Some("web".into()),
                namespace: Some("shop".into()),
                version: Some("7".into()),
                initial_events_end: true,
            }
        );
    }

    #[test]
    fn reads_as_far_as_it_goes() {
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
        let broken = br#"{"metadata":{"name":"web","namespace":"shop"},"spec":{"x":"#;
        assert_eq!(peek(broken).name.as_deref(), Some("web"));
        for not in [&b"[1]"[..], b"7", b"null", br#"{"metadata":7}"#, b"\xff", b""] {
            assert_eq!(peek(not), Peeked::default());
        }
    }

    #[test]
    fn only_true_means_true() {
        for (value, end) in [(r#""true""#, true), (r#""True""#, false), ("true", false)] {
            let object = format!(
                r#"{{"metadata":{{"annotations":{{"k8s.io/initial-events-end":{value}}}}}}}"#
            );
            assert_eq!(peek(object.as_bytes()).initial_events_end, end);
        }
    }
}
