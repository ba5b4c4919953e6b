//! The other half of a controller: from changed objects to reconciled ones.
//!
//! A [`Controller`] follows one informer for the objects it is for, and others for what they depend
//! on; each change puts a key into a [work queue](crate::workqueue), and workers call the user's
//! reconcile with one key at a time. What fails is tried again after a delay that grows. It is
//! level-triggered: a reconcile is told which object, not what happened, and may be called more
//! often than there were changes, but never twice at a time for one object.
//!
//! It reads no more than its informers hold and writes nothing by itself.

mod action;
mod board;
mod builder;
mod error;
mod finalizer;
mod handle;
mod metrics;
mod own_writes;
mod status;
mod triggers;
mod worker;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, TryFutureExt};
use kube::Resource;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

pub use self::action::{Action, Reconciliation};
use self::board::Board;
pub use self::builder::ControllerBuilder;
pub use self::error::{BoxError, ControllerError, LastFailure, ReconcileError};
pub use self::finalizer::{Finalize, FinalizerError, finalizer};
pub use self::handle::ControllerHandle;
use self::own_writes::Seen;
pub use self::own_writes::{OwnWrites, UntraceableWrite};
pub use self::status::{ControllerStatus, Phase};
use self::triggers::Trigger;
pub use self::triggers::{Predicate, generation_changed, version_changed};
use self::worker::{Reconcile, Reconciler};
use crate::informer::{InformerGroup, SyncError};
use crate::leader_election::{LeaderElector, Outcome};
use crate::object::ObjectKey;
use crate::processor::HandlerRegistration;
use crate::workqueue::WorkQueue;

/// Brings the world in line with objects, one reconcile at a time for each.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use k8s_openapi::api::core::v1::{ConfigMap, Secret};
/// use kube_informer::testing::ApiServer;
/// use kube_informer::{Action, Controller, SharedInformerFactory};
/// use tokio_util::sync::CancellationToken;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let (client, stop) = (ApiServer::new().client(), CancellationToken::new());
/// # stop.cancel();
/// let factory = SharedInformerFactory::builder(client).build();
/// let maps = factory.informer::<ConfigMap>();
/// let secrets = factory.informer::<Secret>();
/// let controller = Controller::builder("copier", &maps).owns(&secrets).concurrency(4).build();
///
/// controller
///     .run(stop, |it| async move {
///         match it.object {
///             Some(map) => println!("{} is to be copied", map.metadata.name.as_deref().unwrap_or("?")),
///             None => println!("{} is gone", it.key),
///         }
///         Ok::<_, kube::Error>(Action::done())
///     })
///     .await?;
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// # }
/// ```
#[must_use = "a controller does nothing before it runs"]
pub struct Controller<K> {
    name: Arc<str>,
    objects: InformerGroup<K>,
    triggers: Vec<Box<dyn Trigger>>,
    own_writes: Vec<Box<dyn Seen>>,
    queue: WorkQueue<ObjectKey>,
    board: Arc<Board>,
    limits: Limits,
    elector: Option<LeaderElector>,
}

#[derive(Clone, Debug)]
struct Limits {
    workers: usize,
    timeout: Option<Duration>,
    grace: Duration,
    sync: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let (grace, sync) = (Duration::from_secs(10), Duration::from_secs(120));
        Self { workers: 1, timeout: None, grace, sync }
    }
}

impl<K: Resource + Send + Sync + 'static> Controller<K> {
    /// A controller for the objects of an informer, or of a group of them. `name` is its name in logs, status and metrics.
    pub fn builder(
        name: impl Into<Arc<str>>,
        informers: impl Into<InformerGroup<K>>,
    ) -> ControllerBuilder<K> {
        ControllerBuilder::new(name.into(), informers.into())
    }

    /// A handle that stays when the controller runs.
    pub fn handle(&self) -> ControllerHandle {
        ControllerHandle {
            name: self.name.clone(),
            board: self.board.clone(),
            queue: self.queue.clone(),
        }
    }

    /// Starts the informers that do not run yet, waits until all have synced, and reconciles until
    /// `stop`. Then no further reconcile begins; those that run may go on for the
    /// [grace](ControllerBuilder::grace).
    ///
    /// With [leader election](ControllerBuilder::leader_election) reconciles run only while this
    /// replica leads; its informers are followed all the time, so that it takes over at once.
    ///
    /// A reconcile that answers an error, panics or takes too long is tried again after the delay
    /// that the limiter gives. Dropping the returned future ends everything at once.
    ///
    /// # Errors
    /// [`ControllerError`]: an informer was stopped or did not sync, leadership was lost, or
    /// reconciles did not end.
    pub async fn run<F, Fut, E>(
        self,
        stop: CancellationToken,
        reconcile: F,
    ) -> Result<(), ControllerError>
    where
        F: Fn(Reconciliation<K>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        // Also when the future is dropped.
        let _ending = Ending { queue: self.queue.clone(), board: self.board.clone() };
        self.board.enter(Phase::Syncing);
        let Some(_connected) = stop.run_until_cancelled(self.connect()).await.transpose()? else {
            return Ok(());
        };
        let reconcile = move |it| reconcile(it).map_err(E::into).boxed();
        self.lead(stop, Box::new(reconcile)).await
    }

    /// Works: at once, or while this replica leads.
    async fn lead(
        mut self,
        stop: CancellationToken,
        reconcile: Reconcile<K>,
    ) -> Result<(), ControllerError> {
        let Some(mut elector) = self.elector.take() else {
            return self.work(stop, reconcile).await;
        };
        self.board.enter(Phase::Standby);
        let (controller, board) = (self.name.clone(), self.board.clone());
        match elector.run(stop, move |leading| self.work(leading, reconcile)).await {
            Ok(Outcome::NeverLed) => Ok(()),
            Ok(Outcome::Stopped(Some(ended)) | Outcome::Finished(ended)) => ended,
            // It was dropped: the election's patience was shorter than the grace.
            Ok(Outcome::Stopped(None)) => unfinished(&controller, board.rest()),
            Err(source) => Err(ControllerError::Leadership { controller, source }),
        }
    }

    /// Follows the informers, and waits for them.
    async fn connect(&self) -> Result<Vec<Connected>, ControllerError> {
        let controller = || self.name.clone();
        let mut connected = Vec::with_capacity(self.triggers.len());
        for trigger in &self.triggers {
            let registration = trigger
                .connect(&self.name, &self.queue)
                .map_err(|source| ControllerError::Stopped { controller: controller(), source })?;
            connected.push(Connected(registration));
            trigger.start().map_err(|source| ControllerError::NotStarted {
                controller: controller(),
                source,
            })?;
        }
        let start = Instant::now();
        let mut unsynced = Vec::new();
        for trigger in &self.triggers {
            let left = self.limits.sync.saturating_sub(start.elapsed());
            if let Err(error) = trigger.synced(left).await {
                unsynced.extend(error.unsynced);
            }
        }
        SyncError::unless_none(unsynced, start)
            .map_err(|source| ControllerError::NotSynced { controller: controller(), source })?;
        // Their first objects are in the queue before the first reconcile: priorities count then.
        for Connected(registration) in &connected {
            registration.synced().await;
        }
        Ok(connected)
    }

    async fn work(
        self,
        stop: CancellationToken,
        reconcile: Reconcile<K>,
    ) -> Result<(), ControllerError> {
        self.board.work(self.limits.workers);
        let reconciler = Arc::new(Reconciler {
            name: self.name,
            objects: self.objects,
            own_writes: self.own_writes,
            queue: self.queue,
            board: self.board.clone(),
            timeout: self.limits.timeout,
            stop: stop.clone(),
            reconcile,
        });
        let mut workers = JoinSet::new();
        for number in 0..self.limits.workers {
            workers.spawn(reconciler.clone().work(number));
        }
        stop.cancelled().await;
        let finished = async { while workers.join_next().await.is_some() {} };
        let _ = timeout(self.limits.grace, finished).await;
        workers.shutdown().await;
        let keys = self.board.rest();
        unfinished(&reconciler.name, keys)
    }
}

fn unfinished(controller: &Arc<str>, keys: Vec<ObjectKey>) -> Result<(), ControllerError> {
    if keys.is_empty() {
        return Ok(());
    }
    Err(ControllerError::Unfinished { controller: controller.clone(), keys })
}

/// A handler that goes with the controller.
struct Connected(HandlerRegistration);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.remove();
    }
}

/// The end of a controller, however it comes.
struct Ending {
    queue: WorkQueue<ObjectKey>,
    board: Arc<Board>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.queue.shutdown();
        self.board.rest();
        self.board.enter(Phase::Stopped);
    }
}

impl<K> fmt::Debug for Controller<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("name", &self.name)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
