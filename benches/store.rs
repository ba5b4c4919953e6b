//! Reads of a quiet store: by key and by index, beside hash maps under locks.
//! `cargo bench --bench store`; `PODS=1000` for a quick look.
//!
//! `cargo bench --bench store -- --steps 9` times each kind of write and read instead, of small
//! objects with three indexes, in nine rounds. `--steps 0` is for callgrind: with
//! `--collect-atstart=no --toggle-collect='*measured' --dump-after='*measured'` it leaves a file
//! with the instructions of each step, in their order.

mod support;
#[path = "support/things.rs"]
mod things;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, criterion_group};
use kube_informer::ObjectKey;

fn reads(c: &mut Criterion) {
    let pods: Vec<_> = (0..support::pods())
        .map(|n| {
            let pod = Arc::new(support::pod(n));
            (ObjectKey::of(&*pod).unwrap(), pod)
        })
        .collect();
    let stores = support::stores(&pods);
    // Cold: far apart, so that each touches memory that no cache holds. Warm: a few in turn.
    for (what, count) in [("cold", 10_000), ("warm", 64)] {
        let keys: Vec<_> = (0..count).map(|n| &pods[n * 7919 % pods.len()].0).collect();
        let mut group = c.benchmark_group(format!("get by key, {what}"));
        for store in &stores {
            let mut next = keys.iter().cycle();
            group.bench_function(BenchmarkId::from_parameter(store.name()), |b| {
                b.iter(|| black_box(store.get(next.next().unwrap())));
            });
        }
        group.finish();
    }
    for (what, count) in [("cold", pods.len() / support::POD_PER_NODE), ("warm", 4)] {
        let nodes: Vec<_> = (0..count).map(|n| format!("node-{n}")).collect();
        let mut group = c.benchmark_group(format!("100 objects by index, {what}"));
        for store in &stores {
            let mut next = nodes.iter().cycle();
            group.bench_function(BenchmarkId::from_parameter(store.name()), |b| {
                b.iter(|| black_box(store.by_node(next.next().unwrap())));
            });
        }
        group.finish();
    }
    let mut group = c.benchmark_group("one write transaction");
    for store in &stores {
        let mut next = pods.iter().cycle();
        group.bench_function(BenchmarkId::from_parameter(store.name()), |b| {
            b.iter(|| {
                let (key, pod) = next.next().unwrap();
                store.put(key, pod)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, reads);

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--steps");
    if arguments.next().is_some() {
        let rounds = arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(1);
        things::measure(support::pods(), rounds);
    } else {
        benches();
        Criterion::default().configure_from_args().final_summary();
    }
}
