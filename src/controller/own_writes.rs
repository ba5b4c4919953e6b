//! A controller that reads its own writes.
//!
//! Between a write and its event the store is older than what the controller knows. A reconcile
//! that runs meanwhile sees a world without its own deeds, and does them again. [`OwnWrites`]
//! keeps, for each key that is reconciled, what was written on its behalf; the next reconcile of
//! that key waits until the store shows it. It never reads from the server.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;

use crate::indexer::{Indexer, NotReached, Snapshot, is_at_least};
use crate::informer::SharedInformer;
use crate::object::{InvalidKey, ObjectKey, ResourceVersion};
use crate::sync::Mutex;

/// What a controller wrote of one kind of objects, until the store shows it. A cheap clone.
///
/// ```no_run
/// use std::{sync::Arc, time::Duration};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{Api, PostParams};
/// use kube_informer::{SharedInformer, controller::{OwnWrites, Reconciliation}};
///
/// # async fn f(
/// #     maps: SharedInformer<ConfigMap>, api: Api<ConfigMap>, it: Reconciliation<ConfigMap>,
/// #     wanted: ConfigMap,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// let writes = OwnWrites::new(&maps);
/// let made = api.create(&PostParams::default(), &wanted).await?;
/// writes.wrote(&it.key, &made)?;
/// writes.seen(&it.key, Duration::from_secs(10)).await?; // what a `Controller` does by itself
/// assert!(maps.indexer().get(&kube_informer::ObjectKey::of(&made)?).is_some());
/// # Ok(()) }
/// ```
pub struct OwnWrites<K>(Arc<Shared<K>>);

struct Shared<K> {
    store: Indexer<K>,
    expected: Mutex<Expected>,
}

#[derive(Default)]
struct Expected {
    of: HashMap<ObjectKey, HashMap<ObjectKey, Sight>>,
    /// How many there are.
    count: usize,
    /// How many there may be before those long seen are cleared away.
    limit: usize,
}

/// What the store will show.
#[derive(Clone, Debug)]
enum Sight {
    /// The object at this version, or something later.
    AtLeast(ResourceVersion),
    /// That the object of this uid, which was there at this version, is gone.
    Gone { uid: Option<String>, version: ResourceVersion },
}

/// An object that a server answered with lacks what tells which write it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UntraceableWrite {
    /// It has no name.
    #[error(transparent)]
    NoKey(#[from] InvalidKey),
    /// It has no version: it is what was sent, perhaps, not what came back.
    #[error("{0} has no resourceVersion: give the server's answer, not what was sent")]
    NoVersion(ObjectKey),
}

impl<K: Resource + Send + Sync + 'static> OwnWrites<K> {
    /// Of what goes to the objects of this informer.
    pub fn new(informer: &SharedInformer<K>) -> Self {
        Self::of_store(informer.indexer())
    }

    /// Of what goes to the objects of this store.
    pub(crate) fn of_store(store: &Indexer<K>) -> Self {
        let expected = Mutex::new(Expected { limit: 64, ..Expected::default() });
        Self(Arc::new(Shared { store: store.clone(), expected }))
    }

    /// On behalf of `key`, this was the server's answer to a create, an update or a patch.
    ///
    /// # Errors
    /// [`UntraceableWrite`]; the write is not waited for then.
    pub fn wrote(&self, key: &ObjectKey, answer: &K) -> Result<(), UntraceableWrite> {
        let (object, version) = identity(answer)?;
        self.expect(key, object, Sight::AtLeast(version));
        Ok(())
    }

    /// On behalf of `key`, the server accepted to delete this object, and it is gone: it had no
    /// finalizers and no grace period. The newest state known of it is to be given.
    ///
    /// Where it only began to go (the answer was an object with a `deletionTimestamp`), say
    /// [`wrote`](Self::wrote) with that answer.
    ///
    /// # Errors
    /// [`UntraceableWrite`]; the write is not waited for then.
    pub fn deleted(&self, key: &ObjectKey, last: &K) -> Result<(), UntraceableWrite> {
        let (object, version) = identity(last)?;
        self.expect(key, object, Sight::Gone { uid: last.meta().uid.clone(), version });
        Ok(())
    }

    /// Waits until the store shows everything that was written on behalf of `key`. Cancel safe.
    ///
    /// # Errors
    /// [`NotReached`] when the time is over; what was not seen is waited for again the next time.
    pub async fn seen(&self, key: &ObjectKey, limit: Duration) -> Result<(), NotReached> {
        let wanted = match self.0.expected.lock().of.get(key) {
            Some(sights) => sights.clone(),
            None => return Ok(()),
        };
        let Some(newest) = wanted.values().map(Sight::version).reduce(newer) else {
            return Ok(());
        };
        let shown = |store: &Snapshot<K>| {
            wanted.iter().all(|(object, sight)| sight.is_shown(store, object)).then_some(())
        };
        self.0.store.wait_until(newest, limit, shown).await?;
        self.clear_seen(key);
        Ok(())
    }

    fn expect(&self, key: &ObjectKey, object: ObjectKey, sight: Sight) {
        let mut expected = self.0.expected.lock();
        let before = expected.of.entry(key.clone()).or_default().insert(object, sight);
        expected.count += usize::from(before.is_none());
        if expected.count > expected.limit {
            // Keys that were never reconciled again.
            let store = self.0.store.snapshot();
            expected.of.retain(|_, sights| {
                sights.retain(|object, sight| !sight.is_shown(&store, object));
                !sights.is_empty()
            });
            expected.count = expected.of.values().map(HashMap::len).sum();
            expected.limit = 64 + 2 * expected.count;
        }
    }

    fn clear_seen(&self, key: &ObjectKey) {
        let mut expected = self.0.expected.lock();
        let store = self.0.store.snapshot();
        // Something may have been written meanwhile.
        if let Some(sights) = expected.of.get_mut(key) {
            let before = sights.len();
            sights.retain(|object, sight| !sight.is_shown(&store, object));
            let cleared = before - sights.len();
            if sights.is_empty() {
                expected.of.remove(key);
            }
            expected.count -= cleared;
        }
    }
}

impl Sight {
    fn version(&self) -> &ResourceVersion {
        match self {
            Self::AtLeast(version) | Self::Gone { version, .. } => version,
        }
    }

    fn is_shown<K: Resource>(&self, store: &Snapshot<K>, object: &ObjectKey) -> bool {
        let stored = store.cached_by_key(object);
        match self {
            Self::AtLeast(version) => {
                store.has_reached(version)
                    || stored.is_some_and(|stored| is_at_least(stored, version))
            }
            // Not before its creation was seen: an object not yet there looks like one gone.
            Self::Gone { uid, version } => {
                store.has_reached(version)
                    && stored.is_none_or(|stored| stored.uid() != uid.as_deref())
            }
        }
    }
}

fn newer<'a>(a: &'a ResourceVersion, b: &'a ResourceVersion) -> &'a ResourceVersion {
    if a.is_older_than(b) { b } else { a }
}

fn identity<K: Resource>(object: &K) -> Result<(ObjectKey, ResourceVersion), UntraceableWrite> {
    let key = ObjectKey::of(object)?;
    let version = object.meta().resource_version.as_deref().filter(|version| !version.is_empty());
    let version = version.ok_or_else(|| UntraceableWrite::NoVersion(key.clone()))?;
    Ok((key, ResourceVersion::from(version)))
}

/// Whatever a controller wrote, of any kind.
pub(super) trait Seen: Send + Sync {
    fn seen<'a>(
        &'a self,
        key: &'a ObjectKey,
        limit: Duration,
    ) -> BoxFuture<'a, Result<(), NotReached>>;
}

impl<K: Resource + Send + Sync + 'static> Seen for OwnWrites<K> {
    fn seen<'a>(
        &'a self,
        key: &'a ObjectKey,
        limit: Duration,
    ) -> BoxFuture<'a, Result<(), NotReached>> {
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
