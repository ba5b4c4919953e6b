//! Scenarios with controllers against each API server that the informer's program of this name has.
//! It takes the same arguments and variables.

#[path = "../../../../tests/cluster/arguments.rs"]
mod arguments;
#[path = "../../../../tests/cluster/backend.rs"]
#[expect(dead_code, reason = "the informer's program of this name uses the rest")]
mod backend;
#[path = "../../../../tests/cluster/go.rs"]
#[expect(dead_code, reason = "the informer's program of this name uses the rest")]
mod go;
#[path = "../../../../tests/cluster/harness.rs"]
mod harness;
#[path = "../../../../tests/cluster/line.rs"]
#[expect(dead_code, reason = "the informer's program of this name uses the rest")]
mod line;
mod restarts;
#[path = "../../../../tests/cluster/rig.rs"]
#[expect(dead_code, reason = "the informer's program of this name uses the rest")]
mod rig;
mod scenarios;
mod webhooks;
#[path = "../../../../tests/cluster/widgets.rs"]
mod widgets;

use std::process::ExitCode;

use harness::{Scenario, Trial};
use scenarios::SCENARIOS;

/// No scenario makes the whole server forget its history.
const FORGETTING: &[(&str, Scenario)] = &[];

/// Returns the longest time that a trial may take.
fn trial_limit() -> std::time::Duration {
    restarts::limit().max(harness::LIMIT)
}

/// Returns the trials that each run on a separate server.
fn trials() -> impl Iterator<Item = &'static (&'static str, Trial)> {
    webhooks::TRIALS.iter().chain(restarts::TRIALS)
}

fn main() -> ExitCode {
    // A test starts this program again, as one with kept caches.
    if let Some(orders) = restarts::orders() {
        return restarts::run(&orders);
    }
    harness::main()
}
