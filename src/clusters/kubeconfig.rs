//! Clients from kubeconfigs.

use std::fmt;

use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::controller::BoxError;

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

/// Makes a client of a context.
pub(super) async fn client_of_context(
    kubeconfig: Kubeconfig,
    context: String,
) -> Result<Client, BoxError> {
    let options = KubeConfigOptions { context: Some(context), ..KubeConfigOptions::default() };
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
    client(config).map_err(|error| match error {
        // Its text may have the output of a program.
        kube::Error::Auth(_) => "the credentials of the context cannot be obtained".into(),
        error => error.into(),
    })
}

/// Makes a client that leaves retries to the informers.
fn client(mut config: Config) -> kube::Result<Client> {
    config.default_retry = false;
    Client::try_from(config)
}
