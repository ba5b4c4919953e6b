//! Requests as client-go sends them, without a client.

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use kube_decode::protobuf::MEDIA_TYPE;
use kube_decode::protobuf::encode::encode;
use serde_json::{Value, json};

use super::ApiServer;

const JSON: &str = "application/json";
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Returns the code and the value of the response.
async fn ask(
    server: &ApiServer,
    (method, path): (&str, &str),
    media_type: &str,
    body: impl Into<Bytes>,
) -> (u16, Value) {
    let request = Request::builder().method(method).uri(path).header("content-type", media_type);
    let request = request.body(Full::new(body.into())).unwrap();
    let response = server.handle(request).await;
    let code = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (code, serde_json::from_slice(&body).unwrap())
}

async fn post(server: &ApiServer, path: &str, object: &Value) -> (u16, Value) {
    ask(server, ("POST", path), JSON, object.to_string()).await
}

/// Returns a definition whose objects a webhook converts, with this bundle of certificates.
fn converted(bundle: &str) -> Value {
    let service = json!({"namespace": "default", "name": "convert"});
    let config = json!({"service": service, "caBundle": bundle});
    let webhook = json!({"conversionReviewVersions": ["v1"], "clientConfig": config});
    let schema = json!({"openAPIV3Schema": {"type": "object"}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "shops.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "shops", "kind": "Shop"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
            "conversion": {"strategy": "Webhook", "webhook": webhook},
        },
    })
}

#[tokio::test]
async fn conversion_webhook_is_warned_of_once_or_refused() {
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let sent = async |server: &ApiServer, method: &str, path: &str, object: &Value| {
        let body = Full::<Bytes>::from(object.to_string());
        let request = Request::builder().method(method).uri(path).header("content-type", JSON);
        server.handle(request.body(body).unwrap()).await
    };
    let server = ApiServer::new();
    let created = sent(&server, "POST", definitions, &converted("eA==")).await;
    let warning = created.headers()["warning"].to_str().unwrap();
    assert!(warning.contains("calls no conversion webhook"), "{warning}");
    let path = format!("{definitions}/shops.example.com");
    let (_, mut stored) = ask(&server, ("GET", &path), JSON, "").await;
    stored["metadata"]["labels"] = json!({"a": "b"});
    let replaced = sent(&server, "PUT", &path, &stored).await;
    assert_eq!((replaced.status().as_u16(), replaced.headers().get("warning")), (200, None));
    let strict = ApiServer::builder().strict().build();
    let refused = sent(&strict, "POST", definitions, &converted("eA==")).await;
    assert_eq!(refused.status(), 501);
}

#[tokio::test]
async fn watch_of_a_removed_type_ends_before_its_successor() {
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let shops = "/apis/example.com/v1/namespaces/default/shops";
    let server = ApiServer::new();
    assert_eq!(post(&server, definitions, &converted("eA==")).await.0, 201);
    let watch = Request::get(format!("{shops}?watch=1&allowWatchBookmarks=true"));
    let watch = server.handle(watch.body(Full::<Bytes>::default()).unwrap()).await;
    let path = format!("{definitions}/shops.example.com");
    assert_eq!(ask(&server, ("DELETE", &path), JSON, "").await.0, 200);
    assert_eq!(post(&server, definitions, &converted("eA==")).await.0, 201);
    let shop = json!({"apiVersion": "example.com/v1", "kind": "Shop", "metadata": {"name": "a"}});
    let (code, made) = post(&server, shops, &shop).await;
    assert_eq!(code, 201, "{made}");
    let told = watch.into_body().collect().await.unwrap().to_bytes();
    let last = std::str::from_utf8(&told).unwrap().lines().last().unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!(last["type"], "BOOKMARK", "{last}");
    let version = |object: &Value| -> u64 {
        object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
    };
    assert!(version(&last["object"]) < version(&made), "{last}");
}

#[tokio::test]
async fn delete_options_of_any_group_are_read() {
    let server = ApiServer::new();
    let lease = json!({"metadata": {"name": "a"}});
    assert_eq!(post(&server, LEASES, &lease).await.0, 201);
    let path = format!("{LEASES}/a");
    let delete = async |version: &str, uid: Value| {
        let options = json!({
            "apiVersion": version, "kind": "DeleteOptions", "preconditions": {"uid": uid},
        });
        ask(&server, ("DELETE", &path), MEDIA_TYPE, encode(&options).unwrap()).await.0
    };
    assert_eq!(delete("coordination.k8s.io/v1", json!("other")).await, 409);
    assert_eq!(delete("apps/v1", json!("other")).await, 409);
    assert_eq!(delete("example.com/v1alpha1", Value::Null).await, 200);
}

#[tokio::test]
async fn micro_time_without_six_digits_is_refused() {
    let server = ApiServer::new();
    let lease = |time: &str| {
        json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"name": "a"}, "spec": {"renewTime": time},
        })
    };
    assert_eq!(post(&server, LEASES, &lease("2026-11-22T01:48:05.000000Z")).await.0, 201);
    let coarse = lease("2026-11-22T01:48:05Z").to_string();
    let path = format!("{LEASES}/a?fieldManager=m");
    let forced = format!("{path}&force=true");
    for (method, path, media_type, code) in [
        ("POST", LEASES, JSON, 400),
        ("PUT", &path, JSON, 400),
        ("PATCH", &path, "application/merge-patch+json", 422),
        ("PATCH", &path, "application/strategic-merge-patch+json", 422),
        ("PATCH", &forced, "application/apply-patch+yaml", 500),
    ] {
        let (found, status) = ask(&server, (method, path), media_type, coarse.clone()).await;
        assert_eq!(found, code, "{media_type}: {status}");
        let message = status["message"].as_str().unwrap();
        assert!(message.contains("cannot parse \"Z\" as \".000000\""), "{message}");
    }
}

#[tokio::test]
async fn base64_is_stored_in_canonical_form() {
    let server = ApiServer::new();
    let secrets = "/api/v1/namespaces/default/secrets";
    for (n, text) in ["eA\n==", "eB=="].into_iter().enumerate() {
        let secret = json!({"metadata": {"name": format!("s{n}")}, "data": {"a": text}});
        let (code, stored) = post(&server, secrets, &secret).await;
        assert_eq!((code, &stored["data"]["a"]), (201, &json!("eA==")), "{text:?}");
    }
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let path = "/spec/conversion/webhook/clientConfig/caBundle";
    let (code, refused) = post(&server, definitions, &converted("%")).await;
    assert_eq!((code, &refused["reason"]), (400, &json!("BadRequest")), "{refused}");
    let (code, stored) = post(&server, definitions, &converted("eA\n==")).await;
    assert_eq!((code, stored.pointer(path)), (201, Some(&json!("eA=="))), "{stored}");
    for path in [secrets, definitions] {
        let request = Request::get(path).header("accept", MEDIA_TYPE);
        let listed = server.handle(request.body(Full::<Bytes>::default()).unwrap()).await;
        assert_eq!(listed.status(), 200, "{path}");
    }
}

#[tokio::test]
async fn new_object_with_version_is_validated_first() {
    let server = ApiServer::new();
    let map = |name: &str| json!({"metadata": {"name": name, "resourceVersion": "1"}});
    assert_eq!(post(&server, MAPS, &map("Bad_Name")).await.0, 422);
    assert_eq!(post(&server, MAPS, &map("a")).await.0, 500);
    let dry = format!("{MAPS}?dryRun=All");
    assert_eq!(post(&server, &dry, &map("a")).await.0, 201);
}

#[tokio::test]
async fn initial_objects_exist_on_request() {
    let server = ApiServer::builder().initial_objects(true).build();
    let listed = async |path: &str| {
        let (code, list) = ask(&server, ("GET", path), JSON, "").await;
        assert_eq!(code, 200, "{path}");
        list["items"].as_array().unwrap().len()
    };
    for (path, objects) in [
        ("/api/v1/namespaces", 4),
        ("/api/v1/services", 1),
        ("/api/v1/endpoints", 1),
        ("/apis/discovery.k8s.io/v1/endpointslices", 1),
        ("/apis/networking.k8s.io/v1/servicecidrs", 1),
        ("/apis/networking.k8s.io/v1/ipaddresses", 1),
        ("/apis/scheduling.k8s.io/v1/priorityclasses", 2),
        ("/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations", 8),
        ("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", 11),
        ("/apis/rbac.authorization.k8s.io/v1/clusterroles", 10),
        ("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", 6),
    ] {
        assert_eq!(listed(path).await, objects, "{path}");
    }
    let services = "/api/v1/namespaces/default/services";
    let taken = json!({
        "metadata": {"name": "a"}, "spec": {"clusterIP": "10.0.0.1", "ports": [{"port": 80}]},
    });
    let (code, status) = post(&server, services, &taken).await;
    assert_eq!(code, 422);
    assert!(status["message"].as_str().unwrap().contains("already allocated"), "{status}");
}

#[tokio::test]
async fn issued_token_is_known_to_open_server() {
    let server = ApiServer::new();
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    assert_eq!(post(&server, accounts, &json!({"metadata": {"name": "a"}})).await.0, 201);
    let (_, asked) = post(&server, &format!("{accounts}/a/token"), &json!({})).await;
    let reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
    let review = json!({"spec": {"token": asked["status"]["token"]}});
    let (code, reviewed) = post(&server, reviews, &review).await;
    assert_eq!(code, 201);
    let user = &reviewed["status"]["user"];
    assert_eq!(user["username"], "system:serviceaccount:default:a");
    assert_eq!(user["groups"][1], "system:serviceaccounts:default");
}
