//! The argument and the result of a reconcile.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, TryFutureExt};
use kube::api::Api;
use kube::core::{ClusterResourceScope, NamespaceResourceScope};
use kube::{Client, Resource};
use tokio_util::sync::CancellationToken;

use super::cause::Trigger;
use super::history::TriggerHistory;
use super::own_writes::TrackedReconcile;
use super::presence::Presence;
use crate::lease::WorkScope;
use kube_informer::error::BoxError;
use kube_informer::object::{AnyObject, ObjectKey};

/// One try to reconcile one object. `C` is the controller's
/// [context](super::ControllerBuilder::context).
#[non_exhaustive]
pub struct ReconcileRequest<K: ?Sized, C = ()> {
    /// The object's key.
    pub key: ObjectKey,
    /// The object as the store held it when this try began. It is [`Presence::Gone`] only if the
    /// cache knows that there is none.
    pub object: Presence<K>,
    /// The number of tries that failed in a row before this one.
    pub failures: u32,
    /// A token that is cancelled when the controller stops, when this replica stops leading, and
    /// when this try ends, also by a panic or timeout. A try still running after the grace is
    /// dropped at its next await.
    ///
    /// The controller waits for work in other tasks and on other threads only if this request
    /// tracks it: by [`spawn`](Self::spawn), [`spawn_blocking`](Self::spawn_blocking) or
    /// [`guard`](Self::guard). Other tasks run beside the next try, unless they end when this token
    /// is cancelled.
    pub stop: CancellationToken,
    /// The values that all reconciles of the controller share.
    pub context: Arc<C>,
    pub(super) history: Arc<TriggerHistory>,
    pub(super) writes: TrackedReconcile,
    /// The scope of this try, within the scope of the lease or slot.
    pub(super) work: WorkScope,
}

/// The user's reconcile.
pub(super) type Reconcile = Arc<
    dyn Fn(ReconcileRequest<dyn AnyObject>) -> BoxFuture<'static, Result<Action, BoxError>>
        + Send
        + Sync,
>;

/// Gives the user's reconcile the controller's context, and erases its types.
pub(super) fn erased<K, C, Fut, E>(
    context: Arc<C>,
    reconcile: impl Fn(ReconcileRequest<K, C>) -> Fut + Send + Sync + 'static,
) -> Reconcile
where
    K: Send + Sync + 'static,
    C: Send + Sync + 'static,
    Fut: Future<Output = Result<Action, E>> + Send + 'static,
    E: Into<BoxError> + 'static,
{
    Arc::new(move |request| reconcile(request.typed(&context)).map_err(E::into).boxed())
}

impl ReconcileRequest<dyn AnyObject> {
    /// Gives the object its type, and adds the controller's context.
    fn typed<K: Send + Sync + 'static, C>(self, context: &Arc<C>) -> ReconcileRequest<K, C> {
        let Self { key, object, failures, stop, context: _, history, writes, work } = self;
        let (object, context) = (object.typed(), context.clone());
        ReconcileRequest { key, object, failures, stop, context, history, writes, work }
    }
}

/// Requests without a controller, to call a reconcile from a unit test.
impl<K, C> ReconcileRequest<K, C> {
    /// Creates the first try for an object that the cache holds. The context is a value or an
    /// `Arc`.
    ///
    /// No controller stands behind the request. It has no triggers, nothing waits for its writes or
    /// its tasks, and `stop` is cancelled only if the test cancels it. The test may set
    /// [`failures`](Self::failures) and [`object`](Self::object).
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube::api::ObjectMeta;
    /// use kube_informer::ObjectKey;
    /// use kube_controllers::{Action, ReconcileRequest};
    ///
    /// type Request = ReconcileRequest<ConfigMap, u32>;
    ///
    /// async fn reconcile(request: Request) -> Result<Action, kube::Error> {
    ///     if request.object.is_gone() || *request.context == 0 {
    ///         return Ok(Action::done());
    ///     }
    ///     Ok(Action::retry())
    /// }
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let metadata = ObjectMeta { name: Some("a".into()), ..ObjectMeta::default() };
    /// let map = ConfigMap { metadata, ..ConfigMap::default() };
    /// assert_eq!(reconcile(ReconcileRequest::present(map, 3)).await?, Action::retry());
    /// let key = ObjectKey::from_parts(None, "a")?;
    /// assert_eq!(reconcile(ReconcileRequest::gone(key, 3)).await?, Action::done());
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Panics
    /// Panics if the object has no name, or one that no object can have.
    #[track_caller]
    pub fn present(object: impl Into<Arc<K>>, context: impl Into<Arc<C>>) -> Self
    where
        K: Resource,
    {
        let object = object.into();
        match ObjectKey::of(&*object) {
            Ok(key) => Self::without_controller(key, Presence::Present(object), context.into()),
            Err(error) => panic!("no request for this object: {error}"),
        }
    }

    /// Creates the first try for an object that is gone. See [`present`](Self::present).
    pub fn gone(key: ObjectKey, context: impl Into<Arc<C>>) -> Self {
        Self::without_controller(key, Presence::Gone, context.into())
    }

    fn without_controller(key: ObjectKey, object: Presence<K>, context: Arc<C>) -> Self {
        let stop = CancellationToken::new();
        let work = WorkScope::new(stop.clone());
        let writes = TrackedReconcile::new(key.clone(), Arc::default(), work.clone());
        let history = Arc::new(TriggerHistory::new(0));
        Self { key, object, failures: 0, stop, context, history, writes, work }
    }
}

impl<K, C> ReconcileRequest<K, C> {
    /// Returns why the key was queued: its last triggers, the newest last, including those of
    /// earlier tries. Empty if the key is not among those
    /// [kept](super::ControllerBuilder::triggers_kept).
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_controllers::ReconcileRequest;
    ///
    /// fn tell(request: &ReconcileRequest<ConfigMap>) {
    ///     if let Some(trigger) = request.triggers().last() {
    ///         println!("{} runs because {trigger}", request.key);
    ///     }
    /// }
    /// ```
    pub fn triggers(&self) -> Vec<Trigger> {
        self.history.of(&self.key)
    }

    /// Returns an [`Api`] for objects of the same type as the reconciled one: of its namespace, or
    /// of the cluster if it has none. For writes pass a [tracking client](super::tracking_client).
    pub fn api(&self, client: &Client) -> Api<K>
    where
        K: Resource<DynamicType = ()>,
        K::Scope: Reach<K>,
    {
        self.api_of::<K>(client)
    }

    /// Returns an [`Api`] for objects of another type, such as owned ones: of the reconciled
    /// object's namespace, or of all namespaces if it has none.
    ///
    /// ```no_run
    /// use k8s_openapi::api::apps::v1::Deployment;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_controllers::ReconcileRequest;
    ///
    /// # async fn f(
    /// #     request: ReconcileRequest<ConfigMap>, client: kube::Client,
    /// # ) -> kube::Result<()> {
    /// let deployments = request.api_of::<Deployment>(&client);
    /// let web = deployments.get(request.key.name()).await?;
    /// # drop(web); Ok(()) }
    /// ```
    pub fn api_of<O>(&self, client: &Client) -> Api<O>
    where
        O: Resource<DynamicType = ()>,
        O::Scope: Reach<O>,
    {
        O::Scope::api(client.clone(), self.key.namespace())
    }

    /// Wraps a future that this try spawns as a task: writes that `future` makes through a
    /// [tracking client](super::tracking_client) then count as this try's.
    ///
    /// ```no_run
    /// # use kube_controllers::ReconcileRequest;
    /// # fn f<K: Send + Sync + 'static>(request: &ReconcileRequest<K>, client: kube::Client) {
    /// tokio::spawn(request.scope(async move {
    ///     // client.request(...).await
    /// #   drop(client);
    /// }));
    /// # }
    /// ```
    pub fn scope<F: Future>(&self, future: F) -> impl Future<Output = F::Output> + use<F, K, C> {
        self.writes.clone().enter(future)
    }
}

/// The reach of an [`Api`], by the scope of its objects: one namespace, or the cluster.
///
/// [`ReconcileRequest::api`] calls it. Implemented for kube's two scopes:
///
/// ```
/// use k8s_openapi::api::core::v1::{Node, Pod};
/// use kube::Resource;
/// use kube_controllers::controller::Reach;
///
/// fn check<K: Resource<Scope: Reach<K>>>() {}
/// check::<Pod>();
/// check::<Node>();
/// ```
pub trait Reach<K> {
    /// Creates the [`Api`]. The namespace of cluster-scoped objects is ignored.
    fn api(client: Client, namespace: Option<&str>) -> Api<K>;
}

impl<K> Reach<K> for NamespaceResourceScope
where
    K: Resource<DynamicType = (), Scope = Self>,
{
    fn api(client: Client, namespace: Option<&str>) -> Api<K> {
        match namespace {
            Some(namespace) => Api::namespaced(client, namespace),
            None => Api::all(client),
        }
    }
}

impl<K> Reach<K> for ClusterResourceScope
where
    K: Resource<DynamicType = (), Scope = Self>,
{
    fn api(client: Client, _: Option<&str>) -> Api<K> {
        Api::all(client)
    }
}

impl<K: ?Sized, C> fmt::Debug for ReconcileRequest<K, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReconcileRequest")
            .field("key", &self.key)
            .field("object", &self.object)
            .field("failures", &self.failures)
            .finish_non_exhaustive()
    }
}

/// The next step for a key whose reconcile did not fail.
///
/// ```
/// use std::time::Duration;
/// use kube_controllers::Action;
///
/// fn next(ready: bool) -> Action {
///     if ready { Action::done() } else { Action::requeue_after(Duration::from_secs(30)) }
/// }
/// assert_eq!(next(true), Action::done());
/// assert_eq!(format!("{:?}", next(false)), "requeue_after(30s)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Action(pub(super) Next);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Change,
    After(Duration),
    Retry,
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Next::Change => f.write_str("done"),
            Next::After(delay) => write!(f, "requeue_after({delay:?})"),
            Next::Retry => f.write_str("retry"),
        }
    }
}

impl Action {
    /// Reconciles the key again only after a change or a trigger. A delay that an earlier reconcile
    /// of the key asked for ends with this one.
    pub const fn done() -> Self {
        Self(Next::Change)
    }

    /// Reconciles the key again after `delay`, or earlier after a change. That earlier reconcile
    /// decides for itself: if it returns [`done`](Self::done), this delay is over. So a reconcile
    /// that polls returns a delay on every path. A delay of zero runs it at once. A key whose runs
    /// all ask for that is [reported](super::ControllerStatus::hot_keys) as hot.
    pub const fn requeue_after(delay: Duration) -> Self {
        Self(Next::After(delay))
    }

    /// Reconciles the key again after the limiter's delay, which grows with each such result, as if
    /// this try had failed.
    pub const fn retry() -> Self {
        Self(Next::Retry)
    }
}
