//! Clusters whose kubeconfigs are in Secrets of a hub cluster.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;

use super::known::Known;
use super::kubeconfig::{BadKubeconfig, client_of_secret};
use super::provider::{ClusterConfig, ClusterProvider};
use kube_informer::factory::{InformerSpec, Interest, SharedInformerFactory, SpecError};
use kube_informer::indexer::Snapshot;
use kube_informer::object::{InvalidName, NameRule};

/// Clusters whose kubeconfigs are in Secrets of one namespace of a hub cluster.
///
/// A Secret that a label selector selects is a cluster of the Secret's name. The cluster joins with
/// the kubeconfig's current context, joins again when the kubeconfig changes, and leaves when the
/// Secret is deleted or being deleted. The informer of Secrets is one of the hub's factory, and
/// lives as long as the provider.
///
/// A kubeconfig that cannot be used shows in the status of its cluster. Neither errors nor the log
/// quote it. One that runs a program or names a file is refused, because a writer of such Secrets
/// must not act in this process. Its `proxy-url` and `insecure-skip-tls-verify` are obeyed.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// # use kube_informer::{SharedInformerFactory, testing::ApiServer};
/// use kube_controllers::clusters::{Clusters, KubeconfigSecrets};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let hub = SharedInformerFactory::builder(ApiServer::new().client()).build();
/// // Secrets of Cluster API, which has them under another key.
/// let secrets = KubeconfigSecrets::new(&hub, "fleet", "cluster.x-k8s.io/cluster-name")?;
/// let clusters = Clusters::builder(secrets.key("value")?).build();
/// # Ok::<(), kube_informer::factory::SpecError>(()) }).unwrap();
/// # }
/// ```
#[must_use]
pub struct KubeconfigSecrets {
    secrets: Interest<Secret>,
    key: Arc<str>,
}

impl KubeconfigSecrets {
    /// Creates a provider of the Secrets in a namespace that a label selector selects.
    ///
    /// # Errors
    /// [`SpecError::Conflict`] if the factory has this informer with other options.
    pub fn new(
        hub: &SharedInformerFactory,
        namespace: impl Into<Arc<str>>,
        labels: impl Into<String>,
    ) -> Result<Self, SpecError> {
        let secrets = hub.interest(InformerSpec::new().namespace(namespace).labels(labels))?;
        Ok(Self { secrets, key: "kubeconfig".into() })
    }

    /// Sets the key of the kubeconfig in each Secret. `kubeconfig` unless set.
    ///
    /// # Errors
    /// [`InvalidName`] if no Secret can have this key.
    pub fn key(mut self, key: impl Into<Arc<str>>) -> Result<Self, InvalidName> {
        self.key = key.into();
        NameRule::DataKey.check("key of the kubeconfig", &self.key)?;
        Ok(self)
    }
}

/// The state of one stream.
struct Follower {
    secrets: Interest<Secret>,
    key: Arc<str>,
    /// Each cluster's kubeconfig. `None` if the Secret has none.
    known: Known<Option<ByteString>>,
}

impl ClusterProvider for KubeconfigSecrets {
    fn clusters(&self) -> BoxStream<'static, BTreeMap<Arc<str>, ClusterConfig>> {
        let (secrets, key) = (self.secrets.clone(), self.key.clone());
        let follower = Follower { secrets, key, known: Known::default() };
        stream::unfold(follower, |mut follower| async move {
            let found = follower.next().await;
            if found.is_none() {
                tracing::warn!("the informer of kubeconfigs has stopped");
            }
            Some((found?, follower))
        })
        .boxed()
    }
}

impl Follower {
    /// Waits for other clusters. `None` after the informer of Secrets has stopped.
    async fn next(&mut self) -> Option<BTreeMap<Arc<str>, ClusterConfig>> {
        self.secrets.start().ok()?;
        let mut changes = self.secrets.changes();
        loop {
            changes.changed().await.ok()?;
            if let Some(found) = self.look(&self.secrets.snapshot()) {
                return Some(found);
            }
        }
    }

    /// Returns the clusters if they differ from those before.
    fn look(&mut self, store: &Snapshot<Secret>) -> Option<BTreeMap<Arc<str>, ClusterConfig>> {
        let Self { key, known, .. } = self;
        let secrets = store.iter().filter(|(_, one)| one.metadata.deletion_timestamp.is_none());
        let found = secrets.map(|(name, secret)| {
            let kubeconfig = secret.data.as_ref().and_then(|data| data.get(&**key));
            (name.name().into(), kubeconfig.cloned())
        });
        known.update(found, |revision, kubeconfig| config(revision, kubeconfig.as_ref()))
    }
}

fn config(revision: Arc<str>, kubeconfig: Option<&ByteString>) -> ClusterConfig {
    let kubeconfig = Arc::new(kubeconfig.cloned());
    ClusterConfig::new(revision, move || {
        let kubeconfig = kubeconfig.clone();
        async move {
            let ByteString(kubeconfig) =
                kubeconfig.as_ref().as_ref().ok_or(BadKubeconfig::Absent)?;
            Ok(client_of_secret(kubeconfig).await?)
        }
    })
}

impl fmt::Debug for KubeconfigSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KubeconfigSecrets")
            .field("secrets", self.secrets.collection())
            .field("key", &self.key)
            .finish()
    }
}
