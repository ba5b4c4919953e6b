//! Options of a manager.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, TryFutureExt};
use kube::Resource;

use super::informers::Informers;
use super::names::check_names;
use super::parts::{LeadingTask, ManagerParts, ReplicaTask};
use super::run::CloseGuard;
#[cfg(feature = "serve")]
use super::serve::Serve;
use super::status::{ManagerHandle, ManagerState, Role};
use super::{Manager, ManagerError};
use crate::controller::{Action, AnyController, BoxError, Controller, ReconcileRequest};
use crate::leader_election::{LeaderElector, WorkScope};
use crate::writing::EventRecorder;
use kube_informer::factory::SharedInformerFactory;

/// Options of a [`Manager`]. The [module](super) documentation shows an example.
#[must_use]
pub struct ManagerBuilder {
    pub(super) parts: ManagerParts,
    #[cfg(feature = "serve")]
    serve: Option<Serve>,
    /// The first mistake; [`build`](Self::build) returns it.
    mistake: Option<ManagerError>,
}

impl ManagerBuilder {
    pub(super) fn new(factory: SharedInformerFactory) -> Self {
        Self {
            parts: ManagerParts::new(factory),
            #[cfg(feature = "serve")]
            serve: None,
            mistake: None,
        }
    }

    /// Adds a controller. With [leader election](Self::leader_election) it reconciles only while
    /// this replica leads.
    ///
    /// Its informers sync before that. When this replica takes over, they first prove that they are
    /// as new as that moment: see [`Controller::run`].
    ///
    /// It may follow informers of other factories, for example of another cluster. The manager
    /// starts, awaits and stops them like its factory's. They are in the status and in `/readyz`.
    pub fn controller<K, C, F, Fut, E>(mut self, controller: Controller<K, C>, reconcile: F) -> Self
    where
        K: Resource + Send + Sync + 'static,
        C: Send + Sync + 'static,
        F: Fn(ReconcileRequest<K, C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let controller = self.without_election(controller, reconcile);
        self.parts.leading.push(controller);
        self
    }

    /// Adds a controller that reconciles whether or not this replica leads.
    pub fn controller_on_every_replica<K, C, F, Fut, E>(
        mut self,
        controller: Controller<K, C>,
        reconcile: F,
    ) -> Self
    where
        K: Resource + Send + Sync + 'static,
        C: Send + Sync + 'static,
        F: Fn(ReconcileRequest<K, C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let controller = self.without_election(controller, reconcile);
        self.parts.always.push(controller);
        self
    }

    /// Adds the reconcile. A controller with an election of its own is a mistake.
    fn without_election<K, C, F, Fut, E>(
        &mut self,
        controller: Controller<K, C>,
        reconcile: F,
    ) -> Arc<dyn AnyController>
    where
        K: Resource + Send + Sync + 'static,
        C: Send + Sync + 'static,
        F: Fn(ReconcileRequest<K, C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let (controller, election) = controller.with_reconcile(reconcile);
        if election.is_some() {
            let controller = controller.name().clone();
            self.mistake.get_or_insert(ManagerError::ControllerElection { controller });
        }
        controller
    }

    /// Adds a task that runs while this replica leads; always, if there is no election. It begins
    /// when the informers have synced.
    ///
    /// The scope's [token](WorkScope::token) tells the task to end. If this replica [stands by
    /// again](Self::rejoins_election) after it lost leadership, the function is called once for
    /// each term.
    ///
    /// A task that returns `Ok` has ended once everything that its scope tracks has ended, too.
    /// Everything else goes on. A task that returns an error or panics ends the manager with that
    /// error.
    ///
    /// The task's own scope lies within the term's, and stays open to the term's end. With or
    /// without an election, a stop waits for the tracked work.
    pub fn task_while_leading<F, Fut, E>(mut self, name: impl Into<Arc<str>>, run: F) -> Self
    where
        F: Fn(WorkScope) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let run = Box::new(move |scope| run(scope).map_err(E::into).boxed());
        self.parts.leading_tasks.push(LeadingTask { name: name.into(), run });
        self
    }

    /// Adds a task that runs whether or not this replica leads. It begins when the informers have
    /// synced, and is told to end after the controllers have ended.
    ///
    /// Its scope has no lease. Otherwise it works like that of a
    /// [task of the leader](Self::task_while_leading), and so do the task's end and its failure.
    pub fn task_on_every_replica<F, Fut, E>(mut self, name: impl Into<Arc<str>>, run: F) -> Self
    where
        F: FnOnce(WorkScope) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        self.parts.tasks.push(ReplicaTask::new(name.into(), run));
        self
    }

    /// Adds a task like [`task_on_every_replica`](Self::task_on_every_replica) that begins before
    /// the informers, and is told to end after all other tasks have ended.
    ///
    /// A server of conversion webhooks must be such a task: the API server calls it to answer the
    /// informers' lists.
    pub fn task_before_sync<F, Fut, E>(mut self, name: impl Into<Arc<str>>, run: F) -> Self
    where
        F: FnOnce(WorkScope) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        self.parts.early_tasks.push(ReplicaTask::new(name.into(), run));
        self
    }

    /// Runs controllers and [tasks](Self::task_while_leading) only while this candidate leads. One
    /// election decides for all of them.
    ///
    /// The manager shortens the elector's grace to four fifths of its own
    /// [grace](Self::grace), so that the lease is released within the grace.
    pub fn leader_election(mut self, elector: LeaderElector) -> Self {
        if self.parts.elector.replace(elector).is_some() {
            self.mistake.get_or_insert(ManagerError::TwoElections);
        }
        self
    }

    /// Sets whether this replica stands by again after it lost leadership. False unless set: the
    /// manager then ends with [`ManagerError::Leadership`], as in client-go. End the process then:
    /// the kubelet starts it again, with nothing left of the old term.
    ///
    /// A term begins with the keys of all stored objects. An object that was deleted while this
    /// replica stood by is not reconciled: clean up with a [finalizer](crate::controller::finalizer).
    pub fn rejoins_election(mut self, rejoins: bool) -> Self {
        self.parts.rejoins_election = rejoins;
        self
    }

    /// Publishes the waiting events of this recorder after everything else has ended, for at most
    /// 5 s within the [grace](Self::grace). Failed events are logged. A later call replaces the
    /// recorder.
    pub fn events(mut self, recorder: EventRecorder) -> Self {
        self.parts.events = Some(recorder);
        self
    }

    /// Sets the time that informers which no controller follows get to sync; 2 minutes unless set.
    /// For the informers of a controller,
    /// [the controller's limit](crate::controller::ControllerBuilder::sync_timeout) counts.
    pub fn sync_timeout(mut self, limit: Duration) -> Self {
        self.parts.sync_timeout = limit;
        self
    }

    /// Sets whether a kind that the server does not serve ends the manager at once, with
    /// [`ManagerError::NotServed`]. False unless set: the manager waits for its definition, for
    /// [`sync_timeout`](Self::sync_timeout) at most.
    ///
    /// Informers of other factories, and those that follow a kind [when it is
    /// served](kube_informer::InformerSpec::when_served), still wait.
    pub fn needs_kinds(mut self, needs: bool) -> Self {
        self.parts.needs_kinds = needs;
        self
    }

    /// Sets the time that everything gets to end after a stop; 25 s unless set, which is less than
    /// the 30 s that a pod has. Parts still running then are dropped, and
    /// [`ManagerError::Unfinished`] names them.
    ///
    /// The manager shortens the grace of a [sharded](
    /// crate::controller::ControllerBuilder::sharded) controller to four fifths of its own. The
    /// rest is for the membership, which then gives the slots back.
    ///
    /// Code that blocks a thread cannot be dropped. For a leader's or a slot's code, `run` waits
    /// beyond the grace, unless the [elector](
    /// crate::leader_election::LeaderElectorBuilder::abandon_blocked_work) or the [sharding](
    /// crate::sharding::ShardingBuilder::abandon_blocked_work) abandons it.
    pub fn grace(mut self, limit: Duration) -> Self {
        self.parts.grace = limit;
        self
    }

    /// Serves health checks, metrics and the status; see [`Serve`].
    #[cfg(feature = "serve")]
    pub fn serve(mut self, serve: Serve) -> Self {
        self.serve = Some(serve);
        self
    }

    /// Builds the manager. With endpoints (feature `serve`), this installs the recorder of metrics
    /// for the whole process.
    ///
    /// # Errors
    /// - [`ManagerError::DuplicateName`] and [`ManagerError::EmptyName`]: names must differ.
    /// - [`ManagerError::TwoElections`] and [`ManagerError::ControllerElection`]: there is at most
    ///   one election.
    /// - [`ManagerError::ShardedController`]: a sharded controller works on every replica.
    /// - [`ManagerError::Route`]: each route has a path of its own that can be reached.
    /// - [`ManagerError::RecorderInstalled`]: the manager cannot serve another recorder's figures.
    pub fn build(mut self) -> Result<Manager, ManagerError> {
        if let Some(mistake) = self.mistake.take() {
            return Err(mistake);
        }
        let mut parts = self.parts;
        let waits = |controller: &&Arc<dyn AnyController>| controller.sharding().is_some();
        if parts.elector.is_some()
            && let Some(controller) = parts.leading.iter().find(waits)
        {
            let controller = controller.name().clone();
            return Err(ManagerError::ShardedController { controller });
        }
        let tasks: Vec<_> = (parts.leading_tasks.iter().map(|task| (&task.name, true)))
            .chain(parts.tasks.iter().chain(&parts.early_tasks).map(|task| (&task.name, false)))
            .collect();
        let names = parts.controllers().map(|controller| controller.name());
        check_names(names.chain(tasks.iter().map(|(name, _)| *name)))?;
        let tasks = tasks
            .into_iter()
            .map(|(name, while_leading)| (name.clone(), Role::Task { while_leading }));
        let informers = Informers::new(parts.factory.clone(), parts.controllers());
        let state = Arc::new(ManagerState::new(&parts, informers, tasks));
        #[cfg(feature = "serve")]
        let endpoints = self.serve.map(Serve::prepare).transpose()?;
        // The release of Leases follows the work, and has the rest of the grace.
        let limit = parts.grace / 5 * 4;
        if let Some(elector) = &mut parts.elector {
            elector.limit_grace(limit);
        }
        // Nothing else holds the controllers yet.
        let controllers = parts.leading.iter_mut().chain(&mut parts.always);
        let sharded = controllers.filter(|controller| controller.sharding().is_some());
        sharded.filter_map(Arc::get_mut).for_each(|controller| controller.limit_grace(limit));
        Ok(Manager {
            _closes: CloseGuard(state.clone()),
            handle: ManagerHandle(state),
            parts,
            #[cfg(feature = "serve")]
            endpoints,
        })
    }
}

/// Builds the manager: see [`ManagerBuilder::build`].
impl TryFrom<ManagerBuilder> for Manager {
    type Error = ManagerError;

    fn try_from(builder: ManagerBuilder) -> Result<Self, ManagerError> {
        builder.build()
    }
}

impl fmt::Debug for ManagerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagerBuilder")
            .field("rejoins_election", &self.parts.rejoins_election)
            .field("sync_timeout", &self.parts.sync_timeout)
            .field("grace", &self.parts.grace)
            .finish_non_exhaustive()
    }
}
