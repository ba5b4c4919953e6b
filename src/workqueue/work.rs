//! An item in a worker's hands.

use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use super::core::Given;
use super::{Shared, WorkQueue};

/// An item that one worker works on, and no other until this is dropped.
///
/// Dropping it, at the end, in a panic or with a cancelled task, marks the item as done; if it was
/// added meanwhile it is ready again. Nothing is tried again by itself: say [`retry`](Self::retry).
#[must_use = "dropping the work marks it as done"]
pub struct Work<T: Clone + Eq + Hash> {
    queue: Arc<Shared<T>>,
    given: Given<T>,
}

impl<T: Clone + Eq + Hash + Send + 'static> Work<T> {
    pub(super) fn new(queue: Arc<Shared<T>>, given: Given<T>) -> Self {
        Self { queue, given }
    }

    /// The item.
    pub fn item(&self) -> &T {
        &self.given.value
    }

    /// How long it waited for a worker.
    pub fn waited(&self) -> Duration {
        Duration::from_nanos(self.given.waited)
    }

    /// How often it was rate limited since it was last forgotten.
    pub fn num_requeues(&self) -> u32 {
        self.queue.limiter.lock().requeues(self.item())
    }

    /// The rate limiter forgets the item: its next delay is a first one. To be said of every item
    /// that is not retried, or what the limiter knows of it is kept for ever.
    pub fn forget(&self) {
        self.queue.limiter.lock().forget(self.item());
    }

    /// Done, and again after the delay that the rate limiter gives; says which, or `None` when the
    /// queue is shutting down and takes nothing.
    pub fn retry(self) -> Option<Duration> {
        WorkQueue(self.queue.clone()).add_rate_limited(self.item().clone())
    }
}

impl<T: Clone + Eq + Hash> Deref for Work<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.given.value
    }
}

impl<T: Clone + Eq + Hash> Drop for Work<T> {
    fn drop(&mut self) {
        self.queue.done(self.given.slot);
    }
}

impl<T: Clone + Eq + Hash + fmt::Debug> fmt::Debug for Work<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Work").field(&self.given.value).finish()
    }
}
