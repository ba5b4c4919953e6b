//! A thousand informers and one scarce server, in simulated time.
//!
//! The server has a bounded number of seats and a bounded queue. A request without a place gets 429
//! with `Retry-After`, as by priority and fairness. All informers start at the same moment. Later
//! the server is lost, and comes back. It then knows the versions of all watches, of some, or of
//! none: a watch of an unknown version is answered with 410, so its informer needs a list.
//!
//! The tests bound the time until every informer is fresh, the longest wait of one, and the number
//! of refused requests. They also check that `Retry-After` is honoured.
//!
//! A world is made from a seed. One that fails says so; `HERD_SEED=n` plays it again, alone, and
//! `HERD_SEEDS=n` plays so many instead of the usual ones.

mod herd;
#[path = "../convergence/seeds.rs"]
mod seeds;
mod server;

use herd::{Figures, play};

/// The number that finds rare faults is 2,000.
const SEEDS: u64 = 6;

#[test]
fn scarce_server_gets_no_stampede() {
    let played = seeds::play_all("HERD", SEEDS, play);
    for figures in &played {
        println!("{figures}");
        figures.assert_bounds();
    }
    let outages = |of: fn(&Figures) -> bool| played.iter().filter(|one| of(one)).count();
    if played.len() as u64 >= SEEDS {
        assert!(outages(|one| one.back.refused > 0) > 0, "no server was too busy");
        assert!(outages(|one| one.lost == 0) > 0, "no server remembered every watch");
        assert!(outages(|one| one.lost == 100) > 0, "no server forgot every watch");
    }
}
