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
#[path = "../../../../tests/cluster/rig.rs"]
#[expect(dead_code, reason = "the informer's program of this name uses the rest")]
mod rig;
mod scenarios;
mod webhooks;
#[path = "../../../../tests/cluster/widgets.rs"]
#[expect(dead_code, reason = "the informer's program of this name uses the rest")]
mod widgets;

use std::process::ExitCode;

use harness::{Scenario, Trial};
use scenarios::SCENARIOS;

/// No scenario makes the whole server forget its history.
const FORGETTING: &[(&str, Scenario)] = &[];

/// No test has a limit of its own.
fn trial_limit() -> std::time::Duration {
    harness::LIMIT
}

/// Returns the trials that each run on a separate server.
fn trials() -> impl Iterator<Item = &'static (&'static str, Trial)> {
    webhooks::TRIALS.iter()
}

fn main() -> ExitCode {
    harness::main()
}
