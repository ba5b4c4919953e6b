//! The stages, the tasks between them, and their life.

mod storing;
mod supervision;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kube::Resource;
use tokio::runtime::Handle;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tracing::{Instrument, debug_span, info_span};

pub use self::supervision::{InformerFailure, InformerTask};
use super::metrics::{self, InformerMetrics};
use super::resync::{ResyncClock, Resyncs};
use super::{InformerOptions, InformerStatus};
use crate::delta_fifo::{Batch, DeltaFifo};
use crate::indexer::{Indexer, Objects, Snapshot};
use crate::lister_watcher::{Collection, ListerWatcher};
use crate::object::Change;
use crate::packer::Packer;
use crate::panic::{Contained, Drops, let_go};
use crate::processor::{
    EventHandler, EventStream, HandlerOptions, HandlerRegistration, HandlerTask, HeldUpBy,
    SharedProcessor, Tap, TapGuard,
};
use crate::reflector::{ChangeSink, Reflector, ReflectorMonitor, ReflectorState, ReflectorStatus};
use crate::storage::Keeper;
use crate::sync::Mutex;
use crate::yield_budget::{TURN, YieldBudget, give_way};

/// Why an informer does not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// It runs already.
    #[error("the informer was already started")]
    AlreadyStarted,
    /// It was stopped, and a stopped informer never starts again.
    #[error("the informer was stopped; ask for a new one")]
    Stopped,
    /// There is no tokio runtime here to run its tasks.
    #[error("an informer is started inside a tokio runtime")]
    NoRuntime,
}

/// The informer was stopped: it takes no handlers any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the informer was stopped; ask for a new one")]
pub struct InformerStopped;

pub(super) struct Pipeline<K> {
    name: Arc<str>,
    collection: Collection,
    default_resync: Option<Duration>,
    narrowed: bool,
    fifo: DeltaFifo<K>,
    indexer: Indexer<K>,
    processor: SharedProcessor<K>,
    monitor: ReflectorMonitor,
    /// What packs the objects, if they are packed.
    keeper: Option<Arc<dyn Keeper<K>>>,
    resync: ResyncClock,
    /// The first population was distributed. Changes only while the processor is entered.
    populated: AtomicBool,
    index_faults: AtomicU64,
    held_up_by: HeldUpBy,
    life: Mutex<Life<K>>,
    tasks: TaskTracker,
    /// Streams to which something has still to be delivered.
    streams: TaskTracker,
    /// Ends reflector and processing loop.
    stop: CancellationToken,
    /// Ends what still drains.
    abort: CancellationToken,
    /// Nothing will be stored any more.
    ended: CancellationToken,
    /// Why it stopped, if nobody asked it to. Set before the stop is seen.
    failure: OnceLock<InformerFailure>,
    /// Objects whose `Drop` panicked.
    drops: Drops,
}

enum Life<K> {
    Idle(Idle<K>),
    Running(Handle),
    Stopped { drain: bool },
}

/// What is there before the start.
struct Idle<K> {
    reflector: Contained<Box<Reflector<K>>>,
    handlers: Vec<HandlerTask>,
    metrics: Arc<InformerMetrics>,
}

impl<K: Resource + Send + Sync + 'static> Pipeline<K> {
    pub(super) fn new(source: Arc<dyn ListerWatcher<K>>, options: InformerOptions<K>) -> Self {
        let (stop, ended) = (CancellationToken::new(), CancellationToken::new());
        let indexer = Indexer::with_writer(stop.clone(), ended.clone());
        let drops = Drops::default();
        let known = Arc::new(indexer.clone());
        let collection = source.collection().clone();
        let narrowed = source.is_narrowed();
        let labels = metrics::labels(&options.name, &collection);
        let keeper = options.storage.keeper(&collection.resource, &labels);
        let metrics = Arc::new(InformerMetrics::new(&labels, keeper.is_some()));
        let mut reflector = options.reflector.known(known.clone()).metrics(labels.clone());
        if let Some(keeper) = &keeper {
            reflector = reflector.packer(Packer::new(keeper.clone(), known.clone()));
        }
        let reflector = Reflector::new(source, reflector);
        Self {
            name: options.name,
            collection,
            default_resync: options.resync,
            narrowed,
            fifo: DeltaFifo::with_drops(known, drops.clone()),
            indexer,
            processor: SharedProcessor::with_metrics(labels, drops.clone()),
            monitor: reflector.monitor(),
            keeper,
            resync: ResyncClock::default(),
            populated: AtomicBool::new(false),
            index_faults: AtomicU64::new(0),
            held_up_by: HeldUpBy::default(),
            life: Mutex::new(Life::Idle(Idle {
                reflector: Contained::new(Box::new(reflector)),
                handlers: Vec::new(),
                metrics,
            })),
            tasks: TaskTracker::new(),
            streams: TaskTracker::new(),
            stop,
            abort: CancellationToken::new(),
            ended,
            failure: OnceLock::new(),
            drops,
        }
    }

    pub(super) fn stop_guard(&self) -> DropGuard {
        self.stop.clone().drop_guard()
    }

    pub(super) fn start(self: &Arc<Self>) -> Result<(), StartError> {
        let mut life = self.life.lock();
        match &*life {
            Life::Idle(_) => {}
            Life::Running(_) => return Err(StartError::AlreadyStarted),
            Life::Stopped { .. } => return Err(StartError::Stopped),
        }
        let runtime = Handle::try_current().map_err(|_| StartError::NoRuntime)?;
        let idle = std::mem::replace(&mut *life, Life::Running(runtime.clone()));
        let Life::Idle(Idle { mut reflector, handlers, metrics }) = idle else { return Ok(()) };
        self.resync.start(&self.processor);
        // Who waits for the end waits for the tasks that are spawned without the lock.
        let _starting = self.tasks.token();
        drop(life);
        for task in handlers {
            self.spawn_handler(&runtime, &task);
        }
        let (name, resource, namespace) = self.named();
        if let Some(reflector) = reflector.take() {
            let intake = Intake { pipeline: self.clone(), metrics: metrics.clone() };
            let stop = self.stop.clone();
            let reflecting = async move {
                stop.run_until_cancelled(reflector.run(intake)).await;
            };
            let span = info_span!("reflector", name, resource, namespace);
            self.spawn(&runtime, InformerTask::Reflector, span, reflecting);
        }
        if let Some(keeper) = &self.keeper {
            let stop = self.stop.clone();
            let sweeping = keeper.clone().sweep();
            let sweeping = async move {
                stop.run_until_cancelled(sweeping).await;
            };
            let span = info_span!("storage", name, resource, namespace);
            self.spawn(&runtime, InformerTask::Storage, span, sweeping);
        }
        let processing = Processing(self.clone());
        let processing = async move { processing.0.process(&metrics).await };
        let span = info_span!("processing", name, resource, namespace);
        self.spawn(&runtime, InformerTask::Processing, span, processing);
        Ok(())
    }

    fn spawn_handler(self: &Arc<Self>, runtime: &Handle, task: &HandlerTask) {
        if let Some(call) = task.take() {
            let abort = self.abort.clone();
            let call = async move { abort.run_until_cancelled(call).await.unwrap_or_default() };
            let (name, resource, namespace) = self.named();
            let handler = task.handler();
            let span = info_span!("handler", name, resource, namespace, handler);
            self.spawn(runtime, InformerTask::Handler, span, call);
        }
    }

    /// What a task's span says: name, resource, namespace.
    fn named(&self) -> (&str, &str, Option<&str>) {
        (&self.name, &self.collection.resource, self.collection.namespace.as_deref())
    }

    /// Drains the queue into the store until stopped. Resyncs go on beside that: after each batch
    /// one turn of theirs, so that neither holds up the other.
    async fn process(&self, metrics: &InformerMetrics) {
        let mut resyncs = Resyncs::default();
        let mut budget = YieldBudget::new();
        loop {
            let batch = tokio::select! {
                biased;
                () = self.stop.cancelled() => break,
                batch = self.fifo.pop() => match batch {
                    Some(batch) => Some(batch),
                    None => break,
                },
                () = self.resync.due(&self.processor), if resyncs.is_empty() => None,
                () = give_way(), if !resyncs.is_empty() => None,
            };
            if let Some(batch) = batch {
                // A source that always has something must not keep the thread.
                budget.spend(batch.deltas.len().clamp(1, TURN)).await;
                self.apply(batch, metrics).await;
            }
            resyncs.begin(&self.processor, &self.indexer);
            resyncs.turn(&self.indexer);
        }
        if self.drains() {
            self.fifo.close();
            while let Some(batch) = self.fifo.pop().await {
                self.apply(batch, metrics).await;
            }
        }
    }

    /// One batch is one change of the store, then its notifications. So a reader sees all of a batch
    /// or nothing of it, and a handler that looks into the store finds it at what it was told of or
    /// later. All of it is done in turns, whatever the batch's size.
    async fn apply(&self, batch: Batch<K>, metrics: &InformerMetrics) {
        let deltas = batch.deltas.len();
        let version = batch.version.as_ref();
        let span = debug_span!("batch", version = version.map(display), deltas);
        let started = metrics.latency.start();
        let faults = self.store(batch).instrument(span).await;
        metrics.latency.stop(started);
        metrics.queued.set(|| self.fifo.len());
        metrics.objects.set(|| self.indexer.snapshot().len());
        metrics.stale.set(|| self.indexer.snapshot().stale());
        metrics.version.set(|| self.indexer.snapshot().version()?.low_digits());
        if let (Some(keeper), Some(metrics)) = (&self.keeper, &metrics.storage) {
            metrics.packed_bytes.set(|| keeper.status().bytes);
            metrics.hot_bytes.set(|| keeper.status().hot_bytes);
        }
        metrics.synced.set(|| usize::from(self.has_synced()));
        metrics.index_faults.add(faults.len() as u64);
        self.index_faults.fetch_add(faults.len() as u64, Ordering::Relaxed);
        for fault in faults {
            tracing::error!(resource = &*self.collection.resource, %fault, "index function panicked");
        }
    }

    /// Whether what waits is still delivered after the stop. A pipeline whose handles were all
    /// dropped was never told to.
    fn drains(&self) -> bool {
        matches!(&*self.life.lock(), Life::Stopped { drain: true })
    }

    pub(super) fn add_handler(
        self: &Arc<Self>,
        handler: impl EventHandler<K>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, InformerStopped> {
        // Dropped after the locks, where the handler is refused.
        let handler = handler;
        let mut life = self.life.lock();
        self.refuse_if_stopped(&life)?;
        let options = self.resync.admit(options, self.default_resync);
        let mut round = self.processor.enter();
        let (stored, complete) = self.stored();
        let added = round.add_handler(handler, &options, stored, complete);
        drop(round);
        let runtime = match &mut *life {
            Life::Idle(idle) => {
                idle.handlers.push(added.task);
                return Ok(added.registration);
            }
            Life::Running(runtime) => runtime.clone(),
            Life::Stopped { .. } => return Err(InformerStopped),
        };
        // Who waits for the end waits for the task that is spawned without the lock.
        let _starting = self.tasks.token();
        drop(life);
        self.spawn_handler(&runtime, &added.task);
        self.resync.wake();
        Ok(added.registration)
    }

    pub(super) fn add_stream(
        &self,
        options: HandlerOptions,
    ) -> Result<EventStream<K>, InformerStopped> {
        let life = self.life.lock();
        self.refuse_if_stopped(&life)?;
        let options = self.resync.admit(options, self.default_resync);
        let mut round = self.processor.enter();
        let (stored, complete) = self.stored();
        let owing = self.streams.token();
        let stream = round.add_stream(&options, stored, complete, Some(owing));
        drop(round);
        drop(life);
        self.resync.wake();
        Ok(stream)
    }

    /// Adds a tap. Returns the store as of the moment from which the tap takes every change.
    pub(super) fn tap(&self, tap: Tap<K>) -> Result<(TapGuard, Snapshot<K>), InformerStopped> {
        let life = self.life.lock();
        self.refuse_if_stopped(&life)?;
        let mut round = self.processor.enter();
        let guard = round.add_tap(tap);
        Ok((guard, self.indexer.snapshot()))
    }

    /// Returns the count of objects whose `Drop` panicked.
    pub(super) fn drops(&self) -> &Drops {
        &self.drops
    }

    /// Returns the period at which handlers without one of their own are told everything again.
    pub(super) fn default_resync(&self) -> Option<Duration> {
        self.default_resync
    }

    /// Returns whether a selector narrows the collection.
    pub(super) fn is_narrowed(&self) -> bool {
        self.narrowed
    }

    /// Waits until the informer stops.
    pub(super) async fn ended(&self) {
        self.stop.cancelled().await;
    }

    fn refuse_if_stopped(&self, life: &Life<K>) -> Result<(), InformerStopped> {
        if matches!(life, Life::Stopped { .. }) || self.stop.is_cancelled() {
            return Err(InformerStopped);
        }
        Ok(())
    }

    /// What a new handler is told first; to be asked while the processor is entered. O(1).
    fn stored(&self) -> (Objects<K>, bool) {
        let stored = self.indexer.snapshot().into_objects();
        (stored, self.populated.load(Ordering::Relaxed))
    }

    /// Stops; a second call may only change draining into not draining.
    pub(super) fn stop(&self, drain: bool) {
        let mut life = self.life.lock();
        match &mut *life {
            Life::Stopped { drain: draining } => {
                *draining &= drain;
                drop(life);
            }
            Life::Running(_) => {
                *life = Life::Stopped { drain };
                drop(life);
            }
            Life::Idle(_) => {
                let idle = std::mem::replace(&mut *life, Life::Stopped { drain });
                drop(life);
                // Not under the lock: this drops the users' handlers.
                if let Life::Idle(Idle { reflector, handlers, metrics }) = idle {
                    for task in handlers {
                        let_go(task);
                    }
                    drop((reflector, metrics));
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
    pub(super) async fn stopped(&self) {
        self.tasks.wait().await;
    }

    /// Waits until no task is left, and every stream took what it was owed or was dropped.
    pub(super) async fn drained(&self) {
        self.tasks.wait().await;
        self.streams.wait().await;
    }

    /// Waits for the sync; `false` if it will not come.
    pub(super) async fn synced(&self) -> bool {
        let mut synced = self.fifo.synced();
        let reached = tokio::select! {
            biased;
            reached = synced.wait_for(|synced| *synced) => reached.is_ok(),
            () = self.stop.cancelled() => false,
        };
        reached && self.failure.get().is_none()
    }

    /// Whether the first population is in the store, and the informer did not fail since.
    pub(super) fn has_synced(&self) -> bool {
        self.fifo.has_synced() && self.failure.get().is_none()
    }

    /// Waits until it was stopped or failed.
    pub(super) async fn until_stopped(&self) {
        self.stop.cancelled().await;
    }

    /// Why it stopped, if nobody asked it to.
    pub(super) fn failure(&self) -> Option<InformerFailure> {
        self.failure.get().cloned()
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }

    pub(super) fn collection(&self) -> &Collection {
        &self.collection
    }

    pub(super) fn indexer(&self) -> &Indexer<K> {
        &self.indexer
    }

    /// What the reflector says of itself; of a stopped informer, that it is stopped.
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

    /// Returns how old the store may be.
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
            drop_faults: self.drops.faults(),
            reflector: self.reflector_status(),
            handlers: self.processor.status(),
        }
    }
}

/// The processing, which leaves everything closed however it ends.
struct Processing<K: Resource + Send + Sync + 'static>(Arc<Pipeline<K>>);

impl<K: Resource + Send + Sync + 'static> Drop for Processing<K> {
    fn drop(&mut self) {
        let Self(pipeline) = self;
        pipeline.fifo.abandon();
        pipeline.processor.close(pipeline.drains());
        pipeline.ended.cancel();
    }
}

/// One that was never started stores nothing when its last handle is gone.
impl<K> Drop for Pipeline<K> {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}

/// Where the reflector leaves what it saw.
struct Intake<K> {
    pipeline: Arc<Pipeline<K>>,
    metrics: Arc<InformerMetrics>,
}

impl<K: Resource + Send + Sync + 'static> ChangeSink<K> for Intake<K> {
    async fn emit(&self, change: Change<K>) {
        let fifo = &self.pipeline.fifo;
        fifo.feed(change).await;
        self.metrics.queued.set(|| fifo.len());
    }
}

impl<K> fmt::Debug for Pipeline<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline")
            .field("collection", &self.collection)
            .field("fifo", &self.fifo)
            .field("processor", &self.processor)
            .finish_non_exhaustive()
    }
}
