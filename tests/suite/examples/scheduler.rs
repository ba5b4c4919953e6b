//! `scheduler`: no node is ever overcommitted, and every pod that fits is bound, however far the
//! cache lags and whatever becomes of bindings.

#[path = "../../../examples/scheduler/room.rs"]
mod room;
#[path = "../../../examples/scheduler/scheduler.rs"]
#[allow(clippy::module_inception, reason = "the example's own name")]
mod scheduler;

use std::collections::BTreeMap;

use fastrand::Rng;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::{ListParams, Patch, PatchParams};
use kube::{Api, Client, ResourceExt};
use kube_informer::testing::{ApiServer, BodyPosition, Faults, Injection, Requests};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::sleep;

use self::room::Room;
use self::scheduler::{Figures, NAME, manager};
use super::support::{Running, eventually};
use crate::helpers::{MS, S};

struct Rig {
    server: ApiServer,
    pods: Api<Pod>,
    faults: Faults,
}

fn rig(nodes: &[(&str, u64, u64)]) -> Rig {
    let server = ApiServer::new();
    for (name, pods, cpu) in nodes {
        server.create(&node(name, *pods, *cpu)).unwrap();
    }
    let pods = Api::namespaced(server.client(), "shop");
    Rig { server, pods, faults: Faults::new() }
}

fn node(name: &str, pods: u64, cpu: u64) -> Node {
    let room = json!({"pods": pods.to_string(), "cpu": format!("{cpu}m")});
    let node = json!({"metadata": {"name": name}, "status": {"allocatable": room}});
    serde_json::from_value(node).unwrap()
}

/// A pod that waits for the scheduler.
fn waiting(name: &str, cpu: u64) -> Pod {
    pod(name, json!({"schedulerName": NAME, "containers": [container(cpu)]}))
}

fn container(cpu: u64) -> Value {
    json!({"name": "c", "resources": {"requests": {"cpu": format!("{cpu}m")}}})
}

#[allow(clippy::needless_pass_by_value, reason = "each call makes the spec in place")]
fn pod(name: &str, spec: Value) -> Pod {
    let metadata = json!({"name": name, "namespace": "shop"});
    let status = json!({"phase": "Pending"});
    let pod = json!({"metadata": metadata, "spec": spec, "status": status});
    serde_json::from_value(pod).unwrap()
}

/// Runs the scheduler with a client. It tells its progress.
fn begin(client: Client) -> (Running, watch::Receiver<Figures>) {
    let (told, figures) = watch::channel(Figures::default());
    let run = |stop| async move { Ok(manager(client, told)?.run_until(stop).await?) };
    (Running::begin(run), figures)
}

impl Rig {
    fn begin(&self) -> (Running, watch::Receiver<Figures>) {
        begin(self.faults.client(self.server.client()))
    }

    fn create(&self, pods: &[(&str, u64)]) {
        for (name, cpu) in pods {
            self.server.create(&waiting(name, *cpu)).unwrap();
        }
    }

    /// The names of the pods on each node, those without a node under an empty name.
    async fn placed(&self) -> BTreeMap<String, Vec<String>> {
        let mut placed = BTreeMap::<String, Vec<String>>::new();
        for pod in self.pods.list(&ListParams::default()).await.unwrap() {
            let node = pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
            placed.entry(node.unwrap_or_default()).or_default().push(pod.name_any());
        }
        placed
    }

    /// Lets time pass until this number of pods is on nodes.
    async fn bound(&self, number: usize) -> BTreeMap<String, Vec<String>> {
        eventually(&format!("{number} pods on nodes"), || async {
            let placed = self.placed().await;
            let bound = placed.iter().filter(|(node, _)| !node.is_empty());
            (bound.map(|(_, pods)| pods.len()).sum::<usize>() == number).then_some(placed)
        })
        .await
    }

    /// The targets of the bindings that the server was sent.
    fn bindings(&self) -> Vec<String> {
        let requests = self.server.requests().into_iter().map(|asked| asked.target);
        requests.filter(|target| target.contains("/binding")).collect()
    }

    /// Lets a pod end.
    async fn finish(&self, name: &str) {
        let ended = Patch::Merge(json!({"status": {"phase": "Succeeded"}}));
        self.pods.patch_status(name, &PatchParams::default(), &ended).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn pods_go_to_the_least_loaded_node() {
    let rig = rig(&[("large", 10, 4000), ("small", 10, 2000), ("full", 1, 9000)]);
    let elsewhere = json!({"nodeName": "full", "containers": [container(100)]});
    rig.server.create(&pod("theirs", elsewhere)).unwrap();
    let names: Vec<_> = (0..6).map(|n| format!("p{n}")).collect();
    rig.create(&names.iter().map(|name| (&**name, 500)).collect::<Vec<_>>());
    let (running, _) = rig.begin();
    let placed = rig.bound(7).await;
    let pods = |node: &str| placed[node].len();
    assert_eq!((pods("large"), pods("small"), pods("full")), (4, 2, 1));
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn lagging_cache_overcommits_no_node() {
    let rig = rig(&[("n1", 3, 9000)]);
    rig.create(&[("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1), ("f", 1)]);
    let watches = Requests::watches().to("/api/v1/pods");
    let lag = rig.faults.inject(watches, Injection::stall(BodyPosition::Event(0)));
    let (running, figures) = rig.begin();
    rig.bound(3).await;
    let rounds = figures.borrow().rounds;
    for label in ["a", "b", "c"] {
        // Each makes a round in which the cache shows no binding.
        sleep(S).await;
        let mut changed = node("n1", 3, 9000);
        changed.labels_mut().insert(label.into(), String::new());
        rig.server.replace(&changed).unwrap();
    }
    sleep(S).await;
    let seen = figures.borrow().clone();
    assert_eq!((seen.rounds, seen.bound, seen.without_room), (rounds + 3, 0, 3));
    assert_eq!(rig.bindings().len(), 3, "{:?}", rig.bindings());

    lag.remove();
    rig.faults.cut_now();
    rig.finish("a").await;
    rig.bound(4).await;
    assert_eq!(rig.bindings().len(), 4);
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn next_process_sees_the_bindings_of_the_last() {
    let rig = rig(&[("n1", 3, 9000)]);
    rig.create(&[("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1), ("f", 1)]);
    rig.faults.remember_lists();
    let (running, _) = rig.begin();
    rig.bound(3).await;
    running.end().await;

    // A lagging replica answers with the pods as they were at first.
    rig.faults.inject(Requests::lists().to("/api/v1/pods").times(1), Injection::stale());
    rig.faults.inject(Requests::watches().to("/api/v1/pods"), Injection::delay(20 * S));
    let (running, figures) = rig.begin();
    eventually("a round", || async { (figures.borrow().rounds > 0).then_some(()) }).await;
    sleep(5 * S).await;
    assert_eq!(rig.bindings().len(), 3);
    assert_eq!(figures.borrow().without_room, 3);
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn refused_bindings_are_forgotten_and_tried_again() {
    let rig = rig(&[("n1", 1, 1000)]);
    rig.create(&[("a", 100), ("b", 100)]);
    let to_a = Requests::others().to("/pods/a/binding");
    let refused = rig.faults.inject(to_a, Injection::status(403));
    let (running, figures) = rig.begin();
    eventually("three tries", || async { (figures.borrow().refused >= 3).then_some(()) }).await;
    refused.remove();
    rig.bound(1).await;
    rig.finish("a").await;
    let placed = rig.bound(2).await;
    assert_eq!(placed["n1"], ["a", "b"]);
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn binding_without_an_answer_keeps_its_node() {
    let rig = rig(&[("n1", 1, 1000), ("n2", 1, 1000)]);
    rig.create(&[("a", 100)]);
    let watches = Requests::watches().to("/api/v1/pods");
    rig.faults.inject(watches, Injection::drip(60, S));
    let lost = Requests::others().to("/binding").times(1);
    rig.faults.inject(lost, Injection::lose_answer());
    // These say nothing of the first try.
    let refused = Requests::others().to("/pods/a/binding").after(1).times(3);
    rig.faults.inject(refused, Injection::status(403));
    let (running, figures) = rig.begin();
    rig.bound(1).await;
    rig.create(&[("b", 100), ("c", 100)]);
    let placed = rig.bound(2).await;
    sleep(120 * S).await;
    assert_eq!(placed["n1"].len() + placed["n2"].len(), 2);
    assert_eq!(placed, rig.placed().await);
    assert_eq!(figures.borrow().refused, 0);
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn only_waiting_pods_and_open_nodes_count() {
    let rig = rig(&[("n1", 10, 1000)]);
    let mut closed = node("closed", 10, 9000);
    closed.spec.get_or_insert_default().unschedulable = Some(true);
    rig.server.create(&closed).unwrap();
    let mut tainted = node("tainted", 10, 9000);
    let taint = json!([{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]);
    tainted.spec.get_or_insert_default().taints = serde_json::from_value(taint).unwrap();
    rig.server.create(&tainted).unwrap();
    rig.server.create(&pod("theirs", json!({"containers": [container(1)]}))).unwrap();
    let mut gated = json!({"schedulerName": NAME, "containers": [container(1)]});
    gated["schedulingGates"] = json!([{"name": "example.com/gate"}]);
    rig.server.create(&pod("gated", gated)).unwrap();
    rig.create(&[("large", 1001), ("fits", 1000)]);
    let (running, _) = rig.begin();
    let placed = rig.bound(1).await;
    sleep(60 * S).await;
    assert_eq!(placed["n1"], ["fits"]);
    assert_eq!(placed, rig.placed().await);
    rig.server.create(&node("n2", 1, 1001)).unwrap();
    assert_eq!(rig.bound(2).await["n2"], ["large"]);
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn important_pods_come_first() {
    let rig = rig(&[("n1", 2, 1000)]);
    rig.create(&[("a", 1), ("b", 1)]);
    for (name, priority) in [("y", 10), ("z", 20)] {
        let mut pod = waiting(name, 1);
        pod.spec.get_or_insert_default().priority = Some(priority);
        rig.server.create(&pod).unwrap();
    }
    let (running, _) = rig.begin();
    assert_eq!(rig.bound(2).await["n1"], ["y", "z"]);
    running.end().await;
}

#[test]
fn requests_are_those_of_the_busiest_moment() {
    let cpu = |spec: Value| Room::of_pod(&pod("p", spec)).cpu;
    let quantity = |cpu: &str| json!({"name": "c", "resources": {"requests": {"cpu": cpu}}});
    for (text, thousandths) in [
        ("2", 2000),
        ("250m", 250),
        ("100u", 1),
        ("1500001n", 2),
        ("1k", 1_000_000),
        ("", u64::MAX),
        ("1.5x", u64::MAX),
        ("-1", u64::MAX),
    ] {
        assert_eq!(cpu(json!({"containers": [quantity(text)]})), thousandths, "{text}");
    }
    let mut sidecar = container(30);
    sidecar["restartPolicy"] = "Always".into();
    let spec = |first: u64, main: u64| {
        let init = [container(first), sidecar.clone(), container(first)];
        json!({"initContainers": init, "containers": [container(main)], "overhead": {"cpu": "1m"}})
    };
    assert_eq!((cpu(spec(500, 100)), cpu(spec(50, 100))), (531, 131));
}

/// Follows every change at the server, and looks for a node with more than it has room for.
fn overcommitted(all: &BTreeMap<String, Pod>, nodes: &BTreeMap<String, (u64, u64)>) -> bool {
    nodes.iter().any(|(name, (pods, cpu))| {
        let taken = all.values().filter(|pod| is_on(pod, name)).map(millis);
        let (number, sum) = taken.fold((0, 0), |(number, sum), cpu| (number + 1, sum + cpu));
        number > *pods || sum > *cpu
    })
}

fn is_on(pod: &Pod, node: &str) -> bool {
    let ended = pod.status.as_ref().is_some_and(|s| s.phase.as_deref() == Some("Succeeded"));
    !ended && pod.spec.as_ref().is_some_and(|spec| spec.node_name.as_deref() == Some(node))
}

fn millis(pod: &Pod) -> u64 {
    let requests = &pod.spec.as_ref().unwrap().containers[0].resources.as_ref().unwrap().requests;
    requests.as_ref().unwrap()["cpu"].0.trim_end_matches('m').parse().unwrap()
}

/// A random life with a cache that lags and bindings that fail.
async fn random_life(seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let rig = rig(&[]);
    let mut rooms = BTreeMap::new();
    for n in 0..rng.usize(1..6) {
        let (name, pods, cpu) = (format!("n{n}"), rng.u64(1..8), rng.u64(100..1000));
        rig.server.create(&node(&name, pods, cpu)).unwrap();
        rooms.insert(name, (pods, cpu));
    }
    let watches = || Requests::watches().to("/api/v1/pods");
    let bindings = || Requests::others().to("/binding");
    let lag = match rng.u8(0..4) {
        0 => Injection::drip(rng.usize(20..400), MS * rng.u32(1..2000)),
        1 => Injection::stall(BodyPosition::Event(rng.u64(0..9))),
        2 => Injection::cut(BodyPosition::Event(rng.u64(0..9))),
        _ => Injection::delay(MS * rng.u32(1..9000)),
    };
    rig.faults.inject(watches(), lag);
    for _ in 0..3 {
        let failure = match rng.u8(0..5) {
            0 => Injection::lose_answer(),
            1 => Injection::delay(MS * rng.u32(1..15_000)),
            2 => Injection::refuse(),
            3 => Injection::status(503),
            _ => Injection::status(429),
        };
        let (after, times) = (rng.u64(0..20), rng.u64(1..9));
        rig.faults.inject(bindings().after(after).times(times), failure);
    }
    let (running, figures) = rig.begin();

    let mut made = 0;
    for _ in 0..400 {
        sleep(MS * rng.u32(1..400)).await;
        let found = rig.pods.list(&ListParams::default()).await.unwrap().items;
        let all: BTreeMap<_, _> = found.into_iter().map(|pod| (pod.name_any(), pod)).collect();
        assert!(!overcommitted(&all, &rooms), "seed {seed}: {:?}", rig.placed().await);
        let some = rng.usize(0..all.len().max(1));
        match (rng.u8(0..10), all.into_iter().nth(some)) {
            (0..4, _) if made < 60 => {
                made += 1;
                rig.create(&[(&format!("p{made}"), rng.u64(1..400))]);
            }
            (4, Some((name, pod))) if rooms.keys().any(|node| is_on(&pod, node)) => {
                rig.finish(&name).await;
            }
            (5, Some((name, pod))) => {
                rig.server.delete(&pod).unwrap();
                if rng.bool() {
                    // Another pod of the same name.
                    rig.create(&[(&name, rng.u64(1..400))]);
                }
            }
            (6, _) => rig.faults.cut_now(),
            _ => {}
        }
    }

    rig.faults.clear();
    rig.faults.cut_now();
    sleep(400 * S).await;
    let found = rig.pods.list(&ListParams::default()).await.unwrap().items;
    let all: BTreeMap<_, _> = found.into_iter().map(|pod| (pod.name_any(), pod)).collect();
    assert!(!overcommitted(&all, &rooms), "seed {seed}");
    for (name, pod) in &all {
        if pod.spec.as_ref().is_some_and(|spec| spec.node_name.is_some()) {
            continue;
        }
        for node in rooms.keys() {
            let mut bound = pod.clone();
            bound.spec.get_or_insert_default().node_name = Some(node.clone());
            let mut all = all.clone();
            all.insert(name.clone(), bound);
            assert!(overcommitted(&all, &rooms), "seed {seed}: {name} fits on {node}");
        }
    }
    assert!(figures.borrow().rounds > 0);
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn no_node_is_overcommitted_and_every_pod_that_fits_is_bound() {
    for seed in 0..8 {
        random_life(seed).await;
    }
}
