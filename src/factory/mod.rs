//! One informer for each thing that is asked for, however many ask.
//!
//! A [`SharedInformerFactory`] hands out informers, starts them, waits for them and stops them
//! together. Two controllers that need pods share one watch and one copy of the pods.
//!
//! An informer that was stopped leaves the factory: its store is freed with the last handle, and it
//! is not waited for any more. One that *failed* stays, so that the status says why, until it is
//! asked for again. After the whole factory was shut down, the status has the last look at each.

mod error;
mod held;
mod spec;
mod status;

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use kube::api::DynamicObject;
use kube::core::ApiResource;
use kube::{Client, Resource};
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

pub use self::error::{OptionDifference, SpecConflict, SpecError};
use self::held::{AnyInformer, Held};
pub use self::spec::InformerSpec;
pub use self::status::FactoryStatus;
use crate::error::SourceError;
use crate::informer::{
    InformerGroup, InformerOptions, InformerStatus, SharedInformer, StartError, SyncError,
};
use crate::lister_watcher::ListerWatcher;
use crate::reflector::{ErrorHandler, ReflectorOptions};
use crate::sync::Mutex;
use crate::transport::ApiSource;

/// How many lists run at a time, unless told otherwise: enough to keep a server busy, too few to
/// overrun one that just came back.
const LISTS: usize = 8;

/// Hands out shared informers. A cheap clone; informers live as long as the factory or whoever
/// holds them.
///
/// ```no_run
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::SharedInformerFactory;
///
/// # async fn f() -> Result<(), Box<dyn std::error::Error>> {
/// let client = kube::Client::try_default().await?;
/// let factory = SharedInformerFactory::builder(client).resync(Duration::from_secs(600)).build();
/// let pods = factory.informer::<Pod>();
/// let by_node = pods.add_index("node", |pod: &Pod| pod.spec.as_ref()?.node_name.clone())?;
/// factory.start()?;
/// factory.wait_for_sync(Duration::from_secs(30)).await?;
/// println!("{} pods on n1", by_node.len("n1"));
/// factory.shutdown().await;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct SharedInformerFactory {
    shared: Arc<Shared>,
}

struct Shared {
    client: Client,
    defaults: Defaults,
    permits: Arc<Semaphore>,
    informers: Mutex<HashMap<Identity, Arc<dyn AnyInformer>>>,
    /// The tasks of informers that were stopped, until they have ended.
    leaving: Mutex<Vec<TaskTracker>>,
    ended: Mutex<Ended>,
}

/// What the factory's end leaves behind, until an informer is asked for again.
#[derive(Default)]
struct Ended {
    /// Informers that still end.
    ending: Vec<Arc<dyn AnyInformer>>,
    /// The last look at those that have ended. Their stores are free.
    last: Vec<InformerStatus>,
}

#[derive(Clone)]
struct Defaults {
    name: Arc<str>,
    resync: Duration,
    namespace: Option<Arc<str>>,
    params: Vec<(String, String)>,
    streaming_list: bool,
    page_size: Option<u32>,
    object_limit: Option<usize>,
    memory_limit: Option<usize>,
    managed_fields: bool,
    freshness_limit: Option<Duration>,
    lists: usize,
    on_error: Option<ErrorHandler>,
}

/// What makes two requests for an informer the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Identity {
    object: TypeId,
    /// Group, version, resource.
    path: String,
    namespace: Option<Arc<str>>,
    labels: Option<String>,
    fields: Option<String>,
}

/// Options of a factory.
#[must_use]
pub struct SharedInformerFactoryBuilder {
    client: Client,
    defaults: Defaults,
}

impl SharedInformerFactoryBuilder {
    /// The name by which metrics, spans and the status speak of every informer that is not given
    /// one of its own: the program's, or the controller's. Empty unless set.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.defaults.name = name.into();
        self
    }

    /// How often handlers are told everything again; never unless set.
    pub fn resync(mut self, period: Duration) -> Self {
        self.defaults.resync = period;
        self
    }

    /// The namespace of every informer that does not ask for one of its own. Cluster-scoped types
    /// are not narrowed by it.
    pub fn namespace(mut self, namespace: impl Into<Arc<str>>) -> Self {
        self.defaults.namespace = Some(namespace.into());
        self
    }

    /// One more query parameter for every list and watch.
    pub fn param(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.defaults.params.push((name.into(), value.into()));
        self
    }

    /// Gets first states as streams (KEP-3157) rather than as lists.
    pub fn streaming_list(mut self, streaming: bool) -> Self {
        self.defaults.streaming_list = streaming;
        self
    }

    /// Lists in pages of so many objects.
    pub fn page_size(mut self, objects: u32) -> Self {
        self.defaults.page_size = Some(objects);
        self
    }

    /// How large one object may be, in bytes; 16 MiB unless set.
    pub fn object_limit(mut self, bytes: usize) -> Self {
        self.defaults.object_limit = Some(bytes);
        self
    }

    /// Refuses an object that would take more than this much memory decoded, in bytes; 64 MiB unless
    /// set: see [`ApiSource::memory_limit`].
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.defaults.memory_limit = Some(bytes);
        self
    }

    /// Whether objects keep their `metadata.managedFields`; they do unless told otherwise. Few
    /// controllers read them, and without them an object costs a fraction: see
    /// [`ApiSource::without_managed_fields`].
    pub fn managed_fields(mut self, keep: bool) -> Self {
        self.defaults.managed_fields = keep;
        self
    }

    /// Proves at least this often that each informer is current; see
    /// [`ReflectorOptions::freshness_limit`]. Unset: nothing more is asked for it.
    pub fn freshness_limit(mut self, limit: Duration) -> Self {
        self.defaults.freshness_limit = Some(limit);
        self
    }

    /// How many lists run at a time; 8 unless set. A server that comes back is asked by every
    /// informer at once.
    pub fn max_concurrent_lists(mut self, lists: usize) -> Self {
        self.defaults.lists = lists.max(1);
        self
    }

    /// Is called with each error of each informer. Unset: a warning in the log.
    pub fn on_error(mut self, handler: impl Fn(&SourceError) + Send + Sync + 'static) -> Self {
        self.defaults.on_error = Some(Arc::new(handler));
        self
    }

    /// The factory. Nothing is asked yet.
    pub fn build(self) -> SharedInformerFactory {
        let permits = Arc::new(Semaphore::new(self.defaults.lists));
        let shared = Shared {
            client: self.client,
            defaults: self.defaults,
            permits,
            informers: Mutex::default(),
            leaving: Mutex::default(),
            ended: Mutex::default(),
        };
        SharedInformerFactory { shared: Arc::new(shared) }
    }
}

impl SharedInformerFactory {
    /// A factory of this client's informers.
    ///
    /// A client with kube's default stack retries 429, 503 and 504 itself, up to 15 times, before
    /// an informer hears of them; `Config::default_retry = false` leaves that to the informer.
    pub fn builder(client: Client) -> SharedInformerFactoryBuilder {
        SharedInformerFactoryBuilder {
            client,
            defaults: Defaults {
                name: "".into(),
                resync: Duration::ZERO,
                namespace: None,
                params: Vec::new(),
                streaming_list: false,
                page_size: None,
                object_limit: None,
                memory_limit: None,
                managed_fields: true,
                freshness_limit: None,
                lists: LISTS,
                on_error: None,
            },
        }
    }

    /// The informer of every `K`: the same for all who ask, unless it was stopped.
    ///
    /// `K` is a type of `k8s-openapi`, a derived custom resource, a
    /// [`PartialObjectMeta`](kube::core::PartialObjectMeta), or a struct of one's own that inherits
    /// a resource and keeps only what is needed of it.
    ///
    /// Where the informer was asked for [with options](Self::informer_with) before, it is given with
    /// these. The log says so if one of them is a transform: the objects are less than the server's.
    pub fn informer<K>(&self) -> SharedInformer<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
        K::Scope: 'static,
    {
        self.get(self.narrowed(InformerSpec::new())).0
    }

    /// The informer of some `K`.
    ///
    /// ```
    /// # #[cfg(feature = "testing")] {
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # use kube_informer::{InformerSpec, SharedInformerFactory, testing::ApiServer};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    /// let shop = || InformerSpec::<Pod>::new().namespace("shop");
    /// let pods = factory.informer_with(shop().managed_fields(false))?;
    /// // The same informer: what is left unset does not matter.
    /// let same = factory.informer_with(shop())?;
    /// // It can't be another one for this caller.
    /// let refused = factory.informer_with(shop().managed_fields(true)).unwrap_err();
    /// assert!(refused.to_string().contains("managed_fields is false, asked for: true"));
    /// # Ok::<(), kube_informer::factory::SpecError>(()) }).unwrap();
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`SpecError::Conflict`] where the factory has this informer with other options,
    /// [`SpecError::NoEffect`] for a namespace where `K` is cluster-scoped.
    pub fn informer_with<K>(&self, spec: InformerSpec<K>) -> Result<SharedInformer<K>, SpecError>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
        K::Scope: 'static,
    {
        if spec.namespace.is_some() && is_cluster_scoped::<K>() {
            let reason = "the kind is cluster-scoped; leave the namespace out";
            return Err(self.no_effect::<K>(reason));
        }
        let (informer, differences) = self.get(self.narrowed(spec));
        unless_different(informer, differences)
    }

    /// A namespace that has no effect.
    fn no_effect<K>(&self, reason: &'static str) -> SpecError
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
    {
        let source = ApiSource::<K>::new(self.shared.client.clone());
        let resource = source.collection().resource.clone();
        SpecError::NoEffect { resource, option: "namespace", reason }
    }

    /// Narrows a spec without a namespace to the factory's, and says how its objects are asked for.
    fn narrowed<K>(
        &self,
        mut spec: InformerSpec<K>,
    ) -> Request<K, impl FnOnce() -> ApiSource<K> + use<K>>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
        K::Scope: 'static,
    {
        if spec.namespace.is_none() && !is_cluster_scoped::<K>() {
            spec.namespace.clone_from(&self.shared.defaults.namespace);
        }
        let client = self.shared.client.clone();
        Request { path: K::url_path(&(), None), spec, source: move || ApiSource::new(client) }
    }

    /// The informers of every `K` in some namespaces, as one.
    pub fn in_namespaces<K>(
        &self,
        namespaces: impl IntoIterator<Item = impl Into<Arc<str>>>,
    ) -> InformerGroup<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
        K::Scope: 'static,
    {
        let specs = namespaces.into_iter().map(|name| InformerSpec::new().namespace(name));
        InformerGroup::new(specs.map(|spec| self.get(self.narrowed(spec)).0))
    }

    /// The informers of some `K` in some namespaces, as one.
    ///
    /// # Errors
    /// Those of [`informer_with`](Self::informer_with); [`SpecError::NoEffect`] also for a namespace in
    /// the spec.
    pub fn in_namespaces_with<K>(
        &self,
        namespaces: impl IntoIterator<Item = impl Into<Arc<str>>>,
        spec: &InformerSpec<K>,
    ) -> Result<InformerGroup<K>, SpecError>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
        K::Scope: 'static,
    {
        if spec.namespace.is_some() {
            let reason = "each informer of the group has a namespace of its own; leave it out";
            return Err(self.no_effect::<K>(reason));
        }
        let specs = namespaces.into_iter().map(|namespace| spec.clone().namespace(namespace));
        let informers: Result<Vec<_>, _> = specs.map(|spec| self.informer_with(spec)).collect();
        Ok(InformerGroup::new(informers?))
    }

    /// The informer of every object of a resource that is known at run time only.
    pub fn dynamic(&self, resource: &ApiResource) -> SharedInformer<DynamicObject> {
        self.get(self.untyped(resource, InformerSpec::new())).0
    }

    /// The informer of some objects of a resource that is known at run time only. Its scope is not
    /// known here, so the factory's namespace does not narrow it: say it in the spec.
    ///
    /// # Errors
    /// [`SpecError::Conflict`] where the factory has this informer with other options.
    pub fn dynamic_with(
        &self,
        resource: &ApiResource,
        spec: InformerSpec<DynamicObject>,
    ) -> Result<SharedInformer<DynamicObject>, SpecError> {
        let (informer, differences) = self.get(self.untyped(resource, spec));
        unless_different(informer, differences)
    }

    fn untyped(
        &self,
        resource: &ApiResource,
        spec: InformerSpec<DynamicObject>,
    ) -> Request<DynamicObject, impl FnOnce() -> ApiSource<DynamicObject> + use<>> {
        let path = DynamicObject::url_path(resource, None);
        let (client, resource) = (self.shared.client.clone(), resource.clone());
        Request { path, spec, source: move || ApiSource::dynamic(client, resource) }
    }

    /// Finds or makes an informer. Returns also the options of the spec that are not the informer's.
    fn get<K: Resource + Send + Sync + 'static>(
        &self,
        request: Request<K, impl FnOnce() -> ApiSource<K>>,
    ) -> (SharedInformer<K>, Vec<OptionDifference>) {
        let Request { path, spec, source } = request;
        let identity = Identity {
            object: TypeId::of::<K>(),
            path,
            namespace: spec.namespace.clone(),
            labels: spec.labels.clone(),
            fields: spec.fields.clone(),
        };
        let mut informers = self.shared.informers.lock();
        let present = informers.get(&identity).filter(|informer| !informer.is_stopped());
        let present = present.and_then(|informer| informer.as_any().downcast_ref::<Held<K>>());
        if let Some(Held { informer, made }) = present.cloned() {
            drop(informers);
            if spec.transform.is_none() && made.transform.is_some() {
                let collection = informer.collection();
                tracing::warn!(
                    resource = &*collection.resource,
                    namespace = collection.namespace.as_deref(),
                    "this informer was asked for with a transform before: \
                     its objects can hold less than the server's"
                );
            }
            let differences = spec.differences(&made);
            return (informer, differences);
        }
        let held = self.shared.make(spec, source());
        let informer = held.informer.clone();
        let shared = Arc::downgrade(&self.shared);
        let left = identity.clone();
        informer.on_stop(move || {
            if let Some(shared) = shared.upgrade() {
                shared.leave(&left);
            }
        });
        self.shared.ended.lock().last.clear();
        let before = informers.insert(identity, Arc::new(held));
        drop(informers);
        // One that failed. Not dropped under the lock: it may hold closures of a user's.
        drop(before);
        (informer, Vec::new())
    }

    /// Starts every informer that was asked for and does not run yet. Again, after more were asked
    /// for, starts those.
    ///
    /// # Errors
    /// [`StartError::NoRuntime`] outside a tokio runtime.
    pub fn start(&self) -> Result<(), StartError> {
        for informer in self.informers() {
            match informer.start() {
                Ok(()) | Err(StartError::Stopped) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until every informer asked for has synced. Cancel safe; any number of tasks may wait.
    ///
    /// # Errors
    /// [`SyncError`] says which have not and why: what each is doing, and its last error. One that is
    /// stopped meanwhile is among them; one that was stopped before is not waited for.
    pub async fn wait_for_sync(&self, limit: Duration) -> Result<(), SyncError> {
        let start = Instant::now();
        let informers = self.informers();
        let waits = informers.iter().map(|informer| informer.wait(limit));
        SyncError::unless_none(join_all(waits).await.into_iter().flatten().collect(), start)
    }

    /// One look at every informer. O(informers and handlers).
    pub fn status(&self) -> FactoryStatus {
        let mut informers = self.informers();
        let ended = self.shared.ended.lock();
        informers.extend(missing(&informers, &ended.ending));
        let mut found = ended.last.clone();
        drop(ended);
        found.extend(informers.iter().map(|informer| informer.status()));
        FactoryStatus::new(found)
    }

    /// Stops every informer and waits until no task is left.
    pub async fn shutdown(&self) {
        let informers = self.begin_end();
        join_all(informers.iter().map(|informer| informer.shutdown())).await;
        self.end(&informers).await;
    }

    /// Stops every informer, delivers what waits in the backlogs for at most `limit`, then drops the
    /// rest. Says whether everything was delivered.
    pub async fn shutdown_and_drain(&self, limit: Duration) -> bool {
        let informers = self.begin_end();
        let drained = join_all(informers.iter().map(|informer| informer.drain(limit))).await;
        self.end(&informers).await;
        drained.into_iter().all(|drained| drained)
    }

    /// The informers to end, those included that end already.
    fn begin_end(&self) -> Vec<Arc<dyn AnyInformer>> {
        let mut informers = self.informers();
        let mut ended = self.shared.ended.lock();
        informers.extend(missing(&informers, &ended.ending));
        ended.ending.clone_from(&informers);
        informers
    }

    /// Waits until no task is left of what was stopped, and keeps the last look at these informers.
    async fn end(&self, informers: &[Arc<dyn AnyInformer>]) {
        let leaving = self.shared.leaving.lock().clone();
        join_all(leaving.iter().map(TaskTracker::wait)).await;
        if informers.is_empty() {
            return;
        }
        let last: Vec<_> = informers.iter().map(|informer| informer.status()).collect();
        let mut ended = self.shared.ended.lock();
        // Another call may have noted it.
        if !std::mem::take(&mut ended.ending).is_empty() {
            ended.last = last;
        }
    }

    fn informers(&self) -> Vec<Arc<dyn AnyInformer>> {
        self.shared.informers.lock().values().cloned().collect()
    }
}

impl Shared {
    /// Takes an informer out that was stopped; not one that was asked for since.
    fn leave(&self, identity: &Identity) {
        let mut informers = self.informers.lock();
        let stopped = informers.get(identity).is_some_and(|informer| informer.is_stopped());
        let left = if stopped { informers.remove(identity) } else { None };
        drop(informers);
        if let Some(left) = &left {
            let mut leaving = self.leaving.lock();
            leaving.retain(|tasks| !tasks.is_empty());
            leaving.push(left.tasks());
        }
    }

    fn make<K: Resource + Send + Sync + 'static>(
        &self,
        mut spec: InformerSpec<K>,
        mut source: ApiSource<K>,
    ) -> Held<K> {
        let defaults = &self.defaults;
        let name = spec.name.get_or_insert_with(|| defaults.name.clone()).clone();
        let resync = *spec.resync.get_or_insert(defaults.resync);
        let streaming = *spec.streaming_list.get_or_insert(defaults.streaming_list);
        let managed_fields = *spec.managed_fields.get_or_insert(defaults.managed_fields);
        let storage = spec.storage.get_or_insert_default().clone();
        spec.page_size = spec.page_size.or(defaults.page_size);
        if let Some(namespace) = &spec.namespace {
            source = source.namespace(namespace.clone());
        }
        if let Some(labels) = &spec.labels {
            source = source.labels(labels);
        }
        if let Some(fields) = &spec.fields {
            source = source.fields(fields);
        }
        for (name, value) in &defaults.params {
            source = source.param(name, value);
        }
        if let Some(bytes) = defaults.object_limit {
            source = source.object_limit(bytes);
        }
        if let Some(bytes) = defaults.memory_limit {
            source = source.memory_limit(bytes);
        }
        if let Some(trust) = spec.trust_versions {
            source = source.trust_versions(trust);
        }
        spec.trust_versions = Some(source.trusts_versions());
        if !managed_fields {
            source = source.without_managed_fields();
        }
        let mut reflector =
            ReflectorOptions::new().list_permits(self.permits.clone()).streaming_list(streaming);
        if let Some(objects) = spec.page_size {
            reflector = reflector.page_size(objects);
        }
        if let Some(limit) = defaults.freshness_limit {
            reflector = reflector.freshness_limit(limit);
        }
        if let Some(handler) = defaults.on_error.clone() {
            reflector = reflector.on_error(move |error| handler(error));
        }
        if let Some(transform) = spec.transform.clone() {
            reflector = reflector.transform(move |object| transform(object));
        }
        let options =
            InformerOptions::new().name(name).resync(resync).reflector(reflector).storage(storage);
        Held { informer: SharedInformer::new(Arc::new(source), options), made: spec }
    }
}

/// Those of `more` that are not among `some`.
fn missing(
    some: &[Arc<dyn AnyInformer>],
    more: &[Arc<dyn AnyInformer>],
) -> Vec<Arc<dyn AnyInformer>> {
    let missing = |one: &&Arc<dyn AnyInformer>| !some.iter().any(|other| Arc::ptr_eq(one, other));
    more.iter().filter(missing).cloned().collect()
}

/// One informer that is asked for.
struct Request<K, F> {
    /// Group, version, resource.
    path: String,
    spec: InformerSpec<K>,
    /// Makes its source, if there is no such informer yet.
    source: F,
}

fn is_cluster_scoped<K: Resource>() -> bool
where
    K::Scope: 'static,
{
    TypeId::of::<K::Scope>() == TypeId::of::<kube::core::ClusterResourceScope>()
}

fn unless_different<K: Resource + Send + Sync + 'static>(
    informer: SharedInformer<K>,
    differences: Vec<OptionDifference>,
) -> Result<SharedInformer<K>, SpecError> {
    if differences.is_empty() {
        return Ok(informer);
    }
    Err(SpecConflict { collection: informer.collection().clone(), differences }.into())
}

impl fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let informers: Vec<_> = self.shared.informers.lock().keys().cloned().collect();
        f.debug_struct("SharedInformerFactory")
            .field("informers", &informers)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for SharedInformerFactoryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformerFactoryBuilder").finish_non_exhaustive()
    }
}
