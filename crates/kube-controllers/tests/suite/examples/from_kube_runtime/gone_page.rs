use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, ObjectMeta};
use kube::{Client, ResourceExt};
use kube_controllers::writing::{Applier, ApplyError};
use kube_controllers::{Action, Controller, Manager, ReconcileRequest};
use kube_informer::SharedInformerFactory;
use kube_informer::error::BoxError;
use tokio_util::sync::CancellationToken;

async fn run(client: Client, stop: CancellationToken) -> Result<(), BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).build();
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    let applier = Applier::builder(client.clone(), &secrets, "copies").build()?;
    let copies = Controller::builder("copies", &maps).owns(&secrets).context(applier).build();
    let expiry = Controller::builder("expiry", &maps).context(client).build();
    let manager = Manager::builder(&factory).controller(copies, copy).controller(expiry, expire);
    manager.build()?.run_until(stop).await?;
    Ok(())
}

async fn copy(
    request: ReconcileRequest<ConfigMap, Applier<Secret>>,
) -> Result<Action, ApplyError> {
    if let Some(map) = request.object.present() {
        request.context.apply_owned(&*map, secret_of(&map)).await?;
    }
    Ok(Action::done())
}

async fn expire(request: ReconcileRequest<ConfigMap, Client>) -> Result<Action, kube::Error> {
    let expired = |map: &ConfigMap| map.annotations().contains_key("example.com/expired");
    if request.object.present().is_some_and(|map| expired(&map)) {
        let api = request.api(&request.context);
        api.delete(request.key.name(), &DeleteParams::default()).await?;
    }
    Ok(Action::done())
}

fn secret_of(map: &ConfigMap) -> Secret {
    let bytes = |(key, value): (&String, &String)| (key.clone(), ByteString(value.clone().into()));
    let (name, namespace) = (map.metadata.name.clone(), map.metadata.namespace.clone());
    Secret {
        metadata: ObjectMeta { name, namespace, ..ObjectMeta::default() },
        data: map.data.as_ref().map(|data| data.iter().map(bytes).collect::<BTreeMap<_, _>>()),
        ..Secret::default()
    }
}
