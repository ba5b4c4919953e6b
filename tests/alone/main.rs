//! Tests that need a process to themselves: they count what it allocates, or read its log. Each has
//! one, as many at a time as there are cores. `cargo test --test alone` takes the usual filters.

#![allow(clippy::duplicate_mod, reason = "each example brings what it shares with others")]

mod allocations;
#[cfg(feature = "compact")]
mod compact_memory;
mod decode_cost;
mod endless;
mod interests;
#[cfg(feature = "kube-runtime")]
mod kube_runtime;
#[path = "../helpers/log.rs"]
mod log;
mod memory;
mod plain_informer;
#[path = "../helpers/protobuf.rs"]
mod protobuf;
mod queue_steps;
mod runner;
mod signals;
mod slim_cache;
mod spans;
#[path = "../helpers/turn.rs"]
mod turn;
mod turns;

use std::process::ExitCode;

use self::runner::{COUNTED, in_use};

const TESTS: &[(&str, fn())] = &[
    // First, because it takes longest.
    ("turns", turns::longest_turn_of_a_list_is_the_same_at_any_size),
    ("allocations", allocations::objects_cost_no_more_allocations_than_they_did),
    #[cfg(feature = "compact")]
    ("compact_memory", compact_memory::packed_objects_and_their_list_stay_small),
    ("decode_cost", decode_cost::decoding_a_pod_stays_within_its_bounds),
    ("endless", endless::endless_answer_is_held_only_in_part),
    ("interests", interests::thousand_interests_leave_no_memory),
    #[cfg(feature = "kube-runtime")]
    ("kube_runtime", kube_runtime::fed_store_costs_a_second_cache),
    ("memory", memory::keeping_costs_little_and_deleting_frees),
    ("plain_informer", plain_informer::plain_informer_warns_of_a_transform),
    ("queue_steps", queue_steps::longest_call_of_a_queue_is_the_same_at_any_size),
    ("signals", signals::examples_end_at_sigterm),
    ("slim_cache", slim_cache::each_slimmer_form_takes_less_memory),
    ("spans", spans::spans_name_resource_namespace_and_version),
];

fn main() -> ExitCode {
    runner::run(TESTS)
}
