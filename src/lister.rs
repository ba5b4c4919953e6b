//! Typed read access to a store: by name, by namespace and by labels.
//!
//! A lister only reads. Each call reads the store at the moment of the call, so several calls may
//! see different states. Use a [`Snapshot`] to read one state several times.
//!
//! # Reading your own writes
//!
//! ```
//! use std::{sync::Arc, time::Duration};
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::ResourceExt;
//! use kube_informer::lister::{NamespaceLister, ReadError};
//! use kube_informer::{NotFound, ResourceVersion};
//!
//! /// Returns an object as the cache has it, once the cache has seen this write.
//! async fn cached(
//!     maps: &NamespaceLister<ConfigMap>,
//!     written: &ConfigMap,
//! ) -> Result<Option<Arc<ConfigMap>>, ReadError> {
//!     let version = ResourceVersion::from(&*written.resource_version().unwrap_or_default());
//!     match maps.get_at_least(&written.name_any(), &version, Duration::from_secs(5)).await {
//!         Ok(map) => Ok(Some(map)),
//!         Err(ReadError::NotFound(NotFound { name, .. })) => {
//!             println!("{name} was deleted after the write");
//!             Ok(None)
//!         }
//!         Err(error) => Err(error),
//!     }
//! }
//! ```

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Resource;

use crate::indexer::{Indexer, Snapshot, WaitTimeout};
use crate::labels::LabelSelector;
use crate::object::{Cached, ObjectKey, ResourceVersion};
use crate::reflector::ReflectorMonitor;
use crate::storage::{Keeper, View, read_as};

/// A lister of all objects of an informer. Clones are cheap.
///
/// ```no_run
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::{LabelSelector, SharedInformer};
///
/// # fn f(informer: &SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// let pods = informer.lister();
/// let web = pods.namespace("shop").get("web-0")?;
/// println!("{:?} is one of {} pods", web.metadata.name, pods.len());
/// let frontends = pods.list(&"tier=frontend".parse::<LabelSelector>()?);
/// # Ok(()) }
/// ```
///
/// A lister keeps the objects readable, but it does not keep the informer running. After the
/// informer has stopped, the answers become stale: see [`is_stopped`](Self::is_stopped) and
/// [`freshness`](Self::freshness).
pub struct Lister<K> {
    indexer: Indexer<K>,
    resource: Arc<str>,
    /// The reflector that fills the store. `None` if the lister has no informer.
    reflector: Option<ReflectorMonitor>,
    keeper: Option<Arc<dyn Keeper>>,
}

/// A lister of the objects of one namespace. Clones are cheap.
pub struct NamespaceLister<K> {
    lister: Lister<K>,
    namespace: Arc<str>,
}

/// The error of a read: the store has no such object.
///
/// With [`StoreState::Synced`], the informer's collection has no such object either, as far as the
/// store knows. Objects outside of the informer's namespace, selector or shard are not in it.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Node;
/// use kube_informer::lister::StoreState;
/// use kube_informer::{Lister, NotFound};
///
/// /// Returns the node, or `None` only if the store knows that there is none.
/// fn node(nodes: &Lister<Node>, name: &str) -> Result<Option<Arc<Node>>, NotFound> {
///     match nodes.get(name) {
///         Err(missing) if missing.store == StoreState::Synced => Ok(None),
///         found => found.map(Some),
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{resource} {}{name:?} not found{}",
    namespace.as_ref().map(|n| format!("{n:?}/")).unwrap_or_default(),
    store.problem(namespace.is_some())
)]
#[non_exhaustive]
pub struct NotFound {
    /// The resource, as `kubectl` writes it.
    pub resource: Arc<str>,
    /// The requested namespace. `None` for a cluster-scoped object.
    pub namespace: Option<String>,
    /// The requested name.
    pub name: String,
    /// The state of the store that was read.
    pub store: StoreState,
}

/// The state of a store in which a read found no object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreState {
    /// The store holds the first list. It follows the server as far as the server lets it:
    /// [`freshness`](crate::SharedInformer::freshness) says how old it may be, for example while
    /// the watch is refused. A store without an informer counts as synced.
    Synced,
    /// The informer was not started.
    NotStarted,
    /// The first list is not in the store yet.
    NotSynced,
    /// The informer was stopped or failed, so the store no longer follows the server.
    Stopped,
    /// The store follows the server, which has the object or may have it: no state of it can be
    /// decoded. See [`Snapshot::is_unreadable`]. The same holds for a [packed](crate::storage)
    /// object that can't be unpacked.
    Unreadable,
    /// The group has no informer of the requested namespace.
    NotHeld,
    /// Nothing references the key, so that the set does not follow it. See
    /// [`Referenced`](crate::factory::Referenced).
    NotReferenced,
    /// The requested key has no namespace, although the objects of this kind have one, or the other
    /// way round. No object has such a key, so this says nothing about an object of that name.
    WrongScope,
}

impl StoreState {
    /// Returns the end of an error text. Empty if the store's answer is the server's.
    pub(crate) fn problem(self, namespaced: bool) -> &'static str {
        match self {
            Self::Synced => "",
            Self::NotStarted => ": its informer was not started; call `start` of its factory",
            Self::NotSynced => ": its informer has not synced; await `wait_for_sync` first",
            Self::Stopped => ": the informer was stopped; ask for a new one, or keep its factory",
            Self::Unreadable => {
                ": the server may have it, but no state of it can be decoded; the informer's errors \
                 say why"
            }
            Self::NotReferenced => ": nothing references it; take a reference first",
            Self::NotHeld => ": no informer of the group holds this namespace",
            Self::WrongScope if namespaced => {
                ": these objects have no namespace; use `get`, or a key without one"
            }
            Self::WrongScope => {
                ": these objects have namespaces; use `namespace(..)`, or a key with one"
            }
        }
    }
}

/// The error of a read with a minimum version.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The store has reached the version, or a newer one, and has no such object.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// The store did not reach the version in time. Another try may succeed.
    #[error(transparent)]
    WaitTimeout(#[from] WaitTimeout),
}

impl<K: Resource + Send + Sync + 'static> Lister<K> {
    /// Creates a lister of this store. Errors name the objects by `resource`.
    pub fn new(indexer: Indexer<K>, resource: Arc<str>) -> Self {
        Self { indexer, resource, reflector: None, keeper: None }
    }

    /// Sets the reflector that fills the store, and the part of the storage that packs objects.
    pub(crate) fn fed_by(
        self,
        reflector: ReflectorMonitor,
        keeper: Option<Arc<dyn Keeper>>,
    ) -> Self {
        Self { reflector: Some(reflector), keeper, ..self }
    }

    /// Returns every object, in no particular order. O(n).
    pub fn all(&self) -> Vec<Arc<K>> {
        self.list(&LabelSelector::everything())
    }

    /// Returns the objects that a selector selects, in no particular order. O(n), but a selector
    /// that selects nothing reads no object, and one that selects everything reads no label.
    pub fn list(&self, selector: &LabelSelector) -> Vec<Arc<K>> {
        let snapshot = self.indexer.snapshot();
        self.counted(|| select(snapshot.view(), snapshot.objects(), selector))
    }

    /// Returns the cluster-scoped object of this name. For a namespaced object, use
    /// [`namespace`](Self::namespace) or [`get_by_key`](Self::get_by_key), also if the informer
    /// follows only one namespace.
    ///
    /// # Errors
    /// [`NotFound`] if the store has no such object. Its state is [`StoreState::WrongScope`] if the
    /// objects of this kind have namespaces.
    pub fn get(&self, name: &str) -> Result<Arc<K>, NotFound> {
        self.find(None, name)
    }

    /// Returns the cluster-scoped object of this name, at `version` or newer. Waits up to `limit`
    /// for the store to reach this version. Use it to read your own writes. Cancel safe.
    ///
    /// # Errors
    /// [`ReadError::NotFound`] if there is no such object. [`ReadError::WaitTimeout`] if the store
    /// did not reach the version in time.
    pub async fn get_at_least(
        &self,
        name: &str,
        version: &ResourceVersion,
        limit: Duration,
    ) -> Result<Arc<K>, ReadError> {
        self.find_at_least(None, name, version, limit).await
    }

    /// Returns the object of this key. The key of a namespaced object has its namespace.
    ///
    /// # Errors
    /// [`NotFound`] if the store has no such object.
    pub fn get_by_key(&self, key: &ObjectKey) -> Result<Arc<K>, NotFound> {
        self.find(key.namespace(), key.name())
    }

    /// Returns a lister of one namespace. The empty name is no namespace and finds nothing. In
    /// client-go it means all namespaces, which this lister itself reads.
    pub fn namespace(&self, namespace: impl Into<Arc<str>>) -> NamespaceLister<K> {
        NamespaceLister { lister: self.clone(), namespace: namespace.into() }
    }

    /// Returns the number of objects. O(1).
    pub fn len(&self) -> usize {
        self.indexer.snapshot().len()
    }

    /// Returns whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a snapshot of the store, to read one state several times. O(1).
    pub fn snapshot(&self) -> Snapshot<K> {
        self.indexer.snapshot()
    }

    /// Returns whether the informer was stopped or failed, so that the answers become stale.
    /// Request a new informer then.
    pub fn is_stopped(&self) -> bool {
        self.indexer.is_stopped()
    }

    /// Returns the upper bound of the age of the answers: the time since the newest proof that the
    /// store has reached. `None` before anything is stored, and if the lister has no informer.
    pub fn freshness(&self) -> Option<Duration> {
        self.reflector.as_ref()?.freshness_at(self.indexer.snapshot().version())
    }

    /// Makes a list, and counts it if it unpacks many objects. Others that unpack objects meanwhile
    /// count, too.
    fn counted(&self, list: impl FnOnce() -> Vec<Arc<K>>) -> Vec<Arc<K>> {
        let Some(keeper) = &self.keeper else { return list() };
        let before = keeper.misses();
        let listed = list();
        keeper.note_list(keeper.misses() - before);
        listed
    }

    fn find(&self, namespace: Option<&str>, name: &str) -> Result<Arc<K>, NotFound> {
        if let Some(found) = self.indexer.get_cached_by_name(namespace, name) {
            return found.get().ok_or_else(|| self.not_found(namespace, name));
        }
        // The informer may just have synced: read again in the state that the error describes.
        let store = self.indexer.snapshot();
        let found = store.get_cached_by_name(namespace, name).and_then(|found| found.get());
        found.ok_or_else(|| self.not_found_in(&store, namespace, name))
    }

    async fn find_at_least(
        &self,
        namespace: Option<&str>,
        name: &str,
        version: &ResourceVersion,
        limit: Duration,
    ) -> Result<Arc<K>, ReadError> {
        let seen = |store: &Snapshot<K>| {
            let found = store.get_cached_by_name(namespace, name);
            let new_enough = found
                .as_ref()
                .and_then(Cached::version)
                .is_some_and(|known| known.is_at_least(version));
            (new_enough || store.has_reached(version)).then(|| found.and_then(|found| found.get()))
        };
        let found = self.indexer.wait_until(version, limit, seen).await?;
        Ok(found.ok_or_else(|| self.not_found(namespace, name))?)
    }

    fn not_found(&self, namespace: Option<&str>, name: &str) -> NotFound {
        self.not_found_in(&self.indexer.snapshot(), namespace, name)
    }

    fn not_found_in(&self, store: &Snapshot<K>, namespace: Option<&str>, name: &str) -> NotFound {
        NotFound {
            resource: self.resource.clone(),
            namespace: namespace.map(Into::into),
            name: name.to_owned(),
            store: self.store_state(store, namespace, name),
        }
    }

    /// Returns the state of a store that has no readable object of this name. Only a read that
    /// finds nothing calls this.
    fn store_state(&self, store: &Snapshot<K>, namespace: Option<&str>, name: &str) -> StoreState {
        match &self.reflector {
            Some(_) if self.is_stopped() => StoreState::Stopped,
            Some(reflector) if reflector.is_idle() => StoreState::NotStarted,
            Some(_) if store.version().is_none() => StoreState::NotSynced,
            _ if store.has_unreadable(namespace, name) => StoreState::Unreadable,
            _ if store.has_other_scope(namespace) => StoreState::WrongScope,
            _ => StoreState::Synced,
        }
    }
}

impl<K: Resource + Send + Sync + 'static> NamespaceLister<K> {
    /// Returns every object of the namespace, in no particular order. O(objects in the namespace).
    pub fn all(&self) -> Vec<Arc<K>> {
        self.list(&LabelSelector::everything())
    }

    /// Returns the objects of the namespace that a selector selects, in no particular order.
    /// O(objects in the namespace).
    pub fn list(&self, selector: &LabelSelector) -> Vec<Arc<K>> {
        let snapshot = self.lister.indexer.snapshot();
        self.lister.counted(|| {
            select(snapshot.view(), snapshot.select_namespace(&self.namespace), selector)
        })
    }

    /// Returns the object of this name.
    ///
    /// # Errors
    /// [`NotFound`] if the store has no such object.
    pub fn get(&self, name: &str) -> Result<Arc<K>, NotFound> {
        self.lister.find(Some(&self.namespace), name)
    }

    /// Returns the object of this name, at `version` or newer. Waits up to `limit` for the store to
    /// reach this version. Use it to read your own writes. Cancel safe.
    ///
    /// # Errors
    /// [`ReadError::NotFound`] if there is no such object. [`ReadError::WaitTimeout`] if the store
    /// did not reach the version in time.
    pub async fn get_at_least(
        &self,
        name: &str,
        version: &ResourceVersion,
        limit: Duration,
    ) -> Result<Arc<K>, ReadError> {
        self.lister.find_at_least(Some(&self.namespace), name, version, limit).await
    }

    /// Returns the number of objects in the namespace. O(1).
    pub fn len(&self) -> usize {
        self.lister.indexer.snapshot().namespace_len(&self.namespace)
    }

    /// Returns whether the namespace has no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the upper bound of the age of the answers. See [`Lister::freshness`].
    pub fn freshness(&self) -> Option<Duration> {
        self.lister.freshness()
    }

    /// Returns whether the informer was stopped or failed. See [`Lister::is_stopped`].
    pub fn is_stopped(&self) -> bool {
        self.lister.is_stopped()
    }
}

/// Returns the objects that a selector selects. It unpacks no other object.
fn select<'a, K: Resource + Send + Sync + 'static>(
    view: Option<&Arc<View>>,
    objects: impl Iterator<Item = (&'a ObjectKey, &'a Cached)>,
    selector: &LabelSelector,
) -> Vec<Arc<K>> {
    if selector.is_nothing() {
        return Vec::new();
    }
    let objects = objects.map(|(_, cached)| cached);
    if selector.is_everything() {
        let mut all = Vec::with_capacity(objects.size_hint().0);
        all.extend(objects.filter_map(|cached| read_as(view, cached)));
        return all;
    }
    let selected = objects.filter(|cached| selector.matches(cached.labels()));
    selected.filter_map(|cached| read_as(view, cached)).collect()
}

impl<K> Clone for Lister<K> {
    fn clone(&self) -> Self {
        Self {
            indexer: self.indexer.clone(),
            resource: self.resource.clone(),
            reflector: self.reflector.clone(),
            keeper: self.keeper.clone(),
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
    fn missing_object_is_named() {
        let lister = lister();
        assert!(lister.namespace("b").get("bare").is_ok());
        let missing = lister.namespace("a").get("bare").unwrap_err();
        assert_eq!(missing.to_string(), "configmaps \"a\"/\"bare\" not found");
        assert_eq!(lister.get("one").unwrap_err().store, StoreState::WrongScope);
        let key = ObjectKey::namespaced("b", "one").unwrap();
        assert!(lister.get_by_key(&key).is_ok());
    }

    #[test]
    fn undecodable_object_is_not_taken_for_absent() {
        let lister = lister();
        let store = |name| lister.namespace("a").get(name).unwrap_err().store;
        let mut write = lister.indexer.transaction();
        write.mark_stale(&ObjectKey::namespaced("a", "bad").unwrap());
        write.commit();
        assert_eq!((store("bad"), store("none")), (StoreState::Unreadable, StoreState::Synced));
        let text = lister.namespace("a").get("bad").unwrap_err().to_string();
        assert!(text.contains("can be decoded"), "{text}");
        assert_eq!(lister.snapshot().unreadable(), 1);

        let mut write = lister.indexer.transaction();
        write.set_complete(false);
        write.commit();
        assert_eq!(store("none"), StoreState::Unreadable, "the item without a key may be it");
        assert_eq!(lister.snapshot().unreadable(), 2);
    }
}
