//! `operator`: its manifests. Its behaviour is tested in `crates/kube-scenario/tests`.

#[allow(dead_code, reason = "its main, and its demo")]
#[path = "../../../../../../examples/operator/main.rs"]
mod example;

mod chart;
mod manifests;

use std::sync::Arc;
use std::time::Duration;

use http::{Request, StatusCode};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::client::Body;
use kube::{Api, Client, CustomResourceExt, ResourceExt};
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::sleep;

use self::example::controller::{elector, manager, rbac};
use self::example::crd::{WebApp, WebAppSpec};
use self::example::registry::Registry;
use super::support::{Running, eventually};

const TOKEN: &str = "of-the-operator";
const USER: &str = "system:serviceaccount:webapps:webapps";

/// An operator with the permissions of its manifests, on a server with a registry beside it.
struct Rig {
    server: ApiServer,
    registry: Registry,
    /// The requests that the rules refused.
    refused: Arc<Mutex<Vec<String>>>,
    apps: Api<WebApp>,
}

impl Rig {
    fn new() -> Self {
        let server = ApiServer::builder().token(TOKEN, USER, manifests::rules()).build();
        server.create(&WebApp::crd()).unwrap();
        let client = server.client();
        Self {
            registry: Registry::default(),
            refused: Arc::default(),
            apps: Api::namespaced(client, "shop"),
            server,
        }
    }

    /// The client of a replica in the namespace of the manifests.
    fn client(&self) -> Client {
        let (server, refused) = (self.server.clone(), self.refused.clone());
        let service = tower::service_fn(move |mut request: Request<Body>| {
            let token = format!("Bearer {TOKEN}").parse().unwrap();
            request.headers_mut().insert(http::header::AUTHORIZATION, token);
            let asked = format!("{} {}", request.method(), request.uri());
            let (server, refused) = (server.clone(), refused.clone());
            async move {
                let answer = server.handle(request).await;
                if answer.status() == StatusCode::FORBIDDEN {
                    refused.lock().push(asked);
                }
                Ok::<_, std::convert::Infallible>(answer)
            }
        });
        Client::new(service, manifests::NAMESPACE)
    }

    fn replica(&self) -> Running {
        let elector = elector(&self.client()).build().unwrap();
        let manager = manager(&self.client(), self.registry.clone()).unwrap();
        let manager = manager.leader_election(elector).build().unwrap();
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
}
