//! Controllers: a work queue of changed objects, and workers that reconcile them.
//!
//! A [`Controller`] follows one informer, group or set for its own objects, and others for the
//! objects that concern these. Each change puts a key into a [work
//! queue](kube_informer::workqueue). Workers take one key at a time and call the user's reconcile.
//! A key whose reconcile fails is retried after a growing delay.
//!
//! Controllers are level-triggered: a reconcile gets the object, not the change. It may be called
//! more often than there were changes, but never twice at a time for one object.
//!
//! A controller reads its informers' caches, and writes no objects by itself. Four parts send
//! requests: [`tracking_client`] lists an object after a lost answer, [`finalizer`] reads and
//! patches, [`confirm`](ReconcileRequest::confirm) reads, and deletes what it has confirmed if the
//! reconcile asks for it, and leader election writes its Lease.

mod action;
mod adding;
mod admission;
mod assumed;
mod builder;
mod cause;
mod confirm;
mod connections;
mod coverage;
mod deletes;
mod enqueuer;
mod error;
mod error_policy;
mod finalizer;
mod followed;
mod gate;
mod heat;
mod history;
mod membership;
pub mod metrics;
mod own_writes;
mod owner;
mod predicates;
mod presence;
mod reconciler;
mod run;
mod slots;
mod sources;
mod status;
mod streams;
mod supervision;
mod tracking;
mod triggers;
mod view;
mod waiting;
mod worker;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use kube::Resource;
use tokio_util::sync::CancellationToken;

pub use self::action::{Action, Reach, ReconcileRequest};
pub use self::adding::{FollowGuard, Following};
pub use self::assumed::{AssumeError, AssumedSnapshot, AssumedStatus, AssumedView};
pub use self::builder::ControllerBuilder;
use self::cause::Cause;
pub use self::cause::{ChangeKind, Trigger, TriggerCause};
pub use self::confirm::{ConfirmError, Confirmation, Confirmed};
use self::deletes::OwnDeletes;
use self::error::CannotOwn;
pub use self::error::{ControllerError, LastFailure};
use self::error_policy::ErrorRules;
pub use self::error_policy::{FailedTry, Permanent};
pub use self::finalizer::{Finalize, FinalizerError, finalizer};
pub use self::followed::Followed;
use self::gate::SlotGate;
pub use self::heat::HotKey;
pub use self::history::KeyTriggers;
use self::history::TriggerHistory;
use self::own_writes::WriteLog;
#[doc(hidden)]
pub use self::own_writes::current_key;
pub(crate) use self::own_writes::current_won;
pub use self::own_writes::{OwnWrites, UntraceableWrite, WriteRefused, tracking_client};
pub use self::predicates::{
    annotations_changed, generation_changed, labels_changed, version_changed,
};
pub use self::presence::{Presence, UnknownReason};
use self::run::ControlLoop;
pub(crate) use self::run::run_elected;
pub(crate) use self::run::{AnyController, Election, StopGuard};
use self::sources::{Source, Sources};
use self::status::StatusCell;
pub use self::status::{ControllerStatus, Phase};
use self::streams::{AllRequests, KeyStream};
use self::triggers::Predicate;
use self::waiting::{MissingInformers, WaitingKeys};
use crate::leader_election::LeaderElector;
pub use kube_informer::error::BoxError;
use kube_informer::informer::InformerGroup;
use kube_informer::informer::SharedInformer;
use kube_informer::object::ObjectKey;
use kube_informer::seams::SafeDrop;
use kube_informer::workqueue::{Priority, WorkQueue};

/// A loop that reconciles the objects of an informer, one reconcile at a time for each object.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use k8s_openapi::api::core::v1::{ConfigMap, Secret};
/// use kube_informer::testing::ApiServer;
/// use kube_controllers::controller::Presence;
/// use kube_informer::SharedInformerFactory;
/// use kube_controllers::{Action, Controller};
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
///     .run(stop, |request| async move {
///         match request.object {
///             Presence::Present(_) => println!("copy {}", request.key),
///             Presence::Gone => println!("{} is gone", request.key),
///             Presence::Unknown(reason) => println!("{}: {reason}", request.key),
///         }
///         Ok::<_, kube::Error>(Action::done())
///     })
///     .await?;
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// # }
/// ```
#[must_use = "a controller does nothing before it runs"]
pub struct Controller<K, C = ()> {
    parts: ControllerParts,
    context: Arc<C>,
    elector: Option<LeaderElector>,
    rejoins_election: bool,
    kind: PhantomData<fn() -> K>,
}

/// The parts of a controller that last for its whole life.
struct ControllerParts {
    name: Arc<str>,
    /// The kind of its own objects.
    kind: Arc<str>,
    /// Their resource, as kubectl writes it.
    resource: Arc<str>,
    objects: InformerGroup,
    sources: Arc<Sources>,
    /// The sources that work waits for.
    groups: Arc<[Arc<Source>]>,
    /// The filters of its own objects' events.
    predicates: Arc<[Predicate]>,
    writes: Arc<WriteLog>,
    queue: WorkQueue<ObjectKey>,
    status: Arc<StatusCell>,
    history: Arc<TriggerHistory>,
    missing_informers: Arc<MissingInformers>,
    waiting: Arc<WaitingKeys>,
    deletes: OwnDeletes,
    streams: Vec<Arc<KeyStream>>,
    all_requests: AllRequests,
    debounce: Duration,
    errors: ErrorRules,
    /// The slots that this replica works on. `None` if the controller is not sharded.
    slots: Option<Arc<SlotGate>>,
    /// True if the controller has an election of its own.
    elected: bool,
    /// An error that was found when the controller was built.
    cannot_own: Option<CannotOwn>,
    /// The problem of dependents that may be on another replica than their owner.
    scattered_dependents: Option<&'static str>,
    limits: Limits,
    /// Stops the queue and the status when it is dropped.
    _stop_guard: StopGuard,
}

#[derive(Clone, Debug)]
struct Limits {
    workers: usize,
    timeout: Option<Duration>,
    grace: Duration,
    sync: Duration,
    /// The time between two runs of a hot key. Zero if it is not slowed.
    hot_key_delay: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let (grace, sync) = (Duration::from_secs(10), Duration::from_secs(120));
        Self { workers: 1, timeout: None, grace, sync, hot_key_delay: Duration::ZERO }
    }
}

impl<K: Resource + Send + Sync + 'static> Controller<K> {
    /// Returns a builder of a controller for the objects of an informer, a group of informers, or a
    /// set whose informers come and go. Logs, status and metrics call the controller `name`.
    pub fn builder(name: impl Into<Arc<str>>, own: impl Into<Followed<K>>) -> ControllerBuilder<K> {
        ControllerBuilder::new(name.into(), own.into())
    }

    /// Returns a handle that adds and removes what the controller follows, also while it runs.
    ///
    pub fn following(&self) -> Following<K> {
        Following::new(&self.parts)
    }
}

impl<K, C> Controller<K, C> {
    /// Returns a handle that stays usable while the controller runs and after it has ended.
    pub fn handle(&self) -> ControllerHandle {
        self.parts.handle()
    }
}

impl ControllerParts {
    fn handle(&self) -> ControllerHandle {
        ControllerHandle {
            name: self.name.clone(),
            status: self.status.clone(),
            history: self.history.clone(),
            queue: self.queue.clone(),
            all_requests: self.all_requests.clone(),
            sources: self.sources.clone(),
        }
    }
}

impl<K, C> Controller<K, C>
where
    K: Resource + Send + Sync + 'static,
    C: Send + Sync + 'static,
{
    /// Starts the informers that do not run yet, waits for their sync, and reconciles until `stop`
    /// is cancelled. Then no further reconcile begins. Running reconciles may go on for the
    /// [grace](ControllerBuilder::grace).
    ///
    /// Work begins when all informers have synced. In a group, an informer that fails (a forbidden
    /// namespace) does not hold up the others: work then begins once each kind has an informer that
    /// synced, or when the [sync timeout](ControllerBuilder::sync_timeout) ends. The
    /// [status](ControllerStatus::missing) names the missing informers. Keys in a missing namespace
    /// wait for it. Keys of other namespaces and cluster-scoped keys do not, though some of their
    /// dependents may be missing.
    ///
    /// With [leader election](ControllerBuilder::leader_election) reconciles run only while this
    /// replica leads. A standby's informers are synced and queue no keys.
    ///
    /// The replica that led before may have seen newer states than this one. So no reconcile of a
    /// new term begins before each followed informer has proved that its store is as new as the
    /// takeover. The proof is one quorum list of one item, which all controllers of an informer
    /// share. If the watch does not reach that list's version, a short watch follows, whose last
    /// bookmark is the proof, or a list of everything from a quorum: see [taking
    /// over](crate::docs::running_in_production#taking-over). The [phase](Phase::TakingOver) shows
    /// the wait. An informer that has no proof at the end of the sync timeout counts as one that
    /// has not synced. In a group its keys wait. Otherwise the lease is given back, and this
    /// function returns an error. Informers that a reconcile only reads prove nothing: name them in
    /// [`watches`](ControllerBuilder::watches), with no keys if need be.
    ///
    /// Informers that were [added](Self::following), or joined a set, prove their view, too. If one
    /// has not, work begins without it when a request fails or the sync timeout ends. Then only
    /// keys of own objects that no other informer knows of wait. Without a takeover work begins at
    /// once.
    ///
    /// A reconcile that returns an error, panics or exceeds the timeout is retried after the
    /// limiter's delay: unless set otherwise 5 ms, doubling up to 1,000 s. A new spec
    /// (`metadata.generation`), a creation or a deletion of the object ends the delay at once, or
    /// after the `debounce`. So does any other event or trigger of the key, but not before 10 s
    /// have passed since the try. Events that come all the time, such as those of its own writes,
    /// retry a failing key six times a minute at most.
    ///
    /// A key that is reconciled without end is reported: by a warning, in the
    /// [status](ControllerStatus::hot_keys), and by a metric. Where tokio's clock is paused, as in
    /// a test, such a key would keep it from moving. So a key that ran 300 times at one instant
    /// waits 1 ms before its next run, then twice as long each time, up to 10 s, until it rests.
    /// The same holds for each new key after 5,000 runs at one instant. Give a test a limit,
    /// because `run` goes on.
    ///
    /// Dropping the returned future drops all reconciles at their next await. Code that blocks its
    /// thread runs on. A lease is not released; it expires.
    ///
    /// # Errors
    /// [`ControllerError`]: an informer was stopped, did not start or did not sync, leadership was
    /// lost, or reconciles did not end within the grace.
    pub async fn run<F, Fut, E>(
        self,
        stop: CancellationToken,
        reconcile: F,
    ) -> Result<(), ControllerError>
    where
        F: Fn(ReconcileRequest<K, C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let (control_loop, elector) = self.with_reconcile(reconcile);
        // Dropped last: values that the user's functions captured may panic when dropped.
        let _held = SafeDrop::new(control_loop.clone());
        match elector {
            Some(election) => run::run_elected(control_loop, election, stop).await,
            None => run::run_always(control_loop, stop).await,
        }
    }

    /// Adds the user's function, which erases the types of the controller. Also returns the
    /// controller's own election, if it has one.
    pub(crate) fn with_reconcile<F, Fut, E>(
        self,
        reconcile: F,
    ) -> (Arc<dyn AnyController>, Option<Election>)
    where
        F: Fn(ReconcileRequest<K, C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let Self { parts, context, elector, rejoins_election, .. } = self;
        let reconcile = action::erased(context, reconcile);
        let election = elector.map(|elector| Election { elector, rejoins: rejoins_election });
        let (grace, parts) = (parts.limits.grace, Arc::new(parts));
        (Arc::new(ControlLoop { parts, reconcile, grace }), election)
    }
}

impl<K, C> fmt::Debug for Controller<K, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("name", &self.parts.name)
            .field("limits", &self.parts.limits)
            .finish_non_exhaustive()
    }
}

/// A handle on a controller that runs in another task: it reads the status and queues keys. Clones
/// are cheap.
///
/// ```no_run
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::ObjectKey;
/// use kube_controllers::Controller;
///
/// # fn f(controller: Controller<ConfigMap>) -> Result<(), Box<dyn std::error::Error>> {
/// let handle = controller.handle();
/// handle.trigger(ObjectKey::from_parts(Some("shop"), "web")?);
/// println!("{} reconciles failed", handle.status().failed);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct ControllerHandle {
    name: Arc<str>,
    status: Arc<StatusCell>,
    history: Arc<TriggerHistory>,
    queue: WorkQueue<ObjectKey>,
    all_requests: AllRequests,
    sources: Arc<Sources>,
}

impl ControllerHandle {
    /// Returns the controller's state at this moment. O(keys being reconciled + informers that it
    /// follows beside those that it was built with).
    pub fn status(&self) -> ControllerStatus {
        let mut status = self.status.read(&self.name, self.queue.status());
        if status.phase != Phase::Stopped {
            status.missing.extend(self.sources.missing());
        }
        status
    }

    /// Returns the informers that it follows beside those that it was built with.
    pub(crate) fn added(&self) -> Vec<SharedInformer> {
        self.sources.members().iter().map(|(member, _)| member.informer().clone()).collect()
    }

    /// Returns the controller's name.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Queues a key ahead of live changes, for a cause that no informer sees. A failed key is tried
    /// again, but not before 10 s have passed since its last try. A key that waits for its own
    /// writes waits on, and gets the higher priority for later.
    ///
    /// A change goes before keys that are triggered 30 s after it, and an object of the first list
    /// before those of 60 s after it. A [hot](ControllerStatus::hot_keys) key gets no higher
    /// priority: it would hold up the others again and again.
    ///
    /// Returns `false` when the controller has stopped. A [sharded](ControllerBuilder::sharded)
    /// controller drops a key that this replica does not hold, and still returns `true`.
    pub fn trigger(&self, key: ObjectKey) -> bool {
        self.history.record(&key, || Cause::Handle);
        let is_hot = self.history.is_hot(&key);
        self.queue.add_with(key, if is_hot { Priority::NORMAL } else { Priority::HIGH })
    }

    /// Queues a key after a delay. For a failed key this is like [`trigger`](Self::trigger) when
    /// the delay is over.
    ///
    /// Of several delays of one key, only the earliest counts. So a requeue, a backoff or a
    /// debounce that ends earlier replaces this delay. A wait replaces it, too, such as one for own
    /// writes. The reconcile that follows decides whether to trigger again.
    ///
    /// Returns `false` when the controller has stopped.
    pub fn trigger_after(&self, key: ObjectKey, delay: Duration) -> bool {
        self.history.record_later(&key, delay, || Cause::Handle);
        self.queue.add_after(key, delay)
    }

    /// Queues the keys of all stored objects behind live changes, for example after a change of the
    /// configuration. Predicates are not called. The controller does this in its own task. A
    /// controller that does not work yet reconciles all objects anyway when it begins.
    ///
    /// Returns `false` when the controller has stopped.
    pub fn reconcile_all(&self) -> bool {
        self.all_requests.request();
        !self.queue.is_shutting_down()
    }

    /// Returns why a key was queued: its last five triggers, the newest last. Empty if the key is
    /// not among those [kept](ControllerBuilder::triggers_kept). The
    /// [status](ControllerStatus::triggers) has them for the keys that were queued last.
    pub fn triggers(&self, key: &ObjectKey) -> Vec<Trigger> {
        self.history.of(key)
    }
}

impl fmt::Debug for ControllerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerHandle").field("name", &self.name).finish_non_exhaustive()
    }
}
