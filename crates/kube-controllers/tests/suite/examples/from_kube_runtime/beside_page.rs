use futures::TryFutureExt;
use kube::api::DeleteParams;
use kube_controllers::{Controller, ReconcileRequest};
use tokio_util::sync::CancellationToken;

async fn run(client: Client) -> Result<(), BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).build();
    let maps = factory.informer::<ConfigMap>();
    let expiry = Controller::builder("expiry", &maps).context(client.clone()).build();
    let expiry = expiry.run(CancellationToken::new(), expire).map_err(BoxError::from);
    tokio::try_join!(copies(&factory, client), expiry)?;
    Ok(())
}

async fn expire(
    request: ReconcileRequest<ConfigMap, Client>,
) -> Result<kube_controllers::Action, kube::Error> {
    let expired = |map: &ConfigMap| map.annotations().contains_key("example.com/expired");
    if request.object.present().is_some_and(|map| expired(&map)) {
        let api = request.api(&request.context);
        api.delete(request.key.name(), &DeleteParams::default()).await?;
    }
    Ok(kube_controllers::Action::done())
}
