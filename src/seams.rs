//! The tools of the pipeline that only the modules above it use, beside what is public.
//!
//! Controllers, electors, shardings, writers, managers and clusters import public paths and these
//! names, and nothing else.

// Maps of few entries: a tree for each pair of types costs the compiler ten times as much.
pub(crate) use crate::collections::VecMap;
// Logs shorten an error that repeats, in the same way.
pub(crate) use crate::error::clipped_to;
// A task's error stays typed, unless it may quote credentials.
#[cfg(feature = "manager")]
pub(crate) use crate::error::told_without_credentials;
// An error of kube is passed on to users.
pub(crate) use crate::error::without_credentials;
// A controller follows the sets of a factory, whose informers come and go.
pub(crate) use crate::informer::InformerSet;
// Readiness waits for the same informers with a manager and without one.
#[cfg(feature = "manager")]
pub(crate) use crate::informer::wait_for_own;
// Each other set of futures would be compiled again for each type of future.
pub(crate) use crate::joining::Together;
// Metrics go through the handles that contain a recorder's panics: a counter.
pub(crate) use crate::metrics::Count;
// A gauge whose owners add up.
pub(crate) use crate::metrics::Level;
// The labels of these handles.
pub(crate) use crate::metrics::MetricLabels;
// A histogram of durations.
pub(crate) use crate::metrics::Timing;
// The server's recorder comes after informers, whose metrics wait for it.
#[cfg(feature = "serve")]
pub(crate) use crate::metrics::bind;
// Up to a million keys wait, in a map that grows in short steps.
pub(crate) use crate::object::KeyMap;
// Owners and errors depend on whether a kind has namespaces.
pub(crate) use crate::object::KindReach;
// Values of users may panic when they are dropped.
pub(crate) use crate::panic::SafeDrop;
// Drops of objects that panic are counted by informer.
pub(crate) use crate::panic::SafeDropper;
// User code may panic when it is called.
pub(crate) use crate::panic::catch;
// It may panic when it is polled.
pub(crate) use crate::panic::catch_async;
// It may panic when it is dropped.
pub(crate) use crate::panic::drop_safely;
// A task's panic becomes text, and its payload may panic, too.
pub(crate) use crate::panic::into_message;
// Each other sort would be compiled again for each type of elements.
pub(crate) use crate::sorting::sort_by;
// The factories of many clusters share one set of threads.
#[cfg(feature = "clusters")]
pub(crate) use crate::transport::DecodeThreads;
// Answers are never quoted in logs, and refusals keep their `Retry-After`.
pub(crate) use crate::transport::ask;
// A writer refuses names that would lead a request to another path, as a source does.
pub(crate) use crate::transport::check_resource;
// The answer to a write is no larger than an object.
pub(crate) use crate::transport::read_body;
// A proof of an own write reads only metadata, which `ask` cannot request.
pub(crate) use crate::transport::read_document;
// An applier reads answers of its own, and quotes no body that is no `Status`.
pub(crate) use crate::transport::refusal;
// The cause of a 404 is in discovery, whose answers have traps.
#[cfg(feature = "manager")]
pub(crate) use crate::transport::read_resources;
// Long loops let other tasks run, and rest as those of informers do.
pub(crate) use crate::yield_budget::YieldBudget;
