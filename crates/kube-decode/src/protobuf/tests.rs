//! Messages that Go never writes, but the wire format allows. Messages that Go writes are tested by
//! pairs in tests/suite/protobuf.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Pod, Secret};
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::encode::{encode, envelope, field, int as number, named};
use super::*;
use crate::DecodeError;
use crate::decode_error::TOO_DEEP;

fn decode<T: DeserializeOwned>(kind: &str, message: &[u8]) -> Result<T, DecodeError> {
    ProtobufObject::from_message("v1", kind, message).unwrap().decode()
}

fn pod_spec(fields: &[Vec<u8>]) -> Value {
    decode::<Value>("Pod", &field(2, fields.concat())).unwrap()["spec"].take()
}

#[test]
fn many_fields_out_of_order_are_an_error() {
    let spec = |volumes| {
        let fields = [field(10, "node"), field(1, field(1, "v")).repeat(volumes)].concat();
        decode::<Pod>("Pod", &field(2, fields))
    };
    assert_eq!(spec(4000).unwrap().spec.unwrap().volumes.unwrap().len(), 4000);
    let error = spec(5000).unwrap_err();
    assert!(error.to_string().contains("out of order"), "{error}");
}

proptest! {
    #![proptest_config(crate::seeds::kept())]

    #[test]
    fn only_the_order_of_repeated_fields_matters(
        order in proptest::sample::subsequence((0..11usize).collect::<Vec<_>>(), 11).prop_shuffle(),
    ) {
        // Containers, volumes with inlined sources, a node selector, an unknown field, plain
        // fields.
        let entry = |key, value| [field(1, key), field(2, value)].concat();
        let fields = [
            field(2, field(1, "a")), field(2, field(1, "b")), field(2, field(1, "c")),
            field(1, [field(2, field(2, field(1, "m"))), field(1, "v")].concat()),
            field(1, field(1, "w")),
            field(7, entry("k", "1")), field(7, entry("l", "2")),
            number(4, 30), field(10, "node"), field(99, "new"), number(11, 1),
        ];
        let spec = pod_spec(&order.iter().map(|n| fields[*n].clone()).collect::<Vec<_>>());
        let of = |range: std::ops::Range<usize>, names: &[&str]| -> Vec<String> {
            order.iter().filter(|n| range.contains(n)).map(|n| names[n - range.start].to_owned()).collect()
        };
        let names = |list: &Value| -> Vec<String> {
            let list = list.as_array().unwrap().iter();
            list.map(|item| item["name"].as_str().unwrap().to_owned()).collect()
        };
        prop_assert_eq!(names(&spec["containers"]), of(0..3, &["a", "b", "c"]));
        prop_assert_eq!(names(&spec["volumes"]), of(3..5, &["v", "w"]));
        let volume = spec["volumes"].as_array().unwrap().iter().find(|v| v["name"] == "v").unwrap();
        prop_assert_eq!(&volume["emptyDir"]["medium"], "m");
        prop_assert_eq!(&spec["nodeSelector"], &json!({"k": "1", "l": "2"}));
        prop_assert_eq!(&spec["terminationGracePeriodSeconds"], 30);
        prop_assert_eq!((&spec["nodeName"], &spec["hostNetwork"]), (&json!("node"), &json!(true)));
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(
        bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 0u8..20], 0..200),
    ) {
        for kind in ["Pod", "Secret", "Event", "Status", "WatchEvent", "Service"] {
            if let Err(error) = decode::<Value>(kind, &bytes) {
                prop_assert!(error.offset().is_some_and(|offset| offset <= bytes.len()), "{error}");
            }
        }
        let _ = decode::<Pod>("Pod", &bytes);
        let _ = ProtobufObject::from_envelope(&bytes);
    }
}

#[test]
fn last_value_counts_and_messages_come_once() {
    assert_eq!(pod_spec(&[field(10, "a"), field(10, "b")])["nodeName"], "b");
    assert_eq!(pod_spec(&[field(10, "a"), number(4, 1), field(10, "b")])["nodeName"], "b");
    let twice = field(2, [field(14, ""), field(14, "")].concat());
    let error = decode::<Value>("Pod", &twice).unwrap_err();
    assert_eq!(error.to_string(), "a message comes in two pieces at byte 6");
}

#[test]
fn message_depth_is_limited() {
    // A schema with properties of properties: field 29 is a map of schemas.
    let nested = |depth: usize| {
        let mut schema = field(5, "object");
        for _ in 0..depth {
            schema = field(29, [field(1, "p"), field(2, schema)].concat());
        }
        let version = field(4, field(1, schema));
        field(2, field(7, version))
    };
    let decode = |message: &[u8]| {
        let version = "apiextensions.k8s.io/v1";
        let object = ProtobufObject::from_message(version, "CustomResourceDefinition", message);
        object.unwrap().decode::<Value>()
    };
    let mut schema = decode(&nested(60)).unwrap();
    let mut schema = schema["spec"]["versions"][0]["schema"]["openAPIV3Schema"].take();
    for _ in 0..60 {
        schema = schema["properties"]["p"].take();
    }
    assert_eq!(schema["type"], "object");
    for depth in [61, 10_000] {
        let error = decode(&nested(depth)).unwrap_err();
        assert!(error.to_string().contains(TOO_DEEP), "{error}");
    }
}

#[test]
fn depth_limit_is_that_of_json() {
    type Nest = fn(Value) -> Value;
    let schemas: [(Nest, Value); 8] = [
        (|schema| json!({"not": schema}), json!({})),
        (|schema| json!({"not": schema}), json!({"required": ["a"]})),
        (|schema| json!({"not": schema}), json!({"properties": {"a": {}}})),
        (|schema| json!({"allOf": [schema]}), json!({})),
        (|schema| json!({"items": schema}), json!({})),
        (|schema| json!({"items": [schema]}), json!({})),
        (|schema| json!({"additionalProperties": schema}), json!(true)),
        (|schema| json!({"properties": {"a": schema}}), json!({})),
    ];
    for (n, (nest, inner)) in schemas.into_iter().enumerate() {
        let mut refused = None;
        for depth in 55..125 {
            let schema = (0..depth).fold(inner.clone(), |schema, _| nest(schema));
            let definition = json!({
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                "spec": {"versions": [{"schema": {"openAPIV3Schema": schema}}]},
            });
            let (body, text) = (encode(&definition).unwrap(), definition.to_string());
            let from_protobuf = ProtobufObject::from_envelope(&body).unwrap().decode::<Value>();
            let from_json = crate::json::<Value>(text.as_bytes());
            assert_eq!(from_protobuf.is_ok(), from_json.is_ok(), "{n} {depth} {from_protobuf:?}");
            for error in [from_protobuf.err(), from_json.err()].into_iter().flatten() {
                assert!(error.to_string().contains(TOO_DEEP), "{error}");
                refused.get_or_insert(depth);
            }
        }
        assert!(refused.is_some_and(|depth| depth > 59), "{n} {refused:?}");
    }
}

/// Returns whether both encodings of an object are accepted. Fails where they differ.
fn accepted<K: DeserializeOwned + 'static>(object: &Value) -> bool {
    let (text, body) = (object.to_string(), encode(object).unwrap());
    let decoder = crate::SerdeDecode::<K>::new();
    let from_json = crate::Decode::decode(&decoder, text.as_bytes());
    let object = ProtobufObject::from_envelope(&body).unwrap();
    let decoder = crate::Decode::protobuf(&decoder).unwrap();
    let from_protobuf = decoder.decode_protobuf(&object);
    assert_eq!(from_protobuf.is_ok(), from_json.is_ok(), "{:?}", from_protobuf.err());
    from_json.is_ok()
}

#[test]
fn depth_of_inner_json_counts_from_the_object() {
    let nested = |levels| (0..levels).fold(json!(0), |value, _| json!([value]));
    let definition = |levels| {
        let schema =
            (0..50).fold(json!({"default": nested(levels)}), |inner, _| json!({"not": inner}));
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "spec": {"versions": [{"schema": {"openAPIV3Schema": schema}}]},
        })
    };
    let entry = |levels| json!([{"manager": "m", "fieldsV1": {"f:a": nested(levels)}}]);
    let pod = |levels| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"managedFields": entry(levels)}});
    let template = |levels| {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {}, "spec":
            {"selector": {}, "template": {"metadata": {"managedFields": entry(levels)}}}})
    };
    for levels in 60..130 {
        assert_eq!(accepted::<Value>(&definition(levels)), levels <= 71, "{levels}");
        accepted::<Pod>(&pod(levels));
        accepted::<Value>(&pod(levels));
        accepted::<Deployment>(&template(levels));
        accepted::<Value>(&template(levels));
    }
}

#[test]
fn raw_null_is_none_as_in_json() {
    #[derive(Debug, Deserialize, PartialEq)]
    struct Slim {
        object: Option<Value>,
    }
    for (raw, is_null) in [("null", true), (" null\n", true), ("", true), ("0", false)] {
        let event = field(2, field(1, raw));
        let slim: Slim = decode("WatchEvent", &event).unwrap();
        assert_eq!(slim.object.is_none(), is_null, "{raw:?}");
    }
    decode::<Slim>("WatchEvent", &field(2, field(1, "nul"))).unwrap_err();
}

#[test]
fn nested_object_depth_is_limited() {
    let mut body = envelope("v1", "Pod", &named("p", "a", "1"));
    let event = |body: &[u8]| [field(1, "ADDED"), field(2, field(1, body))].concat();
    assert_eq!(decode::<Value>("WatchEvent", &event(&body)).unwrap()["object"]["kind"], "Pod");
    for _ in 0..1000 {
        body = envelope("v1", "WatchEvent", &event(&body));
    }
    let error = ProtobufObject::from_envelope(&body).unwrap().decode::<Value>().unwrap_err();
    assert!(error.to_string().contains(TOO_DEEP), "{error}");
}

#[test]
fn slim_struct_borrows_texts_and_skips_the_rest() {
    #[derive(Deserialize)]
    struct Slim<'a> {
        #[serde(borrow)]
        metadata: Metadata<'a>,
        #[serde(default)]
        kind: &'a str,
    }
    #[derive(Deserialize)]
    struct Metadata<'a> {
        name: &'a str,
        #[serde(default, borrow)]
        labels: BTreeMap<&'a str, &'a str>,
    }
    let label = field(11, [field(1, "app"), field(2, "web")].concat());
    // The spec is malformed, and is skipped unread.
    let message = [field(1, [field(1, "p"), label].concat()), field(2, [0xff; 9])].concat();
    let body = envelope("v1", "Pod", &message);
    let slim: Slim<'_> = ProtobufObject::from_envelope(&body).unwrap().decode().unwrap();
    assert_eq!((slim.kind, slim.metadata.name, slim.metadata.labels["app"]), ("Pod", "p", "web"));
    assert_eq!(decode::<Pod>("Pod", &message).unwrap_err().offset(), Some(message.len() - 9));
}

#[test]
fn vectors_have_exact_capacity() {
    let containers: Vec<u8> = (0..5).flat_map(|_| field(2, field(1, "c"))).collect();
    let pod: Pod = decode("Pod", &field(2, containers)).unwrap();
    let containers = pod.spec.unwrap().containers;
    assert_eq!((containers.len(), containers.capacity()), (5, 5));
}

#[test]
fn enums_newtypes_and_raw_json_are_read_as_from_json() {
    #[derive(Deserialize, Debug, PartialEq)]
    enum Phase {
        Running,
        #[serde(other)]
        Else,
    }
    #[derive(Deserialize, Debug, PartialEq)]
    struct Name(String);
    #[derive(Deserialize)]
    struct Object {
        metadata: Metadata,
        status: Status,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Metadata {
        name: Option<Name>,
        uid: Option<Name>,
        managed_fields: Vec<Managed>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Managed {
        fields_v1: Box<serde_json::value::RawValue>,
    }
    #[derive(Deserialize)]
    struct Status {
        phase: Phase,
    }
    let managed = field(17, field(7, field(1, br#"{"f:a" : {}}"#)));
    let of = |phase| {
        [field(1, [field(1, "p"), managed.clone()].concat()), field(3, field(1, phase))].concat()
    };
    let object: Object = decode("Pod", &of("Running")).unwrap();
    assert_eq!((object.metadata.name, object.metadata.uid), (Some(Name("p".into())), None));
    assert_eq!(object.metadata.managed_fields[0].fields_v1.get(), r#"{"f:a" : {}}"#);
    assert_eq!(object.status.phase, Phase::Running);
    assert_eq!(decode::<Object>("Pod", &of("Odd")).unwrap().status.phase, Phase::Else);

    // A `RawValue` is JSON even if the server's bytes are not.
    let managed = field(17, field(7, field(1, br#"1},"x":{"#)));
    let malformed = [field(1, managed), field(3, field(1, "Running"))].concat();
    assert!(decode::<Object>("Pod", &malformed).is_err());
}

#[test]
fn raw_values_of_any_kind_are_json() {
    type Raw = Box<serde_json::value::RawValue>;
    #[derive(Deserialize)]
    struct Object {
        metadata: Raw,
        spec: Spec,
        status: Option<Raw>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Spec {
        node_name: Raw,
        host_network: Raw,
        termination_grace_period_seconds: Option<Raw>,
        node_selector: BTreeMap<String, Raw>,
        containers: Vec<Raw>,
    }
    let label = [field(1, "k"), field(2, "a \"quoted\" text")].concat();
    let meta = field(1, [field(1, "p"), field(11, label)].concat());
    let selector = field(7, [field(1, "zone"), field(2, "1")].concat());
    let container = field(2, field(1, "c"));
    let spec = [container, field(10, "n"), number(11, 1), number(4, 30), selector].concat();
    let object: Object = decode("Pod", &[meta, field(2, spec)].concat()).unwrap();
    let parsed = |raw: &Raw| serde_json::from_str::<Value>(raw.get()).unwrap();
    let metadata = parsed(&object.metadata);
    assert_eq!(metadata["labels"]["k"], "a \"quoted\" text");
    assert_eq!((&metadata["name"], object.status.is_some()), (&json!("p"), true));
    let spec = object.spec;
    assert_eq!((spec.node_name.get(), spec.host_network.get()), ("\"n\"", "true"));
    assert_eq!(spec.termination_grace_period_seconds.unwrap().get(), "30");
    assert_eq!(spec.node_selector["zone"].get(), "\"1\"");
    assert_eq!(parsed(&spec.containers[0])["name"], "c");
}

#[test]
fn no_error_quotes_the_object() {
    #[derive(Deserialize, Debug)]
    #[expect(dead_code, reason = "only what does not fit is looked at")]
    struct Odd {
        r#type: u32,
    }
    let data = |value: &[u8]| field(2, [field(1, "password"), value.to_vec()].concat());
    for (message, problem) in [
        (data(&number(2, 7)), "another wire type"),
        (field(2, "hunter2"), "a field"),
        (field(1, field(8, "hunter2")), "a field"),
        (field(1, field(17, field(7, field(1, r#"{"hunter2": hunter2}"#)))), "not JSON"),
        (number(3, 1), "another wire type"),
    ] {
        let error = decode::<Secret>("Secret", &message).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter"), "{error}");
        assert!(error.offset().is_some() && error.to_string().contains(" at byte "), "{error}");
        assert!(error.to_string().contains(problem), "{error}");
    }
    let error = decode::<Odd>("Secret", &field(3, "hunter2")).unwrap_err();
    assert_eq!(error.to_string(), "type: found string, expected u32 at byte 2");
}

#[test]
fn unusual_envelope_is_refused() {
    let types = field(1, [field(1, "v1"), field(2, "Pod")].concat());
    for (rest, problem) in [
        (field(3, "gzip"), "not plain protobuf"),
        (field(4, "application/json"), "not plain protobuf"),
        (field(1, field(2, "Widget")), "not built in"),
        (vec![0x12, 9], "longer than its message"),
    ] {
        let body = [&MAGIC[..], &types, &rest].concat();
        let error = ProtobufObject::from_envelope(&body).unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
    }
    assert!(ProtobufObject::from_envelope(b"{}").is_err());
    let body = [&MAGIC[..], &types, &field(4, MEDIA_TYPE)].concat();
    assert!(ProtobufObject::from_envelope(&body).unwrap().decode::<Pod>().is_ok());
}
