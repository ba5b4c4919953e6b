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
pub(crate) mod fault;
mod oversized;
mod status;
mod texts;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::ser::SerializeStruct;

pub(crate) use self::credentials::without_credentials;
pub use self::fault::Fault;
pub use self::oversized::AnswerTooLarge;
pub use self::status::{ApiStatus, FaultClass};
pub use self::texts::chain;
#[doc(hidden)]
pub use self::texts::clipped_to;
pub(crate) use self::texts::{MOST_CAUSES, clipped, quotable, quoted};

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

    /// Returns whether the server answered, and not only with 429. An answer that broke off is one.
    pub(crate) fn is_answer(&self) -> bool {
        match self.fault() {
            Fault::Connect { .. } | Fault::Silent(_) => false,
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

#[cfg(test)]
mod tests {
    use super::*;

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
