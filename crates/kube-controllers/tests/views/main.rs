//! Small worlds of processes in simulated time, each behind a replica of the API server whose cache
//! may lag behind. The processes are killed, stopped, partitioned, and take over from each other:
//! one after the other, by leader election, or slot by slot.
//!
//! No reconcile of a key is handed an object that is older than one which an earlier reconcile of
//! that key was handed. Earlier is one that ended, or was fenced, before the other began. The same
//! is true of the dependent that a reconcile reads in another informer.
//!
//! In some worlds the cluster is restored from a backup. Then every view of the time after it is
//! newer than every view of the time before. Replicas that share Leases must not run meanwhile, so
//! these are killed before.
//!
//! A world is made from a seed. One that fails says so; `VIEWS_SEED=n` plays it again, alone, and
//! `VIEWS_SEEDS=n` plays so many instead of the usual ones.

mod cache;
mod ledger;
mod process;
#[path = "../../../../tests/convergence/seeds.rs"]
mod seeds;
#[path = "../sharding/tally.rs"]
mod tally;
mod world;

use tally::Tally;
use world::play;

/// The number that finds rare faults is 2,000.
const SEEDS: u64 = 25;

#[test]
fn no_reconcile_is_handed_an_older_view() {
    let mut all = Tally::default();
    let played = seeds::play_all("VIEWS", SEEDS, play);
    for one in &played {
        all.add(one);
    }
    println!("{all:?}");
    if played.len() as u64 >= SEEDS {
        all.assert_saw(&[
            "kill",
            "stop",
            "cut",
            "relist",
            "start behind lag",
            "reconcile",
            "taken over",
            "restore",
            "restore under one at work",
        ]);
    }
}
