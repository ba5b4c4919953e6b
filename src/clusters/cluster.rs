//! A cluster that has joined.

use std::fmt;
use std::sync::Arc;

use kube::{Client, Resource};
use tokio_util::sync::CancellationToken;

use crate::controller::{
    Action, AnyController, BoxError, Controller, ControllerError, ControllerHandle, Election,
    ReconcileRequest, run_elected,
};
use crate::factory::SharedInformerFactory;
use crate::leader_election::WorkScope;
use crate::panic::SafeDrop;
use crate::sync::Mutex;

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
    controllers: Mutex<Vec<ControllerHandle>>,
}

impl Cluster {
    pub(super) fn new(
        name: Arc<str>,
        client: Client,
        factory: SharedInformerFactory,
        scope: WorkScope,
    ) -> Self {
        Self(Arc::new(Parts { name, client, factory, scope, controllers: Mutex::default() }))
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

    /// Runs a controller until the cluster leaves. Its status is part of the cluster's.
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
        self.0.controllers.lock().push(controller.handle());
        if let Some(election) = election {
            return run_elected(controller, election, self.stop().child_token()).await;
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
        self.0.controllers.lock().clone()
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("name", &self.0.name).finish_non_exhaustive()
    }
}
