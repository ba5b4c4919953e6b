//! Tests that compare the reader with `serde_json`, on texts with and without errors.

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::core::{DynamicObject, ObjectMeta};
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{levels, offset};
use crate::Decode;
use crate::any_json::any_json;
use crate::node::from_json;
use crate::stack::NO_STACK;
use crate::{MEMORY_LIMIT, SerdeDecode, node};

/// An object with every form of JSON, and with texts and lists of many lengths.
const SAMPLE: &str = r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0","generation":7,
"labels":{"app":"w\u00e4b","t\ter":"\ud83d\ude00"},"annotations":{"a":"\"[{,}]\\"},
"managedFields":[{"manager":"m","fieldsV1":{"f:a":{".":{},"k:{\"b\":1}":{}}}}]},"spec":{
"containers":[{"name":"a","image":"é","args":["-0","","0123456789abcdef"],"ports":[{"containerPort":80
}]},{"name":"b"}],"nodeSelector":{},"tolerations":[],"hostNetwork":true,"priority":-5},
"status":null,"data":{"x":"y"},"more":[0.5,-0,1e3,18446744073709551615,18446744073709551616,-1,
-9223372036854775808,[[],[{}],[false,null]],2E-2]}"#;

/// A type that collects unknown members.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "compared as text")]
struct Flat {
    #[serde(default)]
    metadata: ObjectMeta,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

/// Asserts that a text is accepted as by `serde_json`, or refused at the same place.
fn agrees<K: DeserializeOwned + fmt::Debug>(text: &[u8]) {
    compare::<K>(text, from_json(text, None, MEMORY_LIMIT).map_err(|error| error.to_string()));
}

fn compare<K: DeserializeOwned + fmt::Debug>(text: &[u8], ours: Result<K, String>) {
    let theirs = serde_json::from_slice::<K>(text);
    let shown = String::from_utf8_lossy(text);
    let of = std::any::type_name::<K>();
    match (ours, theirs) {
        // Of a type that buffers.
        (Err(ours), _) if ours.contains(NO_STACK) => assert!(levels(text) > 40, "{ours}"),
        (Ok(ours), Ok(theirs)) => {
            assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{of}: {shown}");
        }
        (Err(ours), Err(theirs)) => {
            let (line, column) = place(&ours);
            let (ours_at, at) =
                (offset(text, line, column), offset(text, theirs.line(), theirs.column()));
            let between = text.get(ours_at..at).unwrap_or(b"x");
            // `serde_json` looks behind a value that does not fit for the end of the map that it
            // lies in, and takes that end if it is there. The value's own end says more.
            let behind = matches!(between.trim_ascii(), b"" | b"}") && theirs.is_data();
            assert!(between.is_empty() || behind, "{of}: {ours:?}, but {theirs}: {shown}");
        }
        (ours, theirs) => panic!("{of}: {ours:?}, but {theirs:?}: {shown}"),
    }
}

/// Returns the line and column that an error states.
fn place(error: &str) -> (usize, usize) {
    let (_, place) = error.rsplit_once(" at line ").expect(error);
    let (line, column) = place.split_once(" column ").expect(error);
    (line.parse().unwrap(), column.parse().unwrap())
}

fn all_agree(text: &[u8]) {
    agrees::<Value>(text);
    agrees::<IgnoredAny>(text);
    agrees::<BTreeMap<String, Value>>(text);
    agrees::<BTreeMap<String, Option<IgnoredAny>>>(text);
    agrees::<BTreeMap<String, Box<RawValue>>>(text);
    agrees::<BTreeMap<String, Option<bool>>>(text);
    agrees::<Vec<Option<String>>>(text);
    agrees::<Vec<i64>>(text);
    agrees::<Vec<u128>>(text);
    agrees::<Vec<Vec<IgnoredAny>>>(text);
    agrees::<BTreeMap<String, Vec<Option<f64>>>>(text);
    agrees::<Flat>(text);
    agrees::<Pod>(text);
    agrees::<ConfigMap>(text);
    agrees::<DynamicObject>(text);
    let dynamic = SerdeDecode::<DynamicObject>::new().decode(text);
    compare::<DynamicObject>(text, dynamic.map_err(|error| error.to_string()));
}

/// A change of a text at a position.
#[derive(Clone, Debug)]
enum Change {
    Replace(u8),
    Insert(u8),
    Remove,
    Cut,
    Repeat,
}

fn any_change() -> impl Strategy<Value = (prop::sample::Index, Change)> {
    let bytes = b"{}[]\",:\\/0123456789.eE+-nulltruefalse \n\t\x00\x1f\x7f\x80\xc3\xff".to_vec();
    let byte = prop::sample::select(bytes);
    let change = prop_oneof![
        4 => byte.clone().prop_map(Change::Replace),
        4 => byte.prop_map(Change::Insert),
        2 => Just(Change::Remove),
        1 => Just(Change::Cut),
        1 => Just(Change::Repeat),
    ];
    (any::<prop::sample::Index>(), change)
}

fn changed(text: &str, changes: &[(prop::sample::Index, Change)]) -> Vec<u8> {
    let mut text = text.as_bytes().to_vec();
    for (at, change) in changes {
        if text.is_empty() {
            break;
        }
        let at = at.index(text.len());
        match change {
            Change::Replace(byte) => text[at] = *byte,
            Change::Insert(byte) => text.insert(at, *byte),
            Change::Remove => drop(text.remove(at)),
            Change::Cut => text.truncate(at),
            Change::Repeat => text.extend_from_within(at..),
        }
    }
    text
}

#[test]
fn every_form_is_read_like_serde_json() {
    all_agree(SAMPLE.as_bytes());
    all_agree(SAMPLE.replace('\n', "").as_bytes());
    for text in [
        "",
        " ",
        "null",
        "nul",
        "nulx",
        "n",
        "true ",
        "tru",
        "-",
        "-0",
        "0",
        "00",
        "01",
        "1.",
        "1.e",
        "1e",
        "1e+",
        "1e400",
        "-1e400",
        "0.1",
        "12x",
        "\"",
        "\"\\",
        "\"\\u",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\u{1f}\"",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[1 2]",
        "[,",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{1:2}",
        "{}}",
        "[1]]",
        "{\"a\":\"b\",\"a\":null}",
        "\u{feff}{}",
        "[\"\\x\"]",
        "{\"metadata\":{\"name\":5}}",
        "{\"metadata\":[]}",
        "{\"metadata\":{\"labels\":{\"a\":{}}}}",
        "{\"metadata\":",
        "{\"kind\":\"Pod\"}",
        "{\"kind\":\"Pod\" } ]",
        "{\"kind\":\"Pod\"},",
        "{\"spec\":{\"containers\":[{\"name\":\"a\"},5]}}",
        "{\"data\":{\"a\":1.5x}}",
        "[-170141183460469231731687303715884105729, 340282366920938463463374607431768211456]",
        "[123456789012345678901234567890]",
        "[-5]",
        "[[[1],[2]],[]]",
        "[[1}]",
    ] {
        all_agree(text.as_bytes());
    }
    all_agree(b"\"\xff\"");
    all_agree(b"{\"a\":\"\xc3\"}");
    all_agree(b"{\"unknown\":\"\xff\",\"metadata\":{}}");
    all_agree(b"{\"unknown\":{\"\xff\":1e999}}");
}

#[test]
fn depth_is_limited_like_serde_json() {
    for depth in [1, 64, 125, 126, 127, 128, 129, 130, 300] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("{\"spec\":", "}")] {
            let text = open.repeat(depth) + "0" + &close.repeat(depth);
            all_agree(text.as_bytes());
            let lists = "[{},".repeat(depth) + "0" + &"]".repeat(depth);
            all_agree(lists.as_bytes());
            all_agree(open.repeat(depth).as_bytes());
        }
    }
}

#[test]
fn trees_do_not_exceed_the_budget() {
    let text = format!(r#"{{"data":[{}0]}}"#, r#"{"":[0]},"#.repeat(1_000));
    let whole: Value = serde_json::from_str(&text).unwrap();
    let mut accepted = 0;
    for memory in (0..20).map(|n| 1 << n) {
        if let Ok(read) = from_json::<Value>(text.as_bytes(), None, memory * 100) {
            assert_eq!(read, whole);
            accepted += 1;
        }
    }
    assert!((1..20).contains(&accepted), "{accepted}");
}

#[test]
fn vectors_are_allocated_at_their_size() {
    let mut decoded: Pod = from_json(SAMPLE.as_bytes(), None, MEMORY_LIMIT).unwrap();
    let spec = decoded.spec.as_mut().unwrap();
    assert_eq!((spec.containers.len(), spec.containers.capacity()), (2, 2));
    let first = &spec.containers[0];
    assert_eq!(first.args.as_ref().unwrap().capacity(), 3);
    assert_eq!(first.ports.as_ref().unwrap().capacity(), 1);
    assert_eq!(spec.tolerations.as_ref().unwrap().capacity(), 0);
}

#[test]
fn lengths_are_not_counted_beyond_the_budget() {
    let lists = format!("[{}[]]", "[],".repeat(10_000));
    let (read, budget) = node::from_json_within::<Vec<Vec<u8>>>(lists.as_bytes(), 1 << 20);
    assert_eq!(read.unwrap().len(), 10_001);
    let counted = (1 << 20) - budget.left();
    let (read, budget) = node::from_json_within::<Vec<Vec<u8>>>(lists.as_bytes(), counted - 1);
    assert!(read.is_ok() || budget.is_exceeded());
    let (read, budget) = node::from_json_within::<Vec<Vec<u8>>>(lists.as_bytes(), 1 << 17);
    assert!(read.is_err() && budget.is_exceeded());
}

proptest! {
    #![proptest_config(crate::seeds::kept())]

    #[test]
    fn any_text_is_read_like_serde_json(
        value in any_json(),
        changes in prop::collection::vec(any_change(), 0..4),
    ) {
        all_agree(&changed(&value.to_string(), &changes));
        all_agree(&changed(&format!("{value:#}"), &changes));
        all_agree(&changed(SAMPLE, &changes));
    }
}
