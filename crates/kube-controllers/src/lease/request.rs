//! Requests about a Lease, each with a timeout, and their errors.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::api::ObjectMeta;
use serde::{Serialize, Serializer};

use super::times::whole_microseconds;
use kube_informer::seams::catch_async;

/// A hint for credentials that the server refuses.
const BAD_CREDENTIALS: &str = " (the credentials are missing, expired or for another server: \
    check kubeconfig or service account, or use a client that renews itself)";

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
        let fault = match error {
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

/// Returns an answer if it is the Lease of this name: `namespace/name`. A proxy may answer anything
/// with 200.
pub(crate) fn checked(lease: Lease, full: &str) -> kube::Result<Lease> {
    let ObjectMeta { name, namespace, uid, resource_version, .. } = &lease.metadata;
    let answered = name.as_deref().zip(namespace.as_deref());
    if answered == full.split_once('/').map(|(namespace, name)| (name, namespace))
        && uid.is_some()
        && resource_version.is_some()
    {
        return Ok(lease);
    }
    let problem = "the answer is not this Lease: its name, namespace, uid or version is missing or \
                   another";
    Err(kube::Error::Service(problem.into()))
}

/// Returns the answer to a create or a replacement if it proves that the server stored what was
/// sent. A proxy may answer with the Lease that was stored before, or with the request's body.
///
/// A webhook may change other fields, so only the holder and the time of the renewal are compared.
pub(crate) fn checked_write(answer: Lease, sent: &Lease, full: &str) -> kube::Result<Lease> {
    let answer = checked(answer, full)?;
    let holder = |lease: &Lease| {
        let holder = lease.spec.as_ref().and_then(|spec| spec.holder_identity.clone());
        holder.filter(|holder| !holder.is_empty())
    };
    let renewed = |lease: &Lease| {
        let time = lease.spec.as_ref().and_then(|spec| spec.renew_time.as_ref());
        time.map(|time| whole_microseconds(time.0))
    };
    if answer.metadata.resource_version != sent.metadata.resource_version
        && holder(&answer) == holder(sent)
        && renewed(&answer) == renewed(sent)
    {
        return Ok(answer);
    }
    let problem = "the answer does not prove the write: it has the old version, or another holder \
                   or renewal time; does a proxy answer in place of the server?";
    Err(kube::Error::Service(problem.into()))
}

/// Returns the body of a request that writes a Lease.
pub(crate) fn written(lease: &Lease) -> kube::Result<Vec<u8>> {
    serde_json::to_vec(lease).map_err(kube::Error::SerdeError)
}

/// Returns the answer to a read; `None` if there is no such Lease.
pub(crate) fn found(answer: kube::Result<Lease>) -> kube::Result<Option<Lease>> {
    match answer {
        Ok(lease) => Ok(Some(lease)),
        Err(kube::Error::Api(status)) if status.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Waits for the answer to a request about a Lease, for this long at most.
pub(crate) async fn attempt<T>(
    verb: LeaseVerb,
    lease: &Arc<str>,
    limit: Duration,
    request: impl Future<Output = kube::Result<T>>,
) -> Result<T, LeaseError> {
    match tokio::time::timeout(limit, catch_async(request)).await {
        Ok(Ok(Ok(answer))) => Ok(answer),
        Ok(Ok(Err(error))) => Err(LeaseError::new(verb, lease, error)),
        Ok(Err(message)) => Err(LeaseError::panicked(verb, lease, &message)),
        Err(_) => Err(LeaseError::timed_out(verb, lease, limit)),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::coordination::v1::LeaseSpec;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
    use k8s_openapi::jiff::Timestamp;

    use super::*;

    fn lease(version: Option<&str>, holder: &str, renewed: i128) -> Lease {
        let renewed = Timestamp::from_nanosecond(renewed).unwrap();
        let spec = LeaseSpec {
            holder_identity: Some(holder.to_owned()),
            renew_time: Some(MicroTime(renewed)),
            ..LeaseSpec::default()
        };
        let metadata = ObjectMeta {
            name: Some("x".to_owned()),
            namespace: Some("shop".to_owned()),
            uid: Some("u".to_owned()),
            resource_version: version.map(str::to_owned),
            ..ObjectMeta::default()
        };
        Lease { metadata, spec: Some(spec) }
    }

    #[test]
    fn only_the_stored_write_is_proof() {
        let sent = lease(Some("7"), "me", 5_000_900);
        let proves = |answer| checked_write(answer, &sent, "shop/x").is_ok();
        assert!(proves(lease(Some("8"), "me", 5_000_000)), "as it was serialized");
        assert!(!proves(sent.clone()), "an echo");
        assert!(!proves(lease(Some("8"), "me", 4_999_999)), "an older renewal");
        assert!(!proves(lease(Some("8"), "other", 5_000_000)));
        assert!(!proves(lease(None, "me", 5_000_000)));
        let mut elsewhere = lease(Some("8"), "me", 5_000_000);
        elsewhere.metadata.namespace = Some("other".to_owned());
        assert!(!proves(elsewhere));

        let created = lease(None, "me", 5_000_000);
        assert!(checked_write(lease(Some("1"), "me", 5_000_000), &created, "shop/x").is_ok());
        assert!(checked_write(created.clone(), &created, "shop/x").is_err(), "an echo");

        let released = lease(Some("7"), "", 5_000_000);
        let mut cleared = lease(Some("8"), "", 5_000_000);
        // A webhook may change this one.
        cleared.spec.as_mut().unwrap().lease_duration_seconds = Some(2);
        cleared.spec.as_mut().unwrap().holder_identity = None;
        assert!(checked_write(cleared, &released, "shop/x").is_ok());
    }
}
