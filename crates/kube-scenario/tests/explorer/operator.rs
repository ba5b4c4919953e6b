//! The example `operator`: a web app is deployed, registered and reported, and the registry is
//! clean before the app is gone.

#[allow(dead_code, reason = "its main, and its demo")]
#[path = "../../../../examples/operator/main.rs"]
mod example;

use std::cell::RefCell;
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::ObjectMeta;
use kube::{CustomResourceExt, ResourceExt};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use kube_scenario::{Scenario, World};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use self::example::controller;
use self::example::crd::{WebApp, WebAppSpec};
use self::example::registry::Registry;
use crate::draws;

thread_local! {
    /// The registry of the world on this thread. It outlives the operator, as a service does.
    static REGISTRY: RefCell<Registry> = RefCell::default();
}

/// A name or host that another owner has is asked for again after a minute.
const QUIET: Duration = Duration::from_secs(90);

const S: Duration = Duration::from_secs(1);

fn operator() -> Scenario {
    let scenario = Scenario::of_manager(|client| {
        let registry = REGISTRY.with_borrow(Clone::clone);
        let elector = controller::elector(&client).build()?;
        Ok::<_, BoxError>(controller::manager(&client, registry)?.leader_election(elector))
    });
    scenario.quiet_for(QUIET).server(server)
}

fn server() -> ApiServer {
    REGISTRY.set(Registry::default());
    let server = ApiServer::builder().garbage_collection(true).build();
    server.create(&WebApp::crd()).unwrap();
    server
}

fn hosts() -> Vec<String> {
    REGISTRY.with_borrow(Registry::hosts)
}

fn app(name: &str, host: &str) -> WebApp {
    let (image, host) = ("registry.example.com/hello:1".into(), host.into());
    let mut app = WebApp::new(name, WebAppSpec { image, replicas: 2, host });
    app.metadata.namespace = Some("shop".into());
    app
}

/// A world with an app `hello` of two pods.
async fn deployed() -> World {
    let world = operator().start();
    world.server().create(&app("hello", "hello.example.com")).unwrap();
    world.settle().await.unwrap();
    world
}

fn get(world: &World, name: &str) -> Option<WebApp> {
    world.get("shop", name)
}

fn deployment(world: &World, name: &str) -> Deployment {
    world.get("shop", name).unwrap_or_else(|| panic!("no deployment {name}"))
}

/// Changes the spec as a user does.
fn change(world: &World, name: &str, change: impl FnOnce(&mut WebAppSpec)) -> Result<(), BoxError> {
    let mut app = get(world, name).ok_or("no such app")?;
    change(&mut app.spec);
    world.server().replace(&app)?;
    Ok(())
}

/// Plays the part of the deployment controller.
async fn pods_are_ready(world: &World, name: &str, pods: i32) {
    let mut changed = deployment(world, name);
    let status = changed.status.get_or_insert_default();
    status.observed_generation = changed.metadata.generation;
    status.ready_replicas = Some(pods);
    world.server().replace(&changed).unwrap();
    world.settle().await.unwrap();
}

/// Returns a condition, which must be about the present spec.
fn condition(world: &World, name: &str, kind: &str) -> Condition {
    let app = get(world, name).unwrap();
    let status = app.status.unwrap();
    assert_eq!(status.observed_generation, app.metadata.generation);
    let found = status.conditions.into_iter().find(|condition| condition.type_ == kind).unwrap();
    assert_eq!(found.observed_generation, app.metadata.generation);
    found
}

fn reason(world: &World, name: &str, kind: &str) -> String {
    condition(world, name, kind).reason
}

/// Returns the type and reason of each event about an app.
fn told(world: &World, name: &str) -> Vec<(String, String)> {
    let mut events = world.list::<Event>();
    events.retain(|event| {
        event.regarding.as_ref().and_then(|about| about.name.as_deref()) == Some(name)
    });
    events.into_iter().filter_map(|event| event.type_.zip(event.reason)).collect()
}

#[tokio::test(start_paused = true)]
async fn app_is_deployed_registered_and_reported() {
    let world = deployed().await;
    let waiting = condition(&world, "hello", "Ready");
    assert_eq!((&*waiting.reason, &*waiting.message), ("Progressing", "0 of 2 pods are ready"));
    assert_eq!(condition(&world, "hello", "Registered").status, "True");
    assert_eq!(hosts(), ["hello.example.com"]);
    let service: Service = world.get("shop", "hello").unwrap();
    let uid = get(&world, "hello").unwrap().uid();
    for owners in [deployment(&world, "hello").owner_references(), service.owner_references()] {
        assert_eq!((Some(owners[0].uid.clone()), owners[0].controller), (uid.clone(), Some(true)));
    }
    pods_are_ready(&world, "hello", 2).await;
    assert_eq!(reason(&world, "hello", "Ready"), "Serving");

    change(&world, "hello", |spec| {
        (spec.replicas, spec.image) = (1, "registry.example.com/hello:2".into());
    })
    .unwrap();
    world.settle().await.unwrap();
    // More pods than wanted are ready, but the Deployment's status is about its older spec.
    assert_eq!(reason(&world, "hello", "Ready"), "Progressing");
    pods_are_ready(&world, "hello", 1).await;
    assert_eq!(reason(&world, "hello", "Ready"), "Serving");
    let spec = deployment(&world, "hello").spec.unwrap();
    let image = spec.template.spec.unwrap().containers[0].image.clone();
    assert_eq!((spec.replicas, image.as_deref()), (Some(1), Some("registry.example.com/hello:2")));
    world.stop().await.unwrap();

    // The last events were published before the end.
    let events = told(&world, "hello");
    for reason in ["HostRegistered", "Progressing", "Serving"] {
        assert!(events.contains(&("Normal".into(), reason.into())), "{reason}: {events:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_at_rest() {
    let world = operator().start();
    for number in 0..5 {
        let name = format!("app-{number}");
        world.server().create(&app(&name, &format!("{name}.example.com"))).unwrap();
        world.settle().await.unwrap();
        pods_are_ready(&world, &name, 2).await;
        assert_eq!(reason(&world, &name, "Ready"), "Serving");
    }
    let writes = world.writes().len();
    // Watches end and begin again, relists come, and others write to an owned object.
    world.server().drop_connections();
    world.server().compact();
    let mut seen = deployment(&world, "app-0");
    seen.labels_mut().insert("seen".into(), "yes".into());
    world.server().replace(&seen).unwrap();
    sleep(Duration::from_secs(1500)).await;
    assert_eq!(world.writes().len(), writes);
}

#[tokio::test(start_paused = true)]
async fn transition_time_changes_only_with_the_status() {
    let world = deployed().await;
    // As if the conditions were old.
    let old = Time(Timestamp::from_second(1_000_000_000).unwrap());
    let mut aged = get(&world, "hello").unwrap();
    for condition in &mut aged.status.as_mut().unwrap().conditions {
        condition.last_transition_time = old.clone();
    }
    world.server().replace(&aged).unwrap();
    world.settle().await.unwrap();

    pods_are_ready(&world, "hello", 1).await;
    let ready = condition(&world, "hello", "Ready");
    assert!(ready.message.starts_with("1 of"), "{}", ready.message);
    assert_eq!(ready.last_transition_time, old);
    pods_are_ready(&world, "hello", 2).await;
    let ready = condition(&world, "hello", "Ready");
    assert_eq!(ready.reason, "Serving");
    assert!(ready.last_transition_time > old);
    assert_eq!(condition(&world, "hello", "Registered").last_transition_time, old);
}

#[tokio::test(start_paused = true)]
async fn changes_of_owned_objects_are_undone() {
    let world = deployed().await;
    let mut changed = deployment(&world, "hello");
    let spec = changed.spec.get_or_insert_default();
    (spec.replicas, spec.paused) = (Some(9), Some(true));
    world.server().replace(&changed).unwrap();
    world.settle().await.unwrap();
    let spec = deployment(&world, "hello").spec.unwrap();
    assert_eq!((spec.replicas, spec.paused), (Some(2), Some(true)), "fields of others stay");
    world.server().delete(&world.get::<Service>("shop", "hello").unwrap()).unwrap();
    world.settle().await.unwrap();
    assert!(world.get::<Service>("shop", "hello").is_some());
}

#[tokio::test(start_paused = true)]
async fn registry_is_cleaned_before_the_app_is_gone() {
    let world = deployed().await;
    change(&world, "hello", |spec| spec.host = "www.example.com".into()).unwrap();
    world.settle().await.unwrap();
    assert_eq!(hosts(), ["www.example.com"]);
    world.stop().await.unwrap();

    // Deleted while no operator runs: it waits for one.
    world.server().delete(&app("hello", "")).unwrap();
    sleep(Duration::from_secs(60)).await;
    assert!(get(&world, "hello").unwrap().metadata.deletion_timestamp.is_some());
    world.start();
    world.settle().await.unwrap();
    assert!(get(&world, "hello").is_none() && hosts().is_empty());
    assert!(world.list::<Deployment>().is_empty(), "the garbage collector deletes it");
}

#[tokio::test(start_paused = true)]
async fn second_app_of_a_host_waits_for_it() {
    let world = deployed().await;
    world.server().create(&app("second", "hello.example.com")).unwrap();
    world.settle().await.unwrap();
    let taken = condition(&world, "second", "Registered");
    let text = "the host hello.example.com belongs to another owner";
    assert_eq!((&*taken.reason, &*taken.message), ("HostTaken", text));
    pods_are_ready(&world, "second", 2).await;
    let ready = condition(&world, "second", "Ready");
    assert_eq!((&*ready.status, &*ready.reason), ("False", "NoHost"));
    let writes = world.writes().len();
    sleep(Duration::from_secs(600)).await;
    assert_eq!(world.writes().len(), writes, "it is looked at again, and nothing is written");
    assert!(told(&world, "second").contains(&("Warning".into(), "HostTaken".into())));

    world.server().delete(&app("hello", "")).unwrap();
    world.settle().await.unwrap();
    assert_eq!(reason(&world, "second", "Ready"), "Serving");
}

#[tokio::test(start_paused = true)]
async fn foreign_deployment_is_left_alone() {
    let world = operator().start();
    let (namespace, name) = (Some("shop".into()), Some("hello".into()));
    let metadata = ObjectMeta { namespace, name, ..ObjectMeta::default() };
    let foreign = Deployment { metadata, ..Deployment::default() };
    world.server().create(&foreign).unwrap();
    world.server().create(&app("hello", "hello.example.com")).unwrap();
    world.settle().await.unwrap();
    assert_eq!(reason(&world, "hello", "Ready"), "NameTaken");
    assert!(deployment(&world, "hello").owner_references().is_empty());
    world.server().delete(&foreign).unwrap();
    world.settle().await.unwrap();
    assert_eq!(reason(&world, "hello", "Ready"), "Progressing");
}

#[tokio::test(start_paused = true)]
async fn standby_takes_over_after_a_stop() {
    let world = deployed().await;
    let registry = REGISTRY.with_borrow(Clone::clone);
    let client = world.server().client();
    let elector = controller::elector(&client).build().unwrap();
    let standby = controller::manager(&client, registry).unwrap().leader_election(elector);
    let stop = CancellationToken::new();
    let standby = tokio::spawn(standby.build().unwrap().run_until(stop.clone()));
    world.settle().await.unwrap();
    assert_eq!(world.list::<Lease>().len(), 1, "one of the two leads");
    world.stop().await.unwrap();
    let stopped = Instant::now();
    world.server().create(&app("two", "two.example.com")).unwrap();
    while get(&world, "two").is_some_and(|app| app.status.is_none()) {
        assert!(stopped.elapsed() < Duration::from_secs(10), "the lease was not given back");
        sleep(Duration::from_millis(50)).await;
    }
    stop.cancel();
    standby.await.unwrap().unwrap();
}

async fn lives(world: World) -> Result<(), BoxError> {
    world.server().create(&app("hello", "hello.example.com"))?;
    world.settle().await?;
    world.server().make_deployment_available("shop", "hello")?;
    world.settle().await?;
    change(&world, "hello", |spec| {
        (spec.replicas, spec.host) = (3, "www.example.com".into());
    })?;
    world.settle().await?;
    world.server().create(&app("second", "hello.example.com"))?;
    world.settle().await?;
    if let Some(service) = world.get::<Service>("shop", "hello") {
        world.server().delete(&service)?;
    }
    world.settle().await?;
    world.server().delete(&app("hello", ""))?;
    world.settle().await?;
    match hosts() {
        hosts if hosts == ["hello.example.com"] => Ok(()),
        hosts => Err(format!("registered are {hosts:?}").into()),
    }
}

/// A part of that life.
async fn comes_and_goes(world: World) -> Result<(), BoxError> {
    world.server().create(&app("hello", "hello.example.com"))?;
    world.settle().await?;
    world.server().make_deployment_available("shop", "hello")?;
    world.settle().await?;
    world.server().delete(&app("hello", ""))?;
    world.settle().await?;
    if hosts().is_empty() { Ok(()) } else { Err(format!("registered are {:?}", hosts()).into()) }
}

#[test]
fn exploration_passes() {
    // A candidate that renews more rarely has less to explore.
    let scenario = Scenario::of_manager(|client| {
        let elector = controller::elector(&client);
        let elector = elector.lease_duration(6 * S).renew_deadline(5 * S).retry_period(3 * S);
        let registry = REGISTRY.with_borrow(Clone::clone);
        let manager = controller::manager(&client, registry)?;
        Ok::<_, BoxError>(manager.leader_election(elector.build()?))
    });
    let scenario = scenario.quiet_for(14 * S).server(server);
    // An app that is gone has no host: the finalizer lets it go after the registry is clean.
    let scenario = scenario.never("an app is gone and has a host", |world| {
        world.list::<WebApp>().len() < hosts().len()
    });
    // The whole life has hundreds of runs.
    let plays_all = draws::seeds(1) > 1;
    let found = if plays_all { scenario.explore(lives) } else { scenario.explore(comes_and_goes) };
    assert!(found.assert_passed().writes >= if plays_all { 10 } else { 5 });
}
