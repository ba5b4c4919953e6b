//! A provider whose clusters a test chooses, and a program that follows them.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube_controllers::clusters::{Cluster, ClusterConfig, ClusterProvider};
use kube_controllers::controller::{BoxError, Presence};
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::testing::seed_by_test;
use parking_lot::Mutex;
use tokio::sync::watch;

type Configs = BTreeMap<Arc<str>, ClusterConfig>;

/// A provider of the clusters that a test names. Clones are one.
#[derive(Clone)]
pub(crate) struct Fleet(Arc<watch::Sender<Configs>>);

impl Fleet {
    pub(crate) fn new() -> Self {
        seed_by_test();
        Self(Arc::new(watch::Sender::new(Configs::new())))
    }

    pub(crate) fn join(&self, name: &str, client: Client) {
        self.add(name, ClusterConfig::of_client("1", client));
    }

    pub(crate) fn add(&self, name: &str, config: ClusterConfig) {
        self.0.send_modify(|fleet| drop(fleet.insert(name.into(), config)));
    }

    pub(crate) fn leave(&self, name: &str) {
        self.0.send_modify(|fleet| drop(fleet.remove(name)));
    }
}

impl ClusterProvider for Fleet {
    fn clusters(&self) -> BoxStream<'static, Configs> {
        let mut fleet = self.0.subscribe();
        fleet.mark_changed();
        let next = |mut fleet: watch::Receiver<Configs>| async move {
            fleet.changed().await.ok()?;
            let now = fleet.borrow_and_update().clone();
            Some((now, fleet))
        };
        stream::unfold(fleet, next).boxed()
    }
}

/// The config maps that reconciles have seen, each with its cluster. Clones are one.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<BTreeSet<String>>>);

impl Seen {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().iter().cloned().collect()
    }

    pub(crate) fn forget(&self, entry: &str) {
        assert!(self.0.lock().remove(entry), "{entry}");
    }

    /// Follows the config maps of a cluster.
    pub(crate) async fn follow(self, cluster: Cluster) -> Result<(), BoxError> {
        let maps = cluster.factory().informer::<ConfigMap>();
        let name = format!("maps@{}", cluster.name());
        let controller = Controller::builder(name, &maps).context(cluster.clone()).build();
        let note = move |request: ReconcileRequest<ConfigMap, Cluster>| {
            let entry = format!("{} in {}", request.key, request.context.name());
            match request.object {
                Presence::Present(_) => drop(self.0.lock().insert(entry)),
                Presence::Gone => drop(self.0.lock().remove(&entry)),
                Presence::Unknown(_) => {}
            }
            async { Ok::<_, Infallible>(Action::done()) }
        };
        Ok(cluster.run(controller, note).await?)
    }
}
