//! What a controller did and does.

use std::sync::Arc;

use super::error::LastFailure;
use crate::leader_election::LeadershipState;
use crate::workqueue::WorkQueueStatus;

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
