//! `operator`: a whole operator, with its manifests.

#[allow(dead_code, reason = "its main, and its demo")]
#[path = "../../../../examples/operator/main.rs"]
mod example;

mod manifests;

use std::sync::Arc;
use std::time::Duration;

use http::{Request, StatusCode};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::client::Body;
use kube::{Api, Client, CustomResourceExt, ResourceExt};
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::sleep;

use self::example::controller::manager;
use self::example::crd::{WebApp, WebAppSpec};
use self::example::registry::Registry;
use super::support::{Running, eventually};
use crate::helpers::{S, metadata};

const TOKEN: &str = "of-the-operator";
const USER: &str = "system:serviceaccount:webapps:webapps";

/// A request of the operator, and the status of its answer.
#[derive(Clone)]
struct Exchange {
    method: http::Method,
    target: String,
    status: StatusCode,
}

/// An operator with the permissions of its manifests, on a server with a registry beside it.
struct Rig {
    server: ApiServer,
    registry: Registry,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
    apps: Api<WebApp>,
    deployments: Api<Deployment>,
    services: Api<Service>,
}

impl Rig {
    fn new() -> Self {
        let server = ApiServer::builder().token(TOKEN, USER, manifests::rules()).build();
        server.create(&WebApp::crd()).unwrap();
        let client = server.client();
        Self {
            registry: Registry::default(),
            exchanges: Arc::default(),
            apps: Api::namespaced(client.clone(), "shop"),
            deployments: Api::namespaced(client.clone(), "shop"),
            services: Api::namespaced(client, "shop"),
            server,
        }
    }

    /// The client of a replica in the namespace of the manifests.
    fn client(&self) -> Client {
        let (server, exchanges) = (self.server.clone(), self.exchanges.clone());
        let service = tower::service_fn(move |mut request: Request<Body>| {
            let token = format!("Bearer {TOKEN}").parse().unwrap();
            request.headers_mut().insert(http::header::AUTHORIZATION, token);
            let (method, target) = (request.method().clone(), request.uri().to_string());
            let (server, exchanges) = (server.clone(), exchanges.clone());
            async move {
                let answer = server.handle(request).await;
                exchanges.lock().push(Exchange { method, target, status: answer.status() });
                Ok::<_, std::convert::Infallible>(answer)
            }
        });
        Client::new(service, manifests::NAMESPACE)
    }

    fn replica(&self) -> Running {
        let manager = manager(&self.client(), self.registry.clone()).unwrap().build().unwrap();
        Running::begin(|stop| async move { Ok(manager.run_until(stop).await?) })
    }

    async fn create(&self, name: &str, host: &str) -> WebApp {
        let (image, host) = ("registry.example.com/hello:1".into(), host.into());
        let app = WebApp::new(name, WebAppSpec { image, replicas: 2, host });
        self.apps.create(&PostParams::default(), &app).await.unwrap()
    }

    async fn change(&self, name: &str, spec: Value) {
        let patch = Patch::Merge(json!({ "spec": spec }));
        self.apps.patch(name, &PatchParams::default(), &patch).await.unwrap();
    }

    /// Plays the part of the deployment controller.
    async fn pods_are_ready(&self, name: &str, pods: i32) {
        let deployment = self.deployments.get(name).await.unwrap();
        let generation = deployment.metadata.generation;
        let status = json!({
            "observedGeneration": generation, "replicas": pods, "readyReplicas": pods,
        });
        let patch = Patch::Merge(json!({ "status": status }));
        self.deployments.patch_status(name, &PatchParams::default(), &patch).await.unwrap();
    }

    /// Lets time pass until the status has this condition of this generation.
    async fn says(&self, name: &str, generation: i64, type_: &str, reason: &str) -> Condition {
        eventually(&format!("{type_} {reason} of {name} at {generation}"), || async {
            let status = self.apps.get(name).await.unwrap().status?;
            let mut conditions = status.conditions.into_iter();
            let found = conditions.find(|one| one.type_ == type_ && one.reason == reason)?;
            let same = status.observed_generation == Some(generation);
            (same && found.observed_generation == Some(generation)).then_some(found)
        })
        .await
    }

    /// The operator's writes, without those of leader election.
    fn writes(&self) -> usize {
        let exchanges = self.exchanges.lock();
        let writes = exchanges.iter().filter(|exchange| exchange.method != http::Method::GET);
        writes.filter(|exchange| !exchange.target.contains("/leases")).count()
    }

    async fn events(&self) -> Vec<(String, Option<String>, Option<String>)> {
        let events = Api::<Event>::namespaced(self.server.client(), "shop");
        let events = events.list(&ListParams::default()).await.unwrap();
        let facts = events.items.into_iter().map(|event| {
            let regarding = event.regarding.and_then(|regarding| regarding.name);
            (regarding.unwrap_or_default(), event.type_, event.reason)
        });
        facts.collect()
    }
}

#[tokio::test(start_paused = true)]
async fn app_is_deployed_registered_and_reported() {
    let rig = Rig::new();
    let running = rig.replica();
    let app = rig.create("hello", "hello.example.com").await;
    let waiting = rig.says("hello", 1, "Ready", "Progressing").await;
    assert_eq!((&*waiting.status, &*waiting.message), ("False", "0 of 2 pods are ready"));
    assert_eq!(rig.says("hello", 1, "Registered", "HostRegistered").await.status, "True");
    assert_eq!(rig.registry.hosts(), ["hello.example.com"]);
    let deployment = rig.deployments.get("hello").await.unwrap();
    let service = rig.services.get("hello").await.unwrap();
    for owners in [deployment.owner_references(), service.owner_references()] {
        assert_eq!((&owners[0].uid, owners[0].controller), (&app.uid().unwrap(), Some(true)));
    }
    rig.pods_are_ready("hello", 2).await;
    assert_eq!(rig.says("hello", 1, "Ready", "Serving").await.status, "True");

    rig.change("hello", json!({"replicas": 3, "image": "registry.example.com/hello:2"})).await;
    // The status of the Deployment is about its older spec.
    rig.says("hello", 2, "Ready", "Progressing").await;
    rig.pods_are_ready("hello", 3).await;
    rig.says("hello", 2, "Ready", "Serving").await;
    let spec = rig.deployments.get("hello").await.unwrap().spec.unwrap();
    let image = spec.template.spec.unwrap().containers[0].image.clone();
    assert_eq!((spec.replicas, image.as_deref()), (Some(3), Some("registry.example.com/hello:2")));
    running.end().await;

    // The last events were published before the end.
    let events = rig.events().await;
    for reason in ["HostRegistered", "Progressing", "Serving"] {
        let event = ("hello".into(), Some("Normal".into()), Some(reason.into()));
        assert!(events.contains(&event), "{reason}: {events:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_at_rest() {
    let rig = Rig::new();
    let running = rig.replica();
    for number in 0..5 {
        let name = format!("app-{number}");
        rig.create(&name, &format!("{name}.example.com")).await;
        rig.says(&name, 1, "Ready", "Progressing").await;
        rig.pods_are_ready(&name, 2).await;
        rig.says(&name, 1, "Ready", "Serving").await;
    }
    sleep(10 * S).await;
    let writes = rig.writes();
    // Watches end and begin again, relists come, and others write to the status.
    rig.server.drop_connections();
    rig.server.compact();
    let other = Patch::Merge(json!({"metadata": {"labels": {"seen": "yes"}}}));
    rig.deployments.patch("app-0", &PatchParams::default(), &other).await.unwrap();
    sleep(3600 * S).await;
    assert_eq!(rig.writes(), writes);
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn transition_time_changes_only_with_the_status() {
    let rig = Rig::new();
    let running = rig.replica();
    rig.create("hello", "hello.example.com").await;
    rig.says("hello", 1, "Ready", "Progressing").await;
    // As if the conditions were old.
    let old = Time(Timestamp::from_second(1_000_000_000).unwrap());
    let mut app = rig.apps.get("hello").await.unwrap();
    for condition in &mut app.status.as_mut().unwrap().conditions {
        condition.last_transition_time = old.clone();
    }
    rig.server.replace(&app).unwrap();
    sleep(5 * S).await;

    rig.pods_are_ready("hello", 1).await;
    let ready = eventually("one pod", || async {
        let ready = rig.says("hello", 1, "Ready", "Progressing").await;
        ready.message.starts_with("1 of").then_some(ready)
    })
    .await;
    assert_eq!(ready.last_transition_time, old);
    rig.pods_are_ready("hello", 2).await;
    assert!(rig.says("hello", 1, "Ready", "Serving").await.last_transition_time > old);
    let registered = rig.says("hello", 1, "Registered", "HostRegistered").await;
    assert_eq!(registered.last_transition_time, old);
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn changes_of_owned_objects_are_undone() {
    let rig = Rig::new();
    let running = rig.replica();
    rig.create("hello", "hello.example.com").await;
    rig.says("hello", 1, "Ready", "Progressing").await;
    let patch = Patch::Merge(json!({"spec": {"replicas": 9, "paused": true}}));
    rig.deployments.patch("hello", &PatchParams::default(), &patch).await.unwrap();
    let spec = eventually("two replicas", || async {
        let spec = rig.deployments.get("hello").await.unwrap().spec.unwrap();
        (spec.replicas == Some(2)).then_some(spec)
    })
    .await;
    assert_eq!(spec.paused, Some(true), "fields that it does not set are left alone");
    rig.services.delete("hello", &DeleteParams::default()).await.unwrap();
    eventually("the service", || async { rig.services.get_opt("hello").await.unwrap() }).await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn registry_is_cleaned_before_the_app_is_gone() {
    let rig = Rig::new();
    let running = rig.replica();
    rig.create("hello", "hello.example.com").await;
    rig.says("hello", 1, "Registered", "HostRegistered").await;
    rig.change("hello", json!({"host": "www.example.com"})).await;
    rig.says("hello", 2, "Registered", "HostRegistered").await;
    assert_eq!(rig.registry.hosts(), ["www.example.com"]);
    running.end().await;

    // Deleted while no operator runs: it waits for one.
    rig.apps.delete("hello", &DeleteParams::default()).await.unwrap();
    sleep(60 * S).await;
    assert!(rig.apps.get("hello").await.unwrap().metadata.deletion_timestamp.is_some());
    let running = rig.replica();
    eventually("its end", || async {
        rig.apps.get_opt("hello").await.unwrap().is_none().then_some(())
    })
    .await;
    assert!(rig.registry.hosts().is_empty());
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn second_app_of_a_host_waits_for_it() {
    let rig = Rig::new();
    let running = rig.replica();
    rig.create("first", "hello.example.com").await;
    rig.says("first", 1, "Registered", "HostRegistered").await;
    rig.create("second", "hello.example.com").await;
    let taken = rig.says("second", 1, "Registered", "HostTaken").await;
    assert_eq!(taken.message, "the host hello.example.com belongs to another owner");
    rig.pods_are_ready("second", 2).await;
    assert_eq!(rig.says("second", 1, "Ready", "NoHost").await.status, "False");
    let writes = rig.writes();
    sleep(600 * S).await;
    assert_eq!(rig.writes(), writes, "it is looked at again, and nothing is written");
    let warning = ("second".into(), Some("Warning".into()), Some("HostTaken".into()));
    assert!(rig.events().await.contains(&warning));

    rig.apps.delete("first", &DeleteParams::default()).await.unwrap();
    rig.says("second", 1, "Ready", "Serving").await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn foreign_deployment_is_left_alone() {
    let rig = Rig::new();
    let foreign = Deployment { metadata: metadata("shop", "hello"), ..Deployment::default() };
    rig.server.create(&foreign).unwrap();
    let running = rig.replica();
    rig.create("hello", "hello.example.com").await;
    rig.says("hello", 1, "Ready", "NameTaken").await;
    assert!(rig.deployments.get("hello").await.unwrap().owner_references().is_empty());
    rig.server.delete(&foreign).unwrap();
    rig.says("hello", 1, "Ready", "Progressing").await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn standby_takes_over_after_a_stop() {
    let rig = Rig::new();
    let first = rig.replica();
    sleep(5 * S).await;
    let second = rig.replica();
    rig.create("one", "one.example.com").await;
    rig.says("one", 1, "Ready", "Progressing").await;
    first.end().await;
    let stopped = tokio::time::Instant::now();
    rig.create("two", "two.example.com").await;
    rig.says("two", 1, "Ready", "Progressing").await;
    assert!(stopped.elapsed() < 10 * S, "the lease was given back: {:?}", stopped.elapsed());
    second.end().await;
}
