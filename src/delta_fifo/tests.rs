//! Tests of what only the module sees. All others are in `tests/suite/delta_fifo`.

use super::*;
use crate::helpers::{key, object};
use crate::indexer::Indexer;
use crate::object::{ChunkedVec, Digest, Replacement};

fn fifo() -> DeltaFifo {
    DeltaFifo::new(Arc::new(Indexer::<k8s_openapi::api::core::v1::ConfigMap>::new()))
}

fn added(name: &str) -> Change {
    Change::Added {
        key: key(name),
        object: Cached::from(Arc::new(object(name))).into(),
        version: None,
    }
}

fn list(version: u64) -> Replacement {
    let (unreadable, moved) = (ChunkedVec::new(), ChunkedVec::new());
    Replacement {
        items: ChunkedVec::new(),
        unreadable,
        moved,
        complete: true,
        version: version.into(),
        restored: false,
        shard: None,
        grown: false,
    }
}

fn pop(fifo: &DeltaFifo) -> Option<Batch> {
    fifo.pop().now_or_never().flatten()
}

#[test]
fn batch_says_where_it_is_from() {
    let fifo = fifo();
    for first in [true, false] {
        fifo.push(Change::Replace(list(9)));
        let kind = BatchKind::List { first, complete: true, restored: false, grown: false };
        assert_eq!(pop(&fifo).unwrap().kind, kind);
    }
    fifo.push(Change::Arrived(Replacement { grown: true, ..list(10) }));
    assert_eq!(pop(&fifo).unwrap().kind, BatchKind::Arrivals { complete: true });
    fifo.push(added("a"));
    assert_eq!(pop(&fifo).unwrap().kind, BatchKind::Events);
}

#[test]
fn events_fill_whole_batches() {
    let fifo = fifo();
    (0..=BATCH).for_each(|n| fifo.push(added(&n.to_string())));
    let sizes = [pop(&fifo), pop(&fifo)].map(|batch| batch.unwrap().deltas.len());
    assert_eq!(sizes, [BATCH, 1]);
}

#[tokio::test]
async fn room_returns_after_done_and_after_close() {
    let fifo = Arc::new(fifo());
    let fill = || (0..CAPACITY).for_each(|n| fifo.push(added(&n.to_string())));
    fill();
    let wait = || {
        let fifo = fifo.clone();
        tokio::spawn(async move { fifo.room().await })
    };
    let waiting: Vec<_> = (0..4).map(|_| wait()).collect();
    tokio::task::yield_now().await;
    assert!(waiting.iter().all(|task| !task.is_finished()));
    fifo.done(&pop(&fifo).unwrap());
    for task in waiting {
        task.await.unwrap();
    }
    fill();
    let waiting = wait();
    tokio::task::yield_now().await;
    fifo.abandon();
    waiting.await.unwrap();
    assert!(pop(&fifo).is_none());
}

/// A store of one object.
struct One(Cached);

impl KnownObjects for One {
    fn get(&self, of: &ObjectKey) -> Option<Cached> {
        (*of == key("a")).then(|| self.0.clone())
    }

    fn for_each(&self, visit: &mut dyn FnMut(&ObjectKey, &Cached)) {
        visit(&key("a"), &self.0);
    }
}

#[test]
fn known_list_item_keeps_its_object() {
    let state = |bytes| {
        let object: Cached = Cached::from(Arc::new(object("a"))).into();
        object.with_digest(Some(Digest::of(bytes)))
    };
    let stored = state(b"known");
    let fifo = DeltaFifo::new(Arc::new(One(stored.clone())));
    for (bytes, keeps) in [(b"known", true), (b"other", false)] {
        let items = [(key("a"), state(bytes))].into_iter().collect();
        fifo.push(Change::Replace(Replacement { items, ..list(9) }));
        let batch = pop(&fifo).unwrap();
        assert_eq!(batch.deltas[0].1.object().unwrap().ptr_eq(&stored), keeps);
        fifo.done(&batch);
    }
}
