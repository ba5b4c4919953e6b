//! Statuses and conditions.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::api::Api;
use kube::{CustomResource, Resource};
use kube_controllers::writing::conditions::{self, NewCondition};
use kube_controllers::writing::{Applier, ApplyError};
use kube_informer::SharedInformerFactory;
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::ResourceType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::support::*;
use crate::helpers::{S, caught_up};

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Site", namespaced, status = "SiteStatus")]
#[kube(derive = "PartialEq")]
pub(super) struct SiteSpec {
    pages: u32,
    title: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub(super) struct SiteStatus {
    pub(super) published: Option<u32>,
    #[serde(default)]
    #[schemars(skip)]
    pub(super) conditions: Vec<Condition>,
}

pub(super) fn site(pages: u32) -> Site {
    let mut site = Site::new("a", SiteSpec { pages, title: None });
    site.meta_mut().namespace = Some("shop".into());
    site
}

/// Applies spec and status of a custom resource, whose type writes null for what is not set.
#[tokio::test(start_paused = true)]
async fn status_is_applied_apart_from_the_object() {
    let server = ApiServer::new();
    server.register(ResourceType::of::<Site>());
    let factory = SharedInformerFactory::builder(server.client()).build();
    let sites = factory.informer::<Site>();
    factory.start().unwrap();
    factory.wait_for_sync(S).await.unwrap();
    let applier = Applier::builder(server.client(), &sites, "site").build().unwrap();
    let caught_up = || async {
        sites.wait_for(&server.revision().into(), S).await.unwrap();
    };

    let missing = applier.apply_status(&site(1)).await.unwrap_err();
    let hint = " (does the kind have the subresource `status`?)";
    assert!(missing.to_string().ends_with(hint), "{missing}");
    let ApplyError::Request { source: kube::Error::Api(status), .. } = missing else {
        panic!("{missing:?}")
    };
    assert_eq!(status.code, 404);

    let mut desired = site(1);
    let made = applier.apply(&desired).await.unwrap();
    assert!(made.was_sent());
    for published in [1, 2] {
        let mut status = SiteStatus { published: Some(published), ..SiteStatus::default() };
        let generation = made.object().metadata.generation;
        let ready = NewCondition::new("Ready", published == 2, "Published").message("of 2");
        conditions::set(&mut status.conditions, ready, generation).unwrap();
        desired.status = Some(status);
        caught_up().await;
        assert!(!applier.apply(&desired).await.unwrap().was_sent(), "the status is no part of it");
        let answer = applier.apply_status(&desired).await.unwrap();
        assert!(answer.was_sent());
        assert_eq!(answer.object().status, desired.status);
        caught_up().await;
        assert!(!applier.apply_status(&desired).await.unwrap().was_sent());
        assert!(!applier.apply(&desired).await.unwrap().was_sent());
    }
    desired.spec.pages = 2;
    assert!(applier.apply(&desired).await.unwrap().was_sent());
    caught_up().await;
    assert!(!applier.apply_status(&desired).await.unwrap().was_sent(), "only the spec changed");
    assert_eq!(applier.status().records, 2);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn foreign_change_of_status_is_put_back() {
    let server = ApiServer::new();
    let (informer, _) = applier(&server).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    let mut desired = deployment(3, "1");
    applier.apply(&desired).await.unwrap();
    desired.status = serde_json::from_value(json!({"replicas": 3, "readyReplicas": 2})).unwrap();
    applier.apply_status(&desired).await.unwrap();
    patch(&server, "other", "/status", json!({"status": {"observedGeneration": 1}})).await;
    caught_up(&server, &informer).await;
    assert!(!applier.apply_status(&desired).await.unwrap().was_sent());
    patch(&server, "other", "/status", json!({"status": {"readyReplicas": 0}})).await;
    caught_up(&server, &informer).await;
    assert!(applier.apply_status(&desired).await.unwrap().was_sent());
    let api = Api::<Deployment>::namespaced(server.client(), "shop");
    let status = api.get("web").await.unwrap().status.unwrap();
    assert_eq!((status.ready_replicas, status.observed_generation), (Some(2), Some(1)));
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn owned_objects_name_their_controller() {
    let server = ApiServer::new();
    let (informer, applier) = applier(&server).await;
    let mut owner: ConfigMap =
        serde_json::from_value(json!({"metadata": {"name": "o", "namespace": "shop"}})).unwrap();
    let refused = applier.apply_owned(&owner, deployment(3, "1")).await.unwrap_err();
    assert!(matches!(refused, ApplyError::Owner(_)), "{refused:?}");
    owner = server.create(&owner).unwrap();
    let made = applier.apply_owned(&owner, deployment(3, "1")).await.unwrap();
    let owners = made.object().metadata.owner_references.clone().unwrap();
    assert_eq!((&*owners[0].name, owners[0].controller), ("o", Some(true)));
    caught_up(&server, &informer).await;
    assert!(!applier.apply_owned(&owner, deployment(3, "1")).await.unwrap().was_sent());
    informer.shutdown().await;
}
