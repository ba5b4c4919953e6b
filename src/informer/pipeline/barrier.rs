//! Reads that are at least as new as a moment of the program.

use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::{Instant, timeout};

use super::Pipeline;
use crate::informer::{SharedInformer, SyncError};
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
    /// If a list has an item whose key cannot be read, it counts too, and objects that are missing
    /// from it stay in the store until a list without such an item.
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

impl Pipeline {
    /// Returns whether the store shows the state of a quorum read that began after this moment. Any
    /// first list proves the start.
    fn is_proved_since(&self, since: ReadBarrier) -> bool {
        self.has_synced() && *self.proved.borrow() >= since
    }

    /// Waits until the store shows the state of a quorum read that began after this moment. Returns
    /// false if the informer stopped before.
    async fn proved_since(&self, since: ReadBarrier) -> bool {
        if !self.synced().await {
            return false;
        }
        if !self.is_proved_since(since) {
            let proved = async {
                self.monitor.proved_since(since).await;
                // The changes up to the proof may wait in the queue.
                self.fifo.flushed().await;
            };
            if self.stop.run_until_cancelled(proved).await.is_none() {
                return false;
            }
            self.proved.send_modify(|proved| *proved = since.max(*proved));
            self.shard_changes.send_replace(());
        }
        self.failure.get().is_none()
    }

    /// Waits until the store shows a quorum list of everything that began after this moment.
    /// Returns false if the informer stopped before.
    pub(in crate::informer) async fn listed_since(&self, since: ReadBarrier) -> bool {
        if !self.synced().await {
            return false;
        }
        let listed = async {
            self.monitor.listed_since(since).await;
            // The list may wait in the queue.
            self.fifo.flushed().await;
        };
        self.stop.run_until_cancelled(listed).await.is_some() && self.failure.get().is_none()
    }
}
