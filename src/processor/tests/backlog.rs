//! The backlog of a handler by itself.

use std::collections::BTreeSet;

use super::*;
use crate::object::Event;
use crate::processor::backlog::{Backlog, Popped, ProcessorTime};

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
    Popped::Event(key(object), event, ProcessorTime::default())
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
    let start = Instant::now();
    let at = |seconds| ProcessorTime::between(start, start + Duration::from_secs(seconds));
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
