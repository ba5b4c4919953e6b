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
use kube_informer::client::renewing_client;
use kube_informer::error::chain;

/// The period after which the kubeconfig is read again.
const PERIOD: Duration = Duration::from_secs(10);

/// The time after which a change is read again. A file is not written at once.
const SETTLE: Duration = Duration::from_secs(1);

/// A cluster for each context of a kubeconfig.
///
/// The file is read again every 10 s, and a changed one once more after a second, because a file is
/// not written at once. A context that was added joins, one whose cluster, user or namespace
/// changed joins again, and one that was removed leaves. Other changes concern no cluster. Of equal
/// names, the first counts. While the file is empty or cannot be read, the clusters stay as they
/// are, and a warning is logged.
///
/// Credential plug-ins that the file names are run, at most 32 at a time and one for each context.
/// One that hangs holds up no other context, unless 32 do, and keeps its thread until it ends.
/// Clients with credentials that expire [renew themselves](kube_informer::client). Neither errors
/// nor the log quote credentials, such as the output of a plug-in.
///
/// ```no_run
/// use kube_controllers::clusters::{Clusters, KubeconfigContexts};
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

/// The part of a kubeconfig that a context selects. Clones are cheap.
#[derive(Clone)]
struct Parts(Arc<(Kubeconfig, Value)>);

impl PartialEq for Parts {
    fn eq(&self, other: &Self) -> bool {
        self.0.1 == other.0.1
    }
}

/// The state of one stream.
#[derive(Default)]
struct Reader {
    path: Option<PathBuf>,
    known: Known<Parts>,
    /// The contexts of the last reading. `None` before the first.
    last: Option<Vec<(Arc<str>, Parts)>>,
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
                    let contexts = kubeconfig.contexts.iter();
                    let contexts: Vec<_> = contexts
                        .map(|context| {
                            (context.name.as_str().into(), parts_of(&kubeconfig, context))
                        })
                        .collect();
                    let before = self.last.replace(contexts.clone());
                    if before.is_some_and(|before| before != contexts) {
                        pause = SETTLE;
                    } else if let Some(found) = self.known.update(contexts, config) {
                        return found;
                    }
                }
                Ok(Err(error)) => warn(&error),
                // The runtime ends, or `KUBECONFIG` has a byte that no path can have.
                Err(_) => tracing::warn!("the kubeconfig cannot be read"),
            }
            sleep(pause).await;
        }
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
fn parts_of(kubeconfig: &Kubeconfig, context: &NamedContext) -> Parts {
    let selected = context.context.clone().unwrap_or_default();
    let clusters = kubeconfig.clusters.iter().find(|cluster| cluster.name == selected.cluster);
    let mut users = kubeconfig.auth_infos.iter();
    let users = users.find(|user| Some(&user.name) == selected.user.as_ref());
    // Without the fields that tools add, such as the time of their last run.
    let other = BTreeMap::new;
    let selects = |one: &Context| Context { extensions: None, other: other(), ..one.clone() };
    let context = NamedContext {
        name: context.name.clone(),
        context: context.context.as_ref().map(selects),
        other: other(),
    };
    let clusters = clusters.map(|one| NamedCluster { other: other(), ..one.clone() });
    let users = users.map(|one| NamedAuthInfo { other: other(), ..one.clone() });
    let kubeconfig = Kubeconfig {
        contexts: vec![context],
        clusters: Vec::from_iter(clusters),
        auth_infos: Vec::from_iter(users),
        ..Kubeconfig::default()
    };
    let value = serde_json::to_value(&kubeconfig).unwrap_or_default();
    Parts(Arc::new((kubeconfig, value)))
}

fn config(revision: Arc<str>, parts: &Parts) -> ClusterConfig {
    let make = ContextClient::new(parts.0.0.clone());
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
