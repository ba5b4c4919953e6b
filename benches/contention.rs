//! One writer while 64 readers list everything in a loop, beside hash maps under locks.
//! `cargo bench --bench contention`; `PODS=1000` for a quick look.
//!
//! A write's wait is the time before it may begin plus the time to publish it, measured around just
//! these. Threads outnumber cores, so now and then a wait also holds the time in which the writer
//! had no core; that is the scheduler's, not a reader's, and shows in the maximum rather than in
//! p99.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "figures for people to read"
)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kube_informer::ObjectKey;

const READERS: usize = 64;
const LASTS: Duration = Duration::from_secs(5);

fn main() {
    let total = support::pods();
    let pods: Vec<_> = (0..total)
        .map(|n| {
            let pod = Arc::new(support::bare_pod(n, n as u64 + 1));
            (ObjectKey::of(&*pod).unwrap(), pod)
        })
        .collect();
    println!("{total} pods, {READERS} readers listing all of them, one writer, {LASTS:?} each\n");
    println!(
        "| structure | writes/s | lists/s | wait p50 | wait p99 | wait max | time lost waiting |"
    );
    println!("|---|---|---|---|---|---|---|");
    for store in support::stores(&pods) {
        let (done, lists) = (AtomicBool::new(false), AtomicU64::new(0));
        let mut waits = std::thread::scope(|scope| {
            for _ in 0..READERS {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        std::hint::black_box(store.list());
                        lists.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let mut waits = Vec::new();
            let start = Instant::now();
            for (key, pod) in pods.iter().cycle() {
                if start.elapsed() > LASTS {
                    break;
                }
                waits.push(store.put(key, pod));
            }
            done.store(true, Ordering::Relaxed);
            waits
        });
        waits.sort_unstable();
        let at = |share: f64| {
            let last = waits.len().saturating_sub(1);
            waits.get((last as f64 * share) as usize).copied().unwrap_or_default()
        };
        println!(
            "| {} | {:.0} | {:.0} | {:?} | {:?} | {:?} | {:.0} % |",
            store.name(),
            waits.len() as f64 / LASTS.as_secs_f64(),
            lists.load(Ordering::Relaxed) as f64 / LASTS.as_secs_f64(),
            at(0.5),
            at(0.99),
            at(1.0),
            100.0 * waits.iter().sum::<Duration>().as_secs_f64() / LASTS.as_secs_f64()
        );
    }
}
