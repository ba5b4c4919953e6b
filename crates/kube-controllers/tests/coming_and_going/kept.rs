//! Objects that were deleted while the program was down. Only its kept caches know of them.

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::path::Path;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::controller::Presence;
use kube_controllers::{Action, Controller, LeaderElector};
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::testing::ApiServer;
use kube_informer::{InformerSpec, SharedInformerFactory};
use kube_informer_warm::WarmCache;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::{S, forbid, map, spawn};

/// Runs a controller for a minute. Returns its view of each reconciled object.
async fn run(
    server: &ApiServer,
    directory: &Path,
    spec: InformerSpec<ConfigMap>,
) -> BTreeMap<String, String> {
    run_as(server, directory, spec, Role::Acts).await
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Acts,
    /// Its reconciles fail.
    Fails,
    /// Its reconciles of gone keys spawn a task that never ends.
    Hangs,
    /// Its elector takes part in an election.
    Elected,
    /// Its reconciles fail. It loses its lease after the delete, and wins it again.
    Loses,
}

fn elector(server: &ApiServer, identity: &str) -> LeaderElector {
    let builder = LeaderElector::builder(server.client(), "shop", "maps").identity(identity);
    builder.build().unwrap()
}

async fn run_as(
    server: &ApiServer,
    directory: &Path,
    spec: InformerSpec<ConfigMap>,
    role: Role,
) -> BTreeMap<String, String> {
    let cache = WarmCache::open(directory).unwrap().cluster("the cluster");
    let factory = SharedInformerFactory::builder(server.client()).warm(cache).build();
    let maps = factory.informer_with(spec).unwrap();
    let controller = Controller::builder("maps", &maps);
    let controller = match role {
        Role::Elected | Role::Loses => {
            controller.leader_election(elector(server, "a")).rejoins_election(true)
        }
        Role::Acts | Role::Fails | Role::Hangs => controller.grace(S),
    };
    let controller = controller.build();
    let views = Arc::<Mutex<BTreeMap<_, _>>>::default();
    let (stop, noted) = (CancellationToken::new(), views.clone());
    let running = spawn(controller.run(stop.clone(), move |request| {
        let view = match &request.object {
            Presence::Present(_) => "present".to_owned(),
            Presence::Gone => "gone".to_owned(),
            Presence::Unknown(reason) => format!("{reason:?}"),
        };
        noted.lock().insert(request.key.name().to_owned(), view);
        let fails = matches!(role, Role::Fails | Role::Loses);
        if role == Role::Hangs && request.object.is_gone() {
            request.spawn(pending::<()>());
        }
        async move { if fails { Err("not today") } else { Ok(Action::done()) } }
    }));
    factory.start().unwrap();
    if role == Role::Loses {
        sleep(S).await;
        server.delete(&map("a", "1")).unwrap();
        sleep(10 * S).await;
        forbid(server, "leases");
        sleep(20 * S).await;
        server.stop_intercepting();
    }
    sleep(60 * S).await;
    stop.cancel();
    let ended = running.await.unwrap();
    assert_eq!(ended.is_err(), role == Role::Hangs, "{ended:?}");
    factory.shutdown().await;
    std::mem::take(&mut *views.lock())
}

/// Two controllers lose their terms after a delete on which only `acts` has acted. It alone leads
/// again before the program ends.
#[tokio::test(start_paused = true)]
async fn delete_of_a_lost_term_waits_for_its_own_controller() {
    let server = ApiServer::new();
    let directory = std::env::temp_dir().join(format!("kept-two-{}", std::process::id()));
    server.create(&map("a", "1")).unwrap();
    let run = async |loses: bool| {
        let cache = WarmCache::open(&directory).unwrap().cluster("the cluster");
        let factory = SharedInformerFactory::builder(server.client()).warm(cache).build();
        let (maps, stop) = (factory.informer::<ConfigMap>(), CancellationToken::new());
        let told = Arc::<Mutex<BTreeSet<_>>>::default();
        let control = |name: &'static str| {
            let controller = Controller::builder(name, &maps).rejoins_election(true);
            let elector = LeaderElector::builder(server.client(), "shop", name).identity("me");
            let controller = controller.leader_election(elector.build().unwrap()).build();
            let told = told.clone();
            spawn(controller.run(stop.clone(), move |request| {
                if request.object.is_gone() {
                    told.lock().insert(name);
                }
                async move { if loses && name == "fails" { Err("no") } else { Ok(Action::done()) } }
            }))
        };
        let running = ["acts", "fails"].map(control);
        factory.start().unwrap();
        sleep(60 * S).await;
        if loses {
            server.delete(&map("a", "1")).unwrap();
            sleep(5 * S).await;
            forbid(&server, "leases");
            sleep(20 * S).await;
            forbid(&server, "leases/fails");
            sleep(60 * S).await;
        }
        stop.cancel();
        for controller in running {
            controller.await.unwrap().unwrap();
        }
        factory.shutdown().await;
        server.stop_intercepting();
        std::mem::take(&mut *told.lock())
    };
    run(true).await;
    assert!(run(false).await.contains("fails"));
    assert!(run(false).await.is_empty());
    std::fs::remove_dir_all(&directory).unwrap();
}

/// Names that differ at their ends are near each other on the ring.
fn name_of(n: usize) -> String {
    format!("{n}-of-the-settings")
}

fn half() -> ShardSelector {
    ShardSelector::new(ShardKey::Name, [0..=u64::MAX / 2])
}

#[tokio::test(start_paused = true)]
async fn deleted_object_is_gone_only_where_the_scope_holds_it() {
    type Spec = fn() -> InformerSpec<ConfigMap>;
    let everything: Spec = InformerSpec::new;
    let selected: Spec = || InformerSpec::new().labels("app=web");
    let sharded: Spec = || InformerSpec::new().shard(watch::channel(half()).1);
    for (name, specs, expected) in [
        ("everything", [everything; 2], [Some("gone"), Some("gone")]),
        ("selected", [selected; 2], [Some("NotSelected"), Some("NotSelected")]),
        ("shard", [sharded; 2], [Some("gone"), None]),
        ("moved", [everything, sharded], [Some("gone"), None]),
    ] {
        let server = ApiServer::new();
        for n in 0..20 {
            let mut map = map(&name_of(n), "1");
            map.metadata.labels = Some([("app".into(), "web".into())].into());
            server.create(&map).unwrap();
        }
        let directory = std::env::temp_dir().join(format!("kept-{name}-{}", std::process::id()));
        run(&server, &directory, specs[0]()).await;
        for n in 0..10 {
            server.delete(&map(&name_of(n), "1")).unwrap();
        }
        let views = run(&server, &directory, specs[1]()).await;
        std::fs::remove_dir_all(&directory).unwrap();
        let mut counts = [0, 0];
        for n in 0..10 {
            let map = map(&name_of(n), "1");
            let outside = usize::from(!half().selects(&map.metadata));
            counts[outside] += 1;
            let view = views.get(&name_of(n)).map(|view| &**view);
            assert_eq!(view, expected[outside], "{name}: {n}");
        }
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    }
}

fn is_told_gone(views: &BTreeMap<String, String>) -> bool {
    views.get("a").is_some_and(|view| view == "gone")
}

#[tokio::test(start_paused = true)]
async fn gone_key_comes_again_until_it_is_reconciled() {
    let server = ApiServer::new();
    let directory = std::env::temp_dir().join(format!("kept-gone-{}", std::process::id()));
    server.create(&map("a", "1")).unwrap();
    let run = async |role| run_as(&server, &directory, InformerSpec::new(), role).await;
    run(Role::Acts).await;
    server.delete(&map("a", "1")).unwrap();
    for role in [Role::Fails, Role::Fails, Role::Hangs, Role::Acts] {
        assert!(is_told_gone(&run(role).await));
    }
    assert!(run(Role::Acts).await.is_empty());
    std::fs::remove_dir_all(&directory).unwrap();
}

#[tokio::test(start_paused = true)]
async fn delete_of_a_lost_term_is_for_the_next_one() {
    let server = ApiServer::new();
    let directory = std::env::temp_dir().join(format!("kept-lost-{}", std::process::id()));
    server.create(&map("a", "1")).unwrap();
    let run = async |role| run_as(&server, &directory, InformerSpec::new(), role).await;
    run(Role::Loses).await;
    assert!(is_told_gone(&run(Role::Elected).await));
    std::fs::remove_dir_all(&directory).unwrap();
}

#[tokio::test(start_paused = true)]
async fn standby_leaves_deletes_to_the_leader() {
    let server = ApiServer::new();
    let directory = std::env::temp_dir().join(format!("kept-standby-{}", std::process::id()));
    server.create(&map("a", "1")).unwrap();
    let run = async |role| run_as(&server, &directory, InformerSpec::new(), role).await;
    run(Role::Acts).await;
    server.delete(&map("a", "1")).unwrap();
    let stop = CancellationToken::new();
    let (mut elector, leading) = (elector(&server, "b"), stop.clone());
    let leader = spawn(async move {
        let work = |leading: CancellationToken| async move { leading.cancelled().await };
        elector.run(leading, work).await.unwrap();
    });
    sleep(S).await;
    assert!(run(Role::Elected).await.is_empty(), "it stands by");
    stop.cancel();
    leader.await.unwrap();
    assert!(run(Role::Acts).await.is_empty(), "the leader has acted on it");
    std::fs::remove_dir_all(&directory).unwrap();
}
