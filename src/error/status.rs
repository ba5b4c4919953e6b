//! Error statuses of the API server, and the classes of failures.

use std::fmt;
use std::time::Duration;

use super::clipped;
use crate::object::ResourceVersion;

/// An error status, as the API server reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiStatus {
    /// The HTTP status code, or the code of an ERROR event.
    pub code: u16,
    /// The machine-readable reason, such as `Expired`. Empty if the body was no `Status`.
    pub reason: String,
    /// The human-readable message.
    pub message: String,
    /// The reason and message of each cause, at most 16.
    pub causes: Vec<(String, String)>,
    /// The time that the server asks to wait before the next request.
    pub retry_after: Option<Duration>,
    /// True if the resource is cluster-scoped.
    pub(crate) cluster_scoped: bool,
}

/// The class of a failure. It decides how the reflector goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultClass {
    /// The requested version is no longer available (410, or 500 in etcd's words). The reflector
    /// lists again.
    Expired,
    /// The requested version is not available yet (504 with cause `ResourceVersionTooLarge`).
    VersionTooLarge,
    /// Too many requests (429). The reflector waits and repeats the request.
    Throttled,
    /// The connection was refused. The reflector waits and repeats the request.
    Refused,
    /// The credentials were rejected (401).
    Unauthorized,
    /// The permission is missing (403).
    Forbidden,
    /// The resource type is not served (404).
    NotFound,
    /// The server had an internal error (500).
    Internal,
    /// The request is invalid (another 4xx). The same request will fail again.
    Invalid,
    /// One object cannot be used: it cannot be decoded, has another kind or namespace, or the
    /// transform panicked. The request is not repeated.
    Undecodable,
    /// Any other failure.
    Other,
}

impl FaultClass {
    /// All classes.
    pub(crate) const ALL: [Self; 11] = [
        Self::Expired,
        Self::VersionTooLarge,
        Self::Throttled,
        Self::Refused,
        Self::Unauthorized,
        Self::Forbidden,
        Self::NotFound,
        Self::Internal,
        Self::Invalid,
        Self::Undecodable,
        Self::Other,
    ];

    /// Returns the name of the class in metrics and in serialised form, such as `not_found`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::VersionTooLarge => "version_too_large",
            Self::Throttled => "throttled",
            Self::Refused => "refused",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::Internal => "internal",
            Self::Invalid => "invalid",
            Self::Undecodable => "undecodable",
            Self::Other => "other",
        }
    }
}

/// The words of etcd for a version that is no longer available.
///
/// An API server answers 410 only if it gets exactly etcd's own error (`interpretWatchError` and
/// `interpretListError` in `apiserver/pkg/storage/etcd3`). An error with the same text that a proxy
/// or another store made becomes a 500. client-go (`isExpiredError`) and kube look at code and
/// reason only, and repeat the request at the same version.
const COMPACTED: &str = "required revision has been compacted";

impl ApiStatus {
    /// Creates a status of this code, without causes or retry delay.
    pub fn new(code: u16, reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.into(),
            message: message.into(),
            causes: Vec::new(),
            retry_after: None,
            cluster_scoped: false,
        }
    }

    /// Returns the class of the failure.
    pub fn class(&self) -> FaultClass {
        match (self.code, &*self.reason) {
            (410, _) | (_, "Expired" | "Gone") => FaultClass::Expired,
            _ if self.is_version_too_large() => FaultClass::VersionTooLarge,
            (429, _) => FaultClass::Throttled,
            (401, _) => FaultClass::Unauthorized,
            (403, _) => FaultClass::Forbidden,
            (404, _) => FaultClass::NotFound,
            (500, _) if self.message.contains(COMPACTED) => FaultClass::Expired,
            (500, _) => FaultClass::Internal,
            (400..=499, _) => FaultClass::Invalid,
            _ => FaultClass::Other,
        }
    }

    /// Returns the oldest version that the server can watch from, if it says so: 7 in `too old
    /// resource version: 5 (7)`.
    pub(crate) fn oldest_version(&self) -> Option<ResourceVersion> {
        let named = self.message.rsplit_once('(')?.1.split_once(')')?.0;
        let version = ResourceVersion::from(named);
        (self.class() == FaultClass::Expired && version.is_comparable()).then_some(version)
    }

    /// Returns whether the server does not have the requested version yet. Servers since 1.18.6
    /// name the cause. Older servers put it in a cause's message, and those before 1.17 in the
    /// status message.
    fn is_version_too_large(&self) -> bool {
        const SAYS_SO: &str = "Too large resource version";
        self.causes.iter().any(|(reason, _)| reason == "ResourceVersionTooLarge")
            || (self.reason == "Timeout"
                && (self.message.contains(SAYS_SO)
                    || self.causes.iter().any(|(_, message)| message == SAYS_SO)))
    }
}

impl fmt::Display for ApiStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code)?;
        if !self.reason.is_empty() {
            write!(f, " {}", self.reason)?;
        }
        write!(f, ": {}", clipped(&self.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_too_large_has_three_wordings() {
        let mut named = ApiStatus::new(504, "Timeout", "");
        named.causes.push(("ResourceVersionTooLarge".into(), String::new()));
        let mut said = ApiStatus::new(504, "Timeout", "");
        said.causes.push((String::new(), "Too large resource version".into()));
        let old = ApiStatus::new(504, "Timeout", "Too large resource version: 9, current: 3");
        for status in [named, said, old] {
            assert_eq!(status.class(), FaultClass::VersionTooLarge);
        }
        let other = ApiStatus::new(504, "Timeout", "slow");
        assert_eq!(other.class(), FaultClass::Other);
    }

    #[test]
    fn compacted_version_is_expired_in_words_of_etcd() {
        for message in [
            "required revision has been compacted",
            "etcdserver: mvcc: required revision has been compacted",
            "rpc error: code = OutOfRange desc = mvcc: required revision has been compacted",
            "Internal error occurred: etcdserver: mvcc: required revision has been compacted",
        ] {
            for reason in ["", "InternalError"] {
                assert_eq!(ApiStatus::new(500, reason, message).class(), FaultClass::Expired);
            }
            // Another code says more than the words.
            assert_eq!(ApiStatus::new(404, "NotFound", message).class(), FaultClass::NotFound);
        }
        let future = "etcdserver: mvcc: required revision is a future revision";
        assert_eq!(ApiStatus::new(500, "", future).class(), FaultClass::Internal);
    }

    #[test]
    fn class_is_serialised_under_its_name() {
        for (n, class) in FaultClass::ALL.into_iter().enumerate() {
            assert_eq!(serde_json::to_value(class).unwrap(), class.name());
            assert_eq!(class as usize, n, "a handle is found by the class's place");
        }
    }
}
