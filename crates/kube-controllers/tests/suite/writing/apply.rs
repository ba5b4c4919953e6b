//! An apply is sent only if the cache shows a reason.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ApiResource, DynamicObject};
use kube_controllers::writing::{Applied, Applier, ApplyError};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{InformerSpec, SharedInformerFactory};
use serde_json::json;
use tokio::time::timeout;

use super::support::*;
use crate::helpers::{S, caught_up, late_informer, settle, synced};

#[tokio::test(start_paused = true)]
async fn unchanged_object_is_sent_once() {
    let server = ApiServer::new();
    let (informer, applier) = applier(&server).await;
    let desired = deployment(3, "1");
    assert!(applier.apply(&desired).await.unwrap().was_sent());
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 0);
    for _ in 0..100 {
        let Applied::Unchanged(cached) = applier.apply(&desired).await.unwrap() else { panic!() };
        assert_eq!(cached.spec.as_ref().unwrap().replicas, Some(3));
    }
    assert_eq!(writes(&server), 1);
    let status = applier.status();
    assert_eq!((status.records, status.sent, status.unchanged), (1, 1, 101));

    // Another process: each object is sent once.
    let restarted = Applier::builder(server.client(), &informer, "site").build().unwrap();
    assert!(restarted.apply(&desired).await.unwrap().was_sent());
    assert_eq!(settle(&server, &informer, &restarted, &desired).await, 0);
    applier.forget();
    assert!(applier.apply(&desired).await.unwrap().was_sent());
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn new_configuration_is_sent() {
    let server = ApiServer::new();
    let (informer, applier) = applier(&server).await;
    let mut desired = deployment(3, "1");
    settle(&server, &informer, &applier, &desired).await;
    desired.spec.as_mut().unwrap().replicas = Some(4);
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    // A field that is no longer wanted is removed.
    desired.metadata.labels = None;
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    let api = Api::<Deployment>::namespaced(server.client(), "shop");
    assert_eq!(api.get("web").await.unwrap().metadata.labels, None);
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn foreign_change_of_own_field_is_put_back() {
    let server = ApiServer::new();
    let (informer, _) = applier(&server).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    let desired = deployment(3, "1");
    settle(&server, &informer, &applier, &desired).await;
    let containers =
        |container| json!({"spec": {"template": {"spec": {"containers": [container]}}}});
    let web = |args, colour| {
        containers(json!({
            "name": "web", "image": "web:1", "args": args, "resources": {"limits": {"cpu": "1"}},
            "env": [{"name": "COLOUR", "value": colour}],
        }))
    };
    for change in [
        json!({"spec": {"replicas": 1}}),
        json!({"spec": {"replicas": null}}),
        json!({"metadata": {"labels": {"app": "other"}}}),
        json!({"metadata": {"labels": null}}),
        json!({"spec": {"template": {"metadata": {"labels": {"tier": "back"}}}}}),
        json!({"spec": {"template": {"spec": {"nodeSelector": {"more": "x"}}}}}),
        containers(json!({"name": "other", "image": "other"})),
        containers(json!({"name": "web", "image": "web:2"})),
        web(json!(["-v"]), "red"),
        web(json!(["-v", "-x"]), "green"),
        web(json!([]), "green"),
    ] {
        patch(&server, "kubectl", "", change.clone()).await;
        assert_eq!(settle(&server, &informer, &applier, &desired).await, 1, "{change}");
        let api = Api::<Deployment>::namespaced(server.client(), "shop");
        let spec = api.get("web").await.unwrap().spec.unwrap();
        assert_eq!(spec.replicas, Some(3), "{change}");
        let containers = spec.template.spec.unwrap().containers;
        let web = containers.iter().find(|container| container.name == "web").unwrap();
        assert_eq!(web.image.as_deref(), Some("web:1"), "{change}");
        assert_eq!(web.args.as_deref(), Some(&["-v".to_owned()][..]), "{change}");
        assert_eq!(web.env.as_ref().unwrap()[0].value.as_deref(), Some("green"), "{change}");
    }
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn foreign_additions_are_left_alone() {
    let server = ApiServer::new();
    let (informer, applier) = applier(&server).await;
    let desired = deployment(3, "1");
    settle(&server, &informer, &applier, &desired).await;
    let before = writes(&server);
    let injected = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"labels": {"theirs": "x"}, "annotations": {"a": "b"}},
        "spec": {"template": {"spec": {"containers": [
            {"name": "sidecar", "image": "s"},
            {"name": "web", "imagePullPolicy": "Always", "env": [{"name": "X", "value": "y"}]},
        ]}}},
    });
    patch(&server, "mesh", "", injected).await;
    let status = json!({"status": {"replicas": 3, "readyReplicas": 3}});
    patch(&server, "kubelet", "/status", status).await;
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 0);
    assert_eq!(writes(&server), before + 2);
    let Applied::Unchanged(cached) = applier.apply(&desired).await.unwrap() else { panic!() };
    let containers = &cached.spec.as_ref().unwrap().template.spec.as_ref().unwrap().containers;
    assert_eq!(containers.len(), 2);
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn normal_form_of_server_is_no_change() {
    let server = ApiServer::new();
    let client = rewriting(&server, |object| {
        if let Some(limits) =
            object.pointer_mut("/spec/template/spec/containers/0/resources/limits")
            && limits["cpu"] == "1000m"
        {
            limits["cpu"] = "1".into();
        }
    });
    let informer = synced(server.client()).await;
    let applier = Applier::builder(client, &informer, "site").force(true).build().unwrap();
    let desired = deployment(3, "1000m");
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    patch(&server, "kubectl", "", json!({"metadata": {"labels": {"theirs": "x"}}})).await;
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 0);
    patch(&server, "kubectl", "", json!({"spec": {"replicas": 1}})).await;
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    informer.shutdown().await;
}

/// Each write sets another value, so that no answer equals the one before.
#[tokio::test(start_paused = true)]
async fn webhook_that_rewrites_each_time_settles() {
    let server = ApiServer::new();
    let count = Arc::new(AtomicUsize::new(0));
    let client = rewriting(&server, move |object| {
        let image = format!("mirror/web:{}", count.fetch_add(1, Ordering::SeqCst));
        object["spec"]["template"]["spec"]["containers"][0]["image"] = image.into();
    });
    let informer = synced(server.client()).await;
    let applier = Applier::builder(client, &informer, "site").force(true).build().unwrap();
    let desired = deployment(3, "1");
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    for n in 0..5 {
        let label = json!({"metadata": {"labels": {"theirs": n.to_string()}}});
        patch(&server, "kubectl", "", label).await;
        assert_eq!(settle(&server, &informer, &applier, &desired).await, 0);
    }
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn empty_parts_and_nulls_settle() {
    let server = ApiServer::new();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let maps = factory.dynamic(&ApiResource::erase::<ConfigMap>(&()));
    factory.start().unwrap();
    factory.wait_for_sync(S).await.unwrap();
    let resource = ApiResource::erase::<ConfigMap>(&());
    let applier = Applier::builder_with(server.client(), &maps, "site", &resource).build().unwrap();
    let desired: DynamicObject = serde_json::from_value(json!({
        "metadata": {
            "name": "a", "namespace": "shop", "creationTimestamp": null, "labels": {},
            "annotations": {}, "finalizers": [], "ownerReferences": [], "managedFields": [],
        },
        "data": {}, "binaryData": null, "immutable": false,
    }))
    .unwrap();
    assert!(applier.apply(&desired).await.unwrap().was_sent());
    for n in 0..5 {
        maps.wait_for(&server.revision().into(), S).await.unwrap();
        assert!(!applier.apply(&desired).await.unwrap().was_sent());
        let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
        let label = kube::api::Patch::Merge(json!({"metadata": {"labels": {"n": n.to_string()}}}));
        api.patch("a", &kube::api::PatchParams::default(), &label).await.unwrap();
    }
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn deleted_and_recreated_object_is_applied_again() {
    let server = ApiServer::new();
    let (informer, applier) = applier(&server).await;
    let desired = deployment(3, "1");
    settle(&server, &informer, &applier, &desired).await;
    server.delete(&desired).unwrap();
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    server.delete(&desired).unwrap();
    server.create(&desired).unwrap();
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn lagging_cache_proves_nothing() {
    let server = ApiServer::new();
    let late = late_informer::<Deployment>(server.client(), || 10 * S);
    late.start().unwrap();
    late.wait_for_sync(S).await.unwrap();
    let applier = Applier::builder(server.client(), &late, "site").build().unwrap();
    let desired = deployment(3, "1");
    for sent in 1..4 {
        let Applied::Sent(answer) = applier.apply(&desired).await.unwrap() else { panic!() };
        assert_eq!(answer.spec.as_ref().unwrap().replicas, Some(3));
        assert_eq!(writes(&server), sent);
    }
    caught_up(&server, &late).await;
    assert!(!applier.apply(&desired).await.unwrap().was_sent());
    late.shutdown().await;
    assert!(
        applier.apply(&desired).await.unwrap().was_sent(),
        "a stopped informer follows nothing"
    );
}

#[tokio::test(start_paused = true)]
async fn overlapping_applies_are_both_sent() {
    let server = ApiServer::new();
    let (informer, applier) = applier(&server).await;
    for n in 0..10 {
        let (one, two) = (deployment(2 * n, "1"), deployment(2 * n + 1, "1"));
        let (a, b) = join(applier.apply(&one), applier.apply(&two)).await;
        assert!(a.unwrap().was_sent() && b.unwrap().was_sent());
        caught_up(&server, &informer).await;
        let api = Api::<Deployment>::namespaced(server.client(), "shop");
        let last = api.get("web").await.unwrap().spec.unwrap().replicas;
        let (last, other) = if last == Some(2 * n) { (&one, &two) } else { (&two, &one) };
        assert!(!applier.apply(last).await.unwrap().was_sent());
        assert!(applier.apply(other).await.unwrap().was_sent());
        caught_up(&server, &informer).await;
    }
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn lost_answer_leaves_nothing_recorded() {
    let server = ApiServer::new();
    let faults = Faults::new();
    let informer = synced(server.client()).await;
    let client = faults.client(server.client());
    let applier = Applier::builder(client, &informer, "site").build().unwrap();
    let (old, mut new) = (deployment(3, "1"), deployment(3, "1"));
    settle(&server, &informer, &applier, &old).await;
    new.metadata.annotations = Some([("more".into(), "x".into())].into());
    let lost = faults.inject(Requests::others(), Injection::lose_answer());
    assert!(timeout(5 * S, applier.apply(&new)).await.is_err());
    lost.remove();
    // The server has the annotation, but the cache shows every field of the old configuration.
    assert_eq!(settle(&server, &informer, &applier, &old).await, 1);
    let api = Api::<Deployment>::namespaced(server.client(), "shop");
    assert_eq!(api.get("web").await.unwrap().metadata.annotations, None);
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn named_version_is_asked_of_the_server() {
    let server = ApiServer::new();
    let (informer, applier) = applier(&server).await;
    let mut desired = deployment(3, "1");
    let made = applier.apply(&desired).await.unwrap();
    desired.metadata.resource_version = made.object().metadata.resource_version.clone();
    for _ in 0..3 {
        caught_up(&server, &informer).await;
        assert!(applier.apply(&desired).await.unwrap().was_sent());
    }
    patch(&server, "kubectl", "", json!({"metadata": {"labels": {"theirs": "x"}}})).await;
    let refused = applier.apply(&desired).await.unwrap_err();
    let ApplyError::Request { source: kube::Error::Api(status), .. } = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(status.code, 409);
    informer.shutdown().await;
}

/// A value that another manager took and set back is ours only by name.
#[tokio::test(start_paused = true)]
async fn lost_ownership_shows_where_managed_fields_are_kept() {
    let server = ApiServer::new();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let kept = InformerSpec::<Deployment>::new().managed_fields_of("site");
    let informer = factory.informer_with(kept).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(S).await.unwrap();
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    let desired = deployment(3, "1");
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    assert_eq!(informer.status().storage.unwrap().objects, 1, "it is packed");
    for replicas in [5, 3] {
        patch(&server, "kubectl", "", json!({"spec": {"replicas": replicas}})).await;
    }
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    // All entries of the manager are gone.
    patch(&server, "kubectl", "", json!({"metadata": {"managedFields": [{}]}})).await;
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    patch(&server, "kubectl", "", json!({"metadata": {"labels": {"theirs": "x"}}})).await;
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 0);
    factory.shutdown().await;
}

/// Protobuf in the cache, JSON in the answers, packed or not.
#[tokio::test(start_paused = true)]
async fn packed_objects_are_compared() {
    let server = ApiServer::new();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let packed = InformerSpec::<Deployment>::new().storage(kube_informer::Storage::compact());
    let informer = factory.informer_with(packed).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(S).await.unwrap();
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    let desired = deployment(3, "1");
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    patch(&server, "kubectl", "", json!({"metadata": {"labels": {"theirs": "x"}}})).await;
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 0);
    patch(&server, "kubectl", "", json!({"spec": {"replicas": 1}})).await;
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    factory.shutdown().await;
}
