//! The keeper that packs the objects of one informer.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::api::ObjectMeta;

use super::buffer::Buffer;
use super::dictionary::Dictionaries;
use super::heat::{Heat, Sweeps};
use super::owners::OwnerDictionaries;
use super::packed::{KeptMetadata, PackContext, Packed};
use super::shared::{Figures, Shared, SharedLabels};
use super::view::{View, ViewType};
use super::{Keeper, PackError, ReportFault, Settings, StorageStatus, WireObject};
use crate::codec::Codec;
use crate::object::{AnyObject, Cached, IndexValues, controller};
use crate::panic::SafeDropper;
use crate::sync::Mutex;

/// The number of objects that are compared with their decoded size.
const COMPARED: usize = 8;

/// The number of codecs that are remembered. A source has one or two.
const MAX_CODECS: usize = 8;

/// The part of a keeper that packs objects without bytes.
pub(super) trait Rewrite: Send + Sync {
    /// Serialises an object and packs the result.
    fn rewrite(
        &self,
        object: &dyn AnyObject,
        index_values: Option<IndexValues>,
    ) -> Result<Arc<Packed>, PackError>;

    /// Returns the reason why objects of this type are not serialised, if there is one.
    fn refused(&self) -> Option<PackError>;
}

/// A function that makes this part of a keeper.
pub(super) type MakeRewriter = fn(&Arc<Shared>) -> Box<dyn Rewrite>;

/// The keeper of one informer's packed objects.
pub(super) struct PackedKeeper {
    shared: Arc<Shared>,
    /// The dictionaries of objects that are kept as they arrived, for each codec.
    wire: Mutex<Vec<Arc<WireDictionaries>>>,
    /// Packs objects without bytes. Without it, they are kept decoded.
    rewriter: Option<Box<dyn Rewrite>>,
    /// The number of objects that were compared with their decoded size.
    compared: AtomicUsize,
    /// The number of these that take no more memory decoded.
    smaller: AtomicUsize,
    /// The reason why objects of this type are kept decoded as they arrive, if there is one.
    refused: OnceLock<PackError>,
}

/// The dictionaries of the objects that a codec decodes.
struct WireDictionaries {
    codec: Arc<Codec>,
    of_samples: Dictionaries<PackContext>,
    of_owners: OwnerDictionaries,
}

impl PackedKeeper {
    /// Makes the keeper of one informer's objects. The text is the resource's name.
    pub(super) fn new(
        settings: Settings,
        make_rewriter: Option<MakeRewriter>,
        resource: &Arc<str>,
        dropper: SafeDropper,
    ) -> Self {
        let Settings { age, wipe, check, limit } = settings;
        let shared = Arc::new(Shared {
            heat: Heat::new(if wipe { Duration::ZERO } else { age }),
            limit,
            labels: SharedLabels::default(),
            figures: Figures::new(resource),
            dropper,
            wipe,
            check,
            views: Mutex::default(),
        });
        let rewriter = make_rewriter.map(|make| make(&shared));
        // Such keepers pack every object.
        let compared = if rewriter.is_some() || wipe { COMPARED } else { 0 };
        Self {
            wire: Mutex::default(),
            rewriter,
            compared: AtomicUsize::new(compared),
            smaller: AtomicUsize::new(0),
            refused: OnceLock::new(),
            shared,
        }
    }
}

impl PackedKeeper {
    /// Returns the dictionaries of objects that this codec decodes.
    fn dictionaries(&self, codec: &Arc<Codec>) -> Arc<WireDictionaries> {
        let mut wire = self.wire.lock();
        if let Some(known) = wire.iter().find(|known| Arc::ptr_eq(&known.codec, codec)) {
            return known.clone();
        }
        if wire.len() == MAX_CODECS {
            wire.remove(0);
        }
        let shared = self.shared.clone();
        let context = PackContext { codec: codec.clone(), is_wire: true, shared };
        let new = Arc::new(WireDictionaries {
            codec: codec.clone(),
            of_samples: Dictionaries::new(Arc::new(context), self.shared.wipe),
            of_owners: OwnerDictionaries::default(),
        });
        wire.push(new.clone());
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
        let WireDictionaries { of_samples, of_owners, .. } = &*dictionaries;
        let metadata = KeptMetadata::of(meta);
        // A dictionary keeps an object longer than the store does.
        let may_keep = !self.shared.wipe && !self.shared.figures.is_of_secrets();
        let owner = may_keep.then(|| controller(meta)).flatten().map(|owner| &*owner.uid);
        if let Some(owner) = owner
            && let Some(dictionary) = of_owners.choose(owner, metadata.uid)
        {
            let packed = Packed::new(wire.bytes, &metadata, index_values, dictionary)?;
            of_owners.note_use(owner, &packed);
            return Ok(packed);
        }
        let packed = Packed::new(wire.bytes, &metadata, index_values, of_samples.current())?;
        of_samples.learn(wire.bytes, packed.packed_bytes());
        if let Some(owner) = owner {
            of_owners.note_first(owner, &packed);
        }
        Ok(packed)
    }

    /// Decides by the first objects whether packing is worth it: whether decoded ones take more
    /// memory. If not, further objects are kept decoded.
    fn compare(&self, wire: &WireObject<'_>, packed: &Packed) {
        if self.compared.load(Relaxed) >= COMPARED {
            return;
        }
        let room = size_of::<Packed>() + packed.packed_bytes();
        let smaller = usize::from(wire.codec.decodes_within(wire.bytes, room));
        let smaller = self.smaller.fetch_add(smaller, Relaxed) + smaller;
        if self.compared.fetch_add(1, Relaxed) + 1 == COMPARED
            && 2 * smaller > COMPARED
            && self.refuse()
        {
            self.shared.figures.not_smaller();
        }
    }

    /// Lets further objects be kept decoded. Returns false if a view needs their bytes: their type
    /// may lack what the view reads.
    fn refuse(&self) -> bool {
        let views = self.shared.views.lock();
        let is_viewed = views.iter().any(|view| view.strong_count() > 0);
        !is_viewed && self.refused.set(PackError::NotSmaller).is_ok()
    }
}

impl Keeper for PackedKeeper {
    fn keep_decoded(&self, object: Arc<dyn AnyObject>, error: PackError) -> Cached {
        self.shared.figures.kept_decoded(error);
        Cached::any(object)
    }

    fn packs(&self) -> bool {
        self.refused.get().is_none()
    }

    fn checks(&self) -> bool {
        self.shared.check
    }

    fn heat_of_next(&self, before: &Cached) -> u8 {
        self.shared.heat.of_next(before.heat(), || self.shared.is_full())
    }

    fn bare(&self, wire: &WireObject<'_>) -> Option<Buffer> {
        Some(Buffer::holding(wire.codec.bare(wire.bytes)?, self.shared.wipe))
    }

    fn pack_undecoded(
        &self,
        wire: &WireObject<'_>,
        meta: &ObjectMeta,
        index_values: Option<IndexValues>,
        replaces: bool,
    ) -> Option<Cached> {
        let packed = self.pack_bytes(wire, meta, index_values).ok()?;
        if replaces {
            packed.replaces();
        }
        if self.shared.check {
            self.compare(wire, &packed);
        }
        Some(Cached::any(packed))
    }

    fn pack_wire(
        &self,
        wire: &WireObject<'_>,
        object: Arc<dyn AnyObject>,
        index_values: Option<IndexValues>,
        heat: Option<u8>,
    ) -> Cached {
        if !self.packs() {
            return Cached::any(object);
        }
        let meta = object.meta().ok_or(PackError::NotSerialised);
        match meta.and_then(|meta| self.pack_bytes(wire, meta, index_values)) {
            Ok(packed) => {
                self.compare(wire, &packed);
                if heat.is_some() {
                    packed.replaces();
                }
                packed.inherit(object, heat.unwrap_or(0));
                Cached::any(packed)
            }
            Err(error) => self.keep_decoded(object, error),
        }
    }

    fn pack(&self, object: Arc<dyn AnyObject>, index_values: Option<IndexValues>) -> Cached {
        let Some(rewriter) = &self.rewriter else { return Cached::any(object) };
        match rewriter.rewrite(&*object, index_values) {
            Ok(packed) => {
                // The decoded object is not held: unpacking may lose parts, such as a time's
                // fraction, and every read must return the same.
                self.shared.dropper.free(object);
                Cached::any(packed)
            }
            Err(error) => self.keep_decoded(object, error),
        }
    }

    fn status(&self) -> StorageStatus {
        let Shared { heat, figures, .. } = &*self.shared;
        let (hot_objects, hot_bytes) = heat.held();
        let own = self.refused.get().copied();
        let refused = own.or_else(|| self.rewriter.as_ref()?.refused());
        StorageStatus {
            objects: figures.objects.load(Relaxed),
            bytes: figures.bytes.load(Relaxed),
            hot_objects,
            hot_bytes,
            hot_limit: self.shared.hot_limit(),
            over_limit: figures.over_limit.get(),
            hits: figures.hits.get(),
            misses: figures.misses.get(),
            large_lists: figures.large_lists.get(),
            kept_decoded: figures.kept_decoded.get(),
            unreadable: figures.unreadable.get(),
            refused: refused.map(|error| error.to_string()),
            views: self.shared.view_status(),
        }
    }

    fn view(&self, of: ViewType) -> Option<Arc<View>> {
        let view = self.shared.view(of);
        // Not before: from here on, `refuse` sees the view.
        self.packs().then_some(view)
    }

    fn misses(&self) -> u64 {
        self.shared.figures.misses.get()
    }

    fn note_list(&self, unpacked: u64) {
        self.shared.figures.listed(unpacked);
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
impl PackedKeeper {
    /// Returns the numbers of hot and of lent objects that sweeps will visit.
    pub(super) fn swept_objects(&self) -> [usize; 2] {
        self.shared.heat.entries()
    }

    pub(super) fn label_maps(&self) -> usize {
        self.shared.labels.len()
    }
}
