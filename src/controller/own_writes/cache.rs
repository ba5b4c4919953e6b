//! The writes that one informer's store does not show yet.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use kube::api::ObjectMeta;
use tokio::time::Instant;

use super::client::Written;
use super::expectation::{Expectation, Expectations, is_met, newer};
use super::target::Target;
use crate::indexer::{Snapshot, WaitTimeout};
use crate::informer::{SharedInformer, StartError};
use crate::lister_watcher::Collection;
use crate::object::{ObjectKey, ResourceVersion};
use crate::sync::Mutex;
use crate::time::Moment;

/// A cache that will show writes. Clones share the expectations.
#[derive(Clone)]
pub(crate) struct Cache(Arc<CacheState>);

struct CacheState {
    informer: SharedInformer,
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

impl Expected {
    /// Removes the expectations of `key` for which this function returns true. Returns whether none
    /// is left.
    fn remove(
        &mut self,
        key: &ObjectKey,
        mut removes: impl FnMut(&Option<ObjectKey>, &(u64, Expectation)) -> bool,
    ) -> bool {
        let Some(expectations) = self.of.get_mut(key) else { return true };
        let before = expectations.len();
        expectations.retain(|object, expectation| !removes(object, expectation));
        let left = expectations.len();
        if left == 0 {
            self.of.remove(key);
        }
        self.count -= before - left;
        left == 0
    }
}

impl Cache {
    /// Tracks writes to the objects of this informer, and keeps the informer alive.
    pub(crate) fn new(informer: SharedInformer) -> Self {
        let expected = Mutex::new(Expected { limit: 64, ..Expected::default() });
        Self(Arc::new(CacheState { informer, expected }))
    }

    /// Starts the cache's informer if it does not run: a cache that is never filled shows no
    /// writes.
    pub(crate) fn start(&self) -> Result<(), StartError> {
        self.0.informer.ensure_started()
    }

    /// Returns a handle of the cache's informer.
    pub(crate) fn informer(&self) -> SharedInformer {
        self.0.informer.clone()
    }

    /// Returns whether this cache holds the target's objects.
    pub(crate) fn holds(&self, target: &Target) -> bool {
        let informer = &self.0.informer;
        let Collection { resource, namespace, .. } = informer.collection();
        **resource == *target.resource()
            && namespace.as_deref().is_none_or(|held| Some(held) == target.namespace())
            && !informer.is_narrowed()
            && !informer.is_stopped()
    }

    /// Returns the state of the cache before a request to this target. `None` if the cache does not
    /// hold the target's objects.
    pub(in crate::controller) fn sight(&self, target: &Target) -> Option<Sight> {
        if !self.holds(target) {
            return None;
        }
        let store = self.0.informer.snapshot();
        let key = target.key();
        let object = key.as_ref().and_then(|key| store.get_cached(key)?.version());
        let is_absent =
            key.is_some_and(|key| !store.is_unreadable(&key) && store.get_cached(&key).is_none());
        let version = store.version().cloned();
        Some(Sight { cache: self.clone(), epoch: store.epoch(), version, object, is_absent })
    }

    /// Returns whether the cache's shard includes an object with this metadata.
    pub(crate) fn follows(&self, metadata: &ObjectMeta) -> bool {
        let store = self.0.informer.snapshot();
        store.shard().is_none_or(|shard| shard.selects(metadata))
    }

    /// Returns whether the cache shows everything that `key` waits for.
    pub(crate) fn shows(&self, key: &ObjectKey) -> bool {
        // Most keys wait for nothing.
        let waits = self.0.expected.lock().of.contains_key(key);
        let informer = &self.0.informer;
        !waits || informer.is_stopped() || self.settle(key, &informer.snapshot())
    }

    /// Returns the number of writes that the store did not show when last checked.
    pub(crate) fn count(&self) -> usize {
        self.0.expected.lock().count
    }

    /// Waits until the cache shows everything that `key` waits for, or its informer has ended.
    /// Writes that it does not show by then are given up if the cache is proved newer, those of
    /// another history at once.
    pub(super) async fn wait_or_prove(
        &self,
        key: &ObjectKey,
        limit: Duration,
        proof: Duration,
    ) -> Result<(), WaitTimeout> {
        let start = Instant::now();
        let shown = self.wait_observed(key, limit).await;
        let unmet = self.0.expected.lock().of.get(key).cloned().unwrap_or_default();
        let Some(wanted) = self.newest(key).filter(|_| !self.shows(key)) else { return Ok(()) };
        // The writes were made before this moment.
        if self.0.informer.join().fresh(Moment::now(), proof).await.is_ok() {
            self.give_up(key, &unmet);
            return Ok(());
        }
        shown?;
        let reached = self.0.informer.snapshot().version().cloned();
        Err(WaitTimeout { wanted, reached, waited: start.elapsed(), stopped: false })
    }

    /// Removes these expectations, unless others have replaced them, and logs those that the store
    /// does not meet although its history has them.
    fn give_up(&self, key: &ObjectKey, unmet: &Expectations) {
        let store = self.0.informer.snapshot();
        if self.settle(key, &store) {
            return;
        }
        let mut given_up = 0;
        self.0.expected.lock().remove(key, |object, expectation| {
            let removes = unmet.get(object) == Some(expectation);
            // A restored backup may have lost what was written before.
            given_up += usize::from(removes && expectation.0 >= store.epoch());
            removes
        });
        if given_up > 0 {
            tracing::warn!(
                informer = %self.0.informer.collection(),
                %key,
                writes = given_up,
                "own writes are not in this informer's cluster, whose newer state does not show \
                 them: the key goes on; does their client write to another cluster?"
            );
        }
    }

    /// Waits until the cache shows everything that `key` waits for, or has another history than one
    /// of the writes, or its informer has ended.
    pub(crate) async fn wait_observed(
        &self,
        key: &ObjectKey,
        limit: Duration,
    ) -> Result<(), WaitTimeout> {
        let Some(newest) = self.newest(key) else { return Ok(()) };
        let shown = |store: &Snapshot| {
            (self.settle(key, store) || !self.shares_history(key, store)).then_some(())
        };
        tokio::select! {
            biased;
            shown = self.0.informer.indexer().wait_until(&newest, limit, shown) => shown,
            () = self.0.informer.stopped() => Ok(()),
        }
    }

    /// Returns whether the versions of the writes that `key` waits for compare with the store's.
    fn shares_history(&self, key: &ObjectKey, store: &Snapshot) -> bool {
        let expected = self.0.expected.lock();
        let of_key = expected.of.get(key);
        of_key.is_none_or(|all| all.values().all(|(epoch, _)| *epoch == store.epoch()))
    }

    /// Returns the newest version that `key` waits for, if any.
    fn newest(&self, key: &ObjectKey) -> Option<ResourceVersion> {
        let expected = self.0.expected.lock();
        let expectations = expected.of.get(key)?;
        let versions = expectations.values().filter_map(|(_, expectation)| expectation.version());
        Some(versions.reduce(newer).cloned().unwrap_or_else(|| ResourceVersion::from("0")))
    }

    /// Removes the expectations that the store meets. Returns whether none is left.
    fn settle(&self, key: &ObjectKey, store: &Snapshot) -> bool {
        let mut expected = self.0.expected.lock();
        expected.remove(key, |object, expectation| is_met(expectation, store, object.as_ref()))
    }

    /// Makes `key` wait until the store shows this state of an object, or of the collection.
    pub(crate) fn expect(
        &self,
        key: &ObjectKey,
        object: Option<ObjectKey>,
        expectation: Expectation,
    ) {
        let epoch = self.0.informer.snapshot().epoch();
        self.expect_in(epoch, key, object, expectation);
    }

    /// Makes `key` wait until the store shows this state in this epoch.
    fn expect_in(
        &self,
        epoch: u64,
        key: &ObjectKey,
        object: Option<ObjectKey>,
        expectation: Expectation,
    ) {
        let store = self.0.informer.snapshot();
        let mut expected = self.0.expected.lock();
        let expectations = expected.of.entry(key.clone()).or_default();
        let new = match expectations.remove(&object) {
            Some((before, old)) if before >= epoch => {
                let merged = if before == epoch { old.and(expectation) } else { old };
                expectations.insert(object, (before, merged));
                0
            }
            before => {
                expectations.insert(object, (epoch, expectation));
                usize::from(before.is_none())
            }
        };
        expected.count += new;
        if expected.count > expected.limit {
            // Otherwise, keys that are never reconciled again would stay for ever.
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

/// The state of a cache before a request was sent.
pub(in crate::controller) struct Sight {
    cache: Cache,
    epoch: u64,
    /// The version that the store had reached.
    version: Option<ResourceVersion>,
    /// The version of the request's object in the store.
    object: Option<ResourceVersion>,
    /// True if the store shows that the object does not exist.
    is_absent: bool,
}

impl Sight {
    /// Returns the epoch of the store that will show this version, the answer to the request.
    pub(in crate::controller) fn epoch_of(
        &self,
        version: Option<&ResourceVersion>,
        is_new: bool,
    ) -> u64 {
        // A write that changes nothing is answered with the version of the last change. The store
        // shows that change, unless it is newer.
        let known = if is_new || self.is_absent { &self.version } else { &self.object };
        let older = version.zip(known.as_ref()).is_some_and(|(new, old)| new.is_older_than(old));
        // The server has lost history that the store still shows: it was restored from a backup.
        self.epoch + u64::from(older)
    }

    /// Makes `key` wait until the cache shows this state. `is_new` says that the request made the
    /// state.
    pub(super) fn expect(
        &self,
        key: &ObjectKey,
        written: Option<&Written>,
        expectation: &Expectation,
        is_new: bool,
    ) {
        // An object in the shard of another replica never appears here.
        if written.and_then(|of| of.state.as_deref()).is_some_and(|of| !self.cache.follows(of)) {
            return;
        }
        let is_new = is_new || written.is_none() || matches!(expectation, Expectation::Absent(_));
        let epoch = self.epoch_of(expectation.version(), is_new);
        let object = written.map(|written| written.key.clone());
        self.cache.expect_in(epoch, key, object, expectation.clone());
    }
}
