//! Temporary.
#![allow(unused, missing_docs, clippy::all)]
#[path = "helpers/mod.rs"]
mod helpers;
#[path = "../examples/support/prometheus.rs"]
mod prometheus;
#[path = "suite/controller/content.rs"]
mod content;
#[path = "suite/examples/support.rs"]
mod support;
#[path = "suite/examples/scheduler.rs"]
mod scheduler;
