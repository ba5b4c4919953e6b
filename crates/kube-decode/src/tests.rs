//! Tests of decoding from JSON, with and without skipped members.

mod values;

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::api::core::v1::{Pod, Secret};
use kube::core::{DynamicObject, ObjectMeta};
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::any_json::any_json;
use super::node::from_json;
use super::rule::{Rule, Verdict};
use super::*;

#[test]
fn no_error_quotes_the_object() {
    for text in [
        r#"{"metadata":{"name":"s"},"data":{"password":"hunter2"}}"#,
        r#"{"metadata":{"name":"s"},"type":{"a":"hunter2"}}"#,
        r#"{"metadata":{"name":"s","labels":"hunter2, expected hunter2 at line hunter2"}}"#,
        r#"{"metadata":{"name":"s","generation":"hunter2"}}"#,
        r#"{"metadata":{"name":"s","creationTimestamp":"hunter2"}}"#,
        r#"{"kind":"hunter2","metadata":{}}"#,
        r#"{"data":{"a":"hunter2"#,
        r#"{"data":hunter2}"#,
    ] {
        let error = SerdeDecode::<Secret>::new().decode(text.as_bytes()).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter"), "{error}");
        assert!(error.to_string().contains("at line 1 column"), "{error}");
    }
}

#[test]
fn error_states_the_expected_type() {
    let error = SerdeDecode::<Secret>::new().decode(br#"{"immutable":"x"}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "immutable: found string, expected a boolean at line 1 column 16"
    );
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Choice {
    Unit,
    One(String),
    Two(u8, i64),
    Named { a: Option<f64> },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Text(String),
    List(Vec<Either>),
}

/// A type that asks serde in every way.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "compared as text")]
struct Everything {
    unit: (),
    pair: (u8, String),
    letter: char,
    choices: Vec<Choice>,
    either: Either,
    by_number: BTreeMap<i32, bool>,
    by_flag: BTreeMap<bool, f32>,
    by_choice: BTreeMap<String, Box<Option<Everything>>>,
    raw: Box<serde_json::value::RawValue>,
    large: u64,
    least: i64,
    float: f64,
}

fn both<K: DeserializeOwned>(text: &str) -> (Result<K, DecodeError>, serde_json::Result<K>) {
    (from_json(text.as_bytes(), None, MEMORY_LIMIT), serde_json::from_str(text))
}

#[test]
fn every_request_of_serde_is_answered_like_serde_json() {
    let text = r#"{
        "unit": null, "pair": [7, "a\n\u00e4"], "letter": "\u00df",
        "choices": ["unit", {"one": "x"}, {"two": [1, -2]}, {"named": {"a": 2}}],
        "either": [1, "two", [3]], "by_number": {"-5": true}, "by_flag": {"true": 1.5},
        "by_choice": {"none": null}, "raw": {"a":[1,2.5,"x\"y",null,{},[],true,-1]},
        "large": 18446744073709551615, "least": -9223372036854775808, "float": 1e300,
        "unknown": {"skipped": [{}]}
    }"#;
    let (ours, theirs) = both::<Everything>(text);
    let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    assert_eq!(ours.raw.get(), theirs.raw.get());
    for (from, to) in [
        (r#""unit": null"#, r#""unit": 0"#),
        (r#"[7, "a"#, r#"[7, 8, "a"#),
        ("[7, ", "[700, "),
        (r#""\u00df""#, r#""two""#),
        (r#"{"one": "x"}"#, r#"{"one": "x", "two": [1, 2]}"#),
        (r#"{"two": [1, -2]}"#, r#"{"two": [1, -2, 3]}"#),
        (r#""-5""#, r#""five""#),
        (r#""true": 1.5"#, r#""yes": 1.5"#),
        ("18446744073709551615", "18446744073709551616"),
        ("1e300", "1e400"),
        ("1e300", "\"1\""),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let (ours, theirs) = both::<Everything>(&changed);
        assert!(ours.is_err() && theirs.is_err(), "{to}");
    }
}

#[test]
fn malformed_json_is_refused_with_its_place() {
    for (text, error) in [
        ("", "the object is incomplete at line 1 column 0"),
        ("{\n  \"a\": [1,", "the object is incomplete at line 2 column 10"),
        ("{\"a\": nul}", "not JSON at line 1 column 10"),
        ("{} {}", "not JSON at line 1 column 4"),
    ] {
        let refused = from_json::<Value>(text.as_bytes(), None, MEMORY_LIMIT).unwrap_err();
        assert_eq!(refused.to_string(), error);
    }
    let deep = "[".repeat(200) + &"]".repeat(200);
    assert!(json::<Value>(deep.as_bytes()).is_err());
    // A text that is skipped may be anything.
    let bytes = b"{\"metadata\":{\"managedFields\":\"\xff\"}}";
    assert!(json::<Value>(bytes).is_err());
    let skipped = from_json::<Value>(bytes, Some(Rule::AllButManagedFields), MEMORY_LIMIT);
    assert_eq!(skipped.unwrap(), json!({"metadata": {}}));
}

#[test]
fn trees_neither_nest_without_end_nor_hide_their_size() {
    for opening in [r#"{"fieldsV1":"#, r#"{"properties":{"fieldsV1":"#] {
        let closing = "}".repeat(opening.matches('{').count());
        let deep = |n: usize| opening.repeat(n) + "0" + &closing.repeat(n);
        assert!(json::<DynamicObject>(deep(20_000).as_bytes()).is_err());
        assert_eq!(json::<Value>(deep(20).as_bytes()).unwrap().to_string(), deep(20));
    }
    // Within managed fields, a tree is one token; inside it nothing else is.
    let object =
        |tree: &str| format!(r#"{{"metadata":{{"managedFields":[{{"fieldsV1":{tree}}}]}}}}"#);
    let again = object(&object(r#"{"f:a":{},"f:b":[1,"x\n",null]}"#));
    assert_eq!(json::<Value>(again.as_bytes()).unwrap().to_string(), again);
    for tree in ["null", "5", "true", r#""text""#, "[]", "{}", "[[1],[2]]"] {
        let text = object(tree);
        let whole = json::<Value>(text.as_bytes()).unwrap();
        for memory in [3_000, 5_000, 10_000, MEMORY_LIMIT] {
            if let Ok(read) = from_json::<Value>(text.as_bytes(), None, memory) {
                assert_eq!(read, whole);
            }
        }
        assert_eq!(from_json::<Value>(text.as_bytes(), None, 10_000).unwrap(), whole);
    }
    let large = object(&format!("[{}0]", "{\"\":0},".repeat(10_000)));
    assert!(from_json::<Pod>(large.as_bytes(), None, 1_000_000).is_err());
    assert!(from_json::<Pod>(large.as_bytes(), None, 100_000_000).is_ok());
}

#[test]
fn names_that_serde_json_uses_are_names_here() {
    for text in [
        r#"{"$serde_json::private::Number":"1"}"#,
        r#"{"$serde_json::private::Number":{"a":1},"b":2}"#,
    ] {
        let read = json::<BTreeMap<String, Value>>(text.as_bytes()).unwrap();
        assert!(read.contains_key("$serde_json::private::Number"), "{read:?}");
    }
    for key in ["+5", "007", "inf", "5.0", ""] {
        let text = format!(r#"{{"{key}":true}}"#);
        assert!(json::<BTreeMap<i32, bool>>(text.as_bytes()).is_err(), "{key}");
    }
}

/// A user's own struct, which collects unknown members.
#[derive(Debug, PartialEq, Deserialize)]
struct Slim {
    metadata: ObjectMeta,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

const MANY: &str = "managedFields";

/// Asserts that the filtered type equals the type decoded from the filtered object.
fn agrees<K: DeserializeOwned + PartialEq + fmt::Debug>(object: &Value) {
    let mut without = object.clone();
    if let Some(metadata) = without.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove(MANY);
    }
    let text = object.to_string();
    let rule = Some(Rule::AllButManagedFields);
    let read: Result<K, _> = from_json(text.as_bytes(), rule, MEMORY_LIMIT);
    let expected: Result<K, _> = serde_json::from_value(without);
    let expected = expected.ok();
    assert_eq!(read.ok(), expected, "{object}");
    // The same if they are cut out first.
    let bare = bare::json(text.as_bytes());
    assert_eq!(bare.is_some(), object["metadata"].get(MANY).is_some(), "{object}");
    if let Some(bare) = bare {
        assert_eq!(from_json::<K>(&bare, None, MEMORY_LIMIT).ok(), expected, "{object}");
    }
}

#[test]
fn raw_metadata_lacks_managed_fields() {
    #[derive(Deserialize)]
    struct Raw {
        metadata: Box<serde_json::value::RawValue>,
        spec: Box<serde_json::value::RawValue>,
    }
    let managed = r#""managedFields":[{"manager":"m"}]"#;
    let spec = format!(r#"{{"z":1.50,"a":0,{managed}}}"#);
    let text = format!(r#"{{"metadata":{{"name":"a",{managed}}},"spec":{spec}}}"#);
    let rule = Some(Rule::AllButManagedFields);
    let raw: Raw = from_json(text.as_bytes(), rule, MEMORY_LIMIT).unwrap();
    assert_eq!(raw.metadata.get(), r#"{"name":"a"}"#);
    assert_eq!(raw.spec.get(), spec);
}

#[test]
fn only_the_objects_own_managed_fields_are_skipped() {
    let object = json!({
        "apiVersion": "v1", "kind": "Pod",
        "managedFields": "stays",
        "metadata": {
            "name": "web", "a\"b": 1,
            MANY: [{"manager": "m", "fieldsV1": {"f:metadata": {MANY: {}}}}],
            "labels": {MANY: "stays"},
            "annotations": {"metadata": "stays"},
        },
        "spec": {"containers": [], "metadata": {MANY: "stays"}},
    });
    agrees::<Value>(&object);
    agrees::<Pod>(&object);
    agrees::<Option<Pod>>(&object);
    agrees::<DynamicObject>(&object);
    agrees::<Slim>(&object);
    for odd in [json!(null), json!(7), json!(-7), json!(0.5), json!("x"), json!([1]), json!(true)] {
        agrees::<Value>(&odd);
        agrees::<Option<Pod>>(&odd);
        agrees::<Value>(&json!({"metadata": odd.clone()}));
        agrees::<Pod>(&json!({"metadata": odd}));
    }
}

/// Returns the parts of a value that the rule keeps.
fn cut(value: &Value, rule: Rule<'_>) -> Value {
    match value {
        Value::Object(members) => {
            let cut = members.iter().filter_map(|(name, member)| match rule.judge(name) {
                Verdict::Skip => None,
                Verdict::Pass => Some((name.clone(), member.clone())),
                Verdict::Look(rule) => Some((name.clone(), cut(member, rule))),
            });
            cut.collect()
        }
        Value::Array(elements) if matches!(rule, Rule::Within(_)) => {
            elements.iter().map(|element| cut(element, rule)).collect()
        }
        other => other.clone(),
    }
}

fn only<K: DeserializeOwned>(object: &Value, fields: &FieldSet) -> Result<K, DecodeError> {
    from_json(object.to_string().as_bytes(), Some(Rule::BareObject(fields)), MEMORY_LIMIT)
}

#[test]
fn only_wanted_fields_are_decoded() {
    let object = json!({
        "metadata": {"name": "web", "labels": {"app": "web"}, MANY: [{"manager": "m"}]},
        "spec": {"nodeName": "n", "containers": [
            {"name": "a", "image": "x", "env": [{"name": "E", "value": "v"}]},
            {"name": "b", "image": "y"},
        ]},
        "status": "no status at all",
    });
    for (paths, left) in [
        (&["metadata"][..], json!({"metadata": {"name": "web", "labels": {"app": "web"}}})),
        (&["metadata.labels.app"], json!({"metadata": {"labels": {"app": "web"}}})),
        (
            &["spec.containers.image", "spec.nodeName"],
            json!({"spec": {"nodeName": "n", "containers": [{"image": "x"}, {"image": "y"}]}}),
        ),
        (&["metadata.managedFields.manager"], json!({"metadata": {MANY: [{"manager": "m"}]}})),
        (&["nothing", "spec.nothing", ""], json!({"spec": {}})),
        (&[], json!({})),
    ] {
        let fields = FieldSet::from_paths(paths);
        assert_eq!(only::<Value>(&object, &fields).unwrap(), left);
    }
    // A pod always has a list of containers.
    let fields = FieldSet::from_paths(["spec.nodeName"]);
    let pod: Pod = only(&object, &fields).unwrap();
    assert_eq!(pod.spec.unwrap().node_name.as_deref(), Some("n"));
    assert!(only::<Pod>(&object, &FieldSet::from_paths(["status"])).is_err());
}

proptest! {
    #![proptest_config(crate::seeds::kept())]

    #[test]
    fn any_json_is_read_like_serde_json(value in any_json()) {
        for text in [value.to_string(), format!("{value:#}")] {
            prop_assert_eq!(&json::<Value>(text.as_bytes()).unwrap(), &value);
            let (ours, theirs) = both::<Choice>(&text);
            prop_assert_eq!(ours.ok(), theirs.ok());
            let (ours, theirs) = both::<Either>(&text);
            prop_assert_eq!(ours.ok(), theirs.ok());
            let (ours, theirs) = both::<Box<serde_json::value::RawValue>>(&value.to_string());
            let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
            prop_assert_eq!(ours.get(), theirs.get());
        }
    }

    #[test]
    fn any_filter_keeps_exactly_the_wanted_fields(
        value in any_json(),
        paths in proptest::collection::vec("([a\"}]{0,2}\\.){0,2}[a\"}]{0,2}", 0..6),
    ) {
        let fields = FieldSet::from_paths(paths);
        prop_assert_eq!(
            only::<Value>(&value, &fields).unwrap(),
            cut(&value, Rule::BareObject(&fields))
        );
    }

    #[test]
    fn other_fields_are_unchanged(value in any_json(), rest in any_json(), extra in any_json()) {
        agrees::<Value>(&json!({"a": extra, "metadata": {"x": value, MANY: rest}}));
        agrees::<ObjectMeta>(&json!({"metadata": value}));
    }
}
