//! Clusters that join and leave at run time.

#![allow(clippy::duplicate_mod, reason = "each program brings what it shares with others")]

#[path = "../helpers/mod.rs"]
#[expect(dead_code, unused_imports, reason = "`suite` uses the rest")]
mod helpers;
#[path = "../../../../tests/helpers/http.rs"]
mod http;

mod blocking;
mod broken;
mod churn;
mod contexts;
mod credentials;
mod fleet;
mod joining;
mod managed;
mod providers;
mod secrets;
mod sharded;
