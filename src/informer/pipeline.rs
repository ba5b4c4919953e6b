//! The stages of one informer, the tasks between them, and their lifecycle.

mod processing;
mod supervision;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use futures::FutureExt;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tracing::{Span, info_span};

use self::processing::ProcessingGuard;
pub use self::supervision::{InformerFailure, InformerTask};
use super::resync::ResyncClock;
use super::status::{InformerMetrics, metric_labels};
use super::{InformerOptions, InformerStatus};
use crate::delta_fifo::DeltaFifo;
use crate::error::{SourceError, Verb};
use crate::indexer::{Indexer, Objects, Snapshot};
use crate::lister_watcher::{Collection, ListerWatcher};
use crate::object::{Change, ShardSelector};
use crate::packer::Packer;
use crate::panic::{SafeDrop, SafeDropper, catch, drop_safely};
use crate::processor::{
    EventStream, HandlerCall, HandlerOptions, HandlerRegistration, HandlerTask, HeldUpBy,
    SharedProcessor, Tap, TapGuard,
};
use crate::reflector::{
    ChangeSink, ErrorHandler, Reflector, ReflectorMonitor, ReflectorState, ReflectorStatus,
};
use crate::storage::Keeper;
use crate::sync::Mutex;
use crate::time::Moment;

/// The reason why an informer does not start.
///
/// A part of a program that does not know whether another part has started its informer:
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::{SharedInformer, StartError};
///
/// fn ensure_started(pods: &SharedInformer<Pod>) -> Result<(), StartError> {
///     match pods.start() {
///         Err(StartError::AlreadyStarted) => Ok(()),
///         result => result,
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The informer was started before.
    #[error("the informer was already started")]
    AlreadyStarted,
    /// The informer was stopped. A stopped informer never starts again.
    #[error("the informer was stopped; ask for a new one")]
    Stopped,
    /// `start` was called outside a tokio runtime.
    #[error("no tokio runtime: call `start` from inside one")]
    NoRuntime,
}

/// The error of an informer that was stopped. It accepts no more handlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the informer was stopped; ask for a new one")]
pub struct InformerStopped;

pub(super) struct Pipeline {
    name: Arc<str>,
    collection: Collection,
    default_resync: Option<Duration>,
    narrowed: bool,
    transformed: bool,
    /// The source, which the reflector owns.
    source: Weak<dyn ListerWatcher>,
    fifo: DeltaFifo,
    indexer: Indexer,
    processor: SharedProcessor,
    monitor: ReflectorMonitor,
    /// Packs the objects. `None` for decoded storage.
    keeper: Option<Arc<dyn Keeper>>,
    resync: ResyncClock,
    /// The channel of the shard that is to be stored.
    wanted_shard: Option<watch::Receiver<ShardSelector>>,
    /// Woken after the store has got another shard, and the handlers were notified. Also woken
    /// after the store was proved fresh.
    shard_changes: watch::Sender<()>,
    /// The store shows the state of a quorum read that began after this moment.
    proved: watch::Sender<Moment>,
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
    /// Aborts the tasks that still drain.
    abort: CancellationToken,
    /// Cancelled when nothing is stored any more.
    ended: CancellationToken,
    /// The reason why the informer stopped, unless it was on request. Set before `stop` is
    /// cancelled.
    failure: OnceLock<InformerFailure>,
    /// The error of a controller that ended because a key spun while the clock stood still.
    spin: Mutex<Option<Arc<str>>>,
    /// Drops objects, and counts those whose `Drop` panicked.
    dropper: SafeDropper,
}

enum Lifecycle {
    Idle(Idle),
    Running(Handle),
    Stopped { drain: bool },
}

/// The parts that wait for the start.
struct Idle {
    reflector: SafeDrop<Box<Reflector>>,
    handlers: Vec<HandlerTask>,
    metrics: Arc<InformerMetrics>,
    /// Called with each packed object that could not be read.
    on_error: ErrorHandler,
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
        let known = Arc::new(indexer.clone());
        let collection = source.collection().clone();
        let narrowed = source.is_narrowed();
        let transformed = options.reflector.has_transform();
        let on_error = options.reflector.error_handler();
        let wanted_shard = options.reflector.shard_channel();
        let weak_source = Arc::downgrade(&source);
        let labels = metric_labels(&options.name, &collection);
        let keeper = options.storage.keeper(&collection.resource, dropper.clone());
        let metrics = Arc::new(InformerMetrics::new(&labels, keeper.is_some()));
        let mut reflector = options.reflector.known(known.clone()).metrics(labels.clone());
        if let Some(keeper) = &keeper {
            reflector = reflector.packer(Packer::new(keeper.clone(), known.clone()));
        }
        let reflector = Reflector::of_any(source, reflector);
        Self {
            name: options.name,
            collection,
            default_resync: options.resync,
            narrowed,
            transformed,
            source: weak_source,
            fifo: DeltaFifo::with_dropper(known, dropper.clone()),
            indexer,
            processor: SharedProcessor::with_metrics(labels, dropper.clone()),
            monitor: reflector.monitor(),
            keeper,
            resync: ResyncClock::default(),
            wanted_shard,
            shard_changes: watch::Sender::new(()),
            proved: watch::Sender::new(Moment::START),
            populated: AtomicBool::new(false),
            index_faults: AtomicU64::new(0),
            held_up_by: HeldUpBy::default(),
            lifecycle: Mutex::new(Lifecycle::Idle(Idle {
                reflector: SafeDrop::new(Box::new(reflector)),
                handlers: Vec::new(),
                metrics,
                on_error,
            })),
            tasks: TaskTracker::new(),
            streams: TaskTracker::new(),
            stop,
            abort: CancellationToken::new(),
            ended,
            failure: OnceLock::new(),
            spin: Mutex::new(None),
            dropper,
        }
    }

    pub(super) fn stop_guard(&self) -> DropGuard {
        self.stop.clone().drop_guard()
    }

    pub(super) fn start(self: &Arc<Self>) -> Result<(), StartError> {
        let mut lifecycle = self.lifecycle.lock();
        match &*lifecycle {
            Lifecycle::Idle(_) => {}
            Lifecycle::Running(_) => return Err(StartError::AlreadyStarted),
            Lifecycle::Stopped { .. } => return Err(StartError::Stopped),
        }
        let runtime = Handle::try_current().map_err(|_| StartError::NoRuntime)?;
        let idle = std::mem::replace(&mut *lifecycle, Lifecycle::Running(runtime.clone()));
        let Lifecycle::Idle(Idle { mut reflector, handlers, metrics, on_error }) = idle else {
            return Ok(());
        };
        self.resync.start(&self.processor);
        // A task that waits for the end also waits for the tasks that are spawned without the lock.
        let _starting = self.tasks.token();
        drop(lifecycle);
        for task in handlers {
            self.spawn_handler(&runtime, &task);
        }
        if let Some(reflector) = reflector.take() {
            let sink = FifoSink { pipeline: self.clone(), metrics: metrics.clone() };
            let stop = self.stop.clone();
            let begun = reflector.begin();
            #[expect(clippy::large_futures, reason = "it is boxed at once")]
            let reflecting = async move {
                let _begun = begun;
                stop.run_until_cancelled(reflector.run(sink)).await;
            };
            let span = self.span(InformerTask::Reflector);
            self.spawn(&runtime, InformerTask::Reflector, span, reflecting.boxed());
        }
        if let Some(keeper) = &self.keeper {
            let stop = self.stop.clone();
            let request = self.collection.request_name(Verb::Watch);
            let sweeping = keeper.clone().sweep(Box::new(move |fault| {
                let error = SourceError::new(request.clone(), fault);
                if let Err(message) = catch(|| on_error(&error)) {
                    tracing::error!(%error, message, "error handler panicked");
                }
            }));
            let sweeping = async move {
                stop.run_until_cancelled(sweeping).await;
            };
            let span = self.span(InformerTask::Storage);
            self.spawn(&runtime, InformerTask::Storage, span, sweeping.boxed());
        }
        let processing = ProcessingGuard(self.clone());
        let processing = async move { processing.0.process(&metrics).await };
        let span = self.span(InformerTask::Processing);
        self.spawn(&runtime, InformerTask::Processing, span, processing.boxed());
        Ok(())
    }

    fn spawn_handler(self: &Arc<Self>, runtime: &Handle, task: &HandlerTask) {
        if let Some(call) = task.take() {
            let abort = self.abort.clone();
            let call = async move { abort.run_until_cancelled(call).await.unwrap_or_default() };
            let span = handler_span(self.span_fields(), task.handler());
            self.spawn(runtime, InformerTask::Handler, span, call.boxed());
        }
    }

    /// Returns the span of a task.
    fn span(&self, task: InformerTask) -> Span {
        task_span(self.span_fields(), task)
    }

    /// Returns the fields of a task's span: name, resource, namespace.
    fn span_fields(&self) -> SpanFields<'_> {
        (&self.name, &self.collection.resource, self.collection.namespace.as_deref())
    }

    pub(super) fn add_handler(
        self: &Arc<Self>,
        handler: Box<HandlerCall>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, InformerStopped> {
        // If the handler is refused, it is dropped after the locks are released.
        let handler = handler;
        let mut lifecycle = self.lifecycle.lock();
        self.refuse_if_stopped(&lifecycle)?;
        let options = self.resync.admit(options, self.default_resync);
        let mut dispatch = self.processor.enter();
        let (stored, complete) = self.stored();
        let added = dispatch.add_call(handler, &options, stored, complete);
        drop(dispatch);
        let runtime = match &mut *lifecycle {
            Lifecycle::Idle(idle) => {
                idle.handlers.push(added.task);
                return Ok(added.registration);
            }
            Lifecycle::Running(runtime) => runtime.clone(),
            Lifecycle::Stopped { .. } => return Err(InformerStopped),
        };
        // A task that waits for the end also waits for the task that is spawned without the lock.
        let _starting = self.tasks.token();
        drop(lifecycle);
        self.spawn_handler(&runtime, &added.task);
        self.resync.wake();
        Ok(added.registration)
    }

    pub(super) fn add_stream<K>(
        &self,
        options: HandlerOptions,
    ) -> Result<EventStream<K>, InformerStopped> {
        let lifecycle = self.lifecycle.lock();
        self.refuse_if_stopped(&lifecycle)?;
        let options = self.resync.admit(options, self.default_resync);
        let mut dispatch = self.processor.enter();
        let (stored, complete) = self.stored();
        let undelivered = self.streams.token();
        let stream = dispatch.add_stream(&options, stored, complete, Some(undelivered));
        drop(dispatch);
        drop(lifecycle);
        self.resync.wake();
        Ok(stream)
    }

    /// Adds a tap. Returns a snapshot of the store: the tap takes every later change.
    pub(super) fn tap(&self, tap: Tap) -> Result<(TapGuard, Snapshot), InformerStopped> {
        let lifecycle = self.lifecycle.lock();
        self.refuse_if_stopped(&lifecycle)?;
        let mut dispatch = self.processor.enter();
        let guard = dispatch.add_tap(tap);
        Ok((guard, self.indexer.snapshot()))
    }

    /// Notes the error of a controller that ended because a key spun.
    pub(super) fn note_spin(&self, error: Arc<str>) {
        *self.spin.lock() = Some(error);
    }

    /// Returns the last such error.
    pub(super) fn spin(&self) -> Option<Arc<str>> {
        self.spin.lock().clone()
    }

    /// Returns the dropper, which counts objects whose `Drop` panicked.
    pub(super) fn dropper(&self) -> &SafeDropper {
        &self.dropper
    }

    /// Returns the resync period of handlers that have no period of their own.
    pub(super) fn default_resync(&self) -> Option<Duration> {
        self.default_resync
    }

    /// Returns whether a selector or a query parameter narrows the collection.
    pub(super) fn is_narrowed(&self) -> bool {
        self.narrowed
    }

    /// Returns whether a transform changes the objects before they are stored.
    pub(super) fn is_transformed(&self) -> bool {
        self.transformed
    }

    /// Returns whether the stored objects keep this manager's entries of managed fields. False
    /// after the informer has ended.
    pub(super) fn keeps_managed_fields(&self, manager: &str) -> bool {
        let Some(source) = self.source.upgrade() else { return false };
        let keeps = source.keeps_managed_fields(manager);
        drop_safely(source);
        keeps
    }

    /// Returns the channel of the shard that is followed. `None` for the whole collection.
    pub(super) fn wanted_shard(&self) -> Option<&watch::Receiver<ShardSelector>> {
        self.wanted_shard.as_ref()
    }

    /// Returns a receiver that is woken when the store holds another shard, or is proved fresh.
    pub(super) fn shard_changes(&self) -> watch::Receiver<()> {
        self.shard_changes.subscribe()
    }

    /// Returns whether the store shows the state of a quorum read that began after this moment. Any
    /// first list proves the start.
    pub(super) fn is_proved_since(&self, since: Moment) -> bool {
        self.has_synced() && *self.proved.borrow() >= since
    }

    /// Waits until the store shows the state of a quorum read that began after this moment. Returns
    /// false if the informer stopped before.
    pub(super) async fn proved_since(&self, since: Moment) -> bool {
        if !self.synced().await {
            return false;
        }
        if !self.is_proved_since(since) {
            let proved = async {
                self.monitor.proved_since(since).await;
                // The changes up to the proof may wait in the queue.
                self.fifo.flushed().await;
            };
            if self.stop.run_until_cancelled(proved).await.is_none() {
                return false;
            }
            self.proved.send_modify(|proved| *proved = since.max(*proved));
            self.shard_changes.send_replace(());
        }
        self.failure.get().is_none()
    }

    fn refuse_if_stopped(&self, lifecycle: &Lifecycle) -> Result<(), InformerStopped> {
        if matches!(lifecycle, Lifecycle::Stopped { .. }) || self.stop.is_cancelled() {
            return Err(InformerStopped);
        }
        Ok(())
    }

    /// Returns the stored objects, and whether they contain the whole first list. A new handler
    /// receives them first. Call this while the processor is entered. O(1).
    fn stored(&self) -> (Objects, bool) {
        let stored = self.indexer.snapshot().into_objects();
        (stored, self.populated.load(Ordering::Relaxed))
    }

    /// Stops the informer. A second call can only turn draining off.
    pub(super) fn stop(&self, drain: bool) {
        let mut lifecycle = self.lifecycle.lock();
        match &mut *lifecycle {
            Lifecycle::Stopped { drain: draining } => {
                *draining &= drain;
                drop(lifecycle);
            }
            Lifecycle::Running(_) => {
                *lifecycle = Lifecycle::Stopped { drain };
                drop(lifecycle);
            }
            Lifecycle::Idle(_) => {
                let idle = std::mem::replace(&mut *lifecycle, Lifecycle::Stopped { drain });
                drop(lifecycle);
                // Drop the users' handlers without the lock.
                if let Lifecycle::Idle(Idle { reflector, handlers, metrics, on_error }) = idle {
                    for task in handlers {
                        drop_safely(task);
                    }
                    drop((reflector, metrics, on_error));
                }
                self.fifo.abandon();
                self.processor.close(false);
                self.ended.cancel();
            }
        }
        self.stop.cancel();
        if !drain {
            self.abort.cancel();
            self.processor.close(false);
        }
        self.tasks.close();
        self.streams.close();
    }

    pub(super) fn tasks(&self) -> TaskTracker {
        self.tasks.clone()
    }

    /// Waits until no task is left, after [`stop`](Self::stop).
    pub(super) async fn tasks_ended(&self) {
        self.tasks.wait().await;
    }

    /// Waits until no task is left, and until every stream has given its last event or was dropped.
    pub(super) async fn drained(&self) {
        self.tasks.wait().await;
        self.streams.wait().await;
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

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }

    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(super) fn collection(&self) -> &Collection {
        &self.collection
    }

    pub(super) fn indexer(&self) -> &Indexer {
        &self.indexer
    }

    /// Returns the reflector's status. After a stop, its state is `Stopped`.
    pub(super) fn reflector_status(&self) -> ReflectorStatus {
        let mut status = self.monitor.status();
        if self.is_stopped() {
            status.state = ReflectorState::Stopped;
        }
        status
    }

    pub(super) fn monitor(&self) -> ReflectorMonitor {
        self.monitor.clone()
    }

    /// Returns the upper bound of the store's age.
    pub(super) fn freshness(&self) -> Option<Duration> {
        self.monitor.freshness_at(self.indexer.snapshot().version())
    }

    pub(super) fn status(&self) -> InformerStatus {
        let snapshot = self.indexer.snapshot();
        InformerStatus {
            name: self.name.clone(),
            collection: self.collection.clone(),
            synced: self.has_synced(),
            objects: snapshot.len(),
            stale: snapshot.stale(),
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
        }
    }
}

/// Announces that nothing will be stored, for a pipeline that was never started.
impl Drop for Pipeline {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}

/// The reflector's sink, which queues each change.
struct FifoSink {
    pipeline: Arc<Pipeline>,
    metrics: Arc<InformerMetrics>,
}

impl ChangeSink for FifoSink {
    async fn emit(&self, change: Change) {
        let fifo = &self.pipeline.fifo;
        fifo.feed(change).await;
        self.metrics.queued.set(|| fifo.len());
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

/// Name, resource and namespace of an informer.
type SpanFields<'a> = (&'a str, &'a str, Option<&'a str>);

// Spans are made apart, because a span is much code for each type of object.

fn task_span((name, resource, namespace): SpanFields<'_>, task: InformerTask) -> Span {
    match task {
        InformerTask::Storage => info_span!("storage", name, resource, namespace),
        InformerTask::Processing => info_span!("processing", name, resource, namespace),
        _ => info_span!("reflector", name, resource, namespace),
    }
}

fn handler_span((name, resource, namespace): SpanFields<'_>, handler: &str) -> Span {
    info_span!("handler", name, resource, namespace, handler)
}
