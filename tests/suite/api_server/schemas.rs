//! The effect of a definition's schema on objects, as clients see it. The rest is compared with a
//! real server in `tests/cluster`.

use serde_json::json;

use super::*;

const GADGETS: &str = "/apis/example.com/v1/namespaces/default/gadgets";
const MERGE: [(&str, &str); 1] = [("content-type", "application/merge-patch+json")];

fn definition(size: &Value) -> Value {
    json!({
        "metadata": {"name": "gadgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "gadgets", "kind": "Gadget"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "required": ["size"], "properties": {
                        "size": size, "color": {"type": "string", "default": "red"},
                    }},
                }}},
            }],
        },
    })
}

async fn defined() -> ApiServer {
    let server = ApiServer::new();
    let small = json!({"type": "integer", "maximum": 10});
    define(&server, &definition(&small)).await;
    server
}

fn gadget(name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": name}, "spec": spec,
    })
}

#[tokio::test]
async fn objects_are_pruned_defaulted_and_validated() {
    let server = defined().await;
    let made = gadget("a", &json!({"size": 1, "nonsense": 1}));
    let made = ask(&server, "POST", GADGETS, &[], &made).await;
    assert_eq!((made.status, &made.json()["spec"]), (201, &json!({"size": 1, "color": "red"})));
    for (spec, reason, field) in [
        (json!({"size": "big"}), "FieldValueTypeInvalid", "spec.size"),
        (json!({"size": 11}), "FieldValueInvalid", "spec.size"),
        (json!({}), "FieldValueRequired", "spec.size"),
    ] {
        let refused = ask(&server, "POST", GADGETS, &[], &gadget("b", &spec)).await;
        assert_eq!(refused.status, 422);
        let cause = &refused.json()["details"]["causes"][0];
        assert_eq!((&cause["reason"], &cause["field"]), (&reason.into(), &field.into()));
    }
}

#[tokio::test]
async fn whole_numbers_are_checked_as_written() {
    let server = ApiServer::new();
    define(&server, &definition(&json!({"type": "number", "multipleOf": 0.01}))).await;
    for (size, status) in [("5.0", 201), ("19.99", 201), ("5", 422), ("5.001", 422)] {
        let spec = serde_json::from_str(&format!("{{\"size\": {size}}}")).unwrap();
        let name = format!("a{}", size.replace('.', "-"));
        let made = ask(&server, "POST", GADGETS, &[], &gadget(&name, &spec)).await;
        assert_eq!(made.status, status, "{size}");
        if size == "5.0" {
            assert_eq!(made.json()["spec"]["size"], json!(5));
        }
    }
    let changed = json!({"spec": {"size": 7.0}});
    let changed = ask(&server, "PATCH", &format!("{GADGETS}/a5-0"), &MERGE, &changed).await;
    assert_eq!((changed.status, &changed.json()["spec"]["size"]), (200, &json!(7)));
}

#[tokio::test]
async fn strict_validation_refuses_unknown_fields() {
    let server = defined().await;
    let odd = gadget("a", &json!({"size": 1, "nonsense": 1}));
    let refused =
        ask(&server, "POST", &format!("{GADGETS}?fieldValidation=Strict"), &[], &odd).await;
    assert_eq!(
        (refused.status, &refused.json()["message"]),
        (
            400,
            &"Gadget in version \"v1\" cannot be handled as a Gadget: strict decoding error: \
              unknown field \"spec.nonsense\""
                .into()
        )
    );
    let made = gadget("a", &json!({"size": 1}));
    assert_eq!(ask(&server, "POST", GADGETS, &[], &made).await.status, 201);
    let path = format!("{GADGETS}/a?fieldValidation=Strict");
    let nonsense = json!({"spec": {"nonsense": 1}});
    let refused = ask(&server, "PATCH", &path, &MERGE, &nonsense).await;
    assert_eq!(refused.status, 422);
    // As on a real server, the patched object is in the message.
    let cause = &refused.json()["details"]["causes"][0];
    let message = cause["message"].as_str().unwrap();
    assert_eq!(cause["field"], "patch");
    assert!(message.starts_with("Invalid value: \"{\\\"apiVersion\\\":"), "{message}");
    assert!(message.ends_with(": strict decoding error: unknown field \"spec.nonsense\""));
}

#[tokio::test]
async fn old_values_may_violate_a_tightened_schema() {
    let server = defined().await;
    let made = gadget("a", &json!({"size": 9}));
    assert_eq!(ask(&server, "POST", GADGETS, &[], &made).await.status, 201);
    let smaller = definition(&json!({"type": "integer", "maximum": 5}));
    let path = format!("{CRDS}/gadgets.example.com");
    assert_eq!(ask(&server, "PATCH", &path, &MERGE, &smaller).await.status, 200);
    let change = async |spec: Value| {
        let merge = json!({ "spec": spec });
        ask(&server, "PATCH", &format!("{GADGETS}/a"), &MERGE, &merge).await.status
    };
    assert_eq!(change(json!({"color": "blue"})).await, 200);
    assert_eq!(change(json!({"size": 8})).await, 422);
    assert_eq!(change(json!({"size": 5})).await, 200);
}

#[tokio::test]
async fn selectable_fields_have_to_be_there() {
    let server = ApiServer::new();
    for (path, problem) in [
        ("spec.color", "is an invalid path: expected [ or . but got: spec"),
        (".spec.nope", "is an invalid path: does not refer to a valid field"),
    ] {
        let mut bad = definition(&json!({"type": "integer"}));
        bad["spec"]["versions"][0]["selectableFields"] = json!([{ "jsonPath": path }]);
        let refused = ask(&server, "POST", CRDS, &[], &bad).await;
        let message = format!("Invalid value: {path:?}: {problem}");
        let cause = json!({
            "reason": "FieldValueInvalid", "message": message,
            "field": "spec.selectableFields[0].jsonPath",
        });
        assert_eq!((refused.status, &refused.json()["details"]["causes"]), (422, &json!([cause])));
    }
}

#[tokio::test(start_paused = true)]
async fn watches_end_when_the_definition_changes() {
    let server = defined().await;
    let made = gadget("a", &json!({"size": 1}));
    assert_eq!(ask(&server, "POST", GADGETS, &[], &made).await.status, 201);
    let from = server.revision();
    let watch = format!("{GADGETS}?watch=1&allowWatchBookmarks=1&resourceVersion={from}");
    let path = format!("{CRDS}/gadgets.example.com");
    let change = async {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        let labels = json!({"metadata": {"labels": {"a": "b"}}});
        ask(&server, "PATCH", &path, &MERGE, &labels).await;
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        ask(&server, "PATCH", &path, &MERGE, &definition(&json!({"type": "number"}))).await;
    };
    let start = tokio::time::Instant::now();
    let (watched, ()) = tokio::join!(get(&server, &watch), change);
    assert_eq!((start.elapsed().as_secs(), watched.body), (2, Vec::new()), "by its spec, silently");
    let again = get(&server, &format!("{watch}&timeoutSeconds=1")).await.json();
    assert_eq!((&again["type"], &again["object"]["code"]), (&"ERROR".into(), &410.into()));
    assert_eq!(get(&server, GADGETS).await.json()["items"].as_array().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn storage_may_take_its_time_to_start() {
    let time = std::time::Duration::from_secs(2);
    let server = ApiServer::builder().storage_start_delay(time).build();
    let number = json!({"type": "integer"});
    define(&server, &definition(&number)).await;
    for query in ["", "?watch=1"] {
        let refused = get(&server, &format!("{GADGETS}{query}")).await;
        assert_eq!(refused.status, 429);
        assert_eq!(refused.json()["message"], "storage is (re)initializing");
    }
    assert_eq!(get(&server, "/api/v1/pods").await.status, 200, "built-in types are there at once");
    tokio::time::sleep(time).await;
    assert_eq!(get(&server, GADGETS).await.status, 200);
}

#[tokio::test]
async fn unknown_members_of_owners_are_removed() {
    let server = defined().await;
    let owner = json!({"apiVersion": "v1", "kind": "X", "name": "x", "uid": "u", "bad": 1});
    let mut object = gadget("a", &json!({"size": 1}));
    object["metadata"]["ownerReferences"] = json!([owner]);
    let path = format!("{GADGETS}?fieldValidation=Strict");
    let refused = ask(&server, "POST", &path, &[], &object).await;
    let message = refused.json()["message"].to_string();
    assert!(message.contains("unknown field \\\"metadata.ownerReferences[0].bad\\\""), "{message}");
    let made = ask(&server, "POST", GADGETS, &[], &object).await;
    assert_eq!(made.status, 201);
    assert_eq!(made.json()["metadata"]["ownerReferences"][0].get("bad"), None);
}

#[tokio::test]
async fn metadata_of_embedded_objects_is_validated() {
    let server = ApiServer::new();
    let embedded = json!({
        "type": "object", "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
    });
    define(&server, &definition(&embedded)).await;
    for (metadata, field) in [
        (json!({"name": "a/b"}), "name"),
        (json!({"generateName": "a/"}), "generateName"),
        (json!({"namespace": "A"}), "namespace"),
        (json!({"labels": {"a": "b c"}}), "labels"),
        (json!({"annotations": {"a b": "c"}}), "annotations"),
        (json!({"finalizers": ["a/b/c"]}), "finalizers"),
        (
            json!({"ownerReferences": [{"apiVersion": "v1", "kind": "X", "name": "x"}]}),
            "ownerReferences.uid",
        ),
    ] {
        let inner = json!({"apiVersion": "v1", "kind": "X", "metadata": metadata});
        let refused =
            ask(&server, "POST", GADGETS, &[], &gadget("a", &json!({"size": inner}))).await;
        let cause = &refused.json()["details"]["causes"][0];
        let expected = json!(format!("spec.size.metadata.{field}"));
        assert_eq!((refused.status, &cause["field"]), (422, &expected));
    }
    let inner = json!({
        "apiVersion": "v1", "kind": "X", "metadata": {"labels": {"a": "b"}, "finalizers": ["a"]},
    });
    let made = ask(&server, "POST", GADGETS, &[], &gadget("a", &json!({"size": inner}))).await;
    assert_eq!(made.status, 201);
}
