//! `clusters`: settings of the hub are copied to each cluster.

#[allow(dead_code, reason = "its main, and its scripted life")]
#[path = "../../../../../examples/clusters.rs"]
mod example;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::clusters::{ClusterConfig, ClusterProvider};
use kube_informer::SharedInformerFactory;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};

use self::example::settings;
use super::support::{Running, Said, eventually};

struct Fixed(BTreeMap<Arc<str>, ClusterConfig>);

impl ClusterProvider for Fixed {
    fn clusters(&self) -> BoxStream<'static, BTreeMap<Arc<str>, ClusterConfig>> {
        stream::iter([self.0.clone()]).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn settings_of_the_hub_reach_each_cluster() {
    let (hub, east, west) = (ApiServer::new(), ApiServer::new(), ApiServer::new());
    let hole = Faults::new();
    hole.inject(Requests::all(), Injection::black_hole());
    hub.create(&settings("blue")).unwrap();
    let client = |server: &ApiServer| ClusterConfig::of_client("1", server.client());
    let broken = ClusterConfig::of_client("1", hole.client(west.client()));
    let fleet = [("east", client(&east)), ("hole", broken), ("west", client(&west))];
    let fleet = Fixed(fleet.map(|(name, config)| (name.into(), config)).into());
    let said = Said::default();
    let (factory, say) = (SharedInformerFactory::builder(hub.client()).build(), said.say());
    let running =
        Running::begin(|stop| async move { example::run(&factory, fleet, stop, say).await });
    said.hears(&["east joined"]).await;
    for color in ["blue", "green"] {
        if color == "green" {
            hub.replace(&settings(color)).unwrap();
        }
        for server in [&east, &west] {
            eventually("the copy", || {
                let copies: Vec<ConfigMap> = server.list().unwrap();
                let same = copies.first().is_some_and(|copy| copy.data == settings(color).data);
                async move { same.then_some(()) }
            })
            .await;
        }
    }
    // A copy that was changed or deleted comes back.
    east.delete(&settings("")).unwrap();
    eventually("the copy", || {
        let copies: Vec<ConfigMap> = east.list().unwrap();
        async move { (copies.len() == 1).then_some(()) }
    })
    .await;
    running.end().await;
    said.hears(&["west left"]).await;
}
