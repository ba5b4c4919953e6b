//! A member of a set, and the handlers that it has.

use std::collections::HashMap;
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
pub(super) struct SetMember<K, T> {
    pub(super) tag: Arc<T>,
    /// Dropped before the interest.
    pub(super) attached: Vec<Attached<K, T>>,
    pub(super) interest: Interest<K>,
    /// The number of the set's indexes that were added.
    pub(super) indexed: usize,
}

/// A handler of one member, with the objects that it knows. It ends when this is dropped.
pub(super) struct Attached<K, T> {
    handler: Arc<MemberHandler<K, T>>,
    registration: HandlerRegistration,
    known: Arc<Mutex<HashMap<ObjectKey, Cached<K>>>>,
}

impl<K, T> SetMember<K, T>
where
    K: Resource + Send + Sync + 'static,
    T: Tag,
{
    /// Adds a handler, unless the informer was stopped.
    pub(super) fn attach(&mut self, handler: &Arc<MemberHandler<K, T>>) {
        let known = Arc::<Mutex<HashMap<_, _>>>::default();
        let (call, tag, noted) = (handler.clone(), self.tag.clone(), known.clone());
        let registered = self.interest.on_cached_event(move |key, event| {
            let leaves =
                matches!(event, CachedEvent::Deleted { .. } | CachedEvent::MovedAway { .. });
            let last = if leaves {
                // An object that the handler was not told of does not leave, either.
                let Some(last) = noted.lock().remove(key) else { return };
                Some(last)
            } else if tag.covers(key) {
                noted.lock().insert(key.clone(), event.object().clone())
            } else {
                return;
            };
            let mut last = SafeDrop::new(last);
            let Some(call) = call.get() else { return };
            if !call_decoded(&event, |event| call(&tag, event)) && !leaves {
                // The object can't be read, so the handler knows its last state, or none.
                let unread = match last.take().flatten() {
                    Some(last) => noted.lock().insert(key.clone(), last),
                    None => noted.lock().remove(key),
                };
                drop_safely(unread);
            }
        });
        if let Ok(registration) = registered {
            self.attached.push(Attached { handler: handler.clone(), registration, known });
        }
    }

    /// Removes the handlers, and tells each of the objects that it still knows.
    pub(super) async fn leave(self, farewell: Farewell<K>) {
        let Self { tag, interest, attached, .. } = self;
        for left in attached {
            left.registration.remove_and_wait().await;
            let known = std::mem::take(&mut *left.known.lock());
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
async fn tell<K: Resource + Send + Sync + 'static, T>(
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
