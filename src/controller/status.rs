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
    /// How often a key was put off because its own writes were not in the cache yet.
    pub behind: u64,
    /// How often a predicate panicked. Each time the change passed.
    pub predicate_panics: u64,
    /// How often a mapping function panicked. The keys that it would have given for that one state are
    /// not known.
    pub mapping_panics: u64,
    /// How often a worker or another task of the controller ended unexpectedly and was started again.
    pub restarts: u64,
    /// The informers that have not synced while the controller works. Keys in their namespaces wait.
    pub missing: Vec<Arc<str>>,
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
