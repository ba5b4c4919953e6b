//! The way of keys from an informer's changes into a controller's queue.
//!
//! No key may be lost, so keys are not taken from a handler's backlog, which merges events when it
//! is full. Own keys and owners' keys go into the queue from the processing loop itself; the queue
//! keeps each key once. Predicates and mapping functions are user code, which may be slow. They run
//! in their own task, behind a bounded backlog of unmerged states.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::cause::{Cause, ChangeKind};
use super::gate::SlotGate;
use super::history::TriggerHistory;
use super::owner::OwnInformers;
use super::predicates::has_new_spec;
use super::status::StatusCell;
use super::triggers::{AnyEvent, Keys, Rule, passes, read_all, with_event};
use kube_informer::object::{CachedEvent, FieldSet, ObjectEvent, ObjectKey};
use kube_informer::seams::{SafeDropper, catch};
use kube_informer::workqueue::{Priority, WorkQueue};

/// The fields that change with the spec.
static SPEC_FIELDS: LazyLock<FieldSet> = LazyLock::new(|| {
    FieldSet::from_paths(["metadata.generation", "metadata.deletionTimestamp", "metadata.uid"])
});

/// A function that returns whether something knows of a key.
pub(super) type Knows = dyn Fn(&ObjectKey) -> bool + Send + Sync;

/// The feeder of a controller's queue with the keys of one informer's events.
pub(super) struct Enqueuer {
    pub(super) rule: Arc<Rule>,
    /// The informer's collection, as triggers name it.
    pub(super) informer: Arc<str>,
    pub(super) queue: WorkQueue<ObjectKey>,
    /// The time that events are collected before their keys are ready.
    pub(super) debounce: Duration,
    pub(super) status: Arc<StatusCell>,
    pub(super) history: Arc<TriggerHistory>,
    /// `None` if the controller is not sharded.
    pub(super) slots: Option<Arc<SlotGate>>,
    /// Returns whether an informer of the controller's own objects knows of a key.
    pub(super) knows: Arc<Knows>,
    pub(super) own: Arc<OwnInformers>,
    pub(super) dropper: SafeDropper,
    /// Cancelled when the controller no longer follows the objects. `None` if it always does.
    pub(super) removed: Option<CancellationToken>,
}

impl Enqueuer {
    /// Returns [`fire`](Self::fire) for a tap that the processing loop calls.
    pub(super) fn into_call(self: Arc<Self>) -> impl Fn(&ObjectKey, &CachedEvent) + Send + Sync {
        move |key, event| self.fire(key, event)
    }

    /// Queues the keys for a change of the object of this key. Changes from a first list or a
    /// resync have a lower priority than live changes. Has no effect after the removal.
    pub(super) fn fire(&self, key: &ObjectKey, event: &CachedEvent) {
        if self.is_removed() {
            return;
        }
        // Unpacking an object runs its type's deserializer.
        if let Err(message) = catch(|| self.queue_keys(key, event)) {
            self.status.record_mapping_panic(key, &message);
            if matches!(self.rule.keys, Keys::Own) {
                self.add(key.clone(), key, event);
            }
        }
    }

    fn queue_keys(&self, key: &ObjectKey, event: &CachedEvent) {
        let Rule { predicates, keys } = &*self.rule;
        if matches!(keys, Keys::Own) {
            if let Some(slots) = &self.slots {
                slots.note(key, event);
            }
            if matches!(event, ObjectEvent::MovedAway { .. }) {
                // Another replica reconciles it. The event may be late: if this replica holds the
                // slot again, the key may wait for its next reconcile. Nor does the key leave the
                // queue if another informer of own objects knows of it.
                let stays = || match &self.slots {
                    Some(slots) => slots.holds(key, event.object()),
                    None => (self.knows)(key),
                };
                // The slot or another informer may come between the look and the removal, and its
                // key goes into the queue after it came. So the second look misses neither.
                if !stays() && self.queue.remove(key) && stays() {
                    self.add(key.clone(), key, event);
                }
                return;
            }
        }
        let always = matches!((keys, event), (Keys::Own, ObjectEvent::Deleted { .. }));
        if !always && !passes(predicates, event, &self.dropper, &self.status) {
            return;
        }
        if matches!(keys, Keys::Own) {
            // Only a change of the spec ends the backoff of a failing key. A try that runs now may
            // have seen the old spec. For other keys, nothing is unpacked.
            self.queue.loosen_backoff(key, || self.spec_changed(event));
            self.add(key.clone(), key, event);
            return;
        }
        let Self { rule, own, dropper, status, .. } = self;
        let mut add = |mapped| self.add(mapped, key, event);
        rule.mapped_keys(key, event, &**own, dropper, status, &mut add);
    }

    /// Queues a key because of an event of an object.
    fn add(&self, key: ObjectKey, object: &ObjectKey, event: &CachedEvent) {
        let change = ChangeKind::of(event);
        self.history.record(&key, || Cause::Event {
            informer: self.informer.clone(),
            change,
            object: object.clone(),
        });
        self.queue.add_after_with(key, self.debounce, change.priority());
    }

    /// Queues the key of a stored object, because all objects are to be reconciled.
    pub(super) fn again(&self, key: &ObjectKey) {
        if self.is_removed() {
            return;
        }
        self.history.record(key, || Cause::ReconcileAll);
        self.queue.add_with(key.clone(), Priority::LOW);
    }

    fn is_removed(&self) -> bool {
        self.removed.as_ref().is_some_and(CancellationToken::is_cancelled)
    }

    /// Returns whether the reason for earlier failures may be gone: the object was created, was
    /// deleted, or has another generation. Changes of status, labels or annotations do not count.
    fn spec_changed(&self, event: &CachedEvent) -> bool {
        match event {
            CachedEvent::Updated { old, new } if old.ptr_eq(new) => false,
            // An object that cannot be read may have a new spec. Keeping the backoff bounds the
            // tries.
            CachedEvent::Updated { .. } => read_all(event, Some(&SPEC_FIELDS))
                .is_some_and(|event| with_event(event, &self.dropper, is_new_generation)),
            _ => true,
        }
    }
}

/// Returns whether an event passes [`generation_changed`](super::generation_changed).
fn is_new_generation(event: &AnyEvent<'_>) -> bool {
    event.old().is_none_or(|old| match (old.meta(), event.object().meta()) {
        (Some(old), Some(new)) => has_new_spec(old, new),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::api::ObjectMeta;
    use tokio::time::sleep;

    use super::*;
    use crate::sharding::{ShardBy, Sharding};
    use kube_informer::object::Cached;
    use kube_informer::testing::ApiServer;

    /// Returns the feeder of own keys. `knows` is asked with its queue.
    fn enqueuer(
        slots: Option<Arc<SlotGate>>,
        knows: impl Fn(&WorkQueue<ObjectKey>, &ObjectKey) -> bool + Send + Sync + 'static,
    ) -> Enqueuer {
        let history = Arc::new(TriggerHistory::new(1));
        let (queue, status) = (WorkQueue::new(), Arc::default());
        let asked = queue.clone();
        Enqueuer {
            rule: Arc::new(Rule::new(Vec::new(), Keys::Own)),
            informer: "configmaps".into(),
            queue,
            debounce: Duration::ZERO,
            status: Arc::new(StatusCell::new(&"c".into(), None, None, status, history.clone())),
            history,
            slots,
            knows: Arc::new(move |key| knows(&asked, key)),
            own: Arc::new(Vec::new),
            dropper: SafeDropper::default(),
            removed: None,
        }
    }

    fn moved_away() -> (ObjectKey, CachedEvent) {
        let namespace = Some("shop".to_owned());
        let metadata = ObjectMeta { namespace, name: Some("a".into()), ..ObjectMeta::default() };
        let object = Cached::any(Arc::new(ConfigMap { metadata, ..ConfigMap::default() }));
        (ObjectKey::namespaced("shop", "a").unwrap(), CachedEvent::MovedAway { object })
    }

    #[test]
    fn farewell_keeps_the_key_that_the_next_informer_queued() {
        let came = AtomicBool::new(false);
        let enqueuer = enqueuer(None, move |queue, key| {
            let known = came.swap(true, Ordering::Relaxed);
            if !known {
                // Right after the answer, the next informer comes and queues its keys.
                queue.add(key.clone());
            }
            known
        });
        let (key, event) = moved_away();
        enqueuer.fire(&key, &event);
        assert_eq!(enqueuer.queue.len(), 1);
    }

    /// Runs the only member of a sharding during a test of its slots.
    async fn with_slots(test: impl AsyncFnOnce(Arc<SlotGate>)) {
        let client = ApiServer::new().client();
        let sharding = Sharding::builder(client, "shop", "maps", ShardBy::Namespace);
        let sharding = sharding.slots(4).build().unwrap();
        let stop = CancellationToken::new();
        let running = tokio::spawn({
            let (sharding, stop) = (sharding.clone(), stop.clone());
            async move { sharding.run(stop).await }
        });
        sleep(Duration::from_secs(5)).await;
        test(Arc::new(SlotGate::new(sharding))).await;
        stop.cancel();
        running.await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn late_moved_away_keeps_keys_of_held_slot() {
        let (key, event) = moved_away();
        let mut moved = None;
        with_slots(async |slots| {
            let enqueuer = moved.insert(enqueuer(Some(slots), |_, _| false));
            enqueuer.queue.add_after(key.clone(), Duration::from_secs(60));
            enqueuer.fire(&key, &event);
            assert_eq!(enqueuer.queue.status().delayed, 1);
        })
        .await;
        let enqueuer = moved.unwrap();
        enqueuer.fire(&key, &event);
        assert_eq!(enqueuer.queue.status().delayed, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn deletion_told_before_its_object_was_fed_is_kept() {
        with_slots(async |slots| {
            let enqueuer = enqueuer(Some(slots.clone()), |_, _| false);
            let (key, event) = moved_away();
            let object = event.object().clone();
            let deleted = CachedEvent::Deleted { object: object.clone(), final_state_known: true };
            enqueuer.fire(&key, &deleted);
            enqueuer.fire(&key, &CachedEvent::Added { object: object.clone(), initial: true });
            assert!(slots.deletion(&key).is_some());
            enqueuer.fire(&key, &CachedEvent::Added { object, initial: false });
            assert!(slots.deletion(&key).is_none());
        })
        .await;
    }
}
