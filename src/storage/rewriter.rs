//! The packing of objects that did not arrive as bytes, by their `Serialize`.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use kube::Resource;
use kube_decode::stack;
use serde::{Serialize, de::DeserializeOwned};

use super::PackError;
use super::dictionary::Dictionaries;
use super::json::{self, Written};
use super::keeper::Rewrite;
use super::packed::{KeptMetadata, PackContext, Packed};
use super::shared::Shared;
use crate::object::{AnyObject, IndexValues};

/// The number of objects that must survive a round trip before a type is trusted.
const ROUND_TRIPS: usize = 8;

/// The serialiser of one informer's objects, which packs the result.
pub(super) struct Rewriter {
    shared: Arc<Shared>,
    /// Serialises an object.
    serialise: Serialise,
    /// The dictionaries of serialised objects.
    dictionaries: Dictionaries<PackContext>,
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

impl Rewriter {
    /// Makes the rewriter of objects of type `K`.
    pub(super) fn new<K>(shared: &Arc<Shared>) -> Self
    where
        K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let codec = Arc::new(json::codec::<K>());
        let context = PackContext { codec, is_wire: false, shared: shared.clone() };
        Self {
            serialise: |object, room, wipe| {
                let object = object.downcast_ref::<K>().ok_or(PackError::NotSerialised)?;
                json::write(object, room, wipe)
            },
            dictionaries: Dictionaries::new(Arc::new(context), shared.wipe),
            shared: shared.clone(),
            round_trips: AtomicUsize::new(0),
            refused: OnceLock::new(),
            written: AtomicUsize::new(0),
        }
    }

    /// Serialises the whole object, because a type may compute a field from any other as it is
    /// decoded.
    fn write(&self, object: &dyn AnyObject) -> Result<Written, PackError> {
        let room = self.written.load(Relaxed) * 9 / 8;
        (self.serialise)(object, room, self.shared.wipe)
    }

    /// Checks that any thread can unpack an object, and that it is the same after it was unpacked
    /// and serialised again.
    fn check(&self, packed: &Packed, written: &[u8]) -> Result<(), PackError> {
        let (unpacked, is_deep) = stack::measured(|| packed.unpack(None));
        let unpacked = unpacked.map_err(|_| PackError::NotUnpacked);
        let again = unpacked.and_then(|object| {
            let keeps = object.meta().is_some_and(|meta| packed.keeps(meta));
            let again = if keeps { self.write(&*object) } else { Err(PackError::Disagrees) };
            self.shared.dropper.free(object);
            again
        });
        if is_deep {
            return Err(PackError::TooDeep);
        }
        match json::is_equivalent(written, again?.bytes.as_slice()) {
            Some(true) => Ok(()),
            Some(false) => Err(PackError::Disagrees),
            None => Err(PackError::NotUnpacked),
        }
    }

    /// Checks the first objects, for their type, and later those that are doubtful, or all once a
    /// read has failed.
    fn check_if_needed(
        &self,
        packed: &Packed,
        written: &[u8],
        is_doubtful: bool,
    ) -> Result<(), PackError> {
        let is_early = self.round_trips.load(Relaxed) < ROUND_TRIPS;
        if !(is_early || is_doubtful || self.shared.figures.unreadable.get() > 0) {
            return Ok(());
        }
        let checked = self.check(packed, written);
        match checked {
            Ok(()) if is_early => drop(self.round_trips.fetch_add(1, Relaxed)),
            // A doubtful object may be unlike others of its type.
            Err(error @ (PackError::NotUnpacked | PackError::Disagrees))
                if is_early && !is_doubtful =>
            {
                self.refuse(error);
            }
            _ => {}
        }
        checked
    }

    fn refuse(&self, error: PackError) {
        if self.refused.set(error).is_ok() {
            self.shared.figures.refused(error);
        }
    }
}

impl Rewrite for Rewriter {
    fn rewrite(
        &self,
        object: &dyn AnyObject,
        index_values: Option<IndexValues>,
    ) -> Result<Arc<Packed>, PackError> {
        if let Some(refused) = self.refused.get() {
            return Err(*refused);
        }
        let Written { bytes, is_doubtful } = self.write(object)?;
        let bytes = bytes.as_slice();
        let meta = object.meta().ok_or(PackError::NotSerialised)?;
        let packed =
            Packed::new(bytes, &KeptMetadata::of(meta), index_values, self.dictionaries.current())?;
        self.check_if_needed(&packed, bytes, is_doubtful)?;
        self.written.store(bytes.len(), Relaxed);
        self.dictionaries.learn(bytes, packed.packed_bytes());
        Ok(packed)
    }

    fn refused(&self) -> Option<PackError> {
        self.refused.get().copied()
    }
}
