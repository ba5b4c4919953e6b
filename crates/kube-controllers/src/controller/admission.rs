//! The admission of a key: the bounds within which it may be reconciled now, or what it waits for.
//!
//! A worker asks this for each key that it takes. A key that may not be reconciled holds no worker.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::time::Instant;

use super::error::ReconcileError;
use super::own_writes::Unobserved;
use super::reconciler::Reconciler;
use super::sources::Existence;
use super::status::count;
use super::waiting::Awaited;
use crate::lease::WorkScope;
use kube_informer::informer::ReadBarrier;
use kube_informer::object::ObjectKey;
use kube_informer::seams::catch_async;
use kube_informer::workqueue::Work;

/// The longest time that a key waits for its own writes before the wait counts as a failure.
const OWN_WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause of a key whose slot was not renewed in time.
const RENEWAL_PAUSE: Duration = Duration::from_secs(1);

/// The longest time that a key is parked at once. What it waits for wakes it earlier.
const PARK_TIME: Duration = Duration::from_secs(600);

/// The bounds within which a key is reconciled.
pub(super) struct Bounds {
    pub(super) scope: WorkScope,
    /// The object, as the cache holds it. Nothing is unpacked.
    pub(super) object: Existence,
    /// The number of the object's deletion, if the reconcile knows of it.
    pub(super) deletion: Option<u64>,
    /// A barrier from before the cache was asked, if it has no such object.
    pub(super) absent_since: Option<ReadBarrier>,
}

impl Bounds {
    fn new(scope: WorkScope, object: Existence, deletion: Option<u64>, seen: ReadBarrier) -> Self {
        let absent_since = object.is_absent().then_some(seen);
        Self { scope, object, deletion, absent_since }
    }
}

enum Admission {
    Passes(Bounds),
    Waits(Awaited),
    /// The key waits for this time. Changes do not wake it, and its next run sees all of them.
    Pauses(Duration),
    /// The cache did not show the key's own writes in time.
    Fails(Unobserved),
    /// Another replica reconciles the key.
    Leaves,
}

impl Reconciler {
    /// Returns a key with its bounds if it may be reconciled now. Otherwise the key waits, fails or
    /// leaves.
    pub(super) fn admit(
        self: &Arc<Self>,
        work: Work<ObjectKey>,
    ) -> Option<(Work<ObjectKey>, Bounds)> {
        let mut listed = None;
        loop {
            match self.admission(&work) {
                Admission::Waits(awaited) if listed.as_ref() == Some(&awaited) => {
                    if awaited.parks() {
                        work.park(PARK_TIME);
                    } else if self.slots.is_some() {
                        work.forget();
                    }
                    return None;
                }
                // The next round sees if its wait is over before the key is listed.
                Admission::Waits(awaited) => {
                    let begun = self.waiting.begin(&work, &awaited);
                    if let (Some(number), Awaited::OwnWrites) = (begun, &awaited) {
                        self.await_writes(&work, number);
                    }
                    listed = Some(awaited);
                    continue;
                }
                Admission::Pauses(time) => {
                    work.park(time);
                    return None;
                }
                Admission::Passes(bounds) => {
                    self.waiting.end(&work);
                    self.sources.note_scope(&self.name, &work, &bounds.object);
                    return Some((work, bounds));
                }
                Admission::Fails(missing) => {
                    let (failures, outcome) =
                        (work.num_requeues(), Err(ReconcileError::Behind(missing)));
                    self.status.count_outcome(&outcome);
                    self.conclude(work, failures, outcome);
                }
                Admission::Leaves => {
                    self.waiting.end(&work);
                    self.leave(&work);
                }
            }
            return None;
        }
    }

    fn admission(&self, key: &ObjectKey) -> Admission {
        if let Some(time) = self.history.slow.lock().wait(key, Instant::now()) {
            return Admission::Pauses(time);
        }
        if let Some(place) = self.missing_informers.of(key) {
            return Admission::Waits(Awaited::Informer(place));
        }
        if self.sources.awaits_sight(key) {
            return Admission::Waits(Awaited::sight(key.namespace()));
        }
        if self.writes.waits(key) {
            let failure = self.waiting.take_failure(key);
            return failure.map_or(Admission::Waits(Awaited::OwnWrites), Admission::Fails);
        }
        // The object is looked up last: after its own writes are shown, and in the slot's tenure.
        let seen = ReadBarrier::now();
        let Some(slots) = &self.slots else {
            let (scope, object) = (self.scope.clone(), self.sources.sight(key, None));
            return Admission::Passes(Bounds::new(scope, object, None, seen));
        };
        let deletion = slots.deletion(key);
        let place = slots.place(key, &self.objects);
        match place.and_then(|place| slots.scope(place, key, &self.groups)) {
            Some(scope) if scope.may_begin() => {
                let object = self.sources.sight(key, place);
                Admission::Passes(Bounds::new(scope, object, deletion, seen))
            }
            Some(scope) if !scope.token().is_cancelled() => Admission::Pauses(RENEWAL_PAUSE),
            _ => {
                let awaited = slots.awaited(key, place, &self.objects);
                awaited.map_or(Admission::Leaves, Admission::Waits)
            }
        }
    }

    /// Wakes a key once the cache shows its own writes, or when that takes too long.
    fn await_writes(self: &Arc<Self>, key: &ObjectKey, number: u64) {
        count(&self.status.counts.behind);
        let (this, key, stop) = (self.clone(), key.clone(), self.stop.clone());
        let watching = async move {
            // The client's layers are user code. Without a result the key would wait forever.
            let seen = catch_async(this.writes.wait_observed(&key, OWN_WRITE_TIMEOUT)).await;
            let seen = seen.unwrap_or_else(|message| Err(Unobserved::Panicked(message)));
            this.waiting.finish(&key, number, seen);
            this.queue.unpark(&key);
        };
        let watching = async move { stop.run_until_cancelled(watching).await.unwrap_or(()) };
        tokio::spawn(self.watchers.track_future(watching).boxed());
    }
}
