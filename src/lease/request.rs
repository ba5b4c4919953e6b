//! Requests about a Lease, each with a timeout, and their errors.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::api::ObjectMeta;
use serde::{Serialize, Serializer};

use crate::error::{BAD_CREDENTIALS, unquoted};
use crate::panic;

/// A failed request about the Lease.
///
/// The elector or member tries again by itself, so this error is for logs and for the status. It is
/// cheap to clone.
#[derive(Clone, Debug, thiserror::Error)]
#[error("cannot {verb} lease {lease}: {fault}{}", self.remedy())]
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
    fn timed_out(verb: LeaseVerb, lease: &Arc<str>, after: Duration) -> Self {
        Self { verb, lease: lease.clone(), fault: LeaseFault::TimedOut(after) }
    }

    /// Returns the error of a request during which the client panicked, for example in a user's
    /// `tower` service.
    fn panicked(verb: LeaseVerb, lease: &Arc<str>, message: &str) -> Self {
        let error = std::io::Error::other(format!("the client panicked: {message}"));
        Self::new(verb, lease, kube::Error::Service(error.into()))
    }

    fn new(verb: LeaseVerb, lease: &Arc<str>, error: kube::Error) -> Self {
        let fault = match unquoted(error) {
            kube::Error::Api(status) => LeaseFault::Refused(Arc::new(*status)),
            error => LeaseFault::Request(Arc::new(error)),
        };
        Self { verb, lease: lease.clone(), fault }
    }

    /// Returns the end of the error's text: what to do about a refusal.
    fn remedy(&self) -> String {
        match &self.fault {
            LeaseFault::Refused(status) if status.code == 401 => BAD_CREDENTIALS.into(),
            LeaseFault::Refused(status) if status.code == 403 => {
                format!(" (grant `{}` on leases)", self.verb)
            }
            _ => String::new(),
        }
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
    /// This is true for the statuses 400, 401, 403, 404 and 422. The request is sent again even
    /// then.
    pub fn is_permanent(&self) -> bool {
        matches!(self.status(), Some(400 | 401 | 403 | 404 | 422))
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

/// Returns an answer if it is the Lease of this name. A proxy may answer anything with 200.
pub(crate) fn checked(lease: Lease, name: &str) -> kube::Result<Lease> {
    let ObjectMeta { name: answered, uid, resource_version, .. } = &lease.metadata;
    if answered.as_deref() == Some(name) && uid.is_some() && resource_version.is_some() {
        return Ok(lease);
    }
    let problem = "the answer is not this Lease: its name, uid or version is missing or another";
    Err(kube::Error::Service(problem.into()))
}

/// Waits for the answer to a request about a Lease, for this long at most.
pub(crate) async fn attempt<T>(
    verb: LeaseVerb,
    lease: &Arc<str>,
    limit: Duration,
    request: impl Future<Output = kube::Result<T>>,
) -> Result<T, LeaseError> {
    match tokio::time::timeout(limit, panic::catch_async(request)).await {
        Ok(Ok(Ok(answer))) => Ok(answer),
        Ok(Ok(Err(error))) => Err(LeaseError::new(verb, lease, error)),
        Ok(Err(message)) => Err(LeaseError::panicked(verb, lease, &message)),
        Err(_) => Err(LeaseError::timed_out(verb, lease, limit)),
    }
}
