//! The reader reads what the serialiser of `rmp_serde` writes, as its deserializer does.

use std::collections::BTreeMap;
use std::fmt::Debug;

use proptest::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::read;
use crate::any_json::any_json;
use crate::storage::PackError;

fn write<T: Serialize>(value: &T) -> Vec<u8> {
    super::write(value, 0, false).unwrap().bytes.as_slice().to_vec()
}

/// Reads with `rmp_serde`.
fn expected<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let form = rmp_serde::Deserializer::from_read_ref(bytes);
    T::deserialize(&mut form.with_human_readable()).ok()
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Nothing;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Pair(i8, Option<char>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Choice {
    Bare,
    One(u64),
    Two(i32, f32),
    Named { at: f64, of: Option<Box<Choice>> },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(String),
    Bytes(Vec<u8>),
}

/// Writes bytes as such, and reads them as a list.
#[derive(Debug, PartialEq, Deserialize)]
struct Blob(Vec<u8>);

impl Serialize for Blob {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(&self.0)
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct All {
    nothing: Nothing,
    unit: (),
    flag: bool,
    pair: Pair,
    choices: Vec<Choice>,
    untagged: Vec<Untagged>,
    blob: Blob,
    wide: (i128, u128),
    numbers: BTreeMap<i16, u32>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

fn choice() -> impl Strategy<Value = Choice> {
    let leaf = prop_oneof![
        Just(Choice::Bare),
        any::<u64>().prop_map(Choice::One),
        any::<(i32, i16)>().prop_map(|(a, b)| Choice::Two(a, b.into())),
    ];
    leaf.prop_recursive(3, 4, 1, |inner| {
        let of = proptest::option::of(inner.prop_map(Box::new));
        (any::<i32>(), of).prop_map(|(at, of)| Choice::Named { at: at.into(), of })
    })
}

fn all() -> impl Strategy<Value = All> {
    let untagged = prop_oneof![
        any::<i64>().prop_map(Untagged::Number),
        ".*".prop_map(Untagged::Text),
        any::<[u8; 3]>().prop_map(|bytes| Untagged::Bytes(bytes.to_vec())),
    ];
    let lists =
        (proptest::collection::vec(choice(), 0..4), proptest::collection::vec(untagged, 0..4));
    let maps = (
        proptest::collection::btree_map(any::<i16>(), any::<u32>(), 0..4),
        proptest::collection::btree_map("[x-z]{1,9}", any_json(), 0..3),
    );
    let plain = (
        any::<bool>(),
        any::<(i8, Option<char>)>(),
        proptest::collection::vec(any::<u8>(), 0..300),
        any::<(i128, u128)>(),
    );
    (plain, lists, maps).prop_map(|(plain, (choices, untagged), (numbers, rest))| All {
        nothing: Nothing,
        unit: (),
        flag: plain.0,
        pair: Pair(plain.1.0, plain.1.1),
        choices,
        untagged,
        blob: Blob(plain.2),
        wide: plain.3,
        numbers,
        rest,
    })
}

/// Checks that no beginning of the bytes can be read.
fn breaks_off<T: DeserializeOwned + PartialEq + Debug>(bytes: &[u8]) {
    for end in (0..bytes.len()).step_by(bytes.len() / 50 + 1) {
        assert_eq!(read::<T>(&bytes[..end]).ok(), None);
    }
}

proptest! {
    #![proptest_config(crate::seeds::cases(50))]

    #[test]
    fn what_is_written_is_read(all in all(), value in any_json()) {
        let bytes = write(&all);
        prop_assert_eq!(read(&bytes), Ok(all));
        breaks_off::<All>(&bytes);
        let bytes = write(&value);
        prop_assert_eq!(read(&bytes), Ok(value));
        breaks_off::<Value>(&bytes);
    }

    /// Bytes that nobody wrote: an error, or what `rmp_serde` reads.
    #[test]
    fn changed_bytes_are_read_alike(value in any_json(), at in any::<prop::sample::Index>(), to: u8) {
        let mut bytes = write(&value);
        let at = at.index(bytes.len().min(40));
        bytes[at] = to;
        if let Ok(found) = read::<Value>(&bytes) {
            prop_assert_eq!(Some(found), expected(&bytes));
        }
    }
}

#[test]
fn each_length_and_width_is_read() {
    fn returns<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T) {
        let bytes = write(&value);
        assert_eq!(read(&bytes), Ok(value));
    }
    for length in [0, 15, 16, 31, 32, 255, 256, 65_535, 65_536] {
        returns("x".repeat(length));
        returns(vec![true; length]);
        returns(Blob(vec![7; length]));
        returns((0..length).map(|n| (n, n)).collect::<BTreeMap<_, _>>());
    }
    for bits in 0..64 {
        for near in [1_u64 << bits, (1 << bits) - 1] {
            returns(near);
            returns(near.cast_signed().wrapping_neg());
        }
    }
}

#[test]
fn types_that_expect_another_form_fail() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Known {
        known: u8,
    }
    assert_eq!(read::<String>(&write(&1)), Err(PackError::NotUnpacked));
    assert_eq!(read::<u8>(&write(&256)), Err(PackError::NotUnpacked));
    assert_eq!(read::<bool>(&write(&"true")), Err(PackError::NotUnpacked));
    assert_eq!(read::<(u8, u8)>(&write(&[1, 2, 3])), Err(PackError::NotUnpacked));
    assert_eq!(read::<Vec<String>>(&write(&json!({"a": "b"}))), Err(PackError::NotUnpacked));
    assert_eq!(read::<Choice>(&write(&json!({"One": 1, "Bare": 2}))), Err(PackError::NotUnpacked));
    assert_eq!(read::<Choice>(&write(&"One")), Err(PackError::NotUnpacked));
    assert_eq!(read::<Choice>(&write(&json!({"Bare": null}))), Ok(Choice::Bare));
    let deep = json!({"unknown": [{"a": [[], {}]}, 1.5, "text"], "known": 7});
    assert_eq!(read(&write(&deep)), Ok(Known { known: 7 }));
}

/// A port, which JSON has as text where it is a key.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Port(u16);

impl Serialize for Port {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u16(self.0)
    }
}

impl<'de> Deserialize<'de> for Port {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(u16),
            Text(String),
        }
        match Form::deserialize(from)? {
            Form::Number(number) => Ok(Self(number)),
            Form::Text(text) => text.parse().map(Self).map_err(serde::de::Error::custom),
        }
    }
}

#[test]
fn keys_that_are_numbers_may_be_flattened() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Ports {
        name: String,
        #[serde(flatten)]
        ports: BTreeMap<Port, String>,
    }
    let ports = Ports { name: "web".into(), ports: [(Port(8080), "http".into())].into() };
    let bytes = write(&ports);
    assert_eq!(expected(&bytes).as_ref(), Some(&ports));
    assert_eq!(read(&bytes), Ok(ports));
}

#[test]
fn bytes_may_be_read_as_the_fields_of_a_struct() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Color {
        red: u8,
        blue: u8,
    }
    let bytes = write(&Blob(vec![1, 2]));
    assert_eq!(expected(&bytes), Some(Color { red: 1, blue: 2 }));
    assert_eq!(read(&bytes), Ok(Color { red: 1, blue: 2 }));
}

/// Each level puts the same token back, so nothing is read that could end.
#[test]
fn type_that_reads_nothing_does_not_overflow_the_stack() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Endless(Option<Box<Endless>>);
    assert_eq!(read::<Endless>(&write(&1)), Err(PackError::TooDeep));
    assert_eq!(read(&write(&())), Ok(Endless(None)));
}

/// The length would be a hint of how much to allocate.
#[test]
fn list_is_no_longer_than_the_bytes() {
    struct Hint;
    impl<'de> Deserialize<'de> for Hint {
        fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            struct List;
            impl<'de> serde::de::Visitor<'de> for List {
                type Value = Hint;

                fn expecting(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    Ok(())
                }

                fn visit_seq<A: serde::de::SeqAccess<'de>>(self, _: A) -> Result<Hint, A::Error> {
                    panic!("a list of four billion elements in one byte")
                }
            }
            from.deserialize_seq(List)
        }
    }
    let bytes = [0xdd, 0xff, 0xff, 0xff, 0xff, 0xc0];
    assert!(matches!(read::<Hint>(&bytes), Err(PackError::NotUnpacked)));
}

/// Fields beyond the announced number would be lost, in each round trip alike.
#[test]
fn type_that_announces_too_few_fields_is_refused() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Short {
        first: u8,
        second: Option<u8>,
    }

    impl Serialize for Short {
        fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeStruct;
            let mut fields = to.serialize_struct("Short", 1)?;
            fields.serialize_field("first", &self.first)?;
            fields.serialize_field("second", &self.second)?;
            fields.end()
        }
    }

    let bytes = write(&Short { first: 1, second: Some(2) });
    assert_eq!(read::<Short>(&bytes), Err(PackError::NotUnpacked));
    assert!(!super::is_equivalent(&bytes, &write(&Short { first: 1, second: None })));
}
