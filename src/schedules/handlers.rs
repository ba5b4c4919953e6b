//! Schedules of the processor: its publisher, a handler and its close.

use std::sync::Arc;

use futures::StreamExt;
use shuttle::future::block_on;
use shuttle::sync::mpsc::channel;

use super::{join_all, run_scenario, spawn, spawn_waiter};
use crate::indexer::Indexer;
use crate::object::{Cached, CachedEvent, Event, ObjectKey, Value};
use crate::processor::{HandlerOptions, Notification, Recipients, SharedProcessor};

fn key() -> ObjectKey {
    ObjectKey::cluster("one").unwrap()
}

/// Returns an update of the one object to a version, from the version before.
fn updated(version: u32) -> Notification {
    let object = |version: u32| Cached::any(Arc::new(Value::from(version)));
    let event = match version {
        1 => CachedEvent::Added { object: object(1), initial: false },
        _ => CachedEvent::Updated { old: object(version - 1), new: object(version) },
    };
    Notification { key: key(), event, recipients: Recipients::Everyone }
}

fn version(event: &Event<Value<u32>>) -> u32 {
    ***event.object()
}

#[test]
fn handler_gets_every_event_and_the_end() {
    run_scenario(|_| {
        let processor = Arc::new(SharedProcessor::new());
        let events = processor.enter().add_stream(&HandlerOptions::new(), [], true, None, None);
        let told = spawn_waiter(events.map(|event| version(&event)).collect::<Vec<_>>());
        let distribute = {
            let processor = processor.clone();
            spawn(move || {
                (1..4).for_each(|version| processor.enter().distribute(&[updated(version)]));
                processor.close(true);
            })
        };
        assert_eq!(join_all([told]), [[1, 2, 3]]);
        join_all([distribute]);
        drop(processor);
    });
}

#[test]
fn handler_gets_the_last_state() {
    run_scenario(|_| {
        let processor = Arc::new(SharedProcessor::new());
        // The backlog is full with two waiting events, so they merge.
        let options = HandlerOptions::new().backlog(1);
        let mut events = processor.enter().add_stream(&options, [], true, None, None);
        let (told, heard) = channel();
        let handler = spawn_waiter(async move {
            while let Some(event) = events.next().await {
                let _ = told.send(version(&event));
            }
        });
        let distribute = {
            let processor = processor.clone();
            spawn(move || {
                (1..4).for_each(|version| processor.enter().distribute(&[updated(version)]));
            })
        };
        let mut last = 0;
        while last < 3 {
            let next = heard.recv().unwrap();
            assert!(next > last, "{next} after {last}");
            last = next;
        }
        join_all([distribute]);
        processor.close(false);
        join_all([handler]);
    });
}

#[test]
fn handler_added_between_batches_gets_each_event_once() {
    run_scenario(|_| {
        let processor = Arc::new(SharedProcessor::new());
        let store: Indexer = Indexer::<Value<u32>>::new().into();
        let writer = {
            let (processor, store) = (processor.clone(), store.clone());
            spawn(move || {
                for version in 1..4 {
                    let mut draft = store.draft();
                    draft.put(&key(), Cached::any(Arc::new(Value::from(version))));
                    // As the informer does with a batch: stored while no handler can be added, then
                    // dispatched.
                    let dispatch = processor.enter();
                    assert!(draft.publish().is_ok(), "there is no other writer");
                    let listeners = dispatch.listeners();
                    drop(dispatch);
                    listeners.distribute(&[updated(version)]);
                }
            })
        };
        let newcomer = {
            let (processor, store) = (processor.clone(), store.clone());
            spawn(move || {
                let mut dispatch = processor.enter();
                let stored = store.snapshot().into_objects();
                dispatch.add_stream(&HandlerOptions::new(), stored, true, None, None)
            })
        };
        join_all([writer]);
        let events = join_all([newcomer]).remove(0);
        processor.close(true);
        let told = block_on(events.map(|event| version(&event)).collect::<Vec<_>>());
        let gapless = told.windows(2).all(|pair| pair[1] == pair[0] + 1);
        assert!(gapless && told.last() == Some(&3), "{told:?}");
    });
}
