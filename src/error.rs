//! Errors of requests to the API server.
//!
//! A [`SourceError`] names the request, the resource, the failure, and whether a retry can help. It
//! never carries an object's contents: a Secret that cannot be decoded is named, not quoted.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::ser::SerializeStruct;

use crate::object::{ObjectKey, ResourceVersion};

/// An error of a list or watch: the request failed, or its answer cannot be used.
///
/// Clones are cheap: the status, the error handler and a waiting task share one error.
///
/// It displays the request and the whole cause, such as `list pods in shop: 403 Forbidden: …`.
///
/// ```
/// use kube_informer::SourceError;
/// use kube_informer::error::FaultClass;
///
/// /// Returns whether a cluster administrator must act.
/// fn needs_permission(error: &SourceError) -> bool {
///     matches!(error.class(), FaultClass::Unauthorized | FaultClass::Forbidden)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct SourceError(Arc<(RequestScope, Fault)>);

/// The verb and the collection of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[non_exhaustive]
pub struct RequestScope {
    /// The verb of the request.
    pub verb: Verb,
    /// The resource, as `kubectl` writes it: `pods`, `deployments.apps`.
    pub resource: Arc<str>,
    /// The namespace. `None` for all namespaces, and for cluster-scoped resources.
    pub namespace: Option<Arc<str>>,
}

/// The verb of a request, named as in RBAC rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verb {
    /// A list.
    List,
    /// A watch, or a streaming list.
    Watch,
}

/// The failure of a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The server answered with an error status.
    #[error("{0}")]
    Status(ApiStatus),
    /// No answer came. Causes include refused connections, name resolution, TLS and authentication
    /// plug-ins. The text names every cause.
    #[error("no answer: {}", chain(&**.source))]
    Connect {
        /// True if the connection was refused.
        refused: bool,
        /// The error of the client.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The connection broke before the end of the answer.
    #[error("the answer broke off after {received} bytes: {}", chain(&**.source))]
    Interrupted {
        /// The number of bytes of the body that had arrived.
        received: u64,
        /// The error of the connection.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The answer ended cleanly, but in the middle of a value.
    #[error("the answer ended after {received} bytes, in the middle of {within}")]
    Truncated {
        /// The number of bytes of the body that had arrived.
        received: u64,
        /// The part of the answer that was not finished.
        within: &'static str,
    },
    /// The answer is malformed.
    #[error("malformed answer at byte {offset}: {problem}")]
    Malformed {
        /// The position in the body, in bytes.
        offset: u64,
        /// The problem at this position.
        problem: String,
    },
    /// The answer has a media type that was not requested.
    #[error("the answer has media type {0:?}, which was not requested")]
    MediaType(String),
    /// The answer is compressed, although `identity` was requested. A proxy may have compressed it.
    #[error(
        "the answer has Content-Encoding {0:?}, but identity was requested; check for a proxy that \
         compresses answers"
    )]
    ContentEncoding(String),
    /// An object or event is larger than
    /// [`ApiSource::object_limit`](crate::transport::ApiSource::object_limit). Its neighbours are
    /// not affected.
    #[error(
        "the object at byte {offset} is larger than the limit of {limit} bytes; raise `object_limit` if \
         objects may be this large"
    )]
    TooLarge {
        /// The position in the body where it begins, in bytes.
        offset: u64,
        /// The limit, in bytes.
        limit: usize,
    },
    /// An object cannot be decoded. Its neighbours are not affected.
    #[error("{} can't be decoded: {problem}", named(.key.as_ref()))]
    Undecodable {
        /// The key of the object, if it could be read.
        key: Option<ObjectKey>,
        /// The problem and its position in the object. It never contains the object's contents.
        problem: String,
    },
    /// An object has another kind than was requested.
    #[error("the answer has an object of kind {found:?}, but {expected:?} was requested")]
    WrongKind {
        /// The requested kind.
        expected: String,
        /// The kind of the object.
        found: String,
    },
    /// A list has no `resourceVersion`, so no watch can start from it.
    #[error("the list has no metadata.resourceVersion, so no watch can start from it")]
    NoVersion,
    /// A list is older than what was already seen. It comes from a lagging server.
    #[error("the list has version {listed}, but version {known} was already seen")]
    StaleList {
        /// The list's version.
        listed: ResourceVersion,
        /// The newest version that was seen.
        known: ResourceVersion,
    },
    /// A watch sent an event that is older than what was already seen.
    #[error("the watch sent version {event}, but version {known} was already seen")]
    OutOfOrder {
        /// The event's version.
        event: ResourceVersion,
        /// The newest version that was seen.
        known: ResourceVersion,
    },
    /// A watch ended cleanly within a second, without an event.
    #[error("the watch ended within a second, without an event")]
    ShortWatch,
    /// A watch ended cleanly within a second, after some events.
    #[error("the watch ended within a second, after {events} events; the next one is delayed")]
    EndedEarly {
        /// The number of events that it had sent.
        events: u64,
    },
    /// The server sent nothing for this long, so the request was abandoned.
    #[error("the server sent nothing for {0:?}, so the request was abandoned")]
    Silent(Duration),
    /// A streaming list did not announce the end of its initial events within this time.
    #[error("the end of the initial events was not announced within {0:?}")]
    NoInitialEventsEnd(Duration),
    /// The request could not be built.
    #[error("invalid request: {0}")]
    Request(String),
    /// The source, or a part of the reflector, panicked. This is the panic's message.
    #[error("the source or the reflector panicked: {0}")]
    Panicked(String),
    /// The user's transform panicked on the object of this key.
    #[error("the transform panicked on {0}")]
    TransformPanicked(ObjectKey),
}

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
    /// The requested version is no longer available (410). The reflector lists again.
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
    /// One object cannot be used: it cannot be decoded, has another kind, or the transform
    /// panicked. The request is not repeated.
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

impl SourceError {
    /// Creates an error of this request.
    pub fn new(request: RequestScope, fault: Fault) -> Self {
        Self(Arc::new((request, fault)))
    }

    /// Returns the verb and the collection of the request.
    pub fn request(&self) -> &RequestScope {
        &self.0.0
    }

    /// Returns the failure.
    pub fn fault(&self) -> &Fault {
        &self.0.1
    }

    /// Returns the HTTP status code. `None` if the server did not answer with an error status.
    pub fn code(&self) -> Option<u16> {
        match self.fault() {
            Fault::Status(status) => Some(status.code),
            _ => None,
        }
    }

    /// Returns the time that the server asked to wait before the next request, if it did.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.fault() {
            Fault::Status(status) => status.retry_after,
            _ => None,
        }
    }

    /// Returns the class of the failure.
    pub fn class(&self) -> FaultClass {
        match self.fault() {
            Fault::Status(status) => status.class(),
            Fault::Connect { refused: true, .. } => FaultClass::Refused,
            Fault::Request(_) => FaultClass::Invalid,
            Fault::Undecodable { .. } | Fault::WrongKind { .. } | Fault::TransformPanicked(_) => {
                FaultClass::Undecodable
            }
            _ => FaultClass::Other,
        }
    }

    /// Returns whether the same request may succeed later without a change of permissions, of the
    /// served resource types, or of the request. The reflector retries in any case.
    pub fn is_retryable(&self) -> bool {
        !matches!(
            self.class(),
            FaultClass::Unauthorized
                | FaultClass::Forbidden
                | FaultClass::NotFound
                | FaultClass::Invalid
        )
    }
}

impl ApiStatus {
    /// Creates a status of this code, without causes and retry delay.
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
            (500, _) => FaultClass::Internal,
            (400..=499, _) => FaultClass::Invalid,
            _ => FaultClass::Other,
        }
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

fn named(key: Option<&ObjectKey>) -> String {
    key.map_or_else(|| "an object without a readable key".into(), ToString::to_string)
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.request(), self.fault())?;
        match self.fault() {
            Fault::Status(status)
                if status.class() == FaultClass::NotFound && self.request().verb == Verb::List =>
            {
                f.write_str(missing(status.cluster_scoped, self.request().namespace.is_some()))
            }
            _ => Ok(()),
        }
    }
}

/// Returns a hint for a collection that the server does not know. An empty collection is no error.
fn missing(cluster_scoped: bool, namespaced: bool) -> &'static str {
    match (cluster_scoped, namespaced) {
        (true, true) => {
            " (the resource is cluster-scoped and has no namespaces: request it without a namespace)"
        }
        (false, true) => {
            " (is the resource's definition installed, in this version? is it namespaced? request a \
             cluster-scoped resource without a namespace)"
        }
        (_, false) => " (is the resource's definition installed, in this version?)",
    }
}

impl StdError for SourceError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.fault().source()
    }
}

/// Serialises verb, resource, namespace, class, status code and text.
impl serde::Serialize for SourceError {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut error = serializer.serialize_struct("SourceError", 6)?;
        error.serialize_field("verb", &self.request().verb)?;
        error.serialize_field("resource", &self.request().resource)?;
        error.serialize_field("namespace", &self.request().namespace)?;
        error.serialize_field("class", &self.class())?;
        error.serialize_field("code", &self.code())?;
        error.serialize_field("message", &self.to_string())?;
        error.end()
    }
}

impl fmt::Display for RequestScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.verb {
            Verb::List => "list",
            Verb::Watch => "watch",
        };
        write!(f, "{verb} ")?;
        write_place(f, &self.resource, self.namespace.as_deref())
    }
}

/// Writes a resource and its namespace, such as `pods in shop`.
pub(crate) fn write_place(
    f: &mut fmt::Formatter<'_>,
    what: &dyn fmt::Display,
    namespace: Option<&str>,
) -> fmt::Result {
    match namespace {
        Some(namespace) => write!(f, "{what} in {namespace}"),
        None => write!(f, "{what}"),
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

/// The longest text from a server that an error repeats, in bytes.
const LONGEST_TEXT: usize = 1024;

/// Returns a text from outside, cut to at most [`LONGEST_TEXT`] bytes. Cutting it twice is the same
/// as cutting it once.
pub(crate) fn clipped(text: &str) -> Cow<'_, str> {
    const CUT: &str = "… (cut)";
    if text.len() <= LONGEST_TEXT {
        return Cow::Borrowed(text);
    }
    let mut end = LONGEST_TEXT - CUT.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Cow::Owned(format!("{}{CUT}", &text[..end]))
}

/// Returns the texts of an error and of all its causes, without repetition.
pub(crate) fn chain(error: &(dyn StdError + 'static)) -> String {
    let mut text = clipped(&error.to_string()).into_owned();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        let said = clipped(&said);
        if !text.ends_with(&*said) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&said);
        }
        cause = error.source();
    }
    text
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
    fn long_message_is_cut_and_marked() {
        for message in ["é".repeat(8 << 20), "x".repeat(1025)] {
            let text = ApiStatus::new(500, "InternalError", message).to_string();
            assert!(text.len() < 1100 && text.ends_with("… (cut)"), "{} bytes", text.len());
        }
        let whole = "x".repeat(1024);
        assert_eq!(clipped(&whole), whole);
        let long = "é".repeat(9999);
        let once = clipped(&long);
        assert_eq!(clipped(&once), once);
    }

    #[derive(Debug, thiserror::Error)]
    #[error("outer: {0}")]
    struct Outer(#[source] Inner);

    #[derive(Debug, thiserror::Error)]
    #[error("inner")]
    struct Inner(#[source] std::io::Error);

    #[test]
    fn missing_collection_gives_a_hint() {
        let text = |cluster_scoped, namespace: Option<&str>| {
            let mut status = ApiStatus::new(404, "NotFound", "no");
            status.cluster_scoped = cluster_scoped;
            let namespace = namespace.map(Into::into);
            let request = RequestScope { verb: Verb::List, resource: "things".into(), namespace };
            SourceError::new(request, Fault::Status(status)).to_string()
        };
        assert!(
            text(false, None)
                .ends_with("(is the resource's definition installed, in this version?)")
        );
        assert!(text(false, Some("a")).contains("definition installed"));
        assert!(text(false, Some("a")).contains("is it namespaced?"));
        assert!(text(true, Some("a")).contains("has no namespaces"));
    }

    #[test]
    fn every_cause_appears_once() {
        let source = Outer(Inner(std::io::Error::other("refused"))).into();
        let fault = Fault::Connect { refused: false, source };
        assert_eq!(fault.to_string(), "no answer: outer: inner: refused");
    }

    #[test]
    fn class_is_serialised_under_its_name() {
        for (n, class) in FaultClass::ALL.into_iter().enumerate() {
            assert_eq!(serde_json::to_value(class).unwrap(), class.name());
            assert_eq!(class as usize, n, "a handle is found by the class's place");
        }
    }
}
