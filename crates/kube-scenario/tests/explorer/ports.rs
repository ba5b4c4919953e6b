//! The ports of other controllers, each with an exploration.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use k8s_openapi::api::events::v1::Event;
use kube::{CustomResourceExt, ResourceExt};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use kube_scenario::{Scenario, World};
use serde_json::json;

use self::document::{Document, DocumentSpec, Figures};
use self::ttl::Step;

#[allow(dead_code, reason = "its endpoints")]
#[path = "../../../../examples/ports/document.rs"]
mod document;
#[path = "../../../../examples/ports/restarter.rs"]
mod restarter;
#[allow(dead_code, reason = "its election, and the steps of a large cluster")]
#[path = "../../../../examples/ports/ttl.rs"]
mod ttl;

fn documents() -> Scenario {
    Scenario::of_manager(|client| document::manager(client, Arc::new(Figures::default()))).server(
        || {
            let server = ApiServer::builder().garbage_collection(true).build();
            server.create(&Document::crd()).unwrap();
            server
        },
    )
}

fn document(name: &str, hide: bool) -> Document {
    let (title, content) = (name.into(), String::new());
    let mut document = Document::new(name, DocumentSpec { title, hide, content });
    document.metadata.namespace = Some("shop".into());
    document
}

fn is_hidden(world: &World) -> Option<bool> {
    Some(world.get::<Document>("shop", "plan")?.status?.hidden)
}

#[tokio::test(start_paused = true)]
async fn document_is_hidden_shown_and_let_go() {
    let world = documents().start();
    world.server().create(&document("plan", true)).unwrap();
    world.server().create(&document("illegal", true)).unwrap();
    world.settle().await.unwrap();
    assert_eq!(is_hidden(&world), Some(true));
    let plan = world.get::<Document>("shop", "plan").unwrap();
    assert_eq!(plan.finalizers(), [document::FINALIZER]);
    let failure = world.controllers()[0].last_failure.clone().unwrap();
    assert_eq!((&*failure.key, failure.again_in), ("shop/illegal", None));
    world.server().replace(&Document { spec: document("plan", false).spec, ..plan }).unwrap();
    world.settle().await.unwrap();
    assert_eq!(is_hidden(&world), Some(false));
    world.server().delete(&document("plan", false)).unwrap();
    world.settle().await.unwrap();
    assert_eq!(is_hidden(&world), None, "the finalizer is gone");
    world.stop().await.unwrap();
    let reasons = world.list::<Event>().into_iter().filter_map(|event| event.reason);
    let mut reasons: Vec<_> = reasons.collect();
    reasons.sort();
    assert_eq!(reasons, ["DeleteRequested", "HideRequested"]);
}

#[tokio::test(start_paused = true)]
async fn missing_definition_ends_the_program_at_once() {
    let world = documents().server(ApiServer::new).start();
    let ended = world.settle().await.unwrap_err();
    assert!(ended.problem.contains("install the CustomResourceDefinition"), "{ended}");
}

#[test]
fn exploration_of_documents_passes() {
    let found = documents().explore(|world: World| async move {
        world.server().create(&document("plan", true))?;
        world.settle().await?;
        world.server().delete(&document("plan", true))?;
        world.settle().await?;
        Ok(())
    });
    assert!(found.assert_passed().writes >= 3);
}

fn restarter() -> Scenario {
    Scenario::of_manager(restarter::manager)
}

fn colors(color: &str) -> ConfigMap {
    let metadata = json!({"namespace": "shop", "name": "colors"});
    serde_json::from_value(json!({"metadata": metadata, "data": {"color": color}})).unwrap()
}

fn deployment(name: &str, asks: bool) -> Deployment {
    let labels = json!({"app": name});
    let env = json!([{"configMapRef": {"name": "colors"}}]);
    let pod = json!({"containers": [{"name": "app", "image": "app", "envFrom": env}]});
    let template = json!({"metadata": {"labels": labels}, "spec": pod});
    serde_json::from_value(json!({
        "metadata": {
            "namespace": "shop", "name": name,
            "annotations": {restarter::ASKS: asks.to_string()},
        },
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }))
    .unwrap()
}

/// Returns the hash that the pods of a Deployment have.
fn pods(world: &World, name: &str) -> Option<String> {
    let template = world.get::<Deployment>("shop", name)?.spec?.template;
    template.metadata?.annotations?.remove(restarter::HASH)
}

/// Deployments read a map, which changes.
async fn changes(world: World) -> Result<(), BoxError> {
    world.server().create(&colors("red"))?;
    world.server().create(&deployment("web", true))?;
    world.server().create(&deployment("other", false))?;
    world.settle().await?;
    world.server().replace(&colors("blue"))?;
    world.settle().await?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn pods_are_replaced_when_their_map_changes() {
    let world = restarter().start();
    world.server().create(&colors("red")).unwrap();
    world.server().create(&deployment("web", true)).unwrap();
    world.server().create(&deployment("other", false)).unwrap();
    world.settle().await.unwrap();
    assert_eq!(pods(&world, "web"), None, "no restart before a change");
    world.server().replace(&colors("blue")).unwrap();
    world.settle().await.unwrap();
    let blue = pods(&world, "web");
    assert!(blue.is_some());
    world.crash();
    world.server().replace(&colors("green")).unwrap();
    world.start();
    world.settle().await.unwrap();
    assert_ne!(pods(&world, "web"), blue, "also if it happens between two lives");
    assert_eq!(pods(&world, "other"), None, "nobody asks");
    assert_eq!(world.writes().len(), 3);
    world.stop().await.unwrap();
}

#[test]
fn exploration_of_the_restarter_passes() {
    assert_eq!(restarter().explore(changes).assert_passed().writes, 2);
}

/// The steps of small clusters.
const SMALL: &[Step] =
    &[Step { from: 0, to: 3, seconds: 0 }, Step { from: 2, to: usize::MAX, seconds: 15 }];

fn small() -> Scenario {
    Scenario::of_manager(|client| ttl::manager(client, SMALL)).quiet_for(Duration::from_secs(30))
}

fn node(name: &str) -> Node {
    serde_json::from_value(json!({"metadata": {"name": name}})).unwrap()
}

fn ttls(world: &World) -> Vec<String> {
    let nodes = world.list::<Node>();
    nodes.iter().filter_map(|node| node.annotations().get(ttl::TTL).cloned()).collect()
}

/// Three nodes, a fourth, and back to one: at two or three, the TTL depends on the sizes before,
/// which a controller may not have seen.
async fn grows_and_shrinks(world: World) -> Result<(), BoxError> {
    for name in ["n1", "n2", "n3"] {
        world.server().create(&node(name))?;
    }
    world.settle().await?;
    world.server().create(&node("n4"))?;
    world.settle().await?;
    for name in ["n4", "n3", "n2"] {
        world.server().delete(&node(name))?;
    }
    world.settle().await?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn nodes_keep_their_ttl_until_much_smaller() {
    let world = small().start();
    for (n, expected) in ["0", "0", "0", "15"].into_iter().enumerate() {
        world.server().create(&node(&format!("n{n}"))).unwrap();
        world.settle().await.unwrap();
        assert_eq!(ttls(&world), vec![expected; n + 1]);
    }
    world.server().delete(&node("n3")).unwrap();
    world.settle().await.unwrap();
    world.crash();
    world.start();
    world.settle().await.unwrap();
    assert_eq!(ttls(&world), ["15"; 3], "also after a crash");
    for name in ["n1", "n2"] {
        world.server().delete(&node(name)).unwrap();
    }
    world.settle().await.unwrap();
    assert_eq!(ttls(&world), ["0"]);
    world.stop().await.unwrap();
}

#[test]
fn exploration_of_the_ttl_controller_passes() {
    assert!(small().explore(grows_and_shrinks).assert_passed().writes >= 8);
}
