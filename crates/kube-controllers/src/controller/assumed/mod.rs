//! Writes that count before the cache shows them.
//!
//! A scheduler or an allocator decides from all objects at once. A cache does not show its last
//! decisions yet, so it would make them again. An [`AssumedView`] lays them over the store: the
//! answers to its writes, and objects that it is about to write.
//!
//! The store knows nothing of it. Listers, indexes, handlers and controllers never see an assumed
//! object.

mod client;
mod overlay;
mod snapshot;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use kube::{Client, Resource};
use kube_decode::{Decode, SerdeDecode};
use serde::de::DeserializeOwned;

use self::client::DecodeAnswer;
use self::overlay::Overlay;
pub use self::snapshot::AssumedSnapshot;
use super::owner::static_type;
use kube_informer::informer::SharedInformer;
use kube_informer::lister_watcher::Collection;
use kube_informer::object::{Cached, InvalidKey, ObjectKey};
use kube_informer::seams::KindReach;

/// A view of an informer's objects together with the caller's own writes that the store does not
/// show yet. Clones share the writes.
///
/// An object is assumed from [`assume`](Self::assume), or from the answer to a write of
/// [`client`](Self::client). It is assumed until one of these:
///
/// - The store has reached the answer's version, or shows that the object is gone.
/// - [`shown_when`](Self::shown_when) returns true.
/// - [`forget`](Self::forget) is called, because the write was refused. The last answer then counts
///   again, if the store does not show it yet.
/// - The [lifetime](Self::lifetime) has passed, and the informer has proved, by a read from a
///   quorum, that its store is newer. This is [counted](AssumedStatus::expired).
///
/// So a reader of one view never sees an older state of an object than before, unless it was
/// assumed and not written. Writes of other processes are seen when the store shows them. While an
/// object is assumed, changes by others are hidden.
///
/// Snapshots do the work; there is no task. A view that nobody reads
/// keeps what it holds.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{Api, ObjectMeta, PostParams};
/// use kube_controllers::controller::AssumedView;
/// use kube_informer::{ObjectKey, SharedInformerFactory, testing::ApiServer};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let server = ApiServer::new();
/// let factory = SharedInformerFactory::builder(server.client()).build();
/// let maps = factory.informer::<ConfigMap>();
/// factory.start()?;
/// factory.wait_for_sync(Duration::from_secs(5)).await?;
///
/// let view = AssumedView::new(&maps);
/// let api = Api::<ConfigMap>::namespaced(view.client(server.client()), "default");
/// let metadata = ObjectMeta { name: Some("a".into()), ..ObjectMeta::default() };
/// api.create(&PostParams::default(), &ConfigMap { metadata, ..ConfigMap::default() }).await?;
/// // The watch may not have brought it yet.
/// assert!(view.snapshot().get(&ObjectKey::namespaced("default", "a")?).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// # }
/// ```
pub struct AssumedView<K>(Arc<Overlay>, PhantomData<fn() -> K>);

/// The reason why an object is not assumed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AssumeError {
    /// The object has no name, or one that no object can have.
    #[error(transparent)]
    NoKey(#[from] InvalidKey),
    /// The informer holds no object of this key: the namespace is missing, or is another one. The
    /// store would never show the object.
    #[error(
        "{key} is not assumed, because the informer of {collection} holds no object of this key"
    )]
    NotHeld {
        /// The key of the object.
        key: ObjectKey,
        /// The collection that the informer holds.
        collection: Collection,
    },
    /// The view holds as many objects as its limit allows.
    #[error("{key} is not assumed, because {limit} objects are: wait until the cache shows some")]
    Full {
        /// The key of the object.
        key: ObjectKey,
        /// The view's [limit](AssumedView::limit).
        limit: usize,
    },
}

/// The figures of an [`AssumedView`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct AssumedStatus {
    /// The number of objects that are assumed now.
    pub assumed: usize,
    /// The number of writes that no store showed within the lifetime, or that a restored backup has
    /// lost.
    pub expired: u64,
    /// The number of answers that were not laid over the store, because the view was full.
    pub skipped: u64,
}

impl<K: Resource + Send + Sync + 'static> AssumedView<K> {
    /// Creates a view of this informer's objects, and keeps the informer alive.
    pub fn new(informer: &SharedInformer<K>) -> Self {
        let api_version = static_type::<K>().map(|unit| K::api_version(&unit).into_owned());
        let overlay = Overlay::new(informer.clone().cast(), api_version, KindReach::of::<K>());
        Self(Arc::new(overlay), PhantomData)
    }

    /// Sets the function that decides whether a stored object shows what was assumed:
    /// `shown(of, stored)`. It is called with newer states of an object than the one that was
    /// changed. For an object that is to be created, it is called with any later object of that
    /// name.
    ///
    /// A write whose answer does not have the object needs one, such as a binding, and so does one
    /// whose answer may be lost. Without a function, such an object is assumed until its lifetime
    /// has passed. A panic counts as false and is logged.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::SharedInformer;
    /// use kube_controllers::controller::AssumedView;
    ///
    /// fn bound(pods: &SharedInformer<Pod>) -> AssumedView<Pod> {
    ///     let node = |pod: &Pod| pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
    ///     AssumedView::new(pods).shown_when(move |_, stored| node(stored).is_some())
    /// }
    /// ```
    #[must_use]
    pub fn shown_when(self, shown: impl Fn(&K, &K) -> bool + Send + Sync + 'static) -> Self {
        let shown = move |of: &Cached, stored: &Cached| {
            of.get_as().zip(stored.get_as()).is_some_and(|(of, stored)| shown(&of, &stored))
        };
        self.with(|settings| settings.shown = Some(Arc::new(shown)))
    }

    /// Sets the longest time for which an object is assumed. 30 s unless set. It must be longer
    /// than a write may take, or the write may be made after its end.
    #[must_use]
    pub fn lifetime(self, lifetime: Duration) -> Self {
        self.with(|settings| settings.lifetime = lifetime)
    }

    /// Sets the largest number of assumed objects. 10,000 unless set.
    #[must_use]
    pub fn limit(self, objects: usize) -> Self {
        self.with(|settings| settings.limit = objects)
    }

    fn with(self, set: impl FnOnce(&mut overlay::Settings)) -> Self {
        self.0.set(set);
        self
    }

    /// Assumes an object that the caller is about to write, as it will be. Replaces what was
    /// assumed of it before.
    ///
    /// The answer to the next write of this object through [`client`](Self::client) takes its
    /// place. Have one write of an object in flight at a time. If the write is refused,
    /// [`forget`](Self::forget) the object. If its outcome is unknown, do not: the cache will show
    /// it, or the lifetime passes.
    ///
    /// An object with a uid is a change of the state that its `resourceVersion` names. One without
    /// a uid is to be created. The store's transform is not applied.
    ///
    /// # Errors
    /// [`AssumeError`]; nothing changes then.
    pub fn assume(&self, object: impl Into<Arc<K>>) -> Result<(), AssumeError> {
        let object = object.into();
        let key = ObjectKey::of(&*object)?;
        self.0.assume(key, Cached::any(object))
    }

    /// Forgets an object that was assumed and not written. What an answer has shown stays. Returns
    /// whether it was assumed.
    pub fn forget(&self, key: &ObjectKey) -> bool {
        self.0.forget(key)
    }

    /// Returns the store's present state, with the assumed objects over it. O(a log n) for `a`
    /// assumed and `n` stored objects.
    #[must_use]
    pub fn snapshot(&self) -> AssumedSnapshot<K> {
        let (store, laid) = self.0.view();
        AssumedSnapshot::new(store.cast(), laid)
    }

    /// Returns the figures, after it has removed what the store shows.
    #[must_use]
    pub fn status(&self) -> AssumedStatus {
        self.0.view();
        self.0.status()
    }
}

impl<K: Resource + DeserializeOwned + Send + Sync + 'static> AssumedView<K> {
    /// Wraps a client so that this view sees the answers to its writes at once. It may be a
    /// [`tracking_client`](super::tracking_client).
    ///
    /// An answer counts if it has an object of the informer's kind, API version and namespace, or
    /// deletes one. Dry runs do not count. An informer with a selector sees no answers, because the
    /// object may not match. The client must be one of the informer's cluster.
    ///
    /// Delete with the object's uid as a precondition. Otherwise another object of its name may be
    /// deleted, which the store has not shown. Readers may then see an older one for a moment.
    ///
    /// A write without an answer may have been made. It is seen when the store shows it. If that
    /// matters, [`assume`](Self::assume) the object before the write.
    ///
    /// # Panics
    /// Panics outside a tokio runtime, as [`kube::Client::new`] does.
    #[must_use]
    pub fn client(&self, client: Client) -> Client {
        let decode: DecodeAnswer = |body| {
            let decoder = SerdeDecode::<K>::new().managed_fields(false);
            Some(Cached::any(Arc::new(decoder.decode(body).ok()?)))
        };
        client::watching(self.0.clone(), decode, client)
    }
}

impl<K> Clone for AssumedView<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<K> fmt::Debug for AssumedView<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AssumedView").field("status", &self.0.status()).finish_non_exhaustive()
    }
}
