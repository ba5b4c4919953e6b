//! One controller for all clusters of a fleet: it copies a config map of the hub to each of them.
//!
//! `cargo example clusters` brings a hub and two clusters of its own, and ends by itself.
//! `-- --cluster` takes the cluster of the present kubeconfig as the hub, until Ctrl-C: each Secret
//! in the namespace `fleet` with the label `example.com/kubeconfig=true` is a cluster, whose
//! kubeconfig is under the key `kubeconfig`. The program needs list and watch on these Secrets and
//! on config maps of the hub, and list, watch and patch on config maps of each cluster.

mod support;

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{ObjectMeta, Patch, PatchParams};
use kube_controllers::clusters::{Cluster, ClusterProvider, Clusters, KubeconfigSecrets};
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use kube_informer::{InformerSpec, Lister, ObjectKey};
use kube_informer::{SharedInformer, SharedInformerFactory};
use serde_json::json;
use tokio_util::sync::CancellationToken;

const NAMESPACE: &str = "fleet";
const NAME: &str = "settings";

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let say = |line| println!("{line}");
    let run = |client, stop| async move {
        let hub = SharedInformerFactory::builder(client).name("hub").build();
        let secrets = KubeconfigSecrets::new(&hub, NAMESPACE, "example.com/kubeconfig=true")?;
        run(&hub, secrets, stop, say).await
    };
    support::main(run, life).await
}

/// Copies the settings to each cluster that the provider names, until `stop`.
pub(crate) async fn run(
    hub: &SharedInformerFactory,
    provider: impl ClusterProvider,
    stop: CancellationToken,
    say: impl Fn(String) + Clone + Send + Sync + 'static,
) -> Result<(), BoxError> {
    let settings = hub.informer_with(only_settings())?;
    hub.start()?;
    let clusters = Clusters::builder(provider).build();
    let follow = move |cluster| follow(cluster, settings.clone(), say.clone());
    clusters.run(stop, follow).await;
    hub.shutdown().await;
    Ok(())
}

/// Runs the controller of one cluster.
async fn follow(
    cluster: Cluster,
    settings: SharedInformer<ConfigMap>,
    say: impl Fn(String) + Send + Sync + 'static,
) -> Result<(), BoxError> {
    let copies = cluster.factory().informer_with(only_settings())?;
    let context = Context { cluster: cluster.clone(), settings: settings.lister() };
    let controller = Controller::builder(format!("settings@{}", cluster.name()), &copies)
        .watches(&settings, |settings: &ConfigMap| ObjectKey::of(settings).ok())
        .timeout(Duration::from_secs(30))
        .context(context)
        .build();
    say(format!("{} joined", cluster.name()));
    let ended = cluster.run(controller, reconcile).await;
    say(format!("{} left", cluster.name()));
    Ok(ended?)
}

struct Context {
    cluster: Cluster,
    settings: Lister<ConfigMap>,
}

async fn reconcile(request: ReconcileRequest<ConfigMap, Context>) -> kube::Result<Action> {
    let Context { cluster, settings } = &*request.context;
    let Ok(wanted) = settings.get_by_key(&request.key) else {
        return Ok(Action::done());
    };
    if request.object.present().is_some_and(|copy| copy.data == wanted.data) {
        return Ok(Action::done());
    }
    let copy = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": NAME, "namespace": NAMESPACE}, "data": wanted.data,
    });
    let maps = request.api(cluster.client());
    maps.patch(NAME, &PatchParams::apply("settings").force(), &Patch::Apply(copy)).await?;
    Ok(Action::done())
}

fn only_settings() -> InformerSpec<ConfigMap> {
    InformerSpec::new().namespace(NAMESPACE).fields(format!("metadata.name={NAME}"))
}

/// A fleet of two clusters: one joins, both get settings, one leaves.
async fn life(hub: ApiServer) -> Result<(), BoxError> {
    let servers = [("east", ApiServer::new()), ("west", ApiServer::new())];
    let mut listening = Vec::new();
    hub.create(&settings("blue"))?;
    for (name, server) in &servers {
        let listens = server.listen(("127.0.0.1", 0)).await?;
        hub.create(&kubeconfig(name, &listens.address().to_string()))?;
        listening.push(listens);
        support::moment().await;
    }
    hub.replace(&settings("green"))?;
    support::moment().await;
    for (name, server) in &servers {
        let copies: Vec<ConfigMap> = server.list()?;
        println!("{name} has {:?}", copies[0].data);
    }
    hub.delete(&kubeconfig("east", ""))?;
    support::moment().await;
    Ok(())
}

pub(crate) fn settings(color: &str) -> ConfigMap {
    let data = Some(BTreeMap::from([("color".to_owned(), color.to_owned())]));
    ConfigMap { metadata: named(NAME), data, ..ConfigMap::default() }
}

fn kubeconfig(name: &str, address: &str) -> Secret {
    let config = json!({
        "current-context": name,
        "contexts": [{"name": name, "context": {"cluster": name}}],
        "clusters": [{"name": name, "cluster": {"server": format!("http://{address}")}}],
    });
    let mut metadata = named(name);
    metadata.labels = Some(BTreeMap::from([("example.com/kubeconfig".into(), "true".into())]));
    let data = ByteString(config.to_string().into());
    let data = Some(BTreeMap::from([("kubeconfig".to_owned(), data)]));
    Secret { metadata, data, ..Secret::default() }
}

fn named(name: &str) -> ObjectMeta {
    let (namespace, name) = (Some(NAMESPACE.into()), Some(name.into()));
    ObjectMeta { namespace, name, ..ObjectMeta::default() }
}
