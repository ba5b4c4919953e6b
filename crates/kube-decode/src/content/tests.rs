//! Both encodings without fields, compared with JSON values from which the fields were removed.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::encode_protobuf;

fn without(paths: &[&str]) -> FieldSet {
    FieldSet::from_paths(paths)
}

#[test]
fn fields_are_cut_out_of_json() {
    for (object, paths, rest) in [
        (r#"{"a":1,"b":2,"c":3}"#, &["b"][..], r#"{"a":1,"c":3}"#),
        (r#"{"a":1,"b":2,"c":3}"#, &["a", "b"], r#"{"c":3}"#),
        (r#"{"a":1,"b":2}"#, &["a", "b"], "{}"),
        (r#"{ "a" : 1 , "b" : 2 }"#, &["a"], r#"{"b" : 2 }"#),
        (r#"{"a":{"b":1},"b":2}"#, &["a.b"], r#"{"a":{},"b":2}"#),
        (r#"{"a":[{"b":1,"c":2},{"c":3},4]}"#, &["a.c"], r#"{"a":[{"b":1},{},4]}"#),
        (r#"{"a":1}"#, &["a.b", "c"], r#"{"a":1}"#),
    ] {
        let found = json(object.as_bytes(), &without(paths)).unwrap();
        assert_eq!(String::from_utf8(found).unwrap(), rest, "{object} without {paths:?}");
    }
    for malformed in ["", "{", r#"{"a"}"#, "{}x", r#"{"a":1,}"#] {
        assert_eq!(json(malformed.as_bytes(), &without(&["a"])), None, "{malformed}");
    }
}

#[test]
fn path_into_json_within_protobuf_is_refused() {
    let revision = json!({"apiVersion": "apps/v1", "kind": "ControllerRevision",
        "metadata": {"name": "a"}, "data": {"spec": {"x": 1}}, "revision": 1});
    let body = encode_protobuf(&revision).unwrap();
    let object = ProtobufObject::from_envelope(&body).unwrap();
    assert_eq!(protobuf(&object, &without(&["data.spec"])), None);
    assert!(protobuf(&object, &without(&["data"])).is_some());
}

/// Draws a pod with few values, so that two of them are often nearly equal.
fn pod() -> impl Strategy<Value = Value> {
    let text = || prop_oneof![Just("a"), Just("b")];
    let condition = (text(), text()).prop_map(|(kind, beat)| {
        json!({"type": kind, "status": "True", "lastProbeTime": format!("2026-01-01T00:00:0{}Z",
            beat.len() + usize::from(beat == "a"))})
    });
    let status = (vec(condition, 0..3), prop_oneof![Just(None), text().prop_map(Some)]).prop_map(
        |(conditions, message)| match message {
            Some(message) => json!({"conditions": conditions, "message": message}),
            None => json!({"conditions": conditions}),
        },
    );
    // A volume's source is inlined in JSON, and a message of its own in protobuf.
    let volume = (text(), text())
        .prop_map(|(name, medium)| json!({"name": name, "emptyDir": {"medium": medium}}));
    // Servers always write a pod's status.
    (metadata(), vec(volume, 0..2), prop_oneof![Just(json!({})), status]).prop_map(
        |(metadata, volumes, status)| {
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "status": status,
                "spec": {"volumes": volumes, "containers": [{"name": "c"}]}})
        },
    )
}

fn metadata() -> impl Strategy<Value = Value> {
    let managers = vec(prop_oneof![Just("x"), Just("kubectl")], 0..3);
    let annotations = btree_map("[ab]", "[ab]", 0..2);
    (prop_oneof![Just(9u64), 99..101u64], managers, annotations).prop_map(
        |(version, managers, annotations)| {
            let managers: Vec<_> = managers
                .into_iter()
                .map(|name| json!({"manager": name, "fieldsV1": {"f:metadata": {}}}))
                .collect();
            let mut metadata = json!({"name": "o", "uid": "u", "annotations": annotations,
                "resourceVersion": version.to_string()});
            if !managers.is_empty() {
                metadata["managedFields"] = managers.into();
            }
            metadata
        },
    )
}

fn config_map() -> impl Strategy<Value = Value> {
    (metadata(), btree_map("[abc]", "[ab]", 0..3)).prop_map(|(metadata, data)| {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    })
}

/// Draws a custom resource, whose members are of any form.
fn custom() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(json!(1)), Just(json!("a,}]\"")), Just(json!(null))];
    let value = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            btree_map("[ab]", inner, 0..3).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    (metadata(), value.clone(), value).prop_map(|(metadata, spec, status)| {
        json!({"apiVersion": "example.com/v1", "kind": "Shop", "metadata": metadata,
            "spec": spec, "status": status})
    })
}

fn paths() -> impl Strategy<Value = Vec<&'static str>> {
    let one = proptest::sample::select(vec![
        "metadata.resourceVersion",
        "metadata.managedFields",
        "metadata.managedFields.manager",
        "metadata.annotations.a",
        "metadata.annotations",
        "status.conditions.lastProbeTime",
        "status.conditions.lastProbeTime.seconds",
        "status.message",
        "status",
        "spec.volumes.emptyDir.medium",
        "spec.volumes.emptyDir",
        "spec.volumes.name",
        "data.a",
        "data.a.b",
        "spec.a",
        "spec.a.b",
        "status.b",
    ]);
    vec(one, 0..4)
}

/// Compares the states as values.
fn same(old: &Value, new: &Value, without: &FieldSet) -> bool {
    let [old, new] = [old, new].map(|state| {
        let mut state = state.clone();
        remove(&mut state, without);
        state
    });
    old == new
}

fn same_json(old: &Value, new: &Value, without: &FieldSet) -> bool {
    let [old, new] =
        [old, new].map(|state| json(state.to_string().as_bytes(), without).expect("it is JSON"));
    old == new
}

/// Compares the states in protobuf: in bytes, and decoded.
fn same_protobuf(old: &Value, new: &Value, without: &FieldSet) -> (bool, bool) {
    let bodies = [old, new].map(|state| encode_protobuf(state).expect("it is built in"));
    let objects = bodies.each_ref().map(|body| ProtobufObject::from_envelope(body).unwrap());
    let [old, new] =
        objects.each_ref().map(|object| protobuf(object, without).expect("it is protobuf"));
    let values = objects.map(|object| object.decode::<Value>().unwrap());
    (old == new, same(&values[0], &values[1], without))
}

proptest! {
    #![proptest_config(crate::seeds::cases(250))]

    #[test]
    fn rest_of_built_in_objects_differs_as_their_values_do(
        (old, new) in prop_oneof![(pod(), pod()), (config_map(), config_map())],
        paths in paths(),
    ) {
        let without = without(&paths);
        for (old, new) in [(&old, &new), (&old, &old)] {
            prop_assert_eq!(same_json(old, new, &without), same(old, new, &without));
            let (found, expected) = same_protobuf(old, new, &without);
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn rest_of_custom_objects_differs_as_their_values_do(
        (old, new) in (custom(), custom()),
        paths in paths(),
    ) {
        let without = without(&paths);
        for (old, new) in [(&old, &new), (&old, &old)] {
            prop_assert_eq!(same_json(old, new, &without), same(old, new, &without));
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        bytes in vec(prop_oneof![any::<u8>(), 0u8..20, Just(b'{'), Just(b'"')], 0..60),
        paths in paths(),
    ) {
        let without = without(&paths);
        let _ = json(&bytes, &without);
        if let Some(object) = ProtobufObject::from_message("v1", "Pod", &bytes) {
            let _ = protobuf(&object, &without);
        }
    }
}
