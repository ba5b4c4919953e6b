//! Clusters of a kubeconfig's contexts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt, TryFutureExt};
use kube::config::{
    Context, Kubeconfig, KubeconfigError, NamedAuthInfo, NamedCluster, NamedContext,
};
use serde_json::Value;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::known::Known;
use super::kubeconfig::ContextClient;
use super::provider::{ClusterConfig, ClusterProvider};
use crate::client::renewing_client;
use crate::error::chain;

/// The period after which the kubeconfig is read again.
const PERIOD: Duration = Duration::from_secs(10);

/// The time after which a change is read again. A file is not written at once.
const SETTLE: Duration = Duration::from_secs(1);

/// A cluster for each context of a kubeconfig.
///
/// The file is read again every 10 s, and a change once more after a second, because a file is not
/// written at once. A context that was added joins, one whose cluster, user or namespace changed
/// joins again, and one that was removed leaves. Other changes concern no cluster. Of equal names,
/// the first counts. While the file is empty or cannot be read, the clusters stay as they are, and
/// a warning is logged.
///
/// Credential plug-ins that the file names are run, at most 32 at a time and one for each context.
/// One that hangs holds up no other context, unless 32 do, and keeps its thread until it ends.
/// Clients with credentials that expire [renew themselves](crate::client). Neither errors nor the
/// log quote credentials, such as the output of a plug-in.
///
/// ```no_run
/// use kube_informer::clusters::{Clusters, KubeconfigContexts};
///
/// let clusters = Clusters::builder(KubeconfigContexts::from_file("clusters.yaml")).build();
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct KubeconfigContexts {
    /// `None`: the files of `KUBECONFIG`, or else the default file.
    path: Option<PathBuf>,
}

impl KubeconfigContexts {
    /// Reads the kubeconfig that kubectl uses: the files of `KUBECONFIG`, or `~/.kube/config`.
    pub fn infer() -> Self {
        Self { path: None }
    }

    /// Reads one file.
    pub fn from_file(path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()) }
    }
}

/// The part of a kubeconfig that a context selects.
#[derive(Clone)]
struct Parts {
    kubeconfig: Kubeconfig,
    /// The same as one value that can be compared.
    value: Value,
}

impl PartialEq for Parts {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// The state of one stream.
#[derive(Default)]
struct Reader {
    path: Option<PathBuf>,
    known: Known<Parts>,
    /// The last reading. `None` before the first.
    last: Option<Value>,
}

impl ClusterProvider for KubeconfigContexts {
    fn clusters(&self) -> BoxStream<'static, BTreeMap<Arc<str>, ClusterConfig>> {
        let reader = Reader { path: self.path.clone(), ..Reader::default() };
        stream::unfold(reader, |mut reader| async move { Some((reader.next().await, reader)) })
            .boxed()
    }
}

impl Reader {
    /// Waits for other clusters.
    async fn next(&mut self) -> BTreeMap<Arc<str>, ClusterConfig> {
        if self.last.is_some() {
            sleep(PERIOD).await;
        }
        loop {
            let path = self.path.clone();
            let reading = spawn_blocking(move || match path {
                Some(path) => Kubeconfig::read_from(path),
                None => Kubeconfig::read(),
            });
            let mut pause = PERIOD;
            match reading.await {
                Ok(Ok(kubeconfig)) if is_empty(&kubeconfig) => {
                    tracing::warn!("the kubeconfig is empty: the clusters stay as they are");
                }
                Ok(Ok(kubeconfig)) => {
                    let reading = serde_json::to_value(&kubeconfig).unwrap_or_default();
                    let before = self.last.replace(reading);
                    if before.is_none() || before == self.last {
                        if let Some(found) = self.look(&kubeconfig) {
                            return found;
                        }
                    } else {
                        pause = SETTLE;
                    }
                }
                Ok(Err(error)) => warn(&error),
                // The runtime ends, or `KUBECONFIG` has a byte that no path can have.
                Err(_) => tracing::warn!("the kubeconfig cannot be read"),
            }
            sleep(pause).await;
        }
    }

    /// Returns the clusters if they differ from those before.
    fn look(&mut self, kubeconfig: &Kubeconfig) -> Option<BTreeMap<Arc<str>, ClusterConfig>> {
        let names = kubeconfig.contexts.iter().map(|context| &context.name);
        self.known.update(names.map(|name| (name, parts_of(kubeconfig, name))), config)
    }
}

/// Returns whether a file has nothing of a kubeconfig, because it is just being written.
fn is_empty(read: &Kubeconfig) -> bool {
    let Kubeconfig { clusters, auth_infos, contexts, kind, api_version, .. } = read;
    clusters.is_empty()
        && auth_infos.is_empty()
        && contexts.is_empty()
        && kind.is_none()
        && api_version.is_none()
}

/// Returns all of the kubeconfig that a context selects. Of equal names, the first counts.
fn parts_of(kubeconfig: &Kubeconfig, name: &str) -> Parts {
    let context = kubeconfig.contexts.iter().find(|context| context.name == name);
    let context = context.and_then(|context| context.context.clone());
    // Tools note the time of their last run in extensions.
    let context = context.map(|Context { cluster, user, namespace, .. }| Context {
        cluster,
        user,
        namespace,
        ..Context::default()
    });
    let (cluster, user) =
        context.clone().map(|context| (context.cluster, context.user)).unwrap_or_default();
    let is_cluster = |other: &&NamedCluster| other.name == cluster;
    let is_user = |other: &&NamedAuthInfo| Some(&other.name) == user.as_ref();
    let cluster = kubeconfig.clusters.iter().find(is_cluster).cloned();
    let user = kubeconfig.auth_infos.iter().find(is_user).cloned();
    let kubeconfig = Kubeconfig {
        contexts: vec![NamedContext { name: name.to_owned(), context, ..NamedContext::default() }],
        clusters: cluster
            .map(|NamedCluster { name, cluster, .. }| NamedCluster {
                name,
                cluster,
                ..NamedCluster::default()
            })
            .into_iter()
            .collect(),
        auth_infos: user
            .map(|NamedAuthInfo { name, auth_info, .. }| NamedAuthInfo {
                name,
                auth_info,
                ..NamedAuthInfo::default()
            })
            .into_iter()
            .collect(),
        ..Kubeconfig::default()
    };
    let value = serde_json::to_value(&kubeconfig).unwrap_or_default();
    Parts { kubeconfig, value }
}

fn config(revision: Arc<str>, parts: Parts) -> ClusterConfig {
    let make = ContextClient::new(parts.kubeconfig);
    ClusterConfig::new(revision, move || {
        let make = make.clone();
        renewing_client(move || make.clone().make()).map_err(Into::into).boxed()
    })
}

/// Logs why the kubeconfig was not read. The text of a parser may quote it.
fn warn(error: &KubeconfigError) {
    let error = chain(error);
    tracing::warn!(error, "the kubeconfig cannot be read");
}
