//! `sample_controller`: one deployment for each `Foo`, of its own, and events that tell of it.

#[allow(unreachable_pub, reason = "the file reads like a library")]
#[path = "../../../examples/sample_controller/controller.rs"]
mod example;

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::events::v1::Event;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt};
use kube_informer::testing::ApiServer;
use serde_json::{Value, json};
use tokio::time::sleep;

use self::example::{Foo, FooSpec, manager};
use super::support::{Running, eventually};

struct Rig {
    server: ApiServer,
    foos: Api<Foo>,
    deployments: Api<Deployment>,
    events: Api<Event>,
    running: Running,
}

async fn rig() -> Rig {
    let server = ApiServer::new();
    let client = server.client();
    let running = Running::begin(|stop| async move {
        Ok(Box::pin(manager(client)).await?.run_until(stop).await?)
    });
    let client = server.client();
    let foos = Api::<Foo>::namespaced(client.clone(), "shop");
    eventually("the type", || async { foos.list(&ListParams::default()).await.ok().map(drop) })
        .await;
    let deployments = Api::namespaced(client.clone(), "shop");
    Rig { server, foos, deployments, events: Api::all(client), running }
}

fn spec(deployment: &str, replicas: i32) -> FooSpec {
    FooSpec { deployment_name: deployment.into(), replicas }
}

impl Rig {
    async fn create(&self, name: &str, spec: FooSpec) -> Foo {
        self.foos.create(&PostParams::default(), &Foo::new(name, spec)).await.unwrap()
    }

    async fn change(&self, name: &str, spec: Value) {
        let patch = Patch::Merge(json!({ "spec": spec }));
        self.foos.patch(name, &PatchParams::default(), &patch).await.unwrap();
    }

    /// Lets time pass until a deployment has this number of replicas.
    async fn deployed(&self, name: &str, replicas: i32) -> Deployment {
        eventually(&format!("{name} with {replicas}"), || async {
            let found = self.deployments.get_opt(name).await.unwrap()?;
            (found.spec.as_ref()?.replicas == Some(replicas)).then_some(found)
        })
        .await
    }

    async fn reports(&self, name: &str, available: i32) {
        eventually(&format!("{available} available"), || async {
            let status = self.foos.get(name).await.unwrap().status?;
            (status.available_replicas == available).then_some(())
        })
        .await;
    }

    /// Lets time pass until there are events of this type and reason about a `Foo`. Returns their
    /// notes.
    async fn told(&self, name: &str, type_: &str, reason: &str) -> Vec<String> {
        eventually(&format!("{reason} about {name}"), || async {
            let all = self.events.list(&ListParams::default()).await.unwrap();
            let about = |event: &Event| event.regarding.as_ref()?.name.clone();
            let found = all.into_iter().filter(|event| {
                about(event).as_deref() == Some(name)
                    && event.type_.as_deref() == Some(type_)
                    && event.reason.as_deref() == Some(reason)
            });
            let notes: Vec<_> = found.filter_map(|event| event.note).collect();
            (!notes.is_empty()).then_some(notes)
        })
        .await
    }

    fn writes(&self) -> usize {
        self.server.requests().iter().filter(|asked| asked.method != "GET").count()
    }
}

#[tokio::test(start_paused = true)]
async fn deployment_is_created_and_reported() {
    let rig = rig().await;
    let foo = rig.create("first", spec("web", 2)).await;
    let deployment = rig.deployed("web", 2).await;
    let owner = &deployment.owner_references()[0];
    assert_eq!((&owner.uid, owner.controller), (&foo.uid().unwrap(), Some(true)));
    let notes = rig.told("first", "Normal", "Synced").await;
    assert_eq!(notes, ["deployment web is as the Foo wants it"]);
    rig.reports("first", 0).await;

    let status = json!({"replicas": 2, "readyReplicas": 2, "availableReplicas": 2});
    let available = Patch::Merge(json!({ "status": status }));
    rig.deployments.patch_status("web", &PatchParams::default(), &available).await.unwrap();
    rig.reports("first", 2).await;
    sleep(Duration::from_secs(5)).await;
    let writes = rig.writes();
    sleep(Duration::from_secs(600)).await;
    assert_eq!(rig.writes(), writes, "nothing is to be done");
    rig.running.end().await;
}

#[tokio::test(start_paused = true)]
async fn replicas_are_kept() {
    let rig = rig().await;
    rig.create("first", spec("web", 2)).await;
    let before = rig.deployed("web", 2).await;
    let other = Patch::Merge(json!({"spec": {"replicas": 9}, "metadata": {"labels": {"a": "b"}}}));
    rig.deployments.patch("web", &PatchParams::default(), &other).await.unwrap();
    let kept = rig.deployed("web", 2).await;
    assert_eq!(kept.labels()["a"], "b", "fields of others stay");
    rig.change("first", json!({"replicas": 5})).await;
    rig.deployed("web", 5).await;
    rig.deployments.delete("web", &DeleteParams::default()).await.unwrap();
    let again = rig.deployed("web", 5).await;
    assert_ne!(again.uid(), before.uid());
    rig.running.end().await;
}

#[tokio::test(start_paused = true)]
async fn foreign_deployment_is_told_and_left_alone() {
    let rig = rig().await;
    rig.create("first", spec("web", 2)).await;
    let taken = rig.deployed("web", 2).await;
    rig.create("second", spec("web", 7)).await;
    let notes = rig.told("second", "Warning", "NotControlled").await;
    assert_eq!(notes, ["deployment web exists and is not controlled by this Foo"]);
    sleep(Duration::from_secs(60)).await;
    let requests = rig.server.requests().len();
    sleep(Duration::from_secs(30)).await;
    let since = rig.server.requests().into_iter().skip(requests);
    let writes = since.filter(|asked| asked.method != "GET" && !asked.target.contains("/events"));
    let writes: Vec<_> = writes.collect();
    assert!(writes.is_empty(), "only events tell of it: {writes:?}");
    assert_eq!(rig.deployed("web", 2).await.uid(), taken.uid());
    assert!(rig.foos.get("second").await.unwrap().status.is_none());

    rig.change("second", json!({"deploymentName": "shop"})).await;
    rig.deployed("shop", 7).await;
    rig.told("second", "Normal", "Synced").await;
    rig.running.end().await;
}

#[tokio::test(start_paused = true)]
async fn deployment_without_owner_is_left_alone() {
    let rig = rig().await;
    let foreign: Deployment = serde_json::from_value(json!({
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": {}},
    }))
    .unwrap();
    rig.server.create(&foreign).unwrap();
    rig.create("first", spec("web", 2)).await;
    rig.told("first", "Warning", "NotControlled").await;
    let left = rig.deployed("web", 1).await;
    assert!(left.owner_references().is_empty());

    // Nothing tells of its end, so the controller looks again.
    rig.server.delete(&foreign).unwrap();
    sleep(Duration::from_secs(120)).await;
    rig.deployed("web", 2).await;
    rig.running.end().await;
}

#[tokio::test(start_paused = true)]
async fn failed_writes_are_tried_again() {
    let rig = rig().await;
    rig.server.intercept(|asked| {
        let write = asked.method == "PATCH" && asked.target.contains("/deployments/");
        write.then(super::support::unavailable)
    });
    rig.create("first", spec("web", 2)).await;
    sleep(Duration::from_secs(10)).await;
    assert!(rig.deployments.get_opt("web").await.unwrap().is_none());
    rig.server.stop_intercepting();
    rig.deployed("web", 2).await;
    rig.reports("first", 0).await;
    rig.running.end().await;
}

#[tokio::test(start_paused = true)]
async fn last_events_are_published_at_the_end() {
    let rig = rig().await;
    rig.create("first", spec("web", 2)).await;
    rig.deployed("web", 2).await;
    rig.running.end().await;
    let events = rig.events.list(&ListParams::default()).await.unwrap();
    assert_eq!(events.items.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn wrong_specs_are_refused_by_the_server() {
    let rig = rig().await;
    for wrong in [spec("", 1), spec("web", -1)] {
        let refused = rig.foos.create(&PostParams::default(), &Foo::new("first", wrong)).await;
        assert!(matches!(refused, Err(kube::Error::Api(status)) if status.code == 422));
    }
    rig.running.end().await;
}
