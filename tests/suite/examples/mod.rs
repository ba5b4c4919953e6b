//! Each example runs on the embedded API server, under paused time, and does what it says.

mod audit;
mod dynamic;
mod every_kind;
mod guide;
mod multi_namespace;
mod own_pipeline;
mod pod_watcher;
mod referenced_secrets;
mod support;
