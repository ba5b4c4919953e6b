//! Updates that change nothing which matters.

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kube::Resource;
use kube_decode::content;
use serde::Serialize;
use serde_json::Value;

use super::cached::AnyObject;
use super::{Cached, CachedEvent, FieldSet};

/// The fields that say nothing about an object's content. An item of a list lacks the last two.
const NO_CONTENT: [&str; 4] =
    ["metadata.resourceVersion", "metadata.managedFields", "apiVersion", "kind"];

/// A filter of events that drops an update unless it changes the object's content: anything but
/// `metadata.resourceVersion`, `metadata.managedFields` and the fields with given paths.
///
/// Adds, deletes and updates by an object with another uid always pass. So does an update of which
/// a state can't be read. A resync never passes.
///
/// Two [packed](crate::storage) states in the same encoding are compared by their bytes, and not
/// decoded: O(size). Otherwise both are read and serialised. Then a field that the type's
/// `Serialize` leaves out does not count. Packed bytes do have such fields, and the fields that the
/// type does not know. Bytes also differ if the server wrote equal content in another order.
///
/// A handler of pods that ignores the heartbeat of their conditions:
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::object::ContentFilter;
/// use kube_informer::{InformerStopped, SharedInformer};
///
/// fn follow(pods: &SharedInformer<Pod>) -> Result<(), InformerStopped> {
///     let filter = ContentFilter::<Pod>::ignoring(&["status.conditions.lastProbeTime"]);
///     pods.on_cached_event(move |key, event| {
///         if filter.passes(&event) {
///             println!("{key} has changed");
///         }
///     })?;
///     Ok(())
/// }
/// ```
///
/// A controller has one with
/// [`ControllerBuilder::content_changed`](crate::controller::ControllerBuilder::content_changed).
pub struct ContentFilter<K: ?Sized = dyn AnyObject> {
    ignored: Arc<FieldSet>,
    /// Serialises a decoded object.
    serialise: fn(&dyn AnyObject) -> Option<Value>,
    kind: PhantomData<fn(&K)>,
}

impl<K: Resource + Serialize + Send + Sync + 'static> ContentFilter<K> {
    /// Creates the filter. It ignores the fields with these paths, too; [`FieldSet`] describes
    /// paths.
    #[must_use]
    pub fn ignoring(paths: &[&str]) -> Self {
        let ignored = FieldSet::from_paths(NO_CONTENT.iter().chain(paths));
        let serialise =
            |object: &dyn AnyObject| serde_json::to_value(object.downcast_ref::<K>()?).ok();
        Self { ignored: Arc::new(ignored), serialise, kind: PhantomData }
    }
}

impl<K: ?Sized> ContentFilter<K> {
    /// Returns whether an event passes.
    #[must_use]
    pub fn passes(&self, event: &CachedEvent<K>) -> bool {
        let CachedEvent::Updated { old, new } = event else { return true };
        if old.is_different_object(new) {
            return true;
        }
        let same = old.is_same_content(new, &self.ignored);
        let same = same.or_else(|| Some(self.value(old)? == self.value(new)?));
        !same.unwrap_or(false)
    }

    /// Returns the content of an object as a value. `None` if the object can't be read.
    fn value(&self, object: &Cached<K>) -> Option<Value> {
        let mut value = (self.serialise)(&*object.read(None)?)?;
        content::remove(&mut value, &self.ignored);
        Some(value)
    }

    /// Returns the same filter for objects of any type.
    pub(crate) fn erase(self) -> ContentFilter {
        ContentFilter { ignored: self.ignored, serialise: self.serialise, kind: PhantomData }
    }
}

impl<K: ?Sized> Clone for ContentFilter<K> {
    fn clone(&self) -> Self {
        let Self { ignored, serialise, kind } = self;
        Self { ignored: ignored.clone(), serialise: *serialise, kind: *kind }
    }
}

impl<K: ?Sized> fmt::Debug for ContentFilter<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContentFilter")
            .field("kind", &type_name::<K>())
            .field("ignored", &self.ignored)
            .finish_non_exhaustive()
    }
}
