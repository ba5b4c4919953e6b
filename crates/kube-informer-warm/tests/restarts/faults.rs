//! Stores that block, panic or have what the server has lost.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::warm::{TableName, WarmError, WarmRecord, WarmStore, WarmTable};
use kube_informer::{InformerSpec, SharedInformer, SharedInformerFactory};
use kube_informer_warm::WarmCache;
use parking_lot::Mutex;
use tokio::time::{advance, sleep};

use crate::definitions::{create, definition, serve, widgets};
use crate::world::{LIMIT, Scope, Scratch, lists, map, view};

type Records = BTreeMap<String, (u64, Vec<u8>)>;

/// A store in memory that can fail.
#[derive(Clone, Default)]
struct Memory {
    kept: Arc<Mutex<(Records, Option<String>)>>,
    opens_block: Arc<AtomicBool>,
    commits_block: Arc<AtomicBool>,
    panics_at: &'static str,
}

fn wait_while(blocks: &AtomicBool) {
    while blocks.load(SeqCst) {
        thread::sleep(Duration::from_millis(1));
    }
}

impl Memory {
    fn step(&self, step: &str) {
        assert!(step != self.panics_at, "the store is broken");
    }
}

impl WarmStore for Memory {
    fn open(&self, _: &TableName) -> Result<Option<Box<dyn WarmTable>>, WarmError> {
        wait_while(&self.opens_block);
        Ok(Some(Box::new(Table { records: Records::new(), store: self.clone() })))
    }

    fn cluster(&self) -> Option<Arc<str>> {
        self.step("cluster");
        Some("the cluster".into())
    }

    fn interval(&self) -> Duration {
        self.step("interval");
        Duration::from_millis(50)
    }
}

struct Table {
    records: Records,
    store: Memory,
}

impl Drop for Table {
    fn drop(&mut self) {
        self.store.step("drop");
    }
}

impl WarmTable for Table {
    fn read(&mut self, visit: &mut dyn FnMut(WarmRecord<'_>)) -> Result<Option<String>, WarmError> {
        let (records, state) = self.store.kept.lock().clone();
        self.records = records;
        for (key, (form, bytes)) in &self.records {
            visit(WarmRecord { key, form: *form, bytes });
        }
        Ok(state)
    }

    fn clear(&mut self) -> Result<(), WarmError> {
        self.records.clear();
        Ok(())
    }

    fn put(&mut self, record: WarmRecord<'_>) -> Result<(), WarmError> {
        self.records.insert(record.key.into(), (record.form, record.bytes.into()));
        Ok(())
    }

    fn remove(&mut self, key: &str) -> Result<(), WarmError> {
        self.records.remove(key);
        Ok(())
    }

    fn commit(&mut self, state: &str) -> Result<(), WarmError> {
        wait_while(&self.store.commits_block);
        *self.store.kept.lock() = (self.records.clone(), Some(state.to_owned()));
        Ok(())
    }
}

fn server_with(namespace: &str, maps: u64) -> ApiServer {
    let server = ApiServer::builder().bookmark_interval(Duration::from_secs(60)).build();
    for n in 0..maps {
        server.create(&map(namespace, &format!("map-{n}"), n)).unwrap();
    }
    server
}

fn start(
    server: &ApiServer,
    store: impl WarmStore,
) -> (SharedInformerFactory, SharedInformer<ConfigMap>) {
    let factory = SharedInformerFactory::builder(server.client()).warm(store).build();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    (factory, maps)
}

async fn run_once(server: &ApiServer, store: impl WarmStore) {
    let (factory, maps) = start(server, store);
    maps.wait_for_sync(LIMIT).await.unwrap();
    factory.shutdown().await;
}

fn is_current(maps: &SharedInformer<ConfigMap>, server: &ApiServer) -> bool {
    let stored: Vec<_> = maps.snapshot().iter().map(|(_, map)| map).collect();
    view(stored.iter().map(|map| &**map)) == Scope::Everything.of(server)
}

fn refuse_lists(server: &ApiServer) {
    server.intercept(|request| {
        let refused = !request.watch && request.path().ends_with("/configmaps");
        refused.then(|| Response::builder().status(503).body(Bytes::new()).unwrap())
    });
}

fn replace(bytes: &mut Vec<u8>, from: &[u8], to: &[u8]) {
    while let Some(at) = bytes.windows(from.len()).position(|part| part == from) {
        bytes.splice(at..at + from.len(), to.iter().copied());
    }
}

/// A server that was restored from a backup has an older state of an object, and its list has a
/// newer version than both states.
#[tokio::test(start_paused = true)]
async fn newer_state_of_a_lost_history_is_found_by_the_audit() {
    let (server, store) = (server_with("shop", 20), Memory::default());
    run_once(&server, store.clone()).await;
    let versions = Scope::Everything.of(&server);
    let (listed, lost) = (&versions["shop/map-12"].1, &versions["shop/map-17"].1);
    {
        let mut kept = store.kept.lock();
        let bytes = &mut kept.0.get_mut("shop/map-12").unwrap().1;
        let field = |version: &str| [b"2\x02", version.as_bytes()].concat();
        assert!(bytes.windows(4).any(|part| part == field(listed)), "not in protobuf");
        replace(bytes, &field(listed), &field(lost));
    }
    let (factory, maps) = start(&server, store.clone());
    maps.wait_for_sync(LIMIT).await.unwrap();
    assert!(!is_current(&maps, &server), "the kept state was not used");
    sleep(Duration::from_secs(120)).await;
    assert!(is_current(&maps, &server), "{:?}", maps.status().audit);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn audit_that_could_not_judge_is_made_again() {
    let store = Memory::default();
    run_once(&server_with("shop", 20), store.clone()).await;
    let restored = server_with("other", 30);
    let (factory, maps) = start(&restored, store);
    maps.wait_for_sync(LIMIT).await.unwrap();
    assert!(!is_current(&maps, &restored), "the kept state was not used");
    refuse_lists(&restored);
    sleep(Duration::from_secs(180)).await;
    restored.stop_intercepting();
    sleep(Duration::from_secs(1_300)).await;
    assert!(is_current(&maps, &restored), "{:?}", maps.status().audit);
    factory.shutdown().await;
}

/// A list without the kept objects would tell of no delete, and no later list could.
#[tokio::test(start_paused = true)]
async fn cluster_that_is_not_shown_at_first_is_asked_for_again() {
    let (server, store) = (server_with("shop", 20), Memory::default());
    run_once(&server, store.clone()).await;
    let refused = Mutex::new(0..3);
    server.intercept(move |request| {
        let is_mark = request.path().ends_with("/kube-system") && refused.lock().next().is_some();
        is_mark.then(|| Response::builder().status(503).body(Bytes::new()).unwrap())
    });
    let before = server.requests().len();
    let (factory, maps) = start(&server, store);
    maps.wait_for_sync(LIMIT).await.unwrap();
    assert_eq!((lists(&server, before, "/configmaps"), maps.snapshot().len()), (0, 20));
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn cluster_is_found_although_one_answer_is_lost_or_each_is_slow() {
    let slow = Duration::from_secs(10);
    for (times, injection) in [(1, Injection::lose_answer()), (9, Injection::delay(slow))] {
        let (server, store, faults) = (server_with("shop", 20), Memory::default(), Faults::new());
        run_once(&server, store.clone()).await;
        faults.inject(Requests::others().to("/kube-system").times(times), injection);
        let before = server.requests().len();
        let client = faults.client(server.client());
        let factory = SharedInformerFactory::builder(client).warm(store).build();
        let maps = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        maps.wait_for_sync(LIMIT).await.unwrap();
        assert_eq!((lists(&server, before, "/configmaps"), maps.snapshot().len()), (0, 20));
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn store_that_blocks_does_not_hold_up_the_first_list() {
    let (server, store) = (server_with("shop", 20), Memory::default());
    store.opens_block.store(true, SeqCst);
    let (factory, maps) = start(&server, store.clone());
    pass(20).await;
    let synced = maps.has_synced();
    store.opens_block.store(false, SeqCst);
    factory.shutdown().await;
    assert!(synced, "{:?}", maps.status());
}

/// Lets this many seconds pass. The paused time goes on by itself only while no thread blocks.
async fn pass(seconds: usize) {
    for _ in 0..seconds {
        advance(Duration::from_secs(1)).await;
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn store_that_blocks_does_not_hold_up_a_shutdown() {
    for first_write in [true, false] {
        let (server, store) = (server_with("shop", 20), Memory::default());
        let (factory, maps) = start(&server, store.clone());
        maps.wait_for_sync(LIMIT).await.unwrap();
        if !first_write {
            sleep(Duration::from_secs(5)).await;
            server.replace(&map("shop", "map-3", 99)).unwrap();
            sleep(Duration::from_millis(10)).await;
        }
        store.commits_block.store(true, SeqCst);
        let down = tokio::spawn(async move { factory.shutdown().await });
        pass(20).await;
        let is_down = down.is_finished();
        store.commits_block.store(false, SeqCst);
        assert!(is_down, "first write: {first_write}");
        assert!(maps.is_stopped() && maps.provisional().is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn interest_taken_again_at_once_is_kept() {
    let (server, scratch) = (server_with("shop", 600), Scratch::new("again"));
    let cache = WarmCache::open(scratch.path()).unwrap().cluster("the cluster");
    let factory = SharedInformerFactory::builder(server.client()).warm(cache).build();
    let taken = async || {
        let maps = factory.interest(InformerSpec::<ConfigMap>::new()).unwrap();
        factory.start().unwrap();
        maps.wait_for_sync(LIMIT).await.unwrap();
        maps
    };
    drop(taken().await);
    for _ in 0..3 {
        let before = server.requests().len();
        let maps = taken().await;
        assert_eq!((lists(&server, before, "/configmaps"), maps.snapshot().len()), (0, 600));
    }
    factory.shutdown().await;
}

/// A record is checked again only if another decoder than this run's has checked it.
#[tokio::test(start_paused = true)]
async fn records_of_another_decoder_are_checked_and_written_anew() {
    for other_decoder in [false, true] {
        let (server, store) = (server_with("shop", 20), Memory::default());
        run_once(&server, store.clone()).await;
        let form = {
            let mut kept = store.kept.lock();
            // Its metadata can be read, and its data ends too early.
            kept.0.get_mut("shop/map-12").unwrap().1.pop();
            let form = kept.0["shop/map-12"].0;
            if other_decoder {
                kept.0.values_mut().for_each(|(form, _)| *form ^= 1 << 40);
            }
            form
        };
        let (factory, maps) = start(&server, store.clone());
        maps.wait_for_sync(LIMIT).await.unwrap();
        let found = (lists(&server, 0, "/configmaps"), maps.snapshot().len());
        assert_eq!(found, (1 + usize::from(other_decoder), 20));
        assert_eq!(is_current(&maps, &server), other_decoder);
        factory.shutdown().await;
        let kept = store.kept.lock();
        assert!(kept.0.values().all(|(of, _)| *of == form), "{other_decoder}");
    }
}

/// The store counts its changes from zero, as that of the kept objects did.
#[tokio::test(start_paused = true)]
async fn first_state_is_written_although_its_counts_are_the_kept_ones() {
    let store = Memory::default();
    run_once(&server_with("shop", 20), store.clone()).await;
    let other = server_with("bank", 20);
    let factory = SharedInformerFactory::builder(other.client()).warm(store.clone()).build();
    let spec = InformerSpec::<ConfigMap>::new().trust_versions(false);
    let maps = factory.informer_with(spec).unwrap();
    factory.start().unwrap();
    maps.wait_for_sync(LIMIT).await.unwrap();
    factory.shutdown().await;
    let kept = store.kept.lock();
    assert!(kept.0.keys().all(|key| key.starts_with("bank/")), "{:?}", kept.0.keys());
}

#[tokio::test(start_paused = true)]
async fn store_that_panics_does_not_stop_the_informer() {
    for panics_at in ["cluster", "interval"] {
        let server = server_with("shop", 20);
        let store = Memory { panics_at, ..Memory::default() };
        let (factory, maps) = start(&server, store);
        maps.wait_for_sync(LIMIT).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        assert!(!maps.is_stopped(), "{:?}", maps.status());
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn table_that_panics_when_dropped_does_not_stop_the_informer() {
    let server = ApiServer::new();
    server.create(&definition(&[("v1beta1", true), ("v1", true)])).unwrap();
    create(&server, &widgets("v1"), "a").await;
    let store = Memory { panics_at: "drop", ..Memory::default() };
    let factory = SharedInformerFactory::builder(server.client()).warm(store).build();
    let spec = InformerSpec::new().when_served().trust_versions(true);
    let kind = factory.dynamic_with(&widgets("v1beta1"), spec).unwrap();
    factory.start().unwrap();
    kind.wait_for_sync(LIMIT).await.unwrap();
    sleep(Duration::from_secs(60)).await;
    // The table is given up.
    serve(&server, &[("v1beta1", false), ("v1", true)]).await;
    sleep(Duration::from_secs(60)).await;
    assert!(!kind.is_stopped(), "{:?}", kind.status().failure);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn informer_that_was_stopped_before_its_first_list_leaves_its_table() {
    let (server, scratch) = (server_with("shop", 20), Scratch::new("left"));
    let cache = || WarmCache::open(scratch.path()).unwrap().cluster("the cluster");
    run_once(&server, cache()).await;
    refuse_lists(&server);
    let (factory, first) = start(&server, cache());
    sleep(Duration::from_secs(5)).await;
    assert!(first.provisional().is_some() && factory.remove(&first).await);
    let second = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    sleep(Duration::from_secs(5)).await;
    assert!(second.provisional().is_some());
    factory.shutdown().await;
}
