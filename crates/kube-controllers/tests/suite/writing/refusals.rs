//! Types, informers and configurations that cannot be applied.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use kube::api::{ObjectMeta, PartialObjectMeta};
use kube_controllers::writing::{Applier, ApplierError, ApplyError};
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::ResourceType;
use kube_informer::{InformerSpec, SharedInformerFactory};
use serde::{Deserialize, Serialize};

use super::support::*;
use crate::helpers::{S, caught_up, metadata};

#[derive(Clone, Debug, Deserialize, Resource, Serialize)]
#[resource(inherit = ConfigMap)]
struct SlimMap {
    metadata: ObjectMeta,
}

#[tokio::test(start_paused = true)]
async fn informers_that_store_less_are_refused() {
    let server = ApiServer::new();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let spec = InformerSpec::<ConfigMap>::new().transform(|map| map.data = None);
    let transformed = factory.informer_with(spec).unwrap();
    let refused = Applier::builder(server.client(), &transformed, "site").build().unwrap_err();
    assert!(matches!(refused, ApplierError::Transformed { .. }), "{refused}");
    let slim = factory.informer::<SlimMap>();
    let refused = Applier::builder(server.client(), &slim, "site").build().unwrap_err();
    assert!(matches!(refused, ApplierError::Projected { .. }), "{refused}");
    let metadata = factory.informer::<PartialObjectMeta<ConfigMap>>();
    let refused = Applier::builder(server.client(), &metadata, "site").build().unwrap_err();
    assert!(refused.to_string().contains("part of configmaps"), "{refused}");
    let nothing = factory.in_namespaces::<ConfigMap>([] as [&str; 0]);
    let refused = Applier::builder(server.client(), &nothing, "site").build().unwrap_err();
    assert_eq!(refused, ApplierError::NoInformer);
    let maps = factory.informer::<Deployment>();
    for manager in [String::new(), "x".repeat(129)] {
        let refused = Applier::builder(server.client(), &maps, manager).build().unwrap_err();
        assert!(matches!(refused, ApplierError::InvalidManager { .. }), "{refused}");
    }
}

/// A custom resource whose type reads less than it writes.
#[derive(Clone, Debug, Deserialize, Resource, Serialize)]
#[resource(inherit = Gadget)]
#[serde(rename_all = "camelCase")]
struct Forgetful {
    metadata: ObjectMeta,
    spec: ForgetfulSpec,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct ForgetfulSpec {
    #[serde(skip_deserializing)]
    size: u32,
}

#[derive(kube::CustomResource, Clone, Debug, Deserialize, schemars::JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Gadget", namespaced)]
struct GadgetSpec {
    size: u32,
}

#[tokio::test(start_paused = true)]
async fn type_that_loses_fields_is_refused_before_anything_is_sent() {
    let server = ApiServer::new();
    server.register(ResourceType::of::<Gadget>());
    let factory = SharedInformerFactory::builder(server.client()).build();
    let gadgets = factory.informer::<Forgetful>();
    factory.start().unwrap();
    let applier = Applier::builder(server.client(), &gadgets, "site").build().unwrap();
    let metadata = metadata("shop", "a");
    let desired = Forgetful { metadata, spec: ForgetfulSpec { size: 7 } };
    let refused = applier.apply(&desired).await.unwrap_err();
    let ApplyError::Projected { field, .. } = &refused else { panic!("{refused:?}") };
    assert_eq!(field, ".spec.size");
    assert_eq!(writes(&server), 0);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn object_outside_the_informer_is_refused() {
    let server = ApiServer::new();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let spec = InformerSpec::new().namespace("bank");
    let informer = factory.informer_with::<Deployment>(spec).unwrap();
    let applier = Applier::builder(server.client(), &informer, "site").build().unwrap();
    let mut desired = deployment(3, "1");
    let refused = applier.apply(&desired).await.unwrap_err();
    assert!(matches!(refused, ApplyError::NotFollowed { .. }), "{refused:?}");
    assert_eq!(writes(&server), 0);
    desired.metadata.namespace = None;
    let made = applier.apply(&desired).await.unwrap();
    assert_eq!(made.object().metadata.namespace.as_deref(), Some("bank"));
    desired.metadata.name = None;
    let refused = applier.apply(&desired).await.unwrap_err();
    assert!(matches!(refused, ApplyError::NoKey { .. }), "{refused:?}");

    let everywhere = factory.informer::<Deployment>();
    let applier = Applier::builder(server.client(), &everywhere, "site").build().unwrap();
    desired.metadata.name = Some("web".into());
    let refused = applier.apply(&desired).await.unwrap_err();
    assert!(matches!(refused, ApplyError::NoNamespace { .. }), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn object_that_no_selector_selects_is_told() {
    let server = ApiServer::new();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let spec = InformerSpec::<Deployment>::new().labels("app=other");
    let informer = factory.informer_with(spec).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(S).await.unwrap();
    let applier = Applier::builder(server.client(), &informer, "site").build().unwrap();
    let desired = deployment(3, "1");
    assert!(applier.apply(&desired).await.unwrap().was_sent());
    let mut other = deployment(1, "1");
    other.metadata.name = Some("other".into());
    other.metadata.labels = Some([("app".into(), "other".into())].into());
    server.create(&other).unwrap();
    caught_up(&server, &informer).await;
    let error = applier.apply(&desired).await.unwrap_err();
    assert!(matches!(error, ApplyError::NotHeld { .. }), "{error:?}");
    server.delete(&desired).unwrap();
    caught_up_to_bookmark(&server, &informer).await;
    assert!(applier.apply(&desired).await.unwrap().was_sent(), "it was deleted");
    factory.shutdown().await;
}

/// Waits until the cache has reached the revision that a selected object gets now.
async fn caught_up_to_bookmark(
    server: &ApiServer,
    informer: &kube_informer::SharedInformer<Deployment>,
) {
    let mut mark = deployment(1, "1");
    mark.metadata.name = Some("mark".into());
    mark.metadata.labels = Some([("app".into(), "other".into())].into());
    server.create(&mark).unwrap();
    caught_up(server, informer).await;
}
