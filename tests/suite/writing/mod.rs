//! Applies, statuses, owners and events, seen from outside.

mod access;
mod apply;
mod conflicts;
mod events;
mod histories;
#[path = "../controller/late_watches.rs"]
mod late_watches;
mod refusals;
mod rest;
mod status;
mod support;
