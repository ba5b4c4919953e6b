//! Options of a control plane.

use std::path::PathBuf;
use std::time::Duration;

use super::binaries::Binaries;
use super::error::ControlPlaneError;
use super::{ControlPlane, start};

/// Options of a [`ControlPlane`]. Get one from [`ControlPlane::builder`].
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct ControlPlaneBuilder {
    pub(super) binaries: Option<Binaries>,
    pub(super) assets: Option<PathBuf>,
    pub(super) etcd: Vec<(String, String)>,
    pub(super) apiserver: Vec<(String, String)>,
    pub(super) start_timeout: Duration,
    pub(super) stop_timeout: Duration,
}

impl Default for ControlPlaneBuilder {
    fn default() -> Self {
        Self {
            binaries: None,
            assets: None,
            etcd: Vec::new(),
            apiserver: Vec::new(),
            start_timeout: Duration::from_secs(60),
            stop_timeout: Duration::from_secs(20),
        }
    }
}

impl ControlPlaneBuilder {
    /// Sets the folder to search when the environment names none. The default is
    /// `/usr/local/kubebuilder/bin`.
    pub fn assets(mut self, folder: impl Into<PathBuf>) -> Self {
        self.assets = Some(folder.into());
        self
    }

    /// Sets the binaries. The environment is then ignored.
    pub fn binaries(mut self, binaries: Binaries) -> Self {
        self.binaries = Some(binaries);
        self
    }

    /// Sets a flag for etcd, without its dashes. The first call replaces a default of the same
    /// name; each further call adds a value.
    pub fn etcd_flag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.etcd.push((name.into(), value.into()));
        self
    }

    /// Sets a flag for kube-apiserver, without its dashes. The first call replaces a default of the
    /// same name; each further call adds a value.
    ///
    /// ```
    /// use kube_informer::testing::ControlPlane;
    ///
    /// let builder =
    ///     ControlPlane::builder().apiserver_flag("feature-gates", "ShardedListAndWatch=true");
    /// ```
    pub fn apiserver_flag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.apiserver.push((name.into(), value.into()));
        self
    }

    /// Sets how long each program may take to become ready. The default is 60 s.
    pub fn start_timeout(mut self, limit: Duration) -> Self {
        self.start_timeout = limit;
        self
    }

    /// Sets how long each program may take to end by itself in [`ControlPlane::stop`]. The default
    /// is 20 s, as in envtest.
    pub fn stop_timeout(mut self, limit: Duration) -> Self {
        self.stop_timeout = limit;
        self
    }

    /// Starts both programs, and returns when the API server is ready.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: dropping the future stops the programs.
    ///
    /// # Errors
    /// Returns [`ControlPlaneError`] if a binary is missing or a program does not become ready.
    /// Nothing runs then, and the logs that the error names are kept.
    pub async fn start(self) -> Result<ControlPlane, ControlPlaneError> {
        let binaries = match &self.binaries {
            Some(binaries) => binaries.clone(),
            None => Binaries::find_with(self.assets.as_deref(), |name| std::env::var_os(name))?,
        };
        // A port that was free may be taken before it is used.
        let mut tries = 2;
        loop {
            match start::start(&self, &binaries).await {
                Err(error) if error.is_port_taken() && tries > 0 => {
                    error.remove_log();
                    tries -= 1;
                }
                started => return started,
            }
        }
    }
}
