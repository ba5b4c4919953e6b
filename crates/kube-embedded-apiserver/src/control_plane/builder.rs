//! Options of a control plane, and the search for its binaries by envtest's rules.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::error::{ControlPlaneError, MissingBinaries};
use super::{ControlPlane, start};
use crate::CENTURY;

/// Options of a [`ControlPlane`]. Get one from [`ControlPlane::builder`].
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct ControlPlaneBuilder {
    pub(super) binaries: Option<Binaries>,
    pub(super) apiserver: Vec<(String, String)>,
    pub(super) start_timeout: Duration,
    pub(super) grace: Duration,
}

impl Default for ControlPlaneBuilder {
    fn default() -> Self {
        Self {
            binaries: None,
            apiserver: Vec::new(),
            start_timeout: Duration::from_secs(60),
            grace: Duration::from_secs(20),
        }
    }
}

impl ControlPlaneBuilder {
    /// Sets the binaries. The environment is then ignored.
    pub fn binaries(mut self, binaries: Binaries) -> Self {
        self.binaries = Some(binaries);
        self
    }

    /// Sets a flag for kube-apiserver, without its dashes. The first call replaces a default of the
    /// same name; each further call adds a value.
    ///
    /// ```
    /// use kube_embedded_apiserver::ControlPlane;
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
        self.start_timeout = limit.min(CENTURY);
        self
    }

    /// Sets how long each program may take to end by itself in [`ControlPlane::stop`]. The default
    /// is 20 s, as in envtest.
    pub fn grace(mut self, limit: Duration) -> Self {
        self.grace = limit.min(CENTURY);
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
            None => Binaries::find()?,
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

/// The default folder of envtest.
const DEFAULT: &str = "/usr/local/kubebuilder/bin";

/// The paths of a control plane's programs.
///
/// A test that runs only where the programs are installed:
///
/// ```
/// use kube_embedded_apiserver::control_plane::{Binaries, MissingBinaries};
///
/// fn is_skipped() -> bool {
///     match Binaries::find() {
///         Ok(found) => println!("with {}", found.kube_apiserver.display()),
///         Err(MissingBinaries { missing, .. }) => {
///             println!("skipped without {}", missing[0].1.display());
///             return true;
///         }
///     }
///     false
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binaries {
    /// The path of etcd.
    pub etcd: PathBuf,
    /// The path of kube-apiserver.
    pub kube_apiserver: PathBuf,
}

impl Binaries {
    /// Finds the binaries by envtest's rules. For each binary the first of these that is set
    /// decides, even if the file does not exist:
    ///
    /// - `TEST_ASSET_ETCD` or `TEST_ASSET_KUBE_APISERVER`, the path of the file.
    /// - `KUBEBUILDER_ASSETS`, the path of the folder.
    /// - `/usr/local/kubebuilder/bin`, the default folder.
    ///
    /// # Errors
    /// Returns [`MissingBinaries`] with each file that does not exist.
    pub fn find() -> Result<Self, MissingBinaries> {
        Self::find_with(|name| std::env::var_os(name))
    }

    /// Finds the binaries with this environment.
    pub(super) fn find_with(
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, MissingBinaries> {
        let path = |single: &str, program: &str| {
            let folder = || variable("KUBEBUILDER_ASSETS").map_or(DEFAULT.into(), PathBuf::from);
            variable(single).map_or_else(|| folder().join(program), PathBuf::from)
        };
        let found = Self {
            etcd: path("TEST_ASSET_ETCD", "etcd"),
            kube_apiserver: path("TEST_ASSET_KUBE_APISERVER", "kube-apiserver"),
        };
        let both = [("etcd", &found.etcd), ("kube-apiserver", &found.kube_apiserver)];
        let missing = both.into_iter().filter(|(_, path)| !path.is_file());
        let missing: Vec<_> = missing.map(|(program, path)| (program, path.clone())).collect();
        if missing.is_empty() { Ok(found) } else { Err(MissingBinaries { missing }) }
    }
}
