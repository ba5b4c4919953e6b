//! Packed objects that panic whenever what was unpacked of them is dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::{Action, Controller};
use kube_informer::ObjectKey;
use kube_informer::testing::FakeSource;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::bombs::Bombs;
use crate::helpers::{MS, informer_of, map, spawn};

#[tokio::test(start_paused = true)]
async fn panicking_unpacked_objects_cost_no_mapping() {
    const COUNT: usize = 20;
    let bombs = Bombs::packed(COUNT).await;
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    source.put(map("a", "1"));
    let maps = informer_of(&source);
    let (judged, mapped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (judging, mapping) = (judged.clone(), mapped.clone());
    let builder = Controller::builder("predicate", &bombs.informer);
    let first = builder.predicate(move |_| judging.fetch_add(1, Ordering::Relaxed) == usize::MAX);
    let second = Controller::builder("mapping", &maps).watches(&bombs.informer, move |_| {
        mapping.fetch_add(1, Ordering::Relaxed);
        None::<ObjectKey>
    });
    let (first, second, stop) = (first.build(), second.build(), CancellationToken::new());
    let handles = [first.handle(), second.handle()];
    let first =
        spawn(first.run(stop.clone(), |_| async { Ok::<_, std::io::Error>(Action::done()) }));
    let second =
        spawn(second.run(stop.clone(), |_| async { Ok::<_, std::io::Error>(Action::done()) }));
    sleep(MS).await;
    bombs.arm(true);
    bombs.put_all();
    sleep(MS).await;
    bombs.arm(false);
    assert_eq!(judged.load(Ordering::Relaxed), 2 * COUNT, "each add, and each update");
    assert_eq!(mapped.load(Ordering::Relaxed), 3 * COUNT, "each state of each event");
    for status in handles.map(|handle| handle.status()) {
        let panics = (status.restarts, status.predicate_panics, status.mapping_panics);
        assert_eq!(panics, (0, 0, 0), "{}", status.name);
    }
    assert!(bombs.informer.status().drop_faults >= 4 * COUNT as u64, "each is counted");
    stop.cancel();
    first.await.unwrap().unwrap();
    second.await.unwrap().unwrap();
}
