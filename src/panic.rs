//! Containment of panics in user code.
//!
//! User code runs not only in calls. An object's `Drop` runs when its last reference goes, and a
//! panic's payload may itself panic when it is dropped. A second panic during unwinding aborts the
//! process, so values that may panic are dropped one by one.

use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::vec;

use futures::FutureExt;
use kube::Resource;

use crate::object::{Cached, CachedEvent, Event};

/// Returns the message of a panic's payload, and drops the payload.
pub(crate) fn into_message(payload: Box<dyn Any + Send>) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
        .to_owned();
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        // A payload that panics again is leaked.
        std::mem::forget(another);
    }
    text
}

/// Calls user code. The error is the message of its panic.
pub(crate) fn catch<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(into_message)
}

/// Polls user code. The error is the message of its panic.
pub(crate) async fn catch_async<T>(work: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(into_message)
}

/// Returns the text of an error of user code.
pub(crate) fn text(render: impl FnOnce() -> String) -> String {
    catch(render).unwrap_or_else(|message| format!("an error whose text panicked: {message}"))
}

/// Drops a value. Catches and logs a panic of its `Drop`. Returns whether it panicked.
pub(crate) fn drop_safely<T>(value: T) -> bool {
    match catch(|| drop(value)) {
        Ok(()) => false,
        Err(message) => {
            report_drop(&message);
            true
        }
    }
}

/// Passes a reference to a call and drops the value afterwards, even if the call panics.
pub(crate) fn lend<T, R>(value: T, call: impl FnOnce(&T) -> R) -> R {
    let called = catch_unwind(AssertUnwindSafe(|| call(&value)));
    drop_safely(value);
    called.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Logs the panic of a `Drop`. Not generic, because a `tracing` event is much code for each type.
#[cold]
fn report_drop(message: &str) {
    tracing::error!(message, "a value panicked when it was dropped");
}

/// A wrapper for a value whose `Drop` may panic. The panic is caught and logged.
pub(crate) struct SafeDrop<T>(Option<T>);

impl<T> SafeDrop<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Some(value))
    }

    /// Returns the value. `None` after it was taken.
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    /// Returns the value. `None` after it was taken.
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_mut()
    }

    /// Takes the value out.
    pub(crate) fn take(&mut self) -> Option<T> {
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

/// A vector whose elements are dropped one by one, because a `Drop` may panic. A plain vector drops
/// the others while the first panic unwinds, and a second panic then ends the process.
#[derive(Debug)]
pub(crate) struct SafeVec<T>(Vec<T>);

impl<T> Default for SafeVec<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> From<Vec<T>> for SafeVec<T> {
    fn from(elements: Vec<T>) -> Self {
        Self(elements)
    }
}

impl<T> SafeVec<T> {
    /// Returns the elements as a plain vector.
    pub(crate) fn into_vec(mut self) -> Vec<T> {
        std::mem::take(&mut self.0)
    }
}

impl<T> Deref for SafeVec<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for SafeVec<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T> Drop for SafeVec<T> {
    fn drop(&mut self) {
        for element in self.0.drain(..) {
            drop_safely(element);
        }
    }
}

impl<T> IntoIterator for SafeVec<T> {
    type Item = T;
    type IntoIter = SafeIntoIter<T>;

    fn into_iter(mut self) -> SafeIntoIter<T> {
        SafeIntoIter(std::mem::take(&mut self.0).into_iter())
    }
}

/// An iterator over a [`SafeVec`], which drops the rest one by one, too.
#[derive(Debug)]
pub(crate) struct SafeIntoIter<T>(vec::IntoIter<T>);

impl<T> Default for SafeIntoIter<T> {
    fn default() -> Self {
        Self(Vec::new().into_iter())
    }
}

impl<T> Iterator for SafeIntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> Drop for SafeIntoIter<T> {
    fn drop(&mut self) {
        for element in &mut self.0 {
            drop_safely(element);
        }
    }
}

/// A dropper of objects, one by one, that counts those whose `Drop` panicked. Clones share the
/// count.
#[derive(Clone, Debug, Default)]
pub(crate) struct SafeDropper(Arc<AtomicU64>);

impl SafeDropper {
    /// Returns the number of objects that panicked when they were dropped.
    pub(crate) fn faults(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Drops a value that contains at most one object. Call it without a lock.
    pub(crate) fn free<T>(&self, value: T) {
        if drop_safely(value) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Passes a reference to a call and drops the value afterwards, even if the call panics.
    pub(crate) fn call_with<T, R>(&self, value: T, call: impl FnOnce(&T) -> R) -> R {
        let called = catch_unwind(AssertUnwindSafe(|| call(&value)));
        self.free(value);
        called.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Drops an event's objects one by one.
    pub(crate) fn free_event<K: ?Sized>(&self, event: CachedEvent<K>) {
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
    pub(crate) fn free_all(&self, objects: impl IntoIterator<Item = Cached>) {
        objects.into_iter().for_each(|object| self.free(object));
    }
}

/// Collects the items of a user's iterator. Its `next` and its `Drop` may panic, even both.
pub(crate) fn collect<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut values = SafeDrop::new(values.into_iter());
    values.get_mut().map(|values| values.map(Into::into).collect()).unwrap_or_default()
}

/// Decodes an event for a call. Objects that were unpacked for the call are dropped one by one
/// after it.
pub(crate) fn call_decoded<K: Resource + Send + Sync + 'static>(
    event: &CachedEvent<K>,
    call: impl FnOnce(Event<K>),
) {
    let Some(read) = event.read() else { return };
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

    /// Returns the event. `None` after it was taken.
    pub(crate) fn get(&self) -> Option<&CachedEvent> {
        self.event.as_ref()
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
    fn every_element_is_dropped_although_all_panic() {
        let bombs = || SafeVec::from(vec![Bomb, Bomb, Bomb]);
        drop(bombs());
        let mut rest = bombs().into_iter();
        std::mem::forget(rest.next());
        drop(rest);
        let unwound = catch(|| {
            let _bombs = bombs();
            panic!("while they are held");
        });
        assert_eq!(unwound, Err::<(), _>("while they are held".into()));
    }

    #[test]
    fn lent_value_is_freed_after_a_call_that_panics() {
        let dropper = SafeDropper::default();
        let called = catch(|| dropper.call_with(Bomb, |_| panic!("the call")));
        assert_eq!(called, Err::<(), _>("the call".into()));
        assert_eq!(dropper.faults(), 1);
    }
}
