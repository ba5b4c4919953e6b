//! What can go wrong between this process and the API server.
//!
//! A [`SourceError`] says what was asked, of which resource, what came back, and whether asking
//! again can help. It never carries an object's contents: a Secret that can't be decoded is named,
//! not quoted.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::ser::SerializeStruct;

use crate::object::{ObjectKey, ResourceVersion};

/// A list or watch that failed, or gave something that can't be used.
///
/// Cheap to clone: the status, the error handler and a waiting task share one.
#[derive(Clone, Debug)]
pub struct SourceError(Arc<(Asked, Fault)>);

/// What was asked of the server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Asked {
    /// Whether objects were listed or watched.
    pub verb: Verb,
    /// The resource as `kubectl` writes it: `pods`, `deployments.apps`.
    pub resource: Arc<str>,
    /// The namespace asked, `None` for all of them.
    pub namespace: Option<Arc<str>>,
}

/// The verb of a request, by the name that RBAC rules use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// A list.
    List,
    /// A watch, or a streaming list.
    Watch,
}

/// What came back instead of what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The server answered with a failure.
    #[error("{0}")]
    Status(ApiStatus),
    /// No answer came: refused, unresolved, TLS, authentication plug-in. Its text names every cause.
    #[error("no answer: {}", chain(&**.source))]
    Connect {
        /// The connection was refused: the server is not there now.
        refused: bool,
        /// What the client said.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The answer broke off.
    #[error("the answer broke off after {received} bytes: {}", chain(&**.source))]
    Interrupted {
        /// How many bytes of the body had come.
        received: u64,
        /// What the connection said.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The answer ended, in good order, in the middle of something.
    #[error("the answer ended after {received} bytes, in the middle of {within}")]
    Truncated {
        /// How many bytes of the body had come.
        received: u64,
        /// What was not finished.
        within: &'static str,
    },
    /// The answer is not of the form that was asked for.
    #[error("not what was asked for, at byte {offset}: {problem}")]
    Malformed {
        /// Where in the body.
        offset: u64,
        /// What is wrong there.
        problem: String,
    },
    /// The answer is of a media type that was not asked for.
    #[error("the answer is {0:?}, not a media type that was asked for")]
    MediaType(String),
    /// The answer is compressed, which was not asked for: something between here and the server does it.
    #[error(
        "the answer has Content-Encoding {0:?}, though identity was asked for: a proxy may compress it"
    )]
    ContentEncoding(String),
    /// One object, or one event, is larger than the limit.
    #[error("an object at byte {offset} is larger than the limit of {limit} bytes")]
    TooLarge {
        /// Where in the body it begins.
        offset: u64,
        /// The limit, in bytes.
        limit: usize,
    },
    /// One object can't be decoded; its neighbours are not affected.
    #[error("{} can't be decoded: {problem}", named(.key.as_ref()))]
    Undecodable {
        /// Which, where that could be read.
        key: Option<ObjectKey>,
        /// What is wrong, and where in the object; never what the object holds.
        problem: String,
    },
    /// An event carries an object of another kind.
    #[error("an object of kind {found:?} came where {expected:?} was asked")]
    WrongKind {
        /// What was asked.
        expected: String,
        /// What came.
        found: String,
    },
    /// A list without a `resourceVersion`: a watch could not be started from it.
    #[error("the list has no metadata.resourceVersion")]
    NoVersion,
    /// A list from a lagging cache: older than what was already seen.
    #[error("the list is of version {listed}, older than {known} that was already seen")]
    WentBack {
        /// The version of the list.
        listed: ResourceVersion,
        /// The version already seen.
        known: ResourceVersion,
    },
    /// A watch went back: an event older than what was already seen, told again or too late.
    #[error("an event of version {event} came after version {known} was seen")]
    OutOfOrder {
        /// The version of the event.
        event: ResourceVersion,
        /// The version already seen.
        known: ResourceVersion,
    },
    /// A watch ended within a second without one event.
    #[error("the watch ended at once, without an event")]
    ShortWatch,
    /// A watch ended within a second, in good order.
    #[error("the watch ended at once, after {events} events; the next one waits its turn")]
    EndedEarly {
        /// How many events it had brought.
        events: u64,
    },
    /// A watch gave no sign of life and was given up.
    #[error("nothing came for {0:?}; the watch is taken for dead")]
    Silent(Duration),
    /// A streaming list did not say that its initial events were through.
    #[error("the end of the initial events was not announced within {0:?}")]
    NoInitialEventsEnd(Duration),
    /// The request could not be built.
    #[error("the request can't be built: {0}")]
    Request(String),
    /// The source, or a part of the reflector, panicked.
    #[error("it panicked: {0}")]
    Panicked(String),
    /// The user's transform panicked on an object.
    #[error("the transform panicked on {0}")]
    TransformPanicked(ObjectKey),
}

/// A failure as the API server words it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiStatus {
    /// The HTTP status, or the code of an ERROR event.
    pub code: u16,
    /// The machine-readable reason, such as `Expired`; empty where the body was no Status.
    pub reason: String,
    /// The human-readable message.
    pub message: String,
    /// Reason and message of each cause.
    pub causes: Vec<(String, String)>,
    /// How long the server asks to wait before the next request.
    pub retry_after: Option<Duration>,
    /// The resource is of the whole cluster, and was asked for in a namespace.
    pub(crate) cluster_scoped: bool,
}

/// What kind of failure this is, as far as it decides what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultClass {
    /// The version asked for is no longer there (410): list anew.
    Expired,
    /// The version asked for is not there yet (504 with cause `ResourceVersionTooLarge`).
    VersionTooLarge,
    /// Too many requests (429): wait, then the same again.
    Throttled,
    /// The connection was refused: wait, then the same again.
    Refused,
    /// The credentials are not accepted (401).
    Unauthorized,
    /// The permission is missing (403).
    Forbidden,
    /// The resource type is not served (404).
    NotFound,
    /// The server failed inside (500 `InternalError`).
    Internal,
    /// The request is wrong (another 4xx): the same request will fail again.
    Invalid,
    /// One object can't be used: it can't be decoded, is of another kind, or the transform panicked.
    /// Nothing is asked again for it.
    Undecodable,
    /// Anything else.
    Other,
}

impl FaultClass {
    /// Every class.
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

    /// Its name in metrics and in what is serialised.
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
    /// An error of this request.
    pub fn new(asked: Asked, fault: Fault) -> Self {
        Self(Arc::new((asked, fault)))
    }

    /// What was asked.
    pub fn asked(&self) -> &Asked {
        &self.0.0
    }

    /// What came back.
    pub fn fault(&self) -> &Fault {
        &self.0.1
    }

    /// The status code, where the server answered with one.
    pub fn code(&self) -> Option<u16> {
        match self.fault() {
            Fault::Status(status) => Some(status.code),
            _ => None,
        }
    }

    /// How long the server asked to wait before the next request.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.fault() {
            Fault::Status(status) => status.retry_after,
            _ => None,
        }
    }

    /// The kind of failure.
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

    /// Whether the same request may succeed later without anybody changing permissions, the
    /// resource types served, or the request. The reflector goes on asking in any case.
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
    /// A status of this code, with nothing else known.
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

    /// The kind of failure.
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

    /// Servers since 1.18.6 name the cause; those before said it in a cause's message, and before
    /// 1.17 in the status' own.
    fn is_version_too_large(&self) -> bool {
        const SAYS_SO: &str = "Too large resource version";
        self.causes.iter().any(|(reason, _)| reason == "ResourceVersionTooLarge")
            || (self.reason == "Timeout"
                && (self.message.contains(SAYS_SO)
                    || self.causes.iter().any(|(_, message)| message == SAYS_SO)))
    }
}

fn named(key: Option<&ObjectKey>) -> String {
    key.map_or_else(|| "an object that can't be named".into(), ToString::to_string)
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.asked(), self.fault())?;
        match self.fault() {
            Fault::Status(status)
                if status.class() == FaultClass::NotFound && self.asked().verb == Verb::List =>
            {
                f.write_str(missing(status.cluster_scoped, self.asked().namespace.is_some()))
            }
            _ => Ok(()),
        }
    }
}

/// What may be wrong where a server does not know a collection: an empty one is no error.
fn missing(cluster_scoped: bool, namespaced: bool) -> &'static str {
    match (cluster_scoped, namespaced) {
        (true, true) => " (the resource has no namespaces: ask for it without one)",
        (false, true) => {
            " (is the resource's definition installed, in this version? is it namespaced? one that is \
             cluster-scoped is asked for without a namespace)"
        }
        (_, false) => " (is the resource's definition installed, in this version?)",
    }
}

impl StdError for SourceError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.fault().source()
    }
}

/// What was asked, the class, the status code where there is one, and the text.
impl serde::Serialize for SourceError {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut error = serializer.serialize_struct("SourceError", 6)?;
        error.serialize_field("verb", &self.asked().verb)?;
        error.serialize_field("resource", &self.asked().resource)?;
        error.serialize_field("namespace", &self.asked().namespace)?;
        error.serialize_field("class", &self.class())?;
        error.serialize_field("code", &self.code())?;
        error.serialize_field("message", &self.to_string())?;
        error.end()
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.verb {
            Verb::List => "list",
            Verb::Watch => "watch",
        };
        write!(f, "{verb} ")?;
        write_place(f, &self.resource, self.namespace.as_deref())
    }
}

/// Writes what is meant and the namespace it is in: `pods in shop`.
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

/// How much of what a server says an error repeats, in bytes.
const WORDS: usize = 1024;

/// A text from outside, cut where it is longer than an error should be. Cutting twice is cutting once.
pub(crate) fn clipped(text: &str) -> Cow<'_, str> {
    const CUT: &str = "… (cut)";
    if text.len() <= WORDS {
        return Cow::Borrowed(text);
    }
    let mut end = WORDS - CUT.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Cow::Owned(format!("{}{CUT}", &text[..end]))
}

/// An error and all its causes, each said once.
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
    fn too_large_is_known_in_all_three_wordings() {
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
    fn a_long_message_is_cut_and_says_so() {
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
    fn a_missing_collection_says_what_may_be_wrong() {
        let text = |cluster_scoped, namespace: Option<&str>| {
            let mut status = ApiStatus::new(404, "NotFound", "no");
            status.cluster_scoped = cluster_scoped;
            let namespace = namespace.map(Into::into);
            let asked = Asked { verb: Verb::List, resource: "things".into(), namespace };
            SourceError::new(asked, Fault::Status(status)).to_string()
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
    fn every_cause_is_said_once() {
        let source = Outer(Inner(std::io::Error::other("refused"))).into();
        let fault = Fault::Connect { refused: false, source };
        assert_eq!(fault.to_string(), "no answer: outer: inner: refused");
    }

    #[test]
    fn a_class_is_serialised_under_its_name() {
        for (n, class) in FaultClass::ALL.into_iter().enumerate() {
            assert_eq!(serde_json::to_value(class).unwrap(), class.name());
            assert_eq!(class as usize, n, "a handle is found by the class's place");
        }
    }
}
