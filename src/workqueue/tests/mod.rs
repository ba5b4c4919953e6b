//! Tests of what only the module sees. All others are in `tests/suite/workqueue`.

mod model;
mod panics;

use tokio::time::{Instant, sleep, timeout};

use super::*;

const MS: Duration = Duration::from_millis(1);
const S: Duration = Duration::from_secs(1);

/// Takes all ready items, in order; each is done before the next.
fn all_ready(queue: &WorkQueue<u32>) -> Vec<u32> {
    std::iter::from_fn(|| queue.try_get().map(|work| *work)).collect()
}

#[test]
fn what_is_done_is_forgotten() {
    let queue = WorkQueue::new();
    for item in 0..10_000_u32 {
        queue.add(item);
        queue.add_after(item, S);
    }
    assert_eq!(all_ready(&queue).len(), 10_000);
    assert_eq!(queue.shutdown().len(), 10_000);
    let inner = queue.0.inner.lock();
    assert_eq!(inner.core.kept(), (0, 0));
}

/// A million keys are held for hours: each byte of this is a megabyte.
#[test]
fn item_takes_at_most_48_extra_bytes() {
    assert_eq!(core::item_size::<Arc<str>>(), size_of::<Arc<str>>() + 48);
}

/// A step under the lock makes a bounded number of items ready.
#[tokio::test(start_paused = true)]
async fn many_items_due_at_once_lose_nothing() {
    let queue = WorkQueue::new();
    for item in 0..1_000_u32 {
        queue.add_after(item, MS + item * Duration::from_nanos(1));
    }
    sleep(S).await;
    assert_eq!(queue.len(), 64, "one step");
    assert_eq!(queue.len(), 128);
    assert_eq!(all_ready(&queue), (0..1_000).collect::<Vec<_>>(), "the first due first");
    assert_eq!(queue.0.inner.lock().core.kept(), (0, 0));
}

/// Closing takes one delayed item out after another, and an event may come in between.
#[test]
fn item_of_a_queue_that_closes_is_returned_although_it_is_unparked() {
    let queue = WorkQueue::new();
    queue.add(1);
    queue.try_get().unwrap().park(S);
    queue.0.inner.lock().core.close();
    queue.unpark(&1);
    assert_eq!((queue.len(), queue.shutdown()), (0, vec![1]));
}

/// Under strict priorities a line may never be served. Items that leave it leave nothing behind.
#[test]
fn unserved_line_does_not_grow() {
    for fair in [false, true] {
        let builder = WorkQueue::builder().aging(Duration::MAX);
        let builder = if fair { builder.fair_by(|item: &u32| item % 3) } else { builder };
        let queue = builder.build();
        queue.add_with(0, Priority::LOW);
        for item in 1..50_000 {
            queue.add_with(item, Priority::LOW);
            queue.add_with(item, Priority::HIGH);
            assert_eq!(queue.try_get().map(|work| *work), Some(item));
        }
        assert_eq!(queue.0.inner.lock().core.kept(), (1, 1));
        assert_eq!(all_ready(&queue), [0]);
    }
}
