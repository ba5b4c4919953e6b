//! Restarts with kept caches, against the embedded server.

#[path = "../../../../tests/coming_and_going/definitions.rs"]
#[allow(dead_code, reason = "the informer's program uses the rest")]
mod definitions;
mod example;
mod faults;
mod forms;
mod kills;
mod pending;
mod proofs;
#[path = "../../../../tests/convergence/seeds.rs"]
mod seeds;
mod served;
mod starts;
mod tables;
mod world;
