//! What tests and examples stand on when there is no cluster.
//!
//! [`FakeSource`] takes the place of the API server behind the
//! [`ListerWatcher`](crate::lister_watcher::ListerWatcher) seam: objects, versions and faults on
//! command, in memory. Nothing here is used by the stages.

mod fake_source;

pub use fake_source::{Asking, FakeSource, WatchEnd};
