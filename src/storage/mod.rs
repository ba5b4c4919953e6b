//! How an informer keeps its objects: as they are, or small.
//!
//! A [`Storage`] is a choice made for one informer; lister, indexes, handlers and events are the same
//! with each. What is kept small is packed one by one as it arrives and unpacked when it is read. An
//! object that can't be packed is kept as it is, counted and reported: no choice loses one.

#[cfg(feature = "compact")]
mod buffer;
#[cfg(feature = "compact")]
mod compact;
#[cfg(feature = "compact")]
mod dictionary;
mod error;
#[cfg(feature = "compact")]
mod figures;
#[cfg(feature = "compact")]
mod form;
#[cfg(feature = "compact")]
mod hot;
#[cfg(feature = "compact")]
mod labels;
#[cfg(feature = "compact")]
mod packed;
mod status;
#[cfg(all(test, feature = "compact"))]
mod tests;

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
#[cfg(feature = "compact")]
use kube::Resource;
#[cfg(feature = "compact")]
use serde::{Serialize, de::DeserializeOwned};

pub use self::error::PackError;
pub use self::status::StorageStatus;
use crate::metrics::MetricLabels;
use crate::object::{AsDecoded, Filing, Pack};

/// How many bytes of objects stay unpacked unless told otherwise.
#[cfg(feature = "compact")]
const HOT_BYTES: usize = 4 << 20;

/// How objects are kept. [`decoded`](Self::decoded) unless chosen otherwise.
#[must_use]
pub struct Storage<K> {
    packing: Option<(Settings, Make<K>)>,
}

/// Makes what keeps the objects of one informer, of this resource.
type Make<K> =
    fn(Settings, &Arc<str>, &MetricLabels, Option<Arc<dyn Filing<K>>>) -> Arc<dyn Keeper<K>>;

#[derive(Clone, Copy, Debug)]
struct Settings {
    /// How many bytes of unpacked objects are held.
    hot_bytes: usize,
    /// Whether bytes are overwritten before they are freed.
    wipe: bool,
    /// Whether objects are decoded once as they come.
    check: bool,
}

/// What keeps the objects of one informer.
pub(crate) trait Keeper<K>: Pack<K> {
    fn status(&self) -> StorageStatus;

    /// Frees, for as long as it is polled, what users have let go of. Cancel safe.
    fn tend(self: Arc<Self>) -> BoxFuture<'static, ()>;
}

impl<K> Storage<K> {
    /// Each object as it is, ready to be read.
    pub fn decoded() -> Self {
        Self { packing: None }
    }

    /// Each object as few bytes, unpacked when it is read.
    ///
    /// What keys, selectors and relists ask (uid, version, labels) is answered without unpacking, and so
    /// are indexes; equal labels are kept once. While anybody holds an object, all who ask are given the
    /// same `Arc`. Some objects that were read or stored lately stay unpacked, see
    /// [`hot_bytes`](Self::hot_bytes); any other costs each reader O(its size): what decoding it from the
    /// wire costs.
    ///
    /// Objects are kept as the server sent them. Each is decoded once on its way in, so that one that
    /// can't be is reported then, but for its managed fields: index functions are shown objects without
    /// them. An index that is added later unpacks everything before it is there.
    ///
    /// Where a transform changes objects, or a source gives none of their bytes, packed is what
    /// `Serialize` says and read is what `Deserialize` makes of that. The first objects are then unpacked
    /// and packed again for a test, and a type where that does not give the same is kept decoded, which is
    /// reported and told in the status. What `Serialize` leaves out for good is not found by this: such a
    /// type must stay decoded. `Deserialize` must not read this informer.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::{InformerSpec, Storage};
    ///
    /// let spec = InformerSpec::<Pod>::new().storage(Storage::compact().hot_bytes(16 << 20));
    /// ```
    #[cfg(feature = "compact")]
    pub fn compact() -> Self
    where
        K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let settings = Settings { hot_bytes: HOT_BYTES, wipe: false, check: true };
        let make: Make<K> = |settings, resource, labels, filing| {
            Arc::new(compact::Compact::new(settings, resource, labels, filing))
        };
        Self { packing: Some((settings, make)) }
    }

    /// How many bytes of unpacked objects are held beside the packed ones, by estimate; 4 MiB unless
    /// set. Zero holds none. Of those that are decoded anyhow it changes nothing.
    #[cfg(feature = "compact")]
    pub fn hot_bytes(mut self, bytes: usize) -> Self {
        if let Some((settings, _)) = &mut self.packing {
            settings.hot_bytes = bytes;
        }
        self
    }

    /// Overwrites packed bytes, and the buffers used for packing and unpacking, before they are freed:
    /// for Secrets. No object is held unpacked, and no object is a model for packing others, so that
    /// they take more room.
    ///
    /// It does not reach what is not this storage's: objects that users hold or have dropped, the
    /// decoder's and the network's buffers, what an object's own `Serialize` and `Deserialize` copy, and
    /// what the system wrote to swap. uid, version, labels and an object that can't be packed are kept
    /// as they are. Of those that are decoded anyhow it changes nothing.
    #[cfg(feature = "compact")]
    pub fn zeroize(mut self, zeroize: bool) -> Self {
        if let Some((settings, _)) = &mut self.packing {
            settings.wipe = zeroize;
        }
        self
    }

    /// Whether each object is decoded once as it comes, so that one that can't be is reported then and
    /// the last state of it that could be stays; true unless set.
    ///
    /// With false an object is only looked into, for its name, uid, version and labels, and decoded when
    /// somebody reads it. A cache of which little is read costs a fraction of the time then. But an object
    /// that can't be decoded is found only when it is read: it counts as there, is reported, and is read
    /// as if it were not. Not for a type that demands more of objects than the server does.
    ///
    /// Index functions are shown objects, and a transform changes them: with either everything is decoded
    /// as it comes all the same. Of an index that
    /// [says which fields it looks at](crate::SharedInformer::add_index_on) only those are.
    #[cfg(feature = "compact")]
    pub fn check_on_arrival(mut self, check: bool) -> Self {
        if let Some((settings, _)) = &mut self.packing {
            settings.check = check;
        }
        self
    }

    /// What packs objects so, for a reflector of one's own: see
    /// [`ReflectorOptions::pack`](crate::reflector::ReflectorOptions::pack). The log speaks of the
    /// objects as `resource`. Nobody frees in time what users let go of; that is an informer's.
    pub fn pack(&self, resource: impl Into<Arc<str>>) -> Arc<dyn Pack<K>>
    where
        K: 'static,
    {
        match self.keeper(&resource.into(), &MetricLabels::default(), None) {
            Some(keeper) => keeper,
            None => Arc::new(AsDecoded),
        }
    }

    /// What keeps objects so; `None`: nothing need be done. `filing` notes under which values they will
    /// be filed.
    pub(crate) fn keeper(
        &self,
        resource: &Arc<str>,
        labels: &MetricLabels,
        filing: Option<Arc<dyn Filing<K>>>,
    ) -> Option<Arc<dyn Keeper<K>>> {
        self.packing.map(|(settings, make)| make(settings, resource, labels, filing))
    }
}

impl<K> Clone for Storage<K> {
    fn clone(&self) -> Self {
        Self { packing: self.packing }
    }
}

impl<K> Default for Storage<K> {
    fn default() -> Self {
        Self::decoded()
    }
}

impl<K> fmt::Debug for Storage<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.packing {
            None => f.write_str("Decoded"),
            Some((Settings { hot_bytes, wipe, check }, _)) => f
                .debug_struct("Compact")
                .field("hot_bytes", hot_bytes)
                .field("zeroize", wipe)
                .field("check_on_arrival", check)
                .finish(),
        }
    }
}
