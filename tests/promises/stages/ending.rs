//! The end of stages, and what their readers learn of it.

use std::time::Duration;

use futures::StreamExt;
use tokio::time::Instant;

use super::{SOON, filled, object, settle};
use crate::helpers::{informer_of, spawn};

#[tokio::test(start_paused = true)]
async fn drain_waits_for_streams_and_reports_the_rest() {
    let source = filled(10);
    let informer = informer_of(&source);
    let mut untaken = informer.events().unwrap();
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    settle().await;
    assert!(untaken.next().await.is_some());
    let start = Instant::now();
    assert!(!informer.shutdown_with_drain(Duration::from_secs(3)).await);
    assert!(start.elapsed() >= Duration::from_secs(3), "it had all of the time");
    assert!(untaken.next().await.is_none(), "the rest is dropped");
}

#[tokio::test(start_paused = true)]
async fn drain_ends_when_streams_took_their_events() {
    let source = filled(10);
    let informer = informer_of(&source);
    let mut taking = informer.events().unwrap();
    let mut by_hand = informer.events().unwrap();
    let removed = informer.events().unwrap();
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    for _ in 0..10 {
        by_hand.next().await.unwrap();
    }
    source.put(object("map-1"));
    informer.wait_for(&source.version().into(), SOON).await.unwrap();
    by_hand.next().await.unwrap();
    let late = informer.events().unwrap();
    let reading = spawn(async move {
        let mut events = 0;
        while taking.next().await.is_some() {
            tokio::time::sleep(Duration::from_secs(1)).await;
            events += 1;
        }
        events
    });
    let late = spawn(late.count());
    let removing = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        drop(removed);
    };
    let (drained, ()) = tokio::join!(informer.shutdown_with_drain(SOON), removing);
    assert!(drained);
    assert_eq!((reading.await.unwrap(), late.await.unwrap()), (11, 10));
    assert!(by_hand.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn readers_learn_that_their_informer_is_over() {
    let source = filled(2);
    let informer = informer_of(&source);
    let by_name = informer.add_index("name", |o| o.metadata.name.clone()).unwrap();
    let (lister, indexer) = (informer.lister(), informer.indexer().clone());
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    assert!(!lister.is_stopped() && !by_name.is_stopped() && !indexer.is_stopped());
    // The last handle: what is left are readers.
    drop(informer);
    assert!(lister.is_stopped() && by_name.is_stopped() && indexer.is_stopped());
    assert!(lister.namespace("any").is_stopped());
    assert!(lister.get("map-1").is_ok(), "what was stored is still read");
    let age = lister.freshness().unwrap();
    tokio::time::sleep(SOON).await;
    assert_eq!(lister.freshness(), Some(age + SOON), "and gets older");
    let version = 99.into();
    let waited = tokio::time::timeout(SOON, indexer.wait_for(&version, Duration::MAX)).await;
    assert!(waited.unwrap().unwrap_err().stopped);

    let idle = informer_of(&source);
    let lister = idle.lister();
    assert!(!lister.is_stopped());
    drop(idle);
    assert!(lister.is_stopped());
    let read = lister.get_at_least("map-1", &version, Duration::MAX);
    assert!(tokio::time::timeout(SOON, read).await.unwrap().is_err());
}
