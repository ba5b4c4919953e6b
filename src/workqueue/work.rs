//! The guard of an item that a worker processes.

use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use super::Priority;
use super::core::Given;
use super::shared::{SharedQueue, nanos};

/// An item that one worker processes. No other worker gets the item until this guard is dropped.
///
/// Dropping the guard, even in a panic or with a cancelled task, marks the item as done. If the
/// item was added meanwhile, it is ready again. The queue retries nothing by itself: call
/// [`retry`](Self::retry), [`requeue_after`](Self::requeue_after) or [`park`](Self::park). These
/// keep the priority that the item had.
///
/// A worker that gives up on an item after ten tries:
///
/// ```
/// use kube_informer::workqueue::{Work, WorkQueue};
///
/// async fn send(address: &str) -> Result<(), String> {
///     Err(format!("{address}: no such mailbox"))
/// }
///
/// async fn worker(queue: WorkQueue<String>) {
///     while let Some(work) = queue.get().await {
///         match send(&work).await {
///             Err(_) if work.num_requeues() < 10 => drop(work.retry()),
///             result => finish(work, result),
///         }
///     }
/// }
///
/// fn finish(work: Work<String>, result: Result<(), String>) {
///     work.forget(); // or the queue keeps its number of tries
///     println!("{} after {:?}: {result:?}", work.item(), work.waited());
/// }
/// ```
#[must_use = "dropping the work marks it as done"]
pub struct Work<T: Clone + Eq + Hash> {
    queue: Arc<SharedQueue<T>>,
    cell: u32,
    /// `None` only while this is dropped.
    value: Option<T>,
    waited: u64,
    priority: Priority,
}

impl<T: Clone + Eq + Hash + Send + 'static> Work<T> {
    pub(super) fn new(queue: Arc<SharedQueue<T>>, given: Given<T>) -> Self {
        let Given { cell, value, waited, priority, .. } = given;
        Self { queue, cell, value: Some(value), waited, priority }
    }

    /// Returns the item.
    pub fn item(&self) -> &T {
        self
    }

    /// Returns the time that the item waited for a worker.
    pub fn waited(&self) -> Duration {
        Duration::from_nanos(self.waited)
    }

    /// Returns the priority that the item had when it was taken.
    pub fn priority(&self) -> Priority {
        self.priority
    }

    /// Returns the number of times that the item was rate limited since it was last forgotten.
    pub fn num_requeues(&self) -> u32 {
        self.queue.user.requeues(self)
    }

    /// Makes the rate limiter forget the item: its next delay is the first again. Call this for
    /// every item that is not retried. Otherwise the queue keeps the item's count for ever.
    pub fn forget(&self) {
        self.queue.user.forget(self);
        if self.queue.backoff_holds {
            self.queue.inner.lock().core.release_backoff(self.cell);
        }
    }

    /// Marks the item as done, and adds it again after the rate limiter's delay, at the same
    /// priority. Returns the delay, or `None` when the queue is shutting down and takes no items.
    ///
    /// An add shortens the delay, whether it came during the work or later, but not below the time
    /// for which the queue's [backoff holds](super::WorkQueueBuilder::backoff_holds).
    pub fn retry(self) -> Option<Duration> {
        let delay = self.queue.user.delay(&self);
        self.retry_in(delay)
    }

    /// Marks the item as done, and adds it again after this delay instead of the rate limiter's.
    /// The limiter counts the retry. Otherwise this is like [`retry`](Self::retry).
    pub fn retry_after(self, delay: Duration) -> Option<Duration> {
        self.queue.user.delay(&self);
        self.retry_in(delay)
    }

    fn retry_in(self, delay: Duration) -> Option<Duration> {
        let taken = self.queue.put_back(|core, now| {
            core.retry(self.cell, self.priority, now.saturating_add(nanos(delay)), now)
        });
        self.queue.count_retry(taken);
        taken.then_some(delay)
    }

    /// Marks the item as done, and adds it again after a delay, at the same priority. An add makes
    /// it ready earlier.
    ///
    /// Returns `false` when the queue is shutting down and takes no items.
    pub fn requeue_after(self, delay: Duration) -> bool {
        self.queue.put_back(|core, now| {
            core.requeue(self.cell, self.priority, now.saturating_add(nanos(delay)), now)
        })
    }

    /// Puts the item off until [`WorkQueue::unpark`](super::WorkQueue::unpark), or for `limit` at
    /// most. The item keeps its priority and holds no worker meanwhile. The wait replaces a delay
    /// that the item has, so an earlier delayed add does not queue it again.
    ///
    /// Adds do not wake a parked item; they only raise its priority. To miss no wake-up, first
    /// check that there is something to wait for, then park: if the item was unparked during the
    /// work, it is ready at once.
    ///
    /// Returns `false` when the queue is shutting down and takes no items.
    pub fn park(self, limit: Duration) -> bool {
        self.queue.put_back(|core, now| {
            core.park(self.cell, self.priority, now.saturating_add(nanos(limit)), now)
        })
    }
}

impl<T: Clone + Eq + Hash> Deref for Work<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.value {
            Some(value) => value,
            None => unreachable!("only drop takes the item out"),
        }
    }
}

impl<T: Clone + Eq + Hash> Drop for Work<T> {
    fn drop(&mut self) {
        self.queue.done(self.cell, self.value.take());
    }
}

impl<T: Clone + Eq + Hash + fmt::Debug> fmt::Debug for Work<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Work").field(&**self).finish()
    }
}
