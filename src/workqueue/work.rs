//! An item in a worker's hands.

use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use super::Priority;
use super::core::Given;
use super::shared::{Shared, nanos};

/// An item that one worker works on, and no other until this is dropped.
///
/// Dropping it, at the end, in a panic or with a cancelled task, marks the item as done; if it was
/// added meanwhile it is ready again. Nothing is tried again by itself: say [`retry`](Self::retry),
/// [`requeue_after`](Self::requeue_after) or [`park`](Self::park). These keep the priority that the
/// item had.
#[must_use = "dropping the work marks it as done"]
pub struct Work<T: Clone + Eq + Hash> {
    queue: Arc<Shared<T>>,
    slot: u32,
    /// Taken out only when this is dropped.
    value: Option<T>,
    waited: u64,
    priority: Priority,
}

impl<T: Clone + Eq + Hash + Send + 'static> Work<T> {
    pub(super) fn new(queue: Arc<Shared<T>>, given: Given<T>) -> Self {
        let Given { slot, value, waited, priority, .. } = given;
        Self { queue, slot, value: Some(value), waited, priority }
    }

    /// The item.
    pub fn item(&self) -> &T {
        self
    }

    /// How long it waited for a worker.
    pub fn waited(&self) -> Duration {
        Duration::from_nanos(self.waited)
    }

    /// The priority that the item had when it was taken.
    pub fn priority(&self) -> Priority {
        self.priority
    }

    /// How often it was rate limited since it was last forgotten.
    pub fn num_requeues(&self) -> u32 {
        self.queue.user.requeues(self)
    }

    /// The rate limiter forgets the item: its next delay is a first one. To be said of every item
    /// that is not retried, or what the limiter knows of it is kept for ever.
    pub fn forget(&self) {
        self.queue.user.forget(self);
        if self.queue.backoff_holds {
            self.queue.inner.lock().core.release_backoff(self.slot);
        }
    }

    /// Done, and again after the delay that the rate limiter gives, at the same priority; says
    /// which delay, or `None` when the queue is shutting down and takes nothing.
    ///
    /// Where the queue's [backoff holds](super::WorkQueueBuilder::backoff_holds), adds do not
    /// shorten the delay, neither those that came while this was worked on nor later ones.
    pub fn retry(self) -> Option<Duration> {
        let delay = self.queue.user.delay(&self);
        let taken = self.queue.put_back(|core, now| {
            core.retry(self.slot, self.priority, now.saturating_add(nanos(delay)), now)
        });
        self.queue.count_retry(taken);
        taken.then_some(delay)
    }

    /// Done, and again after a delay, at the same priority; adds make it ready before that.
    ///
    /// `false` when the queue is shutting down and takes nothing.
    pub fn requeue_after(self, delay: Duration) -> bool {
        self.queue.put_back(|core, now| {
            core.requeue(self.slot, self.priority, now.saturating_add(nanos(delay)), now)
        })
    }

    /// Done for now: puts the item off until [`WorkQueue::unpark`](super::WorkQueue::unpark), or
    /// until `limit` is over. It waits at the same priority and holds no worker meanwhile.
    ///
    /// Adds do not wake a parked item; they only raise its priority. To miss no wake-up, first check that
    /// there is something to wait for, then park: if the item was unparked during the work, it is ready
    /// at once.
    ///
    /// `false` when the queue is shutting down and takes nothing.
    pub fn park(self, limit: Duration) -> bool {
        self.queue.put_back(|core, now| {
            core.park(self.slot, self.priority, now.saturating_add(nanos(limit)), now)
        })
    }
}

impl<T: Clone + Eq + Hash> Deref for Work<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.value {
            Some(value) => value,
            None => unreachable!("it is taken out only by drop"),
        }
    }
}

impl<T: Clone + Eq + Hash> Drop for Work<T> {
    fn drop(&mut self) {
        self.queue.done(self.slot, self.value.take());
    }
}

impl<T: Clone + Eq + Hash + fmt::Debug> fmt::Debug for Work<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Work").field(&**self).finish()
    }
}
