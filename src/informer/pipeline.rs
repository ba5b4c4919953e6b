//! The stages, the tasks between them, and their life.

mod storing;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use kube::Resource;
use tokio::runtime::Handle;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tracing::{Instrument, debug_span, info_span};

use super::metrics::{self, InformerMetrics};
use super::resync::ResyncClock;
use super::{InformerOptions, InformerStatus};
use crate::delta_fifo::{Batch, DeltaFifo};
use crate::indexer::Indexer;
use crate::lister_watcher::{Collection, ListerWatcher};
use crate::object::{Cached, Change, ObjectKey};
use crate::processor::{
    EventHandler, EventStream, HandlerOptions, HandlerRegistration, HandlerTask, SharedProcessor,
};
use crate::reflector::{ChangeSink, Reflector, ReflectorMonitor, ReflectorStatus};
use crate::storage::Keeper;
use crate::sync::Mutex;

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
    life: Mutex<Life<K>>,
    tasks: TaskTracker,
    /// Ends reflector and processing loop.
    stop: CancellationToken,
    /// Ends what still drains.
    abort: CancellationToken,
}

enum Life<K> {
    Idle { reflector: Box<Reflector<K>>, handlers: Vec<HandlerTask>, metrics: Arc<InformerMetrics> },
    Running(Handle),
    Stopped { drain: bool },
}

impl<K: Resource + Send + Sync + 'static> Pipeline<K> {
    pub(super) fn new(source: Arc<dyn ListerWatcher<K>>, options: InformerOptions<K>) -> Self {
        let indexer = Indexer::new();
        let known = Arc::new(indexer.clone());
        let collection = source.collection().clone();
        let labels = metrics::labels(&options.name, &collection);
        let keeper = options.storage.keeper(&collection.resource, &labels, Some(known.clone()));
        let metrics = Arc::new(InformerMetrics::new(&labels, keeper.is_some()));
        let mut reflector = options.reflector.known(known.clone()).metrics(labels.clone());
        if let Some(keeper) = &keeper {
            reflector = reflector.pack(keeper.clone());
        }
        let reflector = Reflector::new(source, reflector);
        Self {
            name: options.name,
            collection,
            default_resync: options.resync,
            fifo: DeltaFifo::new(known),
            indexer,
            processor: SharedProcessor::with_metrics(labels),
            monitor: reflector.monitor(),
            keeper,
            resync: ResyncClock::default(),
            populated: AtomicBool::new(false),
            index_faults: AtomicU64::new(0),
            life: Mutex::new(Life::Idle {
                reflector: Box::new(reflector),
                handlers: Vec::new(),
                metrics,
            }),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            abort: CancellationToken::new(),
        }
    }

    pub(super) fn stop_guard(&self) -> DropGuard {
        self.stop.clone().drop_guard()
    }

    pub(super) fn start(self: &Arc<Self>) -> Result<(), StartError> {
        let mut life = self.life.lock();
        match &*life {
            Life::Idle { .. } => {}
            Life::Running(_) => return Err(StartError::AlreadyStarted),
            Life::Stopped { .. } => return Err(StartError::Stopped),
        }
        let runtime = Handle::try_current().map_err(|_| StartError::NoRuntime)?;
        let idle = std::mem::replace(&mut *life, Life::Running(runtime.clone()));
        let Life::Idle { reflector, handlers, metrics } = idle else { return Ok(()) };
        self.resync.start();
        for task in handlers {
            self.spawn_handler(&runtime, &task);
        }
        let intake = Intake { pipeline: self.clone(), metrics: metrics.clone() };
        let stop = self.stop.clone();
        let reflecting = async move { stop.run_until_cancelled(reflector.run(intake)).await };
        let (name, resource, namespace) = self.named();
        let span = info_span!("reflector", name, resource, namespace);
        self.tasks.spawn_on(reflecting.instrument(span), &runtime);
        if let Some(keeper) = &self.keeper {
            let stop = self.stop.clone();
            let tending = keeper.clone().tend();
            let tending = async move { stop.run_until_cancelled(tending).await };
            self.tasks.spawn_on(tending, &runtime);
        }
        let pipeline = self.clone();
        let processing = async move { pipeline.process(&metrics).await };
        let span = info_span!("processing", name, resource, namespace);
        self.tasks.spawn_on(processing.instrument(span), &runtime);
        Ok(())
    }

    fn spawn_handler(&self, runtime: &Handle, task: &HandlerTask) {
        if let Some(call) = task.take() {
            let abort = self.abort.clone();
            let call = async move { abort.run_until_cancelled(call).await.unwrap_or_default() };
            let (name, resource, namespace) = self.named();
            let handler = task.handler();
            let span = info_span!("handler", name, resource, namespace, handler);
            self.tasks.spawn_on(call.instrument(span), runtime);
        }
    }

    /// What a task's span says: name, resource, namespace.
    fn named(&self) -> (&str, &str, Option<&str>) {
        (&self.name, &self.collection.resource, self.collection.namespace.as_deref())
    }

    /// Drains the queue into the store until stopped.
    async fn process(&self, metrics: &InformerMetrics) {
        loop {
            tokio::select! {
                biased;
                () = self.stop.cancelled() => break,
                () = self.resync.tick() => {
                    if self.processor.mark_due(tokio::time::Instant::now()) {
                        self.fifo.resync_in_turns().await;
                    }
                }
                batch = self.fifo.pop() => match batch {
                    Some(batch) => self.apply(batch, metrics).await,
                    None => break,
                },
            }
        }
        if self.drains() {
            self.fifo.close();
            while let Some(batch) = self.fifo.pop().await {
                self.apply(batch, metrics).await;
            }
        }
        self.fifo.abandon();
        self.processor.close(self.drains());
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
        &self,
        handler: impl EventHandler<K>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, InformerStopped> {
        let mut life = self.life.lock();
        self.refuse_if_stopped(&life)?;
        let options = self.resync.admit(options, self.default_resync);
        let mut round = self.processor.enter();
        let (stored, complete) = self.stored();
        let added = round.add_handler(handler, &options, stored, complete);
        drop(round);
        match &mut *life {
            Life::Idle { handlers, .. } => handlers.push(added.task),
            Life::Running(runtime) => self.spawn_handler(runtime, &added.task),
            Life::Stopped { .. } => {}
        }
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
        Ok(round.add_stream(&options, stored, complete))
    }

    fn refuse_if_stopped(&self, life: &Life<K>) -> Result<(), InformerStopped> {
        if matches!(life, Life::Stopped { .. }) || self.stop.is_cancelled() {
            return Err(InformerStopped);
        }
        Ok(())
    }

    /// What a new handler is told first; to be asked while the processor is entered.
    fn stored(&self) -> (Vec<(ObjectKey, Cached<K>)>, bool) {
        let snapshot = self.indexer.snapshot();
        let stored = snapshot.cached().map(|(key, object)| (key.clone(), object.clone())).collect();
        (stored, self.populated.load(Ordering::Relaxed))
    }

    /// Stops; a second call may only change draining into not draining.
    pub(super) fn stop(&self, drain: bool) {
        let mut life = self.life.lock();
        match &mut *life {
            Life::Stopped { drain: draining } => {
                if !drain {
                    *draining = false;
                    self.abort.cancel();
                }
            }
            Life::Running(_) => {
                *life = Life::Stopped { drain };
                if !drain {
                    self.abort.cancel();
                }
            }
            Life::Idle { .. } => {
                let idle = std::mem::replace(&mut *life, Life::Stopped { drain });
                drop(life);
                // Not under the lock: this drops the users' handlers.
                drop(idle);
                self.fifo.abandon();
                self.processor.close(false);
            }
        }
        self.stop.cancel();
        self.tasks.close();
    }

    /// Waits until no task is left, after [`stop`](Self::stop).
    pub(super) async fn stopped(&self) {
        self.tasks.wait().await;
    }

    /// Waits for the sync; `false` if it will not come.
    pub(super) async fn synced(&self) -> bool {
        let mut synced = self.fifo.synced();
        tokio::select! {
            biased;
            reached = synced.wait_for(|synced| *synced) => reached.is_ok(),
            () = self.stop.cancelled() => false,
        }
    }

    pub(super) fn has_synced(&self) -> bool {
        self.fifo.has_synced()
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

    pub(super) fn reflector_status(&self) -> ReflectorStatus {
        self.monitor.status()
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
            queued: self.fifo.len(),
            index_faults: self.index_faults.load(Ordering::Relaxed),
            storage: self.keeper.as_ref().map(|keeper| keeper.status()),
            reflector: self.monitor.status(),
            handlers: self.processor.status(),
        }
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
