//! Labels that many objects have, once.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;

use crate::sync::Mutex;

/// What an object is labelled with.
pub(super) type Labels = BTreeMap<String, String>;

/// Every map of labels that some object has.
#[derive(Debug, Default)]
pub(super) struct SharedLabels {
    hasher: foldhash::fast::RandomState,
    /// With their hashes, so that growing looks at no map.
    table: Mutex<HashTable<(u64, Arc<Labels>)>>,
}

impl SharedLabels {
    /// The map that equals this one. To be given back with [`release`](Self::release).
    pub(super) fn share(&self, labels: &Labels) -> Arc<Labels> {
        let hash = self.hasher.hash_one(labels);
        let mut table = self.table.lock();
        let entry = table.entry(hash, |(other, map)| *other == hash && **map == *labels, |e| e.0);
        entry.or_insert_with(|| (hash, Arc::new(labels.clone()))).get().1.clone()
    }

    /// Takes a map back; with the last object that has it, it goes.
    pub(super) fn release(&self, labels: Arc<Labels>) {
        let hash = self.hasher.hash_one(&*labels);
        let mut table = self.table.lock();
        // All who have it give it back under the lock: the table's and this one are the last two.
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
