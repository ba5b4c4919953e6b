//! Containment of panics in user code.
//!
//! User code runs not only in calls. An object's `Drop` runs when its last reference goes, and a
//! panic's payload may itself panic when it is dropped. A second panic during unwinding aborts the
//! process, so values that may panic are dropped one by one.

pub(crate) mod caught;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kube::Resource;

pub(crate) use self::caught::{catch, catch_async, drop_safely, lend};
use crate::object::{Cached, CachedEvent, Event};

/// A wrapper for a value whose `Drop` may panic. The panic is caught and logged.
#[derive(Debug)]
pub struct SafeDrop<T>(Option<T>);

impl<T> SafeDrop<T> {
    /// Wraps a value.
    pub fn new(value: T) -> Self {
        Self(Some(value))
    }

    /// Returns the value. `None` after it was taken.
    pub fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    /// Returns the value. `None` after it was taken.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_mut()
    }

    /// Takes the value out.
    pub fn take(&mut self) -> Option<T> {
        self.0.take()
    }
}

impl<T> Drop for SafeDrop<T> {
    fn drop(&mut self) {
        if let Some(value) = self.0.take() {
            drop_safely(value);
        }
    }
}

/// A dropper of objects, one by one, that counts those whose `Drop` panicked. Clones share the
/// count.
#[derive(Clone, Debug, Default)]
pub struct SafeDropper(Arc<AtomicU64>);

impl SafeDropper {
    /// Returns the number of objects that panicked when they were dropped.
    pub fn faults(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Drops a value that contains at most one object. Call it without a lock.
    pub fn free<T>(&self, value: T) {
        if drop_safely(value) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Passes a reference to a call and drops the value afterwards, even if the call panics.
    pub fn call_with<T, R>(&self, value: T, call: impl FnOnce(&T) -> R) -> R {
        let called = catch_unwind(AssertUnwindSafe(|| call(&value)));
        self.free(value);
        called.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Drops an event's objects one by one.
    pub fn free_event<K: ?Sized>(&self, event: CachedEvent<K>) {
        match event {
            CachedEvent::Updated { old, new } => {
                self.free(old);
                self.free(new);
            }
            CachedEvent::Added { object, .. }
            | CachedEvent::Deleted { object, .. }
            | CachedEvent::MovedAway { object } => self.free(object),
        }
    }

    /// Drops several objects one by one.
    pub fn free_all(&self, objects: impl IntoIterator<Item = Cached>) {
        objects.into_iter().for_each(|object| self.free(object));
    }
}

/// Collects the items of a user's iterator. Its `next` and its `Drop` may panic, even both.
pub(crate) fn collect<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut values = SafeDrop::new(values.into_iter());
    values.get_mut().map(|values| values.map(Into::into).collect()).unwrap_or_default()
}

/// Decodes an event for a call. Returns false, without a call, if that fails. Objects that were
/// unpacked for the call are dropped one by one after it.
pub(crate) fn call_decoded<K: Resource + Send + Sync + 'static>(
    event: &CachedEvent<K>,
    call: impl FnOnce(Event<K>),
) -> bool {
    let Some(read) = event.read() else { return false };
    // Decoded objects belong to the cache, which holds references beyond the call.
    let packed = event.object().is_packed();
    let _kept = packed.then(|| match &read {
        Event::Updated { old, new } => {
            [Some(old), Some(new)].map(|object| SafeDrop::new(object.cloned()))
        }
        Event::Added { object, .. }
        | Event::Deleted { object, .. }
        | Event::MovedAway { object } => {
            [Some(object), None].map(|object| SafeDrop::new(object.cloned()))
        }
    });
    call(read);
    true
}

/// An event for another task. When it is dropped, its objects are dropped one by one.
pub(crate) struct SafeDropEvent {
    event: Option<CachedEvent>,
    dropper: SafeDropper,
}

impl SafeDropEvent {
    pub(crate) fn new(event: CachedEvent, dropper: SafeDropper) -> Self {
        Self { event: Some(event), dropper }
    }

    /// Takes the event out.
    pub(crate) fn take(&mut self) -> Option<CachedEvent> {
        self.event.take()
    }
}

impl Drop for SafeDropEvent {
    fn drop(&mut self) {
        if let Some(event) = self.event.take() {
            self.dropper.free_event(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::helpers::Bomb;
    use crate::object::Value;

    #[test]
    fn payload_that_panics_when_dropped_is_contained() {
        let caught = catch(|| std::panic::panic_any(Bomb));
        assert_eq!(caught.unwrap_err(), "a panic without a message");
    }

    #[test]
    fn every_drop_that_panics_is_counted() {
        let dropper = SafeDropper::default();
        let object = || Cached::any(Arc::new(Value::from(Bomb)));
        dropper.free_event(CachedEvent::Updated { old: object(), new: object() });
        dropper.free_all([object()]);
        drop(SafeDrop::new(Bomb));
        assert_eq!(dropper.faults(), 3);
        drop(SafeDropEvent::new(
            CachedEvent::Updated { old: object(), new: object() },
            dropper.clone(),
        ));
        assert_eq!(dropper.faults(), 5);
    }

    #[test]
    fn lent_value_is_freed_after_a_call_that_panics() {
        let dropper = SafeDropper::default();
        let called = catch(|| dropper.call_with(Bomb, |_| panic!("the call")));
        assert_eq!(called, Err::<(), _>("the call".into()));
        assert_eq!(dropper.faults(), 1);
    }
}
