//! The effect of a schema on objects: pruning, defaults, and every kind of error.

use serde_json::{Value, json};

use super::{APPLY, Ask, MERGE, PATCH, gadget, gadgets};

const GROUP: &str = "fields.example.com";

pub(super) fn definition() -> Value {
    let object = |properties: Value| json!({ "type": "object", "properties": properties });
    let mut list = json!({
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
        "items": object(json!({
            "k": { "type": "string" }, "v": { "type": "integer", "default": 1 },
        })),
    });
    list["items"]["required"] = json!(["k"]);
    let mut spec = object(json!({
        "name": { "type": "string", "minLength": 2, "maxLength": 5 },
        "color": { "type": "string", "enum": ["red", "blue"], "default": "red" },
        "level": { "type": "integer", "enum": [1, 2] },
        "size": { "type": "integer", "minimum": 1, "maximum": 10 },
        "step": { "type": "integer", "multipleOf": 5 },
        "ratio": {
            "type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 2,
            "exclusiveMaximum": true,
        },
        "on": { "type": "boolean" },
        "tags": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 3 },
        "counts": {
            "type": "object", "additionalProperties": { "type": "integer" },
            "minProperties": 1, "maxProperties": 2,
        },
        "free": {
            "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            "properties": { "known": { "type": "string" } },
        },
        "any": { "x-kubernetes-preserve-unknown-fields": true },
        "port": { "x-kubernetes-int-or-string": true },
        "maybe": { "type": "string", "nullable": true },
        "time": { "type": "string", "format": "date-time" },
        "id": { "type": "string", "format": "uuid" },
        "bytes": { "type": "string", "format": "byte" },
        "deep": object(json!({
            "a": { "type": "integer", "default": 7 },
            "b": object(json!({ "c": { "type": "string", "default": "see" } })),
        })),
        "filled": {
            "type": "object", "default": {},
            "properties": { "x": { "type": "integer", "default": 3 } },
        },
        "list": list,
        "set": {
            "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set",
        },
        "embedded": {
            "type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
        },
        "open": { "type": "array", "items": { "type": "object", "additionalProperties": true } },
    }));
    spec["required"] = json!(["name"]);
    let status = object(json!({ "ready": { "type": "boolean", "default": false } }));
    let mut schema = object(json!({ "spec": spec, "status": status }));
    schema["required"] = json!(["spec"]);
    gadgets(GROUP, &schema, json!({ "subresources": { "status": {} } }))
}

pub(super) fn asked() -> Vec<Ask> {
    let all = format!("/apis/{GROUP}/v1/namespaces/default/gadgets");
    let path = |name: &str| format!("{all}/{name}");
    let mut asked = Vec::new();
    for (n, more) in bodies().into_iter().enumerate() {
        asked.push(Ask::new("POST", &all, gadget(GROUP, &format!("g{n}"), more)));
    }
    let unknown = json!({ "spec": { "name": "abc", "u": 1, "deep": { "z": 1 } }, "top": 1 });
    for mode in ["Ignore", "Warn", "Strict", "Sometimes"] {
        let name = format!("unknown-{}", mode.to_lowercase());
        let query = format!("{all}?fieldValidation={mode}");
        asked.push(Ask::new("POST", query, gadget(GROUP, &name, unknown.clone())));
    }
    let mut labelled = gadget(GROUP, "labelled", json!({ "spec": { "name": "abc" } }));
    labelled["metadata"]["nonsense"] = 1.into();
    asked.push(Ask::new("POST", &all, labelled));
    let mut owned = gadget(GROUP, "owned", json!({ "spec": { "name": "abc" } }));
    owned["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u", "nonsense": 1,
    }]);
    for mode in ["Strict", "Warn"] {
        let query = format!("{all}?fieldValidation={mode}");
        asked.push(Ask::new("POST", query, owned.clone()));
    }
    let bad = gadget(GROUP, "Bad_Name", json!({ "spec": { "name": 1 } }));
    asked.push(Ask::new("POST", &all, bad));

    asked.push(Ask::new("POST", &all, gadget(GROUP, "a", json!({ "spec": { "name": "abc" } }))));
    let merges = [
        json!({ "spec": { "size": 5, "list": [{ "k": "x", "v": 2 }] } }),
        json!({ "spec": { "size": 50 } }),
        json!({ "spec": { "nonsense": 1 } }),
        json!({ "spec": { "color": null, "list": [{ "k": "x" }, { "k": "y", "v": "two" }] } }),
        json!({ "spec": null }),
        json!({ "status": { "ready": true } }),
    ];
    for merge in merges {
        asked.push(Ask::patch(MERGE, path("a"), merge));
    }
    for status in [json!({ "ready": "yes" }), json!({ "nonsense": 1 }), json!({ "ready": true })] {
        asked.push(Ask::patch(MERGE, path("a/status"), json!({ "status": status })));
    }
    let remove = json!([{ "op": "remove", "path": "/spec/name" }]);
    asked.push(Ask::patch(PATCH, path("a"), remove));
    let applied = [
        ("applied", json!({ "name": "abc", "size": 3 })),
        ("applied", json!({ "name": "abc", "nonsense": 1 })),
        ("applied", json!({ "name": "abc", "size": 11 })),
        ("applied", json!({ "name": "abd" })),
        ("applied", json!({ "name": "abd", "size": null })),
        ("applied", json!({ "name": "abd", "color": null, "maybe": null })),
        ("applied", json!({ "name": "abd", "deep": { "b": null }, "tags": null })),
        ("applied", json!({ "name": "abd", "list": [{ "k": "a", "v": null }] })),
        (
            "applied-null",
            json!({ "name": "abd", "embedded": {
            "apiVersion": "v1", "kind": "X", "metadata": { "creationTimestamp": "x" },
        } }),
        ),
        ("applied", json!({ "name": "abd", "time": 1 })),
        ("applied", json!({ "name": "abd", "id": true })),
        ("applied", json!({ "name": "abd", "time": [] })),
        ("applied", json!({ "name": "abd", "time": {} })),
        ("applied", json!({ "name": "abd", "bytes": 1 })),
        ("applied-null", json!({ "name": "abd", "on": null })),
        ("applied-null", json!({ "name": "abd", "free": { "n": null, "known": null } })),
        ("applied-null", json!({ "name": "abd", "counts": { "a": null } })),
    ];
    for (name, spec) in applied {
        let query = format!("{}?fieldManager=test", path(name));
        let mut body = gadget(GROUP, name, json!({ "spec": spec }));
        body["metadata"]["namespace"] = "default".into();
        asked.push(Ask::patch(APPLY, query, body));
    }
    asked.push(Ask::get(path("a")));
    asked.push(Ask::get(path("applied")));
    asked.extend(defaults_with_rules());
    asked
}

/// Asks for definitions whose defaults have rules, also about a change.
fn defaults_with_rules() -> impl Iterator<Item = Ask> {
    let rules = [
        "self != oldSelf",
        "self > oldSelf",
        "self >= oldSelf",
        "self > 1",
        "self == 1 && self == oldSelf",
    ];
    rules.into_iter().map(|rule| {
        let rules = json!([{ "rule": rule }]);
        let n = json!({ "type": "integer", "default": 1, "x-kubernetes-validations": rules });
        let schema = json!({ "type": "object", "properties": { "n": n } });
        let definition = gadgets("defaults.example.com", &schema, json!({}));
        let all = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
        Ask::new("POST", all, definition)
    })
}

/// Returns the bodies of new gadgets, without metadata.
fn bodies() -> Vec<Value> {
    let mut bodies = vec![
        json!({}),
        json!({ "spec": null }),
        json!({ "spec": "x" }),
        json!({ "spec": {} }),
        json!({ "spec": { "name": "abc" }, "status": { "ready": true } }),
    ];
    let specs = [
        json!({}),
        json!({ "name": 1 }),
        json!({ "name": "a" }),
        json!({ "name": "abcdefg" }),
        json!({ "color": "green" }),
        json!({ "color": null }),
        json!({ "level": 3 }),
        json!({ "size": 0 }),
        json!({ "size": 11 }),
        json!({ "size": 2.0 }),
        json!({ "size": "x" }),
        json!({ "size": null }),
        json!({ "step": 7 }),
        json!({ "ratio": 0 }),
        json!({ "ratio": 2 }),
        json!({ "ratio": 1.5 }),
        json!({ "ratio": 1 }),
        json!({ "ratio": "x" }),
        json!({ "on": "x" }),
        json!({ "tags": "x" }),
        json!({ "tags": [] }),
        json!({ "tags": ["a", "a", "a", "a"] }),
        json!({ "tags": [1] }),
        json!({ "tags": [null] }),
        json!({ "counts": {} }),
        json!({ "counts": { "a": 1, "b": 2, "c": 3 } }),
        json!({ "counts": { "a": "x" } }),
        json!({ "counts": { "a": null, "b": 1 } }),
        json!({ "counts": [] }),
        json!({ "free": { "u": { "deep": 1 }, "known": "k" } }),
        json!({ "free": { "known": 1 } }),
        json!({ "free": { "n": null, "known": null } }),
        json!({ "any": [1, { "a": null }] }),
        json!({ "port": 1 }),
        json!({ "port": "http" }),
        json!({ "port": true }),
        json!({ "port": null }),
        json!({ "maybe": null }),
        json!({ "deep": {} }),
        json!({ "deep": { "b": {} } }),
        json!({ "filled": {} }),
        json!({ "list": [{ "k": "a" }, { "k": "b", "v": 2, "q": 1 }] }),
        json!({ "list": [{ "v": 1 }] }),
        json!({ "list": [{ "k": "a" }, { "k": "a" }] }),
        json!({ "set": ["a", "a"] }),
        json!({ "embedded": { "free": 1 } }),
        json!({ "embedded": {
            "apiVersion": "v1", "kind": "X", "metadata": { "name": "a", "nonsense": 1 }, "z": 1,
        } }),
        json!({ "embedded": { "apiVersion": 5, "kind": "X" } }),
        json!({ "embedded": { "apiVersion": "v1", "kind": "X", "metadata": 5 } }),
        json!({ "embedded": {
            "apiVersion": "v1", "kind": "X", "metadata": { "labels": { "a": 1 } },
        } }),
        json!({ "embedded": {
            "apiVersion": "v1", "kind": "X",
            "metadata": { "name": "a%b", "namespace": "A", "generateName": "b/" },
        } }),
        json!({ "embedded": {
            "apiVersion": "v1", "kind": "X", "metadata": {
                "labels": { "a b": "c", "d": "e f" }, "annotations": { "a b": "c" },
                "finalizers": ["a/b/c"], "generation": -1,
            },
        } }),
        json!({ "embedded": {
            "apiVersion": "v1", "kind": "X", "metadata": { "ownerReferences": [
                { "apiVersion": "v1", "kind": "X", "name": "x", "uid": "u", "controller": true },
                { "apiVersion": "v1", "kind": "X", "name": "y", "uid": "v", "controller": true },
            ] },
        } }),
        json!({ "open": [{ "x": { "y": 1 } }] }),
        json!({ "name": 1, "size": "x", "on": 3 }),
    ];
    for mut spec in specs {
        if spec["name"].is_null() {
            spec["name"] = "abc".into();
        }
        bodies.push(json!({ "spec": spec }));
    }
    bodies
}
