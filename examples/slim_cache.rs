//! The memory of a decoded pod: with managedFields, without them, as metadata only, and as a struct
//! that keeps the five fields that a program needs. Then the memory of one informer whose pods are
//! read in each way: not at all, by a path, by a view with the same five fields, and whole.
//!
//! `cargo example slim_cache` lists pods from an API server of its own, in each of these
//! ways, prints what each takes and ends. `-- --cluster` does so with the pods of the present
//! kubeconfig's cluster, one way after the other.

#[allow(dead_code, reason = "it has no scripted life")]
mod support;

use std::alloc::System;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube::api::ObjectMeta;
use kube::core::PartialObjectMeta;
use kube::{Client, Resource};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use kube_informer::{Cached, InformerSpec, ObjectKey, SharedInformerFactory, Storage};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

/// A pod as far as this program cares: what is not named here is not even decoded.
#[derive(Clone, Debug, Deserialize, Resource)]
#[resource(inherit = Pod)]
pub(crate) struct SlimPod {
    /// Of which name, namespace, uid and version stay; see [`slim`].
    pub(crate) metadata: ObjectMeta,
    #[serde(default)]
    pub(crate) spec: SlimSpec,
    #[serde(default)]
    pub(crate) status: SlimStatus,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SlimSpec {
    pub(crate) node_name: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct SlimStatus {
    pub(crate) phase: Option<String>,
    #[serde(rename = "podIP")]
    pub(crate) pod_ip: Option<String>,
}

/// Informers of slim pods: labels and annotations go before a pod is stored.
pub(crate) fn slim() -> InformerSpec<SlimPod> {
    InformerSpec::new().transform(|pod: &mut SlimPod| {
        let metadata = std::mem::take(&mut pod.metadata);
        pod.metadata = ObjectMeta {
            name: metadata.name,
            namespace: metadata.namespace,
            uid: metadata.uid,
            resource_version: metadata.resource_version,
            ..ObjectMeta::default()
        };
    })
}

/// Counts what this process allocates.
#[global_allocator]
static ALLOCATED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn in_use() -> usize {
    let stats = ALLOCATED.stats();
    stats.bytes_allocated.saturating_sub(stats.bytes_deallocated)
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    if support::on_cluster() {
        return run(Client::try_default().await?, |line| println!("{line}")).await;
    }
    let server = ApiServer::new();
    for n in 0..500 {
        server.create(&pod(n)?)?;
    }
    run(server.client(), |line| println!("{line}")).await
}

/// Lists the pods in each way and says what it takes.
pub(crate) async fn run(client: Client, say: impl Fn(String)) -> Result<(), BoxError> {
    let costs = measure(&client).await?;
    let dearest = costs.iter().map(Cost::each).max().unwrap_or_default();
    say(format!("{:<24}{:>7}{:>10}{:>10}", "kept of a pod", "pods", "in all", "each"));
    for cost in &costs {
        let bar = "█".repeat((cost.each() * 30).div_ceil(dearest.max(1)));
        let (all, each) = (size(cost.bytes), size(cost.each()));
        say(format!("{:<24}{:>7}{all:>10}{each:>10}  {bar}", cost.what, cost.pods));
    }
    for cost in read_each_way(&client).await? {
        let (all, each) = (size(cost.bytes), size(cost.each()));
        say(format!("{:<24}{:>7}{all:>10}{each:>10}", cost.what, cost.pods));
    }
    // A slim cache is used like any other.
    let factory = SharedInformerFactory::builder(client).build();
    let pods = factory.informer_with(slim())?;
    let by_node = pods.add_index("node", |pod: &SlimPod| pod.spec.node_name.clone())?;
    factory.start()?;
    factory.wait_for_sync(Duration::from_secs(60)).await?;
    if let Some(node) = by_node.values().first() {
        for pod in by_node.get(node).into_iter().take(3) {
            let (phase, ip) = (pod.status.phase.as_deref(), pod.status.pod_ip.as_deref());
            let (phase, ip) = (phase.unwrap_or("Unknown"), ip.unwrap_or("no address"));
            say(format!("on {node}: {} {phase} at {ip}", ObjectKey::of(&*pod)?));
        }
    }
    factory.shutdown().await;
    Ok(())
}

/// The memory that one way takes.
#[derive(Debug)]
pub(crate) struct Cost {
    pub(crate) what: &'static str,
    pub(crate) pods: usize,
    pub(crate) bytes: usize,
}

impl Cost {
    pub(crate) fn each(&self) -> usize {
        self.bytes / self.pods.max(1)
    }
}

/// Measures the memory of each way, one after the other.
pub(crate) async fn measure(client: &Client) -> Result<Vec<Cost>, BoxError> {
    let everything = InformerSpec::<Pod>::new().managed_fields(true);
    let metadata = InformerSpec::<PartialObjectMeta<Pod>>::new();
    Ok(vec![
        cost("everything", client, everything).await?,
        cost("all but managedFields", client, InformerSpec::<Pod>::new()).await?,
        cost("metadata of that", client, metadata).await?,
        cost("five fields", client, slim()).await?,
    ])
}

async fn cost<K>(
    what: &'static str,
    client: &Client,
    spec: InformerSpec<K>,
) -> Result<Cost, BoxError>
where
    K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
    K::Scope: 'static,
{
    let factory = SharedInformerFactory::builder(client.clone()).build();
    // Unless told otherwise, an informer keeps objects packed that nobody reads.
    let pods = factory.informer_with(spec.storage(Storage::decoded()))?;
    let before = in_use();
    factory.start()?;
    factory.wait_for_sync(Duration::from_secs(60)).await?;
    // By then the connection's buffers are freed.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let cost = Cost { what, pods: pods.lister().len(), bytes: in_use().saturating_sub(before) };
    factory.shutdown().await;
    Ok(cost)
}

/// Reads the pods of one informer in each way. Returns the memory that it takes before, and that
/// each way adds.
pub(crate) async fn read_each_way(client: &Client) -> Result<Vec<Cost>, BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).build();
    let pods = factory.informer::<Pod>();
    let view = pods.view::<SlimPod>()?;
    let mut costs = Vec::new();
    let mut note = |what, before: usize| {
        let bytes = in_use().saturating_sub(before);
        costs.push(Cost { what, pods: pods.lister().len(), bytes });
    };
    let before = in_use();
    factory.start()?;
    factory.wait_for_sync(Duration::from_secs(60)).await?;
    tokio::time::sleep(Duration::from_millis(200)).await;
    note("packed, not read", before);
    let before = in_use();
    let on_node = |pod: &Cached<Pod>| pod.field("spec.nodeName").is_some();
    let placed = pods.snapshot().iter_cached().filter(|(_, pod)| on_node(pod)).count();
    note("+ one field by path", before);
    let before = in_use();
    let running = view.lister().all().iter().filter(|pod| pod.status.phase.is_some()).count();
    note("+ a view of these fields", before);
    let before = in_use();
    let whole = pods.lister().all().len();
    note("+ everything", before);
    if placed.max(running) > whole {
        return Err("a part has more pods than the whole".into());
    }
    factory.shutdown().await;
    Ok(costs)
}

fn size(bytes: usize) -> String {
    let (kilo, rest) = (bytes / 1_000, bytes % 1_000 / 100);
    if kilo < 10_000 { format!("{kilo}.{rest} kB") } else { format!("{} MB", kilo / 1_000) }
}

/// A pod as it comes from a server, of about 4 kB of JSON.
pub(crate) fn pod(n: usize) -> Result<Pod, serde_json::Error> {
    serde_json::from_str(&include_str!("support/pod.json").replace("{N}", &n.to_string()))
}
