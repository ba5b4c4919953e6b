//! The work queue under user code that panics, and its delays.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kube_informer::WorkQueue;
use kube_informer::workqueue::{ExponentialBackoff, Priority, RateLimiter};
use tokio::time::{Instant, sleep, timeout};

use crate::helpers::{S, spawn};

/// A limiter that panics once.
struct PanicsOnce(AtomicBool);

impl RateLimiter<&'static str> for PanicsOnce {
    fn delay(&mut self, _: &&'static str, _: Instant) -> Duration {
        assert!(self.0.swap(true, Ordering::SeqCst), "on purpose");
        S
    }
}

#[tokio::test(start_paused = true)]
async fn a_limiter_that_panics_loses_no_key() {
    let queue = WorkQueue::builder().limiter(PanicsOnce(AtomicBool::new(false))).build();
    queue.add("a");
    for _ in 0..3 {
        let work = timeout(10 * S, queue.get()).await.expect("it comes again").unwrap();
        assert!(work.retry().is_some());
    }
    assert_eq!(queue.status().panics, 1);
}

#[tokio::test(start_paused = true)]
async fn a_grouping_that_panics_loses_no_key() {
    let broken = Arc::new(AtomicBool::new(true));
    let breaks = broken.clone();
    let group = move |key: &&'static str| {
        assert!(!breaks.load(Ordering::SeqCst) || *key != "a/1", "on purpose");
        key.split('/').next().unwrap_or_default().to_owned()
    };
    let queue = WorkQueue::builder().fair_by(group).build();
    for key in ["a/1", "a/2", "b/1"] {
        assert!(queue.add(key));
    }
    let mut got = Vec::new();
    while let Some(work) = queue.try_get() {
        got.push(*work);
    }
    got.sort_unstable();
    assert_eq!(got, ["a/1", "a/2", "b/1"]);
    assert_eq!(queue.status().panics, 1);
    broken.store(false, Ordering::SeqCst);
    assert!(queue.add("a/1"));
    assert_eq!(queue.try_get().map(|work| *work), Some("a/1"), "it is not lost for ever");
}

/// Events come every 100 ms while each try fails: the tries are as far apart as the backoff says.
#[tokio::test(start_paused = true)]
async fn a_storm_of_adds_never_beats_the_backoff() {
    let limiter = ExponentialBackoff::new(S, 64 * S);
    let queue = WorkQueue::builder().limiter(limiter).backoff_holds(Duration::MAX).build();
    let storm = queue.clone();
    let storm = spawn(async move {
        while storm.add("key") {
            sleep(S / 10).await;
        }
    });
    let mut last = Instant::now();
    for delay in [0, 1, 2, 4, 8, 16] {
        let work = queue.get().await.unwrap();
        assert!(last.elapsed() >= delay * S, "{:?} after the last try", last.elapsed());
        last = Instant::now();
        sleep(S / 2).await;
        work.retry();
        last += S / 2;
    }
    assert!(queue.reset_backoff(&"key"), "its spec has changed");
    let work = queue.try_get().expect("it is ready at once");
    assert_eq!(work.num_requeues(), 0);
    queue.shutdown();
    storm.await.unwrap();
}

/// A key that waits for something holds no worker, and events of the key do not start it.
#[tokio::test(start_paused = true)]
async fn parked_key_holds_no_worker_until_woken() {
    let queue = WorkQueue::new();
    queue.add_with("waits", Priority::HIGH);
    queue.add("other");
    assert!(queue.get().await.unwrap().park(600 * S));
    queue.add("waits");
    assert_eq!(queue.get().await.map(|work| *work), Some("other"));
    assert!(queue.try_get().is_none());
    let status = queue.status();
    assert_eq!((status.ready, status.processing, status.delayed, status.parked), (0, 0, 0, 1));
    assert!(queue.unpark(&"waits"));
    let work = queue.try_get().expect("it was woken");
    assert_eq!((*work, work.priority()), ("waits", Priority::HIGH));
    work.park(10 * S);
    let start = Instant::now();
    assert_eq!(queue.get().await.map(|work| *work), Some("waits"));
    assert_eq!(start.elapsed(), 10 * S, "nobody woke it");
}

#[tokio::test(start_paused = true)]
async fn a_retry_keeps_its_priority() {
    let queue = WorkQueue::builder().aging(Duration::MAX).build();
    queue.add_with("low", Priority::LOW);
    queue.add_with("high", Priority::HIGH);
    queue.try_get().unwrap().retry();
    queue.try_get().unwrap().requeue_after(S);
    sleep(2 * S).await;
    queue.add("normal");
    let mut got = Vec::new();
    while let Some(work) = queue.try_get() {
        got.push(*work);
    }
    assert_eq!(got, ["high", "normal", "low"]);
}

/// Delays and limits of any length, and limiters that give them.
#[tokio::test(start_paused = true)]
async fn any_delay_is_taken() {
    let limiter = ExponentialBackoff::new(Duration::MAX, Duration::MAX);
    let queue = WorkQueue::builder().limiter(limiter).aging(Duration::MAX).build();
    queue.add_after(1, Duration::MAX);
    queue.add_rate_limited(2);
    queue.add(3);
    queue.get().await.unwrap().park(Duration::MAX);
    assert!(timeout(1_000_000 * S, queue.get()).await.is_err(), "never is never");
    assert!(queue.unpark(&3));
    assert_eq!(queue.get().await.map(|work| *work), Some(3));
}
