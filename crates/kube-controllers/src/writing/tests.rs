//! Every change of a leaf is noticed, whatever the shape.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::digest::Digest;
use super::hidden::means_none;
use super::owned_fields::OwnedFields;

/// Returns values of any shape that an object may have.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (0..1000).prop_map(|n| Value::from(f64::from(n) / 8.0)),
        "[a-z]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map("[a-z]{1,2}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Returns the paths of all leaves: values that contain no other value.
fn leaves(value: &Value) -> Vec<String> {
    fn collect(value: &Value, at: &str, into: &mut Vec<String>) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                for (name, value) in members {
                    collect(value, &format!("{at}/{name}"), into);
                }
            }
            Value::Array(elements) if !elements.is_empty() => {
                for (n, value) in elements.iter().enumerate() {
                    collect(value, &format!("{at}/{n}"), into);
                }
            }
            _ => into.push(at.to_owned()),
        }
    }
    let mut all = Vec::new();
    collect(value, "", &mut all);
    all
}

/// Returns a value other than the given one.
fn changed(value: &Value) -> Value {
    match value {
        Value::String(text) => format!("{text}x").into(),
        Value::Bool(value) => (!value).into(),
        _ => json!("changed"),
    }
}

fn set(object: &mut Value, path: &str, value: Value) {
    *object.pointer_mut(path).unwrap() = value;
}

/// Returns pods with few names, so that two have much in common.
fn pod() -> impl Strategy<Value = Value> {
    let container = (0..4_u8, value(), btree_map("[ab]", "[xy]", 1..3));
    (vec(container, 1..4), value(), vec("[a-e]", 0..3)).prop_map(
        |(containers, spec, finalizers)| {
            let mut named = Map::new();
            for (name, args, env) in containers {
                let name = format!("c{name}");
                let env: Vec<_> = env.iter().map(|(n, v)| json!({"name": n, "value": v})).collect();
                named.insert(name.clone(), json!({"name": name, "args": args, "env": env}));
            }
            let containers: Vec<Value> =
                named.into_iter().map(|(_, container)| container).collect();
            let finalizers: std::collections::BTreeSet<_> = finalizers.into_iter().collect();
            json!({
                "metadata": {"finalizers": finalizers},
                "spec": {"containers": containers, "other": spec},
            })
        },
    )
}

/// Returns a pod's fields, as a server names them.
fn fields_of(pod: &Value) -> Value {
    let mut containers = Map::new();
    for container in pod["spec"]["containers"].as_array().unwrap() {
        let mut env = Map::new();
        for variable in container["env"].as_array().unwrap() {
            let key = json!({"name": variable["name"]});
            env.insert(format!("k:{key}"), json!({".": {}, "f:name": {}, "f:value": {}}));
        }
        let key = json!({"name": container["name"]});
        containers
            .insert(format!("k:{key}"), json!({".": {}, "f:name": {}, "f:args": {}, "f:env": env}));
    }
    let mut finalizers = Map::from_iter([(".".to_owned(), json!({}))]);
    for finalizer in pod["metadata"]["finalizers"].as_array().unwrap() {
        finalizers.insert(format!("v:{finalizer}"), json!({}));
    }
    json!({
        "f:metadata": {"f:finalizers": finalizers},
        "f:spec": {"f:containers": containers, "f:other": {}},
    })
}

proptest! {
    #![proptest_config(crate::seeds::kept())]

    #[test]
    fn change_of_any_leaf_changes_the_digest(object in value()) {
        for leaf in leaves(&object) {
            let mut other = object.clone();
            set(&mut other, &leaf, changed(object.pointer(&leaf).unwrap()));
            prop_assert_ne!(Digest::of(&object), Digest::of(&other), "{}", leaf);
        }
    }

    #[test]
    fn change_of_any_owned_leaf_is_noticed(pod in pod()) {
        let owned = OwnedFields::from_fields_v1(&fields_of(&pod)).unwrap();
        let configured = OwnedFields::of_configuration(&pod);
        for leaf in leaves(&pod) {
            let before = pod.pointer(&leaf).unwrap();
            // An empty list of finalizers owns the list, and none of its elements.
            if leaf.starts_with("/metadata/finalizers") && before.is_array() {
                continue;
            }
            let mut other = pod.clone();
            let replaced = if before.is_null() { json!("changed") } else { changed(before) };
            set(&mut other, &leaf, replaced);
            prop_assert_ne!(owned.digest(&pod), owned.digest(&other), "{}", leaf);
            prop_assert_ne!(configured.digest(&pod), configured.digest(&other), "{}", leaf);
        }
    }

    #[test]
    fn additions_of_others_are_not_noticed(pod in pod(), added in value()) {
        let owned = OwnedFields::from_fields_v1(&fields_of(&pod)).unwrap();
        let mut other = pod.clone();
        other["metadata"]["labels"] = json!({"theirs": added});
        other["metadata"]["finalizers"].as_array_mut().unwrap().insert(0, json!("theirs"));
        other["status"] = added.clone();
        other["spec"]["nodeName"] = added.clone();
        let containers = other["spec"]["containers"].as_array_mut().unwrap();
        containers[0]["image"] = added.clone();
        containers[0]["env"].as_array_mut().unwrap().push(json!({"name": "theirs"}));
        containers.insert(0, json!({"name": "theirs", "args": added}));
        prop_assert_eq!(owned.digest(&pod), owned.digest(&other));
        prop_assert_eq!(owned.unseen(&pod, &other, |_| Err(String::new())), Ok(None));
    }

    #[test]
    fn value_that_is_not_shown_is_hidden(pod in pod()) {
        let owned = OwnedFields::from_fields_v1(&fields_of(&pod)).unwrap();
        let configured = OwnedFields::of_configuration(&pod);
        prop_assert_eq!(owned.hidden(&pod, &pod), None);
        prop_assert_eq!(configured.hidden(&pod, &pod), None);
        for leaf in leaves(&pod) {
            if means_none(pod.pointer(&leaf).unwrap()) {
                continue;
            }
            let mut other = pod.clone();
            set(&mut other, &leaf, Value::Null);
            prop_assert!(owned.hidden(&pod, &other).is_some(), "{}", leaf);
            prop_assert!(configured.hidden(&pod, &other).is_some(), "{}", leaf);
        }
    }

    #[test]
    fn value_that_a_type_shows_otherwise_is_unseen(pod in pod()) {
        let owned = OwnedFields::from_fields_v1(&fields_of(&pod)).unwrap();
        let configured = OwnedFields::of_configuration(&pod);
        let refused = |_: &Value| Err(String::new());
        for leaf in leaves(&pod) {
            let before = pod.pointer(&leaf).unwrap();
            // Nobody owns null, or an element of an empty list.
            if before.is_null() || leaf.starts_with("/metadata/finalizers") && before.is_array() {
                continue;
            }
            for shown in [changed(before), Value::Null] {
                let mut other = pod.clone();
                set(&mut other, &leaf, shown);
                for owned in [&owned, &configured] {
                    let unseen = owned.unseen(&pod, &other, refused);
                    prop_assert!(matches!(unseen, Ok(Some(_))), "{}: {:?}", leaf, unseen);
                }
            }
        }
    }

    #[test]
    fn removal_of_an_element_is_noticed(pod in pod()) {
        let owned = OwnedFields::from_fields_v1(&fields_of(&pod)).unwrap();
        for list in ["/spec/containers", "/spec/containers/0/env", "/metadata/finalizers"] {
            for n in 0..pod.pointer(list).unwrap().as_array().unwrap().len() {
                let mut other = pod.clone();
                other.pointer_mut(list).unwrap().as_array_mut().unwrap().remove(n);
                prop_assert_ne!(owned.digest(&pod), owned.digest(&other), "{} {}", list, n);
            }
        }
    }
}
