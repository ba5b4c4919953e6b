//! Reads that include the controller's own writes.
//!
//! The cache lags behind a controller's own writes. A reconcile that runs meanwhile does not see
//! them and repeats them. [`OwnWrites`] records the writes made for each key. The key's next
//! reconcile waits in the queue until the cache shows them, and no worker waits.
//!
//! A [`tracking_client`] records writes by itself, including those whose answer was lost.

mod answer;
mod cache;
mod client;
mod expectation;
mod log;
mod lookup;
mod seen;
mod target;

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use kube::Resource;
use kube::api::DynamicObject;
use serde_json::Value;

pub(super) use self::cache::Cache;
pub(crate) use self::client::current_won;
pub use self::client::{WriteRefused, current_key, tracking_client};
pub(super) use self::expectation::Expectation;
use self::expectation::ends;
pub(super) use self::log::{CacheGuard, Unobserved, WriteLog};
pub(super) use self::{
    answer::{WriteAnswer, WriteOutcome, Written},
    cache::CacheBefore,
    client::TrackedReconcile,
    expectation::is_met,
    target::WriteTarget,
};
use kube_informer::indexer::WaitTimeout;
use kube_informer::informer::SharedInformer;
use kube_informer::object::{InvalidKey, ObjectKey, ResourceVersion};

/// The resource whose objects are also held by finalizers of their spec.
const NAMESPACES: &str = "namespaces";

/// The writes to objects of one kind that the informer's store does not show yet. Clones are cheap
/// and share the record.
///
/// ```no_run
/// use std::{sync::Arc, time::Duration};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{Api, PostParams};
/// use kube_informer::SharedInformer;
/// use kube_controllers::controller::{OwnWrites, ReconcileRequest};
///
/// # async fn f(
/// #     maps: SharedInformer<ConfigMap>, api: Api<ConfigMap>,
/// #     request: ReconcileRequest<ConfigMap>, wanted: ConfigMap,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// let writes = OwnWrites::new(&maps);
/// let made = api.create(&PostParams::default(), &wanted).await?;
/// writes.expect_write(&request.key, &made)?;
/// // A controller built with `reads_own_writes` does this before the next reconcile of the key.
/// writes.wait_observed(&request.key, Duration::from_secs(10)).await?;
/// assert!(maps.indexer().get(&kube_informer::ObjectKey::of(&made)?).is_some());
/// # Ok(()) }
/// ```
pub struct OwnWrites<K>(Cache, PhantomData<fn() -> K>);

/// An object that cannot be recorded as a write: it lacks a name or a version.
///
/// The object that was sent cannot be recorded; the server's answer can:
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{Api, ObjectMeta, PostParams};
/// use kube_controllers::controller::{OwnWrites, UntraceableWrite};
/// use kube_informer::{ObjectKey, SharedInformerFactory, testing::ApiServer};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let server = ApiServer::new();
/// let factory = SharedInformerFactory::builder(server.client()).build();
/// let writes = OwnWrites::new(&factory.informer::<ConfigMap>());
/// let key = ObjectKey::namespaced("default", "owner")?;
///
/// let metadata = ObjectMeta { name: Some("copy".into()), ..ObjectMeta::default() };
/// let sent = ConfigMap { metadata, ..ConfigMap::default() };
/// let refused = writes.expect_write(&key, &sent).unwrap_err();
/// assert!(matches!(refused, UntraceableWrite::NoVersion(_)));
///
/// let api = Api::<ConfigMap>::namespaced(server.client(), "default");
/// let answer = api.create(&PostParams::default(), &sent).await?;
/// writes.expect_write(&key, &answer)?;
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UntraceableWrite {
    /// The object has no name, or one that no object can have.
    #[error(transparent)]
    NoKey(#[from] InvalidKey),
    /// The object has no resourceVersion. It may be the object that was sent, not the server's
    /// answer.
    #[error(
        "{0} has no resourceVersion: pass the object that the server returned, not the one sent"
    )]
    NoVersion(ObjectKey),
}

impl<K: Resource + Send + Sync + 'static> OwnWrites<K> {
    /// Tracks writes to the objects of this informer, and keeps the informer alive.
    pub fn new(informer: &SharedInformer<K>) -> Self {
        Self(Cache::new(informer.clone().cast()), PhantomData)
    }

    /// Returns the cache that will show the writes.
    pub(super) fn cache(&self) -> Cache {
        self.0.clone()
    }

    /// Records the server's answer to a create, an update or a patch made for `key`. If that took
    /// the last finalizer of an object that is marked for deletion, the object is gone; so is a
    /// namespace whose spec has none left, if `K` is [`Namespace`] or [`DynamicObject`]. An answer
    /// older than one already recorded for the same object has no effect. Nothing waits for an
    /// object outside of the informer's shard.
    ///
    /// Record the answer at once. An answer from before a state that the store already shows may be
    /// one after a restored backup. The key then waits for a read from a quorum.
    ///
    /// # Errors
    /// [`UntraceableWrite`]; nothing waits for the write then.
    pub fn expect_write(&self, key: &ObjectKey, answer: &K) -> Result<(), UntraceableWrite> {
        let (object, version) = identity(answer)?;
        // An object in the shard of another replica never appears here.
        if self.0.follows(answer.meta()) {
            let (meta, informer) = (answer.meta(), self.0.informer());
            let marked = meta.deletion_timestamp.is_some();
            let (finalizers, grace) =
                (meta.finalizers.as_deref(), meta.deletion_grace_period_seconds);
            let is_held = informer.collection().resource.as_ref() == NAMESPACES
                && spec_holds(answer).unwrap_or(true);
            let expectation = if !is_held && ends(marked, finalizers, grace) {
                Expectation::Gone { uid: meta.uid.clone(), version: Some(version) }
            } else {
                Expectation::AtLeast(version)
            };
            self.0.expect(key, object, expectation);
        }
        Ok(())
    }

    /// Records a deletion made for `key` after which the object is gone: it had no finalizers and
    /// no grace period. `last` is the newest known state of the object.
    ///
    /// If the deletion has only begun (the server answered with an object that has a
    /// `deletionTimestamp`), call [`expect_write`](Self::expect_write) with that answer instead.
    ///
    /// # Errors
    /// [`UntraceableWrite`]; nothing waits for the deletion then.
    pub fn expect_delete(&self, key: &ObjectKey, last: &K) -> Result<(), UntraceableWrite> {
        let (object, version) = identity(last)?;
        let uid = last.meta().uid.clone();
        self.0.expect(key, object, Expectation::Gone { uid, version: Some(version) });
        Ok(())
    }

    /// Waits until the store shows every write recorded for `key`, for `limit` at most. Cancel
    /// safe.
    ///
    /// If the cluster was restored from a backup around the write, the store may never show it. So
    /// after half of `limit`, and after 10 s at most, the informer proves that the store is newer
    /// than this call, by a read from a quorum. It does so at once if the store cannot be of the
    /// write's history. It then lists everything, unless the store already showed a newer version
    /// of the object when the write was recorded.
    ///
    /// A write that a proved store does not show is given up with a warning. Returns `Ok` without a
    /// proof in two cases: the informer was stopped, or its shard is empty.
    ///
    /// # Errors
    /// [`WaitTimeout`] when `limit` has passed. The next call waits for the same writes again.
    pub async fn wait_observed(&self, key: &ObjectKey, limit: Duration) -> Result<(), WaitTimeout> {
        self.0.wait_shown(key, limit).await
    }
}

/// Returns whether finalizers of its spec hold a namespace. `None` if this type has no spec.
fn spec_holds<K: 'static>(namespace: &K) -> Option<bool> {
    let namespace: &dyn Any = namespace;
    if let Some(Namespace { spec, .. }) = namespace.downcast_ref() {
        let finalizers = spec.as_ref().and_then(|spec| spec.finalizers.as_deref());
        return Some(finalizers.is_some_and(|all| !all.is_empty()));
    }
    let DynamicObject { data, .. } = namespace.downcast_ref()?;
    let finalizers = data.pointer("/spec/finalizers").and_then(Value::as_array);
    Some(finalizers.is_some_and(|all| !all.is_empty()))
}

fn identity<K: Resource>(object: &K) -> Result<(ObjectKey, ResourceVersion), UntraceableWrite> {
    let key = ObjectKey::of(object)?;
    let version = object.meta().resource_version.as_deref().filter(|version| !version.is_empty());
    let version = version.ok_or_else(|| UntraceableWrite::NoVersion(key.clone()))?;
    Ok((key, ResourceVersion::from(version)))
}

impl<K> Clone for OwnWrites<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<K> fmt::Debug for OwnWrites<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnWrites").field("not_seen", &self.0.count()).finish_non_exhaustive()
    }
}
