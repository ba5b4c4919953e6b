//! Errors of requests to the API server.
//!
//! A [`SourceError`] names the request, the resource, the failure, and whether a retry can help. It
//! never carries an object's contents: a Secret that cannot be decoded is named, not quoted. Nor
//! does it quote credentials: the output of a plug-in, the password of a proxy, or a kubeconfig.
//!
//! The text of each error of this crate includes its causes: print it with `{}`. Some errors also
//! return their cause as [`source`](StdError::source): [`SyncError`](crate::SyncError), and those
//! that hold an error of kube. A report of their whole chain, such as `{:#}` of anyhow, repeats the
//! cause.

pub(crate) mod credentials;
mod oversized;
mod status;

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::iter::successors;
use std::sync::Arc;
use std::time::Duration;

use serde::ser::SerializeStruct;

use self::credentials::Hidden;
pub(crate) use self::credentials::without_credentials;
pub use self::oversized::AnswerTooLarge;
pub use self::status::{ApiStatus, FaultClass};
use crate::object::{ObjectKey, ResourceVersion};

/// An error of any type, as user code may return it.
///
/// A function that uses `?` on errors of several types:
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::error::BoxError;
///
/// fn replicas(map: &ConfigMap) -> Result<u32, BoxError> {
///     let replicas = map.data.as_ref().and_then(|data| data.get("replicas"));
///     Ok(replicas.ok_or("the key `replicas` is missing")?.parse()?)
/// }
/// ```
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// An error of a list or watch: the request failed, or its answer cannot be used.
///
/// Clones are cheap: the status, the error handler and a waiting task share one error.
///
/// It displays the request and the whole cause, such as `list pods in shop: 403 Forbidden: …`.
///
/// ```
/// use kube_informer::SourceError;
/// use kube_informer::error::{Fault, FaultClass, Verb};
///
/// /// Returns what an administrator can do about an error.
/// fn advice(error: &SourceError) -> Option<String> {
///     let request = error.request();
///     let verb = if request.verb == Verb::Watch { "watch" } else { "list" };
///     match (error.class(), error.fault()) {
///         (FaultClass::Forbidden, _) => Some(format!("allow {verb} on {}", request.resource)),
///         (_, Fault::TooLarge { limit, .. }) => Some(format!("raise the limit of {limit} bytes")),
///         (_, Fault::Connect { refused: true, .. }) => Some("start the API server".into()),
///         _ => None,
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct SourceError(Arc<(RequestName, Fault)>);

/// The verb and the collection of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[non_exhaustive]
pub struct RequestName {
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
    /// No answer came. Causes include refused connections, name resolution, TLS and credential
    /// plug-ins. The text names every cause, but never the output of a plug-in.
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
        /// The position in the uncompressed body, in bytes.
        offset: u64,
        /// The problem at this position.
        problem: String,
    },
    /// A compressed answer is damaged. What it brought before may be damaged, too.
    #[error(
        "the compressed answer is damaged after {inflated} bytes: {problem}; uncompressed answers \
         are requested for ten minutes"
    )]
    Damaged {
        /// The number of uncompressed bytes before the damage was found.
        inflated: u64,
        /// The kind of damage.
        problem: &'static str,
    },
    /// The answer has a media type that was not requested.
    #[error("the answer has media type {0:?}, which was not requested")]
    MediaType(String),
    /// The answer is compressed in a way that was not requested. A proxy may have compressed it.
    #[error(
        "the answer has Content-Encoding {0:?}, which was not requested; check for a proxy that \
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
        /// The path of the field, the problem and its position in the object. It never contains the
        /// object's contents: a key of a map is shown as `*`.
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
    /// An object is not in the requested namespace: it has another one, or none. The answer is that
    /// to another request, and is not used.
    #[error("the answer has {0}, which is not in the requested namespace")]
    WrongNamespace(ObjectKey),
    /// A list has no `resourceVersion`, so no watch can start from it.
    #[error("the list has no metadata.resourceVersion, so no watch can start from it")]
    NoVersion,
    /// A list says that objects remain after its last page, so it is not whole. It deletes nothing,
    /// and is requested again.
    #[error(
        "the list ends, but says that {remaining} objects remain: there is no metadata.continue to \
         request them with; look at the server, or at a proxy that leaves it out"
    )]
    MissingRest {
        /// The number of objects that remain, as the server states it.
        remaining: u64,
    },
    /// A list is older than what was already seen, or a page is older than the first page. It comes
    /// from a lagging server. A page is also refused if the two versions can't be compared.
    #[error("the list has version {listed}, but version {known} was already seen")]
    StaleList {
        /// The version of the list or page.
        listed: ResourceVersion,
        /// The newest version that was seen, or that of the first page.
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
    /// A watch added two objects that were known at the version that it was requested from, and did
    /// not delete them before. Or it modified two objects into their known states. The server began
    /// from nothing, so its versions are made up, as those of some aggregated servers are. It never
    /// tells of objects that were deleted before the watch, so everything is listed again.
    ///
    /// A watch that begins from nothing and adds fewer known objects shows nothing: it looks like
    /// that of a quiet collection, or like a repetition of the last event. One that sends objects
    /// as modified shows nothing if the versions are all equal, or newer than the known ones.
    #[error(
        "the watch from version {from} sent objects again that are known; everything is listed \
         again, because the server does not tell what was deleted before"
    )]
    Replayed {
        /// The version that the watch was requested from.
        from: ResourceVersion,
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
    /// The server sent no complete item for this long, so the request was abandoned.
    #[error("the server sent no complete item for {0:?}, so the request was abandoned")]
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
    /// The user's transform panicked on the object with this key.
    #[error("the transform panicked on {0}")]
    TransformPanicked(ObjectKey),
}

impl SourceError {
    /// Creates an error of this request.
    pub fn new(request: RequestName, fault: Fault) -> Self {
        Self(Arc::new((request, fault)))
    }

    /// Returns the verb and the collection of the request.
    pub fn request(&self) -> &RequestName {
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

    /// Returns whether the server answered, and not only with 429.
    pub(crate) fn is_answer(&self) -> bool {
        match self.fault() {
            Fault::Connect { .. } | Fault::Interrupted { .. } | Fault::Silent(_) => false,
            _ => self.class() != FaultClass::Throttled,
        }
    }

    /// Returns the class of the failure.
    pub fn class(&self) -> FaultClass {
        match self.fault() {
            Fault::Status(status) => status.class(),
            Fault::Connect { refused: true, .. } => FaultClass::Refused,
            Fault::Request(_) => FaultClass::Invalid,
            Fault::Undecodable { .. }
            | Fault::WrongKind { .. }
            | Fault::WrongNamespace(_)
            | Fault::TransformPanicked(_) => FaultClass::Undecodable,
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
            Fault::Status(status)
                if status.class() == FaultClass::Forbidden
                    && self.request().verb == Verb::Watch =>
            {
                f.write_str(
                    " (grant `watch`, too: without it only a list every few minutes shows changes)",
                )
            }
            Fault::Status(status) if status.class() == FaultClass::Unauthorized => {
                f.write_str(BAD_CREDENTIALS)
            }
            _ => Ok(()),
        }
    }
}

/// A hint for credentials that the server refuses, as the end of an error's text.
const BAD_CREDENTIALS: &str = " (the credentials are missing, expired or for another \
    server: check kubeconfig or service account, or use a client that renews itself)";

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

/// The text has every cause. [`fault`](SourceError::fault) has them as values.
impl StdError for SourceError {}

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

impl fmt::Display for RequestName {
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

/// The longest text from a server that an error repeats, in bytes.
const LONGEST_TEXT: usize = 1024;

/// The mark of a text that was cut.
const CUT: &str = "… (cut)";

/// Returns a text from outside, cut to at most [`LONGEST_TEXT`] bytes. Cutting it twice is the same
/// as cutting it once.
pub(crate) fn clipped(text: &str) -> Cow<'_, str> {
    clipped_to(text, LONGEST_TEXT)
}

/// Returns a text, cut to at most `longest` bytes and marked. The limit is longer than the mark.
#[doc(hidden)]
pub fn clipped_to(text: &str, longest: usize) -> Cow<'_, str> {
    if text.len() <= longest {
        return Cow::Borrowed(text);
    }
    let mut end = longest - CUT.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Cow::Owned(format!("{}{CUT}", &text[..end]))
}

/// The unfinished part of a compressed answer that ended too early.
pub(crate) const GZIP_MEMBER: &str = "a gzip member";

impl Fault {
    /// Returns whether a compressed answer was damaged, so that what it brought before may be
    /// damaged, too.
    pub(crate) fn shows_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::Truncated { within: GZIP_MEMBER, .. })
    }
}

/// The text for the JSON body of a failure that is no `Status`.
const NO_STATUS: &str = "the body is JSON, but no Status, and is not shown";

/// The text for the body of a failure that is not quoted.
const NO_TEXT: &str = "the body is no plain text, and is not shown";

/// Parts of a text that show that it is, or contains, a piece of an object in JSON or YAML.
const OBJECT_MARKS: [&str; 10] = [
    r#"":""#,
    r#"": ""#,
    r#"":{"#,
    r#"":["#,
    r#"",""#,
    r#""}"#,
    r#""]"#,
    "apiVersion:",
    "kind:",
    "metadata:",
];

/// Returns the text of a failure's body that is not a `Status`. Bytes that are not text, and
/// objects and pieces of them, are not quoted, because they may be of a Secret. `is_text` is false
/// if the answer says that the body is something else.
pub(crate) fn quotable(body: &[u8], is_text: bool) -> Cow<'_, str> {
    let text = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body).trim_ascii();
    let is_binary = |byte: &u8| *byte < b' ' && !byte.is_ascii_whitespace();
    let has = |mark: &&str| memchr::memmem::find(text, mark.as_bytes()).is_some();
    match text.first() {
        None => "the body is empty".into(),
        Some(b'{' | b'[') => NO_STATUS.into(),
        Some(b'"') => NO_TEXT.into(),
        _ if !is_text || text.iter().any(is_binary) || OBJECT_MARKS.iter().any(has) => {
            NO_TEXT.into()
        }
        _ => String::from_utf8_lossy(text),
    }
}

/// Returns the body of an answer if it is plain text, shortened.
pub(crate) fn quoted(body: &[u8]) -> String {
    clipped(&quotable(body, true)).into_owned()
}

/// The largest number of an error's causes that are read. A user's error may have endless causes.
pub(crate) const MOST_CAUSES: usize = 100;

/// Returns the texts of an error and of its causes, without repetition. Causes after the hundredth
/// are left out. It quotes no credentials that an error of kube has.
///
/// ```
/// use kube_informer::error::chain;
///
/// let error = kube::Error::Service("connection refused".into());
/// assert_eq!(chain(&error), "ServiceError: connection refused");
/// ```
pub fn chain(error: &(dyn StdError + 'static)) -> String {
    let hidden = Hidden::of(error);
    let mut text = String::new();
    let mut causes = successors(Some(error), |&error| error.source());
    for error in causes.by_ref().take(MOST_CAUSES + 1) {
        let (said, had) = match &hidden {
            Some(hidden) => hidden.replace(error.to_string()),
            None => (error.to_string(), false),
        };
        let said = clipped(&said);
        if !text.ends_with(&*said) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&said);
        }
        if had {
            // Its causes may quote the same.
            return text;
        }
    }
    if causes.next().is_some() {
        text.push_str(CUT);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let short = clipped_to(&long, 160);
        assert!(short.len() <= 160 && short.ends_with("… (cut)"), "{short}");
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
            let request = RequestName { verb: Verb::List, resource: "things".into(), namespace };
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
        let request = RequestName { verb: Verb::List, resource: "pods".into(), namespace: None };
        let error = SourceError::new(request, fault);
        assert_eq!(error.to_string(), "list pods: no answer: outer: inner: refused");
        assert!(error.source().is_none(), "a report of the chain would repeat it");
    }
}
