//! A controller of a resource of one's own: each `Website` gets a `ConfigMap` with its page and a
//! Deployment that serves it, and says in its status how that goes.
//!
//! `cargo run --example crd_controller` brings its own API server, creates a website, changes and
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
//! controller's own status is no work for it; server-side apply and owner references, so that
//! what others do to its objects is undone and the cluster's garbage collector cleans up;
//! conditions and `observedGeneration` as the API conventions want them; a wrong spec, which is
//! told and not retried.

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client, CustomResource, CustomResourceExt, Resource, ResourceExt};
use kube_informer::controller::{BoxError, OwnWrites, generation_changed};
use kube_informer::testing::ApiServer;
use kube_informer::{
    Action, Controller, Lister, ObjectKey, ReconcileRequest, SharedInformer, SharedInformerFactory,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
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
    support::main(run, life).await
}

/// Installs the definition and reconciles websites until `stop`.
pub(crate) async fn run(client: Client, stop: CancellationToken) -> Result<(), BoxError> {
    install(&client).await?;
    let factory = SharedInformerFactory::builder(client.clone()).name("websites").build();
    let websites = factory.informer::<Website>();
    let maps = factory.informer::<ConfigMap>();
    let deployments = factory.informer::<Deployment>();
    let owner = Arc::new(Owner {
        client,
        statuses: OwnWrites::new(&websites),
        maps: Owned::new(&maps),
        deployments: Owned::new(&deployments),
    });
    let controller = Controller::builder("websites", &websites)
        .predicate(generation_changed)
        .owns(&maps)
        .owns(&deployments)
        // Or a condition would be set again from what it was before, with another time.
        .reads_own_writes(&owner.statuses)
        .reads_own_writes(&owner.maps.writes)
        .reads_own_writes(&owner.deployments.writes)
        .concurrency(4)
        .build();
    let ended = controller
        .run(stop, move |request| {
            let owner = owner.clone();
            async move { owner.reconcile(request).await }
        })
        .await;
    factory.shutdown().await;
    Ok(ended?)
}

/// Has the server serve websites.
async fn install(client: &Client) -> Result<(), BoxError> {
    let definitions = Api::<CustomResourceDefinition>::all(client.clone());
    match definitions.create(&PostParams::default(), &Website::crd()).await {
        Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => {}
        created => drop(created?),
    }
    for _ in 0..50 {
        let definition = definitions.get(Website::crd_name()).await?;
        let conditions = definition.status.and_then(|status| status.conditions);
        let mut conditions = conditions.into_iter().flatten();
        if conditions.any(|found| found.type_ == "Established" && found.status == "True") {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Err(format!("{} is not served", Website::crd_name()).into())
}

/// The clients and records that a reconcile needs.
struct Owner {
    client: Client,
    statuses: OwnWrites<Website>,
    maps: Owned<ConfigMap>,
    deployments: Owned<Deployment>,
}

/// The objects of one kind that websites own.
struct Owned<K> {
    lister: Lister<K>,
    writes: OwnWrites<K>,
}

impl<K: Resource + Send + Sync + 'static> Owned<K> {
    fn new(informer: &SharedInformer<K>) -> Self {
        Self { lister: informer.lister(), writes: OwnWrites::new(informer) }
    }
}

/// Why a website is not as it should be; tried again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Api(#[from] kube::Error),
    #[error(transparent)]
    Write(#[from] kube_informer::controller::UntraceableWrite),
}

/// The result of writing an owned object.
enum Outcome<K> {
    Present(Arc<K>),
    /// Another owner has an object of this name.
    Taken,
}

impl Owner {
    async fn reconcile(&self, request: ReconcileRequest<Website>) -> Result<Action, Failure> {
        // Of a website that is gone, the garbage collector takes what it owned.
        let Some(website) = request.object.present() else { return Ok(Action::done()) };
        if website.metadata.deletion_timestamp.is_some() {
            return Ok(Action::done());
        }
        let (status, action) = match problem(&website.spec) {
            // No retry makes it better; the next change of the spec comes by itself.
            Some(problem) => {
                (status(&website, 0, ("False", "InvalidSpec", problem), None), Action::done())
            }
            None => self.apply(&request.key, &website).await?,
        };
        self.write_status(&request.key, &website, status).await?;
        Ok(action)
    }

    /// Brings the owned objects in line, and says how they are.
    async fn apply(
        &self,
        key: &ObjectKey,
        website: &Website,
    ) -> Result<(WebsiteStatus, Action), Failure> {
        let map = self.ensure(&self.maps, key, website, &page_of(website)).await?;
        let deployment =
            self.ensure(&self.deployments, key, website, &deployment_of(website)).await?;
        let accepted = ("True", "Valid", String::new());
        let (Outcome::Present(_), Outcome::Present(deployment)) = (map, deployment) else {
            let message =
                format!("{key} is the name of a ConfigMap or Deployment of somebody else");
            let ready = Some(("False", "NameTaken", message));
            // No event tells when somebody else's object goes.
            let later = Action::requeue_after(Duration::from_secs(60));
            return Ok((status(website, 0, accepted, ready), later));
        };
        let (wanted, found) =
            (website.spec.replicas, deployment.status.clone().unwrap_or_default());
        // A status that is about an older spec says nothing of this one.
        let current = found.observed_generation >= deployment.metadata.generation;
        let pods = found.ready_replicas.unwrap_or(0);
        let message = format!("{pods} of {wanted} pods are ready");
        let ready = if current && pods >= wanted {
            ("True", "Serving", message)
        } else {
            ("False", "Progressing", message)
        };
        Ok((status(website, pods, accepted, Some(ready)), Action::done()))
    }

    /// Has an owned object as it should be.
    async fn ensure<K>(
        &self,
        owned: &Owned<K>,
        key: &ObjectKey,
        website: &Website,
        wanted: &Value,
    ) -> Result<Outcome<K>, Failure>
    where
        K: Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>
            + Clone
            + std::fmt::Debug
            + DeserializeOwned
            + Send
            + Sync
            + 'static,
    {
        let api = Api::<K>::namespaced(self.client.clone(), key.namespace().unwrap_or_default());
        // The cache may not know yet what somebody else made just now.
        let present = match owned.lister.by_key(key) {
            Ok(present) => Some(present),
            Err(_) => api.get_opt(key.name()).await?.map(Arc::new),
        };
        if present.is_some_and(|present| !is_controlled_by(present.meta(), website)) {
            return Ok(Outcome::Taken);
        }
        // Server-side apply: the fields named here get these values, and this manager takes them
        // over. Fields of other managers stay. If nothing changes, the server writes nothing, and
        // no event follows.
        let params = PatchParams::apply(MANAGER).force();
        let written = api.patch(key.name(), &params, &Patch::Apply(wanted)).await?;
        owned.writes.expect_write(key, &written)?;
        Ok(Outcome::Present(Arc::new(written)))
    }

    async fn write_status(
        &self,
        key: &ObjectKey,
        website: &Website,
        status: WebsiteStatus,
    ) -> Result<(), Failure> {
        if website.status.as_ref() == Some(&status) {
            return Ok(());
        }
        let namespace = key.namespace().unwrap_or_default();
        let api = Api::<Website>::namespaced(self.client.clone(), namespace);
        let patch = Patch::Merge(json!({ "status": status }));
        let written = api.patch_status(key.name(), &PatchParams::default(), &patch).await?;
        self.statuses.expect_write(key, &written)?;
        Ok(())
    }
}

/// Returns the error in a spec that the schema lets through.
fn problem(spec: &WebsiteSpec) -> Option<String> {
    (!(1..=100).contains(&spec.replicas))
        .then(|| format!("spec.replicas is {}, not 1 to 100", spec.replicas))
}

type Finding = (&'static str, &'static str, String);

fn status(
    website: &Website,
    pods: i32,
    accepted: Finding,
    ready: Option<Finding>,
) -> WebsiteStatus {
    let before = website.status.as_ref().map_or(&[][..], |status| &status.conditions);
    let generation = website.metadata.generation;
    let ready = ready.unwrap_or_else(|| ("Unknown", "NotTried", "the spec is not accepted".into()));
    let conditions = [("Accepted", accepted), ("Ready", ready)].map(|(kind, finding)| {
        let (status, reason, message) = finding;
        let same = before.iter().find(|found| found.type_ == kind && found.status == status);
        Condition {
            type_: kind.into(),
            status: status.into(),
            reason: reason.into(),
            message,
            observed_generation: generation,
            // When the status changed, not when it was last looked at.
            last_transition_time: same
                .map_or_else(|| Time(Timestamp::now()), |found| found.last_transition_time.clone()),
        }
    });
    WebsiteStatus {
        observed_generation: generation,
        ready_replicas: pods,
        conditions: conditions.into(),
    }
}

fn is_controlled_by(meta: &kube::api::ObjectMeta, website: &Website) -> bool {
    let mut owners = meta.owner_references.iter().flatten();
    owners.any(|owner| {
        owner.controller == Some(true) && Some(&owner.uid) == website.metadata.uid.as_ref()
    })
}

fn metadata_of(website: &Website) -> Value {
    json!({
        "name": website.name_any(), "namespace": website.namespace(),
        "ownerReferences": website.controller_owner_ref(&()).map(|owner| [owner]),
    })
}

fn page_of(website: &Website) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata_of(website),
            "data": { "index.html": website.spec.page } })
}

fn deployment_of(website: &Website) -> Value {
    let labels = BTreeMap::from([("website", website.name_any())]);
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata_of(website),
        "spec": {
            "replicas": website.spec.replicas,
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": {
                    "containers": [{
                        "name": "server", "image": "docker.io/library/nginx:1.29",
                        "volumeMounts": [{ "name": "page", "mountPath": "/usr/share/nginx/html" }],
                    }],
                    "volumes": [{ "name": "page", "configMap": { "name": website.name_any() } }],
                },
            },
        },
    })
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
    let ready = json!({"status": {"observedGeneration": 1, "readyReplicas": 2}});
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
