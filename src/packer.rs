//! The conversion of a source's objects into [`Cached`] objects.
//!
//! A [`Packer`] lets the storage pack an object, with its index values. It decodes only as much of
//! an encoded object as its check, the indexes and a hot state need. The other stages only pass on
//! [`Cached`] objects.

use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

use kube::api::ObjectMeta;
use kube_decode::{DecodeError, stack};

use crate::object::{AnyObject, Cached, FieldSet, IndexValues, KnownObjects, ObjectKey};
use crate::panic::{catch, drop_safely};
use crate::storage::{Buffer, Keeper, PackError, Storage, View, WireObject};

/// The problem of an object whose metadata cannot be read.
pub(crate) const METADATA_PANICKED: &str = "reading its metadata panicked";

/// A converter of objects into [`Cached`] objects, decoded or packed.
///
/// Cloning is O(1).
///
/// An informer has its own. Public for tests alone.
#[derive(Clone)]
pub struct Packer(Mode);

#[derive(Clone)]
enum Mode {
    /// Keeps objects decoded.
    Decoded,
    /// Calls a function of a test.
    #[cfg(any(test, feature = "testing"))]
    Custom(Arc<dyn Fn(Cached) -> Cached + Send + Sync>),
    /// Lets a storage pack objects.
    Packed {
        keeper: Arc<dyn Keeper>,
        store: Option<Arc<dyn PackingStore>>,
        /// True if encoded objects were checked before.
        accepts: bool,
    },
}

/// The store that packed objects go to. Its indexes extract their values, and a new state is as hot
/// as the stored one.
pub(crate) trait PackingStore: IndexExtractor + KnownObjects {}

impl<S: IndexExtractor + KnownObjects> PackingStore for S {}

/// An extractor of the values that an object has in a store's indexes.
pub(crate) trait IndexExtractor: Send + Sync {
    /// Returns the values of an object, or `None` if each index computes them when the object is
    /// stored.
    fn values(&self, object: &dyn AnyObject, read: &ReadView<'_>) -> Option<IndexValues>;

    /// Returns the values of an object that `part` decodes: with at least the given fields, or
    /// whole for `None`.
    ///
    /// # Errors
    /// [`NotEnough`] if the object must be decoded whole. If that is known beforehand, `part` is
    /// not called.
    fn values_of_part(
        &self,
        part: &ReadPart<'_>,
        read: &ReadView<'_>,
    ) -> Result<Option<IndexValues>, NotEnough>;
}

/// A decoder of an object with at least these fields, or whole for `None`.
pub(crate) type ReadPart<'a> = dyn Fn(Option<&FieldSet>) -> Option<Arc<dyn AnyObject>> + 'a;

/// A decoder of an object as the type of a view. `None` if the view can't read it.
pub(crate) type ReadView<'a> = dyn Fn(&Arc<View>) -> Option<Arc<dyn AnyObject>> + 'a;

/// The object must be decoded whole: an index may read any field, or the part that indexes read
/// can't be decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotEnough;

impl Packer {
    /// Makes a packer that keeps objects decoded.
    pub(crate) fn decoded() -> Self {
        Self(Mode::Decoded)
    }

    /// Makes a packer that calls this function for each decoded object.
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    pub fn from_fn(pack: impl Fn(Cached) -> Cached + Send + Sync + 'static) -> Self {
        Self(Mode::Custom(Arc::new(pack)))
    }

    /// Makes a packer that lets `keeper` pack objects for `store`.
    pub(crate) fn new(keeper: Arc<dyn Keeper>, store: Arc<dyn PackingStore>) -> Self {
        Self(Mode::Packed { keeper, store: Some(store), accepts: false })
    }

    /// Makes a packer that lets `keeper` pack objects.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn keeping(keeper: Arc<dyn Keeper>) -> Self {
        Self(Mode::Packed { keeper, store: None, accepts: false })
    }

    /// Returns the same packer for encoded objects that a decoder like theirs has accepted before.
    pub(crate) fn accepting(&self) -> Self {
        let mut mode = self.0.clone();
        if let Mode::Packed { accepts, .. } = &mut mode {
            *accepts = true;
        }
        Self(mode)
    }

    /// Returns whether objects are kept in another way than decoded.
    pub(crate) fn packs(&self) -> bool {
        !matches!(self.0, Mode::Decoded)
    }

    /// Returns whether packed objects are known to be decodable.
    pub(crate) fn checks(&self) -> bool {
        matches!(&self.0, Mode::Packed { keeper, .. } if keeper.checks())
    }

    /// Makes the [`Cached`] object of a test's object.
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    pub fn pack<K: kube::Resource + Send + Sync + 'static>(&self, object: K) -> Cached<K> {
        self.pack_any(Cached::any(Arc::new(object))).cast()
    }

    /// Makes the [`Cached`] object of a decoded object that nothing else holds. O(1) if it is kept
    /// decoded, O(its size) if it is packed.
    pub(crate) fn pack_any(&self, object: Cached) -> Cached {
        match &self.0 {
            Mode::Decoded => object,
            #[cfg(any(test, feature = "testing"))]
            Mode::Custom(pack) => pack(object),
            Mode::Packed { keeper, store, .. } => {
                let (digest, object) = (object.digest(), object.into_any());
                let read = |view: &Arc<View>| view.convert(object.clone());
                let values = values(store.as_ref(), &*object, &read);
                keeper.pack(object, values).with_digest(digest)
            }
        }
    }
}

impl Packer {
    /// Makes the key and the [`Cached`] object of an encoded object. Decodes only as much as
    /// necessary.
    pub(crate) fn pack_wire(
        &self,
        wire: &WireObject<'_>,
    ) -> Result<(ObjectKey, Cached), DecodeError> {
        let Mode::Packed { keeper, store, accepts } = &self.0 else {
            let (key, object) = decode(wire)?;
            return Ok((key, self.pack_any(Cached::any(object))));
        };
        let arrived = wire;
        let bare = if keeper.packs() { keeper.bare(wire) } else { None };
        let bytes = bare.as_ref().map_or(wire.bytes, Buffer::as_slice);
        let wire = &WireObject { bytes, codec: wire.codec };
        if keeper.packs()
            && let Some(packed) = pack_undecoded(&**keeper, store.as_ref(), wire, *accepts)?
        {
            return Ok(packed);
        }
        // Decode as a read does, so that no read finds a fault that was missed here.
        let (decoded, is_deep) = stack::measured(|| decode(wire));
        let (key, object) = match decoded {
            Ok(decoded) => decoded,
            // Places in the error are those of the bytes that came.
            Err(error) => {
                return Err(match bare.map(|_| decode(arrived)) {
                    Some(Err(error)) => error,
                    Some(Ok((_, object))) => {
                        drop_safely(object);
                        error
                    }
                    None => error,
                });
            }
        };
        if is_deep {
            return Ok((key, keeper.keep_decoded(object, PackError::TooDeep)));
        }
        let read = |view: &Arc<View>| view.decode(wire.codec, wire.bytes).ok();
        let values = values(store.as_ref(), &*object, &read);
        let heat = heat(&**keeper, store.as_ref(), &key);
        Ok((key, keeper.pack_wire(wire, object, values, heat)))
    }
}

/// Decodes an object, and returns it with its key.
fn decode(wire: &WireObject<'_>) -> Result<(ObjectKey, Arc<dyn AnyObject>), DecodeError> {
    let object = wire.codec.decode(wire.bytes)?;
    // The metadata's getter is user code.
    let key = catch(|| ObjectKey::of_any(&*object)).map_err(|_| METADATA_PANICKED.to_owned());
    match key.and_then(|key| key.map_err(|invalid| invalid.to_string())) {
        Ok(key) => Ok((key, object)),
        Err(problem) => {
            drop_safely(object);
            Err(DecodeError::new(problem))
        }
    }
}

fn values(
    store: Option<&Arc<dyn PackingStore>>,
    object: &dyn AnyObject,
    read: &ReadView<'_>,
) -> Option<IndexValues> {
    store.and_then(|store| store.values(object, read))
}

/// Returns the heat of the next state of this object. `None` if the store does not have the object.
fn heat(keeper: &dyn Keeper, store: Option<&Arc<dyn PackingStore>>, key: &ObjectKey) -> Option<u8> {
    Some(keeper.heat_of_next(&store?.get(key)?))
}

/// Packs an object and decodes only its metadata and the fields that indexes read. Returns `None`
/// if it must be decoded whole.
fn pack_undecoded(
    keeper: &dyn Keeper,
    store: Option<&Arc<dyn PackingStore>>,
    wire: &WireObject<'_>,
    accepted: bool,
) -> Result<Option<(ObjectKey, Cached)>, DecodeError> {
    let head = OnceCell::new();
    let head = || head.get_or_init(|| read_head(keeper, store, wire, accepted));
    let part = |fields: Option<&_>| {
        head().as_ref().ok()?.as_ref()?;
        wire.codec.decode_fields(wire.bytes, fields).ok()
    };
    let read = |view: &Arc<View>| {
        head().as_ref().ok()?.as_ref()?;
        view.decode(wire.codec, wire.bytes).ok()
    };
    // The head is not read if an index needs the whole object.
    let values = match store.map(|store| store.values_of_part(&part, &read)) {
        None => None,
        Some(Ok(values)) => values,
        Some(Err(NotEnough)) => return Ok(None),
    };
    let Some(Head { key, meta, replaces }) = head().as_ref().map_err(Clone::clone)? else {
        return Ok(None);
    };
    Ok(keeper.pack_undecoded(wire, meta, values, *replaces).map(|packed| (key.clone(), packed)))
}

/// The parts that are read of an object that is not decoded.
struct Head {
    key: ObjectKey,
    meta: ObjectMeta,
    /// True if the store has a state of the object.
    replaces: bool,
}

/// Returns the head of an object that needs no decoding. `None` if it must be decoded: for a check,
/// or because this state is to be hot.
fn read_head(
    keeper: &dyn Keeper,
    store: Option<&Arc<dyn PackingStore>>,
    wire: &WireObject<'_>,
    accepted: bool,
) -> Result<Option<Head>, DecodeError> {
    let key = |namespace: Option<&str>, name: &str| ObjectKey::from_parts(namespace, name).ok();
    if !keeper.checks() {
        let meta = wire.codec.decode_head(wire.bytes)?;
        let key = key(meta.namespace.as_deref(), meta.name.as_deref().unwrap_or_default());
        return Ok(key.map(|key| Head { key, meta, replaces: false }));
    }
    let mut found = None;
    let checked = wire.codec.check(wire.bytes, accepted, &mut |namespace, name| {
        let Some(key) = key(namespace, name) else { return false };
        let heat = heat(keeper, store, &key);
        let cold = heat.is_none_or(|heat| heat == 0);
        found = cold.then(|| (key, heat.is_some()));
        cold
    });
    let head = |((key, replaces), meta)| Head { key, meta, replaces };
    Ok(found.zip(checked).map(head))
}

impl<K: ?Sized> Storage<K> {
    /// Makes a packer for tests of a source or a reflector without an informer. Log messages name
    /// the objects as `resource`.
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    pub fn packer(&self, resource: impl Into<Arc<str>>) -> Packer {
        match self.keeper(&resource.into(), crate::panic::SafeDropper::default()) {
            Some(keeper) => Packer::keeping(keeper),
            None => Packer::decoded(),
        }
    }
}

impl fmt::Debug for Packer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packer").field("packs", &self.packs()).finish()
    }
}
