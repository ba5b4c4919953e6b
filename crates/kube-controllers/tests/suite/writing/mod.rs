//! Applies, statuses, owners and events, seen from outside.

mod access;
mod apply;
mod clock;
mod conflicts;
mod events;
mod folded;
mod hidden;
mod histories;
mod kinds_of_lists;
mod lenient;
mod order;
mod partial;
mod refusals;
mod rest;
mod secrecy;
mod shapes;
mod status;
mod support;
mod versions;
