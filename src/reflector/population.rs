//! What a list, or the initial events of a stream, have brought so far.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kube::Resource;

use crate::object::{ObjectKey, Replacement, ResourceVersion};

/// A collection in the making: one object a key, in the order of arrival.
pub(super) struct Population<K> {
    items: Vec<Option<(ObjectKey, Arc<K>)>>,
    places: HashMap<ObjectKey, usize, foldhash::fast::RandomState>,
    unreadable: HashSet<ObjectKey>,
    /// An item came that can't be told which it is.
    nameless: bool,
}

impl<K> Default for Population<K> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            places: HashMap::default(),
            unreadable: HashSet::new(),
            nameless: false,
        }
    }
}

impl<K: Resource> Population<K> {
    pub(super) fn len(&self) -> u64 {
        self.places.len() as u64
    }

    /// Whether every item's name could be read.
    pub(super) fn is_clean(&self) -> bool {
        !self.nameless
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// An item of a list: of two with one key, as a list continued across versions or a stream that
    /// repeats itself has them, the newer stands.
    pub(super) fn list(&mut self, key: ObjectKey, object: Arc<K>) {
        if let Some(&place) = self.places.get(&key)
            && let Some((_, listed)) = &self.items[place]
            && version(&*object).is_older_than(&version(&**listed))
        {
            return;
        }
        self.put(key, object);
    }

    /// An object that is, or has become, so.
    pub(super) fn put(&mut self, key: ObjectKey, object: Arc<K>) {
        self.unreadable.remove(&key);
        if let Some(&place) = self.places.get(&key) {
            self.items[place] = Some((key, object));
        } else {
            self.places.insert(key.clone(), self.items.len());
            self.items.push(Some((key, object)));
        }
    }

    pub(super) fn remove(&mut self, key: &ObjectKey) {
        self.unreadable.remove(key);
        if let Some(place) = self.places.remove(key) {
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
    pub(super) fn take(&mut self, version: ResourceVersion, authoritative: bool) -> Replacement<K> {
        let all = std::mem::take(self);
        drop(all.places);
        Replacement {
            items: all.items.into_iter().flatten().collect(),
            unreadable: all.unreadable,
            complete: !all.nameless,
            version,
            authoritative,
        }
    }
}

fn version<K: Resource>(object: &K) -> ResourceVersion {
    object.meta().resource_version.as_deref().unwrap_or_default().into()
}
