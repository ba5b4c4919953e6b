//! The keeper that packs the objects of one informer.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;
use kube::api::ObjectMeta;
use serde::{Serialize, de::DeserializeOwned};

use super::dictionary::Dictionaries;
use super::heat::{Heat, Sweeps};
use super::message_pack::{self, Written};
use super::packed::{DetachedMetadata, KeptMetadata, PackContext, Packed};
use super::shared::{Figures, Shared, SharedLabels};
use super::{Keeper, PackError, ReportFault, Settings, StorageStatus, WireObject};
use crate::codec::Codec;
use crate::metrics::MetricLabels;
use crate::object::{AnyObject, Cached, IndexValues};
use crate::panic::SafeDropper;
use crate::sync::Mutex;

/// The number of objects that must survive a round trip before a type is trusted.
const ROUND_TRIPS: usize = 8;

/// The number of codecs that are remembered. A source has one or two.
const MAX_CODECS: usize = 8;

/// The keeper of one informer's packed objects.
pub(super) struct Compact {
    shared: Arc<Shared>,
    /// True if each object is decoded as it arrives.
    check: bool,
    /// The dictionaries of objects that are kept as they arrived, for each codec.
    wire: Mutex<Vec<WireCodec>>,
    /// Serialises an object.
    serialise: Serialise,
    /// Checks that unpacking a deep object takes a bounded part of the stack.
    check_stack: fn(&[u8]) -> Result<(), PackError>,
    /// The dictionaries of objects that this keeper serialises.
    own: Dictionaries<PackContext>,
    /// The same for deep objects.
    deep: Dictionaries<PackContext>,
    /// The number of objects that survived a round trip.
    round_trips: AtomicUsize,
    /// The reason why objects of this type are not serialised, if there is one.
    refused: OnceLock<PackError>,
    /// The size of the last object as serialised, in bytes: an estimate for the next one.
    written: AtomicUsize,
}

/// A function that serialises an object. It takes the estimated size in bytes, and whether the
/// buffer wipes.
type Serialise = fn(&dyn AnyObject, usize, bool) -> Result<Written, PackError>;

/// A codec, and the dictionaries of the objects that it decodes.
type WireCodec = (Arc<Codec>, Arc<Dictionaries<PackContext>>);

impl Compact {
    /// Makes the keeper of objects of type `K`.
    pub(super) fn new<K>(
        settings: Settings,
        resource: &Arc<str>,
        labels: &MetricLabels,
        dropper: SafeDropper,
    ) -> Self
    where
        K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let Settings { age, wipe, check } = settings;
        let shared = Arc::new(Shared {
            heat: Heat::new(if wipe { Duration::ZERO } else { age }),
            labels: SharedLabels::default(),
            figures: Figures::new(resource, labels),
            dropper,
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
            serialise: |object, room, wipe| {
                let object = object.downcast_ref::<K>().ok_or(PackError::NotSerialised)?;
                message_pack::write(object, room, wipe)
            },
            check_stack: message_pack::check_stack::<K>,
            own: own(message_pack::codec::<K>()),
            deep: own(message_pack::deep_codec::<K>()),
            shared,
            round_trips: AtomicUsize::new(0),
            refused: OnceLock::new(),
            written: AtomicUsize::new(0),
        }
    }
}

impl Compact {
    /// Returns the dictionaries of objects that this codec decodes.
    fn dictionaries(&self, codec: &Arc<Codec>) -> Arc<Dictionaries<PackContext>> {
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
        wire: &WireObject<'_>,
        meta: &ObjectMeta,
        index_values: Option<IndexValues>,
    ) -> Result<Arc<Packed>, PackError> {
        let dictionaries = self.dictionaries(wire.codec);
        let (metadata, dictionary) = (KeptMetadata::of(meta), dictionaries.current());
        let packed = Packed::new(wire.bytes, &metadata, index_values, dictionary)?;
        dictionaries.learn(wire.bytes, packed.packed_bytes());
        Ok(packed)
    }

    /// Serialises an object and packs the result.
    fn rewrite(
        &self,
        object: &mut dyn AnyObject,
        index_values: Option<IndexValues>,
    ) -> Result<Arc<Packed>, PackError> {
        if let Some(refused) = self.refused.get() {
            return Err(*refused);
        }
        let (written, metadata) = self.write(object);
        let packed = written.and_then(|Written { bytes, is_deep }| {
            let bytes = bytes.as_slice();
            let dictionaries = if is_deep { &self.deep } else { &self.own };
            if is_deep {
                (self.check_stack)(bytes)?;
            }
            let (kept, dictionary) = (metadata.kept(), dictionaries.current());
            let packed = Packed::new(bytes, &kept, index_values, dictionary)?;
            self.check_read(&packed)?;
            self.check_round_trip(&packed, bytes).inspect_err(|error| self.refuse(*error))?;
            self.written.store(bytes.len(), Relaxed);
            dictionaries.learn(bytes, packed.packed_bytes());
            Ok(packed)
        });
        if let Some(meta) = object.meta_mut() {
            metadata.restore(meta);
        }
        packed
    }

    /// Serialises an object without the metadata that is kept beside it.
    fn write(&self, object: &mut dyn AnyObject) -> (Result<Written, PackError>, DetachedMetadata) {
        let metadata = object.meta_mut().map(DetachedMetadata::take).unwrap_or_default();
        let room = self.written.load(Relaxed) * 9 / 8;
        ((self.serialise)(object, room, self.shared.wipe), metadata)
    }

    /// Checks that an object can be unpacked, once a read of any has failed.
    fn check_read(&self, packed: &Packed) -> Result<(), PackError> {
        if self.shared.figures.unreadable.get() > 0 {
            let object = packed.unpack(None).map_err(|_| PackError::NotUnpacked)?;
            self.shared.dropper.free(object);
        }
        Ok(())
    }

    /// Checks that an object is the same after it was unpacked and serialised again.
    fn check_round_trip(&self, packed: &Packed, written: &[u8]) -> Result<(), PackError> {
        if self.round_trips.load(Relaxed) >= ROUND_TRIPS {
            return Ok(());
        }
        let mut object = packed.unpack(None).map_err(|_| PackError::NotUnpacked)?;
        let own = Arc::get_mut(&mut object).ok_or(PackError::NotUnpacked);
        let again = own.and_then(|own| self.write(own).0);
        self.shared.dropper.free(object);
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

    fn keep_decoded(&self, object: Arc<dyn AnyObject>, error: PackError) -> Cached {
        self.shared.figures.kept_decoded(error);
        Cached::any(object)
    }
}

impl Keeper for Compact {
    fn packs_undecoded(&self) -> bool {
        !self.check
    }

    fn pack_undecoded(
        &self,
        wire: &WireObject<'_>,
        meta: &ObjectMeta,
        index_values: Option<IndexValues>,
    ) -> Option<Cached> {
        let packed = self.pack_bytes(wire, meta, index_values).ok()?;
        Some(Cached::any(packed))
    }

    fn pack_wire(
        &self,
        wire: &WireObject<'_>,
        object: Arc<dyn AnyObject>,
        index_values: Option<IndexValues>,
        heat: u8,
    ) -> Cached {
        let meta = object.meta().ok_or(PackError::NotSerialised);
        match meta.and_then(|meta| self.pack_bytes(wire, meta, index_values)) {
            Ok(packed) => {
                packed.inherit(object, heat);
                Cached::any(packed)
            }
            Err(error) => self.keep_decoded(object, error),
        }
    }

    fn pack(&self, mut object: Arc<dyn AnyObject>, index_values: Option<IndexValues>) -> Cached {
        let own = Arc::get_mut(&mut object).ok_or(PackError::NotSerialised);
        match own.and_then(|own| self.rewrite(own, index_values)) {
            Ok(packed) => {
                // It is not held: unpacking may return less, as of a time with a fraction, and
                // every read must return the same.
                self.shared.dropper.free(object);
                Cached::any(packed)
            }
            Err(error) => self.keep_decoded(object, error),
        }
    }

    fn status(&self) -> StorageStatus {
        let Shared { heat, figures, .. } = &*self.shared;
        let (hot_objects, hot_bytes) = heat.held();
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

    fn sweep(self: Arc<Self>, report: ReportFault) -> BoxFuture<'static, ()> {
        let (shared, sweeps) = (self.shared.clone(), Sweeps::begin(self.shared.clone()));
        async move {
            futures::join!(sweeps.run(), shared.figures.pass_on(report));
        }
        .boxed()
    }
}

#[cfg(test)]
impl Compact {
    /// Returns the numbers of hot and of lent objects that sweeps will visit.
    pub(super) fn swept_objects(&self) -> [usize; 2] {
        self.shared.heat.entries()
    }

    pub(super) fn label_maps(&self) -> usize {
        self.shared.labels.len()
    }
}
