//! Clusters that join, leave, change and fail at random moments.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fastrand::Rng;
use kube_controllers::clusters::{ClusterConfig, Clusters};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use parking_lot::Mutex;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::fleet::{Fleet, Seen};
use crate::helpers::{MS, S, server_with, until};

/// The number of functions that run for each cluster. It never exceeds one.
type Running = Arc<Mutex<BTreeMap<Arc<str>, usize>>>;

struct Runs(Running, Arc<str>);

impl Runs {
    fn begin(running: &Running, name: &Arc<str>) -> Self {
        let mut counts = running.lock();
        let count = counts.entry(name.clone()).or_default();
        *count += 1;
        assert_eq!(*count, 1, "{name} runs twice");
        Self(running.clone(), name.clone())
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        *self.0.lock().get_mut(&self.1).unwrap() -= 1;
    }
}

fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

async fn churn(seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let (fleet, noted, stop) = (Fleet::new(), Seen::default(), CancellationToken::new());
    let servers: Vec<ApiServer> = (0..8).map(|_| server_with(&["a"])).collect();
    let faults: Vec<Faults> = servers.iter().map(|_| Faults::new()).collect();
    let clusters = Clusters::builder(fleet.clone())
        .factory(|factory| factory.on_error(|_| ()))
        .grace(2 * S)
        .max_concurrent_lists(2)
        .build();
    let before = tasks();
    let (running, errs) = (Running::default(), Arc::new(AtomicUsize::new(0)));
    let (counted, erring) = (running.clone(), errs.clone());
    let (followed, token, following) = (clusters.clone(), stop.clone(), noted.clone());
    let task = tokio::spawn(async move {
        let follow = move |cluster: kube_controllers::clusters::Cluster| {
            let runs = Runs::begin(&counted, cluster.name());
            let fails = erring.fetch_add(1, Ordering::Relaxed) % 7 == 6;
            let maps = following.clone();
            async move {
                let _runs = runs;
                if fails {
                    sleep(3 * S).await;
                    return Err("by design".into());
                }
                maps.follow(cluster).await
            }
        };
        followed.run(token, follow).await;
    });
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..200 {
        let number = rng.usize(..servers.len());
        let name = format!("c{number}");
        match rng.u32(..5) {
            0 | 1 => {
                let client = faults[number].client(servers[number].client());
                let revision = rng.u32(..3).to_string();
                let config = ClusterConfig::new(revision, move || {
                    let client = client.clone();
                    async move {
                        sleep(100 * MS).await;
                        Ok(client)
                    }
                });
                fleet.add(&name, config);
                wanted.insert(name, number);
            }
            2 => {
                fleet.leave(&name);
                wanted.remove(&name);
            }
            3 => {
                let injection = match rng.u32(..3) {
                    0 => Injection::black_hole(),
                    1 => Injection::refuse(),
                    _ => Injection::status(500),
                };
                faults[number].inject(Requests::all(), injection);
                faults[number].cut_now();
            }
            _ => faults[number].clear(),
        }
        sleep(rng.u32(..2_000) * MS).await;
    }
    for faults in &faults {
        faults.clear();
        faults.cut_now();
    }
    until("the wanted clusters", || {
        let status = clusters.status();
        let names: Vec<_> = status.iter().map(|one| one.name.to_string()).collect();
        let joined = |one: &kube_controllers::clusters::ClusterStatus| {
            one.synced() && one.informers.len() == 1
        };
        names.iter().eq(wanted.keys()) && status.iter().all(joined)
    })
    .await;
    for (name, number) in &wanted {
        // Each reads its own server.
        let marker = format!("last-{number}");
        servers[*number].create(&crate::helpers::map(&marker, "1")).unwrap();
        let entry = format!("shop/{marker} in {name}");
        until("its change", || noted.all().contains(&entry)).await;
    }
    stop.cancel();
    task.await.unwrap();
    assert!(running.lock().values().all(|count| *count == 0) && clusters.status().is_empty());
    // Each client has a task.
    drop((fleet, clusters));
    until("the end of all tasks", || tasks() <= before).await;
}

#[tokio::test(start_paused = true)]
async fn present_clusters_are_the_wanted_ones_after_churn() {
    for seed in 0..12 {
        churn(seed).await;
    }
}
