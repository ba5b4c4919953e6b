//! The state that all clones of a queue share: the lock around its rules, wake-ups and counters.

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::core::Core;
use super::metrics::{Publishing, QueueMetrics};
use super::user::UserCode;
use crate::sync::{Mutex, Notify};

/// The longest delay, thirty years. A longer one is shortened to it.
const LONGEST: Duration = Duration::from_secs(30 * 365 * 86_400);

/// The state that all clones of a queue share.
pub(super) struct SharedQueue<T> {
    pub(super) name: Arc<str>,
    pub(super) inner: Mutex<QueueState<T>>,
    pub(super) user: UserCode<T>,
    /// True if a backoff holds for some time.
    pub(super) backoff_holds: bool,
    /// Wakes one worker when an item is ready or a timer has to be set, and all when the queue
    /// closes.
    pub(super) wake: Notify,
    /// Wakes all tasks that wait for the end of a drain.
    pub(super) drained: Notify,
    /// The zero of this queue's times in nanoseconds.
    pub(super) epoch: Instant,
    pub(super) adds: AtomicU64,
    pub(super) retries: AtomicU64,
    pub(super) metrics: QueueMetrics,
    pub(super) publishing: Publishing,
}

/// The state that the lock guards.
pub(super) struct QueueState<T> {
    pub(super) core: Core<T>,
    /// The due time of the earliest timer that a waiting worker has set.
    pub(super) timer: Option<u64>,
    /// Set by [`shutdown`](super::WorkQueue::shutdown), which ends the wait of every drain.
    pub(super) abandoned: bool,
}

impl<T: Clone + Eq + Hash> SharedQueue<T> {
    pub(super) fn now(&self) -> u64 {
        nanos(self.epoch.elapsed())
    }

    /// Marks the item in this cell as done. `value` is the worker's copy of it.
    pub(super) fn done(&self, cell: u32, value: Option<T>) {
        let now = self.now();
        let mut inner = self.inner.lock();
        let done = inner.core.done(cell, value, now);
        let drained = inner.is_drained();
        drop(inner);
        self.metrics.worked.observe(|| Some(Duration::from_nanos(done.took)));
        self.depth_changed();
        if done.again {
            self.wake.notify_one();
        }
        if drained {
            self.drained.notify_waiters();
        }
        done.dropped.into_iter().for_each(|value| self.user.discard(value));
    }

    /// Adds an item that is being processed. Returns `false` if the queue is shutting down.
    pub(super) fn put_back(&self, add: impl FnOnce(&mut Core<T>, u64) -> bool) -> bool {
        let now = self.now();
        let mut inner = self.inner.lock();
        if inner.core.is_closed() {
            return false;
        }
        let wakes = add(&mut inner.core, now);
        drop(inner);
        self.count_add(wakes);
        true
    }

    pub(super) fn count_add(&self, wakes: bool) {
        self.adds.fetch_add(1, Ordering::Relaxed);
        self.metrics.adds.add(1);
        self.depth_changed();
        if wakes {
            self.wake.notify_one();
        }
    }

    pub(super) fn count_retry(&self, taken: bool) {
        self.retries.fetch_add(u64::from(taken), Ordering::Relaxed);
        self.metrics.retries.add(u64::from(taken));
    }

    pub(super) fn depth_changed(&self) {
        self.metrics.depth.set(|| self.inner.lock().core.ready());
    }
}

impl<T: Clone + Eq + Hash> QueueState<T> {
    pub(super) fn is_drained(&self) -> bool {
        let core = &self.core;
        core.is_closed() && core.ready() + core.processed() + core.delayed() == 0
    }
}

/// The timer of the worker that waits for the next delayed item. If that worker goes away before it
/// has looked again, dropping this wakes another worker.
pub(super) struct Timer<T: Clone + Eq + Hash> {
    pub(super) shared: Arc<SharedQueue<T>>,
    pub(super) due: u64,
    pub(super) expired: bool,
}

impl<T: Clone + Eq + Hash> Timer<T> {
    pub(super) fn at(&self) -> Instant {
        self.shared.epoch + Duration::from_nanos(self.due)
    }

    /// Disarms the guard: this worker looks again, and sets the next timer itself.
    pub(super) fn expired(mut self) {
        self.expired = true;
    }
}

impl<T: Clone + Eq + Hash> Drop for Timer<T> {
    fn drop(&mut self) {
        let mut inner = self.shared.inner.lock();
        if inner.timer != Some(self.due) {
            return;
        }
        inner.timer = None;
        // An item that was due may be ready already, without a wake-up of its own.
        let waits = inner.core.next_due().is_some() || inner.core.ready() > 0;
        let needed = !self.expired && waits;
        drop(inner);
        if needed {
            self.shared.wake.notify_one();
        }
    }
}

/// Returns a delay in nanoseconds, limited to [`LONGEST`].
pub(super) fn nanos(duration: Duration) -> u64 {
    let duration = duration.min(LONGEST);
    duration.as_secs() * 1_000_000_000 + u64::from(duration.subsec_nanos())
}
