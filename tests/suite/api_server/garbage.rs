//! Whatever is sent, the server answers, and goes on answering.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// An object that is well enough named to get past the first checks, or any JSON at all.
fn body() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec!["x", "y", "z", "widgets.example.com"]);
    let parts = prop::collection::btree_map(
        prop::sample::select(vec!["spec", "status", "data", "stringData", "type"]),
        any_json(),
        0..3,
    );
    let metadata = prop::collection::btree_map(
        prop::sample::select(vec!["labels", "annotations", "finalizers", "ownerReferences"]),
        any_json(),
        0..3,
    );
    let named = (name, parts, metadata).prop_map(|(name, parts, metadata)| {
        let mut object = json!({ "metadata": metadata });
        object["metadata"]["name"] = name.into();
        for (part, value) in parts {
            object[part] = value;
        }
        object
    });
    prop_oneof![2 => named, 1 => any_json()]
}

/// Any JSON, with the members that a server looks at more often than not.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z/.]{0,6}".prop_map(Value::from),
        Just(json!("widgets.example.com")),
        Just(json!("Namespaced")),
    ];
    let name = prop::sample::select(vec![
        "metadata",
        "name",
        "namespace",
        "labels",
        "finalizers",
        "ownerReferences",
        "spec",
        "status",
        "conditions",
        "containers",
        "ports",
        "data",
        "stringData",
        "$patch",
        "versions",
        "names",
        "plural",
        "kind",
        "group",
        "scope",
        "storage",
        "served",
        "type",
        "managedFields",
        "uid",
        "resourceVersion",
        "deletionTimestamp",
        "op",
        "path",
        "value",
        "generateName",
        "dryRun",
        "preconditions",
        "gracePeriodSeconds",
        "propagationPolicy",
        "schema",
    ]);
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name.clone(), inner, 0..6)
                .prop_map(|members| members.into_iter().map(|(n, v)| (n.to_owned(), v)).collect()),
        ]
    })
}

fn request() -> impl Strategy<Value = (&'static str, String, &'static str, Value)> {
    let method = prop::sample::select(vec!["POST", "PUT", "PATCH", "DELETE"]);
    let place = prop::sample::select(vec![
        "/api/v1/namespaces",
        "/api/v1/namespaces/a/pods",
        "/api/v1/namespaces/a/secrets",
        "/apis/apps/v1/namespaces/a/deployments",
        CRDS,
        "/apis/example.com/v1/widgets",
    ]);
    let rest = prop::sample::select(vec!["", "", "/x", "/y", "/widgets.example.com", "/x/status"]);
    let media_type = prop::sample::select(vec![
        "application/json",
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
        "application/apply-patch+yaml",
    ]);
    (method, place, rest, media_type, body()).prop_map(|(method, place, rest, media, body)| {
        (method, format!("{place}{rest}?fieldManager=fuzz&force=true"), media, body)
    })
}

/// Something of each kind to be spoiled.
fn seeds() -> Vec<(&'static str, Value)> {
    let object = |spec: Value| json!({"metadata": {"name": "x"}, "spec": spec});
    let pod = json!({"containers": [{"name": "c", "image": "i"}]});
    let deployment = json!({
        "selector": {"matchLabels": {"app": "x"}},
        "template": {"metadata": {"labels": {"app": "x"}}, "spec": pod},
    });
    vec![
        ("/api/v1/namespaces", object(json!({}))),
        ("/api/v1/namespaces/a/pods", object(pod)),
        ("/api/v1/namespaces/a/secrets", json!({"metadata": {"name": "x"}})),
        ("/apis/apps/v1/namespaces/a/deployments", object(deployment)),
        (CRDS, widget_definition("Cluster", &any_fields())),
        (
            "/apis/example.com/v1/widgets",
            json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "x"}}),
        ),
    ]
}

/// Returns whether an answer is no failure of the server. A real server refuses some requests with
/// a 500 that has no reason; its own failures have one.
fn is_in_order(answer: &Answer) -> bool {
    (200..500).contains(&answer.status) || answer.status == 500 && answer.json()["reason"].is_null()
}

proptest! {
    #![proptest_config(crate::seeds::cases(48))]

    #[test]
    fn no_request_stops_the_server(requests in prop::collection::vec(request(), 1..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let server = ApiServer::new();
            for (path, object) in seeds() {
                assert_eq!(ask(&server, "POST", path, &[], &object).await.status, 201);
            }
            for (method, path, media_type, body) in requests {
                let headers = [("content-type", media_type)];
                let answer = ask(&server, method, &path, &headers, &body).await;
                assert!(is_in_order(&answer), "{method} {path}: {answer:?}");
            }
            let table = [("accept", "application/json;as=Table;g=meta.k8s.io;v=v1")];
            for (path, _) in seeds() {
                for headers in [&table[..], &[]] {
                    let answer = ask(&server, "GET", path, headers, &Value::Null).await;
                    assert!(matches!(answer.status, 200 | 404));
                    if answer.status == 200 {
                        answer.json();
                    }
                }
            }
            let discovered = get(&server, "/apis").await;
            discovered.json();
        });
    }
}
