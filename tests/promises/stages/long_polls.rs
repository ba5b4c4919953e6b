//! No task keeps its thread: work is counted in objects a turn, on hostile runtimes, too.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use futures::StreamExt;
use kube_informer::error::ApiStatus;
use kube_informer::testing::WatchEnd;
use kube_informer::{Event, HandlerOptions};

use super::bombs::Bombs;
use super::{SOON, filled, object, settle};
use crate::helpers::{informer_of, spawn};
use crate::turn::turn;

/// More than any step may do in one turn.
const MOST: usize = 256;

/// On one thread, whose tasks take turns; time is real, so a task that never waits is no idle one.
fn on_one_thread<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().max_blocking_threads(1).build().unwrap();
    // A task as the others are: each has a turn between two of its own.
    runtime.block_on(async { spawn(work).await.unwrap() })
}

#[test]
fn handler_is_added_without_touching_an_object() {
    on_one_thread(async {
        let source = filled(5_000);
        let informer = informer_of(&source);
        informer.start().unwrap();
        informer.wait_for_sync(SOON).await.unwrap();
        let counts = || -> usize {
            let snapshot = informer.snapshot();
            snapshot.iter().map(|(_, object)| Arc::strong_count(&object)).sum()
        };
        // Wait for everything that still held the first list.
        let mut held = usize::MAX;
        while std::mem::replace(&mut held, counts()) != held {
            turn().await;
        }
        let mut events = informer.events().unwrap();
        let heard = Arc::new(AtomicUsize::new(0));
        let counter = heard.clone();
        let count = move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        };
        let registration = informer.on_event(count).unwrap();
        assert_eq!(counts(), held, "nobody took hold of an object");
        assert_eq!(informer.status().handlers[0].backlog, 5_000);
        let mut most = 0;
        while !registration.has_synced() {
            let before = heard.load(Ordering::Relaxed);
            turn().await;
            most = most.max(heard.load(Ordering::Relaxed) - before);
        }
        assert!(most <= MOST, "{most} objects in one turn");
        for _ in 0..5_000 {
            assert!(matches!(events.next().await, Some(Event::Added { initial: true, .. })));
        }
        assert!(!events.has_synced());
        source.put(object("last"));
        assert!(matches!(events.next().await, Some(Event::Added { initial: false, .. })));
        assert!(events.has_synced());
        informer.shutdown().await;
    });
}

#[test]
fn stream_that_always_has_events_lets_others_run() {
    on_one_thread(async {
        let source = filled(10_000);
        let informer = informer_of(&source);
        informer.start().unwrap();
        informer.wait_for_sync(SOON).await.unwrap();
        let mut events = informer.events().unwrap();
        let taken = Arc::new(AtomicUsize::new(0));
        let counter = taken.clone();
        let reading = spawn(async move {
            while counter.load(Ordering::Relaxed) < 10_000 {
                events.next().await.unwrap();
                counter.fetch_add(1, Ordering::Relaxed);
            }
        });
        let mut most = 0;
        while !reading.is_finished() {
            let before = taken.load(Ordering::Relaxed);
            turn().await;
            most = most.max(taken.load(Ordering::Relaxed) - before);
        }
        assert_eq!(taken.load(Ordering::Relaxed), 10_000);
        assert!(most <= MOST, "{most} events in one turn");
        informer.shutdown().await;
    });
}

#[test]
fn full_blocking_pool_holds_up_nothing() {
    on_one_thread(async {
        let (unblock, blocked) = mpsc::channel::<()>();
        let blocking = tokio::task::spawn_blocking(move || blocked.recv().is_err());
        let source = filled(1_000);
        let informer = informer_of(&source);
        let registration = informer.on_event(|_| {}).unwrap();
        informer.start().unwrap();
        informer.wait_for_sync(SOON).await.unwrap();
        for n in 0..1_000 {
            source.put(object(&format!("map-{n}")));
        }
        source.compact();
        source.end_watches(WatchEnd::Failed(ApiStatus::new(410, "Expired", "")));
        informer.wait_for(&source.version().into(), SOON).await.unwrap();
        source.put(object("after"));
        informer.wait_for(&source.version().into(), SOON).await.unwrap();
        tokio::time::timeout(SOON, informer.shutdown()).await.unwrap();
        registration.remove_and_wait().await;
        assert!(!blocking.is_finished());
        drop(unblock);
        assert!(blocking.await.unwrap());
    });
}

#[tokio::test(start_paused = true)]
async fn slow_handler_gets_right_merged_initial_states() {
    let source = filled(10);
    let informer = informer_of(&source);
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    settle().await;
    let mut slow = informer.events_with(HandlerOptions::new().backlog(2)).unwrap();
    // Of what it was not told yet, one goes, one changes twice, one goes and comes again.
    source.delete(&super::key("map-1"));
    source.put(object("map-2"));
    source.put(object("map-2"));
    source.delete(&super::key("map-3"));
    source.put(object("map-3"));
    informer.wait_for(&source.version().into(), SOON).await.unwrap();
    settle().await;
    let status = informer.status();
    assert!(status.handlers[0].backlog <= 2 * 10 + 2, "{status:?}");
    let mut told = std::collections::BTreeMap::new();
    while told.len() < 9 || informer.status().handlers[0].backlog > 0 {
        match slow.next().await.unwrap() {
            Event::Added { object, .. } => {
                let name = object.metadata.name.clone();
                assert!(told.insert(name, object).is_none(), "told twice");
            }
            Event::Updated { old, new } => {
                let before = told.insert(new.metadata.name.clone(), new);
                assert!(before.is_some_and(|before| Arc::ptr_eq(&before, &old)));
            }
            Event::Deleted { object, .. } | Event::MovedAway { object } => {
                assert!(told.remove(&object.metadata.name).is_some());
            }
        }
    }
    let expected = source.objects();
    assert_eq!(told.len(), expected.len());
    for (key, object) in expected {
        assert_eq!(*told[&Some(key.name().to_owned())], *object);
    }
    let status = &informer.status().handlers[0];
    assert_eq!((status.merged, status.cancelled), (2, 2), "by the table: {status:?}");
    assert!(slow.has_synced());
    informer.shutdown().await;
    assert!(slow.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn first_adds_come_before_what_came_meanwhile() {
    let source = filled(100);
    let informer = informer_of(&source);
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    settle().await;
    let mut events = informer.events().unwrap();
    assert!(matches!(events.next().await, Some(Event::Added { initial: true, .. })));
    source.put(object("map-50"));
    source.delete(&super::key("map-51"));
    source.put(object("new"));
    informer.wait_for(&source.version().into(), SOON).await.unwrap();
    settle().await;
    for _ in 1..100 {
        assert!(matches!(events.next().await, Some(Event::Added { initial: true, .. })));
    }
    assert!(matches!(events.next().await, Some(Event::Updated { .. })));
    assert!(events.has_synced());
    assert!(matches!(events.next().await, Some(Event::Deleted { .. })));
    assert!(matches!(events.next().await, Some(Event::Added { initial: false, .. })));
    informer.shutdown().await;
}

#[test]
fn objects_are_freed_in_turns() {
    const COUNT: usize = 3_000;
    on_one_thread(async {
        let bombs = Bombs::start(COUNT).await;
        let drops = || bombs.drops.load(Ordering::Relaxed);
        // A list in which everything is new, and the end of all that was old.
        bombs.put_all();
        bombs.source.compact();
        bombs.source.end_watches(WatchEnd::Failed(ApiStatus::new(410, "Expired", "")));
        let start = drops();
        let (mut before, mut most) = (start, 0);
        while drops() - start < COUNT {
            turn().await;
            most = most.max(drops() - before);
            before = drops();
        }
        assert!(most <= MOST, "{most} objects are freed in one turn");
        bombs.informer.wait_for(&bombs.source.version().into(), SOON).await.unwrap();
        bombs.informer.shutdown().await;
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn index_in_the_making_holds_up_no_change() {
    let source = filled(100);
    let informer = informer_of(&source);
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    let (begun, mut is_begun) = tokio::sync::mpsc::unbounded_channel();
    let (go_on, goes_on) = mpsc::channel::<()>();
    let goes_on = std::sync::Mutex::new(goes_on);
    let adding = {
        let informer = informer.clone();
        tokio::task::spawn_blocking(move || {
            informer.add_index("data", move |object| {
                // The first call waits until everything else was done.
                let _ = begun.send(());
                let _ = goes_on.lock().unwrap().recv();
                object.data.iter().flatten().map(|(key, _)| key.clone()).collect::<Vec<_>>()
            })
        })
    };
    is_begun.recv().await.unwrap();
    source.delete(&super::key("map-7"));
    for n in 0..3 {
        let mut changed = object(&format!("map-{n}"));
        changed.data = Some([("changed".into(), String::new())].into());
        source.put(changed);
        informer.wait_for(&source.version().into(), SOON).await.unwrap();
    }
    assert!(informer.indexer().index("data").is_err(), "it is not complete");
    drop(go_on);
    let index = adding.await.unwrap().unwrap();
    assert_eq!(index.len("changed"), 3);
    let snapshot = index.snapshot();
    assert_eq!(snapshot.version(), Some(&source.version().into()));
    informer.shutdown().await;
}
