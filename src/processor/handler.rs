//! What a user writes to be told.

use std::sync::Arc;

use crate::object::{CachedEvent, Event, ObjectKey};
use crate::panic::read_for;

/// Is told of each change, one at a time and in order.
///
/// Calls are made from a task of this handler's own. They are meant to be short (put a key into a
/// queue, update a figure): one that blocks holds up a thread of the runtime, though no other
/// handler and never the store. For asynchronous work take the events as a stream instead.
///
/// A panic in a call is caught, counted and reported; the next event comes all the same.
///
/// Each method has an empty default. Objects are shared and can't be changed.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube::ResourceExt;
/// use kube_informer::EventHandler;
///
/// struct Print;
///
/// impl EventHandler<Pod> for Print {
///     fn on_add(&mut self, pod: Arc<Pod>, initial: bool) {
///         println!("{} is there{}", pod.name_any(), if initial { " already" } else { "" });
///     }
///     fn on_delete(&mut self, pod: Arc<Pod>, _final_state_known: bool) {
///         println!("{} is gone", pod.name_any());
///     }
/// }
/// ```
pub trait EventHandler<K>: Send + 'static {
    /// An object appeared. `initial`: it belongs to what the handler is told first.
    fn on_add(&mut self, object: Arc<K>, initial: bool) {
        let _ = (object, initial);
    }

    /// An object changed, or is told again by a resync (then both have one `resourceVersion`).
    fn on_update(&mut self, old: Arc<K>, new: Arc<K>) {
        let _ = (old, new);
    }

    /// An object is gone. Unless `final_state_known`, `object` is the last state that was seen, not
    /// the one it was deleted in.
    fn on_delete(&mut self, object: Arc<K>, final_state_known: bool) {
        let _ = (object, final_state_known);
    }

    /// What all three come through; by default it calls them.
    fn on_event(&mut self, event: Event<K>) {
        match event {
            Event::Added { object, initial } => self.on_add(object, initial),
            Event::Updated { old, new } => self.on_update(old, new),
            Event::Deleted { object, final_state_known } => {
                self.on_delete(object, final_state_known);
            }
        }
    }

    /// What every event comes through, as the cache holds it, with its object's key; by default it
    /// reads the event and calls [`on_event`](Self::on_event), but for what can't be read, which was
    /// reported.
    ///
    /// A handler that does otherwise here has nothing unpacked but what it reads: see
    /// [`SharedInformer::on_cached_event`](crate::SharedInformer::on_cached_event).
    fn on_cached_event(&mut self, key: &ObjectKey, event: CachedEvent<K>) {
        let _ = key;
        read_for(&event, |event| self.on_event(event));
    }
}

/// A closure is a handler of events as the cache holds them.
pub(crate) struct FnHandler<F>(pub(crate) F);

impl<K, F> EventHandler<K> for FnHandler<F>
where
    F: FnMut(&ObjectKey, CachedEvent<K>) + Send + 'static,
{
    fn on_cached_event(&mut self, key: &ObjectKey, event: CachedEvent<K>) {
        (self.0)(key, event);
    }
}
