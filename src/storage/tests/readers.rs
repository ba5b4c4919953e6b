//! Readers that unpack an object at the same time as others, and the writer beside them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, mpsc};

use kube_decode::{FieldSet, SerdeDecode};

use super::*;
use crate::indexer::Indexer;
use crate::object::{ObjectKey, PassingRead};
use crate::packer::Packer;

/// A decoder that waits twice for another thread while it is on.
struct Meeting {
    is_on: AtomicBool,
    barrier: Barrier,
}

#[derive(Clone)]
struct Waiting(Arc<Meeting>);

impl Waiting {
    fn new() -> Self {
        Self(Arc::new(Meeting { is_on: false.into(), barrier: Barrier::new(2) }))
    }

    /// Returns an object that arrives, packed.
    fn pack<K>(&self, keeper: &Arc<PackedKeeper>) -> Cached
    where
        K: Resource + DeserializeOwned + Send + Sync + 'static,
    {
        let codec = Arc::new(Codec::plain(decode_any::<K>(Arc::new(self.clone())), 11));
        let bytes = serde_json::to_vec(&config_map(1)).unwrap();
        let wire = WireObject { bytes: &bytes, codec: &codec };
        packed(Packer::keeping(keeper.clone()).pack_wire(&wire).unwrap().1)
    }

    fn turn(&self, on: bool) {
        self.0.is_on.store(on, Ordering::SeqCst);
    }

    fn meet(&self) {
        self.0.barrier.wait();
    }
}

impl<K: DeserializeOwned + 'static> Decode<K> for Waiting {
    fn decode(&self, object: &[u8]) -> Result<K, DecodeError> {
        if self.0.is_on.load(Ordering::SeqCst) {
            self.meet();
            self.meet();
        }
        SerdeDecode::new().decode(object)
    }
}

/// The writer asks for the heat of the state that it replaces, and for its index values.
#[test]
fn writer_does_not_wait_for_a_reader() {
    let keeper = compact::<ConfigMap>(false).0;
    let _sweeping = keeper.clone().sweep(Box::new(drop));
    let decoder = Waiting::new();
    let object = decoder.pack::<ConfigMap>(&keeper);
    let (store, key) = (Indexer::<ConfigMap>::new(), ObjectKey::cluster("thing-1").unwrap());
    let index = store.add_index("uid", |map| map.metadata.uid.clone()).unwrap();
    let put = |store: &Indexer<ConfigMap>, key: &ObjectKey, object: Cached| {
        let mut write = store.transaction();
        write.put(key, object.cast::<ConfigMap>());
        assert!(write.commit().is_empty());
    };
    put(&store, &key, object.clone());
    decoder.turn(true);
    let read = object.clone();
    let reader = thread::spawn(move || read.read(None).is_some());
    decoder.meet();
    decoder.turn(false);
    let (tells, told) = mpsc::channel();
    thread::spawn(move || {
        let heat = object.heat();
        let part = object.read(Some(&FieldSet::from_paths(["data"]))).is_some();
        put(&store, &key, Cached::from(Arc::new(config_map(2))).cast());
        tells.send((heat, part))
    });
    let done = told.recv_timeout(Duration::from_secs(10));
    decoder.meet();
    assert_eq!(done, Ok((0, true)));
    assert!(reader.join().unwrap());
    assert_eq!((index.len("uid-1"), index.len("uid-2")), (0, 1));
}

/// No reader waits for another one that unpacks the object.
#[test]
fn readers_at_once_get_the_same_object() {
    for (swept, reads) in [(false, [None; 2]), (true, [None; 2]), (true, [None, INDEX])] {
        let dropper = SafeDropper::default();
        let keeper = keeping::<Bomb>(SETTINGS, dropper.clone()).0;
        let _sweeping = swept.then(|| keeper.clone().sweep(Box::new(drop)));
        let decoder = Waiting::new();
        let object = decoder.pack::<Bomb>(&keeper);
        let before = dropper.faults();
        decoder.turn(true);
        let [one, other] = reads
            .map(|passing| {
                let object = object.clone();
                thread::spawn(move || match passing {
                    None => object.read(None).unwrap(),
                    Some(passing) => object.read_for(passing, None).unwrap(),
                })
            })
            .map(|thread| thread.join().unwrap());
        assert!(Arc::ptr_eq(&one, &other));
        assert_eq!(dropper.faults() - before, 1, "the other copy went, and its panic was caught");
        let StorageStatus { hits, misses, hot_objects, .. } = keeper.status();
        assert_eq!((hits, misses, hot_objects), (0, 2, usize::from(swept)));
        dropper.free([one, other]);
    }
}

const INDEX: Option<PassingRead> = Some(PassingRead::Index);
