//! Errors of leading.

use std::fmt;
use std::sync::Arc;

use super::machine::LossCause;
use super::work::WorkResult;
use crate::lease::LeaseError;
use kube_informer::seams::into_message;

/// The error of [`LeaderElector::run`](super::LeaderElector::run).
///
/// ```
/// use kube_controllers::leader_election::{LeaderElectionError, LossCause, WorkEnd};
///
/// /// Returns whether this process may stand for election again. If not, it should exit.
/// fn may_go_on(error: &LeaderElectionError) -> bool {
///     let LeaderElectionError::Lost { lease, cause, work, .. } = error else { return false };
///     match cause {
///         LossCause::RenewDeadline => eprintln!("lease {lease} was not renewed in time"),
///         LossCause::SameIdentity(identity) => eprintln!("{identity} runs twice"),
///         cause => eprintln!("somebody edited lease {lease}: {cause}"),
///     }
///     *work != WorkEnd::StillRunning
/// }
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeaderElectionError {
    /// Leadership was lost. [`run`](super::LeaderElector::run) may be called again at once.
    #[error("lost the leadership of lease {lease}: {cause}; {work}{}", last_error_suffix(.last_error.as_ref()))]
    Lost {
        /// The name of the Lease: `namespace/name`.
        lease: Arc<str>,
        /// The cause.
        cause: LossCause,
        /// The last request that failed in this term.
        last_error: Option<LeaseError>,
        /// The end of the work. If it is [`WorkEnd::StillRunning`], this process should exit.
        work: WorkEnd,
    },
    /// The work panicked. The lease was released if [`release_on_stop`] is set.
    ///
    /// [`release_on_stop`]: super::LeaderElectorBuilder::release_on_stop
    #[error("the work that led on lease {lease} panicked: {message}")]
    Panicked {
        /// The name of the Lease: `namespace/name`.
        lease: Arc<str>,
        /// The message of the panic.
        message: String,
    },
    /// The work, or a task that its scope tracks, blocks its thread and cannot be stopped. The
    /// lease is not released but expires. This process should exit.
    #[error(
        "the work that led on lease {lease} cannot be stopped: it, or a task that it tracks, blocks \
         its thread; end this process"
    )]
    StillRunning {
        /// The name of the Lease: `namespace/name`.
        lease: Arc<str>,
    },
}

/// The end of the work after leadership was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkEnd {
    /// The work ended by itself when it was told to.
    Ended,
    /// The work, or a part that its scope tracks, was dropped at one of its awaits.
    Dropped,
    /// The work panicked when it was told to end.
    Panicked,
    /// The work could not be dropped in time, because it blocks its thread.
    StillRunning,
    /// The work ended only after the lease had expired: another replica may have begun before.
    Late,
}

impl WorkEnd {
    /// Returns the end of the work from its result, and the message if it panicked.
    pub(super) fn of(result: WorkResult, late: bool) -> (Self, Option<String>) {
        let in_time = |end| if late { Self::Late } else { end };
        match result {
            WorkResult::Whole => (in_time(Self::Ended), None),
            WorkResult::Dropped => (in_time(Self::Dropped), None),
            WorkResult::Panicked(payload) => (Self::Panicked, Some(into_message(payload))),
        }
    }
}

impl fmt::Display for WorkEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ended => "its work has ended",
            Self::Dropped => "its work was dropped",
            Self::Panicked => "its work panicked",
            Self::StillRunning => "its work cannot be stopped",
            Self::Late => "its work ended only after the lease had expired",
        })
    }
}

fn last_error_suffix(error: Option<&LeaseError>) -> String {
    error.map(|error| format!(" (last error: {error})")).unwrap_or_default()
}
