//! The rules of which changes count, and which keys each of them queues.
//!
//! Each state that was in the store may give keys: its own, its controlling owner's, or those that
//! a mapping function returns.

use std::any::Any;
use std::sync::{Arc, LazyLock};

use super::owner::{OwnInformers, Owner};
use super::status::StatusCell;
use kube_informer::object::{
    AnyObject, CachedEvent, ContentFilter, EventRef, FieldSet, ObjectEvent, ObjectKey,
};
use kube_informer::seams::{SafeDrop, SafeDropper, YieldBudget, catch};

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

type OfState = dyn Fn(&dyn AnyObject, &mut dyn FnMut(ObjectKey)) + Send + Sync;
type OfEvent = dyn Fn(&AnyEvent<'_>, &mut dyn FnMut(ObjectKey)) + Send + Sync;

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

/// Returns an event with each state that it carries. `None` if one of them cannot be read.
pub(super) fn read_all(event: &CachedEvent, fields: Option<&FieldSet>) -> Option<AnyRead> {
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
pub(super) fn with_event<R>(
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
