//! A controller that reads its own writes.
//!
//! The cache lags behind a controller's own writes. A reconcile that runs meanwhile does not see them
//! and repeats them. [`OwnWrites`] records what was written for each key; the key's next reconcile
//! waits in the queue until the cache shows it, and no worker waits.
//!
//! A [`tracking_client`] records writes by itself, also those whose answer was lost.

mod client;
mod log;
mod sight;
mod target;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;

pub use self::client::{WriteRefused, tracking_client};
pub use self::log::Unobserved;
pub(super) use self::log::{Cache, WriteLog, WriteScope};
use self::sight::{Sight, Sights, is_shown, newer};
use self::target::Target;
use crate::indexer::{Snapshot, WaitTimeout};
use crate::informer::{SharedInformer, StartError};
use crate::lister_watcher::Collection;
use crate::object::{InvalidKey, ObjectKey, ResourceVersion};
use crate::sync::Mutex;

/// What a controller wrote of one kind of objects, until the store shows it. A cheap clone.
///
/// ```no_run
/// use std::{sync::Arc, time::Duration};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{Api, PostParams};
/// use kube_informer::{SharedInformer, controller::{OwnWrites, ReconcileRequest}};
///
/// # async fn f(
/// #     maps: SharedInformer<ConfigMap>, api: Api<ConfigMap>, request: ReconcileRequest<ConfigMap>,
/// #     wanted: ConfigMap,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// let writes = OwnWrites::new(&maps);
/// let made = api.create(&PostParams::default(), &wanted).await?;
/// writes.wrote(&request.key, &made)?;
/// writes.seen(&request.key, Duration::from_secs(10)).await?; // a `Controller` that reads own writes does this
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
    /// By the key that is reconciled.
    of: HashMap<ObjectKey, Sights>,
    /// How many there are.
    count: usize,
    /// How many there may be before those long seen are cleared away.
    limit: usize,
}

/// An object that a server answered with lacks what tells which write it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UntraceableWrite {
    /// It has no name.
    #[error(transparent)]
    NoKey(#[from] InvalidKey),
    /// It has no version: it is what was sent, perhaps, not what came back.
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

    /// Records the server's answer to a create, an update or a patch on behalf of `key`. An answer
    /// older than one recorded before for the same object changes nothing.
    ///
    /// # Errors
    /// [`UntraceableWrite`]; the write is not waited for then.
    pub fn wrote(&self, key: &ObjectKey, answer: &K) -> Result<(), UntraceableWrite> {
        let (object, version) = identity(answer)?;
        self.expect(key, Some(object), Sight::AtLeast(version));
        Ok(())
    }

    /// Records on behalf of `key` that the server accepted to delete this object and that it is gone:
    /// it had no finalizers and no grace period. `last` is the newest state known of it.
    ///
    /// Where it only began to go (the answer was an object with a `deletionTimestamp`), call
    /// [`wrote`](Self::wrote) with that answer.
    ///
    /// # Errors
    /// [`UntraceableWrite`]; the write is not waited for then.
    pub fn deleted(&self, key: &ObjectKey, last: &K) -> Result<(), UntraceableWrite> {
        let (object, version) = identity(last)?;
        let uid = last.meta().uid.clone();
        self.expect(key, Some(object), Sight::Gone { uid, version: Some(version) });
        Ok(())
    }

    /// Waits until the store shows everything that was written on behalf of `key`. Cancel safe.
    ///
    /// Returns `Ok` without it in two cases: the informer was stopped, or the cluster was restored from a
    /// backup since the write.
    ///
    /// # Errors
    /// [`WaitTimeout`] when the time is over; what was not seen is waited for again the next time.
    pub async fn seen(&self, key: &ObjectKey, limit: Duration) -> Result<(), WaitTimeout> {
        let Some(newest) = self.newest(key) else { return Ok(()) };
        let shown = |store: &Snapshot<K>| self.settle(key, store).then_some(());
        tokio::select! {
            biased;
            shown = self.0.informer.indexer().wait_until(&newest, limit, shown) => shown,
            () = self.0.informer.ended() => Ok(()),
        }
    }

    /// Returns the newest version that is waited for on behalf of `key`, if any is.
    fn newest(&self, key: &ObjectKey) -> Option<ResourceVersion> {
        let expected = self.0.expected.lock();
        let sights = expected.of.get(key)?;
        let versions = sights.values().filter_map(|(_, sight)| sight.version());
        Some(versions.reduce(newer).cloned().unwrap_or_else(|| ResourceVersion::from("0")))
    }

    /// Forgets what the store shows; returns whether that was everything.
    fn settle(&self, key: &ObjectKey, store: &Snapshot<K>) -> bool {
        let mut expected = self.0.expected.lock();
        let Some(sights) = expected.of.get_mut(key) else { return true };
        let before = sights.len();
        sights.retain(|object, sight| !is_shown(sight, store, object.as_ref()));
        let (left, cleared) = (sights.len(), before - sights.len());
        if left == 0 {
            expected.of.remove(key);
        }
        expected.count -= cleared;
        left == 0
    }

    /// Expects the store to show something of an object, or of the collection.
    fn expect(&self, key: &ObjectKey, object: Option<ObjectKey>, sight: Sight) {
        let store = self.0.informer.snapshot();
        let mut expected = self.0.expected.lock();
        let sights = expected.of.entry(key.clone()).or_default();
        let new = match sights.remove(&object) {
            Some((epoch, before)) if epoch == store.epoch() => {
                sights.insert(object, (epoch, before.and(sight)));
                0
            }
            before => {
                sights.insert(object, (store.epoch(), sight));
                usize::from(before.is_none())
            }
        };
        expected.count += new;
        if expected.count > expected.limit {
            // Keys that were never reconciled again.
            expected.of.retain(|_, sights| {
                sights.retain(|object, sight| !is_shown(sight, &store, object.as_ref()));
                !sights.is_empty()
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

    fn holds(&self, target: &Target) -> bool {
        let informer = &self.0.informer;
        let Collection { resource, namespace, .. } = informer.collection();
        **resource == *target.resource()
            && namespace.as_deref().is_none_or(|held| Some(held) == target.namespace())
            && !informer.is_narrowed()
            && !informer.is_stopped()
    }

    fn expect(&self, key: &ObjectKey, object: Option<ObjectKey>, sight: Sight) {
        self.expect(key, object, sight);
    }

    fn shows(&self, key: &ObjectKey) -> bool {
        // Most keys wait for nothing.
        let waits = self.0.expected.lock().of.contains_key(key);
        let informer = &self.0.informer;
        !waits || informer.is_stopped() || self.settle(key, &informer.snapshot())
    }

    fn seen<'a>(
        &'a self,
        key: &'a ObjectKey,
        limit: Duration,
    ) -> BoxFuture<'a, Result<(), WaitTimeout>> {
        self.seen(key, limit).boxed()
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
