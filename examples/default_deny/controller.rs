use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::networking::v1::{NetworkPolicy, NetworkPolicySpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::api::ObjectMeta;
use kube::{Client, ResourceExt};
use kube_controllers::manager::{ManagerBuilder, Rbac};
use kube_controllers::writing::{Applier, ApplyError};
use kube_controllers::{Action, Controller, LeaderElector, Manager, ReconcileRequest};
use kube_informer::SharedInformerFactory;
use kube_informer::error::BoxError;

const NAME: &str = "default-deny";

/// Returns a manager that gives each namespace a policy that refuses incoming connections.
pub fn manager(client: Client) -> Result<ManagerBuilder, BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).build();
    let namespaces = factory.informer::<Namespace>();
    let policies = factory.informer::<NetworkPolicy>();
    let elector = LeaderElector::builder(client.clone(), client.default_namespace(), NAME);
    let applier = Applier::builder(client, &policies, NAME).force(true).build()?;
    let controller = Controller::builder(NAME, &namespaces)
        .owns(&policies)
        .context(applier)
        .concurrency(4)
        .timeout(Duration::from_secs(30))
        .build();
    let manager = Manager::builder(&factory).leader_election(elector.build()?);
    Ok(manager.controller(controller, reconcile).needs(Rbac::new().applies(&policies)))
}

async fn reconcile(
    request: ReconcileRequest<Namespace, Applier<NetworkPolicy>>,
) -> Result<Action, ApplyError> {
    let Some(namespace) = request.object.present() else { return Ok(Action::done()) };
    let name = namespace.name_any();
    if namespace.metadata.deletion_timestamp.is_some() || name.starts_with("kube-") {
        return Ok(Action::done());
    }
    let policy = NetworkPolicy {
        metadata: ObjectMeta {
            name: Some(NAME.into()),
            namespace: Some(name),
            ..ObjectMeta::default()
        },
        spec: Some(NetworkPolicySpec {
            pod_selector: Some(LabelSelector::default()),
            policy_types: Some(vec!["Ingress".into()]),
            ..NetworkPolicySpec::default()
        }),
    };
    request.context.apply_owned(&*namespace, policy).await?;
    Ok(Action::done())
}
