//! Lets the runtime's other tasks have their turn in the middle of long work.
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

/// How much is done in one turn: so many objects looked at, copied or freed, each of which takes
/// some microseconds at the most.
pub(crate) const TURN: usize = 64;

/// The budget of one piece of work.
#[derive(Debug)]
pub(crate) struct Turns {
    left: usize,
    budget: usize,
}

impl Turns {
    /// Turns of [`TURN`] units.
    pub(crate) fn new() -> Self {
        Self { left: TURN, budget: TURN }
    }

    /// One turn that never ends: for who does not wait.
    pub(crate) fn endless() -> Self {
        Self { left: usize::MAX, budget: usize::MAX }
    }

    /// To be called before so much is done; gives way where the budget is used up.
    pub(crate) async fn spend(&mut self, units: usize) {
        if self.left < units {
            self.left = self.budget;
            give_way().await;
        }
        self.left = self.left.saturating_sub(units);
    }
}
