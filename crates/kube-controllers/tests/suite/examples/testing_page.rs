use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::api::{Api, ObjectMeta};
use kube_controllers::manager::ManagerBuilder;
use kube_controllers::writing::{Applier, ApplyError};
use kube_controllers::{Action, Controller, Manager, ReconcileRequest};
use kube_informer::SharedInformerFactory;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Keeps a copy `a-copy` of each map `a` of the shop.
fn manager(client: Client) -> Result<ManagerBuilder, BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).namespace("shop").build();
    let maps = factory.informer::<ConfigMap>();
    let applier = Applier::builder(client, &maps, "copier").build()?;
    let controller = Controller::builder("copier", &maps).owns(&maps).context(applier).build();
    Ok(Manager::builder(&factory).controller(controller, reconcile))
}

async fn reconcile(
    request: ReconcileRequest<ConfigMap, Applier<ConfigMap>>,
) -> Result<Action, ApplyError> {
    let Some(source) = request.object.present() else { return Ok(Action::done()) };
    if !request.key.name().ends_with("-copy") {
        let copy = map(&format!("{}-copy", request.key.name()));
        let copy = ConfigMap { data: source.data.clone(), ..copy };
        request.context.apply_owned(&*source, copy).await?;
    }
    Ok(Action::done())
}

fn map(name: &str) -> ConfigMap {
    let (namespace, name) = (Some("shop".into()), Some(name.into()));
    let metadata = ObjectMeta { namespace, name, ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

#[tokio::test(start_paused = true)]
async fn copy_is_written_once() {
    let server = ApiServer::new();
    let stop = CancellationToken::new();
    let manager = manager(server.client()).unwrap().build().unwrap();
    let handle = manager.handle();
    let mut running = tokio::spawn(manager.run_until(stop.clone()));

    server.create(&map("a")).unwrap();
    let maps = Api::<ConfigMap>::namespaced(server.client(), "shop");
    let copied = async {
        while maps.get_opt("a-copy").await.unwrap().is_none() {
            sleep(Duration::from_millis(50)).await; // takes no time: the clock is stopped
        }
    };
    tokio::select! {
        () = copied => {}
        ended = &mut running => panic!("the manager has ended: {}", ended.unwrap().unwrap_err()),
        () = sleep(Duration::from_secs(600)) => panic!("{:#?}", handle.status().controllers),
    }

    // At rest nothing is written, for an hour. With leader election, leave out `leases`.
    let writes = || server.requests().iter().filter(|one| one.method != http::Method::GET).count();
    let before = writes();
    sleep(Duration::from_secs(3_600)).await;
    assert_eq!(writes(), before);

    stop.cancel();
    running.await.unwrap().unwrap();
}
