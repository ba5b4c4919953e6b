//! Reads that are at least as new as a moment of the program.

use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::{Instant, timeout};

use super::{SharedInformer, SyncError};
use crate::time::ReadBarrier;

impl<K: ?Sized> SharedInformer<K> {
    /// Returns whether a wait to [`reach`](Self::reach) this barrier, or a later one, has ended: the
    /// store shows the state of a quorum read that began after it. Any first list is past
    /// [`ReadBarrier::START`]. O(1).
    pub fn is_past(&self, barrier: ReadBarrier) -> bool {
        self.pipeline.is_proved_since(barrier)
    }

    /// Waits until the store shows the state of a quorum read that began after the barrier, for at
    /// most `limit`. The reflector makes a request if nothing else proves it. All waiters share the
    /// request. Cancel safe.
    ///
    /// # Errors
    /// [`SyncError`] after `limit`, or at once if the informer was stopped.
    pub async fn reach(&self, barrier: ReadBarrier, limit: Duration) -> Result<(), SyncError> {
        self.in_time(limit, self.proof(barrier)).await
    }

    /// Waits until the store shows a quorum list of everything that began after the barrier, for at
    /// most `limit`. Only this proves that no history was lost. Cancel safe.
    ///
    /// # Errors
    /// [`SyncError`] after `limit`, or at once if the informer was stopped.
    #[doc(hidden)]
    pub async fn list_past(&self, barrier: ReadBarrier, limit: Duration) -> Result<(), SyncError> {
        self.in_time(limit, self.pipeline.listed_since(barrier)).await
    }

    /// Returns a future that wants the proof for [`is_past`](Self::is_past) while it is held, and
    /// notes it when it is polled. It needs no timer. Its output is false if the informer stopped.
    #[doc(hidden)]
    pub fn proof(&self, barrier: ReadBarrier) -> BoxFuture<'static, bool> {
        let pipeline = self.pipeline.clone();
        async move { pipeline.proved_since(barrier).await }.boxed()
    }

    async fn in_time(
        &self,
        limit: Duration,
        proof: impl Future<Output = bool>,
    ) -> Result<(), SyncError> {
        let start = Instant::now();
        match timeout(limit, proof).await {
            Ok(true) => Ok(()),
            _ => SyncError::unless_none(vec![self.unsynced()], start),
        }
    }
}
