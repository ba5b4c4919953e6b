//! Controllers against the embedded API server, under paused time.

mod confirming;
mod failing;
mod finalizing;
mod late_watches;
mod leading;
#[cfg(feature = "metrics")]
mod metrics;
mod own_writes;
mod packed;
mod requests;
mod running;
mod sharded;
mod sources;
pub(crate) mod support;
mod tracking;
