//! Reads of a store in this process by key and by index, with and without a writer.
//!
//! Pods of which names and node are there; a hundred share a node. Readers are threads that read in
//! a loop, each in an order of its own; the writer puts one pod after the other.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::{Pod, PodSpec};
use kube::api::ObjectMeta;
use kube::runtime::reflector::{self, ObjectRef, store::Writer};
use kube::runtime::watcher::Event;
use kube_informer::{Index, Indexer, ObjectKey};
use parking_lot::Mutex;

use crate::measure::{Lines, Options};

/// The number of pods on a node.
const PER_NODE: usize = 100;

/// The number of reads between two looks at the clock.
const BATCH: usize = 64;

pub(crate) fn bare_pod(n: usize, namespace: &str) -> Pod {
    let metadata = ObjectMeta {
        name: Some(format!("web-{n:07}")),
        namespace: Some(namespace.into()),
        uid: Some(format!("{n:032x}")),
        resource_version: Some((n + 1).to_string()),
        ..ObjectMeta::default()
    };
    let spec = PodSpec { node_name: Some(node(n)), ..PodSpec::default() };
    Pod { metadata, spec: Some(spec), ..Pod::default() }
}

fn node(n: usize) -> String {
    format!("node-{}", n / PER_NODE)
}

trait Reads: Sync {
    fn by_key(&self, n: usize);
    /// Reads by index. Returns whether there is an index.
    fn by_index(&self, node: usize) -> bool;
    fn write(&self, n: usize);
}

struct Ours {
    indexer: Indexer<Pod>,
    nodes: Index<Pod>,
    pods: Vec<(ObjectKey, Arc<Pod>)>,
    names: Vec<String>,
}

impl Ours {
    fn new(n: usize) -> Self {
        let indexer = Indexer::new();
        let nodes =
            indexer.add_index("node", |pod: &Pod| pod.spec.as_ref()?.node_name.clone()).unwrap();
        let pods: Vec<_> = (0..n)
            .map(|n| {
                let pod = Arc::new(bare_pod(n, "default"));
                (ObjectKey::of(&*pod).unwrap(), pod)
            })
            .collect();
        let mut all = indexer.transaction();
        for (key, pod) in &pods {
            all.put(key, pod);
        }
        all.commit();
        Self {
            indexer,
            nodes,
            pods,
            names: (0..n.div_ceil(PER_NODE)).map(|n| node(n * PER_NODE)).collect(),
        }
    }
}

impl Reads for Ours {
    fn by_key(&self, n: usize) {
        black_box(self.indexer.get(&self.pods[n].0));
    }

    fn by_index(&self, node: usize) -> bool {
        black_box(self.nodes.get(&self.names[node]));
        true
    }

    fn write(&self, n: usize) {
        let (key, pod) = &self.pods[n];
        // Another object, as an update is.
        let pod = Arc::new(Pod::clone(pod));
        let mut write = self.indexer.transaction();
        write.put(key, &pod);
        write.commit();
    }
}

struct KubeRuntime {
    store: reflector::Store<Pod>,
    writer: Mutex<Writer<Pod>>,
    pods: Vec<(ObjectRef<Pod>, Pod)>,
}

impl KubeRuntime {
    fn new(n: usize) -> Self {
        let (store, mut writer) = reflector::store();
        let pods: Vec<_> = (0..n).map(|n| bare_pod(n, "default")).collect();
        for pod in &pods {
            writer.apply_watcher_event(&Event::Apply(pod.clone()));
        }
        let pods = pods.into_iter().map(|pod| (ObjectRef::from_obj(&pod), pod)).collect();
        Self { store, writer: Mutex::new(writer), pods }
    }
}

impl Reads for KubeRuntime {
    fn by_key(&self, n: usize) {
        black_box(self.store.get(&self.pods[n].0));
    }

    fn by_index(&self, _: usize) -> bool {
        false
    }

    fn write(&self, n: usize) {
        // It copies the pod itself.
        self.writer.lock().apply_watcher_event(&Event::Apply(self.pods[n].1.clone()));
    }
}

pub(crate) fn run(options: &Options) {
    let pods = options.number("pods", 50_000).max(1);
    let lasts = options.seconds("seconds", 1.0);
    let client = options.text("client");
    let lines = Lines::new(client, "bare pods", "none", options);
    let store: Box<dyn Reads> = match client {
        "kube-informer" => Box::new(Ours::new(pods)),
        "kube-runtime" => Box::new(KubeRuntime::new(pods)),
        other => panic!("--client {other}"),
    };
    for readers in options.numbers("readers") {
        for writes in [false, true] {
            for index in [false, true] {
                if index && !store.by_index(0) {
                    continue;
                }
                let (read, written) = measure(&*store, pods, readers, writes, index, lasts);
                let of = |what: &str| {
                    let how = if index { "index" } else { "key" };
                    let beside = if writes { "one writer" } else { "no writer" };
                    format!("{what} by {how}, {readers} readers, {beside}")
                };
                lines.print(&of("reads"), pods, read, "1/s");
                if writes {
                    lines.print(&of("writes beside reads"), pods, written, "1/s");
                }
            }
        }
    }
}

fn measure(
    store: &dyn Reads,
    pods: usize,
    readers: usize,
    writes: bool,
    index: bool,
    lasts: Duration,
) -> (f64, f64) {
    let (done, read, written) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let nodes = pods.div_ceil(PER_NODE);
    std::thread::scope(|scope| {
        for reader in 0..readers {
            let (done, read) = (&done, &read);
            scope.spawn(move || {
                let mut dice = fastrand::Rng::with_seed(reader as u64);
                while !done.load(Ordering::Relaxed) {
                    for _ in 0..BATCH {
                        if index {
                            store.by_index(dice.usize(..nodes));
                        } else {
                            store.by_key(dice.usize(..pods));
                        }
                    }
                    read.fetch_add(BATCH as u64, Ordering::Relaxed);
                }
            });
        }
        if writes {
            scope.spawn(|| {
                let mut dice = fastrand::Rng::with_seed(4711);
                while !done.load(Ordering::Relaxed) {
                    store.write(dice.usize(..pods));
                    written.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        std::thread::sleep(lasts);
        done.store(true, Ordering::Relaxed);
    });
    let rate = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64 / lasts.as_secs_f64();
    (rate(&read), rate(&written))
}
