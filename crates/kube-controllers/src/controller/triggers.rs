//! The keys that a change of an object queues.
//!
//! Each state that was in the store may give keys: its own, its controlling owner's, or those that
//! a mapping function returns. None may be lost, so keys are not taken from a handler's backlog,
//! which merges events when it is full. Own keys and owners' keys go into the queue from the
//! processing loop itself; the queue keeps each key once. Predicates and mapping functions are user
//! code, which may be slow. They run in their own task, behind a bounded backlog of unmerged
//! states.

use std::any::Any;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::cause::{Cause, ChangeKind};
use super::gate::SlotGate;
use super::history::TriggerHistory;
use super::owner::{OwnInformers, Owner};
use super::predicates::has_new_spec;
use super::status::StatusCell;
use kube_informer::object::{
    AnyObject, CachedEvent, ContentFilter, EventRef, FieldSet, ObjectEvent, ObjectKey,
};
use kube_informer::seams::{SafeDrop, SafeDropper, YieldBudget, catch};
use kube_informer::workqueue::{Priority, WorkQueue};

/// A filter of events.
#[derive(Clone)]
pub(super) enum Predicate {
    /// A function that returns whether an event passes.
    OfEvent(Arc<dyn Fn(&AnyEvent<'_>) -> bool + Send + Sync>),
    /// A filter of the objects as the cache holds them.
    OfContent(ContentFilter),
}

/// An event with borrowed objects of any type.
pub(super) type AnyEvent<'a> = ObjectEvent<&'a dyn AnyObject>;

/// An event with decoded objects of any type.
type AnyRead = ObjectEvent<Arc<dyn AnyObject>>;

/// The fields of a dependent that name its owner.
static OWNER_FIELDS: LazyLock<FieldSet> =
    LazyLock::new(|| FieldSet::from_paths(["metadata.namespace", "metadata.ownerReferences"]));

/// The fields that change with the spec.
static SPEC_FIELDS: LazyLock<FieldSet> = LazyLock::new(|| {
    FieldSet::from_paths(["metadata.generation", "metadata.deletionTimestamp", "metadata.uid"])
});

/// The events that count, and the keys that each of them queues.
pub(super) struct Rule {
    /// The filters that an event must pass.
    pub(super) predicates: Vec<Predicate>,
    pub(super) keys: Keys,
}

/// The keys that an event queues.
pub(super) enum Keys {
    /// The object's own key. Deletes skip the predicates.
    Own,
    /// The keys of the objects that own it.
    Owner(Owner),
    /// The keys that a function returns for each state of the object.
    OfState(Box<OfState>),
    /// The keys that a function returns for the event.
    OfEvent(Box<OfEvent>),
}

/// A function that returns whether something knows of a key.
pub(super) type Knows = dyn Fn(&ObjectKey) -> bool + Send + Sync;

type OfState = dyn Fn(&dyn AnyObject, &mut dyn FnMut(ObjectKey)) + Send + Sync;
type OfEvent = dyn Fn(&AnyEvent<'_>, &mut dyn FnMut(ObjectKey)) + Send + Sync;

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

impl Rule {
    pub(super) fn new(predicates: Vec<Predicate>, keys: Keys) -> Self {
        Self { predicates, keys }
    }

    /// Returns whether user code decides on the keys.
    pub(super) fn runs_user_code(&self) -> bool {
        !self.predicates.is_empty() || matches!(self.keys, Keys::OfState(_) | Keys::OfEvent(_))
    }

    /// Yields before each call of user code, and otherwise now and then.
    pub(super) async fn pause(&self, budget: &mut YieldBudget) {
        if self.runs_user_code() {
            // The last key may have woken a worker. Tokio runs that worker next on this thread, and
            // no other thread can steal it: a call that blocks would hold it up.
            budget.give_way().await;
        } else {
            budget.spend(1).await;
        }
    }

    /// Returns whether events give other keys than the object's own.
    pub(super) fn maps(&self) -> bool {
        !matches!(self.keys, Keys::Own)
    }

    /// Calls a function with each key that an event gives, except the object's own. A panic while
    /// one state is read or mapped is recorded, and does not affect the other state.
    pub(super) fn mapped_keys(
        &self,
        key: &ObjectKey,
        event: &CachedEvent,
        own: &OwnInformers,
        dropper: &SafeDropper,
        status: &StatusCell,
        call: &mut dyn FnMut(ObjectKey),
    ) {
        // If an object changed its owner, both owners are concerned. A state that cannot be read is
        // skipped; the informer has already reported it.
        let fields: Option<&FieldSet> = match &self.keys {
            Keys::Own => return,
            Keys::Owner(_) => Some(&OWNER_FIELDS),
            Keys::OfState(_) => None,
            Keys::OfEvent(of) => {
                if let Some(event) = event.read_any(None) {
                    with_event(event, dropper, |event| of(event, call));
                }
                return;
            }
        };
        let mut map = |object: &dyn AnyObject| match &self.keys {
            Keys::Owner(owner) => {
                let keys = object.meta().map(|meta| owner.keys(meta, own));
                keys.into_iter().flatten().for_each(&mut *call);
            }
            Keys::OfState(of) => of(object, call),
            _ => {}
        };
        let mut map_state = |read: &dyn Fn() -> Option<Arc<dyn AnyObject>>| {
            let mapped = catch(|| {
                if let Some(object) = read() {
                    dropper.call_with(object, |object| map(&**object));
                }
            });
            if let Err(message) = mapped {
                status.record_mapping_panic(key, &message);
            }
        };
        if let CachedEvent::Updated { old, new } = event
            && !old.ptr_eq(new)
        {
            map_state(&|| old.read(fields));
        }
        map_state(&|| read_newest(event, fields));
    }
}

impl Keys {
    /// Returns the rule that queues the keys that a function returns for each state of an object.
    pub(super) fn of_state<O: 'static, I: IntoIterator<Item = ObjectKey>>(
        keys: impl Fn(&O) -> I + Send + Sync + 'static,
    ) -> Self {
        Self::OfState(Box::new(move |object, add| {
            if let Some(object) = (object as &dyn Any).downcast_ref() {
                add_each(keys(object).into_iter(), add);
            }
        }))
    }

    /// Returns the rule that queues the keys that a function returns for an event.
    pub(super) fn of_event<O: 'static, I: IntoIterator<Item = ObjectKey>>(
        keys: impl Fn(&EventRef<'_, O>) -> I + Send + Sync + 'static,
    ) -> Self {
        Self::OfEvent(Box::new(move |event, add| {
            if let Some(event) = typed(event) {
                add_each(keys(&event).into_iter(), add);
            }
        }))
    }
}

/// Adds the keys of a user's iterator.
fn add_each(keys: impl Iterator<Item = ObjectKey>, add: &mut dyn FnMut(ObjectKey)) {
    let mut keys = SafeDrop::new(keys);
    if let Some(keys) = keys.get_mut() {
        keys.for_each(add);
    }
    // Outside of `SafeDrop`, so that a panic of this drop is counted, too.
    drop(keys.take());
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

/// Returns an event with each state that it carries. `None` if one of them cannot be read.
fn read_all(event: &CachedEvent, fields: Option<&FieldSet>) -> Option<AnyRead> {
    Some(match event {
        ObjectEvent::Added { .. } => event.read_any(fields)?,
        ObjectEvent::Updated { old, new } => {
            ObjectEvent::Updated { old: old.read(fields)?, new: new.read(fields)? }
        }
        ObjectEvent::Deleted { object, final_state_known } => ObjectEvent::Deleted {
            object: object.read(fields)?,
            final_state_known: *final_state_known,
        },
        ObjectEvent::MovedAway { object } => {
            ObjectEvent::MovedAway { object: object.read(fields)? }
        }
    })
}

/// Calls a function with a decoded event, and drops its objects afterwards.
fn with_event<R>(
    event: AnyRead,
    dropper: &SafeDropper,
    call: impl FnOnce(&AnyEvent<'_>) -> R,
) -> R {
    match event {
        ObjectEvent::Added { object, initial } => dropper
            .call_with(object, |object| call(&ObjectEvent::Added { object: &**object, initial })),
        ObjectEvent::Updated { old, new } => dropper.call_with(new, |new| {
            dropper.call_with(old, |old| call(&ObjectEvent::Updated { old: &**old, new: &**new }))
        }),
        ObjectEvent::Deleted { object, final_state_known } => dropper.call_with(object, |object| {
            call(&ObjectEvent::Deleted { object: &**object, final_state_known })
        }),
        ObjectEvent::MovedAway { object } => {
            dropper.call_with(object, |object| call(&ObjectEvent::MovedAway { object: &**object }))
        }
    }
}

/// Turns a filter of one type of objects into a filter of any.
pub(super) fn predicate<O: 'static>(
    passes: impl Fn(&EventRef<'_, O>) -> bool + Send + Sync + 'static,
) -> Predicate {
    Predicate::OfEvent(Arc::new(move |event| typed(event).is_none_or(|event| passes(&event))))
}

/// Returns an event with objects of this type. `None` if they have another one.
fn typed<'a, O: 'static>(event: &AnyEvent<'a>) -> Option<EventRef<'a, O>> {
    let typed = |object: &&'a dyn AnyObject| (*object as &dyn Any).downcast_ref();
    Some(match event {
        ObjectEvent::Added { object, initial } => {
            ObjectEvent::Added { object: typed(object)?, initial: *initial }
        }
        ObjectEvent::Updated { old, new } => {
            ObjectEvent::Updated { old: typed(old)?, new: typed(new)? }
        }
        ObjectEvent::Deleted { object, final_state_known } => {
            ObjectEvent::Deleted { object: typed(object)?, final_state_known: *final_state_known }
        }
        ObjectEvent::MovedAway { object } => ObjectEvent::MovedAway { object: typed(object)? },
    })
}

/// Returns whether all predicates pass an event. Objects that cannot be read pass, and so do events
/// on which a predicate panics.
pub(super) fn passes(
    predicates: &[Predicate],
    event: &CachedEvent,
    dropper: &SafeDropper,
    status: &StatusCell,
) -> bool {
    let or_panic = |passes: Result<bool, String>| {
        passes.unwrap_or_else(|message| {
            status.record_predicate_panic(&message);
            true
        })
    };
    let (mut functions, mut filters) = (Vec::new(), Vec::new());
    for predicate in predicates {
        match predicate {
            Predicate::OfEvent(function) => functions.push(function),
            Predicate::OfContent(filter) => filters.push(filter),
        }
    }
    // The filters come first, because most of them decode nothing.
    if !filters.iter().all(|filter| or_panic(catch(|| filter.passes(event)))) {
        status.count_unchanged(event);
        return false;
    }
    functions.is_empty()
        || read_all(event, None).is_none_or(|event| {
            with_event(event, dropper, |event| {
                functions.iter().all(|function| or_panic(catch(|| function(event))))
            })
        })
}

/// Returns the newest state that an event carries. Of an object that is gone, this is the last one
/// that can be read.
fn read_newest(event: &CachedEvent, fields: Option<&FieldSet>) -> Option<Arc<dyn AnyObject>> {
    match event {
        ObjectEvent::Deleted { .. } | ObjectEvent::MovedAway { .. } => {
            Some(event.read_any(fields)?.object().clone())
        }
        ObjectEvent::Added { object, .. } | ObjectEvent::Updated { new: object, .. } => {
            object.read(fields)
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
