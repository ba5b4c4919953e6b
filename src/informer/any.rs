//! Informers of any object type, for those that hold several.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use kube::Resource;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::{InformerStatus, SharedInformer, StartError, SyncError, Unsynced};

/// A [`SharedInformer`] of any object type.
pub(crate) trait AnyInformer: Send + Sync {
    /// Returns the informer's [identity](SharedInformer::identity).
    #[cfg(feature = "manager")]
    fn identity(&self) -> usize;
    fn is_stopped(&self) -> bool;
    fn start(&self) -> Result<(), StartError>;
    /// Waits for the sync. Returns the reasons if it does not come within `limit`.
    fn wait(&self, limit: Duration) -> BoxFuture<'_, Vec<Unsynced>>;
    fn status(&self) -> InformerStatus;
    fn shutdown(&self) -> BoxFuture<'_, ()>;
    fn drain(&self, limit: Duration) -> BoxFuture<'_, bool>;
    fn tasks(&self) -> TaskTracker;
}

impl<K: Resource + Send + Sync + 'static> AnyInformer for SharedInformer<K> {
    #[cfg(feature = "manager")]
    fn identity(&self) -> usize {
        self.identity()
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped()
    }

    fn start(&self) -> Result<(), StartError> {
        self.ensure_started()
    }

    fn wait(&self, limit: Duration) -> BoxFuture<'_, Vec<Unsynced>> {
        let waited = self.wait_for_sync(limit);
        waited.map(|synced| synced.err().map_or_else(Vec::new, |error| error.unsynced)).boxed()
    }

    fn status(&self) -> InformerStatus {
        self.status()
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        self.shutdown().boxed()
    }

    fn drain(&self, limit: Duration) -> BoxFuture<'_, bool> {
        self.shutdown_with_drain(limit).boxed()
    }

    fn tasks(&self) -> TaskTracker {
        self.tasks()
    }
}

/// Waits until these informers have synced.
pub(crate) async fn wait_for_all(
    informers: &[Arc<dyn AnyInformer>],
    limit: Duration,
) -> Result<(), SyncError> {
    let start = Instant::now();
    let waits = informers.iter().map(|informer| informer.wait(limit));
    SyncError::unless_none(join_all(waits).await.into_iter().flatten().collect(), start)
}
