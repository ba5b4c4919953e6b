//! The informers of the objects that others reference by name.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::members::{FactoryNeed, Members};
use super::parts::{Part, by_name, by_namespace, can_have, follows, is_in_scope, member_of};
use super::references::{Feed, Feeder, Reference, References};
use crate::factory::{InformerSpec, SharedInformerFactory, SpecError, TypedResource};
use crate::indexer::IndexError;
use crate::informer::{
    GroupIndex, InformerGroup, InformerSet, InformerStatus, InformerStopped, SharedInformer,
    StartError, SyncError, Unsynced, wait_for_all,
};
use crate::joining::Together;
use crate::lister::{NotFound, StoreState};
use crate::lister_watcher::{Collection, ListerWatcher};
use crate::object::{CachedEvent, Event, KindReach, ObjectKey};
use crate::transport::ApiSource;

/// The objects of one kind that others reference by name, each followed by a list and a watch of
/// its own.
///
/// References are counted. They come from the program, with [`reference`](Self::reference), and
/// from the objects of other informers, with [`feed_from`](Self::feed_from). With the first
/// reference of a key an informer of this object joins, which lists and watches with the field
/// selector `metadata.name`. So a Role with `resourceNames` suffices. With the last reference the
/// informer leaves, even in the middle of its list.
///
/// Each name has its own permissions. One that is refused holds up no other: the factory's
/// [`wait_for_sync`](SharedInformerFactory::wait_for_sync) and readiness leave the members of sets
/// out, and the status and `/readyz?verbose` name them. After the factory was shut down, no
/// informer joins. At most the factory's number of concurrent lists
/// run at a time.
///
/// Clones share the set. When the last one is dropped, the informers end, unless others hold them,
/// too.
#[must_use = "the informers end when the last clone is dropped"]
pub struct Referenced<K> {
    set: Arc<Set<K>>,
}

struct Set<K> {
    members: Arc<Members<K, Part>>,
    references: Arc<References>,
    cluster_scoped: bool,
    /// Set before the start, if at all.
    by_namespace: AtomicBool,
    /// The objects of all namespaces.
    collection: Collection,
}

impl SharedInformerFactory {
    /// Returns an empty set of referenced objects.
    ///
    /// ```
    /// # #[cfg(feature = "testing")] {
    /// # use std::time::Duration;
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # use k8s_openapi::api::networking::v1::Ingress;
    /// # use kube_informer::{SharedInformerFactory, testing::ApiServer};
    /// use kube_informer::ObjectKey;
    ///
    /// /// Returns the keys of the Secrets that an Ingress names.
    /// fn secrets_of(ingress: &Ingress) -> Vec<ObjectKey> {
    ///     let namespace = ingress.metadata.namespace.as_deref().unwrap_or_default();
    ///     let tls = ingress.spec.iter().flat_map(|spec| spec.tls.iter().flatten());
    ///     let names = tls.filter_map(|tls| tls.secret_name.as_deref());
    ///     names.filter_map(|name| ObjectKey::namespaced(namespace, name).ok()).collect()
    /// }
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    /// let ingresses = factory.informer::<Ingress>();
    /// let secrets = factory.referenced::<Secret>();
    /// secrets.feed_from(&ingresses, secrets_of)?;
    /// let own = secrets.reference(ObjectKey::namespaced("gateway", "default-tls")?);
    /// factory.start()?;
    /// secrets.start()?;
    /// secrets.wait_for_sync(Duration::from_secs(30)).await?;
    /// match secrets.get_by_key(own.key()) {
    ///     Ok(secret) => println!("of the type {:?}", secret.type_),
    ///     Err(missing) => println!("{missing}"),
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// # }
    /// ```
    pub fn referenced<K: TypedResource>(&self) -> Referenced<K> {
        self.set_of(InformerSpec::new())
    }

    /// Returns an empty set of referenced objects, whose informers have these options.
    ///
    /// An object that a selector of the spec does not select counts as absent.
    ///
    /// # Errors
    /// [`SpecError::NoEffect`] if the spec has a namespace.
    pub fn referenced_with<K: TypedResource>(
        &self,
        spec: InformerSpec<K>,
    ) -> Result<Referenced<K>, SpecError> {
        self.refuse_own_namespace(&spec)?;
        Ok(self.set_of(spec))
    }

    fn set_of<K: TypedResource>(&self, spec: InformerSpec<K>) -> Referenced<K> {
        let factory = self.clone();
        let make = move |_: &Arc<str>, part: &Part| {
            factory.set_interest(match part {
                Part::Name(key) => spec_of(&spec, key),
                Part::Namespace(names) => {
                    in_namespace(spec.clone().shard(names.shard()), &names.namespace)
                }
            })
        };
        let farewell = |object| CachedEvent::MovedAway { object };
        let cluster_scoped = KindReach::of::<K>() == KindReach::Cluster;
        let collection = ApiSource::<K>::new(self.shared.client.clone()).collection().clone();
        let needs = FactoryNeed {
            resource: collection.resource.clone(),
            name: None,
            comment: if cluster_scoped {
                "the names are referenced at run time; a rule with those in resourceNames suffices"
            } else {
                "the objects are referenced at run time; Roles in their namespaces suffice"
            },
        };
        let set = Set {
            members: Members::new(self, needs, Arc::new(make), farewell),
            references: Arc::default(),
            cluster_scoped,
            by_namespace: AtomicBool::new(false),
            collection,
        };
        Referenced { set: Arc::new(set) }
    }
}

/// Returns the spec of the informer of one object.
fn spec_of<K>(spec: &InformerSpec<K>, key: &ObjectKey) -> InformerSpec<K> {
    // A name in an object may contain anything. As a value of a selector, these have a backslash.
    let mut fields = spec.fields.as_ref().map_or_else(String::new, |own| format!("{own},"));
    fields.push_str("metadata.name=");
    for char in key.name().chars() {
        if matches!(char, ',' | '=' | '\\') {
            fields.push('\\');
        }
        fields.push(char);
    }
    in_namespace(spec.clone().fields(fields), key.namespace().unwrap_or_default())
}

/// Returns the spec in a namespace. The empty one is that of cluster-scoped objects.
fn in_namespace<K>(spec: InformerSpec<K>, namespace: &str) -> InformerSpec<K> {
    if namespace.is_empty() { spec } else { spec.namespace(namespace) }
}

impl<K: Resource + Send + Sync + 'static> Referenced<K> {
    /// Follows each namespace in which a name is referenced with one informer, instead of one for
    /// each name. Call it before [`start`](Self::start).
    ///
    /// Choose it for many names, where the program may list and watch all of a namespace. It saves
    /// a watch for each name. The server sends every object of the namespace, and objects that
    /// nothing references are dropped before they are decoded. A name that is referenced later
    /// lists the namespace once more, at most once a second. If the server refuses a namespace,
    /// none of its names is known.
    pub fn by_namespace(self) -> Self {
        self.set.by_namespace.store(true, Ordering::Relaxed);
        self
    }

    /// Takes a reference to an object, which is followed while a guard of its key lives.
    ///
    /// The object need not exist. A key that lacks a namespace, or has one although the kind has
    /// none, names no object and is not requested. Nor is one whose namespace is no RFC 1123 label.
    pub fn reference(&self, key: ObjectKey) -> Reference {
        self.set.references.take(key)
    }

    /// Follows the references of the objects of an informer or a group: `keys` returns the keys
    /// that an object names. Several informers may feed one set.
    ///
    /// When an object changes, its references change with it. They end when it is deleted, also if
    /// only a list shows that, and when the informer is stopped. A reference counts shortly after
    /// its object is in the informer's store. `keys` may run for several objects at a time. If it
    /// panics, the object keeps the references that it had.
    ///
    /// # Errors
    /// [`InformerStopped`] if an informer was stopped. The informers before it do not feed the set.
    pub fn feed_from<D, I>(
        &self,
        informers: impl Into<InformerGroup<D>>,
        keys: impl Fn(&D) -> I + Send + Sync + 'static,
    ) -> Result<(), InformerStopped>
    where
        D: Resource + Send + Sync + 'static,
        I: IntoIterator<Item = ObjectKey>,
    {
        let (keys, mut added) = (Arc::new(keys), Vec::new());
        for informer in informers.into().informers() {
            let (mut feed, keys) = (Feed::new(self.set.references.clone()), keys.clone());
            let registered = informer.on_cached_event(move |object, event| {
                let named = match event {
                    CachedEvent::Deleted { .. } | CachedEvent::MovedAway { .. } => Vec::new(),
                    CachedEvent::Added { object, .. }
                    | CachedEvent::Updated { new: object, .. } => {
                        let Some(object) = object.get() else { return };
                        keys(&object).into_iter().collect()
                    }
                };
                feed.set(object, named);
            });
            match registered {
                Ok(handler) => added.push(Feeder { informer: informer.clone().cast(), handler }),
                Err(stopped) => {
                    for feeder in added {
                        feeder.handler.remove();
                    }
                    return Err(stopped);
                }
            }
        }
        self.set.references.feed_from(&mut added);
        Ok(())
    }

    /// Starts to follow the references. A second call has no effect. The informers that feed the
    /// set are started by their factory.
    ///
    /// # Errors
    /// [`StartError::NoRuntime`] if called outside a tokio runtime.
    pub fn start(&self) -> Result<(), StartError> {
        let (references, cluster_scoped) = (self.set.references.clone(), self.set.cluster_scoped);
        let wanted = if self.set.is_by_namespace() {
            let members = Arc::downgrade(&self.set.members);
            let shown = move |name: &str| Some(members.upgrade()?.informer_named(name)?.snapshot());
            by_namespace(references, cluster_scoped, shown)
        } else {
            let resource = self.set.collection.resource.clone();
            by_name(references, cluster_scoped, move |watches| {
                tracing::warn!(
                    %resource,
                    watches,
                    "each referenced name has a watch of its own: by_namespace needs one for each \
                     namespace"
                );
            })
        };
        self.set.members.start(wanted)
    }

    /// Returns the object of a key.
    ///
    /// # Errors
    /// [`NotFound`], whose [`store`](NotFound::store) tells why:
    ///
    /// - [`StoreState::NotReferenced`]: nothing references the key, so the set knows nothing of it.
    /// - [`StoreState::Synced`]: the key is referenced, and the server has no such object.
    /// - [`StoreState::NotSynced`] and [`StoreState::NotStarted`]: it is not known yet. If the
    ///   server refuses the name, it stays so, and the factory's status has the error.
    pub fn get_by_key(&self, key: &ObjectKey) -> Result<Arc<K>, NotFound> {
        let store = if !self.set.references.contain(key) {
            StoreState::NotReferenced
        } else if !is_in_scope(key, self.set.cluster_scoped) {
            StoreState::WrongScope
        } else if !can_have(key, self.set.cluster_scoped) {
            StoreState::Synced
        } else if let Some(informer) = self.set.informer_of(key) {
            // The informer of a namespace may be about to list the name.
            let followed = follows(&informer.snapshot(), key);
            let read = informer.lister().get_by_key(key);
            return read.map_err(|missing| match missing.store {
                StoreState::Synced if !followed => {
                    NotFound { store: StoreState::NotSynced, ..missing }
                }
                _ => missing,
            });
        } else if self.set.members.is_started() {
            StoreState::NotSynced
        } else {
            StoreState::NotStarted
        };
        Err(NotFound {
            resource: self.set.collection.resource.clone(),
            namespace: key.namespace().map(Into::into),
            name: key.name().to_owned(),
            store,
        })
    }

    /// Returns the objects that are referenced and exist, by key. O(n).
    pub fn all(&self) -> Vec<Arc<K>> {
        self.keys().iter().filter_map(|key| self.get_by_key(key).ok()).collect()
    }

    /// Returns the referenced keys, sorted. O(n).
    pub fn keys(&self) -> Vec<ObjectKey> {
        self.set.references.keys()
    }

    /// Adds a closure as a handler of all referenced objects, present and future ones. The events
    /// of one object come in order. Those of several objects may come at the same time.
    ///
    /// When the last reference of an object is dropped, the closure is called with
    /// [`Event::MovedAway`]: the object was not deleted. The closure may not hold this set, because
    /// it would keep the informers running.
    pub fn on_event(&self, call: impl Fn(Event<K>) + Send + Sync + 'static) {
        self.set.members.add_handler(move |_, event| call(event));
    }

    /// Adds an index to the informers of all referenced objects, present and future ones. It holds
    /// the objects that are followed now. See [`SharedInformer::add_index`].
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
        self.set.members.add_index(name, values)
    }

    /// Waits until the references of the informers that feed the set are known and each referenced
    /// object is known, for at most `limit`. A feeding informer whose
    /// [kind is not served](InformerSpec::when_served) is not waited for. Cancel safe.
    ///
    /// # Errors
    /// [`SyncError`] names the informers that have not synced, for example because a name is
    /// refused, and the [conflicts](Self::conflicts). The other objects can be read.
    pub async fn wait_for_sync(&self, limit: Duration) -> Result<(), SyncError> {
        let start = Instant::now();
        let rest = || limit.saturating_sub(start.elapsed());
        if !self.set.members.is_started() {
            let unsynced = vec![Unsynced::not_started(self.set.collection.clone())];
            return SyncError::unless_none(unsynced, start);
        }
        let feeders = self.set.references.feeders();
        let informers: Vec<_> = feeders.iter().map(|feeder| feeder.informer.clone()).collect();
        wait_for_all(&informers, rest(), |_| true).await?;
        let fed = feeders.iter().map(|feeder| feeder.unfed(rest()).boxed());
        let unfed = Together::all(fed).await.into_iter().flatten().collect();
        SyncError::unless_none(unfed, start)?;
        let keys = self.keys();
        if timeout(rest(), self.set.joined(&keys)).await.is_err() {
            let unsynced = Unsynced::not_started(self.set.collection.clone()).joining();
            return SyncError::unless_none(vec![unsynced], start);
        }
        let waits = keys.iter().filter_map(|key| self.set.wait_for(key, rest()));
        let waits = SyncError::join(Together::all(waits).await, start);
        let mut unsynced = waits.map_or_else(|error| error.unsynced, |()| Vec::new());
        unsynced.extend(keys.iter().filter_map(|key| self.set.refusal_of(key)));
        SyncError::unless_none(unsynced, start)
    }

    /// Returns the status of each informer.
    pub fn status(&self) -> Vec<InformerStatus> {
        self.set.members.tagged().into_iter().map(|(_, informer)| informer.status()).collect()
    }

    /// Returns the errors of names whose informer exists with other options. They are tried again
    /// every 30 seconds.
    pub fn conflicts(&self) -> Vec<SpecError> {
        self.set.members.refused()
    }
}

impl<K: Resource + Send + Sync + 'static> InformerSet for Referenced<K> {
    fn start(&self) -> Result<(), StartError> {
        Self::start(self)
    }

    fn informers(&self) -> Vec<SharedInformer> {
        let members = self.set.members.tagged().into_iter();
        members.map(|(_, informer)| informer.cast()).collect()
    }

    fn informer_of(&self, key: &ObjectKey) -> Option<SharedInformer> {
        Some(self.set.informer_of(key)?.cast())
    }

    /// The informers of several names have one collection.
    fn has_collections(&self) -> bool {
        false
    }

    fn changes(&self) -> watch::Receiver<()> {
        self.set.members.changes()
    }
}

impl<K: Resource + Send + Sync + 'static> Set<K> {
    fn is_by_namespace(&self) -> bool {
        self.by_namespace.load(Ordering::Relaxed)
    }

    fn member_of<'k>(&self, key: &'k ObjectKey) -> &'k str {
        member_of(key, self.is_by_namespace())
    }

    /// Returns the informer that follows the object of a key. O(log members).
    fn informer_of(&self, key: &ObjectKey) -> Option<SharedInformer<K>> {
        self.members.informer_named(self.member_of(key))
    }

    /// Waits until each key has an informer, is refused, or is no longer referenced.
    async fn joined(&self, keys: &[ObjectKey]) {
        let joined = |key: &ObjectKey| {
            !can_have(key, self.cluster_scoped)
                || self.informer_of(key).is_some()
                || self.members.refusal_of(self.member_of(key)).is_some()
                || !self.references.contain(key)
        };
        let (mut members, mut references) = (self.members.changes(), self.references.changes());
        while !keys.iter().all(joined) {
            // The senders live as long as `self`.
            tokio::select! {
                _ = members.changed() => {}
                _ = references.changed() => {}
            }
        }
    }

    /// Returns the reason why the informer of a referenced key could not join.
    fn refusal_of(&self, key: &ObjectKey) -> Option<Unsynced> {
        let error = self.members.refusal_of(self.member_of(key))?;
        let concerns = self.references.contain(key) && self.informer_of(key).is_none();
        let reason = format!("{key} is not followed: {error}");
        concerns.then(|| Unsynced::refused(self.collection.clone(), reason))
    }

    /// Waits until the informer of a key has synced, or the key is no longer referenced.
    fn wait_for(
        &self,
        key: &ObjectKey,
        limit: Duration,
    ) -> Option<BoxFuture<'_, Result<(), SyncError>>> {
        let (informer, key) = (self.informer_of(key)?, key.clone());
        let wait = async move {
            let start = Instant::now();
            let mut synced = informer.wait_for_sync(limit).await;
            if synced.is_ok() {
                let changes = informer.indexer();
                let followed = changes.find_in_changes(|store| follows(store, &key).then_some(()));
                if timeout(limit.saturating_sub(start.elapsed()), followed).await.is_err() {
                    synced = SyncError::unless_none(
                        vec![informer.unsynced().lacking(key.clone())],
                        start,
                    );
                }
            }
            // The name may have been dropped and referenced again meanwhile.
            let concerns = self.references.contain(&key)
                && self.informer_of(&key).is_some_and(|now| now == informer);
            if concerns { synced } else { Ok(()) }
        };
        Some(wait.boxed())
    }
}

impl<K> Drop for Set<K> {
    fn drop(&mut self) {
        self.references.remove_feeders();
    }
}

impl<K> Clone for Referenced<K> {
    fn clone(&self) -> Self {
        Self { set: self.set.clone() }
    }
}

impl<K: Resource + Send + Sync + 'static> fmt::Debug for Referenced<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Referenced").field(&self.keys()).finish()
    }
}
