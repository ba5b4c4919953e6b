//! A controller of a resource of one's own, and its webhooks: each `Website` gets a `ConfigMap`
//! with its pages and a Deployment that serves them, and says in its status how that goes.
//!
//! `cargo example crd_controller` brings its own API server, creates a website, changes and
//! breaks it, and ends by itself. `-- --cluster` installs the definition in the cluster of the
//! present kubeconfig and works there until Ctrl-C:
//!
//! ```yaml
//! apiVersion: example.com/v2
//! kind: Website
//! metadata: { name: hello, namespace: default }
//! spec: { home: "<h1>Hello</h1>", replicas: 2 }
//! ```
//!
//! In a pod, with its namespace in `POD_NAMESPACE`, `--cluster` also serves the webhooks on port
//! 9443, behind a Service `websites`, and registers them. Then there is a version `v1`, too, and
//! wrong websites are refused. Outside of the cluster, API servers would not reach the webhooks.
//! `-- --manifests NAMESPACE` prints what is installed, for those who install it by other means.
//!
//! The example shows a derived type with a schema and a status; `generation_changed`, so that the
//! controller's own status is no work for it; appliers and owner references, so that what others
//! do to its objects is undone, nothing is sent without need, and the cluster's garbage collector
//! cleans up; conditions and `observedGeneration` as the API conventions want them; a wrong spec,
//! which is told and not retried. Its webhooks convert between two versions, default a field and
//! validate; the [guide](../../crates/kube-controllers/src/docs/webhooks.md) explains them.

pub(crate) mod controller;
pub(crate) mod hooks;
#[path = "../support/mod.rs"]
mod support;
pub(crate) mod website;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use kube_controllers::controller::BoxError;
use kube_controllers::{Manager, Serve};
use kube_informer::testing::ApiServer;
use kube_webhooks::{ManagedCertificates, Service};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::website::{v1, v2};

/// The field manager that the server records beside each written field.
pub(crate) const MANAGER: &str = "websites.example.com";

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt().with_target(false).init();
    let mut arguments = std::env::args().skip_while(|argument| argument != "--manifests").skip(1);
    if let Some(namespace) = arguments.next() {
        print!("{}", hooks::manifests(&service(namespace))?);
        return Ok(());
    }
    let run = |client, stop: CancellationToken| async move {
        Ok(Box::pin(manager(client)).await?.run_until(stop).await?)
    };
    support::main(run, life).await
}

/// Returns the Service of the webhooks.
pub(crate) fn service(namespace: impl Into<String>) -> Service {
    Service::new(namespace, "websites")
}

/// Installs what websites need, and returns the program, ready to run.
pub(crate) async fn manager(client: Client) -> Result<Manager, BoxError> {
    let manager = controller::manager(client.clone())?;
    let Ok(namespace) = std::env::var("POD_NAMESPACE") else {
        // The embedded server calls webhooks in this process.
        let (webhooks, service) = (hooks::webhooks()?, service("websites"));
        let behind = (!support::on_cluster()).then_some((&webhooks, &service));
        hooks::install(&client, behind).await?;
        return Ok(manager.build()?);
    };
    let (webhooks, service) = (hooks::webhooks()?, service(namespace));
    hooks::install(&client, Some((&webhooks, &service))).await?;
    let certificates = ManagedCertificates::new(client, service, "websites-webhooks");
    let server = webhooks.listen(([0, 0, 0, 0], 9443), certificates.into()).await?;
    let serve = Serve::new().health_address(([0, 0, 0, 0], 8081));
    Ok(manager.webhooks(server).serve(serve).build()?)
}

/// A website's life on the embedded server, which runs no pods: their part is played here.
async fn life(server: ApiServer) -> Result<(), BoxError> {
    server.webhook("websites/websites", hooks::webhooks()?.service());
    let websites = Api::<v2::Website>::namespaced(server.client(), "shop");
    let show = |what: &'static str| {
        let websites = websites.clone();
        async move {
            support::moment().await;
            let status = websites.get("hello").await?.status.unwrap_or_default();
            println!("{what}");
            for condition in status.conditions {
                println!(
                    "  {} {} ({}) {}",
                    condition.type_, condition.status, condition.reason, condition.message
                );
            }
            Ok::<_, kube::Error>(())
        }
    };
    support::moment().await;
    let old = Api::<v1::Website>::namespaced(server.client(), "shop");
    let spec = v1::WebsiteSpec { page: "<h1>Hello</h1>".into(), replicas: 2 };
    old.create(&PostParams::default(), &v1::Website::new("hello", spec)).await?;
    show("A website was created by a client of v1").await?;
    println!("In v2 it is {:?}", websites.get("hello").await?.spec);
    let deployments = Api::<Deployment>::namespaced(server.client(), "shop");
    let ready = json!({"status": {"observedGeneration": 1, "replicas": 2, "readyReplicas": 2}});
    deployments.patch_status("hello", &PatchParams::default(), &Patch::Merge(ready)).await?;
    show("Its pods are ready").await?;
    let page = Patch::Merge(json!({"data": {"index.html": "defaced"}}));
    let maps = Api::<ConfigMap>::namespaced(server.client(), "shop");
    maps.patch("hello", &PatchParams::default(), &page).await?;
    support::moment().await;
    let map = maps.get("hello").await?;
    println!("Somebody wrote to its page, which is again: {:?}", map.data.unwrap_or_default());
    let wrong = Patch::Merge(json!({"spec": {"replicas": -1}}));
    let changed = websites.patch("hello", &PatchParams::default(), &wrong).await;
    if let Err(kube::Error::Api(refused)) = changed {
        println!("It was to have -1 replicas: {}", refused.message);
    }
    Ok(())
}
