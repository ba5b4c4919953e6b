//! Scenarios and explorations: miniatures of published bugs, a controller of kube-runtime, and
//! examples.

#![allow(clippy::duplicate_mod, reason = "examples share a module")]

mod alike;
mod bugs;
mod crd_controller;
mod default_deny;
mod disturbances;
#[path = "../../../../tests/helpers/draws.rs"]
mod draws;
mod kept;
mod kept_shards;
mod left_out;
mod operator;
mod order;
mod ports;
mod runtime;
mod sample_controller;
mod scenarios;
mod scheduler;
mod secret_replicator;
mod sharded;
mod verdicts;
mod webhooks;
