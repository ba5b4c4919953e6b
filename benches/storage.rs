//! Compact storage: bytes of a packed pod, and what packing and reading cost beside decoding.
//! `cargo bench --bench storage`; under callgrind, `-- --profile-time 1 pack` and the like.

#[path = "peers/pods.rs"]
#[allow(dead_code, clippy::format_push_string, clippy::expect_used, reason = "the comparison's")]
mod pods;

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use k8s_openapi::api::core::v1::Pod;
use kube_informer::{Cached, Storage};

const PODS: u64 = 500;

/// The bytes a server sends, and what they are.
fn pods(strip: bool) -> Vec<(Vec<u8>, Pod)> {
    let pod = |n: u64| {
        let mut pod: Pod =
            serde_json::from_value(serde_json::to_value(pods::pod(1, n * 25, 0)).unwrap()).unwrap();
        pod.metadata.uid = Some(format!("{n:036}"));
        pod.metadata.resource_version = Some(n.to_string());
        if strip {
            pod.metadata.managed_fields = None;
        }
        (serde_json::to_vec(&pod).unwrap(), pod)
    };
    (0..PODS).map(pod).collect()
}

fn packed(cached: Cached<Pod>) -> Cached<Pod> {
    assert!(cached.is_packed(), "kept decoded");
    cached
}

fn storage(c: &mut Criterion) {
    for (what, strip) in [("whole", false), ("no managedFields", true)] {
        let pods = pods(strip);
        // Without an informer, nothing stays unpacked that nobody holds.
        let cold = Storage::<Pod>::compact().packer("pods");
        let objects: Vec<_> = pods.iter().map(|(_, pod)| packed(cold.pack(pod.clone()))).collect();
        let held: Vec<_> = pods.iter().map(|(_, pod)| packed(cold.pack(pod.clone()))).collect();
        let _users: Vec<_> = held.iter().map(Cached::get).collect();
        let mut group = c.benchmark_group("a pod");
        let mut next = pods.iter().cycle();
        group.bench_function(BenchmarkId::new("decode JSON", what), |b| {
            b.iter(|| serde_json::from_slice::<Pod>(&next.next().unwrap().0).unwrap());
        });
        group.bench_function(BenchmarkId::new("pack", what), |b| {
            let pod = || next.next().unwrap().1.clone();
            // With the freeing of what was packed: that is part of it.
            b.iter_batched(pod, |pod| cold.pack(pod), BatchSize::LargeInput);
        });
        let mut next = objects.iter().cycle();
        group.bench_function(BenchmarkId::new("read, packed", what), |b| {
            b.iter(|| next.next().unwrap().get().unwrap());
        });
        let mut next = held.iter().cycle();
        group.bench_function(BenchmarkId::new("read, held", what), |b| {
            b.iter(|| black_box(next.next().unwrap().get().unwrap()));
        });
        group.finish();
    }
}

criterion_group!(benches, storage);
criterion_main!(benches);
