//! The delay of the runtime's other tasks behind an informer that lists: the longest time in
//! which none of them had its turn. `cargo bench --bench polls`; `PODS=1000` for a quick look.
//!
//! One thread runs everything: the server, the transport, the reflector, the processing loop, a
//! handler and a task that does nothing but ask for its next turn. Between two of its turns every
//! other task that can go on is polled once, so no poll takes longer than what is measured. It is
//! the thread's processor time: what the machine did meanwhile for others is not in it. `LONG=1`
//! tells what the informer was at after each turn of more than a millisecond.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "figures for people to read"
)]

mod support;

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_informer::reflector::ReflectorOptions;
use kube_informer::transport::ApiSource;
use kube_informer::{InformerOptions, SharedInformer};
use parking_lot::Mutex;
use support::server::PodServer;

fn spent() -> Duration {
    support::time_of(rustix::time::ClockId::ThreadCPUTime)
}

fn main() {
    println!("| | turns | median | p99 | p99.9 | longest | over 1 ms |");
    println!("|---|---|---|---|---|---|---|");
    for total in [support::pods().min(50_000), support::pods().min(100_000)] {
        for (name, protobuf) in [("JSON", false), ("protobuf", true)] {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let server = PodServer::new(total, protobuf);
            for (what, waits) in runtime.block_on(measure(&server)) {
                report(&format!("{total} pods, {name}, {what}"), waits);
            }
        }
    }
}

fn report(what: &str, mut waits: Vec<Duration>) {
    waits.sort_unstable();
    let at = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize];
    let over = waits.iter().filter(|wait| **wait > Duration::from_millis(1)).count();
    let (median, p99, p999, longest) = (at(0.5), at(0.99), at(0.999), at(1.0));
    let turns = waits.len();
    println!(
        "| {what} | {turns} | {median:.0?} | {p99:.0?} | {p999:.0?} | {longest:.0?} | {over} |"
    );
}

async fn measure(server: &PodServer) -> Vec<(&'static str, Vec<Duration>)> {
    let waits = Arc::new(Mutex::new(Vec::with_capacity(1 << 20)));
    let record = waits.clone();
    let informer = Arc::new(informer(server));
    let (watched, tell) = (informer.clone(), std::env::var_os("LONG").is_some());
    let canary = tokio::spawn(async move {
        let mut last = spent();
        loop {
            support::next_turn().await;
            let wait = spent().saturating_sub(last);
            record.lock().push(wait);
            if tell && wait > Duration::from_millis(1) {
                let status = watched.status();
                let (at, stored, queued) = (status.reflector.state, status.objects, status.queued);
                let delivered = status.handlers[0].delivered;
                eprintln!("{wait:.1?}: {at:?}, {queued} queued, {stored} stored, {delivered} told");
            }
            last = spent();
        }
    });
    let quiet = async || {
        informer.wait_for_sync(Duration::from_secs(600)).await.unwrap();
        while informer.status().queued > 0 || informer.status().handlers[0].backlog > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    informer.start().unwrap();
    quiet().await;
    let first = std::mem::replace(&mut *waits.lock(), Vec::with_capacity(1 << 20));
    let version = server.expire().into();
    informer.wait_for(&version, Duration::from_secs(600)).await.unwrap();
    quiet().await;
    let again = std::mem::take(&mut *waits.lock());
    canary.abort();
    informer.shutdown().await;
    vec![("first list", first), ("relist, decoded", again)]
}

fn informer(server: &PodServer) -> SharedInformer<Pod> {
    let source = ApiSource::<Pod>::new(server.client()).trust_versions(false);
    let reflector = ReflectorOptions::new().on_error(|_| {}).transform(|pod: &mut Pod| {
        // Drops the largest fields, so that all pods fit into memory.
        pod.metadata.managed_fields = None;
        pod.spec = None;
    });
    let informer =
        SharedInformer::new(Arc::new(source), InformerOptions::new().reflector(reflector));
    informer.add_index("phase", |pod: &Pod| pod.status.as_ref()?.phase.clone()).unwrap();
    informer.on_event(drop).unwrap();
    informer
}
