//! The queue between who feeds it and who drains it.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use shuttle::future::block_on;

use super::{all, play, spawn, waiting};
use crate::delta_fifo::DeltaFifo;
use crate::object::{Cached, Change, KnownObjects, ObjectKey};

/// Nothing is stored.
struct Nothing;

impl KnownObjects<ConfigMap> for Nothing {
    fn get(&self, _: &ObjectKey) -> Option<Cached<ConfigMap>> {
        None
    }

    fn for_each(&self, _: &mut dyn FnMut(&ObjectKey, &Cached<ConfigMap>)) {}
}

fn object(name: &str) -> (ObjectKey, Cached<ConfigMap>) {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    let object = ConfigMap { metadata, ..ConfigMap::default() };
    (ObjectKey::cluster(name).unwrap(), Arc::new(object).into())
}

fn added(name: &str) -> Change<ConfigMap> {
    let (key, object) = object(name);
    Change::Added { key, object, version: None }
}

/// The names of what is popped until the queue ends, in order.
async fn drained(fifo: Arc<DeltaFifo<ConfigMap>>) -> Vec<String> {
    let mut names = Vec::new();
    while let Some(batch) = fifo.pop().await {
        names.extend(batch.deltas.iter().map(|(key, _)| key.name().to_owned()));
        fifo.done(&batch);
    }
    names
}

#[test]
fn all_that_is_fed_is_popped_in_its_order_and_then_comes_the_end() {
    play(|_| {
        let fifo = Arc::new(DeltaFifo::new(Arc::new(Nothing)));
        let drain = waiting(drained(fifo.clone()));
        let mut synced = fifo.synced();
        let sync = waiting(async move { synced.wait_for(|synced| *synced).await.is_ok() });
        for name in ["a", "b", "c"] {
            fifo.push(added(name));
        }
        let close = spawn(move || fifo.close());
        assert_eq!(all([drain]), [["a", "b", "c"]]);
        assert_eq!(all([sync]), [true]);
        all([close]);
    });
}

#[test]
fn what_waits_for_the_next_batch_gets_it_before_anybody_closes() {
    play(|_| {
        let fifo = Arc::new(DeltaFifo::new(Arc::new(Nothing)));
        let feed = {
            let fifo = fifo.clone();
            spawn(move || fifo.push(added("a")))
        };
        let pop = |fifo: Arc<DeltaFifo<ConfigMap>>| {
            waiting(async move { fifo.pop().await.expect("nobody closes it").deltas.len() })
        };
        assert_eq!(all([pop(fifo.clone())]), [1]);
        all([feed]);
    });
}

/// One that holds as much as it takes.
fn full() -> Arc<DeltaFifo<ConfigMap>> {
    let fifo = DeltaFifo::with_capacity(Arc::new(Nothing), 2);
    for name in ["a", "b"] {
        fifo.push(added(name));
    }
    Arc::new(fifo)
}

async fn feed(fifo: Arc<DeltaFifo<ConfigMap>>) {
    fifo.feed(added("c")).await;
}

#[test]
fn who_waits_for_room_goes_on_when_something_is_done() {
    play(|_| {
        let fifo = full();
        let feeds = [(), ()].map(|()| waiting(feed(fifo.clone())));
        let batch = block_on(fifo.pop()).expect("it is full");
        fifo.done(&batch);
        all(feeds);
        assert_eq!(fifo.len(), 2, "both had room");
    });
}

#[test]
fn who_waits_for_room_goes_on_when_there_never_will_be_any() {
    play(|_| {
        let fifo = full();
        let feeds = [(), ()].map(|()| waiting(feed(fifo.clone())));
        fifo.close();
        all(feeds);
        assert_eq!(fifo.len(), 2, "it takes nothing any more");
    });
}
