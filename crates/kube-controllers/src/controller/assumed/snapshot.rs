//! The state of a store at one moment, with assumed objects over it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use kube::Resource;

use super::overlay::Laid;
use crate::basics::Mutex;
use kube_informer::indexer::{Index, Snapshot};
use kube_informer::object::ObjectKey;

/// The state of the store at one moment, with the assumed objects over it. Later writes do not
/// change it.
///
/// A reader finds here what it finds in a [`Snapshot`]. [`is_assumed`](Self::is_assumed) tells
/// assumed objects from others.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::Index;
/// use kube_controllers::controller::AssumedView;
///
/// /// Counts the pods of a node: those that the cache shows, and those that were just bound.
/// fn pods_on(view: &AssumedView<Pod>, by_node: &Index<Pod>, node: &str) -> (usize, usize) {
///     let pods = view.snapshot();
///     let assumed = pods.indexed(by_node, node).filter(|(key, _)| pods.is_assumed(key)).count();
///     (pods.indexed(by_node, node).count(), assumed)
/// }
/// ```
pub struct AssumedSnapshot<K> {
    store: Snapshot<K>,
    laid: Laid,
    /// The keys of assumed objects by value, for each index that was read.
    filed: Mutex<Vec<(Index<K>, Arc<Filed>)>>,
}

/// The keys of assumed objects, by value of an index.
type Filed = HashMap<String, Vec<ObjectKey>>;

impl<K: Resource + Send + Sync + 'static> AssumedSnapshot<K> {
    pub(super) fn new(store: Snapshot<K>, laid: Laid) -> Self {
        Self { store, laid, filed: Mutex::default() }
    }

    /// Returns the store's own state, without assumed objects.
    pub fn store(&self) -> &Snapshot<K> {
        &self.store
    }

    /// Returns whether the object with this key is assumed: created, changed or deleted by a write
    /// that the store does not show. O(1).
    pub fn is_assumed(&self, key: &ObjectKey) -> bool {
        self.laid.contains_key(key)
    }

    /// Returns the number of assumed objects, with those that are assumed to be deleted. O(1).
    pub fn assumed(&self) -> usize {
        self.laid.len()
    }

    /// Returns the object with this key, or `None` if it is neither stored nor assumed, or can't be
    /// unpacked. As [`Snapshot::get`] otherwise.
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<K>> {
        match self.laid.get(key) {
            Some(assumed) => assumed.as_ref()?.get_as(),
            None => self.store.get(key),
        }
    }

    /// Returns every object with its key, in no particular order. As [`Snapshot::iter`] otherwise.
    pub fn iter(&self) -> impl Iterator<Item = (&ObjectKey, Arc<K>)> {
        let stored = self.store.iter_cached().filter(|(key, _)| !self.is_assumed(key));
        let stored = stored.filter_map(|(key, stored)| Some((key, stored.get_as()?)));
        let assumed = self.laid.iter();
        let assumed = assumed.filter_map(|(key, object)| Some((key, object.as_ref()?.get_as()?)));
        stored.chain(assumed)
    }

    /// Returns every object that has this value in `index`, with its key, in no particular order.
    /// As [`Snapshot::indexed`] otherwise.
    ///
    /// The first read of an index calls its function for each assumed object: O(a) for `a` of them.
    /// If the function panics, the object has no values. It has none either if another handle of
    /// the informer added the index, such as one of whole objects, and the assumed view is of a
    /// view. A log message reports each case.
    pub fn indexed(
        &self,
        index: &Index<K>,
        value: &str,
    ) -> impl Iterator<Item = (&ObjectKey, Arc<K>)> + use<'_, K> {
        let stored = self.store.indexed(index, value).filter(|(key, _)| !self.is_assumed(key));
        let keys = self.filed(index).get(value).cloned().unwrap_or_default();
        let assumed = keys.into_iter().filter_map(|key| {
            let (key, object) = self.laid.get_key_value(&key)?;
            Some((key, object.as_ref()?.get_as()?))
        });
        stored.chain(assumed)
    }

    /// Returns the keys of assumed objects by their values in an index.
    fn filed(&self, index: &Index<K>) -> Arc<Filed> {
        if let Some((_, filed)) = self.filed.lock().iter().find(|(of, _)| of == index) {
            return filed.clone();
        }
        let mut filed = Filed::new();
        let objects = self.laid.iter().filter_map(|(key, object)| Some((key, object.as_ref()?)));
        for (key, object) in objects {
            for value in index.values_of(&self.store, object) {
                filed.entry(value).or_default().push(key.clone());
            }
        }
        let filed = Arc::new(filed);
        self.filed.lock().push((index.clone(), filed.clone()));
        filed
    }
}

impl<K> fmt::Debug for AssumedSnapshot<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AssumedSnapshot")
            .field("store", &self.store)
            .field("assumed", &self.laid.len())
            .finish_non_exhaustive()
    }
}
