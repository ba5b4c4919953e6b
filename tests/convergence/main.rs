//! Small worlds in simulated time: a server that is written to, informers behind random faults,
//! handlers that panic, dawdle, come and go. When the faults stop, everything must come right.
//!
//! A world is made from a seed. One that fails says so; `CONVERGENCE_SEED=n` plays it again, alone,
//! and `CONVERGENCE_SEEDS=n` plays so many instead of the usual ones. `COMINGS_SEED` and
//! `COMINGS_SEEDS` do so for worlds in which namespaces, definitions and references come and go.

#![cfg(feature = "testing")]

mod comings;
#[path = "../coming_and_going/definitions.rs"]
#[expect(dead_code, reason = "`coming_and_going` uses the rest")]
mod definitions;
mod handler;
mod object;
mod seeds;
mod tally;
mod world;

use tally::Tally;
use world::play;

const SEEDS: u64 = 125;

/// The worlds of namespaces, definitions and references that come and go.
const COMINGS: u64 = 25;

/// The message of a handler that panics on purpose.
const ON_PURPOSE: &str = "on purpose";

#[test]
fn everything_converges_after_the_faults() {
    keep_quiet_about_panics_on_purpose();
    let played = seeds::play_all("CONVERGENCE", SEEDS, play);
    let mut tally = Tally::default();
    for played in &played {
        tally.add(played);
    }
    println!("{tally}");
    if played.len() as u64 >= SEEDS {
        tally.assert_saw_everything();
    }
}

#[test]
fn what_comes_and_goes_converges_after_the_faults() {
    let played = seeds::play_all("COMINGS", COMINGS, comings::play);
    println!("{} changes", played.iter().sum::<usize>());
}

fn keep_quiet_about_panics_on_purpose() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload().downcast_ref::<&str>() != Some(&ON_PURPOSE) {
            usual(panic);
        }
    }));
}
