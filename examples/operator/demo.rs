//! A web app's life on the embedded server. Its pods and the garbage collector do not exist there,
//! so their parts are played here.

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::core::NamespaceResourceScope;
use kube::{CustomResourceExt, Resource};
use kube_controllers::Serve;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::controller::{elector, manager};
use super::crd::{WebApp, WebAppSpec};
use super::registry::Registry;

/// Runs the operator beside the life of a web app.
pub(crate) async fn run() -> Result<(), BoxError> {
    let server = ApiServer::new();
    server.create(&WebApp::crd())?;
    let registry = Registry::default();
    let any = ([127, 0, 0, 1], 0);
    let serve = Serve::new().health_address(any).metrics_address(any);
    let manager = manager(&server.client(), registry.clone())?.serve(serve);
    let manager = manager.leader_election(elector(&server.client()).build()?).build()?;
    let handle = manager.handle();
    let stop = CancellationToken::new();
    let life = async {
        let lived = live(&server, &registry).await;
        if let Some(at) = handle.addresses() {
            println!("Probes were served at {}, and metrics at {}", at.health, at.metrics);
        }
        stop.cancel();
        lived
    };
    let (ran, lived) = tokio::join!(manager.run_until(stop.clone()), life);
    ran?;
    lived
}

async fn live(server: &ApiServer, registry: &Registry) -> Result<(), BoxError> {
    let apps = Api::<WebApp>::namespaced(server.client(), "shop");
    let deployments = Api::<Deployment>::namespaced(server.client(), "shop");
    let spec = WebAppSpec {
        image: "registry.example.com/hello:1".into(),
        replicas: 2,
        host: "hello.example.com".into(),
    };
    apps.create(&PostParams::default(), &WebApp::new("hello", spec)).await?;
    until(&deployments, |found| found.is_some()).await?;
    println!("A web app was created. It has a Deployment, and these hosts: {:?}", registry.hosts());

    let status = json!({ "observedGeneration": 1, "replicas": 2, "readyReplicas": 2 });
    let pods = Patch::Merge(json!({ "status": status }));
    deployments.patch_status("hello", &PatchParams::default(), &pods).await?;
    println!("Its pods are ready:");
    show(until(&apps, |app| reason(app) == Some("Serving")).await?.as_ref());

    let host = json!({ "spec": { "host": "www.example.com" } });
    apps.patch("hello", &PatchParams::default(), &Patch::Merge(host)).await?;
    until(&apps, |app| observed(app) == Some(2)).await?;
    println!("It has another host now: {:?}", registry.hosts());

    let wish = json!({ "spec": { "replicas": 9 } });
    deployments.patch("hello", &PatchParams::default(), &Patch::Merge(wish)).await?;
    until(&deployments, |found| replicas(found) == Some(2)).await?;
    println!("Someone gave its Deployment 9 replicas, and it has 2 again");

    apps.delete("hello", &DeleteParams::default()).await?;
    until(&apps, |app| app.is_none()).await?;
    println!("It was deleted. The registry was cleaned before that: {:?}", registry.hosts());
    Ok(())
}

/// Waits until the object `hello` is as it should be.
async fn until<K>(api: &Api<K>, is: impl Fn(Option<&K>) -> bool) -> kube::Result<Option<K>>
where
    K: Resource<Scope = NamespaceResourceScope> + Clone + std::fmt::Debug + DeserializeOwned,
{
    loop {
        let found = api.get_opt("hello").await?;
        if is(found.as_ref()) {
            return Ok(found);
        }
        sleep(Duration::from_millis(50)).await;
    }
}

fn observed(app: Option<&WebApp>) -> Option<i64> {
    app?.status.as_ref()?.observed_generation
}

fn reason(app: Option<&WebApp>) -> Option<&str> {
    let conditions = &app?.status.as_ref()?.conditions;
    Some(&kube_controllers::writing::conditions::find(conditions, "Ready")?.reason)
}

fn replicas(deployment: Option<&Deployment>) -> Option<i32> {
    deployment?.spec.as_ref()?.replicas
}

fn show(app: Option<&WebApp>) {
    let status = app.and_then(|app| app.status.as_ref());
    for condition in status.iter().flat_map(|status| &status.conditions) {
        println!(
            "  {} {} ({}) {}",
            condition.type_, condition.status, condition.reason, condition.message
        );
    }
}
