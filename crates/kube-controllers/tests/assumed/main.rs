//! Small worlds, in simulated time, of one process that reads its own writes through an
//! `AssumedView`: behind a cache that lags, with answers that are lost, conflicts with another
//! writer, deletes, writes that are assumed and never made, and clusters restored from a backup.
//!
//! A reader never goes back: what it reads of an object is never older than what it read before,
//! unless that was assumed and not written. A write that was answered is read at once. At rest,
//! nothing is assumed, and the view shows what the server has.
//!
//! A world is made from a seed. One that fails says so; `ASSUMED_SEED=n` plays it again, alone, and
//! `ASSUMED_SEEDS=n` plays so many instead of the usual ones.

mod basics;
#[path = "../views/cache.rs"]
mod cache;
mod ledger;
#[path = "../../../../tests/convergence/seeds.rs"]
mod seeds;
#[path = "../sharding/tally.rs"]
mod tally;
mod versions;
mod views;
mod world;

use tally::Tally;
use world::play;

/// The number that finds rare faults is 2,000.
const SEEDS: u64 = 13;

#[test]
fn reader_of_assumed_writes_never_goes_back() {
    let mut all = Tally::default();
    let played = seeds::play_all("ASSUMED", SEEDS, play);
    for one in &played {
        all.add(one);
    }
    println!("{all:?}");
    if played.len() as u64 >= SEEDS {
        all.assert_saw(&[
            "answered",
            "assumed",
            "conflict",
            "cut",
            "deleted",
            "expired",
            "forgotten",
            "lag",
            "lost answer",
            "lost request",
            "read ahead of the store",
            "restore",
            "written by another",
        ]);
    }
}
