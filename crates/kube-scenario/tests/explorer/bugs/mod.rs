//! Miniatures of published bugs of operators, each with its repaired version. The explorer finds
//! each bug, and passes what repairs it.
//!
//! The custom resource of each operator is a `ConfigMap` with the label `app`, whose data are the
//! spec.

mod crashes;
mod gaps;
mod leaders;
mod lost;
mod stale;

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim, Pod, Secret};
use kube::api::{Api, ObjectMeta, PostParams};
use kube::{Client, Resource, ResourceExt};
use kube_controllers::controller::{BoxError, ConfirmError, Confirmation};
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::{Lister, ObjectKey, SharedInformerFactory};
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use kube_scenario::{Exploration, Program, Scenario, World};

/// The name of the only cluster of each miniature.
const NAME: &str = "db";

type Request = ReconcileRequest<ConfigMap, Operator>;
type Done = Result<(), BoxError>;
type Reconcile = fn(Arc<ConfigMap>, Request) -> BoxFuture<'static, Done>;

/// The state of a miniature while its process lives.
struct Operator {
    client: Client,
    repaired: bool,
    pods: Lister<Pod>,
    claims: Lister<PersistentVolumeClaim>,
    memory: Mutex<HashMap<String, String>>,
}

impl Operator {
    fn api<K>(&self) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>,
    {
        Api::namespaced(self.client.clone(), "shop")
    }

    /// Creates an object, or leaves the one that is there.
    async fn ensure<K>(&self, object: &K) -> Result<(), kube::Error>
    where
        K: Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>
            + Clone
            + std::fmt::Debug
            + Serialize
            + DeserializeOwned,
    {
        match self.api::<K>().create(&PostParams::default(), object).await {
            Err(kube::Error::Api(status)) if status.is_already_exists() => Ok(()),
            done => done.map(drop),
        }
    }
}

/// A scenario of an operator with the bug, or of the repaired one. Its informers read from caches,
/// as those of controller-runtime do.
fn operator(repaired: bool, reconcile: Reconcile) -> Scenario {
    let scenario = Scenario::new(move |program| run(program, repaired, reconcile));
    scenario.quiet_for(Duration::from_secs(10))
}

async fn run(program: Program, repaired: bool, reconcile: Reconcile) -> Result<(), BoxError> {
    let factory = SharedInformerFactory::builder(program.client()).any_version(true).build();
    let maps = factory.informer::<ConfigMap>();
    let (pods, claims) = (factory.informer::<Pod>(), factory.informer::<PersistentVolumeClaim>());
    let operator = Operator {
        client: program.client(),
        repaired,
        pods: pods.lister(),
        claims: claims.lister(),
        memory: Mutex::default(),
    };
    let controller = Controller::builder("operator", &maps)
        .watches(&pods, |pod: &Pod| (pod.name_any() == "db-0").then(cluster_key))
        .watches(&claims, |_: &PersistentVolumeClaim| [cluster_key()])
        .context(operator)
        .build();
    let reconcile = move |request: Request| async move {
        if let Some(map) = request.object.present() {
            reconcile(map, request).await?;
        }
        Ok::<_, BoxError>(Action::done())
    };
    program.run(&factory, controller, reconcile).await
}

fn cluster_key() -> ObjectKey {
    ObjectKey::namespaced("shop", NAME).unwrap()
}

fn meta(name: &str) -> ObjectMeta {
    let (namespace, name) = (Some("shop".into()), Some(name.into()));
    ObjectMeta { namespace, name, ..ObjectMeta::default() }
}

/// Returns the custom resource with this spec.
fn cluster(spec: &[(&str, &str)]) -> ConfigMap {
    let data: BTreeMap<_, _> =
        spec.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    ConfigMap { metadata: meta(NAME), data: Some(data), ..ConfigMap::default() }
}

fn setting<'m>(map: &'m ConfigMap, name: &str) -> &'m str {
    map.data.as_ref().and_then(|data| data.get(name)).map_or("", String::as_str)
}

fn count(map: &ConfigMap) -> usize {
    setting(map, "nodes").parse().unwrap_or_default()
}

fn pod(name: &str) -> Pod {
    serde_json::from_value(json!({
        "metadata": meta(name),
        "spec": {"containers": [{"name": "db", "image": "db"}], "terminationGracePeriodSeconds": 30},
    }))
    .unwrap()
}

fn claim(name: &str) -> PersistentVolumeClaim {
    serde_json::from_value(json!({
        "metadata": meta(name),
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }))
    .unwrap()
}

fn secret(name: &str) -> Secret {
    Secret { metadata: meta(name), ..Secret::default() }
}

/// Sets the spec of the cluster as a user does: whatever its status is by then.
fn change(world: &World, name: &str, value: &str) -> Done {
    let mut map = world.get::<ConfigMap>("shop", NAME).ok_or("the cluster is gone")?;
    map.data.get_or_insert_default().insert(name.into(), value.into());
    world.server().replace(&map)?;
    Ok(())
}

/// Returns true if the server still has the cluster as the operator sees it.
async fn is_unchanged(request: &Request, map: &ConfigMap) -> Result<bool, ConfirmError> {
    let answer = request.confirm(&request.api(&request.context.client), map).await?;
    Ok(matches!(answer, Confirmation::Unchanged(_)))
}

/// Explores an operator with its bug, and the repaired one.
fn finds<F, Fut>(what: &str, disturbances: &[&str], scenario: impl Fn(bool) -> Scenario, script: F)
where
    F: Fn(World) -> Fut + Send + Sync,
    Fut: Future<Output = Done> + 'static,
{
    let begun = Instant::now();
    let found = scenario(false).explore(&script);
    let took = begun.elapsed();
    println!("{what}, in {took:?}: {found}\n");
    let by = |found: &Exploration| {
        disturbances.iter().all(|disturbance| {
            found.failures.iter().any(|failed| failed.schedule.starts_with(disturbance))
        })
    };
    assert!(by(&found), "{disturbances:?} should find it: {found}");
    let first = found.failures[0].clone();
    let again = scenario(false).replay(&first.schedule, &script);
    assert_eq!(again, Err(first));
    let passed = scenario(true).explore(&script).assert_passed();
    assert!(passed.writes > 0, "{passed}");
}
