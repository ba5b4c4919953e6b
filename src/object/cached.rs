//! An object as the cache holds it: of any type, decoded or packed.
//!
//! Every stage between the source and the user's code passes on a [`Cached`]. A stage asks only for
//! uid, version and labels, which a packed object has without being unpacked. The object itself is
//! unpacked only when user code needs it.
//!
//! Stages do not know an object's type: they handle `Cached`, which is `Cached<dyn AnyObject>`. So
//! each stage is compiled once, for all kinds of objects. `Cached<K>` is the same value with a
//! type, for user code. Converting one into the other costs nothing.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kube::Resource;
use kube::api::ObjectMeta;
use serde_json::Value;

use super::projection::Projection;
use super::told::Told;
use super::{Digest, FieldSet, IndexValues, InvalidKey, ObjectKey, ObjectState, ResourceVersion};

/// An object of any type. Every resource that threads can share is one.
///
/// Values of the pipeline have a type parameter, such as [`Cached<K>`](Cached). Without it they
/// hold objects of any type.
pub trait AnyObject: Any + Send + Sync {
    /// Returns the form of the object.
    #[doc(hidden)]
    fn form(&self) -> Form<'_>;

    /// Returns the metadata of a decoded object, for changes.
    #[doc(hidden)]
    fn meta_mut(&mut self) -> Option<&mut ObjectMeta>;
}

/// The form of an object, with its metadata.
#[allow(missing_debug_implementations, reason = "an object may hold a Secret's contents")]
pub enum Form<'a> {
    /// The object itself.
    Decoded(&'a ObjectMeta),
    /// A packed object, which each read unpacks if necessary.
    Packed(&'a dyn PackedObject),
}

impl<K: Resource + Send + Sync + 'static> AnyObject for K {
    fn form(&self) -> Form<'_> {
        Form::Decoded(self.meta())
    }

    fn meta_mut(&mut self) -> Option<&mut ObjectMeta> {
        Some(Resource::meta_mut(self))
    }
}

impl dyn AnyObject {
    /// Returns the object, if it is decoded and of this type.
    pub(crate) fn downcast_ref<K: 'static>(&self) -> Option<&K> {
        (self as &dyn Any).downcast_ref()
    }

    /// Returns the object for changes, if it is decoded and of this type.
    pub(crate) fn downcast_mut<K: 'static>(&mut self) -> Option<&mut K> {
        (self as &mut dyn Any).downcast_mut()
    }

    /// Returns the metadata of a decoded object. `None` for a packed one.
    pub fn meta(&self) -> Option<&ObjectMeta> {
        match self.form() {
            Form::Decoded(meta) => Some(meta),
            Form::Packed(_) => None,
        }
    }
}

/// Returns the object, if it is decoded and of this type.
#[inline]
pub(crate) fn downcast<K: Send + Sync + 'static>(object: Arc<dyn AnyObject>) -> Option<Arc<K>> {
    (object as Arc<dyn Any + Send + Sync>).downcast().ok()
}

/// A read that does not show that an object is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassingRead {
    /// A handler's initial add. A second one counts as any other read.
    InitialAdd,
    /// An index function, which looks at each object once.
    Index,
}

/// A packed object, and the metadata that it answers without being unpacked.
///
/// The object never changes: every call to the same method returns an equal answer.
pub trait PackedObject: Send + Sync {
    /// Returns the object. While any clone of the returned `Arc` is alive, every call returns the
    /// same `Arc`.
    ///
    /// Returns `None` if the object can't be unpacked. The implementation has reported that.
    fn get(&self) -> Option<Arc<dyn AnyObject>>;

    /// Returns the object like [`get`](Self::get), for a read that does not show that the object is
    /// in use.
    fn get_for(&self, read: PassingRead) -> Option<Arc<dyn AnyObject>> {
        let _ = read;
        self.get()
    }

    /// Returns an object that has at least these fields; the others may be missing.
    ///
    /// Returns `None` if the object can't be unpacked. The implementation has reported that.
    fn get_fields(&self, fields: &FieldSet) -> Option<Arc<dyn AnyObject>> {
        let _ = fields;
        self.get()
    }

    /// Calls a function with the object's content, for comparison: its bytes without these fields,
    /// and whether they are protobuf. Makes no call if it can't leave out the fields.
    fn with_content(&self, without: &FieldSet, call: &mut dyn FnMut(bool, &[u8])) {
        let _ = (without, call);
    }

    /// Calls a function with the object as the server sent it: a number for the form, and the
    /// bytes. Makes no call if there are no such bytes, or if they must not be written.
    fn with_wire(&self, call: &mut dyn FnMut(u64, &[u8])) {
        let _ = call;
    }

    /// Returns a part of the object as JSON: null if it lacks that part or can't be unpacked.
    /// `None` if the object has no bytes of its own.
    fn project(&self, part: Projection<'_>) -> Option<Value> {
        let _ = part;
        None
    }

    /// Returns `metadata.uid`.
    fn uid(&self) -> Option<&str>;

    /// Returns `metadata.resourceVersion`.
    fn version(&self) -> Option<ResourceVersion>;

    /// Returns `metadata.labels`.
    fn labels(&self) -> Option<&BTreeMap<String, String>>;

    /// Returns the index values that were extracted when the object was packed, if there are any.
    fn index_values(&self) -> Option<&IndexValues> {
        None
    }

    /// Returns the number of sweeps for which the object stays unpacked. Zero if it is not held.
    fn heat(&self) -> u8 {
        0
    }

    /// Returns whether the last attempt to unpack the object failed.
    fn is_unreadable(&self) -> bool {
        false
    }

    /// Returns the object with the last state that was reported to the reader of its event, if that
    /// is known.
    fn told(&self) -> Option<&Told> {
        None
    }

    /// Returns the object of the cache that this one shows as another type, if it does so.
    fn shown(&self) -> Option<&Cached> {
        None
    }
}

/// The answers of a packed object that are those of its field `object`, which it shows in another
/// way.
macro_rules! answers_of_wrapped {
    () => {
        fn with_content(
            &self,
            without: &$crate::object::FieldSet,
            call: &mut dyn FnMut(bool, &[u8]),
        ) {
            self.object.with_content(without, call);
        }

        fn uid(&self) -> Option<&str> {
            self.object.uid()
        }

        fn version(&self) -> Option<$crate::object::ResourceVersion> {
            self.object.version()
        }

        fn labels(&self) -> Option<&std::collections::BTreeMap<String, String>> {
            self.object.labels()
        }

        fn index_values(&self) -> Option<&$crate::object::IndexValues> {
            self.object.index_values()
        }
    };
}
pub(crate) use answers_of_wrapped;

/// One state of one object, decoded or packed. Without a type parameter, an object of any type.
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
pub struct Cached<K: ?Sized = dyn AnyObject> {
    object: Arc<dyn AnyObject>,
    /// The digest of the encoded form. `None` if the source has none.
    digest: Option<Digest>,
    kind: PhantomData<K>,
}

impl<K: Resource + Send + Sync + 'static> Cached<K> {
    /// Returns the object. O(1) if the object is decoded; otherwise unpacks it, which takes O(its
    /// size).
    ///
    /// Returns `None` if the object is packed and can't be unpacked. The log and the storage's
    /// status report that.
    pub fn get(&self) -> Option<Arc<K>> {
        self.get_as()
    }
}

impl Cached {
    /// Returns the object, if it is decoded, of this type, and nothing else holds it.
    pub(crate) fn into_inner<K: Send + Sync + 'static>(self) -> Option<K> {
        Arc::into_inner(downcast(self.object)?)
    }

    /// Returns the object as it is kept.
    pub(crate) fn into_any(self) -> Arc<dyn AnyObject> {
        self.object
    }

    /// Returns the object as it is kept, if it is of this type.
    pub(crate) fn downcast_ref<T: 'static>(&self) -> Option<&T> {
        self.object.downcast_ref()
    }

    /// Returns the key of a decoded object.
    pub(crate) fn key(&self) -> Result<ObjectKey, InvalidKey> {
        ObjectKey::of_any(&*self.object)
    }

    /// Wraps an object of any type, which may be packed.
    #[doc(hidden)]
    pub fn any(object: Arc<dyn AnyObject>) -> Self {
        Self { object, digest: None, kind: PhantomData }
    }

    /// Returns the same object with the digest of its encoded form.
    pub(crate) fn with_digest(self, digest: Option<Digest>) -> Self {
        Self { digest, ..self }
    }

    /// Returns the digest of the encoded form, if the source has one.
    pub(crate) fn digest(&self) -> Option<Digest> {
        self.digest
    }

    /// Returns the only reference to a decoded object, for changes. `None` if it is shared.
    pub(crate) fn get_mut(&mut self) -> Option<&mut dyn AnyObject> {
        Arc::get_mut(&mut self.object)
    }
}

impl<K: ?Sized> Cached<K> {
    /// Returns whether the object is packed.
    pub fn is_packed(&self) -> bool {
        self.packed().is_some()
    }

    /// Returns whether both are clones of one another, as [`Arc::ptr_eq`] does.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        let same = |a: &Arc<dyn AnyObject>, b| std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b));
        same(&self.object, &other.object) || same(self.shown(), other.shown())
    }

    /// Returns the object that this one shows as another type, or itself.
    fn shown(&self) -> &Arc<dyn AnyObject> {
        self.packed().and_then(PackedObject::shown).map_or(&self.object, |shown| &shown.object)
    }

    /// Returns `metadata.uid`.
    pub fn uid(&self) -> Option<&str> {
        match self.object.form() {
            Form::Decoded(meta) => meta.uid.as_deref(),
            Form::Packed(packed) => packed.uid(),
        }
    }

    /// Returns `metadata.resourceVersion`.
    pub fn version(&self) -> Option<ResourceVersion> {
        match self.object.form() {
            Form::Decoded(meta) => {
                let version = meta.resource_version.as_deref().filter(|text| !text.is_empty());
                version.map(Into::into)
            }
            Form::Packed(packed) => packed.version(),
        }
    }

    /// Returns `metadata.labels`.
    pub fn labels(&self) -> Option<&BTreeMap<String, String>> {
        match self.object.form() {
            Form::Decoded(meta) => meta.labels.as_ref(),
            Form::Packed(packed) => packed.labels(),
        }
    }

    /// Returns the same object with another type: from a type to any, or from any to its own.
    pub(crate) fn cast<L: ?Sized>(self) -> Cached<L> {
        Cached { object: self.object, digest: self.digest, kind: PhantomData }
    }

    /// Returns the object, if it is of this type. Unpacks it if necessary, as
    /// [`get`](Cached::get) does.
    #[inline]
    pub fn get_as<L: Send + Sync + 'static>(&self) -> Option<Arc<L>> {
        if let Some(object) = self.decoded_as() {
            return Some(object);
        }
        downcast(self.packed()?.get()?)
    }

    /// Returns the object, if it is decoded and of this type.
    #[inline]
    pub(crate) fn decoded_as<L: Send + Sync + 'static>(&self) -> Option<Arc<L>> {
        downcast(self.object.clone())
    }

    /// Returns whether the object is packed, and the last attempt to unpack it failed.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.packed().is_some_and(PackedObject::is_unreadable)
    }

    /// Returns the object with the last state that was reported to the reader of its event, if that
    /// is known.
    pub(crate) fn told(&self) -> Option<&Told> {
        self.packed()?.told()
    }

    /// Calls a function with the object's content. See [`PackedObject::with_content`].
    pub(crate) fn with_content(&self, without: &FieldSet, call: &mut dyn FnMut(bool, &[u8])) {
        if let Some(packed) = self.packed() {
            packed.with_content(without, call);
        }
    }

    pub(super) fn packed(&self) -> Option<&dyn PackedObject> {
        match self.object.form() {
            Form::Decoded(_) => None,
            Form::Packed(packed) => Some(packed),
        }
    }

    /// Returns the object with at least these fields, or the whole object for `None`.
    #[doc(hidden)]
    pub fn read(&self, fields: Option<&FieldSet>) -> Option<Arc<dyn AnyObject>> {
        match (self.packed(), fields) {
            (None, _) => Some(self.object.clone()),
            (Some(packed), Some(fields)) => packed.get_fields(fields),
            (Some(packed), None) => packed.get(),
        }
    }

    /// Returns the object like [`read`](Self::read), for a read that does not show that it is in
    /// use.
    pub(crate) fn read_for(
        &self,
        read: PassingRead,
        fields: Option<&FieldSet>,
    ) -> Option<Arc<dyn AnyObject>> {
        match (self.packed(), fields) {
            (Some(packed), None) => packed.get_for(read),
            _ => self.read(fields),
        }
    }

    /// Calls a function with the object as the server sent it, if it is kept so.
    pub(crate) fn with_wire(&self, call: &mut dyn FnMut(u64, &[u8])) {
        if let Some(packed) = self.packed() {
            packed.with_wire(call);
        }
    }

    /// Returns the number of storage sweeps for which a packed object stays unpacked.
    pub(crate) fn heat(&self) -> u8 {
        self.packed().map_or(0, PackedObject::heat)
    }

    /// Returns the index values that were extracted when the object was packed, if there are any.
    pub(crate) fn index_values(&self) -> Option<&IndexValues> {
        self.packed()?.index_values()
    }

    /// Returns whether both are known to be one state of one object. Equal versions alone do not
    /// prove that: a lost history, another conversion or a custom source may reuse a version for
    /// other contents.
    pub fn is_same_state(&self, other: &Self) -> bool {
        let same_bytes = self.digest.is_some() && self.digest == other.digest;
        self.ptr_eq(other) || same_bytes && self.version() == other.version()
    }

    /// Returns whether both have the same bytes except for these fields. `None` unless both are
    /// packed in the same encoding.
    pub(super) fn is_same_content(&self, other: &Self, without: &FieldSet) -> Option<bool> {
        if self.ptr_eq(other) {
            return Some(true);
        }
        let (this, other) = self.packed().zip(other.packed())?;
        let mut same = None;
        this.with_content(without, &mut |this_encoding, this| {
            other.with_content(without, &mut |encoding, other| {
                same = (this_encoding == encoding).then(|| this == other);
            });
        });
        same
    }

    /// Returns whether the object has the uid and the version of `state`.
    pub(crate) fn is_in_state(&self, state: &ObjectState<'_>) -> bool {
        self.uid() == Some(state.uid) && self.version() == Some(state.version.into())
    }

    /// Returns whether both uids are known and differ, so that these are two objects.
    pub(crate) fn is_different_object(&self, other: &Self) -> bool {
        matches!((self.uid(), other.uid()), (Some(a), Some(b)) if a != b)
    }
}

impl<K: Resource + Send + Sync + 'static> From<Arc<K>> for Cached<K> {
    fn from(object: Arc<K>) -> Self {
        Cached::any(object).cast()
    }
}

impl<K: Resource + Send + Sync + 'static> From<Cached<K>> for Cached {
    fn from(object: Cached<K>) -> Self {
        object.cast()
    }
}

impl<K: Resource + Send + Sync + 'static> From<&Arc<K>> for Cached<K> {
    fn from(object: &Arc<K>) -> Self {
        object.clone().into()
    }
}

impl<K: ?Sized> From<&Cached<K>> for Cached<K> {
    fn from(object: &Cached<K>) -> Self {
        object.clone()
    }
}

// Implemented by hand, because a derive would demand `K: Clone`. Objects are shared, never copied.
impl<K: ?Sized> Clone for Cached<K> {
    fn clone(&self) -> Self {
        Self { object: self.object.clone(), digest: self.digest, kind: PhantomData }
    }
}

impl<K: Resource + PartialEq + Send + Sync + 'static> PartialEq for Cached<K> {
    fn eq(&self, other: &Self) -> bool {
        self.ptr_eq(other) || self.get() == other.get()
    }
}

impl<K: Resource + Eq + Send + Sync + 'static> Eq for Cached<K> {}

impl<K: ?Sized> fmt::Debug for Cached<K> {
    /// Shows uid and version, not the object's contents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cached")
            .field("uid", &self.uid())
            .field("version", &self.version())
            .finish_non_exhaustive()
    }
}

/// A packed object of a test's own kind.
#[cfg(any(test, feature = "testing"))]
struct Wrapped(Arc<dyn PackedObject>);

#[cfg(any(test, feature = "testing"))]
impl AnyObject for Wrapped {
    fn form(&self) -> Form<'_> {
        Form::Packed(&*self.0)
    }

    fn meta_mut(&mut self) -> Option<&mut ObjectMeta> {
        None
    }
}

#[cfg(any(test, feature = "testing"))]
impl<K: ?Sized> Cached<K> {
    /// Wraps an object that a test packed.
    #[doc(hidden)]
    pub fn packed_as(object: Arc<dyn PackedObject>) -> Self {
        Cached::any(Arc::new(Wrapped(object))).cast()
    }
}
