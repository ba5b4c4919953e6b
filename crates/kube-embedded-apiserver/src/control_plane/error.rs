//! Errors of starting a control plane.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The error of [`ControlPlane::start`](super::ControlPlane::start). Another try fails as well
/// until its cause is resolved.
///
/// ```
/// use std::path::PathBuf;
/// use kube_embedded_apiserver::control_plane::ControlPlaneError;
///
/// /// Returns the log to attach to the report of a test run.
/// fn log_of(error: ControlPlaneError) -> Option<PathBuf> {
///     match error {
///         ControlPlaneError::Ended { log, .. } => Some(log),
///         ControlPlaneError::NotReady { log, .. } => Some(log),
///         _ => None,
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControlPlaneError {
    /// Binaries are missing. Nothing was started.
    #[error(transparent)]
    Missing(#[from] MissingBinaries),
    /// A file could not be written, no port was found, or a program could not be started.
    #[error("{what}: {source}")]
    Io {
        /// The operation that failed.
        what: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The certificates could not be created.
    #[error("cannot create the certificates: {0}")]
    Certificates(String),
    /// A program ended before it was ready.
    #[error("{program} ended before it was ready; its log is {}, which ends:\n{tail}", log.display())]
    Ended {
        /// The name of the program.
        program: &'static str,
        /// The path of its log, which is kept.
        log: PathBuf,
        /// The last lines of the log. The very last one has the exit status.
        tail: String,
    },
    /// A program was not ready in time, and was stopped.
    #[error("{program} was not ready after {waited:?} ({last}); its log is {}, which ends:\n{tail}", log.display())]
    NotReady {
        /// The name of the program.
        program: &'static str,
        /// The start timeout.
        waited: Duration,
        /// The result of the last health check.
        last: String,
        /// The path of its log, which is kept.
        log: PathBuf,
        /// The last lines of the log.
        tail: String,
    },
}

impl ControlPlaneError {
    pub(super) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    /// Returns whether a port that was free when it was chosen was taken when it was needed.
    pub(super) fn is_port_taken(&self) -> bool {
        matches!(self, Self::Ended { tail, .. } if tail.contains("address already in use"))
    }

    /// Removes the log folder that the error names, because the error is not reported.
    pub(super) fn remove_log(&self) {
        if let Self::Ended { log, .. } | Self::NotReady { log, .. } = self
            && let Some(folder) = log.parent()
        {
            // The folder is temporary.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// The error of [`Binaries::find`](super::Binaries::find): binaries that do not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingBinaries {
    /// The name of each missing binary, and the path where it was expected.
    pub missing: Vec<(&'static str, PathBuf)>,
}

impl std::error::Error for MissingBinaries {}

impl fmt::Display for MissingBinaries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot start a control plane: ")?;
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
