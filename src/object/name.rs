//! Names that a program gives, checked where it gives them.

use std::fmt;

use kube_decode::names::{is_label, is_path_segment, is_qualified, is_subdomain, unprintable};

use crate::labels::{LabelSelector, field_problem};

/// The longest name of a field manager, in bytes.
const LONGEST_MANAGER: usize = 128;

/// The longest key of a Secret's data, in bytes.
const LONGEST_KEY: usize = 253;

/// The query parameters of lists and watches that have their own options.
const OWN_PARAMETERS: [&str; 11] = [
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeoutSeconds",
    "watch",
];

/// The error of a name that an API server refuses in every request.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::object::{InvalidName, NameRule};
/// use kube_informer::informer::StartError;
/// use kube_informer::SharedInformerFactory;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let client = kube_informer::testing::ApiServer::new().client();
/// let factory = SharedInformerFactory::builder(client).namespace("my_shop").build();
/// factory.informer::<Pod>();
/// let Err(StartError::InvalidName(InvalidName { rule, .. })) = factory.start() else { panic!() };
/// assert_eq!(rule, NameRule::Label);
/// # });
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {argument} {value:?} {rule}")]
#[non_exhaustive]
pub struct InvalidName {
    /// The argument that has the name, in words.
    argument: &'static str,
    /// The name.
    value: String,
    /// The rule that it breaks.
    pub rule: NameRule,
}

/// A rule of the API server for names.
///
/// ```
/// use kube_informer::object::NameRule;
///
/// let text = NameRule::Label.to_string();
/// assert!(text.starts_with("must be an RFC 1123 label: 1 to 63 lower-case letters, digits"));
/// assert!(NameRule::Subdomain.allows("a.b") && !NameRule::Label.allows("a.b"));
/// let refused = NameRule::Label.check("shop", "my_shop").unwrap_err();
/// assert!(refused.to_string().starts_with(r#"the shop "my_shop" must be an RFC 1123 label"#));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NameRule {
    /// A label of RFC 1123. The names of namespaces are.
    Label,
    /// A subdomain of RFC 1123. The names of most objects are.
    Subdomain,
    /// A qualified name: the rule for the keys of labels and annotations, for the controllers that
    /// report events, and for finalizers.
    Qualified,
    /// A qualified name with a domain: the rule for finalizers of built-in kinds.
    Finalizer,
    /// A name that a request's path can hold. The names of all objects are.
    PathSegment,
    /// The name of a field manager.
    FieldManager,
    /// A key of the data of a Secret or `ConfigMap`.
    DataKey,
    /// A query parameter that no option of an informer sets.
    Parameter,
    /// A label selector.
    LabelSelector,
    /// A field selector.
    FieldSelector,
}

impl NameRule {
    /// Checks a name.
    ///
    /// # Errors
    /// [`InvalidName`] if the rule does not allow it. It calls the name `argument`.
    pub fn check(self, argument: &'static str, name: &str) -> Result<(), InvalidName> {
        if self.allows(name) {
            return Ok(());
        }
        Err(InvalidName { argument, value: name.to_owned(), rule: self })
    }

    /// Returns whether the rule allows a name.
    pub fn allows(self, name: &str) -> bool {
        match self {
            Self::Label => is_label(name),
            Self::Subdomain => is_subdomain(name),
            Self::Qualified => is_qualified(name),
            Self::Finalizer => is_qualified(name) && name.contains('/'),
            Self::PathSegment => is_path_segment(name),
            Self::FieldManager => {
                (1..=LONGEST_MANAGER).contains(&name.len()) && unprintable(name).is_none()
            }
            Self::DataKey => {
                let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
                (1..=LONGEST_KEY).contains(&name.len())
                    && name.chars().all(is_allowed)
                    && name != "."
                    && !name.starts_with("..")
            }
            Self::Parameter => !name.is_empty() && !OWN_PARAMETERS.contains(&name),
            Self::LabelSelector => name.parse::<LabelSelector>().is_ok(),
            Self::FieldSelector => field_problem(name).is_none(),
        }
    }
}

impl fmt::Display for NameRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Label => {
                "must be an RFC 1123 label: 1 to 63 lower-case letters, digits and hyphens, with a \
                 letter or digit at both ends"
            }
            Self::Subdomain => {
                "must be an RFC 1123 subdomain: 1 to 253 lower-case letters, digits, hyphens and \
                 dots, with a letter or digit at both ends and on both sides of each dot"
            }
            Self::Qualified => {
                "must be a qualified name of Kubernetes: 1 to 63 letters, digits, '-', '_' and \
                 '.', with a letter or digit at both ends, after an RFC 1123 subdomain and a slash \
                 if it has a domain"
            }
            Self::Finalizer => {
                "must be a qualified name of Kubernetes with a domain, such as example.com/cleanup: \
                 an RFC 1123 subdomain, a slash, and 1 to 63 letters, digits, '-', '_' and '.', \
                 with a letter or digit at both ends"
            }
            Self::PathSegment => {
                "must be a path segment, as Kubernetes requires of all names: not empty, '.' or \
                 '..', and without '/' and '%'"
            }
            Self::FieldManager => {
                "must be a field manager of Kubernetes: 1 to 128 bytes, all characters printable"
            }
            Self::DataKey => {
                "must be a key of a Secret: 1 to 253 letters, digits, '-', '_' and '.', not '.', \
                 and without two dots at the start"
            }
            Self::Parameter => {
                "must be a query parameter that the informer does not set itself: use its options \
                 for selectors, versions, pages, limits and watches"
            }
            Self::LabelSelector => {
                "must be a label selector as kubectl takes it, such as app=web,tier!=db"
            }
            Self::FieldSelector => {
                "must be a field selector: path=value, path==value or path!=value, joined by commas"
            }
        })
    }
}
