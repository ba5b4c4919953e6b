//! A controller of a resource of one's own: each `Website` gets a `ConfigMap` with its page and a
//! Deployment that serves it, and says in its status how that goes.
//!
//! `cargo example crd_controller` brings its own API server, creates a website, changes and
//! breaks it, and ends by itself. `-- --cluster` installs the definition in the cluster of the
//! present kubeconfig and works there until Ctrl-C:
//!
//! ```yaml
//! apiVersion: example.com/v1
//! kind: Website
//! metadata: { name: hello, namespace: default }
//! spec: { page: "<h1>Hello</h1>", replicas: 2 }
//! ```
//!
//! The example shows a derived type with a schema and a status; `generation_changed`, so that the
//! controller's own status is no work for it; appliers and owner references, so that what others
//! do to its objects is undone, nothing is sent without need, and the cluster's garbage collector
//! cleans up; conditions and `observedGeneration` as the API conventions want them; a wrong spec,
//! which is told and not retried.

mod support;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::api::{ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, Client, CustomResource, CustomResourceExt, Resource, ResourceExt};
use kube_controllers::controller::{BoxError, generation_changed};
use kube_controllers::writing::conditions::{self, ConditionStatus, NewCondition};
use kube_controllers::writing::{Applier, ApplierError};
use kube_controllers::{Action, Controller, Manager, ReconcileRequest};
use kube_informer::indexer::by_controller;
use kube_informer::testing::ApiServer;
use kube_informer::{Lister, ObjectKey, SharedInformer, SharedInformerFactory};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// The field manager that the server records beside each written field.
const MANAGER: &str = "websites.example.com";

/// The desired state of a website.
#[derive(CustomResource, Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Website", namespaced)]
#[kube(status = "WebsiteStatus", shortname = "site")]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebsiteSpec {
    /// The page that is served.
    pub(crate) page: String,
    /// The number of pods that serve it.
    pub(crate) replicas: i32,
}

/// The observed state of a website.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebsiteStatus {
    /// The generation of the spec that this is about.
    pub(crate) observed_generation: Option<i64>,
    /// The number of pods that are ready.
    #[serde(default)]
    pub(crate) ready_replicas: i32,
    /// `Accepted`: the spec makes sense. `Ready`: every pod serves the page.
    #[serde(default)]
    #[schemars(schema_with = "conditions_schema")]
    pub(crate) conditions: Vec<Condition>,
}

/// Conditions are a map by their type: who writes one leaves the others alone.
fn conditions_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let text = json!({"type": "string"});
    let schema = json!({
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "required": ["type", "status", "lastTransitionTime", "reason", "message"],
            "properties": {
                "type": text, "status": text, "reason": text, "message": text,
                "lastTransitionTime": {"type": "string", "format": "date-time"},
                "observedGeneration": {"type": "integer", "format": "int64"},
            },
        },
    });
    schema.try_into().unwrap_or_default()
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt().with_target(false).init();
    let run = |client, stop: CancellationToken| async move {
        Ok(Box::pin(manager(client)).await?.run_until(stop).await?)
    };
    support::main(run, life).await
}

/// Installs the definition, and returns the controller, ready to run.
pub(crate) async fn manager(client: Client) -> Result<Manager, BoxError> {
    let definitions = Api::<CustomResourceDefinition>::all(client.clone());
    let apply = PatchParams::apply(MANAGER).force();
    definitions.patch(Website::crd_name(), &apply, &Patch::Apply(Website::crd())).await?;

    // Until the server serves websites, their informer tries again.
    let factory = SharedInformerFactory::builder(client.clone()).name("websites").build();
    let websites = factory.informer::<Website>();
    let maps = factory.informer::<ConfigMap>();
    let deployments = factory.informer::<Deployment>();
    let controller = Controller::builder("websites", &websites)
        .predicate(generation_changed)
        .owns(&maps)
        .owns(&deployments)
        .concurrency(4)
        .context(Context {
            maps: Owned::new(&client, &maps)?,
            deployments: Owned::new(&client, &deployments)?,
            websites: Applier::builder(client.clone(), &websites, MANAGER).force(true).build()?,
            client,
        })
        .build();
    Ok(Manager::builder(&factory).controller(controller, reconcile).build()?)
}

/// The values that all reconciles share.
struct Context {
    client: Client,
    websites: Applier<Website>,
    maps: Owned<ConfigMap>,
    deployments: Owned<Deployment>,
}

/// The objects of one kind that websites own.
struct Owned<K> {
    cached: Lister<K>,
    applier: Applier<K>,
}

impl<K> Owned<K>
where
    K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    K: Clone + Debug + Send + Sync + 'static,
{
    fn new(client: &Client, informer: &SharedInformer<K>) -> Result<Self, ApplierError> {
        let applier = Applier::builder(client.clone(), informer, MANAGER).force(true).build()?;
        Ok(Self { cached: informer.lister(), applier })
    }

    /// Has an owned object as it should be. Returns `None` if an object of somebody else has its
    /// name.
    async fn ensure(
        &self,
        (key, api): (&ObjectKey, Api<K>),
        website: &Website,
        wanted: K,
    ) -> Result<Option<Arc<K>>, BoxError> {
        let present = match self.cached.get_by_key(key) {
            Ok(present) => Some(present),
            // Another client may just have created it.
            Err(_) => api.get_opt(key.name()).await?.map(Arc::new),
        };
        if present.is_some_and(|present| by_controller(&*present) != website.uid()) {
            return Ok(None);
        }
        let applied = self.applier.apply_owned(website, wanted).await?;
        Ok(Some(applied.object().clone()))
    }
}

async fn reconcile(request: ReconcileRequest<Website, Context>) -> Result<Action, BoxError> {
    // Of a website that is gone, the garbage collector takes what it owned.
    let present = request.object.as_present();
    let Some(website) = present.filter(|site| site.metadata.deletion_timestamp.is_none()) else {
        return Ok(Action::done());
    };
    let (pods, accepted, ready, action) = if let Some(problem) = problem(&website.spec) {
        let accepted = NewCondition::new("Accepted", false, "InvalidSpec").message(problem);
        let ready = NewCondition::new("Ready", ConditionStatus::Unknown, "NotTried");
        // No retry makes it better; the next change of the spec comes by itself.
        (0, accepted, ready.message("the spec is not accepted"), Action::done())
    } else {
        let (pods, ready, action) = apply(&request, website).await?;
        (pods, NewCondition::new("Accepted", true, "Valid"), ready, action)
    };
    let generation = website.metadata.generation;
    let mut conditions = website.status.clone().unwrap_or_default().conditions;
    // An apply takes what it sends, so it sends no conditions of others.
    conditions.retain(|condition| ["Accepted", "Ready"].contains(&&*condition.type_));
    conditions::set(&mut conditions, accepted, generation)?;
    conditions::set(&mut conditions, ready, generation)?;
    let status =
        WebsiteStatus { observed_generation: generation, ready_replicas: pods, conditions };
    request.context.websites.apply_status_of(website, status).await?;
    Ok(action)
}

/// Brings the owned objects in line. Returns the number of ready pods, and says how they are.
async fn apply(
    request: &ReconcileRequest<Website, Context>,
    website: &Website,
) -> Result<(i32, NewCondition, Action), BoxError> {
    let (key, Context { client, maps, deployments, .. }) = (&request.key, &*request.context);
    let map = maps.ensure((key, request.api_of(client)), website, page_of(website)).await?;
    let wanted = deployment_of(website)?;
    let deployment = deployments.ensure((key, request.api_of(client)), website, wanted).await?;
    let (Some(_), Some(deployment)) = (map, deployment) else {
        let message = format!("{key} is the name of a ConfigMap or Deployment of somebody else");
        let ready = NewCondition::new("Ready", false, "NameTaken").message(message);
        // No event tells when somebody else's object goes.
        return Ok((0, ready, Action::requeue_after(Duration::from_secs(60))));
    };
    let (wanted, found) = (website.spec.replicas, deployment.status.clone().unwrap_or_default());
    // A status that is about an older spec says nothing of this one.
    let current = found.observed_generation >= deployment.metadata.generation;
    let pods = found.ready_replicas.unwrap_or(0);
    let serves = current && pods >= wanted;
    let ready = NewCondition::new("Ready", serves, if serves { "Serving" } else { "Progressing" });
    Ok((pods, ready.message(format!("{pods} of {wanted} pods are ready")), Action::done()))
}

/// Returns the error in a spec that the schema lets through.
fn problem(spec: &WebsiteSpec) -> Option<String> {
    (!(1..=100).contains(&spec.replicas))
        .then(|| format!("spec.replicas is {}, not 1 to 100", spec.replicas))
}

fn metadata_of(website: &Website) -> ObjectMeta {
    let (name, namespace) = (Some(website.name_any()), website.namespace());
    ObjectMeta { name, namespace, ..ObjectMeta::default() }
}

fn page_of(website: &Website) -> ConfigMap {
    let data = Some([("index.html".to_owned(), website.spec.page.clone())].into());
    ConfigMap { metadata: metadata_of(website), data, ..ConfigMap::default() }
}

fn deployment_of(website: &Website) -> serde_json::Result<Deployment> {
    let (name, labels) = (website.name_any(), json!({ "website": website.name_any() }));
    let mount = json!({ "name": "page", "mountPath": "/usr/share/nginx/html" });
    let container = json!({
        "name": "server", "image": "docker.io/library/nginx:1.29", "volumeMounts": [mount],
    });
    let volume = json!({ "name": "page", "configMap": { "name": name } });
    serde_json::from_value(json!({
        "metadata": metadata_of(website),
        "spec": {
            "replicas": website.spec.replicas,
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [container], "volumes": [volume] },
            },
        },
    }))
}

/// A website's life on the embedded server, which runs no pods: their part is played here.
async fn life(server: ApiServer) -> Result<(), BoxError> {
    let websites = Api::<Website>::namespaced(server.client(), "shop");
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
    let spec = WebsiteSpec { page: "<h1>Hello</h1>".into(), replicas: 2 };
    websites.create(&PostParams::default(), &Website::new("hello", spec)).await?;
    show("A website was created").await?;
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
    websites.patch("hello", &PatchParams::default(), &wrong).await?;
    show("It is to have -1 replicas").await?;
    Ok(())
}
