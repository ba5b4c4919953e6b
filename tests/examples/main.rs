//! Each example runs on the embedded API server, under paused time, and does what it says.

#![cfg(all(feature = "metrics", feature = "testing"))]

mod pod_watcher;
mod support;
