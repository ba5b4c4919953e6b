//! The parts of a manager, as they were added to it.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, TryFutureExt};

use super::clusters::FollowedClusters;
use super::rbac::Rbac;
use crate::controller::AnyController;
use crate::leader_election::{LeaderElector, WorkScope};
use crate::writing::EventRecorder;
use kube_informer::error::BoxError;
use kube_informer::factory::SharedInformerFactory;

/// The end of a task.
pub(super) type TaskFuture = BoxFuture<'static, Result<(), BoxError>>;

/// A task that runs in each term in which this replica leads.
pub(super) struct LeadingTask {
    pub(super) name: Arc<str>,
    pub(super) run: Box<dyn Fn(WorkScope) -> TaskFuture + Send + Sync>,
}

/// A task that runs on every replica.
pub(super) struct ReplicaTask {
    pub(super) name: Arc<str>,
    pub(super) run: Box<dyn FnOnce(WorkScope) -> TaskFuture + Send>,
}

/// Everything that a manager runs, and the options of its life.
pub(super) struct ManagerParts {
    pub(super) factory: SharedInformerFactory,
    pub(super) elector: Option<LeaderElector>,
    pub(super) rejoins_election: bool,
    /// The controllers that wait for leadership.
    pub(super) leading: Vec<Arc<dyn AnyController>>,
    /// The controllers that run on every replica.
    pub(super) always: Vec<Arc<dyn AnyController>>,
    pub(super) leading_tasks: Vec<LeadingTask>,
    pub(super) tasks: Vec<ReplicaTask>,
    pub(super) clusters: FollowedClusters,
    /// The tasks that begin before the informers.
    pub(super) early_tasks: Vec<ReplicaTask>,
    #[cfg(feature = "webhooks")]
    pub(super) webhooks: Option<kube_webhooks::Webhooks>,
    /// The recorder whose events are published before the end.
    pub(super) events: Option<EventRecorder>,
    /// The permissions that nothing else here shows.
    pub(super) needs: Rbac,
    pub(super) sync_timeout: Duration,
    /// True if a kind that is not served at the start is an error at once.
    pub(super) needs_kinds: bool,
    pub(super) grace: Duration,
}

impl ManagerParts {
    pub(super) fn new(factory: SharedInformerFactory) -> Self {
        Self {
            factory,
            elector: None,
            rejoins_election: false,
            leading: Vec::new(),
            always: Vec::new(),
            leading_tasks: Vec::new(),
            tasks: Vec::new(),
            clusters: FollowedClusters::default(),
            early_tasks: Vec::new(),
            #[cfg(feature = "webhooks")]
            webhooks: None,
            events: None,
            needs: Rbac::new(),
            sync_timeout: Duration::from_secs(120),
            needs_kinds: false,
            grace: Duration::from_secs(25),
        }
    }

    /// Returns all controllers.
    pub(super) fn controllers(&self) -> impl Iterator<Item = &Arc<dyn AnyController>> {
        self.leading.iter().chain(&self.always)
    }
}

impl ReplicaTask {
    pub(super) fn new<F, Fut, E>(name: Arc<str>, run: F) -> Self
    where
        F: FnOnce(WorkScope) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        Self { name, run: Box::new(move |scope| run(scope).map_err(E::into).boxed()) }
    }
}
