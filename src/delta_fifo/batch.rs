//! A run of deltas that the store applies whole or not at all.

use crate::object::{ChunkedVec, Delta, ObjectKey, ResourceVersion, ShardSelector};

/// A contiguous run of the server's history, as deltas.
///
/// A custom store applies each batch as a whole:
///
/// ```
/// use kube_informer::Indexer;
/// use kube_informer::delta_fifo::Batch;
/// use kube_informer::object::Delta;
///
/// fn apply(store: &Indexer, batch: &Batch) {
///     let mut write = store.transaction();
///     for (key, delta) in &batch.deltas {
///         match delta {
///             Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) => {
///                 write.put(key, object);
///             }
///             Delta::Deleted { .. } | Delta::MovedAway(_) => drop(write.remove(key)),
///             Delta::Unreadable => write.mark_stale(key),
///             Delta::Forgotten => {}
///         }
///     }
///     if let Some(version) = &batch.version {
///         write.set_version(version.clone());
///     }
///     write.commit();
/// }
/// ```
#[derive(Debug)]
pub struct Batch {
    pub(super) id: u64,
    pub(crate) kind: BatchKind,
    /// The deltas, in order. For a list, deletions come first, then the items in list order.
    pub deltas: ChunkedVec<(ObjectKey, Delta)>,
    /// The version of the collection after this batch, or `None` if it is not known.
    pub version: Option<ResourceVersion>,
    /// The shard that the store holds after this batch, if the batch changes it.
    pub shard: Option<ShardSelector>,
}

/// The origin of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchKind {
    /// Events in order, or the departure of objects from a shard that became smaller.
    Events,
    /// A list of everything that the store holds.
    List {
        /// True for the first list.
        first: bool,
        /// True if every item of the list had a readable key. If false, an object that is missing
        /// from the list may still exist.
        complete: bool,
        /// True if the server's history was lost. The batch's version then counts even if it is
        /// lower than the store's. An object that is not the stored one is new, whatever its
        /// version.
        restored: bool,
        /// True if objects that are not stored yet may have come because the shard became larger.
        grown: bool,
    },
    /// A list of only the objects that came because the shard became larger.
    Arrivals {
        /// True if every item of the list had a readable key.
        complete: bool,
    },
}

impl Batch {
    pub(super) fn new(id: u64, kind: BatchKind) -> Self {
        Self { id, kind, deltas: ChunkedVec::new(), version: None, shard: None }
    }

    /// Returns whether the batch is the first list. A store that has applied it has synced.
    pub fn is_first_list(&self) -> bool {
        matches!(self.kind, BatchKind::List { first: true, .. })
    }

    /// Returns whether the batch is a list of everything that the store holds.
    pub(crate) fn is_list(&self) -> bool {
        matches!(self.kind, BatchKind::List { .. })
    }

    /// Returns whether every item of a list had a readable key.
    pub(crate) fn is_complete(&self) -> bool {
        matches!(self.kind, BatchKind::List { complete: true, .. })
    }

    /// Returns whether the batch is a list after a loss of the server's history.
    pub(crate) fn is_restored(&self) -> bool {
        matches!(self.kind, BatchKind::List { restored: true, .. })
    }

    /// Returns whether objects that the store does not hold yet are initial for handlers.
    pub(crate) fn adds_are_initial(&self) -> bool {
        matches!(self.kind, BatchKind::List { grown: true, .. } | BatchKind::Arrivals { .. })
    }
}
