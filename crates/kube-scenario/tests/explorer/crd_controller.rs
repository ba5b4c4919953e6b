//! The example `crd_controller`: owned objects are created and kept, and conditions say how it
//! goes.

#[allow(dead_code, reason = "its main, and its scripted life")]
#[path = "../../../../examples/crd_controller/main.rs"]
mod example;
mod hooks;

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::ResourceExt;
use kube_informer::error::BoxError;
use kube_scenario::{Program, Scenario, World};
use serde_json::json;
use tokio::time::sleep;

use self::example::hooks::{definition, webhooks};
use self::example::website::v2::{Website, WebsiteSpec};
use self::example::{manager, service};
use crate::scenarios::map;

/// A name that another owner has is looked at again after a minute.
const QUIET: Duration = Duration::from_secs(90);

/// A program that installs its type first.
fn installing() -> Scenario {
    Scenario::new(|program: Program| async move {
        let manager = manager(program.client()).await?;
        program.run_manager(manager).await
    })
}

/// A world in which the controller has installed its type.
async fn world() -> World {
    let world = installing().quiet_for(QUIET).start();
    world.settle().await.unwrap();
    world
}

fn website(page: &str, replicas: i32) -> Website {
    named("hello", page, replicas)
}

fn spec(page: &str, replicas: i32) -> WebsiteSpec {
    WebsiteSpec { home: page.into(), pages: BTreeMap::new(), host: None, replicas }
}

fn named(name: &str, page: &str, replicas: i32) -> Website {
    let mut website = Website::new(name, spec(page, replicas));
    website.metadata.namespace = Some("shop".into());
    website
}

/// Creates the website, and lets the controller work.
async fn created(page: &str, replicas: i32) -> World {
    let world = world().await;
    world.server().create(&website(page, replicas)).unwrap();
    world.settle().await.unwrap();
    world
}

/// Changes the spec as a user does.
fn change(world: &World, page: &str, replicas: i32) -> Result<(), BoxError> {
    let before = world.get::<Website>("shop", "hello").ok_or("no website")?;
    world.server().replace(&Website { spec: spec(page, replicas), ..before })?;
    Ok(())
}

/// Returns a condition, which must be about the present spec.
fn condition(world: &World, kind: &str) -> Condition {
    let website = world.get::<Website>("shop", "hello").unwrap();
    let status = website.status.unwrap();
    assert_eq!(status.observed_generation, website.metadata.generation);
    status.conditions.into_iter().find(|condition| condition.type_ == kind).unwrap()
}

fn reason(world: &World, kind: &str) -> String {
    condition(world, kind).reason
}

fn page(world: &World) -> Option<String> {
    world.get::<ConfigMap>("shop", "hello")?.data?.remove("index.html")
}

fn deployment(world: &World) -> Deployment {
    world.get("shop", "hello").unwrap()
}

fn replicas(world: &World) -> Option<i32> {
    deployment(world).spec.and_then(|spec| spec.replicas)
}

/// Plays the part of the deployment controller.
async fn pods_are_ready(world: &World, pods: i32) {
    let mut changed = deployment(world);
    let status = changed.status.get_or_insert_default();
    status.observed_generation = changed.metadata.generation;
    status.ready_replicas = Some(pods);
    world.server().replace(&changed).unwrap();
    world.settle().await.unwrap();
}

#[test]
fn definition_has_status_and_conditions_by_type() {
    let behind = (&webhooks().unwrap(), &service("websites"));
    let definition = serde_json::to_value(definition(Some(behind)).unwrap()).unwrap();
    for version in [0, 1] {
        let version = &definition["spec"]["versions"][version];
        assert!(version["subresources"]["status"].is_object());
        let status = &version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"];
        assert_eq!(status["conditions"]["x-kubernetes-list-map-keys"], json!(["type"]));
    }
}

#[tokio::test(start_paused = true)]
async fn website_is_created_and_becomes_ready() {
    let world = created("one", 2).await;
    let waiting = condition(&world, "Ready");
    assert_eq!((&*waiting.reason, &*waiting.message), ("Progressing", "0 of 2 pods are ready"));
    assert_eq!(reason(&world, "Accepted"), "Valid");
    assert_eq!((page(&world).as_deref(), replicas(&world)), (Some("one"), Some(2)));
    let uid = world.get::<Website>("shop", "hello").unwrap().uid();
    let map = world.get::<ConfigMap>("shop", "hello").unwrap();
    for owners in [map.owner_references(), deployment(&world).owner_references()] {
        assert_eq!((Some(owners[0].uid.clone()), owners[0].controller), (uid.clone(), Some(true)));
    }

    pods_are_ready(&world, 1).await;
    let still = condition(&world, "Ready");
    assert_eq!(still.message, "1 of 2 pods are ready");
    assert_eq!(still.last_transition_time, waiting.last_transition_time, "no transition");
    pods_are_ready(&world, 2).await;
    let ready = condition(&world, "Ready");
    assert_eq!((&*ready.status, &*ready.reason), ("True", "Serving"));
    let same = world.get::<ConfigMap>("shop", "hello").unwrap();
    assert_eq!(same.resource_version(), map.resource_version(), "applied again, and not changed");

    // Its status is no work for it, even if others write there.
    let writes = world.writes().len();
    let mut changed = world.get::<Website>("shop", "hello").unwrap();
    changed.status.get_or_insert_default().ready_replicas = 7;
    world.server().replace(&changed).unwrap();
    sleep(Duration::from_secs(600)).await;
    assert_eq!(world.writes().len(), writes);
}

#[tokio::test(start_paused = true)]
async fn new_spec_reaches_the_owned_objects() {
    let world = created("one", 3).await;
    pods_are_ready(&world, 3).await;
    assert_eq!(reason(&world, "Ready"), "Serving");
    change(&world, "two", 1).unwrap();
    world.settle().await.unwrap();
    // More pods than wanted are ready, but the deployment's status is about its older spec.
    assert_eq!(reason(&world, "Ready"), "Progressing");
    assert_eq!((page(&world).as_deref(), replicas(&world)), (Some("two"), Some(1)));
    pods_are_ready(&world, 1).await;
    assert_eq!(reason(&world, "Ready"), "Serving");
}

#[tokio::test(start_paused = true)]
async fn changes_of_owned_objects_are_undone() {
    let world = created("one", 1).await;
    world.server().delete(&map("hello")).unwrap();
    world.settle().await.unwrap();
    assert_eq!(page(&world).as_deref(), Some("one"));
    let mut changed = deployment(&world);
    let spec = changed.spec.get_or_insert_default();
    (spec.replicas, spec.paused) = (Some(9), Some(true));
    world.server().replace(&changed).unwrap();
    world.settle().await.unwrap();
    assert_eq!(replicas(&world), Some(1));
    assert_eq!(deployment(&world).spec.unwrap().paused, Some(true), "fields of others stay");
}

#[tokio::test(start_paused = true)]
async fn wrong_spec_is_told_and_not_retried() {
    let world = created("one", -1).await;
    let told = condition(&world, "Accepted");
    let text = "spec.replicas is -1, not 1 to 100";
    assert_eq!((&*told.reason, &*told.message), ("InvalidSpec", text));
    assert_eq!(condition(&world, "Ready").status, "Unknown");
    let writes = world.writes().len();
    sleep(Duration::from_secs(600)).await;
    assert_eq!(world.writes().len(), writes);
    assert!(world.list::<Deployment>().is_empty());
    change(&world, "one", 1).unwrap();
    world.settle().await.unwrap();
    assert_eq!(reason(&world, "Accepted"), "Valid");
}

#[tokio::test(start_paused = true)]
async fn foreign_object_is_left_alone() {
    let world = world().await;
    world.server().create(&map("hello")).unwrap();
    world.server().create(&website("one", 1)).unwrap();
    world.settle().await.unwrap();
    assert_eq!(reason(&world, "Ready"), "NameTaken");
    assert!(world.get::<ConfigMap>("shop", "hello").unwrap().data.is_none());
    // Nothing tells of its end, so the controller looks again.
    world.server().delete(&map("hello")).unwrap();
    world.settle().await.unwrap();
    assert_eq!(reason(&world, "Ready"), "Progressing");
}

async fn lives(world: World) -> Result<(), BoxError> {
    world.settle().await?;
    world.server().create(&website("one", 2))?;
    world.settle().await?;
    world.server().make_deployment_available("shop", "hello")?;
    world.settle().await?;
    change(&world, "two", 1)?;
    world.settle().await?;
    for _ in 0..2 {
        // The controller may change the deployment only after the first time.
        world.server().make_deployment_available("shop", "hello")?;
        world.settle().await?;
    }
    if let Some(page) = world.get::<ConfigMap>("shop", "hello") {
        world.server().delete(&page)?;
    }
    world.settle().await?;
    // This name has another owner.
    world.server().create(&map("other"))?;
    world.server().create(&named("other", "one", 1))?;
    world.settle().await?;
    Ok(())
}

#[test]
fn exploration_passes() {
    let scenario = installing().quiet_for(Duration::from_secs(20)).webhooks(true);
    assert!(scenario.explore(lives).assert_passed().writes >= 10);
}
