//! Why a controller ended, or a reconcile failed.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::own_writes::Unobserved;
use crate::informer::{InformerStopped, StartError, SyncError};
use crate::leader_election::LeaderElectionError;
use crate::object::{ObjectKey, seconds};

/// What a user's reconcile may fail with.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The reason why a controller ended other than by being stopped.
///
/// The text includes the cause's text. [`source`](Error::source) skips that cause, so a report of the
/// whole chain says each thing once.
#[derive(Debug)]
#[non_exhaustive]
pub enum ControllerError {
    /// An informer was stopped before the controller began, or while it worked.
    Stopped {
        /// The controller.
        controller: Arc<str>,
        /// The informer: its resource, and its namespace where it has one.
        collection: String,
        /// What the informer says.
        source: InformerStopped,
    },
    /// An informer does not start.
    NotStarted {
        /// The controller.
        controller: Arc<str>,
        /// What the informer says.
        source: StartError,
    },
    /// No informer of some kind synced in time; says which and why. Nothing was reconciled.
    NotSynced {
        /// The controller.
        controller: Arc<str>,
        /// Which informers, what each is doing instead, and its last error.
        source: SyncError,
    },
    /// This replica lost leadership, and another may lead. The controller dropped its reconciles; code
    /// that blocks its thread may still run, and the source says so. End the process and start it
    /// again, as client-go does.
    Leadership {
        /// The controller.
        controller: Arc<str>,
        /// What the elector says.
        source: LeaderElectionError,
    },
    /// Some reconciles had not ended when the grace was over. They were dropped at the await where they
    /// waited; one that blocks its thread runs on until it returns.
    Unfinished {
        /// The controller.
        controller: Arc<str>,
        /// Their keys.
        keys: Vec<ObjectKey>,
    },
}

impl fmt::Display for ControllerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped { controller, collection, source } => {
                write!(f, "controller {controller}: its informer of {collection}: {source}")
            }
            Self::NotStarted { controller, source } => {
                write!(f, "controller {controller}: {source}")
            }
            Self::NotSynced { controller, source } => {
                write!(f, "controller {controller}: {source}")
            }
            Self::Leadership { controller, source } => {
                write!(f, "controller {controller}: {source}")
            }
            Self::Unfinished { controller, keys } => {
                let (number, first) = (keys.len(), first(keys));
                write!(
                    f,
                    "controller {controller} dropped {number} unfinished reconciles, the first of {first}"
                )
            }
        }
    }
}

impl Error for ControllerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Stopped { source, .. } => source.source(),
            Self::NotStarted { source, .. } => source.source(),
            // Its text has that of its source, too.
            Self::NotSynced { source, .. } => source.source().and_then(Error::source),
            Self::Leadership { source, .. } => source.source(),
            Self::Unfinished { .. } => None,
        }
    }
}

fn first(keys: &[ObjectKey]) -> &str {
    keys.first().map_or("", ObjectKey::as_str)
}

/// Why a reconcile failed. Each is retried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReconcileError {
    /// What the user's code answered.
    #[error(transparent)]
    Failed(BoxError),
    /// It took longer than it may.
    #[error("it took longer than {0:?}")]
    TimedOut(Duration),
    /// It panicked.
    #[error("it panicked: {0}")]
    Panicked(String),
    /// The store does not show yet what was written on behalf of this key; the user's code was not
    /// called.
    #[error("the cache does not show this key's own writes yet")]
    Behind(#[source] Unobserved),
}

impl ReconcileError {
    /// A word for it, as metrics have it.
    pub(super) fn reason(&self) -> Reason {
        match self {
            Self::Failed(_) => Reason::Failed,
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
