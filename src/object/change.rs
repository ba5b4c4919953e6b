//! Changes that the reflector reports, and deltas that the store applies to one key.
//!
//! A [`Change`] is a change on the server, or of the informer's shard. A [`Delta`] is what the
//! store does about one key. The delta FIFO turns changes into deltas, because only it knows which
//! objects are already stored or queued.

use super::{Cached, ChunkedVec, ObjectKey, ResourceVersion, ShardSelector};

/// A change that the reflector reports: on the server, or of the shard that it follows.
///
/// Changes come in the server's order. [Arrivals](Self::Arrived) are outside of the order.
#[derive(Debug)]
pub enum Change {
    /// An object was created, or now matches the selectors.
    Added {
        /// The object's key.
        key: ObjectKey,
        /// The object's state.
        object: Cached,
        /// The version of the collection after this change.
        version: Option<ResourceVersion>,
    },
    /// An object was modified.
    Updated {
        /// The object's key.
        key: ObjectKey,
        /// The object's new state.
        object: Cached,
        /// The version of the collection after this change.
        version: Option<ResourceVersion>,
    },
    /// An object was deleted, or no longer matches the selectors.
    Deleted {
        /// The object's key.
        key: ObjectKey,
        /// The final state, or `None` if it could not be decoded.
        object: Option<Cached>,
        /// The version of the collection after this change.
        version: Option<ResourceVersion>,
    },
    /// An object changed into a state that could not be decoded. The stored state is now stale.
    Unreadable {
        /// The object's key.
        key: ObjectKey,
        /// The version of the collection after this change.
        version: Option<ResourceVersion>,
    },
    /// An object left the shard that is followed, or the part of it that was there before the last
    /// [arrivals](Self::Arrived). The change does not apply to an object that is known in this or a
    /// newer state.
    MovedAway {
        /// The object's key.
        key: ObjectKey,
        /// The version of the collection after this change.
        version: Option<ResourceVersion>,
    },
    /// Nothing changed up to this version.
    Bookmark(ResourceVersion),
    /// The whole collection, or the followed shard of it, as of one moment.
    Replace(Replacement),
    /// The shard that is followed became smaller. Holds the part that is left: known objects
    /// outside of it have moved away.
    Narrowed(ShardSelector),
    /// The shard that is followed became larger. Holds only the objects that came. They may be
    /// newer than all others, and than changes that follow. Ignore a change that is older than its
    /// object's known state.
    Arrived(Replacement),
}

/// The objects that a list returned: the whole collection, or the shard that is followed. In
/// [`Change::Arrived`] only the part of the shard that came.
///
/// An object was deleted if the store holds it and the list of its part lacks it:
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::delta_fifo::DeltaFifo;
/// use kube_informer::object::{Change, ChunkedVec, Replacement};
/// use kube_informer::{Indexer, ObjectKey};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let store = Indexer::<Pod>::new();
/// let mut write = store.transaction();
/// write.put(&ObjectKey::namespaced("shop", "web-0")?, Arc::new(Pod::default()));
/// write.commit();
///
/// let fifo = DeltaFifo::new(Arc::new(store));
/// fifo.feed(Change::Replace(Replacement {
///     items: ChunkedVec::new(),
///     unreadable: ChunkedVec::new(),
///     moved: ChunkedVec::new(),
///     complete: true,
///     version: "9".into(),
///     restored: false,
///     shard: None,
///     grown: false,
/// }))
/// .await;
/// let batch = fifo.pop().await.expect("the queue is open");
/// assert!(batch.deltas[0].1.is_deleted());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Replacement {
    /// The objects, in list order. If two have the same key, the last one counts.
    pub items: ChunkedVec<(ObjectKey, Cached)>,
    /// The keys of listed objects that could not be decoded. They count as present.
    pub unreadable: ChunkedVec<ObjectKey>,
    /// The keys of stored objects that are outside of the shard now. They have moved away, and were
    /// not deleted.
    pub moved: ChunkedVec<ObjectKey>,
    /// True if every item's key could be read. If false, an object that is missing from the list
    /// may still exist, so nothing is deleted.
    pub complete: bool,
    /// The list's version.
    pub version: ResourceVersion,
    /// True if the server's history was lost, for example because a backup was restored. A quorum
    /// read then returned a list that is older than what is known, or that has an older state of
    /// an object. The list replaces everything, and its version counts even if it is lower. An
    /// object with the uid and version of a known object may still have another state.
    pub restored: bool,
    /// The shard that the store holds after this change. `None` for the whole collection.
    pub shard: Option<ShardSelector>,
    /// True if the shard became larger since the last list. Objects that are not stored yet are
    /// then reported as initial.
    pub grown: bool,
}

/// A change of one key, which the store applies.
#[derive(Debug)]
pub enum Delta {
    /// The object was created.
    Added(Cached),
    /// The object was modified.
    Updated(Cached),
    /// A list holds the object. If its state is the known one, this is the known object itself.
    Replaced(Cached),
    /// The object is gone.
    Deleted {
        /// The newest known state.
        object: Cached,
        /// True if `object` is the state at deletion; false for a tombstone.
        final_state_known: bool,
    },
    /// The object left the shard that is followed. Holds the newest known state.
    MovedAway(Cached),
    /// The server has the object in a state that could not be decoded. The last decoded state stays
    /// in the store and is marked stale. If there is none, the store notes that the object exists.
    Unreadable,
    /// An object of which no state was decoded is gone, or its first decoded state follows. No
    /// handler was notified of it.
    Forgotten,
}

impl Delta {
    /// Returns the object that this delta carries, if any.
    pub fn object(&self) -> Option<&Cached> {
        match self {
            Self::Added(object)
            | Self::Updated(object)
            | Self::Replaced(object)
            | Self::MovedAway(object)
            | Self::Deleted { object, .. } => Some(object),
            Self::Unreadable | Self::Forgotten => None,
        }
    }

    /// Returns whether the object was deleted. An object that moved away also leaves the store:
    /// match [`MovedAway`](Self::MovedAway).
    pub fn is_deleted(&self) -> bool {
        matches!(self, Self::Deleted { .. })
    }
}

impl Clone for Delta {
    fn clone(&self) -> Self {
        match self {
            Self::Added(object) => Self::Added(object.clone()),
            Self::Updated(object) => Self::Updated(object.clone()),
            Self::Replaced(object) => Self::Replaced(object.clone()),
            Self::Deleted { object, final_state_known } => {
                Self::Deleted { object: object.clone(), final_state_known: *final_state_known }
            }
            Self::MovedAway(object) => Self::MovedAway(object.clone()),
            Self::Unreadable => Self::Unreadable,
            Self::Forgotten => Self::Forgotten,
        }
    }
}
