//! The informer: the stages of the pipeline put together, for one collection.
//!
//! A [`SharedInformer`] owns one reflector, one delta FIFO, one indexer and one processor, and the
//! tasks that move objects through them. Handles are cheap clones. When the last handle is dropped,
//! the informer stops. A factory holds a handle of each of its informers: see
//! [`SharedInformerFactory::remove`](crate::SharedInformerFactory::remove). A stopped informer
//! never starts again.

mod audit;
mod changes;
mod group;
mod hidden;
mod options;
mod pipeline;
mod resync;
pub(crate) mod set;
mod snapshots;
mod status;
pub(crate) mod sync;
mod tap;
mod view;
mod waiting;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kube::Resource;
use tokio::time::{Instant, timeout};
use tokio_util::sync::DropGuard;
use tokio_util::task::TaskTracker;

pub use self::audit::{Audit, HandlerDifference, NotJudged};
pub use self::changes::Changes;
pub use self::group::{GroupIndex, InformerGroup};
pub use self::options::InformerOptions;
use self::pipeline::Pipeline;
pub use self::pipeline::{InformerFailure, InformerStopped, StartError};
pub(crate) use self::set::InformerSet;
pub use self::snapshots::{Informers, snapshots};
pub use self::status::InformerStatus;
pub use self::sync::{SyncError, Unsynced};
pub(crate) use self::sync::{shutdown_all, wait_for_all, wait_for_own};
pub use self::view::ViewError;
pub use self::waiting::ConditionTimeout;
use crate::indexer::{Index, IndexError, Indexer, Snapshot, WaitTimeout};
use crate::lister::Lister;
use crate::lister_watcher::{AnySource, Collection, ListerWatcher};
use crate::object::{AnyObject, CachedEvent, Event, FieldSet, ObjectKey, ResourceVersion};
use crate::panic::call_decoded;
use crate::processor::{EventHandler, EventStream, HandlerOptions, HandlerRegistration};
use crate::reflector::ReflectorState;
pub use crate::time::ReadBarrier;

/// A collection in memory, kept up to date, with handlers that receive its changes.
///
/// A clone is a cheap handle to the same informer, and equal to it. The informer stops when its
/// last handle is dropped. A factory holds a handle, so its informers run until they are
/// [removed](crate::SharedInformerFactory::remove) or shut down.
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
/// let (namespace, name) = (Some("shop".into()), Some("a".into()));
/// let metadata = ObjectMeta { namespace, name, ..ObjectMeta::default() };
/// source.put(ConfigMap { metadata, ..ConfigMap::default() });
///
/// let informer = SharedInformer::new(Arc::new(source), InformerOptions::new());
/// informer.start()?;
/// informer.wait_for_sync(Duration::from_secs(5)).await?;
/// assert!(informer.lister().namespace("shop").get("a").is_ok());
/// informer.shutdown().await;
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// # }
/// ```
pub struct SharedInformer<K: ?Sized = dyn AnyObject> {
    pipeline: Arc<Pipeline>,
    /// The pipeline's store, with the type of its objects.
    indexer: Indexer<K>,
    last: Arc<Last>,
}

/// State that is dropped with the last handle. The tasks hold the pipeline, but not this.
struct Last {
    /// Stops all tasks when dropped.
    _stop: DropGuard,
    /// Called when a handle stops the informer.
    on_stop: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl<K: Resource + Send + Sync + 'static> SharedInformer<K> {
    /// Creates an informer of the objects that `source` lists and watches. It makes no request
    /// before [`start`](Self::start).
    pub fn new(source: Arc<dyn ListerWatcher<K>>, options: InformerOptions<K>) -> Self {
        Self::of_any(Arc::new(AnySource(source)), options)
    }

    /// Returns a lister that reads the objects. Before the sync it reads the objects stored so far.
    ///
    /// A lister does not keep the informer running. After the informer has stopped, the lister's
    /// answers become stale, and [`Lister::is_stopped`] returns true.
    pub fn lister(&self) -> Lister<K> {
        let collection = self.collection();
        let lister = Lister::new(self.indexer.clone(), collection.resource.clone());
        lister.fed_by(self.pipeline.monitor.clone(), self.pipeline.keeper.clone())
    }

    /// Adds an index that files each object under each value that `values` returns for it.
    ///
    /// An index can be added at any time. Stored objects are indexed on the caller's thread before
    /// this returns: O(n). The informer goes on meanwhile. The index becomes visible when it is
    /// complete.
    ///
    /// If objects change faster than `values` indexes them, changes finally wait: after 32 rounds
    /// of catching up, no change is stored while `values` runs. Readers never wait.
    ///
    /// `values` must not call back into this informer. If it panics for an object, that object is
    /// stored without values in this index, and the panic is counted and logged.
    ///
    /// # Errors
    /// [`IndexError::Duplicate`] if an index of this name exists. Nothing changes then.
    pub fn add_index<F, I>(&self, name: &str, values: F) -> Result<Index<K>, IndexError>
    where
        F: Fn(&K) -> I + Send + Sync + 'static,
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.indexer().add_index(name, values)
    }

    /// Adds an index like [`add_index`](Self::add_index), with a function that reads only these
    /// fields. `values` must return the same result when all other fields are missing. [`FieldSet`]
    /// describes how fields are named.
    ///
    /// In packed storage, indexing then unpacks only these fields: a tenth of the work for a pod
    /// and its node. With `Storage::packed().check_on_arrival(false)` and only such indexes,
    /// nothing else is decoded when an object arrives. The exception is the first few objects,
    /// which `values` also sees whole. If the results differ, a warning is logged and everything is
    /// decoded from then on. In decoded storage `values` always sees the whole object.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::indexer::IndexError;
    /// use kube_informer::{Index, SharedInformer};
    ///
    /// fn by_node(pods: &SharedInformer<Pod>) -> Result<Index<Pod>, IndexError> {
    ///     let node = |pod: &Pod| pod.spec.as_ref()?.node_name.clone();
    ///     pods.add_index_on("node", ["spec.nodeName"], node)
    /// }
    /// ```
    ///
    /// # Errors
    /// [`IndexError::Duplicate`] if an index of this name exists. Nothing changes then.
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

    /// Adds a handler. It first receives every stored object as an add, then each change, without
    /// gap or duplicate. O(1): a snapshot gives the stored objects while the handler receives them.
    ///
    /// The informer owns its handlers. A handler that holds this informer therefore keeps it
    /// running, even after every other handle is dropped. Only [`shutdown`](Self::shutdown), the
    /// factory, or the removal of the handler ends it then. Give the handler a
    /// [`lister`](Self::lister) or an index instead.
    ///
    /// # Errors
    /// [`InformerStopped`] if the informer was stopped.
    pub fn add_handler(
        &self,
        handler: impl EventHandler<K>,
    ) -> Result<HandlerRegistration, InformerStopped> {
        self.add_handler_with(handler, HandlerOptions::new())
    }

    /// Adds a handler with these options.
    ///
    /// # Errors
    /// [`InformerStopped`] if the informer was stopped.
    pub fn add_handler_with(
        &self,
        handler: impl EventHandler<K>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, InformerStopped> {
        let mut handler = handler;
        let call = move |key: &ObjectKey, event: CachedEvent| {
            handler.on_cached_event(key, event.cast());
        };
        self.pipeline.add_handler(Box::new(call), options, self.indexer.view())
    }

    /// Adds a closure as a handler. A closure that captures this informer keeps it running: see
    /// [`add_handler`](Self::add_handler).
    ///
    /// # Errors
    /// [`InformerStopped`] if the informer was stopped.
    pub fn on_event(
        &self,
        mut call: impl FnMut(Event<K>) + Send + 'static,
    ) -> Result<HandlerRegistration, InformerStopped> {
        self.on_cached_event(move |_, event| {
            call_decoded(&event, &mut call);
        })
    }

    /// Adds a closure as a handler of events in the form that the cache holds, each with its
    /// object's key.
    ///
    /// Use it for a handler that needs only the key and the parts that [`Cached`](crate::Cached)
    /// gives without unpacking: uid, version and labels. It receives the events of
    /// [`on_event`](Self::on_event), in the same order, merged in the same way. It also receives
    /// the states that cannot be unpacked, which `on_event` leaves out: see [`CachedEvent::read`].
    ///
    /// In [decoded storage](crate::Storage::decoded) both cost the same. In [packed
    /// storage](crate::storage), `on_event` unpacks the object for each call, and for an update
    /// also the old object, unless they are held decoded. This method unpacks only the objects that
    /// the closure requests with [`Cached::get`](crate::Cached::get) or [`CachedEvent::read`].
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::informer::InformerStopped;
    /// use kube_informer::{CachedEvent, ObjectKey, SharedInformer, WorkQueue};
    ///
    /// /// Queues the key of each pod that changes.
    /// fn follow(
    ///     pods: &SharedInformer<Pod>,
    ///     queue: WorkQueue<ObjectKey>,
    /// ) -> Result<(), InformerStopped> {
    ///     pods.on_cached_event(move |key, event| match event {
    ///         // A resync.
    ///         CachedEvent::Updated { old, new } if old.ptr_eq(&new) => {}
    ///         _ => drop(queue.add(key.clone())),
    ///     })?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`InformerStopped`] if the informer was stopped.
    pub fn on_cached_event(
        &self,
        mut call: impl FnMut(&ObjectKey, CachedEvent<K>) + Send + 'static,
    ) -> Result<HandlerRegistration, InformerStopped> {
        let call = move |key: &ObjectKey, event: CachedEvent| call(key, event.cast());
        let options = HandlerOptions::new();
        self.pipeline.add_handler(Box::new(call), options, self.indexer.view())
    }

    /// Returns the events as a stream, for asynchronous code.
    ///
    /// # Errors
    /// [`InformerStopped`] if the informer was stopped.
    pub fn events(&self) -> Result<EventStream<K>, InformerStopped> {
        self.events_with(HandlerOptions::new())
    }

    /// Returns the events as a stream, with these options.
    ///
    /// # Errors
    /// [`InformerStopped`] if the informer was stopped.
    pub fn events_with(&self, options: HandlerOptions) -> Result<EventStream<K>, InformerStopped> {
        self.pipeline.add_stream(options, self.indexer.view())
    }
}

impl<K: ?Sized> SharedInformer<K> {
    /// Creates an informer of a source whose objects have no static type.
    pub(crate) fn of_any(source: Arc<dyn ListerWatcher>, options: InformerOptions<K>) -> Self {
        let pipeline = Arc::new(Pipeline::new(source, options.erase()));
        let last = Last { _stop: pipeline.stop_guard(), on_stop: OnceLock::new() };
        let indexer = pipeline.indexer.clone().cast();
        Self { pipeline, indexer, last: Arc::new(last) }
    }

    /// Starts the informer's tasks on the current tokio runtime, unless they already run.
    ///
    /// # Errors
    /// [`StartError::Stopped`] if the informer was stopped, [`StartError::InvalidName`] if nothing
    /// can have a name that its source was given, or [`StartError::NoRuntime`] if called outside a
    /// tokio runtime. Nothing changes then.
    pub fn start(&self) -> Result<(), StartError> {
        self.pipeline.start()
    }

    /// Sets a function to call when a handle stops this informer. Later calls have no effect.
    pub(crate) fn on_stop(&self, call: impl Fn() + Send + Sync + 'static) {
        let _ = self.last.on_stop.set(Box::new(call));
    }

    /// Stops the informer without waiting for its tasks.
    pub(crate) fn stop(&self, drain: bool) {
        self.pipeline.stop(drain);
        if let Some(call) = self.last.on_stop.get() {
            call();
        }
    }

    /// Returns the tasks of this informer.
    pub(crate) fn tasks(&self) -> TaskTracker {
        self.pipeline.tasks()
    }

    /// Returns the collection that this informer holds.
    pub fn collection(&self) -> &Collection {
        &self.pipeline.collection
    }

    /// Returns the store.
    pub fn indexer(&self) -> &Indexer<K> {
        &self.indexer
    }

    /// Returns a snapshot of the store at this moment. O(1).
    pub fn snapshot(&self) -> Snapshot<K> {
        self.indexer().snapshot()
    }

    /// Returns the objects that an earlier run has kept, until the first list is stored. They show
    /// a past state of the collection, whose version the snapshot states.
    ///
    /// `None` without [kept caches](crate::warm), before the informer has read its table, and after
    /// the first list.
    pub fn provisional(&self) -> Option<Snapshot<K>> {
        Some(self.pipeline.kept.as_ref()?.snapshot()?.through(self.indexer.view()))
    }

    /// Waits until the store's version is `version` or newer, for at most `limit`. Use it to read
    /// your own writes. Cancel safe. See [`Indexer::wait_for`].
    ///
    /// # Errors
    /// [`WaitTimeout`] after `limit`, or at once if the informer was stopped.
    pub async fn wait_for(
        &self,
        version: &ResourceVersion,
        limit: Duration,
    ) -> Result<Snapshot<K>, WaitTimeout> {
        self.indexer().wait_for(version, limit).await
    }

    /// Returns whether the program does not hold the informer itself, so that readiness does not
    /// wait for it: only sets hold it, or its last guard was dropped.
    pub(crate) fn is_of_set(&self) -> bool {
        self.pipeline.is_of_set()
    }

    /// Returns whether the store holds the first list.
    pub fn has_synced(&self) -> bool {
        self.pipeline.has_synced()
    }

    /// Waits until [`has_synced`](Self::has_synced) is true, for at most `limit`. Cancel safe. Any
    /// number of tasks may wait.
    ///
    /// # Errors
    /// [`SyncError`] contains the state of this informer and its last error. It is returned after
    /// `limit`, or at once if the informer was stopped before its first list.
    pub async fn wait_for_sync(&self, limit: Duration) -> Result<(), SyncError> {
        let start = Instant::now();
        match timeout(limit, self.pipeline.synced()).await {
            Ok(true) => Ok(()),
            _ => SyncError::unless_none(vec![self.unsynced()], start),
        }
    }

    /// Returns the upper bound of the store's age: the time since the newest proof that the store
    /// has reached. `None` before anything is stored. See [`InformerStatus::freshness`].
    pub fn freshness(&self) -> Option<Duration> {
        self.pipeline.freshness()
    }

    /// Returns whether this informer has synced and its store is proved to be no older than
    /// `limit`.
    ///
    /// If the watch is refused or silent, the store stays readable and synced, and only its age
    /// grows.
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

    /// Returns the reason why this informer has not synced.
    #[doc(hidden)]
    pub fn unsynced(&self) -> Unsynced {
        let (mut status, failure) = (self.pipeline.reflector_status(), self.failure());
        if self.is_stopped() {
            // The reflector may not have started, or may not have noticed the stop yet.
            status.state = ReflectorState::Stopped;
        }
        let of = (self.pipeline.origin.name.clone(), self.collection().clone());
        Unsynced::new(of, status, failure, self.has_synced())
    }

    /// Returns the status of the informer, its reflector and its handlers. O(handlers).
    pub fn status(&self) -> InformerStatus {
        self.pipeline.status()
    }

    /// Returns whether the informer was stopped or failed. Its store no longer changes, except for
    /// changes that are already being processed.
    pub fn is_stopped(&self) -> bool {
        self.pipeline.is_stopped()
    }

    /// Waits until the informer was stopped or failed. Cancel safe. Any number of tasks may wait.
    pub async fn stopped(&self) {
        self.pipeline.stopped().await;
    }

    /// Returns why the informer failed: one of its tasks panicked, or its runtime was shut down.
    /// `None` while it runs, and if it was stopped on request.
    pub fn failure(&self) -> Option<InformerFailure> {
        self.pipeline.failure()
    }

    /// Stops the informer, drops the waiting events, and waits until no task is left. Stopping it
    /// twice is no error.
    ///
    /// Cancel safe: the informer stops even if this future is dropped after its first poll. The
    /// store stays readable as it was.
    pub async fn shutdown(&self) {
        self.stop(false);
        self.pipeline.tasks_ended().await;
    }

    /// Stops the reflector, delivers the queued changes and the waiting events for at most `limit`,
    /// and drops the rest. Returns whether everything was delivered.
    ///
    /// When this returns, each handler call has ended, and each [stream](Self::events) has given
    /// its last event or was dropped. A stream that is not polled makes this wait until `limit`.
    pub async fn shutdown_with_drain(&self, limit: Duration) -> bool {
        self.stop(true);
        let drained = timeout(limit, self.pipeline.drained()).await.is_ok();
        self.shutdown().await;
        drained && self.failure().is_none()
    }

    /// Returns a handle of the same informer with another type of objects.
    #[doc(hidden)]
    pub fn cast<L: ?Sized>(self) -> SharedInformer<L> {
        SharedInformer { pipeline: self.pipeline, indexer: self.indexer.cast(), last: self.last }
    }
}

impl<K: ?Sized> Clone for SharedInformer<K> {
    fn clone(&self) -> Self {
        Self {
            pipeline: self.pipeline.clone(),
            indexer: self.indexer.clone(),
            last: self.last.clone(),
        }
    }
}

/// Handles of one informer are equal, whatever the types of their objects are.
impl<K: ?Sized, L: ?Sized> PartialEq<SharedInformer<L>> for SharedInformer<K> {
    fn eq(&self, other: &SharedInformer<L>) -> bool {
        Arc::ptr_eq(&self.pipeline, &other.pipeline)
    }
}

impl<K: ?Sized> Eq for SharedInformer<K> {}

impl<K: ?Sized> Hash for SharedInformer<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.pipeline).hash(state);
    }
}

impl<K: ?Sized> fmt::Debug for SharedInformer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformer").field("pipeline", &self.pipeline).finish_non_exhaustive()
    }
}
