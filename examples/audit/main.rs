//! Shows whether informers are right about a cluster: `cargo example audit -- --cluster`.
//!
//! Follows kinds for a while, only reading, compares each cache with the server once a minute, and
//! reports what it saw: objects, events, lists made again, audits, freshness, memory, requests.
//! `--kinds pods,deployments.apps` follows whole objects of these kinds; else the metadata of
//! every served kind. `--minutes 5` is how long. `--report DIR` also writes `audit.md` and
//! `memory.svg` there. Without `--cluster` it brings its own API server and ends by itself.

mod follow;
mod report;
#[path = "../support/mod.rs"]
mod support;

use std::alloc::System;
use std::path::PathBuf;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use self::follow::{Options, follow};

/// Counts what this process allocates, to measure decoded objects.
#[global_allocator]
static ALLOCATED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn in_use() -> usize {
    let stats = ALLOCATED.stats();
    stats.bytes_allocated.saturating_sub(stats.bytes_deallocated)
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let options = Options {
        kinds: argument("--kinds").map(|kinds| kinds.split(',').map(str::to_owned).collect()),
        duration: match argument("--minutes") {
            Some(minutes) => Duration::from_secs_f64(minutes.parse::<f64>()? * 60.0),
            None => Duration::from_secs(300),
        },
        between_audits: Duration::from_secs(60),
        in_use,
    };
    let say = |line| println!("{line}");
    let run = |client, stop| async move {
        let report = follow(client, &options, stop, say).await?;
        print!("\n{}", report.markdown());
        if let Some(directory) = argument("--report").map(PathBuf::from) {
            std::fs::write(directory.join("audit.md"), report.markdown())?;
            std::fs::write(directory.join("memory.svg"), report.chart())?;
        }
        match report.differences() {
            0 => Ok(()),
            differences => Err(format!("{differences} audits found a difference").into()),
        }
    };
    support::main(run, life).await
}

fn argument(name: &str) -> Option<String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name).skip(1);
    arguments.next()
}

/// Some objects that come, change and go.
async fn life(server: ApiServer) -> Result<(), BoxError> {
    for n in 0..200 {
        let metadata = ObjectMeta {
            namespace: Some("shop".into()),
            name: Some(format!("map-{}", n % 50)),
            ..ObjectMeta::default()
        };
        let data = Some([("key".to_owned(), n.to_string())].into());
        let map = ConfigMap { metadata, data, ..ConfigMap::default() };
        let _exists = server.create(&map);
        server.replace(&map)?;
        if n % 7 == 0 {
            server.delete(&map)?;
        }
        if n % 50 == 0 {
            support::moment().await;
        }
    }
    support::moment().await;
    Ok(())
}
