//! Long work is done in turns: others have theirs, and nobody sees half of it.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kube_informer::error::ApiStatus;
use kube_informer::testing::{FakeSource, WatchEnd};
use kube_informer::{Event, ObjectKey, SharedInformer};
use parking_lot::Mutex;
use tokio::task::yield_now;

use crate::helpers::informer_of;

const SOON: Duration = Duration::from_secs(60);

fn object(n: usize) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(format!("map-{n}")), ..ObjectMeta::default() };
    let data = Some([("group".to_owned(), (n % 3).to_string())].into());
    ConfigMap { metadata, data, ..ConfigMap::default() }
}

fn key(n: usize) -> ObjectKey {
    ObjectKey::cluster(&format!("map-{n}")).unwrap()
}

fn group(map: &ConfigMap) -> Option<String> {
    map.data.as_ref()?.get("group").cloned()
}

fn expired() -> WatchEnd {
    WatchEnd::Failed(ApiStatus::new(410, "Expired", "as the test says"))
}

fn filled(count: usize) -> Arc<FakeSource<ConfigMap>> {
    let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    for n in 0..count {
        source.put(object(n));
    }
    source
}

/// On one thread, whose tasks take turns, with one of this between any two; time is real, so a task
/// that never waits is no idle one.
fn on_one_thread<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .event_interval(1)
        .enable_all()
        .build()
        .unwrap()
        .block_on(work)
}

/// The events of a handler, folded. An event that does not fit the earlier ones is a gap or a
/// repeat.
#[derive(Clone, Debug, Default)]
struct Folded(Arc<Mutex<BTreeMap<ObjectKey, Arc<ConfigMap>>>>);

impl Folded {
    fn hear(&self, event: Event<ConfigMap>) {
        let mut folded = self.0.lock();
        let key = ObjectKey::of(&**event.object()).unwrap();
        match event {
            Event::Added { object, .. } => {
                assert!(folded.insert(key.clone(), object).is_none(), "{key} is added twice");
            }
            Event::Updated { old, new } => {
                let before = folded.insert(key.clone(), new);
                assert!(before.is_some_and(|before| Arc::ptr_eq(&before, &old)), "{key}");
            }
            Event::Deleted { .. } | Event::MovedAway { .. } => {
                assert!(folded.remove(&key).is_some(), "{key} was not there");
            }
        }
    }

    /// Returns whether the folded events equal the store, object by object.
    fn is(&self, informer: &SharedInformer<ConfigMap>) -> bool {
        let (folded, store) = (self.0.lock(), informer.snapshot());
        let told = |key| folded.get(key);
        assert!(informer.status().handlers.iter().all(|handler| handler.panics == 0));
        folded.len() == store.len()
            && store.iter().all(|(key, object)| told(key).is_some_and(|o| Arc::ptr_eq(o, &object)))
    }
}

/// Waits, turn by turn, until something is so; how many turns that took.
async fn turns_until(so: impl Fn() -> bool) -> usize {
    let mut turns = 0;
    while !so() {
        turns += 1;
        yield_now().await;
    }
    turns
}

#[test]
fn other_tasks_see_whole_lists_or_nothing() {
    const COUNT: usize = 3_200;
    on_one_thread(async {
        let source = filled(COUNT);
        let informer = informer_of(&source);
        let folded = Folded::default();
        let told = folded.clone();
        informer.on_event(move |event| told.hear(event)).unwrap();
        informer.start().unwrap();
        let indexer = informer.indexer().clone();
        let turns = turns_until(|| {
            let seen = indexer.snapshot().len();
            assert!(seen == 0 || seen == COUNT, "{seen} of a list are seen");
            informer.has_synced()
        });
        let turns = turns.await;
        // Listed, compared, queued, stored, told, done: each in as many turns as there are
        // hundreds.
        assert!(turns > 6 * COUNT / 100, "others had {turns} turns during a first list");
        turns_until(|| folded.0.lock().len() == COUNT).await;

        source.end_watches(expired());
        for n in 0..COUNT {
            source.put(object(n));
        }
        source.compact();
        let first = source.version() - COUNT as u64;
        let old = |object: &ConfigMap| {
            object.metadata.resource_version.as_ref().unwrap().parse::<u64>().unwrap() <= first
        };
        let turns = turns_until(|| {
            let store = indexer.snapshot();
            let olds = store.iter().filter(|(_, object)| old(object)).count();
            assert!(olds == 0 || olds == COUNT, "{olds} of {COUNT} are old");
            olds == 0
        });
        let turns = turns.await;
        assert!(turns > 4 * COUNT / 100, "others had {turns} turns during a relist");
        informer.shutdown().await;
    });
}

#[test]
fn handler_added_during_list_sees_no_gap() {
    const COUNT: usize = 300;
    let mut in_the_middle = 0;
    for turn in 0..60 {
        on_one_thread(async {
            let source = filled(COUNT);
            let informer = informer_of(&source);
            let (early, late) = (Folded::default(), Folded::default());
            let told = early.clone();
            informer.on_event(move |event| told.hear(event)).unwrap();
            informer.start().unwrap();
            for _ in 0..turn {
                yield_now().await;
            }
            in_the_middle += usize::from(!informer.has_synced());
            let by_group = informer.add_index("group", group).unwrap();
            let told = late.clone();
            let registration = informer.on_event(move |event| told.hear(event)).unwrap();
            let synced = registration.wait_for_sync();
            tokio::time::timeout(SOON, synced).await.unwrap();
            assert_eq!(late.0.lock().len(), COUNT, "has synced and was told all, turn {turn}");
            source.delete(&key(7));
            source
                .put(ConfigMap { data: Some([("group".into(), "9".into())].into()), ..object(8) });
            informer.wait_for(&source.version().into(), SOON).await.unwrap();
            for folded in [&early, &late] {
                let told = tokio::time::timeout(SOON, turns_until(|| folded.is(&informer)));
                assert!(told.await.is_ok(), "turn {turn}: {folded:?}");
            }
            let filed: usize = ["0", "1", "2", "9"].map(|value| by_group.len(value)).iter().sum();
            assert_eq!((filed, by_group.len("9")), (COUNT - 1, 1), "turn {turn}");
            informer.shutdown().await;
        });
    }
    assert!(in_the_middle > 20, "only {in_the_middle} came in the middle");
}

#[test]
fn relist_at_any_point_matches_the_source() {
    for turn in 0..60 {
        on_one_thread(async {
            let source = filled(200);
            let informer = informer_of(&source);
            let folded = Folded::default();
            let told = folded.clone();
            informer.on_event(move |event| told.hear(event)).unwrap();
            informer.start().unwrap();
            informer.wait_for_sync(SOON).await.unwrap();
            for n in 0..300 {
                source.put(object(n));
            }
            for _ in 0..turn {
                yield_now().await;
            }
            // Some of what follows is only seen by the relist.
            for n in (0..300).step_by(2) {
                source.delete(&key(n));
            }
            for n in (0..300).step_by(6) {
                source.put(object(n));
            }
            source.compact();
            source.end_watches(expired());
            informer.wait_for(&source.version().into(), SOON).await.unwrap();
            let told = tokio::time::timeout(SOON, turns_until(|| folded.is(&informer)));
            assert!(told.await.is_ok(), "turn {turn}: {folded:?}");
            let store = informer.snapshot();
            let expected = source.objects();
            assert_eq!(store.len(), expected.len(), "turn {turn}");
            for (key, object) in &expected {
                assert_eq!(*store.get(key).unwrap(), **object);
            }
            informer.shutdown().await;
        });
    }
}
