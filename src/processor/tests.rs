mod backlog;
mod calls;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;

use proptest::prelude::*;

use super::*;
use crate::object::{AnyObject, Event, PackedObject, ResourceVersion, Value};

fn key(n: u8) -> ObjectKey {
    ObjectKey::cluster(&format!("o{n}")).unwrap()
}

/// Returns the key of a version: objects take turns.
fn key_of(version: u32) -> ObjectKey {
    key(u8::try_from(version % 6).unwrap())
}

fn object(version: u32) -> Cached {
    Cached::any(Arc::new(Value::from(version)))
}

fn added(version: u32) -> CachedEvent {
    CachedEvent::Added { object: object(version), initial: false }
}

fn updated(old: u32, new: u32) -> CachedEvent {
    CachedEvent::Updated { old: object(old), new: object(new) }
}

fn deleted(version: u32) -> CachedEvent {
    CachedEvent::Deleted { object: object(version), final_state_known: true }
}

fn moved(version: u32) -> CachedEvent {
    CachedEvent::MovedAway { object: object(version) }
}

/// A handler that records its events' objects, and panics on one.
struct Recorder(Arc<Mutex<Vec<u32>>>, Option<u32>);

impl EventHandler<Value<u32>> for Recorder {
    fn on_event(&mut self, event: Event<Value<u32>>) {
        let object = ***event.object();
        assert_ne!(Some(object), self.1, "asked for");
        self.0.lock().push(object);
    }
}

fn stored(versions: &[u32]) -> Vec<(ObjectKey, Cached)> {
    versions.iter().map(|v| (key_of(*v), object(*v))).collect()
}

fn note(version: u32, recipients: Recipients) -> Notification {
    Notification { key: key_of(version), event: added(version), recipients }
}

#[tokio::test]
async fn panic_is_counted_and_next_event_delivered() {
    let processor = SharedProcessor::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let added = processor.enter().add_handler(
        Recorder(seen.clone(), Some(2)),
        &HandlerOptions::new(),
        stored(&[1, 2, 3]),
        true,
    );
    let task = tokio::spawn(added.task.take().unwrap());
    assert!(added.registration.wait_for_sync().await, "a panic does not delay the sync");
    assert_eq!(*seen.lock(), [1, 3]);
    assert_eq!(added.registration.status().panics, 1);
    added.registration.remove_and_wait().await;
    task.await.unwrap();
}

#[tokio::test]
async fn sync_and_removal_wake_every_waiter() {
    let processor = SharedProcessor::new();
    let add = || {
        let recorder = Recorder(Arc::default(), None);
        processor.enter().add_handler(recorder, &HandlerOptions::new(), [], false)
    };
    let (synced, removed, unspawned) = (add(), add(), add());
    for handler in [&synced, &removed] {
        tokio::spawn(handler.task.take().unwrap());
    }
    let wait = |handler: &AddedHandler| {
        let registration = handler.registration.clone();
        (0..8).map(move |_| {
            let registration = registration.clone();
            tokio::spawn(async move { registration.wait_for_sync().await })
        })
    };
    let reached: Vec<_> = wait(&synced).collect();
    let never: Vec<_> = wait(&removed).chain(wait(&unspawned)).collect();
    tokio::task::yield_now().await;
    removed.registration.remove_and_wait().await;
    unspawned.registration.remove_and_wait().await;
    for task in never {
        assert!(!task.await.unwrap());
    }
    processor.enter().end_initial();
    for task in reached {
        assert!(task.await.unwrap());
    }
    removed.registration.remove_and_wait().await;
}

/// The next call may block, and tokio runs a task that this one woke only on this thread.
#[tokio::test]
async fn waiter_for_first_adds_runs_before_next_call() {
    let processor = SharedProcessor::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let added = processor.enter().add_handler(
        Recorder(seen.clone(), None),
        &HandlerOptions::new(),
        stored(&[1]),
        true,
    );
    processor.enter().distribute(&[note(2, Recipients::Everyone)]);
    let (waiter, told) = (added.registration.clone(), seen.clone());
    let waiting = tokio::spawn(async move {
        assert!(waiter.wait_for_sync().await);
        told.lock().push(0);
    });
    tokio::task::yield_now().await;
    tokio::spawn(added.task.take().unwrap());
    waiting.await.unwrap();
    while seen.lock().len() < 3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(*seen.lock(), [1, 0, 2]);
    added.registration.remove_and_wait().await;
}

#[tokio::test]
async fn removed_handler_is_not_called() {
    let processor = SharedProcessor::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let added = processor.enter().add_handler(
        Recorder(seen.clone(), None),
        &HandlerOptions::new(),
        stored(&[1, 2, 3]),
        true,
    );
    tokio::spawn(added.task.take().unwrap());
    added.registration.remove_and_wait().await;
    assert!(seen.lock().is_empty(), "the waiting events were dropped");
    processor.enter().distribute(&[note(4, Recipients::Everyone)]);
    tokio::task::yield_now().await;
    assert!(seen.lock().is_empty());
    assert!(processor.status().is_empty());
}

#[tokio::test]
async fn dropped_task_ends_its_handler() {
    let processor = SharedProcessor::new();
    let recorder = Recorder(Arc::default(), None);
    let added = processor.enter().add_handler(recorder, &HandlerOptions::new(), [], false);
    drop(added.task);
    assert!(!added.registration.wait_for_sync().await);
}

#[tokio::test(start_paused = true)]
async fn resyncs_reach_only_handlers_with_a_period() {
    let processor = SharedProcessor::new();
    let mut streams: Vec<_> = [0, 60, 90]
        .into_iter()
        .map(|period| {
            let options = HandlerOptions::new().resync(Duration::from_secs(period));
            processor.enter().add_stream(&options, [], true, None, None)
        })
        .collect();
    let batch = [note(1, Recipients::Everyone), note(2, Recipients::Resyncing)];
    processor.enter().distribute(&batch);
    processor.close(true);
    let mut told = Vec::new();
    for stream in &mut streams {
        let events: Vec<_> = futures::StreamExt::collect(stream).await;
        told.push(
            events.iter().map(|event: &Event<Value<u32>>| ***event.object()).collect::<Vec<u32>>(),
        );
    }
    assert_eq!(told, [vec![1], vec![1, 2], vec![1, 2]]);
    assert_eq!(processor.min_resync(), None, "closed");
}

#[test]
fn short_periods_are_raised_and_zero_is_never() {
    let default = Some(Duration::from_secs(9));
    let ask = |period| HandlerOptions::new().resync(period).resync_or(default);
    assert_eq!(ask(Duration::from_millis(3)), Some(MIN_RESYNC));
    assert_eq!(ask(Duration::ZERO), None);
    assert_eq!(HandlerOptions::new().resync_or(default), default);
}

/// A packed object that counts how often it is read.
struct Packed {
    version: u32,
    read: AtomicUsize,
    how: Reading,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Reading {
    Works,
    Fails,
    Panics,
}

impl PackedObject for Packed {
    fn get(&self) -> Option<Arc<dyn AnyObject>> {
        self.read.fetch_add(1, Ordering::Relaxed);
        assert_ne!(self.how, Reading::Panics, "asked for");
        (self.how == Reading::Works).then(|| Arc::new(Value::from(self.version)) as _)
    }

    fn uid(&self) -> Option<&str> {
        None
    }

    fn version(&self) -> Option<ResourceVersion> {
        Some(u64::from(self.version).into())
    }

    fn labels(&self) -> Option<&BTreeMap<String, String>> {
        None
    }
}

fn packed(version: u32, how: Reading) -> Arc<Packed> {
    Arc::new(Packed { version, read: AtomicUsize::new(0), how })
}

type Told = Arc<Mutex<Vec<(ObjectKey, CachedEvent<Value<u32>>)>>>;

/// A handler that records cached events, and panics on one key.
struct Keeper(Told, Option<ObjectKey>);

impl EventHandler<Value<u32>> for Keeper {
    fn on_cached_event(&mut self, key: &ObjectKey, event: CachedEvent<Value<u32>>) {
        assert_ne!(Some(key), self.1.as_ref(), "asked for");
        self.0.lock().push((key.clone(), event));
    }
}

#[tokio::test]
async fn cached_event_handler_unpacks_only_on_request() {
    let (old, new) = (packed(1, Reading::Works), packed(7, Reading::Works));
    let (old_cached, new_cached) = (Cached::packed_as(old.clone()), Cached::packed_as(new.clone()));
    let told = Told::default();
    let processor = SharedProcessor::new();
    let added = processor.enter().add_handler(
        Keeper(told.clone(), None),
        &HandlerOptions::new(),
        [(key(1), old_cached.clone())],
        true,
    );
    let task = tokio::spawn(added.task.take().unwrap());
    let events = [
        CachedEvent::Updated { old: old_cached.clone(), new: new_cached.clone() },
        CachedEvent::Deleted { object: new_cached, final_state_known: false },
    ];
    let notes =
        events.map(|event| Notification { key: key(1), event, recipients: Recipients::Everyone });
    processor.enter().distribute(&notes);
    processor.close(true);
    task.await.unwrap();

    let told = std::mem::take(&mut *told.lock());
    assert!(told.iter().all(|(told_of, _)| *told_of == key(1)));
    let events: Vec<_> = told.into_iter().map(|(_, event)| event).collect();
    let read = || [&old, &new].map(|object| object.read.load(Ordering::Relaxed));
    assert_eq!(read(), [0, 0]);
    let old_cached = old_cached.cast();
    let newest = events.iter().map(|event| event.object().ptr_eq(&old_cached));
    assert_eq!(newest.collect::<Vec<_>>(), [true, false, false]);
    let all: Vec<_> = events.iter().map(CachedEvent::read).collect();
    let (v1, v7) = (Arc::new(Value::from(1)), Arc::new(Value::from(7)));
    let expected = [
        Event::Added { object: v1.clone(), initial: true },
        Event::Updated { old: v1, new: v7.clone() },
        Event::Deleted { object: v7, final_state_known: false },
    ];
    assert_eq!(all, expected.map(Some));
    assert_eq!(read(), [2, 2], "once for each delivery");
}

#[tokio::test]
async fn panicking_read_is_counted_and_failed_read_skipped() {
    let processor = SharedProcessor::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let stored =
        [(1, Reading::Works), (2, Reading::Fails), (3, Reading::Panics), (4, Reading::Works)];
    let stored = stored.map(|(v, how)| (key_of(v), Cached::packed_as(packed(v, how) as _)));
    let recorder = Recorder(seen.clone(), None);
    let added = processor.enter().add_handler(recorder, &HandlerOptions::new(), stored, true);
    tokio::spawn(added.task.take().unwrap());
    assert!(added.registration.wait_for_sync().await);
    assert_eq!(*seen.lock(), [1, 4]);
    let status = added.registration.status();
    assert_eq!((status.delivered, status.panics), (4, 1));
}

/// A handler that records plain events, and panics on one key.
struct Plain(Arc<Mutex<Vec<Event<Value<u32>>>>>, Option<ObjectKey>);

impl EventHandler<Value<u32>> for Plain {
    fn on_event(&mut self, event: Event<Value<u32>>) {
        assert_ne!(Some(key_of(***event.object())), self.1, "asked for");
        self.0.lock().push(event);
    }
}

proptest! {
    #![proptest_config(crate::seeds::kept())]

    /// Two handlers that are added at one moment get the same events, cached or plain.
    #[test]
    fn cached_and_plain_handlers_get_the_same_events(
        limit in 1usize..12,
        before in proptest::collection::btree_set(0..6u8, 0..6),
        steps in proptest::collection::vec((0..7u8, 0..6u8), 0..100),
        picky: Option<u8>,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let panics_on = picky.map(|n| key(n % 6));
        let cached = |version| Cached::packed_as(packed(version, Reading::Works) as _);
        let processor = SharedProcessor::new();
        let options = HandlerOptions::new().backlog(limit).resync(Duration::from_secs(1));
        let (plain, told) = (Arc::default(), Told::default());
        let mut store: BTreeMap<u8, u32> = before.iter().map(|n| (*n, u32::from(*n))).collect();
        let stored = || {
            before.iter().map(|n| (key(*n), cached(u32::from(*n)))).collect::<Vec<_>>()
        };
        let mut guard = processor.enter();
        let handlers = [
            guard.add_handler(Plain(Arc::clone(&plain), panics_on.clone()), &options, stored(), true),
            guard.add_handler(Keeper(told.clone(), panics_on), &options, stored(), true),
        ];
        drop(guard);
        let _tasks: Vec<_> =
            handlers.iter().map(|added| runtime.spawn(added.task.take().unwrap())).collect();
        let settle = || runtime.block_on(async {
            // A handler yields now and then; 20 turns empty any backlog here.
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
        });
        let mut version = 0;
        for (action, n) in steps {
            version += 6;
            let new = version + u32::from(n);
            let (event, recipients) = match (action, store.get(&n).copied()) {
                (0..=2, None) => {
                    store.insert(n, new);
                    (CachedEvent::Added { object: cached(new), initial: false }, Recipients::Everyone)
                }
                (0..=2, Some(old)) => {
                    store.insert(n, new);
                    let (old, new) = (cached(old), cached(new));
                    (CachedEvent::Updated { old, new }, Recipients::Everyone)
                }
                (3, Some(old)) => {
                    store.remove(&n);
                    let object = cached(old);
                    (CachedEvent::Deleted { object, final_state_known: n > 2 }, Recipients::Everyone)
                }
                (4, Some(same)) => {
                    let (old, new) = (cached(same), cached(same));
                    (CachedEvent::Updated { old, new }, Recipients::Resyncing)
                }
                (5.., _) => {
                    settle();
                    continue;
                }
                _ => continue,
            };
            processor.enter().distribute(&[Notification { key: key(n), event, recipients }]);
        }
        settle();
        let told = std::mem::take(&mut *told.lock());
        for (told_of, event) in &told {
            prop_assert_eq!(told_of, &key_of(**event.object().get().unwrap()));
        }
        let read: Vec<_> = told.iter().filter_map(|(_, event)| event.read()).collect();
        prop_assert_eq!(&*plain.lock(), &read);
        let [plain, cached] = handlers.map(|added| added.registration.status());
        prop_assert!(cached.synced && cached.backlog == 0);
        prop_assert_eq!(plain, cached);
    }
}
