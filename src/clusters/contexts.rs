//! Clusters of a kubeconfig's contexts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt, TryFutureExt};
use kube::config::{Kubeconfig, KubeconfigError};
use serde_json::Value;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::kubeconfig::client_of_context;
use super::provider::{ClusterConfig, ClusterProvider};
use crate::client::renewing_client;

/// The period after which the kubeconfig is read again.
const PERIOD: Duration = Duration::from_secs(10);

/// A cluster for each context of a kubeconfig.
///
/// The file is read again every 10 s. A context that was added joins, one whose cluster, user or
/// namespace changed joins again, and one that was removed leaves. While the file cannot be read,
/// the clusters stay as they are, and a warning is logged. Programs that the file names are run,
/// and clients with credentials that expire [renew themselves](crate::client).
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

/// The parts of a context, and the configuration that was made of them.
type Known = BTreeMap<Arc<str>, (Value, ClusterConfig)>;

/// The state of one stream.
struct Reader {
    path: Option<PathBuf>,
    /// `None` before the first reading.
    known: Option<Known>,
    revision: u64,
}

impl ClusterProvider for KubeconfigContexts {
    fn clusters(&self) -> BoxStream<'static, BTreeMap<Arc<str>, ClusterConfig>> {
        let reader = Reader { path: self.path.clone(), known: None, revision: 0 };
        stream::unfold(reader, |mut reader| async move { Some((reader.next().await, reader)) })
            .boxed()
    }
}

impl Reader {
    /// Waits for other clusters.
    async fn next(&mut self) -> BTreeMap<Arc<str>, ClusterConfig> {
        if self.known.is_some() {
            sleep(PERIOD).await;
        }
        loop {
            let path = self.path.clone();
            let reading = spawn_blocking(move || match path {
                Some(path) => Kubeconfig::read_from(path),
                None => Kubeconfig::read(),
            });
            match reading.await {
                Ok(Ok(kubeconfig)) => {
                    if let Some(found) = self.look(&kubeconfig) {
                        return found;
                    }
                }
                Ok(Err(error)) => warn(&error),
                // The runtime ends, or `KUBECONFIG` has a byte that no path can have.
                Err(_) => tracing::warn!("the kubeconfig cannot be read"),
            }
            sleep(PERIOD).await;
        }
    }

    /// Returns the clusters if they differ from those before.
    fn look(&mut self, kubeconfig: &Kubeconfig) -> Option<BTreeMap<Arc<str>, ClusterConfig>> {
        let mut same = self.known.is_some();
        let mut before = self.known.take().unwrap_or_default();
        let mut known = Known::new();
        for context in &kubeconfig.contexts {
            let name: Arc<str> = context.name.as_str().into();
            let parts = parts_of(kubeconfig, &name);
            let entry = match before.remove(&name) {
                Some(entry) if entry.0 == parts => entry,
                _ => {
                    same = false;
                    self.revision += 1;
                    let config = config(self.revision, kubeconfig.clone(), name.to_string());
                    (parts, config)
                }
            };
            known.insert(name, entry);
        }
        same &= before.is_empty();
        let configs = || known.iter().map(|(name, (_, config))| (name.clone(), config.clone()));
        let found = (!same).then(|| configs().collect());
        self.known = Some(known);
        found
    }
}

/// Returns all of the kubeconfig that a context selects.
fn parts_of(kubeconfig: &Kubeconfig, name: &str) -> Value {
    let mut parts = kubeconfig.clone();
    parts.contexts.retain(|context| context.name == name);
    let context = parts.contexts.first().and_then(|context| context.context.clone());
    let (cluster, user) =
        context.map(|context| (context.cluster, context.user)).unwrap_or_default();
    parts.clusters.retain(|other| other.name == cluster);
    parts.auth_infos.retain(|other| Some(&other.name) == user.as_ref());
    parts.current_context = None;
    serde_json::to_value(parts).unwrap_or_default()
}

fn config(revision: u64, kubeconfig: Kubeconfig, context: String) -> ClusterConfig {
    let make = Arc::new(move || client_of_context(kubeconfig.clone(), context.clone()));
    ClusterConfig::new(revision.to_string(), move || {
        let make = make.clone();
        let client = move || make().map_err(kube::Error::Service);
        renewing_client(client).map_err(Into::into).boxed()
    })
}

/// Logs why the kubeconfig was not read. The text of a parser may quote it.
fn warn(error: &KubeconfigError) {
    match error {
        KubeconfigError::Parse(_) => tracing::warn!("the kubeconfig is not valid YAML"),
        error => tracing::warn!(%error, "the kubeconfig cannot be read"),
    }
}
