//! A factory of shared informers: one informer for each type, namespace, selector and shard,
//! however many callers request it.
//!
//! A [`SharedInformerFactory`] hands out informers, and starts, awaits and stops them together. Two
//! controllers that need pods share one watch and one copy of the pods.
//!
//! The factory holds its informers: dropping all handles of one does not stop it. One that was
//! requested only by [`interest`](SharedInformerFactory::interest) ends with its last guard.
//! [`SharedInformerFactory::remove`] stops any, and so do its own
//! [`shutdown`](SharedInformer::shutdown) and the factory's. A stopped informer leaves the factory:
//! its store is freed with the last handle, and only the factory's shutdown still waits for its
//! tasks. One that *failed* stays until it is requested again, so that the status says why it
//! failed. After the whole factory was shut down, its status holds the last status of each
//! informer, until an informer is requested again.

mod auditing;
mod builder;
mod dynamic;
mod interest;
mod registry;
mod removal;
mod resource;
mod sets;
mod settings;
mod shutdown;
mod spec;

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use kube::core::{ApiResource, NamespaceResourceScope};
use kube::{Client, Resource};

pub use self::builder::SharedInformerFactoryBuilder;
use self::interest::Holders;
pub use self::interest::Interest;
use self::registry::{Held, Identity, Registry, Request, missing};
pub use self::resource::TypedResource;
pub use self::sets::{FactoryNeed, Kinds, Reference, Referenced, SelectedNamespaces};
pub use self::spec::{InformerSpec, SpecError};
use crate::informer::{
    InformerGroup, InformerStatus, SharedInformer, StartError, SyncError, wait_for_own,
};
use crate::lister_watcher::Collection;
use crate::lister_watcher::ListerWatcher;
use crate::object::KindReach;
use crate::sorting::sort_by;
use crate::transport::{ApiSource, VersionInUse, check_resource};

/// The number of informers of a set beyond which their watches are worth a warning.
const MANY_WATCHES: usize = 200;

/// A factory of shared informers.
///
/// Clones are cheap and share the informers. An informer runs until it is
/// [removed](Self::remove) or shut down, or until the factory's last clone and the informer's last
/// handle are dropped.
///
/// ```no_run
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::SharedInformerFactory;
///
/// # async fn f() -> Result<(), Box<dyn std::error::Error>> {
/// let client = kube::Client::try_default().await?;
/// let factory = SharedInformerFactory::builder(client).resync(Duration::from_secs(600)).build();
/// let pods = factory.informer::<Pod>();
/// let by_node = pods.add_index("node", |pod: &Pod| pod.spec.as_ref()?.node_name.clone())?;
/// factory.start()?;
/// factory.wait_for_sync(Duration::from_secs(30)).await?;
/// println!("{} pods on n1", by_node.len("n1"));
/// factory.shutdown().await;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct SharedInformerFactory {
    shared: Arc<Registry>,
}

impl SharedInformerFactory {
    /// Creates a builder of a factory that uses this client.
    ///
    /// A client with kube's default stack retries 429, 503 and 504 itself, up to 15 times, before
    /// an informer sees them. Set `Config::default_retry = false` to leave retries to the informer.
    ///
    /// For credentials that expire, use a client that [renews itself](crate::client).
    pub fn builder(client: Client) -> SharedInformerFactoryBuilder {
        SharedInformerFactoryBuilder::new(client)
    }

    /// Returns the informer of all objects of type `K`. All callers get the same informer, unless
    /// it was stopped.
    ///
    /// `K` is a type of `k8s-openapi`, a derived custom resource, a
    /// [`PartialObjectMeta`](kube::core::PartialObjectMeta), or your own struct that inherits a
    /// resource. Such a struct needs only the fields that you read.
    ///
    /// If the informer was requested [with options](Self::informer_with) before, it keeps these
    /// options. If one of them is a transform, a warning is logged, because the objects may lack
    /// fields.
    pub fn informer<K>(&self) -> SharedInformer<K>
    where
        K: TypedResource,
    {
        self.get(self.typed_request(InformerSpec::<K>::new()))
    }

    /// Returns the informer that a spec describes.
    ///
    /// ```
    /// # #[cfg(feature = "testing")] {
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # use kube_informer::{InformerSpec, SharedInformerFactory, testing::ApiServer};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    /// let shop = || InformerSpec::<Pod>::new().namespace("shop");
    /// let pods = factory.informer_with(shop().managed_fields(false))?;
    /// // The same informer: an unset option never conflicts.
    /// let same = factory.informer_with(shop())?;
    /// // Another setting of the same option is refused.
    /// let refused = factory.informer_with(shop().managed_fields(true)).unwrap_err();
    /// assert!(refused.to_string().contains("managed_fields is false, requested: true"));
    /// # Ok::<(), kube_informer::factory::SpecError>(()) }).unwrap();
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`SpecError::Conflict`] if the factory has this informer with other options.
    /// [`SpecError::NoEffect`] if the spec has a namespace and `K` is cluster-scoped.
    /// [`SpecError::Name`], [`SpecError::Labels`] and [`SpecError::Fields`] if a server would
    /// refuse the namespace or a selector in every request.
    pub fn informer_with<K>(&self, spec: InformerSpec<K>) -> Result<SharedInformer<K>, SpecError>
    where
        K: TypedResource,
    {
        self.refuse_namespace(&spec)?;
        Ok(self.find_checked(self.typed_request(spec), Hold::Factory)?.informer.cast())
    }

    /// Refuses a namespace of a cluster-scoped kind.
    fn refuse_namespace<K>(&self, spec: &InformerSpec<K>) -> Result<(), SpecError>
    where
        K: TypedResource,
    {
        if spec.namespace.is_some() && KindReach::of::<K>() == KindReach::Cluster {
            let reason = "the kind is cluster-scoped; leave the namespace out";
            return Err(self.no_effect::<K>(reason));
        }
        Ok(())
    }

    /// Returns the error for a namespace that has no effect.
    fn no_effect<K>(&self, reason: &'static str) -> SpecError
    where
        K: TypedResource,
    {
        let source = ApiSource::<K>::new(self.shared.client.clone());
        let resource = source.collection().resource.clone();
        SpecError::NoEffect { resource, option: "namespace", reason }
    }

    /// Returns the request for a typed informer. A spec without a namespace gets the factory's.
    fn typed_request<K>(&self, mut spec: InformerSpec<K>) -> Request
    where
        K: TypedResource,
    {
        if spec.namespace.is_none() && KindReach::of::<K>() != KindReach::Cluster {
            spec.namespace.clone_from(&self.shared.namespace);
        }
        let client = self.shared.client.clone();
        Request {
            object: TypeId::of::<K>(),
            path: K::url_path(&(), None),
            resource: ApiResource::erase::<K>(&()),
            moves: false,
            spec: spec.erase(),
            source: Box::new(move || ApiSource::<K>::new(client).erase()),
        }
    }

    /// Returns the informers of type `K` in these namespaces, as one group. A cluster-scoped kind
    /// has no namespaces, so it does not compile:
    ///
    /// ```compile_fail,E0271
    /// use k8s_openapi::api::core::v1::Node;
    ///
    /// fn f(factory: kube_informer::SharedInformerFactory) {
    ///     factory.in_namespaces::<Node>(["shop"]);
    /// }
    /// ```
    pub fn in_namespaces<K>(
        &self,
        namespaces: impl IntoIterator<Item = impl Into<Arc<str>>>,
    ) -> InformerGroup<K>
    where
        K: TypedResource<Scope = NamespaceResourceScope>,
    {
        let specs = namespaces.into_iter().map(|name| InformerSpec::<K>::new().namespace(name));
        InformerGroup::new(specs.map(|spec| self.get(self.typed_request(spec))))
    }

    /// Returns the informers that a spec describes in these namespaces, as one group.
    ///
    /// # Errors
    /// The errors of [`informer_with`](Self::informer_with). Also [`SpecError::NoEffect`] if the
    /// spec has a namespace.
    pub fn in_namespaces_with<K>(
        &self,
        namespaces: impl IntoIterator<Item = impl Into<Arc<str>>>,
        spec: &InformerSpec<K>,
    ) -> Result<InformerGroup<K>, SpecError>
    where
        K: TypedResource<Scope = NamespaceResourceScope>,
    {
        self.refuse_own_namespace(spec)?;
        let specs = namespaces.into_iter().map(|namespace| spec.clone().namespace(namespace));
        let informers: Result<Vec<_>, _> = specs.map(|spec| self.informer_with(spec)).collect();
        Ok(InformerGroup::new(informers?))
    }

    /// Refuses a namespace where each informer gets one.
    fn refuse_own_namespace<K>(&self, spec: &InformerSpec<K>) -> Result<(), SpecError>
    where
        K: TypedResource,
    {
        if spec.namespace.is_some() {
            let reason = "each informer of the group has a namespace of its own; leave it out";
            return Err(self.no_effect::<K>(reason));
        }
        Ok(())
    }

    /// Finds or makes an informer that the factory holds. The request sets no option, so it
    /// conflicts with none.
    fn get<K: Resource + Send + Sync + 'static>(&self, request: Request) -> SharedInformer<K> {
        self.find(request, Hold::Factory).informer.cast()
    }

    /// Finds or makes an informer, and holds it.
    ///
    /// # Errors
    /// Returns an error if a server would refuse the spec, or if the informer has other options.
    fn find_checked(&self, request: Request, hold: Hold) -> Result<Found, SpecError> {
        check_resource(&request.resource)?;
        request.spec.check()?;
        self.find(request, hold).or_refused()
    }

    /// Finds or makes an informer, and holds it unless its options differ from the spec.
    fn find(&self, request: Request, hold: Hold) -> Found {
        let Request { object, path, resource, moves, spec, source } = request;
        let identity = Identity {
            object,
            path,
            namespace: spec.namespace.clone(),
            labels: spec.labels.clone(),
            fields: spec.fields.clone(),
            shard: spec.shard.clone(),
        };
        let version = VersionInUse::default();
        // Made without the lock, because it requests the informer of definitions.
        let served = spec
            .when_served
            .unwrap_or_default()
            .then(|| self.served_kind(resource, moves, version.clone()));
        let mut informers = self.shared.informers.lock();
        if let Some(held) = informers.get(&identity).filter(|held| held.is_live()) {
            let differences = spec.differences(&held.spec);
            if !differences.is_empty() || held.holders.add(hold) {
                let Held { informer, spec: made, holders } = held.clone();
                drop(informers);
                if spec.transform.is_none() && made.transform.is_some() {
                    warn_of_transform(informer.collection());
                }
                return Found { informer, holders, differences };
            }
        }
        let made = self.shared.make(spec, source().in_version(version), served, hold);
        let (informer, holders) = (made.informer.clone(), made.holders.clone());
        let shared = Arc::downgrade(&self.shared);
        let left = identity.clone();
        informer.on_stop(move || {
            if let Some(shared) = shared.upgrade() {
                shared.remove_stopped(&left);
            }
        });
        self.shared.ended.lock().last.clear();
        let before = informers.insert(identity, made);
        drop(informers);
        // This is an informer that failed, or whose last guard is being dropped. Drop it without
        // the lock: it may hold user closures.
        if let Some(before) = before {
            self.shared.note_leaving(&before);
        }
        Found { informer, holders, differences: Vec::new() }
    }

    /// Starts every requested informer that does not run yet. Call it again after requesting more
    /// informers.
    ///
    /// # Errors
    /// [`StartError::NoRuntime`] if called outside a tokio runtime, [`StartError::InvalidName`] if
    /// nothing can have a name that the factory or a call gave.
    pub fn start(&self) -> Result<(), StartError> {
        for informer in self.informers() {
            match informer.start() {
                Ok(()) | Err(StartError::Stopped) => {}
                Err(error) => return Err(error),
            }
        }
        self.start_audits();
        Ok(())
    }

    /// Waits until every informer that the program requested has synced, for at most `limit`.
    ///
    /// An informer that was stopped before the call is not waited for. Nor is one that lost its
    /// last [guard](Self::interest), even during the call, or one whose
    /// [kind is not served](InformerSpec::when_served). The members of a set, such as
    /// [selected namespaces](Self::in_namespaces_where), are left out: the set waits for them.
    /// Cancel safe. Any number of tasks may wait.
    ///
    /// # Errors
    /// [`SyncError`] names the informers that have not synced, with the state and the last error of
    /// each. An informer that is removed or shut down during the call is among them.
    pub async fn wait_for_sync(&self, limit: Duration) -> Result<(), SyncError> {
        wait_for_own(self.informers(), limit).await
    }

    /// Returns the status of every informer. O(informers + handlers).
    pub fn status(&self) -> FactoryStatus {
        let mut informers = self.informers();
        let ended = self.shared.ended.lock();
        informers.extend(missing(&informers, &ended.ending));
        let mut found = ended.last.clone();
        drop(ended);
        found.extend(informers.iter().map(super::informer::SharedInformer::status));
        found.into_iter().collect()
    }

    /// Returns the informers that the factory shares, in the order of their collections.
    pub fn informers(&self) -> Vec<SharedInformer> {
        let informers = self.shared.informers.lock();
        let mut informers: Vec<_> = informers.iter().collect();
        sort_by(&mut informers, |(one, _), (other, _)| one.order().cmp(&other.order()));
        informers.into_iter().map(|(_, held)| held.informer.clone()).collect()
    }

    /// Returns the client that the informers use.
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// Returns the needs of each set, whose members are known only at run time, and that of the
    /// kept objects.
    #[doc(hidden)]
    pub fn needs(&self) -> Vec<FactoryNeed> {
        let of_sets = self.shared.set_needs.lock();
        let mut needs: Vec<_> =
            of_sets.iter().filter_map(Weak::upgrade).map(|need| (*need).clone()).collect();
        drop(of_sets);
        if self.shared.warm.as_ref().is_some_and(|warm| !warm.has_own_mark()) {
            needs.push(FactoryNeed {
                resource: "namespaces".into(),
                name: Some("kube-system"),
                comment: "its uid is the cluster's mark for kept objects; one of your own suffices",
            });
        }
        needs
    }
}

/// The holder for which an informer is requested.
#[derive(Clone, Copy, Debug)]
enum Hold {
    /// The factory, until the informer is removed.
    Factory,
    /// A guard of the program.
    Guard,
    /// A guard of a set of informers, which the readiness of the program does not wait for.
    Set,
}

/// The informer that a request found or made.
struct Found {
    informer: SharedInformer,
    holders: Arc<Holders>,
    /// The options in which the informer differs from the spec. If there are any, it is not held.
    differences: Vec<String>,
}

impl Found {
    /// Returns an error if there are differences.
    fn or_refused(self) -> Result<Self, SpecError> {
        if self.differences.is_empty() {
            return Ok(self);
        }
        let Self { informer, differences, .. } = self;
        Err(SpecError::Conflict { collection: informer.collection().clone(), differences })
    }
}

impl fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let informers: Vec<_> = self.shared.informers.lock().keys().cloned().collect();
        f.debug_struct("SharedInformerFactory")
            .field("informers", &informers)
            .finish_non_exhaustive()
    }
}

/// The status of all informers of a factory, at one moment. It never contains the contents of
/// objects.
///
/// A program can serve it as it is. Serialised, durations are seconds. Versions and errors are
/// text, with the fields that programs need beside them. The field `doing` names the state of a
/// reflector.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// # use k8s_openapi::api::core::v1::Pod;
/// # use kube_informer::{SharedInformerFactory, testing::ApiServer};
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
/// factory.informer::<Pod>();
/// let status = serde_json::to_value(factory.status())?;
/// assert_eq!(status["informers"][0]["collection"]["resource"], "pods");
/// assert_eq!(status["informers"][0]["reflector"]["state"]["doing"], "idle");
/// # Ok::<(), serde_json::Error>(()) }).unwrap();
/// # }
/// ```
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct FactoryStatus {
    /// The informers, sorted by name, resource and namespace. An informer that was removed, or
    /// stopped by its own handle, is left out. One that failed is included. After the factory was
    /// shut down, this holds the last status of each informer.
    pub informers: Vec<InformerStatus>,
    /// The resources of which sets hold more than 200 informers, with their number. Each informer
    /// has a watch, which is a connection. [`Referenced::by_namespace`] needs fewer. Serialised
    /// only if not empty.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub many_watches: BTreeMap<Arc<str>, usize>,
}

/// Sorts the informers, and counts those of sets.
impl FromIterator<InformerStatus> for FactoryStatus {
    fn from_iter<I: IntoIterator<Item = InformerStatus>>(informers: I) -> Self {
        let mut informers: Vec<_> = informers.into_iter().collect();
        sort_by(&mut informers, |a, b| {
            let key = |status: &InformerStatus| {
                let collection = &status.collection;
                (status.name.clone(), collection.resource.clone(), collection.namespace.clone())
            };
            key(a).cmp(&key(b))
        });
        let mut many_watches = BTreeMap::new();
        for informer in informers.iter().filter(|informer| informer.of_set) {
            *many_watches.entry(informer.collection.resource.clone()).or_default() += 1;
        }
        many_watches.retain(|_, watches| *watches > MANY_WATCHES);
        Self { informers, many_watches }
    }
}

impl FactoryStatus {
    /// Returns whether every informer has synced that
    /// [`wait_for_sync`](SharedInformerFactory::wait_for_sync) waits for. True if there are none.
    pub fn synced(&self) -> bool {
        self.awaited().all(|informer| informer.synced)
    }

    /// Returns whether every informer that counts for [`synced`](Self::synced) has synced and is
    /// proved to be no older than `limit`. True if there are none. See
    /// [`InformerStatus::is_fresh`].
    pub fn fresh_within(&self, limit: Duration) -> bool {
        self.awaited().all(|informer| informer.is_fresh(limit))
    }

    fn awaited(&self) -> impl Iterator<Item = &InformerStatus> {
        self.informers.iter().filter(|informer| informer.is_awaited())
    }
}

fn warn_of_transform(collection: &Collection) {
    tracing::warn!(
        resource = &*collection.resource,
        namespace = collection.namespace.as_deref(),
        "this informer was first requested with a transform: its objects may lack fields that the \
         server's have"
    );
}
