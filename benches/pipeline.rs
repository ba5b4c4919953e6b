//! Events through queue, store and three handlers, on one thread.
//! `cargo bench --bench pipeline`; `PODS=1000` for a quick look.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "figures for people to read"
)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use k8s_openapi::api::core::v1::Pod;
use kube::Resource;
use kube::api::ObjectMeta;
use kube_informer::lister_watcher::{
    Collection, ListHints, ListItem, ListMetadata, ListQuery, ListStream, ListerWatcher, WatchItem,
    WatchQuery, WatchStream,
};
use kube_informer::{InformerOptions, SharedInformer, SourceError};
use parking_lot::Mutex;

/// The fields that a controller keeps of a pod: with whole pods most of the time goes into the
/// allocator and the page faults of 2.5 kB structs, which no stage looks into.
#[derive(Clone, Debug, Resource)]
#[resource(inherit = Pod)]
struct SlimPod {
    metadata: ObjectMeta,
    node: Option<String>,
}

impl SlimPod {
    fn new(n: usize, version: u64) -> Self {
        let pod = support::bare_pod(n, version);
        Self { node: support::node_of(&pod), metadata: pod.metadata }
    }
}

/// A source whose objects are made beforehand, so that only the pipeline is measured.
struct Made {
    collection: Collection,
    list: Mutex<Vec<SlimPod>>,
    events: Mutex<Vec<SlimPod>>,
    go: Arc<tokio::sync::Semaphore>,
}

impl ListerWatcher<SlimPod> for Made {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(
        &self,
        _: &ListQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<SlimPod>, SourceError>> {
        let pods = std::mem::take(&mut *self.list.lock());
        let version = Some((pods.len() as u64).into());
        let end = ListItem::Meta(ListMetadata { version, ..ListMetadata::default() });
        let items =
            pods.into_iter().map(|pod| Ok(ListItem::Object(Ok(pod.into())))).chain([Ok(end)]);
        let items: Vec<_> = items.collect();
        async { Ok(stream::iter(items).boxed()) }.boxed()
    }

    fn watch(
        &self,
        _: &WatchQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<SlimPod>, SourceError>> {
        let events = std::mem::take(&mut *self.events.lock());
        let go = self.go.clone();
        let events = stream::iter(events).map(|pod| Ok(WatchItem::Modified(Ok(pod.into()))));
        async move {
            // A closed semaphore would end the wait as well.
            let waited = stream::once(async move { go.acquire().await.map(|_| ()).ok() });
            let events = waited.filter_map(|_| async { None }).chain(events);
            Ok(events.chain(stream::pending()).boxed())
        }
        .boxed()
    }
}

fn main() {
    let total = support::pods();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    println!("{total} objects, then two updates of each, three handlers, one index, one thread\n");
    println!("| | events/s | µs an event |");
    println!("|---|---|---|");
    for round in 1..=3 {
        let (listed, events) = runtime.block_on(measure(total));
        for (what, count, lasted) in [("first list", total, listed), ("watch", 2 * total, events)] {
            let rate = count as f64 / lasted.as_secs_f64();
            println!("| {what}, round {round} | {rate:.0} | {:.2} |", 1e6 / rate);
        }
    }
}

async fn measure(total: usize) -> (Duration, Duration) {
    let go = Arc::new(tokio::sync::Semaphore::new(0));
    let version = |n: usize| n as u64 + 1;
    let source = Made {
        collection: Collection { resource: "pods".into(), kind: "Pod".into(), namespace: None },
        list: Mutex::new((0..total).map(|n| SlimPod::new(n, version(n))).collect()),
        events: Mutex::new(
            (total..3 * total).map(|n| SlimPod::new(n * 7919 % total, version(n))).collect(),
        ),
        go: go.clone(),
    };
    let informer = SharedInformer::new(Arc::new(source), InformerOptions::new());
    informer.add_index("node", |pod: &SlimPod| pod.node.clone()).unwrap();
    let told = Arc::new(AtomicU64::new(0));
    for _ in 0..3 {
        let told = told.clone();
        informer.on_event(move |_| _ = told.fetch_add(1, Ordering::Relaxed)).unwrap();
    }
    let reached = |count: u64| {
        let told = told.clone();
        async move {
            while told.load(Ordering::Relaxed) < count {
                tokio::task::yield_now().await;
            }
        }
    };
    let start = Instant::now();
    informer.start().unwrap();
    reached(3 * total as u64).await;
    let listed = start.elapsed();
    let start = Instant::now();
    go.add_permits(1);
    // Merged events are not told one by one, so the end is when the last version is stored.
    let last = (3 * total as u64).into();
    while informer.snapshot().version() != Some(&last)
        || informer.status().handlers.iter().any(|handler| handler.backlog > 0)
    {
        tokio::task::yield_now().await;
    }
    let all_told = || {
        let merged: u64 = informer.status().handlers.iter().map(|handler| handler.merged).sum();
        // Nothing is dropped.
        merged + told.load(Ordering::Relaxed) == 9 * total as u64
    };
    while !all_told() {
        tokio::task::yield_now().await;
    }
    let events = start.elapsed();
    informer.shutdown().await;
    (listed, events)
}
