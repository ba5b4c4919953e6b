//! Controllers under user code that panics, blocks and drops.

mod absent;
mod backoff;
mod edges;
mod groups;
mod keys;
mod leading;
mod own_writes;
mod panics;
mod stopping;
#[allow(dead_code, reason = "a part of it")]
#[path = "../../suite/controller/support.rs"]
mod support;
mod telling;
