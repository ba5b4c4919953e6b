//! Webhooks, called by requests of a client.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Response};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::api_server::ApiServer;
use crate::api_server::asking::send;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const HOOKS: &str = "/apis/admissionregistration.k8s.io/v1";
const URL: &str = "https://hooks.example.com";

/// Returns a webhook for config maps, with these members.
fn hook(name: &str, members: &Value) -> Value {
    let mut hook = json!({
        "name": format!("{name}.example.com"),
        "clientConfig": {"url": format!("{URL}/{name}")},
        "rules": [{
            "operations": ["*"], "apiGroups": ["", "example.com"], "apiVersions": ["*"],
            "resources": ["configmaps", "widgets", "widgets/scale", "widgets/status"],
        }],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    });
    for (name, member) in members.as_object().into_iter().flatten() {
        hook[name] = member.clone();
    }
    hook
}

async fn configure(server: &ApiServer, kind: &str, hooks: &[Value]) {
    let path = format!("{HOOKS}/{}webhookconfigurations", kind.to_lowercase());
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": format!("{kind}WebhookConfiguration"), "metadata": {"name": "a"},
        "webhooks": hooks,
    });
    let (status, body) = send(server, Method::POST, &path, &configuration).await;
    assert_eq!(status, 201, "{body}");
}

fn map(name: &str, data: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data,
    })
}

async fn create(server: &ApiServer, object: &Value) -> (u16, Value) {
    let (status, body) = send(server, Method::POST, MAPS, object).await;
    (status.as_u16(), body)
}

/// Registers a closure that notes the requests that it answers.
fn noting(
    server: &ApiServer,
    path: &str,
    answer: impl Fn(&Value) -> Value + Send + Sync + 'static,
) -> Arc<Mutex<Vec<Value>>> {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let notes = requests.clone();
    server.admit(&format!("{URL}{path}"), move |request| {
        let answer = answer(&request);
        notes.lock().push(request);
        async move { answer }
    });
    requests
}

fn patch(operations: &Value) -> Value {
    use base64::Engine;
    let patch = base64::engine::general_purpose::STANDARD.encode(operations.to_string());
    json!({"allowed": true, "patchType": "JSONPatch", "patch": patch})
}

#[tokio::test(start_paused = true)]
async fn validating_webhook_refuses_with_its_status() {
    let server = ApiServer::new();
    let asked = noting(&server, "", |request| {
        let allowed = request["object"]["data"]["k"] != "bad";
        json!({
            "allowed": allowed, "warnings": ["look", "look", ""],
            "status": {"code": 403, "reason": "Forbidden", "message": "no"},
        })
    });
    configure(&server, "Validating", &[hook("v", &json!({}))]).await;
    let (status, made) = create(&server, &map("a", &json!({"k": "good"}))).await;
    assert_eq!(status, 201, "{made}");
    let (status, refused) = create(&server, &map("b", &json!({"k": "bad"}))).await;
    assert_eq!(
        (status, refused),
        (
            403,
            json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                "message": "admission webhook \"v.example.com\" denied the request: no",
                "reason": "Forbidden", "code": 403,
            })
        )
    );
    let (status, _) = send(&server, Method::GET, &format!("{MAPS}/b"), &Value::Null).await;
    assert_eq!(status, 404);
    let asked = asked.lock();
    assert_eq!(asked.len(), 2);
    // The uid and the name that the webhook saw are those of the object.
    assert_eq!(asked[0]["object"]["metadata"]["uid"], made["metadata"]["uid"]);
    assert_eq!(asked[0]["operation"], "CREATE");
    assert_eq!(asked[0]["options"]["kind"], "CreateOptions");
    assert_eq!(asked[0]["requestKind"]["kind"], "ConfigMap");
}

#[tokio::test(start_paused = true)]
async fn generated_name_is_the_same_after_the_review() {
    let server = ApiServer::new();
    let asked = noting(&server, "", |_| json!({"allowed": true}));
    configure(&server, "Validating", &[hook("v", &json!({}))]).await;
    let mut object = map("", &json!({}));
    object["metadata"] = json!({"generateName": "a-"});
    let (status, made) = create(&server, &object).await;
    assert_eq!(status, 201);
    assert_eq!(asked.lock()[0]["name"], made["metadata"]["name"]);
}

#[tokio::test(start_paused = true)]
async fn mutating_webhooks_run_in_order_and_again() {
    let server = ApiServer::new();
    let first = noting(&server, "/a", |request| {
        let seen = request["object"]["data"].as_object().map_or(0, serde_json::Map::len);
        patch(&json!([{"op": "add", "path": "/data/seen", "value": seen.to_string()}]))
    });
    let second =
        noting(&server, "/b", |_| patch(&json!([{"op": "add", "path": "/data/b", "value": "y"}])));
    let again = json!({"reinvocationPolicy": "IfNeeded"});
    configure(&server, "Mutating", &[hook("a", &again), hook("b", &json!({}))]).await;
    let judged = noting(&server, "/v", |_| json!({"allowed": true}));
    configure(&server, "Validating", &[hook("v", &json!({}))]).await;
    let (status, made) = create(&server, &map("a", &json!({"k": "v"}))).await;
    assert_eq!((status, &made["data"]), (201, &json!({"k": "v", "seen": "3", "b": "y"})));
    assert_eq!((first.lock().len(), second.lock().len()), (2, 1));
    assert_eq!(judged.lock()[0]["object"]["data"], made["data"]);
    // A webhook does not own the fields that it adds.
    let owned = made["metadata"]["managedFields"].to_string();
    assert!(owned.contains("f:k") && !owned.contains("f:seen"), "{owned}");
}

#[tokio::test(start_paused = true)]
async fn failure_policy_decides_about_late_and_missing_webhooks() {
    for (policy, wanted) in [("Fail", 500), ("Ignore", 201)] {
        let server = ApiServer::new();
        server.admit(&format!("{URL}/slow"), |_| async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            json!({"allowed": true})
        });
        let late = json!({"timeoutSeconds": 2, "failurePolicy": policy});
        configure(&server, "Validating", &[hook("slow", &late)]).await;
        let (status, body) = create(&server, &map("a", &json!({}))).await;
        assert_eq!(status, wanted, "{body}");
        if wanted == 500 {
            assert_eq!(
                body["message"],
                "Internal error occurred: failed calling webhook \"slow.example.com\": failed to \
                 call webhook: Post \"https://hooks.example.com/slow?timeout=2s\": context \
                 deadline exceeded"
            );
        }
        let missing = json!({
            "failurePolicy": policy,
            "clientConfig": {"service": {"namespace": "shop", "name": "hook", "path": "/x"}},
        });
        let server = ApiServer::new();
        server.admit(URL, |_| async { json!({"allowed": true}) });
        configure(&server, "Mutating", &[hook("m", &missing)]).await;
        let (status, body) = create(&server, &map("a", &json!({}))).await;
        assert_eq!(status, wanted, "{body}");
        if wanted == 500 {
            let message = body["message"].as_str().unwrap();
            let end =
                "Post \"https://hook.shop.svc:443/x?timeout=10s\": service \"hook\" not found";
            assert!(message.ends_with(end), "{message}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn webhook_may_use_the_server() {
    let server = ApiServer::new();
    let inner = server.clone();
    server.webhook("shop/hooks", move |request| {
        let server = inner.clone();
        async move {
            let review: Value = serde_json::from_slice(request.body()).unwrap();
            let (_, listed) = send(&server, Method::GET, MAPS, &Value::Null).await;
            let allowed = listed["items"].as_array().is_some_and(Vec::is_empty);
            let body = json!({
                "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                "response": {"uid": review["request"]["uid"], "allowed": allowed},
            });
            Response::new(Bytes::from(body.to_string()))
        }
    });
    let service = json!({"clientConfig": {"service": {"namespace": "shop", "name": "hooks"}}});
    configure(&server, "Validating", &[hook("v", &service)]).await;
    assert_eq!(create(&server, &map("a", &json!({}))).await.0, 201);
    assert_eq!(create(&server, &map("b", &json!({}))).await.0, 400);
}

#[tokio::test(start_paused = true)]
async fn delete_shows_the_old_object_alone() {
    let server = ApiServer::new();
    let asked = noting(
        &server,
        "",
        |request| json!({"allowed": request["oldObject"]["metadata"]["name"] != "b"}),
    );
    let deletes = json!({"rules": [{
        "operations": ["DELETE"], "apiGroups": [""], "apiVersions": ["v1"],
        "resources": ["configmaps"],
    }]});
    configure(&server, "Validating", &[hook("v", &deletes)]).await;
    for name in ["a", "b", "c"] {
        create(&server, &map(name, &json!({}))).await;
    }
    let (status, _) = send(&server, Method::DELETE, &format!("{MAPS}/a"), &json!({})).await;
    assert_eq!(status, 200);
    assert_eq!(asked.lock()[0]["object"], Value::Null);
    assert_eq!(asked.lock()[0]["operation"], "DELETE");
    let (status, _) = send(&server, Method::DELETE, MAPS, &json!({})).await;
    assert_eq!(status, 400);
    let (_, left) = send(&server, Method::GET, MAPS, &Value::Null).await;
    let names: Vec<&Value> =
        left["items"].as_array().unwrap().iter().map(|item| &item["metadata"]["name"]).collect();
    assert_eq!(names, ["b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn selectors_and_conditions_leave_requests_out() {
    let server = ApiServer::new();
    let asked = noting(&server, "", |_| json!({"allowed": true}));
    let narrow = json!({
        "objectSelector": {"matchLabels": {"app": "web"}},
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}},
        "matchConditions": [
            {"name": "big", "expression": "object.data.size == 'big' && request.name != 'c'"},
        ],
    });
    configure(&server, "Validating", &[hook("v", &narrow)]).await;
    let labelled = |name: &str, size: &str| {
        let mut object = map(name, &json!({"size": size}));
        object["metadata"]["labels"] = json!({"app": "web"});
        object
    };
    create(&server, &map("a", &json!({"size": "big"}))).await;
    create(&server, &labelled("b", "small")).await;
    create(&server, &labelled("c", "big")).await;
    assert!(asked.lock().is_empty());
    assert_eq!(create(&server, &labelled("d", "big")).await.0, 201);
    assert_eq!(asked.lock().len(), 1);
    let mut without = labelled("e", "");
    without["data"] = json!({"other": "x"});
    let (status, body) = create(&server, &without).await;
    assert_eq!(
        (status, &body["message"]),
        (
            403,
            &json!(
                "configmaps \"e\" is forbidden: expression 'object.data.size == 'big' && \
                 request.name != 'c'' resulted in error: no such key: size"
            )
        )
    );
}

#[tokio::test(start_paused = true)]
async fn null_has_no_members() {
    for (expression, calls) in [
        ("has(oldObject.metadata)", 0),
        ("has(oldObject.metadata) || has(object.metadata)", 1),
        ("!has(oldObject.metadata.labels)", 0),
        ("namespaceObject == null", 1),
        ("request.dryRun", 0),
    ] {
        let server = ApiServer::new();
        let asked = noting(&server, "", |_| json!({"allowed": true}));
        let narrow = json!({"matchConditions": [{"name": "a", "expression": expression}]});
        configure(&server, "Validating", &[hook("v", &narrow)]).await;
        let (status, _) = create(&server, &map("a", &json!({}))).await;
        // A member of a member of null is an error.
        let status_of = if expression.contains(".labels") { 403 } else { 201 };
        assert_eq!((status, asked.lock().len()), (status_of, calls), "{expression}");
    }
}

#[tokio::test(start_paused = true)]
async fn strict_server_accepts_webhooks_with_a_service() {
    let server = ApiServer::builder().strict().build();
    let configuration = json!({
        "metadata": {"name": "a"}, "webhooks": [hook("v", &json!({}))],
    });
    let path = format!("{HOOKS}/validatingwebhookconfigurations");
    let (status, body) = send(&server, Method::POST, &path, &configuration).await;
    assert_eq!(status, 501, "{body}");
    server.admit(URL, |_| async { json!({"allowed": true}) });
    let (status, body) = send(&server, Method::POST, &path, &configuration).await;
    assert_eq!(status, 201, "{body}");
}

#[tokio::test(start_paused = true)]
async fn webhook_that_changes_its_own_object_ends_in_a_conflict() {
    let server = ApiServer::new();
    let updates = json!({"rules": [{
        "operations": ["UPDATE"], "apiGroups": [""], "apiVersions": ["v1"],
        "resources": ["configmaps"],
    }]});
    let inner = server.clone();
    server.admit(URL, move |_| {
        let server = inner.clone();
        async move {
            let count = server.revision().to_string();
            let mut map: k8s_openapi::api::core::v1::ConfigMap =
                serde_json::from_value(map("a", &json!({"count": count}))).unwrap();
            map.metadata.namespace = Some("default".into());
            server.replace(&map).unwrap();
            json!({"allowed": true})
        }
    });
    configure(&server, "Validating", &[hook("v", &updates)]).await;
    create(&server, &map("a", &json!({}))).await;
    let path = format!("{MAPS}/a");
    let (status, body) = send(&server, Method::PUT, &path, &map("a", &json!({"k": "v"}))).await;
    assert_eq!(status, 409, "{body}");
}

#[tokio::test(start_paused = true)]
async fn subresources_and_scales_are_reviewed_as_such() {
    let server = ApiServer::new();
    let asked = noting(&server, "", |request| {
        if request["subResource"] == "scale" {
            return patch(&json!([{"op": "replace", "path": "/spec/replicas", "value": 5}]));
        }
        json!({"allowed": true})
    });
    let scales = json!({"rules": [{
        "operations": ["UPDATE"], "apiGroups": ["apps"], "apiVersions": ["v1"],
        "resources": ["deployments/*"],
    }]});
    configure(&server, "Mutating", &[hook("m", &scales)]).await;
    let container = json!({"name": "a", "image": "b"});
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {
                "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]},
            },
        },
    });
    let path = "/apis/apps/v1/namespaces/default/deployments";
    let (status, body) = send(&server, Method::POST, path, &deployment).await;
    assert_eq!(status, 201, "{body}");
    let scale = json!({"metadata": {"name": "a"}, "spec": {"replicas": 3}});
    let (status, body) = send(&server, Method::PUT, &format!("{path}/a/scale"), &scale).await;
    assert_eq!((status.as_u16(), &body["spec"]["replicas"]), (200, &json!(5)));
    let asked = asked.lock();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0]["kind"]["kind"], "Scale");
    assert_eq!(asked[0]["object"]["spec"]["replicas"], 3);
    assert_eq!(asked[0]["oldObject"]["spec"]["replicas"], 1);
}

#[tokio::test(start_paused = true)]
async fn busy_service_is_asked_ten_times_again() {
    let server = ApiServer::new();
    configure(&server, "Validating", &[hook("a", &json!({}))]).await;
    let calls = Arc::new(Mutex::new(0));
    let counted = calls.clone();
    server.webhook(URL, move |_| {
        *counted.lock() += 1;
        let busy = Response::builder().status(429).header("retry-after", "0");
        async { busy.body(Bytes::new()).unwrap() }
    });
    let (status, body) = create(&server, &map("m", &json!({}))).await;
    let message = body["message"].as_str().unwrap();
    assert_eq!((status, *calls.lock()), (500, 11));
    assert!(message.contains("too many requests"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn webhook_that_causes_its_own_calls_ends() {
    let server = ApiServer::new();
    configure(&server, "Validating", &[hook("a", &json!({}))]).await;
    let inner = server.clone();
    server.admit(URL, move |request| {
        let server = inner.clone();
        async move {
            let name = format!("{}-", request["name"].as_str().unwrap());
            let (status, _) = Box::pin(create(&server, &map(&name, &json!({})))).await;
            json!({"allowed": status == 201, "status": {"message": name}})
        }
    });
    let (status, body) = create(&server, &map("m", &json!({}))).await;
    let message = "admission webhook \"a.example.com\" denied the request: m-";
    assert_eq!((status, &body["message"]), (400, &json!(message)));
}
