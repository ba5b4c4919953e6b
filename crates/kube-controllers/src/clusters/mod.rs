//! Clusters that join and leave at run time: a factory for each, and what runs on it.
//!
//! A [`ClusterProvider`] names the clusters. [`Clusters::run`] calls a function for each of them,
//! with a [`Cluster`]: its name, client and [factory](kube_informer::SharedInformerFactory). What
//! the function runs ends when the cluster leaves.
//!
//! ```no_run
//! use k8s_openapi::api::apps::v1::Deployment;
//! use kube_controllers::clusters::{Cluster, Clusters, KubeconfigSecrets};
//! use kube_controllers::controller::BoxError;
//! use kube_informer::SharedInformerFactory;
//! use kube_controllers::{Action, Controller, ReconcileRequest};
//! use tokio_util::sync::CancellationToken;
//!
//! async fn reconcile(request: ReconcileRequest<Deployment, Cluster>) -> kube::Result<Action> {
//!     println!("{} in {}", request.key, request.context.name());
//!     Ok(Action::done())
//! }
//!
//! async fn follow(cluster: Cluster) -> Result<(), BoxError> {
//!     let deployments = cluster.factory().informer::<Deployment>();
//!     let name = format!("count@{}", cluster.name());
//!     let controller = Controller::builder(name, &deployments).context(cluster.clone()).build();
//!     Ok(cluster.run(controller, reconcile).await?)
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), BoxError> {
//!     let hub = SharedInformerFactory::builder(kube::Client::try_default().await?).build();
//!     let secrets = KubeconfigSecrets::new(&hub, "fleet", "example.com/kubeconfig=true")?;
//!     let clusters = Clusters::builder(secrets).build();
//!     clusters.run(CancellationToken::new(), follow).await;
//!     Ok(())
//! }
//! ```
//!
//! # Each cluster on its own
//!
//! Each cluster has its own informers, queues, workers and retries, because a cluster that does not
//! answer must not hold up the others: its reconciles wait for answers, and would occupy the
//! workers of a queue that all share. A request's context carries the cluster.
//!
//! A client that cannot be made, or a function that fails or panics, affects only its own cluster.
//! The cluster is tried again with new informers, after 1 s at first, and a minute at most.
//!
//! The clusters share the threads that decode, a limit on the lists that are [read at a
//! time](ClustersBuilder::max_concurrent_lists), and one of 32 on the plug-ins for credentials that
//! run at a time.
//!
//! # Joining and leaving
//!
//! A cluster leaves when the provider no longer names it, and when its configuration has another
//! revision: it then joins again with a new client. [`Cluster::stop`] is cancelled, the function
//! gets the [grace](ClustersBuilder::grace), and the informers end. Code that blocks a thread in a
//! reconcile cannot be ended. The cluster is [leaving](ClusterPhase::Leaving) until it returns, and
//! does not join again before.
//!
//! # Several replicas
//!
//! With a [`Sharding`], each cluster is followed by one replica at a time: see
//! [`ClustersBuilder::sharded`]. With leader election of a manager, all clusters are followed by
//! the leader, and a standby follows none.

mod cluster;
mod contexts;
mod known;
mod kubeconfig;
mod life;
mod provider;
mod run;
mod secrets;
mod status;

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, TryFutureExt};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use self::cluster::Cluster;
pub use self::contexts::KubeconfigContexts;
use self::life::{ClusterMember, Join};
pub use self::provider::{ClusterConfig, ClusterProvider};
pub use self::secrets::KubeconfigSecrets;
pub use self::status::{ClusterPhase, ClusterStatus};
use crate::basics::Mutex;
use crate::controller::BoxError;
use crate::leader_election::WorkScope;
use crate::lease::closed_tracker;
use crate::sharding::Sharding;
use kube_informer::factory::SharedInformerFactoryBuilder;
use kube_informer::seams::{DecodeThreads, VecMap};

/// The number of lists that are read at a time, unless set.
const LISTS: usize = 32;

/// The time that a function gets to end, unless set.
const GRACE: Duration = Duration::from_secs(10);

/// The clusters that a provider names, and what runs for each. The [module](self) documentation
/// shows an example.
///
/// Clones share the clusters.
#[derive(Clone)]
pub struct Clusters(Arc<ClustersState>);

struct ClustersState {
    provider: Box<dyn ClusterProvider>,
    options: Options,
    decode_threads: Arc<DecodeThreads>,
    /// The permits to read a list.
    reads: Arc<Semaphore>,
    members: Mutex<VecMap<Arc<str>, Arc<ClusterMember>>>,
    /// One permit: only one call runs.
    run: Semaphore,
    /// Counts the work of all clusters.
    work: TaskTracker,
}

type FactoryOptions =
    Box<dyn Fn(SharedInformerFactoryBuilder) -> SharedInformerFactoryBuilder + Send + Sync>;

struct Options {
    factory: Option<FactoryOptions>,
    lists: usize,
    decode_threads: Option<NonZeroUsize>,
    grace: Duration,
    sharding: Option<Sharding>,
}

/// A builder of [`Clusters`].
///
/// ```no_run
/// use std::time::Duration;
/// use kube_controllers::clusters::{Clusters, KubeconfigContexts};
///
/// let clusters = Clusters::builder(KubeconfigContexts::from_file("clusters.yaml"))
///     .factory(|factory| factory.resync(Duration::from_secs(600)))
///     .grace(Duration::from_secs(5))
///     .build();
/// ```
#[must_use]
pub struct ClustersBuilder {
    provider: Box<dyn ClusterProvider>,
    options: Options,
}

impl Clusters {
    /// Returns a builder of the clusters that this provider names.
    pub fn builder(provider: impl ClusterProvider) -> ClustersBuilder {
        let options = Options {
            factory: None,
            lists: LISTS,
            decode_threads: None,
            grace: GRACE,
            sharding: None,
        };
        ClustersBuilder { provider: Box::new(provider), options }
    }

    /// Follows the clusters until `stop` is cancelled, and ends all that runs for them.
    ///
    /// Calls `join` for each cluster. A call that returns `Ok` leaves its informers running until
    /// the cluster leaves. One that returns an error or panics is logged, and called again after a
    /// delay. A second `run` waits until the first has ended, or until its own `stop`.
    ///
    /// Dropping the returned future drops what runs for the clusters at its next await. Code that
    /// blocks a thread goes on until it returns, and the next `run` waits for it.
    pub async fn run<F, Fut, E>(&self, stop: CancellationToken, join: F)
    where
        F: Fn(Cluster) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        self.run_in(WorkScope::new(stop), erase(join)).await;
    }

    /// Runs like [`run`](Self::run) within a scope, until its token is cancelled.
    pub(crate) async fn run_in(&self, scope: WorkScope, join: Join) {
        self.0.run(scope, join).boxed().await;
    }

    /// Returns the cluster of this name, if it has joined.
    pub fn get(&self, name: &str) -> Option<Cluster> {
        let member = self.0.members.lock().get(name).cloned()?;
        member.joined()
    }

    /// Returns the status of each cluster, sorted by name. A cluster that has left is not in it.
    pub fn status(&self) -> Vec<ClusterStatus> {
        self.members().iter().map(|member| member.status()).collect()
    }

    fn members(&self) -> Vec<Arc<ClusterMember>> {
        self.0.members.lock().values().cloned().collect()
    }

    /// Returns the membership of this replica, if several replicas divide the clusters.
    pub(crate) fn sharding(&self) -> Option<&Sharding> {
        self.0.options.sharding.as_ref()
    }
}

/// Erases the types of a function.
pub(crate) fn erase<F, Fut, E>(join: F) -> Join
where
    F: Fn(Cluster) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<(), E>> + Send + 'static,
    E: Into<BoxError> + 'static,
{
    Arc::new(move |cluster| join(cluster).map_err(E::into).boxed())
}

impl ClustersBuilder {
    /// Sets options of each cluster's factory. The factory has the cluster's name unless set here,
    /// and its own limit on [concurrent lists](SharedInformerFactoryBuilder::max_concurrent_lists).
    ///
    /// ```
    /// use std::time::Duration;
    /// # use kube_controllers::clusters::{Clusters, ClusterProvider};
    ///
    /// # fn f(provider: impl ClusterProvider) {
    /// let clusters = Clusters::builder(provider)
    ///     .factory(|factory| factory.resync(Duration::from_secs(600)))
    ///     .build();
    /// # }
    /// ```
    pub fn factory(
        mut self,
        options: impl Fn(SharedInformerFactoryBuilder) -> SharedInformerFactoryBuilder
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.options.factory = Some(Box::new(options));
        self
    }

    /// Sets the number of lists of all clusters that are read at a time. 32 unless set; at least
    /// one. A list counts from the first byte of its answer, and while the answer pauses for less
    /// than a second. So clusters that do not answer hold up no other.
    pub fn max_concurrent_lists(mut self, lists: usize) -> Self {
        self.options.lists = lists;
        self
    }

    /// Sets the largest number of threads that decode objects, for all clusters. See
    /// [`SharedInformerFactoryBuilder::decode_threads`].
    pub fn decode_threads(mut self, threads: NonZeroUsize) -> Self {
        self.options.decode_threads = Some(threads);
        self
    }

    /// Sets the time that a cluster's function gets to end. 10 s unless set.
    pub fn grace(mut self, limit: Duration) -> Self {
        self.options.grace = limit;
        self
    }

    /// Divides the clusters among the replicas of a group, by their names. The membership must
    /// [run](Sharding::run), too.
    ///
    /// A cluster joins on the replica that holds the slot of its name. The slot is given back when
    /// everything that [`Cluster::run`] runs has ended, so no two replicas reconcile a key of one
    /// cluster at a time. The guarantee has [limits](crate::sharding#limits). Work beside
    /// `Cluster::run` counts if the function's future contains it.
    ///
    /// Only the Leases are in the hub: the clusters need no permission for them.
    pub fn sharded(mut self, sharding: &Sharding) -> Self {
        self.options.sharding = Some(sharding.clone());
        self
    }

    /// Builds the clusters. This makes no request.
    pub fn build(self) -> Clusters {
        let Self { provider, options } = self;
        let reads = options.lists.clamp(1, Semaphore::MAX_PERMITS);
        let state = ClustersState {
            provider,
            decode_threads: Arc::new(DecodeThreads::new(options.decode_threads)),
            reads: Arc::new(Semaphore::new(reads)),
            options,
            members: Mutex::default(),
            run: Semaphore::new(1),
            work: closed_tracker(),
        };
        Clusters(Arc::new(state))
    }
}

impl fmt::Debug for Clusters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.members.lock().keys().cloned().collect();
        f.debug_tuple("Clusters").field(&names).finish()
    }
}

impl fmt::Debug for ClustersBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClustersBuilder").finish_non_exhaustive()
    }
}
