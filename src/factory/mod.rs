//! One informer for each thing that is asked for, however many ask.
//!
//! A [`SharedInformerFactory`] hands out informers, starts them, waits for them and stops them
//! together. Two controllers that need pods share one watch and one copy of the pods. It knows
//! informers only by their public face.

mod spec;
mod status;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, join_all};
use futures::{FutureExt, StreamExt, stream};
use kube::api::DynamicObject;
use kube::core::ApiResource;
use kube::{Client, Resource};
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;
use tokio::time::Instant;

pub use self::spec::InformerSpec;
pub use self::status::FactoryStatus;
use crate::error::SourceError;
use crate::informer::{
    InformerGroup, InformerOptions, InformerStatus, SharedInformer, StartError, SyncError, Unsynced,
};
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
    managed_fields: bool,
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

    /// Whether objects keep their `metadata.managedFields`; they do unless told otherwise. Few
    /// controllers read them, and without them an object costs a fraction: see
    /// [`ApiSource::without_managed_fields`].
    pub fn managed_fields(mut self, keep: bool) -> Self {
        self.defaults.managed_fields = keep;
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
                managed_fields: true,
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
    pub fn informer<K>(&self) -> SharedInformer<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
        K::Scope: 'static,
    {
        self.informer_with(InformerSpec::new())
    }

    /// The informer of some `K`.
    pub fn informer_with<K>(&self, spec: InformerSpec<K>) -> SharedInformer<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
        K::Scope: 'static,
    {
        let cluster = TypeId::of::<kube::core::ClusterResourceScope>();
        let namespaced = TypeId::of::<K::Scope>() != cluster;
        let client = self.shared.client.clone();
        self.get(K::url_path(&(), None), namespaced, spec, || ApiSource::new(client))
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
        self.in_namespaces_with(namespaces, &InformerSpec::new())
    }

    /// The informers of some `K` in some namespaces, as one. A namespace in the spec counts for
    /// nothing.
    pub fn in_namespaces_with<K>(
        &self,
        namespaces: impl IntoIterator<Item = impl Into<Arc<str>>>,
        spec: &InformerSpec<K>,
    ) -> InformerGroup<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
        K::Scope: 'static,
    {
        let specs = namespaces.into_iter().map(|namespace| spec.clone().namespace(namespace));
        InformerGroup::new(specs.map(|spec| self.informer_with(spec)))
    }

    /// The informer of every object of a resource that is known at run time only.
    pub fn dynamic(&self, resource: &ApiResource) -> SharedInformer<DynamicObject> {
        self.dynamic_with(resource, InformerSpec::new())
    }

    /// The informer of some objects of a resource that is known at run time only. Its scope is not
    /// known here, so the factory's namespace does not narrow it: say it in the spec.
    pub fn dynamic_with(
        &self,
        resource: &ApiResource,
        spec: InformerSpec<DynamicObject>,
    ) -> SharedInformer<DynamicObject> {
        let path = DynamicObject::url_path(resource, None);
        let client = self.shared.client.clone();
        self.get(path, false, spec, || ApiSource::dynamic(client, resource.clone()))
    }

    fn get<K: Resource + Send + Sync + 'static>(
        &self,
        path: String,
        narrowed: bool,
        mut spec: InformerSpec<K>,
        source: impl FnOnce() -> ApiSource<K>,
    ) -> SharedInformer<K> {
        if narrowed && spec.namespace.is_none() {
            spec.namespace.clone_from(&self.shared.defaults.namespace);
        }
        let identity = Identity {
            object: TypeId::of::<K>(),
            path,
            namespace: spec.namespace.clone(),
            labels: spec.labels.clone(),
            fields: spec.fields.clone(),
        };
        let mut informers = self.shared.informers.lock();
        let present = informers.get(&identity).filter(|informer| !informer.is_stopped());
        let present = present.and_then(|informer| informer.as_any().downcast_ref());
        if let Some(informer) = present {
            return SharedInformer::clone(informer);
        }
        let informer = self.shared.make(spec, source());
        informers.insert(identity, Arc::new(informer.clone()));
        informer
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
    /// [`SyncError`] says which have not and why: what each is doing, and its last error.
    pub async fn wait_for_sync(&self, limit: Duration) -> Result<(), SyncError> {
        let start = Instant::now();
        let informers = self.informers();
        let waits = informers.iter().map(|informer| informer.wait(limit));
        SyncError::unless_none(join_all(waits).await.into_iter().flatten().collect(), start)
    }

    /// One look at every informer. O(informers and handlers).
    pub fn status(&self) -> FactoryStatus {
        FactoryStatus::new(self.informers().iter().map(|informer| informer.status()).collect())
    }

    /// Stops every informer and waits until no task is left.
    pub async fn shutdown(&self) {
        join_all(self.informers().iter().map(|informer| informer.shutdown())).await;
    }

    /// Stops every informer, delivers what waits in the backlogs for at most `limit`, then drops the
    /// rest. Says whether everything was delivered.
    pub async fn shutdown_and_drain(&self, limit: Duration) -> bool {
        let informers = self.informers();
        let drained = join_all(informers.iter().map(|informer| informer.drain(limit))).await;
        stream::iter(drained).all(|drained| async move { drained }).await
    }

    fn informers(&self) -> Vec<Arc<dyn AnyInformer>> {
        self.shared.informers.lock().values().cloned().collect()
    }
}

impl Shared {
    fn make<K: Resource + Send + Sync + 'static>(
        &self,
        spec: InformerSpec<K>,
        mut source: ApiSource<K>,
    ) -> SharedInformer<K> {
        let defaults = &self.defaults;
        if let Some(namespace) = spec.namespace {
            source = source.namespace(namespace);
        }
        if let Some(labels) = spec.labels {
            source = source.labels(labels);
        }
        if let Some(fields) = spec.fields {
            source = source.fields(fields);
        }
        for (name, value) in &defaults.params {
            source = source.param(name, value);
        }
        if let Some(bytes) = defaults.object_limit {
            source = source.object_limit(bytes);
        }
        if let Some(trust) = spec.trust_versions {
            source = source.trust_versions(trust);
        }
        if !spec.managed_fields.unwrap_or(defaults.managed_fields) {
            source = source.without_managed_fields();
        }
        let mut reflector = ReflectorOptions::new()
            .list_permits(self.permits.clone())
            .streaming_list(spec.streaming_list.unwrap_or(defaults.streaming_list));
        if let Some(objects) = spec.page_size.or(defaults.page_size) {
            reflector = reflector.page_size(objects);
        }
        if let Some(handler) = defaults.on_error.clone() {
            reflector = reflector.on_error(move |error| handler(error));
        }
        if let Some(transform) = spec.transform {
            reflector = reflector.transform(move |object| transform(object));
        }
        let options = InformerOptions::new()
            .name(spec.name.unwrap_or_else(|| defaults.name.clone()))
            .resync(spec.resync.unwrap_or(defaults.resync))
            .reflector(reflector)
            .storage(spec.storage);
        SharedInformer::new(Arc::new(source), options)
    }
}

/// An informer of whatever.
trait AnyInformer: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn is_stopped(&self) -> bool;
    fn start(&self) -> Result<(), StartError>;
    /// Waits for the sync; why it did not come.
    fn wait(&self, limit: Duration) -> BoxFuture<'_, Vec<Unsynced>>;
    fn status(&self) -> InformerStatus;
    fn shutdown(&self) -> BoxFuture<'_, ()>;
    fn drain(&self, limit: Duration) -> BoxFuture<'_, bool>;
}

impl<K: Resource + Send + Sync + 'static> AnyInformer for SharedInformer<K> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped()
    }

    fn start(&self) -> Result<(), StartError> {
        self.ensure_started()
    }

    fn wait(&self, limit: Duration) -> BoxFuture<'_, Vec<Unsynced>> {
        let waited = self.wait_for_sync(limit);
        waited.map(|synced| synced.err().map_or_else(Vec::new, |error| error.unsynced)).boxed()
    }

    fn status(&self) -> InformerStatus {
        self.status()
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        self.shutdown().boxed()
    }

    fn drain(&self, limit: Duration) -> BoxFuture<'_, bool> {
        self.shutdown_and_drain(limit).boxed()
    }
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
