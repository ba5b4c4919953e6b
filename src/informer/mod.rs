//! One collection, kept in memory and told to handlers: the stages put together.
//!
//! A [`SharedInformer`] owns one reflector, one delta FIFO, one indexer and one processor, and the
//! tasks that move objects through them. Handles are cheap clones; when the last one is dropped
//! everything stops. An informer that was stopped never starts again.

mod group;
mod metrics;
mod options;
mod pipeline;
mod processing;
mod resync;
mod status;
mod sync;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kube::Resource;
use tokio::time::{Instant, timeout};
use tokio_util::sync::DropGuard;
use tokio_util::task::TaskTracker;

pub use self::group::{GroupIndex, InformerGroup};
pub use self::options::InformerOptions;
use self::pipeline::Pipeline;
pub use self::pipeline::{InformerFailure, InformerStopped, InformerTask, StartError};
pub use self::status::InformerStatus;
pub use self::sync::{SyncError, Unsynced};
use crate::indexer::{Index, IndexError, Indexer, NotReached, Snapshot};
use crate::lister::Lister;
use crate::lister_watcher::{Collection, ListerWatcher};
use crate::object::{CachedEvent, Event, FieldSet, ObjectKey, ResourceVersion};
use crate::panic::{Drops, read_for};
use crate::processor::{
    EventHandler, EventStream, FnHandler, HandlerOptions, HandlerRegistration, Tap, TapGuard,
};
use crate::reflector::ReflectorState;

/// A collection in memory, and its handlers.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::{sync::Arc, time::Duration};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::ObjectMeta;
/// use kube_informer::{testing::FakeSource, InformerOptions, SharedInformer};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let source = FakeSource::<ConfigMap>::new("configmaps", "ConfigMap");
/// let metadata = ObjectMeta { name: Some("a".into()), ..ObjectMeta::default() };
/// source.put(ConfigMap { metadata, ..ConfigMap::default() });
///
/// let informer = SharedInformer::new(Arc::new(source), InformerOptions::new());
/// informer.start()?;
/// informer.wait_for_sync(Duration::from_secs(5)).await?;
/// assert!(informer.lister().get("a").is_ok());
/// informer.shutdown().await;
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// # }
/// ```
pub struct SharedInformer<K> {
    pipeline: Arc<Pipeline<K>>,
    last: Arc<Last>,
}

/// Goes with the last handle; the tasks hold the pipeline, but not this.
struct Last {
    /// Stops everything.
    _stop: DropGuard,
    /// Is called when a handle stops the informer.
    on_stop: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl<K: Resource + Send + Sync + 'static> SharedInformer<K> {
    /// An informer of what `source` lists and watches; nothing is asked before
    /// [`start`](Self::start).
    pub fn new(source: Arc<dyn ListerWatcher<K>>, options: InformerOptions<K>) -> Self {
        let pipeline = Pipeline::new(source, options);
        let last = Last { _stop: pipeline.stop_guard(), on_stop: OnceLock::new() };
        Self { pipeline: Arc::new(pipeline), last: Arc::new(last) }
    }

    /// Starts the tasks on the present tokio runtime.
    ///
    /// # Errors
    /// [`StartError::AlreadyStarted`], [`StartError::Stopped`], or [`StartError::NoRuntime`] when
    /// called outside a runtime; nothing changes then.
    pub fn start(&self) -> Result<(), StartError> {
        self.pipeline.start()
    }

    /// Starts it unless it runs already.
    pub(crate) fn ensure_started(&self) -> Result<(), StartError> {
        match self.start() {
            Err(StartError::AlreadyStarted) => Ok(()),
            started => started,
        }
    }

    /// Calls `call` when a handle stops this informer. Only the first such call counts.
    pub(crate) fn on_stop(&self, call: impl Fn() + Send + Sync + 'static) {
        let _ = self.last.on_stop.set(Box::new(call));
    }

    fn stop(&self, drain: bool) {
        self.pipeline.stop(drain);
        if let Some(call) = self.last.on_stop.get() {
            call();
        }
    }

    /// The tasks of this informer.
    pub(crate) fn tasks(&self) -> TaskTracker {
        self.pipeline.tasks()
    }

    /// What this informer holds.
    pub fn collection(&self) -> &Collection {
        self.pipeline.collection()
    }

    /// Reads the objects. Works before the sync, too, on what is there by then.
    ///
    /// A lister does not keep the informer running. Once the last handle of that is dropped, the
    /// lister's answers get older and older, and [`Lister::is_stopped`] says so.
    pub fn lister(&self) -> Lister<K> {
        let collection = self.collection();
        let lister = Lister::new(self.pipeline.indexer().clone(), collection.resource.clone());
        lister.fed_by(self.pipeline.monitor())
    }

    /// The store itself.
    pub fn indexer(&self) -> &Indexer<K> {
        self.pipeline.indexer()
    }

    /// The store as of this moment.
    pub fn snapshot(&self) -> Snapshot<K> {
        self.indexer().snapshot()
    }

    /// Waits until the store's version is `version` or newer: to read what one wrote. See
    /// [`Indexer::wait_for`].
    ///
    /// # Errors
    /// [`NotReached`] when the time is over.
    pub async fn wait_for(
        &self,
        version: &ResourceVersion,
        limit: Duration,
    ) -> Result<Snapshot<K>, NotReached> {
        self.indexer().wait_for(version, limit).await
    }

    /// Adds an index: each object is filed under each value that `values` gives for it. Any time;
    /// what is stored is filed before this returns, on the caller's thread: O(n). Meanwhile
    /// the informer goes on, and the index is there when it is complete.
    ///
    /// `values` must not call back into this informer. If it panics for an object, that object is
    /// stored without values for this index, and the fault is counted and logged.
    ///
    /// # Errors
    /// [`IndexError::Duplicate`] when there is one of this name; nothing changes then.
    pub fn add_index<F, I>(&self, name: &str, values: F) -> Result<Index<K>, IndexError>
    where
        F: Fn(&K) -> I + Send + Sync + 'static,
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.indexer().add_index(name, values)
    }

    /// Adds an index as [`add_index`](Self::add_index) does, whose function looks at no other fields than
    /// these: what it gives must be the same where others are missing. [`FieldSet`] says how fields are
    /// named.
    ///
    /// In compact storage objects are then unpacked only so far to be filed: a tenth of the work, for a
    /// pod and its node. With `Storage::compact().check_on_arrival(false)` and only such
    /// indexes nothing more is decoded as it comes; but for the first few objects, of which `values` is
    /// shown the whole, too: where that makes a difference, the log says so and everything is decoded. In
    /// decoded storage `values` is shown all there is.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::{Index, IndexError, SharedInformer};
    ///
    /// fn by_node(pods: &SharedInformer<Pod>) -> Result<Index<Pod>, IndexError> {
    ///     let node = |pod: &Pod| pod.spec.as_ref()?.node_name.clone();
    ///     pods.add_index_on("node", ["spec.nodeName"], node)
    /// }
    /// ```
    ///
    /// # Errors
    /// [`IndexError::Duplicate`] when there is one of this name; nothing changes then.
    pub fn add_index_on<F, I>(
        &self,
        name: &str,
        fields: impl IntoIterator<Item: AsRef<str>>,
        values: F,
    ) -> Result<Index<K>, IndexError>
    where
        F: Fn(&K) -> I + Send + Sync + 'static,
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.indexer().add_index_on(name, &FieldSet::from_paths(fields), values)
    }

    /// Adds a handler. It is first told every stored object as added, then each change, with no
    /// gap and no repeat. O(1): what is stored is told from a moment of the store, as the handler
    /// gets to it.
    ///
    /// The informer keeps its handlers, so a handler that holds this informer keeps it running for
    /// ever, even after every other handle is dropped: only [`shutdown`](Self::shutdown), or the
    /// handler's removal, ends it. Give it a [`lister`](Self::lister) or an index instead.
    ///
    /// # Errors
    /// [`InformerStopped`].
    pub fn add_handler(
        &self,
        handler: impl EventHandler<K>,
    ) -> Result<HandlerRegistration, InformerStopped> {
        self.add_handler_with(handler, HandlerOptions::new())
    }

    /// Adds a handler with options of its own.
    ///
    /// # Errors
    /// [`InformerStopped`].
    pub fn add_handler_with(
        &self,
        handler: impl EventHandler<K>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, InformerStopped> {
        self.pipeline.add_handler(handler, options)
    }

    /// Adds a closure as a handler. One that captures this informer keeps it running: see
    /// [`add_handler`](Self::add_handler).
    ///
    /// # Errors
    /// [`InformerStopped`].
    pub fn on_event(
        &self,
        mut call: impl FnMut(Event<K>) + Send + 'static,
    ) -> Result<HandlerRegistration, InformerStopped> {
        self.on_cached_event(move |_, event| read_for(&event, &mut call))
    }

    /// Adds a closure as a handler of events as the cache holds them, each with its object's key.
    ///
    /// For a handler that needs no more than that key, and what a [`Cached`](crate::Cached) says
    /// as it is: uid, version, labels. It is told what one of [`on_event`](Self::on_event) is told,
    /// in the same order and merged alike.
    ///
    /// Where objects are [kept decoded](crate::Storage::decoded), both cost the same. Where they are
    /// [packed](crate::storage), `on_event` has the object unpacked for each call, of an update the old
    /// one, too, unless it is held unpacked; here nothing is unpacked but what the closure asks
    /// for, with [`Cached::get`](crate::Cached::get) or [`CachedEvent::read`]. What can't be unpacked is
    /// told here all the same.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::{CachedEvent, InformerStopped, ObjectKey, SharedInformer, WorkQueue};
    ///
    /// /// Queues the key of each pod that changes.
    /// fn follow(
    ///     pods: &SharedInformer<Pod>,
    ///     queue: WorkQueue<ObjectKey>,
    /// ) -> Result<(), InformerStopped> {
    ///     pods.on_cached_event(move |key, event| match event {
    ///         // A resync.
    ///         CachedEvent::Updated { old, new } if old.version() == new.version() => {}
    ///         _ => drop(queue.add(key.clone())),
    ///     })?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`InformerStopped`].
    pub fn on_cached_event(
        &self,
        call: impl FnMut(&ObjectKey, CachedEvent<K>) + Send + 'static,
    ) -> Result<HandlerRegistration, InformerStopped> {
        self.add_handler(FnHandler(call))
    }

    /// The events as a stream, for asynchronous code.
    ///
    /// # Errors
    /// [`InformerStopped`].
    pub fn events(&self) -> Result<EventStream<K>, InformerStopped> {
        self.events_with(HandlerOptions::new())
    }

    /// The events as a stream, with options of its own.
    ///
    /// # Errors
    /// [`InformerStopped`].
    pub fn events_with(&self, options: HandlerOptions) -> Result<EventStream<K>, InformerStopped> {
        self.pipeline.add_stream(options)
    }

    /// Adds a tap. Returns the store as of the moment from which the tap takes every change.
    pub(crate) fn tap(&self, tap: Tap<K>) -> Result<(TapGuard, Snapshot<K>), InformerStopped> {
        self.pipeline.tap(tap)
    }

    /// Returns the count of objects whose `Drop` panicked.
    pub(crate) fn drops(&self) -> &Drops {
        self.pipeline.drops()
    }

    /// Returns the period at which everything is told again, where there is one.
    pub(crate) fn default_resync(&self) -> Option<Duration> {
        self.pipeline.default_resync()
    }

    /// Returns whether a selector narrows what it holds.
    pub(crate) fn is_narrowed(&self) -> bool {
        self.pipeline.is_narrowed()
    }

    /// Waits until the informer stops. Cancel safe.
    pub(crate) async fn ended(&self) {
        self.pipeline.ended().await;
    }

    /// Whether the store holds what the first list gave.
    pub fn has_synced(&self) -> bool {
        self.pipeline.has_synced()
    }

    /// Waits until [`has_synced`](Self::has_synced). Cancel safe; any number of tasks may wait.
    ///
    /// # Errors
    /// [`SyncError`] says what this informer is doing instead and what its last error was: when the
    /// time is over, or at once when it was stopped.
    pub async fn wait_for_sync(&self, limit: Duration) -> Result<(), SyncError> {
        let start = Instant::now();
        match timeout(limit, self.pipeline.synced()).await {
            Ok(true) => Ok(()),
            _ => SyncError::unless_none(vec![self.unsynced()], start),
        }
    }

    /// Returns how old the store may be: the time since the newest proof that it has reached. `None`
    /// before anything is stored. See [`InformerStatus::freshness`].
    pub fn freshness(&self) -> Option<Duration> {
        self.pipeline.freshness()
    }

    /// Returns whether this informer has synced and its store is proved to be no older than `limit`.
    ///
    /// A watch that is refused, or silent, leaves the store readable and synced: only its age grows.
    ///
    /// ```
    /// use std::time::Duration;
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::SharedInformer;
    ///
    /// fn is_ready(pods: &SharedInformer<Pod>) -> bool {
    ///     pods.is_fresh(Duration::from_secs(180))
    /// }
    /// ```
    pub fn is_fresh(&self, limit: Duration) -> bool {
        self.has_synced() && self.freshness().is_some_and(|age| age <= limit)
    }

    /// Why this informer has not synced.
    pub(crate) fn unsynced(&self) -> Unsynced {
        let (mut status, failure) = (self.pipeline.reflector_status(), self.failure());
        if self.is_stopped() {
            // Also where it was stopped before it was started, or has not noticed yet.
            status.state = ReflectorState::Stopped;
        }
        Unsynced::new(self.collection().clone(), status, failure)
    }

    /// One look at everything.
    pub fn status(&self) -> InformerStatus {
        self.pipeline.status()
    }

    /// Whether it was stopped or failed: its store does not change any more, or will not soon.
    pub fn is_stopped(&self) -> bool {
        self.pipeline.is_stopped()
    }

    /// Waits until it was stopped or failed. Cancel safe; any number of tasks may wait.
    pub async fn stopped(&self) {
        self.pipeline.until_stopped().await;
    }

    /// Why it stopped without being asked to: one of its tasks panicked, or its runtime is gone.
    /// `None` while it runs, and where it was stopped.
    pub fn failure(&self) -> Option<InformerFailure> {
        self.pipeline.failure()
    }

    /// Stops, drops what waits in the backlogs, and waits until no task is left. Again is no error.
    ///
    /// Cancel safe: it stops in any case. The store stays readable as it was.
    pub async fn shutdown(&self) {
        self.stop(false);
        self.pipeline.stopped().await;
    }

    /// Stops asking, delivers what is queued and waits in the backlogs for at most `limit`, then
    /// drops the rest. Returns whether everything was delivered.
    ///
    /// Each call of a handler is through then, and each [stream](Self::events) gave its last event
    /// or was dropped. A stream that nobody polls keeps this waiting until `limit`.
    pub async fn shutdown_and_drain(&self, limit: Duration) -> bool {
        self.stop(true);
        let drained = timeout(limit, self.pipeline.drained()).await.is_ok();
        self.shutdown().await;
        drained && self.failure().is_none()
    }
}

impl<K> Clone for SharedInformer<K> {
    fn clone(&self) -> Self {
        Self { pipeline: self.pipeline.clone(), last: self.last.clone() }
    }
}

impl<K> fmt::Debug for SharedInformer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformer").field("pipeline", &self.pipeline).finish_non_exhaustive()
    }
}
