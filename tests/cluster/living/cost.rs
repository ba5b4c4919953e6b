//! The cost of an audit beside that of another list: processor time of a real API server and of the
//! informer, and bytes. `LIVING_PODS` sets the number of pods; without it nothing is measured.
//! `LIVING_PEER` names the program of `benches/peers/client-go`, for a row of its own.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, Patch, PostParams};
use kube::client::Body;
use kube::{Client, Config, ResourceExt};
use kube_embedded_apiserver::ControlPlane;
use kube_embedded_apiserver::control_plane::ControlPlaneError;
use kube_informer::informer::InformerOptions;
use kube_informer::reflector::{ListMode, ReflectorOptions};
use kube_informer::transport::ApiSource;
use kube_informer::{SharedInformer, Storage};
use serde_json::{Value, json};

use super::nodes::{made, merge, running};
use super::programs::{Usage, time_of_threads};
use super::{LIMIT, THREADS, informers_runtime};
use crate::cluster::harness::{Outcome, Skip};

/// The number of measurements, whose median counts.
const TIMES: usize = 5;

/// The figures of one measurement.
#[derive(Clone, Copy, Default)]
struct Cost {
    server: Duration,
    informer: Duration,
    bytes: u64,
}

struct Bench {
    plane: ControlPlane,
    client: Client,
    bytes: Arc<AtomicU64>,
}

/// Returns a client that counts the bytes of answers, as they are on the wire within TLS.
fn counted(config: Config, bytes: Arc<AtomicU64>) -> Client {
    let namespace = config.default_namespace.clone();
    let client = Client::try_from(config).expect("a client");
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let (client, bytes) = (client.clone(), bytes.clone());
        async move {
            let answer = client.send(request).await?;
            Ok::<_, kube::Error>(answer.map(|body| {
                body.map_frame(move |frame| {
                    let length = frame.data_ref().map_or(0, bytes::Bytes::len);
                    bytes.fetch_add(u64::try_from(length).expect("a length"), Ordering::Relaxed);
                    frame
                })
            }))
        }
    });
    Client::new(service, namespace)
}

/// A pod as a Deployment makes it.
fn pod() -> Pod {
    let variable = |v: usize| json!({ "name": format!("VARIABLE_{v}"), "value": "a value" });
    let variables: Vec<_> = (0..8).map(variable).collect();
    let probe = json!({ "httpGet": { "path": "/healthz", "port": 8080 }, "periodSeconds": 10 });
    let toleration = |key: &str| {
        json!({
            "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300,
        })
    };
    made(json!({
        "metadata": {
            "name": NAME,
            "labels": { "app": "web", "pod-template-hash": "7d9f8b6c5" },
            "annotations": { "example.com/restarted": "2026-01-01T00:00:00Z" },
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web",
                "uid": "00000000-0000-4000-8000-000000000000", "controller": true,
            }],
        },
        "spec": {
            "nodeName": "node-1", "serviceAccountName": "web",
            "tolerations": [
                toleration("node.kubernetes.io/not-ready"),
                toleration("node.kubernetes.io/unreachable"),
            ],
            "volumes": [{
                "name": "token",
                "projected": { "sources": [
                    { "serviceAccountToken": { "expirationSeconds": 3607, "path": "token" } },
                    { "configMap": {
                        "name": "kube-root-ca.crt", "items": [{ "key": "ca.crt", "path": "ca.crt" }],
                    } },
                ] },
            }],
            "containers": [{
                "name": "app", "image": "registry.example.com/shop/web:v1.2.3", "env": variables,
                "args": ["--listen=:8080", "--log-level=info", "--shutdown-grace=20s"],
                "ports": [{ "containerPort": 8080, "name": "http" }],
                "livenessProbe": probe, "readinessProbe": probe,
                "resources": {
                    "requests": { "cpu": "50m", "memory": "32Mi" }, "limits": { "memory": "64Mi" },
                },
                "volumeMounts": [{
                    "name": "token", "readOnly": true,
                    "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
                }],
            }],
        },
    }))
}

/// The name of the pod that is copied. All names have the same length.
const NAME: &str = "web-00000";

/// The number of pods that are written to etcd at a time.
const AT_ONCE: usize = 100;

/// Copies the pod in etcd until there are `pods` of them, each with a name and a uid of its own.
/// Requests to the API server would take half an hour for 50,000.
async fn copy(plane: &ControlPlane, uid: &str, pods: usize) {
    let config = plane.etcd_config().await.expect("a configuration");
    let etcd = Client::try_from(config).expect("a client");
    let ask = async |path: &str, body: Value| -> Value {
        let request = http::Request::post(path).body(body.to_string().into_bytes());
        etcd.request(request.expect("it is well-formed")).await.expect("etcd answers")
    };
    let key = |name: &str| STANDARD.encode(format!("/registry/pods/default/{name}"));
    let found = ask("/v3/kv/range", json!({ "key": key(NAME) })).await;
    let value = found["kvs"][0]["value"].as_str().expect("the pod is in etcd");
    let value = STANDARD.decode(value).expect("it is base64");
    for first in (1..pods).step_by(AT_ONCE) {
        let put = |n: usize| {
            let name = format!("web-{n:05}");
            let other = format!("{}{n:08}", &uid[..uid.len() - 8]);
            let value = replaced(&replaced(&value, NAME, &name), uid, &other);
            json!({ "requestPut": { "key": key(&name), "value": STANDARD.encode(value) } })
        };
        let puts: Vec<_> = (first..pods.min(first + AT_ONCE)).map(put).collect();
        ask("/v3/kv/txn", json!({ "success": puts })).await;
    }
}

/// Replaces a text in an encoded object by another one of its length.
fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut copy = bytes.to_vec();
    let places: Vec<_> = memchr::memmem::find_iter(bytes, from).collect();
    for place in places {
        copy[place..place + to.len()].copy_from_slice(to.as_bytes());
    }
    copy
}

impl Bench {
    async fn start(pods: usize) -> Result<Self, Skip> {
        let builder = ControlPlane::builder().start_timeout(LIMIT);
        let plane = match builder.start().await {
            Ok(plane) => plane,
            Err(ControlPlaneError::Missing(missing)) => return Err(Skip(missing.to_string())),
            Err(error) => panic!("{error}"),
        };
        let config = plane.config().await.expect("a configuration");
        let bytes = Arc::default();
        let client = counted(config, Arc::clone(&bytes));
        let api = Api::<Pod>::default_namespaced(client.clone());
        let made = api.create(&PostParams::default(), &pod()).await.expect("the pod is new");
        let status = Patch::Merge(json!({ "status": running() }));
        let patched = api.patch_status(NAME, &merge(), &status).await;
        patched.expect("it is there");
        copy(&plane, &made.uid().expect("it has one"), pods).await;
        Ok(Self { plane, client, bytes })
    }

    fn informer(&self, mode: ListMode) -> SharedInformer<Pod> {
        let options = ReflectorOptions::new().list_mode(mode);
        let options = InformerOptions::new().reflector(options).storage(Storage::packed());
        SharedInformer::new(Arc::new(ApiSource::new(self.client.clone())), options)
    }

    fn now(&self) -> Cost {
        let mut usage = Usage::default();
        usage.sample(self.plane.folder());
        Cost {
            server: usage.time("kube-apiserver"),
            informer: time_of_threads(THREADS),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }

    /// Measures what something costs. The median of each figure counts.
    async fn cost(&self, of: impl AsyncFn()) -> Cost {
        let mut costs = Vec::new();
        for _ in 0..TIMES {
            let before = self.now();
            of().await;
            let after = self.now();
            costs.push(Cost {
                server: after.server.saturating_sub(before.server),
                informer: after.informer.saturating_sub(before.informer),
                bytes: after.bytes - before.bytes,
            });
        }
        let mut median = costs[0];
        costs.sort_by_key(|cost| cost.server);
        median.server = costs[TIMES / 2].server;
        costs.sort_by_key(|cost| cost.informer);
        median.informer = costs[TIMES / 2].informer;
        costs.sort_by_key(|cost| cost.bytes);
        median.bytes = costs[TIMES / 2].bytes;
        median
    }
}

pub(super) async fn audit() -> Outcome {
    let Ok(pods) = std::env::var("LIVING_PODS") else {
        return Err(Skip("LIVING_PODS says for how many pods".into()));
    };
    let pods: usize = pods.parse().expect("a number of pods");
    let bench = Bench::start(pods).await?;
    let runtime = informers_runtime();
    let run = async |mode: ListMode| {
        let informer = bench.informer(mode);
        let entered = runtime.runtime().enter();
        informer.start().expect("it starts");
        drop(entered);
        informer.wait_for_sync(Duration::from_secs(300)).await.expect("it syncs");
        informer
    };
    let followed = run(ListMode::Plain).await;
    let audited = bench
        .cost(async || {
            // In its own threads, which are measured.
            let audit = runtime.runtime().spawn({
                let followed = followed.clone();
                async move { followed.audit().await }
            });
            let audit = audit.await.expect("it does not panic");
            assert!(audit.passed() && audit.was_judged() && audit.objects == pods, "{audit}");
        })
        .await;
    let listed = |mode| bench.cost(async move || run(mode).await.shutdown().await);
    let rows = [
        ("audit", audited),
        ("plain list, protobuf", listed(ListMode::Plain).await),
        ("streaming list, protobuf", listed(ListMode::Streaming).await),
    ];
    println!("\n{pods} pods: medians of {TIMES}\n");
    println!(
        "| | processor time of the server, ms | of the informer, ms | bytes |\n|---|---|---|---|"
    );
    for (what, cost) in rows {
        let (server, informer) = (cost.server.as_millis(), cost.informer.as_millis());
        println!("| {what} | {server} | {informer} | {} |", cost.bytes);
    }
    followed.shutdown().await;
    if let Ok(peer) = std::env::var("LIVING_PEER") {
        let kubeconfig = bench.plane.folder().join("peer.kubeconfig");
        std::fs::write(&kubeconfig, bench.plane.kubeconfig()).expect("it can be written");
        for list in ["plain", "streaming"] {
            let before = bench.now().server;
            let mut command = Command::new(&peer);
            let command = command.args(["-measure", "session", "-list", list, "-kubeconfig"]);
            let output = command.arg(&kubeconfig).output().expect("it runs");
            let server = bench.now().server.saturating_sub(before);
            println!("client-go, {list}: {} ms of the server", server.as_millis());
            println!("{}", String::from_utf8_lossy(&output.stdout));
            println!("{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    // A list of metadata is smaller than one of whole objects.
    assert!(rows[0].1.bytes < rows[1].1.bytes);
    Ok(())
}
