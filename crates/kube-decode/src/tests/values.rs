//! Values that Go's types hold, and that Rust's types do not, or have in another form.

use k8s_openapi::ByteString;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret, Service};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::{Timestamp, civil};

use super::*;
use crate::protobuf::ProtobufObject;
use crate::protobuf::encode::{field, int};
use crate::time::watched;

const LATEST: &str = "9999-12-30T22:00:00Z";

/// Decodes an object from both encodings, of which the first is JSON. Also returns whether a time
/// was clamped.
fn decoded<K: DeserializeOwned + 'static>(object: &Value) -> [(Result<K, DecodeError>, bool); 2] {
    let decoder = SerdeDecode::<K>::new();
    let bytes = encode_protobuf(object).unwrap();
    let message = ProtobufObject::from_envelope(&bytes).unwrap();
    [
        watched(|| decoder.decode(object.to_string().as_bytes())),
        watched(|| decoder.decode_protobuf(&message)),
    ]
}

fn node(time: &str) -> Value {
    let taint = json!({"key": "a", "effect": "NoSchedule", "timeAdded": time});
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "spec": {"taints": [taint]}})
}

#[test]
fn object_with_a_time_after_the_range_is_there() {
    for (time, read) in [
        ("9999-12-31T23:59:59Z", LATEST),
        ("10000-01-01T04:59:59Z", LATEST),
        ("9999-12-30T22:00:01Z", LATEST),
    ] {
        for (node, clamped) in decoded::<Node>(&node(time)) {
            let taint = node.unwrap().spec.unwrap().taints.unwrap().remove(0);
            assert_eq!(taint.time_added, Some(Time(read.parse().unwrap())));
            assert!(clamped, "{time}");
        }
        let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"name": "l", "deletionTimestamp": time}, "spec": {"renewTime": time}});
        for (lease, clamped) in decoded::<Lease>(&lease) {
            assert_eq!(lease.unwrap().spec.unwrap().renew_time.unwrap().0, read.parse().unwrap());
            assert!(clamped, "{time}");
        }
        // A type that keeps texts has the server's.
        for (object, clamped) in decoded::<Value>(&node(time)) {
            assert_eq!(object.unwrap()["spec"]["taints"][0]["timeAdded"], time);
            assert!(!clamped);
        }
        let (object, clamped) =
            watched(|| json::<DynamicObject>(node(time).to_string().as_bytes()));
        assert_eq!(object.unwrap().data["spec"]["taints"][0]["timeAdded"], time);
        assert!(!clamped);
    }
}

#[test]
fn base64_that_go_reads_is_read_from_both_encodings() {
    for text in ["eA==", "eA\n==", "eB==\r\n"] {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "data": {"a": text}});
        for (secret, _) in decoded::<Secret>(&secret) {
            assert_eq!(secret.unwrap().data.unwrap()["a"].0, b"x", "{text:?}");
        }
    }
}

#[test]
fn early_and_ordinary_times_are_exact() {
    for time in [
        "0000-01-01T00:00:00Z",
        "-0001-12-31T19:00:00Z",
        "0001-01-01T00:00:00Z",
        "2026-01-01T00:00:00Z",
        LATEST,
    ] {
        let [json, protobuf] = decoded::<Node>(&node(time));
        assert!(!json.1 && !protobuf.1);
        assert_eq!(json.0.unwrap().spec, protobuf.0.unwrap().spec);
    }
}

#[test]
fn null_of_a_required_time_is_the_zero_time() {
    let condition = json!({"type": "A", "status": "True", "reason": "", "message": "",
        "lastTransitionTime": null});
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
        "status": {"conditions": [condition, condition]}});
    for (service, clamped) in decoded::<Service>(&service) {
        let conditions = service.unwrap().status.unwrap().conditions.unwrap();
        let zero = Time("0001-01-01T00:00:00Z".parse().unwrap());
        assert!(conditions.iter().all(|condition| condition.last_transition_time == zero));
        assert!(!clamped);
    }
}

/// A type with times and bytes, as a custom resource has them.
#[derive(Debug, PartialEq, Deserialize)]
struct Custom {
    time: Option<Timestamp>,
    condition: Option<Condition>,
    ca: Option<ByteString>,
    count: Option<u8>,
    tier: Option<BTreeMap<String, i32>>,
    number: Option<f64>,
    any: Option<Value>,
    limits: Option<BTreeMap<String, Quantity>>,
    small: Option<f32>,
    large: Option<i128>,
    civil: Option<civil::DateTime>,
    times: Option<BTreeMap<Timestamp, Stamp>>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Stamp(Time);

fn custom(text: &str) -> Result<Custom, DecodeError> {
    json(text.as_bytes())
}

#[test]
fn forms_that_go_reads_are_read() {
    let read = custom(r#"{"time":"9999-12-31T20:00:00+23:00"}"#).unwrap();
    assert_eq!(read.time, Some("9999-12-30T21:00:00Z".parse().unwrap()));
    let read = custom(r#"{"time":"2020-01-01T00:00:00.1234567891Z"}"#).unwrap();
    assert_eq!(read.time, Some("2020-01-01T00:00:00.123456789Z".parse().unwrap()));
    let read = custom(r#"{"times":{"9999-12-31T23:59:59Z":"9999-12-31T23:59:59Z"}}"#).unwrap();
    let latest: Timestamp = LATEST.parse().unwrap();
    assert_eq!(read.times, Some([(latest, Stamp(Time(latest)))].into()));
    // A block of YAML ends with a line break.
    let read = custom(r#"{"ca":"aGVs\r\nbG8=\n"}"#).unwrap();
    assert_eq!(read.ca, Some(ByteString(b"hello".to_vec())));
    let read = custom(r#"{"ca":"eB=="}"#).unwrap();
    assert_eq!(read.ca, Some(ByteString(b"x".to_vec())));
    let read = custom(r#"{"limits":{"cpu":2,"memory":"1Gi","x":-0.5e3,"y": 1}}"#).unwrap();
    let limits: Vec<_> = read.limits.unwrap().into_values().map(|quantity| quantity.0).collect();
    assert_eq!(limits, ["2", "1Gi", "-500", "1"]);
    assert!(custom(r#"{"time":null,"ca":null}"#).unwrap().time.is_none());
}

#[test]
fn error_names_path_kind_and_reason() {
    for (text, error) in [
        (r#"{"time":"never"}"#, "time: found string, expected a time as RFC 3339 writes it"),
        (r#"{"time":7}"#, "time: found integer, expected a timestamp string"),
        (r#"{"limits":{"cpu":true}}"#, "limits.*: found boolean, expected Quantity"),
        (r#"{"limits":{"cpu":-}}"#, "not JSON"),
        (r#"{"ca":"?"}"#, "ca: found string, expected base64"),
        (r#"{"count":300}"#, "count: found another integer, expected u8"),
        (r#"{"count":1.0}"#, "count: found floating point, expected u8"),
        (r#"{"count":"a","time":null}"#, "count: found string, expected u8"),
        (r#"{"tier":{"hunter2":"hunter2"}}"#, "tier.*: found string, expected i32"),
        (r#"{"small":1e39}"#, "small: found another number, expected f32"),
        (r#"{"small":1e400}"#, "small: found another number, expected f32"),
        (
            r#"{"large":340282366920938463463374607431768211455}"#,
            "large: found another number, expected i128",
        ),
        (
            r#"{"civil":"9999-12-31T23:59:59Z"}"#,
            "civil: found string, expected a date or a time without `Z`",
        ),
        (r#"{"civil":7}"#, "civil: found integer, expected a datetime string"),
        (r#"{"number":1e400}"#, "number: found a number that no 64-bit float holds"),
        (
            r#"{"any":{"spec":[0,{"hunter2":-1e999}]}}"#,
            "any.spec[1].*: found a number that no 64-bit float holds",
        ),
        (r#"{"any":["\ud800"]}"#, "any[0]: found a text with half of a surrogate pair"),
        (r#"{"any":"\udc00 "}"#, "any: found a text with half of a surrogate pair"),
        (r#"{"count":1,"count":2}"#, "count: duplicate field `count`"),
        (r#"{"condition":{"type":"a"}}"#, "condition: missing field `lastTransitionTime`"),
        (r#"{"condition":[]}"#, "condition: found sequence, expected Condition"),
    ] {
        let found = custom(text).unwrap_err().to_string();
        assert!(found.starts_with(&format!("{error} at line 1 column ")), "{found}");
    }
    let found = json::<Custom>(b"{\"any\":{\"name\":\"\xff\"}}").unwrap_err().to_string();
    assert!(found.starts_with("any.name: found a text that is not UTF-8 at line 1"), "{found}");
    let found = json::<Node>(node("hunter2").to_string().as_bytes()).unwrap_err().to_string();
    assert!(
        found.starts_with("spec.taints[0].timeAdded: found string, expected a time"),
        "{found}"
    );
    let found = json::<ConfigMap>(br#"{"data":{"hunter2":7}}"#).unwrap_err().to_string();
    assert!(found.starts_with("data.*: found integer, expected a string"), "{found}");
}

/// `Time` writes the sign of a year as one of its four characters.
#[test]
fn times_of_all_years_are_read_as_they_were_written() {
    for year in (-9998..=9998).step_by(101).chain([-1000, -999, -100, -99, -10, -9, -1, 0, 1]) {
        let time = Timestamp::from_second(year * 31_556_952 - 62_167_219_200).unwrap();
        let written = serde_json::to_vec(&Time(time)).unwrap();
        let text = String::from_utf8_lossy(&written);
        assert_eq!(json::<Time>(&written).ok(), Some(Time(time)), "{text}");
    }
}

/// A type whose parts serde buffers, so that no time is clamped in them.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only decoded")]
struct Flat {
    #[serde(flatten)]
    custom: Custom,
}

#[test]
fn error_names_a_time_that_serde_has_buffered() {
    let text = r#"{"name":"9999-12-30","time":"9999-12-31T23:59:59Z","count":1}"#;
    let found = json::<Flat>(text.as_bytes()).unwrap_err().to_string();
    assert!(found.starts_with("a value does not fit its type at line 1 column "), "{found}");
    assert!(found.ends_with("; time: a time that no `Timestamp` holds"), "{found}");
    let found = json::<Flat>(br#"{"time":"never"}"#).unwrap_err().to_string();
    assert!(found.starts_with("a value does not fit its type at line 1 column "), "{found}");
    assert!(!found.contains("Timestamp"), "{found}");
}

#[test]
fn error_in_protobuf_names_the_path() {
    // A port of a container that no 32-bit number holds.
    let port = |number| field(6, int(3, number));
    let containers = [field(2, field(1, "a")), field(2, [port(80), port(1 << 40)].concat())];
    let pod = [field(1, ""), field(2, containers.concat())].concat();
    let object = ProtobufObject::from_message("v1", "Pod", &pod).unwrap();
    let found = object.decode::<Pod>().unwrap_err().to_string();
    let path = "spec.containers[1].ports[1].containerPort";
    assert!(
        found.starts_with(&format!("{path}: found another integer, expected i32 at byte ")),
        "{found}"
    );

    let entry = field(2, [field(1, "hunter2"), field(2, int(1, 1))].concat());
    let map = [field(1, ""), entry].concat();
    let object = ProtobufObject::from_message("v1", "ConfigMap", &map).unwrap();
    let found = object.decode::<BTreeMap<String, BTreeMap<String, u8>>>().unwrap_err().to_string();
    assert!(found.contains("data.*: found string, expected u8"), "{found}");
}
