//! The status of a manager, and the state behind it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join;
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::Instant;

use super::ManagerError;
use super::additions::Additions;
use super::clusters::FollowedClusters;
use super::informers::{Informers, shutdown_all};
use super::names::check_names;
use super::parts::ManagerParts;
use crate::basics::Mutex;
use crate::basics::seconds;
use crate::clusters::ClusterStatus;
use crate::controller::{ControllerHandle, ControllerStatus};
use crate::leader_election::{LeaderElector, LeadershipState, WorkScope};
use crate::sharding::Sharding;
use kube_informer::factory::FactoryStatus;
use kube_informer::informer::SharedInformer;
use kube_informer::seams::VecMap;

/// The status of a manager and of all its parts, at one moment. It never contains the contents of
/// objects.
///
/// It can be served as it is. Durations serialise as seconds.
///
/// ```
/// use kube_controllers::manager::{ManagerPhase, ManagerStatus};
///
/// fn line(status: &ManagerStatus) -> String {
///     let leads = status.leadership.as_ref().is_none_or(|state| state.is_leader);
///     match status.phase {
///         ManagerPhase::Running if leads => "works".into(),
///         ManagerPhase::Running => "stands by".into(),
///         phase => format!("{phase:?} for {:.0?}", status.phase_age),
///     }
/// }
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ManagerStatus {
    /// The current phase of its life.
    pub phase: ManagerPhase,
    /// The time since it entered this phase.
    #[serde(with = "seconds")]
    pub phase_age: Duration,
    /// The state of the election; `None` without leader election.
    pub leadership: Option<LeadershipState>,
    /// The status of every controller, in the order in which they were added.
    pub controllers: Vec<ControllerStatus>,
    /// The status of every cluster, by the name of the task that
    /// [follows](super::ManagerBuilder::clusters) it.
    pub clusters: BTreeMap<Arc<str>, Vec<ClusterStatus>>,
    /// The status of every task, sorted by name.
    pub tasks: Vec<TaskStatus>,
    /// The status of the webhooks; `None` without webhooks.
    #[cfg(feature = "webhooks")]
    pub webhooks: Option<kube_webhooks::WebhooksStatus>,
    /// The status of the factory's informers, and of the others that controllers follow.
    pub factory: FactoryStatus,
}

/// The phases in a manager's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ManagerPhase {
    /// The manager was not run yet.
    Idle,
    /// The manager waits until the informers have synced.
    Syncing,
    /// Controllers and tasks run. Some of them wait for leadership if there is an election.
    Running,
    /// Controllers and tasks were told to end.
    Stopping,
    /// The manager has ended, or was dropped.
    Stopped,
}

/// The status of one task.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct TaskStatus {
    /// The name of the task.
    pub name: Arc<str>,
    /// True if it runs only while this replica leads.
    pub while_leading: bool,
    /// Its state.
    pub state: TaskState,
}

/// The states of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskState {
    /// It has not begun: the informers have not synced, or this replica does not lead.
    Waiting,
    /// It runs, or work that it tracks does.
    Running,
    /// It returned `Ok`, and its tracked work has ended.
    Ended,
    /// It returned an error or panicked, and its tracked work has ended.
    Failed,
    /// It was dropped before it had ended, or work that it tracked was.
    Dropped,
}

/// The addresses where endpoints are served. An address that was set with port 0 has the port that
/// the system chose.
#[cfg(feature = "serve")]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Addresses {
    /// The address of `/livez`, `/healthz` and `/readyz`.
    pub health: std::net::SocketAddr,
    /// The address of `/metrics`, `/status` and the page.
    pub metrics: std::net::SocketAddr,
}

/// A handle on a manager that runs in another task. Clones are cheap.
#[derive(Clone)]
pub struct ManagerHandle(pub(crate) Arc<ManagerState>);

impl ManagerHandle {
    /// Returns the status at this moment. O(informers + handlers + keys being reconciled).
    pub fn status(&self) -> ManagerStatus {
        self.0.read()
    }

    /// Returns the addresses where the endpoints are served; `None` before they are bound, and
    /// without [`serve`](super::ManagerBuilder::serve).
    #[cfg(feature = "serve")]
    pub fn addresses(&self) -> Option<Addresses> {
        self.0.addresses.lock().clone()
    }
}

impl fmt::Debug for ManagerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagerHandle").field("phase", &self.0.phase().0).finish_non_exhaustive()
    }
}

/// The kind of a part that runs in a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Controller,
    Task { while_leading: bool },
    Election,
}

/// The state that a manager, its tasks and its handles share.
pub(crate) struct ManagerState {
    pub(super) informers: Informers,
    controllers: Mutex<Vec<ControllerHandle>>,
    /// The controllers that were added at run time.
    pub(super) additions: Additions,
    clusters: FollowedClusters,
    #[cfg(feature = "webhooks")]
    pub(super) webhooks: Option<kube_webhooks::Webhooks>,
    leadership: Option<watch::Receiver<LeadershipState>>,
    phase: Mutex<(ManagerPhase, Instant)>,
    parts: Mutex<VecMap<Arc<str>, (Role, TaskState)>>,
    /// The scope of the current term of leadership.
    term: watch::Sender<Option<WorkScope>>,
    #[cfg(feature = "serve")]
    addresses: Mutex<Option<Addresses>>,
}

impl ManagerState {
    pub(super) fn new(
        parts: &ManagerParts,
        informers: Informers,
        tasks: impl Iterator<Item = (Arc<str>, Role)>,
    ) -> Self {
        let controllers = parts.controllers().map(|controller| controller.handle());
        let waiting = tasks.map(|(name, role)| (name, (role, TaskState::Waiting))).collect();
        Self {
            informers,
            controllers: Mutex::new(controllers.collect()),
            additions: Additions::default(),
            clusters: parts.clusters.clone(),
            #[cfg(feature = "webhooks")]
            webhooks: parts.webhooks.clone(),
            leadership: parts.elector.as_ref().map(LeaderElector::leadership),
            phase: Mutex::new((ManagerPhase::Idle, Instant::now())),
            parts: Mutex::new(waiting),
            term: watch::Sender::new(None),
            #[cfg(feature = "serve")]
            addresses: Mutex::new(None),
        }
    }

    pub(super) fn enter(&self, phase: ManagerPhase) {
        let mut current = self.phase.lock();
        if current.0 != phase {
            *current = (phase, Instant::now());
        }
    }

    /// Returns the phase, and the time at which it began.
    pub(crate) fn phase(&self) -> (ManagerPhase, Instant) {
        *self.phase.lock()
    }

    /// Notes the scope of a term of leadership, or its end.
    pub(super) fn set_term(&self, scope: Option<WorkScope>) {
        self.term.send_replace(scope);
    }

    /// Returns a receiver of the scope of the current term.
    pub(super) fn terms(&self) -> watch::Receiver<Option<WorkScope>> {
        self.term.subscribe()
    }

    /// Returns whether controllers wait for leadership.
    pub(super) fn has_election(&self) -> bool {
        self.leadership.is_some()
    }

    /// Shows a controller that was added.
    ///
    /// # Errors
    /// The name is empty or used.
    pub(super) fn show(&self, controller: ControllerHandle) -> Result<(), ManagerError> {
        let (controllers, name) = (self.controllers(), controller.name().clone());
        let parts: Vec<_> = self.parts.lock().keys().cloned().collect();
        let used = controllers.iter().map(ControllerHandle::name).chain(&parts);
        check_names(used.filter(|other| **other == name).take(1).chain([&name]))?;
        self.controllers.lock().push(controller);
        Ok(())
    }

    /// Shows a controller no more.
    pub(super) fn hide(&self, name: &str) {
        let mut controllers = self.controllers.lock();
        let hidden: Vec<_> = controllers.extract_if(.., |one| &**one.name() == name).collect();
        drop(controllers);
        self.parts.lock().remove(name);
        drop(hidden);
    }

    fn controllers(&self) -> Vec<ControllerHandle> {
        self.controllers.lock().clone()
    }

    /// Returns the informers that controllers follow beside those that the manager was built with.
    fn added_informers(&self) -> Vec<SharedInformer> {
        let mut added = self.additions.informers();
        self.controllers().iter().for_each(|controller| added.extend(controller.added()));
        added
    }

    /// Stops every informer, and waits until no task of them is left. The first poll stops them.
    pub(super) async fn shutdown_informers(&self) {
        let added = self.added_informers();
        join(self.informers.shutdown(), shutdown_all(&added)).await;
    }

    /// Returns the shardings of its clusters, and of the controllers that were added.
    pub(super) fn shardings(&self) -> Vec<Sharding> {
        let shardings = self.additions.shardings();
        shardings.into_iter().chain(self.clusters.shardings()).collect()
    }

    /// Returns the scope of the current term if its work goes on.
    pub(super) fn blocked_term(&self) -> Option<WorkScope> {
        self.term.borrow().clone().filter(|scope| scope.tracked() > 0)
    }

    /// Returns the time since the lease of the current term has expired, if it has.
    #[cfg(feature = "serve")]
    pub(crate) fn term_overdue(&self) -> Option<Duration> {
        let end = self.term.borrow().as_ref().and_then(WorkScope::deadline)?;
        Instant::now().checked_duration_since(end).filter(|overdue| !overdue.is_zero())
    }

    /// Notes that a part runs. The guard notes its end.
    pub(super) fn begin(self: &Arc<Self>, name: Arc<str>, role: Role) -> PartGuard {
        self.parts.lock().insert(name.clone(), (role, TaskState::Running));
        PartGuard { state: self.clone(), name, end: TaskState::Dropped }
    }

    /// Returns the parts among these that run or were dropped.
    pub(super) fn unfinished<'a>(
        &self,
        names: impl Iterator<Item = &'a Arc<str>>,
    ) -> Vec<Arc<str>> {
        let parts = self.parts.lock();
        let is_unfinished = |name: &&Arc<str>| {
            let state = parts.get(*name).map(|(_, state)| *state);
            matches!(state, Some(TaskState::Running | TaskState::Dropped))
        };
        names.filter(is_unfinished).cloned().collect()
    }

    /// Returns the names of the parts that run.
    pub(super) fn running(&self) -> Vec<Arc<str>> {
        let parts = self.parts.lock();
        let found = |election: bool| -> Vec<_> {
            let found = parts.iter().filter(|(_, (role, state))| {
                *state == TaskState::Running && election == (*role == Role::Election)
            });
            found.map(|(name, _)| name.clone()).collect()
        };
        // The election runs as long as the work that it leads. It is named only if nothing else is.
        let names = found(false);
        if names.is_empty() { found(true) } else { names }
    }

    #[cfg(feature = "serve")]
    pub(super) fn set_addresses(&self, addresses: Addresses) {
        *self.addresses.lock() = Some(addresses);
    }

    pub(crate) fn read(&self) -> ManagerStatus {
        let (phase, since) = self.phase();
        let parts = self.parts.lock();
        let tasks = parts.iter().filter_map(|(name, (role, state))| match *role {
            Role::Task { while_leading } => {
                Some(TaskStatus { name: name.clone(), while_leading, state: *state })
            }
            Role::Controller | Role::Election => None,
        });
        let tasks = tasks.collect();
        drop(parts);
        ManagerStatus {
            phase,
            phase_age: since.elapsed(),
            leadership: self.leadership.as_ref().map(|state| state.borrow().clone()),
            controllers: self.controllers().iter().map(ControllerHandle::status).collect(),
            clusters: self.clusters.status(),
            #[cfg(feature = "webhooks")]
            webhooks: self.webhooks.as_ref().map(kube_webhooks::Webhooks::status),
            tasks,
            factory: self.informers.status(self.added_informers()),
        }
    }
}

#[cfg(all(feature = "serve", not(feature = "webhooks")))]
impl ManagerState {
    /// Returns no check: there are no webhooks.
    #[allow(clippy::unused_self, reason = "the method of a program with webhooks")]
    pub(super) fn check_webhooks(&self) -> Option<Result<(), String>> {
        None
    }

    /// Returns false: there are no webhooks.
    #[allow(clippy::unused_self, reason = "the method of a program with webhooks")]
    pub(super) fn converts(&self, _: &str) -> bool {
        false
    }
}

/// A part that runs. It counts as dropped if the guard is dropped before the part has ended.
pub(super) struct PartGuard {
    state: Arc<ManagerState>,
    name: Arc<str>,
    end: TaskState,
}

impl PartGuard {
    /// Notes the state of the part.
    pub(super) fn note(&mut self, state: TaskState) {
        self.end = if state == TaskState::Running { TaskState::Dropped } else { state };
        self.show(state);
    }

    fn show(&self, now: TaskState) {
        if let Some((_, state)) = self.state.parts.lock().get_mut(&self.name) {
            *state = now;
        }
    }
}

impl Drop for PartGuard {
    fn drop(&mut self) {
        self.show(self.end);
    }
}
