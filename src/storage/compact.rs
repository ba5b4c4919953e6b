//! Packs an informer's objects as they come.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;
use serde::{Serialize, de::DeserializeOwned};

use super::buffer::Buffer;
use super::dictionary::Dictionaries;
use super::figures::Figures;
use super::form;
use super::hot::Hot;
use super::labels::SharedLabels;
use super::packed::{Beside, Packed, Shared};
use super::{Keeper, PackError, Settings, StorageStatus};
use crate::metrics::MetricLabels;
use crate::object::{Cached, Pack};

/// How many objects are unpacked and packed again for a test.
const TESTED: usize = 8;

/// The packed objects of one informer, as a whole.
pub(super) struct Compact<K> {
    shared: Arc<Shared<K>>,
    dictionaries: Dictionaries<Shared<K>>,
    /// How many objects stood the test.
    tested: AtomicUsize,
    /// Why this type is not packed.
    refused: OnceLock<PackError>,
    /// How many bytes the last object was written as: about as many as the next one will be.
    written: AtomicUsize,
}

impl<K> Compact<K> {
    pub(super) fn new(settings: Settings, resource: &Arc<str>, labels: &MetricLabels) -> Self {
        let Settings { hot_bytes, wipe } = settings;
        let shared = Arc::new(Shared {
            hot: Hot::new(if wipe { 0 } else { hot_bytes }),
            labels: SharedLabels::default(),
            figures: Figures::new(resource, labels),
            wipe,
        });
        Self {
            dictionaries: Dictionaries::new(shared.clone(), wipe),
            shared,
            tested: AtomicUsize::new(0),
            refused: OnceLock::new(),
            written: AtomicUsize::new(0),
        }
    }
}

impl<K: Resource + Serialize + DeserializeOwned> Compact<K> {
    /// Writes an object without what is kept beside it.
    fn write(&self, object: &mut K) -> (Result<Buffer, PackError>, Beside) {
        let beside = Beside::take(object.meta_mut());
        let room = self.written.load(Relaxed) * 9 / 8;
        (form::write(object, room, self.shared.wipe), beside)
    }

    /// Whether an object is the same when it was unpacked and packed again.
    fn test(&self, packed: &Packed<K>, written: &Buffer) -> Result<(), PackError> {
        if self.tested.load(Relaxed) >= TESTED {
            return Ok(());
        }
        let (again, _) = packed.unpack().map(|mut object| self.write(&mut object))?;
        if !form::same(written.as_slice(), again?.as_slice()) {
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
}

impl<K> Pack<K> for Compact<K>
where
    K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    fn pack(&self, mut object: K) -> Cached<K> {
        let Shared { hot, figures, .. } = &*self.shared;
        if self.refused.get().is_some() {
            figures.kept_decoded.add();
            return Cached::Decoded(Arc::new(object));
        }
        let (written, beside) = self.write(&mut object);
        let packed = written.and_then(|written| {
            let packed = Packed::new(&written, &beside, self.dictionaries.current())?;
            self.test(&packed, &written).inspect_err(|error| self.refuse(*error))?;
            self.written.store(written.as_slice().len(), Relaxed);
            self.dictionaries.learn(written.as_slice(), packed.packed_bytes());
            Ok(packed)
        });
        match packed {
            Err(error) => {
                beside.put(object.meta_mut());
                figures.kept_decoded(error);
                Cached::Decoded(Arc::new(object))
            }
            Ok(packed) => {
                if hot.holds() {
                    // Handlers and indexes are about to read it.
                    beside.put(object.meta_mut());
                    packed.hold(Arc::new(object));
                }
                Cached::Packed(packed)
            }
        }
    }
}

impl<K> Keeper<K> for Compact<K>
where
    K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
{
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

    fn tend(self: Arc<Self>) -> BoxFuture<'static, ()> {
        let shared = self.shared.clone();
        async move { shared.hot.tend().await }.boxed()
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
