//! Packs an informer's objects as they come.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;
use kube::api::ObjectMeta;
use serde::{Serialize, de::DeserializeOwned};

use super::buffer::Buffer;
use super::decoded_cache::DecodedCache;
use super::dictionary::Dictionaries;
use super::figures::Figures;
use super::labels::SharedLabels;
use super::message_pack;
use super::packed::{DetachedMetadata, KeptMetadata, PackContext, Packed, Shared};
use super::{Keeper, PackError, Settings, StorageStatus, WireObject};
use crate::decode::codec::Codec;
use crate::metrics::MetricLabels;
use crate::object::{Cached, IndexValues};
use crate::sync::Mutex;

/// How many objects are unpacked and packed again for a test.
const TESTED: usize = 8;

/// How many codecs are remembered. A source has one or two.
const CODECS: usize = 8;

/// The packed objects of one informer, as a whole.
pub(super) struct Compact<K> {
    shared: Arc<Shared<K>>,
    /// Whether objects are decoded as they come.
    check: bool,
    /// Of the objects that are kept as they came: one for each codec.
    wire: Mutex<Vec<WireCodec<K>>>,
    /// Of the objects that are written here.
    own: Dictionaries<PackContext<K>>,
    /// How many objects stood the test.
    tested: AtomicUsize,
    /// Why this type is not written.
    refused: OnceLock<PackError>,
    /// How many bytes the last object was written as: about as many as the next one will be.
    written: AtomicUsize,
}

/// A codec, and the dictionaries of the objects that come in it.
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
        let codec = Arc::new(message_pack::codec());
        let own = Arc::new(PackContext { codec, detached: true, shared: shared.clone() });
        Self {
            shared,
            check,
            wire: Mutex::default(),
            own: Dictionaries::new(own, wipe),
            tested: AtomicUsize::new(0),
            refused: OnceLock::new(),
            written: AtomicUsize::new(0),
        }
    }
}

impl<K: Resource + Serialize + DeserializeOwned + 'static> Compact<K> {
    /// Returns the dictionaries of objects that come in this codec.
    fn dictionaries(&self, codec: &Arc<Codec<K>>) -> Arc<Dictionaries<PackContext<K>>> {
        let mut wire = self.wire.lock();
        if let Some((_, known)) = wire.iter().find(|(known, _)| Arc::ptr_eq(known, codec)) {
            return known.clone();
        }
        if wire.len() == CODECS {
            wire.remove(0);
        }
        let shared = self.shared.clone();
        let context = PackContext { codec: codec.clone(), detached: false, shared };
        let new = Arc::new(Dictionaries::new(Arc::new(context), self.shared.wipe));
        wire.push((codec.clone(), new.clone()));
        new
    }

    /// Packs an object as it came.
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

    /// Writes an object and packs that.
    fn rewrite(
        &self,
        object: &mut K,
        index_values: Option<IndexValues>,
    ) -> Result<Arc<Packed<K>>, PackError> {
        if let Some(refused) = self.refused.get() {
            return Err(*refused);
        }
        let (written, metadata) = self.write(object);
        let packed = written.and_then(|written| {
            let (kept, dictionary) = (metadata.kept(), self.own.current());
            let packed = Packed::new(written.as_slice(), &kept, index_values, dictionary)?;
            self.test(&packed, &written).inspect_err(|error| self.refuse(*error))?;
            self.written.store(written.as_slice().len(), Relaxed);
            self.own.learn(written.as_slice(), packed.packed_bytes());
            Ok(packed)
        });
        metadata.restore(object.meta_mut());
        packed
    }

    /// Writes an object without the metadata that is kept beside it.
    fn write(&self, object: &mut K) -> (Result<Buffer, PackError>, DetachedMetadata) {
        let metadata = DetachedMetadata::take(object.meta_mut());
        let room = self.written.load(Relaxed) * 9 / 8;
        (message_pack::write(object, room, self.shared.wipe), metadata)
    }

    /// Checks that an object is the same when it was unpacked and packed again.
    fn test(&self, packed: &Packed<K>, written: &Buffer) -> Result<(), PackError> {
        if self.tested.load(Relaxed) >= TESTED {
            return Ok(());
        }
        let (again, _) = packed.unpack(None).map(|mut object| self.write(&mut object))?;
        if !message_pack::same(written.as_slice(), again?.as_slice()) {
            return Err(PackError::Disagrees);
        }
        self.tested.fetch_add(1, Relaxed);
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
                // Handlers are about to read one that comes alone. Of many the last few would be held,
                // for all the trouble with the rest.
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
                if self.shared.hot.holds() {
                    packed.hold(Arc::new(object));
                }
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
