//! Patches of every kind.

use k8s_openapi::api::core::v1::Pod;
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::json;

use super::*;

fn pod() -> Pod {
    serde_json::from_value(json!({
        "metadata": {"name": "p", "namespace": "default"},
        "spec": {"containers": [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]},
    }))
    .unwrap()
}

async fn patched(server: &ApiServer, kind: &str, path: &str, body: &Value) -> Answer {
    let media_type = format!("application/{kind}");
    ask(server, "PATCH", path, &[("content-type", &media_type)], body).await
}

#[tokio::test]
async fn json_patch_applies_all_steps_or_none() {
    let (server, _, maps) = rig();
    let mut made = map("a");
    made.data = Some([("k".into(), "v".into())].into());
    maps.create(&PostParams::default(), &made).await.unwrap();
    let path = "/api/v1/namespaces/default/configmaps/a";
    let good = json!([
        {"op": "test", "path": "/data/k", "value": "v"},
        {"op": "add", "path": "/data/l", "value": "w"},
        {"op": "remove", "path": "/data/k"},
    ]);
    let after = patched(&server, "json-patch+json", path, &good).await.json();
    assert_eq!(after["data"], json!({"l": "w"}));
    let bad = json!([
        {"op": "add", "path": "/data/m", "value": "x"},
        {"op": "test", "path": "/data/l", "value": "v"},
    ]);
    assert_eq!(patched(&server, "json-patch+json", path, &bad).await.status, 422);
    assert_eq!(get(&server, path).await.json(), after);
}

#[tokio::test]
async fn a_strategic_patch_reaches_one_container() {
    let server = ApiServer::new();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    pods.create(&PostParams::default(), &pod()).await.unwrap();
    let patch = Patch::Strategic(json!({"spec": {"containers": [{"name": "b", "image": "2"}]}}));
    let after = pods.patch("p", &PatchParams::default(), &patch).await.unwrap();
    let images: Vec<_> =
        after.spec.unwrap().containers.into_iter().map(|c| c.image.unwrap()).collect();
    assert_eq!(images, ["1", "2"]);
    assert_eq!(after.metadata.generation, Some(2));
}

#[tokio::test]
async fn a_version_in_a_patch_is_a_precondition() {
    let (server, _, maps) = rig();
    let made = maps.create(&PostParams::default(), &map("a")).await.unwrap();
    let at = |version: &str| json!({"metadata": {"resourceVersion": version}, "data": {"x": "y"}});
    let path = "/api/v1/namespaces/default/configmaps/a";
    let stale = patched(&server, "merge-patch+json", path, &at("1")).await;
    assert_eq!((stale.status, &stale.json()["reason"]), (409, &"Conflict".into()));
    let version = made.metadata.resource_version.unwrap();
    let fresh = patched(&server, "strategic-merge-patch+json", path, &at(&version)).await;
    assert_eq!(fresh.status, 200);
    let foreign = json!({"metadata": {"uid": "someone-else"}});
    let refused = patched(&server, "merge-patch+json", path, &foreign).await;
    assert_eq!(refused.status, 422);
    assert_eq!(
        refused.json()["message"],
        "ConfigMap \"a\" is invalid: metadata.uid: Invalid value: \"someone-else\": field is \
         immutable"
    );
    let renamed = json!({"metadata": {"name": "b"}});
    let refused = patched(&server, "merge-patch+json", path, &renamed).await;
    assert_eq!(
        (refused.status, &refused.json()["message"]),
        (400, &"the name of the object (b) does not match the name on the URL (a)".into())
    );
}

#[tokio::test]
async fn what_cannot_be_patched_says_how() {
    let server = ApiServer::new();
    let path = "/api/v1/namespaces/default/configmaps/a";
    let missing = patched(&server, "merge-patch+json", path, &json!({})).await;
    assert_eq!(missing.status, 404);
    server.create(&map("a")).unwrap();
    let unknown = patched(&server, "yaml", path, &json!({})).await;
    assert_eq!((unknown.status, &unknown.json()["reason"]), (415, &"UnsupportedMediaType".into()));
    for (kind, body) in [
        ("json-patch+json", json!({})),
        ("merge-patch+json", json!([])),
        ("merge-patch+json", json!(7)),
    ] {
        assert_eq!(patched(&server, kind, path, &body).await.status, 400, "{kind} {body}");
    }
}

#[tokio::test]
async fn status_and_object_are_patched_apart() {
    let server = ApiServer::new();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let mut wishful = pod();
    wishful.status = serde_json::from_value(json!({"phase": "Running"})).unwrap();
    let made = pods.create(&PostParams::default(), &wishful).await.unwrap();
    assert_eq!(made.status.unwrap().phase.as_deref(), Some("Pending"), "not the creator's to say");
    let both = json!({
        "metadata": {"labels": {"x": "y"}},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]},
    });
    let params = PatchParams::default();
    let object = pods.patch("p", &params, &Patch::Merge(&both)).await.unwrap();
    assert_eq!(object.status.unwrap().phase.as_deref(), Some("Pending"));
    let status = pods.patch_status("p", &params, &Patch::Merge(&both)).await.unwrap();
    assert_eq!(status.status.unwrap().phase.as_deref(), Some("Running"));
    assert_eq!(status.metadata.generation, Some(1));
    let more = json!({"status": {"conditions": [
        {"type": "Ready", "status": "True"}, {"type": "Initialized", "status": "True"}
    ]}});
    let status = pods.patch_status("p", &params, &Patch::Strategic(&more)).await.unwrap();
    let conditions = status.status.unwrap().conditions.unwrap();
    assert_eq!(conditions.len(), 2);
    assert_eq!(conditions[0].status, "True");
    let path = "/api/v1/namespaces/default/configmaps/a/status";
    let none = patched(&server, "merge-patch+json", path, &json!({})).await;
    assert_eq!(none.status, 404, "a type without status");
}
