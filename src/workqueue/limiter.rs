//! Rate limiters: the delays of items before they are retried.
//!
//! A [`RateLimiter`] never sleeps and reads no clock: its caller passes the time. It keeps nothing
//! about a forgotten item. The default delays are client-go's.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::mem;
use std::time::Duration;

use tokio::time::Instant;

use crate::collections::PartedTable;
use crate::panic::drop_safely;

/// A policy that sets the delay of an item before it is retried.
///
/// ```
/// use std::time::Duration;
/// use kube_informer::workqueue::{ExponentialBackoff, RateLimiter};
/// use tokio::time::Instant;
///
/// let mut limiter = ExponentialBackoff::new(Duration::from_millis(5), Duration::from_secs(1000));
/// let now = Instant::now();
/// assert_eq!(limiter.delay(&"a", now), Duration::from_millis(5));
/// assert_eq!(limiter.delay(&"a", now), Duration::from_millis(10));
/// assert_eq!(limiter.delay(&"b", now), Duration::from_millis(5));
/// limiter.forget(&"a");
/// assert_eq!(limiter.delay(&"a", now), Duration::from_millis(5));
/// ```
pub trait RateLimiter<T>: Send + 'static {
    /// Counts one try of the item, and returns the delay before the next one.
    fn delay(&mut self, item: &T, now: Instant) -> Duration;

    /// Forgets the item's tries: its next delay is the first again. Does nothing by default.
    fn forget(&mut self, item: &T) {
        let _ = item;
    }

    /// Returns the number of delays of the item since it was last forgotten. Zero by default. A
    /// queue counts by itself and does not call this.
    fn requeues(&self, item: &T) -> u32 {
        let _ = item;
        0
    }
}

/// Returns client-go's default limiter: the longer delay of a per-item backoff (5 ms, doubling up
/// to 1000 s) and a token bucket for all items (10 a second, bursts of 100).
///
/// ```
/// use kube_informer::workqueue::{Jittered, WorkQueue, default_limiter};
///
/// // Items that fail together are retried up to half a delay apart.
/// let limiter = Jittered::new(default_limiter(), 0.5);
/// let queue = WorkQueue::<String>::builder().limiter(limiter).build();
/// ```
pub fn default_limiter<T: Clone + Eq + Hash + Send + 'static>() -> MaxOf<T> {
    let backoff = ExponentialBackoff::new(Duration::from_millis(5), Duration::from_secs(1000));
    MaxOf::new().and(backoff).and(TokenBucket::new(10.0, 100))
}

/// A limiter whose delay for an item doubles with each try.
#[derive(Debug)]
pub struct ExponentialBackoff<T> {
    base: Duration,
    longest: Duration,
    tries: Tries<T>,
}

impl<T: Eq + Hash> ExponentialBackoff<T> {
    /// Creates a limiter whose delays begin at `base` and grow up to `longest`.
    pub fn new(base: Duration, longest: Duration) -> Self {
        Self { base, longest, tries: Tries::new() }
    }
}

impl<T: Clone + Eq + Hash + Send + 'static> RateLimiter<T> for ExponentialBackoff<T> {
    fn delay(&mut self, item: &T, _now: Instant) -> Duration {
        let tries = self.tries.count(item);
        let factor = 1_u32.checked_shl(tries).unwrap_or(u32::MAX);
        self.base.saturating_mul(factor).min(self.longest)
    }

    fn forget(&mut self, item: &T) {
        self.tries.forget(item);
    }

    fn requeues(&self, item: &T) -> u32 {
        self.tries.of(item)
    }
}

/// A limiter with a short delay for an item's first tries and a long one for later tries.
///
/// ```
/// use std::time::Duration;
/// use kube_informer::workqueue::{FastSlow, RateLimiter};
/// use tokio::time::Instant;
///
/// let (fast, slow) = (Duration::from_millis(100), Duration::from_secs(30));
/// let (mut limiter, now) = (FastSlow::new(fast, slow, 2), Instant::now());
/// let delays: Vec<_> = (0..3).map(|_| limiter.delay(&"a", now)).collect();
/// assert_eq!(delays, [fast, fast, slow]);
/// ```
#[derive(Debug)]
pub struct FastSlow<T> {
    fast: Duration,
    slow: Duration,
    fast_tries: u32,
    tries: Tries<T>,
}

impl<T: Eq + Hash> FastSlow<T> {
    /// Creates a limiter that delays an item by `fast` for `fast_tries` tries, and by `slow` after
    /// that.
    pub fn new(fast: Duration, slow: Duration, fast_tries: u32) -> Self {
        Self { fast, slow, fast_tries, tries: Tries::new() }
    }
}

impl<T: Clone + Eq + Hash + Send + 'static> RateLimiter<T> for FastSlow<T> {
    fn delay(&mut self, item: &T, _now: Instant) -> Duration {
        if self.tries.count(item) < self.fast_tries { self.fast } else { self.slow }
    }

    fn forget(&mut self, item: &T) {
        self.tries.forget(item);
    }

    fn requeues(&self, item: &T) -> u32 {
        self.tries.of(item)
    }
}

/// A token bucket for all items: a burst passes at once, later items at a steady rate.
///
/// Each delay reserves its token, so ten items that come at once to an empty bucket wait for ten
/// different moments.
///
/// ```
/// use std::time::Duration;
/// use kube_informer::workqueue::{RateLimiter, TokenBucket};
/// use tokio::time::Instant;
///
/// let (mut bucket, now) = (TokenBucket::new(10.0, 1), Instant::now());
/// assert_eq!(bucket.delay(&"a", now), Duration::ZERO);
/// assert_eq!(bucket.delay(&"b", now).as_millis(), 100);
/// ```
#[derive(Debug)]
pub struct TokenBucket {
    /// The seconds between two tokens.
    interval: f64,
    burst: f64,
    /// The number of free tokens; negative if future tokens are reserved.
    tokens: f64,
    filled: Option<Instant>,
}

impl TokenBucket {
    /// Creates a full bucket of `burst` tokens (at least one) that gains `rate` tokens a second.
    pub fn new(rate: f64, burst: u32) -> Self {
        // A rate of zero means never. One token in thirty years is as good, and is finite.
        let interval = rate.max(1e-9).recip();
        let burst = f64::from(burst.max(1));
        Self { interval, burst, tokens: burst, filled: None }
    }
}

impl<T> RateLimiter<T> for TokenBucket {
    fn delay(&mut self, _item: &T, now: Instant) -> Duration {
        let passed = self.filled.map_or(Duration::ZERO, |filled| now.duration_since(filled));
        self.filled = Some(now);
        self.tokens = (self.tokens + passed.as_secs_f64() / self.interval).min(self.burst) - 1.0;
        let missing = (-self.tokens).max(0.0) * self.interval;
        Duration::try_from_secs_f64(missing).unwrap_or(Duration::MAX)
    }
}

/// A limiter that returns the longest delay of several limiters. Each of them counts the try.
///
/// ```
/// use std::time::Duration;
/// use kube_informer::workqueue::{FastSlow, MaxOf, RateLimiter, TokenBucket};
/// use tokio::time::Instant;
///
/// // Two fast tries for each item, but at most five tries a second of all items.
/// let fast_slow = FastSlow::new(Duration::from_millis(10), Duration::from_secs(60), 2);
/// let mut limiter = MaxOf::new().and(fast_slow).and(TokenBucket::new(5.0, 1));
/// let now = Instant::now();
/// assert_eq!(limiter.delay(&"a", now).as_millis(), 10);
/// assert_eq!(limiter.delay(&"b", now).as_millis(), 200);
/// ```
pub struct MaxOf<T>(Vec<Box<dyn RateLimiter<T>>>);

impl<T: 'static> MaxOf<T> {
    /// Creates a limiter without members: its delay is zero.
    #[must_use]
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a limiter.
    #[must_use]
    pub fn and(mut self, limiter: impl RateLimiter<T>) -> Self {
        self.0.push(Box::new(limiter));
        self
    }
}

impl<T: 'static> RateLimiter<T> for MaxOf<T> {
    fn delay(&mut self, item: &T, now: Instant) -> Duration {
        let delays = self.0.iter_mut().map(|limiter| limiter.delay(item, now));
        delays.max().unwrap_or_default()
    }

    fn forget(&mut self, item: &T) {
        self.0.iter_mut().for_each(|limiter| limiter.forget(item));
    }

    fn requeues(&self, item: &T) -> u32 {
        self.0.iter().map(|limiter| limiter.requeues(item)).max().unwrap_or_default()
    }
}

impl<T: 'static> Default for MaxOf<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for MaxOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MaxOf").field(&self.0.len()).finish()
    }
}

/// A limiter that lengthens another limiter's delays at random, so that items that failed together
/// are not retried together.
///
/// ```
/// use std::time::Duration;
/// use kube_informer::workqueue::{ExponentialBackoff, Jittered, RateLimiter};
///
/// let backoff = ExponentialBackoff::new(Duration::from_secs(1), Duration::from_secs(60));
/// let delay = Jittered::new(backoff, 0.5).delay(&"a", tokio::time::Instant::now());
/// assert!((1.0..1.5).contains(&delay.as_secs_f64()));
/// ```
#[derive(Debug)]
pub struct Jittered<L> {
    inner: L,
    most: f64,
    random: fastrand::Rng,
}

impl<L> Jittered<L> {
    /// Creates a limiter that lengthens each delay of `inner` by at most the fraction `most`: 0.5
    /// adds up to half of the delay.
    pub fn new(inner: L, most: f64) -> Self {
        // An infinite part of no delay would be no number.
        let most = if most.is_nan() { 0.0 } else { most.clamp(0.0, f64::MAX) };
        Self { inner, most, random: fastrand::Rng::new() }
    }

    /// Sets the seed of the random numbers, so that each run draws the same ones.
    #[cfg(test)]
    fn seed(mut self, seed: u64) -> Self {
        self.random = fastrand::Rng::with_seed(seed);
        self
    }
}

impl<T, L: RateLimiter<T>> RateLimiter<T> for Jittered<L> {
    fn delay(&mut self, item: &T, now: Instant) -> Duration {
        let delay = self.inner.delay(item, now);
        let longer = delay.as_secs_f64() * (1.0 + self.most * self.random.f64());
        Duration::try_from_secs_f64(longer).unwrap_or(Duration::MAX)
    }

    fn forget(&mut self, item: &T) {
        self.inner.forget(item);
    }

    fn requeues(&self, item: &T) -> u32 {
        self.inner.requeues(item)
    }
}

/// The number of tries of each item.
#[derive(Debug)]
pub(super) struct Tries<T> {
    hasher: foldhash::fast::RandomState,
    tries: PartedTable<(T, u32)>,
}

impl<T> Tries<T> {
    pub(super) fn new() -> Self {
        Self { hasher: foldhash::fast::RandomState::default(), tries: PartedTable::default() }
    }
}

impl<T: Clone + Eq + Hash> Tries<T> {
    /// Returns the number of tries of an item.
    pub(super) fn of(&self, item: &T) -> u32 {
        // The table is mostly empty: this saves hashing the item.
        if self.tries.len() == 0 {
            return 0;
        }
        let found = self.tries.find(self.hasher.hash_one(item), |(known, _)| known == item);
        found.map_or(0, |(_, tries)| *tries)
    }

    /// Forgets an item. Returns the equal item of the table, for the caller to drop.
    pub(super) fn forget(&mut self, item: &T) -> Option<T> {
        if self.tries.len() == 0 {
            return None;
        }
        let hash = self.hasher.hash_one(item);
        self.tries.remove(hash, |(known, _)| known == item).map(|(item, _)| item)
    }

    /// Counts one more try of an item. Returns the number of earlier tries.
    pub(super) fn count(&mut self, item: &T) -> u32 {
        let hash = self.hasher.hash_one(item);
        if let Some((_, tries)) = self.tries.find_mut(hash, |(known, _)| known == item) {
            let before = *tries;
            *tries = before.saturating_add(1);
            return before;
        }
        self.tries.insert(hash, (item.clone(), 1));
        0
    }
}

/// Drops items one by one, because two panics at once would end the process.
impl<T> Drop for Tries<T> {
    fn drop(&mut self) {
        for (item, _) in mem::take(&mut self.tries).into_entries() {
            drop_safely(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn delays<L: RateLimiter<&'static str>>(limiter: &mut L, tries: usize) -> Vec<Duration> {
        let now = Instant::now();
        (0..tries).map(|_| limiter.delay(&"a", now)).collect()
    }

    #[test]
    fn forgotten_item_leaves_nothing() {
        let mut backoff = ExponentialBackoff::new(MS, 10 * MS);
        delays(&mut backoff, 6);
        backoff.forget(&"a");
        assert!(backoff.tries.tries.len() == 0);
    }

    #[test]
    fn a_jitter_only_lengthens() {
        let backoff = || ExponentialBackoff::new(MS, 1000 * MS);
        let plain = delays(&mut backoff(), 8);
        let jittered = delays(&mut Jittered::new(backoff(), 0.5).seed(1), 8);
        for (jittered, plain) in jittered.iter().zip(&plain) {
            assert!(jittered >= plain && *jittered <= plain.mul_f64(1.5));
        }
        assert_ne!(jittered, plain);
    }
}
