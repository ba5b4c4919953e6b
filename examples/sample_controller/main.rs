//! The classic sample of a controller: each `Foo` gets a deployment of the name and size that it
//! asks for, and tells how many replicas are available.
//!
//! `cargo example sample_controller` brings its own API server, creates two `Foo`s, of which
//! one asks for a deployment that is not its own, and ends by itself. `-- --cluster` installs the
//! definition in the cluster of the present kubeconfig and works there until Ctrl-C or SIGTERM:
//!
//! ```yaml
//! apiVersion: samplecontroller.example.com/v1
//! kind: Foo
//! metadata: { name: example, namespace: default }
//! spec: { deploymentName: example, replicas: 2 }
//! ```
//!
//! The example shows a manager, which listens to signals and ends everything in order; a reconcile
//! that is a plain function with a context; appliers, which send nothing while nothing is to be
//! done; an owned object; a name that another owner has; events for people. After a rename the old
//! deployment stays until somebody deletes it, as in client-go's sample.

#[allow(unreachable_pub, reason = "the file reads like a library")]
mod controller;
#[path = "../support/mod.rs"]
mod support;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::events::v1::Event;
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use serde_json::json;

use self::controller::{Foo, FooSpec, manager};

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt().with_target(false).init();
    if support::on_cluster() {
        return Ok(manager(Client::try_default().await?).await?.run().await?);
    }
    let run =
        |client, stop| async move { Ok(Box::pin(manager(client)).await?.run_until(stop).await?) };
    support::main(run, life).await
}

/// The life of two `Foo`s on the embedded server, which runs no pods: their part is played here.
async fn life(server: ApiServer) -> Result<(), BoxError> {
    let foos = Api::<Foo>::namespaced(server.client(), "shop");
    let deployments = Api::<Deployment>::namespaced(server.client(), "shop");
    support::moment().await;
    for name in ["first", "second"] {
        // Both ask for the same deployment.
        let spec = FooSpec { deployment_name: "web".into(), replicas: 2 };
        foos.create(&PostParams::default(), &Foo::new(name, spec)).await?;
        support::moment().await;
    }
    let status = json!({"replicas": 2, "readyReplicas": 2, "availableReplicas": 2});
    let available = Patch::Merge(json!({ "status": status }));
    deployments.patch_status("web", &PatchParams::default(), &available).await?;
    support::moment().await;
    for owner in foos.list(&ListParams::default()).await? {
        println!("{}: {:?}", owner.name_any(), owner.status);
    }
    let scaled = Patch::Merge(json!({"spec": {"replicas": 9}}));
    deployments.patch("web", &PatchParams::default(), &scaled).await?;
    println!("someone scaled web to 9 replicas");
    support::moment().await;
    let replicas = deployments.get("web").await?.spec.and_then(|spec| spec.replicas);
    println!("web has {} replicas", replicas.unwrap_or_default());
    for event in Api::<Event>::all(server.client()).list(&ListParams::default()).await? {
        let about = event.regarding.and_then(|object| object.name).unwrap_or_default();
        let [type_, reason, note] =
            [event.type_, event.reason, event.note].map(Option::unwrap_or_default);
        println!("{type_} event about {about}: {reason}: {note}");
    }
    Ok(())
}
