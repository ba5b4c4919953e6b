//! A certificate and its key in two files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::sleep;

use super::Slot;
use crate::BoxError;

#[derive(Clone, Debug)]
pub(super) struct Files {
    pub(super) chain: PathBuf,
    pub(super) key: PathBuf,
    pub(super) poll: Duration,
}

impl Files {
    /// Reads the files from time to time. Symbolic links are exchanged by mounted Secrets, so that
    /// watching the files themselves would not suffice.
    pub(super) async fn follow(&self, slot: &Slot) {
        loop {
            slot.told(self.read(slot).await.map_err(|error| crate::chain(&*error)));
            sleep(self.poll).await;
        }
    }

    async fn read(&self, slot: &Slot) -> Result<(), BoxError> {
        let chain = read(&self.chain).await?;
        let key = read(&self.key).await?;
        slot.set(&chain, &key)
    }
}

async fn read(path: &Path) -> Result<Vec<u8>, BoxError> {
    let read = tokio::fs::read(path).await;
    read.map_err(|error| format!("cannot read {}: {error}", path.display()).into())
}
