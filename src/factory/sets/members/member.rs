//! A member of a set, and the handlers that it has.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kube::Resource;

use super::{Interest, Tag};
use crate::object::{Cached, CachedEvent, Event, ObjectKey};
use crate::panic::{SafeDrop, call_decoded, catch, drop_safely};
use crate::processor::HandlerRegistration;
use crate::sync::Mutex;
use crate::yield_budget::{UNPACKING, YieldBudget};

/// A handler of all members, which also receives the member's tag.
pub(super) type MemberHandler<K, T> = SafeDrop<Box<dyn Fn(&T, Event<K>) + Send + Sync>>;

/// The event for an object that a handler knows when its member leaves.
pub(in crate::factory) type Farewell<K> = fn(Cached<K>) -> CachedEvent<K>;

/// An informer of a set.
pub(super) struct Member<K, T> {
    pub(super) tag: Arc<T>,
    /// Dropped before the interest.
    pub(super) attached: Vec<Attached<K, T>>,
    pub(super) interest: Interest<K>,
    /// The number of the set's indexes that were added.
    pub(super) indexed: usize,
    /// True while the member takes over from others. It does not leave meanwhile.
    pub(super) takes_over: bool,
}

/// A handler of one member, with the objects that it knows. It ends when this is dropped.
pub(super) struct Attached<K, T> {
    pub(super) handler: Arc<MemberHandler<K, T>>,
    pub(super) registration: HandlerRegistration,
    pub(super) known: Arc<Mutex<Known<K>>>,
}

/// The objects that a handler knows.
pub(super) struct Known<K> {
    pub(super) objects: HashMap<ObjectKey, Cached<K>>,
    /// Those that the handler was told of by another member, and not by this one.
    pub(super) inherited: HashSet<ObjectKey>,
}

impl<K, T> Member<K, T>
where
    K: Resource + Send + Sync + 'static,
    T: Tag,
{
    pub(super) fn namespace(&self) -> Option<Arc<str>> {
        self.tag.namespace().map(Into::into)
    }

    /// Adds a handler that knows these objects, unless the informer was stopped.
    pub(super) fn attach(
        &mut self,
        handler: &Arc<MemberHandler<K, T>>,
        known: Known<K>,
    ) -> Option<&Attached<K, T>> {
        let known = Arc::new(Mutex::new(known));
        let (call, tag, noted) = (handler.clone(), self.tag.clone(), known.clone());
        let registered = self.interest.on_cached_event(move |key, event| {
            if tag.has_several() && !tag.covers(key) {
                // Its name has the hash of another one.
                return;
            }
            let before = noted.lock().note(key, &event);
            for event in news(before, event).into_iter().flatten() {
                if let Some(call) = call.get() {
                    call_decoded(&event, |event| call(&tag, event));
                }
            }
        });
        let handler = handler.clone();
        self.attached.push(Attached { handler, registration: registered.ok()?, known });
        self.attached.last()
    }

    /// Removes the handlers, and tells each of the objects that it still knows.
    pub(super) async fn leave(self, farewell: Farewell<K>) {
        let Self { tag, interest, attached, .. } = self;
        for left in attached {
            left.registration.remove_and_wait().await;
            let known = std::mem::take(&mut left.known.lock().objects);
            tell(&left.handler, &tag, known, farewell).await;
        }
        drop(interest);
    }
}

impl<K, T> Drop for Attached<K, T> {
    fn drop(&mut self) {
        self.registration.remove();
    }
}

/// Tells a handler, which is not called otherwise, the last of these objects.
pub(super) async fn tell<K: Resource + Send + Sync + 'static, T>(
    handler: &MemberHandler<K, T>,
    tag: &T,
    objects: impl IntoIterator<Item = (ObjectKey, Cached<K>)>,
    farewell: Farewell<K>,
) {
    let mut budget = YieldBudget::new();
    for (key, object) in objects {
        budget.spend(UNPACKING).await;
        let event = farewell(object);
        let called = catch(|| {
            if let Some(call) = handler.get() {
                call_decoded(&event, |event| call(tag, event));
            }
        });
        if let Err(message) = called {
            tracing::error!(%key, message, "a handler panicked");
        }
        drop_safely(event);
    }
}

impl<K> Known<K> {
    pub(super) fn nothing() -> Self {
        Self { objects: HashMap::new(), inherited: HashSet::new() }
    }

    /// Notes an event of the member. Returns the state that the handler knew before.
    fn note(&mut self, key: &ObjectKey, event: &CachedEvent<K>) -> Option<Cached<K>> {
        self.inherited.remove(key);
        match event {
            CachedEvent::Deleted { .. } | CachedEvent::MovedAway { .. } => self.objects.remove(key),
            _ => self.objects.insert(key.clone(), event.object().clone()),
        }
    }
}

/// Returns the events for a handler that knew this state: an object that it knows from another
/// member is not added again.
fn news<K>(before: Option<Cached<K>>, event: CachedEvent<K>) -> [Option<CachedEvent<K>>; 2] {
    match (before, event) {
        (Some(old), CachedEvent::Added { object: new, initial }) => {
            if old.is_different_object(&new) {
                let gone = CachedEvent::Deleted { object: old, final_state_known: false };
                [Some(gone), Some(CachedEvent::Added { object: new, initial })]
            } else if old.version() == new.version() {
                [None, None]
            } else {
                [Some(CachedEvent::Updated { old, new }), None]
            }
        }
        (_, event) => [Some(event), None],
    }
}
