//! Fields that a server moves, drops, or never returns.

use http::{Request, Response};
use http_body_util::BodyExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Secret;
use kube::Client;
use kube::api::{Api, Patch, PatchParams};
use kube::client::Body;
use kube_controllers::writing::Applier;
use kube_informer::testing::ApiServer;
use serde_json::{Value, json};

use super::support::*;
use crate::helpers::{settle, synced};

/// The two fields of a pod's account.
const ACCOUNTS: &[&str] = &["serviceAccountName", "serviceAccount"];

fn secret(members: &Value) -> Secret {
    let mut secret = json!({"metadata": {"name": "a", "namespace": "shop"}});
    secret.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    serde_json::from_value(secret).unwrap()
}

/// The server moves `stringData` into `data`, where it wins over what `data` says.
#[tokio::test(start_paused = true)]
async fn foreign_change_of_secret_text_is_put_back() {
    let server = ApiServer::new();
    let informer = synced::<Secret>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    let api = Api::<Secret>::namespaced(server.client(), "shop");
    let desired = secret(&json!({"stringData": {"password": "x"}}));
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    for change in [
        json!({"data": {"password": "eQ=="}}),
        json!({"data": {"password": null}}),
        json!({"data": null}),
        json!({"stringData": {"password": "z"}}),
    ] {
        api.patch("a", &PatchParams::default(), &Patch::Merge(&change)).await.unwrap();
        assert_eq!(settle(&server, &informer, &applier, &desired).await, 1, "{change}");
        let data = api.get("a").await.unwrap().data.unwrap();
        assert_eq!(data["password"].0, b"x", "{change}");
    }
    let others = json!({"data": {"more": "eQ=="}, "metadata": {"labels": {"theirs": "x"}}});
    api.patch("a", &PatchParams::default(), &Patch::Merge(&others)).await.unwrap();
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 0);
    // A text that is no longer wanted is removed.
    let texts = json!({"data": {"token": "eg==", "bytes": "AP8="}, "stringData": {"token": "t"}});
    let desired = secret(&texts);
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    let data = api.get("a").await.unwrap().data.unwrap();
    let data: Vec<_> = data.iter().map(|(name, bytes)| (&**name, &*bytes.0)).collect();
    assert_eq!(data, [("bytes", &[0, 255][..]), ("more", b"y"), ("token", b"t")]);
    assert_eq!(applier.status().hidden_fields, [""; 0]);
    informer.shutdown().await;
}

/// A server shows the account's name in the deprecated alias, too, where it wins.
#[tokio::test(start_paused = true)]
async fn foreign_account_of_pods_is_put_back() {
    let server = ApiServer::new();
    let informer = synced::<Deployment>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    let api = Api::<Deployment>::namespaced(server.client(), "shop");
    let desired = json!({
        "metadata": { "name": "a", "namespace": "shop" },
        "spec": {
            "selector": { "matchLabels": { "app": "a" } },
            "template": {
                "metadata": { "labels": { "app": "a" } },
                "spec": {
                    "serviceAccount": "ours",
                    "containers": [{ "name": "a", "image": "a" }],
                },
            },
        },
    });
    let desired: Deployment = serde_json::from_value(desired).unwrap();
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    for field in ACCOUNTS {
        let change = json!({ "spec": { "template": { "spec": { *field: "theirs" } } } });
        api.patch("a", &PatchParams::default(), &Patch::Merge(&change)).await.unwrap();
        settle(&server, &informer, &applier, &desired).await;
        let spec = api.get("a").await.unwrap().spec.unwrap().template.spec.unwrap();
        assert_eq!(spec.service_account_name.as_deref(), Some("ours"), "{field}");
        assert_eq!(settle(&server, &informer, &applier, &desired).await, 0, "{field}");
    }
    informer.shutdown().await;
}

/// A server keeps an account that is left in only one of its two fields.
#[tokio::test(start_paused = true)]
async fn account_that_is_no_longer_wanted_is_removed() {
    for fields in [&["serviceAccountName"][..], &["serviceAccount"], ACCOUNTS] {
        let server = ApiServer::new();
        let informer = synced::<Deployment>(server.client()).await;
        let applier = Applier::builder(server.client(), &informer, "site").build().unwrap();
        let api = Api::<Deployment>::namespaced(server.client(), "shop");
        let mut desired = deployment(3, "1");
        let without = desired.clone();
        let spec = desired.spec.as_mut().unwrap().template.spec.as_mut().unwrap();
        for field in fields {
            let account = if *field == ACCOUNTS[0] {
                &mut spec.service_account_name
            } else {
                &mut spec.service_account
            };
            *account = Some("ours".to_owned());
        }
        settle(&server, &informer, &applier, &desired).await;
        let account = async || {
            let spec = api.get("web").await.unwrap().spec.unwrap().template.spec.unwrap();
            [spec.service_account_name, spec.service_account]
        };
        assert_eq!(account().await, [Some("ours".to_owned()), Some("ours".to_owned())]);
        settle(&server, &informer, &applier, &without).await;
        assert_eq!(account().await, [None, None], "{fields:?}");
        assert_eq!(settle(&server, &informer, &applier, &without).await, 0, "{fields:?}");
        informer.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn field_that_a_server_drops_is_sent_on_moves() {
    let server = ApiServer::new();
    let client = rewriting(&server, |object| {
        object["spec"].as_object_mut().unwrap().remove("minReadySeconds");
    });
    let informer = synced(server.client()).await;
    let applier = Applier::builder(client, &informer, "site").force(true).build().unwrap();
    let mut desired = deployment(3, "1");
    desired.spec.as_mut().unwrap().min_ready_seconds = Some(3);
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    assert_eq!(applier.status().hidden_fields, [".spec.minReadySeconds"]);
    for change in [
        json!({"metadata": {"annotations": {"moved": "4"}}}),
        json!({"metadata": {"annotations": {"moved": null}}}),
        json!({"spec": {"paused": true}}),
        json!({"spec": {"minReadySeconds": 4}}),
    ] {
        patch(&server, "kubectl", "", change.clone()).await;
        assert_eq!(settle(&server, &informer, &applier, &desired).await, 1, "{change}");
    }
    // The generation of a deployment says that only its status has changed.
    patch(&server, "kubelet", "/status", json!({"status": {"replicas": 3}})).await;
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 0);
    informer.shutdown().await;
}

/// Nothing but the version shows a change of a field that the server never returns.
#[tokio::test(start_paused = true)]
async fn field_that_is_never_returned_is_sent_on_moves() {
    let server = ApiServer::new();
    let client = rewriting(&server, |object| {
        object["data"].as_object_mut().unwrap().remove("hidden");
    });
    let informer = synced::<Secret>(server.client()).await;
    let applier = Applier::builder(client, &informer, "site").force(true).build().unwrap();
    let api = Api::<Secret>::namespaced(server.client(), "shop");
    let desired = secret(&json!({"stringData": {"hidden": "hunter2", "user": "me"}}));
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    for n in 0..3 {
        for _ in 0..3 {
            assert_eq!(settle(&server, &informer, &applier, &desired).await, 0);
        }
        let label = Patch::Merge(json!({"metadata": {"labels": {"n": n.to_string()}}}));
        api.patch("a", &PatchParams::default(), &label).await.unwrap();
        assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    }
    assert_eq!(applier.status().hidden_fields, [".data.*"]);
    informer.shutdown().await;
}

/// The cache holds less than the answer, which a server wrote before it dropped the field.
#[tokio::test(start_paused = true)]
async fn field_that_only_the_answer_shows_is_sent_on_moves() {
    let server = ApiServer::new();
    let dropping = rewriting(&server, |object| {
        object["data"].as_object_mut().unwrap().remove("hidden");
    });
    let service = tower::service_fn(move |request: Request<Body>| {
        let dropping = dropping.clone();
        async move {
            let (parts, body) = dropping.send(request).await?.into_parts();
            let mut answer: Value =
                serde_json::from_slice(&body.collect().await?.to_bytes()).unwrap();
            answer["data"]["hidden"] = "eA==".into();
            Ok::<_, kube::Error>(Response::from_parts(
                parts,
                Body::from(answer.to_string().into_bytes()),
            ))
        }
    });
    let client = Client::new(service, "default");
    let informer = synced::<Secret>(server.client()).await;
    let applier = Applier::builder(client, &informer, "site").force(true).build().unwrap();
    let desired = secret(&json!({"stringData": {"hidden": "x", "user": "me"}}));
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    assert_eq!(applier.status().hidden_fields, [".data.*"]);
    let api = Api::<Secret>::namespaced(server.client(), "shop");
    let label = Patch::Merge(json!({"metadata": {"labels": {"theirs": "x"}}}));
    api.patch("a", &PatchParams::default(), &label).await.unwrap();
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 0);
    informer.shutdown().await;
}
