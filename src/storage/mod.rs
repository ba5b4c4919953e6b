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
mod decoded_cache;
#[cfg(feature = "compact")]
mod dictionary;
#[cfg(feature = "compact")]
mod figures;
#[cfg(feature = "compact")]
mod labels;
#[cfg(feature = "compact")]
mod message_pack;
#[cfg(feature = "compact")]
mod packed;
#[cfg(all(test, feature = "compact"))]
mod tests;

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
#[cfg(feature = "compact")]
use kube::Resource;
use kube::api::ObjectMeta;
#[cfg(feature = "compact")]
use serde::{Serialize, de::DeserializeOwned};

use crate::decode::codec::Codec;
use crate::metrics::MetricLabels;
use crate::object::{Cached, IndexValues};

/// How many bytes of objects stay unpacked unless told otherwise.
#[cfg(feature = "compact")]
const HOT_BYTES: usize = 4 << 20;

/// How objects are kept. [`decoded`](Self::decoded) unless chosen otherwise.
#[must_use]
pub struct Storage<K> {
    packing: Option<(Settings, Make<K>)>,
}

/// Makes what keeps the objects of one informer, of this resource.
type Make<K> = fn(Settings, &Arc<str>, &MetricLabels) -> Arc<dyn Keeper<K>>;

#[derive(Clone, Copy, Debug)]
struct Settings {
    /// How many bytes of unpacked objects are held.
    hot_bytes: usize,
    /// Whether bytes are overwritten before they are freed.
    wipe: bool,
    /// Whether objects are decoded once as they come.
    check: bool,
}

/// One object as it came: its bytes, and what decodes them.
#[cfg_attr(not(feature = "compact"), expect(dead_code, reason = "nothing keeps bytes"))]
pub(crate) struct WireObject<'a, K> {
    pub(crate) bytes: &'a [u8],
    pub(crate) codec: &'a Arc<Codec<K>>,
    /// It is one of many that come together, as in a first list: nobody is about to read it in
    /// particular.
    pub(crate) bulk: bool,
}

/// Packs the objects of one informer, on any thread, on several at a time.
pub(crate) trait Keeper<K>: Send + Sync {
    /// Packs an object that did not come as bytes. Keeps it decoded where that fails.
    fn pack(&self, object: K, index_values: Option<IndexValues>) -> Cached<K>;

    /// Packs an object as it came. It is decoded, whole or without its managed fields.
    fn pack_wire(
        &self,
        wire: &WireObject<'_, K>,
        decoded: (K, bool),
        index_values: Option<IndexValues>,
    ) -> Cached<K>;

    /// Returns whether objects may be packed without being decoded.
    fn packs_undecoded(&self) -> bool;

    /// Packs an object as it came, undecoded. `meta` has its name, namespace, uid, version and labels,
    /// and nothing else. `None`: it has to be decoded.
    fn pack_undecoded(
        &self,
        wire: &WireObject<'_, K>,
        meta: &ObjectMeta,
        index_values: Option<IndexValues>,
    ) -> Option<Cached<K>>;

    fn status(&self) -> StorageStatus;

    /// Frees, for as long as it is polled, what users have let go of. Cancel safe.
    fn sweep(self: Arc<Self>) -> BoxFuture<'static, ()>;
}

/// What is packed, and how well reads do without unpacking.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct StorageStatus {
    /// How many packed objects there are: in the store, in queues and backlogs, and with users.
    pub objects: usize,
    /// How many bytes they take, packed.
    pub bytes: usize,
    /// How many objects are held unpacked.
    pub hot_objects: usize,
    /// How many bytes these take, by estimate.
    pub hot_bytes: usize,
    /// How many reads found the object unpacked.
    pub hits: u64,
    /// How many unpacked it.
    pub misses: u64,
    /// How many objects came that could not be packed and are kept decoded.
    pub kept_decoded: u64,
    /// How many packed objects could not be unpacked when they were read. They are missing from what
    /// was asked.
    pub unreadable: u64,
    /// Why every object is kept decoded, if so.
    pub refused: Option<PackError>,
}

/// An object can't be packed, or not be unpacked. It never says what the object holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PackError {
    /// `Serialize` failed or panicked.
    #[error("it can't be serialised")]
    NotSerialised,
    /// It takes 4 GiB or more, or its uid 64 KiB.
    #[error("it is too large")]
    TooLarge,
    /// `Deserialize` failed or panicked on what `Serialize` gave.
    #[error("what it is packed as can't be unpacked")]
    NotUnpacked,
    /// What is unpacked is not what was packed: `Serialize` and `Deserialize` disagree.
    #[error("unpacked and packed again it is something else")]
    Disagrees,
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
        let make: Make<K> = |settings, resource, labels| {
            Arc::new(compact::Compact::new(settings, resource, labels))
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

    /// Makes what packs objects so; `None`: they are kept as they are.
    pub(crate) fn keeper(
        &self,
        resource: &Arc<str>,
        labels: &MetricLabels,
    ) -> Option<Arc<dyn Keeper<K>>> {
        self.packing.map(|(settings, make)| make(settings, resource, labels))
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
