//! The keeper that packs the objects of one informer.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;
use kube::api::ObjectMeta;
use serde::{Serialize, de::DeserializeOwned};

use super::decoded_cache::DecodedCache;
use super::dictionary::Dictionaries;
use super::message_pack::{self, Written};
use super::packed::{DetachedMetadata, KeptMetadata, PackContext, Packed};
use super::shared::{Figures, Shared, SharedLabels};
use super::{Keeper, PackError, Settings, StorageStatus, WireObject};
use crate::codec::Codec;
use crate::metrics::MetricLabels;
use crate::object::{Cached, IndexValues};
use crate::sync::Mutex;

/// The number of objects that must survive a round trip before a type is trusted.
const ROUND_TRIPS: usize = 8;

/// The number of codecs that are remembered. A source has one or two.
const MAX_CODECS: usize = 8;

/// The keeper of one informer's packed objects.
pub(super) struct Compact<K> {
    shared: Arc<Shared<K>>,
    /// True if each object is decoded as it arrives.
    check: bool,
    /// The dictionaries of objects that are kept as they arrived, for each codec.
    wire: Mutex<Vec<WireCodec<K>>>,
    /// The dictionaries of objects that this keeper serialises.
    own: Dictionaries<PackContext<K>>,
    /// The same for deep objects.
    deep: Dictionaries<PackContext<K>>,
    /// The number of objects that survived a round trip.
    round_trips: AtomicUsize,
    /// The reason why objects of this type are not serialised, if there is one.
    refused: OnceLock<PackError>,
    /// The size of the last object as serialised, in bytes: an estimate for the next one.
    written: AtomicUsize,
}

/// A codec, and the dictionaries of the objects that it decodes.
type WireCodec<K> = (Arc<Codec<K>>, Arc<Dictionaries<PackContext<K>>>);

impl<K: DeserializeOwned + 'static> Compact<K> {
    pub(super) fn new(settings: Settings, resource: &Arc<str>, labels: &MetricLabels) -> Self {
        let Settings { hot_bytes, wipe, check } = settings;
        let shared = Arc::new(Shared {
            hot: DecodedCache::new(if wipe { 0 } else { hot_bytes }),
            labels: SharedLabels::default(),
            figures: Figures::new(resource, labels),
            wipe,
        });
        let own = |codec| {
            let codec = Arc::new(codec);
            let context = PackContext { codec, detached: true, shared: shared.clone() };
            Dictionaries::new(Arc::new(context), wipe)
        };
        Self {
            check,
            wire: Mutex::default(),
            own: own(message_pack::codec()),
            deep: own(message_pack::deep_codec()),
            shared,
            round_trips: AtomicUsize::new(0),
            refused: OnceLock::new(),
            written: AtomicUsize::new(0),
        }
    }
}

impl<K: Resource + Serialize + DeserializeOwned + 'static> Compact<K> {
    /// Returns the dictionaries of objects that this codec decodes.
    fn dictionaries(&self, codec: &Arc<Codec<K>>) -> Arc<Dictionaries<PackContext<K>>> {
        let mut wire = self.wire.lock();
        if let Some((_, known)) = wire.iter().find(|(known, _)| Arc::ptr_eq(known, codec)) {
            return known.clone();
        }
        if wire.len() == MAX_CODECS {
            wire.remove(0);
        }
        let shared = self.shared.clone();
        let context = PackContext { codec: codec.clone(), detached: false, shared };
        let new = Arc::new(Dictionaries::new(Arc::new(context), self.shared.wipe));
        wire.push((codec.clone(), new.clone()));
        new
    }

    /// Packs an object as it arrived.
    fn pack_bytes(
        &self,
        wire: &WireObject<'_, K>,
        meta: &ObjectMeta,
        index_values: Option<IndexValues>,
    ) -> Result<Arc<Packed<K>>, PackError> {
        let dictionaries = self.dictionaries(wire.codec);
        let (metadata, dictionary) = (KeptMetadata::of(meta), dictionaries.current());
        let packed = Packed::new(wire.bytes, &metadata, index_values, dictionary)?;
        dictionaries.learn(wire.bytes, packed.packed_bytes());
        Ok(packed)
    }

    /// Serialises an object and packs the result.
    fn rewrite(
        &self,
        object: &mut K,
        index_values: Option<IndexValues>,
    ) -> Result<Arc<Packed<K>>, PackError> {
        if let Some(refused) = self.refused.get() {
            return Err(*refused);
        }
        let (written, metadata) = self.write(object);
        let packed = written.and_then(|Written { bytes, is_deep }| {
            let bytes = bytes.as_slice();
            let dictionaries = if is_deep { &self.deep } else { &self.own };
            if is_deep {
                message_pack::check_stack::<K>(bytes)?;
            }
            let (kept, dictionary) = (metadata.kept(), dictionaries.current());
            let packed = Packed::new(bytes, &kept, index_values, dictionary)?;
            self.check_round_trip(&packed, bytes).inspect_err(|error| self.refuse(*error))?;
            self.written.store(bytes.len(), Relaxed);
            dictionaries.learn(bytes, packed.packed_bytes());
            Ok(packed)
        });
        metadata.restore(object.meta_mut());
        packed
    }

    /// Serialises an object without the metadata that is kept beside it.
    fn write(&self, object: &mut K) -> (Result<Written, PackError>, DetachedMetadata) {
        let metadata = DetachedMetadata::take(object.meta_mut());
        let room = self.written.load(Relaxed) * 9 / 8;
        (message_pack::write(object, room, self.shared.wipe), metadata)
    }

    /// Checks that an object is the same after it was unpacked and serialised again.
    fn check_round_trip(&self, packed: &Packed<K>, written: &[u8]) -> Result<(), PackError> {
        if self.round_trips.load(Relaxed) >= ROUND_TRIPS {
            return Ok(());
        }
        let (again, _) = packed.unpack(None).map(|mut object| self.write(&mut object))?;
        if !message_pack::is_equivalent(written, again?.bytes.as_slice()) {
            return Err(PackError::Disagrees);
        }
        self.round_trips.fetch_add(1, Relaxed);
        Ok(())
    }

    fn refuse(&self, error: PackError) {
        if self.refused.set(error).is_ok() {
            self.shared.figures.refused(error);
        }
    }

    fn keep_decoded(&self, object: K, error: PackError) -> Cached<K> {
        self.shared.figures.kept_decoded(error);
        Arc::new(object).into()
    }
}

impl<K> Keeper<K> for Compact<K>
where
    K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    fn packs_undecoded(&self) -> bool {
        !self.check
    }

    fn pack_undecoded(
        &self,
        wire: &WireObject<'_, K>,
        meta: &ObjectMeta,
        index_values: Option<IndexValues>,
    ) -> Option<Cached<K>> {
        let packed = self.pack_bytes(wire, meta, index_values).ok()?;
        Some(Cached::packed(packed))
    }

    fn pack_wire(
        &self,
        wire: &WireObject<'_, K>,
        (mut object, whole): (K, bool),
        index_values: Option<IndexValues>,
    ) -> Cached<K> {
        match self.pack_bytes(wire, object.meta(), index_values) {
            Ok(packed) => {
                // Handlers will soon read an object that arrives by itself. Of a list only the last
                // few would stay, so holding the rest would be wasted work.
                if self.shared.hot.holds() && whole && !wire.bulk {
                    packed.hold(Arc::new(object));
                }
                Cached::packed(packed)
            }
            Err(error) => {
                if !whole && let Ok(all) = wire.codec.decode(wire.bytes) {
                    object = all;
                }
                self.keep_decoded(object, error)
            }
        }
    }

    fn pack(&self, mut object: K, index_values: Option<IndexValues>) -> Cached<K> {
        match self.rewrite(&mut object, index_values) {
            Ok(packed) => {
                // It is not held: unpacking may return less, as of a time with a fraction, and
                // every read must return the same.
                crate::panic::drop_safely(object);
                Cached::packed(packed)
            }
            Err(error) => self.keep_decoded(object, error),
        }
    }

    fn status(&self) -> StorageStatus {
        let Shared { hot, figures, .. } = &*self.shared;
        let (hot_objects, hot_bytes) = hot.held();
        StorageStatus {
            objects: figures.objects.load(Relaxed),
            bytes: figures.bytes.load(Relaxed),
            hot_objects,
            hot_bytes,
            hits: figures.hits.get(),
            misses: figures.misses.get(),
            kept_decoded: figures.kept_decoded.get(),
            unreadable: figures.unreadable.get(),
            refused: self.refused.get().copied(),
        }
    }

    fn sweep(self: Arc<Self>) -> BoxFuture<'static, ()> {
        let shared = self.shared.clone();
        async move { shared.hot.sweep().await }.boxed()
    }
}

#[cfg(test)]
impl<K> Compact<K> {
    pub(super) fn lent_objects(&self) -> usize {
        self.shared.hot.lent_objects()
    }

    pub(super) fn label_maps(&self) -> usize {
        self.shared.labels.len()
    }
}
