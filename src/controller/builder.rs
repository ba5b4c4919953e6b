//! Options of a controller.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Resource;

use super::following::{self, Group};
use super::own_writes::{Cache, OwnWrites, WriteLog};
use super::run::StopGuard;
use super::status::StatusCell;
use super::triggers::{Keys, Owner, Predicate};
use super::waiting::MissingInformers;
use super::{Controller, Limits, Parts};
use crate::informer::InformerGroup;
use crate::leader_election::LeaderElector;
use crate::object::ObjectKey;
use crate::panic::SafeDrop;
use crate::workqueue::{RateLimiter, WorkQueue, WorkQueueBuilder};

/// The largest number of workers of a controller. Each worker is a task.
const MAX_WORKERS: usize = 1 << 16;

/// Options of a [`Controller`].
///
/// ```no_run
/// use std::time::Duration;
/// use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
/// use kube_informer::controller::generation_changed;
/// use kube_informer::{Controller, SharedInformerFactory};
///
/// # fn f(factory: SharedInformerFactory) {
/// let controller = Controller::builder("rollout", &factory.informer::<Deployment>())
///     .owns(&factory.informer::<ReplicaSet>())
///     .predicate(generation_changed)
///     .concurrency(4)
///     .timeout(Duration::from_secs(60))
///     .build();
/// # let _ = controller; }
/// ```
#[must_use]
pub struct ControllerBuilder<K, C = ()> {
    name: Arc<str>,
    informers: InformerGroup<K>,
    predicates: Vec<Predicate<K>>,
    related: Vec<Group>,
    caches: Vec<Box<dyn Cache>>,
    queue: WorkQueueBuilder<ObjectKey>,
    limits: Limits,
    context: Arc<C>,
    elector: Option<LeaderElector>,
    rejoins_election: bool,
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
            context: Arc::new(()),
            elector: None,
            rejoins_election: false,
        }
    }

    /// Sets the values that all reconciles share, such as clients, listers and configuration. A
    /// reconcile finds them in [`ReconcileRequest::context`](super::ReconcileRequest::context).
    ///
    /// With a context, a reconcile can be a plain function:
    ///
    /// ```no_run
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube::Client;
    /// use kube_informer::controller::ControllerError;
    /// use kube_informer::{Action, Controller, ReconcileRequest, SharedInformer};
    /// use tokio_util::sync::CancellationToken;
    ///
    /// struct Context {
    ///     client: Client,
    /// }
    ///
    /// async fn reconcile(request: ReconcileRequest<ConfigMap, Context>) -> kube::Result<Action> {
    ///     let maps = request.api(&request.context.client);
    ///     println!("{:?} on the server", maps.get_opt(request.key.name()).await?);
    ///     Ok(Action::done())
    /// }
    ///
    /// # async fn f(
    /// #     client: Client, maps: SharedInformer<ConfigMap>, stop: CancellationToken,
    /// # ) -> Result<(), ControllerError> {
    /// let controller = Controller::builder("maps", &maps).context(Context { client }).build();
    /// controller.run(stop, reconcile).await
    /// # }
    /// ```
    pub fn context<C>(self, context: C) -> ControllerBuilder<K, C> {
        ControllerBuilder {
            name: self.name,
            informers: self.informers,
            predicates: self.predicates,
            related: self.related,
            caches: self.caches,
            queue: self.queue,
            limits: self.limits,
            context: Arc::new(context),
            elector: self.elector,
            rejoins_election: self.rejoins_election,
        }
    }
}

impl<K: Resource + Send + Sync + 'static, C> ControllerBuilder<K, C> {
    /// Also follows objects that a `K` controls. A change of such an object queues its owner's key,
    /// taken from the `ownerReference` with `controller: true`.
    pub fn owns<O>(self, informers: impl Into<InformerGroup<O>>) -> Self
    where
        K: Resource<DynamicType = ()>,
        K::Scope: 'static,
        O: Resource + Send + Sync + 'static,
    {
        self.follows(informers, Keys::Owner(Owner::of::<K>()))
    }

    /// Also follows objects that concern some `K`. `keys` returns the keys to reconcile and must be
    /// pure.
    ///
    /// The controller calls `keys` for every state, including both states of an update; none is
    /// merged away. A [packed](crate::storage) state is unpacked first. A state that cannot be
    /// unpacked gives no keys.
    ///
    /// The controller calls `keys` in its own task, behind a backlog of 1,024 states. When the
    /// backlog is full, the informer's processing loop waits, and with it all handlers of that
    /// informer. Its [status](crate::InformerStatus::held_up_by) then names this controller. A
    /// panic is caught and [counted](super::ControllerStatus::mapping_panics).
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
            let mut keys = SafeDrop::new(keys(object).into_iter());
            if let Some(keys) = keys.get_mut() {
                keys.for_each(add);
            }
            // Outside of `Contained`, so that a panic of this drop is counted, too.
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

    /// Reconciles an added or updated `K` only if this and every other predicate returns true. The
    /// arguments are the old state (`None` for a new object) and the new state. Predicates do not
    /// see deletes, changes of other objects, retries and
    /// [`trigger`](super::ControllerHandle::trigger): these always queue their keys.
    ///
    /// The controller calls predicates like the function of [`watches`](Self::watches): in its own
    /// task, for each state, with the same backlog. If a predicate panics, the change passes and
    /// the panic is [counted](super::ControllerStatus::predicate_panics).
    ///
    /// Predicates of [packed](crate::storage) objects cost the unpacking of both states. Without
    /// predicates, no object is unpacked before its reconcile. An object that cannot be unpacked
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

    /// Sets the number of keys that are reconciled at a time: from 1 to 65,536; 1 unless set. One
    /// key is never reconciled twice at a time. Each worker is a task, even while it waits.
    pub fn concurrency(mut self, workers: usize) -> Self {
        self.limits.workers = workers.clamp(1, MAX_WORKERS);
        self
    }

    /// Sets the longest time of a reconcile; no limit unless set. A reconcile that takes longer is
    /// dropped at its next await and counts as failed. Code that blocks its thread is not
    /// interrupted.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limits.timeout = Some(limit);
        self
    }

    /// Sets the time that running reconciles get to end after a stop; 10 s unless set.
    pub fn grace(mut self, limit: Duration) -> Self {
        self.limits.grace = limit;
        self
    }

    /// Sets the time that the informers get to sync; 2 minutes unless set, as in
    /// controller-runtime. After it the controller begins if each kind has an informer that synced,
    /// and fails otherwise.
    pub fn sync_timeout(mut self, limit: Duration) -> Self {
        self.limits.sync = limit;
        self
    }

    /// Sets the limiter that delays failed keys; client-go's
    /// [`default_limiter`](crate::workqueue::default_limiter) unless set.
    pub fn limiter(mut self, limiter: impl RateLimiter<ObjectKey>) -> Self {
        self.queue = self.queue.limiter(limiter);
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
    /// the [grace](Self::grace) or the rest of the lease, whichever is shorter. Then
    /// [`Controller::run`] returns an error. After a stop they get the grace or the elector's stop
    /// timeout, whichever is shorter.
    ///
    /// The elector releases the lease only after the reconciles' futures and their synchronous code
    /// have ended. It does not wait for tasks that they spawn: end those when
    /// [`ReconcileRequest::stop`](super::ReconcileRequest::stop) is cancelled.
    pub fn leader_election(mut self, elector: LeaderElector) -> Self {
        self.elector = Some(elector);
        self
    }

    /// Sets whether a replica that lost leadership stands by again; false unless set, as in
    /// client-go. Otherwise [`Controller::run`] ends with the error.
    ///
    /// A replica whose lost work blocks a thread does not stand by again: that work cannot be
    /// stopped, and only a new process ends it.
    pub fn rejoins_election(mut self, rejoins: bool) -> Self {
        self.rejoins_election = rejoins;
        self
    }

    /// Builds the controller. It follows no informer before it [runs](Controller::run).
    pub fn build(self) -> Controller<K, C> {
        let mut groups = vec![following::each(&self.informers, Keys::Own(self.predicates))];
        groups.extend(self.related);
        let leadership = self.elector.as_ref().map(LeaderElector::leadership);
        let missing_informers = Arc::new(MissingInformers::default());
        let status = Arc::new(StatusCell::new(&self.name, leadership, missing_informers.clone()));
        let queue = self.queue.build();
        let parts = Parts {
            _stop_guard: StopGuard { queue: queue.clone(), status: status.clone() },
            name: self.name,
            objects: self.informers,
            groups: groups.into(),
            writes: Arc::new(WriteLog::new(self.caches)),
            queue,
            status,
            missing_informers,
            limits: self.limits,
        };
        let Self { context, elector, rejoins_election, .. } = self;
        Controller { parts, context, elector, rejoins_election }
    }
}

/// Returns the caches that will show writes to the objects of a group.
fn caches<O>(informers: &InformerGroup<O>) -> Vec<Box<dyn Cache>>
where
    O: Resource + Send + Sync + 'static,
{
    let cache = |informer| -> Box<dyn Cache> { Box::new(OwnWrites::new(informer)) };
    informers.informers().iter().map(cache).collect()
}

impl<K, C> fmt::Debug for ControllerBuilder<K, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerBuilder")
            .field("name", &self.name)
            .field("queue", &self.queue)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
