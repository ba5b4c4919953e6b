//! A temporary folder that is removed with its owner.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// The number of attempts to remove the folder: a killed program may still write its last bytes.
const REMOVE_ATTEMPTS: u32 = 20;

#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    logs_stay: bool,
}

impl Folder {
    /// Creates a folder that only its owner can read, because it will hold keys.
    pub(super) fn new() -> io::Result<Self> {
        let name = format!("kube-informer-control-plane-{:016x}", fastrand::u64(..));
        let path = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path, logs_stay: false })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the logs when the folder is removed.
    pub(super) fn keep_logs(&mut self) {
        self.logs_stay = true;
    }

    fn remove(&self) -> io::Result<()> {
        if !self.logs_stay {
            return fs::remove_dir_all(&self.path);
        }
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            if path.is_dir() {
                fs::remove_dir_all(path)?;
            } else if path.extension().is_none_or(|extension| extension != "log") {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        for _ in 0..REMOVE_ATTEMPTS {
            match self.remove() {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    sleep(Duration::from_millis(10));
                }
                _ => return,
            }
        }
    }
}
