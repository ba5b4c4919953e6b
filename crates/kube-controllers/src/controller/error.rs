//! Errors of a controller's run, and failures of reconciles.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Resource;

use super::own_writes::Unobserved;
use crate::basics::seconds;
use crate::leader_election::LeaderElectionError;
use kube_informer::error::BoxError;
use kube_informer::informer::{InformerGroup, InformerStopped, StartError, SyncError};
use kube_informer::object::ObjectKey;
use kube_informer::seams::KindReach;

/// The reason why a controller ended other than by being stopped.
///
/// The text includes the cause's text. [`source`](Error::source) skips that cause, so a report of
/// the whole chain says each thing once.
///
/// The exit code of a program that runs one controller:
///
/// ```
/// use kube_controllers::controller::ControllerError;
///
/// /// Returns the exit code, and prints the reason if it is not zero.
/// fn exit_code(ended: Result<(), ControllerError>) -> u8 {
///     match &ended {
///         Ok(()) => return 0,
///         Err(ControllerError::NotSynced { source, .. }) => {
///             source.unsynced.iter().for_each(|informer| eprintln!("{informer}"));
///         }
///         Err(ControllerError::Unfinished { keys, .. }) => eprintln!("dropped: {keys:?}"),
///         Err(error) => eprintln!("{error}"),
///     }
///     1
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ControllerError {
    /// An informer was stopped before the controller began, or while it worked.
    Stopped {
        /// The controller's name.
        controller: Arc<str>,
        /// The informer's resource, and its namespace if it has one.
        collection: String,
        /// The informer's error.
        source: InformerStopped,
    },
    /// An informer did not start.
    NotStarted {
        /// The controller's name.
        controller: Arc<str>,
        /// The informer's error.
        source: StartError,
    },
    /// The controller owns objects that its own objects cannot own: Kubernetes allows no owner with
    /// a namespace for an object without one. Make the owner's kind cluster-scoped, or follow the
    /// dependents with [`watches`](super::ControllerBuilder::watches).
    CannotOwn {
        /// The controller's name.
        controller: Arc<str>,
        /// The kind of the controller's own objects.
        owner: Arc<str>,
        /// The kind of the dependents.
        dependent: Arc<str>,
    },
    /// The controller has a sharding, and also leader election or an informer of a wrong shard:
    /// another replica may have the objects that concern its own. Or its sharding did not run
    /// within the sync timeout. Or it has no sharding, and its own objects follow the shard of one.
    /// Or it has a sharding, and also informers that come and go.
    WrongSharding {
        /// The controller's name.
        controller: Arc<str>,
        /// The contradiction, and what to do.
        problem: &'static str,
    },
    /// The controller has ended, so it follows nothing more.
    Ended {
        /// The controller's name.
        controller: Arc<str>,
    },
    /// Some kind has no informer that synced in time: nothing was reconciled. Or the server allows
    /// its lists and has refused every watch for the
    /// [sync timeout](super::ControllerBuilder::sync_timeout).
    ///
    /// In a sharded controller also: no informer of some kind holds the objects of any slot that
    /// this replica has held for the sync timeout.
    NotSynced {
        /// The controller's name.
        controller: Arc<str>,
        /// The informers that did not sync, with the state and the last error of each.
        source: SyncError,
    },
    /// This replica lost leadership, and another may lead. The controller dropped its reconciles;
    /// code that blocks its thread may still run, and the source says so. End the process and start
    /// it again, as client-go does.
    Leadership {
        /// The controller's name.
        controller: Arc<str>,
        /// The elector's error.
        source: LeaderElectionError,
    },
    /// Some reconciles, or tasks that they [track](super::ReconcileRequest::spawn), had not ended
    /// when the grace was over. The controller dropped them at the await where they waited. Code
    /// that blocks its thread runs on until it returns.
    Unfinished {
        /// The controller's name.
        controller: Arc<str>,
        /// The keys of those reconciles.
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
            Self::CannotOwn { controller, owner, dependent } => write!(
                f,
                "controller {controller}: a {owner} has a namespace, so it cannot own a {dependent}, \
                 which has none; follow these objects with `watches`"
            ),
            Self::WrongSharding { controller, problem } => {
                write!(f, "controller {controller}: {problem}")
            }
            Self::Ended { controller } => write!(
                f,
                "controller {controller} has ended and follows nothing more; build a new one"
            ),
            Self::NotSynced { controller, source } => {
                write!(f, "controller {controller}: {source}")
            }
            Self::Leadership { controller, source } => {
                write!(f, "controller {controller}: {source}")
            }
            Self::Unfinished { controller, keys } => {
                let (number, first) = (keys.len(), first(keys));
                let s = if number == 1 { "" } else { "s" };
                write!(
                    f,
                    "controller {controller}: {number} reconcile{s} did not end within the grace, \
                     the first of {first}; make `timeout` shorter than the grace, let long work \
                     watch `request.stop`, and run blocking code by `request.spawn_blocking`"
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
            // Its text includes its source's text.
            Self::NotSynced { source, .. } => source.source().and_then(Error::source),
            Self::Leadership { source, .. } => source.source(),
            Self::CannotOwn { .. }
            | Self::WrongSharding { .. }
            | Self::Ended { .. }
            | Self::Unfinished { .. } => None,
        }
    }
}

/// The kinds of an owner with a namespace and of a dependent without one.
#[derive(Clone, Debug)]
pub(super) struct CannotOwn {
    pub(super) owner: Arc<str>,
    pub(super) dependent: Arc<str>,
}

impl CannotOwn {
    /// Returns the contradiction if a `K` cannot own an `O`.
    pub(super) fn of<K: Resource, O: Resource>(
        owners: &InformerGroup<K>,
        dependents: &InformerGroup<O>,
    ) -> Option<Self> {
        fn kind<K>(informers: &InformerGroup<K>) -> Arc<str> {
            let first = informers.informers().first();
            first.map_or_else(Arc::default, |informer| informer.collection().kind.clone())
        }
        let reaches = (KindReach::of::<K>(), KindReach::of::<O>());
        (reaches == (KindReach::Namespaced, KindReach::Cluster))
            .then(|| Self { owner: kind(owners), dependent: kind(dependents) })
    }
}

fn first(keys: &[ObjectKey]) -> &str {
    keys.first().map_or("", ObjectKey::as_str)
}

/// The reason why a reconcile failed. The key is retried after each.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReconcileError {
    /// The error that the user's code returned.
    #[error(transparent)]
    Failed(BoxError),
    /// The reconcile exceeded this [timeout](super::ControllerBuilder::timeout) and was dropped.
    #[error("the reconcile took longer than {0:?}")]
    TimedOut(Duration),
    /// The reconcile panicked with this message.
    #[error("the reconcile panicked: {0}")]
    Panicked(String),
    /// The cache does not show this key's own writes after 10 s, and could not be proved newer than
    /// them. The user's code was not called.
    #[error("the cache does not show this key's own writes yet")]
    Behind(#[source] Unobserved),
}

impl ReconcileError {
    /// Returns the kind of failure, as metrics and status count it.
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

/// The most recent failure of a reconcile, as the status keeps it.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct LastFailure {
    /// The object's key.
    pub key: String,
    /// The text of the error and of its causes.
    pub error: String,
    /// The number of tries of this key that failed in a row, including this one.
    pub failures: u32,
    /// The time since the failure.
    #[serde(serialize_with = "seconds::serialize")]
    pub ago: Duration,
    /// The time until the key is tried again, unless a change comes first. Zero once that is due.
    /// `None` if the key waits for a change.
    #[serde(serialize_with = "seconds::serialize_some")]
    pub again_in: Option<Duration>,
}

impl fmt::Display for LastFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, error, failures, ago, again_in } = self;
        write!(f, "{key} ({failures} in a row, {ago:.1?} ago")?;
        if let Some(wait) = again_in.filter(|wait| !wait.is_zero()) {
            write!(f, ", tried again in {wait:.1?}")?;
        }
        write!(f, "): {error}")
    }
}
