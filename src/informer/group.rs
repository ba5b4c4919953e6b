//! A group of informers of one kind that is used as one, such as the objects of a few namespaces.
//!
//! Each namespace has its own list, watch, version, errors and permissions. A namespace that the
//! server refuses does not keep the others from syncing. A read across namespaces reads each
//! namespace at a different moment.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::Stream;
use futures::stream::select_all;
use kube::Resource;

use super::{
    InformerStatus, InformerStopped, SharedInformer, StartError, SyncError, Unsynced, shutdown_all,
    wait_for_all,
};
use crate::indexer::{Index, IndexError};
use crate::labels::LabelSelector;
use crate::lister::{NamespaceLister, NotFound, StoreState};
use crate::object::{AnyObject, CachedEvent, Event, FieldSet, ObjectKey};
use crate::panic::call_decoded;
use crate::processor::HandlerRegistration;

/// A group of informers of one kind, each of a different namespace. Clones are cheap.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::{SharedInformerFactory, testing::ApiServer};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
/// let maps = factory.in_namespaces::<ConfigMap>(["shop", "bank"]);
/// maps.on_event(|event| println!("{:?}", event.object().metadata.name))?;
/// factory.start()?;
/// maps.wait_for_sync(Duration::from_secs(5)).await?;
/// println!("{} in all, {} in shop", maps.len(), maps.namespace("shop").unwrap().len());
/// factory.shutdown().await;
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// # }
/// ```
pub struct InformerGroup<K: ?Sized = dyn AnyObject> {
    /// Sorted by namespace, without duplicates. An informer of all namespaces is the only member.
    members: Arc<[SharedInformer<K>]>,
}

/// An index over all informers of a group, or over those that a set of informers has at each call.
///
/// It does not keep a [set](crate::factory::SelectedNamespaces::add_index). After the set was
/// dropped, the index has no informers.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// # use kube_informer::testing::ApiServer;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::SharedInformerFactory;
/// use kube_informer::informer::GroupIndex;
///
/// /// Prints the number of pods on each node, over all namespaces of the group.
/// fn print(by_node: &GroupIndex<Pod>) {
///     for node in by_node.values() {
///         println!("{node}: {} pods", by_node.len(&node));
///     }
/// }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
/// let pods = factory.in_namespaces::<Pod>(["shop", "bank"]);
/// print(&pods.add_index("node", |pod: &Pod| pod.spec.as_ref()?.node_name.clone())?);
/// # Ok::<(), kube_informer::indexer::IndexError>(()) }).unwrap();
/// # }
/// ```
pub struct GroupIndex<K>(Indexes<K>);

enum Indexes<K> {
    OfGroup(Vec<Index<K>>),
    OfSet(Box<dyn Fn() -> Vec<Index<K>> + Send + Sync>),
}

impl<K: Resource + Send + Sync + 'static> InformerGroup<K> {
    /// Returns a lister of one namespace. `None` if the group does not hold the namespace.
    pub fn namespace(&self, namespace: &str) -> Option<NamespaceLister<K>> {
        Some(self.informer_in(Some(namespace))?.lister().namespace(namespace))
    }

    /// Returns every object, namespace by namespace. O(n).
    pub fn all(&self) -> Vec<Arc<K>> {
        self.list(&LabelSelector::everything())
    }

    /// Returns the objects that a selector selects, namespace by namespace. O(n).
    pub fn list(&self, selector: &LabelSelector) -> Vec<Arc<K>> {
        self.members.iter().flat_map(|informer| informer.lister().list(selector)).collect()
    }

    /// Returns the object of a key.
    ///
    /// # Errors
    /// [`NotFound`] if the object is not stored, or if the group does not hold the key's namespace.
    pub fn get_by_key(&self, key: &ObjectKey) -> Result<Arc<K>, NotFound> {
        if let Some(informer) = self.informer_of(key) {
            return informer.lister().get_by_key(key);
        }
        Err(NotFound {
            resource: self.resource(),
            namespace: key.namespace().map(Into::into),
            name: key.name().to_owned(),
            store: match key.namespace() {
                Some(_) => StoreState::NotHeld,
                None => StoreState::WrongScope,
            },
        })
    }

    /// Adds an index to all informers. See [`SharedInformer::add_index`].
    ///
    /// # Errors
    /// [`IndexError::Duplicate`] if one of the informers has an index of this name. The informers
    /// before it keep the new index.
    pub fn add_index<F, I>(&self, name: &str, values: F) -> Result<GroupIndex<K>, IndexError>
    where
        F: Fn(&K) -> I + Clone + Send + Sync + 'static,
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let added = self.members.iter().map(|informer| informer.add_index(name, values.clone()));
        Ok(GroupIndex(Indexes::OfGroup(added.collect::<Result<_, _>>()?)))
    }

    /// Adds an index to all informers, with a function that reads only these fields. See
    /// [`SharedInformer::add_index_on`].
    ///
    /// # Errors
    /// [`IndexError::Duplicate`] if one of the informers has an index of this name. The informers
    /// before it keep the new index.
    pub fn add_index_on<F, I>(
        &self,
        name: &str,
        fields: impl IntoIterator<Item: AsRef<str>>,
        values: F,
    ) -> Result<GroupIndex<K>, IndexError>
    where
        F: Fn(&K) -> I + Clone + Send + Sync + 'static,
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let fields = FieldSet::from_paths(fields);
        let add = |informer: &SharedInformer<K>| {
            informer.indexer().add_index_on(name, &fields, values.clone())
        };
        let added = self.members.iter().map(add);
        Ok(GroupIndex(Indexes::OfGroup(added.collect::<Result<_, _>>()?)))
    }

    /// Adds a closure as a handler to all informers. Each informer calls it from a task of its own,
    /// so it may run for several namespaces at the same time. The events of one namespace come in
    /// order.
    ///
    /// # Errors
    /// [`InformerStopped`] if one of the informers was stopped. No handler is added then.
    pub fn on_event(
        &self,
        call: impl Fn(Event<K>) + Send + Sync + 'static,
    ) -> Result<Vec<HandlerRegistration>, InformerStopped> {
        self.on_cached_event(move |_, event| {
            call_decoded(&event, &call);
        })
    }

    /// Adds a closure as a handler of cached events to all informers. It is called like the closure
    /// of [`on_event`](Self::on_event). [`SharedInformer::on_cached_event`] describes its cost.
    ///
    /// # Errors
    /// [`InformerStopped`] if one of the informers was stopped. No handler is added then.
    pub fn on_cached_event(
        &self,
        call: impl Fn(&ObjectKey, CachedEvent<K>) + Send + Sync + 'static,
    ) -> Result<Vec<HandlerRegistration>, InformerStopped> {
        let call = Arc::new(call);
        let mut added = Vec::with_capacity(self.members.len());
        for informer in &*self.members {
            let call = call.clone();
            match informer.on_cached_event(move |key, event| call(key, event)) {
                Ok(registration) => added.push(registration),
                Err(stopped) => {
                    added.iter().for_each(HandlerRegistration::remove);
                    return Err(stopped);
                }
            }
        }
        Ok(added)
    }

    /// Returns the events of all informers as one stream. The events of one namespace come in
    /// order. There is no order between namespaces. The stream ends when all informers have
    /// stopped.
    ///
    /// # Errors
    /// [`InformerStopped`] if one of the informers was stopped.
    pub fn events(&self) -> Result<impl Stream<Item = Event<K>> + use<K>, InformerStopped> {
        let streams: Result<Vec<_>, _> = self.members.iter().map(SharedInformer::events).collect();
        Ok(select_all(streams?))
    }
}

impl<K: ?Sized> InformerGroup<K> {
    /// Creates a group. If one informer holds all namespaces, the group keeps only that one. If
    /// several hold the same namespace, the group keeps the first.
    pub fn new(informers: impl IntoIterator<Item = SharedInformer<K>>) -> Self {
        let mut members: Vec<_> = informers.into_iter().collect();
        members.sort_by(|a, b| a.collection().namespace.cmp(&b.collection().namespace));
        members.dedup_by(|a, b| {
            let whole = b.collection().namespace.is_none();
            whole || a.collection().namespace == b.collection().namespace
        });
        Self { members: members.into() }
    }

    /// Returns the informers, sorted by namespace.
    pub fn informers(&self) -> &[SharedInformer<K>] {
        &self.members
    }

    /// Returns the informer of the key's namespace, if the group has one. O(log namespaces).
    pub fn informer_of(&self, key: &ObjectKey) -> Option<&SharedInformer<K>> {
        self.informer_in(key.namespace())
    }

    /// Returns whether the group holds the key's namespace. If it does not, an object that the
    /// group cannot find may still exist.
    pub fn holds(&self, key: &ObjectKey) -> bool {
        self.informer_of(key).is_some()
    }

    fn informer_in(&self, namespace: Option<&str>) -> Option<&SharedInformer<K>> {
        let first = self.members.first()?;
        if first.collection().namespace.is_none() {
            return Some(first);
        }
        let found = self
            .members
            .binary_search_by(|member| member.collection().namespace.as_deref().cmp(&namespace));
        self.members.get(found.ok()?)
    }

    /// Starts the informers that do not run yet.
    ///
    /// # Errors
    /// [`StartError::NoRuntime`] if called outside a tokio runtime. [`StartError::Stopped`] if one
    /// of the informers was stopped.
    pub fn start(&self) -> Result<(), StartError> {
        self.members.iter().try_for_each(SharedInformer::start)
    }

    /// Returns whether all informers have synced.
    pub fn has_synced(&self) -> bool {
        self.members.iter().all(SharedInformer::has_synced)
    }

    /// Returns the informers that have not synced, sorted by namespace, each with the reason.
    pub fn unsynced(&self) -> Vec<Unsynced> {
        let waiting = self.members.iter().filter(|informer| !informer.has_synced());
        waiting.map(SharedInformer::unsynced).collect()
    }

    /// Returns whether all informers have synced and are proved to be no older than `limit`. See
    /// [`SharedInformer::is_fresh`].
    pub fn is_fresh(&self, limit: Duration) -> bool {
        self.members.iter().all(|informer| informer.is_fresh(limit))
    }

    /// Waits until all informers have synced, for at most `limit`. Cancel safe. Any number of tasks
    /// may wait.
    ///
    /// # Errors
    /// [`SyncError`] names the informers that have not synced and the reasons. The others can still
    /// be read.
    pub async fn wait_for_sync(&self, limit: Duration) -> Result<(), SyncError> {
        wait_for_all(&self.cast().members, limit, |_| true).await
    }

    fn resource(&self) -> Arc<str> {
        let first = self.members.first();
        first.map_or_else(|| "objects".into(), |informer| informer.collection().resource.clone())
    }

    /// Returns the number of objects. O(namespaces).
    pub fn len(&self) -> usize {
        self.members.iter().map(|informer| informer.snapshot().len()).sum()
    }

    /// Returns whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the status of each informer.
    pub fn status(&self) -> Vec<InformerStatus> {
        self.members.iter().map(SharedInformer::status).collect()
    }

    /// Stops all informers and waits until no task is left.
    pub async fn shutdown(&self) {
        shutdown_all(&self.cast().members).await;
    }

    /// Returns the same informers with another type of objects.
    #[doc(hidden)]
    pub fn cast<L: ?Sized>(&self) -> InformerGroup<L> {
        InformerGroup { members: self.members.iter().cloned().map(SharedInformer::cast).collect() }
    }
}

impl<K> GroupIndex<K> {
    /// Returns the index of a set. `present` returns the indexes of its present informers.
    pub(crate) fn of_set(present: impl Fn() -> Vec<Index<K>> + Send + Sync + 'static) -> Self {
        Self(Indexes::OfSet(Box::new(present)))
    }

    fn indexes(&self) -> Cow<'_, [Index<K>]> {
        match &self.0 {
            Indexes::OfGroup(indexes) => indexes.into(),
            Indexes::OfSet(present) => present().into(),
        }
    }
}

impl<K> fmt::Debug for GroupIndex<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GroupIndex").field(&self.indexes()).finish()
    }
}

impl<K: Resource + Send + Sync + 'static> GroupIndex<K> {
    /// Returns the objects that have this value, namespace by namespace.
    pub fn get(&self, value: &str) -> Vec<Arc<K>> {
        self.indexes().iter().flat_map(|index| index.get(value)).collect()
    }

    /// Returns the keys of the objects that have this value, sorted.
    pub fn keys(&self, value: &str) -> Vec<ObjectKey> {
        let mut keys: Vec<_> = self.indexes().iter().flat_map(|index| index.keys(value)).collect();
        keys.sort_unstable();
        keys
    }

    /// Returns the number of objects that have this value. O(namespaces).
    pub fn len(&self, value: &str) -> usize {
        self.indexes().iter().map(|index| index.len(value)).sum()
    }

    /// Returns the values that any object has, sorted and without duplicates.
    pub fn values(&self) -> Vec<Arc<str>> {
        let mut values: Vec<_> = self.indexes().iter().flat_map(Index::values).collect();
        values.sort_unstable();
        values.dedup();
        values
    }
}

/// A group of one informer.
impl<K: ?Sized> From<&SharedInformer<K>> for InformerGroup<K> {
    fn from(informer: &SharedInformer<K>) -> Self {
        Self::new([informer.clone()])
    }
}

impl<K: ?Sized> From<&InformerGroup<K>> for InformerGroup<K> {
    fn from(group: &InformerGroup<K>) -> Self {
        group.clone()
    }
}

impl<K: ?Sized> Clone for InformerGroup<K> {
    fn clone(&self) -> Self {
        Self { members: self.members.clone() }
    }
}

impl<K: ?Sized> fmt::Debug for InformerGroup<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&*self.members).finish()
    }
}
