//! Schedules of the delta FIFO: its producers, its consumer and its close.

use std::sync::Arc;

use shuttle::future::block_on;

use super::{join_all, run_scenario, spawn, spawn_waiter};
use crate::delta_fifo::DeltaFifo;
use crate::helpers::{key, object};
use crate::object::{Cached, Change, KnownObjects, ObjectKey};

/// Known objects of an empty store.
struct NoKnownObjects;

impl KnownObjects for NoKnownObjects {
    fn get(&self, _: &ObjectKey) -> Option<Cached> {
        None
    }

    fn for_each(&self, _: &mut dyn FnMut(&ObjectKey, &Cached)) {}
}

fn added(name: &str) -> Change {
    Change::Added { key: key(name), object: Cached::any(Arc::new(object(name))), version: None }
}

/// Returns the names that are popped until the queue ends, in order.
async fn drained(fifo: Arc<DeltaFifo>) -> Vec<String> {
    let mut names = Vec::new();
    while let Some(batch) = fifo.pop().await {
        names.extend(batch.deltas.iter().map(|(key, _)| key.name().to_owned()));
        fifo.done(&batch);
    }
    names
}

#[test]
fn batches_keep_order_and_end() {
    run_scenario(|_| {
        let fifo = Arc::new(DeltaFifo::new(Arc::new(NoKnownObjects)));
        let drain = spawn_waiter(drained(fifo.clone()));
        let mut synced = fifo.synced();
        let sync = spawn_waiter(async move { synced.wait_for(|synced| *synced).await.is_ok() });
        for name in ["a", "b", "c"] {
            fifo.push(added(name));
        }
        let close = spawn(move || fifo.close());
        assert_eq!(join_all([drain]), [["a", "b", "c"]]);
        assert_eq!(join_all([sync]), [true]);
        join_all([close]);
    });
}

#[test]
fn pop_returns_before_close() {
    run_scenario(|_| {
        let fifo = Arc::new(DeltaFifo::new(Arc::new(NoKnownObjects)));
        let feed = {
            let fifo = fifo.clone();
            spawn(move || fifo.push(added("a")))
        };
        let pop = |fifo: Arc<DeltaFifo>| {
            spawn_waiter(async move { fifo.pop().await.expect("the queue is open").deltas.len() })
        };
        assert_eq!(join_all([pop(fifo.clone())]), [1]);
        join_all([feed]);
    });
}

/// Returns a queue that is full.
fn full() -> Arc<DeltaFifo> {
    let fifo = DeltaFifo::with_capacity(Arc::new(NoKnownObjects), 2);
    for name in ["a", "b"] {
        fifo.push(added(name));
    }
    Arc::new(fifo)
}

async fn feed(fifo: Arc<DeltaFifo>) {
    fifo.feed(added("c")).await;
}

#[test]
fn done_batch_wakes_a_blocked_producer() {
    run_scenario(|_| {
        let fifo = full();
        let feeds = [(), ()].map(|()| spawn_waiter(feed(fifo.clone())));
        let batch = block_on(fifo.pop()).expect("the queue is full");
        fifo.done(&batch);
        join_all(feeds);
        assert_eq!(fifo.len(), 2, "both producers continued");
    });
}

#[test]
fn close_wakes_blocked_producers() {
    run_scenario(|_| {
        let fifo = full();
        let feeds = [(), ()].map(|()| spawn_waiter(feed(fifo.clone())));
        fifo.close();
        join_all(feeds);
        assert_eq!(fifo.len(), 2, "a closed queue accepts nothing");
    });
}
