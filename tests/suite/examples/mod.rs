//! Each example runs on the embedded API server, under paused time, and does what it says.

mod audit;
mod clusters;
mod default_deny;
mod dynamic;
mod every_kind;
mod finalizer_page;
mod guide;
mod multi_namespace;
mod operator;
mod own_pipeline;
mod pod_watcher;
#[expect(clippy::unused_async, reason = "a page of the guide: a reconcile is async")]
mod reconcile_page;
mod referenced_secrets;
mod sharded;
mod support;
mod testing_page;
