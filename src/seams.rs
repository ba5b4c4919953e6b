//! The tools of the pipeline that `kube-controllers` uses, beside what is public. `kube-scenario`
//! uses some of them.
//!
//! Those crates import public paths and these names, and nothing else. They are no part of this
//! crate's interface: any release may change or remove them, so both name the exact version of
//! `kube-informer` that they go with.

// Maps of few entries: a tree for each pair of types costs the compiler ten times as much.
pub use crate::collections::vec_map::VecMap;
// Logs shorten an error that repeats, with the same mark.
pub use crate::error::clipped_to;
// A task's error stays typed, unless it may quote credentials.
pub use crate::error::credentials::told_without_credentials;
// An error of kube is passed on to users.
pub use crate::error::credentials::without_credentials;
// A controller follows the sets of a factory, whose informers come and go.
pub use crate::informer::set::InformerSet;
// Readiness waits for the same informers with a manager and without one.
pub use crate::informer::sync::wait_for_own;
// Each other set of futures would be compiled again for each type of future.
pub use crate::joining::Together;
// Metrics go through the handles that contain a recorder's panics: a counter.
pub use crate::metrics::facade::Count;
// A gauge whose owners add up.
pub use crate::metrics::facade::Level;
// The labels of these handles.
pub use crate::metrics::facade::MetricLabels;
// A histogram of durations.
pub use crate::metrics::facade::Timing;
// The server's recorder comes after informers, whose metrics wait for it.
#[cfg(feature = "metrics")]
pub use crate::metrics::late::bind;
// Up to a million keys wait, in a map that grows in short steps.
pub use crate::object::key::KeyMap;
// Owners and errors depend on whether a kind has namespaces.
pub use crate::object::reach::KindReach;
// Values of users may panic when they are dropped.
pub use crate::panic::SafeDrop;
// Drops of objects that panic are counted by informer.
pub use crate::panic::SafeDropper;
// User code may panic when it is called.
pub use crate::panic::caught::catch;
// It may panic when it is polled.
pub use crate::panic::caught::catch_async;
// It may panic when it is dropped.
pub use crate::panic::caught::drop_safely;
// A task's panic becomes text, and its payload may panic, too.
pub use crate::panic::caught::into_message;
// A deadline that no duration can overflow.
pub use crate::time::after;
// Paused time moves the times in objects, too, as it does on the test API server.
pub use crate::time::now;
// The factories of many clusters share one set of threads.
pub use crate::transport::decode_threads::DecodeThreads;
// Answers are never quoted in logs, and refusals keep their `Retry-After`.
pub use crate::transport::document::ask;
// A writer refuses names that would lead a request to another path, as a source does.
pub use crate::transport::collection::check_resource;
// The answer to a write is no larger than an object.
pub use crate::transport::document::read_body;
// A proof of an own write reads only metadata, which `ask` cannot request.
pub use crate::transport::document::read_document;
// An applier reads answers of its own, and quotes no body that is no `Status`.
pub use crate::transport::document::refusal;
// The cause of a 404 is in discovery, whose answers have traps.
pub use crate::transport::document::read_resources;
// Long loops let other tasks run, and rest as those of informers do.
pub use crate::yield_budget::YieldBudget;
