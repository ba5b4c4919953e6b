//! Parts of the crate under many interleavings of the tasks that share them, as in `kube-informer`.
//!
//! Only this crate's locks yield to the scheduler. Those of the informer are the usual ones.

mod own_writes;
#[path = "../../../../src/schedules/play.rs"]
mod play;

use self::play::{join_all, run_scenario, spawn, spawn_waiter};
