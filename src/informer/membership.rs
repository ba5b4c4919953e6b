//! The side of an informer that a controller works with.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::{InformerStopped, SharedInformer, StartError, SyncError, Unsynced};
use crate::indexer::Snapshot;
use crate::lister_watcher::Collection;
use crate::processor::{Tap, TapGuard};
use crate::time::Moment;

/// The membership of a consumer that acts on an informer's store, and not only on its events.
///
/// A handler receives changes, merged if it lags behind. A member [registers](Self::register) a
/// tap, which takes every state. A member acts only on a [fresh](Self::fresh) view: one that is as
/// new as the lease or slot whose work it takes over. It learns when the informer
/// [stops](Self::stopped).
#[derive(Clone)]
pub(crate) struct Membership(SharedInformer);

impl<K: ?Sized> SharedInformer<K> {
    /// Joins the informer. The membership keeps it running.
    pub(crate) fn join(&self) -> Membership {
        Membership(self.clone().cast())
    }
}

impl Membership {
    /// Returns the informer.
    pub(crate) fn informer(&self) -> &SharedInformer {
        &self.0
    }

    pub(crate) fn collection(&self) -> &Collection {
        self.0.collection()
    }

    /// Starts the informer unless it already runs.
    pub(crate) fn start(&self) -> Result<(), StartError> {
        self.0.start()
    }

    /// Adds a tap. Returns a snapshot of the store: the tap takes every later change.
    pub(crate) fn register(&self, tap: Tap) -> Result<(TapGuard, Snapshot), InformerStopped> {
        self.0.pipeline.tap(tap)
    }

    /// Returns the resync period of the informer's handlers, if there is one.
    pub(crate) fn resync(&self) -> Option<Duration> {
        self.0.pipeline.default_resync
    }

    /// Returns whether the store shows the state of a quorum read that began after this moment. Any
    /// first list proves [`Moment::START`].
    pub(crate) fn is_fresh(&self, since: Moment) -> bool {
        self.0.pipeline.is_proved_since(since)
    }

    /// Waits until [`is_fresh`](Self::is_fresh) is true, for at most `limit`. The reflector makes a
    /// request if nothing else proves it. All waiters share the request. Cancel safe.
    ///
    /// # Errors
    /// [`SyncError`] after `limit`, or at once if the informer was stopped.
    pub(crate) async fn fresh(&self, since: Moment, limit: Duration) -> Result<(), SyncError> {
        let start = Instant::now();
        match timeout(limit, self.0.pipeline.proved_since(since)).await {
            Ok(true) => Ok(()),
            _ => SyncError::unless_none(vec![self.unsynced()], start),
        }
    }

    /// Waits until the store shows a quorum list of everything that began after this moment, for at
    /// most `limit`. Only this proves that no history was lost. Cancel safe.
    ///
    /// # Errors
    /// [`SyncError`] after `limit`, or at once if the informer was stopped.
    pub(crate) async fn listed(&self, since: Moment, limit: Duration) -> Result<(), SyncError> {
        let start = Instant::now();
        match timeout(limit, self.0.pipeline.listed_since(since)).await {
            Ok(true) => Ok(()),
            _ => SyncError::unless_none(vec![self.unsynced()], start),
        }
    }

    /// Returns a future that wants the proof for [`is_fresh`](Self::is_fresh) while it is held, and
    /// notes it when it is polled. It needs no timer.
    pub(crate) fn proof(&self, since: Moment) -> BoxFuture<'static, bool> {
        let pipeline = self.0.pipeline.clone();
        async move { pipeline.proved_since(since).await }.boxed()
    }

    /// Waits until the first list is in the store. Returns false if the informer stopped before.
    pub(crate) async fn synced(&self) -> bool {
        self.0.pipeline.synced().await
    }

    /// Waits until the informer has not synced because its kind is not served. Cancel safe.
    pub(crate) async fn kind_awaited(&self) {
        if self.0.has_synced() {
            return pending().await;
        }
        self.0.awaits_kind().await;
    }

    /// Returns whether the informer has not synced because its kind is not served.
    pub(crate) fn awaits_kind(&self) -> bool {
        self.kind_awaited().now_or_never().is_some()
    }

    /// Returns whether the store is not fresh and a request has failed within this time.
    pub(crate) fn is_failing(&self, since: Moment, within: Duration) -> bool {
        let last_error = || self.unsynced().last_error;
        !self.is_fresh(since) && last_error().is_some_and(|(_, ago)| ago <= within)
    }

    /// Returns the state and the last error, for an error about the informer.
    pub(crate) fn unsynced(&self) -> Unsynced {
        self.0.unsynced()
    }

    /// Returns whether a watch was ever opened.
    pub(crate) fn has_watched(&self) -> bool {
        self.0.pipeline.monitor.has_watched()
    }

    /// Returns the state and the last error, if the server has refused to open a watch for this
    /// long.
    pub(crate) fn unwatched(&self, limit: Duration) -> Option<Unsynced> {
        let refused = self.0.pipeline.monitor.watch_refused().filter(|time| *time >= limit)?;
        Some(self.unsynced().unwatched(refused))
    }

    /// Returns whether the informer follows a shard.
    pub(crate) fn is_sharded(&self) -> bool {
        self.0.snapshot().shard().is_some()
    }

    /// Returns whether the store holds every followed object at a place on the ring, as new as the
    /// slot. This replica won the slot in this tenure, at the moment `won`.
    pub(crate) fn covers(&self, place: u64, tenure: u64, won: Moment) -> bool {
        match self.0.snapshot().shard() {
            // The informer lists a slot's arriving objects from a quorum.
            Some(shard) => shard.stamp(place).is_some_and(|stamp| stamp == tenure || stamp == 0),
            // Keys wait elsewhere for an informer that has not synced.
            None => self.is_fresh(won) || !self.is_fresh(Moment::START),
        }
    }

    /// Returns a receiver that is woken when the handlers were notified of another shard in the
    /// store, or when the store is proved fresh.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.0.pipeline.shard_changes.subscribe()
    }

    /// Notes the error of the member that ended because a key spun.
    pub(crate) fn note_spin(&self, error: Arc<str>) {
        *self.0.pipeline.spin.lock() = Some(error);
    }

    /// Waits until the informer was stopped or failed.
    pub(crate) async fn stopped(&self) {
        self.0.stopped().await;
    }
}
