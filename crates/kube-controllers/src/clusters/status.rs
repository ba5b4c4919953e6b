//! The status of a cluster.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::basics::seconds;
use crate::controller::ControllerStatus;
use kube_informer::informer::InformerStatus;

/// The state of a cluster at one moment. It never contains credentials or the contents of objects.
///
/// ```
/// use kube_controllers::clusters::{ClusterPhase, ClusterStatus};
///
/// fn line(cluster: &ClusterStatus) -> String {
///     let reason = cluster.last_error.as_deref().unwrap_or("no failure");
///     match cluster.phase {
///         ClusterPhase::Joined if cluster.synced() => format!("{}: works", cluster.name),
///         phase => format!("{}: {phase:?}, {reason}", cluster.name),
///     }
/// }
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ClusterStatus {
    /// The name that the provider gave.
    pub name: Arc<str>,
    /// The current phase of its life.
    pub phase: ClusterPhase,
    /// The time since it entered this phase.
    #[serde(with = "seconds")]
    pub phase_age: Duration,
    /// The number of failures in a row.
    pub failures: u32,
    /// The last failure: of the client, or of the function that runs for the cluster.
    pub last_error: Option<Arc<str>>,
    /// The status of each controller that [runs](super::Cluster::run) for it.
    pub controllers: Vec<ControllerStatus>,
    /// The status of its factory's informers.
    pub informers: Vec<InformerStatus>,
}

impl ClusterStatus {
    /// Returns whether all its informers have synced, apart from members of sets and those whose
    /// kind is not served. True if there are none.
    pub fn synced(&self) -> bool {
        self.informers
            .iter()
            .filter(|informer| informer.is_awaited())
            .all(|informer| informer.synced)
    }
}

/// The phases in the life of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClusterPhase {
    /// Its client is made.
    Connecting,
    /// Its function runs, or has returned `Ok`. Its informers may not have synced.
    Joined,
    /// It has failed. It is tried again when all that ran for it has ended, and after a delay.
    Waiting,
    /// All that runs for it is ending.
    Leaving,
}
