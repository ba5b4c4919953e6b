//! The builder of a factory.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::sync::Semaphore;

use super::SharedInformerFactory;
use super::registry::Registry;
use super::settings::{Settings, setters};
use crate::sync::Mutex;
use crate::time::CENTURY;
use crate::transport::DecodeThreads;
use crate::warm::{ClusterStore, WarmStore};

/// The default number of concurrent lists: enough to keep a server busy, too few to overload one
/// that just came back.
const LISTS: usize = 8;

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
///     .page_size(1_000)
///     .build();
/// # Ok(()) }
/// ```
#[must_use]
pub struct SharedInformerFactoryBuilder {
    client: Client,
    settings: Settings,
    namespace: Option<Arc<str>>,
    params: Vec<(String, String)>,
    lists: usize,
    audits: Option<Duration>,
    warm: Option<Arc<dyn WarmStore>>,
    decode_threads: Option<NonZeroUsize>,
    /// The threads and the reads at a time that several factories share.
    shared: Option<(Arc<DecodeThreads>, Arc<Semaphore>)>,
}

impl SharedInformerFactoryBuilder {
    pub(super) fn new(client: Client) -> Self {
        let settings = Settings::of_factory();
        Self {
            client,
            settings,
            namespace: None,
            params: Vec::new(),
            lists: LISTS,
            audits: None,
            warm: None,
            decode_threads: None,
            shared: None,
        }
    }

    /// Shares threads and a limit with other factories. They replace its own threads.
    #[doc(hidden)]
    pub fn sharing(mut self, threads: Arc<DecodeThreads>, reads: Arc<Semaphore>) -> Self {
        self.shared = Some((threads, reads));
        self
    }

    /// Sets the namespace of all informers whose spec has none. All namespaces unless set. It does
    /// not apply to cluster-scoped types or to [dynamic](SharedInformerFactory::dynamic) informers.
    ///
    /// It must be an RFC 1123 label, which an empty text is not. With any other text, an
    /// informer with options is [refused](crate::factory::SpecError::Name), and others do not
    /// [start](crate::informer::StartError::InvalidName).
    pub fn namespace(mut self, namespace: impl Into<Arc<str>>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Adds a query parameter to every list and watch. With one that informers set themselves, such
    /// as `limit` or `labelSelector`, they do not [start](crate::informer::StartError::InvalidName).
    pub fn param(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.params.push((name.into(), value.into()));
        self
    }

    /// Sets the number of concurrent lists. 8 unless set; at least one. The limit protects a server
    /// that comes back, because every informer then lists at once. A list that the server was too
    /// busy for (429) counts for a random part of the `Retry-After`, up to 5 s. While a list that
    /// only proves the watch current waits for its turn, the watch goes on.
    pub fn max_concurrent_lists(mut self, lists: usize) -> Self {
        self.lists = lists.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// Audits each informer once per interval, one after the other. Off unless set.
    ///
    /// Each [audit](crate::SharedInformer::audit) lists the metadata of a collection. What it found
    /// is in the [status](crate::InformerStatus::audit), in a metric and, if something differs, in a
    /// warning. [`start`](SharedInformerFactory::start) starts the audits. The interval is varied by
    /// a tenth; at least a second.
    pub fn audit_every(mut self, interval: Duration) -> Self {
        self.audits = Some(interval.clamp(Duration::from_secs(1), CENTURY));
        self
    }

    /// Keeps the objects of informers in this store for the next start. Experimental: see
    /// [`warm`](crate::warm).
    ///
    /// The store keeps only objects that informers store as the server sent them: no Secrets, and
    /// no objects of an informer with a transform.
    pub fn warm(mut self, store: impl WarmStore) -> Self {
        self.warm = Some(Arc::new(store));
        self
    }

    /// Sets the largest number of threads that decode objects. All informers of the factory share
    /// them. Unless set, this is the number of the runtime's workers, up to 4.
    ///
    /// The threads belong to the factory, so the runtime's workers stay free for other tasks. With
    /// 1, and on a runtime of one worker, each informer decodes in its own task.
    pub fn decode_threads(mut self, threads: NonZeroUsize) -> Self {
        self.decode_threads = Some(threads);
        self
    }

    /// Builds the factory. This makes no request.
    pub fn build(self) -> SharedInformerFactory {
        let permits = Arc::new(Semaphore::new(self.lists));
        let (decode_threads, reads) = match self.shared {
            Some((decode_threads, reads)) => (decode_threads, Some(reads)),
            None => (Arc::new(DecodeThreads::new(self.decode_threads)), None),
        };
        let shared = Registry {
            client: self.client,
            defaults: self.settings,
            namespace: self.namespace,
            params: self.params,
            audits: self.audits,
            warm: self.warm.map(|store| Arc::new(ClusterStore::new(store))),
            permits,
            reads,
            decode_threads,
            informers: Mutex::default(),
            leaving: Mutex::default(),
            ended: Mutex::default(),
            sets: Mutex::default(),
            set_needs: Mutex::default(),
        };
        SharedInformerFactory { shared: Arc::new(shared) }
    }
}

setters!(impl SharedInformerFactoryBuilder);

impl fmt::Debug for SharedInformerFactoryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformerFactoryBuilder").finish_non_exhaustive()
    }
}
