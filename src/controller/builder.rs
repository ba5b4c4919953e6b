//! What a controller follows, and how it goes about its work.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Resource;

use super::board::Board;
use super::own_writes::{OwnWrites, Seen};
use super::triggers::{Keys, Owner, Predicate, Trigger};
use super::{Controller, Limits, triggers};
use crate::informer::InformerGroup;
use crate::leader_election::LeaderElector;
use crate::object::{FieldSet, ObjectKey};
use crate::workqueue::{RateLimiter, WorkQueue, WorkQueueBuilder};

/// Options of a [`Controller`].
#[must_use]
pub struct ControllerBuilder<K> {
    name: Arc<str>,
    informers: InformerGroup<K>,
    predicates: Vec<Predicate<K>>,
    related: Vec<Box<dyn Trigger>>,
    own_writes: Vec<Box<dyn Seen>>,
    queue: WorkQueueBuilder<ObjectKey>,
    limits: Limits,
    elector: Option<LeaderElector>,
}

impl<K: Resource + Send + Sync + 'static> ControllerBuilder<K> {
    pub(super) fn new(name: Arc<str>, informers: InformerGroup<K>) -> Self {
        Self {
            queue: WorkQueue::builder().name(name.clone()),
            name,
            informers,
            predicates: Vec::new(),
            related: Vec::new(),
            own_writes: Vec::new(),
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
        let owner = Owner::of::<K>();
        self.follows(informers, Some(Owner::told_by()), move |dependent: &O| owner.key(dependent))
    }

    /// Also follows objects that have to do with some `K`: `keys` says with which. It must be pure;
    /// of an update it is asked for the old and the new object. Both are unpacked for it where they
    /// are [packed](crate::storage); one that can't be means no work.
    pub fn watches<O, I>(
        self,
        informers: impl Into<InformerGroup<O>>,
        keys: impl Fn(&O) -> I + Send + Sync + 'static,
    ) -> Self
    where
        O: Resource + Send + Sync + 'static,
        I: IntoIterator<Item = ObjectKey>,
    {
        self.follows(informers, None, keys)
    }

    fn follows<O, I>(
        mut self,
        informers: impl Into<InformerGroup<O>>,
        fields: Option<FieldSet>,
        keys: impl Fn(&O) -> I + Send + Sync + 'static,
    ) -> Self
    where
        O: Resource + Send + Sync + 'static,
        I: IntoIterator<Item = ObjectKey>,
    {
        let keys = move |object: &O, add: &mut dyn FnMut(ObjectKey)| {
            keys(object).into_iter().for_each(add);
        };
        let keys = Keys::Given(fields, Box::new(keys));
        self.related.extend(triggers::each(&informers.into(), keys));
        self
    }

    /// Reconciles a `K` that was added or updated only if this and every other predicate says so;
    /// it is given the old state, if there was one, and the new. Deletes can't be dropped, nor what
    /// other objects, retries and [`trigger`](super::ControllerHandle::trigger) bring.
    ///
    /// Where objects are [packed](crate::storage), the old and the new are unpacked for predicates;
    /// without any, no object is unpacked before its reconcile. One that can't be is reconciled, which
    /// fails.
    ///
    /// [`generation_changed`](super::generation_changed) leaves out changes of the status.
    pub fn predicate(
        mut self,
        predicate: impl Fn(Option<&K>, &K) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.predicates.push(Arc::new(predicate));
        self
    }

    /// How many keys are reconciled at a time; one unless set. One key is never reconciled twice
    /// at a time.
    pub fn concurrency(mut self, workers: usize) -> Self {
        self.limits.workers = workers.max(1);
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

    /// How long the informers may take to sync before the controller gives up; 2 minutes unless
    /// set, as controller-runtime's.
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

    /// Before each reconcile, waits until the store shows what was written on behalf of its key:
    /// up to 10 s, then the key is put off like one that failed.
    pub fn reads_own_writes<O>(mut self, writes: &OwnWrites<O>) -> Self
    where
        O: Resource + Send + Sync + 'static,
    {
        self.own_writes.push(Box::new(writes.clone()));
        self
    }

    /// Reconciles only while this candidate leads. When leadership is lost, running reconciles get
    /// the [grace](Self::grace) or what is left of the lease, whichever is shorter, and
    /// [`Controller::run`] ends with an error. After a stop it is the elector's stop timeout that
    /// counts, if shorter.
    pub fn leader_election(mut self, elector: LeaderElector) -> Self {
        self.elector = Some(elector);
        self
    }

    /// The controller. Nothing is followed before it [runs](Controller::run).
    pub fn build(self) -> Controller<K> {
        let mut triggers = triggers::each(&self.informers, Keys::Own(self.predicates));
        triggers.extend(self.related);
        let leadership = self.elector.as_ref().map(LeaderElector::leadership);
        let board = Arc::new(Board::new(&self.name, leadership));
        Controller {
            name: self.name,
            objects: self.informers,
            triggers,
            own_writes: self.own_writes,
            queue: self.queue.build(),
            board,
            limits: self.limits,
            elector: self.elector,
        }
    }
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
