//! A run of deltas that the store applies whole or not at all.

use crate::object::{Delta, ObjectKey, ResourceVersion, ShardSelector};

/// A contiguous run of the server's history, as deltas.
///
/// A store of one's own applies each batch as a whole:
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
///             Delta::Sync(_) | Delta::Forgotten => {}
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
    /// The deltas, in order. For a list, deletions come first, then the items in list order.
    pub deltas: Vec<(ObjectKey, Delta)>,
    /// The version of the collection after this batch, or `None` if it is not known.
    pub version: Option<ResourceVersion>,
    /// True if the server's history was lost. Then `version` counts although it is lower than the
    /// store's, and an object that is not the stored one is new, whatever its version.
    pub restored: bool,
    /// True for the first list.
    pub initial: bool,
    /// True if the batch is a list.
    pub list: bool,
    /// True if the batch is a list of everything that the store holds, not only of arrivals.
    pub whole: bool,
    /// True if every item of the list had a readable key. If false, an object that is missing from
    /// the list may still exist.
    pub complete: bool,
    /// The shard that the store holds after this batch, if the batch changes it.
    pub shard: Option<ShardSelector>,
    /// True if objects that are not stored yet came because the shard became larger.
    pub arrivals: bool,
}

impl Batch {
    pub(super) fn events(id: u64) -> Self {
        Self {
            id,
            deltas: Vec::new(),
            version: None,
            restored: false,
            initial: false,
            list: false,
            whole: false,
            complete: true,
            shard: None,
            arrivals: false,
        }
    }

    pub(super) fn list(id: u64, version: ResourceVersion, restored: bool, complete: bool) -> Self {
        Self { version: Some(version), restored, list: true, complete, ..Self::events(id) }
    }
}
