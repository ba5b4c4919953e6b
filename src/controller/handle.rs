//! What stays of a controller while it runs elsewhere.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::board::Board;
use super::status::ControllerStatus;
use crate::object::ObjectKey;
use crate::workqueue::{Priority, WorkQueue};

/// A handle on a controller that runs elsewhere: to look at it, and to give it work. A cheap clone.
#[derive(Clone)]
pub struct ControllerHandle {
    pub(super) name: Arc<str>,
    pub(super) board: Arc<Board>,
    pub(super) queue: WorkQueue<ObjectKey>,
}

impl ControllerHandle {
    /// One look at everything.
    pub fn status(&self) -> ControllerStatus {
        self.board.read(&self.name, self.queue.status())
    }

    /// Brings those metrics up to date that grow with time; see [`WorkQueue::publish`].
    pub fn publish(&self) {
        self.queue.publish();
    }

    /// Queues a key ahead of live changes, for what no informer sees. A key in backoff or parked stays
    /// so, and keeps the higher priority.
    ///
    /// `false` when the controller has stopped.
    pub fn trigger(&self, key: ObjectKey) -> bool {
        self.queue.add_with(key, Priority::HIGH)
    }

    /// Queues a key after a delay. A key in backoff or parked stays so.
    ///
    /// `false` when the controller has stopped.
    pub fn trigger_after(&self, key: ObjectKey, delay: Duration) -> bool {
        self.queue.add_after(key, delay)
    }
}

impl fmt::Debug for ControllerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerHandle").field("name", &self.name).finish_non_exhaustive()
    }
}
