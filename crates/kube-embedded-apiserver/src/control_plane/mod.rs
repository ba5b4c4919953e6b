//! A real etcd and kube-apiserver for tests, like controller-runtime's envtest.
//!
//! A [`ControlPlane`] finds the binaries where envtest does. It gives them free ports of the
//! loopback and certificates of its own, and waits until the API server is ready. Dropping it
//! removes all processes and files. If the test itself is killed, a shell beside each program ends
//! that program, and only the folder stays. Logs are kept if a start failed or the owner panicked.
//!
//! It downloads nothing, and runs no controllers, scheduler or kubelet: pods stay pending, garbage
//! is not collected, and a deleted namespace stays. It needs Unix and the feature `tls`.
//!
//! ```no_run
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::api::{Api, ListParams};
//! use kube_embedded_apiserver::ControlPlane;
//!
//! # async fn f() -> Result<(), Box<dyn std::error::Error>> {
//! let plane = ControlPlane::start().await?;
//! let maps: Api<ConfigMap> = Api::all(plane.client().await?);
//! println!("{} config maps", maps.list(&ListParams::default()).await?.items.len());
//! plane.stop().await;
//! # Ok(()) }
//! ```

mod builder;
mod error;
mod folder;
mod process;
mod start;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};

pub use self::builder::{Binaries, ControlPlaneBuilder};
pub use self::error::{ControlPlaneError, MissingBinaries};
use self::folder::Folder;
use self::start::{Access, Program};

/// A running etcd and kube-apiserver. Dropping it stops and removes both.
///
/// It needs real time: under tokio's paused clock, requests to it time out at once.
#[must_use = "dropping it stops it"]
pub struct ControlPlane {
    // The fields are dropped in this order: the folder last, when no program writes into it.
    apiserver: Program,
    etcd: Program,
    folder: Folder,
    access: Access,
    grace: Duration,
}

impl ControlPlane {
    /// Returns a builder with the default options.
    pub fn builder() -> ControlPlaneBuilder {
        ControlPlaneBuilder::default()
    }

    /// Starts a control plane with the default options. See [`ControlPlaneBuilder::start`].
    ///
    /// # Errors
    /// Returns [`ControlPlaneError::Missing`] if there are no binaries, and the other variants as
    /// [`ControlPlaneBuilder::start`] does. A test without binaries may print the error and skip
    /// itself.
    pub async fn start() -> Result<Self, ControlPlaneError> {
        Self::builder().start().await
    }

    /// Returns the URL of the API server.
    pub fn url(&self) -> String {
        format!("https://{}", self.access.address)
    }

    /// Returns the URL of etcd. It serves only clients with the certificate of
    /// [`etcd_config`](Self::etcd_config), because every user of the machine reaches its port.
    pub fn etcd_url(&self) -> String {
        format!("https://{}", self.access.etcd)
    }

    /// Returns the configuration of a [`kube::Client`] that speaks etcd's JSON, to compact it or to
    /// read it directly. Its key is a secret like a password.
    ///
    /// # Errors
    /// Returns an error only if `kube` rejects the kubeconfig, which is well-formed.
    pub async fn etcd_config(&self) -> Result<kube::Config, KubeconfigError> {
        use base64::Engine;
        use base64::engine::general_purpose::STANDARD;
        let kubeconfig = format!(
            "apiVersion: v1
kind: Config
clusters:
- name: etcd
  cluster:
    server: {}
    certificate-authority-data: {}
users:
- name: client
  user:
    client-certificate-data: {}
    client-key-data: {}
contexts:
- name: etcd
  context:
    cluster: etcd
    user: client
current-context: etcd
",
            self.etcd_url(),
            STANDARD.encode(&self.access.authority),
            STANDARD.encode(&self.access.etcd_client.certificate),
            STANDARD.encode(&self.access.etcd_client.key),
        );
        let kubeconfig = Kubeconfig::from_yaml(&kubeconfig)?;
        kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await
    }

    /// Returns the folder of the logs and certificates. It exists while the control plane runs.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns a kubeconfig as YAML, for a user with all permissions. Its token is a secret like a
    /// password.
    #[must_use]
    pub fn kubeconfig(&self) -> String {
        use base64::Engine;
        use base64::engine::general_purpose::STANDARD;
        format!(
            "apiVersion: v1
kind: Config
clusters:
- name: control-plane
  cluster:
    server: {}
    certificate-authority-data: {}
users:
- name: admin
  user:
    token: {:?}
contexts:
- name: control-plane
  context:
    cluster: control-plane
    user: admin
    namespace: default
current-context: control-plane
",
            self.url(),
            STANDARD.encode(&self.access.authority),
            self.access.token,
        )
    }

    /// Returns the configuration of a [`kube::Client`] for that user, to be changed before a client
    /// is created.
    ///
    /// # Errors
    /// Returns an error only if `kube` rejects the kubeconfig, which is well-formed.
    pub async fn config(&self) -> Result<kube::Config, KubeconfigError> {
        let kubeconfig = Kubeconfig::from_yaml(&self.kubeconfig())?;
        kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await
    }

    /// Returns a client of a user with all permissions.
    ///
    /// # Errors
    /// Returns an error if `kube` was built without TLS, which its features `rustls-tls` and `ring`
    /// provide.
    pub async fn client(&self) -> Result<kube::Client, kube::Error> {
        let config = self.config().await.map_err(kube::Error::InferKubeconfig)?;
        kube::Client::try_from(config)
    }

    /// Kills the API server without a warning, as a failing machine does, and starts it again after
    /// a pause. Its address and its certificates stay the same. Returns when it is ready.
    ///
    /// # Errors
    /// Returns an error if the program does not become ready. The program does not run then, and
    /// another call starts it.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the API server killed.
    pub async fn restart_apiserver(&mut self, pause: Duration) -> Result<(), ControlPlaneError> {
        self.apiserver.restart(pause).await
    }

    /// Kills etcd, and starts it again after a pause, with the data that it had. Meanwhile the API
    /// server runs, but is not ready.
    ///
    /// # Errors
    /// Returns an error as [`restart_apiserver`](Self::restart_apiserver) does.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves etcd killed.
    pub async fn restart_etcd(&mut self, pause: Duration) -> Result<(), ControlPlaneError> {
        self.etcd.restart(pause).await
    }

    /// Stops the API server, then etcd, and removes everything. Kills a program that has not ended
    /// within the [grace](ControlPlaneBuilder::grace). Returns whether both ended by
    /// themselves.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future kills both programs.
    pub async fn stop(mut self) -> bool {
        let mut in_order = true;
        for program in [&mut self.apiserver, &mut self.etcd] {
            in_order &= program.end(self.grace).await;
        }
        in_order
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.folder.keep_logs();
            eprintln!("the logs of the control plane are in {}", self.folder.path().display());
        }
    }
}

impl fmt::Debug for ControlPlane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControlPlane")
            .field("url", &self.url())
            .field("etcd_url", &self.etcd_url())
            .field("folder", &self.folder.path())
            .finish_non_exhaustive()
    }
}
