//! Applies, statuses, owners and events, seen from outside.

mod access;
mod apply;
mod conflicts;
mod events;
mod histories;
mod refusals;
mod rest;
mod status;
mod support;
