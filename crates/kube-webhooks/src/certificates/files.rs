//! A certificate and its key in two files.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tokio::task::spawn_blocking;
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
        let source = format!("the certificate in {}", self.chain.display());
        loop {
            let read = self.read(slot).await.map_err(|error| crate::chain(&*error));
            slot.told(&source, read, SystemTime::now());
            sleep(self.poll).await;
        }
    }

    async fn read(&self, slot: &Slot) -> Result<(), BoxError> {
        let Self { chain, key, .. } = self.clone();
        // Reading may block.
        let reading = spawn_blocking(move || Ok((read(&chain)?, read(&key)?)));
        let read: Result<_, BoxError> = reading.await?;
        let (chain, key) = read?;
        slot.set(&chain, &key, SystemTime::now()).map_err(|error| {
            let (chain, key, poll) = (self.chain.display(), self.key.display(), self.poll);
            format!("{error}: write {chain} and {key} again; they are read every {poll:?}").into()
        })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, BoxError> {
    let read = std::fs::read(path);
    read.map_err(|error| format!("cannot read {}: {error}", path.display()).into())
}
