//! The last state that was reported to an event's reader.
//!
//! An object that can't be unpacked, or read as the type of a view, is not reported to a reader of
//! decoded objects. The next event then has an old or final state that its reader never saw. So the
//! object of such an event carries the state that the reader saw last.

use std::sync::Arc;

use kube::api::ObjectMeta;
use serde_json::Value;

use super::cached::{Form, PackedObject, answers_of_wrapped};
use super::{AnyObject, Cached, FieldSet, Projection};
use crate::panic::caught::drop_safely;

/// An object of an event, and the last state that was reported to the event's reader, if any.
#[allow(missing_debug_implementations, reason = "an object may hold a Secret's contents")]
pub struct Told {
    object: Cached,
    /// The last state that was reported to the reader. `None` if there was none.
    pub(super) last: Option<Cached>,
}

impl<K: ?Sized> Cached<K> {
    /// Returns the same object for an event after `last`, or no state at all, was reported to the
    /// reader. That matters for a decoded object, too, because a view may be unable to read it.
    pub(crate) fn after(&self, last: Option<&Cached<K>>) -> Self {
        if last.is_some_and(|last| last.ptr_eq(self)) {
            return self.clone();
        }
        let (object, last) = (self.clone().cast(), last.map(|last| last.clone().cast()));
        Cached::any(Arc::new(Told { object, last })).cast()
    }
}

impl Told {
    /// Returns the same with other objects.
    pub(crate) fn map(&self, show: impl Fn(&Cached) -> Cached) -> Cached {
        let (object, last) = (show(&self.object), self.last.as_ref().map(&show));
        Cached::any(Arc::new(Self { object, last }))
    }
}

/// Each of both may own the last reference to an object, whose `Drop` is user code that may panic.
impl Drop for Told {
    fn drop(&mut self) {
        drop_safely(self.last.take());
    }
}

impl AnyObject for Told {
    fn form(&self) -> Form<'_> {
        Form::Packed(self)
    }

    fn meta_mut(&mut self) -> Option<&mut ObjectMeta> {
        None
    }
}

impl PackedObject for Told {
    answers_of_wrapped!();

    fn get(&self) -> Option<Arc<dyn AnyObject>> {
        self.object.read(None)
    }

    fn get_fields(&self, fields: &FieldSet) -> Option<Arc<dyn AnyObject>> {
        self.object.read(Some(fields))
    }

    fn project(&self, part: Projection<'_>) -> Option<Value> {
        self.object.projected(part)
    }

    fn is_unreadable(&self) -> bool {
        self.object.is_unreadable()
    }

    fn told(&self) -> Option<&Told> {
        Some(self)
    }
}
