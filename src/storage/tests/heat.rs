//! The time for which an object stays unpacked after it was read.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use kube_decode::SerdeDecode;
use tokio::time::{advance, sleep};

use super::*;
use crate::indexer::Indexer;
use crate::object::{CachedEvent, ObjectKey, PassingRead};
use crate::packer::Packer;
use crate::storage::ReportFault;
use crate::storage::heat::HOTTEST;
use crate::yield_budget::TURN;

const MS: Duration = Duration::from_millis(1);

/// A decoder that counts.
#[derive(Clone, Default)]
struct Counting(Arc<AtomicUsize>);

impl Decode<ConfigMap> for Counting {
    fn decode(&self, object: &[u8]) -> Result<ConfigMap, DecodeError> {
        self.0.fetch_add(1, Relaxed);
        SerdeDecode::new().decode(object)
    }
}

/// A store of packed objects that arrive as bytes, and the sweeps over them.
struct Arrivals {
    keeper: Arc<PackedKeeper>,
    packer: Packer,
    store: Indexer,
    decoded: Counting,
    codec: Arc<Codec>,
}

impl Arrivals {
    fn new() -> Self {
        Self::holding(None)
    }

    /// Makes a store with this limit of the bytes held unpacked.
    fn holding(limit: Option<usize>) -> Self {
        let settings = Settings { limit, ..SETTINGS };
        let keeper = keeping::<ConfigMap>(settings, SafeDropper::default()).0;
        let store = Indexer::<ConfigMap>::new().cast();
        let packer = Packer::new(keeper.clone(), Arc::new(store.clone()));
        let decoded = Counting::default();
        let codec = Arc::new(Codec::plain(decode_any(Arc::new(decoded.clone())), 11));
        tokio::spawn(keeper.clone().sweep(Box::new(drop)));
        Self { keeper, packer, store, decoded, codec }
    }

    /// Stores an object that arrives.
    fn put(&self, n: usize) -> Cached {
        let bytes = serde_json::to_vec(&config_map(n)).unwrap();
        let wire = WireObject { bytes: &bytes, codec: &self.codec };
        let (key, object) = self.packer.pack_wire(&wire).unwrap();
        let mut write = self.store.transaction();
        write.put(&key, &object);
        write.commit();
        object
    }

    fn read(&self, n: usize) {
        let key = ObjectKey::cluster(&format!("thing-{n}")).unwrap();
        assert!(self.store.snapshot().get_cached(&key).unwrap().read(None).is_some());
    }

    /// Returns the number of decodes since the last call.
    fn decodes(&self) -> usize {
        self.decoded.0.swap(0, Relaxed)
    }

    /// Returns the size of one hot object.
    fn size_of_hot(&self) -> usize {
        self.put(10);
        self.read(10);
        self.keeper.status().hot_bytes
    }

    fn hot(&self) -> usize {
        self.keeper.status().hot_objects
    }
}

#[tokio::test(start_paused = true)]
async fn unread_objects_never_stay_decoded() {
    let arrivals = Arrivals::new();
    for n in (0..100).chain(0..100) {
        arrivals.put(n);
    }
    assert_eq!((arrivals.hot(), arrivals.decodes()), (0, 200));
    assert_eq!(arrivals.keeper.swept_objects(), [0, 0]);
}

#[tokio::test(start_paused = true)]
async fn new_states_are_decoded_once_while_most_of_them_are_read() {
    let arrivals = Arrivals::new();
    let put_all = || (0..400).for_each(|n| drop(arrivals.put(n)));
    put_all();
    arrivals.decodes();
    let decodes: Vec<_> = (0..400)
        .map(|n| {
            arrivals.put(n);
            arrivals.read(n);
            arrivals.decodes()
        })
        .collect();
    assert_eq!(decodes[..100], [2; 100], "one for the check, one for the read");
    assert_eq!(decodes[300..], [1; 100]);

    // States that nobody reads soon stay packed.
    sleep(2 * AGE).await;
    assert_eq!(arrivals.hot(), 0);
    put_all();
    let hot = arrivals.hot();
    assert!(hot < 200, "{hot}");
    put_all();
    sleep(2 * AGE).await;
    put_all();
    assert_eq!(arrivals.hot(), 0);
}

#[tokio::test(start_paused = true)]
async fn new_objects_stay_packed_however_often_new_states_are_read() {
    let arrivals = Arrivals::new();
    for n in (0..400).chain(0..400) {
        arrivals.put(n);
        arrivals.read(n);
    }
    let hot = arrivals.hot();
    for n in 1_000..1_100 {
        arrivals.put(n);
    }
    assert_eq!(arrivals.hot(), hot);
}

#[tokio::test(start_paused = true)]
async fn read_object_stays_for_its_age() {
    // At any time between two sweeps.
    for phase in [0, 1, 10_000, 29_999, 30_000, 45_000] {
        for ends in [false, true] {
            let arrivals = Arrivals::new();
            arrivals.put(1);
            arrivals.put(2);
            arrivals.read(2);
            sleep(phase * MS).await;
            arrivals.read(1);
            let first = arrivals.decodes();
            assert_eq!(first, 4, "two arrivals and two reads");
            sleep(AGE.saturating_sub(MS)).await;
            if ends {
                sleep(AGE / 2 + 2 * MS).await;
                assert_eq!(arrivals.hot(), 0, "{phase}");
            }
            arrivals.read(1);
            assert_eq!(arrivals.decodes(), usize::from(ends), "{phase}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn periodic_reader_keeps_its_object() {
    let arrivals = Arrivals::new();
    arrivals.put(1);
    for _ in 0..50 {
        arrivals.read(1);
        sleep(AGE.saturating_sub(MS)).await;
    }
    assert_eq!(arrivals.decodes(), 2);
    sleep(AGE).await;
    assert_eq!((arrivals.hot(), arrivals.keeper.status().hot_bytes), (0, 0));
    assert_eq!(arrivals.keeper.swept_objects(), [0, 0]);
}

#[tokio::test(start_paused = true)]
async fn new_state_inherits_heat() {
    let arrivals = Arrivals::new();
    for n in [1, 2] {
        arrivals.put(n);
    }
    arrivals.read(1);
    assert_eq!(arrivals.decodes(), 3);
    for n in [1, 2] {
        arrivals.put(n);
    }
    arrivals.read(1);
    assert_eq!(arrivals.decodes(), 2, "the check of each");
    arrivals.read(2);
    assert_eq!(arrivals.decodes(), 1, "it was cold");
}

#[tokio::test(start_paused = true)]
async fn updates_alone_keep_nothing_hot() {
    let arrivals = Arrivals::new();
    arrivals.put(1);
    arrivals.read(1);
    for _ in 0..90 {
        assert_eq!(arrivals.hot(), 1);
        arrivals.put(1);
        sleep(Duration::from_secs(1)).await;
    }
    sleep(MS).await;
    assert_eq!(arrivals.hot(), 0);
}

#[tokio::test(start_paused = true)]
async fn second_scan_within_the_age_decodes_nothing() {
    let arrivals = Arrivals::new();
    for n in 0..1000 {
        arrivals.put(n);
    }
    arrivals.decodes();
    for decoded in [1000, 0] {
        for n in 0..1000 {
            arrivals.read(n);
        }
        assert_eq!(arrivals.decodes(), decoded);
        sleep(AGE.saturating_sub(MS)).await;
    }
    let StorageStatus { hits, misses, hot_objects, hot_bytes, .. } = arrivals.keeper.status();
    assert_eq!((hits, misses, hot_objects), (1000, 1000, 1000));
    assert!(hot_bytes > 1000 * 600, "{hot_bytes}");
}

#[tokio::test(start_paused = true)]
async fn only_second_initial_add_counts_as_read() {
    let arrivals = Arrivals::new();
    let object = arrivals.put(1).cast::<ConfigMap>();
    let added = |initial| CachedEvent::Added { object: object.clone(), initial };
    for (event, hot) in [(added(true), 0), (added(true), 1)] {
        assert!(event.read().is_some());
        assert_eq!(arrivals.hot(), hot);
    }
    let live = arrivals.put(2).cast::<ConfigMap>();
    assert!(CachedEvent::Added { object: live, initial: false }.read().is_some());
    assert_eq!(arrivals.hot(), 2);
}

/// Reads some objects, and lets the sweeps make room.
async fn read_all(arrivals: &Arrivals, all: impl IntoIterator<Item = usize>) {
    for n in all {
        arrivals.read(n);
        sleep(MS).await;
    }
}

#[tokio::test(start_paused = true)]
async fn coldest_objects_make_room_for_others() {
    let size = Arrivals::new().size_of_hot();
    let arrivals = Arrivals::holding(Some(16 * size));
    (10..70).for_each(|n| drop(arrivals.put(n)));
    read_all(&arrivals, 10..26).await;
    assert_eq!(arrivals.hot(), 16);
    // All objects that are held were read since the last sweep, so they stay.
    read_all(&arrivals, 26..50).await;
    assert_eq!((arrivals.hot(), arrivals.keeper.status().over_limit), (16, 24));
    sleep(AGE / 2).await;
    read_all(&arrivals, 18..26).await;
    arrivals.decodes();
    // Each read that finds no room makes room for two others.
    read_all(&arrivals, 60..70).await;
    assert_eq!((arrivals.decodes(), arrivals.keeper.status().over_limit), (10, 24 + 4));
    assert!((14..=16).contains(&arrivals.hot()), "{}", arrivals.hot());
    read_all(&arrivals, 18..26).await;
    assert_eq!(arrivals.decodes(), 0, "those that were read stay");
    sleep(2 * AGE).await;
    assert_eq!((arrivals.hot(), arrivals.keeper.swept_objects()), (0, [0, 0]));
}

#[tokio::test(start_paused = true)]
async fn new_state_waits_for_its_reader_if_no_more_may_be_held() {
    let arrivals = Arrivals::holding(Some(0));
    let put_and_read = |n| {
        arrivals.put(n);
        arrivals.read(n);
        arrivals.decodes()
    };
    for n in 0..600 {
        put_and_read(n % 200);
    }
    let decodes: Vec<_> = (0..200).map(put_and_read).collect();
    assert_eq!((decodes, arrivals.hot()), (vec![1; 200], 0));
    // A reader that comes late decodes the state again.
    (0..100).for_each(|n| drop(arrivals.put(n)));
    assert_eq!(arrivals.decodes(), 100);
    for (n, again) in [(99, 0), (36, 0), (35, 1), (0, 1)] {
        arrivals.read(n);
        assert_eq!(arrivals.decodes(), again, "{n}");
    }
    sleep(3 * Duration::from_secs(1)).await;
    assert_eq!(arrivals.keeper.swept_objects(), [0, 0]);
    arrivals.read(98);
    assert_eq!(arrivals.decodes(), 1);
}

#[tokio::test(start_paused = true)]
async fn limit_follows_the_size_of_the_store() {
    let arrivals = Arrivals::new();
    arrivals.put(1);
    assert_eq!(arrivals.keeper.status().hot_limit, 64 << 20);
    let mut state = 4711u64;
    let text = (0..8 << 20).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'a' + (state >> 60) as u8)
    });
    let data = Some([("text".into(), text.collect())].into());
    let map = ConfigMap { metadata: metadata(2), data, ..ConfigMap::default() };
    let bytes = serde_json::to_vec(&map).unwrap();
    let wire = WireObject { bytes: &bytes, codec: &arrivals.codec };
    let _object = arrivals.packer.pack_wire(&wire).unwrap();
    let StorageStatus { bytes, hot_limit, .. } = arrivals.keeper.status();
    assert!(bytes > 4 << 20 && hot_limit == 32 * bytes, "{bytes}, {hot_limit}");
}

#[tokio::test(start_paused = true)]
async fn index_functions_warm_nothing() {
    let arrivals = Arrivals::new();
    let object = arrivals.put(1);
    for _ in 0..3 {
        assert!(object.read_for(PassingRead::Index, None).is_some());
        assert_eq!(arrivals.hot(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn each_turn_of_a_sweep_is_bounded() {
    for count in [500, 2_000, 8_000] {
        let settings = Settings { limit: Some(usize::MAX), ..SETTINGS };
        let storage = keeping::<ConfigMap>(settings, SafeDropper::default());
        let mut sweeps = storage.0.clone().sweep(Box::new(drop));
        let objects: Vec<_> = (0..count).map(|n| packed(storage.pack(config_map(n)))).collect();
        assert!(objects.iter().all(|object| object.get().is_some()));
        let (mut hot, turns_of_a_sweep) = (count, count.div_ceil(TURN) + 2);
        for turn in 0..=turns_of_a_sweep * (usize::from(HOTTEST) + 1) {
            if turn % turns_of_a_sweep == 1 {
                advance(AGE / 2).await;
            }
            assert!((&mut sweeps).now_or_never().is_none());
            let now = storage.status().hot_objects;
            assert!(hot - now <= TURN, "{} of {count} in a turn", hot - now);
            hot = now;
        }
        assert_eq!(hot, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn replaced_states_leave_few_entries() {
    let arrivals = Arrivals::new();
    arrivals.put(1);
    arrivals.read(1);
    for n in 0..5_000 {
        arrivals.put(1);
        if n % 100 == 0 {
            // The sweeps have a turn, and no time passes.
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
        }
        let [hot, _] = arrivals.keeper.swept_objects();
        assert!(hot < 1400, "{hot} after {n}");
    }
    assert_eq!(arrivals.hot(), 1);
}

#[tokio::test(start_paused = true)]
async fn lent_objects_are_freed_after_a_while() {
    for age in [Duration::ZERO, AGE] {
        let settings = Settings { age, ..SETTINGS };
        let storage = keeping::<ConfigMap>(settings, SafeDropper::default());
        let objects: Vec<_> = (0..300).map(|n| packed(storage.pack(config_map(n)))).collect();
        tokio::spawn(storage.0.clone().sweep(Box::new(drop)));
        sleep(MS).await;
        let held: Vec<_> = objects.iter().map(|object| object.get().unwrap()).collect();
        sleep(2 * AGE).await;
        assert_eq!(storage.swept_objects(), [0, 300]);
        let again = objects.iter().map(Cached::get_passing);
        assert!(again.zip(&held).all(|(a, b)| Arc::ptr_eq(&a, b)));
        drop(held);
        sleep(Duration::from_secs(2)).await;
        assert_eq!(storage.swept_objects(), [0, 0]);
        assert_eq!(storage.status().misses, 300);
    }
}

impl Cached<ConfigMap> {
    fn get_passing(&self) -> Arc<ConfigMap> {
        crate::object::downcast(self.read_for(PassingRead::Index, None).unwrap()).unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_becomes_hot_without_sweeps() {
    let storage = compact::<ConfigMap>(false);
    let object = packed(storage.pack(config_map(1)));
    let report: [ReportFault; 2] = [Box::new(drop), Box::new(drop)];
    for report in report {
        assert!(object.get().is_some());
        assert_eq!(storage.status().hot_objects, 0);
        drop(storage.0.clone().sweep(report));
    }
}

#[tokio::test(start_paused = true)]
async fn hot_objects_may_panic_when_dropped() {
    let dropper = SafeDropper::default();
    let keeper = keeping::<Bomb>(SETTINGS, dropper.clone()).0;
    tokio::spawn(keeper.clone().sweep(Box::new(drop)));
    let codec = Arc::new(Codec::plain(decode_any::<Bomb>(Arc::new(SerdeDecode::new())), 11));
    let wire = WireObject { bytes: br#"{"metadata": {"name": "a"}}"#, codec: &codec };
    let arrive = || {
        let object = Arc::new(Bomb { metadata: metadata(1) });
        keeper.pack_wire(&wire, object, None, Some(HOTTEST))
    };
    // Sweeps release the first; the other goes with its packed form.
    let (cooled, replaced) = (arrive(), arrive());
    drop(replaced);
    assert_eq!((dropper.faults(), keeper.status().hot_objects), (1, 1));
    sleep(2 * AGE).await;
    assert_eq!((dropper.faults(), keeper.status().hot_objects), (2, 0));
    drop(cooled);
    assert_eq!(keeper.swept_objects(), [0, 0]);
}
