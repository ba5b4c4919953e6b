//! Makes what the cache holds of an object that a source has.
//!
//! It asks the indexes for an object's values while that is decoded, and the storage to pack it. So no
//! stage knows of either: they pass on [`Cached`] objects.

use std::fmt;
use std::sync::Arc;

use kube::Resource;

use crate::decode::DecodeError;
use crate::metrics::MetricLabels;
use crate::object::{Cached, IndexExtractor, IndexValues, NotEnough, ObjectKey};
use crate::storage::{Keeper, Storage, WireObject};

/// Makes [`Cached`] objects of objects. A cheap clone.
///
/// An informer has its own. A reflector that is used alone takes one of a [`Storage`]:
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::Storage;
/// use kube_informer::reflector::ReflectorOptions;
///
/// let options = ReflectorOptions::<Pod>::new().packer(Storage::decoded().packer("pods"));
/// ```
pub struct Packer<K>(How<K>);

enum How<K> {
    Decoded,
    By(Arc<dyn Fn(K) -> Cached<K> + Send + Sync>),
    Kept { keeper: Arc<dyn Keeper<K>>, indexes: Option<Arc<dyn IndexExtractor<K>>> },
}

impl<K> Packer<K> {
    /// Keeps objects as they are.
    pub fn decoded() -> Self {
        Self(How::Decoded)
    }

    /// Keeps objects as this function does. It is called on any thread, on several at a time.
    pub fn from_fn(pack: impl Fn(K) -> Cached<K> + Send + Sync + 'static) -> Self {
        Self(How::By(Arc::new(pack)))
    }

    /// Packs objects by `keeper`, with the values that `indexes` have of them.
    pub(crate) fn new(keeper: Arc<dyn Keeper<K>>, indexes: Arc<dyn IndexExtractor<K>>) -> Self {
        Self(How::Kept { keeper, indexes: Some(indexes) })
    }

    /// Returns whether objects are kept otherwise than as they are.
    pub(crate) fn packs(&self) -> bool {
        !matches!(self.0, How::Decoded)
    }

    /// Makes what the cache holds of an object. O(its size) where it is packed.
    pub fn pack(&self, object: K) -> Cached<K> {
        match &self.0 {
            How::Decoded => Arc::new(object).into(),
            How::By(pack) => pack(object),
            How::Kept { keeper, indexes } => {
                let values = values(indexes.as_ref(), &object);
                keeper.pack(object, values)
            }
        }
    }
}

impl<K: Resource + 'static> Packer<K> {
    /// Makes what the cache holds of an object that comes as bytes. Decodes no more of it than it must.
    pub(crate) fn pack_wire(
        &self,
        wire: &WireObject<'_, K>,
    ) -> Result<(ObjectKey, Cached<K>), DecodeError> {
        let key = |object: &K| {
            ObjectKey::of(object).map_err(|invalid| DecodeError::new(invalid.to_string()))
        };
        let How::Kept { keeper, indexes } = &self.0 else {
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

/// Packs an object of which at most the fields are decoded that indexes look at. `None`: it has to be
/// decoded whole.
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
    /// Makes a packer for a reflector that is used alone, see
    /// [`ReflectorOptions::packer`](crate::reflector::ReflectorOptions::packer). The log speaks of the
    /// objects as `resource`. Only an informer frees in time what users let go of.
    pub fn packer(&self, resource: impl Into<Arc<str>>) -> Packer<K> {
        match self.keeper(&resource.into(), &MetricLabels::default()) {
            Some(keeper) => Packer(How::Kept { keeper, indexes: None }),
            None => Packer::decoded(),
        }
    }
}

impl<K> Clone for Packer<K> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            How::Decoded => How::Decoded,
            How::By(pack) => How::By(pack.clone()),
            How::Kept { keeper, indexes } => {
                How::Kept { keeper: keeper.clone(), indexes: indexes.clone() }
            }
        })
    }
}

impl<K> fmt::Debug for Packer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packer").field("packs", &self.packs()).finish()
    }
}
