//! Fans each change out to the handlers.
//!
//! Each handler has a listener: a backlog of its own and whatever runs it, so a slow or panicking
//! handler is nobody else's concern. Handlers come and go between batches, never inside one, which
//! is why one that comes late sees no gap and no repeat.
//!
//! The processor never waits for a handler and never drops a final state: a full backlog merges
//! what it holds of the same object. Only a tap that needs every state is waited for. It never unpacks an object before the call that reads it.

mod backlog;
mod handler;
mod listener;
mod metrics;
mod options;
mod registration;
mod resync;
mod tap;
mod task;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::task::task_tracker::TaskTrackerToken;

pub use self::handler::EventHandler;
pub(crate) use self::handler::FnHandler;
pub use self::listener::EventStream;
use self::listener::{Close, Listener};
pub use self::options::HandlerOptions;
pub(crate) use self::options::resync_period;
pub use self::registration::{HandlerRegistration, HandlerStatus};
pub(crate) use self::tap::{HeldUpBy, Tap, TapGuard};
pub(crate) use self::task::HandlerTask;
use crate::metrics::MetricLabels;
use crate::object::{Cached, CachedEvent, ObjectKey};
use crate::panic::Drops;
use crate::sync::{Mutex, MutexGuard};

/// The shortest resync period a handler can have; a shorter wish is raised to it, as in client-go.
pub const MIN_RESYNC: Duration = Duration::from_secs(1);

/// Hands every notification to every listener that it concerns.
pub struct SharedProcessor<K> {
    shared: Arc<Shared<K>>,
}

pub(crate) struct Shared<K> {
    listeners: Mutex<Vec<Arc<Listener<K>>>>,
    /// Those that were closed and still have something to deliver.
    closing: Mutex<Vec<Weak<Listener<K>>>>,
    /// Locked after the listeners, where both are.
    taps: Mutex<Vec<Arc<Tap<K>>>>,
    next_id: AtomicU64,
    labels: MetricLabels,
    drops: Drops,
}

/// A change of the store, on its way to the handlers.
#[derive(Debug)]
pub struct Notification<K> {
    /// The object's key.
    pub key: ObjectKey,
    /// What handlers are told.
    pub event: CachedEvent<K>,
    /// Who is told.
    pub audience: Audience,
}

/// Whom a notification concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A change: everyone.
    Everyone,
    /// A relist holds the object unchanged: those who asked for resync.
    Resyncing,
    /// A resync: those whose resync is due.
    Due,
}

/// The processor between two batches: nothing is distributed but through it, and no handler comes
/// or goes until it is dropped.
pub struct Round<'a, K>(MutexGuard<'a, Vec<Arc<Listener<K>>>>, &'a SharedProcessor<K>);

/// The handlers that there were when a batch was stored. One that comes later finds the batch in the
/// store, and hears nothing of it from here; one that was removed hears no more.
pub(crate) struct Listeners<K> {
    handlers: Vec<Arc<Listener<K>>>,
    taps: Vec<Arc<Tap<K>>>,
    stored: Instant,
}

/// The objects that a new handler is told first, as the store held them at one moment.
pub(crate) trait StoredObjects<K>:
    ExactSizeIterator<Item = (ObjectKey, Cached<K>)> + Send + 'static
{
}

impl<K, I> StoredObjects<K> for I where
    I: ExactSizeIterator<Item = (ObjectKey, Cached<K>)> + Send + 'static
{
}

/// A handler that was added: how to speak of it, and what runs it.
pub(crate) struct AddedHandler {
    pub(crate) registration: HandlerRegistration,
    /// To be spawned by whoever owns the tasks.
    pub(crate) task: HandlerTask,
}

impl<K: Send + Sync + 'static> SharedProcessor<K> {
    /// A processor without handlers.
    pub fn new() -> Self {
        Self::with_metrics(MetricLabels::default(), Drops::default())
    }

    /// A processor without handlers. Its handlers' metrics will have these labels, and objects
    /// whose `Drop` panics are counted in `drops`.
    pub(crate) fn with_metrics(labels: MetricLabels, drops: Drops) -> Self {
        let (listeners, closing) = (Mutex::default(), Mutex::default());
        let next_id = AtomicU64::new(0);
        let taps = Mutex::default();
        Self { shared: Arc::new(Shared { listeners, closing, taps, next_id, labels, drops }) }
    }

    /// Waits for a batch being distributed, and holds up the next one.
    pub fn enter(&self) -> Round<'_, K> {
        Round(self.shared.listeners.lock(), self)
    }

    /// Marks the handlers whose resync is due at `now`; whether there are any.
    pub fn mark_due(&self, now: Instant) -> bool {
        let mut any = false;
        for listener in &*self.shared.listeners.lock() {
            any |= listener.mark_due(now);
        }
        any
    }

    /// Begins every handler's periods at `now`.
    pub(crate) fn start_resyncs(&self, now: Instant) {
        self.shared.listeners.lock().iter().for_each(|listener| listener.start_resync(now));
    }

    /// When the next resync of any handler is due.
    pub(crate) fn next_resync(&self) -> Option<Instant> {
        self.shared.listeners.lock().iter().filter_map(|listener| listener.next_resync()).min()
    }

    /// The handlers whose resync is due at `now`. It goes on until they are given to
    /// [`Listeners::end_resync`]; until then no other resync of theirs begins.
    pub(crate) fn begin_resync(&self, now: Instant) -> Option<Listeners<K>> {
        let listeners = self.shared.listeners.lock();
        listeners.iter().filter_map(|listener| listener.next_resync()).find(|next| *next <= now)?;
        // With those that are due come those that are almost.
        let due = listeners.iter().filter(|listener| listener.begin_resync(now)).cloned();
        let listeners: Vec<_> = due.collect();
        (!listeners.is_empty()).then_some(Listeners {
            handlers: listeners,
            taps: Vec::new(),
            stored: now,
        })
    }

    /// The smallest resync period that any handler has.
    pub fn min_resync(&self) -> Option<Duration> {
        self.shared.listeners.lock().iter().filter_map(|listener| listener.resync()).min()
    }

    /// How each handler is doing.
    pub fn status(&self) -> Vec<HandlerStatus> {
        self.shared.listeners.lock().iter().map(|listener| listener.status()).collect()
    }

    /// Takes every handler's leave: no event comes any more. What waits in the backlogs is still
    /// delivered if `drain`, else dropped.
    pub fn close(&self, drain: bool) {
        self.shared.close(if drain { Close::Draining } else { Close::Dropped });
    }
}

impl<K: Send + Sync + 'static> Round<'_, K> {
    /// Puts each notification into the backlog of each listener that it concerns.
    pub fn distribute(&self, notifications: &[Notification<K>]) {
        self.listeners().distribute(notifications);
    }

    /// Whom to tell of a batch that is stored in this round, also after it.
    pub(crate) fn listeners(&self) -> Listeners<K> {
        let taps = self.1.shared.taps.lock().clone();
        Listeners { handlers: self.0.clone(), taps, stored: Instant::now() }
    }

    /// Adds a tap, which takes every change from the next batch on.
    pub(crate) fn add_tap(&mut self, tap: Tap<K>) -> TapGuard {
        let tap = Arc::new(tap);
        let guard = TapGuard::new(Arc::downgrade(&self.1.shared), Arc::downgrade(&tap));
        self.1.shared.taps.lock().push(tap);
        guard
    }

    /// Says that the first population was distributed: who was there from the start is told by a
    /// mark behind the last of it.
    pub fn end_initial(&self) {
        for listener in &*self.0 {
            listener.end_initial();
        }
    }

    /// Adds a handler, which is first told `stored` as initial adds. `complete`: the first
    /// population is among them, so the handler has synced when it is through with them.
    pub(crate) fn add_handler<H: EventHandler<K>>(
        &mut self,
        handler: H,
        options: &HandlerOptions,
        stored: impl IntoIterator<IntoIter = impl StoredObjects<K>>,
        complete: bool,
    ) -> AddedHandler {
        let listener = self.add(options, stored, complete, None);
        let run = Box::pin(listener.clone().run(handler));
        let (task, revoke) = HandlerTask::new(options.name.clone(), run);
        let registration = listener.registration(Arc::downgrade(&self.1.shared), revoke);
        AddedHandler { registration, task }
    }

    /// Adds a handler that the user polls. `owing` is held until everything is delivered to it.
    pub(crate) fn add_stream(
        &mut self,
        options: &HandlerOptions,
        stored: impl IntoIterator<IntoIter = impl StoredObjects<K>>,
        complete: bool,
        owing: Option<TaskTrackerToken>,
    ) -> EventStream<K> {
        let listener = self.add(options, stored, complete, owing);
        EventStream::new(listener, Arc::downgrade(&self.1.shared))
    }

    fn add(
        &mut self,
        options: &HandlerOptions,
        stored: impl IntoIterator<IntoIter = impl StoredObjects<K>>,
        complete: bool,
        owing: Option<TaskTrackerToken>,
    ) -> Arc<Listener<K>> {
        let Shared { next_id, labels, drops, .. } = &*self.1.shared;
        let id = next_id.fetch_add(1, Ordering::Relaxed);
        let listener = Arc::new(Listener::new(id, options, labels, drops.clone()));
        listener.owe(owing);
        listener.begin_with(Box::new(stored.into_iter()), Instant::now());
        if complete {
            listener.end_initial();
        }
        self.0.push(listener.clone());
        listener
    }
}

impl<K> Listeners<K> {
    /// Puts each notification into the backlog of each listener that it concerns.
    pub(crate) fn distribute(&self, notifications: &[Notification<K>]) {
        if notifications.is_empty() {
            return;
        }
        for listener in &self.handlers {
            listener.push(notifications, self.stored);
        }
    }

    /// Tells these handlers again of objects that did not change.
    pub(crate) fn tell_again(&self, objects: &[(ObjectKey, Cached<K>)]) {
        let now = Instant::now();
        self.handlers.iter().for_each(|listener| listener.tell_again(objects, now));
    }

    /// Whether none of them takes anything any more.
    pub(crate) fn are_closed(&self) -> bool {
        self.handlers.iter().all(|listener| listener.is_closed())
    }

    /// Says that a resync is through.
    pub(crate) fn end_resync(&self) {
        self.handlers.iter().for_each(|listener| listener.end_resync());
    }

    /// Returns whether any tap takes changes.
    pub(crate) fn has_taps(&self) -> bool {
        !self.taps.is_empty()
    }

    /// Gives each change to each tap. Waits for taps that have no room.
    pub(crate) async fn tap(&self, notifications: &[Notification<K>], held_up: &HeldUpBy) {
        for tap in &self.taps {
            tap.take(notifications, held_up).await;
        }
    }
}

impl<K> Shared<K> {
    fn close(&self, close: Close) {
        // Not under a lock: what is dropped may be user code.
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
        // Not under the lock: what it holds may be user code.
        drop(forgotten);
    }
}

/// Without its processor no handler will hear of anything again.
impl<K> Drop for SharedProcessor<K> {
    fn drop(&mut self) {
        let listeners = std::mem::take(&mut *self.shared.listeners.lock());
        for listener in &listeners {
            listener.close(Close::Dropped);
        }
    }
}

impl<K: Send + Sync + 'static> Default for SharedProcessor<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> fmt::Debug for SharedProcessor<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let handlers = self.shared.listeners.lock().len();
        f.debug_struct("SharedProcessor").field("handlers", &handlers).finish_non_exhaustive()
    }
}

impl<K> fmt::Debug for Round<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Round").field("handlers", &self.0.len()).finish()
    }
}
