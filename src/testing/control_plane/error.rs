//! Why a control plane did not come up.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a control plane did not come up. Trying again helps only after what it names was put right.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControlPlaneError {
    /// Binaries are missing; nothing was started.
    #[error(transparent)]
    Missing(#[from] MissingBinaries),
    /// Files could not be written, ports not found, or a program not started.
    #[error("{what}: {source}")]
    Io {
        /// What was about to be done.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// No certificates could be made.
    #[error("the certificates could not be made: {0}")]
    Certificates(String),
    /// A program ended before it was ready.
    #[error("{program} ended before it was ready; its log is {}, which ends:\n{tail}", log.display())]
    Ended {
        /// Its name.
        program: &'static str,
        /// Its whole log, which is kept.
        log: PathBuf,
        /// The last lines of it; the very last says with which status it ended.
        tail: String,
    },
    /// A program was not ready in time, and was stopped.
    #[error("{program} was not ready after {waited:?} ({last}); its log is {}, which ends:\n{tail}", log.display())]
    NotReady {
        /// Its name.
        program: &'static str,
        /// How long it had.
        waited: Duration,
        /// What the last question for its health came to.
        last: String,
        /// Its whole log, which is kept.
        log: PathBuf,
        /// The last lines of it.
        tail: String,
    },
}

impl ControlPlaneError {
    pub(super) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    /// Whether a port that was free when it was chosen was taken when it was needed.
    pub(super) fn is_port_taken(&self) -> bool {
        matches!(self, Self::Ended { tail, .. } if tail.contains("address already in use"))
    }

    /// Removes what it names, when nobody is going to be told.
    pub(super) fn remove_log(&self) {
        if let Self::Ended { log, .. } | Self::NotReady { log, .. } = self
            && let Some(folder) = log.parent()
        {
            // It is a temporary folder.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Which binaries are missing, and where they were looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingBinaries {
    /// Each with the path where it is not.
    pub missing: Vec<(&'static str, PathBuf)>,
}

impl std::error::Error for MissingBinaries {}

impl fmt::Display for MissingBinaries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no control plane can be started: ")?;
        for (n, (program, path)) in self.missing.iter().enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            write!(f, "{comma}{program} is not at {}", path.display())?;
        }
        f.write_str(
            "; set KUBEBUILDER_ASSETS to a folder that has both, as setup-envtest prints it",
        )?;
        f.write_str(", or TEST_ASSET_ETCD and TEST_ASSET_KUBE_APISERVER")
    }
}
