//! Label maps, shared by the objects with equal labels.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;

use crate::sync::Mutex;

/// The labels of an object.
pub(super) type Labels = BTreeMap<String, String>;

/// Every label map that some object has, once.
#[derive(Debug, Default)]
pub(super) struct SharedLabels {
    hasher: foldhash::fast::RandomState,
    /// The maps with their hashes, so that growing reads no map.
    table: Mutex<HashTable<(u64, Arc<Labels>)>>,
}

impl SharedLabels {
    /// Returns the shared map that equals `labels`. The caller gives it back with
    /// [`release`](Self::release).
    pub(super) fn share(&self, labels: &Labels) -> Arc<Labels> {
        let hash = self.hasher.hash_one(labels);
        let mut table = self.table.lock();
        let entry = table.entry(hash, |(other, map)| *other == hash && **map == *labels, |e| e.0);
        entry.or_insert_with(|| (hash, Arc::new(labels.clone()))).get().1.clone()
    }

    /// Takes a map back, and removes it if no other object has it.
    pub(super) fn release(&self, labels: Arc<Labels>) {
        let hash = self.hasher.hash_one(&*labels);
        let mut table = self.table.lock();
        // Every holder gives its map back under this lock, so two references are the table's and
        // this one.
        if Arc::strong_count(&labels) == 2
            && let Ok(entry) = table.find_entry(hash, |(_, map)| Arc::ptr_eq(map, &labels))
        {
            entry.remove();
        }
        drop(labels);
        drop(table);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.table.lock().len()
    }
}
