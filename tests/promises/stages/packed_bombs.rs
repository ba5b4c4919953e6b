//! Packed objects that panic whenever what was unpacked of them is dropped.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use kube_controllers::{Action, Controller};
use kube_informer::lister_watcher::Packer;
use kube_informer::object::{AnyObject, PackedObject};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::testing::FakeSource;
use kube_informer::{
    Cached, Event, InformerGroup, InformerOptions, ObjectKey, ResourceVersion, SharedInformer,
};
use tokio_util::sync::CancellationToken;

use super::bombs::{Bomb, Bombs};
use super::{filled, settle};
use crate::helpers::{informer_of, spawn};

/// Each read makes an object of its own.
struct Packed(Arc<Bomb>);

impl PackedObject for Packed {
    fn get(&self) -> Option<Arc<dyn AnyObject>> {
        Some(Arc::new(Bomb::clone(&self.0)))
    }

    fn uid(&self) -> Option<&str> {
        self.0.meta().uid.as_deref()
    }

    fn version(&self) -> Option<ResourceVersion> {
        self.0.meta().resource_version.as_deref().map(Into::into)
    }

    fn labels(&self) -> Option<&BTreeMap<String, String>> {
        self.0.meta().labels.as_ref()
    }
}

async fn packed_bombs(count: usize) -> Bombs {
    let packer = Packer::from_fn(|bomb| {
        let bomb = bomb.get_as().expect("a bomb");
        Cached::packed_as(Arc::new(Packed(bomb)))
    });
    Bombs::start_with(count, ReflectorOptions::new().packer(packer)).await
}

#[tokio::test(start_paused = true)]
async fn panicking_unpacked_objects_cost_no_event() {
    const COUNT: usize = 20;
    let bombs = packed_bombs(COUNT).await;
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

#[tokio::test(start_paused = true)]
async fn panicking_unpacked_objects_cost_no_mapping() {
    const COUNT: usize = 20;
    let bombs = packed_bombs(COUNT).await;
    let maps = informer_of(&filled(1));
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
    settle().await;
    bombs.arm(true);
    bombs.put_all();
    settle().await;
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
