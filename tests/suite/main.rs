//! The crate through its public face, a module a subject. Modules share one process: none of them
//! may set a variable, a panic hook or anything else that is the whole process's. A test that must
//! do so belongs into `tests/alone`.

#![cfg(feature = "testing")]
#![allow(clippy::duplicate_mod, reason = "each example brings what it shares with others")]

mod api_server;
mod audit;
#[cfg(feature = "compact")]
mod compact;
mod delta_fifo;
#[cfg(feature = "metrics")]
mod examples;
mod factory;
mod faults;
/// The same tests where the server speaks protobuf.
#[path = "faults/mod.rs"]
mod faults_protobuf;
mod following;
#[cfg(feature = "kube-runtime")]
mod for_kube_runtime;
mod fuzz_corpus;
mod groups;
#[path = "../helpers/mod.rs"]
#[expect(dead_code, reason = "other programs use the rest")]
mod helpers;
mod indexer;
mod informer;
mod labels;
mod named;
mod protobuf;
mod protobuf_source;
mod quiet_kinds;
mod reflector;
mod relist;
mod removing;
mod renewing;
mod replay;
#[path = "../../src/seeds.rs"]
mod seeds;
mod shards;
mod slow_user_code;
mod soak;
mod status;
mod telling;
mod transcripts;
mod turns;
mod views;
mod workqueue;
