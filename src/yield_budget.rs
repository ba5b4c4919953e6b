//! Budgets after which long work yields to the runtime's other tasks.
//!
//! A task that never waits holds its thread for as long as it works. Long loops therefore spend
//! from a budget and yield when it is used up. The budget counts work and not time, so that every
//! run is the same. A budget never waits for an event.

use std::future::poll_fn;
use std::task::Poll;

use crate::panic::drop_safely;

/// Lets the runtime's other tasks run first.
///
/// Unlike `tokio::task::yield_now`, the task goes back to the run queue at once, where another
/// worker can steal it. Tokio's version hands the waker to the current worker, which wakes it only
/// when it has run out of tasks. If a task blocks that worker meanwhile, as a slow handler may,
/// this task would not run at all.
pub(crate) async fn give_way() {
    let mut gave_way = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut gave_way, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// The number of objects that a task reads, copies or frees before it yields. Each takes at most
/// some microseconds.
pub(crate) const TURN: usize = 64;

/// The cost of unpacking one object, in objects.
pub(crate) const UNPACKING: usize = 8;

/// The cost of freeing the memory of a part of a large table, in objects.
pub(crate) const PART: usize = 8;

/// The number of bytes that cost as much to decode as one object costs. A budget is then worth a
/// few pods, each of which takes 0.1 to 0.2 ms to decode. Yielding includes a poll of the network:
/// after each pod, it would cost a fifth of a first list's time.
const BYTES: usize = 16 * 1024 / TURN;

/// A budget of work between two yields. Its unit is one object that is read, copied or freed.
#[derive(Debug)]
pub(crate) struct YieldBudget {
    left: usize,
    budget: usize,
}

impl YieldBudget {
    /// Creates a budget of [`TURN`] objects between two yields.
    pub(crate) fn new() -> Self {
        Self { left: TURN, budget: TURN }
    }

    /// Creates a budget that never yields.
    pub(crate) fn unlimited() -> Self {
        Self { left: usize::MAX, budget: usize::MAX }
    }

    /// Charges the budget for decoding this many bytes. Follow it with [`pause`](Self::pause).
    pub(crate) fn charge_bytes(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes.div_ceil(BYTES));
    }

    /// Yields if the budget is used up.
    pub(crate) async fn pause(&mut self) {
        if self.left == 0 {
            self.left = self.budget;
            give_way().await;
        }
    }

    /// Yields if the budget is too small for this many objects, then charges it. Call it before the
    /// work.
    pub(crate) async fn spend(&mut self, objects: usize) {
        if self.left < objects {
            self.left = self.budget;
            give_way().await;
        }
        self.left = self.left.saturating_sub(objects);
    }

    /// Drops these values one by one, and yields in between. Each costs as much as this number of
    /// objects.
    pub(crate) async fn free<T>(&mut self, values: impl IntoIterator<Item = T>, objects: usize) {
        let mut values = values.into_iter();
        loop {
            self.spend(objects).await;
            let Some(value) = values.next() else { break };
            drop_safely(value);
        }
    }
}
