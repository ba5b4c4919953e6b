//! Options of a queue.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::time::Instant;

use super::core::{Core, CoreRules};
use super::metrics::{Publishing, QueueMetrics};
use super::priority::Aging;
use super::shared::{QueueState, SharedQueue, nanos};
use super::user::{Group, UserCode};
use super::{RateLimiter, WorkQueue, default_limiter};
use crate::sync::{Mutex, Notify};

/// The default waiting time that raises an item by one level of priority: 30 s from
/// [`Priority::LOW`](super::Priority::LOW) to [`Priority::NORMAL`](super::Priority::NORMAL).
const AGING: Duration = Duration::from_secs(3);

/// Options of a [`WorkQueue`].
///
/// ```
/// use std::time::Duration;
/// use kube_informer::workqueue::{ExponentialBackoff, WorkQueue};
///
/// let backoff = ExponentialBackoff::new(Duration::from_millis(100), Duration::from_secs(60));
/// let queue = WorkQueue::<String>::builder().name("mail").limiter(backoff).build();
/// assert_eq!(&*queue.status().name, "mail");
/// ```
#[must_use]
pub struct WorkQueueBuilder<T> {
    name: Option<Arc<str>>,
    limiter: Option<Box<dyn RateLimiter<T>>>,
    aging: Duration,
    group: Option<Group<T>>,
    backoff_holds: Duration,
}

impl<T: Clone + Eq + Hash + Send + 'static> WorkQueueBuilder<T> {
    pub(super) fn new() -> Self {
        Self { name: None, limiter: None, aging: AGING, group: None, backoff_holds: Duration::ZERO }
    }

    /// Sets the queue's name in status, metrics and logs. Empty unless set; a queue without a name
    /// publishes no metrics.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the limiter that delays retries; client-go's [`default_limiter`] unless set. If it
    /// panics, the item waits one second, and [the status](super::WorkQueueStatus::panics) counts
    /// the panic.
    pub fn limiter(mut self, limiter: impl RateLimiter<T>) -> Self {
        self.limiter = Some(Box::new(limiter));
        self
    }

    /// Sets the waiting time that raises an item by one level of priority; 3 s unless set. With
    /// zero, priorities have no effect. With [`Duration::MAX`] they are strict, and items of low
    /// priority may starve.
    pub fn aging(mut self, level: Duration) -> Self {
        self.aging = level;
        self
    }

    /// Serves groups of items of one priority in turn, so that a group with a thousand items does
    /// not hold up a group with one.
    ///
    /// The queue calls the function once for each add. It locks only the function meanwhile, so the
    /// function must not add to this queue. If the function panics, the item joins one group with
    /// all such items, and [the status](super::WorkQueueStatus::panics) counts the panic. A common
    /// group is the namespace:
    ///
    /// ```
    /// use kube_informer::{ObjectKey, workqueue::WorkQueue};
    ///
    /// let queue = WorkQueue::<ObjectKey>::builder()
    ///     .fair_by(|key| key.namespace().map(str::to_owned))
    ///     .build();
    /// ```
    pub fn fair_by<G: Hash>(mut self, group: impl Fn(&T) -> G + Send + 'static) -> Self {
        let hasher = foldhash::fast::RandomState::default();
        self.group = Some(Box::new(move |item| hasher.hash_one(group(item))));
        self
    }

    /// Sets the time for which adds leave an item in backoff. Zero unless set, as in client-go:
    /// there an add makes the item ready at once. With [`Duration::MAX`] no add ends a backoff.
    ///
    /// An item is in backoff from [`Work::retry`](super::Work::retry) or
    /// [`WorkQueue::add_rate_limited`] until its delay is over. An add that comes after this time
    /// ends the backoff. An add that comes earlier ends it when this time is over. It also raises
    /// the priority that the item will have. So events that come all the time retry a failing item
    /// at most this often, and the event that cures it is not left unheard for a long delay.
    ///
    /// The latest retry of a worker sets the delay. [`WorkQueue::reset_backoff`] ends the backoff
    /// at once. After [`WorkQueue::forget`] the next add ends it.
    pub fn backoff_holds(mut self, time: Duration) -> Self {
        self.backoff_holds = time;
        self
    }

    /// Builds the queue.
    #[must_use]
    pub fn build(self) -> WorkQueue<T> {
        let core = Core::new(CoreRules {
            aging: Aging::new(self.aging),
            fair: self.group.is_some(),
            backoff_holds: nanos(self.backoff_holds),
        });
        let limiter = self.limiter.unwrap_or_else(|| Box::new(default_limiter()));
        let name = self.name.clone().unwrap_or_default();
        WorkQueue(Arc::new(SharedQueue {
            metrics: QueueMetrics::new(self.name.as_deref()),
            user: UserCode::new(name.clone(), limiter, self.group),
            name,
            inner: Mutex::new(QueueState { core, timer: None, abandoned: false }),
            backoff_holds: !self.backoff_holds.is_zero(),
            wake: Notify::new(),
            drained: Notify::new(),
            epoch: Instant::now(),
            adds: AtomicU64::new(0),
            retries: AtomicU64::new(0),
            publishing: Publishing::default(),
        }))
    }
}

impl<T> fmt::Debug for WorkQueueBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueueBuilder")
            .field("name", &self.name)
            .field("aging", &self.aging)
            .field("fair", &self.group.is_some())
            .field("backoff_holds", &self.backoff_holds)
            .finish_non_exhaustive()
    }
}
