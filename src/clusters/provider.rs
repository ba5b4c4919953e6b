//! The provider of clusters, and the configuration of one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use kube::Client;

use crate::controller::BoxError;

/// A source of clusters that join and leave.
///
/// [`KubeconfigContexts`](super::KubeconfigContexts) and
/// [`KubeconfigSecrets`](super::KubeconfigSecrets) are two. A provider of your own, whose clusters
/// a channel holds:
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::Arc;
/// use futures::StreamExt;
/// use futures::stream::{self, BoxStream};
/// use kube_informer::clusters::{ClusterConfig, ClusterProvider};
/// use tokio::sync::watch;
///
/// type Configs = BTreeMap<Arc<str>, ClusterConfig>;
///
/// struct Fleet(watch::Receiver<Configs>);
///
/// impl ClusterProvider for Fleet {
///     fn clusters(&self) -> BoxStream<'static, Configs> {
///         let mut fleet = self.0.clone();
///         fleet.mark_changed();
///         let next = |mut fleet: watch::Receiver<Configs>| async move {
///             fleet.changed().await.ok()?;
///             let now = fleet.borrow_and_update().clone();
///             Some((now, fleet))
///         };
///         stream::unfold(fleet, next).boxed()
///     }
/// }
/// ```
pub trait ClusterProvider: Send + Sync + 'static {
    /// Returns all clusters by name, and again all of them after each change. Called once for each
    /// [run](super::Clusters::run).
    ///
    /// A cluster that an item lacks leaves. After the end of the stream, the last item stays valid.
    fn clusters(&self) -> BoxStream<'static, BTreeMap<Arc<str>, ClusterConfig>>;
}

/// The configuration of a cluster: a function that makes its client, and a revision.
///
/// ```no_run
/// use kube::{Client, Config};
/// use kube_informer::clusters::ClusterConfig;
///
/// let config = ClusterConfig::new("1", || async {
///     let mut config = Config::incluster()?;
///     config.default_retry = false;
///     Ok(Client::try_from(config)?)
/// });
/// ```
#[derive(Clone)]
pub struct ClusterConfig {
    pub(super) revision: Arc<str>,
    pub(super) connect: Connect,
}

type Connect = Arc<dyn Fn() -> BoxFuture<'static, Result<Client, BoxError>> + Send + Sync>;

impl ClusterConfig {
    /// Creates a configuration. The cluster joins again when its revision differs.
    ///
    /// `connect` is called when the cluster joins, and after each failure. A call that takes longer
    /// than a minute or panics counts as failed. Its error is logged and shown in the status, so it
    /// may not contain credentials.
    pub fn new<F, Fut>(revision: impl Into<Arc<str>>, connect: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Client, BoxError>> + Send + 'static,
    {
        let connect = Arc::new(move || connect().boxed());
        Self { revision: revision.into(), connect }
    }

    /// Creates a configuration of a cluster whose client exists.
    pub fn of_client(client: Client) -> Self {
        Self::new("", move || std::future::ready(Ok(client.clone())))
    }
}

impl fmt::Debug for ClusterConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterConfig").field("revision", &self.revision).finish_non_exhaustive()
    }
}
