//! The parts of an informer that are not public, and that the layer above uses.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::{SharedInformer, Unsynced};
use crate::object::ShardSelector;
use crate::panic::SafeDropper;

impl<K: ?Sized> SharedInformer<K> {
    /// Returns the resync period of the handlers, if there is one.
    pub(crate) fn default_resync(&self) -> Option<Duration> {
        self.pipeline.default_resync
    }

    /// Returns a receiver that is woken when the handlers were notified of another shard in the
    /// store, or when the store is proved fresh.
    pub(crate) fn shard_changes(&self) -> watch::Receiver<()> {
        self.pipeline.shard_changes.subscribe()
    }

    /// Returns whether a watch was ever opened.
    pub(crate) fn has_watched(&self) -> bool {
        self.pipeline.monitor.has_watched()
    }

    /// Returns the state and the last error, if the server has refused to open a watch for this
    /// long.
    pub(crate) fn unwatched(&self, limit: Duration) -> Option<Unsynced> {
        let refused = self.pipeline.monitor.watch_refused().filter(|time| *time >= limit)?;
        Some(self.unsynced().unwatched(refused))
    }

    /// Notes the error of a consumer that ended because a key spun, for waits that it cuts short.
    pub(crate) fn note_spin(&self, error: Arc<str>) {
        *self.pipeline.spin.lock() = Some(error);
    }

    /// Returns the count of objects whose `Drop` panicked.
    pub(crate) fn dropper(&self) -> &SafeDropper {
        &self.pipeline.dropper
    }

    /// Returns whether a selector or a query parameter narrows the collection.
    pub(crate) fn is_narrowed(&self) -> bool {
        self.pipeline.narrowed
    }

    /// Returns the channel of the shard that is followed. `None` for the whole collection.
    pub(crate) fn wanted_shard(&self) -> Option<&watch::Receiver<ShardSelector>> {
        self.pipeline.wanted_shard.as_ref()
    }

    /// Returns whether a transform changes the objects before they are stored.
    pub(crate) fn is_transformed(&self) -> bool {
        self.pipeline.transformed
    }

    /// Returns whether the stored objects keep this manager's entries of managed fields.
    pub(crate) fn keeps_managed_fields(&self, manager: &str) -> bool {
        self.pipeline.keeps_managed_fields(manager)
    }

    /// Waits until the kind of the objects is known not to be served. Cancel safe.
    pub(crate) async fn awaits_kind(&self) {
        self.pipeline.monitor.awaits_kind().await;
    }
}
