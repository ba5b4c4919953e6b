//! Questions about the objects that the store already holds.
//!
//! These questions go against the direction of the pipeline. A relist must find the objects that
//! were deleted, so it asks which keys are known. A relist should decode only what has changed, so
//! it asks which version of an object is known. A change needs the state before it, and packed
//! storage its heat. The store answers them only through this trait.

use super::{Cached, ObjectKey, ResourceVersion};

/// The objects of a collection that are known at one moment.
///
/// A custom store, with which a relist reports deletions and skips known states:
///
/// ```
/// use std::{collections::HashMap, sync::{Arc, RwLock}};
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::object::{KnownObjects, ObjectState};
/// use kube_informer::{Cached, ObjectKey, reflector::ReflectorOptions};
///
/// #[derive(Default)]
/// struct Store(RwLock<HashMap<ObjectKey, Cached>>);
///
/// impl KnownObjects for Store {
///     fn get(&self, key: &ObjectKey) -> Option<Cached> {
///         self.0.read().unwrap().get(key).cloned()
///     }
///     fn for_each(&self, visit: &mut dyn FnMut(&ObjectKey, &Cached)) {
///         self.0.read().unwrap().iter().for_each(|(key, pod)| visit(key, pod));
///     }
///     fn unchanged(&self, state: &ObjectState<'_>) -> Option<(ObjectKey, Cached)> {
///         let key = ObjectKey::from_parts(state.namespace, state.name).ok()?;
///         let pod = self.get(&key)?;
///         let same = pod.uid() == Some(state.uid) && pod.version() == Some(state.version.into());
///         same.then_some((key, pod))
///     }
/// }
///
/// let options = ReflectorOptions::<Pod>::new().known(Arc::new(Store::default()));
/// ```
pub trait KnownObjects: Send + Sync {
    /// Returns the object with this key, if it is known.
    fn get(&self, key: &ObjectKey) -> Option<Cached>;

    /// Calls `visit` once for each known object, in no particular order. All objects are as of one
    /// moment.
    fn for_each(&self, visit: &mut dyn FnMut(&ObjectKey, &Cached));

    /// Like [`for_each`](Self::for_each), but in chunks, so that the caller can yield to other
    /// tasks in between. An object that does not change meanwhile is visited once. The default
    /// implementation returns everything in one chunk.
    fn chunks(&self) -> KnownChunks<'_> {
        let mut whole = Some(self);
        Box::new(move |visit| whole.take().map(|known| known.for_each(visit)).is_some())
    }

    /// Returns the known object that has exactly this uid and version, with its key. Returns `None`
    /// if the server is known to have a newer state of it that could not be decoded.
    ///
    /// The caller need not decode an object that is returned. The default implementation always
    /// returns `None`.
    fn unchanged(&self, state: &ObjectState<'_>) -> Option<(ObjectKey, Cached)> {
        let _ = state;
        None
    }

    /// Returns whether changes up to this version of the collection may be missing, because they
    /// wait in a queue. The default implementation always returns false.
    fn is_behind(&self, version: &ResourceVersion) -> bool {
        let _ = version;
        false
    }
}

/// An iteration over the known objects, in chunks. Each call visits the objects of the next chunk,
/// and returns false if no chunk was left.
///
/// ```
/// use kube_informer::object::KnownObjects;
///
/// /// Counts objects without holding up the other tasks of the thread.
/// async fn count(pods: &dyn KnownObjects) -> usize {
///     let mut count = 0;
///     let mut visit_chunk = pods.chunks();
///     while visit_chunk(&mut |_, _| count += 1) {
///         tokio::task::yield_now().await;
///     }
///     count
/// }
/// ```
pub type KnownChunks<'a> = Box<dyn FnMut(&mut dyn FnMut(&ObjectKey, &Cached)) -> bool + Send + 'a>;

/// The identity and state of an object that is not decoded yet.
///
/// A uid belongs to one object for all time. A uid and a version together identify one state; the
/// same version under another uid is a state of another object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectState<'a> {
    /// The namespace, or `None` for a cluster-scoped object.
    pub namespace: Option<&'a str>,
    /// The name.
    pub name: &'a str,
    /// `metadata.uid`, never empty.
    pub uid: &'a str,
    /// `metadata.resourceVersion`, never empty.
    pub version: &'a str,
}
