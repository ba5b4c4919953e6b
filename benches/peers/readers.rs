//! client-go's shared-informer benchmark: an informer of N small pods in one namespace over a
//! source in this process; readers list the namespace in a loop, one writer updates pods taken at
//! random, with at most ten updates that no handler has seen yet.
//!
//! Readers are threads. They read as two kinds of users do: `list` takes a `Vec` of all objects
//! from the lister, `snapshot` walks over them without taking any.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use k8s_openapi::api::core::v1::Pod;
use kube_informer::lister_watcher::{
    Collection, ListHints, ListItem, ListMetadata, ListQuery, ListStream, ListerWatcher, WatchItem,
    WatchQuery, WatchStream,
};
use kube_informer::{Event, InformerOptions, LabelSelector, SharedInformer, SourceError};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::measure::{self, Lines, Options};
use crate::reads::bare_pod;

const NAMESPACE: &str = "default";

/// The number of updates that may be on their way.
const QUEUED: usize = 10;

/// A source whose list is made beforehand and whose events come from a channel of one.
struct Fake {
    collection: Collection,
    list: Mutex<Vec<Pod>>,
    events: Mutex<Option<mpsc::Receiver<Pod>>>,
}

impl ListerWatcher<Pod> for Fake {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(
        &self,
        _: &ListQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<Pod>, SourceError>> {
        let pods = std::mem::take(&mut *self.list.lock());
        let version = Some((pods.len() as u64).into());
        let end = ListItem::Meta(ListMetadata { version, ..ListMetadata::default() });
        let items = pods.into_iter().map(|pod| Ok(ListItem::Object(Ok(pod.into()))));
        let items: Vec<_> = items.chain([Ok(end)]).collect();
        async { Ok(stream::iter(items).boxed()) }.boxed()
    }

    fn watch(
        &self,
        _: &WatchQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<Pod>, SourceError>> {
        let events = self.events.lock().take();
        let events = stream::unfold(events, |events| async {
            let mut events = events?;
            let pod = events.recv().await?;
            Some((Ok(WatchItem::Modified(Ok(pod.into()))), Some(events)))
        });
        async { Ok(events.chain(stream::pending()).boxed()) }.boxed()
    }
}

pub(crate) fn run(options: &Options) {
    let pods = options.number("pods", 10_000).max(1);
    let lasts = options.seconds("seconds", 5.0);
    for kind in ["list", "snapshot"] {
        let lines = Lines::new("kube-informer", kind, "none", options);
        for readers in options.numbers("readers") {
            if readers == 0 && kind == "snapshot" {
                continue;
            }
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
            let (writes, reads, cpu) =
                runtime.block_on(measure(pods, readers, lasts, kind == "snapshot"));
            lines.print(&format!("shared informer writes, {readers} readers"), pods, writes, "1/s");
            lines.print(&format!("shared informer reads, {readers} readers"), pods, reads, "1/s");
            lines.print(&format!("shared informer cpu, {readers} readers"), pods, cpu, "s");
        }
    }
}

async fn measure(total: usize, readers: usize, lasts: Duration, snapshot: bool) -> (f64, f64, f64) {
    let (sender, events) = mpsc::channel(1);
    let pods: Arc<Vec<Pod>> = Arc::new((0..total).map(|n| bare_pod(n, NAMESPACE)).collect());
    let source = Fake {
        collection: Collection {
            resource: "pods".into(),
            kind: "Pod".into(),
            namespace: Some(NAMESPACE.into()),
        },
        list: Mutex::new(pods.to_vec()),
        events: Mutex::new(Some(events)),
    };
    let informer = SharedInformer::new(Arc::new(source), InformerOptions::new());
    let under_way = Arc::new(tokio::sync::Semaphore::new(QUEUED));
    let writes = Arc::new(AtomicU64::new(0));
    let (seen, counted) = (under_way.clone(), writes.clone());
    let registration = informer
        .on_event(move |event| {
            if let Event::Updated { .. } = event {
                counted.fetch_add(1, Ordering::Relaxed);
                seen.add_permits(1);
            }
        })
        .unwrap();
    informer.start().unwrap();
    informer.wait_for_sync(Duration::from_secs(60)).await.unwrap();
    registration.wait_for_sync().await;

    let (done, reads) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let threads: Vec<_> = (0..readers)
        .map(|_| {
            let (done, reads, informer) = (done.clone(), reads.clone(), informer.clone());
            std::thread::spawn(move || {
                let lister = informer.lister();
                let namespace = lister.namespace(NAMESPACE);
                while !done.load(Ordering::Relaxed) {
                    if snapshot {
                        for object in lister.snapshot().namespace(NAMESPACE) {
                            black_box(object);
                        }
                    } else {
                        black_box(namespace.list(&LabelSelector::everything()));
                    }
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    // A task, as the informer's own are: not the thread that waits for the end.
    let updating = tokio::spawn({
        let (done, pods) = (done.clone(), pods.clone());
        async move {
            let mut dice = fastrand::Rng::with_seed(4711);
            let mut version = total as u64;
            while !done.load(Ordering::Relaxed) {
                let mut pod = pods[dice.usize(..pods.len())].clone();
                version += 1;
                pod.metadata.resource_version = Some(version.to_string());
                // Events that were merged give no permit back; none are with so few under way.
                let permit = under_way.acquire();
                match tokio::time::timeout(Duration::from_secs(5), permit).await {
                    Ok(permit) => permit.expect("it is never closed").forget(),
                    Err(_) => continue,
                }
                if sender.send(pod).await.is_err() {
                    break;
                }
            }
            sender
        }
    });
    let (start, before) = (Instant::now(), measure::cpu());
    let (writes_before, reads_before) =
        (writes.load(Ordering::Relaxed), reads.load(Ordering::Relaxed));
    tokio::time::sleep(lasts).await;
    let (cpu, elapsed) = (measure::cpu() - before, start.elapsed().as_secs_f64());
    let written = writes.load(Ordering::Relaxed) - writes_before;
    let read = reads.load(Ordering::Relaxed) - reads_before;
    done.store(true, Ordering::Relaxed);
    tokio::task::spawn_blocking(|| threads.into_iter().for_each(|thread| thread.join().unwrap()))
        .await
        .unwrap();
    drop(updating.await);
    informer.shutdown().await;
    (written as f64 / elapsed, read as f64 / elapsed, cpu)
}
