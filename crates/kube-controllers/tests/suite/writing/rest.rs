//! A controller at rest sends nothing but what keeps its lease and its watches.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube_controllers::leader_election::LeaderElector;
use kube_controllers::writing::Applier;
use kube_controllers::{Action, Controller};
use kube_informer::SharedInformerFactory;
use kube_informer::testing::ApiServer;
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::support::*;
use crate::helpers::{S, spawn};

/// Sorts a request: a renewal, the opening of a watch, or something else.
fn kind_of(request: &kube_informer::testing::api_server::RequestInfo) -> String {
    if request.target.contains("/leases/") {
        return "lease".to_owned();
    }
    if request.watch {
        return "watch".to_owned();
    }
    format!("{} {}", request.method, request.target)
}

/// A deployment for each site, its status in the site, for an hour; reconciled each minute.
#[tokio::test(start_paused = true)]
async fn hour_at_rest_has_only_lease_renewals_and_watches() {
    let server = ApiServer::new();
    let client = server.client();
    let factory = SharedInformerFactory::builder(client.clone()).build();
    let sites = factory.informer::<ConfigMap>();
    let deployments = factory.informer::<Deployment>();
    let namespaces = factory.informer::<Namespace>();
    let children = Applier::builder(client.clone(), &deployments, "site").force(true);
    let children = children.build().unwrap();
    let statuses = Applier::builder(client.clone(), &namespaces, "site").force(true);
    let statuses = statuses.build().unwrap();
    for n in 0..5 {
        let site = json!({"metadata": {"name": format!("site-{n}"), "namespace": "shop"}});
        server.create(&serde_json::from_value::<ConfigMap>(site).unwrap()).unwrap();
        let namespace = json!({"metadata": {"name": format!("site-{n}")}});
        server.create(&serde_json::from_value::<Namespace>(namespace).unwrap()).unwrap();
    }
    let elector = LeaderElector::builder(client, "shop", "sites").identity("r0").build().unwrap();
    let controller = Controller::builder("sites", &sites)
        .owns(&deployments)
        .concurrency(3)
        .leader_election(elector)
        .build();
    let stop = CancellationToken::new();
    let reconciles = Arc::new(AtomicUsize::new(0));
    let run = {
        let (stop, reconciles) = (stop.clone(), reconciles.clone());
        spawn(controller.run(stop, move |request| {
            let (children, statuses) = (children.clone(), statuses.clone());
            reconciles.fetch_add(1, Ordering::Relaxed);
            async move {
                let Some(site) = request.object.present() else { return Ok(Action::done()) };
                let name = site.metadata.name.clone();
                let mut child = deployment(3, "1");
                child.metadata.name.clone_from(&name);
                let child = children.apply_owned(&*site, child).await?;
                let mut namespace = Namespace::default();
                namespace.metadata.name = name;
                let generation = child.object().metadata.generation.unwrap_or_default();
                let condition = json!({
                    "type": "SiteApplied", "status": "True", "message": generation.to_string(),
                });
                let status = json!({ "conditions": [condition] });
                namespace.status = serde_json::from_value(status).expect("it is a status");
                statuses.apply_status(&namespace).await?;
                let minute = std::time::Duration::from_secs(60);
                Ok::<_, kube_controllers::writing::ApplyError>(Action::requeue_after(minute))
            }
        }))
    };
    sleep(60 * S).await;
    let (before, calls) = (server.requests().len(), reconciles.load(Ordering::Relaxed));
    assert!(writes(&server) >= 10);
    sleep(3600 * S).await;
    let mut counts = BTreeMap::new();
    for request in &server.requests()[before..] {
        *counts.entry(kind_of(request)).or_insert(0) += 1;
    }
    assert!(reconciles.load(Ordering::Relaxed) - calls >= 5 * 59, "it went on all the time");
    assert_eq!(counts.keys().collect::<Vec<_>>(), ["lease", "watch"], "{counts:?}");
    stop.cancel();
    run.await.unwrap().unwrap();
    factory.shutdown().await;
}
