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
    /// Number of reconciles that failed, timeouts and panics included.
    pub failed: u64,
    /// How many took too long.
    pub timed_out: u64,
    /// How many panicked.
    pub panicked: u64,
    /// Number of times a key was put off because its own writes were not in the cache yet. Only a wait
    /// of 10 s counts as a failure, too.
    pub behind: u64,
    /// Number of predicates that panicked. Each time the change passed.
    pub predicate_panics: u64,
    /// Number of mapping functions that panicked. The keys that such a call would have given for that
    /// one state are not known.
    pub mapping_panics: u64,
    /// Number of workers and other tasks that ended unexpectedly. Each was started again.
    pub restarts: u64,
    /// The informers that have not synced while the controller works. Keys of their namespaces wait; a
    /// missing informer of all namespaces holds every key.
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
