//! The crate through its public face, a module a subject. Modules share one process: none of them
//! may set a variable, a panic hook or anything else that is the whole process's. A test that must
//! do so belongs into `alone`.

#![allow(clippy::duplicate_mod, reason = "each example brings what it shares with others")]

mod controller;
mod dashboard;
mod examples;
mod groups;
#[path = "../helpers/mod.rs"]
#[expect(dead_code, unused_imports, reason = "other programs use the rest")]
mod helpers;
#[path = "../../../../tests/helpers/http.rs"]
mod http;
mod leader_election;
mod manager;
mod metrics;
mod names;
mod removing;
#[path = "../../../../src/seeds.rs"]
mod seeds;
mod sharding;
mod telling;
mod writing;
