//! The example `sample_controller`: one deployment for each `Foo`, of its own, and events that tell
//! of it.

#[allow(unreachable_pub, reason = "the file reads like a library")]
#[path = "../../../../examples/sample_controller/controller.rs"]
mod example;

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::events::v1::Event;
use kube::api::PostParams;
use kube::{Api, ResourceExt};
use kube_informer::error::BoxError;
use serde_json::json;
use tokio::time::sleep;

use self::example::{Foo, FooSpec, manager};
use kube_scenario::{Program, Scenario, Trouble, World};

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

fn foo(name: &str, deployment: &str, replicas: i32) -> Foo {
    let mut owner = Foo::new(name, FooSpec { deployment_name: deployment.into(), replicas });
    owner.metadata.namespace = Some("shop".into());
    owner
}

fn deployment(world: &World, name: &str) -> Deployment {
    world.get("shop", name).unwrap_or_else(|| panic!("no deployment {name}"))
}

fn replicas(world: &World, name: &str) -> Option<i32> {
    deployment(world, name).spec.and_then(|spec| spec.replicas)
}

/// Returns the notes of the events about a `Foo`, of this type and reason.
fn told(world: &World, name: &str, type_: &str, reason: &str) -> Vec<String> {
    let mut events = world.list::<Event>();
    events.retain(|event| {
        event.regarding.as_ref().and_then(|about| about.name.as_deref()) == Some(name)
            && event.type_.as_deref() == Some(type_)
            && event.reason.as_deref() == Some(reason)
    });
    events.into_iter().filter_map(|event| event.note).collect()
}

/// Changes the spec as a user does.
fn change(world: &World, name: &str, spec: FooSpec) -> Result<(), BoxError> {
    let owner = world.get::<Foo>("shop", name).ok_or("no such Foo")?;
    world.server().replace(&Foo { spec, ..owner })?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn deployment_is_created_and_reported() {
    let world = world().await;
    let created = world.server().create(&foo("first", "web", 2)).unwrap();
    world.settle().await.unwrap();
    let owner = deployment(&world, "web").owner_references()[0].clone();
    assert_eq!((Some(owner.uid), owner.controller), (created.uid(), Some(true)));
    let notes = told(&world, "first", "Normal", "Synced");
    assert_eq!(notes, ["deployment web is as the Foo wants it"]);

    world.server().make_deployment_available("shop", "web").unwrap();
    world.settle().await.unwrap();
    let reported = || world.get::<Foo>("shop", "first").and_then(|foo| foo.status).unwrap();
    assert_eq!(reported().available_replicas, 2);
    let events = world.list::<Event>();
    assert!(events.len() == 1 && events[0].series.is_none(), "only a write is told: {events:?}");

    change(&world, "first", FooSpec { deployment_name: "web".into(), replicas: 1 }).unwrap();
    world.settle().await.unwrap();
    world.server().make_deployment_available("shop", "web").unwrap();
    world.settle().await.unwrap();
    assert_eq!(reported().available_replicas, 1);
}

#[tokio::test(start_paused = true)]
async fn replicas_are_kept() {
    let world = world().await;
    world.server().create(&foo("first", "web", 2)).unwrap();
    world.settle().await.unwrap();
    let mut changed = deployment(&world, "web");
    changed.labels_mut().insert("a".into(), "b".into());
    changed.spec.get_or_insert_default().replicas = Some(9);
    world.server().replace(&changed).unwrap();
    world.settle().await.unwrap();
    assert_eq!(replicas(&world, "web"), Some(2));
    assert_eq!(deployment(&world, "web").labels()["a"], "b", "fields of others stay");
    change(&world, "first", FooSpec { deployment_name: "web".into(), replicas: 5 }).unwrap();
    world.settle().await.unwrap();
    assert_eq!(replicas(&world, "web"), Some(5));
    world.server().delete(&changed).unwrap();
    world.settle().await.unwrap();
    assert_ne!(deployment(&world, "web").uid(), changed.uid());
}

#[tokio::test(start_paused = true)]
async fn foreign_deployment_is_told_and_left_alone() {
    let world = world().await;
    world.server().create(&foo("first", "web", 2)).unwrap();
    world.settle().await.unwrap();
    let writes = world.writes().len();
    world.server().create(&foo("second", "web", 7)).unwrap();
    world.settle().await.unwrap();
    let notes = told(&world, "second", "Warning", "NotControlled");
    assert_eq!(notes, ["deployment web exists and is not controlled by this Foo"]);
    assert_eq!(world.writes().len(), writes, "only events tell of it");

    change(&world, "second", FooSpec { deployment_name: "shop".into(), replicas: 7 }).unwrap();
    world.settle().await.unwrap();
    assert_eq!((replicas(&world, "web"), replicas(&world, "shop")), (Some(2), Some(7)));
    assert_eq!(told(&world, "second", "Normal", "Synced").len(), 1);
}

/// A deployment of nobody's, which differs from that of a `Foo` only in its owner.
fn foreign(name: &str, owner: &str) -> Deployment {
    let labels = json!({"app": "nginx", "controller": owner});
    serde_json::from_value(json!({
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}},
        },
    }))
    .unwrap()
}

#[tokio::test(start_paused = true)]
async fn deleted_foo_is_left_alone() {
    let world = world().await;
    let mut going = foo("first", "web", 2);
    going.metadata.finalizers = Some(vec!["example.com/kept".into()]);
    world.server().create(&going).unwrap();
    world.settle().await.unwrap();
    world.server().delete(&going).unwrap();
    world.server().delete(&deployment(&world, "web")).unwrap();
    world.settle().await.unwrap();
    assert!(world.list::<Deployment>().is_empty());
}

#[tokio::test(start_paused = true)]
async fn deployment_without_owner_is_left_alone() {
    let world = world().await;
    let foreign = foreign("web", "first");
    world.server().create(&foreign).unwrap();
    world.server().create(&foo("first", "web", 2)).unwrap();
    world.settle().await.unwrap();
    assert!(deployment(&world, "web").owner_references().is_empty());

    // Nothing tells of its end, so the controller looks again.
    world.server().delete(&foreign).unwrap();
    world.settle().await.unwrap();
    assert_eq!(replicas(&world, "web"), Some(2));
}

#[tokio::test(start_paused = true)]
async fn failed_writes_are_tried_again() {
    let world = world().await;
    let trouble = world.trouble(Trouble::Unavailable);
    world.server().create(&foo("first", "web", 2)).unwrap();
    sleep(Duration::from_secs(10)).await;
    assert!(world.list::<Deployment>().is_empty());
    trouble.remove();
    world.settle().await.unwrap();
    assert_eq!(replicas(&world, "web"), Some(2));
}

#[tokio::test(start_paused = true)]
async fn last_events_are_published_at_the_end() {
    let world = world().await;
    world.server().create(&foo("first", "web", 2)).unwrap();
    for _ in 0..1_000 {
        if world.list::<Deployment>().is_empty() {
            sleep(Duration::from_millis(1)).await;
        }
    }
    world.stop().await.unwrap();
    assert_eq!(world.list::<Event>().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn wrong_specs_are_refused_by_the_server() {
    let world = world().await;
    let foos = Api::<Foo>::namespaced(world.server().client(), "shop");
    for wrong in [foo("first", "", 1), foo("first", "web", -1)] {
        let refused = foos.create(&PostParams::default(), &wrong).await;
        assert!(matches!(refused, Err(kube::Error::Api(status)) if status.code == 422));
    }
}

#[test]
fn exploration_passes() {
    let scenario = installing().quiet_for(Duration::from_secs(20));
    let found = scenario.explore(|world: World| async move {
        world.settle().await?;
        world.server().create(&foo("first", "web", 2))?;
        world.settle().await?;
        world.server().make_deployment_available("shop", "web")?;
        world.settle().await?;
        change(&world, "first", FooSpec { deployment_name: "web".into(), replicas: 5 })?;
        world.settle().await?;
        world.server().create(&foreign("theirs", "second"))?;
        world.server().create(&foo("second", "theirs", 3))?;
        world.settle().await?;
        Ok(())
    });
    assert!(found.assert_passed().writes >= 4);
}
