//! The deltas on their way to the store, by key.
//!
//! Together with the store, this says which objects will exist once everything queued is done. It
//! also counts the deltas that are popped and not yet done, because until then the store may not
//! show them.

use std::collections::HashMap;

use crate::object::{Cached, Delta, KeyMap, KnownObjects, ObjectKey};

/// A summary by key of the deltas that are queued, or popped and not done.
#[derive(Default)]
pub(super) struct Pending {
    keys: KeyMap<Entry>,
    deltas: usize,
    batches: u64,
}

struct Entry {
    /// The number of pending deltas of this key.
    deltas: usize,
    /// The object after these deltas, or `None` if they delete it.
    latest: Option<Cached>,
    /// The batch id and the position in it of the last of these deltas.
    last_at: (u64, usize),
}

impl Pending {
    pub(super) fn next_batch_id(&mut self) -> u64 {
        self.batches += 1;
        self.batches
    }

    /// Returns the id of the newest batch. Zero before the first.
    pub(super) fn last_batch_id(&self) -> u64 {
        self.batches
    }

    pub(super) fn deltas(&self) -> usize {
        self.deltas
    }

    pub(super) fn last_at(&self, key: &ObjectKey) -> Option<(u64, usize)> {
        self.keys.get(key).map(|entry| entry.last_at)
    }

    /// Returns the object after everything queued: from the queue if it is pending there, otherwise
    /// from the store.
    pub(super) fn latest(&self, key: &ObjectKey, known: &dyn KnownObjects) -> Option<Cached> {
        match self.keys.get(key) {
            Some(entry) => entry.latest.clone(),
            None => known.get(key),
        }
    }

    /// Returns each object with pending deltas as it will be after them.
    pub(super) fn all_latest(
        &self,
    ) -> HashMap<ObjectKey, Option<Cached>, foldhash::fast::RandomState> {
        self.keys.iter().map(|(key, entry)| (key.clone(), entry.latest.clone())).collect()
    }

    /// Forgets everything. Returns the objects, for the caller to drop without a lock.
    pub(super) fn forget(&mut self) -> impl Iterator<Item = Cached> + use<> {
        self.deltas = 0;
        std::mem::take(&mut self.keys).into_entries().filter_map(|(_, entry)| entry.latest)
    }

    /// Makes room for `keys` more keys.
    pub(super) fn reserve(&mut self, keys: usize) {
        self.keys.reserve(keys);
    }

    /// Counts a delta that is queued at `at`.
    pub(super) fn note(&mut self, key: &ObjectKey, delta: &Delta, at: (u64, usize)) {
        self.deltas += 1;
        let latest = match delta {
            // The known object stays as it was.
            Delta::Unreadable | Delta::Forgotten => return,
            Delta::Deleted { .. } | Delta::MovedAway(_) => None,
            _ => delta.object().cloned(),
        };
        if let Some(entry) = self.keys.get_mut(key) {
            entry.deltas += 1;
            entry.latest = latest;
            entry.last_at = at;
        } else {
            self.keys.add(key.clone(), Entry { deltas: 1, latest, last_at: at });
        }
    }

    /// Removes deltas that the store now shows.
    pub(super) fn finish(&mut self, deltas: &[(ObjectKey, Delta)]) {
        self.deltas = self.deltas.saturating_sub(deltas.len());
        for (key, delta) in deltas {
            if matches!(delta, Delta::Unreadable | Delta::Forgotten) {
                continue;
            }
            if let Some(entry) = self.keys.get_mut(key) {
                entry.deltas -= 1;
                if entry.deltas == 0 {
                    self.keys.remove(key);
                }
            }
        }
    }
}
