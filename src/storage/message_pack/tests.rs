//! The reader reads what the serialiser of `rmp_serde` writes, as its deserializer does.

use std::collections::BTreeMap;
use std::fmt::Debug;

use proptest::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::reader::{Invalid, Reader};

fn write<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    let form = rmp_serde::Serializer::new(&mut bytes);
    value.serialize(&mut form.with_struct_map().with_human_readable()).unwrap();
    bytes
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Invalid> {
    T::deserialize(&mut Reader::new(bytes))
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

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i32>().prop_map(|value| json!(f64::from(value) / 3.0)),
        // Lengths on both sides of each form.
        (0_usize..70_000).prop_map(|length| json!("x".repeat(length))),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 20, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..20).prop_map(Value::from),
            proptest::collection::btree_map(".{0,40}", inner, 0..20)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
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
        proptest::collection::btree_map("[x-z]{1,9}", value(), 0..3),
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
    #![proptest_config(crate::seeds::cases(100))]

    #[test]
    fn what_is_written_is_read(all in all(), value in value()) {
        let bytes = write(&all);
        prop_assert_eq!(read(&bytes), Ok(all));
        breaks_off::<All>(&bytes);
        let bytes = write(&value);
        prop_assert_eq!(read(&bytes), Ok(value));
        breaks_off::<Value>(&bytes);
    }

    /// Bytes that nobody wrote: an error, or what `rmp_serde` reads.
    #[test]
    fn changed_bytes_are_read_alike(value in value(), at in any::<prop::sample::Index>(), to: u8) {
        let mut bytes = write(&value);
        let at = at.index(bytes.len().min(40));
        bytes[at] = to;
        if let Ok(found) = read::<Value>(&bytes) {
            prop_assert_eq!(Some(found), expected(&bytes));
        }
    }
}

#[test]
fn types_that_expect_another_form_fail() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Known {
        known: u8,
    }
    assert_eq!(read::<String>(&write(&1)), Err(Invalid));
    assert_eq!(read::<u8>(&write(&256)), Err(Invalid));
    assert_eq!(read::<bool>(&write(&"true")), Err(Invalid));
    assert_eq!(read::<(u8, u8)>(&write(&[1, 2, 3])), Err(Invalid));
    assert_eq!(read::<Choice>(&write(&json!({"One": 1, "Bare": 2}))), Err(Invalid));
    assert_eq!(read::<Choice>(&write(&"One")), Err(Invalid));
    assert_eq!(read::<Choice>(&write(&json!({"Bare": null}))), Ok(Choice::Bare));
    let deep = json!({"unknown": [{"a": [[], {}]}, 1.5, "text"], "known": 7});
    assert_eq!(read(&write(&deep)), Ok(Known { known: 7 }));
}
