//! Lets the runtime's other tasks run in the middle of long work.
//!
//! A task that never waits holds its thread for as long as it works. Long loops spend from a budget
//! here and give way when it is used up: by what was done, not by the clock, so that a run is the
//! same every time. It never waits for anything.

use std::future::poll_fn;
use std::task::Poll;

/// Lets the runtime's other tasks run first.
///
/// Unlike `tokio::task::yield_now`, the task goes straight back to the run queue, where another worker
/// can steal it. Tokio's version hands the waker to the present worker, which wakes it only when it has
/// run out of tasks: a task that blocks that worker meanwhile, such as a slow handler's, would keep
/// this one from running at all.
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

/// How many objects are looked at, copied or freed before a task gives way. Each takes some
/// microseconds at the most.
pub(crate) const TURN: usize = 64;

/// How many objects one costs that is unpacked on the way.
pub(crate) const UNPACKING: usize = 8;

/// How many bytes cost as much to decode as an object costs. A turn is a few pods, each of which takes
/// a tenth of a millisecond or two to decode. A pause costs a look at the network, so one after each
/// pod would cost a fifth of a first list's time.
const BYTES: usize = 16 * 1024 / TURN;

/// The budget of one piece of work. Its unit is one object that is looked at, copied or freed.
#[derive(Debug)]
pub(crate) struct YieldBudget {
    left: usize,
    budget: usize,
}

impl YieldBudget {
    /// A budget of [`TURN`] objects between two yields.
    pub(crate) fn new() -> Self {
        Self { left: TURN, budget: TURN }
    }

    /// A budget that never yields.
    pub(crate) fn unlimited() -> Self {
        Self { left: usize::MAX, budget: usize::MAX }
    }

    /// Takes from the budget for so many bytes that are decoded. Follow it with
    /// [`pause`](Self::pause).
    pub(crate) fn charge_bytes(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes.div_ceil(BYTES));
    }

    /// Gives way where the budget is used up.
    pub(crate) async fn pause(&mut self) {
        if self.left == 0 {
            self.left = self.budget;
            give_way().await;
        }
    }

    /// Gives way where the budget does not last for so many objects. Call it before the work.
    pub(crate) async fn spend(&mut self, objects: usize) {
        if self.left < objects {
            self.left = self.budget;
            give_way().await;
        }
        self.left = self.left.saturating_sub(objects);
    }
}
