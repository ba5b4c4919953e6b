//! Tests that need a process to themselves: they count what it allocates, read its log, or get its
//! signals.

#[path = "../../../../tests/helpers/http.rs"]
mod http;
#[path = "../../../../tests/helpers/log.rs"]
mod log;
mod manager;
mod many;
#[path = "../../../../tests/alone/runner.rs"]
mod runner;
mod secret_log;
mod spans;

use std::alloc::System;
use std::process::ExitCode;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use self::runner::in_use;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const TESTS: &[(&str, fn())] = &[
    ("manager_metrics", manager::manager_serves_metrics_of_informers_made_before_it),
    ("manager_signals", manager::signals_stop_a_manager),
    ("many", many::thousand_idle_informers_cost_little),
    ("reconcile_spans", spans::a_reconcile_says_of_which_try_its_lines_are),
    ("secret_log", secret_log::no_log_or_metric_shows_secret_data),
];

fn main() -> ExitCode {
    runner::run(TESTS)
}
