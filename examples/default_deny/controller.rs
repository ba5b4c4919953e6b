use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::networking::v1::NetworkPolicy;
use kube::api::{Api, Patch, PatchParams};
use kube::{Client, Resource};
use kube_informer::controller::{BoxError, tracking_client};
use kube_informer::{Action, Controller, LeaderElector, SharedInformerFactory};
use serde_json::json;
use tokio_util::sync::CancellationToken;

const NAME: &str = "default-deny";

/// Gives each namespace a policy that refuses incoming connections, until `stop`.
pub async fn run(client: Client, stop: CancellationToken) -> Result<(), BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).build();
    let namespaces = factory.informer::<Namespace>();
    let policies = factory.informer::<NetworkPolicy>();
    let elector =
        LeaderElector::builder(client.clone(), client.default_namespace(), NAME).build()?;
    let controller = Controller::builder(NAME, &namespaces)
        .owns(&policies)
        .leader_election(elector)
        .concurrency(4)
        .timeout(Duration::from_secs(30))
        .build();

    let client = tracking_client(client);
    let ended = controller
        .run(stop, move |request| {
            let client = client.clone();
            async move {
                match request.object.present() {
                    Some(namespace) => reconcile(client, &namespace).await,
                    None => Ok(Action::done()),
                }
            }
        })
        .await;
    factory.shutdown().await;
    Ok(ended?)
}

async fn reconcile(client: Client, namespace: &Namespace) -> kube::Result<Action> {
    let Some(owner) = namespace.controller_owner_ref(&()) else { return Ok(Action::done()) };
    if namespace.metadata.deletion_timestamp.is_some() || owner.name.starts_with("kube-") {
        return Ok(Action::done());
    }
    let policies = Api::<NetworkPolicy>::namespaced(client, &owner.name);
    let policy = json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": { "name": NAME, "ownerReferences": [owner] },
        "spec": { "podSelector": {}, "policyTypes": ["Ingress"] },
    });
    policies.patch(NAME, &PatchParams::apply(NAME).force(), &Patch::Apply(&policy)).await?;
    Ok(Action::done())
}
