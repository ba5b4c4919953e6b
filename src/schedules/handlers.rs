//! What distributes, a handler, and who closes it.

use std::sync::Arc;

use futures::StreamExt;
use shuttle::future::block_on;
use shuttle::sync::mpsc::channel;

use super::{all, play, spawn, waiting};
use crate::indexer::Indexer;
use crate::object::{CachedEvent, Event, ObjectKey};
use crate::processor::{Audience, HandlerOptions, Notification, SharedProcessor};

fn key() -> ObjectKey {
    ObjectKey::cluster("one").unwrap()
}

/// The one object, at a version, and what there was before.
fn updated(version: u32) -> Notification<u32> {
    let event = match version {
        1 => CachedEvent::Added { object: Arc::new(1).into(), initial: false },
        _ => CachedEvent::Updated {
            old: Arc::new(version - 1).into(),
            new: Arc::new(version).into(),
        },
    };
    Notification { key: key(), event, audience: Audience::Everyone }
}

fn version(event: &Event<u32>) -> u32 {
    **event.object()
}

#[test]
fn a_handler_is_told_all_and_then_the_end() {
    play(|_| {
        let processor = Arc::new(SharedProcessor::new());
        let events = processor.enter().add_stream(&HandlerOptions::new(), [], true, None);
        let told = waiting(events.map(|event| version(&event)).collect::<Vec<_>>());
        let distribute = {
            let processor = processor.clone();
            spawn(move || {
                (1..4).for_each(|version| processor.enter().distribute(&[updated(version)]));
                processor.close(true);
            })
        };
        assert_eq!(all([told]), [[1, 2, 3]]);
        all([distribute]);
        drop(processor);
    });
}

#[test]
fn a_handler_hears_of_the_last_state_though_nothing_comes_after_it() {
    play(|_| {
        let processor = Arc::new(SharedProcessor::new());
        // Two waiting events are one too many: they merge.
        let options = HandlerOptions::new().backlog(1);
        let mut events = processor.enter().add_stream(&options, [], true, None);
        let (told, heard) = channel();
        let handler = waiting(async move {
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
        all([distribute]);
        processor.close(false);
        all([handler]);
    });
}

#[test]
fn a_handler_that_comes_between_two_batches_misses_nothing_and_hears_nothing_twice() {
    play(|_| {
        let processor = Arc::new(SharedProcessor::new());
        let store = Indexer::<u32>::new();
        let writer = {
            let (processor, store) = (processor.clone(), store.clone());
            spawn(move || {
                for version in 1..4 {
                    let mut draft = store.draft();
                    draft.put(&key(), &Arc::new(version).into());
                    // As a batch is: stored while no handler can come, told afterwards.
                    let round = processor.enter();
                    assert!(draft.publish().is_ok(), "nobody else writes");
                    let listeners = round.listeners();
                    drop(round);
                    listeners.distribute(&[updated(version)]);
                }
            })
        };
        let newcomer = {
            let (processor, store) = (processor.clone(), store.clone());
            spawn(move || {
                let mut round = processor.enter();
                let stored = store.snapshot().into_objects();
                round.add_stream(&HandlerOptions::new(), stored, true, None)
            })
        };
        all([writer]);
        let events = all([newcomer]).remove(0);
        processor.close(true);
        let told = block_on(events.map(|event| version(&event)).collect::<Vec<_>>());
        let gapless = told.windows(2).all(|pair| pair[1] == pair[0] + 1);
        assert!(gapless && told.last() == Some(&3), "{told:?}");
    });
}
