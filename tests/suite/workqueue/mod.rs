//! The work queue, with paused time.

mod backoff;
mod limiters;
mod parking;
mod priorities;

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use kube_informer::workqueue::*;
use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

const MS: Duration = Duration::from_millis(1);
const S: Duration = Duration::from_secs(1);

fn now_or_never(queue: &WorkQueue<u32>) -> Option<u32> {
    queue.get().now_or_never().flatten().map(|work| *work)
}

/// Takes all ready items, in order; each is done before the next.
fn all_ready(queue: &WorkQueue<u32>) -> Vec<u32> {
    std::iter::from_fn(|| queue.try_get().map(|work| *work)).collect()
}

#[test]
fn an_item_waits_once() {
    let queue = WorkQueue::new();
    for item in [1, 2, 1, 3, 2] {
        assert!(queue.add(item));
    }
    assert_eq!(queue.len(), 3);
    assert_eq!(all_ready(&queue), [1, 2, 3]);
    assert_eq!(queue.status().adds, 5);
}

#[test]
fn item_added_during_processing_comes_again_once() {
    let queue = WorkQueue::new();
    queue.add(1);
    let work = queue.try_get().unwrap();
    queue.add(1);
    queue.add(1);
    assert!(queue.try_get().is_none(), "one worker at a time");
    assert_eq!(queue.len(), 0);
    drop(work);
    assert_eq!(all_ready(&queue), [1]);
}

#[tokio::test]
async fn panicking_worker_neither_loses_nor_blocks_its_item() {
    let queue = WorkQueue::new();
    queue.add(1);
    let worker = queue.clone();
    let panicking = tokio::spawn(async move {
        let work = worker.get().await;
        worker.add(1);
        panic!("on purpose, holding {work:?}");
    });
    assert!(panicking.await.is_err());
    assert_eq!(all_ready(&queue), [1]);
}

#[tokio::test(start_paused = true)]
async fn delayed_items_come_in_due_order() {
    let queue = WorkQueue::new();
    let start = Instant::now();
    for (item, delay) in [(3, 30), (1, 10), (2, 20)] {
        queue.add_after(item, delay * MS);
    }
    assert!(queue.is_empty());
    for (item, at) in [(1, 10), (2, 20), (3, 30)] {
        assert_eq!(*queue.get().await.unwrap(), item);
        assert_eq!(start.elapsed(), at * MS);
    }
}

#[tokio::test(start_paused = true)]
async fn of_several_delays_the_earliest_counts() {
    let queue = WorkQueue::new();
    let start = Instant::now();
    for delay in [50, 20, 70] {
        queue.add_after(1, delay * MS);
    }
    drop(queue.get().await);
    assert_eq!(start.elapsed(), 20 * MS);
    assert!(timeout(S, queue.get()).await.is_err(), "the later ones are gone");
}

/// The worker that takes the item decides again.
#[tokio::test(start_paused = true)]
async fn earlier_add_replaces_the_requeue_of_a_worker() {
    let queue = WorkQueue::new();
    queue.add(1);
    queue.get().await.unwrap().requeue_after(50 * MS);
    queue.add(1);
    drop(queue.get().await);
    assert!(timeout(S, queue.get()).await.is_err(), "nobody asked for it again");
    assert_eq!(queue.status().delayed, 0);

    queue.add(1);
    queue.get().await.unwrap().retry_after(50 * MS);
    queue.add(1);
    let start = Instant::now();
    queue.get().await.unwrap().requeue_after(80 * MS);
    drop(queue.get().await);
    assert_eq!(start.elapsed(), 80 * MS);
}

#[tokio::test(start_paused = true)]
async fn requeue_of_a_worker_takes_no_delayed_add_away() {
    for add_first in [true, false] {
        let queue = WorkQueue::new();
        queue.add(1);
        let work = queue.get().await.unwrap();
        if add_first {
            queue.add_after(1, 70 * MS);
        }
        work.requeue_after(50 * MS);
        if !add_first {
            queue.add_after(1, 70 * MS);
        }
        queue.add(1);
        drop(queue.get().await);
        assert_eq!(*queue.get().await.unwrap(), 1, "the delayed add counts");
    }
}

#[tokio::test(start_paused = true)]
async fn zero_delay_leaves_a_later_one_alone() {
    let queue = WorkQueue::new();
    queue.add_after(1, 50 * MS);
    queue.add_after(1, Duration::ZERO);
    assert_eq!(now_or_never(&queue), Some(1));
    let start = Instant::now();
    assert_eq!(*queue.get().await.unwrap(), 1);
    assert_eq!(start.elapsed(), 50 * MS);
}

#[tokio::test(start_paused = true)]
async fn earlier_delay_reaches_a_waiting_worker() {
    let queue = WorkQueue::new();
    queue.add_after(1, S);
    let worker = queue.clone();
    let worker = tokio::spawn(async move { worker.get().await.map(|work| *work) });
    sleep(MS).await;
    let start = Instant::now();
    queue.add_after(2, 10 * MS);
    assert_eq!(worker.await.unwrap(), Some(2));
    assert_eq!(start.elapsed(), 10 * MS);
}

#[tokio::test(start_paused = true)]
async fn another_worker_takes_over_the_timer() {
    let queue = WorkQueue::new();
    queue.add_after(1, 10 * MS);
    let mut keeper = Box::pin(queue.get());
    assert!(futures::poll!(&mut keeper).is_pending());
    let other = queue.clone();
    let other = tokio::spawn(async move { other.get().await.map(|work| *work) });
    sleep(MS).await;
    drop(keeper);
    assert_eq!(timeout(S, other).await.expect("in time").unwrap(), Some(1));
}

#[tokio::test(start_paused = true)]
async fn items_due_at_once_wake_enough_workers() {
    let queue = WorkQueue::new();
    let mut workers = JoinSet::new();
    for _ in 0..8 {
        let queue = queue.clone();
        workers.spawn(async move {
            let work = queue.get().await;
            // Keeps the item, so the other workers are needed.
            sleep(S).await;
            work.map(|work| *work)
        });
    }
    sleep(MS).await;
    for item in 0..8_u32 {
        queue.add_after(item, 10 * MS);
    }
    let start = Instant::now();
    let done: BTreeSet<_> = workers.join_all().await.into_iter().flatten().collect();
    assert_eq!(done.len(), 8);
    assert_eq!(start.elapsed(), S + 10 * MS);
}

#[tokio::test(start_paused = true)]
async fn retries_wait_longer_until_forgotten() {
    let limiter = ExponentialBackoff::new(MS, S);
    let queue = WorkQueue::builder().limiter(limiter).build();
    queue.add(1);
    for tries in 0..4 {
        let work = queue.get().await.unwrap();
        assert_eq!(work.num_requeues(), tries);
        assert_eq!(work.retry(), Some(MS * (1 << tries)));
    }
    assert_eq!(queue.status().retries, 4);
    queue.forget(&1);
    assert_eq!(queue.num_requeues(&1), 0);
    assert_eq!(queue.get().await.unwrap().retry(), Some(MS));
}

#[tokio::test(start_paused = true)]
async fn shutting_down_lets_workers_finish_what_is_ready() {
    let queue = WorkQueue::new();
    queue.add(1);
    queue.add(2);
    queue.add_after(3, S);
    let work = queue.get().await.unwrap();
    queue.add(1);
    assert_eq!(queue.shutdown(), [3], "what never comes is given back");
    assert!(!queue.add(4), "it takes nothing any more");
    assert!(!queue.add_after(4, S) && queue.add_rate_limited(4).is_none());
    assert_eq!(now_or_never(&queue), Some(2));
    assert_eq!(now_or_never(&queue), None);
    drop(work);
    assert_eq!(now_or_never(&queue), Some(1), "it was added before the end");
    assert!(queue.get().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn shutting_down_wakes_every_worker() {
    let queue = WorkQueue::<u32>::new();
    queue.add_after(1, 10 * S);
    let mut workers = JoinSet::new();
    for _ in 0..10 {
        let queue = queue.clone();
        workers.spawn(async move { queue.get().await.is_none() });
    }
    sleep(MS).await;
    queue.shutdown();
    let ended = timeout(S, workers.join_all()).await.expect("all end");
    assert_eq!(ended, [true; 10]);
}

#[tokio::test(start_paused = true)]
async fn drain_waits_for_processed_and_readded_items() {
    let queue = WorkQueue::new();
    queue.add(1);
    let work = queue.get().await.unwrap();
    queue.add(1);
    let drain = queue.clone();
    let drain = tokio::spawn(async move { drain.shutdown_with_drain().await });
    sleep(S).await;
    assert!(!drain.is_finished());
    drop(work);
    sleep(S).await;
    assert!(!drain.is_finished(), "it was added meanwhile");
    assert_eq!(now_or_never(&queue), Some(1));
    assert!(drain.await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_a_drain() {
    let queue = WorkQueue::new();
    queue.add(1);
    let work = queue.get().await.unwrap();
    let drain = queue.clone();
    let drain = tokio::spawn(async move { drain.shutdown_with_drain().await });
    sleep(S).await;
    queue.shutdown();
    assert!(timeout(S, drain).await.is_ok());
    drop(work);
}

#[tokio::test(start_paused = true)]
async fn the_status_tells_what_is_going_on() {
    let queue = WorkQueue::builder().name("pods").build();
    for item in [1, 2, 3] {
        queue.add(item);
    }
    queue.add_after(4, S);
    let first = queue.get().await;
    sleep(2 * S).await;
    let second = queue.get().await.unwrap();
    assert_eq!(second.waited(), 2 * S);
    sleep(S).await;
    let status = queue.status();
    assert_eq!(&*status.name, "pods");
    assert_eq!((status.ready, status.processing, status.delayed), (2, 2, 0));
    assert_eq!((status.longest_running, status.unfinished), (3 * S, 4 * S));
    drop((first, second));
}

fn check_sent<T: Send>(_: T) {}

#[test]
fn it_can_be_shared_and_sent() {
    fn check<T: Send + Sync + fmt::Debug>() {}
    check::<WorkQueue<u32>>();
    check::<Work<u32>>();
    check::<WorkQueueStatus>();
    check_sent(WorkQueue::<u32>::new().get());
}

/// Workers that are cancelled at any point of their wait lose neither items nor wake-ups.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancelled_workers_lose_nothing() {
    const ITEMS: u32 = 20_000;
    let queue = WorkQueue::new();
    let done = Arc::new(Mutex::new(HashMap::<u32, u32>::new()));
    let mut workers = JoinSet::new();
    for seed in 0..8 {
        let (queue, done) = (queue.clone(), done.clone());
        workers.spawn(async move {
            let mut random = fastrand::Rng::with_seed(seed);
            loop {
                let patience = Duration::from_micros(random.u64(0..200));
                match timeout(patience, queue.get()).await {
                    Err(_) => {}
                    Ok(None) => break,
                    Ok(Some(work)) => *done.lock().entry(*work).or_default() += 1,
                }
            }
        });
    }
    for item in 0..ITEMS {
        if item % 3 == 0 {
            queue.add_after(item, Duration::from_micros(u64::from(item % 1000)));
        } else {
            queue.add(item);
        }
        if item % 64 == 0 {
            tokio::task::yield_now().await;
        }
    }
    while done.lock().len() < ITEMS as usize {
        sleep(MS).await;
    }
    queue.shutdown();
    workers.join_all().await;
    assert!(done.lock().values().all(|times| *times == 1), "each once");
}

/// No two workers ever hold one item, and each add is followed by some processing of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_add_is_processed_by_one_worker() {
    const ITEMS: usize = 16;
    let queue = WorkQueue::<usize>::new();
    let held: Arc<Vec<AtomicUsize>> = Arc::new((0..ITEMS).map(|_| AtomicUsize::new(0)).collect());
    let wanted: Arc<Vec<AtomicUsize>> = Arc::new((0..ITEMS).map(|_| AtomicUsize::new(0)).collect());
    let seen: Arc<Vec<AtomicUsize>> = Arc::new((0..ITEMS).map(|_| AtomicUsize::new(0)).collect());
    let mut workers = JoinSet::new();
    for _ in 0..6 {
        let (queue, held, wanted, seen) =
            (queue.clone(), held.clone(), wanted.clone(), seen.clone());
        workers.spawn(async move {
            while let Some(work) = queue.get().await {
                assert_eq!(held[*work].fetch_add(1, Ordering::SeqCst), 0);
                seen[*work].store(wanted[*work].load(Ordering::SeqCst), Ordering::SeqCst);
                tokio::task::yield_now().await;
                held[*work].fetch_sub(1, Ordering::SeqCst);
            }
        });
    }
    for n in 0..20_000 {
        wanted[n % ITEMS].fetch_add(1, Ordering::SeqCst);
        queue.add(n % ITEMS);
        if n % 32 == 0 {
            tokio::task::yield_now().await;
        }
    }
    assert!(queue.shutdown_with_drain().await.is_empty());
    workers.join_all().await;
    for (wanted, seen) in wanted.iter().zip(seen.iter()) {
        assert_eq!(wanted.load(Ordering::SeqCst), seen.load(Ordering::SeqCst));
    }
}

#[tokio::test(start_paused = true)]
async fn removed_items_end_a_drain() {
    let queue = WorkQueue::new();
    queue.add("later");
    let drained = tokio::spawn({
        let queue = queue.clone();
        async move { queue.shutdown_with_drain().await }
    });
    tokio::task::yield_now().await;
    assert!(queue.remove(&"later") && !queue.remove(&"later"));
    assert!(drained.await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn items_due_during_their_processing_hide_no_other() {
    let queue = WorkQueue::new();
    for item in 0..200_u32 {
        queue.add(item);
    }
    let works: Vec<_> = std::iter::from_fn(|| queue.try_get()).collect();
    for item in 0..=200 {
        queue.add_after(item, MS + item * MS);
    }
    sleep(S).await;
    assert_eq!(queue.try_get().map(|work| *work), Some(200));
    drop(works);
    assert_eq!(all_ready(&queue).len(), 200);
}

#[tokio::test(start_paused = true)]
async fn closed_queue_returns_what_is_due() {
    let queue = WorkQueue::new();
    for item in 0..200_u32 {
        queue.add_after(item, MS + item * MS);
    }
    sleep(S).await;
    // This call makes the first 64 ready.
    queue.add_after(0, S);
    let wanted = (64..200).chain([0]);
    assert_eq!(
        queue.shutdown(),
        wanted.collect::<Vec<_>>(),
        "an item that is ready, too, is cloned"
    );
    assert_eq!(all_ready(&queue), (0..64).collect::<Vec<_>>());
    assert!(queue.get().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn worker_that_waits_learns_of_a_ready_item_if_the_one_with_the_timer_is_cancelled() {
    for look in [WorkQueue::len, |queue: &WorkQueue<u32>| queue.status().ready] {
        let queue = WorkQueue::new();
        let mut first = Box::pin(queue.get());
        queue.add_after(1_u32, S);
        assert!(futures::poll!(first.as_mut()).is_pending());
        let mut second = Box::pin(queue.get());
        assert!(futures::poll!(second.as_mut()).is_pending());
        tokio::time::advance(2 * S).await;
        assert_eq!(look(&queue), 1);
        drop(first);
        let given = timeout(3600 * S, second).await.expect("a wake-up");
        assert_eq!(given.map(|work| *work), Some(1));
    }
}

#[tokio::test(start_paused = true)]
async fn urgent_item_is_given_before_any_number_that_were_due_earlier() {
    let queue = WorkQueue::builder().aging(Duration::MAX).build();
    for item in 1..1_000 {
        queue.add_after(item, S);
    }
    queue.add_with(0, Priority::HIGH);
    assert!(queue.try_get().unwrap().requeue_after(2 * S));
    sleep(10 * S).await;
    assert_eq!(queue.get().await.map(|work| *work), Some(0));
}

#[tokio::test(start_paused = true)]
async fn add_takes_up_a_delay_that_is_over_although_many_were_due_before() {
    let queue = WorkQueue::new();
    for item in 0..10_000_u32 {
        queue.add_after(item, MS * (item + 1));
    }
    sleep(20 * S).await;
    queue.add(9_999);
    assert_eq!(all_ready(&queue).len(), 10_000);
}
