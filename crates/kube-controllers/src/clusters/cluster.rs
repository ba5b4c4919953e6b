//! A cluster that has joined.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kube::{Client, Resource};
use tokio_util::sync::CancellationToken;

use crate::basics::Mutex;
use crate::controller::{
    Action, AnyController, BoxError, Controller, ControllerError, ControllerHandle, Election,
    ReconcileRequest, run_elected,
};
use crate::leader_election::WorkScope;
use kube_informer::factory::SharedInformerFactory;
use kube_informer::seams::{SafeDrop, VecMap};

/// A cluster that has joined: its name, client and factory. Clones are cheap.
///
/// It serves as the context of a cluster's controllers, whose requests then carry the cluster.
#[derive(Clone)]
pub struct Cluster(Arc<Parts>);

struct Parts {
    name: Arc<str>,
    client: Client,
    factory: SharedInformerFactory,
    /// The scope of all that runs for the cluster.
    scope: WorkScope,
    /// The controllers that run, in the order in which they began.
    controllers: Mutex<VecMap<u64, ControllerHandle>>,
    begun: AtomicU64,
}

impl Cluster {
    pub(super) fn new(
        name: Arc<str>,
        client: Client,
        factory: SharedInformerFactory,
        scope: WorkScope,
    ) -> Self {
        let (controllers, begun) = Default::default();
        Self(Arc::new(Parts { name, client, factory, scope, controllers, begun }))
    }

    /// Returns the name that the provider gave.
    pub fn name(&self) -> &Arc<str> {
        &self.0.name
    }

    /// Returns the cluster's client.
    pub fn client(&self) -> &Client {
        &self.0.client
    }

    /// Returns the cluster's factory. It is shut down when the cluster leaves.
    pub fn factory(&self) -> &SharedInformerFactory {
        &self.0.factory
    }

    /// Returns the token that is cancelled when the cluster leaves, and when its function has
    /// failed.
    pub fn stop(&self) -> &CancellationToken {
        self.0.scope.token()
    }

    /// Runs a controller until the cluster leaves. Meanwhile its status is part of the cluster's.
    ///
    /// Its name is a label of metrics, so it should contain the cluster's. With
    /// [sharding](super::ClustersBuilder::sharded), or while a manager's replica leads, a reconcile
    /// is part of the work that must end before another replica takes over.
    ///
    /// # Errors
    /// The errors of [`Controller::run`].
    pub async fn run<K, C, F, Fut, E>(
        &self,
        controller: Controller<K, C>,
        reconcile: F,
    ) -> Result<(), ControllerError>
    where
        K: Resource + Send + Sync + 'static,
        C: Send + Sync + 'static,
        F: Fn(ReconcileRequest<K, C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let (controller, election) = controller.with_reconcile(reconcile);
        // Dropped last: values that the user's functions captured may panic when dropped.
        let _held = SafeDrop::new(controller.clone());
        self.run_any(controller, election).await
    }

    async fn run_any(
        &self,
        controller: Arc<dyn AnyController>,
        election: Option<Election>,
    ) -> Result<(), ControllerError> {
        let _shown = Shown::new(self, controller.handle());
        if let Some(mut election) = election {
            election.elector.work_within(&self.0.scope);
            let running = run_elected(controller.clone(), election, self.stop().child_token());
            // The cluster waits until the elector has released the lease.
            let ended = self.0.scope.track(running).await;
            return ended.unwrap_or_else(|| controller.unfinished());
        }
        let _ends = controller.stop_guard();
        if controller.sync(self.stop()).await? {
            controller.work(self.0.scope.clone()).await?;
        }
        Ok(())
    }

    pub(super) fn scope(&self) -> &WorkScope {
        &self.0.scope
    }

    pub(super) fn controllers(&self) -> Vec<ControllerHandle> {
        self.0.controllers.lock().values().cloned().collect()
    }
}

/// The place of a controller in the status of its cluster, until it is dropped.
struct Shown<'a> {
    cluster: &'a Cluster,
    number: u64,
}

impl<'a> Shown<'a> {
    fn new(cluster: &'a Cluster, controller: ControllerHandle) -> Self {
        let number = cluster.0.begun.fetch_add(1, Ordering::Relaxed);
        cluster.0.controllers.lock().insert(number, controller);
        Self { cluster, number }
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        let ended = self.cluster.0.controllers.lock().remove(&self.number);
        drop(ended);
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("name", &self.0.name).finish_non_exhaustive()
    }
}
