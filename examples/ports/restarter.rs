//! A restarter like Stakater's Reloader: the pods of a Deployment that asks for it are replaced
//! when a `ConfigMap` that they read has changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, PodSpec};
use kube::{Client, ResourceExt};
use kube_controllers::manager::ManagerBuilder;
use kube_controllers::writing::{Applier, ApplyError};
use kube_controllers::{Action, Controller, Manager, ReconcileRequest};
use kube_informer::error::BoxError;
use kube_informer::{Lister, ObjectKey, SharedInformerFactory};
use serde_json::json;

const NAME: &str = "restarter";
/// The annotation of a Deployment that asks for restarts.
pub(crate) const ASKS: &str = "restarter.example.com/auto";
/// The annotation of a Deployment and of its pods: a hash of what they read.
pub(crate) const HASH: &str = "restarter.example.com/config";

struct Restarter {
    maps: Lister<ConfigMap>,
    deployments: Applier<Deployment>,
}

/// Returns a manager that restarts Deployments.
pub(crate) fn manager(client: Client) -> Result<ManagerBuilder, BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).name(NAME).build();
    let (deployments, maps) = (factory.informer::<Deployment>(), factory.informer::<ConfigMap>());
    let readers = deployments.add_index("config", |deployment: &Deployment| {
        let namespace = deployment.namespace().unwrap_or_default();
        names(deployment).into_iter().map(move |name| format!("{namespace}/{name}"))
    })?;
    let of_map = move |map: &ConfigMap| {
        ObjectKey::of(map).map(|key| readers.keys(key.as_str())).unwrap_or_default()
    };
    let restarter = Restarter {
        maps: maps.lister(),
        deployments: Applier::builder(client, &deployments, NAME).force(true).build()?,
    };
    let controller =
        Controller::builder(NAME, &deployments).watches(&maps, of_map).context(restarter).build();
    Ok(Manager::builder(&factory).controller(controller, reconcile))
}

async fn reconcile(request: ReconcileRequest<Deployment, Restarter>) -> Result<Action, ApplyError> {
    let Some(deployment) = request.object.present() else { return Ok(Action::done()) };
    if deployment.annotations().get(ASKS).is_none_or(|asks| asks != "true") {
        return Ok(Action::done());
    }
    let now = request.context.hash(&deployment);
    let pods = match deployment.annotations().get(HASH) {
        Some(before) if *before != now => Some(now.clone()),
        // The pods have what they read first, so nothing restarts.
        _ => template_annotation(&deployment),
    };
    let mut desired = json!({ "metadata": { "annotations": { HASH: now } } });
    if let Some(pods) = pods {
        desired["spec"] = json!({ "template": { "metadata": { "annotations": { HASH: pods } } } });
    }
    request.context.deployments.apply_partial(&request.key, desired).await?;
    Ok(Action::done())
}

impl Restarter {
    /// Returns a hash (FNV-1a) of the maps that a Deployment's pods read, those that exist.
    fn hash(&self, deployment: &Deployment) -> String {
        let maps = self.maps.namespace(deployment.namespace().unwrap_or_default());
        let found = names(deployment).into_iter().filter_map(|name| maps.get(&name).ok());
        let contents: BTreeMap<_, Arc<ConfigMap>> =
            found.map(|map| (map.name_any(), map)).collect();
        let contents = contents.iter().map(|(name, map)| (name, &map.data, &map.binary_data));
        let bytes = serde_json::to_vec(&contents.collect::<Vec<_>>()).unwrap_or_default();
        let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    }
}

fn template_annotation(deployment: &Deployment) -> Option<String> {
    let metadata = deployment.spec.as_ref()?.template.metadata.as_ref()?;
    metadata.annotations.as_ref()?.get(HASH).cloned()
}

/// Returns the names of the maps that a Deployment's pods read, in volumes and variables.
fn names(deployment: &Deployment) -> Vec<String> {
    let pod = deployment.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    pod.map(of_pod).unwrap_or_default()
}

fn of_pod(pod: &PodSpec) -> Vec<String> {
    let volumes = pod.volumes.iter().flatten();
    let mut names: Vec<_> = volumes
        .flat_map(|volume| {
            let projected = volume.projected.iter().flat_map(|all| all.sources.iter().flatten());
            let projected =
                projected.filter_map(|source| Some(source.config_map.as_ref()?.name.clone()));
            volume.config_map.iter().map(|map| map.name.clone()).chain(projected)
        })
        .collect();
    for container in pod.containers.iter().chain(pod.init_containers.iter().flatten()) {
        let whole = container.env_from.iter().flatten();
        names.extend(whole.filter_map(|from| Some(from.config_map_ref.as_ref()?.name.clone())));
        let single = container.env.iter().flatten().filter_map(|one| one.value_from.as_ref());
        names
            .extend(single.filter_map(|from| Some(from.config_map_key_ref.as_ref()?.name.clone())));
    }
    names
}
