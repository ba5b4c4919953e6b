//! Tests that need a process to themselves: they count what it allocates, or read its log. Each has
//! one, as many at a time as there are cores. `cargo test --test alone` takes the usual filters.

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
use std::num::NonZero;
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
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
    // First, because it takes longest.
    ("turns", turns::longest_turn_of_a_list_is_the_same_at_any_size),
    ("allocations", allocations::objects_cost_no_more_allocations_than_they_did),
    #[cfg(feature = "compact")]
    ("compact_memory", compact_memory::packed_objects_and_their_list_stay_small),
    ("decode_cost", decode_cost::decoding_a_pod_stays_within_its_bounds),
    ("endless", endless::endless_answer_is_held_only_in_part),
    ("interests", interests::thousand_interests_leave_no_memory),
    ("manager_metrics", manager::manager_serves_metrics_of_informers_made_before_it),
    ("manager_signals", manager::signals_stop_a_manager),
    ("many", many::thousand_idle_informers_cost_little),
    ("memory", memory::keeping_costs_little_and_deleting_frees),
    ("plain_informer", plain_informer::plain_informer_warns_of_a_transform),
    ("queue_steps", queue_steps::longest_call_of_a_queue_is_the_same_at_any_size),
    ("reconcile_spans", spans::a_reconcile_says_of_which_try_its_lines_are),
    ("secret_log", secret_log::no_log_or_metric_shows_secret_data),
    ("signals", signals::examples_end_at_sigterm),
    ("slim_cache", slim_cache::each_slimmer_form_takes_less_memory),
    ("spans", spans::spans_name_resource_namespace_and_version),
];

fn main() -> ExitCode {
    let arguments = Arguments::parse(std::env::args().skip(1));
    let wanted: Vec<_> = TESTS.iter().filter(|(name, _)| arguments.wants(name)).collect();
    if arguments.list {
        for (name, _) in wanted {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    if let [(name, test)] = wanted[..] {
        test();
        println!("\ntest {name} ... ok\n");
        return ExitCode::SUCCESS;
    }
    println!();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get).min(wanted.len()) {
            scope.spawn(|| {
                while let Some((name, _)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if !passes(name) {
                        failed.lock().unwrap().push(*name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    let (result, passed) =
        (if failed.is_empty() { "ok" } else { "FAILED" }, wanted.len() - failed.len());
    println!("\ntest result: {result}. {passed} passed; {} failed {failed:?}\n", failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one test in a process of its own. Prints its output if it fails.
fn passes(name: &str) -> bool {
    let begun = Instant::now();
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).args(["--exact", name]).output().unwrap();
    let took = begun.elapsed().as_secs_f32();
    if output.status.success() {
        println!("test {name} ... ok ({took:.1} s)");
        return true;
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    println!("test {name} ... FAILED ({took:.1} s, {})\n{stdout}{stderr}", output.status);
    false
}
