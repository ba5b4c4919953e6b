//! The conversion of a source's objects into [`Cached`] objects.
//!
//! A [`Packer`] extracts an object's index values while it is decoded, and lets the storage pack
//! it. So the other stages know of neither: they pass on [`Cached`] objects.

use std::fmt;
use std::sync::Arc;

use kube::Resource;
use kube_decode::DecodeError;

use crate::metrics::MetricLabels;
use crate::object::{Cached, IndexExtractor, IndexValues, NotEnough, ObjectKey};
use crate::storage::{Keeper, Storage, WireObject};

/// A converter of objects into [`Cached`] objects, decoded or packed.
///
/// Cloning is O(1).
///
/// An informer has its own. A reflector that is used without an informer takes one from a
/// [`Storage`]:
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::Storage;
/// use kube_informer::reflector::ReflectorOptions;
///
/// let options = ReflectorOptions::<Pod>::new().packer(Storage::decoded().packer("pods"));
/// ```
pub struct Packer<K>(Mode<K>);

enum Mode<K> {
    /// Keeps objects decoded.
    Decoded,
    /// Calls a function of the user.
    Custom(Arc<dyn Fn(K) -> Cached<K> + Send + Sync>),
    /// Lets a storage pack objects.
    Packed { keeper: Arc<dyn Keeper<K>>, indexes: Option<Arc<dyn IndexExtractor<K>>> },
}

impl<K> Packer<K> {
    /// Makes a packer that keeps objects decoded.
    pub fn decoded() -> Self {
        Self(Mode::Decoded)
    }

    /// Makes a packer that calls this function for each object. The function runs on any thread,
    /// and on several at a time.
    pub fn from_fn(pack: impl Fn(K) -> Cached<K> + Send + Sync + 'static) -> Self {
        Self(Mode::Custom(Arc::new(pack)))
    }

    /// Makes a packer that lets `keeper` pack objects, with the values that `indexes` extracts.
    pub(crate) fn new(keeper: Arc<dyn Keeper<K>>, indexes: Arc<dyn IndexExtractor<K>>) -> Self {
        Self(Mode::Packed { keeper, indexes: Some(indexes) })
    }

    /// Returns whether objects are kept in another way than decoded.
    pub(crate) fn packs(&self) -> bool {
        !matches!(self.0, Mode::Decoded)
    }

    /// Makes the [`Cached`] object. O(1) if it is kept decoded, O(its size) if it is packed.
    pub fn pack(&self, object: K) -> Cached<K> {
        match &self.0 {
            Mode::Decoded => Arc::new(object).into(),
            Mode::Custom(pack) => pack(object),
            Mode::Packed { keeper, indexes } => {
                let values = values(indexes.as_ref(), &object);
                keeper.pack(object, values)
            }
        }
    }
}

impl<K: Resource + 'static> Packer<K> {
    /// Makes the key and the [`Cached`] object of one that comes as bytes. Decodes only as much as
    /// necessary.
    pub(crate) fn pack_wire(
        &self,
        wire: &WireObject<'_, K>,
    ) -> Result<(ObjectKey, Cached<K>), DecodeError> {
        let key = |object: &K| {
            ObjectKey::of(object).map_err(|invalid| DecodeError::new(invalid.to_string()))
        };
        let Mode::Packed { keeper, indexes } = &self.0 else {
            let object = wire.codec.decode(wire.bytes)?;
            return Ok((key(&object)?, self.pack(object)));
        };
        if keeper.packs_undecoded()
            && let Some(packed) = pack_undecoded(&**keeper, indexes.as_ref(), wire)?
        {
            return Ok(packed);
        }
        let (object, whole) = wire.codec.decode_lightly(wire.bytes)?;
        let key = key(&object)?;
        let values = values(indexes.as_ref(), &object);
        Ok((key, keeper.pack_wire(wire, (object, whole), values)))
    }
}

fn values<K>(indexes: Option<&Arc<dyn IndexExtractor<K>>>, object: &K) -> Option<IndexValues> {
    indexes.and_then(|indexes| indexes.values(object))
}

/// Packs an object of which only the fields are decoded that indexes read. Returns `None` if it
/// must be decoded whole.
fn pack_undecoded<K: Resource + 'static>(
    keeper: &dyn Keeper<K>,
    indexes: Option<&Arc<dyn IndexExtractor<K>>>,
    wire: &WireObject<'_, K>,
) -> Result<Option<(ObjectKey, Cached<K>)>, DecodeError> {
    let values = match indexes {
        None => None,
        Some(indexes) => {
            let read = |fields: Option<&_>| wire.codec.decode_fields(wire.bytes, fields).ok();
            match indexes.values_of_part(&read) {
                Ok(values) => values,
                Err(NotEnough) => return Ok(None),
            }
        }
    };
    let meta = wire.codec.decode_head(wire.bytes)?;
    let (namespace, name) = (meta.namespace.as_deref(), meta.name.as_deref());
    let Ok(key) = ObjectKey::from_parts(namespace, name.unwrap_or_default()) else {
        return Ok(None);
    };
    Ok(keeper.pack_undecoded(wire, &meta, values).map(|packed| (key, packed)))
}

impl<K> Storage<K> {
    /// Makes a packer for a reflector that is used without an informer, see
    /// [`ReflectorOptions::packer`](crate::reflector::ReflectorOptions::packer). Log messages name
    /// the objects as `resource`.
    ///
    /// Only an informer frees unpacked objects soon after their users drop them.
    pub fn packer(&self, resource: impl Into<Arc<str>>) -> Packer<K> {
        match self.keeper(&resource.into(), &MetricLabels::default()) {
            Some(keeper) => Packer(Mode::Packed { keeper, indexes: None }),
            None => Packer::decoded(),
        }
    }
}

impl<K> Clone for Packer<K> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Mode::Decoded => Mode::Decoded,
            Mode::Custom(pack) => Mode::Custom(pack.clone()),
            Mode::Packed { keeper, indexes } => {
                Mode::Packed { keeper: keeper.clone(), indexes: indexes.clone() }
            }
        })
    }
}

impl<K> fmt::Debug for Packer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packer").field("packs", &self.packs()).finish()
    }
}
