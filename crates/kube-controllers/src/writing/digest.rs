//! Digests of JSON values.
//!
//! A record of an apply must not keep the contents: they may be Secrets. It keeps a digest of 128
//! bits. The key of the hash function is random in each process. So no attacker can choose two
//! values with one digest, or read a value from its digest.

use std::collections::hash_map::{DefaultHasher, RandomState};
use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;

use serde_json::{Number, Value};

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

    /// Returns the digest of a value in which each list counts as a set: without its order, but
    /// with repeated elements.
    pub(super) fn as_sets(value: &Value) -> Self {
        let mut digester = Digester { as_sets: true, ..Digester::new() };
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
pub(super) struct Digester {
    halves: [DefaultHasher; 2],
    /// True if lists count as sets.
    as_sets: bool,
}

impl Digester {
    pub(super) fn new() -> Self {
        let [a, b] = &*KEYS;
        Self { halves: [a.build_hasher(), b.build_hasher()], as_sets: false }
    }

    pub(super) fn finish(self) -> Digest {
        Digest(self.halves.map(|hasher| hasher.finish()))
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
                if self.as_sets {
                    let mut sorted: Vec<_> = elements.iter().map(Digest::as_sets).collect();
                    sorted.sort_unstable();
                    self.count(sorted.len());
                    let halves = sorted.iter().flat_map(|digest| digest.0);
                    return halves.for_each(|half| self.bytes(&half.to_le_bytes()));
                }
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

    fn number(&mut self, number: &Number) {
        if let Some(integer) = number.as_u64() {
            self.tag(Tag::Integer);
            self.bytes(&integer.to_le_bytes());
        } else if let Some(integer) = number.as_i64() {
            self.tag(Tag::Negative);
            self.bytes(&integer.to_le_bytes());
        } else if let Some(integer) = whole(number) {
            // `1.0` and `1` are one number.
            self.number(&integer);
        } else {
            self.tag(Tag::Float);
            // The shortest text that gives the same number.
            self.text(&number.to_string());
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
        self.halves.iter_mut().for_each(|hasher| hasher.write(bytes));
    }
}

/// Returns the integer that a float is. `None` if no integer of JSON is exactly that number.
fn whole(float: &Number) -> Option<Number> {
    let float = float.as_f64().filter(|float| float.fract() == 0.0)?;
    // All digits, which `1e16` does not show.
    let digits = format!("{float:.0}");
    let unsigned = digits.parse::<u64>().map(Number::from);
    unsigned.or_else(|_| digits.parse::<i64>().map(Number::from)).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_values_have_equal_digests() {
        let parsed: Value = serde_json::from_str(r#"{"b": 1.0, "a": [-2, null]}"#).unwrap();
        assert_eq!(Digest::of(&parsed), Digest::of(&json!({"a": [-2, null], "b": 1})));
        // A server writes all digits, and a Rust type the shortest text.
        for digits in ["10000000000000000", "-9007199254740994", "18446744073709549568"] {
            let [integer, float]: [Value; 2] =
                [digits.parse().unwrap(), digits.parse::<f64>().unwrap().into()];
            assert_eq!(Digest::of(&integer), Digest::of(&float), "{digits}");
        }
        assert_ne!(Digest::of(&json!(10_000_000_000_000_001_u64)), Digest::of(&json!(1e16)));
    }

    #[test]
    fn order_counts_in_lists_but_not_in_sets() {
        let [one, other] = [json!({"a": [[1, 2], [3]]}), json!({"a": [[3], [2, 1]]})];
        assert_ne!(Digest::of(&one), Digest::of(&other));
        assert_eq!(Digest::as_sets(&one), Digest::as_sets(&other));
        for different in [json!({"a": [[3, 1], [2]]}), json!({"a": [[3], [2, 1, 2]]})] {
            assert_ne!(Digest::as_sets(&one), Digest::as_sets(&different));
        }
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
