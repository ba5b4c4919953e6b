//! The objects whose newest state a handler could not read.
//!
//! A packed state that can't be unpacked is not reported to a handler of decoded objects. The
//! handler's events must still fold to the newest states that it can read. So the event after such
//! a state carries the state that was reported last. An object leaves this map with the next state
//! that can be read, or when it leaves the store.

use std::collections::HashMap;

use crate::object::{Cached, CachedEvent, ObjectKey};
use crate::panic::SafeDropper;

/// The last state that was reported to a handler, for each object whose newest state it could not
/// read. `None` if none was reported.
#[derive(Default)]
pub(super) struct Unread(HashMap<ObjectKey, Option<Cached>, foldhash::fast::RandomState>);

// The key and the state of an object are not pinned with the map.
impl Unpin for Unread {}

impl Unread {
    /// Returns the event for the handler.
    #[inline]
    pub(super) fn prepare(&self, key: &ObjectKey, event: CachedEvent) -> CachedEvent {
        if self.0.is_empty() { event } else { self.after_told(key, event) }
    }

    #[cold]
    fn after_told(&self, key: &ObjectKey, event: CachedEvent) -> CachedEvent {
        let Some(told) = self.0.get(key) else { return event };
        let told = told.as_ref();
        match event {
            CachedEvent::Updated { old, new } => CachedEvent::Updated { old: old.after(told), new },
            CachedEvent::Deleted { object, final_state_known } => {
                CachedEvent::Deleted { object: object.after(told), final_state_known }
            }
            CachedEvent::MovedAway { object } => {
                CachedEvent::MovedAway { object: object.after(told) }
            }
            added @ CachedEvent::Added { .. } => added,
        }
    }

    /// Records whether the handler could read an event, after it was called with it.
    #[inline]
    pub(super) fn note(&mut self, key: &ObjectKey, event: &CachedEvent, dropper: &SafeDropper) {
        if !self.0.is_empty() || event.object().is_unreadable() {
            self.record(key, event, dropper);
        }
    }

    #[cold]
    fn record(&mut self, key: &ObjectKey, event: &CachedEvent, dropper: &SafeDropper) {
        let gone = match event {
            CachedEvent::Added { object, .. } if object.is_unreadable() => {
                self.0.insert(key.clone(), None)
            }
            CachedEvent::Updated { old, new } if new.is_unreadable() => {
                self.0.entry(key.clone()).or_insert_with(|| Some(old.clone()));
                return;
            }
            _ => self.0.remove(key),
        };
        dropper.free(gone);
    }
}
