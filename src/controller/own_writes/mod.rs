//! Reads that include the controller's own writes.
//!
//! The cache lags behind a controller's own writes. A reconcile that runs meanwhile does not see
//! them and repeats them. [`OwnWrites`] records the writes made for each key. The key's next
//! reconcile waits in the queue until the cache shows them, and no worker waits.
//!
//! A [`tracking_client`] records writes by itself, including those whose answer was lost.

mod client;
mod expectation;
mod log;
mod target;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;
use kube::api::ObjectMeta;

pub use self::client::{WriteRefused, tracking_client};
use self::expectation::{Expectation, Expectations, is_met, newer};
pub(super) use self::log::{Cache, Unobserved, WriteLog, WriteScope};
use self::target::Target;
use crate::indexer::{Snapshot, WaitTimeout};
use crate::informer::{AnyInformer, SharedInformer, StartError};
use crate::lister_watcher::Collection;
use crate::object::{InvalidKey, ObjectKey, ResourceVersion};
use crate::sync::Mutex;

/// The writes to objects of one kind that the informer's store does not show yet. Clones are cheap
/// and share the record.
///
/// ```no_run
/// use std::{sync::Arc, time::Duration};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{Api, PostParams};
/// use kube_informer::{SharedInformer, controller::{OwnWrites, ReconcileRequest}};
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
pub struct OwnWrites<K>(Arc<Shared<K>>);

struct Shared<K> {
    informer: SharedInformer<K>,
    expected: Mutex<Expected>,
}

#[derive(Default)]
struct Expected {
    /// The expectations by the key of the reconcile.
    of: HashMap<ObjectKey, Expectations>,
    /// The number of expectations of all keys.
    count: usize,
    /// The number of expectations above which those already met are removed.
    limit: usize,
}

/// An object that cannot be recorded as a write: it lacks a name or a version.
///
/// The object that was sent cannot be recorded; the server's answer can:
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{Api, ObjectMeta, PostParams};
/// use kube_informer::controller::{OwnWrites, UntraceableWrite};
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
        let expected = Mutex::new(Expected { limit: 64, ..Expected::default() });
        Self(Arc::new(Shared { informer: informer.clone(), expected }))
    }

    /// Records the server's answer to a create, an update or a patch made for `key`. An answer
    /// older than one already recorded for the same object has no effect. Nothing waits for an
    /// object outside of the informer's shard.
    ///
    /// # Errors
    /// [`UntraceableWrite`]; nothing waits for the write then.
    pub fn expect_write(&self, key: &ObjectKey, answer: &K) -> Result<(), UntraceableWrite> {
        let (object, version) = identity(answer)?;
        // An object in the shard of another replica never appears here.
        if self.follows(answer.meta()) {
            self.expect(key, Some(object), Expectation::AtLeast(version));
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
        self.expect(key, Some(object), Expectation::Gone { uid, version: Some(version) });
        Ok(())
    }

    /// Waits until the store shows every write recorded for `key`, for `limit` at most. Cancel
    /// safe.
    ///
    /// Returns `Ok` without that in two cases: the informer was stopped, or the cluster was
    /// restored from a backup after the write.
    ///
    /// # Errors
    /// [`WaitTimeout`] when `limit` has passed. The next call waits for the same writes again.
    pub async fn wait_observed(&self, key: &ObjectKey, limit: Duration) -> Result<(), WaitTimeout> {
        let Some(newest) = self.newest(key) else { return Ok(()) };
        let shown = |store: &Snapshot<K>| self.settle(key, store).then_some(());
        tokio::select! {
            biased;
            shown = self.0.informer.indexer().wait_until(&newest, limit, shown) => shown,
            () = self.0.informer.ended() => Ok(()),
        }
    }

    /// Returns the newest version that `key` waits for, if any.
    fn newest(&self, key: &ObjectKey) -> Option<ResourceVersion> {
        let expected = self.0.expected.lock();
        let expectations = expected.of.get(key)?;
        let versions = expectations.values().filter_map(|(_, expectation)| expectation.version());
        Some(versions.reduce(newer).cloned().unwrap_or_else(|| ResourceVersion::from("0")))
    }

    /// Removes the expectations that the store meets. Returns whether none is left.
    fn settle(&self, key: &ObjectKey, store: &Snapshot<K>) -> bool {
        let mut expected = self.0.expected.lock();
        let Some(expectations) = expected.of.get_mut(key) else { return true };
        let before = expectations.len();
        expectations.retain(|object, expectation| !is_met(expectation, store, object.as_ref()));
        let (left, cleared) = (expectations.len(), before - expectations.len());
        if left == 0 {
            expected.of.remove(key);
        }
        expected.count -= cleared;
        left == 0
    }

    /// Makes `key` wait until the store shows this state of an object, or of the collection.
    fn expect(&self, key: &ObjectKey, object: Option<ObjectKey>, expectation: Expectation) {
        let store = self.0.informer.snapshot();
        let mut expected = self.0.expected.lock();
        let expectations = expected.of.entry(key.clone()).or_default();
        let new = match expectations.remove(&object) {
            Some((epoch, before)) if epoch == store.epoch() => {
                expectations.insert(object, (epoch, before.and(expectation)));
                0
            }
            before => {
                expectations.insert(object, (store.epoch(), expectation));
                usize::from(before.is_none())
            }
        };
        expected.count += new;
        if expected.count > expected.limit {
            // Keys that are never reconciled again would otherwise stay for ever.
            expected.of.retain(|_, expectations| {
                expectations
                    .retain(|object, expectation| !is_met(expectation, &store, object.as_ref()));
                !expectations.is_empty()
            });
            expected.count = expected.of.values().map(HashMap::len).sum();
            expected.limit = 64 + 2 * expected.count;
        }
    }
}

fn identity<K: Resource>(object: &K) -> Result<(ObjectKey, ResourceVersion), UntraceableWrite> {
    let key = ObjectKey::of(object)?;
    let version = object.meta().resource_version.as_deref().filter(|version| !version.is_empty());
    let version = version.ok_or_else(|| UntraceableWrite::NoVersion(key.clone()))?;
    Ok((key, ResourceVersion::from(version)))
}

impl<K: Resource + Send + Sync + 'static> Cache for OwnWrites<K> {
    fn start(&self) -> Result<(), StartError> {
        self.0.informer.ensure_started()
    }

    fn informer(&self) -> Arc<dyn AnyInformer> {
        Arc::new(self.0.informer.clone())
    }

    fn holds(&self, target: &Target) -> bool {
        let informer = &self.0.informer;
        let Collection { resource, namespace, .. } = informer.collection();
        **resource == *target.resource()
            && namespace.as_deref().is_none_or(|held| Some(held) == target.namespace())
            && !informer.is_narrowed()
            && !informer.is_stopped()
    }

    fn follows(&self, metadata: &ObjectMeta) -> bool {
        let store = self.0.informer.snapshot();
        store.shard().is_none_or(|shard| shard.selects(metadata))
    }

    fn expect(&self, key: &ObjectKey, object: Option<ObjectKey>, expectation: Expectation) {
        self.expect(key, object, expectation);
    }

    fn shows(&self, key: &ObjectKey) -> bool {
        // Most keys wait for nothing.
        let waits = self.0.expected.lock().of.contains_key(key);
        let informer = &self.0.informer;
        !waits || informer.is_stopped() || self.settle(key, &informer.snapshot())
    }

    fn wait_observed<'a>(
        &'a self,
        key: &'a ObjectKey,
        limit: Duration,
    ) -> BoxFuture<'a, Result<(), WaitTimeout>> {
        self.wait_observed(key, limit).boxed()
    }
}

impl<K> Clone for OwnWrites<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K> fmt::Debug for OwnWrites<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = self.0.expected.lock();
        f.debug_struct("OwnWrites").field("not_seen", &expected.count).finish_non_exhaustive()
    }
}
