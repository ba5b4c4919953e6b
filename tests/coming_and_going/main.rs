//! Informers that come and go at run time: with an interest, with a kind, with a namespace.

#![cfg(feature = "testing")]
#![allow(clippy::duplicate_mod, reason = "each program brings what it shares with others")]

#[path = "../helpers/mod.rs"]
#[expect(dead_code, unused_imports, reason = "`suite` uses the rest")]
mod helpers;
mod interests;
mod interests_model;
#[cfg(feature = "metrics")]
#[path = "../../examples/support/prometheus.rs"]
mod prometheus;
mod watches;
