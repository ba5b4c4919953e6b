//! Digests of JSON values.
//!
//! A record of an apply must not keep the contents: they may be Secrets. It keeps a digest of 128
//! bits. The key of the hash function is random in each process. So no attacker can choose two
//! values with one digest, or read a value from its digest.

use std::collections::hash_map::{DefaultHasher, RandomState};
use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;

use serde_json::Value;

/// The keys of the two halves of a digest.
static KEYS: LazyLock<[RandomState; 2]> =
    LazyLock::new(|| [RandomState::new(), RandomState::new()]);

/// A digest of values that this process can compare, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Digest([u64; 2]);

impl Digest {
    pub(super) fn of(value: &Value) -> Self {
        let mut digester = Digester::new();
        digester.value(value);
        digester.finish()
    }
}

/// The kind of the next part, so that no two sequences of parts look alike.
#[derive(Clone, Copy)]
enum Tag {
    Absent,
    Null,
    False,
    True,
    Negative,
    Integer,
    Float,
    Text,
    List,
    Map,
    Count,
}

/// A running digest of a sequence of parts.
pub(super) struct Digester([DefaultHasher; 2]);

impl Digester {
    pub(super) fn new() -> Self {
        let [a, b] = &*KEYS;
        Self([a.build_hasher(), b.build_hasher()])
    }

    pub(super) fn finish(self) -> Digest {
        Digest(self.0.map(|hasher| hasher.finish()))
    }

    /// Adds the absence of a value.
    pub(super) fn absent(&mut self) {
        self.tag(Tag::Absent);
    }

    /// Adds the start of a list, whose parts follow.
    pub(super) fn list(&mut self) {
        self.tag(Tag::List);
    }

    /// Adds the start of a map, whose parts follow.
    pub(super) fn map(&mut self) {
        self.tag(Tag::Map);
    }

    /// Adds a number of parts.
    pub(super) fn count(&mut self, count: usize) {
        self.tag(Tag::Count);
        self.bytes(&count.to_le_bytes());
    }

    /// Adds a value and all that it contains. The order of a map's members does not count, and
    /// neither does the spelling of a number.
    pub(super) fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.tag(Tag::Null),
            Value::Bool(false) => self.tag(Tag::False),
            Value::Bool(true) => self.tag(Tag::True),
            Value::Number(number) => self.number(number),
            Value::String(text) => {
                self.tag(Tag::Text);
                self.text(text);
            }
            Value::Array(elements) => {
                self.list();
                self.count(elements.len());
                for element in elements {
                    self.value(element);
                }
            }
            Value::Object(members) => {
                self.map();
                self.count(members.len());
                let mut members: Vec<_> = members.iter().collect();
                members.sort_by(|one, other| one.0.cmp(other.0));
                for (name, value) in members {
                    self.text(name);
                    self.value(value);
                }
            }
        }
    }

    fn number(&mut self, number: &serde_json::Number) {
        if let Some(integer) = number.as_u64() {
            self.tag(Tag::Integer);
            self.bytes(&integer.to_le_bytes());
        } else if let Some(integer) = number.as_i64() {
            self.tag(Tag::Negative);
            self.bytes(&integer.to_le_bytes());
        } else {
            // The shortest text that gives the same number: `1.0` and `1` are one number.
            let text = number.to_string();
            let whole = text.strip_suffix(".0").and_then(|whole| whole.parse::<i64>().ok());
            if let Some(integer) = whole {
                self.number(&integer.into());
            } else {
                self.tag(Tag::Float);
                self.text(&text);
            }
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes(&text.len().to_le_bytes());
        self.bytes(text.as_bytes());
    }

    fn tag(&mut self, tag: Tag) {
        self.bytes(&[tag as u8]);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.iter_mut().for_each(|hasher| hasher.write(bytes));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_values_have_equal_digests() {
        let parsed: Value = serde_json::from_str(r#"{"b": 1.0, "a": [-2, null]}"#).unwrap();
        assert_eq!(Digest::of(&parsed), Digest::of(&json!({"a": [-2, null], "b": 1})));
    }

    #[test]
    fn values_of_different_shape_differ() {
        let values = [
            json!(null),
            json!(false),
            json!(true),
            json!(0),
            json!(-1),
            json!(u64::MAX),
            json!(0.5),
            json!(1e300),
            json!("0"),
            json!(""),
            json!([]),
            json!([[]]),
            json!([[], []]),
            json!({}),
            json!([{}]),
            json!({"a": {}}),
            json!({"a": null}),
            json!({"a": "b", "c": ""}),
            json!({"a": "bc", "": ""}),
            json!(["a", "bc"]),
            json!(["ab", "c"]),
        ];
        for (n, one) in values.iter().enumerate() {
            for other in &values[n + 1..] {
                assert_ne!(Digest::of(one), Digest::of(other), "{one} and {other}");
            }
        }
    }
}
