//! What a controller follows, and how it goes about its work.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Resource;

use super::board::Board;
use super::following::{self, Group};
use super::late::Late;
use super::own_writes::{Cache, OwnWrites, WriteLog};
use super::run::Ending;
use super::triggers::{Keys, Owner, Predicate};
use super::{Controller, Limits};
use crate::informer::InformerGroup;
use crate::leader_election::LeaderElector;
use crate::object::ObjectKey;
use crate::panic::Contained;
use crate::workqueue::{RateLimiter, WorkQueue, WorkQueueBuilder};

/// The most workers that a controller has. Each is a task.
const MOST_WORKERS: usize = 1 << 16;

/// Options of a [`Controller`].
#[must_use]
pub struct ControllerBuilder<K> {
    name: Arc<str>,
    informers: InformerGroup<K>,
    predicates: Vec<Predicate<K>>,
    related: Vec<Group>,
    caches: Vec<Box<dyn Cache>>,
    queue: WorkQueueBuilder<ObjectKey>,
    limits: Limits,
    elector: Option<LeaderElector>,
}

impl<K: Resource + Send + Sync + 'static> ControllerBuilder<K> {
    pub(super) fn new(name: Arc<str>, informers: InformerGroup<K>) -> Self {
        Self {
            queue: WorkQueue::builder().name(name.clone()).backoff_holds(true),
            name,
            caches: caches(&informers),
            informers,
            predicates: Vec::new(),
            related: Vec::new(),
            limits: Limits::default(),
            elector: None,
        }
    }

    /// Also follows objects that a `K` controls: a change of one means work on its owner, by the
    /// `ownerReference` with `controller: true`.
    pub fn owns<O>(self, informers: impl Into<InformerGroup<O>>) -> Self
    where
        K: Resource<DynamicType = ()>,
        K::Scope: 'static,
        O: Resource + Send + Sync + 'static,
    {
        self.follows(informers, Keys::Owner(Owner::of::<K>()))
    }

    /// Also follows objects that concern some `K`. `keys` returns the keys to reconcile and must be pure.
    /// It is called for every state: for both states of an update, none merged away. A
    /// [packed](crate::storage) state is unpacked first; one that cannot be unpacked names no keys.
    ///
    /// The controller calls `keys` in a task of its own, with a backlog of 1,024 states. When the
    /// backlog is full, the informer's processing loop waits, and so does everyone who follows the
    /// informer. Its [status](crate::InformerStatus::held_up_by) then names this controller. A panic is
    /// caught and [counted](super::ControllerStatus::mapping_panics).
    pub fn watches<O, I>(
        self,
        informers: impl Into<InformerGroup<O>>,
        keys: impl Fn(&O) -> I + Send + Sync + 'static,
    ) -> Self
    where
        O: Resource + Send + Sync + 'static,
        I: IntoIterator<Item = ObjectKey>,
    {
        let map = move |object: &O, add: &mut dyn FnMut(ObjectKey)| {
            let mut keys = Contained::new(keys(object).into_iter());
            if let Some(keys) = keys.get_mut() {
                keys.for_each(add);
            }
            // Not contained: a panic here is counted, too.
            drop(keys.take());
        };
        self.follows(informers, Keys::Mapped(Box::new(map)))
    }

    fn follows<O>(mut self, informers: impl Into<InformerGroup<O>>, keys: Keys<O>) -> Self
    where
        O: Resource + Send + Sync + 'static,
    {
        let informers = informers.into();
        self.caches.extend(caches(&informers));
        self.related.push(following::each(&informers, keys));
        self
    }

    /// Reconciles a `K` that was added or updated only if this and every other predicate says so;
    /// it is given the old state, if there was one, and the new. Deletes can't be dropped, nor what
    /// other objects, retries and [`trigger`](super::ControllerHandle::trigger) bring.
    ///
    /// The controller calls predicates like the function of [`watches`](Self::watches): in a task of its
    /// own, for each state, with the same backlog. If a predicate panics, the change passes and the
    /// panic is [counted](super::ControllerStatus::predicate_panics).
    ///
    /// Where objects are [packed](crate::storage), the old and the new are unpacked for predicates;
    /// without any, no object is unpacked before its reconcile. An object that cannot be unpacked
    /// passes every predicate. Its reconcile gets [`Presence::Unknown`](super::Presence::Unknown).
    ///
    /// [`generation_changed`](super::generation_changed) leaves out changes of the status.
    pub fn predicate(
        mut self,
        predicate: impl Fn(Option<&K>, &K) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.predicates.push(Arc::new(predicate));
        self
    }

    /// Sets how many keys are reconciled at a time: at least one, at most 65,536; one unless set.
    /// One key is never reconciled twice at a time. Each worker is a task, also while it waits.
    pub fn concurrency(mut self, workers: usize) -> Self {
        self.limits.workers = workers.clamp(1, MOST_WORKERS);
        self
    }

    /// How long a reconcile may take before it is dropped where it waits, and counts as failed. No
    /// limit unless set.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limits.timeout = Some(limit);
        self
    }

    /// How long reconciles may go on after the controller was stopped; 10 s unless set.
    pub fn grace(mut self, limit: Duration) -> Self {
        self.limits.grace = limit;
        self
    }

    /// Sets how long the informers may take to sync; 2 minutes unless set, as controller-runtime's. Then
    /// the controller begins if each kind has an informer that synced, and fails otherwise.
    pub fn sync_timeout(mut self, limit: Duration) -> Self {
        self.limits.sync = limit;
        self
    }

    /// What delays a key that failed; client-go's
    /// [`default_limiter`](crate::workqueue::default_limiter) unless set.
    pub fn limiter(mut self, limiter: impl RateLimiter<ObjectKey>) -> Self {
        self.queue = self.queue.limiter(limiter);
        self
    }

    /// Serves namespaces in turn, so that one with a thousand changes does not hold up the others.
    pub fn fair_by_namespace(mut self) -> Self {
        self.queue = self.queue.fair_by(|key| key.namespace().map(str::to_owned));
        self
    }

    /// Runs no reconcile of a key until the cache shows the writes that [were recorded](OwnWrites) for
    /// it. After 10 s the wait counts as a failure, and the key waits again after its backoff. Other
    /// keys are not held up, and no worker waits.
    ///
    /// A controller whose reconciles write through a [tracking client](super::tracking_client) needs
    /// this only for kinds that it does not follow.
    pub fn reads_own_writes<O>(mut self, writes: &OwnWrites<O>) -> Self
    where
        O: Resource + Send + Sync + 'static,
    {
        self.caches.push(Box::new(writes.clone()));
        self
    }

    /// Reconciles only while this candidate leads. When leadership is lost, running reconciles get
    /// the [grace](Self::grace) or what is left of the lease, whichever is shorter, and
    /// [`Controller::run`] ends with an error. After a stop the elector's stop timeout counts, if
    /// shorter.
    ///
    /// The lease waits for the reconciles' futures and their synchronous code, not for tasks that they
    /// spawn: end those on [`ReconcileRequest::stop`](super::ReconcileRequest::stop).
    pub fn leader_election(mut self, elector: LeaderElector) -> Self {
        self.elector = Some(elector);
        self
    }

    /// The controller. Nothing is followed before it [runs](Controller::run).
    pub fn build(self) -> Controller<K> {
        let mut groups = vec![following::each(&self.informers, Keys::Own(self.predicates))];
        groups.extend(self.related);
        let leadership = self.elector.as_ref().map(LeaderElector::leadership);
        let late = Arc::new(Late::default());
        let board = Arc::new(Board::new(&self.name, leadership, late.clone()));
        let queue = self.queue.build();
        Controller {
            ending: Some(Ending { queue: queue.clone(), board: board.clone() }),
            name: self.name,
            objects: self.informers,
            groups: groups.into(),
            writes: WriteLog::new(self.caches),
            queue,
            board,
            late,
            limits: self.limits,
            elector: self.elector,
        }
    }
}

/// The caches that will show writes to the objects of a group.
fn caches<O>(informers: &InformerGroup<O>) -> Vec<Box<dyn Cache>>
where
    O: Resource + Send + Sync + 'static,
{
    let cache = |informer| -> Box<dyn Cache> { Box::new(OwnWrites::new(informer)) };
    informers.informers().iter().map(cache).collect()
}

impl<K> fmt::Debug for ControllerBuilder<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerBuilder")
            .field("name", &self.name)
            .field("queue", &self.queue)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
