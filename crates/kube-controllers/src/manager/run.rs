//! The life of a manager: bind, sync, work, stop.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, try_join};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::additions::host;
use super::crew::{Crew, FirstError};
use super::diagnosis;
use super::informers::Informers;
use super::parts::{LeadingTask, ManagerParts, ReplicaTask};
use super::signals::Stops;
use super::status::{ManagerState, Role};
use super::{Manager, ManagerError, ManagerPhase};
use crate::controller::{AnyController, StopGuard};
use crate::leader_election::{LeaderElectionError, LeaderElector, Outcome, WorkScope};
use kube_informer::error::BoxError;
use kube_informer::object::ChunkedVec;
use kube_informer::seams::{Together, drop_safely, told_without_credentials};

/// The name of the election among the parts of a manager.
const ELECTION: &str = "leader election";

/// The time that waiting events get to be published at the end.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

/// The name of the informers in an error about a stop that takes too long.
const INFORMERS: &str = "informers";

impl Manager {
    /// Runs until the stop. Boxed here, so that this crate has the code, and a program does not
    /// compile it with each change of its own.
    pub(super) fn run_with(self, stops: Stops) -> BoxFuture<'static, Result<(), ManagerError>> {
        self.live(stops).boxed()
    }

    async fn live(self, stops: Stops) -> Result<(), ManagerError> {
        let state = self.handle.0.clone();
        // Dropped last: the endpoints answer during the stop.
        #[cfg(feature = "serve")]
        let _server = match self.endpoints {
            Some(endpoints) => {
                let (server, addresses) = endpoints.serve(&state).await?;
                state.set_addresses(addresses);
                Some(server)
            }
            None => None,
        };
        let parts = self.parts;
        let _ends = EndGuard::new(&state, &parts);
        // Held to the end: values that the user's functions captured may panic when dropped.
        let controllers: ChunkedVec<_> = parts.controllers().cloned().collect();
        let (grace, stopping) = (parts.grace, CancellationToken::new());
        let waits = parts.elector.as_ref().is_some_and(|elector| !elector.abandons_blocked());
        let (first, in_term) = (FirstError::default(), Arc::new(FirstError::default()));
        let overdue = async {
            stopping.cancelled().await;
            sleep(grace).await;
        };
        let at_once = stops.at_once.clone();
        tokio::select! {
            biased;
            () = at_once.cancelled() => {
                return Err(ManagerError::Interrupted { names: state.running() });
            }
            () = parts.live(&state, &controllers, stops.graceful, &stopping, &first, &in_term) => {
                return first.take();
            }
            () = overdue => {
                let mut names = state.running();
                if names.is_empty() {
                    names.push(INFORMERS.into());
                }
                // The election has not ended, so it did not report the failure in its term.
                if let Err(error) = in_term.take() {
                    first.note(error);
                }
                first.note(ManagerError::Unfinished { names, after: grace });
            }
        }
        // The parts are dropped. Returning would end the runtime that renews the lease.
        if let Some(blocked) = state.blocked_term().filter(|_| waits) {
            at_once.run_until_cancelled(blocked.wait_until_idle()).await;
        }
        let built = controllers.iter().filter_map(|controller| controller.sharding()).cloned();
        let mut shardings = state.shardings();
        shardings.extend(built);
        let blocked =
            Together::all(shardings.iter().map(|sharding| sharding.finish_blocked().boxed()));
        at_once.run_until_cancelled(blocked).await;
        first.take()
    }
}

impl ManagerParts {
    /// Runs everything until `stop` is cancelled or a part fails, and ends it in order.
    async fn live(
        self,
        state: &Arc<ManagerState>,
        controllers: &ChunkedVec<Arc<dyn AnyController>>,
        stop: CancellationToken,
        stopping: &CancellationToken,
        first: &FirstError,
        in_term: &Arc<FirstError>,
    ) {
        let [work_stop, task_stop, early_stop]: [CancellationToken; 3] = Default::default();
        let crew = || Crew::new(state.clone());
        let (mut work, mut tasks, mut early) = (crew(), crew(), crew());
        state.enter(ManagerPhase::Syncing);
        spawn_tasks(&mut early, self.early_tasks, &early_stop);
        let limits = (self.sync_timeout, self.needs_kinds);
        let synced = tokio::select! {
            biased;
            () = stop.cancelled() => Ok(false),
            error = early.next_failure() => Err(error),
            synced = sync(&state.informers, controllers, &stop, limits) => synced,
        };
        match synced {
            Err(error) => first.note(error),
            Ok(false) => {}
            Ok(true) => {
                state.enter(ManagerPhase::Running);
                for controller in self.always {
                    let name = controller.name().clone();
                    let working = reconcile(controller, WorkScope::new(work_stop.child_token()));
                    work.spawn(&name, Role::Controller, working.boxed());
                }
                spawn_tasks(&mut tasks, self.tasks, &task_stop);
                let team = Arc::new(Team {
                    state: state.clone(),
                    controllers: self.leading,
                    tasks: self.leading_tasks,
                    first: in_term.clone(),
                    has_failed: AtomicBool::new(false),
                });
                if let Some(elector) = self.elector {
                    let leading = lead(team, elector, self.rejoins_election, work_stop.clone());
                    work.spawn(&ELECTION.into(), Role::Election, leading.boxed());
                } else {
                    team.begin(&mut work, &WorkScope::new(work_stop.child_token()));
                    // Values that the user's functions captured may panic.
                    drop_safely(team);
                }
                let informer_ends =
                    controllers.iter().map(|controller| controller.informer_stopped());
                let mut informer_ends = pin!(Together::first(informer_ends));
                let failed = loop {
                    tokio::select! {
                        biased;
                        () = stop.cancelled() => break None,
                        error = work.next_failure() => break Some(error),
                        error = tasks.next_failure() => break Some(error),
                        error = early.next_failure() => break Some(error),
                        error = &mut informer_ends => {
                            break Some(ManagerError::Controller(error));
                        }
                        added = state.additions.next() => {
                            let name = added.name().clone();
                            let hosting = host(state.clone(), added, work_stop.clone());
                            work.spawn(&name, Role::Controller, hosting.boxed());
                        }
                    }
                };
                if let Some(error) = failed {
                    first.note(diagnosis::explain(&state.informers.factory, error).await);
                }
            }
        }
        state.enter(ManagerPhase::Stopping);
        state.additions.close();
        stopping.cancel();
        for (stop, crew) in
            [(work_stop, &mut work), (task_stop, &mut tasks), (early_stop, &mut early)]
        {
            stop.cancel();
            crew.finish(first).await;
        }
        if let Some(events) = self.events
            && !events.flush(FLUSH_TIMEOUT).await
        {
            let waiting = events.status().waiting;
            tracing::warn!(
                waiting,
                "events were not published within {FLUSH_TIMEOUT:?}: the server \
                did not take them, or there were too many"
            );
        }
        state.shutdown_informers().await;
    }
}

fn spawn_tasks(crew: &mut Crew, tasks: Vec<ReplicaTask>, stop: &CancellationToken) {
    for ReplicaTask { name, run } in tasks {
        let (task, scope) = (name.clone(), WorkScope::new(stop.clone()));
        let running = move |within| {
            async move { run(within).await.map_err(|error| task_failed(task, error)) }.boxed()
        };
        crew.spawn_scoped(&scope, &name, Role::Task { while_leading: false }, running);
    }
}

fn task_failed(name: Arc<str>, error: BoxError) -> ManagerError {
    ManagerError::Task { name, source: told_without_credentials(error) }
}

/// Starts all informers, and waits until every controller can begin. Returns false if stopped
/// first.
async fn sync(
    informers: &Informers,
    controllers: &ChunkedVec<Arc<dyn AnyController>>,
    stop: &CancellationToken,
    (limit, needs_kinds): (Duration, bool),
) -> Result<bool, ManagerError> {
    let factory = &informers.factory;
    informers.start().map_err(ManagerError::NotStarted)?;
    let others = async {
        let synced = informers.wait_for_unfollowed(controllers, limit).await;
        synced.map_err(ManagerError::NotSynced)
    };
    let controllers = async {
        let syncs = controllers.iter().map(|controller| controller.sync(stop));
        let (mut syncs, mut begun) = (syncs.collect::<Together<_>>(), true);
        while let Some(synced) = syncs.next().await {
            begun &= synced.map_err(ManagerError::Controller)?;
        }
        Ok(begun)
    };
    let synced = tokio::select! {
        biased;
        synced = try_join(controllers, others) => synced,
        error = diagnosis::hopeless(factory, needs_kinds) => Err(error),
    };
    match synced {
        Ok((begun, ())) => Ok(begun),
        Err(error) => Err(diagnosis::explain(factory, error).await),
    }
}

/// Runs a controller until the scope's token is cancelled.
async fn reconcile(
    controller: Arc<dyn AnyController>,
    scope: WorkScope,
) -> Result<(), ManagerError> {
    controller.work(scope).await.map_err(ManagerError::Controller)
}

/// The controllers and tasks that work in each term of leadership.
struct Team {
    state: Arc<ManagerState>,
    controllers: Vec<Arc<dyn AnyController>>,
    tasks: Vec<LeadingTask>,
    /// The first failure in a term.
    first: Arc<FirstError>,
    /// True if a failure ended a term.
    has_failed: AtomicBool,
}

impl Team {
    /// Begins to work within a scope.
    fn begin(self: &Arc<Self>, crew: &mut Crew, scope: &WorkScope) {
        for controller in &self.controllers {
            let working = reconcile(controller.clone(), scope.clone());
            crew.spawn_in(scope, controller.name(), Role::Controller, working.boxed());
        }
        for (place, task) in self.tasks.iter().enumerate() {
            let team = self.clone();
            let working = move |within| {
                let working = async move {
                    let LeadingTask { name, run } = &team.tasks[place];
                    run(within).await.map_err(|error| task_failed(name.clone(), error))
                };
                working.boxed()
            };
            crew.spawn_scoped(scope, &task.name, Role::Task { while_leading: true }, working);
        }
    }

    /// Works for a term until the scope's token is cancelled, or until a part fails.
    async fn work(self: Arc<Self>, scope: WorkScope) {
        self.state.set_term(Some(scope.clone()));
        let mut crew = Crew::new(self.state.clone());
        self.begin(&mut crew, &scope);
        tokio::select! {
            biased;
            () = scope.token().cancelled() => {}
            error = crew.next_failure() => {
                self.has_failed.store(true, Ordering::Relaxed);
                self.first.note(error);
            }
        }
        scope.token().cancel();
        crew.finish(&self.first).await;
    }

    /// Returns the names of the parts that began and have not ended.
    fn unfinished(&self) -> Vec<Arc<str>> {
        let controllers = self.controllers.iter().map(|controller| controller.name());
        let names = controllers.chain(self.tasks.iter().map(|task| &task.name));
        let added = self.state.additions.names();
        let mut names = self.state.unfinished(names.chain(&added));
        if names.is_empty() {
            names.push(ELECTION.into());
        }
        names.sort_by(Ord::cmp);
        names
    }
}

/// Works in each term in which this replica leads.
async fn lead(
    team: Arc<Team>,
    mut elector: LeaderElector,
    rejoins: bool,
    stop: CancellationToken,
) -> Result<(), ManagerError> {
    loop {
        team.controllers.iter().for_each(|controller| controller.stand_by());
        let workers = team.clone();
        let led = elector.run_scoped(stop.clone(), move |scope| workers.work(scope)).await;
        team.state.set_term(None);
        let failed = team.first.take();
        match led {
            Ok(Outcome::NeverLed | Outcome::Stopped(Some(())) | Outcome::Finished(())) => {
                return failed;
            }
            Ok(Outcome::Stopped(None)) => {
                // The elector dropped the rest because of the failure.
                failed?;
                let names = team.unfinished();
                return Err(ManagerError::Unfinished { names, after: elector.grace() });
            }
            // The failure had ended the term before the lease was lost, or work was abandoned.
            Err(_) if team.has_failed.load(Ordering::Relaxed) => return failed,
            Err(source) => {
                // A task's error is user code.
                drop_safely(failed);
                let lost = matches!(source, LeaderElectionError::Lost { .. });
                // The elector logged the loss. It waits until the lost work has ended.
                if !lost || !rejoins || stop.is_cancelled() {
                    return Err(ManagerError::Leadership { source });
                }
            }
        }
    }
}

/// A guard that ends everything when it is dropped, even if the manager's future was dropped.
struct EndGuard {
    state: Arc<ManagerState>,
    _controllers: Vec<StopGuard>,
}

impl EndGuard {
    fn new(state: &Arc<ManagerState>, parts: &ManagerParts) -> Self {
        Self {
            state: state.clone(),
            _controllers: parts.controllers().map(|controller| controller.stop_guard()).collect(),
        }
    }
}

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.state.enter(ManagerPhase::Stopped);
        // The first poll stops the informers. Nothing waits for their tasks.
        let _ended = self.state.shutdown_informers().now_or_never();
        self.state.additions.clear();
    }
}

/// A guard that takes no more controllers when it is dropped.
pub(super) struct CloseGuard(pub(super) Arc<ManagerState>);

impl Drop for CloseGuard {
    fn drop(&mut self) {
        self.0.enter(ManagerPhase::Stopped);
        self.0.additions.clear();
    }
}
