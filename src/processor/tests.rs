use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::backlog::{Backlog, Moment, Taken};
use super::*;
use crate::object::Event;

fn key(n: u8) -> ObjectKey {
    ObjectKey::cluster(&format!("o{n}")).unwrap()
}

fn added(version: u32) -> CachedEvent<u32> {
    CachedEvent::Added { object: Arc::new(version).into(), initial: false }
}

fn updated(old: u32, new: u32) -> CachedEvent<u32> {
    CachedEvent::Updated { old: Arc::new(old).into(), new: Arc::new(new).into() }
}

fn deleted(version: u32) -> CachedEvent<u32> {
    CachedEvent::Deleted { object: Arc::new(version).into(), final_state_known: true }
}

fn rest(backlog: &mut Backlog<u32>) -> Vec<Taken<u32>> {
    std::iter::from_fn(|| backlog.pop()).collect()
}

fn events(events: impl IntoIterator<Item = CachedEvent<u32>>) -> Vec<Taken<u32>> {
    events.into_iter().map(event).collect()
}

fn event(event: CachedEvent<u32>) -> Taken<u32> {
    Taken::Event(event, Moment::default())
}

#[test]
fn below_its_limit_a_backlog_tells_everything() {
    let mut backlog = Backlog::new(4);
    let all = [added(1), updated(1, 2), deleted(2), added(3)];
    for event in all.clone() {
        backlog.push(&key(0), event);
    }
    assert_eq!(rest(&mut backlog), events(all));
    assert_eq!((backlog.merged(), backlog.cancelled()), (0, 0));
}

#[test]
fn a_full_backlog_merges_by_the_table() {
    for (given, left) in [
        (vec![added(1), updated(1, 2), updated(2, 3)], vec![added(3)]),
        (vec![updated(1, 2), updated(2, 3), updated(3, 4)], vec![updated(1, 4)]),
        (vec![updated(1, 2), deleted(2)], vec![deleted(2)]),
        (vec![added(1), deleted(1)], vec![]),
        (vec![deleted(1), added(2), updated(2, 3)], vec![deleted(1), added(3)]),
        (vec![deleted(1), added(2), deleted(2), added(3)], vec![deleted(1), added(3)]),
    ] {
        let mut backlog = Backlog::new(1);
        for event in given {
            backlog.push(&key(0), event);
        }
        assert_eq!(rest(&mut backlog), events(left));
    }
}

#[test]
fn a_backlog_that_was_full_merges_until_half_of_it_is_told() {
    let mut backlog = Backlog::new(4);
    for n in 0..4 {
        backlog.push(&key(n), updated(0, 1));
    }
    backlog.push(&key(3), updated(1, 2));
    assert_eq!((backlog.len(), backlog.merged()), (4, 1));
    backlog.pop();
    backlog.push(&key(3), updated(2, 3));
    assert_eq!((backlog.len(), backlog.merged()), (3, 2), "there is room, but not for long");
    backlog.pop();
    backlog.push(&key(3), updated(3, 4));
    assert_eq!((backlog.len(), backlog.merged()), (3, 2), "every event counts again");
}

#[test]
fn the_end_of_the_initial_adds_stays_behind_them() {
    let mut backlog = Backlog::new(1);
    backlog.push(&key(0), added(1));
    backlog.push(&key(1), added(2));
    backlog.end_initial();
    backlog.push(&key(0), updated(1, 3));
    backlog.push(&key(1), deleted(2));
    backlog.push(&key(2), added(4));
    let all = rest(&mut backlog);
    assert_eq!(all, [event(added(3)), Taken::InitialEnd, event(added(4))]);
}

#[test]
fn what_merges_has_waited_since_the_first_of_it_came() {
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
    let taken = rest(&mut backlog);
    let all = [Taken::InitialEnd, Taken::Event(deleted(4), at(1)), Taken::Event(added(3), at(2))];
    assert_eq!(taken, all);
    assert_eq!(at(1).until(at(4)), Duration::from_secs(3));
    assert_eq!(at(4).until(at(1)), Duration::ZERO);
}

#[test]
fn churn_of_short_lived_objects_leaves_no_gaps_behind() {
    let mut backlog = Backlog::new(8);
    for n in 0..8 {
        backlog.push(&key(n), added(0));
    }
    for version in 0..100_000 {
        backlog.push(&key(100), added(version));
        backlog.push(&key(100), deleted(version));
    }
    assert_eq!((backlog.len(), backlog.cancelled()), (8, 100_000));
    assert!(backlog.slots() < 64, "{} slots for 8 events", backlog.slots());
}

proptest! {
    /// Whatever the store does and whenever the handler finds time, what it is told folds to the
    /// store, each `old` is what it was last told, and what waits is bounded.
    #[test]
    fn what_a_handler_is_told_folds_to_the_store(
        limit in 1usize..12,
        steps in proptest::collection::vec((0..6u8, 0..6u8), 0..200),
    ) {
        let mut backlog = Backlog::new(limit);
        let mut store: BTreeMap<u8, u32> = BTreeMap::new();
        let mut told: BTreeSet<u32> = BTreeSet::new();
        let mut version = 0;
        let mut tell = |taken: Taken<u32>| {
            let Taken::Event(event, _) = taken else { return Ok(()) };
            match event.read().unwrap() {
                Event::Added { object, .. } => prop_assert!(told.insert(*object)),
                Event::Updated { old, new } => {
                    prop_assert!(told.remove(&old), "old is not what was told");
                    told.insert(*new);
                }
                Event::Deleted { object, .. } => {
                    // The final state may be newer than what was told, never another object's.
                    let object_of = |version: u32| version % 6;
                    let known: Vec<u32> =
                        told.iter().copied().filter(|v| object_of(*v) == object_of(*object)).collect();
                    prop_assert_eq!(known.len(), 1, "deleted what was not told");
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
                (4.., _) => if let Some(taken) = backlog.pop() { tell(taken)? },
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

/// Records what it is told, and panics on request.
struct Recorder(Arc<Mutex<Vec<u32>>>, Option<u32>);

impl EventHandler<u32> for Recorder {
    fn on_event(&mut self, event: Event<u32>) {
        let object = **event.object();
        assert_ne!(Some(object), self.1, "asked for");
        self.0.lock().push(object);
    }
}

fn stored(versions: &[u32]) -> Vec<(ObjectKey, Cached<u32>)> {
    versions.iter().map(|v| (key(u8::try_from(*v).unwrap()), Arc::new(*v).into())).collect()
}

fn note(version: u32, audience: Audience) -> Notification<u32> {
    let n = u8::try_from(version).unwrap();
    Notification { key: key(n), event: added(version), audience }
}

#[tokio::test]
async fn a_panic_is_counted_and_the_next_event_comes() {
    let processor = SharedProcessor::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let added = processor.enter().add_handler(
        Recorder(seen.clone(), Some(2)),
        &HandlerOptions::new(),
        stored(&[1, 2, 3]),
        true,
    );
    let task = tokio::spawn(added.task.take().unwrap());
    assert!(added.registration.synced().await, "a panic does not hold up sync");
    assert_eq!(*seen.lock(), [1, 3]);
    assert_eq!(added.registration.status().panics, 1);
    added.registration.removed().await;
    task.await.unwrap();
}

#[tokio::test]
async fn every_waiter_is_woken_by_sync_and_by_removal() {
    let processor = SharedProcessor::<u32>::new();
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
            tokio::spawn(async move { registration.synced().await })
        })
    };
    let reached: Vec<_> = wait(&synced).collect();
    let never: Vec<_> = wait(&removed).chain(wait(&unspawned)).collect();
    tokio::task::yield_now().await;
    removed.registration.removed().await;
    unspawned.registration.removed().await;
    for task in never {
        assert!(!task.await.unwrap());
    }
    processor.enter().end_initial();
    for task in reached {
        assert!(task.await.unwrap());
    }
    removed.registration.removed().await;
}

#[tokio::test]
async fn after_removal_no_call_comes() {
    let processor = SharedProcessor::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let added = processor.enter().add_handler(
        Recorder(seen.clone(), None),
        &HandlerOptions::new(),
        stored(&[1, 2, 3]),
        true,
    );
    tokio::spawn(added.task.take().unwrap());
    added.registration.removed().await;
    assert!(seen.lock().is_empty(), "what waited was dropped");
    processor.enter().distribute(&[note(4, Audience::Everyone)]);
    tokio::task::yield_now().await;
    assert!(seen.lock().is_empty());
    assert!(processor.status().is_empty());
}

#[tokio::test]
async fn a_task_given_up_before_it_ran_ends_its_handler() {
    let processor = SharedProcessor::<u32>::new();
    let recorder = Recorder(Arc::default(), None);
    let added = processor.enter().add_handler(recorder, &HandlerOptions::new(), [], false);
    drop(added.task);
    assert!(!added.registration.synced().await);
}

#[tokio::test(start_paused = true)]
async fn resyncs_and_unchanged_items_reach_only_those_who_asked() {
    let processor = SharedProcessor::new();
    let mut streams: Vec<_> = [0, 60, 90]
        .into_iter()
        .map(|period| {
            let options = HandlerOptions::new().resync(Duration::from_secs(period));
            processor.enter().add_stream(&options, [], true)
        })
        .collect();
    let start = Instant::now();
    assert!(!processor.mark_due(start));
    assert!(processor.mark_due(start + Duration::from_secs(60)));
    let round = [note(1, Audience::Everyone), note(2, Audience::Resyncing), note(3, Audience::Due)];
    processor.enter().distribute(&round);
    processor.close(true);
    let mut told = Vec::new();
    for stream in &mut streams {
        let events: Vec<_> = futures::StreamExt::collect(stream).await;
        told.push(events.iter().map(|event| **event.object()).collect::<Vec<u32>>());
    }
    assert_eq!(told, [vec![1], vec![1, 2, 3], vec![1, 2]]);
    assert_eq!(processor.min_resync(), None, "closed");
}

#[test]
fn periods_below_a_second_are_raised_and_zero_is_never() {
    let default = Some(Duration::from_secs(9));
    let ask = |period| HandlerOptions::new().resync(period).resync_or(default);
    assert_eq!(ask(Duration::from_millis(3)), Some(MIN_RESYNC));
    assert_eq!(ask(Duration::ZERO), None);
    assert_eq!(HandlerOptions::new().resync_or(default), default);
}
