use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{ObjectMeta, Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher;
use kube::{Api, Client, Resource, ResourceExt};

async fn run(client: Client) {
    let maps = Api::<ConfigMap>::all(client.clone());
    let secrets = Api::<Secret>::all(client.clone());
    Controller::new(maps, watcher::Config::default())
        .owns(secrets, watcher::Config::default())
        .run(copy, retry, Arc::new(client))
        .for_each(async |_| {})
        .await;
}

async fn copy(map: Arc<ConfigMap>, client: Arc<Client>) -> Result<Action, kube::Error> {
    let secret = secret_of(&map);
    let api = Api::<Secret>::namespaced((*client).clone(), &map.namespace().unwrap_or_default());
    let params = PatchParams::apply("copies").force();
    api.patch(&secret.name_any(), &params, &Patch::Apply(&secret)).await?;
    Ok(Action::await_change())
}

fn retry(_: Arc<ConfigMap>, _: &kube::Error, _: Arc<Client>) -> Action {
    Action::requeue(Duration::from_secs(5))
}

fn secret_of(map: &ConfigMap) -> Secret {
    let bytes = |(key, value): (&String, &String)| (key.clone(), ByteString(value.clone().into()));
    Secret {
        metadata: ObjectMeta {
            name: map.metadata.name.clone(),
            namespace: map.metadata.namespace.clone(),
            owner_references: map.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        data: map.data.as_ref().map(|data| data.iter().map(bytes).collect::<BTreeMap<_, _>>()),
        ..Secret::default()
    }
}
