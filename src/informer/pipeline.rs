//! The stages of one informer, and the tasks between them.

mod barrier;
mod lifecycle;
mod processing;
mod supervision;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::lifecycle::{Idle, Lifecycle};
pub use self::lifecycle::{InformerStopped, StartError};
pub use self::supervision::InformerFailure;
use super::resync::ResyncClock;
use super::status::InformerMetrics;
use super::{Audit, InformerOptions, InformerStatus};
use crate::delta_fifo::DeltaFifo;
use crate::indexer::{Indexer, Objects, Snapshot};
use crate::lister_watcher::{Collection, ListerWatcher};
use crate::metrics::Origin;
use crate::object::{CachedEvent, KnownObjects, ShardSelector};
use crate::packer::Packer;
use crate::panic::{SafeDrop, SafeDropEvent, SafeDropper, drop_safely};
use crate::processor::{
    EventStream, HandlerCall, HandlerOptions, HandlerRegistration, HandlerStatus, HeldUpBy,
    SharedProcessor, Tap, TapEvents, TapSource,
};
use crate::reflector::{Reflector, ReflectorMonitor, ReflectorState, ReflectorStatus};
use crate::storage::{Keeper, View};
use crate::sync::Mutex;
use crate::time::ReadBarrier;
use crate::warm::{Kept, KnownWithKept};

pub(super) struct Pipeline {
    /// Its name and collection, as spans and metrics name them.
    pub(super) origin: Arc<Origin>,
    /// The metrics that its tasks hold.
    pub(super) metrics: Weak<InformerMetrics>,
    pub(super) collection: Collection,
    pub(super) default_resync: Option<Duration>,
    /// True if a selector or a query parameter narrows the collection.
    pub(super) narrowed: bool,
    /// True if a transform changes the objects before they are stored.
    pub(super) transformed: bool,
    /// True if only references keep the informer, so that readiness does not wait for it.
    of_set: Arc<AtomicBool>,
    /// The source, which the reflector owns.
    source: Weak<dyn ListerWatcher>,
    fifo: DeltaFifo,
    pub(super) indexer: Indexer,
    processor: SharedProcessor,
    pub(super) monitor: ReflectorMonitor,
    /// Packs the objects. `None` for decoded storage.
    pub(super) keeper: Option<Arc<dyn Keeper>>,
    resync: ResyncClock,
    /// The channel of the shard that is to be stored. `None` for the whole collection.
    pub(super) wanted_shard: Option<watch::Receiver<ShardSelector>>,
    /// Woken after the handlers were notified of another shard in the store. Also woken after the
    /// store was proved fresh.
    pub(super) shard_changes: watch::Sender<()>,
    /// The store shows the state of a quorum read that began after this moment.
    proved: watch::Sender<ReadBarrier>,
    /// True if the first list was delivered to the handlers. Changes only while the processor is
    /// entered.
    populated: AtomicBool,
    index_faults: AtomicU64,
    held_up_by: HeldUpBy,
    lifecycle: Mutex<Lifecycle>,
    tasks: TaskTracker,
    /// A token for each stream with events that are not delivered yet.
    streams: TaskTracker,
    /// Stops the reflector and the processing loop.
    stop: CancellationToken,
    /// Cancelled when nothing is stored any more.
    ended: CancellationToken,
    /// The reason why the informer stopped, unless it was on request. Set before `stop` is
    /// cancelled.
    failure: OnceLock<InformerFailure>,
    /// The last report of a consumer that slows a key, and the time until which it counts.
    pub(super) spin: Mutex<Option<(Instant, Arc<str>)>>,
    /// The last audit.
    pub(super) audited: Mutex<Option<Arc<Audit>>>,
    /// Drops objects, and counts those whose `Drop` panicked.
    pub(super) dropper: SafeDropper,
    /// The objects that an earlier run has kept, and the way to keep those of this run.
    pub(super) kept: Option<Arc<Kept>>,
}

impl Pipeline {
    pub(super) fn new(source: Arc<dyn ListerWatcher>, options: InformerOptions) -> Self {
        let (stop, ended) = (CancellationToken::new(), CancellationToken::new());
        let indexer = Indexer::with_writer(stop.clone(), ended.clone());
        if let Some(key) = options.reflector.shard_key() {
            // Until the first list arrives, no object is known to be gone.
            let mut write = indexer.transaction();
            write.set_shard(ShardSelector::nothing(key));
            write.commit();
        }
        let dropper = SafeDropper::default();
        let stored = Arc::new(indexer.clone());
        let collection = source.collection().clone();
        let narrowed = source.is_narrowed();
        let invalid_name = source.invalid_name();
        let transformed = options.reflector.has_transform();
        let on_error = options.reflector.error_handler();
        let wanted_shard = options.reflector.shard_channel();
        let weak_source = Arc::downgrade(&source);
        let Collection { resource, namespace, .. } = collection.clone();
        let origin = Arc::new(Origin::new(options.name, resource, namespace));
        let keeper = options.storage.keeper(&collection.resource, dropper.clone());
        let metrics = Arc::new(InformerMetrics::new(&origin.labels, keeper.is_some()));
        let kept = options.kept;
        let mut reflector = options.reflector.origin(origin.clone());
        if let Some(keeper) = &keeper {
            reflector = reflector.packer(Packer::new(keeper.clone(), stored.clone()));
        }
        let known: Arc<dyn KnownObjects> = match &kept {
            Some(kept) => Arc::new(KnownWithKept { store: indexer.clone(), kept: kept.clone() }),
            None => stored.clone(),
        };
        if kept.is_some() {
            reflector = reflector.plain_first();
        }
        reflector = reflector.known(known.clone());
        let reflector = Reflector::of_any(source, reflector);
        Self {
            origin: origin.clone(),
            metrics: Arc::downgrade(&metrics),
            collection,
            default_resync: options.resync,
            narrowed,
            transformed,
            of_set: options.of_set,
            source: weak_source,
            fifo: DeltaFifo::with_dropper(stored, known, dropper.clone()),
            indexer,
            processor: SharedProcessor::of(origin, dropper.clone()),
            monitor: reflector.monitor(),
            keeper,
            resync: ResyncClock::default(),
            wanted_shard,
            shard_changes: watch::Sender::new(()),
            proved: watch::Sender::new(ReadBarrier::START),
            populated: AtomicBool::new(false),
            index_faults: AtomicU64::new(0),
            held_up_by: HeldUpBy::default(),
            lifecycle: Mutex::new(Lifecycle::Idle(Idle {
                invalid_name,
                reflector: SafeDrop::new(Box::new(reflector)),
                handlers: Vec::new(),
                metrics,
                on_error,
            })),
            tasks: TaskTracker::new(),
            streams: TaskTracker::new(),
            stop,
            ended,
            failure: OnceLock::new(),
            spin: Mutex::new(None),
            audited: Mutex::new(None),
            dropper,
            kept,
        }
    }

    pub(super) fn add_handler(
        self: &Arc<Self>,
        handler: Box<HandlerCall>,
        options: HandlerOptions,
        view: Option<&Arc<View>>,
    ) -> Result<HandlerRegistration, InformerStopped> {
        // If the handler is refused, it is dropped after the locks are released.
        let handler = handler;
        let mut lifecycle = self.lifecycle.lock();
        self.refuse_if_stopped(&lifecycle)?;
        let options = self.resync.admit(options, self.default_resync);
        let mut dispatch = self.processor.enter();
        let (stored, complete) = self.stored();
        let added = dispatch.add_call(handler, &options, stored, complete, view.cloned());
        drop(dispatch);
        let runtime = match &mut *lifecycle {
            Lifecycle::Idle(idle) => {
                idle.handlers.push(added.task);
                return Ok(added.registration);
            }
            Lifecycle::Running(runtime) => runtime.clone(),
            Lifecycle::Stopped { .. } => return Err(InformerStopped),
        };
        // Makes a wait for the end include the task that is spawned without the lock.
        let _starting = self.tasks.token();
        drop(lifecycle);
        self.spawn_handler(&runtime, &added.task);
        self.resync.wake();
        Ok(added.registration)
    }

    pub(super) fn add_stream<K>(
        &self,
        options: HandlerOptions,
        view: Option<&Arc<View>>,
    ) -> Result<EventStream<K>, InformerStopped> {
        let lifecycle = self.lifecycle.lock();
        self.refuse_if_stopped(&lifecycle)?;
        let options = self.resync.admit(options, self.default_resync);
        let mut dispatch = self.processor.enter();
        let (stored, complete) = self.stored();
        let undelivered = self.streams.token();
        let (view, token) = (view.cloned(), Some(undelivered));
        let stream = dispatch.add_stream(&options, stored, complete, view, token);
        drop(dispatch);
        drop(lifecycle);
        self.resync.wake();
        Ok(stream)
    }

    /// Adds a tap. Returns a snapshot of the store: the tap takes every later change. Before these,
    /// it gives the deletes that happened before the start, while they are known.
    pub(super) fn tap(
        &self,
        source: TapSource,
        events: Option<TapEvents>,
    ) -> Result<(Tap, Snapshot), InformerStopped> {
        let lifecycle = self.lifecycle.lock();
        self.refuse_if_stopped(&lifecycle)?;
        let mut dispatch = self.processor.enter();
        let mut tap = dispatch.add_tap(source, events);
        let stored = self.indexer.snapshot();
        let gone = self.kept.iter().flat_map(|kept| kept.gone());
        let gone = gone.filter(|(key, _)| stored.get_cached(key).is_none());
        tap.begin_with(gone.map(|(key, object)| {
            let event = CachedEvent::Deleted { object, final_state_known: false };
            (key, SafeDropEvent::new(event, self.dropper.clone()))
        }));
        Ok((tap, stored))
    }

    /// Returns the source, unless the reflector has dropped it. Drop it by `drop_safely`.
    pub(super) fn source(&self) -> Option<Arc<dyn ListerWatcher>> {
        self.source.upgrade()
    }

    /// Returns the token that is cancelled when the informer stops.
    pub(super) fn stop_token(&self) -> &CancellationToken {
        &self.stop
    }

    /// Waits until all that is queued now is in the store, and the handlers were notified.
    pub(super) async fn flushed(&self) {
        self.fifo.flushed().await;
    }

    /// Returns the status of each handler.
    pub(super) fn handlers(&self) -> Vec<HandlerStatus> {
        self.processor.status()
    }

    /// Returns whether the stored objects keep this manager's entries of managed fields. False
    /// after the informer has ended.
    pub(super) fn keeps_managed_fields(&self, manager: &str) -> bool {
        let Some(source) = self.source() else { return false };
        let keeps = source.keeps_managed_fields(manager);
        drop_safely(source);
        keeps
    }

    /// Returns the stored objects, and whether they contain the whole first list. A new handler
    /// receives them first. Call this while the processor is entered. O(1).
    fn stored(&self) -> (Objects, bool) {
        let stored = self.indexer.snapshot().into_objects();
        (stored, self.populated.load(Ordering::Relaxed))
    }

    /// Waits for the sync. Returns false if the informer stopped before it.
    pub(super) async fn synced(&self) -> bool {
        let mut synced = self.fifo.synced();
        let reached = tokio::select! {
            biased;
            reached = synced.wait_for(|synced| *synced) => reached.is_ok(),
            () = self.stop.cancelled() => false,
        };
        reached && self.failure.get().is_none()
    }

    /// Returns whether the first list is in the store, and the informer has not failed since.
    pub(super) fn has_synced(&self) -> bool {
        self.fifo.has_synced() && self.failure.get().is_none()
    }

    /// Waits until the informer is stopped or fails.
    pub(super) async fn stopped(&self) {
        self.stop.cancelled().await;
    }

    /// Returns the reason why the informer stopped, unless it was on request.
    pub(super) fn failure(&self) -> Option<InformerFailure> {
        self.failure.get().cloned()
    }

    /// Returns whether the program does not hold the informer itself.
    pub(super) fn is_of_set(&self) -> bool {
        self.of_set.load(Ordering::SeqCst)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Returns the reflector's status. After a stop, its state is `Stopped`.
    pub(super) fn reflector_status(&self) -> ReflectorStatus {
        let mut status = self.monitor.status();
        if self.is_stopped() {
            status.state = ReflectorState::Stopped;
            status.not_served = None;
        }
        status
    }

    /// Returns the upper bound of the store's age.
    pub(super) fn freshness(&self) -> Option<Duration> {
        self.monitor.freshness_at(self.indexer.snapshot().version())
    }

    pub(super) fn status(&self) -> InformerStatus {
        let snapshot = self.indexer.snapshot();
        InformerStatus {
            name: self.origin.name.clone(),
            collection: self.collection.clone(),
            synced: self.has_synced(),
            of_set: self.is_of_set(),
            objects: snapshot.len(),
            stale: snapshot.stale(),
            unreadable: snapshot.unreadable(),
            version: snapshot.version().cloned(),
            freshness: self.monitor.freshness_at(snapshot.version()),
            queued: self.fifo.len(),
            index_faults: self.index_faults.load(Ordering::Relaxed),
            held_up_by: self.held_up_by.name(),
            storage: self.keeper.as_ref().map(|keeper| keeper.status()),
            stopped: self.is_stopped(),
            failure: self.failure(),
            drop_faults: self.dropper.faults(),
            reflector: self.reflector_status(),
            handlers: self.processor.status(),
            audit: self.audited.lock().clone(),
        }
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline")
            .field("collection", &self.collection)
            .field("fifo", &self.fifo)
            .field("processor", &self.processor)
            .finish_non_exhaustive()
    }
}
