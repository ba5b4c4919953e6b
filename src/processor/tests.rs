use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicUsize;

use proptest::prelude::*;

use super::backlog::{Backlog, Moment, Popped};
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

fn rest(backlog: &mut Backlog) -> Vec<Popped> {
    std::iter::from_fn(|| backlog.pop()).collect()
}

/// Creates events of one object.
fn events(events: impl IntoIterator<Item = CachedEvent>) -> Vec<Popped> {
    events.into_iter().map(|event| taken(0, event)).collect()
}

impl PartialEq for Popped {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Event(a, event, at), Self::Event(b, other, then)) => {
                let [event, other] = [event, other].map(|event| event.clone().cast::<Value<u32>>());
                (a, event, at) == (b, other, then)
            }
            (Self::InitialEnd, Self::InitialEnd) => true,
            _ => false,
        }
    }
}

fn taken(object: u8, event: CachedEvent) -> Popped {
    Popped::Event(key(object), event, Moment::default())
}

#[test]
fn backlog_below_limit_keeps_every_event() {
    let mut backlog = Backlog::new(4);
    let all = [added(1), updated(1, 2), deleted(2), added(3)];
    for event in all.clone() {
        backlog.push(&key(0), event);
    }
    assert_eq!(rest(&mut backlog), events(all));
    assert_eq!((backlog.merged(), backlog.cancelled()), (0, 0));
}

#[test]
fn full_backlog_merges_by_the_table() {
    for (given, left) in [
        (vec![added(1), updated(1, 2), updated(2, 3)], vec![added(3)]),
        (vec![updated(1, 2), updated(2, 3), updated(3, 4)], vec![updated(1, 4)]),
        (vec![updated(1, 2), deleted(2)], vec![deleted(2)]),
        (vec![added(1), deleted(1)], vec![]),
        (vec![deleted(1), added(2), updated(2, 3)], vec![deleted(1), added(3)]),
        (vec![deleted(1), added(2), deleted(2), added(3)], vec![deleted(1), added(3)]),
        (vec![updated(1, 2), moved(2)], vec![moved(2)]),
        (vec![added(1), moved(1)], vec![]),
        (vec![moved(1), added(2), updated(2, 3)], vec![moved(1), added(3)]),
        (vec![moved(1), added(2), deleted(3)], vec![deleted(3)]),
        (vec![deleted(1), added(2), moved(2)], vec![deleted(1)]),
        (vec![moved(1), added(2), deleted(3), added(4)], vec![deleted(3), added(4)]),
    ] {
        let mut backlog = Backlog::new(1);
        for event in given {
            backlog.push(&key(0), event);
        }
        assert_eq!(rest(&mut backlog), events(left));
    }
}

#[test]
fn full_backlog_merges_until_half_is_delivered() {
    let mut backlog = Backlog::new(4);
    for n in 0..4 {
        backlog.push(&key(n), updated(0, 1));
    }
    backlog.push(&key(3), updated(1, 2));
    assert_eq!((backlog.len(), backlog.merged()), (4, 1));
    backlog.pop();
    backlog.push(&key(3), updated(2, 3));
    assert_eq!((backlog.len(), backlog.merged()), (3, 2), "still merging: more than half is left");
    backlog.pop();
    backlog.push(&key(3), updated(3, 4));
    assert_eq!((backlog.len(), backlog.merged()), (3, 2), "no longer merging");
}

#[test]
fn end_mark_stays_behind_initial_adds() {
    let mut backlog = Backlog::new(1);
    backlog.push(&key(0), added(1));
    backlog.push(&key(1), added(2));
    backlog.end_initial();
    backlog.push(&key(0), updated(1, 3));
    backlog.push(&key(1), deleted(2));
    backlog.push(&key(2), added(4));
    let all = rest(&mut backlog);
    assert_eq!(all, [taken(0, added(3)), Popped::InitialEnd, taken(2, added(4))]);
}

#[test]
fn merged_event_keeps_the_first_queue_time() {
    let at = |seconds| Moment::after(Duration::from_secs(seconds));
    let mut backlog = Backlog::new(1);
    let pushes =
        [(1, 0, updated(1, 2)), (2, 1, added(3)), (3, 0, updated(2, 4)), (4, 0, deleted(4))];
    backlog.end_initial();
    assert_eq!((backlog.oldest(), backlog.len()), (None, 0), "a mark is no event");
    for (second, object, event) in pushes {
        backlog.set_now(at(second));
        backlog.push(&key(object), event);
        assert_eq!(backlog.oldest(), Some(at(1)));
    }
    let all = [
        Popped::InitialEnd,
        Popped::Event(key(0), deleted(4), at(1)),
        Popped::Event(key(1), added(3), at(2)),
    ];
    assert_eq!(rest(&mut backlog), all);
    assert_eq!(at(1).until(at(4)), Duration::from_secs(3));
    assert_eq!(at(4).until(at(1)), Duration::ZERO);
}

#[test]
fn short_lived_objects_leave_no_gaps() {
    let mut backlog = Backlog::new(8);
    for n in 0..8 {
        backlog.push(&key(n), added(0));
    }
    for version in 0..100_000 {
        backlog.push(&key(100), added(version));
        backlog.push(&key(100), deleted(version));
    }
    assert_eq!((backlog.len(), backlog.cancelled()), (8, 100_000));
    assert!(backlog.entries() < 64, "{} entries for 8 events", backlog.entries());
}

#[test]
fn gaps_of_any_number_are_closed_in_short_steps() {
    for size in [2_000, 20_000, 200_000] {
        let mut backlog = Backlog::new(8);
        let keys: Vec<_> = (0..size).map(|n| crate::helpers::key(&format!("o{n}"))).collect();
        for (key, version) in keys.iter().zip(0..) {
            backlog.push(key, added(version));
        }
        let stay = |key: usize| key.is_multiple_of(100);
        let mut longest = 0;
        for (at, version) in (0..size).zip(0..).filter(|(at, _)| !stay(*at)) {
            let before = backlog.entries();
            backlog.push(&keys[at], deleted(version));
            longest = longest.max(before.saturating_sub(backlog.entries()));
        }
        assert!(longest <= 8, "{longest} gaps closed at once, of {size} events");
        assert!(backlog.entries() < 4 * size / 100, "{} of {size}", backlog.entries());
        let key_of = |taken| match taken {
            Popped::Event(key, ..) => Some(key),
            _ => None,
        };
        let told: Vec<_> = rest(&mut backlog).into_iter().filter_map(key_of).collect();
        let expected: Vec<_> =
            (0..size).filter(|at| stay(*at)).map(|at| keys[at].clone()).collect();
        assert_eq!(told, expected);
    }
}

proptest! {
    #![proptest_config(crate::seeds::kept())]

    /// For any store history and any handler speed, the delivered events fold to the store, each
    /// `old` is the state delivered before, and the backlog is bounded.
    #[test]
    fn delivered_events_fold_to_the_store(
        limit in 1usize..12,
        steps in proptest::collection::vec((0..7u8, 0..6u8), 0..200),
    ) {
        let mut backlog = Backlog::new(limit);
        let mut store: BTreeMap<u8, u32> = BTreeMap::new();
        let mut told: BTreeSet<u32> = BTreeSet::new();
        let mut version = 0;
        let mut tell = |taken: Popped| {
            let Popped::Event(told_of, event, _) = taken else { return Ok(()) };
            let event = event.cast::<Value<u32>>().read().unwrap();
            prop_assert_eq!(told_of, key_of(***event.object()));
            match event {
                Event::Added { object, .. } => prop_assert!(told.insert(**object)),
                Event::Updated { old, new } => {
                    prop_assert!(told.remove(&**old), "`old` was never delivered");
                    told.insert(**new);
                }
                Event::Deleted { object, .. } | Event::MovedAway { object } => {
                    // The final state may be newer than the last one delivered, never another
                    // object's.
                    let object_of = |version: u32| version % 6;
                    let known: Vec<u32> =
                        told.iter().copied().filter(|v| object_of(*v) == object_of(**object)).collect();
                    prop_assert_eq!(known.len(), 1, "deleted object was never delivered");
                    told.remove(&known[0]);
                }
            }
            Ok(())
        };
        for (action, n) in steps {
            version += 6;
            let new = version + u32::from(n);
            match (action, store.get(&n).copied()) {
                (0..=2, None) => {
                    store.insert(n, new);
                    backlog.push(&key(n), added(new));
                }
                (0..=2, Some(old)) => {
                    store.insert(n, new);
                    backlog.push(&key(n), updated(old, new));
                }
                (3, Some(old)) => {
                    store.remove(&n);
                    backlog.push(&key(n), deleted(old));
                }
                (4, Some(old)) => {
                    store.remove(&n);
                    backlog.push(&key(n), moved(old));
                }
                (5.., _) => if let Some(taken) = backlog.pop() { tell(taken)? },
                _ => {}
            }
            prop_assert!(backlog.len() <= limit.max(12), "two events for each of six objects");
        }
        for taken in rest(&mut backlog) {
            tell(taken)?;
        }
        let stored: Vec<u32> = store.values().copied().collect();
        let mut told: Vec<u32> = told.iter().copied().collect();
        told.sort_by_key(|version| version % 6);
        prop_assert_eq!(told, stored);
    }
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
            processor.enter().add_stream(&options, [], true, None)
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
