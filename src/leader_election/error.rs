//! What can go wrong with a lease.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::machine::{Failure, LossCause};
use crate::panic;

/// A request about the Lease that failed. The elector tries again by itself; this is for the log
/// and the status. Cheap to clone.
#[derive(Clone, Debug, thiserror::Error)]
#[error("can't {verb} lease {lease}: {fault}")]
pub struct LeaseError {
    verb: LeaseVerb,
    lease: Arc<str>,
    #[source]
    fault: LeaseFault,
}

/// As its message.
impl Serialize for LeaseError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The verb of a request, by the name that RBAC rules use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LeaseVerb {
    /// A look at who leads.
    Get,
    /// The first acquisition of all.
    Create,
    /// An acquisition, a renewal or a release.
    Update,
}

/// Why a request about the Lease failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeaseFault {
    /// No answer in time. What was asked may have been done all the same.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// The server refused.
    #[error("{message} ({reason}, {code})", message = .0.message, reason = .0.reason, code = .0.code)]
    Refused(Arc<kube::core::Status>),
    /// It was not asked, or its answer could not be read.
    #[error("{0}")]
    Request(Arc<kube::Error>),
}

impl LeaseError {
    pub(super) fn timed_out(verb: LeaseVerb, lease: &Arc<str>, after: Duration) -> Self {
        Self { verb, lease: lease.clone(), fault: LeaseFault::TimedOut(after) }
    }

    /// A request in which the client panicked: a service of the user's, perhaps.
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

    /// What was asked.
    pub fn verb(&self) -> LeaseVerb {
        self.verb
    }

    /// Of which Lease: `namespace/name`.
    pub fn lease(&self) -> &str {
        &self.lease
    }

    /// Why it failed.
    pub fn fault(&self) -> &LeaseFault {
        &self.fault
    }

    /// The HTTP status, where the server answered with one.
    pub fn status(&self) -> Option<u16> {
        match &self.fault {
            LeaseFault::Refused(status) => Some(status.code),
            _ => None,
        }
    }

    /// Whether asking again is in vain until somebody grants a permission, makes the namespace or
    /// corrects the name: the server said 400, 401, 403, 404 or 422. It is tried again even so.
    pub fn needs_help(&self) -> bool {
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
        })
    }
}

/// Leading ended otherwise than by a stop or by the work's own end.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeaderElectionError {
    /// Leadership was lost. Standing in line again is possible at once.
    #[error("lost the leadership of lease {lease}: {cause}; {work}{}", because(.last_error.as_ref()))]
    Lost {
        /// Of which Lease: `namespace/name`.
        lease: Arc<str>,
        /// Why.
        cause: LossCause,
        /// The last request that failed in this term.
        last_error: Option<LeaseError>,
        /// What became of the work. Where it is [`WorkEnd::StillRunning`], this process should end.
        work: WorkEnd,
    },
    /// The work panicked. The lease was given back.
    #[error("the work that led on lease {lease} panicked: {message}")]
    Panicked {
        /// Of which Lease: `namespace/name`.
        lease: Arc<str>,
        /// What the panic said.
        message: String,
    },
    /// The work was told to stop and then to be dropped, but it or something that its scope tracks
    /// holds on to its thread. The lease was not given back; it runs out. This process should end.
    #[error(
        "the work that led on lease {lease} can't be stopped: it, or a task that it tracks, blocks \
         its thread; end this process"
    )]
    StillRunning {
        /// Of which Lease: `namespace/name`.
        lease: Arc<str>,
    },
}

/// What became of the work when leadership was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkEnd {
    /// It ended by itself when it was told to.
    Ended,
    /// It was dropped at one of its awaits.
    Dropped,
    /// It panicked when it was told to end.
    Panicked,
    /// It could not be dropped in time, because it blocks its thread.
    StillRunning,
    /// It has ended, but only after the lease had expired: another may have begun before.
    Late,
}

impl WorkEnd {
    /// Of work that gave this to nobody, and where it panicked the message.
    pub(super) fn of<T>(
        given: Result<T, tokio::task::JoinError>,
        late: bool,
    ) -> (Self, Option<String>) {
        let in_time = |end| if late { Self::Late } else { end };
        match given.map_err(tokio::task::JoinError::try_into_panic) {
            // The value is the user's, and may panic when it is dropped.
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
            Self::StillRunning => "its work can't be stopped",
            Self::Late => "its work ended only after the lease had expired",
        })
    }
}

fn because(error: Option<&LeaseError>) -> String {
    error.map(|error| format!(" (last error: {error})")).unwrap_or_default()
}
