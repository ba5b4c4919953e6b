//! A program with one informer of pods, or several of them as replicas, each with its own factory,
//! client and directory.
//!
//! It prints its figures when it is idle, and answers `usage` and `stop`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::Pod;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube_informer::warm::{TableName, WarmError, WarmRecord, WarmStore, WarmTable};
use kube_informer::{CachedEvent, SharedInformer, SharedInformerFactory};
use kube_informer_warm::WarmCache;
use serde_json::{Value, json};

use crate::measure::{self, Options};
use crate::part::{say, take_orders};

const LIMIT: Duration = Duration::from_secs(600);

/// The numbers that the whole process counts.
#[derive(Default)]
struct Counts {
    requests: AtomicU64,
    bytes: AtomicU64,
    deletes: AtomicU64,
    commits: AtomicU64,
    written: AtomicU64,
}

pub(crate) fn run(options: &Options) {
    let counts = Arc::<Counts>::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let begun = Instant::now();
    let replicas = runtime.block_on(start(options, &counts));
    let wall = begun.elapsed().as_secs_f64();
    measure::settle();
    let mut figures = usage(&counts);
    figures["wall"] = wall.into();
    figures["settled"] = measure::rss().into();
    figures["peak"] = measure::peak().into();
    let packed = replicas.iter().filter_map(|(_, pods)| pods.status().storage);
    figures["packed"] = packed.map(|storage| storage.bytes).sum::<usize>().into();
    say(&figures);
    let mut running = Some(replicas);
    take_orders(|words| {
        if words[0] == "stop" {
            for (factory, _) in running.take().into_iter().flatten() {
                runtime.block_on(factory.shutdown());
            }
        } else {
            measure::settle();
        }
        let mut figures = usage(&counts);
        let files = options.get("cache").map_or(0, |cache| crate::files(Path::new(cache)));
        figures["file"] = files.into();
        figures
    });
}

fn usage(counts: &Counts) -> Value {
    json!({
        "cpu": measure::cpu(),
        "requests": counts.requests.load(Relaxed),
        "bytes": counts.bytes.load(Relaxed),
        "deletes": counts.deletes.load(Relaxed),
        "commits": counts.commits.load(Relaxed),
        "written": counts.written.load(Relaxed),
    })
}

/// Starts all replicas, and waits until all are synced.
async fn start(
    options: &Options,
    counts: &Arc<Counts>,
) -> Vec<(SharedInformerFactory, SharedInformer<Pod>)> {
    let mut replicas = Vec::new();
    for n in 0..options.number("replicas", 1) {
        let client = client(options.text("kubeconfig"), counts.clone()).await;
        let mut builder = SharedInformerFactory::builder(client);
        if let Some(cache) = options.get("cache") {
            let cache = WarmCache::open(Path::new(cache).join(n.to_string())).expect("--cache");
            let cache = cache.interval(options.seconds("interval", 5.0));
            builder = builder.warm(Counted(cache, counts.clone()));
        }
        let factory = builder.build();
        let pods = factory.informer::<Pod>();
        pods.add_index_on("node", ["spec.nodeName"], |pod: &Pod| {
            pod.spec.as_ref()?.node_name.clone()
        })
        .unwrap();
        let told = counts.clone();
        let noting = pods.on_cached_event(move |_, event| {
            if matches!(event, CachedEvent::Deleted { .. }) {
                told.deletes.fetch_add(1, Relaxed);
            }
        });
        noting.expect("a handler");
        replicas.push((factory, pods));
    }
    for (factory, _) in &replicas {
        factory.start().expect("a start");
    }
    for (_, pods) in &replicas {
        pods.wait_for_sync(LIMIT).await.expect("a sync");
    }
    replicas
}

/// Returns a client that counts its requests and the bytes of all answers.
async fn client(kubeconfig: &str, counts: Arc<Counts>) -> kube::Client {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).expect("--kubeconfig");
    let options = KubeConfigOptions::default();
    let mut config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap();
    config.default_retry = false;
    let client = kube::Client::try_from(config).expect("a client");
    let service = tower::service_fn(move |request| {
        let (client, counts) = (client.clone(), counts.clone());
        async move {
            counts.requests.fetch_add(1, Relaxed);
            let count = move |bytes: Bytes| {
                counts.bytes.fetch_add(bytes.len() as u64, Relaxed);
                bytes
            };
            let answer = client.send(request).await?;
            Ok::<_, kube::Error>(
                answer.map(|body| body.map_frame(move |frame| frame.map_data(count.clone()))),
            )
        }
    });
    kube::Client::new(service, "default")
}

/// A cache that counts its commits and the bytes of its records. Each commit is one fsync.
struct Counted(WarmCache, Arc<Counts>);

impl WarmStore for Counted {
    fn interval(&self) -> Duration {
        WarmStore::interval(&self.0)
    }

    fn open(&self, name: &TableName) -> Result<Option<Box<dyn WarmTable>>, WarmError> {
        let table = self.0.open(name)?;
        Ok(table.map(|table| Box::new(CountedTable(table, self.1.clone())) as _))
    }
}

struct CountedTable(Box<dyn WarmTable>, Arc<Counts>);

impl WarmTable for CountedTable {
    fn read(&mut self, visit: &mut dyn FnMut(WarmRecord<'_>)) -> Result<Option<String>, WarmError> {
        self.0.read(visit)
    }

    fn wants_everything(&self) -> bool {
        self.0.wants_everything()
    }

    fn clear(&mut self) -> Result<(), WarmError> {
        self.0.clear()
    }

    fn put(&mut self, record: WarmRecord<'_>) -> Result<(), WarmError> {
        self.1.written.fetch_add(record.bytes.len() as u64, Relaxed);
        self.0.put(record)
    }

    fn remove(&mut self, key: &str) -> Result<(), WarmError> {
        self.0.remove(key)
    }

    fn commit(&mut self, state: &str) -> Result<(), WarmError> {
        self.1.commits.fetch_add(1, Relaxed);
        self.0.commit(state)
    }
}
