//! The objects received so far from a list, or from the initial events of a stream.

use crate::object::{
    Cached, ChunkedVec, KeyMap, KeyPositions, ObjectKey, Replacement, ResourceVersion,
};
use crate::yield_budget::{PART, YieldBudget};

/// A collection that is being received: one object for each key, in the order of arrival.
#[derive(Default)]
pub(super) struct ListAccumulator {
    items: ChunkedVec<Option<(ObjectKey, Cached)>>,
    places: KeyPositions,
    /// The objects that could not be decoded, with their versions if they could be read.
    unreadable: KeyMap<Option<ResourceVersion>>,
    /// The keys of stored objects that are outside of the shard now.
    moved: KeyMap<()>,
    /// True if an item came whose key cannot be read.
    nameless: bool,
    /// True if an unknown state came.
    news: bool,
    /// The oldest known version of an object that came in an older state.
    went_back: Option<ResourceVersion>,
}

impl ListAccumulator {
    pub(super) fn len(&self) -> u64 {
        self.places.len() as u64
    }

    /// Returns the number of keys, including those of unreadable objects.
    pub(super) fn keys(&self) -> usize {
        self.places.len() + self.unreadable.len()
    }

    /// Notes that an unknown state came.
    pub(super) fn note_news(&mut self) {
        self.news = true;
    }

    /// Notes that an object came in an older state than this known one.
    pub(super) fn note_older(&mut self, known: ResourceVersion) {
        if self.went_back.as_ref().is_none_or(|oldest| known.is_older_than(oldest)) {
            self.went_back = Some(known);
        }
    }

    /// Returns whether the page that ends, of this version, shows lost history. It does if an item
    /// is older than a known state that the version includes.
    pub(super) fn shows_lost_history(&mut self, version: &ResourceVersion) -> bool {
        self.went_back.take().is_some_and(|known| version.is_at_least(&known))
    }

    /// Returns whether an unknown state came.
    pub(super) fn has_news(&self) -> bool {
        self.news
    }

    /// Returns whether the key of every item could be read.
    pub(super) fn is_complete(&self) -> bool {
        !self.nameless
    }

    /// Discards everything, yielding in between, because freeing many objects takes long. If the
    /// `Drop` of one object panics, the others are still freed.
    pub(super) async fn discard(&mut self) {
        let Self { items, places, unreadable, moved, .. } = std::mem::take(self);
        let mut budget = YieldBudget::new();
        budget.free(items, 1).await;
        budget.free(places.into_parts(), PART).await;
        budget.free(unreadable.into_entries(), 1).await;
        budget.free(moved.into_entries(), 1).await;
    }

    fn place(&self, key: &ObjectKey) -> Option<usize> {
        self.places.get(key, |place| is_at(&self.items, place, key))
    }

    /// Adds an item of a list. If a key comes twice, the newer state is kept. That happens in a
    /// list continued across versions, and in a stream that repeats itself.
    pub(super) fn list(&mut self, key: ObjectKey, object: Cached) {
        if let Some(place) = self.place(&key)
            && let Some((_, listed)) = &self.items[place]
            && is_older(&object, listed)
        {
            return;
        }
        if let Some(Some(unreadable)) = self.unreadable.get(&key)
            && object.version().is_none_or(|version| version.is_older_than(unreadable))
        {
            return;
        }
        self.put(key, object);
    }

    /// Adds an object, or replaces its state.
    pub(super) fn put(&mut self, key: ObjectKey, object: Cached) {
        self.unreadable.remove(&key);
        self.moved.remove(&key);
        if let Some(place) = self.place(&key) {
            self.items[place] = Some((key, object));
        } else {
            self.places.insert(&key, self.items.len());
            self.items.push(Some((key, object)));
        }
    }

    pub(super) fn remove(&mut self, key: &ObjectKey) {
        self.unreadable.remove(key);
        let items = &self.items;
        if let Some(place) = self.places.remove(key, |place| is_at(items, place, key)) {
            self.items[place] = None;
        }
    }

    /// Notes a stored object that is outside of the shard now.
    pub(super) fn moved_away(&mut self, key: ObjectKey) {
        self.remove(&key);
        self.moved.insert(key, ());
    }

    /// Notes an object of this version that could not be decoded. `None` for a key that could not
    /// be read either. A newer state that came before is kept.
    pub(super) fn unreadable(&mut self, key: Option<ObjectKey>, version: Option<ResourceVersion>) {
        match key {
            Some(key) => {
                if let Some(place) = self.place(&key)
                    && let (Some(version), Some((_, listed))) = (&version, &self.items[place])
                    && listed.version().is_some_and(|listed| version.is_older_than(&listed))
                {
                    return;
                }
                self.remove(&key);
                self.unreadable.insert(key, version);
            }
            None => self.nameless = true,
        }
    }

    /// Returns everything received, and starts over. Yields in between.
    pub(super) async fn take(&mut self, version: ResourceVersion, restored: bool) -> Replacement {
        let all = std::mem::take(self);
        let mut budget = YieldBudget::new();
        let mut items = ChunkedVec::with_capacity(all.places.len());
        for item in all.items.into_iter().flatten() {
            budget.spend(1).await;
            items.push(item);
        }
        budget.free(all.places.into_parts(), PART).await;
        let unreadable = keys(all.unreadable, &mut budget).await;
        let moved = keys(all.moved, &mut budget).await;
        Replacement {
            items,
            unreadable,
            moved,
            complete: !all.nameless,
            version,
            restored,
            shard: None,
            grown: false,
        }
    }
}

/// Returns the keys of a map. Yields in between.
async fn keys<V>(map: KeyMap<V>, budget: &mut YieldBudget) -> ChunkedVec<ObjectKey> {
    let mut keys = ChunkedVec::new();
    for (key, _) in map.into_entries() {
        budget.spend(1).await;
        keys.push(key);
    }
    keys
}

/// Returns whether the object at this place has this key.
fn is_at(items: &ChunkedVec<Option<(ObjectKey, Cached)>>, place: usize, key: &ObjectKey) -> bool {
    matches!(items.get(place), Some(Some((other, _))) if other == key)
}

/// Returns whether a state of an object is older than another. A state without a version is older.
fn is_older(object: &Cached, other: &Cached) -> bool {
    let version = |object: &Cached| object.version().unwrap_or_else(|| "".into());
    version(object).is_older_than(&version(other))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures::FutureExt;
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::api::ObjectMeta;

    use super::*;
    use crate::helpers::{Bomb, key};
    use crate::object::Value;

    #[test]
    fn newer_of_two_states_counts_if_unreadable() {
        let object = |version: &str| {
            let metadata =
                ObjectMeta { resource_version: Some(version.into()), ..ObjectMeta::default() };
            Cached::any(Arc::new(ConfigMap { metadata, ..ConfigMap::default() }))
        };
        let key = ObjectKey::cluster("a").unwrap();
        for (unreadable, readable, decoded) in [(9, "5", 0), (5, "9", 1)] {
            for unreadable_first in [true, false] {
                let mut list = ListAccumulator::default();
                if unreadable_first {
                    list.unreadable(Some(key.clone()), Some(unreadable.into()));
                }
                list.list(key.clone(), object(readable));
                if !unreadable_first {
                    list.unreadable(Some(key.clone()), Some(unreadable.into()));
                }
                let listed = list.take(10.into(), false).now_or_never().unwrap();
                assert_eq!((listed.items.len(), listed.unreadable.len()), (decoded, 1 - decoded));
            }
        }
    }

    /// A second panic while the first one unwinds would end the process.
    #[test]
    fn several_destructors_of_a_cancelled_list_may_panic() {
        let mut list = ListAccumulator::default();
        for name in ["a", "b", "c"] {
            list.put(key(name), Cached::any(Arc::new(Value::from(Bomb))));
        }
        assert_eq!(list.len(), 3);
        drop(list);
    }
}
