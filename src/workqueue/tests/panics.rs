//! Items, limiters and groupings that panic.

use std::hash::Hasher;
use std::sync::atomic::AtomicU32;

use super::*;

/// The traits of an item that may be told to panic.
const HASH: usize = 0;
const EQ: usize = 1;
const CLONE: usize = 2;
const DROP: usize = 3;

/// An item whose traits panic a set number of times.
struct Bomb(u32, Arc<[AtomicU32; 4]>);

impl Bomb {
    fn new(number: u32) -> Self {
        Self(number, Arc::default())
    }

    /// Creates an item of which the trait `code` panics the next `times` times.
    fn armed(number: u32, code: usize, times: u32) -> Self {
        let bomb = Self::new(number);
        bomb.arm(code, times);
        bomb
    }

    fn arm(&self, code: usize, times: u32) {
        self.1[code].store(times, Ordering::SeqCst);
    }

    fn may_panic(&self, code: usize) {
        let less = |times: u32| times.checked_sub(1);
        let armed = self.1[code].fetch_update(Ordering::SeqCst, Ordering::SeqCst, less);
        assert!(armed.is_err(), "on purpose: {code}");
    }
}

impl PartialEq for Bomb {
    fn eq(&self, other: &Self) -> bool {
        self.may_panic(EQ);
        self.0 == other.0
    }
}

impl Eq for Bomb {}

impl Hash for Bomb {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.may_panic(HASH);
        self.0.hash(state);
    }
}

impl Clone for Bomb {
    fn clone(&self) -> Self {
        self.may_panic(CLONE);
        Self(self.0, self.1.clone())
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        self.may_panic(DROP);
    }
}

fn rest(queue: &WorkQueue<Bomb>) -> Vec<u32> {
    std::iter::from_fn(|| queue.try_get().map(|work| work.0)).collect()
}

fn is_empty(queue: &WorkQueue<Bomb>) -> bool {
    queue.0.inner.lock().core.kept() == (0, 0)
}

#[test]
fn panicking_hash_is_refused_and_counted() {
    let queue = WorkQueue::new();
    queue.add(Bomb::new(1));
    assert!(!queue.add(Bomb::armed(2, HASH, 1)));
    assert!(!queue.unpark(&Bomb::armed(1, HASH, 1)));
    assert_eq!(queue.status().panics, 2);
    assert_eq!(rest(&queue), [1]);
    assert!(is_empty(&queue));
}

#[test]
fn item_is_hashed_once_when_the_queue_grows() {
    let queue = WorkQueue::new();
    for number in 0..5000 {
        let bomb = Bomb::new(number);
        let fuses = bomb.1.clone();
        assert!(queue.add(bomb));
        fuses[HASH].store(u32::MAX, Ordering::SeqCst);
    }
    assert_eq!(rest(&queue).len(), 5000);
    assert_eq!(queue.status().panics, 0);
    assert!(is_empty(&queue));
}

#[test]
fn panicking_eq_is_refused_and_counted() {
    let queue = WorkQueue::new();
    queue.add(Bomb::armed(1, EQ, 1));
    assert!(!queue.add(Bomb::new(1)));
    assert!(queue.add(Bomb::new(1)), "it waits already");
    assert_eq!(queue.status().panics, 1);
    assert_eq!(rest(&queue), [1]);
}

#[test]
fn panicking_clone_is_processed_and_counted() {
    let queue = WorkQueue::new();
    queue.add(Bomb::armed(1, CLONE, u32::MAX));
    for _ in 0..3 {
        let work = queue.try_get().expect("the only one is given out");
        assert!(queue.add(Bomb::new(1)), "and still known");
        queue.add(Bomb::new(2));
        assert_eq!(queue.try_get().map(|work| work.0), Some(2), "one worker at a time");
        drop(work);
        assert_eq!(queue.len(), 1, "it was added meanwhile");
    }
    assert_eq!(queue.status().panics, 3);
    assert_eq!(rest(&queue), [1]);
    assert!(is_empty(&queue));
}

#[test]
fn shutdown_survives_a_panicking_clone() {
    let queue = WorkQueue::new();
    let bomb = Bomb::new(1);
    queue.add_after(bomb.clone(), S);
    queue.add_after(Bomb::new(2), 2 * S);
    queue.add(Bomb::new(1));
    bomb.arm(CLONE, 1);
    let dropped: Vec<_> = queue.shutdown().into_iter().map(|bomb| bomb.0).collect();
    assert_eq!(dropped, [2], "the other one is ready besides");
    assert_eq!(queue.status().panics, 1);
    assert_eq!(rest(&queue), [1]);
    assert_eq!(queue.status().panics, 1);
}

#[tokio::test(start_paused = true)]
async fn panicking_item_drop_blocks_no_drain() {
    let queue = WorkQueue::new();
    queue.add(Bomb::new(1));
    let work = queue.get().await.unwrap();
    let drain = queue.clone();
    let drain = tokio::spawn(async move { drain.shutdown_with_drain().await.len() });
    sleep(S).await;
    work.1[DROP].store(u32::MAX, Ordering::SeqCst);
    drop(work);
    let drained = timeout(S, drain).await.expect("the drain is told");
    assert_eq!(drained.unwrap(), 0);
    assert!(queue.status().panics > 0);
    assert!(is_empty(&queue));
}

#[tokio::test]
async fn panicking_worker_and_item_drop_lose_nothing() {
    let queue = WorkQueue::new();
    queue.add(Bomb::new(1));
    let worker = queue.clone();
    let panicking = tokio::spawn(async move {
        let work = worker.get().await.unwrap();
        worker.add(Bomb::new(1));
        work.1[DROP].store(1, Ordering::SeqCst);
        panic!("on purpose");
    });
    assert!(panicking.await.is_err());
    assert_eq!(rest(&queue), [1]);
    assert!(is_empty(&queue));
}

/// Two panics at once would end the process.
#[test]
fn queue_of_panicking_items_can_be_dropped() {
    let limiter = ExponentialBackoff::new(S, S);
    let queue = WorkQueue::builder().limiter(limiter).build();
    for number in 0..10 {
        let bomb = Bomb::new(number);
        queue.add(bomb.clone());
        queue.add_rate_limited(bomb.clone());
        bomb.arm(DROP, u32::MAX);
        std::mem::forget(bomb);
    }
    drop(queue);
}

#[test]
fn panicking_payload_drop_is_contained() {
    let limiter = Panicking(|| std::panic::panic_any(Bomb::armed(0, DROP, 1)));
    let queue = WorkQueue::builder().limiter(limiter).build();
    assert_eq!(queue.add_rate_limited(1), Some(S));
}

/// A limiter that panics in every call.
struct Panicking<F>(F);

impl<F: Fn() + Send + 'static> RateLimiter<u32> for Panicking<F> {
    fn delay(&mut self, _: &u32, _: Instant) -> Duration {
        self.0();
        Duration::ZERO
    }

    fn forget(&mut self, _: &u32) {
        self.0();
    }
}

#[tokio::test(start_paused = true)]
async fn panicking_limiter_delays_by_one_second() {
    for backoff_holds in [Duration::ZERO, Duration::MAX] {
        let limiter = Panicking(|| panic!("on purpose"));
        let queue = WorkQueue::builder().limiter(limiter).backoff_holds(backoff_holds).build();
        queue.add(1);
        let work = queue.get().await.unwrap();
        assert_eq!(work.num_requeues(), 0);
        work.forget();
        assert_eq!(work.retry(), Some(S));
        assert_eq!(queue.num_requeues(&1), 1, "the queue counts by itself");
        let start = Instant::now();
        assert_eq!(*queue.get().await.unwrap(), 1);
        assert_eq!(start.elapsed(), S);
        queue.forget(&1);
        queue.reset_backoff(&1);
        assert_eq!(queue.status().panics, 4);
    }
}

#[test]
fn items_with_panicking_groups_are_served() {
    let group = |item: &u32| {
        assert!(*item != 2, "on purpose");
        *item
    };
    let queue = WorkQueue::builder().fair_by(group).build();
    for item in [1, 2, 3] {
        assert!(queue.add(item));
    }
    let mut served = all_ready(&queue);
    served.sort_unstable();
    assert_eq!(served, [1, 2, 3]);
    assert_eq!(queue.status().panics, 1);
    assert_eq!(queue.0.inner.lock().core.kept(), (0, 0));
}
