//! A type of two versions with different schemas, between which nothing converts.
//!
//! Updates that lose the owners of fields are left out: a server of 1.37 keeps the former ones.

use serde_json::{Value, json};

use super::{APPLY, Ask, MERGE};

const GROUP: &str = "versions.example.com";

pub(super) fn definition() -> Value {
    let (text, number) = (json!({ "type": "string" }), json!({ "type": "integer" }));
    let list = json!({ "type": "array", "items": text });
    let set = json!({ "type": "array", "items": text, "x-kubernetes-list-type": "set" });
    let version = |name: &str, stored: bool, spec: Value| {
        let schema = json!({
            "type": "object",
            "properties": { "spec": { "type": "object", "properties": spec } },
        });
        json!({
            "name": name, "served": true, "storage": stored,
            "schema": { "openAPIV3Schema": schema },
        })
    };
    json!({
        "metadata": { "name": format!("gadgets.{GROUP}") },
        "spec": {
            "group": GROUP, "scope": "Namespaced",
            "names": { "plural": "gadgets", "kind": "Gadget" },
            "versions": [
                version("v1", true, json!({ "a": text, "b": number, "list": list })),
                version("v2", false, json!({ "a": text, "c": text, "list": set })),
            ],
        },
    })
}

pub(super) fn asked() -> Vec<Ask> {
    let all = |version: &str| format!("/apis/{GROUP}/{version}/namespaces/default/gadgets");
    let gadget = |version: &str, name: &str, spec: Value| {
        let version = format!("{GROUP}/{version}");
        json!({
            "apiVersion": version, "kind": "Gadget", "spec": spec,
            "metadata": { "name": name, "namespace": "default" },
        })
    };
    let make = |version: &str, name: &str, spec: Value| {
        Ask::new("POST", all(version), gadget(version, name, spec))
    };
    let apply = |manager: &str, version: &str, name: &str, spec: Value| {
        let path = format!("{}/{name}?fieldManager={manager}", all(version));
        Ask::patch(APPLY, path, gadget(version, name, spec))
    };
    let merge = |version: &str, name: &str, spec: Value| {
        Ask::patch(MERGE, format!("{}/{name}", all(version)), json!({ "spec": spec }))
    };
    vec![
        make("v1", "a", json!({ "a": "x", "b": 1 })),
        merge("v2", "a", json!({ "a": "y" })),
        apply("one", "v2", "a", json!({ "c": "q" })),
        apply("one", "v1", "a", json!({ "b": 7 })),
        apply("one", "v1", "b", json!({ "a": "x", "b": 7 })),
        apply("one", "v2", "b", json!({ "a": "x" })),
        Ask::get(format!("{}/b", all("v1"))),
        apply("one", "v1", "c", json!({ "a": "x", "list": ["q"] })),
        apply("two", "v2", "c", json!({ "list": ["r"] })),
        apply("one", "v2", "c", json!({ "a": "w" })),
        apply("two", "v2", "c", json!({ "a": "v" })),
        apply("two", "v2", "c", json!({ "list": ["r"] })),
        apply("one", "v1", "c", json!({ "list": ["r", "s"] })),
        make("v2", "d", json!({ "a": "x", "c": "1" })),
        Ask::get(format!("{}/d", all("v1"))),
        apply("one", "v1", "d", json!({ "b": 1 })),
    ]
}
