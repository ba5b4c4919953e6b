//! Sharded controllers whose informers cannot list everything, or whose objects arrive.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};
use kube::api::{Patch, PatchParams};
use kube::{Api, Resource};
use kube_controllers::controller::{ControllerError, ControllerHandle, ReconcileRequest};
use kube_controllers::sharding::ShardBy;
use kube_controllers::writing::Applier;
use kube_controllers::{Action, Controller, LeaderElector, Sharding};
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{
    InformerGroup, InformerSpec, ObjectKey, SharedInformer, SharedInformerFactory,
};
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

/// A replica with faults of its own.
struct Replica {
    faults: Faults,
    sharding: Sharding,
    factory: SharedInformerFactory,
    stop: CancellationToken,
    keys: Arc<Mutex<Vec<String>>>,
}

impl Replica {
    fn new(server: &ApiServer, identity: &str) -> Self {
        let faults = Faults::new();
        let client = faults.client(server.client());
        let sharding = Sharding::builder(client.clone(), "home", "maps", ShardBy::Uid);
        let sharding = sharding.slots(8).identity(identity).build().unwrap();
        let factory = factory_of(client);
        let (stop, keys) = (CancellationToken::new(), Arc::default());
        Self { faults, sharding, factory, stop, keys }
    }

    /// Returns an informer that follows this replica's objects.
    fn maps(&self, namespace: Option<&str>) -> SharedInformer<ConfigMap> {
        let spec = InformerSpec::new().shard(self.sharding.objects());
        let spec = namespace.map_or(spec.clone(), |namespace| spec.namespace(namespace));
        self.factory.informer_with(spec).unwrap()
    }

    fn secrets(&self) -> SharedInformer<Secret> {
        self.factory.informer_with(InformerSpec::new().shard(self.sharding.dependents())).unwrap()
    }

    /// Runs the membership.
    fn join(&self) -> JoinHandle<()> {
        let (sharding, stop) = (self.sharding.clone(), self.stop.clone());
        spawn(async move { sharding.run(stop).await.unwrap() })
    }

    /// Runs a controller, which notes its keys.
    fn run<K>(
        &self,
        controller: Controller<K>,
    ) -> (ControllerHandle, JoinHandle<Result<(), ControllerError>>)
    where
        K: Resource + Send + Sync + 'static,
    {
        let (handle, keys) = (controller.handle(), self.keys.clone());
        let reconcile = move |request: ReconcileRequest<K>| {
            keys.lock().push(request.key.to_string());
            async { Ok::<_, Infallible>(Action::done()) }
        };
        (handle, spawn(controller.run(self.stop.clone(), reconcile)))
    }

    /// Returns the keys that were reconciled since the last call, sorted.
    fn keys(&self) -> Vec<String> {
        let mut keys = std::mem::take(&mut *self.keys.lock());
        keys.sort();
        keys.dedup();
        keys
    }
}

fn server(maps: &[&str]) -> ApiServer {
    let server = ApiServer::builder().require_namespaces(false).build();
    for name in maps {
        put(&server, name);
    }
    server
}

/// Creates a config map: `namespace/name`.
fn put(server: &ApiServer, name: &str) -> ConfigMap {
    let (namespace, name) = name.split_once('/').unwrap();
    let mut map = map(name, "1");
    map.metadata.namespace = Some(namespace.into());
    server.create(&map).unwrap()
}

#[tokio::test(start_paused = true)]
async fn forbidden_namespace_holds_up_its_keys_only() {
    let server = server(&["a/1", "a/2", "b/1", "b/2", "c/1"]);
    let replica = Replica::new(&server, "one");
    let forbidden = Requests::all().to("/namespaces/b/configmaps");
    let forbidden = replica.faults.inject(forbidden, Injection::status(403));
    let maps = ["a", "b", "c"].map(|namespace| replica.maps(Some(namespace)));
    let controller = Controller::builder("maps", InformerGroup::new(maps));
    let (handle, _running) = replica.run(controller.sharded(&replica.sharding).build());
    // The informers have synced before the replica has slots.
    sleep(S).await;
    replica.join();
    sleep(60 * S).await;
    assert_eq!(replica.keys(), ["a/1", "a/2", "c/1"]);
    assert!(handle.status().missing.is_empty());
    sleep(62 * S).await;
    assert_eq!(handle.status().missing, ["configmaps in b".into()]);
    forbidden.remove();
    sleep(120 * S).await;
    assert_eq!(replica.keys(), ["b/1", "b/2"]);
    assert!(handle.status().missing.is_empty());
}

/// The predicate may block, and the key before it may have woken a worker of the same thread.
#[tokio::test(start_paused = true)]
async fn predicates_of_a_new_slot_let_workers_run() {
    let names: Vec<_> = (0..50).map(|n| format!("a/{n}")).collect();
    let server = server(&names.iter().map(|name| &**name).collect::<Vec<_>>());
    let replica = Replica::new(&server, "one");
    let asked = replica.keys.clone();
    let controller = Controller::builder("maps", &replica.factory.informer::<ConfigMap>())
        .predicate(move |_| {
            asked.lock().push("asked".into());
            true
        });
    let (_handle, _running) = replica.run(controller.sharded(&replica.sharding).build());
    sleep(S).await;
    replica.keys.lock().clear();
    replica.join();
    sleep(60 * S).await;
    let log = std::mem::take(&mut *replica.keys.lock());
    let (asked, ran): (Vec<_>, Vec<_>) = log.iter().partition(|entry| *entry == "asked");
    assert_eq!((asked.len(), ran.len()), (50, 50));
    let in_turn = log.chunk_by(|one, other| one == "asked" && other == "asked");
    let most = in_turn.map(<[String]>::len).max();
    assert!(most < Some(5), "{log:?}");
}

#[tokio::test(start_paused = true)]
async fn request_for_all_reaches_arriving_slots() {
    let server = server(&["a/1", "a/2", "b/1", "b/2", "c/1"]);
    let replica = Replica::new(&server, "one");
    let controller = Controller::builder("maps", &replica.maps(None)).predicate(|_| false);
    let (handle, _running) = replica.run(controller.sharded(&replica.sharding).build());
    replica.faults.inject(Requests::all().to("/configmaps"), Injection::delay(4 * S));
    replica.join();
    sleep(2 * S).await;
    assert_eq!(replica.sharding.status().held.len(), 8);
    assert!(handle.reconcile_all());
    sleep(S).await;
    assert_eq!(replica.keys(), [""; 0], "the slots arrive");
    sleep(10 * S).await;
    assert_eq!(replica.keys(), ["a/1", "a/2", "b/1", "b/2", "c/1"]);
    // Slots that arrive later pass the predicates again.
    let other = Replica::new(&server, "two");
    other.join();
    sleep(10 * S).await;
    assert_eq!(replica.sharding.status().held.len(), 4);
    other.stop.cancel();
    sleep(20 * S).await;
    assert_eq!(replica.sharding.status().held.len(), 8);
    assert_eq!(replica.keys(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn kind_that_cannot_be_listed_ends_the_run() {
    for status in [403, 404] {
        let server = server(&["a/1"]);
        let replica = Replica::new(&server, "one");
        replica.faults.inject(Requests::all().to("/secrets"), Injection::status(status));
        let controller = Controller::builder("maps", &replica.maps(None));
        let controller = controller.owns(&replica.secrets()).sharded(&replica.sharding).build();
        let (_, running) = replica.run(controller);
        sleep(S).await;
        replica.join();
        sleep(119 * S).await;
        assert!(!running.is_finished());
        sleep(2 * S).await;
        let error = running.await.unwrap().unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, ControllerError::NotSynced { .. }), "{text}");
        assert!(text.contains("secrets") && text.contains(&status.to_string()), "{text}");
        assert_eq!(replica.keys(), [""; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn arriving_slot_that_cannot_be_listed_is_named() {
    let names: Vec<_> = (0..16).map(|n| format!("a/{n}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let server = server(&names);
    let [one, two] = ["one", "two"].map(|identity| Replica::new(&server, identity));
    let (mut handles, mut tasks) = (vec![], vec![]);
    for replica in [&one, &two] {
        let controller = Controller::builder("maps", &replica.maps(None));
        let controller = controller.owns(&replica.secrets()).sharded(&replica.sharding).build();
        let (handle, running) = replica.run(controller);
        handles.push(handle);
        tasks.push(running);
        replica.join();
    }
    sleep(20 * S).await;
    let (first, second) = (one.keys(), two.keys());
    assert!(first.len() < 16 && first.len() + second.len() >= 16, "{first:?} {second:?}");
    // The permission is revoked, and the other replica leaves.
    one.faults.inject(Requests::lists().to("/secrets"), Injection::status(403));
    two.stop.cancel();
    sleep(125 * S).await;
    assert_eq!(one.sharding.status().held.len(), 8);
    assert_eq!(handles[0].status().missing, ["secrets".into()]);
    assert!(!tasks[0].is_finished());
    assert_eq!(one.keys(), [""; 0], "the arriving keys wait");
    handles[0].trigger(first[0].parse::<ObjectKey>().unwrap());
    sleep(S).await;
    assert_eq!(one.keys(), first[..1], "the others do not");
}

#[tokio::test(start_paused = true)]
async fn predicates_filter_arriving_objects() {
    let server = server(&["a/1", "b/1", "a/2"]);
    let replica = Replica::new(&server, "one");
    let controller = Controller::builder("maps", &replica.maps(None)).predicate(|event| {
        let namespace = event.object().metadata.namespace.as_deref();
        assert_ne!(event.object().metadata.name.as_deref(), Some("2"));
        namespace == Some("a")
    });
    let (handle, _running) = replica.run(controller.sharded(&replica.sharding).build());
    replica.join();
    sleep(30 * S).await;
    // An event passes if its predicate panics.
    assert_eq!(replica.keys(), ["a/1", "a/2"]);
    assert!(handle.status().predicate_panics > 0);
}

#[tokio::test(start_paused = true)]
async fn owners_of_arriving_dependents_are_reconciled() {
    let server = server(&["shop/a", "shop/b"]);
    let owner = put(&server, "shop/owner");
    server.create(&secret_of(&owner, "s")).unwrap();
    let replica = Replica::new(&server, "one");
    // The dependents arrive before their owners.
    let slow = Injection::delay(5 * S);
    replica.faults.inject(Requests::lists().to("/configmaps"), slow);
    let controller = Controller::builder("maps", &replica.maps(None)).predicate(|_| false);
    let controller = controller.owns(&replica.secrets());
    let (_, _running) = replica.run(controller.sharded(&replica.sharding).build());
    sleep(S).await;
    replica.join();
    sleep(30 * S).await;
    assert_eq!(replica.keys(), ["shop/owner"]);
}

/// Nobody hears of changes while the slot has no owner, and a list of the same shard adds nothing.
#[tokio::test(start_paused = true)]
async fn dependents_are_mapped_again_when_slots_return() {
    for sharded in [false, true] {
        let server = server(&[]);
        let owner = put(&server, "shop/owner");
        server.create(&secret_of(&owner, "s")).unwrap();
        let replica = Replica::new(&server, "one");
        let secrets: SharedInformer<Secret> =
            if sharded { replica.secrets() } else { replica.factory.informer() };
        let controller = Controller::builder("maps", &replica.maps(None)).predicate(|_| false);
        let (_, _running) =
            replica.run(controller.owns(&secrets).sharded(&replica.sharding).build());
        replica.join();
        sleep(30 * S).await;
        assert_eq!(replica.keys(), ["shop/owner"]);
        let leases = Requests::all().to("/leases");
        let refused = replica.faults.inject(leases, Injection::status(500));
        sleep(60 * S).await;
        let api = Api::<Secret>::namespaced(server.client(), "shop");
        let changed = Patch::Merge(serde_json::json!({"stringData": {"a": "b"}}));
        api.patch("s", &PatchParams::default(), &changed).await.unwrap();
        sleep(60 * S).await;
        assert_eq!(replica.keys(), [""; 0], "it has no slot");
        refused.remove();
        sleep(120 * S).await;
        assert_eq!(replica.keys(), ["shop/owner"], "{sharded}");
    }
}

#[tokio::test(start_paused = true)]
async fn scattered_dependents_of_a_cluster_scoped_owner_are_refused() {
    let server = server(&[]);
    for sharded in [false, true] {
        let sharding = Sharding::builder(server.client(), "home", "nodes", ShardBy::Namespace);
        let sharding = sharding.slots(8).identity("one").build().unwrap();
        let factory = SharedInformerFactory::builder(server.client()).build();
        let spec = InformerSpec::<Secret>::new();
        let spec = if sharded { spec.shard(sharding.dependents()) } else { spec };
        let secrets = factory.informer_with(spec).unwrap();
        let nodes = InformerSpec::<Node>::new().shard(sharding.objects());
        let nodes = factory.informer_with(nodes).unwrap();
        let controller = Controller::builder("nodes", &nodes).owns(&secrets).sharded(&sharding);
        let reconcile = |_: ReconcileRequest<Node>| async { Ok::<_, Infallible>(Action::done()) };
        let running = controller.build().run(CancellationToken::new(), reconcile);
        let ended = tokio::time::timeout(S, running).await;
        let refused = matches!(ended, Ok(Err(ControllerError::WrongSharding { .. })));
        assert_eq!(refused, sharded, "{ended:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn shard_without_the_owners_is_refused() {
    let server = server(&[]);
    for by in [ShardBy::Uid, ShardBy::Namespace] {
        let sharding = Sharding::builder(server.client(), "home", "maps", by);
        let sharding = sharding.slots(8).identity("one").build().unwrap();
        for (own_uid, co_owns) in [(false, false), (false, true), (true, false), (true, true)] {
            let factory = SharedInformerFactory::builder(server.client()).build();
            let maps = InformerSpec::<ConfigMap>::new().shard(sharding.objects());
            let maps = factory.informer_with(maps).unwrap();
            let shard = if own_uid { sharding.objects() } else { sharding.dependents() };
            let secrets = InformerSpec::<Secret>::new().shard(shard);
            let secrets = factory.informer_with(secrets).unwrap();
            let controller = Controller::builder("maps", &maps);
            let controller =
                if co_owns { controller.co_owns(&secrets) } else { controller.owns(&secrets) };
            let reconcile =
                |_: ReconcileRequest<ConfigMap>| async { Ok::<_, Infallible>(Action::done()) };
            let running = controller.sharded(&sharding).build();
            let running = running.run(CancellationToken::new(), reconcile);
            let ended = tokio::time::timeout(S, running).await;
            let refused = matches!(ended, Ok(Err(ControllerError::WrongSharding { .. })));
            assert_eq!(refused, by == ShardBy::Uid && (own_uid || co_owns), "{ended:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn sharding_that_does_not_run_ends_the_run() {
    let replica = Replica::new(&server(&["a/1"]), "one");
    let controller = Controller::builder("maps", &replica.maps(None)).sharded(&replica.sharding);
    let (_, running) = replica.run(controller.build());
    sleep(119 * S).await;
    assert!(!running.is_finished());
    sleep(2 * S).await;
    let error = running.await.unwrap().unwrap_err().to_string();
    assert!(error.contains("run `Sharding::run`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn shard_of_a_membership_needs_its_sharding() {
    let replica = Replica::new(&server(&["a/1"]), "one");
    replica.join();
    for after in [Duration::ZERO, 10 * S] {
        sleep(after).await;
        let (_, running) = replica.run(Controller::builder("maps", &replica.maps(None)).build());
        let ended = tokio::time::timeout(S, running).await.expect("it is refused").unwrap();
        let error = ended.unwrap_err();
        assert!(matches!(error, ControllerError::WrongSharding { .. }), "{error}");
        assert!(error.to_string().contains("`.sharded(&sharding)`"), "{error}");
    }
    assert_eq!(replica.keys(), [""; 0]);

    // The program itself gives out this shard.
    let shard = watch::channel(ShardSelector::everything(ShardKey::Uid)).1;
    let spec = InformerSpec::<ConfigMap>::new().namespace("a").shard(shard);
    let maps = replica.factory.informer_with(spec).unwrap();
    let (_, _running) = replica.run(Controller::builder("maps", &maps).build());
    sleep(S).await;
    assert_eq!(replica.keys(), ["a/1"]);
}

#[tokio::test(start_paused = true)]
async fn shard_of_another_membership_is_refused() {
    let server = server(&[]);
    let [one, two] = ["one", "two"].map(|identity| Replica::new(&server, identity));
    let foreign: SharedInformer<Secret> =
        one.factory.informer_with(InformerSpec::new().shard(two.sharding.dependents())).unwrap();
    let controllers = [
        Controller::builder("maps", &two.maps(None)),
        Controller::builder("maps", &one.maps(None)).owns(&foreign),
    ];
    for controller in controllers {
        let (_, running) = one.run(controller.sharded(&one.sharding).build());
        let error = running.await.unwrap().unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, ControllerError::WrongSharding { .. }), "{text}");
        assert!(text.contains("another membership"), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn replica_without_slots_is_fresh() {
    let server = server(&["a/1"]);
    let replica = Replica::new(&server, "one");
    let maps = replica.maps(None);
    maps.start().unwrap();
    sleep(100 * S).await;
    assert!(maps.is_fresh(3 * S) && maps.status().is_fresh(3 * S));
    let lists = replica.faults.inject(Requests::reads().to("/configmaps"), Injection::status(503));
    replica.join();
    sleep(60 * S).await;
    assert!(!maps.is_fresh(30 * S), "its objects are not listed");
    lists.remove();
    sleep(60 * S).await;
    assert!(maps.is_fresh(61 * S));
}

#[tokio::test(start_paused = true)]
async fn moved_object_is_not_awaited_as_gone() {
    let server = server(&["a/1", "a/2", "a/3", "a/4", "a/5", "a/6", "a/7", "a/8"]);
    let one = Replica::new(&server, "one");
    let maps = one.maps(None);
    maps.start().unwrap();
    one.join();
    sleep(10 * S).await;
    let waits: Vec<_> = (1..=8)
        .map(|n| {
            let (maps, key) = (maps.clone(), ObjectKey::namespaced("a", &n.to_string()).unwrap());
            spawn(async move { maps.wait_until(&key, 60 * S, |map| map.is_none()).await })
        })
        .collect();
    let two = Replica::new(&server, "two");
    two.join();
    sleep(20 * S).await;
    let kept = maps.lister().list(&kube_informer::LabelSelector::everything());
    assert!((1..8).contains(&kept.len()), "{}", kept.len());
    for map in &kept {
        server.delete(&**map).unwrap();
    }
    let (mut gone, mut elsewhere) = (0, 0);
    for wait in waits {
        match wait.await.unwrap() {
            Ok(_) => gone += 1,
            Err(late) => {
                assert!(late.to_string().contains("another replica"), "{late}");
                elsewhere += 1;
            }
        }
    }
    assert_eq!((gone, elsewhere), (kept.len(), 8 - kept.len()));
}

#[tokio::test(start_paused = true)]
async fn applied_record_ends_with_the_tenure() {
    let server = server(&["a/1"]);
    let replica = Replica::new(&server, "one");
    let maps = replica.maps(None);
    maps.start().unwrap();
    let applier = Applier::builder(server.client(), &maps, "site").build().unwrap();
    let mut desired = map("applied", "1");
    let old = desired.clone();
    // A newer version of the controller applies one more field between two tenures.
    let other = replica.factory.informer::<ConfigMap>();
    other.start().unwrap();
    desired.data.as_mut().unwrap().insert("more".into(), "2".into());
    let newer = Applier::builder(server.client(), &other, "site").build().unwrap();
    for was_sent in [true, false] {
        let stop = CancellationToken::new();
        let running = spawn({
            let (sharding, stop) = (replica.sharding.clone(), stop.clone());
            async move { sharding.run(stop).await }
        });
        sleep(10 * S).await;
        let first = applier.apply(&old).await.unwrap();
        assert!(first.was_sent(), "in each tenure: {was_sent}");
        sleep(S).await;
        assert!(!applier.apply(&old).await.unwrap().was_sent());
        stop.cancel();
        running.await.unwrap().unwrap();
        sleep(S).await;
        assert_eq!(maps.snapshot().len(), 0);
        newer.apply(&desired).await.unwrap();
    }
}

/// The applier's informer follows no shard, so only the reconcile knows when its term began.
#[tokio::test(start_paused = true)]
async fn applied_record_ends_with_the_reconciles_term() {
    type Request = ReconcileRequest<ConfigMap, Applier<ConfigMap>>;
    for elected in [false, true] {
        let server = server(&["a/1"]);
        let replica = Replica::new(&server, "one");
        let all = replica.factory.informer::<ConfigMap>();
        let applier = || Applier::builder(server.client(), &all, "site").build().unwrap();
        // A newer version of the controller applies one more field between two terms.
        let (applier, newer) = (applier(), applier());
        let mut more = map("applied", "1");
        more.data.as_mut().unwrap().insert("more".into(), "2".into());
        for term in 0..2 {
            let own = if elected { all.clone() } else { replica.maps(None) };
            let controller = Controller::builder("maps", &own).context(applier.clone());
            let elector = LeaderElector::builder(server.client(), "home", "x").identity("one");
            let controller = if elected {
                controller.leader_election(elector.build().unwrap())
            } else {
                controller.sharded(&replica.sharding)
            };
            let (sent, stop, leave) = (
                Arc::<Mutex<Vec<bool>>>::default(),
                CancellationToken::new(),
                CancellationToken::new(),
            );
            let membership = spawn({
                let (sharding, leave) = (replica.sharding.clone(), leave.clone());
                async move { sharding.run(leave).await }
            });
            let notes = sent.clone();
            let reconcile = move |request: Request| {
                let notes = notes.clone();
                async move {
                    if request.key.name() == "1" {
                        // A cache without the last answer proves nothing, so the apply is sent.
                        sleep(S).await;
                        let outcome = request.context.apply(&map("applied", "1")).await.unwrap();
                        notes.lock().push(outcome.was_sent());
                    }
                    Ok::<_, Infallible>(Action::requeue_after(5 * S))
                }
            };
            let working = spawn(controller.build().run(stop.clone(), reconcile));
            sleep(30 * S).await;
            stop.cancel();
            working.await.unwrap().unwrap();
            leave.cancel();
            membership.await.unwrap().unwrap();
            let sent = sent.lock().clone();
            let once = sent.len() > 3 && sent[0] && !sent[1..].contains(&true);
            assert!(once, "elected {elected}, term {term}: {sent:?}");
            newer.apply(&more).await.unwrap();
        }
    }
}
