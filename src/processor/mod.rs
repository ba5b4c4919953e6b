//! The fan-out of each change to the handlers.
//!
//! Each handler has a listener: a backlog of its own, and a task or stream that empties it. A slow
//! or panicking handler holds up no other handler. A handler is added between two batches, so a
//! late one sees no gap and no duplicate. One that is removed receives nothing more, even of a
//! batch that is being distributed.
//!
//! The processor never waits for a handler and never drops a final state: a full backlog merges its
//! events of the same object. The processor waits only for a tap, because a tap needs every state.
//! It never unpacks an object before the call that reads it.

mod backlog;
mod gapped_queue;
mod handler;
#[cfg(feature = "kube-runtime")]
mod kube_runtime;
mod listener;
mod registration;
mod resync;
mod stream;
mod tap;
#[cfg(test)]
mod tests;
mod unread;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use kube::Resource;
use tokio::time::Instant;
use tokio_util::task::task_tracker::TaskTrackerToken;

use self::backlog::ProcessorTime;
pub(crate) use self::handler::resync_period;
pub use self::handler::{EventHandler, HandlerOptions};
pub(crate) use self::listener::HandlerCall;
use self::listener::{Close, Listener};
pub use self::registration::{HandlerRegistration, HandlerStatus, HandlerTask};
pub use self::stream::EventStream;
pub use self::tap::Tap;
pub(crate) use self::tap::{HeldUpBy, TapEvents, TapSource};
use crate::metrics::Origin;
use crate::object::{Cached, CachedEvent, ObjectKey};
use crate::panic::{SafeDropper, drop_safely};
use crate::storage::View;
use crate::sync::{Mutex, MutexGuard};

/// The shortest resync period of a handler: one second. A shorter period is raised to it, as in
/// client-go.
pub(crate) const MIN_RESYNC: Duration = Duration::from_secs(1);

/// The distributor of a store's changes to its handlers.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::processor::{
///     AddedHandler, HandlerTask, Notification, Recipients, SharedProcessor,
/// };
/// use kube_informer::{Cached, CachedEvent, EventHandler, HandlerOptions, ObjectKey};
///
/// struct Print;
/// impl EventHandler<ConfigMap> for Print {
///     fn on_add(&mut self, map: Arc<ConfigMap>, initial: bool) {
///         println!("{:?}, stored before: {initial}", map.metadata.name);
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let processor = SharedProcessor::new();
/// let key = ObjectKey::namespaced("shop", "a")?;
/// let map: Cached = Cached::from(Arc::new(ConfigMap::default())).into();
/// let mut guard = processor.enter();
/// let stored = vec![(key.clone(), map.clone())];
/// let added: AddedHandler = guard.add_handler(Print, &HandlerOptions::new(), stored, true);
/// let event = CachedEvent::Deleted { object: map, final_state_known: true };
/// guard.distribute(&[Notification { key, event, recipients: Recipients::Everyone }]);
/// drop(guard);
///
/// processor.close(true); // the handler's task ends when everything is delivered
/// let task: HandlerTask = added.task;
/// task.run().await;
/// assert_eq!(added.registration.status().delivered, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SharedProcessor {
    shared: Arc<ProcessorState>,
}

pub(crate) struct ProcessorState {
    listeners: Mutex<Vec<Arc<Listener>>>,
    /// Listeners that were closed and still deliver events.
    closing: Mutex<Vec<Weak<Listener>>>,
    /// Lock order: after `listeners`.
    taps: Mutex<Vec<Arc<TapSource>>>,
    next_id: AtomicU64,
    origin: Arc<Origin>,
    dropper: SafeDropper,
    /// The time from which the moments of its backlogs count. Set at the first use, which is within
    /// the runtime whose clock counts.
    started: OnceLock<Instant>,
}

/// A change of the store, for the handlers.
#[derive(Debug)]
pub struct Notification {
    /// The object's key.
    pub key: ObjectKey,
    /// The event that handlers receive.
    pub event: CachedEvent,
    /// The handlers that receive the event.
    pub recipients: Recipients,
}

/// The handlers that receive a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recipients {
    /// All handlers: the object changed.
    Everyone,
    /// Handlers that have a resync period: a relist found the object unchanged.
    Resyncing,
}

/// Exclusive access to a processor between two batches.
///
/// While it exists, nothing is distributed except through it, and no handler is added or removed.
///
/// A late handler gets the stored objects, and then every change that is not among them:
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::processor::{DispatchGuard, HandlerTask, SharedProcessor};
/// use kube_informer::{EventHandler, HandlerOptions, Indexer};
///
/// fn add(
///     processor: &SharedProcessor,
///     store: &Indexer<ConfigMap>,
///     handler: impl EventHandler<ConfigMap>,
/// ) -> HandlerTask {
///     let mut guard: DispatchGuard<'_> = processor.enter(); // no batch in between
///     let stored = store.snapshot();
///     let stored = stored.iter_cached().map(|(key, map)| (key.clone(), map.into()));
///     let stored: Vec<_> = stored.collect();
///     guard.add_handler(handler, &HandlerOptions::new(), stored, true).task
/// }
/// ```
pub struct DispatchGuard<'a>(MutexGuard<'a, Vec<Arc<Listener>>>, &'a SharedProcessor);

/// The handlers that existed when a batch was stored.
///
/// A handler that was added later finds the batch in the store and does not receive it from here. A
/// handler that was removed receives nothing more.
pub(crate) struct Listeners {
    handlers: Vec<Arc<Listener>>,
    taps: Vec<Arc<TapSource>>,
    stored: ProcessorTime,
}

/// The objects that a new handler receives first, from one snapshot of the store.
pub(crate) trait StoredObjects:
    ExactSizeIterator<Item = (ObjectKey, Cached)> + Send + 'static
{
}

impl<I> StoredObjects for I where I: ExactSizeIterator<Item = (ObjectKey, Cached)> + Send + 'static {}

/// A handler that was added with [`DispatchGuard::add_handler`].
#[derive(Debug)]
#[must_use = "the handler is called by its task, which has to be spawned"]
#[non_exhaustive]
pub struct AddedHandler {
    /// Waits for the handler, reads its status, removes it.
    pub registration: HandlerRegistration,
    /// Calls the handler. The handler is removed if this is dropped before it runs.
    pub task: HandlerTask,
}

impl SharedProcessor {
    /// Creates a processor without handlers.
    pub fn new() -> Self {
        Self::of(Arc::default(), SafeDropper::default())
    }

    /// Creates a processor without handlers. Its handlers' spans and metrics have this origin.
    /// Objects whose `Drop` panics are counted in `drops`.
    pub(crate) fn of(origin: Arc<Origin>, dropper: SafeDropper) -> Self {
        let (listeners, closing) = (Mutex::default(), Mutex::default());
        let next_id = AtomicU64::new(0);
        let (taps, started) = (Mutex::default(), OnceLock::new());
        let shared = ProcessorState { listeners, closing, taps, next_id, origin, dropper, started };
        Self { shared: Arc::new(shared) }
    }

    /// Locks the processor between two batches. Blocks while a batch is being distributed, and
    /// holds up the next batch until the guard is dropped.
    pub fn enter(&self) -> DispatchGuard<'_> {
        DispatchGuard(self.shared.listeners.lock(), self)
    }

    /// Begins the resync periods of every handler at `now`.
    pub(crate) fn start_resyncs(&self, now: Instant) {
        self.shared.listeners.lock().iter().for_each(|listener| listener.start_resync(now));
    }

    /// Returns when the next resync of any handler is due.
    pub(crate) fn next_resync(&self) -> Option<Instant> {
        self.shared.listeners.lock().iter().filter_map(|listener| listener.next_resync()).min()
    }

    /// Begins a resync of the handlers whose resync is due at `now`. It runs until
    /// [`Listeners::end_resync`]; until then no other resync of these handlers begins.
    pub(crate) fn begin_resync(&self, now: Instant) -> Option<Listeners> {
        let listeners = self.shared.listeners.lock();
        listeners.iter().filter_map(|listener| listener.next_resync()).find(|next| *next <= now)?;
        // Handlers whose resync is almost due join in.
        let due = listeners.iter().filter(|listener| listener.begin_resync(now)).cloned();
        let handlers: Vec<_> = due.collect();
        let stored = self.shared.moment(now);
        (!handlers.is_empty()).then_some(Listeners { handlers, taps: Vec::new(), stored })
    }

    /// Returns the shortest resync period of any handler.
    pub(crate) fn min_resync(&self) -> Option<Duration> {
        self.shared.listeners.lock().iter().filter_map(|listener| listener.resync()).min()
    }

    /// Returns the status of each handler.
    pub fn status(&self) -> Vec<HandlerStatus> {
        self.shared.listeners.lock().iter().map(|listener| listener.status()).collect()
    }

    /// Closes every handler: no new event is queued. Waiting events are still delivered if `drain`
    /// is true, and are dropped otherwise.
    pub fn close(&self, drain: bool) {
        self.shared.close(if drain { Close::Draining } else { Close::Dropped });
    }
}

impl DispatchGuard<'_> {
    /// Queues each notification for each handler that it concerns.
    pub fn distribute(&self, notifications: &[Notification]) {
        self.listeners().distribute(notifications);
    }

    /// Returns the handlers that a batch is for, if the batch is stored under this guard. The
    /// result stays valid after the guard is dropped.
    pub(crate) fn listeners(&self) -> Listeners {
        let taps = self.1.shared.taps.lock().clone();
        let stored = self.1.shared.moment(Instant::now());
        Listeners { handlers: self.0.clone(), taps, stored }
    }

    /// Adds a tap that takes every change from the next batch on.
    pub(crate) fn add_tap(&mut self, source: TapSource, events: Option<TapEvents>) -> Tap {
        let source = Arc::new(source);
        let tap = Tap::new(&self.1.shared, &source, events);
        self.1.shared.taps.lock().push(source);
        tap
    }

    /// Marks the end of the initial adds in the backlog of each handler. Call this when the first
    /// population was distributed.
    pub fn end_initial(&self) {
        for listener in &*self.0 {
            listener.end_initial();
        }
    }

    /// Adds a handler that first receives `stored` as initial adds. O(1): nothing is copied.
    ///
    /// Take `stored` from the store while this guard exists. The handler then misses no batch and
    /// receives none twice. `complete` means that `stored` includes the first population: the
    /// handler has synced once it has handled all of `stored`. Otherwise the handler has synced
    /// after [`end_initial`](Self::end_initial).
    ///
    /// The handler is called once the returned task [runs](HandlerTask::run).
    pub fn add_handler<K: Resource + Send + Sync + 'static>(
        &mut self,
        handler: impl EventHandler<K>,
        options: &HandlerOptions,
        stored: impl IntoIterator<
            IntoIter = impl ExactSizeIterator<Item = (ObjectKey, Cached)> + Send + 'static,
        >,
        complete: bool,
    ) -> AddedHandler {
        let mut handler = handler;
        let call = Box::new(move |key: &ObjectKey, event: CachedEvent| {
            handler.on_cached_event(key, event.cast());
        });
        self.add_call(call, options, stored, complete, None)
    }

    /// Adds a handler as [`add_handler`](Self::add_handler) does. It reads objects through a view,
    /// if there is one.
    pub(crate) fn add_call(
        &mut self,
        call: Box<HandlerCall>,
        options: &HandlerOptions,
        stored: impl IntoIterator<IntoIter = impl StoredObjects>,
        complete: bool,
        view: Option<Arc<View>>,
    ) -> AddedHandler {
        let listener = self.add(options, stored, complete, view);
        let run = Box::pin(listener.clone().run(call));
        let (task, revoke) = HandlerTask::new(options.name.clone(), run);
        let registration = listener.registration(Arc::downgrade(&self.1.shared), revoke);
        AddedHandler { registration, task }
    }

    /// Adds a handler that the user polls. It holds `delivery_token` until everything is delivered
    /// to it.
    pub(crate) fn add_stream<K>(
        &mut self,
        options: &HandlerOptions,
        stored: impl IntoIterator<IntoIter = impl StoredObjects>,
        complete: bool,
        view: Option<Arc<View>>,
        delivery_token: Option<TaskTrackerToken>,
    ) -> EventStream<K> {
        let listener = self.add(options, stored, complete, view);
        listener.hold_token(delivery_token);
        EventStream::new(listener, Arc::downgrade(&self.1.shared))
    }

    fn add(
        &mut self,
        options: &HandlerOptions,
        stored: impl IntoIterator<IntoIter = impl StoredObjects>,
        complete: bool,
        view: Option<Arc<View>>,
    ) -> Arc<Listener> {
        let ProcessorState { next_id, origin, dropper, .. } = &*self.1.shared;
        let started = self.1.shared.started();
        let id = next_id.fetch_add(1, Ordering::Relaxed);
        let listener = Listener::new(id, options, origin, dropper.clone(), started, view);
        let listener = Arc::new(listener);
        listener.begin_with(Box::new(stored.into_iter()));
        if complete {
            listener.end_initial();
        }
        self.0.push(listener.clone());
        listener
    }
}

impl Listeners {
    /// Queues each notification for each handler that it concerns.
    pub(crate) fn distribute(&self, notifications: &[Notification]) {
        if notifications.is_empty() {
            return;
        }
        for listener in &self.handlers {
            listener.push(notifications, self.stored);
        }
    }

    /// Queues an update for each of these unchanged objects, for a resync.
    pub(crate) fn resend(&self, objects: &[(ObjectKey, Cached)]) {
        self.handlers.iter().for_each(|listener| listener.resend(objects));
    }

    /// Returns whether all of these handlers are closed.
    pub(crate) fn are_closed(&self) -> bool {
        self.handlers.iter().all(|listener| listener.is_closed())
    }

    /// Ends the resync of these handlers.
    pub(crate) fn end_resync(&self) {
        self.handlers.iter().for_each(|listener| listener.end_resync());
    }

    /// Returns whether there is any tap.
    pub(crate) fn has_taps(&self) -> bool {
        !self.taps.is_empty()
    }

    /// Gives each change to each tap. Waits for taps whose channel is full.
    pub(crate) async fn tap(&self, notifications: &[Notification], held_up: &HeldUpBy) {
        for tap in &self.taps {
            tap.take(notifications, held_up).await;
        }
    }
}

impl ProcessorState {
    fn started(&self) -> Instant {
        *self.started.get_or_init(Instant::now)
    }

    fn moment(&self, now: Instant) -> ProcessorTime {
        ProcessorTime::between(self.started(), now)
    }

    fn close(&self, close: Close) {
        // Not under a lock: closing drops objects, which may run user code.
        for tap in std::mem::take(&mut *self.taps.lock()) {
            drop_safely(tap);
        }
        let listeners = std::mem::take(&mut *self.listeners.lock());
        for listener in &listeners {
            listener.close(close);
        }
        let mut closing = std::mem::take(&mut *self.closing.lock());
        match close {
            Close::Draining => {
                closing.extend(listeners.iter().map(Arc::downgrade));
                self.closing.lock().append(&mut closing);
            }
            Close::Dropped => {
                let left = closing.iter().filter_map(Weak::upgrade);
                left.for_each(|listener| listener.close(close));
            }
        }
    }

    fn forget(shared: &Weak<Self>, id: u64) {
        let Some(shared) = shared.upgrade() else { return };
        let mut listeners = shared.listeners.lock();
        let place = listeners.iter().position(|listener| listener.id() == id);
        let forgotten = place.map(|place| listeners.remove(place));
        drop(listeners);
        // Not under the lock: dropping a listener may run user code.
        drop(forgotten);
    }
}

/// Closes all handlers: without its processor no handler receives an event.
impl Drop for SharedProcessor {
    fn drop(&mut self) {
        let listeners = std::mem::take(&mut *self.shared.listeners.lock());
        for listener in &listeners {
            listener.close(Close::Dropped);
        }
    }
}

impl Default for SharedProcessor {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SharedProcessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let handlers = self.shared.listeners.lock().len();
        f.debug_struct("SharedProcessor").field("handlers", &handlers).finish_non_exhaustive()
    }
}

impl fmt::Debug for DispatchGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DispatchGuard").field("handlers", &self.0.len()).finish()
    }
}
