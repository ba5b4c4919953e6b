//! The parts of an informer that are not public, and that the layer above uses.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::{SharedInformer, Unsynced};
use crate::object::ShardSelector;
use crate::panic::{SafeDropper, drop_safely};

impl<K: ?Sized> SharedInformer<K> {
    /// Returns a receiver that is woken when the handlers were notified of another shard in the
    /// store, or when the store is proved fresh.
    #[doc(hidden)]
    pub fn shard_changes(&self) -> watch::Receiver<()> {
        self.pipeline.shard_changes.subscribe()
    }

    /// Returns the state and the last error, if the server has refused to open a watch for this
    /// long.
    #[doc(hidden)]
    pub fn unwatched(&self, limit: Duration) -> Option<Unsynced> {
        let refused = self.pipeline.monitor.watch_refused().filter(|time| *time >= limit)?;
        Some(self.unsynced().unwatched(refused))
    }

    /// Notes the report of a consumer that slows a key, for waits that begin before this time.
    #[doc(hidden)]
    pub fn note_spin(&self, report: Arc<str>, until: Instant) {
        *self.pipeline.spin.lock() = Some((until, report));
    }

    /// Returns the count of objects whose `Drop` panicked.
    #[doc(hidden)]
    pub fn dropper(&self) -> &SafeDropper {
        &self.pipeline.dropper
    }

    /// Returns the path of the collection of all namespaces, such as `/apis/apps/v1/deployments`,
    /// and the field selector. `None` if the source has no path, or the informer was stopped.
    #[doc(hidden)]
    pub fn request(&self) -> Option<(String, Option<String>)> {
        let source = self.pipeline.source()?;
        let request = source.request();
        drop_safely(source);
        request
    }

    /// Returns the channel of the shard that is followed. `None` for the whole collection.
    #[doc(hidden)]
    pub fn wanted_shard(&self) -> Option<&watch::Receiver<ShardSelector>> {
        self.pipeline.wanted_shard.as_ref()
    }

    /// Waits until the kind of the objects is known not to be served. Cancel safe.
    #[doc(hidden)]
    pub async fn awaits_kind(&self) {
        self.pipeline.monitor.awaits_kind().await;
    }
}
