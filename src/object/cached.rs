//! An object as the cache holds it: decoded, or packed.
//!
//! Every stage between the source and the user's code passes on a [`Cached`]. A stage asks only for
//! what a packed object answers without being unpacked: uid, version and labels. The object itself
//! is unpacked only when user code needs it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use kube::Resource;

use super::{FieldSet, IndexValues, ObjectState, ResourceVersion, ShardKey, ring_hash};

/// One state of one object, decoded or packed.
///
/// Cloning is O(1). All clones share the same object.
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

/// The fields that decide on an object's place on the ring.
static PLACE_FIELDS: LazyLock<FieldSet> = LazyLock::new(|| {
    FieldSet::from_paths(["metadata.namespace", "metadata.uid", "metadata.ownerReferences"])
});

enum Repr<K> {
    /// An object that is ready to be read.
    Decoded(Arc<K>),
    /// A packed object, which each read unpacks if necessary.
    Packed(Arc<dyn PackedObject<K>>),
}

/// A packed object, and the metadata that it answers without being unpacked.
///
/// The object never changes: every call to the same method returns an equal answer.
///
/// An object that is kept as JSON. A [`Packer`](crate::lister_watcher::Packer::from_fn) makes it:
///
/// ```
/// use std::{collections::BTreeMap, sync::{Arc, Mutex, Weak}};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::ObjectMeta;
/// use kube_informer::{ResourceVersion, object::PackedObject};
///
/// struct Json {
///     text: Box<str>,
///     metadata: ObjectMeta,
///     unpacked: Mutex<Weak<ConfigMap>>,
/// }
///
/// impl PackedObject<ConfigMap> for Json {
///     fn get(&self) -> Option<Arc<ConfigMap>> {
///         let mut unpacked = self.unpacked.lock().ok()?;
///         if let Some(object) = unpacked.upgrade() {
///             return Some(object);
///         }
///         let object = serde_json::from_str(&self.text).inspect_err(|_| eprintln!("unreadable"));
///         let object = Arc::new(object.ok()?);
///         *unpacked = Arc::downgrade(&object);
///         Some(object)
///     }
///     fn uid(&self) -> Option<&str> {
///         self.metadata.uid.as_deref()
///     }
///     fn version(&self) -> Option<ResourceVersion> {
///         self.metadata.resource_version.as_deref().map(Into::into)
///     }
///     fn labels(&self) -> Option<&BTreeMap<String, String>> {
///         self.metadata.labels.as_ref()
///     }
/// }
/// ```
pub trait PackedObject<K>: Send + Sync {
    /// Returns the object. While any clone of the returned `Arc` is alive, every call returns the
    /// same `Arc`.
    ///
    /// Returns `None` if the object can't be unpacked. The implementation has reported that.
    fn get(&self) -> Option<Arc<K>>;

    /// Returns an object that has at least these fields; the others may be missing. The default
    /// implementation returns the whole object.
    ///
    /// Returns `None` if the object can't be unpacked. The implementation has reported that.
    fn get_fields(&self, fields: &FieldSet) -> Option<Arc<K>> {
        let _ = fields;
        self.get()
    }

    /// Returns `metadata.uid`.
    fn uid(&self) -> Option<&str>;

    /// Returns `metadata.resourceVersion`.
    fn version(&self) -> Option<ResourceVersion>;

    /// Returns `metadata.labels`.
    fn labels(&self) -> Option<&BTreeMap<String, String>>;

    /// Returns the index values that were extracted when the object was packed. The default
    /// implementation returns `None`: indexes then compute the values from the object.
    fn index_values(&self) -> Option<&IndexValues> {
        None
    }
}

impl<K> Cached<K> {
    /// Wraps an object that the caller packed.
    pub fn packed(object: Arc<dyn PackedObject<K>>) -> Self {
        Self(Repr::Packed(object))
    }

    /// Returns whether the object is packed.
    pub fn is_packed(&self) -> bool {
        matches!(self.0, Repr::Packed(_))
    }

    /// Returns the object. O(1) if the object is decoded; otherwise unpacks it, which takes O(its
    /// size).
    ///
    /// Returns `None` if the object is packed and can't be unpacked. That was reported in the log
    /// and in the storage's status.
    pub fn get(&self) -> Option<Arc<K>> {
        match &self.0 {
            Repr::Decoded(object) => Some(object.clone()),
            Repr::Packed(packed) => packed.get(),
        }
    }

    /// Returns an object that has at least these fields; the others may be missing. O(1) if the
    /// object is decoded; otherwise unpacks about as much as the fields take. For a pod that is
    /// often a tenth of the whole.
    ///
    /// Returns `None` if the object is packed and can't be unpacked. That was reported in the log
    /// and in the storage's status.
    pub fn get_fields(&self, fields: &FieldSet) -> Option<Arc<K>> {
        match &self.0 {
            Repr::Decoded(object) => Some(object.clone()),
            Repr::Packed(packed) => packed.get_fields(fields),
        }
    }

    /// Returns whether both are clones of one another, as [`Arc::ptr_eq`] does.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Decoded(a), Repr::Decoded(b)) => Arc::ptr_eq(a, b),
            (Repr::Packed(a), Repr::Packed(b)) => std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b)),
            _ => false,
        }
    }
}

impl<K> Cached<K> {
    /// Returns the object with at least these fields, or the whole object for `None`.
    pub(crate) fn read(&self, fields: Option<&FieldSet>) -> Option<Arc<K>> {
        match fields {
            Some(fields) => self.get_fields(fields),
            None => self.get(),
        }
    }

    /// Returns the index values that were extracted when the object was packed, if there are any.
    pub(crate) fn index_values(&self) -> Option<&IndexValues> {
        match &self.0 {
            Repr::Decoded(_) => None,
            Repr::Packed(packed) => packed.index_values(),
        }
    }
}

impl<K: Resource> Cached<K> {
    /// Returns `metadata.uid`.
    pub fn uid(&self) -> Option<&str> {
        match &self.0 {
            Repr::Decoded(object) => object.meta().uid.as_deref(),
            Repr::Packed(packed) => packed.uid(),
        }
    }

    /// Returns `metadata.resourceVersion`.
    pub fn version(&self) -> Option<ResourceVersion> {
        match &self.0 {
            Repr::Decoded(object) => object.meta().resource_version.as_deref().map(Into::into),
            Repr::Packed(packed) => packed.version(),
        }
    }

    /// Returns `metadata.labels`.
    pub fn labels(&self) -> Option<&BTreeMap<String, String>> {
        match &self.0 {
            Repr::Decoded(object) => object.meta().labels.as_ref(),
            Repr::Packed(packed) => packed.labels(),
        }
    }

    /// Returns the object's place on the ring. `None` if the object can't be unpacked, which was
    /// reported.
    pub(crate) fn place(&self, key: ShardKey) -> Option<u64> {
        match key {
            ShardKey::Uid => Some(ring_hash(self.uid().unwrap_or_default())),
            _ => Some(key.hash(self.get_fields(&PLACE_FIELDS)?.meta())),
        }
    }

    /// Returns whether uid and version are equal and the version is known: both are one state of
    /// one object.
    pub(crate) fn is_same_state(&self, other: &Self) -> bool {
        let version = self.version();
        version.is_some() && version == other.version() && self.uid() == other.uid()
    }

    /// Returns whether the object has the uid and the version of `state`.
    pub(crate) fn is_in_state(&self, state: &ObjectState<'_>) -> bool {
        self.uid() == Some(state.uid) && self.version() == Some(state.version.into())
    }

    /// Returns whether both uids are known and differ, so that these are two objects.
    pub(crate) fn is_different_object(&self, other: &Self) -> bool {
        matches!((self.uid(), other.uid()), (Some(a), Some(b)) if a != b)
    }

    /// Returns whether this is an older state of the same object.
    pub(crate) fn is_older_than(&self, other: &Self) -> bool {
        !self.is_different_object(other)
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

// Implemented by hand, because a derive would demand `K: Clone`. Objects are shared, never copied.
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
        self.ptr_eq(other) || self.get() == other.get()
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
