//! The end of the pipeline for one handler: its backlog, and the task that empties it.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::backlog::{Backlog, Cleared, Popped, ProcessorTime, Stored};
use super::registration::{HandlerMetrics, Revoke};
use super::resync::Resync;
use super::unread::Unread;
use super::{
    HandlerOptions, HandlerRegistration, HandlerStatus, Notification, ProcessorState, Recipients,
};
use crate::metrics::{MetricLabels, Origin};
use crate::object::{Cached, CachedEvent, ObjectKey};
use crate::panic::{SafeDrop, SafeDropper, catch};
use crate::storage::View;
use crate::sync::{AtomicWaker, Mutex};
use crate::yield_budget::{UNPACKING, YieldBudget};

/// The time after which a call that has not returned is reported.
const SLOW_CALL: Duration = Duration::from_secs(1);

/// One handler's backlog and counters.
pub(super) struct Listener {
    id: u64,
    name: Arc<str>,
    origin: Arc<Origin>,
    started: Instant,
    resync: Mutex<Resync>,
    queue: Mutex<Queue>,
    /// Woken when an event is queued or the listener is closed. Only one task drains a backlog.
    waker: AtomicWaker,
    pub(super) synced: watch::Sender<bool>,
    finished: watch::Sender<bool>,
    delivered: AtomicU64,
    panics: AtomicU64,
    /// The time at which the current call began, in microseconds. Zero between calls.
    called: AtomicU64,
    /// True if a slow call was reported.
    is_slow: AtomicBool,
    /// Drops the events that the handler does not receive.
    pub(super) dropper: SafeDropper,
    /// The view through which the handler reads objects, if their type is not the stored one.
    view: Option<Arc<View>>,
}

struct Queue {
    backlog: Backlog,
    close: Option<Close>,
    /// The number of objects that the handler was told of, and not of their end.
    told: u64,
    /// The queue time of the last event whose lag was recorded.
    observed: Option<ProcessorTime>,
    /// The handler's metrics. They end with the handler, even while its registration is still held.
    metrics: HandlerMetrics,
    /// For a stream: a token that is held until everything is delivered, or until no more can be.
    delivery_token: Option<TaskTrackerToken>,
    /// True if a task calls the handler. It also frees what a close leaves.
    has_task: bool,
    /// The contents of the backlog that the task frees.
    cleared: Option<Cleared>,
}

impl Queue {
    /// Releases the token when no more events will be delivered.
    fn settle(&mut self) {
        let nothing_comes = self.close.is_some() && self.backlog.len() == 0;
        if nothing_comes || self.close == Some(Close::Dropped) {
            self.delivery_token = None;
        }
    }
}

/// The way in which a listener ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Close {
    /// Waiting events are still delivered.
    Draining,
    /// Waiting events are dropped.
    Dropped,
}

impl Listener {
    pub(super) fn new(
        id: u64,
        options: &HandlerOptions,
        origin: &Arc<Origin>,
        dropper: SafeDropper,
        started: Instant,
        view: Option<Arc<View>>,
    ) -> Self {
        Self {
            id,
            name: options.name.clone(),
            origin: origin.clone(),
            started,
            resync: Mutex::new(Resync::new(options.resync_or(None), Instant::now())),
            queue: Mutex::new(Queue {
                backlog: Backlog::new(options.backlog),
                close: None,
                told: 0,
                observed: None,
                metrics: HandlerMetrics::new(&origin.labels, &options.name),
                delivery_token: None,
                has_task: false,
                cleared: None,
            }),
            waker: AtomicWaker::new(),
            synced: watch::Sender::new(false),
            finished: watch::Sender::new(false),
            delivered: AtomicU64::new(0),
            panics: AtomicU64::new(0),
            called: AtomicU64::new(0),
            is_slow: AtomicBool::new(false),
            dropper,
            view,
        }
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn resync(&self) -> Option<Duration> {
        self.resync.lock().period()
    }

    /// Begins this handler's periods at `now`.
    pub(super) fn start_resync(&self, now: Instant) {
        self.resync.lock().start(now);
    }

    /// Returns when the next resync is due. `None` while one is running, and if the handler has no
    /// resync.
    pub(super) fn next_resync(&self) -> Option<Instant> {
        self.resync.lock().next()
    }

    /// Begins a resync if one is due, and returns whether it did. The resync runs until
    /// [`end_resync`](Self::end_resync).
    pub(super) fn begin_resync(&self, now: Instant) -> bool {
        !self.is_closed() && self.resync.lock().begin(now)
    }

    pub(super) fn end_resync(&self) {
        self.resync.lock().end();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.queue.lock().close.is_some()
    }

    /// Queues these objects as initial adds, before everything else. O(1).
    pub(super) fn begin_with(&self, stored: Stored) {
        let mut queue = self.queue.lock();
        queue.backlog.set_now(self.now());
        queue.backlog.begin_with(stored);
        queue.metrics.pending.set(|| queue.backlog.len());
        drop(queue);
        self.waker.wake();
    }

    /// Holds this token until everything is delivered, or until no more can be.
    pub(super) fn hold_token(&self, token: Option<TaskTrackerToken>) {
        self.queue.lock().delivery_token = token;
    }

    /// Queues an update for each of these unchanged objects.
    pub(super) fn resend(&self, objects: &[(ObjectKey, Cached)]) {
        let events = objects.iter().map(|(key, object)| {
            (key, CachedEvent::Updated { old: object.clone(), new: object.clone() })
        });
        self.queue_all(events, self.now());
    }

    /// Queues the notifications of a batch that was stored at `now`.
    pub(super) fn push(&self, notifications: &[Notification], now: ProcessorTime) {
        let unchanged = |told: &Notification| told.recipients == Recipients::Resyncing;
        let resyncing = notifications.iter().any(unchanged) && self.resync().is_some();
        let concerned = notifications.iter().filter(|notification| match notification.recipients {
            Recipients::Everyone => true,
            Recipients::Resyncing => resyncing,
        });
        self.queue_all(concerned.map(|told| (&told.key, told.event.clone())), now);
    }

    fn queue_all<'a>(
        &self,
        events: impl Iterator<Item = (&'a ObjectKey, CachedEvent)>,
        now: ProcessorTime,
    ) {
        self.report_slow_call(now);
        let mut queue = self.queue.lock();
        if queue.close.is_some() {
            return;
        }
        let backlog = &mut queue.backlog;
        let (merged, cancelled) = (backlog.merged(), backlog.cancelled());
        backlog.set_now(now);
        for (key, event) in events {
            backlog.push(key, event);
        }
        let unused = backlog.take_unused();
        queue.metrics.pending.set(|| queue.backlog.len());
        queue.metrics.merged.add(queue.backlog.merged() - merged);
        queue.metrics.cancelled.add(queue.backlog.cancelled() - cancelled);
        drop(queue);
        self.waker.wake();
        self.dropper.free_all(unused);
    }

    pub(super) fn end_initial(&self) {
        self.queue.lock().backlog.end_initial();
        self.waker.wake();
    }

    pub(super) fn close(&self, close: Close) {
        let mut cleared = None;
        let mut queue = self.queue.lock();
        if queue.close != Some(Close::Dropped) {
            queue.close = Some(close);
        }
        if close == Close::Dropped {
            cleared = Some(queue.backlog.clear());
            queue.metrics = HandlerMetrics::new(&MetricLabels::default(), "");
            // The task frees them in turns, unless its call may never return.
            if queue.has_task && queue.cleared.is_none() && self.call().is_none() {
                queue.cleared = cleared.take();
            }
        }
        queue.settle();
        drop(queue);
        self.waker.wake();
        if let Some(mut cleared) = cleared {
            cleared.drain().for_each(|event| self.dropper.free_event(event));
        }
    }

    /// Frees what a close left, and yields in between.
    async fn free_cleared(&self, budget: &mut YieldBudget) {
        let cleared = self.queue.lock().cleared.take();
        if let Some(mut cleared) = cleared {
            let free = |event| self.dropper.free_event(event);
            budget.pass_on(cleared.drain(), free).await;
        }
    }

    /// Returns when the current call began. `None` between calls.
    fn call(&self) -> Option<ProcessorTime> {
        let called = self.called.load(Ordering::Relaxed);
        (called > 0).then(|| ProcessorTime::from_micros(called))
    }

    /// Reports a call that has not returned for long, once.
    fn report_slow_call(&self, now: ProcessorTime) {
        if self.call().is_some_and(|called| called.until(now) >= SLOW_CALL)
            && !self.is_slow.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                handler = &*self.name,
                "a call of an event handler takes longer than {SLOW_CALL:?} and blocks a thread \
                 of the runtime; move blocking code to `spawn_blocking`"
            );
        }
    }

    pub(super) fn status(&self) -> HandlerStatus {
        let now = self.now();
        let queue = self.queue.lock();
        HandlerStatus {
            name: self.name.clone(),
            synced: *self.synced.borrow(),
            backlog: queue.backlog.len(),
            lag: queue.backlog.oldest().map_or(Duration::ZERO, |since| since.until(now)),
            call_time: self.call().map_or(Duration::ZERO, |called| called.until(now)),
            delivered: self.delivered.load(Ordering::Relaxed),
            objects: queue.told,
            merged: queue.backlog.merged(),
            cancelled: queue.backlog.cancelled(),
            panics: self.panics.load(Ordering::Relaxed),
        }
    }

    fn now(&self) -> ProcessorTime {
        ProcessorTime::between(self.started, Instant::now())
    }

    /// Takes the next delivery from the backlog.
    pub(super) fn poll_delivery(&self, cx: &Context<'_>) -> Poll<Option<Delivery>> {
        // Register before looking: a push in between would otherwise wake no task.
        self.waker.register(cx.waker());
        let mut queue = self.queue.lock();
        let (merged, cancelled) = (queue.backlog.merged(), queue.backlog.cancelled());
        let polled = match queue.backlog.pop() {
            Some(Popped::Event(key, event, since)) => {
                self.delivered.fetch_add(1, Ordering::Relaxed);
                let Queue { backlog, told, observed, metrics, .. } = &mut *queue;
                match &event {
                    CachedEvent::Added { .. } => *told += 1,
                    CachedEvent::Updated { .. } => {}
                    CachedEvent::Deleted { .. } | CachedEvent::MovedAway { .. } => {
                        *told = told.saturating_sub(1);
                    }
                }
                metrics.delivered.add(1);
                metrics.pending.set(|| backlog.len());
                metrics.lag.observe(|| {
                    let again = observed.replace(since) == Some(since);
                    (!again).then(|| since.until(self.now()))
                });
                let event = match &self.view {
                    Some(view) => view.show_event(event),
                    None => event,
                };
                Poll::Ready(Some(Delivery::Event(key, event)))
            }
            Some(Popped::InitialEnd) => {
                self.synced.send_replace(true);
                Poll::Ready(Some(Delivery::InitialEnd))
            }
            Some(Popped::Later) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            None if queue.close.is_some() => Poll::Ready(None),
            None => Poll::Pending,
        };
        queue.settle();
        let unused = queue.backlog.take_unused();
        queue.metrics.merged.add(queue.backlog.merged() - merged);
        queue.metrics.cancelled.add(queue.backlog.cancelled() - cancelled);
        drop(queue);
        self.dropper.free_all(unused);
        polled
    }
}

impl Listener {
    pub(super) fn registration(
        self: &Arc<Self>,
        shared: Weak<ProcessorState>,
        task: Revoke,
    ) -> HandlerRegistration {
        let (remove, status) = (self.clone(), self.clone());
        HandlerRegistration::new(
            self.synced.subscribe(),
            self.finished.subscribe(),
            Arc::new(move || {
                ProcessorState::forget(&shared, remove.id);
                remove.close(Close::Dropped);
                task.revoke();
            }),
            Arc::new(move || status.status()),
        )
    }

    /// Calls the handler for each event until the listener is closed.
    pub(super) fn run(
        self: Arc<Self>,
        handler: Box<HandlerCall>,
    ) -> impl Future<Output = ()> + Send + 'static {
        // Created now, not at the first poll: a task that is never spawned must also finish. The
        // handler is declared later, so it is dropped first: `finished` means that the handler is
        // gone.
        self.queue.lock().has_task = true;
        let finish = Finish(self.clone());
        let handler = SafeDrop::new(handler);
        async move {
            let listener = &finish.0;
            let mut handler = handler;
            let mut unread = Unread::default();
            let mut budget = YieldBudget::new();
            loop {
                let delivery = poll_fn(|cx| {
                    let polled = listener.poll_delivery(cx);
                    if polled.is_pending() {
                        budget.waited();
                    }
                    polled
                });
                let Some(delivery) = delivery.await else { break };
                let Delivery::Event(key, event) = delivery else {
                    // Of the tasks woken here, tokio runs one next on this worker, and no other
                    // worker can steal it. So it runs before the next call, which may block.
                    budget.give_way().await;
                    continue;
                };
                let Some(handler) = handler.get_mut() else { return };
                let now = Instant::now();
                budget.begin(now);
                let called = ProcessorTime::between(listener.started, now).as_micros().max(1);
                listener.called.store(called, Ordering::Relaxed);
                // Keep the objects beyond the call and drop them one by one. If two `Drop`s panic,
                // the second one must not run while the first panic unwinds.
                let objects = event.clone();
                let event = unread.prepare(&key, event);
                // Packed objects are unpacked inside this call, with no lock held.
                let calling = || {
                    let span = listener.origin.handle(&listener.name, key.as_str());
                    span.in_scope(|| handler(&key, event));
                };
                if let Err(message) = catch(calling) {
                    listener.panics.fetch_add(1, Ordering::Relaxed);
                    listener.queue.lock().metrics.panics.add(1);
                    tracing::error!(handler = &*listener.name, message, "event handler panicked");
                }
                listener.called.store(0, Ordering::Relaxed);
                unread.note(&key, &objects, &listener.dropper);
                listener.dropper.free_event(objects);
                // Not before the call: a handler that is removed meanwhile must not be called.
                budget.charge(UNPACKING);
                budget.pause().await;
            }
            listener.free_cleared(&mut budget).await;
        }
    }
}

/// A call of a handler, with an event in its cached form and the key of its object.
pub(crate) type HandlerCall = dyn FnMut(&ObjectKey, CachedEvent) + Send;

/// One step of a handler through its backlog.
pub(super) enum Delivery {
    /// An event in its cached form, and the key of its object.
    Event(ObjectKey, CachedEvent),
    /// Every initial add was delivered. Tasks that wait for that have been woken.
    InitialEnd,
}

/// A guard that marks a handler as finished: it is never called again.
pub(super) struct Finish(pub(super) Arc<Listener>);

impl Drop for Finish {
    fn drop(&mut self) {
        self.0.queue.lock().has_task = false;
        self.0.close(Close::Dropped);
        let _done = self.0.free_cleared(&mut YieldBudget::unlimited()).now_or_never();
        self.0.finished.send_replace(true);
    }
}
