//! Tests that need a process to themselves: they count what it allocates, or read its log. They run
//! one after another, on one thread. `cargo test --test alone` takes the usual filters.

#![allow(clippy::duplicate_mod, reason = "each example brings what it shares with others")]

mod allocations;
#[path = "../cluster/arguments.rs"]
mod arguments;
#[cfg(feature = "compact")]
mod compact_memory;
mod decode_cost;
mod endless;
#[path = "../helpers/http.rs"]
mod http;
mod interests;
#[path = "../helpers/log.rs"]
mod log;
mod manager;
mod many;
mod memory;
mod plain_informer;
#[path = "../helpers/protobuf.rs"]
mod protobuf;
mod queue_steps;
mod secret_log;
mod signals;
mod slim_cache;
mod spans;
#[path = "../helpers/turn.rs"]
mod turn;
mod turns;

use std::alloc::System;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::Instant;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use self::arguments::Arguments;

/// Counts what this process allocates. The example `slim_cache` makes it the allocator.
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The bytes that are allocated now.
fn in_use() -> usize {
    let stats = COUNTED.stats();
    // These figures include reallocations.
    stats.bytes_allocated.saturating_sub(stats.bytes_deallocated)
}

const TESTS: &[(&str, fn())] = &[
    ("allocations", allocations::objects_cost_no_more_allocations_than_they_did),
    #[cfg(feature = "compact")]
    ("compact_memory", compact_memory::packed_objects_and_their_list_stay_small),
    ("decode_cost", decode_cost::decoding_a_pod_stays_within_its_bounds),
    ("endless", endless::endless_answer_is_held_only_in_part),
    ("interests", interests::thousand_interests_leave_no_memory),
    ("manager_signals", manager::signals_stop_a_manager),
    ("many", many::thousand_idle_informers_cost_little),
    ("memory", memory::keeping_costs_little_and_deleting_frees),
    ("plain_informer", plain_informer::plain_informer_warns_of_a_transform),
    ("queue_steps", queue_steps::longest_call_of_a_queue_is_the_same_at_any_size),
    ("secret_log", secret_log::no_log_or_metric_shows_secret_data),
    ("signals", signals::examples_end_at_sigterm),
    ("slim_cache", slim_cache::each_slimmer_form_takes_less_memory),
    ("reconcile_spans", spans::a_reconcile_says_of_which_try_its_lines_are),
    ("spans", spans::spans_name_resource_namespace_and_version),
    ("turns", turns::longest_turn_of_a_list_is_the_same_at_any_size),
    // Last, because it installs a recorder for the rest of the process.
    ("manager_metrics", manager::manager_serves_metrics_of_informers_made_before_it),
];

fn main() -> ExitCode {
    let arguments = Arguments::parse(std::env::args().skip(1));
    let wanted = TESTS.iter().filter(|(name, _)| arguments.wants(name));
    if arguments.list {
        wanted.for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    println!();
    let (mut passed, mut failed) = (0, Vec::new());
    for (name, test) in wanted {
        let begun = Instant::now();
        let outcome = catch_unwind(test);
        let result = if outcome.is_ok() { "ok" } else { "FAILED" };
        println!("test {name} ... {result} ({:.1} s)", begun.elapsed().as_secs_f32());
        match outcome {
            Ok(()) => passed += 1,
            Err(_) => failed.push(*name),
        }
    }
    let result = if failed.is_empty() { "ok" } else { "FAILED" };
    println!("\ntest result: {result}. {passed} passed; {} failed {failed:?}\n", failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
