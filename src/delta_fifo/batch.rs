//! A run of deltas that is applied whole or not at all.

use crate::object::{Delta, ObjectKey, ResourceVersion};

/// A contiguous run of the server's history, in its order.
#[derive(Debug)]
pub struct Batch<K> {
    pub(super) id: u64,
    /// What to do, in order. In a list: deletions first, then the items in list order.
    pub deltas: Vec<(ObjectKey, Delta<K>)>,
    /// The version the collection has after this batch; `None` where that is not known.
    pub version: Option<ResourceVersion>,
    /// The server's history was lost: `version` stands although it is lower than the store's, and an
    /// object that is not the very one stored is news, whatever its version.
    pub restored: bool,
    /// This is the first population.
    pub initial: bool,
    /// This is a whole list.
    pub list: bool,
    /// Every item of the list had a readable key. Of one that had not, what it lacks may exist.
    pub complete: bool,
}

impl<K> Batch<K> {
    pub(super) fn events(id: u64) -> Self {
        Self {
            id,
            deltas: Vec::new(),
            version: None,
            restored: false,
            initial: false,
            list: false,
            complete: true,
        }
    }

    pub(super) fn list(id: u64, version: ResourceVersion, restored: bool, complete: bool) -> Self {
        Self { version: Some(version), restored, list: true, complete, ..Self::events(id) }
    }
}
