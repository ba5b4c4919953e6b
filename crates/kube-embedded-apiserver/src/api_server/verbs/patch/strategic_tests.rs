use serde_json::json;

use super::*;

fn tried(kind: (&str, &str), mut object: Value, patch: &Value) -> Result<Value, Failure> {
    apply(Shape::of_kind(kind.0, kind.1), &mut object, patch).map(|()| object)
}

fn patched(kind: &str, object: Value, patch: &Value) -> Value {
    let version = if kind == "Deployment" { "apps/v1" } else { "v1" };
    tried((version, kind), object, patch).unwrap()
}

#[test]
fn keyed_lists_merge_and_others_are_replaced() {
    let pod = json!({"spec": {
        "containers": [
            {"name": "a", "image": "1", "env": [{"name": "X", "value": "1"}], "args": ["x"]},
            {"name": "b", "image": "1", "ports": [{"containerPort": 80, "name": "http"}]},
        ],
        "tolerations": [{"key": "k"}],
    }});
    let patch = json!({"spec": {
        "containers": [
            {"name": "b", "ports": [{"containerPort": 443}, {"containerPort": 80, "name": "w"}]},
            {"name": "a", "env": [{"name": "Y", "value": "2"}], "args": ["y"], "image": null},
            {"name": "c"},
        ],
        "tolerations": [{"key": "l"}],
    }});
    let wanted = json!({"spec": {
        "containers": [
            {
                "name": "b", "image": "1",
                "ports": [{"containerPort": 443}, {"containerPort": 80, "name": "w"}],
            },
            {
                "name": "a", "args": ["y"],
                "env": [{"name": "Y", "value": "2"}, {"name": "X", "value": "1"}],
            },
            {"name": "c"},
        ],
        "tolerations": [{"key": "l"}],
    }});
    assert_eq!(patched("Pod", pod, &patch), wanted);
}

#[test]
fn directives_delete_and_replace() {
    let object = json!({
        "metadata": {"finalizers": ["a", "b"], "labels": {"x": "1"}},
        "spec": {"ports": [{"port": 1}, {"port": 2}], "selector": {"x": "1"}},
    });
    let patch = json!({
        "metadata": {
            "$deleteFromPrimitiveList/finalizers": ["a"], "finalizers": ["c", "b"],
            "labels": {"$patch": "replace", "y": "2"},
        },
        "spec": {"ports": [{"$patch": "replace"}, {"port": 3}], "selector": {"$patch": "delete"}},
    });
    let wanted = json!({
        "metadata": {"finalizers": ["c", "b"], "labels": {"y": "2"}},
        "spec": {"ports": [{"port": 3}], "selector": {}},
    });
    assert_eq!(patched("Service", object, &patch), wanted);
    let object = json!({"spec": {"volumes": [{"name": "v"}, {"name": "w"}]}});
    let patch = json!({"spec": {"volumes": [{"name": "v", "$patch": "delete"}]}});
    assert_eq!(patched("Pod", object, &patch)["spec"]["volumes"], json!([{"name": "w"}]));
}

#[test]
fn new_map_has_no_directives_or_nulls() {
    let patch = json!({"spec": {"template": {
        "metadata": null, "spec": {"containers": [{"name": "a", "$patch": "merge"}]},
    }}});
    let wanted = json!({"spec": {"template": {"spec": {"containers": []}}}});
    assert_eq!(patched("Deployment", json!({}), &patch), wanted);
}

#[test]
fn order_moves_only_named_elements() {
    let object = json!({"spec": {"containers": [
        {"name": "mine"}, {"name": "a"}, {"name": "b"}, {"name": "last"}
    ]}});
    let order = json!([{"name": "new"}, {"name": "b"}, {"name": "a"}]);
    let patch = json!({"spec": {
        "$setElementOrder/containers": order, "containers": [{"name": "new"}],
    }});
    let names: Vec<_> = patched("Pod", object, &patch)["spec"]["containers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|container| container["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["new", "mine", "b", "a", "last"]);
}

#[test]
fn retained_keys_remove_the_others() {
    let object = json!({"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}});
    let volume =
        json!({"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "x"}});
    let patch = json!({"spec": {"volumes": [volume]}});
    let wanted = json!([{"name": "v", "hostPath": {"path": "x"}}]);
    assert_eq!(patched("Pod", object, &patch)["spec"]["volumes"], wanted);
}

#[test]
fn invalid_patches_are_refused() {
    let pod = json!({"spec": {"containers": [{"name": "a"}], "volumes": [{"name": "v"}]}});
    for (spec, code, problem) in [
        (
            json!({"containers": [{"image": "x"}]}),
            500,
            "map: map[image:x] does not contain declared merge key: name",
        ),
        (
            json!({"containers": ["x"]}),
            500,
            "list element types are not identical: [[map[name:a]] [x]]",
        ),
        (json!({"$patch": "shred"}), 500, "unknown patch type: shred in map: map[$patch:shred]"),
        (
            json!({"$retainKeys": ["a"], "containers": []}),
            400,
            "invalid patch format of retainKeys",
        ),
        (
            json!({
                "$setElementOrder/containers": [{"name": "b"}], "containers": [{"name": "a"}],
            }),
            500,
            "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n\
             [map[name:b]]\n",
        ),
    ] {
        let failure = tried(("v1", "Pod"), pod.clone(), &json!({"spec": spec})).unwrap_err();
        assert_eq!((failure.code, failure.message.as_str()), (code, problem));
    }
    assert!(tried(("v1", "Pod"), pod, &json!([])).is_err());
}
