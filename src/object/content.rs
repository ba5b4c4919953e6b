//! Updates that change nothing that matters.

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, LazyLock};

use kube::Resource;
use kube_decode::content;
use serde::Serialize;
use serde_json::Value;

use super::cached::AnyObject;
use super::{Cached, CachedEvent, FieldSet};

/// The fields that say nothing about an object's content. An item of a list lacks the last two.
const NO_CONTENT: [&str; 4] =
    ["metadata.resourceVersion", "metadata.managedFields", "apiVersion", "kind"];

/// The mark of a deletion.
static DELETION: LazyLock<FieldSet> =
    LazyLock::new(|| FieldSet::from_paths(["metadata.deletionTimestamp"]));

/// A filter of events that drops an update unless it changes the object's content: anything but
/// `metadata.resourceVersion`, `metadata.managedFields` and the fields with given paths.
///
/// Adds, deletes and updates by an object with another uid always pass. So do an update that marks
/// the object as deleted, whatever the paths, and one of which a state can't be read. A resync
/// never passes.
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
/// use kube_informer::informer::InformerStopped;
/// use kube_informer::SharedInformer;
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
pub struct ContentFilter<K: ?Sized = dyn AnyObject> {
    ignored: Arc<FieldSet>,
    /// True if a deletion's mark is among the ignored fields.
    ignores_deletion: bool,
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
        let ignores_deletion = ignored.clone().and(&DELETION) == ignored;
        Self { ignored: Arc::new(ignored), ignores_deletion, serialise, kind: PhantomData }
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
        let same = match old.is_same_content(new, &self.ignored) {
            Some(same) if !same || !self.ignores_deletion || old.ptr_eq(new) => Some(same),
            Some(_) => is_same_deletion(old, new),
            // A type may leave the mark out when it is serialised.
            None => self.is_same_value(old, new),
        };
        !same.unwrap_or(false)
    }

    fn is_same_value(&self, old: &Cached<K>, new: &Cached<K>) -> Option<bool> {
        Some(self.value(old)? == self.value(new)? && is_same_deletion(old, new)?)
    }

    /// Returns the content of an object as a value. `None` if the object can't be read.
    fn value(&self, object: &Cached<K>) -> Option<Value> {
        let mut value = (self.serialise)(&*object.read(None)?)?;
        content::remove(&mut value, &self.ignored);
        Some(value)
    }

    /// Returns the same filter for objects of any type.
    pub fn erase(self) -> ContentFilter {
        let Self { ignored, ignores_deletion, serialise, .. } = self;
        ContentFilter { ignored, ignores_deletion, serialise, kind: PhantomData }
    }
}

/// Returns whether two states are marked as deleted at the same time, or both are not marked.
/// `None` if one can't be read.
fn is_same_deletion<K: ?Sized>(old: &Cached<K>, new: &Cached<K>) -> Option<bool> {
    let (old, new) = (old.read(Some(&DELETION))?, new.read(Some(&DELETION))?);
    Some(old.meta()?.deletion_timestamp == new.meta()?.deletion_timestamp)
}

impl<K: ?Sized> Clone for ContentFilter<K> {
    fn clone(&self) -> Self {
        let Self { ignored, ignores_deletion, serialise, kind } = self;
        let (ignored, ignores_deletion) = (ignored.clone(), *ignores_deletion);
        Self { ignored, ignores_deletion, serialise: *serialise, kind: *kind }
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
