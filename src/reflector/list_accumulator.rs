//! The objects that a list, or the initial events of a stream, have brought so far.

use std::collections::HashSet;

use kube::Resource;

use crate::object::{Cached, KeyPositions, ObjectKey, Replacement, ResourceVersion};
use crate::yield_budget::YieldBudget;

/// A collection in the making: one object a key, in the order of arrival.
pub(super) struct ListAccumulator<K> {
    items: Vec<Option<(ObjectKey, Cached<K>)>>,
    places: KeyPositions,
    unreadable: HashSet<ObjectKey>,
    /// An item came that can't be told which it is.
    nameless: bool,
    /// A state came that was not known.
    news: bool,
}

impl<K> Default for ListAccumulator<K> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            places: KeyPositions::default(),
            unreadable: HashSet::new(),
            nameless: false,
            news: false,
        }
    }
}

impl<K: Resource> ListAccumulator<K> {
    pub(super) fn len(&self) -> u64 {
        self.places.len() as u64
    }

    /// Returns how many keys there are, with those of unreadable objects.
    pub(super) fn keys(&self) -> usize {
        self.places.len() + self.unreadable.len()
    }

    /// Notes that a state came that was not known.
    pub(super) fn note_news(&mut self) {
        self.news = true;
    }

    /// Returns whether a state came that was not known.
    pub(super) fn has_news(&self) -> bool {
        self.news
    }

    /// Whether every item's name could be read.
    pub(super) fn is_clean(&self) -> bool {
        !self.nameless
    }

    /// Forgets everything, in turns: to free many objects takes long. An object whose drop panics
    /// keeps no other from being freed.
    pub(super) async fn discard(&mut self) {
        let mut budget = YieldBudget::new();
        for item in std::mem::take(self).items {
            budget.spend(1).await;
            crate::panic::let_go(item);
        }
    }

    fn place(&self, key: &ObjectKey) -> Option<usize> {
        self.places.get(key, |place| is_at(&self.items, place, key))
    }

    /// An item of a list: of two with one key, as a list continued across versions or a stream that
    /// repeats itself has them, the newer stands.
    pub(super) fn list(&mut self, key: ObjectKey, object: Cached<K>) {
        if let Some(place) = self.place(&key)
            && let Some((_, listed)) = &self.items[place]
            && is_older(&object, listed)
        {
            return;
        }
        self.put(key, object);
    }

    /// An object that is, or has become, so.
    pub(super) fn put(&mut self, key: ObjectKey, object: Cached<K>) {
        self.unreadable.remove(&key);
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

    /// An object that is there but could not be decoded; `None`: nor could its name.
    pub(super) fn unreadable(&mut self, key: Option<ObjectKey>) {
        match key {
            Some(key) => {
                self.remove(&key);
                self.unreadable.insert(key);
            }
            None => self.nameless = true,
        }
    }

    /// Hands the whole over, and begins anew.
    pub(super) fn take(&mut self, version: ResourceVersion, restored: bool) -> Replacement<K> {
        let all = std::mem::take(self);
        Replacement {
            items: all.items.into_iter().flatten().collect(),
            unreadable: all.unreadable,
            complete: !all.nameless,
            version,
            restored,
        }
    }
}

/// Whether the object at a place is the one of this key.
fn is_at<K>(items: &[Option<(ObjectKey, Cached<K>)>], place: usize, key: &ObjectKey) -> bool {
    matches!(items.get(place), Some(Some((other, _))) if other == key)
}

/// Whether a state of an object is older than another of it; what has no version is.
fn is_older<K: Resource>(object: &Cached<K>, other: &Cached<K>) -> bool {
    let version = |object: &Cached<K>| object.version().unwrap_or_else(|| "".into());
    version(object).is_older_than(&version(other))
}
