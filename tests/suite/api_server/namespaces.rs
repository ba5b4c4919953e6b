//! Namespaces that are required, and namespaces that go.

use futures::TryStreamExt;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use serde_json::json;

use super::*;

fn namespace(name: &str) -> Namespace {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    Namespace { metadata, ..Namespace::default() }
}

fn inside(name: &str, namespace: &str) -> ConfigMap {
    let mut map = map(name);
    map.metadata.namespace = Some(namespace.into());
    map
}

#[tokio::test]
async fn namespace_must_exist_only_when_configured() {
    assert!(ApiServer::new().create(&inside("a", "nowhere")).is_ok());
    let strict = ApiServer::builder().require_namespaces(true).build();
    let refused = strict.create(&inside("a", "nowhere")).unwrap_err();
    assert_eq!(refused.status().unwrap().message, "namespaces \"nowhere\" not found");
    strict.create(&map("a")).unwrap();
    strict.create(&namespace("nowhere")).unwrap();
    strict.create(&inside("a", "nowhere")).unwrap();
}

#[tokio::test(start_paused = true)]
async fn deleted_namespace_waits_for_its_objects_finalizers() {
    let (server, client, maps) = rig();
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let made = namespaces.create(&PostParams::default(), &namespace("shop")).await.unwrap();
    assert_eq!(made.status.unwrap().phase.as_deref(), Some("Active"));
    assert_eq!(made.metadata.labels.unwrap()["kubernetes.io/metadata.name"], "shop");
    server.create(&namespace("shopping")).unwrap();
    server.create(&inside("kept", "shopping")).unwrap();
    server.create(&inside("a", "shop")).unwrap();
    let mut held = inside("held", "shop");
    held.metadata.finalizers = Some(vec!["example.com/hold".into()]);
    server.create(&held).unwrap();
    let from = server.revision().to_string();
    let watch = namespaces.watch(&WatchParams::default().timeout(1), &from).await.unwrap();

    let going = namespaces.delete("shop", &DeleteParams::default()).await.unwrap();
    let going = going.left().unwrap();
    assert_eq!(going.status.unwrap().phase.as_deref(), Some("Terminating"));
    let shop: Api<ConfigMap> = Api::namespaced(client, "shop");
    assert_eq!(code(&shop.get("a").await.unwrap_err()), 404);
    assert!(shop.get("held").await.unwrap().metadata.deletion_timestamp.is_some());
    let late = shop.create(&PostParams::default(), &inside("late", "shop")).await.unwrap_err();
    assert_eq!(code(&late), 403);
    namespaces.delete("shop", &DeleteParams::default()).await.unwrap();
    assert!(namespaces.get("shop").await.is_ok());

    let release = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    shop.patch("held", &PatchParams::default(), &release).await.unwrap();
    assert_eq!(code(&namespaces.get("shop").await.unwrap_err()), 404);
    server.create(&inside("free", "shop")).unwrap();
    let other: Api<ConfigMap> = Api::namespaced(server.client(), "shopping");
    assert!(other.get("kept").await.is_ok());
    drop(maps);
    let events: Vec<_> = watch.try_collect().await.unwrap();
    assert!(
        matches!(&events[..2], [WatchEvent::Modified(_), WatchEvent::Deleted(_)]),
        "{events:?}"
    );
}

#[tokio::test]
async fn deleted_namespace_waits_for_its_own_finalizers() {
    let server = ApiServer::new();
    let namespaces: Api<Namespace> = Api::all(server.client());
    let mut held = namespace("shop");
    held.metadata.finalizers = Some(vec!["example.com/hold".into()]);
    server.create(&held).unwrap();
    let mut inner = inside("held", "shop");
    inner.metadata.finalizers = Some(vec!["example.com/hold".into()]);
    server.create(&inner).unwrap();
    namespaces.delete("shop", &DeleteParams::default()).await.unwrap();
    assert!(namespaces.get("shop").await.is_ok());
    let release = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    namespaces.patch("shop", &PatchParams::default(), &release).await.unwrap();
    assert!(namespaces.get("shop").await.is_ok(), "not empty yet");
    let shop: Api<ConfigMap> = Api::namespaced(server.client(), "shop");
    shop.patch("held", &PatchParams::default(), &release).await.unwrap();
    assert_eq!(code(&namespaces.get("shop").await.unwrap_err()), 404);
}
