//! The writes that one informer's store does not show yet.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use kube::api::ObjectMeta;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::answer::Written;
use super::expectation::{Expectation, Expectations, Expected, newer};
use super::seen::StoreBefore;
use super::target::WriteTarget;
use crate::basics::Mutex;
use kube_informer::indexer::{Snapshot, WaitTimeout};
use kube_informer::informer::{ReadBarrier, SharedInformer, StartError};
use kube_informer::lister_watcher::Collection;
use kube_informer::object::{ObjectKey, ResourceVersion};

/// The longest part of a limit that passes before the proof.
const UNPROVED: Duration = Duration::from_secs(10);

/// A cache that will show writes. Clones share the expectations.
#[derive(Clone)]
pub(crate) struct Cache(Arc<CacheState>);

struct CacheState {
    informer: SharedInformer,
    expected: Mutex<AllExpected>,
    /// Cancelled when the controller no longer follows the informer.
    removed: CancellationToken,
}

#[derive(Default)]
struct AllExpected {
    /// The expectations by the key of the reconcile.
    of: HashMap<ObjectKey, Expectations>,
    /// The number of expectations of all keys.
    count: usize,
    /// The number of expectations above which those already met are removed.
    limit: usize,
}

impl AllExpected {
    /// Removes the expectations of `key` for which this function returns true. Returns whether none
    /// is left.
    fn remove(
        &mut self,
        key: &ObjectKey,
        removes: &mut dyn FnMut(&Option<ObjectKey>, &Expected) -> bool,
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
        let expected = Mutex::new(AllExpected { limit: 64, ..AllExpected::default() });
        Self(Arc::new(CacheState { informer, expected, removed: CancellationToken::new() }))
    }

    /// Starts the cache's informer if it does not run: a cache that is never filled shows no
    /// writes.
    pub(crate) fn start(&self) -> Result<(), StartError> {
        self.0.informer.start()
    }

    /// Ends every wait, because the controller no longer follows the informer.
    pub(super) fn remove(&self) {
        self.0.removed.cancel();
    }

    /// Returns whether both are clones of one cache.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns a handle of the cache's informer.
    pub(crate) fn informer(&self) -> SharedInformer {
        self.0.informer.clone()
    }

    /// Returns whether this cache holds the target's objects.
    pub(crate) fn holds(&self, target: &WriteTarget) -> bool {
        let informer = &self.0.informer;
        let Collection { resource, namespace, .. } = informer.collection();
        **resource == *target.resource()
            && namespace.as_deref().is_none_or(|held| Some(held) == target.namespace())
            && !informer.is_narrowed()
            && !informer.is_stopped()
    }

    /// Returns the state of the cache before a request to this target. `None` if the cache does not
    /// hold the target's objects.
    pub(in crate::controller) fn sight(&self, target: &WriteTarget) -> Option<CacheBefore> {
        if !self.holds(target) {
            return None;
        }
        Some(CacheBefore { cache: self.clone(), seen: self.seen(target.key().as_ref()) })
    }

    /// Returns the present state of the store, as far as it concerns this object.
    fn seen(&self, object: Option<&ObjectKey>) -> StoreBefore {
        StoreBefore::of(&self.0.informer.snapshot(), object)
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
        let CacheState { informer, removed, .. } = &*self.0;
        let ended = informer.is_stopped() || removed.is_cancelled();
        !waits || ended || self.settle(key, &informer.snapshot())
    }

    /// Returns the number of writes that the store did not show when last checked.
    pub(crate) fn count(&self) -> usize {
        self.0.expected.lock().count
    }

    /// Waits until the cache shows everything that `key` waits for, or has ended with its informer.
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
        self.prove(key, start, shown, proof).await
    }

    /// Waits like [`wait_or_prove`](Self::wait_or_prove), but within one limit.
    pub(super) async fn wait_shown(
        &self,
        key: &ObjectKey,
        limit: Duration,
    ) -> Result<(), WaitTimeout> {
        let start = Instant::now();
        let unproved = (limit / 2).min(UNPROVED);
        loop {
            let shown = self.wait_observed(key, unproved.saturating_sub(start.elapsed())).await;
            if self.shows(key) {
                return Ok(());
            }
            // A write that was recorded meanwhile needs no proof.
            if shown.is_err() || !self.shares_history(key, &self.0.informer.snapshot()) {
                let left = limit.saturating_sub(start.elapsed());
                return self.prove(key, start, Ok(()), left).await;
            }
        }
    }

    /// Gives up the writes that the cache does not show after this wait, if a read from a quorum
    /// proves that it is newer.
    async fn prove(
        &self,
        key: &ObjectKey,
        start: Instant,
        shown: Result<(), WaitTimeout>,
        proof: Duration,
    ) -> Result<(), WaitTimeout> {
        let unmet = self.0.expected.lock().of.get(key).cloned().unwrap_or_default();
        let Some(wanted) = self.newest(key).filter(|_| !self.shows(key)) else { return Ok(()) };
        let CacheState { informer, removed, .. } = &*self.0;
        // The writes were made before this moment.
        let (since, began) = (ReadBarrier::now(), Instant::now());
        let store = informer.snapshot();
        let is_newer = |of: &Expected| of.history_lost && of.epoch > store.epoch();
        let lists = unmet.values().any(is_newer) || shows_another_history(&unmet, &store);
        drop(store);
        let proved = async {
            if !lists {
                informer.reach(since, proof).await?;
                // The store may have reached that version in a lost history.
                let store = informer.snapshot();
                let undone =
                    |(object, of): (&Option<_>, &Expected)| of.are_undone(&store, object.as_ref());
                if !shows_another_history(&unmet, &store) && !unmet.iter().any(undone) {
                    return Ok(());
                }
            }
            informer.list_past(since, proof.saturating_sub(began.elapsed())).await
        };
        let Some(proved) = removed.run_until_cancelled(proved).await else { return Ok(()) };
        if proved.is_ok() {
            self.give_up(key, &unmet);
            return Ok(());
        }
        shown?;
        let reached = self.0.informer.snapshot().version().cloned();
        Err(WaitTimeout::new(wanted, reached, start.elapsed()))
    }

    /// Removes these expectations, unless others have replaced them, and logs those that the store
    /// does not meet although its history has them.
    fn give_up(&self, key: &ObjectKey, unmet: &Expectations) {
        let store = self.0.informer.snapshot();
        if self.settle(key, &store) {
            return;
        }
        let mut given_up = 0;
        self.0.expected.lock().remove(key, &mut |object, expected| {
            let removes = unmet.get(object) == Some(expected);
            // A restored backup may have lost what was written before. A write that seemed to be of
            // a newer history may be shown after all.
            let here = Expected { epoch: store.epoch(), ..expected.clone() };
            let is_missing =
                expected.epoch >= store.epoch() && !here.are_met(&store, object.as_ref());
            given_up += usize::from(removes && is_missing);
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
    /// of the writes, or has ended with its informer.
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
            () = self.0.removed.cancelled() => Ok(()),
        }
    }

    /// Returns whether the versions of the writes that `key` waits for compare with the store's.
    fn shares_history(&self, key: &ObjectKey, store: &Snapshot) -> bool {
        let expected = self.0.expected.lock();
        let mut of_key = expected.of.get(key).into_iter().flatten();
        of_key.all(|(object, of)| {
            of.epoch == store.epoch() && !of.are_precluded(store, object.as_ref())
        })
    }

    /// Returns the newest version that `key` waits for, if any.
    fn newest(&self, key: &ObjectKey) -> Option<ResourceVersion> {
        let expected = self.0.expected.lock();
        let expectations = expected.of.get(key)?;
        let states = expectations.values().flat_map(|of| &of.states);
        let versions = states.filter_map(Expectation::version);
        Some(versions.reduce(newer).cloned().unwrap_or_else(|| ResourceVersion::from("0")))
    }

    /// Removes the expectations that the store meets. Returns whether none is left.
    fn settle(&self, key: &ObjectKey, store: &Snapshot) -> bool {
        let mut expected = self.0.expected.lock();
        expected.remove(key, &mut |object, expected| expected.are_met(store, object.as_ref()))
    }

    /// Makes `key` wait until the store shows this state of an object, which was written before
    /// this call.
    pub(crate) fn expect(&self, key: &ObjectKey, object: ObjectKey, expectation: Expectation) {
        let (epoch, history_lost) = self.seen(Some(&object)).epoch_of_recorded(&expectation);
        self.expect_in(epoch, key, Some(object), expectation, history_lost);
    }

    /// Makes `key` wait until the store shows this state in this epoch.
    fn expect_in(
        &self,
        epoch: u64,
        key: &ObjectKey,
        object: Option<ObjectKey>,
        expectation: Expectation,
        history_lost: bool,
    ) {
        let store = self.0.informer.snapshot();
        let mut expected = self.0.expected.lock();
        let expectations = expected.of.entry(key.clone()).or_default();
        let before = expectations.len();
        expectations.entry(object).or_default().add(epoch, expectation, history_lost);
        expected.count += expectations.len() - before;
        if expected.count > expected.limit {
            // Otherwise, keys that are never reconciled again would stay for ever.
            expected.of.retain(|_, expectations| {
                expectations.retain(|object, expected| !expected.are_met(&store, object.as_ref()));
                !expectations.is_empty()
            });
            expected.count = expected.of.values().map(HashMap::len).sum();
            expected.limit = 64 + 2 * expected.count;
        }
    }
}

/// Returns whether a store cannot be of the history of one of these writes.
fn shows_another_history(writes: &Expectations, store: &Snapshot) -> bool {
    writes.iter().any(|(object, of)| of.are_precluded(store, object.as_ref()))
}

/// The state of a cache before a request was sent.
pub(in crate::controller) struct CacheBefore {
    cache: Cache,
    seen: StoreBefore,
}

impl CacheBefore {
    /// Returns the epoch of the store that will show the answer to the request, which came now.
    /// `creates` says that the request created the object.
    pub(in crate::controller) fn epoch_of(
        &self,
        object: Option<&ObjectKey>,
        expectation: &Expectation,
        creates: bool,
    ) -> u64 {
        let now = self.cache.seen(object);
        self.seen.epoch_of_answer(&now, expectation, creates)
    }

    /// Returns whether the cache showed the request's object with this uid.
    pub(super) fn showed(&self, uid: &str) -> bool {
        self.seen.showed(uid)
    }

    /// Returns whether an answer of this kind may be about the object of a write.
    pub(super) fn may_show(&self, kind: &str, target: &WriteTarget) -> bool {
        let is_of_part = !matches!(target.subresource.as_deref(), None | Some("status"));
        let is_metadata = matches!(kind, "" | "Status" | "PartialObjectMetadata");
        is_of_part || is_metadata || self.is_of_kind(kind)
    }

    /// Returns whether the cache has objects of this kind.
    pub(super) fn is_of_kind(&self, kind: &str) -> bool {
        *kind == *self.cache.informer().collection().kind
    }

    /// Makes `key` wait for a list of everything if the cache had passed this version of a quorum:
    /// either the list came from a server that lags behind, or history was lost.
    pub(super) fn doubt(&self, key: &ObjectKey, listed: &ResourceVersion) {
        if self.seen.has_passed(listed) {
            let expectation = Expectation::AtLeast(listed.clone());
            self.cache.expect_in(self.seen.epoch() + 1, key, None, expectation, true);
        }
    }

    /// Makes `key` wait until the cache shows this state. `creates` says that the request created
    /// the object.
    pub(super) fn expect(
        &self,
        key: &ObjectKey,
        written: Option<&Written>,
        expectation: &Expectation,
        creates: bool,
    ) {
        // An object in the shard of another replica never appears here.
        if written.and_then(|of| of.state.as_deref()).is_some_and(|of| !self.cache.follows(of)) {
            return;
        }
        let object = written.map(|written| &written.key);
        let now = self.cache.seen(object);
        let epoch = self.seen.epoch_of_answer(&now, expectation, creates);
        // If in doubt, the key waits for a proof.
        let epoch = epoch + u64::from(epoch == now.epoch() && now.lacks(expectation));
        let history_lost = epoch > self.seen.epoch();
        self.cache.expect_in(epoch, key, object.cloned(), expectation.clone(), history_lost);
    }
}
