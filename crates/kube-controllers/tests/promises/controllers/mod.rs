//! Controllers under user code that panics, blocks and drops.

mod absent;
mod backoff;
mod drops;
mod edges;
mod groups;
mod histories;
mod hot;
mod keys;
mod late;
mod leading;
mod lost_answers;
mod other_answers;
mod own_writes;
mod panics;
mod restarts;
mod rules;
mod stopping;
mod takeover;
mod telling;
mod tracked;
