//! Where the binaries are, by envtest's rules.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::error::MissingBinaries;

/// envtest's default folder.
const DEFAULT: &str = "/usr/local/kubebuilder/bin";

/// The programs of a control plane.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binaries {
    /// Where etcd is.
    pub etcd: PathBuf,
    /// Where kube-apiserver is.
    pub kube_apiserver: PathBuf,
}

impl Binaries {
    /// Looks for the binaries, each by envtest's rules: the file that `TEST_ASSET_ETCD` or
    /// `TEST_ASSET_KUBE_APISERVER` names; else in the folder that `KUBEBUILDER_ASSETS` names; else in
    /// `/usr/local/kubebuilder/bin`. The first of these that is set counts, there or not.
    ///
    /// # Errors
    /// [`MissingBinaries`] names each that is not there.
    pub fn find() -> Result<Self, MissingBinaries> {
        Self::find_with(None, |name| std::env::var_os(name))
    }

    /// The same with a folder in place of the default one, and any environment.
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
