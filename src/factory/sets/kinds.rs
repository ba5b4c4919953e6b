//! The informers of all kinds that the server serves.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use kube::Resource;
use kube::api::DynamicObject;
use kube::core::{ApiResource, PartialObjectMeta};

use super::definition::Definition;
use super::discovery::Discovered;
use super::members::{FactoryNeed, Members, Prepare, Tag, told_by};
use crate::factory::dynamic::dynamic_request;
use crate::factory::{Hold, InformerSpec, Interest, SharedInformerFactory, SpecError};
use crate::indexer::Snapshot;
use crate::informer::{SharedInformer, StartError, SyncError};
use crate::object::{CachedEvent, Event, ObjectKey};
use crate::panic::catch;
use crate::transport::ApiSource;

/// The informers of the kinds that a filter selects, among those that the server serves.
///
/// An informer joins when its kind's definition is established, and leaves when the definition is
/// removed: the objects are then reported as deleted. Kinds without a definition are those that are
/// built in, and those of aggregated API servers. They are read from discovery at the start, and
/// again when an `APIService` came, became available or left. A group that discovery names or an
/// `APIService` registers, but whose discovery fails three times, keeps the kinds that it had. This
/// is logged, and the group is read again after 5 minutes. Such a kind leaves only after two
/// readings lacked it.
///
/// Clones share the informers. When the last one is dropped, the informers end, unless others hold
/// them, too.
#[must_use = "the informers end when the last clone is dropped"]
pub struct Kinds<K> {
    members: Arc<Members<K, Kind>>,
    definitions: Interest<Definition>,
    discovered: Arc<Discovered>,
    filter: Filter,
}

type Filter = Arc<dyn Fn(&ApiResource) -> bool + Send + Sync>;

/// A kind that is served.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kind {
    pub(super) resource: ApiResource,
    /// True if a definition tells whether it is served.
    pub(super) defined: bool,
}

impl Tag for Kind {
    /// A version may change while the informer goes on.
    fn replaces(&self, before: &Self) -> bool {
        self.resource.kind != before.resource.kind
    }
}

impl SharedInformerFactory {
    /// Returns the informers of whole objects of the kinds for which `filter` returns true. The
    /// filter must not block.
    ///
    /// ```
    /// # #[cfg(feature = "testing")] {
    /// # use std::time::Duration;
    /// # use kube_informer::{SharedInformerFactory, testing::ApiServer};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    /// let kinds = factory.kinds(|kind| kind.group.ends_with("example.com"));
    /// kinds.on_event(|kind, event| println!("{}: {event:?}", kind.kind));
    /// kinds.start()?;
    /// kinds.wait_for_sync(Duration::from_secs(30)).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// # }
    /// ```
    pub fn kinds(
        &self,
        filter: impl Fn(&ApiResource) -> bool + Send + Sync + 'static,
    ) -> Kinds<DynamicObject> {
        let factory = self.clone();
        let make = move |kind: &Kind| {
            let (resource, spec) = (&kind.resource, spec_of::<DynamicObject>(kind));
            factory.guard(dynamic_request(&factory, resource, spec, ApiSource::dynamic), Hold::Set)
        };
        self.kinds_made_by(make, Arc::new(filter))
    }

    /// Returns the informers of only the metadata of the objects. See [`kinds`](Self::kinds).
    ///
    pub fn kinds_metadata(
        &self,
        filter: impl Fn(&ApiResource) -> bool + Send + Sync + 'static,
    ) -> Kinds<PartialObjectMeta<DynamicObject>> {
        let factory = self.clone();
        let make = move |kind: &Kind| {
            let spec = spec_of::<PartialObjectMeta<DynamicObject>>(kind);
            let resource = &kind.resource;
            factory
                .guard(dynamic_request(&factory, resource, spec, ApiSource::with_type), Hold::Set)
        };
        self.kinds_made_by(make, Arc::new(filter))
    }

    fn kinds_made_by<K: Resource + Send + Sync + 'static>(
        &self,
        make: impl Fn(&Kind) -> Result<Interest<K>, SpecError> + Send + Sync + 'static,
        filter: Filter,
    ) -> Kinds<K> {
        let make = move |_: &Arc<str>, kind: &Kind| make(kind);
        let farewell = |object| CachedEvent::Deleted { object, final_state_known: false };
        let needs = FactoryNeed {
            resource: "*.*".into(),
            name: None,
            comment: "the kinds are selected at run time; rules for those and for apiservices suffice",
        };
        let members = Members::new(self, needs, Arc::new(make), farewell);
        let discovered = Arc::new(Discovered::new(self));
        Kinds { members, definitions: self.definitions(), discovered, filter }
    }
}

/// Returns whether there is a definition of this name.
pub(super) fn defines(store: &Snapshot<Definition>, name: &str) -> bool {
    ObjectKey::cluster(name).is_ok_and(|key| store.get_cached(&key).is_some())
}

/// Returns the spec of a kind's informer.
fn spec_of<K: ?Sized>(kind: &Kind) -> InformerSpec<K> {
    let spec = InformerSpec::new();
    if kind.defined { spec.when_served() } else { spec }
}

impl<K: Resource + Send + Sync + 'static> Kinds<K> {
    /// Starts to follow the kinds. A second call has no effect.
    ///
    /// # Errors
    /// [`StartError::NoRuntime`] if called outside a tokio runtime, [`StartError::Stopped`] if the
    /// factory was shut down.
    pub fn start(&self) -> Result<(), StartError> {
        let (filter, discovered) = (self.filter.clone(), self.discovered.clone());
        let look = move |store: &Snapshot<Definition>| {
            // Discovery lists defined kinds, too. From now on, only the definition tells.
            let mut wanted = discovered.without(|name| defines(store, name));
            for (key, definition) in store.iter() {
                if let Some(resource) = definition.resource() {
                    wanted.insert(key.name().into(), Kind { resource, defined: true });
                }
            }
            wanted.retain(|name, kind| {
                catch(|| filter(&kind.resource)).unwrap_or_else(|message| {
                    tracing::error!(kind = &**name, message, "the filter of kinds panicked");
                    false
                })
            });
            wanted
        };
        let (read, definitions) = (self.discovered.clone(), self.definitions.indexer().clone());
        let discover: Prepare = Arc::new(move || {
            let (read, definitions) = (read.clone(), definitions.clone());
            async move { read.next(&definitions).await }.boxed()
        });
        self.definitions.start()?;
        self.discovered.start()?;
        self.members.start(told_by((*self.definitions).clone(), Some(discover), look))
    }

    /// Returns the kinds that are followed now, with their informers. A kind is in the version in
    /// which it joined.
    pub fn informers(&self) -> Vec<(ApiResource, SharedInformer<K>)> {
        let members = self.members.tagged().into_iter();
        members.map(|(kind, informer)| (kind.resource.clone(), informer)).collect()
    }

    /// Adds a closure as a handler of all kinds, present and future ones. Each informer calls it
    /// from a task of its own. The events of one kind come in order.
    ///
    /// When a kind leaves, the closure is called with [`Event::Deleted`] for each object that it
    /// knows. It may not hold these informers, because it would keep them running.
    pub fn on_event(&self, call: impl Fn(&ApiResource, Event<K>) + Send + Sync + 'static) {
        self.members.add_handler(move |kind: &Kind, event| call(&kind.resource, event));
    }

    /// Waits until the kinds are known and their informers have synced, for at most `limit`. A kind
    /// that leaves meanwhile does not count. Cancel safe.
    ///
    /// # Errors
    /// [`SyncError`] names the informers that have not synced, which may be that of the
    /// definitions. The others can be read.
    pub async fn wait_for_sync(&self, limit: Duration) -> Result<(), SyncError> {
        self.members.wait_for_sync(&self.definitions, limit).await
    }

    /// Returns the errors of kinds whose informer exists with other options. They are tried again
    /// every 30 seconds.
    pub fn conflicts(&self) -> Vec<SpecError> {
        self.members.refused()
    }
}

impl<K> Clone for Kinds<K> {
    fn clone(&self) -> Self {
        Self {
            members: self.members.clone(),
            definitions: self.definitions.clone(),
            discovered: self.discovered.clone(),
            filter: self.filter.clone(),
        }
    }
}

impl<K: Resource + Send + Sync + 'static> fmt::Debug for Kinds<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.informers().into_iter().map(|(kind, _)| (kind.api_version, kind.plural));
        f.debug_tuple("Kinds").field(&kinds.collect::<Vec<_>>()).finish()
    }
}
