//! Every handler gets each of its periods, and resyncs hold up nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::{Event, HandlerOptions, ObjectKey, SharedInformer};
use tokio::task::yield_now;
use tokio::time::advance;

use super::{SOON, filled, key, object, settle};
use crate::helpers::informer_of;

struct Count<F>(F);

impl<F: FnMut(Event<ConfigMap>) + Send + 'static> kube_informer::EventHandler<ConfigMap>
    for Count<F>
{
    fn on_event(&mut self, event: Event<ConfigMap>) {
        (self.0)(event);
    }
}

/// Counts how often a handler is told again of the object of this name.
fn count(informer: &SharedInformer<ConfigMap>, name: &str, period: Duration) -> Arc<AtomicUsize> {
    let told = Arc::new(AtomicUsize::new(0));
    let (counter, name) = (told.clone(), name.to_owned());
    let options = HandlerOptions::new().resync(period);
    let handler = Count(move |event: Event<ConfigMap>| {
        if let Event::Updated { old, new } = event
            && old.metadata.resource_version == new.metadata.resource_version
            && new.metadata.name.as_ref() == Some(&name)
        {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    });
    informer.add_handler_with(handler, options).unwrap();
    told
}

async fn many_turns() {
    for _ in 0..200 {
        yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn no_period_is_skipped_where_timers_fire_late() {
    let source = filled(3);
    let informer = informer_of(&source);
    let told = count(&informer, "map-1", Duration::from_secs(1));
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    // Each look comes late, and every second one less so than the one before.
    for period in 1..=20 {
        let (late, less) = (Duration::from_millis(1200), Duration::from_millis(800));
        advance(if period % 2 == 1 { late } else { less }).await;
        many_turns().await;
        assert_eq!(told.load(Ordering::Relaxed), period);
    }
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn resync_longer_than_its_period_lets_changes_through() {
    const OBJECTS: usize = 5_000;
    let source = filled(OBJECTS);
    let informer = informer_of(&source);
    let (first, last) = ("map-0", format!("map-{}", OBJECTS - 1));
    let told = count(&informer, first, Duration::from_secs(1));
    let told_last = count(&informer, &last, Duration::from_secs(1));
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    settle().await;
    let mut turns = 0;
    // Each turn takes so long that a resync takes several of its periods.
    while told_last.load(Ordering::Relaxed) < 4 {
        advance(Duration::from_millis(100)).await;
        turns += 1;
        if turns % 50 == 0 {
            let version = source.put(object("new")).metadata.resource_version.clone();
            let stored = || {
                let stored = informer.indexer().get(&key("new"));
                stored.is_some_and(|stored| stored.metadata.resource_version == version)
            };
            let mut waited = 0;
            while !stored() {
                advance(Duration::from_millis(100)).await;
                waited += 1;
                assert!(waited < 20, "a change waits for a resync");
            }
        }
        assert!(turns < 10_000, "a resync never comes to its end");
    }
    assert!(told.load(Ordering::Relaxed) >= 4);
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn changes_without_end_hold_up_no_resync() {
    let source = filled(300);
    let informer = informer_of(&source);
    let told = count(&informer, "map-1", Duration::from_secs(1));
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    settle().await;
    for turn in 1..=2_000 {
        source.put(object("new"));
        advance(Duration::from_millis(10)).await;
        if turn % 100 == 0 {
            let periods = turn / 100;
            let resyncs = told.load(Ordering::Relaxed);
            assert!(resyncs + 1 >= periods, "{resyncs} resyncs in {periods} periods");
        }
    }
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn resync_leaves_a_stale_object_stale() {
    let source = filled(2);
    let informer = informer_of(&source);
    let told = count(&informer, "map-0", Duration::from_secs(1));
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    let stale: ObjectKey = key("map-0");
    source.set_poisoned(&stale, true);
    source.put(object("map-0"));
    settle().await;
    let before = informer.snapshot();
    assert!(before.is_stale(&stale));
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    assert_eq!(told.load(Ordering::Relaxed), 3);
    assert!(informer.snapshot().is_stale(&stale), "a resync knows nothing newer");
    assert_eq!(informer.snapshot().version(), before.version());
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn each_handler_has_a_grid_of_its_own() {
    let source = filled(1);
    let informer = informer_of(&source);
    let seconds = Duration::from_secs;
    let early = count(&informer, "map-0", seconds(10));
    // A start that comes late begins the periods.
    tokio::time::sleep(seconds(7)).await;
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    tokio::time::sleep(seconds(5)).await;
    let late = count(&informer, "map-0", seconds(15));
    let told = || (early.load(Ordering::Relaxed), late.load(Ordering::Relaxed));
    tokio::time::sleep(Duration::from_millis(4_900)).await;
    assert_eq!(told(), (0, 0));
    tokio::time::sleep(seconds(10)).await;
    assert_eq!(told(), (1, 0));
    tokio::time::sleep(seconds(1)).await;
    assert_eq!(told(), (2, 1));
    tokio::time::sleep(seconds(30)).await;
    assert_eq!(told(), (5, 3));
    informer.shutdown().await;
}
