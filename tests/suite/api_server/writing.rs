//! Creates, replaces, and what holds an object.

use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::json;

use super::*;

#[tokio::test]
async fn object_life_matches_a_real_server() {
    let (_server, _, maps) = rig();
    let post = PostParams::default();
    let made = maps.create(&post, &map("a")).await.unwrap();
    let meta = &made.metadata;
    assert!(meta.uid.is_some() && meta.creation_timestamp.is_some());
    assert_eq!(code(&maps.create(&post, &map("a")).await.unwrap_err()), 409);
    assert_eq!(code(&maps.create(&post, &map("Bad_Name")).await.unwrap_err()), 422);
    assert_eq!(code(&maps.get("b").await.unwrap_err()), 404);

    let mut changed = made.clone();
    changed.data = Some([("k".into(), "v".into())].into());
    let replaced = maps.replace("a", &post, &changed).await.unwrap();
    assert_ne!(replaced.metadata.resource_version, meta.resource_version);
    assert_eq!(replaced.metadata.uid, meta.uid);
    assert_eq!(code(&maps.replace("a", &post, &changed).await.unwrap_err()), 409, "stale");
    let again = maps.replace("a", &post, &replaced).await.unwrap();
    assert_eq!(again.metadata.resource_version, replaced.metadata.resource_version, "no change");

    let patch = Patch::Merge(json!({"data": {"k": null, "l": "w"}}));
    let patched = maps.patch("a", &PatchParams::default(), &patch).await.unwrap();
    assert_eq!(patched.data.unwrap(), [("l".into(), "w".into())].into());

    maps.delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(code(&maps.delete("a", &DeleteParams::default()).await.unwrap_err()), 404);
    let mut generated = map("");
    generated.metadata.name = None;
    generated.metadata.generate_name = Some("gen-".into());
    let generated = maps.create(&post, &generated).await.unwrap();
    assert!(generated.metadata.name.unwrap().starts_with("gen-"));
}

#[tokio::test]
async fn finalizer_holds_a_deleted_object() {
    let (_server, _, maps) = rig();
    let mut held = map("a");
    held.metadata.finalizers = Some(vec!["example.com/hold".into()]);
    maps.create(&PostParams::default(), &held).await.unwrap();
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    let held = maps.get("a").await.unwrap();
    assert!(held.metadata.deletion_timestamp.is_some());
    let release = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    maps.patch("a", &PatchParams::default(), &release).await.unwrap();
    assert_eq!(code(&maps.get("a").await.unwrap_err()), 404);
}

#[tokio::test]
async fn a_secret_takes_plain_texts_and_keeps_data() {
    let server = ApiServer::new();
    let secret = json!({
        "metadata": {"name": "s"}, "stringData": {"a": "b"}, "data": {"a": "eA==", "c": "eQ=="},
    });
    let path = "/api/v1/namespaces/default/secrets";
    let made = ask(&server, "POST", path, &[], &secret).await.json();
    assert_eq!(made["data"], json!({"a": "Yg==", "c": "eQ=="}));
    assert!(made["stringData"].is_null());
}

#[tokio::test]
async fn bodies_in_other_languages_are_refused() {
    let server = ApiServer::new();
    let path = "/api/v1/namespaces/default/configmaps";
    // Protobuf is understood, but this is none.
    for (media_type, code) in
        [("application/toml", 415), ("application/vnd.kubernetes.protobuf", 400)]
    {
        let headers = [("content-type", media_type)];
        let refused = ask(&server, "POST", path, &headers, &json!({})).await;
        assert_eq!((refused.status, &refused.json()["code"]), (code, &json!(code)));
    }
    let garbage = ask(&server, "POST", path, &[], &json!([])).await;
    assert_eq!(garbage.status, 400);
    assert_eq!(ask(&server, "PUT", path, &[], &json!({})).await.status, 405);
}
