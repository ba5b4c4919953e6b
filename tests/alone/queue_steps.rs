//! The longest call of a work queue, in what the allocator does meanwhile: a queue of a hundred
//! times as many items has no longer one.

use std::time::Duration;

use kube_informer::WorkQueue;
use kube_informer::workqueue::{ExponentialBackoff, Priority};
use tokio::time::advance;

use crate::COUNTED;

const HOUR: Duration = Duration::from_secs(3_600);

/// The bytes that a call may allocate or free: some parts of tables that grow.
const BYTES: usize = 256 * 1024;

/// The calls of the allocator in a call of the queue: those for 64 items that are due at once.
const CALLS: usize = 64;

/// The longest call of each kind.
#[derive(Default)]
struct Calls(Vec<(&'static str, usize, usize)>);

impl Calls {
    /// Makes a call, and notes what the allocator did meanwhile.
    fn note<R>(&mut self, name: &'static str, call: impl FnOnce() -> R) -> R {
        let before = COUNTED.stats();
        let result = call();
        let after = COUNTED.stats();
        let allocated = after.bytes_allocated - before.bytes_allocated;
        let freed = after.bytes_deallocated - before.bytes_deallocated;
        let calls = [
            after.allocations - before.allocations,
            after.deallocations - before.deallocations,
            after.reallocations - before.reallocations,
        ];
        let (bytes, calls) = (allocated.max(freed), calls.iter().sum::<usize>());
        match self.0.iter_mut().find(|(known, ..)| *known == name) {
            Some((_, most, calls_most)) => {
                (*most, *calls_most) = ((*most).max(bytes), (*calls_most).max(calls));
            }
            None => self.0.push((name, bytes, calls)),
        }
        result
    }
}

async fn longest(items: u32, fair: bool) -> Calls {
    let builder = WorkQueue::builder().limiter(ExponentialBackoff::new(HOUR, HOUR));
    // Strict priorities: the line of the low one is not served until the other is empty.
    let builder = builder.aging(Duration::MAX).backoff_holds(Duration::MAX);
    let queue = if fair { builder.fair_by(|item: &u32| item / 2) } else { builder }.build();
    let mut calls = Calls::default();
    let mut held = Vec::with_capacity(items as usize);
    for item in 0..items {
        calls.note("add", || queue.add_with(item, Priority::LOW));
    }
    for item in 0..items - 1 {
        calls.note("raise", || queue.add_with(item, Priority::HIGH));
    }
    while let Some(work) = calls.note("get", || queue.try_get()) {
        held.push(work);
    }
    assert_eq!(held.len(), items as usize);
    calls.note("status", || queue.status());
    for work in held.drain(..) {
        calls.note("retry", || work.retry());
    }
    for item in 0..items {
        calls.note("forget", || queue.forget(&item));
    }
    advance(HOUR).await;
    calls.note("len", || queue.len());
    while let Some(work) = calls.note("get of an item that was due", || queue.try_get()) {
        held.push(work);
    }
    assert_eq!(held.len(), items as usize);
    for work in held.drain(..) {
        calls.note("done", || drop(work));
    }
    for item in 0..items {
        calls.note("add after an hour", || {
            queue.add_after(item, HOUR + Duration::from_nanos(item.into()))
        });
    }
    for item in 0..items {
        calls.note("delayed add", || queue.add(item));
        calls.note("removal", || queue.remove(&item));
    }
    for item in 0..items {
        queue.add(item);
    }
    for item in (0..items).rev() {
        calls.note("removal from line", || queue.remove(&item));
    }
    let status = queue.status();
    assert_eq!((status.ready, status.processing, status.delayed), (0, 0, 0));
    calls
}

pub(crate) fn longest_call_of_a_queue_is_the_same_at_any_size() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    let mut too_long = Vec::new();
    for fair in [false, true] {
        for items in [2_000, 20_000, 200_000] {
            for (name, bytes, calls) in runtime.block_on(longest(items, fair)).0 {
                println!("{name} of {items}, fair {fair}: {bytes} bytes in {calls} calls");
                if bytes > BYTES || calls > CALLS {
                    too_long.push(format!("{name} of {items}, fair {fair}: {bytes}, {calls}"));
                }
            }
        }
    }
    assert!(too_long.is_empty(), "a call takes longer in a longer queue: {too_long:#?}");
}
