//! Small worlds of replicas in simulated time: they share the objects of one server through a
//! sharding, and are killed, partitioned, slowed down, stopped, replaced.
//!
//! At each step, a key is reconciled by one replica only, and that replica holds its slot on the
//! server. At the end, everything is reconciled, and every object is in one replica's store.
//!
//! A world is made from a seed. One that fails says so; `SHARDING_SEED=n` plays it again, alone,
//! and `SHARDING_SEEDS=n` plays so many instead of the usual ones.

mod ledger;
mod replica;
#[path = "../../../../tests/convergence/seeds.rs"]
mod seeds;
mod tally;
mod world;

use tally::Tally;
use world::play;

/// Each world takes a second or more. The number that finds rare faults is 2,000.
const SEEDS: u64 = 2;

#[test]
fn objects_are_reconciled_by_their_owner_alone() {
    let mut all = Tally::default();
    let played = seeds::play_all("SHARDING", SEEDS, play);
    for one in &played {
        all.add(one);
    }
    println!("{all:?}");
    if played.len() as u64 >= SEEDS {
        all.assert_saw(&[
            "kill",
            "cut",
            "slow",
            "stop",
            "start",
            "moved",
            "reconcile",
            "lost session",
        ]);
    }
}
