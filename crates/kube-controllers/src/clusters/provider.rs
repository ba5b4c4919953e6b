//! The provider of clusters, and the configuration of one.

use std::collections::BTreeMap;
use std::fmt;
use std::future::{pending, ready};
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use kube::Client;

use crate::controller::BoxError;
use kube_informer::seams::{SafeDrop, catch, catch_async};

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
/// use kube_controllers::clusters::{ClusterConfig, ClusterProvider};
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
    /// The end is logged, and so is a panic, which counts as the end.
    fn clusters(&self) -> BoxStream<'static, BTreeMap<Arc<str>, ClusterConfig>>;
}

/// The configuration of a cluster: a function that makes its client, and a revision.
///
/// ```no_run
/// use kube::{Client, Config};
/// use kube_controllers::clusters::ClusterConfig;
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
    /// The values that the user's function captured may panic when they are dropped.
    connect: Arc<SafeDrop<Connect>>,
}

type Connect = Box<dyn Fn() -> Connecting + Send + Sync>;

pub(super) type Connecting = BoxFuture<'static, Result<Client, BoxError>>;

impl ClusterConfig {
    /// Creates a configuration. The cluster joins again when its revision differs.
    ///
    /// `connect` is called when the cluster joins, and after each failure. A call that takes longer
    /// than a minute or panics counts as failed. Its error is logged and shown in the status, so it
    /// may not contain credentials.
    ///
    /// [`Client::try_from`] runs a credential plug-in on the thread that calls it. If one may take
    /// long, call it in `tokio::task::spawn_blocking`, so that other clusters go on.
    pub fn new<F, Fut>(revision: impl Into<Arc<str>>, connect: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Client, BoxError>> + Send + 'static,
    {
        let connect: Connect = Box::new(move || connect().boxed());
        Self { revision: revision.into(), connect: Arc::new(SafeDrop::new(connect)) }
    }

    /// Calls the function.
    pub(super) fn connect(&self) -> Connecting {
        match self.connect.get() {
            Some(connect) => connect(),
            // Nothing takes it out.
            None => ready(Err("the configuration was dropped".into())).boxed(),
        }
    }

    /// Creates a configuration of a cluster whose client exists. Another client under the same name
    /// needs another revision.
    pub fn of_client(revision: impl Into<Arc<str>>, client: Client) -> Self {
        Self::new(revision, move || ready(Ok(client.clone())))
    }
}

impl fmt::Debug for ClusterConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterConfig").field("revision", &self.revision).finish_non_exhaustive()
    }
}

/// The clusters that a provider names, as they change. Its code may panic.
pub(super) struct Provided(Option<SafeDrop<Items>>);

type Items = BoxStream<'static, BTreeMap<Arc<str>, ClusterConfig>>;

impl Provided {
    pub(super) fn of(provider: &dyn ClusterProvider) -> Self {
        match catch(|| provider.clusters()) {
            Ok(items) => Self(Some(SafeDrop::new(items))),
            Err(message) => {
                tell_panic(&message);
                Self(None)
            }
        }
    }

    /// Waits for other clusters. Logs the end of the stream, and does not return after it. Cancel
    /// safe.
    pub(super) async fn next(&mut self) -> BTreeMap<Arc<str>, ClusterConfig> {
        if let Some(items) = self.0.as_mut().and_then(SafeDrop::get_mut) {
            match catch_async(items.next()).await {
                Ok(Some(clusters)) => return clusters,
                Ok(None) => tracing::info!(
                    "the provider of clusters has ended: no further cluster joins or leaves"
                ),
                Err(message) => tell_panic(&message),
            }
            self.0 = None;
        }
        pending().await
    }
}

fn tell_panic(message: &str) {
    tracing::error!(
        message,
        "the provider of clusters panicked: no further cluster joins or leaves"
    );
}
