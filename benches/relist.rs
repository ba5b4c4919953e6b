//! A relist of pods that did not change: with every one decoded, and with those passed over whose
//! uid and version are known. `cargo bench --bench relist`; `PODS=1000` for a quick look.
//!
//! Figures are the processor time of the whole process, everything from the frames of the body to
//! the store, divided by the number of pods.

#![allow(clippy::cast_precision_loss, reason = "figures for people to read")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube_informer::reflector::ReflectorOptions;
use kube_informer::transport::ApiSource;
use kube_informer::{InformerOptions, SharedInformer};
use support::server::PodServer;

const ROUNDS: usize = 5;

/// Returns the processor time of this process.
fn spent() -> Duration {
    support::time_of(rustix::time::ClockId::ProcessCPUTime)
}

fn main() {
    let total = support::pods().min(50_000);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    println!("{total} pods, µs of processor time a pod; of {ROUNDS} relists the median\n");
    println!(
        "| | bytes a pod | reading the body alone | first list | first list without managedFields | \
         relist, decoded | relist, passed over |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, protobuf) in [("JSON", false), ("protobuf", true)] {
        let server = PodServer::new(total, protobuf);
        let each = |time: Duration| time.as_secs_f64() * 1e6 / total as f64;
        let start = spent();
        runtime.block_on(server.list().for_each(async |frame| drop(std::hint::black_box(frame))));
        let read = each(spent().saturating_sub(start));
        let (first, decoded) = runtime.block_on(measure(&server, true, false));
        let (bare, passed) = runtime.block_on(measure(&server, false, true));
        println!(
            "| {name} | {} | {read:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            server.item_size(),
            each(first),
            each(bare),
            each(decoded),
            each(passed)
        );
    }
}

/// Measures the first list and a relist.
async fn measure(server: &PodServer, managed: bool, trust: bool) -> (Duration, Duration) {
    let source = ApiSource::<Pod>::new(server.client());
    let source = source.trust_versions(trust).managed_fields(managed);
    let reflector = ReflectorOptions::new()
        .on_error(|_| {})
        .transform(|pod: &mut Pod| pod.metadata.managed_fields = None);
    let informer =
        SharedInformer::new(Arc::new(source), InformerOptions::new().reflector(reflector));
    let start = spent();
    informer.start().unwrap();
    informer.wait_for_sync(Duration::from_secs(600)).await.unwrap();
    let first = spent().saturating_sub(start);
    let mut relists = vec![];
    for _ in 0..ROUNDS {
        let start = spent();
        let version = server.expire().into();
        informer.wait_for(&version, Duration::from_secs(600)).await.unwrap();
        relists.push(spent().saturating_sub(start));
    }
    relists.sort_unstable();
    informer.shutdown().await;
    (first, relists[ROUNDS / 2])
}
