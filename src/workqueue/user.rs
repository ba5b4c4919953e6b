//! The user's code that a queue calls: rate limiter, grouping, and the items' own traits.
//!
//! Any of it may panic. Each call is caught, counted and logged, and the queue goes on with a
//! substitute, so no item is lost. None of it runs while the queue is locked, except `Eq` and
//! `Clone` of items.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::RateLimiter;
use super::core::Arrival;
use super::limiter::Tries;
use crate::panic;
use crate::sync::Mutex;

/// The delay of an item whose limiter panicked.
const PANIC_DELAY: Duration = Duration::from_secs(1);

/// A function that returns the group of an item. A fair queue serves groups in turn.
pub(super) type Group<T> = Box<dyn Fn(&T) -> u64 + Send>;

/// The user's code, with calls that catch its panics.
pub(super) struct UserCode<T> {
    queue: Arc<str>,
    limiter: Mutex<Box<dyn RateLimiter<T>>>,
    /// The number of delays of each item. Limiters may not count.
    tries: Mutex<Tries<T>>,
    group: Option<Mutex<Group<T>>>,
    hasher: foldhash::fast::RandomState,
    panics: AtomicU64,
}

impl<T> UserCode<T> {
    pub(super) fn new(
        queue: Arc<str>,
        limiter: Box<dyn RateLimiter<T>>,
        group: Option<Group<T>>,
    ) -> Self {
        Self {
            queue,
            limiter: Mutex::new(limiter),
            tries: Mutex::new(Tries::new()),
            group: group.map(Mutex::new),
            hasher: foldhash::fast::RandomState::default(),
            panics: AtomicU64::new(0),
        }
    }

    /// Returns the number of panics of the user's code.
    pub(super) fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    /// Counts and logs a panic that was caught.
    pub(super) fn panicked(&self, code: &'static str, message: &str) {
        self.panics.fetch_add(1, Ordering::Relaxed);
        // So may a subscriber of traces, and the caller has the item in hand.
        let _told = panic::catch(|| {
            tracing::error!(
                queue = %self.queue,
                code,
                panic = message,
                "code of the queue's user panicked"
            );
        });
    }

    /// Drops an item that the queue does not keep.
    pub(super) fn discard(&self, value: Option<T>) {
        if std::mem::needs_drop::<T>()
            && let Some(value) = value
        {
            self.call("Drop", || drop(value));
        }
    }

    fn call<R>(&self, code: &'static str, call: impl FnOnce() -> R) -> Option<R> {
        panic::catch(call).map_err(|message| self.panicked(code, &message)).ok()
    }
}

impl<T: Clone + Eq + Hash + 'static> UserCode<T> {
    /// Counts one more try of an item. Returns the limiter's delay for it.
    pub(super) fn delay(&self, item: &T) -> Duration {
        self.call("Hash, Eq or Clone", || self.tries.lock().count(item));
        let now = Instant::now();
        self.call("RateLimiter::delay", || self.limiter.lock().delay(item, now))
            .unwrap_or(PANIC_DELAY)
    }

    /// Forgets an item's tries, and makes the limiter forget them.
    pub(super) fn forget(&self, item: &T) {
        let forgotten = self.call("Hash or Eq", || self.tries.lock().forget(item));
        self.discard(forgotten.flatten());
        self.call("RateLimiter::forget", || self.limiter.lock().forget(item));
    }

    /// Returns the number of delays of an item since it was last forgotten.
    pub(super) fn requeues(&self, item: &T) -> u32 {
        self.call("Hash or Eq", || self.tries.lock().of(item)).unwrap_or_default()
    }
}

impl<T: Hash> UserCode<T> {
    /// Returns the hash of an item; `None` if its `Hash` panicked.
    pub(super) fn hash(&self, item: &T) -> Option<u64> {
        self.call("Hash", || self.hasher.hash_one(item))
    }

    /// Returns an item with its hash and group, as the queue takes it in; `None` if its `Hash`
    /// panicked.
    pub(super) fn arrival(&self, item: T) -> Option<Arrival<T>> {
        let Some(hash) = self.hash(&item) else {
            self.discard(Some(item));
            return None;
        };
        let group =
            self.group.as_ref().and_then(|group| self.call("fair_by", || (*group.lock())(&item)));
        Some(Arrival { value: Some(item), hash, group: group.unwrap_or_default() })
    }
}
