//! The example `scheduler`: no node is ever overcommitted, and every pod that fits is bound,
//! however far the cache lags and whatever becomes of bindings.

#[path = "../../../../examples/scheduler/pod.rs"]
mod pod;
#[path = "../../../../examples/scheduler/room.rs"]
mod room;
#[path = "../../../../examples/scheduler/scheduler.rs"]
#[allow(clippy::module_inception, reason = "the example's own name")]
mod scheduler;

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::ResourceExt;
use kube_informer::error::BoxError;
use kube_informer::testing::{BodyPosition, Injection, Requests};
use kube_scenario::{Scenario, World};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::sleep;

use self::room::Room;
use self::scheduler::{Figures, NAME, manager};

const S: Duration = Duration::from_secs(1);
const MS: Duration = Duration::from_millis(1);

/// A world with these nodes, and the progress that the scheduler tells.
fn world(nodes: &[(&str, u64, u64)]) -> (World, watch::Receiver<Figures>) {
    let (told, figures) = watch::channel(Figures::default());
    let world = Scenario::of_manager(move |client| manager(client, told.clone())).start();
    for (name, pods, cpu) in nodes {
        world.server().create(&node(name, *pods, *cpu)).unwrap();
    }
    (world, figures)
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

fn create(world: &World, pods: &[(&str, u64)]) {
    for (name, cpu) in pods {
        world.server().create(&waiting(name, *cpu)).unwrap();
    }
}

/// Returns the names of the pods on each node, those without a node under an empty name.
fn nodes_of(world: &World) -> BTreeMap<String, Vec<String>> {
    let mut placed = BTreeMap::<String, Vec<String>>::new();
    for pod in world.list::<Pod>() {
        let node = pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
        placed.entry(node.unwrap_or_default()).or_default().push(pod.name_any());
    }
    placed
}

/// Lets the scheduler work, until this number of pods is on nodes.
async fn bound(world: &World, number: usize) -> BTreeMap<String, Vec<String>> {
    world.settle().await.unwrap();
    let placed = nodes_of(world);
    let bound = placed.iter().filter(|(node, _)| !node.is_empty());
    assert_eq!(bound.map(|(_, pods)| pods.len()).sum::<usize>(), number, "{placed:?}");
    placed
}

/// Returns the bindings that were sent.
fn bindings(world: &World) -> Vec<String> {
    world.writes().into_iter().filter(|write| write.contains("/binding")).collect()
}

/// Lets a pod end.
fn finish(world: &World, name: &str) {
    let mut pod: Pod = world.get("shop", name).unwrap();
    pod.status.get_or_insert_default().phase = Some("Succeeded".into());
    world.server().replace(&pod).unwrap();
}

#[tokio::test(start_paused = true)]
async fn pods_go_to_the_least_loaded_node() {
    let (world, _) = world(&[("large", 10, 4000), ("small", 10, 2000), ("full", 1, 9000)]);
    let elsewhere = json!({"nodeName": "full", "containers": [container(100)]});
    world.server().create(&pod("theirs", elsewhere)).unwrap();
    let names: Vec<_> = (0..6).map(|n| format!("p{n}")).collect();
    create(&world, &names.iter().map(|name| (&**name, 500)).collect::<Vec<_>>());
    let placed = bound(&world, 7).await;
    let pods = |node: &str| placed[node].len();
    assert_eq!((pods("large"), pods("small"), pods("full")), (4, 2, 1));
}

#[tokio::test(start_paused = true)]
async fn lagging_cache_overcommits_no_node() {
    let (world, figures) = world(&[("n1", 3, 9000)]);
    create(&world, &[("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1), ("f", 1)]);
    let watches = Requests::watches().to("/api/v1/pods");
    let lag = world.faults().inject(watches, Injection::stall(BodyPosition::Event(0)));
    bound(&world, 3).await;
    let rounds = figures.borrow().rounds;
    for label in ["a", "b", "c"] {
        // Each makes a round in which the cache shows no binding.
        sleep(S).await;
        let mut changed = node("n1", 3, 9000);
        changed.labels_mut().insert(label.into(), String::new());
        world.server().replace(&changed).unwrap();
    }
    sleep(S).await;
    let seen = figures.borrow().clone();
    assert_eq!((seen.rounds, seen.bound, seen.without_room), (rounds + 3, 0, 3));
    assert_eq!(bindings(&world).len(), 3, "{:?}", bindings(&world));

    lag.remove();
    world.faults().cut_now();
    finish(&world, "a");
    bound(&world, 4).await;
    assert_eq!(bindings(&world).len(), 4);
}

#[tokio::test(start_paused = true)]
async fn next_process_sees_the_bindings_of_the_last() {
    let (world, figures) = world(&[("n1", 3, 9000)]);
    create(&world, &[("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1), ("f", 1)]);
    world.faults().remember_lists();
    bound(&world, 3).await;
    world.stop().await.unwrap();
    let rounds = figures.borrow().rounds;

    // A lagging replica answers with the pods as they were at first.
    world.faults().inject(Requests::lists().to("/api/v1/pods").times(1), Injection::stale());
    world.faults().inject(Requests::watches().to("/api/v1/pods"), Injection::delay(20 * S));
    world.start();
    sleep(200 * S).await;
    assert!(figures.borrow().rounds > rounds);
    assert_eq!(bindings(&world).len(), 3);
    assert_eq!(figures.borrow().without_room, 3);
}

#[tokio::test(start_paused = true)]
async fn refused_bindings_are_forgotten_and_tried_again() {
    let (world, figures) = world(&[("n1", 1, 1000)]);
    create(&world, &[("a", 100), ("b", 100)]);
    let to_a = Requests::others().to("/pods/a/binding");
    let refused = world.faults().inject(to_a, Injection::status(403));
    sleep(60 * S).await;
    assert!(figures.borrow().refused >= 3);
    refused.remove();
    bound(&world, 1).await;
    finish(&world, "a");
    let placed = bound(&world, 2).await;
    assert_eq!(placed["n1"], ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn binding_without_an_answer_keeps_its_node() {
    let (world, figures) = world(&[("n1", 1, 1000), ("n2", 1, 1000)]);
    create(&world, &[("a", 100)]);
    let watches = Requests::watches().to("/api/v1/pods");
    world.faults().inject(watches, Injection::drip(60, S));
    let lost = Requests::others().to("/binding").times(1);
    world.faults().inject(lost, Injection::lose_answer());
    // These say nothing of the first try.
    let refused = Requests::others().to("/pods/a/binding").after(1).times(3);
    world.faults().inject(refused, Injection::status(403));
    bound(&world, 1).await;
    create(&world, &[("b", 100), ("c", 100)]);
    let placed = bound(&world, 2).await;
    sleep(120 * S).await;
    assert_eq!(placed["n1"].len() + placed["n2"].len(), 2);
    assert_eq!(placed, nodes_of(&world));
    assert_eq!(figures.borrow().refused, 0);
}

#[tokio::test(start_paused = true)]
async fn only_waiting_pods_and_open_nodes_count() {
    let (world, _) = world(&[("n1", 10, 1000)]);
    let mut closed = node("closed", 10, 9000);
    closed.spec.get_or_insert_default().unschedulable = Some(true);
    world.server().create(&closed).unwrap();
    let mut tainted = node("tainted", 10, 9000);
    let taint = json!([{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]);
    tainted.spec.get_or_insert_default().taints = serde_json::from_value(taint).unwrap();
    world.server().create(&tainted).unwrap();
    world.server().create(&pod("theirs", json!({"containers": [container(1)]}))).unwrap();
    let mut gated = json!({"schedulerName": NAME, "containers": [container(1)]});
    gated["schedulingGates"] = json!([{"name": "example.com/gate"}]);
    world.server().create(&pod("gated", gated)).unwrap();
    create(&world, &[("large", 1001), ("fits", 1000)]);
    let placed = bound(&world, 1).await;
    sleep(60 * S).await;
    assert_eq!(placed["n1"], ["fits"]);
    assert_eq!(placed, nodes_of(&world));
    world.server().create(&node("n2", 1, 1001)).unwrap();
    assert_eq!(bound(&world, 2).await["n2"], ["large"]);
}

#[tokio::test(start_paused = true)]
async fn important_pods_come_first() {
    let (world, _) = world(&[("n1", 2, 1000)]);
    create(&world, &[("a", 1), ("b", 1)]);
    for (name, priority) in [("y", 10), ("z", 20)] {
        let mut pod = waiting(name, 1);
        pod.spec.get_or_insert_default().priority = Some(priority);
        world.server().create(&pod).unwrap();
    }
    assert_eq!(bound(&world, 2).await["n1"], ["y", "z"]);
}

#[test]
fn requests_are_those_of_the_busiest_moment() {
    let read = |pod: Pod| serde_json::from_value(serde_json::to_value(pod).unwrap()).unwrap();
    let cpu = |spec: Value| Room::of_pod(&read(pod("p", spec))).cpu;
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
    let (world, figures) = world(&[]);
    let mut rooms = BTreeMap::new();
    for n in 0..rng.usize(1..6) {
        let (name, pods, cpu) = (format!("n{n}"), rng.u64(1..8), rng.u64(100..1000));
        world.server().create(&node(&name, pods, cpu)).unwrap();
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
    world.faults().inject(watches(), lag);
    for _ in 0..3 {
        let failure = match rng.u8(0..5) {
            0 => Injection::lose_answer(),
            1 => Injection::delay(MS * rng.u32(1..15_000)),
            2 => Injection::refuse(),
            3 => Injection::status(503),
            _ => Injection::status(429),
        };
        let (after, times) = (rng.u64(0..20), rng.u64(1..9));
        world.faults().inject(bindings().after(after).times(times), failure);
    }

    let mut made = 0;
    for _ in 0..400 {
        sleep(MS * rng.u32(1..400)).await;
        let found = world.list::<Pod>();
        let all: BTreeMap<_, _> = found.into_iter().map(|pod| (pod.name_any(), pod)).collect();
        assert!(!overcommitted(&all, &rooms), "seed {seed}: {:?}", nodes_of(&world));
        let some = rng.usize(0..all.len().max(1));
        match (rng.u8(0..10), all.into_iter().nth(some)) {
            (0..4, _) if made < 60 => {
                made += 1;
                create(&world, &[(&format!("p{made}"), rng.u64(1..400))]);
            }
            (4, Some((name, pod))) if rooms.keys().any(|node| is_on(&pod, node)) => {
                finish(&world, &name);
            }
            (5, Some((name, pod))) => {
                world.server().delete(&pod).unwrap();
                if rng.bool() {
                    // Another pod of the same name.
                    create(&world, &[(&name, rng.u64(1..400))]);
                }
            }
            (6, _) => world.faults().cut_now(),
            _ => {}
        }
    }

    world.faults().clear();
    world.faults().cut_now();
    sleep(400 * S).await;
    let found = world.list::<Pod>();
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
}

#[tokio::test(start_paused = true)]
async fn no_node_is_overcommitted_and_every_pod_that_fits_is_bound() {
    for seed in 0..8 {
        random_life(seed).await;
    }
}

async fn lives(world: World) -> Result<(), BoxError> {
    world.server().create(&node("n1", 2, 1000))?;
    world.server().create(&waiting("a", 100))?;
    world.settle().await?;
    world.server().create(&waiting("b", 100))?;
    world.settle().await?;
    world.server().create(&waiting("c", 100))?;
    world.settle().await?;
    if let Some(mut pod) = world.get::<Pod>("shop", "a") {
        pod.status.get_or_insert_default().phase = Some("Succeeded".into());
        world.server().replace(&pod)?;
    }
    world.settle().await?;
    world.server().create(&waiting("d", 100))?;
    world.settle().await?;
    world.server().create(&node("n2", 1, 1000))?;
    world.settle().await?;
    Ok(())
}

#[test]
fn exploration_passes() {
    let scheduler = Scenario::of_manager(|client| manager(client, watch::Sender::default()));
    let scheduler = scheduler.never("a node is overcommitted", |world| {
        let pods = world.list::<Pod>().into_iter();
        let pods = pods.map(|pod| (pod.name_any(), pod)).collect();
        overcommitted(&pods, &BTreeMap::from([("n1".into(), (2, 1000)), ("n2".into(), (1, 1000))]))
    });
    let found = scheduler.quiet_for(Duration::from_secs(20)).explore(lives);
    assert_eq!(found.assert_passed().writes, 4);
}
