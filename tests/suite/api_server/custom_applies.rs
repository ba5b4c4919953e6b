//! Server-side apply to custom types: nulls, several versions, and objects that are older than
//! their schema. `tests/cluster` compares most of it with a real server.

use serde_json::json;

use super::*;

const APPLY: [(&str, &str); 1] = [("content-type", "application/apply-patch+yaml")];
const MERGE: [(&str, &str); 1] = [("content-type", "application/merge-patch+json")];

fn path(version: &str, name: &str) -> String {
    format!("/apis/example.com/{version}/namespaces/default/gadgets/{name}")
}

fn version(name: &str, stored: bool, spec: &Value) -> Value {
    let schema = json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": spec},
    }});
    json!({
        "name": name, "served": true, "storage": stored, "schema": {"openAPIV3Schema": schema},
    })
}

fn definition(versions: &[Value]) -> Value {
    json!({
        "metadata": {"name": "gadgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "gadgets", "kind": "Gadget"}, "versions": versions,
        },
    })
}

async fn defined(versions: &[Value]) -> ApiServer {
    let server = ApiServer::new();
    define(&server, &definition(versions)).await;
    server
}

fn gadget(version: &str, name: &str, spec: &Value) -> Value {
    let version = format!("example.com/{version}");
    json!({"apiVersion": version, "kind": "Gadget", "metadata": {"name": name}, "spec": spec})
}

async fn apply(server: &ApiServer, manager: &str, version: &str, spec: &Value) -> Answer {
    let path = format!("{}?fieldManager={manager}", path(version, "a"));
    ask(server, "PATCH", &path, &APPLY, &gadget(version, "a", spec)).await
}

#[tokio::test]
async fn applied_nulls_are_checked_and_others_dropped() {
    let text = json!({"type": "string"});
    let server = defined(&[version(
        "v1",
        true,
        &json!({
            "color": text, "size": {"type": "string", "default": "big"},
            "maybe": {"type": "string", "nullable": true},
            "list": {"type": "array", "items": {"type": "object", "properties": {"a": text}}},
        }),
    )])
    .await;
    for (spec, field, expected) in [
        (json!({"color": null}), "spec.color", "string"),
        (json!({"list": null}), "spec.list", "array"),
        (json!({"list": [{"a": null}]}), "spec.list[0].a", "string"),
    ] {
        let refused = apply(&server, "me", "v1", &spec).await;
        let problem = format!(
            "Gadget.example.com \"a\" is invalid: {field}: Invalid value: \"null\": {field} in \
             body must be of type {expected}: \"null\""
        );
        assert_eq!((refused.status, &refused.json()["message"]), (422, &problem.into()));
    }
    let made = apply(&server, "me", "v1", &json!({"size": null, "maybe": null})).await;
    assert_eq!(made.status, 201);
    assert_eq!(made.json()["spec"], json!({"size": "big", "maybe": null}));
    let null = json!({"spec": {"color": null, "list": [{"a": null}]}});
    let merged = ask(&server, "PATCH", &path("v1", "a"), &MERGE, &null).await;
    assert_eq!(merged.json()["spec"]["list"], json!([{}]));
    let again = apply(&server, "me", "v1", &json!({"maybe": null})).await;
    assert_eq!(again.status, 200);
}

#[tokio::test]
async fn apply_needs_a_form_in_all_managers_versions() {
    let (text, number) = (json!({"type": "string"}), json!({"type": "integer"}));
    let list = json!({"type": "array", "items": text});
    let set = json!({"type": "array", "items": text, "x-kubernetes-list-type": "set"});
    let server = defined(&[
        version("v1", true, &json!({"a": text, "b": number, "list": list})),
        version("v2", false, &json!({"a": text, "c": text, "list": set})),
    ])
    .await;
    let first = apply(&server, "one", "v1", &json!({"a": "x", "list": ["q"]})).await;
    assert_eq!(first.status, 201);

    let unknown = apply(&server, "two", "v2", &json!({"c": "q"})).await;
    assert_eq!(
        (unknown.status, &unknown.json()["message"]),
        (500, &"failed to convert new object: .spec.c: field not declared in schema".into())
    );
    // To the first manager, the list is one value.
    let list = apply(&server, "two", "v2", &json!({"list": ["r"]})).await;
    assert_eq!(
        list.json()["message"],
        "Apply failed with 1 conflict: conflict with \"one\": .spec.list"
    );
    let renewed = apply(&server, "one", "v2", &json!({"a": "w"})).await;
    assert_eq!((renewed.status, &renewed.json()["spec"]), (200, &json!({"a": "w"})));
    assert_eq!(apply(&server, "two", "v2", &json!({"list": ["r"]})).await.status, 200);
}

#[tokio::test]
async fn apply_needs_an_object_of_the_schema() {
    let text = json!({"type": "string"});
    let server = defined(&[version("v1", true, &json!({"a": text, "b": text}))]).await;
    let made = gadget("v1", "a", &json!({"a": "x"}));
    assert_eq!(
        ask(&server, "POST", path("v1", "").trim_end_matches('/'), &[], &made).await.status,
        201
    );
    let changed = definition(&[version("v1", true, &json!({"a": {"type": "integer"}, "b": text}))]);
    let definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.example.com";
    assert_eq!(ask(&server, "PATCH", definition, &MERGE, &changed).await.status, 200);
    let refused = apply(&server, "me", "v1", &json!({"b": "y"})).await;
    assert_eq!(
        (refused.status, &refused.json()["message"]),
        (
            500,
            &"failed to create typed live object (default/a; example.com/v1, Kind=Gadget): \
              .spec.a: expected numeric (int or float), got string"
                .into()
        )
    );
}
