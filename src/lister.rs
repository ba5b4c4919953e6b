//! Reads the store in the words a controller thinks in: by name, by namespace, by labels.
//!
//! A lister only reads. Each call answers as of the moment it is made; several calls may see
//! several moments, for one moment take a [`Snapshot`].

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Resource;

use crate::indexer::{Indexer, NotReached, Snapshot, is_at_least};
use crate::labels::LabelSelector;
use crate::object::{Cached, ObjectKey, ResourceVersion};
use crate::reflector::ReflectorMonitor;

/// Reads all objects of an informer. A cheap clone.
///
/// A lister keeps the objects readable, but not the informer running: once that was stopped, or its
/// last handle dropped, every answer is as old as that. [`is_stopped`](Self::is_stopped) and
/// [`freshness`](Self::freshness) tell.
pub struct Lister<K> {
    indexer: Indexer<K>,
    resource: Arc<str>,
    /// Of an informer's lister: when the server last proved what is stored.
    reflector: Option<ReflectorMonitor>,
}

/// Reads the objects of one namespace. A cheap clone.
pub struct NamespaceLister<K> {
    lister: Lister<K>,
    namespace: Arc<str>,
}

/// There is no such object in the store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{resource} {}{name:?} not found", namespace.as_ref().map(|n| format!("{n:?}/")).unwrap_or_default())]
#[non_exhaustive]
pub struct NotFound {
    /// The resource as `kubectl` writes it.
    pub resource: Arc<str>,
    /// The namespace asked; `None` for a cluster-scoped object.
    pub namespace: Option<String>,
    /// The name asked.
    pub name: String,
}

/// A read that was not to be older than a version brought nothing.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// At that version, or by now, there is no such object.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// The store did not come to that version in time. Another try may bring more.
    #[error(transparent)]
    NotReached(#[from] NotReached),
}

impl<K: Resource> Lister<K> {
    /// A lister of this store, which speaks of its objects as `resource`.
    pub fn new(indexer: Indexer<K>, resource: Arc<str>) -> Self {
        Self { indexer, resource, reflector: None }
    }

    /// A lister of an informer's store, which this reflector fills.
    pub(crate) fn fed_by(self, reflector: ReflectorMonitor) -> Self {
        Self { reflector: Some(reflector), ..self }
    }

    /// Every object, in no particular order.
    pub fn all(&self) -> Vec<Arc<K>> {
        self.list(&LabelSelector::everything())
    }

    /// The objects that a selector selects, in no particular order. O(n); one that selects nothing
    /// looks at no object, one that selects everything looks at no label.
    pub fn list(&self, selector: &LabelSelector) -> Vec<Arc<K>> {
        let snapshot = self.indexer.snapshot();
        select(snapshot.cached(), selector)
    }

    /// The cluster-scoped object of this name. For a namespaced one, ask its
    /// [`namespace`](Self::namespace).
    ///
    /// # Errors
    /// [`NotFound`].
    pub fn get(&self, name: &str) -> Result<Arc<K>, NotFound> {
        self.find(None, name)
    }

    /// The cluster-scoped object of this name, not older than `version`, which is waited for up to
    /// `limit`: to read what one wrote. Cancel safe.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn get_at_least(
        &self,
        name: &str,
        version: &ResourceVersion,
        limit: Duration,
    ) -> Result<Arc<K>, ReadError> {
        self.find_at_least(None, name, version, limit).await
    }

    /// The object of this key.
    ///
    /// # Errors
    /// [`NotFound`].
    pub fn by_key(&self, key: &ObjectKey) -> Result<Arc<K>, NotFound> {
        let found = self.indexer.get(key);
        found.ok_or_else(|| self.not_found(key.namespace(), key.name()))
    }

    /// Reads one namespace. None has the empty name, which in client-go stands for all of them: for those
    /// ask this lister.
    pub fn namespace(&self, namespace: impl Into<Arc<str>>) -> NamespaceLister<K> {
        NamespaceLister { lister: self.clone(), namespace: namespace.into() }
    }

    /// How many objects there are. O(1).
    pub fn len(&self) -> usize {
        self.indexer.snapshot().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The store as of this moment, to ask it several things.
    pub fn snapshot(&self) -> Snapshot<K> {
        self.indexer.snapshot()
    }

    /// Whether the informer was stopped or failed, so that answers get older and older. Ask for a
    /// new informer then.
    pub fn is_stopped(&self) -> bool {
        self.indexer.is_stopped()
    }

    /// Returns how old the answers may be: the time since the newest proof that the store has
    /// reached. `None` before anything is stored, and of a lister that has no informer.
    pub fn freshness(&self) -> Option<Duration> {
        self.reflector.as_ref()?.freshness_at(self.indexer.snapshot().version())
    }

    fn find(&self, namespace: Option<&str>, name: &str) -> Result<Arc<K>, NotFound> {
        let found = self.indexer.get_by_name(namespace, name);
        found.ok_or_else(|| self.not_found(namespace, name))
    }

    async fn find_at_least(
        &self,
        namespace: Option<&str>,
        name: &str,
        version: &ResourceVersion,
        limit: Duration,
    ) -> Result<Arc<K>, ReadError> {
        let seen = |store: &Snapshot<K>| {
            let found = store.cached_by_name(namespace, name);
            let new_enough = found.is_some_and(|object| is_at_least(object, version));
            (new_enough || store.has_reached(version)).then(|| found.and_then(Cached::get))
        };
        let found = self.indexer.wait_until(version, limit, seen).await?;
        Ok(found.ok_or_else(|| self.not_found(namespace, name))?)
    }

    fn not_found(&self, namespace: Option<&str>, name: &str) -> NotFound {
        NotFound {
            resource: self.resource.clone(),
            namespace: namespace.map(Into::into),
            name: name.to_owned(),
        }
    }
}

impl<K: Resource> NamespaceLister<K> {
    /// Every object of the namespace, in no particular order. O(objects in it).
    pub fn all(&self) -> Vec<Arc<K>> {
        self.list(&LabelSelector::everything())
    }

    /// The objects of the namespace that a selector selects, in no particular order.
    pub fn list(&self, selector: &LabelSelector) -> Vec<Arc<K>> {
        let snapshot = self.lister.indexer.snapshot();
        select(snapshot.cached_namespace(&self.namespace), selector)
    }

    /// The object of this name.
    ///
    /// # Errors
    /// [`NotFound`].
    pub fn get(&self, name: &str) -> Result<Arc<K>, NotFound> {
        self.lister.find(Some(&self.namespace), name)
    }

    /// The object of this name, not older than `version`, which is waited for up to `limit`: to
    /// read what one wrote. Cancel safe.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn get_at_least(
        &self,
        name: &str,
        version: &ResourceVersion,
        limit: Duration,
    ) -> Result<Arc<K>, ReadError> {
        self.lister.find_at_least(Some(&self.namespace), name, version, limit).await
    }

    /// How many objects the namespace has. O(1).
    pub fn len(&self) -> usize {
        self.lister.indexer.snapshot().namespace_len(&self.namespace)
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As [`Lister::freshness`].
    pub fn freshness(&self) -> Option<Duration> {
        self.lister.freshness()
    }

    /// As [`Lister::is_stopped`].
    pub fn is_stopped(&self) -> bool {
        self.lister.is_stopped()
    }
}

/// The objects that a selector selects; no other is unpacked.
fn select<'a, K: Resource + 'a>(
    objects: impl Iterator<Item = (&'a ObjectKey, &'a Cached<K>)>,
    selector: &LabelSelector,
) -> Vec<Arc<K>> {
    if selector.is_nothing() {
        return Vec::new();
    }
    let objects = objects.map(|(_, cached)| cached);
    if selector.is_everything() {
        let mut all = Vec::with_capacity(objects.size_hint().0);
        all.extend(objects.filter_map(Cached::get));
        return all;
    }
    objects.filter(|cached| selector.matches(cached.labels())).filter_map(Cached::get).collect()
}

impl<K> Clone for Lister<K> {
    fn clone(&self) -> Self {
        Self {
            indexer: self.indexer.clone(),
            resource: self.resource.clone(),
            reflector: self.reflector.clone(),
        }
    }
}

impl<K> Clone for NamespaceLister<K> {
    fn clone(&self) -> Self {
        Self { lister: self.lister.clone(), namespace: self.namespace.clone() }
    }
}

impl<K> fmt::Debug for Lister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lister").field("resource", &self.resource).finish_non_exhaustive()
    }
}

impl<K> fmt::Debug for NamespaceLister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamespaceLister")
            .field("resource", &self.lister.resource)
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::api::ObjectMeta;

    use super::*;

    fn lister() -> Lister<ConfigMap> {
        let indexer = Indexer::new();
        let mut write = indexer.transaction();
        for (namespace, name, app) in
            [("a", "one", "web"), ("a", "two", "db"), ("b", "one", "web"), ("b", "bare", "")]
        {
            let labels = (!app.is_empty()).then(|| [("app".into(), app.into())].into());
            let metadata = ObjectMeta {
                name: Some(name.into()),
                namespace: Some(namespace.into()),
                labels,
                ..ObjectMeta::default()
            };
            let object = ConfigMap { metadata, ..ConfigMap::default() };
            write.put(&ObjectKey::of(&object).unwrap(), Arc::new(object));
        }
        write.commit();
        Lister::new(indexer, "configmaps".into())
    }

    #[test]
    fn selects_by_labels_and_namespace() {
        let lister = lister();
        for (selector, all, in_b) in [("", 4, 2), ("app=web", 2, 1), ("!app", 1, 1), ("x", 0, 0)] {
            let selector: LabelSelector = selector.parse().unwrap();
            assert_eq!(lister.list(&selector).len(), all);
            assert_eq!(lister.namespace("b").list(&selector).len(), in_b);
        }
        assert!(lister.list(&LabelSelector::nothing()).is_empty());
        assert!(lister.namespace("nowhere").is_empty());
        assert_eq!((lister.len(), lister.namespace("a").len()), (4, 2));
    }

    #[test]
    fn what_is_not_there_is_named() {
        let lister = lister();
        assert!(lister.namespace("b").get("bare").is_ok());
        let missing = lister.namespace("a").get("bare").unwrap_err();
        assert_eq!(missing.to_string(), "configmaps \"a\"/\"bare\" not found");
        assert_eq!(lister.get("one").unwrap_err().to_string(), "configmaps \"one\" not found");
        let key = ObjectKey::namespaced("b", "one").unwrap();
        assert!(lister.by_key(&key).is_ok());
    }
}
