//! The methods that set how a controller works.

use std::time::Duration;

use kube::Resource;

use super::ControllerBuilder;
use crate::controller::Action;
use crate::controller::error_policy::FailedTry;
use crate::controller::own_writes::OwnWrites;
use crate::leader_election::LeaderElector;
use crate::sharding::Sharding;
use kube_informer::object::ObjectKey;
use kube_informer::workqueue::RateLimiter;

/// The largest number of workers of a controller. Each worker is a task.
const MAX_WORKERS: usize = 1 << 16;

impl<K: Resource + Send + Sync + 'static, C> ControllerBuilder<K, C> {
    /// Sets the number of keys that are reconciled at once: from 1 to 65,536; 1 unless set. No key
    /// is reconciled twice at once. Each worker is a task, even while it waits.
    pub fn concurrency(mut self, workers: usize) -> Self {
        self.limits.workers = workers.clamp(1, MAX_WORKERS);
        self
    }

    /// Sets the longest time of a reconcile; no limit unless set, and none with zero, as in
    /// controller-runtime. A reconcile that takes longer is dropped at its next await and counts as
    /// failed. Tasks that it [spawned](crate::ReconcileRequest::spawn) are dropped, too, even after it
    /// has returned. Code that blocks its thread is not interrupted.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limits.timeout = Some(limit).filter(|limit| !limit.is_zero());
        self
    }

    /// Sets the time that running reconciles get to end after a stop; 10 s unless set. With leader
    /// election, the elector's grace may end it earlier; so may a manager's deadline. A manager
    /// shortens the grace of a [sharded](Self::sharded) controller to four fifths of its own grace.
    ///
    /// A slot of a [sharded](Self::sharded) controller that is given back without a stop has
    /// [its own grace](crate::sharding::ShardingBuilder::grace).
    pub fn grace(mut self, limit: Duration) -> Self {
        self.limits.grace = limit;
        self
    }

    /// Sets the time that the informers get to sync; 2 minutes unless set, as in
    /// controller-runtime. After that time the controller begins if each kind has a synced
    /// informer, and fails otherwise. The same time and rule hold for a fresh view after a
    /// takeover. The view takes up to 4 s and a list of each quiet kind, so with a shorter time no
    /// replica takes over.
    ///
    /// In a [sharded](Self::sharded) controller it is also the time that the informers get to list
    /// the objects of a slot. An informer that needs longer is
    /// [missing](crate::controller::ControllerStatus::missing). If no informer of some kind holds
    /// the objects of any slot, the controller fails.
    ///
    /// If the server allows lists of a kind but refuses every watch for this long, the controller
    /// begins and then fails. A permission that is revoked later does not end it.
    pub fn sync_timeout(mut self, limit: Duration) -> Self {
        self.limits.sync = limit;
        self
    }

    /// Sets the limiter that delays failed keys; client-go's
    /// [`default_limiter`](kube_informer::workqueue::default_limiter) unless set.
    pub fn limiter(mut self, limiter: impl RateLimiter<ObjectKey>) -> Self {
        self.queue = self.queue.limiter(limiter);
        self
    }

    /// Sets what follows an error that a reconcile returned;
    /// [`Action::retry`](crate::controller::Action::retry) unless set, and
    /// [`Action::done`](crate::controller::Action::done) for a
    /// [`Permanent`](crate::controller::Permanent) error. The action acts like a reconcile's
    /// result, except that the tries still count as failures in a row, also with
    /// [`requeue_after`](crate::controller::Action::requeue_after).
    ///
    /// A policy of your own also decides on `Permanent` errors. It does not decide on timeouts and
    /// panics: these are retried. If the policy panics,
    /// the key is retried, too.
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_controllers::controller::FailedTry;
    /// use kube_informer::SharedInformer;
    /// use kube_controllers::{Action, Controller};
    ///
    /// fn after(failure: &FailedTry<'_>) -> Action {
    ///     match failure.error.downcast_ref::<kube::Error>() {
    ///         // The object is not valid: wait until it changes.
    ///         Some(kube::Error::Api(status)) if status.code == 422 => Action::done(),
    ///         Some(kube::Error::Api(status)) if status.code == 429 => {
    ///             Action::requeue_after(Duration::from_secs(60))
    ///         }
    ///         _ => Action::retry(),
    ///     }
    /// }
    ///
    /// # fn f(maps: SharedInformer<ConfigMap>) {
    /// let controller = Controller::builder("maps", &maps).error_policy(after).build();
    /// # let _ = controller; }
    /// ```
    pub fn error_policy(
        mut self,
        policy: impl Fn(&FailedTry<'_>) -> Action + Send + Sync + 'static,
    ) -> Self {
        self.errors.policy = Box::new(policy);
        self
    }

    /// Sets the number of retries after which a failing key waits for a change, as if its error
    /// were [`Permanent`](crate::controller::Permanent); no limit unless set. The [status](
    /// crate::controller::ControllerStatus::given_up) counts such keys, and an error is logged.
    ///
    /// A key that waits for the cache to show its own writes is retried without limit.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.errors.max_retries = Some(retries);
        self
    }

    /// Sets the number of keys whose last five
    /// [triggers](crate::controller::ControllerHandle::triggers) are kept: the keys queued last.
    /// 1,024 unless set; zero keeps nothing. A key with five triggers takes half a kilobyte.
    pub fn triggers_kept(mut self, keys: usize) -> Self {
        self.triggers_kept = keys;
        self
    }

    /// Sets the time between two runs of a hot key: one that was reconciled 300 times within ten
    /// seconds. Zero unless set: a hot key is reported, and not slowed.
    ///
    /// The key waits in the queue and holds no worker. Its next run sees every change that came
    /// meanwhile. It runs at full speed again when nothing queues it while it would wait. Without
    /// [kept triggers](Self::triggers_kept) no key is found hot.
    pub fn hot_key_delay(mut self, delay: Duration) -> Self {
        self.limits.hot_key_delay = delay;
        self
    }

    /// Serves namespaces in turn, so that a namespace with a thousand changes does not hold up the
    /// others.
    pub fn fair_by_namespace(mut self) -> Self {
        self.queue = self.queue.fair_by(|key| key.namespace().map(str::to_owned));
        self
    }

    /// Runs no reconcile of a key until the cache shows the writes [recorded](OwnWrites) for it.
    /// After 10 s the wait counts as a failure, and the key waits again after its backoff. Other
    /// keys are not held up, and no worker waits.
    ///
    /// A controller whose reconciles write through a
    /// [tracking client](crate::controller::tracking_client) needs this only for kinds that it does
    /// not follow.
    pub fn reads_own_writes<O>(mut self, writes: &OwnWrites<O>) -> Self
    where
        O: Resource + Send + Sync + 'static,
    {
        self.caches.push(writes.cache());
        self
    }

    /// Reconciles only while this candidate leads. When leadership is lost, running reconciles get
    /// the [grace](Self::grace) or the rest of the lease, whichever is shorter. Then
    /// [`Controller::run`](crate::Controller::run) returns an error. After a stop they get the
    /// grace or the elector's grace, whichever is shorter.
    ///
    /// The elector releases the lease only after the reconciles' futures and their synchronous code
    /// have ended. A [manager](crate::manager) has one election for all controllers and refuses a
    /// controller with its own. The elector waits only for tasks and closures that the request
    /// [spawned](crate::controller::ReconcileRequest::spawn).
    pub fn leader_election(mut self, elector: LeaderElector) -> Self {
        self.elector = Some(elector);
        self
    }

    /// Reconciles only the objects in this replica's slots. Other replicas of the group reconcile
    /// the others at the same time.
    ///
    /// With [`InformerSpec::shard`](kube_informer::InformerSpec::shard), let informers of the
    /// controller's own objects follow [`Sharding::objects`], and informers of owned objects
    /// [`Sharding::dependents`]. An informer without a shard works, too: it holds the objects of
    /// all replicas.
    ///
    /// A reconcile is [tracked](crate::leader_election::WorkScope::track) by the scope of its slot.
    /// A slot that is given back, or lost, cancels
    /// [`ReconcileRequest::stop`](crate::controller::ReconcileRequest::stop) of its reconciles. A
    /// reconcile that does not end within the [grace](crate::sharding::ShardingBuilder::grace) is
    /// dropped at its next await. Another replica begins only after that.
    ///
    /// When a slot arrives, the controller queues its stored objects as at the start: those that
    /// the [predicates](Self::predicate) pass, and the keys that dependents map to. A key waits
    /// until each informer of its namespace holds the slot's objects.
    ///
    /// Keys of other replicas' objects leave the queue. Sharded by uid, a
    /// [triggered](crate::controller::ControllerHandle::trigger) key has a place only while the
    /// cache holds its object, or its deletion is not reconciled. Sharded by namespace, every key
    /// has a place.
    ///
    /// A controller with a sharding takes no [leader election](Self::leader_election). With one,
    /// [`Controller::run`](crate::Controller::run) fails with
    /// [`ControllerError::WrongSharding`](crate::controller::ControllerError::WrongSharding). It
    /// also fails if an informer follows the shard of another membership, or a shard that may have
    /// dependents without their owners. The same holds if [`Sharding::run`] was not called within
    /// the [sync timeout](Self::sync_timeout).
    ///
    /// A controller whose own objects follow [`Sharding::objects`] needs this call, also if its
    /// reconcile only reads. Without it, [`Controller::run`](crate::Controller::run) fails with the
    /// same error.
    pub fn sharded(mut self, sharding: &Sharding) -> Self {
        self.sharding = Some(sharding.clone());
        self
    }

    /// Sets whether a replica that lost leadership stands by again; false unless set, as in
    /// client-go. Otherwise [`Controller::run`](crate::Controller::run) ends with the error.
    ///
    /// Each term begins like a start of the process: all stored objects are queued. An object that
    /// was deleted between two terms is not, so clean up with a
    /// [finalizer](crate::controller::finalizer).
    ///
    /// A replica whose lost work blocks a thread does not stand by again: that work cannot be
    /// stopped, and only a new process ends it.
    pub fn rejoins_election(mut self, rejoins: bool) -> Self {
        self.rejoins_election = rejoins;
        self
    }
}
