//! Scenarios that have to hold on every server.

mod leading;
mod reconciling;
mod sharing;
mod writing;

use futures::FutureExt;

use super::harness::{Scenario, scenarios};

/// Those that leave one another alone, each with its name.
pub(crate) const SCENARIOS: &[(&str, Scenario)] = scenarios![
    reconciling::a_controller_finalizes,
    leading::one_of_two_leads,
    sharing::replicas_share_and_take_over,
    writing::applies_are_sent_for_a_reason_only,
    writing::a_conflict_names_manager_and_field,
];
