//! Shared parts of the benchmarks: realistic pods, and the structures that the store is compared
//! with.

#![allow(dead_code, unreachable_pub, reason = "each benchmark uses a part of this")]

pub mod server;

use std::collections::HashMap;
use std::future::poll_fn;
use std::mem::replace;
use std::sync::Arc;
use std::task::Poll;

use k8s_openapi::api::core::v1::Pod;
use kube_informer::{Index, Indexer, ObjectKey};
use parking_lot::RwLock;
use serde_json::json;

/// Returns the number of pods: `PODS`, or 100,000 unless set.
pub fn pods() -> usize {
    std::env::var("PODS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000)
}

/// The number of pods on a node. The index is by node.
pub const POD_PER_NODE: usize = 100;

/// Returns the time of a processor clock.
pub fn time_of(clock: rustix::time::ClockId) -> std::time::Duration {
    rustix::time::clock_gettime(clock).try_into().unwrap()
}

/// Waits until every other task that can go on was polled once.
pub async fn next_turn() {
    let mut asked = false;
    // To the end of the line, not, as when yielding, behind everybody's next turns.
    poll_fn(|cx| {
        cx.waker().wake_by_ref();
        if replace(&mut asked, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

fn container(n: usize, name: &str) -> serde_json::Value {
    let probe = |path: &str| {
        json!({"httpGet": {"path": path, "port": 8080, "scheme": "HTTP"}, "initialDelaySeconds": 5,
               "timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3})
    };
    let env: Vec<_> = (0..12)
        .map(|e| json!({"name": format!("SETTING_{e}"), "value": format!("value-{e}-{:08x}", n * 31 + e)}))
        .collect();
    json!({
        "name": name, "image": format!("registry.example.com/team/{name}:v1.{}.{}", n % 20, n % 7),
        "command": ["/bin/server"], "args": ["--listen=:8080", format!("--shard={}", n % 64)],
        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}], "env": env,
        "resources": {"limits": {"cpu": "500m", "memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/config"}, {"name": "token", "readOnly": true,
            "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}],
        "livenessProbe": probe("/healthz"), "readinessProbe": probe("/readyz"),
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent"
    })
}

/// A pod of about 8 kB of JSON, of which managedFields are a third.
pub fn pod_json(n: usize) -> serde_json::Value {
    let name = format!("web-{:05}-{:08x}", n / 10, n.wrapping_mul(2_654_435_761) & 0xffff_ffff);
    let owned: serde_json::Map<_, _> =
        (0..40).map(|f| (format!("f:field{f}"), json!({".": {}, "f:value": {}}))).collect();
    let managed = |manager: &str| {
        json!({"manager": manager, "operation": "Update", "apiVersion": "v1",
               "time": "2026-11-21T02:14:21Z", "fieldsType": "FieldsV1", "fieldsV1": owned})
    };
    let condition = |kind: &str| {
        json!({"type": kind, "status": "True", "lastProbeTime": null,
               "lastTransitionTime": "2026-11-21T02:14:21Z"})
    };
    let state = |name: &str| {
        json!({"name": name, "ready": true, "restartCount": n % 3, "started": true,
               "image": format!("registry.example.com/team/{name}:v1"), "imageID": format!("sha256:{n:064x}"),
               "containerID": format!("containerd://{:064x}", n * 7),
               "state": {"running": {"startedAt": "2026-11-21T02:14:21Z"}}})
    };
    json!({
        "metadata": {
            "name": name, "namespace": format!("ns-{}", n % 50), "uid": format!("{n:032x}"),
            "resourceVersion": (n + 1).to_string(), "creationTimestamp": "2026-11-21T02:14:21Z",
            "labels": {"app": format!("app-{}", n % 200), "tier": if n.is_multiple_of(2) { "front" } else { "back" },
                       "pod-template-hash": format!("{:08x}", n / 10)},
            "annotations": {"checksum/config": format!("{n:064x}")},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": format!("web-{}", n / 10),
                                 "uid": format!("{:032x}", n / 10), "controller": true}],
            "managedFields": [managed("kube-controller-manager"), managed("kubelet")]
        },
        "spec": {
            "nodeName": format!("node-{}", n / POD_PER_NODE), "serviceAccountName": "default",
            "containers": [container(n, "server"), container(n, "sidecar")],
            "volumes": [{"name": "config", "configMap": {"name": "web", "defaultMode": 420}},
                        {"name": "token", "projected": {"defaultMode": 420, "sources": []}}],
            "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler",
            "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists",
                             "effect": "NoExecute", "tolerationSeconds": 300}]
        },
        "status": {
            "phase": "Running", "podIP": format!("10.{}.{}.{}", n >> 16 & 255, n >> 8 & 255, n & 255),
            "conditions": [condition("Initialized"), condition("Ready"), condition("PodScheduled")],
            "containerStatuses": [state("server"), state("sidecar")], "qosClass": "Burstable"
        }
    })
}

/// A decoded pod, without its managedFields, as informers keep it.
pub fn pod(n: usize) -> Pod {
    let mut pod: Pod = serde_json::from_value(pod_json(n)).unwrap();
    pod.metadata.managed_fields = None;
    pod
}

/// A pod of which only names and node are there: for what does not look inside.
pub fn bare_pod(n: usize, version: u64) -> Pod {
    let metadata = kube::api::ObjectMeta {
        name: Some(format!("web-{n}")),
        namespace: Some(format!("ns-{}", n % 50)),
        uid: Some(format!("{n:032x}")),
        resource_version: Some(version.to_string()),
        ..Default::default()
    };
    let spec = k8s_openapi::api::core::v1::PodSpec {
        node_name: Some(format!("node-{}", n / POD_PER_NODE)),
        ..Default::default()
    };
    Pod { metadata, spec: Some(spec), ..Pod::default() }
}

pub fn node_of(pod: &Pod) -> Option<String> {
    pod.spec.as_ref()?.node_name.clone()
}

/// The operations that every measured structure has.
pub trait Store: Send + Sync {
    fn name(&self) -> &'static str;
    fn get(&self, key: &ObjectKey) -> Option<Arc<Pod>>;
    fn by_node(&self, node: &str) -> Vec<Arc<Pod>>;
    fn list(&self) -> Vec<Arc<Pod>>;
    /// Stores an object; how long the write waited before it could begin, or be published.
    fn put(&self, key: &ObjectKey, pod: &Arc<Pod>) -> std::time::Duration;
}

/// This crate's store.
pub struct Ours {
    pub indexer: Indexer<Pod>,
    pub nodes: Index<Pod>,
}

impl Ours {
    pub fn new() -> Self {
        let indexer = Indexer::new();
        let nodes = indexer.add_index("node", node_of).unwrap();
        Self { indexer, nodes }
    }
}

impl Store for Ours {
    fn name(&self) -> &'static str {
        "persistent, published Arc (this crate)"
    }

    fn get(&self, key: &ObjectKey) -> Option<Arc<Pod>> {
        self.indexer.get(key)
    }

    fn by_node(&self, node: &str) -> Vec<Arc<Pod>> {
        self.nodes.get(node)
    }

    fn list(&self) -> Vec<Arc<Pod>> {
        self.indexer.snapshot().iter().map(|(_, pod)| pod.clone()).collect()
    }

    fn put(&self, key: &ObjectKey, pod: &Arc<Pod>) -> std::time::Duration {
        let start = std::time::Instant::now();
        let mut write = self.indexer.transaction();
        let begun = start.elapsed();
        write.put(key, pod);
        let start = std::time::Instant::now();
        write.commit();
        begun + start.elapsed()
    }
}

#[derive(Default)]
struct Tables {
    objects: HashMap<ObjectKey, Arc<Pod>>,
    nodes: HashMap<String, HashMap<ObjectKey, Arc<Pod>>>,
}

impl Tables {
    fn put(&mut self, key: &ObjectKey, pod: &Arc<Pod>) {
        let old = self.objects.insert(key.clone(), pod.clone());
        if let Some(node) = old.as_deref().and_then(node_of)
            && let Some(posting) = self.nodes.get_mut(&node)
        {
            posting.remove(key);
        }
        if let Some(node) = node_of(pod) {
            self.nodes.entry(node).or_default().insert(key.clone(), pod.clone());
        }
    }

    fn by_node(&self, node: &str) -> Vec<Arc<Pod>> {
        self.nodes.get(node).into_iter().flat_map(|posting| posting.values().cloned()).collect()
    }
}

/// Hash maps under locks: one lock is what client-go does.
pub struct Locked {
    shards: Vec<RwLock<Tables>>,
}

impl Locked {
    pub fn new(shards: usize) -> Self {
        Self { shards: (0..shards).map(|_| RwLock::default()).collect() }
    }

    fn shard(&self, key: &ObjectKey) -> &RwLock<Tables> {
        use std::hash::BuildHasher;
        static HASHER: std::sync::LazyLock<foldhash::fast::RandomState> =
            std::sync::LazyLock::new(Default::default);
        let hash = usize::try_from(HASHER.hash_one(key) & 0xffff_ffff).unwrap();
        &self.shards[hash % self.shards.len()]
    }
}

impl Store for Locked {
    fn name(&self) -> &'static str {
        match self.shards.len() {
            1 => "one RwLock over hash maps (client-go's)",
            _ => "64 RwLocks over hash maps",
        }
    }

    fn get(&self, key: &ObjectKey) -> Option<Arc<Pod>> {
        self.shard(key).read().objects.get(key).cloned()
    }

    fn by_node(&self, node: &str) -> Vec<Arc<Pod>> {
        self.shards.iter().flat_map(|shard| shard.read().by_node(node)).collect()
    }

    fn list(&self) -> Vec<Arc<Pod>> {
        let mut all = Vec::new();
        for shard in &self.shards {
            all.extend(shard.read().objects.values().cloned());
        }
        all
    }

    fn put(&self, key: &ObjectKey, pod: &Arc<Pod>) -> std::time::Duration {
        let start = std::time::Instant::now();
        let mut tables = self.shard(key).write();
        let waited = start.elapsed();
        tables.put(key, pod);
        waited
    }
}

/// The three, each holding all pods.
pub fn stores(pods: &[(ObjectKey, Arc<Pod>)]) -> Vec<Box<dyn Store>> {
    let stores: Vec<Box<dyn Store>> =
        vec![Box::new(Ours::new()), Box::new(Locked::new(1)), Box::new(Locked::new(64))];
    for store in &stores {
        for (key, pod) in pods {
            store.put(key, pod);
        }
    }
    stores
}
