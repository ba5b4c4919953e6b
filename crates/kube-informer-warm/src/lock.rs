//! The lock of a directory.
//!
//! The lock of the file system keeps other processes out. Some network file systems grant it twice,
//! so the file also has a token of the process that came last, which each commit reads.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::error::CacheError;

#[derive(Debug)]
pub(super) struct DirectoryLock {
    /// Holds the lock until it is closed.
    _file: File,
    path: PathBuf,
    token: String,
    /// The files of the tables that are open.
    open: Mutex<HashSet<PathBuf>>,
}

impl DirectoryLock {
    pub(super) fn take(directory: &Path) -> Result<Self, CacheError> {
        // As a path, it would be the working folder.
        if directory.as_os_str().is_empty() {
            return Err(CacheError::NoPath);
        }
        fs::create_dir_all(directory).map_err(CacheError::io("creating", directory))?;
        let path = directory.join("lock");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(CacheError::io("opening", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                return Err(CacheError::Locked(directory.to_owned()));
            }
            Err(fs::TryLockError::Error(error)) => {
                return Err(CacheError::io("locking", &path)(error));
            }
        }
        let token = format!(
            "{:032x}",
            (u128::from(fastrand::u64(..)) << 64) | u128::from(fastrand::u64(..))
        );
        let mut write = || {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(token.as_bytes())?;
            file.set_len(token.len() as u64)?;
            file.sync_all()
        };
        write().map_err(CacheError::io("writing", &path))?;
        Ok(Self { _file: file, path, token, open: Mutex::default() })
    }

    /// Fails if another process has taken the directory over.
    pub(super) fn check(&self) -> Result<(), CacheError> {
        let found = fs::read(&self.path).map_err(CacheError::io("reading", &self.path))?;
        if found == self.token.as_bytes() {
            return Ok(());
        }
        Err(CacheError::TakenOver(self.path.clone()))
    }

    /// Notes that a table is open. Returns false if it was open already.
    pub(super) fn enter(&self, table: &Path) -> bool {
        self.open.lock().insert(table.to_owned())
    }

    pub(super) fn leave(&self, table: &Path) {
        self.open.lock().remove(table);
    }
}
