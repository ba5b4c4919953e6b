//! The errors of applies.

use std::fmt;
use std::sync::Arc;

use kube::core::Status;

use super::owners::OwnerError;
use crate::basics::write_place;
use kube_informer::error::chain;
use kube_informer::object::{InvalidKey, InvalidName, NameRule};

/// The error of an applier that cannot be built.
///
/// An applier compares whole objects. It refuses informers that store less:
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_controllers::writing::{Applier, ApplierError};
/// use kube_informer::{InformerSpec, SharedInformerFactory, testing::ApiServer};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let client = ApiServer::new().client();
/// let factory = SharedInformerFactory::builder(client.clone()).build();
/// let spec = InformerSpec::<ConfigMap>::new().transform(|map| map.data = None);
/// let maps = factory.informer_with(spec)?;
/// let refused = Applier::builder(client, &maps, "site-controller").build().unwrap_err();
/// assert!(matches!(refused, ApplierError::Transformed { .. }));
/// # Ok::<(), kube_informer::factory::SpecError>(()) }).unwrap();
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApplierError {
    /// A transform changes the objects before they are stored.
    #[error(
        "the informer of {resource} has a transform, so its objects cannot be compared with what \
         was applied: use an informer without one"
    )]
    #[non_exhaustive]
    Transformed {
        /// The resource, as `kubectl` writes it.
        resource: Arc<str>,
    },
    /// The type holds only part of the object.
    #[error(
        "the type {type_name} holds a part of {resource} only, so what was applied cannot be \
         compared: use the whole type"
    )]
    #[non_exhaustive]
    Projected {
        /// The resource, as `kubectl` writes it.
        resource: Arc<str>,
        /// The Rust type.
        type_name: &'static str,
    },
    /// The name of the field manager is empty or longer than 128 bytes, or has a character that
    /// cannot be printed.
    #[error("the field manager {manager:?} {}", NameRule::FieldManager)]
    #[non_exhaustive]
    InvalidManager {
        /// The name.
        manager: String,
    },
    /// No resource can have this name.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// The group has no informer.
    #[error("the group of informers is empty")]
    NoInformer,
}

/// The error of an apply.
///
/// A conflict names the other managers and the fields:
///
/// ```
/// use kube_controllers::writing::ApplyError;
///
/// fn explain(error: &ApplyError) {
///     if let ApplyError::Conflict { conflicts, .. } = error {
///         for conflict in conflicts {
///             println!("{} belongs to {}", conflict.field, conflict.manager);
///         }
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// Other managers own some of the fields, with other values. Nothing was written.
    #[error("{object} was not applied: {}", Listed(.conflicts))]
    #[non_exhaustive]
    Conflict {
        /// The resource, name and namespace.
        object: String,
        /// The fields and their managers. There is at least one.
        conflicts: Vec<FieldConflict>,
    },
    /// The request failed. Unless the server refused it, the object may have been written.
    #[error("{object} was not applied: {}{}", chain(.r#source), hint(*.status, .r#source))]
    #[non_exhaustive]
    Request {
        /// The resource, name and namespace.
        object: String,
        /// The cause, which the text has whole. It is not a [`source`](std::error::Error::source),
        /// so that a report of the chain says it once.
        r#source: kube::Error,
        /// True if the status was applied, through the subresource `status`.
        status: bool,
    },
    /// The configuration has no name, or one that no object can have. Nothing was sent.
    #[error("{resource} cannot be applied: {}", .r#source)]
    #[non_exhaustive]
    NoKey {
        /// The resource, as `kubectl` writes it.
        resource: Arc<str>,
        /// The cause.
        r#source: InvalidKey,
    },
    /// No object can have the configuration's name, or be in its namespace. Nothing was sent.
    #[error("{resource} cannot be applied: {}", .r#source)]
    #[non_exhaustive]
    InvalidName {
        /// The resource, as `kubectl` writes it.
        resource: Arc<str>,
        /// The cause.
        r#source: InvalidName,
    },
    /// The configuration could not be serialised, has a number that is NaN, infinite or an integer
    /// above 2^63 - 1, or the object's own code panicked. Nothing was sent.
    #[error("{object} cannot be applied: {reason}")]
    #[non_exhaustive]
    Unserializable {
        /// The resource, name and namespace.
        object: String,
        /// The cause.
        reason: String,
    },
    /// The configuration has a member that contradicts the applier or the key, or that a partial
    /// configuration or a Secret cannot have. Nothing was sent.
    #[error("{object} cannot be applied: {field} {reason}")]
    #[non_exhaustive]
    InvalidMember {
        /// The resource, name and namespace.
        object: String,
        /// The path of the member, such as `metadata.name`.
        field: &'static str,
        /// The reason, as the end of a sentence about the member.
        reason: String,
    },
    /// The configuration has no namespace, and neither has the informer. Nothing was sent.
    #[error("{object} cannot be applied: it has no namespace")]
    #[non_exhaustive]
    NoNamespace {
        /// The resource and name.
        object: String,
    },
    /// No informer holds the object's namespace. Nothing was sent.
    #[error(
        "{object} cannot be applied: the informer does not hold its namespace, so a change of the \
         object would not be seen"
    )]
    #[non_exhaustive]
    NotFollowed {
        /// The resource, name and namespace.
        object: String,
    },
    /// The object was applied, but the informer does not hold it: its selector excludes the object,
    /// or the object cannot be decoded. Each apply of it is sent.
    #[error(
        "{object} was applied, but the informer does not hold it: its selector excludes the \
         object, or the object cannot be decoded"
    )]
    #[non_exhaustive]
    NotHeld {
        /// The resource, name and namespace.
        object: String,
    },
    /// The type does not hold a field that it applies, so changes of that field would not be seen.
    #[error("{object}: the type {type_name} loses the field {field}: use a type that keeps it")]
    #[non_exhaustive]
    Projected {
        /// The resource, name and namespace.
        object: String,
        /// The Rust type.
        type_name: &'static str,
        /// The path of the field.
        field: String,
    },
    /// The object was written, but the answer could not be read.
    #[error("{object} was applied, but the answer could not be read: {reason}")]
    #[non_exhaustive]
    UnreadableAnswer {
        /// The resource, name and namespace.
        object: String,
        /// The cause.
        reason: String,
    },
    /// The owner cannot own the object. Nothing was sent.
    #[error(transparent)]
    Owner(#[from] OwnerError),
}

/// A field that another manager owns with another value.
///
/// ```
/// use kube_controllers::writing::FieldConflict;
///
/// /// Returns whether an autoscaler has set the number of replicas.
/// fn is_scaled(conflicts: &[FieldConflict]) -> bool {
///     conflicts.iter().any(|conflict| conflict.subresource.as_deref() == Some("scale"))
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldConflict {
    /// The other manager's name.
    pub manager: String,
    /// The path of the field, such as `.spec.replicas`. An element of a list is named by its keys.
    pub field: String,
    /// The subresource through which the other manager writes, such as `scale`.
    pub subresource: Option<String>,
    /// The API version of the other manager's update. `None` for an apply.
    pub api_version: Option<String>,
}

impl FieldConflict {
    /// Reads the conflicts of a refused apply. Empty if it was refused for another reason.
    pub(super) fn of(status: &Status) -> Vec<Self> {
        let Some(details) = &status.details else { return Vec::new() };
        let causes = details.causes.iter();
        causes
            .filter(|cause| cause.reason == "FieldManagerConflict")
            .map(|cause| Self::read(&cause.message, &cause.field))
            .collect()
    }

    /// Reads a message such as `conflict with "hpa" with subresource "scale" using v1`.
    fn read(message: &str, field: &str) -> Self {
        let described = message.strip_prefix("conflict with ").unwrap_or(message);
        let (manager, rest) = quoted(described);
        let subresource = rest.strip_prefix(" with subresource ").map(quoted);
        let rest = subresource.as_ref().map_or(rest, |(_, rest)| rest);
        Self {
            manager,
            field: field.to_owned(),
            subresource: subresource.map(|(name, _)| name),
            api_version: rest.strip_prefix(" using ").map(str::to_owned),
        }
    }
}

/// Splits a quoted text from the rest. A text without quotes is returned as a whole.
fn quoted(text: &str) -> (String, &str) {
    let mut texts = serde_json::Deserializer::from_str(text).into_iter::<String>();
    match texts.next() {
        Some(Ok(name)) => (name, &text[texts.byte_offset()..]),
        _ => (text.to_owned(), ""),
    }
}

impl fmt::Display for FieldConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} belongs to {:?}", self.field, self.manager)?;
        if let Some(subresource) = &self.subresource {
            write!(f, " through {subresource}")?;
        }
        Ok(())
    }
}

/// Returns the end of the text of a failed request.
fn hint(status: bool, source: &kube::Error) -> &'static str {
    match source {
        kube::Error::Api(answer) if status && answer.code == 404 => {
            " (does the kind have the subresource `status`?)"
        }
        _ => "",
    }
}

/// The most conflicts that a text names.
const NAMED: usize = 8;

struct Listed<'a>(&'a [FieldConflict]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, conflict) in self.0.iter().take(NAMED).enumerate() {
            write!(f, "{}{conflict}", if n == 0 { "" } else { ", " })?;
        }
        match self.0.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => write!(f, ", and {more} more"),
        }
    }
}

/// The name of an object in errors, such as `deployments.apps web in shop`.
pub(super) struct ObjectName<'a> {
    pub(super) resource: &'a str,
    pub(super) name: &'a str,
    pub(super) namespace: Option<&'a str>,
}

impl fmt::Display for ObjectName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &format_args!("{} {}", self.resource, self.name), self.namespace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &str) -> (String, Option<String>, Option<String>) {
        let FieldConflict { manager, subresource, api_version, .. } =
            FieldConflict::read(message, ".x");
        (manager, subresource, api_version)
    }

    #[test]
    fn report_of_the_chain_says_the_cause_once() {
        let refused = std::io::Error::other("connection refused");
        let source = kube::Error::Service(Box::new(refused));
        let error = ApplyError::Request { object: "pods a".into(), source, status: false };
        let text = "pods a was not applied: ServiceError: connection refused";
        assert_eq!((error.to_string(), chain(&error)), (text.into(), text.into()));
        assert!(std::error::Error::source(&error).is_none());
    }

    /// The messages of a server's answers.
    #[test]
    fn conflicts_name_manager_and_subresource() {
        assert_eq!(read(r#"conflict with "m1""#), ("m1".into(), None, None));
        assert_eq!(
            read(r#"conflict with "creator" using apps/v1"#),
            ("creator".into(), None, Some("apps/v1".into()))
        );
        assert_eq!(
            read(r#"conflict with "hpa" with subresource "scale""#),
            ("hpa".into(), Some("scale".into()), None)
        );
        assert_eq!(
            read(r#"conflict with "a \"b\"" with subresource "status" using v1"#),
            (r#"a "b""#.into(), Some("status".into()), Some("v1".into()))
        );
        assert_eq!(read("a later wording"), ("a later wording".into(), None, None));
    }

    #[test]
    fn recorded_conflict_is_read() {
        let recorded = r#"{"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": "Apply failed with 1 conflict: conflict with \"c1\" with subresource \"status\": .status.conditions[type=\"A\"].status",
            "reason": "Conflict", "details": {"causes": [{"reason": "FieldManagerConflict",
            "message": "conflict with \"c1\" with subresource \"status\"",
            "field": ".status.conditions[type=\"A\"].status"}]}, "code": 409}"#;
        let conflicts = FieldConflict::of(&serde_json::from_str(recorded).unwrap());
        let object =
            ObjectName { resource: "deployments.apps", name: "web", namespace: Some("shop") };
        let error = ApplyError::Conflict { object: object.to_string(), conflicts };
        assert_eq!(
            error.to_string(),
            "deployments.apps web in shop was not applied: .status.conditions[type=\"A\"].status \
             belongs to \"c1\" through status"
        );
    }
}
