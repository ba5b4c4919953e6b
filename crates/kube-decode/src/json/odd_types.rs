//! Tests of types that use a deserializer in unusual ways, compared with `serde_json`.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::stack::{NO_STACK, measured};
use crate::{Decode, SerdeDecode};

/// The number of members of a map and elements of a list, asked for again after the end.
#[derive(Debug, PartialEq)]
struct Drained(usize);

impl<'de> Deserialize<'de> for Drained {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Count;
        impl<'de> Visitor<'de> for Count {
            type Value = Drained;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map or list")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Drained, A::Error> {
                let mut count = 0;
                while map.next_entry::<String, IgnoredAny>()?.is_some() {
                    count += 1;
                }
                IgnoredAny.visit_map(&mut map)?;
                assert!(map.next_key::<String>()?.is_none());
                Ok(Drained(count))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Drained, A::Error> {
                let mut count = 0;
                while seq.next_element::<IgnoredAny>()?.is_some() {
                    count += 1;
                }
                IgnoredAny.visit_seq(&mut seq)?;
                assert!(seq.next_element::<IgnoredAny>()?.is_none());
                Ok(Drained(count))
            }
        }
        if std::any::type_name::<D>().contains("Content") {
            return Err(D::Error::custom("it is never buffered"));
        }
        deserializer.deserialize_map(Count)
    }
}

#[derive(Debug, Deserialize, PartialEq)]
struct Outer {
    a: Drained,
    b: u8,
}

/// Returns whether a text is accepted, after comparing the result with that of `serde_json`.
fn accepted<T: DeserializeOwned + Debug + PartialEq + 'static>(text: &str) -> bool {
    let read = SerdeDecode::<T>::new().decode(text.as_bytes());
    let expected = serde_json::from_str::<T>(text);
    assert_eq!(read.as_ref().ok(), expected.as_ref().ok(), "{text}: {read:?}, {expected:?}");
    read.is_ok()
}

#[test]
fn map_that_is_asked_again_after_its_end_takes_nothing() {
    for text in [r#"{"a":{"x":1},"b":2}"#, r#"{"a":{},"b":2}"#, "{\"a\":{\"x\":1}\n,\"b\":2}"] {
        assert!(accepted::<Outer>(text));
    }
    for text in [r#"{"a":{"x":1},"b":2}}"#, r#"{"a":{"x":1},"b":2},"c":"d"}"#, r#"{"a":{"x":1}"#] {
        assert!(!accepted::<Outer>(text));
    }
}

sixty! {
    #[derive(Debug, Default, Deserialize)]
    Sixty {}
}

sixty! {
    /// A type that contains itself and so much else that its levels take much of the stack.
    #[derive(Debug, Default, Deserialize)]
    Large {
        one: Option<Sixty>,
        other: Option<Sixty>,
        next: Option<Box<Large>>,
        list: Vec<Large>,
    }
}

#[test]
fn large_type_does_not_overflow_the_stack() {
    let decoder = SerdeDecode::<Large>::new();
    for (open, close, levels) in [(r#"{"next":"#, "}", 126), (r#"{"list":["#, "]}", 63)] {
        let nested = |levels| open.repeat(levels) + "{}" + &close.repeat(levels);
        assert!(decoder.decode(nested(4).as_bytes()).is_ok());
        // A build may take so little of the stack that all levels fit.
        if let Err(error) = decoder.decode(nested(levels).as_bytes()) {
            assert!(error.to_string().contains(NO_STACK), "{error}");
        }
    }
}

/// A type that contains itself, and less else.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Wide {
    other: Option<Sixty>,
    next: Option<Box<Wide>>,
    list: Vec<Wide>,
}

/// A part of a type that serde's derived code builds from a buffer.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only decoded")]
struct Part {
    spec: Box<Wide>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only decoded")]
struct Flat {
    #[serde(flatten)]
    part: Part,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind")]
#[expect(dead_code, reason = "only decoded")]
enum Tagged {
    A(Part),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "only decoded")]
enum Untagged {
    Number(u8),
    A(Part),
}

/// Decodes with room enough for any type, and returns whether that was deep.
fn read<T: DeserializeOwned + 'static>(text: &str, limit: usize) -> Result<bool, String> {
    let decoder = SerdeDecode::<T>::new().memory_limit(limit);
    let (read, is_deep) = measured(|| decoder.decode(text.as_bytes()));
    read.map(|_| is_deep).map_err(|error| error.to_string())
}

#[test]
fn buffered_type_does_not_overflow_the_stack() {
    // A small limit leads to another reader.
    for (limit, open, close, per) in [
        (1 << 30, r#"{"next":"#, "}", 1),
        (1 << 30, r#"{"list":["#, "]}", 2),
        (1 << 19, r#"{"next":"#, "}", 1),
        (1 << 19, r#"{"list":["#, "]}", 2),
    ] {
        let text = |levels: usize| {
            let nested = open.repeat(levels / per) + "{}" + &close.repeat(levels / per);
            format!(r#"{{"kind":"A","spec":{nested}}}"#)
        };
        for read in [read::<Flat>, read::<Tagged>, read::<Untagged>] {
            assert_eq!(read(&text(2), limit), Ok(false));
            assert_eq!(read(&text(30), limit), Ok(true));
            for levels in [70, 120] {
                let error = read(&text(levels), limit).unwrap_err();
                assert!(error.contains(NO_STACK), "{error}");
            }
        }
    }
}

sixty! {
    #[derive(Debug, Default, Deserialize)]
    Largest {
        x: Option<Sixty>,
        y: Option<Sixty>,
        z: Option<Sixty>,
        next: Option<Box<Largest>>,
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "only decoded")]
enum AnyLargest {
    Number(u8),
    Largest(Box<Largest>),
}

#[test]
fn largest_buffered_type_does_not_overflow_the_stack() {
    // In a build that is not optimised, a few levels more would.
    let most = if cfg!(debug_assertions) { 10 } else { 120 };
    for levels in 1..most {
        let text = r#"{"next":"#.repeat(levels) + "{}" + &"}".repeat(levels);
        if let Err(error) = read::<AnyLargest>(&text, 1 << 30) {
            assert!(levels > 30 && error.contains(NO_STACK), "{error}");
        }
    }
}

#[test]
fn own_reader_of_any_value_is_measured() {
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

    for name in ["additionalProperties", "items", "additionalItems"] {
        let text = |levels| format!(r#"{{"{name}":"#).repeat(levels) + "{}" + &"}".repeat(levels);
        assert_eq!(read::<JSONSchemaProps>(&text(1), 1 << 30), Ok(false));
        // A build may take so little of the stack that all levels fit.
        match read::<JSONSchemaProps>(&text(126), 1 << 30) {
            Ok(is_deep) => assert!(is_deep),
            Err(error) => assert!(error.contains(NO_STACK), "{error}"),
        }
    }
}

#[test]
fn numbers_in_keys_are_those_of_json() {
    let map = |key: &str| format!(r#"{{"{key}":1}}"#);
    for key in
        ["0", "-1", "255", "1e2", "-0", " 1", "1 ", "+1", "01", "1\\u0030", "1e400", "", "NaN"]
    {
        accepted::<BTreeMap<i64, u8>>(&map(key));
        accepted::<BTreeMap<u8, u8>>(&map(key));
        accepted::<BTreeMap<u64, u8>>(&map(key));
    }
    for key in ["true", "false", " true", "tr\\u0075e", "1"] {
        accepted::<BTreeMap<bool, u8>>(&map(key));
    }
    assert!(accepted::<BTreeMap<i64, u8>>(&map("-1")));
    assert!(!accepted::<BTreeMap<i64, u8>>(&map("-0")));
    assert!(accepted::<BTreeMap<bool, u8>>(&map("true")));
}

#[test]
fn own_words_of_a_tree_are_not_told() {
    /// A type that puts what it read into its error.
    #[derive(Debug)]
    struct Quoting;

    impl<'de> Deserialize<'de> for Quoting {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let value = serde_json::Value::deserialize(deserializer)?;
            let quoted = value["password"].as_str().unwrap_or_default();
            Err(D::Error::custom(format!("missing field `{quoted}`")))
        }
    }

    impl<'de> Visitor<'de> for Quoting {
        type Value = Self;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
            let found = map.next_entry::<String, String>()?.unwrap_or_default();
            Err(A::Error::custom(format!("invalid type: string, expected {}", found.1)))
        }
    }

    /// The same while the tree is read.
    #[derive(Debug)]
    struct QuotingTree(Quoting);

    impl<'de> Deserialize<'de> for QuotingTree {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(Quoting).map(Self)
        }
    }

    let text = br#"[{"password":"hunter2"}]"#;
    let one = SerdeDecode::<Vec<Quoting>>::new().decode(text).unwrap_err();
    let other = SerdeDecode::<Vec<QuotingTree>>::new().decode(text).unwrap_err();
    for error in [one.to_string(), other.to_string()] {
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn length_is_not_told_beyond_the_memory_limit() {
    /// The length that a list announces.
    struct Told(Option<usize>);

    impl<'de> Deserialize<'de> for Told {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Ask;
            impl<'de> Visitor<'de> for Ask {
                type Value = Told;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a list")
                }

                fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Told, A::Error> {
                    let told = seq.size_hint();
                    IgnoredAny.visit_seq(&mut seq)?;
                    Ok(Told(told))
                }
            }
            deserializer.deserialize_seq(Ask)
        }
    }

    let text = format!("[{}1]", "1,".repeat(100_000));
    let told = |limit| {
        let decoder = SerdeDecode::<Told>::new().memory_limit(limit);
        decoder.decode(text.as_bytes()).unwrap().0.unwrap()
    };
    assert_eq!(told(1 << 30), 100_001);
    assert!(told(1 << 20) <= 1024);
}
