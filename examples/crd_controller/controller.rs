//! The controller of websites. It works on `v2`, in which they are stored.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kube::{Api, Client, Resource, ResourceExt};
use kube_controllers::controller::{BoxError, generation_changed};
use kube_controllers::manager::ManagerBuilder;
use kube_controllers::writing::conditions::{self, ConditionStatus, NewCondition};
use kube_controllers::writing::{Applier, ApplierError};
use kube_controllers::{Action, Controller, Manager, ReconcileRequest};
use kube_informer::indexer::by_controller;
use kube_informer::{Lister, ObjectKey, SharedInformer, SharedInformerFactory};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::MANAGER;
use super::hooks::problem;
use super::website::WebsiteStatus;
use super::website::v2::Website;

/// Returns a manager with the controller.
pub(crate) fn manager(client: Client) -> Result<ManagerBuilder, BoxError> {
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
    Ok(Manager::builder(&factory).controller(controller, reconcile))
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
    let (pods, accepted, ready, action) = if let Some((_, problem)) = problem(&website.spec) {
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

fn metadata_of(website: &Website) -> ObjectMeta {
    let (name, namespace) = (Some(website.name_any()), website.namespace());
    ObjectMeta { name, namespace, ..ObjectMeta::default() }
}

fn page_of(website: &Website) -> ConfigMap {
    let mut data = website.spec.pages.clone();
    data.insert("index.html".to_owned(), website.spec.home.clone());
    ConfigMap { metadata: metadata_of(website), data: Some(data), ..ConfigMap::default() }
}

fn deployment_of(website: &Website) -> serde_json::Result<Deployment> {
    let (name, labels) = (website.name_any(), json!({ "website": website.name_any() }));
    let mount = json!({ "name": "page", "mountPath": "/usr/share/nginx/html" });
    let host =
        json!({ "name": "NGINX_HOST", "value": website.spec.host.as_deref().unwrap_or("_") });
    let container = json!({
        "name": "server", "image": "docker.io/library/nginx:1.29", "volumeMounts": [mount],
        "env": [host],
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
