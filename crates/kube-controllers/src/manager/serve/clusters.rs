//! The lines of clusters in `/readyz`.

use super::health::{CheckResult, progress};
use crate::clusters::{ClusterPhase, ClusterStatus};
use crate::manager::ManagerStatus;

/// Returns a check for each cluster. None of them fails.
pub(super) fn checks(status: &ManagerStatus) -> impl Iterator<Item = CheckResult> {
    let clusters = status.clusters.iter();
    let clusters =
        clusters.flat_map(|(task, clusters)| clusters.iter().map(move |one| (task, one)));
    clusters.map(|(task, cluster)| {
        let name = format!("cluster/{task}/{}", cluster.name);
        CheckResult { waits: waits(cluster), ..CheckResult::new(name, None) }
    })
}

/// Describes what a cluster waits for. Another cluster's readiness must not depend on it.
fn waits(cluster: &ClusterStatus) -> Option<String> {
    let doing = match cluster.phase {
        ClusterPhase::Connecting => "connects".to_owned(),
        ClusterPhase::Waiting => "is tried again".to_owned(),
        ClusterPhase::Leaving => "is leaving".to_owned(),
        ClusterPhase::Joined => {
            let informers = cluster.informers.iter().filter(|informer| !informer.synced);
            let waiting: Vec<_> = informers
                .map(|informer| format!("{}: {}", informer.collection, progress(informer)))
                .collect();
            if waiting.is_empty() {
                return None;
            }
            format!("waits for {}", waiting.join(", "))
        }
    };
    match &cluster.last_error {
        Some(error) => Some(format!("{doing}; it failed {} times: {error}", cluster.failures)),
        None => Some(doing),
    }
}
