//! The informers of the namespaces that a label selector selects.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use kube::Resource;
use kube::core::{NamespaceResourceScope, PartialObjectMeta};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::watch;

use super::members::{FactoryNeed, Members, told_by};
use crate::factory::{InformerSpec, Interest, SharedInformerFactory, SpecError, TypedResource};
use crate::indexer::{IndexError, Snapshot};
use crate::informer::{
    GroupIndex, InformerGroup, InformerSet, SharedInformer, StartError, SyncError,
};
use crate::lister_watcher::ListerWatcher;
use crate::object::{Cached, CachedEvent, Event, ObjectKey};
use crate::transport::ApiSource;

/// The informers of one kind in the namespaces that a label selector selects. They join and leave
/// with their namespaces.
///
/// Clones share the informers. When the last one is dropped, the informers end, unless others hold
/// them, too.
///
/// An object of a namespace that left is *unknown*, not gone: handlers receive
/// [`Event::MovedAway`] for it, and a read finds that the namespace is not held. Each namespace has
/// its own permissions: one that refuses its list holds up no other, and the status names it.
#[must_use = "the informers end when the last clone is dropped"]
pub struct SelectedNamespaces<K> {
    members: Arc<Members<K, ()>>,
    namespaces: Interest<PartialObjectMeta<Namespace>>,
}

impl SharedInformerFactory {
    /// Returns the informers that a spec describes, in the namespaces whose labels `selector`
    /// selects. The server evaluates the selector.
    ///
    /// Only the metadata of the namespaces is watched. A spec without a transform, resync and the
    /// like gets the factory's options, as in [`informer_with`](Self::informer_with).
    ///
    /// ```
    /// # #[cfg(feature = "testing")] {
    /// # use std::time::Duration;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube_informer::{InformerSpec, SharedInformerFactory, testing::ApiServer};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    /// let spec = InformerSpec::<ConfigMap>::new();
    /// let tenants = factory.in_namespaces_where("tenant=true", spec)?;
    /// tenants.on_event(|event| println!("{event:?}"));
    /// tenants.start()?;
    /// tenants.wait_for_sync(Duration::from_secs(30)).await?;
    /// println!("{} config maps", tenants.group().len());
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`SpecError::NoEffect`] if the spec has a namespace.
    pub fn in_namespaces_where<K>(
        &self,
        selector: impl Into<String>,
        spec: InformerSpec<K>,
    ) -> Result<SelectedNamespaces<K>, SpecError>
    where
        K: TypedResource<Scope = NamespaceResourceScope>,
    {
        self.refuse_own_namespace(&spec)?;
        let namespaces = self.interest(InformerSpec::new().labels(selector))?;
        let factory = self.clone();
        let make = move |name: &Arc<str>, (): &()| {
            factory.set_interest(spec.clone().namespace(name.clone()))
        };
        let source = ApiSource::<K>::new(self.shared.client.clone());
        let needs = FactoryNeed {
            resource: source.collection().resource.clone(),
            name: None,
            comment: "the namespaces are selected at run time; Roles in those suffice",
        };
        let members = Members::new(self, needs, Arc::new(make), moved_away);
        Ok(SelectedNamespaces { members, namespaces })
    }
}

fn moved_away<K>(object: Cached<K>) -> CachedEvent<K> {
    CachedEvent::MovedAway { object }
}

impl<K: Resource + Send + Sync + 'static> SelectedNamespaces<K> {
    /// Returns a set of the same informers that reads their objects as `V`, for handlers, indexes
    /// and controllers. It is [started](Self::start) like any set, and its informers have no other
    /// watches. See [`SharedInformer::view`].
    ///
    /// If the informers keep their objects decoded, the set gets no members, and
    /// [`conflicts`](Self::conflicts) has the reason.
    pub fn view<V>(&self) -> SelectedNamespaces<V>
    where
        K: Serialize,
        V: Resource + DeserializeOwned + Send + Sync + 'static,
    {
        let members = self.members.viewed(moved_away);
        SelectedNamespaces { members, namespaces: self.namespaces.clone() }
    }

    /// Starts to follow the namespaces. A second call has no effect.
    ///
    /// # Errors
    /// [`StartError::NoRuntime`] if called outside a tokio runtime, [`StartError::Stopped`] if the
    /// factory was shut down.
    pub fn start(&self) -> Result<(), StartError> {
        let look = |store: &Snapshot<PartialObjectMeta<Namespace>>| {
            store.iter_cached().map(|(key, _)| (key.name().into(), ())).collect()
        };
        self.namespaces.start()?;
        self.members.start(told_by((*self.namespaces).clone(), None, look))
    }

    /// Returns the informers of the namespaces that are selected now, to read their objects.
    pub fn group(&self) -> InformerGroup<K> {
        self.members.group()
    }

    /// Adds an index to all informers, present and future ones. See
    /// [`SharedInformer::add_index`].
    ///
    /// If another holder of one of the informers adds an index of this name first, that one is
    /// read, as soon as it is complete.
    ///
    /// # Errors
    /// [`IndexError::Duplicate`] if there is an index of this name.
    pub fn add_index<F, I>(&self, name: &str, values: F) -> Result<GroupIndex<K>, IndexError>
    where
        F: Fn(&K) -> I + Clone + Send + Sync + 'static,
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.members.add_index(name, values)
    }

    /// Adds a closure as a handler of all informers, present and future ones. Each informer calls
    /// it from a task of its own. The events of one namespace come in order.
    ///
    /// When a namespace leaves, the closure is called with [`Event::MovedAway`] for each object
    /// that it knows there. It may not hold these informers, because it would keep them running.
    pub fn on_event(&self, call: impl Fn(Event<K>) + Send + Sync + 'static) {
        self.members.add_handler(move |(), event| call(event));
    }

    /// Waits until the selected namespaces are known and their informers have synced, for at most
    /// `limit`. A namespace that leaves meanwhile does not count. Cancel safe.
    ///
    /// # Errors
    /// [`SyncError`] names the informers that have not synced, which may be that of the namespaces.
    /// The others can be read.
    pub async fn wait_for_sync(&self, limit: Duration) -> Result<(), SyncError> {
        self.members.wait_for_sync(&self.namespaces, limit).await
    }

    /// Returns the errors of selected namespaces whose informer exists with other options. They are
    /// tried again every 30 seconds.
    pub fn conflicts(&self) -> Vec<SpecError> {
        self.members.refused()
    }
}

impl<K: Resource + Send + Sync + 'static> InformerSet for SelectedNamespaces<K> {
    fn start(&self) -> Result<(), StartError> {
        Self::start(self)
    }

    fn informers(&self) -> Vec<SharedInformer> {
        self.group().cast().informers().to_vec()
    }

    fn informer_of(&self, key: &ObjectKey) -> Option<SharedInformer> {
        Some(self.members.informer_named(key.namespace()?)?.cast())
    }

    fn changes(&self) -> watch::Receiver<()> {
        self.members.changes()
    }
}

impl<K> Clone for SelectedNamespaces<K> {
    fn clone(&self) -> Self {
        Self { members: self.members.clone(), namespaces: self.namespaces.clone() }
    }
}

impl<K: Resource + Send + Sync + 'static> fmt::Debug for SelectedNamespaces<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SelectedNamespaces").field(&self.group()).finish()
    }
}
