//! The binaries of a control plane, found by envtest's rules.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::error::MissingBinaries;

/// The default folder of envtest.
const DEFAULT: &str = "/usr/local/kubebuilder/bin";

/// The paths of a control plane's programs.
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
        Self::find_with(None, |name| std::env::var_os(name))
    }

    /// Finds the binaries with another default folder and environment.
    pub(super) fn find_with(
        folder: Option<&Path>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, MissingBinaries> {
        let path = |single: &str, program: &str| {
            let folder = || match (variable("KUBEBUILDER_ASSETS"), folder) {
                (Some(assets), _) => PathBuf::from(assets),
                (None, Some(folder)) => folder.to_owned(),
                (None, None) => DEFAULT.into(),
            };
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
