//! The reasons why keys are queued, and their texts.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::basics::seconds;
use kube_informer::object::{CachedEvent, ObjectEvent, ObjectKey};
use kube_informer::workqueue::Priority;

/// One reason why a key was queued.
///
/// ```
/// use kube_controllers::controller::{ChangeKind, Trigger, TriggerCause};
///
/// /// Returns whether only a resync or a list queued the key, and nothing has changed.
/// fn is_routine(triggers: &[Trigger]) -> bool {
///     triggers.iter().all(|trigger| match &trigger.cause {
///         TriggerCause::Event { change, .. } => {
///             matches!(change, ChangeKind::Listed | ChangeKind::Resynced)
///         }
///         _ => false,
///     })
/// }
/// assert!(is_routine(&[]));
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Trigger {
    /// The cause.
    pub cause: TriggerCause,
    /// The time since the key was queued. A requeue or a delayed trigger counts from the time at
    /// which it was due.
    #[serde(serialize_with = "seconds::serialize")]
    pub ago: Duration,
}

/// The cause of a [`Trigger`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "by")]
#[non_exhaustive]
pub enum TriggerCause {
    /// An informer's event.
    #[non_exhaustive]
    Event {
        /// The informer's collection, as errors name it: `deployments.apps in shop`.
        informer: Arc<str>,
        /// The change.
        change: ChangeKind,
        /// The changed object: the key itself, or that of a dependent.
        object: Arc<str>,
    },
    /// A failed try, or [`Action::retry`](super::Action::retry).
    #[non_exhaustive]
    Retry {
        /// The number of tries that had failed in a row.
        failures: u32,
    },
    /// [`Action::requeue_after`](super::Action::requeue_after).
    Requeue,
    /// [`ControllerHandle::trigger`](super::ControllerHandle::trigger).
    Handle,
    /// [`ControllerHandle::reconcile_all`](super::ControllerHandle::reconcile_all), or a stream of
    /// [`reconcile_all_on`](super::ControllerBuilder::reconcile_all_on).
    ReconcileAll,
    /// A stream of [`reconcile_on`](super::ControllerBuilder::reconcile_on).
    Stream,
    /// A slot that this replica works on from now on.
    Slot,
}

/// The kind of a change that an informer reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// The object was there when the controller began, or came with the first list.
    Listed,
    /// The object was added.
    Added,
    /// The object has changed.
    Updated,
    /// A resync repeated the object.
    Resynced,
    /// The object was deleted.
    Deleted,
    /// The object left the shard that this replica follows.
    MovedAway,
}

impl ChangeKind {
    pub(super) fn of(event: &CachedEvent) -> Self {
        match event {
            ObjectEvent::Added { initial: true, .. } => Self::Listed,
            ObjectEvent::Added { .. } => Self::Added,
            ObjectEvent::Updated { old, new } if old.is_same_state(new) => Self::Resynced,
            ObjectEvent::Updated { .. } => Self::Updated,
            ObjectEvent::Deleted { .. } => Self::Deleted,
            ObjectEvent::MovedAway { .. } => Self::MovedAway,
        }
    }

    /// Returns the priority of the keys that such a change queues. Live changes come first.
    pub(super) fn priority(self) -> Priority {
        match self {
            Self::Listed | Self::Resynced => Priority::LOW,
            Self::Added | Self::Updated | Self::Deleted | Self::MovedAway => Priority::NORMAL,
        }
    }
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Listed => "listed",
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Resynced => "resynced",
            Self::Deleted => "deleted",
            Self::MovedAway => "moved away",
        })
    }
}

impl fmt::Display for TriggerCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event { informer, change, object } => {
                write!(f, "{object} of {informer} was {change}")
            }
            Self::Retry { failures: 1 } => f.write_str("a retry after a failed try"),
            Self::Retry { failures } => write!(f, "a retry after {failures} failed tries"),
            Self::Requeue => f.write_str("a requeue that the last reconcile asked for"),
            Self::Handle => f.write_str("a trigger of the controller's handle"),
            Self::ReconcileAll => f.write_str("a reconcile of all objects"),
            Self::Stream => f.write_str("a stream of keys"),
            Self::Slot => f.write_str("a slot that this replica took over"),
        }
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ago.is_zero() {
            return write!(f, "{}, now", self.cause);
        }
        write!(f, "{}, {:.1?} ago", self.cause, self.ago)
    }
}

/// The causes of triggers, each once.
pub(super) struct Causes<'a>(pub(super) &'a [Trigger]);

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, trigger) in self.0.iter().enumerate() {
            if self.0[..n].iter().all(|earlier| earlier.cause != trigger.cause) {
                write!(f, "{}{}", if n == 0 { "" } else { "; " }, trigger.cause)?;
            }
        }
        Ok(())
    }
}

/// A cause, as it is kept. Its text is made on reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Event { informer: Arc<str>, change: ChangeKind, object: ObjectKey },
    Retry { failures: u32 },
    Requeue,
    Handle,
    ReconcileAll,
    Stream,
    Slot,
}

impl Cause {
    pub(super) fn read(&self) -> TriggerCause {
        match self {
            Self::Event { informer, change, object } => TriggerCause::Event {
                informer: informer.clone(),
                change: *change,
                object: object.as_str().into(),
            },
            Self::Retry { failures } => TriggerCause::Retry { failures: *failures },
            Self::Requeue => TriggerCause::Requeue,
            Self::Handle => TriggerCause::Handle,
            Self::ReconcileAll => TriggerCause::ReconcileAll,
            Self::Stream => TriggerCause::Stream,
            Self::Slot => TriggerCause::Slot,
        }
    }
}
