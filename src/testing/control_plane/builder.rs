//! Options of a control plane.

use std::path::PathBuf;
use std::time::Duration;

use super::binaries::Binaries;
use super::error::ControlPlaneError;
use super::{ControlPlane, start};

/// Options of a control plane.
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
    /// The folder to look into when the environment names none; `/usr/local/kubebuilder/bin` unless
    /// set.
    pub fn assets(mut self, folder: impl Into<PathBuf>) -> Self {
        self.assets = Some(folder.into());
        self
    }

    /// These binaries, wherever the environment says there are some.
    pub fn binaries(mut self, binaries: Binaries) -> Self {
        self.binaries = Some(binaries);
        self
    }

    /// A flag for etcd, without its dashes. It replaces a default of the same name; given again, it is
    /// passed several times.
    pub fn etcd_flag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.etcd.push((name.into(), value.into()));
        self
    }

    /// A flag for kube-apiserver, without its dashes. It replaces a default of the same name; given
    /// again, it is passed several times.
    ///
    /// ```
    /// use kube_informer::testing::ControlPlane;
    ///
    /// let builder = ControlPlane::builder().apiserver_flag("feature-gates", "ShardedListAndWatch=true");
    /// ```
    pub fn apiserver_flag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.apiserver.push((name.into(), value.into()));
        self
    }

    /// How long each program has to become ready; a minute unless set.
    pub fn start_timeout(mut self, limit: Duration) -> Self {
        self.start_timeout = limit;
        self
    }

    /// How long each program has to end by itself in [`ControlPlane::stop`]; 20 s unless set, as
    /// envtest's.
    pub fn stop_timeout(mut self, limit: Duration) -> Self {
        self.stop_timeout = limit;
        self
    }

    /// Starts both programs, and returns when the API server is ready. Cancel safe: what was started
    /// is stopped.
    ///
    /// # Errors
    /// [`ControlPlaneError`]; then nothing runs any more, and the logs it names are kept.
    pub async fn start(self) -> Result<ControlPlane, ControlPlaneError> {
        let binaries = match &self.binaries {
            Some(binaries) => binaries.clone(),
            None => Binaries::find_with(self.assets.as_deref(), |name| std::env::var_os(name))?,
        };
        // Ports are chosen by asking for free ones; others may do the same before they are used.
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
