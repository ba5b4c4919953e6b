//! A real etcd and kube-apiserver, started for a test as controller-runtime's envtest does it.
//!
//! A [`ControlPlane`] finds the binaries where envtest does, gives them free ports of the loopback and
//! certificates of its own making, and waits until the API server is ready. When it is dropped nothing
//! is left: no process, no file. No process is left even when the test is killed, because a shell
//! beside each program ends it when its owner is gone; its folder is, then. Logs stay where a start
//! failed or the owner panicked.
//!
//! It downloads nothing, and runs neither controllers, scheduler nor kubelet: pods stay pending, nobody
//! collects garbage, a namespace that is deleted stays. Unix only, with the feature `testing-tls`.
//!
//! ```no_run
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube_informer::SharedInformerFactory;
//! use kube_informer::testing::ControlPlane;
//!
//! # async fn f() -> Result<(), Box<dyn std::error::Error>> {
//! let plane = ControlPlane::start().await?;
//! let factory = SharedInformerFactory::builder(plane.client().await?).build();
//! let maps = factory.informer::<ConfigMap>();
//! factory.start()?;
//! factory.wait_for_sync(std::time::Duration::from_secs(30)).await?;
//! println!("{} config maps", maps.lister().len());
//! plane.stop().await;
//! # Ok(()) }
//! ```

mod arguments;
mod binaries;
mod builder;
mod certificates;
mod error;
mod folder;
mod process;
mod ready;
mod start;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};

pub use self::binaries::Binaries;
pub use self::builder::ControlPlaneBuilder;
pub use self::error::{ControlPlaneError, MissingBinaries};
use self::folder::Folder;
use self::process::Process;
use self::start::Access;

/// A real etcd and kube-apiserver. Dropping it stops and removes both.
///
/// It lives in real time: under tokio's paused clock requests to it time out at once.
#[must_use = "dropping it stops it"]
pub struct ControlPlane {
    // In this order they go: the folder when nobody writes into it any more.
    apiserver: Process,
    etcd: Process,
    folder: Folder,
    access: Access,
    stop_timeout: Duration,
}

impl ControlPlane {
    /// Options first.
    pub fn builder() -> ControlPlaneBuilder {
        ControlPlaneBuilder::default()
    }

    /// Starts one as it is by default. See [`ControlPlaneBuilder::start`].
    ///
    /// # Errors
    /// [`ControlPlaneError::Missing`] where there are no binaries: a test may skip itself then, aloud.
    pub async fn start() -> Result<Self, ControlPlaneError> {
        Self::builder().start().await
    }

    fn new(
        apiserver: Process,
        etcd: Process,
        folder: Folder,
        access: Access,
        stop_timeout: Duration,
    ) -> Self {
        Self { apiserver, etcd, folder, access, stop_timeout }
    }

    /// The URL of the API server.
    pub fn url(&self) -> String {
        format!("https://{}", self.access.address)
    }

    /// The URL of etcd, to look behind the API server's back or to compact. No TLS, no password.
    pub fn etcd_url(&self) -> String {
        format!("http://{}", self.access.etcd)
    }

    /// Where logs and certificates are while it runs.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A kubeconfig of a user that may do everything, as YAML. Its token is as good as a password.
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

    /// What a [`kube::Client`] of that user is made of, to be changed before it is made.
    ///
    /// # Errors
    /// None that could be put right: the kubeconfig is well-formed.
    pub async fn config(&self) -> Result<kube::Config, KubeconfigError> {
        let kubeconfig = Kubeconfig::from_yaml(&self.kubeconfig())?;
        kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await
    }

    /// A client of a user that may do everything.
    ///
    /// # Errors
    /// When `kube` was built without TLS: this crate's features `rustls-tls` and `ring` give it.
    pub async fn client(&self) -> Result<kube::Client, kube::Error> {
        let config = self.config().await.map_err(kube::Error::InferKubeconfig)?;
        kube::Client::try_from(config)
    }

    /// Asks the API server to end, then etcd, and removes everything. What has not ended when its time
    /// is up is killed. Says whether both ended by themselves. Cancel safe: then all is killed.
    pub async fn stop(mut self) -> bool {
        let mut in_order = true;
        for process in [&mut self.apiserver, &mut self.etcd] {
            process.ask_to_end();
            in_order &= process.has_ended_by(Instant::now() + self.stop_timeout).await;
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
