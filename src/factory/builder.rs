//! The builder of a factory.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::sync::Semaphore;

use super::SharedInformerFactory;
use super::registry::Shared;
use crate::error::SourceError;
use crate::reflector::ErrorHandler;
#[cfg(doc)]
use crate::reflector::ReflectorOptions;
use crate::sync::Mutex;
#[cfg(doc)]
use crate::transport::ApiSource;

/// The default number of concurrent lists: enough to keep a server busy, too few to overload one
/// that just came back.
const LISTS: usize = 8;

/// The options that a factory gives to its informers.
#[derive(Clone)]
pub(super) struct Defaults {
    pub(super) name: Arc<str>,
    pub(super) resync: Duration,
    pub(super) namespace: Option<Arc<str>>,
    pub(super) params: Vec<(String, String)>,
    pub(super) streaming_list: bool,
    pub(super) page_size: Option<u32>,
    pub(super) object_limit: Option<usize>,
    pub(super) memory_limit: Option<usize>,
    pub(super) managed_fields: bool,
    pub(super) freshness_limit: Option<Duration>,
    pub(super) lists: usize,
    pub(super) on_error: Option<ErrorHandler>,
}

/// A builder of a [`SharedInformerFactory`].
///
/// ```no_run
/// use std::time::Duration;
/// use kube_informer::SharedInformerFactory;
///
/// # async fn f() -> Result<(), kube::Error> {
/// let factory = SharedInformerFactory::builder(kube::Client::try_default().await?)
///     .name("my-controller")
///     .namespace("shop")
///     .resync(Duration::from_secs(600))
///     .managed_fields(false)
///     .build();
/// # Ok(()) }
/// ```
#[must_use]
pub struct SharedInformerFactoryBuilder {
    client: Client,
    defaults: Defaults,
}

impl SharedInformerFactoryBuilder {
    pub(super) fn new(client: Client) -> Self {
        let defaults = Defaults {
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
        };
        Self { client, defaults }
    }

    /// Sets the name of all informers in metrics, spans and the status, except those whose spec has
    /// a name. Use the name of the program or the controller. Empty unless set.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.defaults.name = name.into();
        self
    }

    /// Sets the period after which handlers receive every stored object again, as an update. Never
    /// unless set; zero means never.
    pub fn resync(mut self, period: Duration) -> Self {
        self.defaults.resync = period;
        self
    }

    /// Sets the namespace of all informers whose spec has none. All namespaces unless set. It does
    /// not apply to cluster-scoped types or to [dynamic](SharedInformerFactory::dynamic) informers.
    pub fn namespace(mut self, namespace: impl Into<Arc<str>>) -> Self {
        self.defaults.namespace = Some(namespace.into());
        self
    }

    /// Adds a query parameter to every list and watch.
    pub fn param(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.defaults.params.push((name.into(), value.into()));
        self
    }

    /// Sets whether to fetch first states as streams (KEP-3157) instead of lists. Off unless set.
    pub fn streaming_list(mut self, streaming: bool) -> Self {
        self.defaults.streaming_list = streaming;
        self
    }

    /// Sets the number of objects in a page of a list. See [`ReflectorOptions::page_size`] for the
    /// default.
    pub fn page_size(mut self, objects: u32) -> Self {
        self.defaults.page_size = Some(objects);
        self
    }

    /// Sets the size limit of one encoded object, in bytes. 16 MiB unless set: see
    /// [`ApiSource::object_limit`].
    pub fn object_limit(mut self, bytes: usize) -> Self {
        self.defaults.object_limit = Some(bytes);
        self
    }

    /// Sets the memory limit of one decoded object, in bytes. A larger object is refused. Four
    /// times [`object_limit`](Self::object_limit) unless set, and at least 64 MiB: see
    /// [`ApiSource::memory_limit`].
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.defaults.memory_limit = Some(bytes);
        self
    }

    /// Sets whether objects keep their `metadata.managedFields`. They do unless set. Few
    /// controllers read them, and without them an object takes a fraction of the memory: see
    /// [`ApiSource::without_managed_fields`].
    pub fn managed_fields(mut self, keep: bool) -> Self {
        self.defaults.managed_fields = keep;
        self
    }

    /// Sets the longest time in which an informer is not proved to be current: see
    /// [`ReflectorOptions::freshness_limit`]. Unless set, no additional requests are made for this.
    pub fn freshness_limit(mut self, limit: Duration) -> Self {
        self.defaults.freshness_limit = Some(limit);
        self
    }

    /// Sets the number of lists that run at a time. 8 unless set; at least one. The limit protects
    /// a server that comes back, because every informer lists it at once.
    pub fn max_concurrent_lists(mut self, lists: usize) -> Self {
        self.defaults.lists = lists.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// Sets a function that is called with each error of each informer. Unless set, errors are
    /// logged as warnings.
    pub fn on_error(mut self, handler: impl Fn(&SourceError) + Send + Sync + 'static) -> Self {
        self.defaults.on_error = Some(Arc::new(handler));
        self
    }

    /// Builds the factory. This makes no request.
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

impl fmt::Debug for SharedInformerFactoryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformerFactoryBuilder").finish_non_exhaustive()
    }
}
