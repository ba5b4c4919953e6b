//! Deletes: preconditions, grace, propagation, many at once, and dry runs.

use k8s_openapi::api::core::v1::Pod;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions};
use serde_json::json;

use super::*;

fn pod(name: &str, node: Option<&str>) -> Pod {
    serde_json::from_value(json!({
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"containers": [], "nodeName": node},
    }))
    .unwrap()
}

#[tokio::test]
async fn only_scheduled_pods_get_a_grace_period() {
    let server = ApiServer::new();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    server.create(&pod("waiting", None)).unwrap();
    server.create(&pod("running", Some("n1"))).unwrap();
    let gentle = DeleteParams::default();
    pods.delete("waiting", &gentle).await.unwrap();
    assert_eq!(code(&pods.get("waiting").await.unwrap_err()), 404);
    let told = pods.delete("running", &gentle).await.unwrap().left().unwrap();
    assert_eq!(told.metadata.deletion_grace_period_seconds, Some(30));
    assert_eq!(told.metadata.generation, Some(2), "who runs it is asked something new");
    let again = pods.delete("running", &gentle).await.unwrap().left().unwrap();
    assert_eq!(again.metadata.resource_version, told.metadata.resource_version, "nothing new");
    let hurry = pods.delete("running", &DeleteParams::default().grace_period(5)).await.unwrap();
    let hurry = hurry.left().unwrap().metadata;
    assert_eq!(hurry.deletion_grace_period_seconds, Some(5));
    assert_eq!(hurry.generation, Some(2));
    pods.delete("running", &DeleteParams::default().grace_period(0)).await.unwrap();
    assert_eq!(code(&pods.get("running").await.unwrap_err()), 404);
}

#[tokio::test]
async fn delete_may_have_preconditions() {
    let (_server, _, maps) = rig();
    let made = maps.create(&PostParams::default(), &map("a")).await.unwrap();
    let when = |uid: Option<String>, version: Option<String>| DeleteParams {
        preconditions: Some(Preconditions { uid, resource_version: version }),
        ..DeleteParams::default()
    };
    let uid = when(Some("other".into()), None);
    assert_eq!(code(&maps.delete("a", &uid).await.unwrap_err()), 409);
    let version = when(None, Some("1".into()));
    assert_eq!(code(&maps.delete("a", &version).await.unwrap_err()), 409);
    let meant = when(made.metadata.uid, made.metadata.resource_version);
    let status = maps.delete("a", &meant).await.unwrap().right().unwrap();
    assert_eq!(status.details.unwrap().name, "a");
}

#[tokio::test]
async fn propagation_is_left_to_who_collects_garbage() {
    let (server, _, maps) = rig();
    for (policy, finalizer) in
        [(DeleteParams::orphan(), "orphan"), (DeleteParams::foreground(), "foregroundDeletion")]
    {
        server.create(&map("a")).unwrap();
        let held = maps.delete("a", &policy).await.unwrap().left().unwrap();
        assert_eq!(held.metadata.finalizers, Some(vec![finalizer.to_owned()]));
        assert!(held.metadata.deletion_timestamp.is_some());
        let release = Patch::Merge(json!({"metadata": {"finalizers": []}}));
        maps.patch("a", &PatchParams::default(), &release).await.unwrap();
        assert_eq!(code(&maps.get("a").await.unwrap_err()), 404);
    }
    server.create(&map("a")).unwrap();
    assert!(maps.delete("a", &DeleteParams::background()).await.unwrap().is_right());
    let path = "/api/v1/namespaces/default/configmaps/a";
    let unknown = json!({"propagationPolicy": "Upwards"});
    server.create(&map("a")).unwrap();
    assert_eq!(ask(&server, "DELETE", path, &[], &unknown).await.status, 422);
}

#[tokio::test]
async fn a_collection_is_deleted_as_its_selector_says() {
    let (server, _, maps) = rig();
    for (name, label) in [("a", "web"), ("b", "db"), ("c", "web")] {
        server.create(&labelled(name, label)).unwrap();
    }
    let web = ListParams::default().labels("app=web");
    let gone = maps.delete_collection(&DeleteParams::default(), &web).await.unwrap();
    assert_eq!(gone.left().unwrap().items.len(), 2);
    let left = maps.list(&ListParams::default()).await.unwrap();
    assert_eq!(left.items.len(), 1);
    assert_eq!(left.items[0].metadata.name.as_deref(), Some("b"));
    let namespaces = ask(&server, "DELETE", "/api/v1/namespaces", &[], &Value::Null).await;
    assert_eq!(namespaces.status, 405, "namespaces are deleted one by one");
    let everywhere = ask(&server, "DELETE", "/api/v1/configmaps", &[], &Value::Null).await;
    assert_eq!(everywhere.status, 405, "and objects one namespace at a time");
}

#[tokio::test]
async fn dry_run_shows_the_result_without_change() {
    let (server, _, maps) = rig();
    server.create(&map("a")).unwrap();
    let before = server.revision();
    let post = PostParams { dry_run: true, ..PostParams::default() };
    let made = maps.create(&post, &map("b")).await.unwrap();
    assert!(made.metadata.uid.is_some() && made.metadata.resource_version.is_none());
    assert_eq!(code(&maps.create(&post, &map("a")).await.unwrap_err()), 409);
    let change = Patch::Merge(json!({"data": {"x": "y"}}));
    let dry = PatchParams { dry_run: true, ..PatchParams::default() };
    assert!(maps.patch("a", &dry, &change).await.unwrap().data.is_some());
    let dry = DeleteParams { dry_run: true, ..DeleteParams::default() };
    maps.delete("a", &dry).await.unwrap();
    maps.delete_collection(&dry, &ListParams::default()).await.unwrap();
    assert_eq!(server.revision(), before);
    assert_eq!(maps.get("a").await.unwrap().data, None);
    let path = "/api/v1/namespaces/default/configmaps/a?dryRun=Some";
    assert_eq!(ask(&server, "PUT", path, &[], &json!({})).await.status, 422);
}

#[tokio::test]
async fn a_body_counts_instead_of_the_query() {
    let (server, _, maps) = rig();
    let path = "/api/v1/namespaces/default/configmaps/a?dryRun=All";
    for (body, gone) in
        [(json!(null), false), (json!({"dryRun": ["All"]}), false), (json!({}), true)]
    {
        let _ = maps.create(&PostParams::default(), &map("a")).await;
        assert_eq!(ask(&server, "DELETE", path, &[], &body).await.status, 200);
        assert_eq!(maps.get_opt("a").await.unwrap().is_none(), gone, "{body}");
    }
}
