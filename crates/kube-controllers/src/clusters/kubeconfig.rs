//! Clients from kubeconfigs.

use std::fmt;
use std::sync::Arc;

use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig, NamedAuthInfo};
use kube::{Client, Config};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use kube_informer::seams::without_credentials;

/// The reason why a kubeconfig of a Secret cannot be used. It quotes nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadKubeconfig {
    Absent,
    Unreadable,
    Runs,
    NamesFile,
    Incomplete,
    NoClient,
}

impl fmt::Display for BadKubeconfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Absent => "the Secret has no kubeconfig under this key",
            Self::Unreadable => "the kubeconfig of the Secret is not valid YAML of a kubeconfig",
            Self::Runs => {
                "the kubeconfig of the Secret names a program to run, which a Secret may not; use \
                 a token or a certificate"
            }
            Self::NamesFile => {
                "the kubeconfig of the Secret names a file, which a Secret may not; put the data \
                 itself into it"
            }
            Self::Incomplete => {
                "the kubeconfig of the Secret lacks its current context, cluster, server or valid \
                 certificates"
            }
            Self::NoClient => {
                "no client can be made from the kubeconfig of the Secret: its certificates, key or \
                 token are not valid, or the program has no TLS"
            }
        })
    }
}

impl std::error::Error for BadKubeconfig {}

/// Makes a client from the kubeconfig of a Secret.
///
/// An author of Secrets must not run programs or read files here, so these are refused.
pub(super) async fn client_of_secret(kubeconfig: &[u8]) -> Result<Client, BadKubeconfig> {
    let text = std::str::from_utf8(kubeconfig).map_err(|_| BadKubeconfig::Unreadable)?;
    let kubeconfig = Kubeconfig::from_yaml(text).map_err(|_| BadKubeconfig::Unreadable)?;
    let users = kubeconfig.auth_infos.iter().filter_map(|user| user.auth_info.as_ref());
    for AuthInfo { exec, auth_provider, token_file, client_certificate, client_key, .. } in users {
        if exec.is_some() || auth_provider.is_some() {
            return Err(BadKubeconfig::Runs);
        }
        if token_file.is_some() || client_certificate.is_some() || client_key.is_some() {
            return Err(BadKubeconfig::NamesFile);
        }
    }
    let mut clusters = kubeconfig.clusters.iter().filter_map(|cluster| cluster.cluster.as_ref());
    if clusters.any(|cluster| cluster.certificate_authority.is_some()) {
        return Err(BadKubeconfig::NamesFile);
    }
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    let config = config.map_err(|_| BadKubeconfig::Incomplete)?;
    client(config).map_err(|_| BadKubeconfig::NoClient)
}

/// The credential plug-ins of all contexts that may run at a time.
static PLUGINS: Semaphore = Semaphore::const_new(32);

/// A maker of clients of one context. Clones are one.
#[derive(Clone)]
pub(super) struct ContextClient {
    kubeconfig: Arc<Kubeconfig>,
    /// One permit: a plug-in that hangs is not started again.
    one: Arc<Semaphore>,
}

impl ContextClient {
    /// Creates a maker for a kubeconfig that has one context.
    pub(super) fn new(kubeconfig: Kubeconfig) -> Self {
        Self { kubeconfig: Arc::new(kubeconfig), one: Arc::new(Semaphore::new(1)) }
    }

    /// Makes a client. kube runs the plug-in of its credentials on the thread that makes it.
    pub(super) async fn make(self) -> kube::Result<Client> {
        let context = self.kubeconfig.contexts.first().map(|context| context.name.clone());
        let options = KubeConfigOptions { context, ..KubeConfigOptions::default() };
        let kubeconfig = Kubeconfig::clone(&self.kubeconfig);
        let runs = kubeconfig.auth_infos.iter().any(runs);
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
        // The semaphores are never closed. The thread keeps the permits until the plug-in ends.
        let one = self.one.acquire_owned().await;
        let plugin = if runs { Some(PLUGINS.acquire().await) } else { None };
        let making = spawn_blocking(move || {
            let _permits = (one, plugin);
            client(config)
        });
        match making.await {
            Ok(made) => made.map_err(without_credentials),
            Err(error) => Err(kube::Error::Service(error.into())),
        }
    }
}

/// Returns whether the credentials of a user come from a program.
fn runs(user: &NamedAuthInfo) -> bool {
    let user = user.auth_info.as_ref();
    user.is_some_and(|user| user.exec.is_some() || user.auth_provider.is_some())
}

/// Makes a client that leaves retries to the informers.
fn client(mut config: Config) -> kube::Result<Client> {
    config.default_retry = false;
    Client::try_from(config)
}
