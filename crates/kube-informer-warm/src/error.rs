//! The errors of a cache.

use std::io;
use std::path::PathBuf;

/// An error of a [`WarmCache`](super::WarmCache). Informers go on without the cache.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// A file or directory can't be used.
    #[error("{action} {} failed: {source}; check permissions and free space", .path.display())]
    #[non_exhaustive]
    Io {
        /// The operation that failed.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The path of the directory is empty, as is the value of a variable that is not set.
    #[error("an empty path is no directory of a cache; name one of its own")]
    NoPath,
    /// Another process, or another cache of this process, uses the directory.
    #[error("{} is in use; give each process a directory of its own", .0.display())]
    Locked(PathBuf),
    /// Another process has taken the directory over, although this one holds its lock. Some network
    /// file systems grant a lock twice.
    #[error("{} was taken over by another process; do not share the volume", .0.display())]
    TakenOver(PathBuf),
}

impl CacheError {
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}
