//! How a reflector is to go about it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::backoff::BackoffPolicy;
use crate::error::SourceError;
use crate::metrics::MetricLabels;
use crate::object::{AsDecoded, KnownObjects, Pack};

/// What is called with each error.
pub type ErrorHandler = Arc<dyn Fn(&SourceError) + Send + Sync>;

/// What changes each object before anything keeps it.
pub type Transform<K> = Arc<dyn Fn(&mut K) + Send + Sync>;

/// Options of a reflector.
#[must_use]
#[non_exhaustive]
pub struct ReflectorOptions<K> {
    pub(super) page_size: Option<u32>,
    pub(super) streaming: bool,
    pub(super) internal_error_window: Duration,
    pub(super) list_patience: Duration,
    pub(super) initial_events_patience: Duration,
    pub(super) watch_margin: Duration,
    pub(super) freshness_limit: Option<Duration>,
    pub(super) backoff: Option<Box<dyn BackoffPolicy>>,
    pub(super) on_error: ErrorHandler,
    pub(super) transform: Option<Transform<K>>,
    pub(super) known: Option<Arc<dyn KnownObjects<K>>>,
    pub(super) pack: Arc<dyn Pack<K>>,
    pub(super) list_permits: Option<Arc<Semaphore>>,
    pub(super) seed: Option<u64>,
    pub(super) metrics: MetricLabels,
}

impl<K> ReflectorOptions<K> {
    /// client-go's rules, with errors going to the log.
    pub fn new() -> Self {
        Self {
            page_size: None,
            streaming: false,
            internal_error_window: Duration::from_secs(30),
            list_patience: Duration::from_secs(90),
            initial_events_patience: Duration::from_secs(30),
            watch_margin: Duration::from_secs(30),
            freshness_limit: None,
            backoff: None,
            on_error: Arc::new(|error| tracing::warn!(%error, "reflector")),
            transform: None,
            known: None,
            pack: Arc::new(AsDecoded),
            list_permits: None,
            seed: None,
            metrics: MetricLabels::default(),
        }
    }

    /// Lists in pages of so many objects. Unset: pages of 500 where the storage is asked, one
    /// piece where a cache is.
    pub fn page_size(mut self, objects: u32) -> Self {
        self.page_size = Some(objects.max(1));
        self
    }

    /// Gets the first state as a stream (KEP-3157) rather than as a list. Each falls back to the
    /// other.
    pub fn streaming_list(mut self, streaming: bool) -> Self {
        self.streaming = streaming;
        self
    }

    /// For how long a watch that ends with an internal error (500) is reopened where it was before
    /// everything is listed anew. 30 s unless set; zero is client-go's default.
    pub fn internal_error_window(mut self, window: Duration) -> Self {
        self.internal_error_window = window;
        self
    }

    /// Sets how long a list may bring nothing before the reflector gives it up. 90 s unless set: longer
    /// than the 60 s after which an API server itself gives up. [`Duration::MAX`] is for ever.
    pub fn list_patience(mut self, patience: Duration) -> Self {
        self.list_patience = patience;
        self
    }

    /// How long a streaming list may bring no new object before a plain list is asked. 30 s unless
    /// set. After ten times as long a plain list is asked in any case.
    pub fn initial_events_patience(mut self, patience: Duration) -> Self {
        self.initial_events_patience = patience;
        self
    }

    /// How long past its time a watch may stay open before it is taken for dead, and how long
    /// opening one may take. 30 s unless set.
    pub fn watch_margin(mut self, margin: Duration) -> Self {
        self.watch_margin = margin;
        self
    }

    /// Bounds how old the data may be, while the server answers. The reflector proves at least this often
    /// that its watch is current, or lists everything again. Unset: events, bookmarks and lists are the
    /// only proofs, and nothing more is asked.
    ///
    /// Where half of the limit passes without an event or a bookmark, a list of one item is asked of
    /// a quorum. A watch that has reached that list's version is current. A watch that does not reach
    /// it within the other half is given up, and everything is listed from a quorum
    /// ([`RelistCause::Unproven`](super::RelistCause::Unproven)). So data
    /// older than the limit is replaced by a new list as soon as the server answers.
    ///
    /// API servers send a bookmark each minute: with a limit of two minutes or more they are rarely
    /// asked. Without bookmarks, writes to other resources can move the quorum's version ahead of a
    /// quiet collection's; the limit is then the period of full lists. Below two seconds it is two.
    pub fn freshness_limit(mut self, limit: Duration) -> Self {
        self.freshness_limit = Some(limit.max(Duration::from_secs(2)));
        self
    }

    /// The delays between failures.
    pub fn backoff(mut self, policy: impl BackoffPolicy) -> Self {
        self.backoff = Some(Box::new(policy));
        self
    }

    /// Is called with each error, in the reflector's task: errors of requests, broken watches,
    /// objects that can't be decoded. Unset: a warning in the log.
    pub fn on_error(mut self, handler: impl Fn(&SourceError) + Send + Sync + 'static) -> Self {
        self.on_error = Arc::new(handler);
        self
    }

    /// Changes each object once, before it is queued or stored: to drop what nobody reads. It must
    /// leave name, namespace, uid and resourceVersion alone. Where it panics the object counts as
    /// undecodable.
    pub fn transform(mut self, transform: impl Fn(&mut K) + Send + Sync + 'static) -> Self {
        self.transform = Some(Arc::new(transform));
        self
    }

    /// Limits concurrent lists through a shared semaphore.
    pub fn list_permits(mut self, permits: Arc<Semaphore>) -> Self {
        self.list_permits = Some(permits);
        self
    }

    /// Whom to ask for what is known: a list's item that equals it is dropped for it at once.
    pub fn known(mut self, known: Arc<dyn KnownObjects<K>>) -> Self {
        self.known = Some(known);
        self
    }

    /// How objects are kept, after the transform. As they are unless set.
    pub fn pack(mut self, pack: Arc<dyn Pack<K>>) -> Self {
        self.pack = pack;
        self
    }

    /// Makes the watch timeouts and jitters of two runs the same.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Publishes metrics under these labels.
    pub(crate) fn metrics(mut self, labels: MetricLabels) -> Self {
        self.metrics = labels;
        self
    }
}

impl<K> Default for ReflectorOptions<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> fmt::Debug for ReflectorOptions<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReflectorOptions")
            .field("page_size", &self.page_size)
            .field("streaming", &self.streaming)
            .finish_non_exhaustive()
    }
}
