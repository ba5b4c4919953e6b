//! Packs an informer's objects as they come.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;
use kube::api::ObjectMeta;
use serde::{Serialize, de::DeserializeOwned};

use super::buffer::Buffer;
use super::dictionary::Dictionaries;
use super::figures::Figures;
use super::form::{self, Form};
use super::hot::Hot;
use super::labels::SharedLabels;
use super::packed::{Beside, Kin, Packed, Said, Shared};
use super::{Keeper, PackError, Settings, StorageStatus};
use crate::metrics::MetricLabels;
use crate::object::{Arrived, Cached, Encoded, Filed, Filing, ObjectEncoding, Pack};
use crate::sync::Mutex;

/// How many objects are unpacked and packed again for a test.
const TESTED: usize = 8;

/// How many encodings are remembered. A source has one or two.
const ENCODINGS: usize = 8;

/// The packed objects of one informer, as a whole.
pub(super) struct Compact<K> {
    shared: Arc<Shared<K>>,
    /// What notes under which values objects will be filed.
    filing: Option<Arc<dyn Filing<K>>>,
    /// Whether objects are decoded as they come.
    check: bool,
    /// Of the objects that are kept as they came.
    sent: Mutex<Vec<Arc<Sent<K>>>>,
    /// Of the objects that are written here.
    own: Dictionaries<Kin<K>>,
    /// How many objects stood the test.
    tested: AtomicUsize,
    /// Why this type is not written.
    refused: OnceLock<PackError>,
    /// How many bytes the last object was written as: about as many as the next one will be.
    written: AtomicUsize,
}

/// Objects that come in one encoding.
struct Sent<K> {
    encoding: Arc<dyn ObjectEncoding<K>>,
    dictionaries: Dictionaries<Kin<K>>,
}

impl<K: DeserializeOwned> Compact<K> {
    pub(super) fn new(
        settings: Settings,
        resource: &Arc<str>,
        labels: &MetricLabels,
        filing: Option<Arc<dyn Filing<K>>>,
    ) -> Self {
        let Settings { hot_bytes, wipe, check } = settings;
        let shared = Arc::new(Shared {
            hot: Hot::new(if wipe { 0 } else { hot_bytes }),
            labels: SharedLabels::default(),
            figures: Figures::new(resource, labels),
            wipe,
        });
        let own = Arc::new(Kin { form: Form::own(), shared: shared.clone() });
        Self {
            shared,
            filing,
            check,
            sent: Mutex::default(),
            own: Dictionaries::new(own, wipe),
            tested: AtomicUsize::new(0),
            refused: OnceLock::new(),
            written: AtomicUsize::new(0),
        }
    }
}

impl<K> Sent<K> {
    /// Packs an object as it came.
    fn pack(
        &self,
        meta: &ObjectMeta,
        bytes: &[u8],
        filed: Option<Filed>,
    ) -> Result<Arc<Packed<K>>, PackError> {
        let dictionary = self.dictionaries.current();
        let packed = Packed::new(bytes, &Said::by(meta), filed, dictionary)?;
        self.dictionaries.learn(bytes, packed.packed_bytes());
        Ok(packed)
    }
}

impl<K: Resource + Serialize + DeserializeOwned> Compact<K> {
    /// What packs objects that come in this encoding.
    fn sent(&self, encoding: &Arc<dyn ObjectEncoding<K>>) -> Arc<Sent<K>> {
        let mut sent = self.sent.lock();
        if let Some(known) = sent.iter().find(|known| Arc::ptr_eq(&known.encoding, encoding)) {
            return known.clone();
        }
        if sent.len() == ENCODINGS {
            sent.remove(0);
        }
        let kin = Kin { form: Form::Sent(encoding.clone()), shared: self.shared.clone() };
        let dictionaries = Dictionaries::new(Arc::new(kin), self.shared.wipe);
        let new = Arc::new(Sent { encoding: encoding.clone(), dictionaries });
        sent.push(new.clone());
        new
    }

    /// Writes an object and packs that.
    fn rewrite(&self, object: &mut K, filed: Option<Filed>) -> Result<Arc<Packed<K>>, PackError> {
        if let Some(refused) = self.refused.get() {
            return Err(*refused);
        }
        let (written, beside) = self.write(object);
        let packed = written.and_then(|written| {
            let dictionary = self.own.current();
            let packed = Packed::new(written.as_slice(), &beside.said(), filed, dictionary)?;
            self.test(&packed, &written).inspect_err(|error| self.refuse(*error))?;
            self.written.store(written.as_slice().len(), Relaxed);
            self.own.learn(written.as_slice(), packed.packed_bytes());
            Ok(packed)
        });
        beside.put(object.meta_mut());
        packed
    }

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
        let (again, _) = packed.unpack(None).map(|mut object| self.write(&mut object))?;
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
    fn packs_undecoded(&self) -> bool {
        !self.check && self.filing.as_ref().is_none_or(|filing| filing.asks_for_fields())
    }

    fn pack_undecoded(&self, meta: &ObjectMeta, encoded: &Encoded<K>) -> Option<Cached<K>> {
        let Encoded { bytes, encoding } = encoded;
        let filed = match &self.filing {
            None => None,
            Some(filing) => {
                let form = Form::Sent(encoding.clone());
                filing.note_fields(&|fields| form.read(bytes, fields).ok()).ok()?
            }
        };
        let packed = self.sent(encoding).pack(meta, bytes, filed).ok()?;
        Some(Cached::Packed(packed))
    }

    fn pack(&self, arrived: Arrived<K>) -> Cached<K> {
        let Arrived { mut object, mut whole, bulk, encoded } = arrived;
        let filed = self.filing.as_ref().and_then(|filing| filing.note(&object));
        let packed = if let Some(encoded) = encoded {
            let sent = self.sent(&encoded.encoding);
            let packed = sent.pack(object.meta(), &encoded.bytes, filed);
            if packed.is_err()
                && !whole
                && let Ok(all) = Form::Sent(encoded.encoding).read(&encoded.bytes, None)
            {
                (object, whole) = (all, true);
            }
            packed
        } else {
            self.rewrite(&mut object, filed)
        };
        let Shared { hot, figures, .. } = &*self.shared;
        match packed {
            Err(error) => {
                figures.kept_decoded(error);
                Cached::Decoded(Arc::new(object))
            }
            Ok(packed) => {
                // Handlers are about to read one that comes alone. Of many the last few would be held,
                // for all the trouble with the rest.
                if hot.holds() && whole && !bulk {
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
