//! The metrics of informers and work queues, and their names.
//!
//! With the feature `metrics`, values go through the [`metrics`](https://docs.rs/metrics) facade to
//! the recorder that the application installs. Without it every handle is empty, and every call
//! does nothing. A stage creates its handles once and drops them when it is dropped. A recorder
//! that holds handles weakly therefore forgets an informer when the informer is dropped.
//!
//! Install the recorder before you create an informer: a handle created earlier records nothing.
//! The exception is the recorder that a manager of `kube-controllers` installs: it gets these
//! values, too.
//!
//! Values are published when they change, so any exporter works. A value that only ages, such as
//! the time of the last event, is published as a timestamp, not as an age. An age would stand still
//! and look healthy exactly when its informer hangs.
//!
//! # Labels
//!
//! | label | value |
//! |---|---|
//! | `name` | the name given to the informer or its factory; empty if none |
//! | `group`, `resource` | of the API, such as `apps` and `deployments`; the core group is empty |
//! | `namespace` | the namespace listed and watched; empty for all of them |
//! | `handler` | the name given to the handler; empty if none |
//! | `controller` | the name of the work queue, as `name` |
//! | `cause` | why everything was listed again: a [`RelistCause`](crate::reflector::RelistCause) |
//! | `class` | the kind of an error: a [`FaultClass`](crate::error::FaultClass) |
//!
//! client-go has the first three labels, and `version`, which an informer here does not know.
//! Owners with the same labels share one metric: sizes add up, and the last version or timestamp
//! wins. Use names to tell apart informers of one resource, and handlers of one informer.
//!
//! [`DESCRIPTIONS`] lists all metrics.

pub(crate) mod facade;
#[cfg(feature = "metrics")]
pub(crate) mod late;
mod names;
mod origin;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::facade::{Count, Level, Mark, MetricLabels, Timing};
pub(crate) use self::names::*;
pub use self::names::{DESCRIPTIONS, Description, MetricKind};
pub(crate) use self::origin::Origin;

/// Describes every metric of informers and work queues to the recorder, with its unit. Call this
/// once, after the recorder is installed. Without the feature `metrics` it does nothing.
///
/// ```
/// kube_informer::metrics::describe();
/// ```
pub fn describe() {
    DESCRIPTIONS.iter().for_each(Description::describe);
}

impl Description {
    /// Describes the metric to the recorder, with its unit.
    pub fn describe(&self) {
        facade::describe(self);
    }
}
