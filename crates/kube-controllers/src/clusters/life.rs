//! The life of one cluster: connect, join, and end or try again.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Client;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::cluster::Cluster;
use super::provider::ClusterConfig;
use super::status::{ClusterPhase, ClusterStatus};
use super::{ClustersState, Options};
use crate::basics::{Mutex, text};
use crate::controller::{BoxError, ControllerHandle};
use crate::leader_election::WorkScope;
use crate::lease::{DROP_TIMEOUT, ScopeOwner};
use kube_informer::error::chain;
use kube_informer::factory::SharedInformerFactory;
use kube_informer::seams::{SafeDrop, catch, catch_async, drop_safely};

/// The function that is called for each cluster that joins.
pub(crate) type Join =
    Arc<dyn Fn(Cluster) -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync>;

/// The longest time that making a client may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);

/// The delays after failures: the first one doubles until it reaches the last one.
const FIRST_DELAY: Duration = Duration::from_secs(1);
const LAST_DELAY: Duration = Duration::from_secs(60);

/// The time after which a cluster that had joined begins again with the first delay.
const HEALTHY: Duration = Duration::from_secs(120);

/// A cluster that the provider names, or one that is leaving.
pub(super) struct ClusterMember {
    name: Arc<str>,
    state: Mutex<MemberState>,
}

struct MemberState {
    phase: ClusterPhase,
    since: Instant,
    failures: u32,
    last_error: Option<Arc<str>>,
    cluster: Option<Cluster>,
}

impl ClusterMember {
    pub(super) fn new(name: Arc<str>) -> Self {
        let phase = ClusterPhase::Connecting;
        let state = MemberState {
            phase,
            since: Instant::now(),
            failures: 0,
            last_error: None,
            cluster: None,
        };
        Self { name, state: Mutex::new(state) }
    }

    /// Enters a phase. `cluster` is present while its informers live.
    fn enter(&self, phase: ClusterPhase, cluster: Option<Cluster>) {
        let mut state = self.state.lock();
        (state.phase, state.since) = (phase, Instant::now());
        let before = std::mem::replace(&mut state.cluster, cluster);
        drop(state);
        // It may be the last handle of what the user's functions captured.
        drop_safely(before);
    }

    pub(super) fn leave(&self) {
        let mut state = self.state.lock();
        if state.phase != ClusterPhase::Leaving {
            (state.phase, state.since) = (ClusterPhase::Leaving, Instant::now());
        }
    }

    pub(super) fn joined(&self) -> Option<Cluster> {
        let state = self.state.lock();
        state.cluster.clone().filter(|_| state.phase == ClusterPhase::Joined)
    }

    fn handles(&self) -> Vec<ControllerHandle> {
        let cluster = self.state.lock().cluster.clone();
        cluster.map(|cluster| cluster.controllers()).unwrap_or_default()
    }

    pub(super) fn status(&self) -> ClusterStatus {
        let controllers = self.handles().iter().map(ControllerHandle::status).collect();
        let state = self.state.lock();
        let cluster = state.cluster.clone();
        let mut status = ClusterStatus {
            name: self.name.clone(),
            phase: state.phase,
            phase_age: state.since.elapsed(),
            failures: state.failures,
            last_error: state.last_error.clone(),
            controllers,
            informers: Vec::new(),
        };
        drop(state);
        status.informers =
            cluster.map(|cluster| cluster.factory().status().informers).unwrap_or_default();
        status
    }
}

/// The life of a member. When it ends, even because its task was dropped, the member leaves the
/// clusters.
pub(super) struct Life {
    clusters: Arc<ClustersState>,
    pub(super) member: Arc<ClusterMember>,
}

impl Life {
    pub(super) fn new(clusters: &Arc<ClustersState>, name: &Arc<str>) -> Self {
        let member = Arc::new(ClusterMember::new(name.clone()));
        clusters.members.lock().insert(name.clone(), member.clone());
        Self { clusters: clusters.clone(), member }
    }

    /// Lives until `stop` is cancelled. What runs for the cluster is part of the scope `around`.
    pub(super) async fn live(
        self,
        config: ClusterConfig,
        stop: CancellationToken,
        around: WorkScope,
        join: Join,
    ) {
        let Options { grace, .. } = self.clusters.options;
        while !stop.is_cancelled() {
            self.member.enter(ClusterPhase::Connecting, None);
            let begun = Instant::now();
            let failed = match stop.run_until_cancelled(self.connect(&config)).await {
                None => return,
                Some(Ok((client, factory))) => {
                    let owner = ScopeOwner { name: self.member.name.clone(), key: None };
                    let scope = around.within(stop.child_token(), &[], owner);
                    let cluster = Cluster::new(self.member.name.clone(), client, factory, scope);
                    self.member.follow(cluster, &join, grace).await
                }
                Some(Err(error)) => Err(self.member.fail(error, begun)),
            };
            let Err(delay) = failed else { return };
            self.member.forget();
            stop.run_until_cancelled(sleep(delay)).await;
        }
    }

    /// Makes a client and a factory.
    async fn connect(
        &self,
        config: &ClusterConfig,
    ) -> Result<(Client, SharedInformerFactory), String> {
        let connecting = contain(|| config.connect());
        let client = match timeout(CONNECT_TIMEOUT, connecting).await {
            Ok(Ok(Ok(client))) => client,
            Ok(Ok(Err(error))) => return Err(told(error)),
            Ok(Err(message)) => return Err(format!("making a client panicked: {message}")),
            Err(_) => return Err(format!("making a client took longer than {CONNECT_TIMEOUT:?}")),
        };
        let options = self.clusters.options.factory.as_ref();
        let builder = SharedInformerFactory::builder(client.clone()).name(self.member.name.clone());
        let builder = match options {
            None => builder,
            Some(options) => catch(|| options(builder))
                .map_err(|message| format!("the options of the factory panicked: {message}"))?,
        };
        let ClustersState { decode_threads, reads, .. } = &*self.clusters;
        Ok((client, builder.sharing(decode_threads.clone(), reads.clone()).build()))
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        let mut members = self.clusters.members.lock();
        // A later run may have put another one in its place.
        let own = |member: &Arc<ClusterMember>| Arc::ptr_eq(member, &self.member);
        let left = members.get(&self.member.name).is_some_and(own);
        let left = if left { members.remove(&self.member.name) } else { None };
        drop(members);
        drop(left);
    }
}

impl ClusterMember {
    /// Runs the function for a cluster until it fails or the cluster leaves, and ends everything.
    /// Returns the delay before the next try if it failed.
    async fn follow(&self, cluster: Cluster, join: &Join, grace: Duration) -> Result<(), Duration> {
        let begun = Instant::now();
        self.enter(ClusterPhase::Joined, Some(cluster.clone()));
        let (scope, stop) = (cluster.scope().clone(), cluster.stop().clone());
        let (_stops, _drops) = scope.end_on_drop();
        let _ends = InformersEnd(cluster.factory().clone());
        let running = contain(|| join(cluster.clone()));
        let overdue = async {
            stop.cancelled().await;
            sleep(grace).await;
        };
        let ended = tokio::select! {
            biased;
            ended = running => ended,
            () = overdue => Ok(Ok(())),
        };
        let result = match ended {
            Ok(Ok(())) => {
                stop.cancelled().await;
                Ok(())
            }
            Ok(Err(error)) => Err(self.fail(told(error), begun)),
            Err(message) => Err(self.fail(format!("its function panicked: {message}"), begun)),
        };
        stop.cancel();
        // The function may have left work in other tasks, or code that blocks a thread.
        if timeout(grace, scope.wait_until_idle()).await.is_err() {
            scope.abort();
        }
        scope.wait_until_idle().await;
        if timeout(grace.max(DROP_TIMEOUT), cluster.factory().shutdown()).await.is_err() {
            tracing::warn!(cluster = &*self.name, "a handler blocks: it is left behind");
        }
        result
    }

    /// Logs and notes a failure. Returns the delay before the next try. `begun` is the time at
    /// which the cluster connected or joined.
    fn fail(&self, error: String, begun: Instant) -> Duration {
        let leaves = self.state.lock().phase == ClusterPhase::Leaving;
        let next = if leaves { "it leaves" } else { "it is tried again" };
        tracing::warn!(cluster = &*self.name, error, "a cluster failed: {next}");
        let mut state = self.state.lock();
        if state.phase != ClusterPhase::Leaving {
            (state.phase, state.since) = (ClusterPhase::Waiting, Instant::now());
        }
        let was_healthy = begun.elapsed() >= HEALTHY;
        state.failures = if was_healthy { 1 } else { state.failures.saturating_add(1) };
        state.last_error = Some(error.into());
        let doubled = FIRST_DELAY.saturating_mul(1 << (state.failures - 1).min(6)).min(LAST_DELAY);
        // At random, so that clusters that failed together do not come back together.
        doubled.mul_f64(1.0 + fastrand::f64())
    }

    /// Forgets a cluster whose informers have ended.
    fn forget(&self) {
        let cluster = self.state.lock().cluster.take();
        // It may be the last handle of what the user's functions captured.
        drop_safely(cluster);
    }
}

/// Stops the informers when it is dropped, even if the cluster's task was dropped.
struct InformersEnd(SharedInformerFactory);

impl Drop for InformersEnd {
    fn drop(&mut self) {
        // The first poll stops them.
        let _ended = self.0.shutdown().now_or_never();
    }
}

/// Returns the text of an error of user code, and drops the error.
fn told(error: BoxError) -> String {
    let text = text(|| chain(&*error));
    drop_safely(error);
    text
}

/// Runs a future of user code. The error is the message of its panic. It may also panic when it is
/// dropped, and what else runs for the cluster must end in order even then.
async fn contain<T>(make: impl FnOnce() -> BoxFuture<'static, T>) -> Result<T, String> {
    let mut running = SafeDrop::new(catch(make)?);
    match running.get_mut() {
        Some(running) => catch_async(running).await,
        // Nothing takes it out.
        None => pending().await,
    }
}
