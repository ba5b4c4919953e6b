//! A queue of work: each item once, by one worker at a time, again when it has to be.
//!
//! client-go's `workqueue`, with its rules: an item that is added while it waits is not added
//! again; one that is added while it is processed waits until that is done. Around it are delayed
//! adds, rate-limited retries and an orderly end. Beyond client-go: priorities that age, so that
//! nothing starves; fairness between groups by choice; and a guard for each item given out: if its
//! worker panics or is cancelled, the queue marks the item as done, and the item can be added again.
//! By choice an item that failed [waits its backoff](WorkQueueBuilder::backoff_holds), whatever adds
//! come; and an item that can't be worked on yet is [parked](Work::park) until it is woken, and holds
//! no worker.
//!
//! Code of the user may panic: the limiter, the grouping, `Hash`, `Eq`, `Clone` and `Drop` of items.
//! The queue catches and [counts](WorkQueueStatus::panics) such panics. It keeps every item that an add
//! accepted; an add whose `Hash` or `Eq` panics returns `false` and drops its item.
//!
//! It keeps no timer of its own: of the workers that wait, one waits for the next delayed item, too. It
//! starts no task, except that a named queue with the feature `metrics` publishes its running times
//! from one while items are processed. It never polls, never holds its lock while anybody waits, and
//! knows nothing of informers.

mod builder;
mod core;
mod limiter;
mod line;
mod metrics;
mod priority;
mod publishing;
mod shared;
#[cfg(test)]
mod tests;
mod user;
mod work;

use std::fmt;
use std::hash::Hash;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::sleep_until;

pub use self::builder::WorkQueueBuilder;
use self::core::{Arrival, Core, Hold};
pub use self::limiter::{
    ExponentialBackoff, FastSlow, Jittered, MaxOf, RateLimiter, TokenBucket, default_limiter,
};
pub use self::priority::Priority;
use self::shared::{Shared, Timer, nanos};
pub use self::work::Work;
use crate::object::seconds;

/// A queue of items to be worked on. A cheap clone; all clones are one queue.
///
/// ```
/// use kube_informer::workqueue::WorkQueue;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let queue = WorkQueue::new();
/// queue.add("shop/web-0");
/// queue.add("shop/web-0"); // waits already
///
/// let work = queue.get().await.expect("the queue is open");
/// assert_eq!(*work, "shop/web-0");
/// work.retry(); // failed: again, after a delay that grows with each try
///
/// let work = queue.get().await.expect("the queue is open");
/// work.forget(); // well done: the next failure starts from the shortest delay
/// drop(work);
///
/// queue.shutdown();
/// assert!(queue.get().await.is_none());
/// # });
/// ```
pub struct WorkQueue<T: Clone + Eq + Hash>(Arc<Shared<T>>);

/// One look at a queue. Durations serialise as seconds.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct WorkQueueStatus {
    /// The queue's name.
    pub name: Arc<str>,
    /// How many items wait for a worker.
    pub ready: usize,
    /// How many items are processed.
    pub processing: usize,
    /// Number of items due later: in backoff or delayed, not parked.
    pub delayed: usize,
    /// Number of items that are [parked](Work::park).
    pub parked: usize,
    /// How many adds were taken, merged ones and delayed ones included.
    pub adds: u64,
    /// How many of them were rate limited.
    pub retries: u64,
    /// How often code of the user panicked: the limiter, the grouping, `Hash`, `Eq`, `Clone` or
    /// `Drop` of an item.
    pub panics: u64,
    /// For how long the item that is processed longest is.
    #[serde(serialize_with = "seconds::serialize")]
    pub longest_running: Duration,
    /// For how long all items that are processed are, in sum.
    #[serde(serialize_with = "seconds::serialize")]
    pub unfinished: Duration,
    /// Whether it takes no items any more.
    pub shutting_down: bool,
}

impl<T: Clone + Eq + Hash + Send + 'static> WorkQueue<T> {
    /// A queue by client-go's rules and rate limits.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A queue with options.
    pub fn builder() -> WorkQueueBuilder<T> {
        WorkQueueBuilder::new()
    }

    /// Adds an item, unless it waits already. While it is processed it is kept until that is done.
    /// Amortised O(1).
    ///
    /// `false` when the queue is shutting down and takes nothing, or when `Hash` or `Eq` of the item
    /// panicked; the item is dropped then.
    pub fn add(&self, item: T) -> bool {
        self.add_with(item, Priority::NORMAL)
    }

    /// Adds an item with a priority. One that waits already with less moves forward.
    ///
    /// An item that is parked, or in a [backoff that holds](WorkQueueBuilder::backoff_holds), stays
    /// so; it will have this priority at least.
    ///
    /// `false` as for [`add`](Self::add).
    pub fn add_with(&self, item: T, priority: Priority) -> bool {
        self.take_in(item, |core, arrival, now| core.add(arrival, priority, now))
    }

    /// Adds an item after a delay, of several the earliest; none is now. O(log delayed items).
    ///
    /// An item that waits or is processed meanwhile still comes (again) when it is due.
    ///
    /// `false` as for [`add`](Self::add).
    pub fn add_after(&self, item: T, delay: Duration) -> bool {
        self.add_after_with(item, delay, Priority::NORMAL)
    }

    /// Adds an item after a delay, with a priority.
    ///
    /// `false` as for [`add`](Self::add).
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

    /// Adds, unless the queue is shutting down; wakes a worker if `add` says that there is something
    /// for one: an item, or an earlier moment to wait for.
    fn take_in(
        &self,
        item: T,
        add: impl FnOnce(&mut Core<T>, &mut Arrival<T>, u64) -> Result<bool, String>,
    ) -> bool {
        let shared = &*self.0;
        let Some(mut arrival) = shared.user.arrival(item) else { return false };
        let now = shared.now();
        let mut inner = shared.inner.lock();
        let added = (!inner.closed).then(|| add(&mut inner.core, &mut arrival, now));
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

    /// Adds an item after the delay that the rate limiter gives, and says which; `None` when the
    /// queue is shutting down.
    pub fn add_rate_limited(&self, item: T) -> Option<Duration> {
        self.add_rate_limited_with(item, Priority::NORMAL)
    }

    /// Adds an item after the delay that the rate limiter gives, with a priority.
    pub fn add_rate_limited_with(&self, item: T, priority: Priority) -> Option<Duration> {
        let delay = self.0.user.delay(&item);
        let taken = self.add_later(item, delay, priority, Hold::Backoff);
        self.0.count_retry(taken);
        taken.then_some(delay)
    }

    /// The rate limiter forgets an item: its next delay is a first one.
    ///
    /// Where the [backoff holds](WorkQueueBuilder::backoff_holds), an item in backoff stays delayed, but
    /// the next add makes it ready.
    pub fn forget(&self, item: &T) {
        self.0.user.forget(item);
        if self.0.backoff_holds {
            self.at(item, |core, slot, _| core.release_backoff(slot));
        }
    }

    /// Ends the backoff of an item: the rate limiter forgets it, and if it was in a
    /// [backoff that holds](WorkQueueBuilder::backoff_holds), it is ready now. Returns whether it was.
    ///
    /// Call this, and then [`add`](Self::add), where the reason of the failures may be gone, such as
    /// after a change of the object's spec. If a worker has the item now, adds can shorten its next
    /// retry, because that try may have seen the old state.
    pub fn reset_backoff(&self, item: &T) -> bool {
        self.0.user.forget(item);
        self.0.backoff_holds && self.wake_up(item, Core::end_backoff)
    }

    /// Returns whether a [reset of its backoff](Self::reset_backoff) may change anything for an item: it
    /// is processed, is delayed, or was rate limited since it was last forgotten.
    pub(crate) fn may_back_off(&self, item: &T) -> bool {
        self.num_requeues(item) > 0
            || self.at(item, |core, slot, _| core.may_back_off(slot)).unwrap_or_default()
    }

    /// Makes a [parked](Work::park) item ready. Returns whether it was parked.
    ///
    /// If a worker has the item and parks it later, the item is ready again at once. On other items this
    /// has no effect.
    pub fn unpark(&self, item: &T) -> bool {
        self.wake_up(item, Core::unpark)
    }

    /// Does something that may make an item ready; `step` returns whether it had any effect, and
    /// whether one more is ready.
    fn wake_up(&self, item: &T, step: impl FnOnce(&mut Core<T>, u32, u64) -> (bool, bool)) -> bool {
        let (found, wakes) = self.at(item, step).unwrap_or_default();
        if wakes {
            self.0.depth_changed();
            self.0.wake.notify_one();
        }
        found
    }

    /// Does something with an item that the queue keeps.
    fn at<R>(&self, item: &T, step: impl FnOnce(&mut Core<T>, u32, u64) -> R) -> Option<R> {
        let shared = &*self.0;
        let hash = shared.user.hash(item)?;
        let now = shared.now();
        let mut inner = shared.inner.lock();
        let found = inner.core.find(item, hash);
        let result = match &found {
            Ok(Some(slot)) => Some(step(&mut inner.core, *slot, now)),
            _ => None,
        };
        drop(inner);
        if let Err(message) = found {
            shared.user.panicked("Eq", &message);
        }
        result
    }

    /// How often an item was rate limited since it was last forgotten.
    pub fn num_requeues(&self, item: &T) -> u32 {
        self.0.user.requeues(item)
    }

    /// The next item, as soon as there is one; `None` when the queue was shut down and nothing is
    /// left.
    ///
    /// No other worker gets this item until the [`Work`] is dropped. Cancel safe; any number of
    /// workers may wait, and the one that waits longest is woken first.
    pub async fn get(&self) -> Option<Work<T>> {
        if let Some(work) = self.try_get() {
            return Some(work);
        }
        let mut woken = false;
        loop {
            // Before looking, or an add in between would wake nobody.
            let mut wake = pin!(self.0.wake.notified());
            wake.as_mut().enable();
            match self.next(true, woken) {
                Next::Work(work) => return Some(work),
                Next::Closed => return None,
                Next::Wait(None) => wake.await,
                Next::Wait(Some(timer)) => {
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

    /// The next item, if one is ready.
    pub fn try_get(&self) -> Option<Work<T>> {
        match self.next(false, false) {
            Next::Work(work) => Some(work),
            Next::Wait(_) | Next::Closed => None,
        }
    }

    /// The next item, or what to wait for if this worker `waits`. `woken`: others may have to be
    /// woken in this worker's place.
    fn next(&self, waits: bool, woken: bool) -> Next<T> {
        let shared = &self.0;
        let now = shared.now();
        let mut inner = shared.inner.lock();
        let given = inner.core.take(now);
        let due = inner.core.next_due();
        let ended = inner.closed && due.is_none() && inner.core.ready() == 0;
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
            publishing::begin(shared);
            return Next::Work(Work::new(shared.clone(), given));
        }
        if ended {
            return Next::Closed;
        }
        let earlier = |due: &u64| inner.timer.is_none_or(|timer| *due < timer);
        let Some(due) = due.filter(|due| waits && earlier(due)) else {
            return Next::Wait(None);
        };
        inner.timer = Some(due);
        drop(inner);
        Next::Wait(Some(Timer { shared: shared.clone(), due, expired: false }))
    }

    /// How many items wait for a worker. What is processed, or due later, does not count.
    pub fn len(&self) -> usize {
        let now = self.0.now();
        let mut inner = self.0.inner.lock();
        inner.core.promote(now);
        inner.core.ready()
    }

    /// Whether no item waits for a worker.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes no items any more. Workers get what is ready, and what was added while it was
    /// processed, then [`get`](Self::get) gives `None`. Ends the waiting of a drain.
    ///
    /// What is delayed or parked never comes; it is given back here, the first due first.
    pub fn shutdown(&self) -> Vec<T> {
        let dropped = self.close(false);
        self.0.inner.lock().abandoned = true;
        self.0.drained.notify_waiters();
        dropped
    }

    /// Takes no items any more, and waits until workers have taken and finished everything. It
    /// needs workers that go on until they get `None`; [`shutdown`](Self::shutdown) ends the wait.
    ///
    /// What is delayed never comes and is given back, unless the queue was built to
    /// [keep it](WorkQueueBuilder::keep_delayed_on_drain): then that is waited for, too.
    ///
    /// Cancel safe; the queue is closed in any case.
    pub async fn shutdown_with_drain(&self) -> Vec<T> {
        let dropped = self.close(self.0.keeps_delayed);
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

    fn close(&self, keep_delayed: bool) -> Vec<T> {
        let mut inner = self.0.inner.lock();
        inner.closed = true;
        let (dropped, panics) =
            if keep_delayed { Default::default() } else { inner.core.drop_delayed() };
        drop(inner);
        for message in panics {
            self.0.user.panicked("Clone", &message);
        }
        self.0.wake.notify_waiters();
        dropped
    }

    /// Whether it takes no items any more.
    pub fn is_shutting_down(&self) -> bool {
        self.0.inner.lock().closed
    }

    /// Brings those metrics up to date that grow with time: for how long items are processed. A queue
    /// with a name does so itself, twice a second while items are processed in a tokio runtime; all
    /// others are published as it happens.
    pub fn publish(&self) {
        let status = self.status();
        self.0.metrics.unfinished.set_duration(|| status.unfinished);
        self.0.metrics.longest_running.set_duration(|| status.longest_running);
    }

    /// One look at the queue. O(items processed).
    pub fn status(&self) -> WorkQueueStatus {
        let now = self.0.now();
        let mut inner = self.0.inner.lock();
        inner.core.promote(now);
        let core = &inner.core;
        let running = || core.started().map(|started| now.saturating_sub(started));
        WorkQueueStatus {
            name: self.0.name.clone(),
            ready: core.ready(),
            processing: core.processed(),
            delayed: core.delayed() - core.parked(),
            parked: core.parked(),
            adds: self.0.adds.load(Ordering::Relaxed),
            retries: self.0.retries.load(Ordering::Relaxed),
            panics: self.0.user.panics(),
            longest_running: Duration::from_nanos(running().max().unwrap_or_default()),
            unfinished: Duration::from_nanos(running().fold(0, u64::saturating_add)),
            shutting_down: inner.closed,
        }
    }
}

enum Next<T: Clone + Eq + Hash> {
    Work(Work<T>),
    /// Wait until woken, or for the timer.
    Wait(Option<Timer<T>>),
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
