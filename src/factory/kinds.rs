//! The informers of all kinds that the server serves.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt, stream};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroupList, APIResourceList, APIVersions};
use kube::Resource;
use kube::api::DynamicObject;
use kube::core::{ApiResource, PartialObjectMeta};
use kube::{Client, Error};
use tokio::time::sleep;

use super::definition::Definition;
use super::members::{Members, Tag, Wanted, told_by};
use super::serving::{document, is_missing};
use super::{InformerSpec, Interest, SharedInformerFactory, SpecError};
use crate::indexer::Snapshot;
use crate::informer::{SharedInformer, StartError, SyncError};
use crate::object::{CachedEvent, Event, ObjectKey};
use crate::panic::catch;
use crate::sync::Mutex;

/// The pause after a failed discovery.
const PAUSE: Duration = Duration::from_secs(5);

/// The number of groups that are read at a time.
const PARALLEL: usize = 8;

/// The number of times that a group is read before its kinds are left out. One failure may be an
/// accident, and a server that is down holds up the others for two pauses.
const TRIES: usize = 3;

/// The informers of the kinds that a filter selects, among those that the server serves.
///
/// An informer joins when its kind's definition is established, and leaves when the definition is
/// removed: the objects are then reported as deleted. Kinds without a definition, such as the
/// built-in ones, are read from discovery once. A group whose discovery fails three times is left
/// out, which is logged.
///
/// Clones share the informers. When the last one is dropped, the informers end, unless others hold
/// them, too.
#[must_use = "the informers end when the last clone is dropped"]
pub struct Kinds<K> {
    members: Arc<Members<K, Kind>>,
    definitions: Interest<Definition>,
    client: Client,
    filter: Filter,
}

type Filter = Arc<dyn Fn(&ApiResource) -> bool + Send + Sync>;

/// A kind that is served.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kind {
    resource: ApiResource,
    /// True if a definition tells whether it is served.
    defined: bool,
}

impl Tag for Kind {}

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
        let make = move |kind: &Kind| factory.dynamic_interest(&kind.resource, spec_of(kind));
        self.kinds_made_by(make, Arc::new(filter))
    }

    /// Returns the informers of only the metadata of the objects. See [`kinds`](Self::kinds).
    pub fn kinds_metadata(
        &self,
        filter: impl Fn(&ApiResource) -> bool + Send + Sync + 'static,
    ) -> Kinds<PartialObjectMeta<DynamicObject>> {
        let factory = self.clone();
        let make =
            move |kind: &Kind| factory.dynamic_metadata_interest(&kind.resource, spec_of(kind));
        self.kinds_made_by(make, Arc::new(filter))
    }

    fn kinds_made_by<K: Resource + Send + Sync + 'static>(
        &self,
        make: impl Fn(&Kind) -> Result<Interest<K>, SpecError> + Send + Sync + 'static,
        filter: Filter,
    ) -> Kinds<K> {
        let make = move |_: &Arc<str>, kind: &Kind| make(kind);
        let farewell = |object| CachedEvent::Deleted { object, final_state_known: false };
        let members = Members::new(Box::new(make), farewell);
        let client = self.shared.client.clone();
        Kinds { members, definitions: self.definitions(), client, filter }
    }
}

/// Returns whether there is a definition of this name.
fn defines(store: &Snapshot<Definition>, name: &str) -> bool {
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
        let undefined = Arc::new(Mutex::new(Wanted::new()));
        let (client, read) = (self.client.clone(), undefined.clone());
        let definitions = self.definitions.indexer().clone();
        let discover = async move {
            loop {
                let before = definitions.snapshot();
                match discover(&client).await {
                    Ok(mut found) => {
                        // A definition may have left meanwhile.
                        found.retain(|name, _| !defines(&before, name));
                        *read.lock() = found;
                        return;
                    }
                    Err(error) => tracing::warn!(%error, "discovery failed"),
                }
                sleep(PAUSE).await;
            }
        };
        let filter = self.filter.clone();
        let look = move |store: &Snapshot<Definition>| {
            let mut wanted: Wanted<Kind> = {
                let mut undefined = undefined.lock();
                // Discovery lists defined kinds, too. From now on, only the definition tells.
                undefined.retain(|name, _| !defines(store, name));
                undefined.clone()
            };
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
        self.definitions.ensure_started()?;
        self.members.start(told_by((*self.definitions).clone(), discover.boxed(), look))
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

    /// Waits until the kinds are known and their informers have synced, for at most `limit`. Cancel
    /// safe.
    ///
    /// # Errors
    /// [`SyncError`] names the informers that have not synced, which may be that of the
    /// definitions. The others can be read.
    pub async fn wait_for_sync(&self, limit: Duration) -> Result<(), SyncError> {
        self.members.wait_for_sync(&self.definitions, limit).await
    }

    /// Returns the errors of kinds whose informer exists with other options.
    pub fn conflicts(&self) -> Vec<SpecError> {
        self.members.refused()
    }
}

/// Reads the resources that can be listed and watched, in the preferred version of their group.
async fn discover(client: &Client) -> Result<Wanted<Kind>, Error> {
    let mut found = BTreeMap::new();
    for version in document::<APIVersions>(client, "/api").await?.versions {
        let listed = document(client, &format!("/api/{version}")).await?;
        add_listed(&mut found, "", &version, listed);
    }
    let groups = document::<APIGroupList>(client, "/apis").await?.groups;
    let mut left: Vec<_> = groups
        .into_iter()
        .filter_map(|group| {
            let preferred = group.preferred_version.or(group.versions.into_iter().next())?;
            Some((group.name, preferred))
        })
        .collect();
    for tries in 1.. {
        let mut failed = Vec::new();
        let answers = left.into_iter().map(|(group, preferred)| async move {
            let path = format!("/apis/{}", preferred.group_version);
            (group, preferred, document(client, &path).await)
        });
        let mut answers = stream::iter(answers).buffer_unordered(PARALLEL).boxed();
        while let Some((group, preferred, answer)) = answers.next().await {
            match answer {
                Ok(listed) => add_listed(&mut found, &group, &preferred.version, listed),
                Err(error) if tries < TRIES && !is_missing(&error) => {
                    failed.push((group, preferred));
                }
                // The group went meanwhile, or its own server is down.
                Err(error) => {
                    tracing::warn!(%error, group, "the kinds of a group are left out");
                }
            }
        }
        if failed.is_empty() {
            break;
        }
        left = failed;
        sleep(PAUSE).await;
    }
    Ok(found)
}

fn add_listed(found: &mut Wanted<Kind>, group: &str, version: &str, listed: APIResourceList) {
    for resource in listed.resources {
        let can = |verb: &str| resource.verbs.iter().any(|other| other == verb);
        if resource.name.contains('/') || !can("list") || !can("watch") {
            continue;
        }
        let api_version =
            if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        let name = format!("{}.{group}", resource.name);
        let resource = ApiResource {
            group: group.to_owned(),
            version: version.to_owned(),
            api_version,
            kind: resource.kind,
            plural: resource.name,
        };
        found.insert(name.into(), Kind { resource, defined: false });
    }
}

impl<K> Clone for Kinds<K> {
    fn clone(&self) -> Self {
        Self {
            members: self.members.clone(),
            definitions: self.definitions.clone(),
            client: self.client.clone(),
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
