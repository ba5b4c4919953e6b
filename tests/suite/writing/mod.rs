//! Applies, statuses, owners and events, seen from outside.

mod apply;
mod conflicts;
#[cfg(feature = "events")]
mod events;
#[path = "../controller/late_watches.rs"]
mod late_watches;
mod refusals;
mod rest;
mod status;
mod support;
