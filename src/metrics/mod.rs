//! The figures that stages and queues keep, and the names they are published under.
//!
//! With the feature `metrics` they go through the [`metrics`](https://docs.rs/metrics) facade to
//! whatever recorder the application installs; without it every handle is empty, and so is every
//! call. A stage asks for its handles once, when it is made, and drops them with itself: a recorder
//! that holds them weakly forgets an informer with the informer. Nothing here knows what is counted.
//!
//! A recorder must be installed before an informer is made: handles made earlier lead nowhere.
//!
//! Everything is published as it happens, so any exporter works and none has to ask. What only grows
//! old with time is published as a moment, not as an age: an age would have to be published again and
//! again to stay true, and would stand still, looking well, just when its informer hangs.
//!
//! # Labels
//!
//! | label | value |
//! |---|---|
//! | `name` | the name given to the informer or its factory; empty if none |
//! | `group`, `resource` | of the API, such as `apps` and `deployments`; the core group is empty |
//! | `namespace` | the namespace listed and watched; empty for all of them |
//! | `handler` | the name given to the handler; empty if none |
//! | `controller` | the name of the controller; of a work queue its own, as `name` |
//! | `result` | how a reconcile ended: `success`, `error`, `requeue`, `requeue_after` |
//! | `cause` | why everything was listed anew: a [`RelistCause`](crate::reflector::RelistCause) |
//! | `class` | the kind of an error: a [`FaultClass`](crate::error::FaultClass) |
//!
//! client-go has the first three and `version`, which an informer here can't be asked for. What is
//! alike in all of its labels is counted together: sizes are sums, and of versions and moments the
//! last word stands. Names tell informers of one resource apart, and handlers of one informer.

mod facade;
mod names;
#[cfg(test)]
mod tests;

pub(crate) use self::facade::{Count, Level, Mark, MetricLabels, Timing};
pub use self::names::*;

/// Tells the recorder unit and meaning of every metric. To be called once, after it was installed;
/// without the feature `metrics` it does nothing.
///
/// ```
/// kube_informer::metrics::describe();
/// ```
pub fn describe() {
    for description in &names::DESCRIPTIONS {
        facade::describe(description);
    }
}
