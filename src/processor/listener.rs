//! One handler's own end of the pipeline: its backlog, and what empties it.

use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::Stream;
use tokio::sync::watch;
use tokio::time::Instant;

use super::backlog::{Backlog, Moment, Taken};
use super::metrics::HandlerMetrics;
use super::task::Revoke;
use super::{
    Audience, EventHandler, HandlerOptions, HandlerRegistration, HandlerStatus, Notification,
    Shared,
};
use crate::metrics::MetricLabels;
use crate::object::{CachedEvent, Event, ObjectKey};
use crate::sync::{AtomicWaker, Mutex};

/// After how many calls a handler's task lets others run. Two objects may be unpacked for each.
const CALLS_A_TURN: u32 = 8;

/// One handler's backlog and figures.
pub(super) struct Listener<K> {
    id: u64,
    name: Arc<str>,
    started: Instant,
    resync: Mutex<Resync>,
    queue: Mutex<Queue<K>>,
    /// Woken when something was queued, or nothing ever will be. One task drains a backlog.
    waker: AtomicWaker,
    synced: watch::Sender<bool>,
    finished: watch::Sender<bool>,
    delivered: AtomicU64,
    panics: AtomicU64,
    /// Whether the resync now going on is this handler's.
    due: AtomicBool,
}

struct Queue<K> {
    backlog: Backlog<K>,
    close: Option<Close>,
    /// Of what came at this moment the lag was observed.
    observed: Option<Moment>,
    /// Given up with the handler, though its registration is still held.
    metrics: HandlerMetrics,
}

struct Resync {
    period: Option<Duration>,
    next: Option<Instant>,
}

/// How a listener ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Close {
    /// What waits is still delivered.
    Draining,
    /// No further call is made.
    Dropped,
}

impl<K> Listener<K> {
    pub(super) fn new(id: u64, options: &HandlerOptions, labels: &MetricLabels) -> Self {
        Self {
            id,
            name: options.name.clone(),
            started: Instant::now(),
            resync: Mutex::new(Resync {
                period: options.resync_or(None),
                next: options.resync_or(None).map(|period| Instant::now() + period),
            }),
            queue: Mutex::new(Queue {
                backlog: Backlog::new(options.backlog),
                close: None,
                observed: None,
                metrics: HandlerMetrics::new(labels, &options.name),
            }),
            waker: AtomicWaker::new(),
            synced: watch::Sender::new(false),
            finished: watch::Sender::new(false),
            delivered: AtomicU64::new(0),
            panics: AtomicU64::new(0),
            due: AtomicBool::new(false),
        }
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn resync(&self) -> Option<Duration> {
        self.resync.lock().period
    }

    /// Whether a resync is due; the next one is then a period away.
    pub(super) fn mark_due(&self, now: Instant) -> bool {
        let mut resync = self.resync.lock();
        let due = resync.next.is_some_and(|next| next <= now);
        if due {
            resync.next = resync.period.map(|period| now + period);
        }
        self.due.store(due, Ordering::Relaxed);
        due
    }

    /// Takes a batch that was stored at `now`.
    pub(super) fn push(&self, notifications: &[Notification<K>], now: Instant) {
        let resyncing = self.resync().is_some();
        let due = self.due.load(Ordering::Relaxed);
        let mut queue = self.queue.lock();
        if queue.close.is_some() {
            return;
        }
        let backlog = &mut queue.backlog;
        let (merged, cancelled) = (backlog.merged(), backlog.cancelled());
        backlog.set_now(self.moment(now));
        for notification in notifications {
            let concerned = match notification.audience {
                Audience::Everyone => true,
                Audience::Resyncing => resyncing,
                Audience::Due => due,
            };
            if concerned {
                backlog.push(&notification.key, notification.event.clone());
            }
        }
        queue.metrics.pending.set(|| queue.backlog.len());
        queue.metrics.merged.add(queue.backlog.merged() - merged);
        queue.metrics.cancelled.add(queue.backlog.cancelled() - cancelled);
        drop(queue);
        self.waker.wake();
    }

    pub(super) fn end_initial(&self) {
        self.queue.lock().backlog.end_initial();
        self.waker.wake();
    }

    pub(super) fn close(&self, close: Close) {
        let mut queue = self.queue.lock();
        if queue.close != Some(Close::Dropped) {
            queue.close = Some(close);
        }
        if close == Close::Dropped {
            queue.backlog.clear();
            queue.metrics = HandlerMetrics::new(&MetricLabels::default(), "");
        }
        drop(queue);
        self.waker.wake();
    }

    pub(super) fn status(&self) -> HandlerStatus {
        let queue = self.queue.lock();
        HandlerStatus {
            name: self.name.clone(),
            synced: *self.synced.borrow(),
            backlog: queue.backlog.len(),
            lag: queue
                .backlog
                .oldest()
                .map_or(Duration::ZERO, |since| since.until(self.moment(Instant::now()))),
            delivered: self.delivered.load(Ordering::Relaxed),
            merged: queue.backlog.merged(),
            cancelled: queue.backlog.cancelled(),
            panics: self.panics.load(Ordering::Relaxed),
        }
    }

    fn moment(&self, now: Instant) -> Moment {
        Moment::after(now.duration_since(self.started))
    }

    /// The next event, as the cache holds it, and the key of its object.
    fn poll_event(&self, cx: &Context<'_>) -> Poll<Option<(ObjectKey, CachedEvent<K>)>> {
        // Before looking, or a push in between would wake nobody.
        self.waker.register(cx.waker());
        let mut queue = self.queue.lock();
        loop {
            match queue.backlog.pop() {
                Some(Taken::Event(key, event, since)) => {
                    self.delivered.fetch_add(1, Ordering::Relaxed);
                    let Queue { backlog, observed, metrics, .. } = &mut *queue;
                    metrics.delivered.add(1);
                    metrics.pending.set(|| backlog.len());
                    metrics.lag.observe(|| {
                        let again = observed.replace(since) == Some(since);
                        (!again).then(|| since.until(self.moment(Instant::now())))
                    });
                    return Poll::Ready(Some((key, event)));
                }
                Some(Taken::InitialEnd) => drop(self.synced.send_replace(true)),
                None if queue.close.is_some() => return Poll::Ready(None),
                None => return Poll::Pending,
            }
        }
    }
}

impl<K: Send + Sync + 'static> Listener<K> {
    pub(super) fn registration(
        self: &Arc<Self>,
        shared: Weak<Shared<K>>,
        task: Revoke,
    ) -> HandlerRegistration {
        let (remove, status) = (self.clone(), self.clone());
        HandlerRegistration::new(
            self.synced.subscribe(),
            self.finished.subscribe(),
            Arc::new(move || {
                Shared::forget(&shared, remove.id);
                remove.close(Close::Dropped);
                task.revoke();
            }),
            Arc::new(move || status.status()),
        )
    }

    /// Calls the handler for each event until the listener is closed.
    pub(super) fn run<H: EventHandler<K>>(
        self: Arc<Self>,
        mut handler: H,
    ) -> impl Future<Output = ()> + Send + 'static {
        // Made now, not when first polled: a task that is never spawned has finished, too.
        let finish = Finish(self.clone());
        async move {
            let listener = &finish.0;
            let mut calls = 0;
            while let Some((key, event)) = poll_fn(|cx| listener.poll_event(cx)).await {
                // What is packed is unpacked in there, if at all: with nothing locked.
                let call = AssertUnwindSafe(|| handler.on_cached_event(&key, event));
                if let Err(panic) = catch_unwind(call) {
                    listener.panics.fetch_add(1, Ordering::Relaxed);
                    listener.queue.lock().metrics.panics.add(1);
                    let message = crate::panic::message(&*panic);
                    tracing::error!(handler = &*listener.name, message, "event handler panicked");
                }
                calls += 1;
                if calls % CALLS_A_TURN == 0 {
                    tokio::task::yield_now().await;
                }
            }
        }
    }
}

/// Says that a handler will never be called again, when it is dropped.
struct Finish<K>(Arc<Listener<K>>);

impl<K> Drop for Finish<K> {
    fn drop(&mut self) {
        self.0.close(Close::Dropped);
        self.0.finished.send_replace(true);
    }
}

/// The events of one handler, for asynchronous code.
///
/// A stream is a handler like any other: its backlog is bounded by merging, it is first told what
/// is stored, and it ends when the informer stops. Taking the next event says that the one before
/// is finished. Dropping it removes the handler.
#[must_use = "a stream that is not polled fills its backlog"]
pub struct EventStream<K> {
    finish: Finish<K>,
    shared: Weak<Shared<K>>,
}

impl<K> EventStream<K> {
    pub(super) fn new(listener: Arc<Listener<K>>, shared: Weak<Shared<K>>) -> Self {
        Self { finish: Finish(listener), shared }
    }

    /// Whether everything that is told first was taken, and the last of it is finished.
    pub fn has_synced(&self) -> bool {
        *self.finish.0.synced.borrow()
    }

    /// How this handler is doing.
    pub fn status(&self) -> HandlerStatus {
        self.finish.0.status()
    }
}

impl<K> Stream for EventStream<K> {
    type Item = Event<K>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        loop {
            match ready!(self.finish.0.poll_event(cx)) {
                None => return Poll::Ready(None),
                Some((_, event)) => match event.read() {
                    // What can't be read was reported when that was found.
                    None => {}
                    event => return Poll::Ready(event),
                },
            }
        }
    }
}

impl<K> Drop for EventStream<K> {
    fn drop(&mut self) {
        Shared::forget(&self.shared, self.finish.0.id);
    }
}

impl<K> fmt::Debug for EventStream<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").field("status", &self.status()).finish_non_exhaustive()
    }
}
