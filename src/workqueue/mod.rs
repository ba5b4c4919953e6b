//! A work queue that holds each item once and gives it to one worker at a time.
//!
//! It follows the rules of client-go's `workqueue`. An item that is added while it waits is not
//! added twice. An item that is added while it is processed is ready again when it is done. The
//! queue has delayed adds, rate-limited retries and an orderly end.
//!
//! Beyond client-go:
//! - Priorities age, so that no item starves.
//! - [Groups](WorkQueueBuilder::fair_by) may be served in turn.
//! - Each item comes in a guard. If its worker panics or is cancelled, the queue marks the item as
//!   done, and the item can be added again.
//! - Adds may [leave an item in backoff](WorkQueueBuilder::backoff_holds) for some time.
//! - An item that cannot be processed yet can be [parked](Work::park): it holds no worker until it
//!   is woken.
//!
//! User code may panic: the limiter, the grouping, and `Hash`, `Eq`, `Clone` and `Drop` of items.
//! The queue catches and [counts](WorkQueueStatus::panics) such panics. It keeps every item that an
//! add accepted. An add whose `Hash` or `Eq` panics returns `false` and drops its item.
//!
//! The queue has no timer task: one of the waiting workers also waits for the next delayed item. It
//! starts no task, with one exception: with the feature `metrics`, a named queue publishes its
//! running times from a task while items are processed. It never polls. It holds its lock only for
//! short steps: however long the queue is, a step moves or frees a bounded number of items.

mod builder;
mod core;
mod limiter;
mod line;
mod metrics;
mod priority;
mod shared;
#[cfg(test)]
mod tests;
mod user;
mod work;

use std::fmt;
use std::hash::Hash;
use std::iter;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::task::consume_budget;
use tokio::time::sleep_until;

pub use self::builder::WorkQueueBuilder;
use self::core::{Arrival, Core, Hold};
pub use self::limiter::{
    ExponentialBackoff, FastSlow, Jittered, MaxOf, RateLimiter, TokenBucket, default_limiter,
};
pub use self::priority::Priority;
use self::shared::{SharedQueue, Timer, nanos};
pub use self::work::Work;
use crate::panic::drop_safely;
use crate::time::seconds;
use crate::yield_budget::YieldBudget;

/// A queue of items to be processed. Clones are cheap and share one queue.
///
/// ```
/// use kube_informer::workqueue::WorkQueue;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let queue = WorkQueue::new();
/// queue.add("shop/web-0");
/// queue.add("shop/web-0"); // no effect: the item waits already
///
/// let work = queue.get().await.expect("the queue is open");
/// assert_eq!(*work, "shop/web-0");
/// work.retry(); // it failed: try again after a delay that grows with each try
///
/// let work = queue.get().await.expect("the queue is open");
/// work.forget(); // it succeeded: the next failure starts from the shortest delay
/// drop(work);
///
/// queue.shutdown();
/// assert!(queue.get().await.is_none());
/// # });
/// ```
pub struct WorkQueue<T: Clone + Eq + Hash>(Arc<SharedQueue<T>>);

/// The state of a queue at one moment. Durations serialise as seconds.
///
/// ```
/// use std::time::Duration;
/// use kube_informer::workqueue::WorkQueueStatus;
///
/// /// Returns whether every worker is busy with an item that hangs.
/// fn is_stuck(status: &WorkQueueStatus, workers: usize) -> bool {
///     let hangs = status.longest_running > Duration::from_secs(600);
///     hangs && status.processing >= workers && status.ready > 0
/// }
/// ```
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct WorkQueueStatus {
    /// The queue's name. Empty if it has none.
    pub name: Arc<str>,
    /// The number of items that wait for a worker.
    pub ready: usize,
    /// The number of items that workers process.
    pub processing: usize,
    /// The number of items due later: in backoff or delayed, not parked.
    pub delayed: usize,
    /// The number of items that are [parked](Work::park).
    pub parked: usize,
    /// The number of accepted adds, including merged and delayed ones.
    pub adds: u64,
    /// The number of accepted adds that were rate limited.
    pub retries: u64,
    /// The number of panics of user code: the limiter, the grouping, or `Hash`, `Eq`, `Clone` or
    /// `Drop` of an item.
    pub panics: u64,
    /// The time that the longest-running item has been processed so far.
    #[serde(serialize_with = "seconds::serialize")]
    pub longest_running: Duration,
    /// The sum of the times that the items have been processed so far.
    #[serde(serialize_with = "seconds::serialize")]
    pub unfinished: Duration,
}

impl<T: Clone + Eq + Hash + Send + 'static> WorkQueue<T> {
    /// Creates a queue with client-go's rules and rate limits.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Returns a builder of a queue.
    pub fn builder() -> WorkQueueBuilder<T> {
        WorkQueueBuilder::new()
    }

    /// Adds an item, unless it waits already. An item that is being processed is ready again when
    /// it is done. O(1).
    ///
    /// Returns `false`, and drops the item, when the queue is shutting down, or when `Hash` or `Eq`
    /// of the item panicked.
    pub fn add(&self, item: T) -> bool {
        self.add_with(item, Priority::NORMAL)
    }

    /// Adds an item with a priority. An item that waits already with a lower priority moves
    /// forward.
    ///
    /// An item that is parked stays so. One in backoff stays so for the time for which the [backoff
    /// holds](WorkQueueBuilder::backoff_holds). Either has at least this priority when it is ready.
    ///
    /// Returns `false` as [`add`](Self::add) does.
    pub fn add_with(&self, item: T, priority: Priority) -> bool {
        self.take_in(item, |core, arrival, now| core.add(arrival, priority, now))
    }

    /// Adds an item after a delay. Of several delays of one item the earliest counts. A delay of
    /// zero adds the item at once. O(log delayed items).
    ///
    /// An item that waits or is processed meanwhile is still added when the delay is over. If more
    /// than 64 items are due at once, items that are added then may stand in line before some of
    /// them.
    ///
    /// Returns `false` as [`add`](Self::add) does.
    pub fn add_after(&self, item: T, delay: Duration) -> bool {
        self.add_after_with(item, delay, Priority::NORMAL)
    }

    /// Adds an item after a delay, with the least priority that it then has.
    ///
    /// ```
    /// use std::time::Duration;
    /// use kube_informer::WorkQueue;
    /// use kube_informer::workqueue::Priority;
    ///
    /// // Changes that come within 50 ms are handled once.
    /// fn note(queue: &WorkQueue<String>, key: &str) {
    ///     queue.add_after_with(key.into(), Duration::from_millis(50), Priority::LOW);
    /// }
    /// ```
    ///
    /// Returns `false` as [`add`](Self::add) does.
    pub fn add_after_with(&self, item: T, delay: Duration, priority: Priority) -> bool {
        self.add_later(item, delay, priority, Hold::None)
    }

    fn add_later(&self, item: T, delay: Duration, priority: Priority, hold: Hold) -> bool {
        if delay.is_zero() {
            return self.add_with(item, priority);
        }
        self.take_in(item, |core, arrival, now| {
            let due = now.saturating_add(nanos(delay));
            core.add_later(arrival, priority, (due, hold), now)
        })
    }

    /// Adds an item unless the queue is shutting down. Wakes a worker if `add` returns true: one
    /// more item is ready, or the next one is due earlier.
    fn take_in(
        &self,
        item: T,
        add: impl FnOnce(&mut Core<T>, &mut Arrival<T>, u64) -> Result<bool, String>,
    ) -> bool {
        let shared = &*self.0;
        let Some(mut arrival) = shared.user.arrival(item) else { return false };
        let now = shared.now();
        let mut inner = shared.inner.lock();
        let added = (!inner.core.is_closed()).then(|| add(&mut inner.core, &mut arrival, now));
        drop(inner);
        shared.user.discard(arrival.value);
        match added {
            Some(Ok(wakes)) => {
                shared.count_add(wakes);
                true
            }
            Some(Err(message)) => {
                shared.user.panicked("Eq", &message);
                false
            }
            None => false,
        }
    }

    /// Adds an item after the rate limiter's delay. Returns the delay, or `None` when the queue is
    /// shutting down.
    pub fn add_rate_limited(&self, item: T) -> Option<Duration> {
        let delay = self.0.user.delay(&item);
        let taken = self.add_later(item, delay, Priority::NORMAL, Hold::Backoff);
        self.0.count_retry(taken);
        taken.then_some(delay)
    }

    /// Makes the rate limiter forget an item: its next delay is the first again.
    ///
    /// If the [backoff holds](WorkQueueBuilder::backoff_holds), an item in backoff stays delayed,
    /// but the next add makes it ready.
    pub fn forget(&self, item: &T) {
        self.0.user.forget(item);
        if self.0.backoff_holds {
            self.at(item, |core, cell, _| core.release_backoff(cell));
        }
    }

    /// Ends the backoff of an item. The rate limiter forgets it, and an item in a [backoff that
    /// holds](WorkQueueBuilder::backoff_holds) is ready at once. Returns whether the item was in
    /// such a backoff.
    ///
    /// Call this, and then [`add`](Self::add), when the reason for the failures may be gone, for
    /// example after a change of the object's spec. If a worker has the item now, adds can shorten
    /// its next retry, because that try may have seen the old state.
    pub fn reset_backoff(&self, item: &T) -> bool {
        self.0.user.forget(item);
        self.0.backoff_holds && self.wake_up(item, Core::end_backoff)
    }

    /// Ends the backoff of an item like [`reset_backoff`](Self::reset_backoff), but leaves it
    /// delayed: the next add decides when it is ready. Asks `is_over` only if there can be a
    /// backoff: the item is processed, is delayed, or was rate limited since it was last forgotten.
    #[doc(hidden)]
    pub fn loosen_backoff(&self, item: &T, is_over: impl FnOnce() -> bool) {
        let may_back_off = self.num_requeues(item) > 0
            || self.at(item, |core, cell, _| core.may_back_off(cell)).unwrap_or_default();
        if !may_back_off || !is_over() {
            return;
        }
        self.0.user.forget(item);
        if self.0.backoff_holds {
            self.at(item, |core, cell, _| core.loosen_backoff(cell));
        }
    }

    /// Makes a [parked](Work::park) item ready. Returns whether it was parked.
    ///
    /// If a worker has the item now and parks it later, the item is ready again at once. This has
    /// no effect on other items.
    pub fn unpark(&self, item: &T) -> bool {
        self.wake_up(item, Core::unpark)
    }

    /// Takes an item out of the queue, for example because another process now handles it. The rate
    /// limiter forgets it. Returns whether the item waited: in line, delayed or parked.
    ///
    /// An item that a worker has now stays with the worker. The queue hands it out again only for
    /// later adds.
    pub fn remove(&self, item: &T) -> bool {
        self.0.user.forget(item);
        let (waited, value) = self.at(item, |core, cell, _| core.remove(cell)).unwrap_or_default();
        // Its `Drop` is user code, so no lock is held here.
        drop_safely(value);
        if waited {
            self.0.depth_changed();
            self.0.drained.notify_waiters();
        }
        waited
    }

    /// Runs a step that may make an item ready, and wakes a worker if so. `step` returns whether it
    /// had an effect, and whether one more item is ready.
    fn wake_up(&self, item: &T, step: impl FnOnce(&mut Core<T>, u32, u64) -> (bool, bool)) -> bool {
        let (found, wakes) = self.at(item, step).unwrap_or_default();
        if wakes {
            self.0.depth_changed();
            self.0.wake.notify_one();
        }
        found
    }

    /// Runs a step on an item that the queue keeps.
    fn at<R>(&self, item: &T, step: impl FnOnce(&mut Core<T>, u32, u64) -> R) -> Option<R> {
        let shared = &*self.0;
        let hash = shared.user.hash(item)?;
        let now = shared.now();
        let mut inner = shared.inner.lock();
        let found = inner.core.find(item, hash);
        let result = match &found {
            Ok(Some(cell)) => Some(step(&mut inner.core, *cell, now)),
            _ => None,
        };
        drop(inner);
        if let Err(message) = found {
            shared.user.panicked("Eq", &message);
        }
        result
    }

    /// Returns the number of times that an item was rate limited since it was last forgotten.
    pub fn num_requeues(&self, item: &T) -> u32 {
        self.0.user.requeues(item)
    }

    /// Waits for the next item. Returns `None` when the queue was shut down and no item is left.
    ///
    /// No other worker gets this item until the [`Work`] is dropped. Cancel safe. Any number of
    /// workers may wait; the one that has waited longest is woken first. Each call consumes some of
    /// the task's tokio budget, so a task that only takes items lets others run.
    pub async fn get(&self) -> Option<Work<T>> {
        consume_budget().await;
        let (mut woken, mut budget) = (false, YieldBudget::new());
        loop {
            match self.next(false, true, woken) {
                NextStep::Work(work) => return Some(work),
                NextStep::Overdue => {
                    // If this future is dropped meanwhile, another worker goes on.
                    self.0.wake.notify_one();
                    budget.give_way().await;
                    continue;
                }
                NextStep::Wait(_) | NextStep::Closed => {}
            }
            // Register before looking again: an add in between would otherwise wake no worker.
            let mut wake = pin!(self.0.wake.notified());
            wake.as_mut().enable();
            match self.next(true, true, woken) {
                NextStep::Work(work) => return Some(work),
                NextStep::Closed => return None,
                NextStep::Overdue => continue,
                NextStep::Wait(None) => wake.await,
                NextStep::Wait(Some(timer)) => {
                    tokio::select! {
                        biased;
                        () = wake => {}
                        () = sleep_until(timer.at()) => {}
                    }
                    timer.expired();
                }
            }
            woken = true;
        }
    }

    /// Returns the next item if one is ready. If more than 64 items are due at once, it may return
    /// one of the first 64, although a more urgent one is due.
    pub fn try_get(&self) -> Option<Work<T>> {
        match self.next(false, false, false) {
            NextStep::Work(work) => Some(work),
            NextStep::Wait(_) | NextStep::Overdue | NextStep::Closed => None,
        }
    }

    /// Returns the next item, or the event to wait for. `waits` means that this worker can set the
    /// timer. `strict` means that it takes no item before all that are due are in line. `woken`
    /// means that this worker took a wake-up and has to pass it on if more items are ready.
    fn next(&self, waits: bool, strict: bool, woken: bool) -> NextStep<T> {
        let shared = &self.0;
        let now = shared.now();
        let mut inner = shared.inner.lock();
        if strict {
            inner.core.promote(now);
            if inner.core.is_overdue(now) {
                return NextStep::Overdue;
            }
        }
        let mut given = inner.core.take(now);
        // Of many items due at once, the first may all be in process.
        while given.is_none() && inner.core.is_overdue(now) {
            drop(inner);
            inner = shared.inner.lock();
            given = inner.core.take(now);
        }
        let due = inner.core.next_due();
        let ended = inner.core.is_closed() && due.is_none() && inner.core.ready() == 0;
        if let Some(given) = given {
            let untimed = due.is_some() && inner.timer.is_none();
            let more = woken && (untimed || inner.core.ready() > 0);
            drop(inner);
            shared.depth_changed();
            if let Some(message) = &given.panicked {
                shared.user.panicked("Clone", message);
            }
            shared.metrics.waited.observe(|| Some(Duration::from_nanos(given.waited)));
            if ended {
                shared.wake.notify_waiters();
            } else if more {
                shared.wake.notify_one();
            }
            metrics::begin_publishing(shared);
            return NextStep::Work(Work::new(shared.clone(), given));
        }
        if ended {
            return NextStep::Closed;
        }
        let earlier = |due: &u64| inner.timer.is_none_or(|timer| *due < timer);
        let Some(due) = due.filter(|due| waits && earlier(due)) else {
            return NextStep::Wait(None);
        };
        inner.timer = Some(due);
        drop(inner);
        NextStep::Wait(Some(Timer { shared: shared.clone(), due, expired: false }))
    }

    /// Returns the number of items that wait for a worker. Items that are processed or due later do
    /// not count. If more than 64 items were due at once, the rest counts after later calls.
    pub fn len(&self) -> usize {
        let now = self.0.now();
        let mut inner = self.0.inner.lock();
        inner.core.promote(now);
        inner.core.ready()
    }

    /// Returns whether no item waits for a worker.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Closes the queue for new items. Workers still get the items that are ready, and those that
    /// were added while they were processed. Then [`get`](Self::get) returns `None`. Ends the wait
    /// of a drain.
    ///
    /// Delayed and parked items never become ready. They are returned, the first due first.
    pub fn shutdown(&self) -> Vec<T> {
        let dropped = self.close();
        self.0.inner.lock().abandoned = true;
        self.0.drained.notify_waiters();
        dropped
    }

    /// Closes the queue for new items, and waits until workers have taken and finished every item.
    /// It needs workers that go on until they get `None`. [`shutdown`](Self::shutdown) ends the
    /// wait.
    ///
    /// Delayed and parked items never become ready, and are returned.
    ///
    /// Cancel safe: the queue stays closed even if this future is dropped after its first poll.
    pub async fn shutdown_with_drain(&self) -> Vec<T> {
        let dropped = self.close();
        loop {
            let mut drained = pin!(self.0.drained.notified());
            drained.as_mut().enable();
            {
                let inner = self.0.inner.lock();
                if inner.is_drained() || inner.abandoned {
                    return dropped;
                }
            }
            drained.await;
        }
    }

    fn close(&self) -> Vec<T> {
        let shared = &*self.0;
        shared.inner.lock().core.close();
        let mut dropped = Vec::new();
        // Others may lock the queue after each item.
        let next = || shared.inner.lock().core.drop_delayed();
        for value in iter::from_fn(next) {
            match value {
                Ok(value) => dropped.extend(value),
                Err(message) => shared.user.panicked("Clone", &message),
            }
        }
        shared.wake.notify_waiters();
        dropped
    }

    /// Returns whether the queue takes no more items (client-go's `ShuttingDown`).
    pub fn is_shutting_down(&self) -> bool {
        self.0.inner.lock().core.is_closed()
    }

    /// Updates the metrics that grow with time: the running times of items. A queue with a name
    /// calls this itself, twice a second, while items are processed in a tokio runtime. All other
    /// metrics are published at once. O(1).
    fn publish(&self) {
        let status = self.status();
        self.0.metrics.unfinished.set_duration(|| status.unfinished);
        self.0.metrics.longest_running.set_duration(|| status.longest_running);
    }

    /// Returns the state of the queue at this moment. O(1).
    pub fn status(&self) -> WorkQueueStatus {
        let now = self.0.now();
        let mut inner = self.0.inner.lock();
        inner.core.promote(now);
        let core = &inner.core;
        let (longest, sum) = core.running(now);
        WorkQueueStatus {
            name: self.0.name.clone(),
            ready: core.ready(),
            processing: core.processed(),
            delayed: core.delayed() - core.parked(),
            parked: core.parked(),
            adds: self.0.adds.load(Ordering::Relaxed),
            retries: self.0.retries.load(Ordering::Relaxed),
            panics: self.0.user.panics(),
            longest_running: Duration::from_nanos(longest),
            unfinished: Duration::from_nanos(sum),
        }
    }
}

enum NextStep<T: Clone + Eq + Hash> {
    Work(Work<T>),
    /// Wait until woken, or for the timer.
    Wait(Option<Timer<T>>),
    /// Look again soon: many items are due at once, and not all of them are in line.
    Overdue,
    Closed,
}

impl<T: Clone + Eq + Hash> Clone for WorkQueue<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Clone + Eq + Hash + Send + 'static> Default for WorkQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Clone + Eq + Hash> fmt::Debug for WorkQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = self.0.inner.lock();
        f.debug_struct("WorkQueue")
            .field("name", &self.0.name)
            .field("ready", &inner.core.ready())
            .field("processing", &inner.core.processed())
            .field("delayed", &inner.core.delayed())
            .finish_non_exhaustive()
    }
}
