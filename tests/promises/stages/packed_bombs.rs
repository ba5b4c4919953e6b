//! Packed objects that panic whenever what was unpacked of them is dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use kube_informer::testing::FakeSource;
use kube_informer::{Event, InformerGroup, InformerOptions, SharedInformer};

use super::bombs::{Bomb, Bombs};
use super::settle;

#[tokio::test(start_paused = true)]
async fn panicking_unpacked_objects_cost_no_event() {
    const COUNT: usize = 20;
    let bombs = Bombs::packed(COUNT).await;
    let updates = Arc::new(AtomicUsize::new(0));
    let counted = [updates.clone(), updates.clone()];
    let [one, all] = counted.map(|updates| {
        move |event: Event<Bomb>| {
            if matches!(event, Event::Updated { .. }) {
                updates.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    bombs.informer.on_event(one).unwrap();
    InformerGroup::from(&bombs.informer).on_event(all).unwrap();
    let names = |bomb: &Bomb| bomb.meta().name.clone();
    let index = bombs.informer.add_index("name", names).unwrap();
    settle().await;
    bombs.arm(true);
    bombs.put_all();
    settle().await;
    bombs.arm(false);
    assert_eq!(updates.load(Ordering::Relaxed), 2 * COUNT);
    assert_eq!(index.get("b7").len(), 1);
    let status = bombs.informer.status();
    assert!(status.synced && status.failure.is_none(), "{status:?}");
    bombs.informer.shutdown().await;
}

/// Gives one value, then panics, in `next` and when it is dropped.
struct Values(Option<String>);

impl Iterator for Values {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        Some(self.0.take().expect("on purpose: next"))
    }
}

impl Drop for Values {
    fn drop(&mut self) {
        panic!("on purpose: the iterator's drop");
    }
}

#[tokio::test(start_paused = true)]
async fn panicking_index_iterator_costs_only_its_index() {
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    let maps = SharedInformer::new(source.clone(), InformerOptions::new());
    let bad = maps.add_index("bad", |_: &ConfigMap| Values(Some("v".into()))).unwrap();
    let good = maps.add_index("good", |_: &ConfigMap| ["v"]).unwrap();
    maps.start().unwrap();
    settle().await;
    source.put(super::object("a"));
    settle().await;
    assert_eq!((maps.lister().len(), good.get("v").len(), bad.get("v").len()), (1, 1, 0));
    assert!(maps.failure().is_none());
    maps.shutdown().await;
}
