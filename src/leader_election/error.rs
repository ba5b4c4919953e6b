//! Errors of requests about the Lease, and of leading.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::machine::{Failure, LossCause};
use crate::panic;

/// A failed request about the Lease.
///
/// The elector tries again by itself, so this error is for logs and for the status. It is cheap to
/// clone.
#[derive(Clone, Debug, thiserror::Error)]
#[error("cannot {verb} lease {lease}: {fault}")]
pub struct LeaseError {
    verb: LeaseVerb,
    lease: Arc<str>,
    #[source]
    fault: LeaseFault,
}

/// Serializes as its message.
impl Serialize for LeaseError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The verb of a request, as RBAC rules name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LeaseVerb {
    /// Reads the Lease.
    Get,
    /// Creates the Lease: the first acquisition.
    Create,
    /// Replaces the Lease: an acquisition, a renewal or a release.
    Update,
    /// Deletes the Lease of a member: see [`sharding`](crate::sharding).
    Delete,
}

/// The cause of a failed request about the Lease.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeaseFault {
    /// The server did not answer in time. It may have executed the request.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// The server refused the request.
    #[error("{message} ({reason}, {code})", message = .0.message, reason = .0.reason, code = .0.code)]
    Refused(Arc<kube::core::Status>),
    /// The request could not be sent, or its answer could not be read.
    #[error("{0}")]
    Request(Arc<kube::Error>),
}

impl LeaseError {
    pub(super) fn timed_out(verb: LeaseVerb, lease: &Arc<str>, after: Duration) -> Self {
        Self { verb, lease: lease.clone(), fault: LeaseFault::TimedOut(after) }
    }

    /// Returns the error of a request during which the client panicked, for example in a user's
    /// `tower` service.
    pub(super) fn panicked(verb: LeaseVerb, lease: &Arc<str>, message: &str) -> Self {
        let error = std::io::Error::other(format!("the client panicked: {message}"));
        Self::new(verb, lease, kube::Error::Service(error.into()))
    }

    pub(super) fn new(verb: LeaseVerb, lease: &Arc<str>, error: kube::Error) -> Self {
        let fault = match error {
            kube::Error::Api(status) => LeaseFault::Refused(Arc::new(*status)),
            error => LeaseFault::Request(Arc::new(error)),
        };
        Self { verb, lease: lease.clone(), fault }
    }

    /// Returns the verb of the request.
    pub fn verb(&self) -> LeaseVerb {
        self.verb
    }

    /// Returns the name of the Lease: `namespace/name`.
    pub fn lease(&self) -> &str {
        &self.lease
    }

    /// Returns the cause.
    pub fn fault(&self) -> &LeaseFault {
        &self.fault
    }

    /// Returns the HTTP status code; `None` if the server did not answer with one.
    pub fn status(&self) -> Option<u16> {
        match &self.fault {
            LeaseFault::Refused(status) => Some(status.code),
            _ => None,
        }
    }

    /// Returns whether only a person can resolve the failure: by granting a permission, creating
    /// the namespace, or correcting the name.
    ///
    /// This is true for the statuses 400, 401, 403, 404 and 422. The elector tries again even then.
    pub fn is_permanent(&self) -> bool {
        matches!(self.status(), Some(400 | 401 | 403 | 404 | 422))
    }

    pub(super) fn failure(&self) -> Failure {
        match (self.verb, self.status()) {
            (_, Some(409)) | (LeaseVerb::Update, Some(404)) => Failure::Conflict,
            _ => Failure::Other,
        }
    }
}

impl fmt::Display for LeaseVerb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Get => "get",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        })
    }
}

/// The error of [`LeaderElector::run`](super::LeaderElector::run).
///
/// ```
/// use kube_informer::leader_election::{LeaderElectionError, LossCause, WorkEnd};
///
/// /// Returns whether this process may stand for election again. If not, it should exit.
/// fn may_go_on(error: &LeaderElectionError) -> bool {
///     let LeaderElectionError::Lost { lease, cause, work, .. } = error else { return false };
///     match cause {
///         LossCause::RenewDeadline => eprintln!("lease {lease} was not renewed in time"),
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
    /// The work was dropped at one of its awaits.
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
    pub(super) fn of<T>(
        result: Result<T, tokio::task::JoinError>,
        late: bool,
    ) -> (Self, Option<String>) {
        let in_time = |end| if late { Self::Late } else { end };
        match result.map_err(tokio::task::JoinError::try_into_panic) {
            // The value is the user's, and its destructor may panic.
            Ok(value) => (in_time(Self::Ended), panic::catch(|| drop(value)).err()),
            Err(Ok(payload)) => (Self::Panicked, Some(panic::into_message(payload))),
            Err(Err(_)) => (in_time(Self::Dropped), None),
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
