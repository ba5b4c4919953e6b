//! Where in a list each key is.

use hashbrown::HashTable;

use super::{ObjectKey, hash_str};

/// A table of places by key; the keys themselves stay in the list.
///
/// It keeps each key's hash, so it grows without looking at a single key: a table of 100,000 keys
/// far apart in memory would otherwise take milliseconds each time.
#[derive(Debug, Default)]
pub(crate) struct Places(HashTable<(u64, usize)>);

impl Places {
    pub(crate) fn with_capacity(keys: usize) -> Self {
        Self(HashTable::with_capacity(keys))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The place of a key. `is_at`: whether the key at a place is this one.
    pub(crate) fn get(&self, key: &ObjectKey, is_at: impl Fn(usize) -> bool) -> Option<usize> {
        let hash = hash_str(key.as_str());
        let found = self.0.find(hash, |&(other, place)| other == hash && is_at(place));
        found.map(|&(_, place)| place)
    }

    /// Puts a key in that is not there.
    pub(crate) fn insert(&mut self, key: &ObjectKey, place: usize) {
        let hash = hash_str(key.as_str());
        self.0.insert_unique(hash, (hash, place), |&(hash, _)| hash);
    }

    /// Takes a key out, and gives its place.
    pub(crate) fn remove(
        &mut self,
        key: &ObjectKey,
        is_at: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let hash = hash_str(key.as_str());
        let found = self.0.find_entry(hash, |&(other, place)| other == hash && is_at(place));
        found.ok().map(|entry| entry.remove().0.1)
    }
}
