//! A controller at work gets and loses what it follows.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::Client;
use kube::api::ObjectMeta;
use kube_controllers::controller::{
    ControllerError, ControllerHandle, Followed, Following, Phase, Presence, UnknownReason,
};
use kube_controllers::manager::serve::Serve;
use kube_controllers::sharding::ShardBy;
use kube_controllers::{Action, Controller, LeaderElector, Manager, Sharding};
use kube_informer::factory::Interest;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{InformerSpec, ObjectKey, SharedInformer, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::{
    MS, S, elector, factory, factory_of, forbid, key, map_in, secret_of, spawn, until,
};
use crate::http::exchange;
use crate::references::{naming, secret, tasks, value};
use crate::watches::Watches;

pub(crate) const SOON: std::time::Duration = S.saturating_mul(30);

/// A presence without its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Saw {
    Present,
    Gone,
    Unknown(UnknownReason),
}

impl Saw {
    pub(crate) fn of<K>(object: &Presence<K>) -> Self {
        match object {
            Presence::Present(_) => Self::Present,
            Presence::Gone => Self::Gone,
            Presence::Unknown(reason) => Self::Unknown(*reason),
        }
    }
}

/// A controller that runs, and notes what each of its reconciles saw.
pub(crate) struct Run {
    log: Arc<Mutex<Vec<(String, Saw)>>>,
    pub(crate) handle: ControllerHandle,
    pub(crate) following: Following<ConfigMap>,
    stop: CancellationToken,
    running: JoinHandle<Result<(), ControllerError>>,
}

impl Run {
    pub(crate) fn of(controller: Controller<ConfigMap>) -> Self {
        let (log, stop) = (Arc::<Mutex<Vec<_>>>::default(), CancellationToken::new());
        let (handle, following) = (controller.handle(), controller.following());
        let noted = log.clone();
        let running = spawn(controller.run(stop.clone(), move |request| {
            noted.lock().push((request.key.to_string(), Saw::of(&request.object)));
            async { Ok::<_, Infallible>(Action::done()) }
        }));
        Self { log, handle, following, stop, running }
    }

    pub(crate) fn take(&self) -> Vec<(String, Saw)> {
        let mut taken = std::mem::take(&mut *self.log.lock());
        taken.sort_by(|a, b| a.0.cmp(&b.0));
        taken
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.take().into_iter().map(|(key, _)| key).collect()
    }

    pub(crate) async fn works(&self) {
        until("work", || self.handle.status().phase == Phase::Working).await;
        sleep(S).await;
    }

    pub(crate) async fn end(self) {
        self.stop.cancel();
        self.running.await.unwrap().unwrap();
    }
}

pub(crate) fn secrets_in(factory: &SharedInformerFactory, namespace: &str) -> Interest<Secret> {
    factory.interest(InformerSpec::new().namespace(namespace)).unwrap()
}

pub(crate) fn maps_in(
    factory: &SharedInformerFactory,
    namespace: &str,
) -> SharedInformer<ConfigMap> {
    factory.informer_with(InformerSpec::new().namespace(namespace)).unwrap()
}

/// Returns the key of the map in `shop` that has the name of a secret.
pub(crate) fn namesake(secret: &Secret) -> Option<ObjectKey> {
    Some(key(secret.metadata.name.as_deref()?))
}

pub(crate) fn other(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

#[tokio::test(start_paused = true)]
async fn added_objects_queue_keys_until_they_are_removed() {
    let server = ApiServer::new();
    let web = map_in("shop", "web");
    server.create(&web).unwrap();
    server.create(&secret_of(&web, "first")).unwrap();
    server.create(&secret(&other("bank/api"), "")).unwrap();
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let run = Run::of(Controller::builder("maps", &maps_in(&factory, "shop")).build());
    run.works().await;
    assert_eq!(run.keys(), ["shop/web"]);
    let before = (tasks(), watches.open());

    let (shop, bank) = (secrets_in(&factory, "shop"), secrets_in(&factory, "bank"));
    let owned_guard = run.following.owns(&*shop).unwrap();
    let passes = Followed::of(&*bank).predicate(|event| !event.is_deleted());
    let watched_guard = run.following.watches(passes, namesake).unwrap();
    owned_guard.wait_for_sync(SOON).await.unwrap();
    watched_guard.wait_for_sync(SOON).await.unwrap();
    sleep(S).await;
    assert_eq!(run.take(), [("shop/api".into(), Saw::Gone), ("shop/web".into(), Saw::Present)]);
    server.replace(&secret(&other("bank/api"), "new")).unwrap();
    server.delete(&secret_of(&web, "first")).unwrap();
    sleep(S).await;
    assert_eq!(run.keys(), ["shop/api", "shop/web"]);
    server.delete(&secret(&other("bank/api"), "")).unwrap();
    sleep(S).await;
    assert_eq!(run.keys(), [""; 0], "the predicate drops it");

    drop(owned_guard);
    server.create(&secret_of(&web, "second")).unwrap();
    server.create(&secret(&other("bank/api"), "")).unwrap();
    sleep(S).await;
    assert_eq!(run.keys(), ["shop/api"]);
    drop((watched_guard, shop, bank));
    until("the end of the informers", || (tasks(), watches.open()) == before).await;
    assert_eq!(run.handle.status().missing, []);
    server.replace(&secret(&other("bank/api"), "newer")).unwrap();
    sleep(S).await;
    assert_eq!(run.keys(), [""; 0]);
    run.end().await;
}

#[tokio::test(start_paused = true)]
async fn keys_of_a_removed_namespace_are_not_gone() {
    let server = ApiServer::new();
    for name in ["shop/a", "bank/b", "bank/c"] {
        let at = other(name);
        server.create(&map_in(at.namespace().unwrap(), at.name())).unwrap();
    }
    let factory = factory(&server);
    let shop = maps_in(&factory, "shop");
    let run = Run::of(Controller::builder("maps", &shop).debounce(10 * S).build());
    let bank: Interest<ConfigMap> =
        factory.interest(InformerSpec::new().namespace("bank")).unwrap();
    let guard = run.following.reconciles(&*bank).unwrap();
    sleep(SOON).await;
    let seen = ["bank/b", "bank/c", "shop/a"].map(|key| (key.to_owned(), Saw::Present));
    assert_eq!(run.take(), seen);

    // Both wait in the queue when their namespace leaves.
    server.delete(&map_in("bank", "b")).unwrap();
    server.replace(&naming("bank", "c", &["changed"])).unwrap();
    sleep(S).await;
    assert_eq!(run.handle.status().queue.delayed, 2);
    drop((guard, bank));
    sleep(SOON).await;
    let not_held = Saw::Unknown(UnknownReason::NotHeld);
    assert_eq!(run.take(), [("bank/b".into(), not_held)], "the key of what was stored has left");
    run.handle.trigger(other("bank/c"));
    sleep(S).await;
    assert_eq!(run.take(), [("bank/c".into(), not_held)]);
    run.end().await;
}

#[tokio::test(start_paused = true)]
async fn refused_addition_is_named_and_holds_up_nothing() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    forbid(&server, "/secrets");
    let factory = factory(&server);
    let maps = factory.informer::<ConfigMap>();
    let controller = Controller::builder("maps", &maps).sync_timeout(10 * S).build();
    let following = controller.following();
    let done = Arc::new(Mutex::new(0));
    let counted = done.clone();
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    let manager = Manager::builder(&factory)
        .controller(controller, move |_| {
            *counted.lock() += 1;
            async { Ok::<_, Infallible>(Action::done()) }
        })
        .serve(Serve::new().health_address(any).metrics_address(any).without_metrics())
        .build()
        .unwrap();
    let (handle, stop) = (manager.handle(), CancellationToken::new());
    let running = spawn(manager.run_until(stop.clone()));
    until("the first reconcile", || *done.lock() == 1).await;
    let secrets = factory.interest(InformerSpec::<Secret>::new()).unwrap();
    let guard = following.owns(&*secrets).unwrap();
    let late = guard.wait_for_sync(SOON).await.unwrap_err();
    assert!(late.to_string().contains("secrets"), "{late}");
    server.create(&map_in("shop", "b")).unwrap();
    until("the second reconcile", || *done.lock() == 2).await;
    let missing = |handle: &kube_controllers::manager::ManagerHandle| {
        handle.status().controllers[0].missing.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(missing(&handle), ["secrets"]);
    let began = Instant::now();
    loop {
        assert!(!running.is_finished() && began.elapsed() < SOON);
        let at = handle.addresses().unwrap().health;
        let (code, _, body) = exchange(at, "GET", "/readyz?verbose", "localhost").await;
        if body.contains("[+]informer-sync/secrets ok: tries again") {
            assert_eq!(code, 200);
            break;
        }
        sleep(MS).await;
    }
    drop((guard, secrets));
    assert_eq!(missing(&handle), [""; 0]);
    let at = handle.addresses().unwrap().health;
    let (_, _, body) = exchange(at, "GET", "/readyz?verbose", "localhost").await;
    assert!(!body.contains("secrets"), "{body}");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn addition_that_stops_does_not_end_the_controller() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory(&server);
    let run = Run::of(Controller::builder("maps", &factory.informer::<ConfigMap>()).build());
    let secrets = factory.informer::<Secret>();
    let _guard = run.following.watches(&secrets, namesake).unwrap();
    run.works().await;
    run.take();
    assert!(factory.remove(&secrets).await);
    server.create(&map_in("shop", "b")).unwrap();
    sleep(S).await;
    assert_eq!(run.keys(), ["shop/b"]);
    assert_eq!(run.handle.status().missing, []);
    let stopped = run.following.watches(&secrets, namesake).unwrap_err();
    assert!(matches!(stopped, ControllerError::Stopped { .. }), "{stopped}");
    let following = run.following.clone();
    run.end().await;
    let ended = following.owns(&factory.informer::<Secret>()).unwrap_err();
    assert!(matches!(ended, ControllerError::Ended { .. }), "{ended}");
}

#[tokio::test(start_paused = true)]
async fn impossible_additions_are_refused() {
    let server = ApiServer::new();
    let factory = factory(&server);
    let sharding = Sharding::builder(server.client(), "shop", "maps", ShardBy::Namespace);
    let sharding = sharding.build().unwrap();
    let maps = factory.informer::<ConfigMap>();
    let sharded = Controller::builder("maps", &maps).sharded(&sharding).build();
    let refused = sharded.following().owns(&factory.informer::<Secret>()).unwrap_err();
    assert!(matches!(refused, ControllerError::WrongSharding { .. }), "{refused}");
    let controller = Controller::builder("maps", &maps).build();
    let refused = controller.following().owns(&factory.informer::<Namespace>()).unwrap_err();
    assert!(matches!(refused, ControllerError::CannotOwn { .. }), "{refused}");

    let tenants = factory.in_namespaces_where("tenant=true", InformerSpec::<Secret>::new());
    let tenants = tenants.unwrap();
    let sharded = Controller::builder("maps", &maps).owns(&tenants).sharded(&sharding).build();
    let refused =
        sharded.run(CancellationToken::new(), |_| async { Ok::<_, Infallible>(Action::done()) });
    let refused = refused.await.unwrap_err();
    assert!(matches!(refused, ControllerError::WrongSharding { .. }), "{refused}");
}

/// A controller with an election, whose reconciles note the value of the secret `shop/a`.
struct Elected {
    seen: Arc<Mutex<Vec<Option<String>>>>,
    handle: ControllerHandle,
    following: Following<ConfigMap>,
    stop: CancellationToken,
}

impl Elected {
    fn run(client: Client, maps: &SharedInformer<ConfigMap>, secrets: &Interest<Secret>) -> Self {
        let elector: LeaderElector = elector(client, "this");
        let controller = Controller::builder("maps", maps).leader_election(elector).build();
        let (handle, following) = (controller.handle(), controller.following());
        let (seen, stop) = (Arc::<Mutex<Vec<_>>>::default(), CancellationToken::new());
        let (noted, lister) = (seen.clone(), secrets.lister());
        spawn(controller.run(stop.clone(), move |_| {
            let read = lister.get_by_key(&key("a")).ok();
            noted.lock().push(read.map(|secret| value(&secret)));
            async { Ok::<_, Infallible>(Action::done()) }
        }));
        Self { seen, handle, following, stop }
    }
}

#[tokio::test(start_paused = true)]
async fn additions_take_part_in_the_next_takeover() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    server.create(&secret(&key("a"), "old")).unwrap();
    let faults = Faults::new();
    let factory = factory_of(faults.client(server.client()));
    let led = CancellationToken::new();
    let (mut leader, leads) = (elector(server.client(), "other"), led.clone());
    let leader =
        spawn(async move { leader.run(leads, |stop| async move { stop.cancelled().await }).await });
    sleep(S).await;
    let secrets = secrets_in(&factory, "shop");
    let run = Elected::run(server.client(), &factory.informer::<ConfigMap>(), &secrets);
    until("the standby", || run.handle.status().phase == Phase::Standby).await;
    let guard = run.following.owns(&*secrets).unwrap();
    guard.wait_for_sync(SOON).await.unwrap();
    // The watch of secrets is silent from now on.
    faults.inject(Requests::watches().to("/secrets"), Injection::black_hole());
    server.drop_connections();
    sleep(S).await;
    server.replace(&secret(&key("a"), "new")).unwrap();
    sleep(S).await;
    led.cancel();
    leader.await.unwrap().unwrap();
    until("the first reconcile", || !run.seen.lock().is_empty()).await;
    assert!(run.seen.lock().iter().all(|value| value.as_deref() == Some("new")));
    run.stop.cancel();
}

#[tokio::test(start_paused = true)]
async fn addition_while_leading_gets_a_fresh_view() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    server.create(&secret(&key("a"), "old")).unwrap();
    let faults = Faults::new();
    let factory = factory_of(faults.client(server.client()));
    let secrets = secrets_in(&factory, "shop");
    factory.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    faults.inject(Requests::watches().to("/secrets"), Injection::black_hole());
    server.drop_connections();
    sleep(S).await;
    server.replace(&secret(&key("a"), "new")).unwrap();
    let run = Elected::run(server.client(), &factory.informer::<ConfigMap>(), &secrets);
    until("the first reconcile", || !run.seen.lock().is_empty()).await;
    assert_eq!(run.seen.lock().last().unwrap().as_deref(), Some("old"), "it was not followed");
    let _guard = run.following.watches(&*secrets, namesake).unwrap();
    // Long before the silence of the watch is noticed.
    sleep(10 * S).await;
    assert_eq!(run.seen.lock().last().unwrap().as_deref(), Some("new"));
    run.stop.cancel();
}

#[tokio::test(start_paused = true)]
async fn thousand_additions_leave_nothing() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    server.create(&secret(&other("bank/a"), "")).unwrap();
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let run = Run::of(Controller::builder("maps", &maps_in(&factory, "shop")).build());
    run.works().await;
    let before = (tasks(), watches.open());
    let held = Arc::new(());
    for cycle in 0..1_000 {
        let (secrets, captured) = (secrets_in(&factory, "bank"), held.clone());
        let guard = run.following.watches(&*secrets, move |secret: &Secret| {
            let _ = &captured;
            namesake(secret)
        });
        let guard = guard.unwrap();
        match cycle % 4 {
            0 => guard.wait_for_sync(SOON).await.unwrap(),
            1 => sleep(cycle * MS).await,
            2 => tokio::task::yield_now().await,
            _ => {}
        }
        drop(guard);
    }
    until("the end", || (tasks(), watches.open()) == before).await;
    assert_eq!(Arc::strong_count(&held), 1, "the closures were dropped");
    assert_eq!(factory.status().informers.len(), 1);
    run.end().await;
}

pub(crate) fn tenant(name: &str, is: bool) -> Namespace {
    let labels = is.then(|| BTreeMap::from([("tenant".into(), "true".into())]));
    let metadata = ObjectMeta { name: Some(name.into()), labels, ..ObjectMeta::default() };
    Namespace { metadata, ..Namespace::default() }
}

#[tokio::test(start_paused = true)]
async fn controller_follows_the_namespaces_of_a_selector() {
    let server = ApiServer::new();
    server.create(&tenant("shop", true)).unwrap();
    for name in ["shop/a", "bank/b"] {
        let at = other(name);
        server.create(&map_in(at.namespace().unwrap(), at.name())).unwrap();
    }
    let factory = factory(&server);
    let spec = InformerSpec::<ConfigMap>::new();
    let maps = factory.in_namespaces_where("tenant=true", spec).unwrap();
    let run = Run::of(Controller::builder("maps", &maps).build());
    drop(maps);
    run.works().await;
    sleep(SOON).await;
    assert_eq!(run.take(), [("shop/a".into(), Saw::Present)]);
    server.create(&tenant("bank", true)).unwrap();
    sleep(SOON).await;
    assert_eq!(run.take(), [("bank/b".into(), Saw::Present)]);
    server.delete(&map_in("bank", "b")).unwrap();
    sleep(S).await;
    assert_eq!(run.take(), [("bank/b".into(), Saw::Gone)]);
    server.replace(&tenant("shop", false)).unwrap();
    sleep(S).await;
    run.handle.trigger(other("shop/a"));
    sleep(S).await;
    assert_eq!(run.take(), [("shop/a".into(), Saw::Unknown(UnknownReason::NotHeld))]);
    run.end().await;
    until("the end of the informers", || factory.status().informers.is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn leaving_members_of_a_set_queue_the_keys_of_their_objects() {
    let server = ApiServer::new();
    server.create(&tenant("bank", true)).unwrap();
    server.create(&secret(&other("bank/a"), "")).unwrap();
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory(&server);
    let spec = InformerSpec::<Secret>::new();
    let secrets = factory.in_namespaces_where("tenant=true", spec).unwrap();
    let controller = Controller::builder("maps", &maps_in(&factory, "shop"));
    let run = Run::of(controller.watches(&secrets, namesake).build());
    run.works().await;
    sleep(SOON).await;
    run.take();
    server.replace(&tenant("bank", false)).unwrap();
    sleep(SOON).await;
    assert_eq!(run.keys(), ["shop/a"]);
    assert!(secrets.group().is_empty());
    run.end().await;
}
