//! Parts of the crate under many interleavings of the tasks that share them.
//!
//! `RUSTC_WORKSPACE_WRAPPER=.ci/with-schedules cargo test --lib schedules::` builds the unit tests
//! with locks and wake-ups of [`sync`](crate::sync) that yield to a scheduler. Each scenario runs
//! under random schedules, and under schedules of a few far-reaching preemptions (PCT). A lost
//! wake-up shows as a deadlock: no task can run, though there is work. Time is simulated and passes
//! only when a scenario advances it.
//!
//! `SCHEDULES=n` sets the number of schedules, and `SCHEDULES_SEED=n` sets the seed. A failure
//! prints its seed, and the schedule for `shuttle::replay`.

mod fifo;
mod handlers;
#[cfg(feature = "compact")]
mod packed;
mod play;
mod store;
mod workqueue;

use self::play::{join_all, run_scenario, spawn, spawn_waiter};
