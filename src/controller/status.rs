//! What a controller did and does, and a handle to ask it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::board::Board;
use super::error::LastFailure;
use crate::leader_election::LeadershipState;
use crate::object::ObjectKey;
use crate::workqueue::{Priority, WorkQueue, WorkQueueStatus};

/// One look at a controller.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct ControllerStatus {
    /// Its name.
    pub name: Arc<str>,
    /// What it is doing.
    pub phase: Phase,
    /// How many reconciles ended well, whatever is to come after.
    pub succeeded: u64,
    /// How many failed, those below included.
    pub failed: u64,
    /// How many took too long.
    pub timed_out: u64,
    /// How many panicked.
    pub panicked: u64,
    /// How often a reconcile was put off because an own write was not to be seen yet.
    pub behind: u64,
    /// What is reconciled now.
    pub reconciling: Vec<String>,
    /// Who leads, where it runs on leader election.
    pub leadership: Option<LeadershipState>,
    /// The last failure.
    pub last_failure: Option<LastFailure>,
    /// Its queue.
    pub queue: WorkQueueStatus,
}

/// What a controller is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Phase {
    /// It was not run yet.
    Idle,
    /// It waits until its informers have synced.
    Syncing,
    /// It waits to become the leader.
    Standby,
    /// It reconciles.
    Working,
    /// It has ended.
    Stopped,
}

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

    /// Has a key reconciled, ahead of live changes: for what no informer sees.
    ///
    /// `false` when the controller has stopped.
    pub fn trigger(&self, key: ObjectKey) -> bool {
        self.queue.add_with(key, Priority::HIGH)
    }

    /// Has a key reconciled after a delay.
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
