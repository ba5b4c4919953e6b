//! Restarts with kept caches, against the embedded server.

#[path = "../../../../tests/helpers/draws.rs"]
mod draws;
mod example;
mod faults;
mod kills;
mod starts;
mod tables;
mod world;
