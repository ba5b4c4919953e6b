//! The side of an informer that a controller works with.

use std::ops::Deref;
use std::time::Duration;

use futures::FutureExt;
use futures::future::pending;

use crate::sharding::Sharding;
use kube_informer::informer::{ReadBarrier, SharedInformer, SyncError};

/// A followed informer, of which a controller acts on the store, and not only on the events.
///
/// A controller acts only on a [fresh](Self::fresh) view: one that is as new as the lease or slot
/// whose work it takes over.
#[derive(Clone)]
pub(crate) struct Membership(SharedInformer);

impl Membership {
    /// Joins the informer. The membership keeps it running.
    pub(crate) fn of<K: ?Sized>(informer: &SharedInformer<K>) -> Self {
        Self(informer.clone().cast())
    }

    /// Returns the informer.
    pub(crate) fn informer(&self) -> &SharedInformer {
        &self.0
    }

    /// Returns whether the store shows the state of a quorum read that began after this moment. Any
    /// first list proves [`ReadBarrier::START`].
    pub(crate) fn is_fresh(&self, since: ReadBarrier) -> bool {
        self.is_past(since)
    }

    /// Waits until [`is_fresh`](Self::is_fresh) is true, for at most `limit`. Cancel safe.
    ///
    /// # Errors
    /// [`SyncError`] after `limit`, or at once if the informer was stopped.
    pub(crate) async fn fresh(&self, since: ReadBarrier, limit: Duration) -> Result<(), SyncError> {
        self.reach(since, limit).await
    }

    /// Waits until the first list is in the store. Returns false if the informer stopped before.
    pub(crate) async fn synced(&self) -> bool {
        self.wait_for_sync(Duration::MAX).await.is_ok()
    }

    /// Waits until the informer has not synced because its kind is not served. Cancel safe.
    pub(crate) async fn kind_awaited(&self) {
        if self.has_synced() {
            return pending().await;
        }
        self.0.awaits_kind().await;
    }

    /// Returns whether the informer has not synced because its kind is not served.
    pub(crate) fn awaits_kind(&self) -> bool {
        self.kind_awaited().now_or_never().is_some()
    }

    /// Returns whether the store is not fresh and a request has failed within this time.
    pub(crate) fn is_failing(&self, since: ReadBarrier, within: Duration) -> bool {
        let last_error = || self.unsynced().last_error;
        !self.is_fresh(since) && last_error().is_some_and(|(_, ago)| ago <= within)
    }

    /// Returns whether the informer follows a shard of this sharding, or none.
    pub(crate) fn is_of(&self, sharding: &Sharding) -> bool {
        let of = [sharding.objects(), sharding.dependents()];
        let wanted = self.wanted_shard();
        wanted.is_none_or(|wanted| of.iter().any(|of| wanted.same_channel(of)))
    }

    /// Returns whether the informer follows a shard.
    pub(crate) fn is_sharded(&self) -> bool {
        self.snapshot().shard().is_some()
    }

    /// Returns whether the store holds every followed object at a place on the ring, as new as the
    /// slot. This replica won the slot in this tenure, at the moment `won`.
    pub(crate) fn covers(&self, place: u64, tenure: u64, won: ReadBarrier) -> bool {
        match self.snapshot().shard() {
            // The informer lists a slot's arriving objects from a quorum.
            Some(shard) => shard.stamp(place).is_some_and(|stamp| stamp == tenure || stamp == 0),
            // Keys wait elsewhere for an informer that has not synced.
            None => self.is_fresh(won) || !self.is_fresh(ReadBarrier::START),
        }
    }
}

impl Deref for Membership {
    type Target = SharedInformer;

    fn deref(&self) -> &SharedInformer {
        &self.0
    }
}
