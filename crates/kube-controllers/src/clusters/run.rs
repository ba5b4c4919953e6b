//! The loop that lets clusters join and leave.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::pending;
use tokio::sync::{AcquireError, SemaphorePermit, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::ClustersState;
use super::life::{ClusterMember, Join, Life};
use super::provider::{ClusterConfig, Provided};
use crate::leader_election::WorkScope;
use crate::lease::{DROP_TIMEOUT, ScopeOwner};
use crate::sharding::{Sharding, ShardingStatus};
use crate::tasks::LabelledTasks;
use kube_informer::object::ring_hash;
use kube_informer::seams::{VecMap, YieldBudget};

/// The period of the check of slots, beside the changes that are told.
const PERIOD: Duration = Duration::from_secs(1);

/// A cluster whose life has not ended.
struct Present {
    revision: Arc<str>,
    member: Arc<ClusterMember>,
    stop: CancellationToken,
}

impl ClustersState {
    /// Follows the provider until the scope's token is cancelled, and waits for the end of all.
    pub(super) async fn run(self: &Arc<Self>, scope: WorkScope, join: Join) {
        let alone = scope.token().run_until_cancelled(self.wait_for_earlier_run()).await;
        let Some(_one) = alone else { return };
        let mut tasks = LabelledTasks::default();
        let mut present: VecMap<Arc<str>, Present> = VecMap::default();
        let mut wanted: BTreeMap<Arc<str>, ClusterConfig> = BTreeMap::new();
        let mut slots = self.options.sharding.as_ref().map(Sharding::watch_status);
        let mut provided = Provided::of(&*self.provider);
        let mut budget = YieldBudget::new();
        loop {
            let stopping = scope.token().is_cancelled();
            for (name, cluster) in present.iter() {
                let same = |config: &ClusterConfig| config.revision == cluster.revision;
                let stays = !stopping && wanted.get(name).is_some_and(same);
                if !stays {
                    cluster.stop.cancel();
                }
                // A slot that is given back cancels it, too.
                if cluster.stop.is_cancelled() {
                    cluster.member.leave();
                }
            }
            if stopping && present.is_empty() {
                return;
            }
            for (name, config) in wanted.iter().filter(|_| !stopping) {
                if present.contains_key(name) {
                    continue;
                }
                let Some(around) = self.scope_of(name, &scope) else { continue };
                let owner = ScopeOwner { name: name.clone(), key: None };
                let work = [self.work.clone()];
                let around = around.within(around.token().clone(), &work, owner);
                let (stop, revision) = (around.token().child_token(), config.revision.clone());
                let life = Life::new(self, name);
                let member = life.member.clone();
                let living = life.live(config.clone(), stop.clone(), around.clone(), join.clone());
                tasks.spawn(name.clone(), around.track(living).map(|_| ()).boxed());
                present.insert(name.clone(), Present { revision, member, stop });
            }
            tokio::select! {
                biased;
                () = scope.token().cancelled(), if !stopping => {}
                Some((name, ended)) = tasks.next() => {
                    if let Err(message) = ended {
                        tracing::error!(message, "the task of a cluster panicked");
                    }
                    present.remove(&name);
                }
                next = provided.next(), if !stopping => {
                    wanted = next;
                    // The provider may always be ready.
                    budget.give_way().await;
                }
                () = slots_changed(slots.as_mut()), if !stopping => {}
            }
        }
    }

    /// Waits until no earlier run goes on. A run that was dropped may have left code that blocks a
    /// thread.
    async fn wait_for_earlier_run(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        let mut alone = pin!(async {
            // The semaphore is never closed.
            let one = self.run.acquire().await;
            self.work.wait().await;
            one
        });
        match timeout(DROP_TIMEOUT, &mut alone).await {
            Ok(one) => one,
            Err(_late) => {
                tracing::warn!(
                    "no cluster joins before an earlier run of these clusters has ended; code of \
                     it may block a thread"
                );
                alone.await
            }
        }
    }

    /// Returns the scope in which a cluster may join on this replica.
    fn scope_of(&self, name: &str, all: &WorkScope) -> Option<WorkScope> {
        match &self.options.sharding {
            None => Some(all.clone()),
            Some(sharding) => sharding.scope(place_of(name)).filter(WorkScope::may_begin),
        }
    }
}

/// Returns the place of a cluster's name on the ring. Names that differ only in their last
/// characters are spread, too.
fn place_of(name: &str) -> u64 {
    // The finalizer of SplitMix64.
    let mut hash = ring_hash(name);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// Waits until other slots may be held.
async fn slots_changed(slots: Option<&mut watch::Receiver<ShardingStatus>>) {
    match slots {
        Some(slots) => drop(timeout(PERIOD, slots.changed()).await),
        None => pending().await,
    }
}
