//! Fans each change out to the handlers.
//!
//! Each handler has a listener: a backlog of its own and whatever runs it, so a slow or panicking
//! handler is nobody else's concern. Handlers come and go between batches, never inside one, which
//! is why one that comes late sees no gap and no repeat.
//!
//! The processor never waits for a handler and never drops a final state: a full backlog merges
//! what it holds of the same object. It never unpacks an object before the call that reads it.

mod backlog;
mod handler;
mod listener;
mod metrics;
mod options;
mod registration;
mod task;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::Instant;

pub use self::handler::EventHandler;
pub(crate) use self::handler::FnHandler;
pub use self::listener::EventStream;
use self::listener::{Close, Listener};
pub use self::options::HandlerOptions;
pub(crate) use self::options::resync_period;
pub use self::registration::{HandlerRegistration, HandlerStatus};
pub(crate) use self::task::HandlerTask;
use crate::metrics::MetricLabels;
use crate::object::{Cached, CachedEvent, ObjectKey};
use crate::sync::{Mutex, MutexGuard};

/// The shortest resync period a handler can have; a shorter wish is raised to it, as in client-go.
pub const MIN_RESYNC: Duration = Duration::from_secs(1);

/// Hands every notification to every listener that it concerns.
pub struct SharedProcessor<K> {
    shared: Arc<Shared<K>>,
}

pub(crate) struct Shared<K> {
    listeners: Mutex<Vec<Arc<Listener<K>>>>,
    next_id: AtomicU64,
    labels: MetricLabels,
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
    listeners: Vec<Arc<Listener<K>>>,
    stored: Instant,
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
        Self::with_metrics(MetricLabels::default())
    }

    /// A processor without handlers, whose handlers' metrics will have these labels.
    pub(crate) fn with_metrics(labels: MetricLabels) -> Self {
        let next_id = AtomicU64::new(0);
        Self { shared: Arc::new(Shared { listeners: Mutex::default(), next_id, labels }) }
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
        let close = if drain { Close::Draining } else { Close::Dropped };
        for listener in self.shared.listeners.lock().drain(..) {
            listener.close(close);
        }
    }
}

impl<K: Send + Sync + 'static> Round<'_, K> {
    /// Puts each notification into the backlog of each listener that it concerns.
    pub fn distribute(&self, notifications: &[Notification<K>]) {
        self.listeners().distribute(notifications);
    }

    /// Whom to tell of a batch that is stored in this round, also after it.
    pub(crate) fn listeners(&self) -> Listeners<K> {
        Listeners { listeners: self.0.clone(), stored: Instant::now() }
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
        stored: impl IntoIterator<Item = (ObjectKey, Cached<K>)>,
        complete: bool,
    ) -> AddedHandler {
        let listener = self.add(options, stored, complete);
        let run = Box::pin(listener.clone().run(handler));
        let (task, revoke) = HandlerTask::new(options.name.clone(), run);
        let registration = listener.registration(Arc::downgrade(&self.1.shared), revoke);
        AddedHandler { registration, task }
    }

    /// Adds a handler that the user polls.
    pub(crate) fn add_stream(
        &mut self,
        options: &HandlerOptions,
        stored: impl IntoIterator<Item = (ObjectKey, Cached<K>)>,
        complete: bool,
    ) -> EventStream<K> {
        let listener = self.add(options, stored, complete);
        EventStream::new(listener, Arc::downgrade(&self.1.shared))
    }

    fn add(
        &mut self,
        options: &HandlerOptions,
        stored: impl IntoIterator<Item = (ObjectKey, Cached<K>)>,
        complete: bool,
    ) -> Arc<Listener<K>> {
        let id = self.1.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let listener = Arc::new(Listener::new(id, options, &self.1.shared.labels));
        let initial: Vec<_> = stored
            .into_iter()
            .map(|(key, object)| Notification {
                key,
                event: CachedEvent::Added { object, initial: true },
                audience: Audience::Everyone,
            })
            .collect();
        listener.push(&initial, Instant::now());
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
        for listener in &self.listeners {
            listener.push(notifications, self.stored);
        }
    }
}

impl<K> Shared<K> {
    fn forget(shared: &Weak<Self>, id: u64) {
        if let Some(shared) = shared.upgrade() {
            shared.listeners.lock().retain(|listener| listener.id() != id);
        }
    }
}

/// Without its processor no handler will hear of anything again.
impl<K> Drop for SharedProcessor<K> {
    fn drop(&mut self) {
        for listener in self.shared.listeners.lock().drain(..) {
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
