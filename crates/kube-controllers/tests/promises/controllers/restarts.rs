//! A process that starts again acts on no state older than the one that it acted on before.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{Api, DeleteParams, ListParams, ObjectMeta, PostParams};
use kube_controllers::controller::Presence;
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{InformerSpec, SharedInformerFactory};
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Creates the pods that a cluster lacks, and deletes those beyond its size.
async fn scale(request: ReconcileRequest<ConfigMap, Api<Pod>>) -> Result<Action, Failure> {
    let cluster = match &request.object {
        Presence::Present(cluster) => Some(cluster),
        Presence::Gone => None,
        Presence::Unknown(_) => return Ok(Action::done()),
    };
    let size = cluster.and_then(|cluster| cluster.data.as_ref()?.get("value"));
    let size: usize = size.map_or(Ok(0), |size| size.parse())?;
    let live = request.context.list(&ListParams::default()).await?.items;
    for n in live.len()..size {
        let owner = cluster.map(|cluster| secret_of(cluster, "").metadata);
        let pod = json!({
            "metadata": ObjectMeta { name: Some(format!("db-{n}")), ..owner.unwrap_or_default() },
            "spec": {"containers": [{"name": "db", "image": "db"}]},
        });
        request.context.create(&PostParams::default(), &serde_json::from_value(pod)?).await?;
    }
    for pod in live.into_iter().skip(size) {
        let name = pod.metadata.name.unwrap_or_default();
        request.context.delete(&name, &DeleteParams::default()).await?;
    }
    Ok(Action::done())
}

/// Runs the controller as a process of its own, until nothing happens any more. `client` reads
/// the clusters.
async fn run(server: &ApiServer, client: kube::Client, any_version: bool) {
    let factory =
        SharedInformerFactory::builder(client).on_error(|_| {}).any_version(any_version).build();
    let clusters = factory.informer_with(InformerSpec::<ConfigMap>::new()).unwrap();
    let others = SharedInformerFactory::builder(server.client()).build();
    let pods = others.informer::<Pod>();
    let controller = Controller::builder("clusters", &clusters)
        .owns(&pods)
        .context(Api::<Pod>::namespaced(server.client(), "shop"))
        .build();
    let stop = CancellationToken::new();
    let running = spawn(controller.run(stop.clone(), scale));
    sleep(Duration::from_secs(5)).await;
    stop.cancel();
    running.await.unwrap().unwrap();
    factory.shutdown().await;
    others.shutdown().await;
}

/// A database of three pods, whose process starts again while a cache of the API server still
/// shows `cached` pods. Returns how many of the first three live on.
async fn survivors(cached: usize, any_version: bool) -> usize {
    let (server, faults) = (ApiServer::new(), Faults::new());
    let client = faults.client(server.client());
    if cached > 0 {
        server.create(&map("db", &cached.to_string())).unwrap();
    }
    faults.remember_lists();
    run(&server, client.clone(), any_version).await;
    let grown = map("db", "3");
    server.replace(&grown).or_else(|_| server.create(&grown)).unwrap();
    run(&server, client.clone(), any_version).await;
    let pods = || async {
        let pods: Api<Pod> = Api::namespaced(server.client(), "shop");
        let pods = pods.list(&ListParams::default()).await.unwrap();
        pods.into_iter().map(|pod| pod.metadata.uid).collect::<Vec<_>>()
    };
    let before = pods().await;
    assert_eq!(before.len(), 3);

    // A list that names a version may come from a cache; this one lags behind, as its watches do.
    faults.inject(Requests::lists().to("resourceVersion="), Injection::stale());
    faults.inject(Requests::watches(), Injection::delay(S));
    run(&server, client, any_version).await;
    let after = pods().await;
    before.iter().filter(|uid| after.contains(uid)).count()
}

#[tokio::test(start_paused = true)]
async fn restarted_process_deletes_no_live_pods() {
    assert_eq!(survivors(1, false).await, 3, "the cache has the object as it was");
    assert_eq!(survivors(0, false).await, 3, "the cache lacks the object");
}

/// The risk that the option's documentation names.
#[tokio::test(start_paused = true)]
async fn any_version_may_delete_live_pods() {
    assert_eq!(survivors(1, true).await, 1);
    assert_eq!(survivors(0, true).await, 0);
}
