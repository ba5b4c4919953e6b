//! Applies of some fields of an object, and of a status alone.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use kube_controllers::writing::{Applied, Applier, ApplyError};
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::ResourceType;
use kube_informer::{ObjectKey, SharedInformer, SharedInformerFactory};
use serde::Serialize;
use serde_json::{Value, json};

use super::status::{Site, SiteStatus, site};
use super::support::*;
use crate::helpers::{caught_up, synced};

pub(super) fn key() -> ObjectKey {
    ObjectKey::namespaced("shop", "a").unwrap()
}

fn stateful_set() -> StatefulSet {
    serde_json::from_value(json!({
        "metadata": {"name": "a", "namespace": "shop"},
        "spec": {
            "serviceName": "a", "replicas": 2, "selector": {"matchLabels": {"app": "a"}},
            "template": {
                "metadata": {"labels": {"app": "a"}},
                "spec": {"containers": [{"name": "a", "image": "a:1"}]},
            },
        },
    }))
    .unwrap()
}

pub(super) async fn change<K>(client: Client, change: Value)
where
    K: kube::Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>
        + Clone
        + std::fmt::Debug
        + serde::de::DeserializeOwned,
{
    let api = Api::<K>::namespaced(client, "shop");
    api.patch("a", &PatchParams::default(), &Patch::Merge(change)).await.unwrap();
}

/// Applies a value until it is unchanged. Returns how often it was sent.
pub(super) async fn settle<K, V>(
    server: &ApiServer,
    informer: &SharedInformer<K>,
    applier: &Applier<K>,
    value: &V,
) -> usize
where
    K: kube::Resource<DynamicType = ()>
        + Clone
        + serde::de::DeserializeOwned
        + Serialize
        + Send
        + Sync
        + 'static,
    V: Serialize + Sync,
{
    for sent in 0..5 {
        caught_up(server, informer).await;
        if let Applied::Unchanged(_) = applier.apply_partial(&key(), value).await.unwrap() {
            return sent;
        }
    }
    panic!("it is sent again and again");
}

#[tokio::test(start_paused = true)]
async fn one_annotation_of_a_stateful_set_is_owned() {
    #[derive(Serialize)]
    struct Annotated {
        metadata: Annotations,
    }
    #[derive(Serialize)]
    struct Annotations {
        annotations: BTreeMap<&'static str, &'static str>,
    }
    let server = ApiServer::new();
    let informer = synced::<StatefulSet>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    server.create(&stateful_set()).unwrap();
    let value = Annotated { metadata: Annotations { annotations: [("mine", "x")].into() } };
    assert_eq!(settle(&server, &informer, &applier, &value).await, 1);
    let before = writes(&server);
    for _ in 0..100 {
        let at_rest = applier.apply_partial(&key(), &value).await.unwrap();
        assert_eq!(at_rest.object().spec.as_ref().unwrap().replicas, Some(2));
    }
    assert_eq!(writes(&server), before, "nothing is sent at rest");
    for theirs in
        [json!({"metadata": {"annotations": {"theirs": "x"}}}), json!({"spec": {"replicas": 5}})]
    {
        change::<StatefulSet>(server.client(), theirs).await;
        assert_eq!(settle(&server, &informer, &applier, &value).await, 0);
    }
    for mine in [json!({"mine": "y"}), json!({"mine": null})] {
        let theirs = json!({"metadata": {"annotations": mine}});
        change::<StatefulSet>(server.client(), theirs).await;
        assert_eq!(settle(&server, &informer, &applier, &value).await, 1);
    }
    let set = Api::<StatefulSet>::namespaced(server.client(), "shop").get("a").await.unwrap();
    let annotations = set.metadata.annotations.unwrap();
    assert_eq!(annotations.len(), 2);
    assert_eq!((&*annotations["mine"], &*annotations["theirs"]), ("x", "x"));
    assert_eq!(set.spec.unwrap().replicas, Some(5));
    // A field that is no longer wanted is removed.
    assert_eq!(settle(&server, &informer, &applier, &json!({})).await, 1);
    informer.shutdown().await;
}

/// The keys of the element are completed by the server, and its type demands more members.
#[tokio::test(start_paused = true)]
async fn part_of_a_container_is_owned() {
    let server = ApiServer::new();
    let informer = synced::<StatefulSet>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    server.create(&stateful_set()).unwrap();
    let value = json!({"spec": {"template": {"spec": {"containers": [{
        "name": "a", "stdin": false, "ports": [{"containerPort": 80}], "env": [{"name": "A"}],
    }]}}}});
    assert_eq!(settle(&server, &informer, &applier, &value).await, 1);
    assert_eq!(applier.status().hidden_fields, [""; 0]);
    let image = json!({"spec": {"template": {"spec": {"containers": [
        {"name": "a", "image": "a:2", "ports": [{"containerPort": 80, "protocol": "TCP"}]},
    ]}}}});
    change::<StatefulSet>(server.client(), image).await;
    assert_eq!(settle(&server, &informer, &applier, &value).await, 1, "the variable is gone");
    let set = Api::<StatefulSet>::namespaced(server.client(), "shop").get("a").await.unwrap();
    let container = &set.spec.unwrap().template.spec.unwrap().containers[0];
    assert_eq!(container.image.as_deref(), Some("a:2"));
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn one_field_of_a_custom_resource_is_owned() {
    let server = ApiServer::new();
    server.register(ResourceType::of::<Site>());
    let informer = synced::<Site>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    let made = server.create(&site(3)).unwrap();
    let value = json!({"metadata": {"uid": made.metadata.uid}, "spec": {"title": "A"}});
    assert_eq!(settle(&server, &informer, &applier, &value).await, 1);
    change::<Site>(server.client(), json!({"spec": {"pages": 4}})).await;
    assert_eq!(settle(&server, &informer, &applier, &value).await, 0);
    server.delete(&made).unwrap();
    caught_up(&server, &informer).await;
    let refused = applier.apply_partial(&key(), &value).await.unwrap_err();
    let ApplyError::Request { source: kube::Error::Api(status), .. } = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(status.code, 409, "it is not created");
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn value_of_another_object_is_refused() {
    let server = ApiServer::new();
    let informer = synced::<ConfigMap>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").build().unwrap();
    for (value, field) in [
        (json!({"apiVersion": "v2"}), "apiVersion"),
        (json!({"kind": "Secret"}), "kind"),
        (json!({"kind": 7}), "kind"),
        (json!({"metadata": {"name": "b"}}), "metadata.name"),
        (json!({"metadata": {"namespace": "bank"}}), "metadata.namespace"),
        (json!({"metadata": "x"}), "metadata"),
        (json!({"status": {}}), "status"),
        (json!([{"op": "add"}]), "the value"),
        (json!("x"), "the value"),
    ] {
        let refused = applier.apply_partial(&key(), &value).await.unwrap_err();
        let ApplyError::InvalidMember { field: found, .. } = &refused else {
            panic!("{value}: {refused:?}")
        };
        assert_eq!(*found, field, "{value}");
    }
    let refused = applier.apply_partial(&key(), json!({"kind": "Secret"})).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "configmaps a in shop cannot be applied: kind is \"Secret\", but that of the object is \
         \"ConfigMap\""
    );
    // Keys that are not texts cannot be written as JSON.
    let unwritable = BTreeMap::from([([1], 1)]);
    let refused = applier.apply_partial(&key(), unwritable).await.unwrap_err();
    assert!(matches!(refused, ApplyError::Unserializable { .. }), "{refused:?}");

    let nodes = synced::<Node>(server.client()).await;
    let of_nodes = Applier::builder(server.client(), &nodes, "site").build().unwrap();
    let refused = of_nodes.apply_partial(&key(), json!({})).await.unwrap_err();
    assert!(matches!(refused, ApplyError::InvalidMember { .. }), "{refused:?}");

    let resource = ApiResource::erase::<ConfigMap>(&());
    let factory = SharedInformerFactory::builder(server.client()).build();
    let maps = factory.dynamic(&resource);
    let dynamic = Applier::builder_with(server.client(), &maps, "site", &resource).build().unwrap();
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "shop"},
    });
    let secret: DynamicObject = serde_json::from_value(secret).unwrap();
    let refused = dynamic.apply(&secret).await.unwrap_err();
    assert!(matches!(refused, ApplyError::InvalidMember { field: "kind", .. }), "{refused:?}");
    assert_eq!(writes(&server), 0);
    // A value may say what the applier knows.
    let value = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "shop"},
        "status": null, "data": {"a": "b"},
    });
    assert!(applier.apply_partial(&key(), value).await.unwrap().was_sent());
    informer.shutdown().await;
    nodes.shutdown().await;
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn field_that_the_type_loses_is_told() {
    let server = ApiServer::new();
    server.register(ResourceType::of::<Site>());
    let informer = synced::<Site>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").build().unwrap();
    server.create(&site(3)).unwrap();
    let value = json!({"spec": {"unknown": "x"}});
    let refused = applier.apply_partial(&key(), value).await.unwrap_err();
    let ApplyError::Projected { field, .. } = &refused else { panic!("{refused:?}") };
    assert_eq!(field, ".spec.unknown");
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn status_is_applied_to_the_object_that_was_read() {
    let server = ApiServer::new();
    server.register(ResourceType::of::<Site>());
    let informer = synced::<Site>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    let made = server.create(&site(3)).unwrap();
    let status = || SiteStatus { published: Some(1), ..SiteStatus::default() };
    caught_up(&server, &informer).await;
    let answer = applier.apply_status_of(&made, status()).await.unwrap();
    assert!(answer.was_sent());
    assert_eq!(answer.object().status, Some(status()));
    for _ in 0..3 {
        caught_up(&server, &informer).await;
        let read = informer.lister().namespace("shop").get("a").unwrap();
        assert!(!applier.apply_status_of(&read, status()).await.unwrap().was_sent());
    }
    // Some members are enough.
    let published = json!({"published": 2});
    let answer = applier.apply_status_of(&made, &published).await.unwrap();
    assert_eq!(answer.object().status.as_ref().unwrap().published, Some(2));
    informer.shutdown().await;
}
