//! Why a controller ended, or a reconcile failed.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::indexer::NotReached;
use crate::informer::{InformerStopped, StartError, SyncError};
use crate::leader_election::LeaderElectionError;
use crate::object::{ObjectKey, seconds};

/// What a user's reconcile may fail with.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Why a controller ended other than by being stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControllerError {
    /// An informer was stopped before the controller began.
    #[error("controller {controller}: {source}")]
    Stopped {
        /// The controller.
        controller: Arc<str>,
        /// What the informer says.
        source: InformerStopped,
    },
    /// An informer does not start.
    #[error("controller {controller}: {source}")]
    NotStarted {
        /// The controller.
        controller: Arc<str>,
        /// What the informer says.
        source: StartError,
    },
    /// Not every informer synced in time; says which and why. Nothing was reconciled.
    #[error("controller {controller}: {source}")]
    NotSynced {
        /// The controller.
        controller: Arc<str>,
        /// Which informers, what each is doing instead, and its last error.
        source: SyncError,
    },
    /// It led, and leads no more: another replica may. Its work is over; the process should end and
    /// be started anew, as client-go's do.
    #[error("controller {controller}: {source}")]
    Leadership {
        /// The controller.
        controller: Arc<str>,
        /// What the elector says.
        source: LeaderElectionError,
    },
    /// Some reconciles had not ended when the grace was over, and were dropped where they waited.
    #[error("controller {controller} stopped with {} reconciles unfinished, {} the first", keys.len(), first(keys))]
    Unfinished {
        /// The controller.
        controller: Arc<str>,
        /// Their keys.
        keys: Vec<ObjectKey>,
    },
}

fn first(keys: &[ObjectKey]) -> &str {
    keys.first().map_or("", ObjectKey::as_str)
}

/// Why a reconcile failed. Each is retried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReconcileError {
    /// What the user's code answered.
    #[error("{0}")]
    Failed(BoxError),
    /// It took longer than it may.
    #[error("it took longer than {0:?}")]
    TimedOut(Duration),
    /// It panicked.
    #[error("it panicked: {0}")]
    Panicked(String),
    /// The store does not show yet what was written on behalf of this key; the user's code was not
    /// called.
    #[error("an own write is not to be seen yet: {0}")]
    Behind(NotReached),
    /// The object is stored packed and can't be unpacked, which was reported; the user's code was not
    /// called, for it would take the object for gone.
    #[error("the stored object can't be unpacked")]
    Unreadable,
}

impl ReconcileError {
    /// A word for it, as metrics have it.
    pub(super) fn reason(&self) -> Reason {
        match self {
            Self::Failed(_) | Self::Unreadable => Reason::Failed,
            Self::TimedOut(_) => Reason::TimedOut,
            Self::Panicked(_) => Reason::Panicked,
            Self::Behind(_) => Reason::Behind,
        }
    }
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Failed,
    TimedOut,
    Panicked,
    Behind,
}

/// A reconcile's failure as the status keeps it.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct LastFailure {
    /// The key.
    pub key: String,
    /// What was wrong, in words.
    pub error: String,
    /// How many tries had failed in a row, this one included.
    pub failures: u32,
    /// How long ago.
    #[serde(serialize_with = "seconds::serialize")]
    pub ago: Duration,
}

impl fmt::Display for LastFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} in a row, {:.1?} ago): {}", self.key, self.failures, self.ago, self.error)
    }
}
