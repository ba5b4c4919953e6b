//! The construction of a controller.

mod options;
mod sources;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use kube::Resource;

use super::deletes::OwnDeletes;
use super::error::CannotOwn;
use super::error_policy::ErrorRules;
use super::followed::Followed;
use super::gate::SlotGate;
use super::history::{self, TriggerHistory};
use super::own_writes::{Cache, WriteLog};
use super::owner::{kind_of, resource_of};
use super::run::StopGuard;
use super::sources::Sources;
use super::status::StatusCell;
use super::streams::{AllRequests, KeyStream};
use super::triggers::{Keys, Rule};
use super::waiting::{MissingInformers, WaitingKeys};
use super::{Controller, ControllerParts, Limits};
use crate::leader_election::LeaderElector;
use crate::sharding::Sharding;
use kube_informer::object::ObjectKey;
use kube_informer::seams::InformerSet;
use kube_informer::workqueue::{WorkQueue, WorkQueueBuilder};

/// The time for which events leave a failing key in backoff.
const BACKOFF_HOLDS: Duration = Duration::from_secs(10);

/// Options of a [`Controller`].
///
/// ```no_run
/// use std::time::Duration;
/// use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
/// use kube_controllers::controller::generation_changed;
/// use kube_informer::SharedInformerFactory;
/// use kube_controllers::Controller;
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
    own: Followed<K>,
    related: Vec<(Arc<dyn InformerSet>, Rule)>,
    streams: Vec<Arc<KeyStream>>,
    debounce: Duration,
    triggers_kept: usize,
    errors: ErrorRules,
    cannot_own: Option<CannotOwn>,
    /// The problem of dependents that may be on another replica than their owner.
    scattered_dependents: Option<&'static str>,
    caches: Vec<Cache>,
    sharding: Option<Sharding>,
    queue: WorkQueueBuilder<ObjectKey>,
    limits: Limits,
    context: Arc<C>,
    elector: Option<LeaderElector>,
    rejoins_election: bool,
}

impl<K: Resource + Send + Sync + 'static> ControllerBuilder<K> {
    pub(super) fn new(name: Arc<str>, own: Followed<K>) -> Self {
        Self {
            queue: WorkQueue::builder().name(name.clone()).backoff_holds(BACKOFF_HOLDS),
            name,
            caches: Vec::new(),
            own,
            related: Vec::new(),
            streams: Vec::new(),
            debounce: Duration::ZERO,
            triggers_kept: history::KEYS,
            errors: ErrorRules::default(),
            cannot_own: None,
            scattered_dependents: None,
            sharding: None,
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
    /// use kube_controllers::controller::ControllerError;
    /// use kube_informer::SharedInformer;
    /// use kube_controllers::{Action, Controller, ReconcileRequest};
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
    ///
    /// Pass the value itself, or an [`Arc`] of it that other code shares. With an `Arc`, the
    /// compiler needs the type of the reconcile's request: `ReconcileRequest<K, C>`.
    pub fn context<C>(self, context: impl Into<Arc<C>>) -> ControllerBuilder<K, C> {
        ControllerBuilder {
            name: self.name,
            own: self.own,
            related: self.related,
            streams: self.streams,
            debounce: self.debounce,
            triggers_kept: self.triggers_kept,
            errors: self.errors,
            cannot_own: self.cannot_own,
            scattered_dependents: self.scattered_dependents,
            caches: self.caches,
            sharding: self.sharding,
            queue: self.queue,
            limits: self.limits,
            context: context.into(),
            elector: self.elector,
            rejoins_election: self.rejoins_election,
        }
    }
}

impl<K: Resource + Send + Sync + 'static, C> ControllerBuilder<K, C> {
    /// Builds the controller. It follows no informer before it [runs](Controller::run).
    pub fn build(self) -> Controller<K, C> {
        let Followed { informers, predicates, .. } = &self.own;
        let objects = informers.cast();
        let (kind, resource) = (kind_of(informers), resource_of(informers));
        let writes = Arc::new(WriteLog::new(self.caches));
        let waiting = Arc::new(WaitingKeys::default());
        let sources = Arc::new(Sources::new(writes.clone(), waiting.clone()));
        let own = (self.own.source(), Rule::new(predicates.clone(), Keys::Own));
        let followed = [own].into_iter().chain(self.related);
        let groups = followed.map(|(informers, rule)| sources.build(informers, rule));
        let groups = groups.filter(|source| source.is_required()).collect();
        let leadership = self.elector.as_ref().map(LeaderElector::leadership);
        let missing_informers = Arc::new(MissingInformers::default());
        let history = Arc::new(TriggerHistory::new(self.triggers_kept));
        let missing = missing_informers.clone();
        let sharding = self.sharding.as_ref().map(Sharding::watch_status);
        let status = StatusCell::new(&self.name, leadership, sharding, missing, history.clone());
        let status = Arc::new(status);
        let queue = self.queue.build();
        let parts = ControllerParts {
            _stop_guard: StopGuard {
                queue: queue.clone(),
                status: status.clone(),
                sources: sources.clone(),
            },
            name: self.name,
            kind,
            resource,
            objects,
            groups,
            sources,
            predicates: self.own.predicates.into(),
            writes,
            queue,
            status,
            history,
            missing_informers,
            waiting,
            deletes: OwnDeletes::default(),
            streams: self.streams,
            all_requests: AllRequests::default(),
            debounce: self.debounce,
            errors: self.errors,
            slots: self.sharding.map(|sharding| Arc::new(SlotGate::new(sharding))),
            elected: self.elector.is_some(),
            cannot_own: self.cannot_own,
            scattered_dependents: self.scattered_dependents,
            limits: self.limits,
        };
        Controller {
            parts,
            context: self.context,
            elector: self.elector,
            rejoins_election: self.rejoins_election,
            kind: PhantomData,
        }
    }
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
