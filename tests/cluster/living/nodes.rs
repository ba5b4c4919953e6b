//! Pretended nodes. Their kubelets send heartbeats, mark pods as running, finish pods of Jobs, and
//! remove pods that must end. They follow pods by kube-runtime, so that a fault of the informers
//! cannot hide itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::iter;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{Node, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Client, ResourceExt};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::{MissedTickBehavior, interval};

use super::work::LEASES;

/// The number of requests that are under way at a time.
const AT_ONCE: usize = 8;
/// The seconds between two heartbeats of a node, and between two of its full status.
const HEARTBEAT: usize = 8;
const STATUS: usize = 64;
/// The time that a pod of a Job runs.
const JOB: Duration = Duration::from_secs(2);

/// The nodes, and which of them are down.
#[derive(Clone)]
pub(super) struct Nodes {
    client: Client,
    number: usize,
    down: Arc<Mutex<BTreeSet<String>>>,
    done: Arc<Mutex<BTreeMap<&'static str, u64>>>,
}

fn name(n: usize) -> String {
    format!("node-{n:03}")
}

/// Reads a part of an object that is written here.
pub(super) fn made<K: DeserializeOwned>(object: Value) -> K {
    serde_json::from_value(object).expect("it is well-formed")
}

impl Nodes {
    /// Registers this number of nodes.
    pub(super) async fn register(client: Client, number: usize) -> Self {
        let nodes = Api::<Node>::all(client.clone());
        let leases = Api::<Lease>::namespaced(client.clone(), LEASES);
        iter(0..number)
            .for_each_concurrent(AT_ONCE, async |n| {
                let name = name(n);
                let zone = format!("zone-{}", n % 3);
                let node = json!({
                    "metadata": { "name": name, "labels": {
                        "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone,
                    } },
                    "status": status(),
                });
                let lease = json!({
                    "metadata": { "name": name },
                    "spec": {
                        "holderIdentity": name, "leaseDurationSeconds": 40,
                        "renewTime": MicroTime(Timestamp::now()),
                    },
                });
                let created = nodes.create(&PostParams::default(), &made(node)).await;
                created.expect("the node is new");
                let created = leases.create(&PostParams::default(), &made(lease)).await;
                created.expect("the lease is new");
            })
            .await;
        Self { client, number, down: Arc::default(), done: Arc::default() }
    }

    /// Stops nodes without notice, as the loss of a rack does.
    pub(super) fn fail(&self, nodes: impl IntoIterator<Item = usize>) {
        self.down.lock().extend(nodes.into_iter().map(name));
    }

    pub(super) fn come_back(&self) {
        self.down.lock().clear();
    }

    /// Returns the work of the kubelets, each with its number.
    pub(super) fn done(&self) -> BTreeMap<&'static str, u64> {
        self.done.lock().clone()
    }

    fn count(&self, what: &'static str, answer: &kube::Result<()>) {
        if answer.is_ok() {
            *self.done.lock().entry(what).or_default() += 1;
        }
    }

    fn is_up(&self, node: &str) -> bool {
        !self.down.lock().contains(node)
    }

    /// Sends heartbeats for ever. A failed one is followed by the next.
    pub(super) async fn beat(self) {
        let leases = Api::<Lease>::namespaced(self.client.clone(), LEASES);
        let nodes = Api::<Node>::all(self.client.clone());
        let mut seconds = interval(Duration::from_secs(1));
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for second in 0.. {
            seconds.tick().await;
            let due = (0..self.number).filter(|n| n % HEARTBEAT == second % HEARTBEAT);
            iter(due.filter(|n| self.is_up(&name(*n))))
                .for_each_concurrent(AT_ONCE, async |n| {
                    let renewed = json!({ "spec": { "renewTime": MicroTime(Timestamp::now()) } });
                    let renewed = leases.patch(&name(n), &merge(), &Patch::Merge(renewed)).await;
                    self.count("heartbeats", &renewed.map(drop));
                    if n % STATUS == second % STATUS {
                        let status = Patch::Merge(json!({ "status": status() }));
                        let _ = nodes.patch_status(&name(n), &merge(), &status).await;
                    }
                })
                .await;
        }
    }

    /// Does the work of all kubelets for ever. What fails is tried again.
    pub(super) async fn run_pods(self) {
        let (store, writer) = reflector::store();
        let pods = watcher(Api::<Pod>::all(self.client.clone()), watcher::Config::default());
        let following = reflector(writer, pods.default_backoff()).for_each(async |_| {});
        let working = async {
            let mut ticks = interval(Duration::from_millis(500));
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let due = store.state();
                let due = due.iter().filter_map(|pod| Some((pod, self.step(pod)?)));
                iter(due)
                    .for_each_concurrent(AT_ONCE, async |(pod, step)| self.act(pod, step).await)
                    .await;
            }
        };
        futures::future::join(following, working).await;
    }

    /// Returns what the kubelet of a pod has to do with it.
    fn step(&self, pod: &Pod) -> Option<Step> {
        let node = pod.spec.as_ref()?.node_name.as_ref()?;
        if !self.is_up(node) {
            return None;
        }
        if pod.metadata.deletion_timestamp.is_some() {
            return Some(Step::Remove);
        }
        let status = pod.status.as_ref();
        let is_of_job = pod.owner_references().iter().any(|owner| owner.kind == "Job");
        match status.and_then(|status| status.phase.as_deref()) {
            None | Some("Pending") => Some(Step::Run),
            Some("Running") if is_of_job => {
                let Time(began) = status?.start_time.as_ref()?;
                let age = Duration::try_from(Timestamp::now().duration_since(*began)).ok()?;
                (age >= JOB).then_some(Step::Finish)
            }
            _ => None,
        }
    }

    async fn act(&self, pod: &Pod, step: Step) {
        let api = Api::<Pod>::namespaced(self.client.clone(), &pod.namespace().unwrap_or_default());
        let name = pod.name_any();
        let (what, status) = match step {
            Step::Remove => {
                let uid = pod.uid();
                let preconditions = Some(Preconditions { uid, resource_version: None });
                let params = DeleteParams { preconditions, ..DeleteParams::default() };
                let removed = api.delete(&name, &params.grace_period(0)).await;
                return self.count("pods removed", &removed.map(drop));
            }
            Step::Run => ("pods run", running()),
            Step::Finish => ("pods finished", finished()),
        };
        let status = Patch::Merge(json!({ "status": status }));
        let patched = api.patch_status(&name, &merge(), &status).await;
        self.count(what, &patched.map(drop));
    }
}

#[derive(Clone, Copy)]
enum Step {
    Run,
    Finish,
    Remove,
}

pub(super) fn merge() -> PatchParams {
    PatchParams { field_manager: Some("kubelet".into()), ..PatchParams::default() }
}

/// Returns the status of a healthy node.
fn status() -> Value {
    let now = Time(Timestamp::now());
    let healthy = |kind: &str, value: &str| {
        json!({
            "type": kind, "status": value, "reason": "Kubelet", "message": "",
            "lastHeartbeatTime": now, "lastTransitionTime": now,
        })
    };
    let room = json!({ "cpu": "16", "memory": "64Gi", "pods": "110" });
    json!({
        "capacity": room, "allocatable": room,
        "conditions": [
            healthy("MemoryPressure", "False"), healthy("DiskPressure", "False"),
            healthy("PIDPressure", "False"), healthy("Ready", "True"),
        ],
    })
}

fn container(ready: bool, state: &Value) -> Value {
    json!([{
        "name": "app", "image": "app:v1", "imageID": "app@sha256:0", "ready": ready,
        "restartCount": 0, "state": state,
    }])
}

fn conditions(ready: &str) -> Value {
    let now = Time(Timestamp::now());
    let condition = |kind: &str, value: &str| json!({ "type": kind, "status": value, "lastTransitionTime": now });
    json!([
        condition("PodScheduled", "True"),
        condition("Initialized", "True"),
        condition("ContainersReady", ready),
        condition("Ready", ready),
    ])
}

/// Returns the status of a pod that runs.
pub(super) fn running() -> Value {
    let now = Time(Timestamp::now());
    json!({
        "phase": "Running", "startTime": now, "podIP": "10.1.2.3", "podIPs": [{ "ip": "10.1.2.3" }],
        "conditions": conditions("True"),
        "containerStatuses": container(true, &json!({ "running": { "startedAt": now } })),
    })
}

fn finished() -> Value {
    let now = Time(Timestamp::now());
    let state = json!({ "terminated": { "exitCode": 0, "startedAt": now, "finishedAt": now } });
    json!({
        "phase": "Succeeded", "conditions": conditions("False"),
        "containerStatuses": container(false, &state),
    })
}
