//! Scenarios that have to hold on every server.

mod faults;
mod following;
mod populating;
mod queueing;
mod sharing;

use futures::FutureExt;

use super::harness::{Scenario, scenarios};

/// Those that leave one another alone, each with its name.
pub(crate) const SCENARIOS: &[(&str, Scenario)] = scenarios![
    populating::a_list_fills_the_store,
    populating::a_stream_fills_the_store,
    populating::a_compressed_stream_fills_the_store,
    populating::pages_fill_the_store,
    populating::several_informers_agree,
    populating::metadata_alone_is_followed,
    following::handlers_see_creates_updates_and_deletes,
    following::objects_enter_and_leave_a_label_selector,
    following::objects_enter_and_leave_a_field_selector,
    following::recreating_is_a_delete_and_an_add,
    following::cluster_scoped_objects_have_no_namespace,
    following::a_writer_reads_what_it_wrote,
    following::a_watch_that_ends_in_order_goes_on,
    following::a_large_quiet_kind_is_proved_without_a_list,
    faults::a_cut_watch_goes_on_where_it_was,
    faults::a_removed_definition_comes_back,
    faults::shutdown_leaves_nothing,
    queueing::a_work_queue_gets_each_key,
    sharing::a_shard_moves_between_informers,
];

/// Those after which the whole server has forgotten its history.
pub(crate) const FORGETTING: &[(&str, Scenario)] =
    scenarios![populating::an_expired_page_says_so, faults::lost_history_loses_no_delete];
