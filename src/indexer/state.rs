//! Everything the store holds at one moment.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use kube::Resource;

use super::IndexFault;
use super::trie::Trie;
use crate::object::{Cached, ObjectKey, ObjectState, ResourceVersion, hash_parts, hash_str};

/// The objects filed under one value.
pub(super) type Posting<K> = Trie<ObjectKey, Cached<K>>;

/// What gives an object's values.
pub(super) type Values<K> = Arc<dyn Fn(&K) -> Vec<String> + Send + Sync>;

/// One moment: cloning it is cheap, whatever it holds.
pub(super) struct State<K> {
    pub(super) version: Option<ResourceVersion>,
    pub(super) objects: Trie<ObjectKey, Cached<K>>,
    pub(super) namespaces: Postings<K>,
    pub(super) indexes: Vec<IndexState<K>>,
    pub(super) stale: Arc<HashSet<ObjectKey>>,
}

/// An index: its function, and what it has filed.
pub(super) struct IndexState<K> {
    pub(super) name: Arc<str>,
    values: Values<K>,
    pub(super) postings: Postings<K>,
}

/// Objects by value; a value without objects is not there.
pub(super) struct Postings<K>(Trie<Arc<str>, Posting<K>>);

impl<K> Postings<K> {
    fn new() -> Self {
        Self(Trie::new())
    }

    pub(super) fn get(&self, value: &str) -> Option<&Posting<K>> {
        self.0.get(hash_str(value), |other| **other == *value)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Posting<K>)> {
        self.0.iter()
    }

    fn put(&mut self, value: &str, key: &ObjectKey, object: &Cached<K>) {
        let hash = key.store_hash();
        self.0.upsert(
            hash_str(value),
            |other| **other == *value,
            |posting| drop(posting.insert(hash, key, object)),
            || {
                let mut posting = Trie::new();
                posting.insert(hash, key, object);
                (value.into(), posting)
            },
        );
    }

    fn remove(&mut self, value: &str, key: &ObjectKey) {
        let hash = hash_str(value);
        let Some(posting) = self.0.get_mut(hash, |other| **other == *value) else { return };
        posting.remove(key.store_hash(), |other| other == key);
        if posting.is_empty() {
            self.0.remove(hash, |other| **other == *value);
        }
    }
}

impl<K> State<K> {
    pub(super) fn new() -> Self {
        Self {
            version: None,
            objects: Trie::new(),
            namespaces: Postings::new(),
            indexes: Vec::new(),
            stale: Arc::default(),
        }
    }

    pub(super) fn get(&self, key: &ObjectKey) -> Option<&Cached<K>> {
        self.objects.get(key.store_hash(), |other| other == key)
    }

    pub(super) fn get_by_name(&self, namespace: Option<&str>, name: &str) -> Option<&Cached<K>> {
        self.objects.get(hash_parts(namespace, name), |key| key.is(namespace, name))
    }

    /// The object that is stored in this very state, and not marked stale.
    pub(super) fn unchanged(&self, state: &ObjectState<'_>) -> Option<(&ObjectKey, &Cached<K>)>
    where
        K: Resource,
    {
        let &ObjectState { namespace, name, .. } = state;
        let hash = hash_parts(namespace, name);
        let (key, object) = self.objects.get_entry(hash, |key| key.is(namespace, name))?;
        let same = object.is_in_state(state) && !self.stale.contains(key);
        same.then_some((key, object))
    }

    pub(super) fn put(
        &mut self,
        key: &ObjectKey,
        object: &Cached<K>,
        faults: &mut Vec<IndexFault>,
    ) -> Option<Cached<K>> {
        self.unmark_stale(key);
        let old = self.objects.insert(key.store_hash(), key, object);
        if let Some(namespace) = key.namespace() {
            self.namespaces.put(namespace, key, object);
        }
        self.file(key, old.as_ref(), Some(object), faults);
        old
    }

    pub(super) fn remove(
        &mut self,
        key: &ObjectKey,
        faults: &mut Vec<IndexFault>,
    ) -> Option<Cached<K>> {
        let old = self.objects.remove(key.store_hash(), |other| other == key)?;
        self.unmark_stale(key);
        if let Some(namespace) = key.namespace() {
            self.namespaces.remove(namespace, key);
        }
        self.file(key, Some(&old), None, faults);
        Some(old)
    }

    /// Files an object in every index.
    fn file(
        &mut self,
        key: &ObjectKey,
        old: Option<&Cached<K>>,
        new: Option<&Cached<K>>,
        faults: &mut Vec<IndexFault>,
    ) {
        if self.indexes.is_empty() {
            return;
        }
        let old = old.and_then(Cached::get);
        let readable = new.and_then(|new| Some((new, new.get()?)));
        for index in &mut self.indexes {
            let new = readable.as_ref().map(|(new, object)| (*new, &**object));
            index.file(key, old.as_deref(), new, faults);
        }
    }

    pub(super) fn mark_stale(&mut self, key: &ObjectKey) {
        if self.get(key).is_some() && !self.stale.contains(key) {
            Arc::make_mut(&mut self.stale).insert(key.clone());
        }
    }

    fn unmark_stale(&mut self, key: &ObjectKey) {
        if self.stale.contains(key) {
            Arc::make_mut(&mut self.stale).remove(key);
        }
    }

    /// Adds an index and files every object.
    pub(super) fn add_index(
        &mut self,
        name: &str,
        values: Values<K>,
        faults: &mut Vec<IndexFault>,
    ) {
        let mut index = IndexState { name: name.into(), values, postings: Postings::new() };
        for (key, cached) in self.objects.iter() {
            if let Some(object) = cached.get() {
                index.file(key, None, Some((cached, &object)), faults);
            }
        }
        self.indexes.push(index);
    }
}

impl<K> IndexState<K> {
    /// Files an object under its values and takes it from those it no longer has. Values that stay
    /// only get the new object.
    fn file(
        &mut self,
        key: &ObjectKey,
        old: Option<&K>,
        new: Option<(&Cached<K>, &K)>,
        faults: &mut Vec<IndexFault>,
    ) {
        // A function that panics on the old object panicked when that was filed, under nothing.
        let before = old.and_then(|old| self.values(old).ok()).unwrap_or_default();
        let after = match new.map(|(_, object)| self.values(object)) {
            None => Vec::new(),
            Some(Ok(values)) => values,
            Some(Err(message)) => {
                faults.push(IndexFault { index: self.name.clone(), key: key.clone(), message });
                Vec::new()
            }
        };
        for value in before.iter().filter(|value| !after.contains(value)) {
            self.postings.remove(value, key);
        }
        if let Some((new, _)) = new {
            for value in &after {
                self.postings.put(value, key, new);
            }
        }
    }

    fn values(&self, object: &K) -> Result<Vec<String>, String> {
        catch_unwind(AssertUnwindSafe(|| (self.values)(object)))
            .map_err(|panic| crate::panic::message(&*panic).to_owned())
    }
}

impl<K> Clone for Postings<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K> Clone for IndexState<K> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            values: self.values.clone(),
            postings: self.postings.clone(),
        }
    }
}

impl<K> Clone for State<K> {
    fn clone(&self) -> Self {
        Self {
            version: self.version.clone(),
            objects: self.objects.clone(),
            namespaces: self.namespaces.clone(),
            indexes: self.indexes.clone(),
            stale: self.stale.clone(),
        }
    }
}
