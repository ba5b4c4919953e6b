//! The clusters that a manager's tasks follow.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ManagerBuilder;
use crate::clusters::{Cluster, ClusterStatus, Clusters, erase};
use crate::controller::BoxError;
use crate::sharding::Sharding;
use kube_informer::seams::VecMap;

/// The clusters that tasks follow, by the task's name.
#[derive(Clone, Default)]
pub(super) struct FollowedClusters(VecMap<Arc<str>, Clusters>);

impl FollowedClusters {
    pub(super) fn shardings(&self) -> impl Iterator<Item = Sharding> {
        self.0.values().filter_map(Clusters::sharding).cloned()
    }

    pub(super) fn status(&self) -> BTreeMap<Arc<str>, Vec<ClusterStatus>> {
        self.0.iter().map(|(name, clusters)| (name.clone(), clusters.status())).collect()
    }
}

impl ManagerBuilder {
    /// Follows clusters as a [task](Self::task_while_leading) of this name, and calls `join` for
    /// each: see [`Clusters::run`]. [Sharded](crate::clusters::ClustersBuilder::sharded) clusters
    /// are followed on every replica.
    ///
    /// The status has each cluster, with its controllers and informers. `/readyz?verbose` names
    /// each as `cluster/NAME/CLUSTER`, and what it waits for. A cluster that fails makes no probe
    /// fail.
    pub fn clusters<F, Fut, E>(
        mut self,
        name: impl Into<Arc<str>>,
        clusters: &Clusters,
        join: F,
    ) -> Self
    where
        F: Fn(Cluster) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let (name, join, clusters) = (name.into(), erase(join), clusters.clone());
        let is_sharded = clusters.sharding().is_some();
        self.parts.clusters.0.insert(name.clone(), clusters.clone());
        let run = move |scope| {
            let (clusters, join) = (clusters.clone(), join.clone());
            async move {
                clusters.run_in(scope, join).await;
                Ok::<_, BoxError>(())
            }
        };
        if is_sharded {
            self.task_on_every_replica(name, run)
        } else {
            self.task_while_leading(name, run)
        }
    }
}
