//! An object as the cache holds it: decoded, or packed.
//!
//! Every stage between the source and the user passes on a [`Cached`] and asks it only what it answers
//! without being unpacked: which object it is, in which state, under which labels. The object itself
//! is for the user's code, and is unpacked where that is called.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use kube::Resource;

use super::{FieldSet, IndexValues, ObjectState, ResourceVersion};

/// One state of one object. A cheap clone; all clones are the same object.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::Cached;
///
/// let pod = Arc::new(Pod::default());
/// let cached = Cached::from(pod.clone());
/// assert!(Arc::ptr_eq(&cached.get().unwrap(), &pod));
/// ```
pub struct Cached<K>(Repr<K>);

enum Repr<K> {
    /// Ready to be read.
    Decoded(Arc<K>),
    /// Small, and unpacked when it is read.
    Packed(Arc<dyn PackedObject<K>>),
}

/// An object that is kept small, with the answers that it gives without being unpacked.
///
/// It never changes: an answer that it gives once, it always gives.
pub trait PackedObject<K>: Send + Sync {
    /// The object. While somebody holds it, all who ask are given the same one.
    ///
    /// `None`: it can't be unpacked, which was reported.
    fn get(&self) -> Option<Arc<K>>;

    /// The object, for who looks at these fields alone: others may be left out of it. Unless implemented,
    /// none is.
    ///
    /// `None`: it can't be unpacked, which was reported.
    fn get_fields(&self, fields: &FieldSet) -> Option<Arc<K>> {
        let _ = fields;
        self.get()
    }

    /// `metadata.uid`.
    fn uid(&self) -> Option<&str>;

    /// `metadata.resourceVersion`.
    fn version(&self) -> Option<ResourceVersion>;

    /// `metadata.labels`.
    fn labels(&self) -> Option<&BTreeMap<String, String>>;

    /// Returns the index values that were noted when it was packed. Unless implemented there are none,
    /// and indexes ask the object.
    fn index_values(&self) -> Option<&IndexValues> {
        None
    }
}

impl<K> Cached<K> {
    /// Holds an object that was packed elsewhere.
    pub fn packed(object: Arc<dyn PackedObject<K>>) -> Self {
        Self(Repr::Packed(object))
    }

    /// Returns whether reading the object unpacks it.
    pub fn is_packed(&self) -> bool {
        matches!(self.0, Repr::Packed(_))
    }

    /// The object itself. O(1), or unpacks it: O(its size).
    ///
    /// `None`: it is packed and can't be unpacked, which was reported.
    pub fn get(&self) -> Option<Arc<K>> {
        match &self.0 {
            Repr::Decoded(object) => Some(object.clone()),
            Repr::Packed(packed) => packed.get(),
        }
    }

    /// The object, for who looks at these fields alone: others may be left out of it. O(1), or unpacks
    /// that much: of a pod a tenth of the whole.
    ///
    /// `None`: it is packed and can't be unpacked, which was reported.
    pub fn get_fields(&self, fields: &FieldSet) -> Option<Arc<K>> {
        match &self.0 {
            Repr::Decoded(object) => Some(object.clone()),
            Repr::Packed(packed) => packed.get_fields(fields),
        }
    }

    /// Whether both are clones of one another.
    pub fn is(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Decoded(a), Repr::Decoded(b)) => Arc::ptr_eq(a, b),
            (Repr::Packed(a), Repr::Packed(b)) => std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b)),
            _ => false,
        }
    }
}

impl<K> Cached<K> {
    /// The object for who looks at these fields alone; `None`: at any.
    pub(crate) fn read(&self, fields: Option<&FieldSet>) -> Option<Arc<K>> {
        match fields {
            Some(fields) => self.get_fields(fields),
            None => self.get(),
        }
    }

    /// Returns the index values that were noted, if any were.
    pub(crate) fn index_values(&self) -> Option<&IndexValues> {
        match &self.0 {
            Repr::Decoded(_) => None,
            Repr::Packed(packed) => packed.index_values(),
        }
    }
}

impl<K: Resource> Cached<K> {
    /// `metadata.uid`.
    pub fn uid(&self) -> Option<&str> {
        match &self.0 {
            Repr::Decoded(object) => object.meta().uid.as_deref(),
            Repr::Packed(packed) => packed.uid(),
        }
    }

    /// `metadata.resourceVersion`.
    pub fn version(&self) -> Option<ResourceVersion> {
        match &self.0 {
            Repr::Decoded(object) => object.meta().resource_version.as_deref().map(Into::into),
            Repr::Packed(packed) => packed.version(),
        }
    }

    /// `metadata.labels`.
    pub fn labels(&self) -> Option<&BTreeMap<String, String>> {
        match &self.0 {
            Repr::Decoded(object) => object.meta().labels.as_ref(),
            Repr::Packed(packed) => packed.labels(),
        }
    }

    /// Whether both are the very same state of the very same object, as far as the server says.
    pub(crate) fn is_same_state(&self, other: &Self) -> bool {
        let version = self.version();
        version.is_some() && version == other.version() && self.uid() == other.uid()
    }

    /// Whether this is the object in this state.
    pub(crate) fn is_in_state(&self, state: &ObjectState<'_>) -> bool {
        self.uid() == Some(state.uid) && self.version() == Some(state.version.into())
    }

    /// Whether these are two objects: one uid was never given to both.
    pub(crate) fn is_another(&self, other: &Self) -> bool {
        matches!((self.uid(), other.uid()), (Some(a), Some(b)) if a != b)
    }

    /// Whether this is an older state of the same object.
    pub(crate) fn is_older_than(&self, other: &Self) -> bool {
        !self.is_another(other)
            && match (self.version(), other.version()) {
                (Some(a), Some(b)) => a.is_older_than(&b),
                _ => false,
            }
    }
}

impl<K> From<Arc<K>> for Cached<K> {
    fn from(object: Arc<K>) -> Self {
        Self(Repr::Decoded(object))
    }
}

impl<K> From<&Arc<K>> for Cached<K> {
    fn from(object: &Arc<K>) -> Self {
        Self(Repr::Decoded(object.clone()))
    }
}

impl<K> From<&Cached<K>> for Cached<K> {
    fn from(object: &Cached<K>) -> Self {
        object.clone()
    }
}

// By hand: a derive would ask `K: Clone`, and objects are shared, never copied.
impl<K> Clone for Cached<K> {
    fn clone(&self) -> Self {
        match &self.0 {
            Repr::Decoded(object) => Self(Repr::Decoded(object.clone())),
            Repr::Packed(packed) => Self(Repr::Packed(packed.clone())),
        }
    }
}

impl<K: PartialEq> PartialEq for Cached<K> {
    fn eq(&self, other: &Self) -> bool {
        self.is(other) || self.get() == other.get()
    }
}

impl<K: Eq> Eq for Cached<K> {}

impl<K: fmt::Debug> fmt::Debug for Cached<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Decoded(object) => object.fmt(f),
            Repr::Packed(_) => f.write_str("Packed"),
        }
    }
}
