//! Each example runs on the embedded API server, under paused time, and does what it says.

#![cfg(all(feature = "metrics", feature = "testing"))]
#![allow(clippy::duplicate_mod, reason = "each example brings what it shares with others")]

mod crd_controller;
mod dynamic;
mod guide;
mod multi_namespace;
mod pod_watcher;
mod secret_replicator;
mod support;
