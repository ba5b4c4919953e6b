//! Controllers join and leave a manager that runs.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::Api;
use kube_controllers::controller::{ControllerError, Phase};
use kube_controllers::manager::serve::Serve;
use kube_controllers::manager::{ManagerError, ManagerHandle, ManagerPhase};
use kube_controllers::sharding::ShardBy;
use kube_controllers::{Action, Controller, Manager, ReconcileRequest, Sharding};
use kube_informer::factory::Interest;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{InformerSpec, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::{MS, S, elector, factory, factory_of, forbid, map_in, spawn, until};
use crate::references::tasks;
use crate::seeds::play_seeds;
use crate::watches::Watches;

/// The reconciles of all controllers, by name: those that have begun, and those that have ended.
#[derive(Clone, Default)]
struct Counts(Arc<Mutex<BTreeMap<String, (usize, usize)>>>);

impl Counts {
    fn of(&self, name: &str) -> (usize, usize) {
        self.0.lock().get(name).copied().unwrap_or_default()
    }

    /// Adds a controller whose reconciles take this long.
    fn add(
        &self,
        manager: &ManagerHandle,
        name: &str,
        maps: &Interest<ConfigMap>,
        takes: Duration,
    ) -> Result<(), ManagerError> {
        let (controller, reconcile) = self.controller(name, maps, takes);
        manager.add_controller(controller, reconcile)
    }

    fn controller(
        &self,
        name: &str,
        maps: &Interest<ConfigMap>,
        takes: Duration,
    ) -> (Controller<ConfigMap>, impl Fn(ReconcileRequest<ConfigMap>) -> Reconciling + use<>) {
        let controller = Controller::builder(name, &**maps).build();
        let (counts, name) = (self.0.clone(), name.to_owned());
        let reconcile = move |_: ReconcileRequest<ConfigMap>| {
            counts.lock().entry(name.clone()).or_default().0 += 1;
            let (counts, name) = (counts.clone(), name.clone());
            let reconciling = async move {
                sleep(takes).await;
                counts.lock().entry(name).or_default().1 += 1;
                Ok(Action::done())
            };
            Box::pin(reconciling) as Reconciling
        };
        (controller, reconcile)
    }
}

type Reconciling = Pin<Box<dyn Future<Output = Result<Action, Infallible>> + Send>>;

type Running = JoinHandle<Result<(), ManagerError>>;

fn run(manager: Manager) -> (ManagerHandle, CancellationToken, Running) {
    let (handle, stop) = (manager.handle(), CancellationToken::new());
    let running = spawn(manager.run_until(stop.clone()));
    (handle, stop, running)
}

fn maps_in(factory: &SharedInformerFactory, namespace: &str) -> Interest<ConfigMap> {
    factory.interest(InformerSpec::new().namespace(namespace)).unwrap()
}

fn names(manager: &ManagerHandle) -> Vec<String> {
    let status = manager.status();
    status.controllers.iter().map(|controller| controller.name.to_string()).collect()
}

fn phase(manager: &ManagerHandle, name: &str) -> Option<Phase> {
    let status = manager.status();
    status.controllers.iter().find(|one| &*one.name == name).map(|one| one.phase)
}

#[tokio::test(start_paused = true)]
async fn controllers_join_and_leave_a_running_manager() {
    let server = ApiServer::new();
    for namespace in ["bank", "shop"] {
        server.create(&map_in(namespace, "a")).unwrap();
    }
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let counts = Counts::default();
    let first = maps_in(&factory, "shop");
    let (handle, stop, running) = run(Manager::builder(&factory).build().unwrap());
    counts.add(&handle, "first", &first, Duration::ZERO).unwrap();
    until("the first", || counts.of("first") == (1, 1)).await;
    sleep(S).await;
    let before = (tasks(), watches.open());

    let second = maps_in(&factory, "bank");
    counts.add(&handle, "second", &second, 5 * S).unwrap();
    let twice = counts.add(&handle, "second", &second, S).unwrap_err();
    assert!(matches!(twice, ManagerError::DuplicateName { .. }), "{twice}");
    until("the second", || counts.of("second") == (1, 0)).await;
    assert_eq!(names(&handle), ["first", "second"]);
    let began = Instant::now();
    assert!(handle.remove_controller("second").await);
    assert!(began.elapsed() > 4 * S, "it waits for the reconcile");
    assert_eq!(counts.of("second"), (1, 1));
    assert_eq!(names(&handle), ["first"]);
    assert!(!handle.remove_controller("second").await);
    drop(second);
    until("the end", || (tasks(), watches.open()) == before).await;
    server.create(&map_in("shop", "b")).unwrap();
    until("the first", || counts.of("first") == (2, 2)).await;

    for cycle in 0..1_000 {
        let second = maps_in(&factory, "bank");
        counts.add(&handle, "second", &second, Duration::ZERO).unwrap();
        if cycle % 2 == 0 {
            sleep(cycle * MS).await;
        }
        assert!(handle.remove_controller("second").await);
    }
    until("the end", || (tasks(), watches.open()) == before).await;
    assert_eq!(names(&handle), ["first"]);
    stop.cancel();
    running.await.unwrap().unwrap();
    let late = counts.add(&handle, "third", &first, S).unwrap_err();
    assert!(matches!(late, ManagerError::Ended), "{late}");
    assert!(!handle.remove_controller("first").await);
}

#[tokio::test(start_paused = true)]
async fn joining_controllers_wait_for_leadership() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let leases: Api<Lease> = Api::namespaced(server.client(), "shop");
    let holder = async || leases.get("work").await.unwrap().spec.unwrap().holder_identity;
    let led = CancellationToken::new();
    let (mut leader, leads) = (elector(server.client(), "other"), led.clone());
    let leader =
        spawn(async move { leader.run(leads, |stop| async move { stop.cancelled().await }).await });
    sleep(S).await;
    let (factory, counts) = (factory(&server), Counts::default());
    let manager = Manager::builder(&factory).leader_election(elector(server.client(), "this"));
    let (handle, stop, running) = run(manager.build().unwrap());
    let maps = maps_in(&factory, "shop");
    counts.add(&handle, "first", &maps, Duration::ZERO).unwrap();
    counts.add(&handle, "second", &maps, 5 * S).unwrap();
    until("the standby", || phase(&handle, "second") == Some(Phase::Standby)).await;
    sleep(60 * S).await;
    assert_eq!(counts.of("second"), (0, 0));
    led.cancel();
    leader.await.unwrap().unwrap();
    until("the work", || counts.of("second") == (1, 0)).await;
    assert_eq!(holder().await.as_deref(), Some("this"));
    assert!(handle.remove_controller("first").await);
    assert_eq!(holder().await.as_deref(), Some("this"), "the election goes on");
    // One that joins in the term works in it.
    counts.add(&handle, "third", &maps, 5 * S).unwrap();
    until("the third", || counts.of("third") == (1, 0)).await;
    stop.cancel();
    sleep(2 * S).await;
    assert_eq!(holder().await.as_deref(), Some("this"), "a reconcile goes on");
    running.await.unwrap().unwrap();
    assert_eq!(counts.of("third"), (1, 1));
    assert_ne!(holder().await.as_deref(), Some("this"));
}

#[tokio::test(start_paused = true)]
async fn joined_controllers_work_in_each_term() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let faults = Faults::new();
    let client = faults.client(server.client());
    let (factory, counts) = (factory(&server), Counts::default());
    let manager =
        Manager::builder(&factory).leader_election(elector(client, "this")).rejoins_election(true);
    let (handle, stop, running) = run(manager.build().unwrap());
    let maps = maps_in(&factory, "shop");
    counts.add(&handle, "first", &maps, S).unwrap();
    until("the work", || counts.of("first") == (1, 1)).await;
    faults.inject(Requests::all().to("/leases"), Injection::refuse());
    until("the loss", || phase(&handle, "first") == Some(Phase::Standby)).await;
    server.create(&map_in("shop", "b")).unwrap();
    sleep(5 * S).await;
    assert_eq!(counts.of("first"), (1, 1));
    faults.clear();
    until("the next term", || counts.of("first") == (3, 3)).await;
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn joined_controller_that_fails_ends_the_manager() {
    let server = ApiServer::new();
    forbid(&server, "/secrets");
    let factory = factory(&server);
    let (handle, _stop, running) = run(Manager::builder(&factory).build().unwrap());
    sleep(S).await;
    let secrets = factory.informer::<Secret>();
    let controller = Controller::builder("secrets", &secrets).sync_timeout(10 * S).build();
    handle.add_controller(controller, |_| async { Ok::<_, Infallible>(Action::done()) }).unwrap();
    let error = running.await.unwrap().unwrap_err();
    assert!(matches!(error, ManagerError::Forbidden { .. }), "{error}");

    let (handle, _stop, running) =
        run(Manager::builder(&factory_of(server.client())).build().unwrap());
    let maps = factory_of(server.client()).informer::<ConfigMap>();
    let controller = Controller::builder("maps", &maps).build();
    handle.add_controller(controller, |_| async { Ok::<_, Infallible>(Action::done()) }).unwrap();
    until("the work", || phase(&handle, "maps") == Some(Phase::Working)).await;
    let shown = handle.status().factory.informers;
    assert_eq!(shown.len(), 1, "it is of another factory");
    maps.shutdown().await;
    let error = running.await.unwrap().unwrap_err();
    let stopped = matches!(error, ManagerError::Controller(ControllerError::Stopped { .. }));
    assert!(stopped, "{error}");
}

/// A reconcile runs for 5 s while its controller is removed, or its informer stops.
async fn informer_ends(added: bool, removed: bool) {
    let server = ApiServer::new();
    server.create(&map_in("bank", "a")).unwrap();
    let (factory, counts) = (factory(&server), Counts::default());
    let bank = maps_in(&factory, "bank");
    let mut manager = Manager::builder(&factory);
    if !added {
        let (controller, reconcile) = counts.controller("bank", &bank, 5 * S);
        manager = manager.controller(controller, reconcile);
    }
    let (handle, stop, running) = run(manager.build().unwrap());
    if added {
        counts.add(&handle, "bank", &bank, 5 * S).unwrap();
    }
    until("the reconcile", || counts.of("bank") == (1, 0)).await;
    if removed {
        let (removing, began) = (handle.remove_controller("bank"), Instant::now());
        drop(bank);
        assert!(removing.await);
        assert!(began.elapsed() > 4 * S, "it waits for the reconcile");
        assert_eq!(counts.of("bank"), (1, 1));
        sleep(10 * S).await;
        stop.cancel();
        running.await.unwrap().unwrap();
    } else {
        drop(bank);
        let error = running.await.unwrap().unwrap_err();
        let stopped = matches!(error, ManagerError::Controller(ControllerError::Stopped { .. }));
        assert!(stopped, "{error}");
    }
    assert_eq!(counts.of("bank"), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn reconciles_have_their_grace_when_an_informer_ends() {
    for (added, removed) in [(false, false), (true, false), (true, true)] {
        informer_ends(added, removed).await;
    }
}

#[tokio::test(start_paused = true)]
async fn removal_whose_future_is_never_polled_removes() {
    let server = ApiServer::new();
    let (factory, counts) = (factory(&server), Counts::default());
    let manager = Manager::builder(&factory).build().unwrap();
    let (maps, handle) = (maps_in(&factory, "shop"), manager.handle());
    counts.add(&handle, "early", &maps, S).unwrap();
    drop(handle.remove_controller("early"));
    assert_eq!(names(&handle), [""; 0]);
    let (handle, stop, running) = run(manager);
    counts.add(&handle, "first", &maps, S).unwrap();
    until("the work", || phase(&handle, "first") == Some(Phase::Working)).await;
    drop(handle.remove_controller("first"));
    assert_eq!(names(&handle), ["first"], "it is visible until its end");
    until("the end", || names(&handle).is_empty()).await;
    counts.add(&handle, "first", &maps, S).unwrap();
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn manager_that_does_not_run_takes_no_controllers() {
    let server = ApiServer::new();
    let (factory, counts) = (factory(&server), Counts::default());
    let maps = maps_in(&factory, "shop");
    let manager = Manager::builder(&factory).build().unwrap();
    let dropped = manager.handle();
    drop(manager);
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    let serve = Serve::new().health_address(taken.local_addr().unwrap()).metrics_address(any);
    let manager = Manager::builder(&factory).serve(serve.without_metrics()).build().unwrap();
    let unbound = manager.handle();
    let error = manager.run_until(CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, ManagerError::Address { .. }), "{error}");
    for handle in [dropped, unbound] {
        let refused = counts.add(&handle, "maps", &maps, S).unwrap_err();
        assert!(matches!(refused, ManagerError::Ended), "{refused}");
        assert_eq!(handle.status().phase, ManagerPhase::Stopped);
    }
}

#[tokio::test(start_paused = true)]
async fn run_waits_for_code_in_a_slot_of_a_removed_controller() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory(&server);
    let sharding = Sharding::builder(server.client(), "shop", "maps", ShardBy::Namespace);
    let sharding = sharding.slots(16).identity("this").build().unwrap();
    let member = sharding.clone();
    let manager = Manager::builder(&factory)
        .grace(S)
        .task_on_every_replica("membership", move |scope| async move {
            member.run(scope.token().clone()).await
        });
    let (handle, stop, running) = run(manager.build().unwrap());
    let maps = factory.informer::<ConfigMap>();
    let controller = Controller::builder("maps", &maps).sharded(&sharding).grace(300 * MS);
    // A guard is what code holds that blocks a thread.
    let held = Arc::<Mutex<Option<_>>>::default();
    let holds = held.clone();
    let reconcile = move |request: ReconcileRequest<ConfigMap>| {
        *holds.lock() = Some(request.guard());
        std::future::pending::<Result<Action, Infallible>>()
    };
    handle.add_controller(controller.build(), reconcile).unwrap();
    until("the reconcile", || held.lock().is_some()).await;
    assert!(handle.remove_controller("maps").await);
    stop.cancel();
    sleep(60 * S).await;
    assert!(!running.is_finished(), "it renews the lease of the slot");
    drop(held.lock().take());
    let unfinished = running.await.unwrap().unwrap_err();
    assert!(matches!(unfinished, ManagerError::Unfinished { .. }), "{unfinished}");
}

/// A second controller of the name would reconcile the same keys beside the code that blocks.
#[tokio::test(start_paused = true)]
async fn name_of_a_removed_controller_stays_taken_while_its_code_blocks() {
    for elects in [false, true] {
        let server = ApiServer::new();
        server.create(&map_in("shop", "a")).unwrap();
        let factory = factory(&server);
        let mut manager = Manager::builder(&factory);
        if elects {
            manager = manager.leader_election(elector(server.client(), "this"));
        }
        let (handle, stop, running) = run(manager.build().unwrap());
        let maps = factory.informer::<ConfigMap>();
        // A guard is what code holds that blocks a thread.
        let held = Arc::<Mutex<Vec<_>>>::default();
        let add = || {
            let holds = held.clone();
            let controller = Controller::builder("maps", &maps).grace(S).build();
            handle.add_controller(controller, move |request: ReconcileRequest<ConfigMap>| {
                holds.lock().push(request.guard());
                async { Ok::<_, Infallible>(Action::done()) }
            })
        };
        add().unwrap();
        until("the reconcile", || held.lock().len() == 1).await;
        let began = Instant::now();
        assert!(handle.remove_controller("maps").await);
        assert!(began.elapsed() < 2 * S, "it waits for the grace at most");
        sleep(60 * S).await;
        let taken = add().unwrap_err();
        assert!(matches!(taken, ManagerError::DuplicateName { .. }), "{taken}");
        assert_eq!(names(&handle), ["maps"]);
        held.lock().clear();
        until("the end of what blocks", || names(&handle).is_empty()).await;
        add().unwrap();
        until("the next reconcile", || held.lock().len() == 1).await;
        held.lock().clear();
        stop.cancel();
        running.await.unwrap().unwrap();
    }
}

/// A manager that is dropped at any time leaves nothing of the controllers that came and went.
#[test]
fn dropped_managers_leave_nothing() {
    play_seeds(13, |seed| async move {
        let mut rng = Rng::with_seed(seed);
        let server = ApiServer::new();
        server.create(&map_in("shop", "a")).unwrap();
        let (watches, counts) = (Watches::default(), Counts::default());
        let factory = factory_of(watches.count(server.client()));
        let before = tasks();
        let mut manager = Manager::builder(&factory);
        if seed % 2 == 0 {
            manager = manager.leader_election(elector(server.client(), "this"));
        }
        let (handle, stop, running) = run(manager.build().unwrap());
        let mut held: BTreeMap<String, Interest<ConfigMap>> = BTreeMap::new();
        for _ in 0..60 {
            let name = format!("maps-{}", rng.u8(..4));
            match rng.u8(..10) {
                0..4 => {
                    let entry = held.entry(name.clone());
                    entry.or_insert_with(|| {
                        let maps = maps_in(&factory, "shop");
                        counts.add(&handle, &name, &maps, rng.u32(..3_000) * MS).unwrap();
                        maps
                    });
                }
                4..7 => {
                    let removing = handle.remove_controller(&name);
                    if rng.bool() {
                        let removed = removing.await;
                        assert_eq!(removed, held.remove(&name).is_some());
                    } else {
                        let _cancelled = tokio::time::timeout(MS, removing).await;
                        until("the end", || !names(&handle).contains(&name)).await;
                        held.remove(&name);
                    }
                }
                _ => sleep(rng.u32(..3_000) * MS).await,
            }
            assert!(!running.is_finished());
        }
        let present: Vec<_> = held.keys().cloned().collect();
        let mut shown = names(&handle);
        shown.sort();
        assert_eq!(shown, present, "seed {seed}");
        if seed % 4 < 2 {
            running.abort();
        } else {
            stop.cancel();
            running.await.unwrap().unwrap();
        }
        drop(held);
        until("the end", || tasks() == before && watches.open() == 0).await;
    });
}
