use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, Patch, PatchParams};
use kube::{Client, CustomResource, CustomResourceExt, ResourceExt};
use kube_controllers::controller::{BoxError, generation_changed};
use kube_controllers::writing::{Applier, EventRecorder};
use kube_controllers::{Action, Controller, Manager, ReconcileRequest};
use kube_informer::indexer::by_controller;
use kube_informer::{Lister, SharedInformerFactory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const NAME: &str = "sample-controller";
/// The delay after which a name that belongs to another owner is looked at again.
const LATER: Duration = Duration::from_secs(60);

/// The desired state of a `Foo`: a deployment of this name, with so many replicas.
#[derive(CustomResource, Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[kube(group = "samplecontroller.example.com", version = "v1", kind = "Foo", namespaced)]
#[kube(status = "FooStatus")]
#[serde(rename_all = "camelCase")]
pub struct FooSpec {
    #[schemars(length(min = 1))]
    pub deployment_name: String,
    #[schemars(range(min = 0))]
    pub replicas: i32,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct FooStatus {
    pub available_replicas: i32,
}

struct Context {
    client: Client,
    cached: Lister<Deployment>,
    deployments: Applier<Deployment>,
    foos: Applier<Foo>,
    events: EventRecorder,
}

/// Installs the definition of `Foo`, and returns the controller, ready to run.
pub async fn manager(client: Client) -> Result<Manager, BoxError> {
    let definitions = Api::<CustomResourceDefinition>::all(client.clone());
    let apply = PatchParams::apply(NAME).force();
    definitions.patch(Foo::crd_name(), &apply, &Patch::Apply(Foo::crd())).await?;

    let factory = SharedInformerFactory::builder(client.clone()).build();
    let (foos, deployments) = (factory.informer::<Foo>(), factory.informer::<Deployment>());
    let events = EventRecorder::new(client.clone(), NAME)?;
    let context = Context {
        cached: deployments.lister(),
        deployments: Applier::builder(client.clone(), &deployments, NAME).force(true).build()?,
        foos: Applier::builder(client.clone(), &foos, NAME).force(true).build()?,
        events: events.clone(),
        client,
    };
    let controller = Controller::builder(NAME, &foos)
        .predicate(generation_changed)
        .owns(&deployments)
        .concurrency(2)
        .context(context)
        .build();
    Ok(Manager::builder(&factory).controller(controller, reconcile).events(events).build()?)
}

async fn reconcile(request: ReconcileRequest<Foo, Context>) -> Result<Action, BoxError> {
    let deployments = request.api_of::<Deployment>(&request.context.client);
    let Context { cached, events, .. } = &*request.context;
    let owner = request.object.present();
    // The garbage collector deletes the deployment of a Foo that goes.
    let Some(owner) = owner.filter(|owner| owner.metadata.deletion_timestamp.is_none()) else {
        return Ok(Action::done());
    };
    let (namespace, name) = (owner.namespace().unwrap_or_default(), &*owner.spec.deployment_name);
    let present = match cached.namespace(&*namespace).get(name) {
        Ok(present) => Some(present),
        // Another client may just have created it.
        Err(_) => deployments.get_opt(name).await?.map(Into::into),
    };
    if present.is_some_and(|present| by_controller(&*present) != owner.uid()) {
        let problem = format!("deployment {name} exists and is not controlled by this Foo");
        events.warning(&*owner, "NotControlled", &*problem);
        // No event tells this controller that the other owner is gone.
        return Ok(Action::requeue_after(LATER));
    }
    let applied = request.context.deployments.apply_owned(&*owner, deployment_of(&owner)?).await?;
    let status = applied.object().status.as_ref();
    let available_replicas = status.and_then(|status| status.available_replicas).unwrap_or(0);
    request.context.foos.apply_status_of(&owner, FooStatus { available_replicas }).await?;
    if applied.was_sent() {
        events.normal(&*owner, "Synced", format!("deployment {name} is as the Foo wants it"));
    }
    Ok(Action::done())
}

fn deployment_of(owner: &Foo) -> serde_json::Result<Deployment> {
    let labels = json!({ "app": "nginx", "controller": owner.name_any() });
    let container = json!({ "name": "nginx", "image": "docker.io/library/nginx:1.29" });
    serde_json::from_value(json!({
        "metadata": { "name": owner.spec.deployment_name, "namespace": owner.namespace() },
        "spec": {
            "replicas": owner.spec.replicas,
            "selector": { "matchLabels": labels },
            "template": { "metadata": { "labels": labels }, "spec": { "containers": [container] } },
        },
    }))
}
