//! The resource that a request writes to, read from its method and path.

use std::fmt;

use http::Method;
use percent_encoding::percent_decode_str;
use serde::Deserialize;

use crate::basics::{in_path, resource_name, write_place};
use kube_informer::object::ObjectKey;

/// The verbs that change something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteVerb {
    Create,
    Change,
    Delete,
}

/// The object or collection of a write request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WriteTarget {
    pub(super) verb: WriteVerb,
    /// The path of the collection, within the namespace if there is one.
    pub(super) collection: String,
    /// The resource as `kubectl` writes it: `deployments.apps`.
    resource: String,
    namespace: Option<String>,
    /// `None` for a creation, and for the deletion of a collection.
    pub(super) name: Option<String>,
    pub(super) subresource: Option<String>,
}

/// The options of a deletion, or of the one that an eviction requests.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct DeleteOptions {
    dry_run: Vec<String>,
    delete_options: Option<Box<DeleteOptions>>,
}

impl DeleteOptions {
    fn is_dry_run(&self) -> bool {
        !self.dry_run.is_empty() || self.delete_options.as_deref().is_some_and(Self::is_dry_run)
    }
}

impl WriteTarget {
    /// Reads a request. Returns `None` if it changes nothing: a read, a dry run, or a path without
    /// a resource.
    pub(in crate::controller) fn of(
        method: &Method,
        path: &str,
        query: Option<&str>,
    ) -> Option<Self> {
        let verb = match *method {
            Method::POST => WriteVerb::Create,
            Method::PUT | Method::PATCH => WriteVerb::Change,
            Method::DELETE => WriteVerb::Delete,
            _ => return None,
        };
        let mut parameters = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        if parameters.any(|(name, value)| name == "dryRun" && !value.is_empty()) {
            return None;
        }
        let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
        let (group, root, rest) = match &*parts {
            ["api", version, rest @ ..] => ("", format!("/api/{version}"), rest),
            ["apis", group, version, rest @ ..] => {
                (*group, format!("/apis/{group}/{version}"), rest)
            }
            _ => return None,
        };
        let (namespace, rest) = match rest {
            // A namespace itself has subresources.
            ["namespaces", _, "status" | "finalize"] => (None, rest),
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
            _ => (None, rest),
        };
        let (plural, name, subresource) = match rest {
            [plural] => (plural, None, None),
            [plural, name] => (plural, Some(*name), None),
            [plural, name, subresource, ..] => (plural, Some(*name), Some(*subresource)),
            [] => return None,
        };
        let collection = match namespace {
            Some(namespace) => format!("{root}/namespaces/{namespace}/{plural}"),
            None => format!("{root}/{plural}"),
        };
        let resource = resource_name(plural, group);
        let decoded = |name| percent_decode_str(name).decode_utf8_lossy().into_owned();
        Some(Self {
            verb,
            collection,
            resource,
            namespace: namespace.map(str::to_owned),
            name: name.map(decoded),
            subresource: subresource.map(str::to_owned),
        })
    }

    /// Returns whether the request's body asks for a dry run, as a deletion's or an eviction's can.
    pub(in crate::controller) fn is_dry_run(&self, body: &[u8]) -> bool {
        let has_options =
            self.verb == WriteVerb::Delete || self.subresource.as_deref() == Some("eviction");
        has_options && kube_decode::json::<DeleteOptions>(body).is_ok_and(|sent| sent.is_dry_run())
    }

    pub(super) fn resource(&self) -> &str {
        &self.resource
    }

    pub(super) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// Returns whether the request creates an object of the collection.
    pub(in crate::controller) fn creates(&self) -> bool {
        self.verb == WriteVerb::Create && self.subresource.is_none()
    }

    /// Returns whether objects of the collection are deleted without their names. The answer may
    /// have all of them.
    pub(in crate::controller) fn deletes_many(&self) -> bool {
        self.verb == WriteVerb::Delete && self.name.is_none()
    }

    /// Returns whether this request deletes the object that the other one may create, as an apply
    /// can.
    pub(super) fn ends(&self, other: &Self) -> bool {
        self.verb == WriteVerb::Delete
            && self.subresource.is_none()
            && other.verb != WriteVerb::Delete
            && other.subresource.is_none()
            && other.resource == self.resource
            && self.key().is_some_and(|key| other.key() == Some(key))
    }

    /// Returns the key of the object. `None` if its name is unknown.
    pub(in crate::controller) fn key(&self) -> Option<ObjectKey> {
        self.key_of(self.name.as_deref()?)
    }

    /// Returns the key of an object of this name in the target's namespace.
    pub(super) fn key_of(&self, name: &str) -> Option<ObjectKey> {
        ObjectKey::from_parts(self.namespace(), name).ok()
    }

    /// Returns the path and query of a quorum list of this object, or of any one object if the
    /// target has no name.
    pub(super) fn quorum_list(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("limit", "1");
        if let Some(name) = &self.name {
            query.append_pair("fieldSelector", &format!("metadata.name={name}"));
        }
        format!("{}?{}", self.collection, query.finish())
    }

    /// Returns the path of the collection's object of this name.
    pub(super) fn path_of(&self, name: &str) -> String {
        format!("{}/{}", self.collection, in_path(name))
    }
}

impl fmt::Display for WriteTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let namespace = self.namespace.as_deref();
        match &self.name {
            Some(name) => write_place(f, &format_args!("{} {name}", self.resource), namespace),
            None => write_place(f, &self.resource, namespace),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(method: &Method, target: &str) -> Option<WriteTarget> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        WriteTarget::of(method, path, Some(query))
    }

    #[test]
    fn the_target_is_read_from_the_path() {
        let made = target(&Method::POST, "/api/v1/namespaces/shop/configmaps").unwrap();
        assert_eq!(
            (made.resource(), made.namespace(), made.name.as_deref()),
            ("configmaps", Some("shop"), None)
        );

        let scaled =
            target(&Method::PATCH, "/apis/apps/v1/namespaces/shop/deployments/web/scale?x=1")
                .unwrap();
        assert_eq!(scaled.resource(), "deployments.apps");
        assert_eq!(scaled.collection, "/apis/apps/v1/namespaces/shop/deployments");
        assert_eq!(scaled.subresource.as_deref(), Some("scale"));
        assert_eq!(scaled.to_string(), "deployments.apps web in shop");
        assert_eq!(
            scaled.quorum_list(),
            "/apis/apps/v1/namespaces/shop/deployments?limit=1&fieldSelector=metadata.name%3Dweb"
        );

        let role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode%2bx";
        let role = target(&Method::PUT, role).unwrap();
        assert_eq!(role.name.as_deref(), Some("system:node+x"));
        assert!(role.quorum_list().ends_with("metadata.name%3Dsystem%3Anode%2Bx"));

        let namespace = target(&Method::DELETE, "/api/v1/namespaces/shop").unwrap();
        assert_eq!((namespace.resource(), namespace.name.as_deref()), ("namespaces", Some("shop")));
        assert_eq!(namespace.namespace(), None);
        let status = target(&Method::PUT, "/api/v1/namespaces/shop/status").unwrap();
        assert_eq!(
            (status.resource(), status.subresource.as_deref()),
            ("namespaces", Some("status"))
        );
    }

    #[test]
    fn dry_run_is_read_from_options_in_the_body() {
        let deleted = target(&Method::DELETE, "/api/v1/namespaces/shop/pods/web").unwrap();
        assert!(deleted.is_dry_run(br#"{"dryRun":["All"],"gracePeriodSeconds":0}"#));
        assert!(!deleted.is_dry_run(br#"{"dryRun":[]}"#));
        assert!(!deleted.is_dry_run(b""));
        let evicted = target(&Method::POST, "/api/v1/namespaces/shop/pods/web/eviction").unwrap();
        assert!(evicted.is_dry_run(br#"{"deleteOptions":{"dryRun":["All"]}}"#));
        let changed = target(&Method::PATCH, "/api/v1/namespaces/shop/configmaps/a").unwrap();
        assert!(!changed.is_dry_run(br#"{"dryRun":["All"]}"#), "a member of the object");
    }

    #[test]
    fn reads_and_dry_runs_have_no_target() {
        for (method, path) in [
            (Method::GET, "/api/v1/pods"),
            (Method::POST, "/api/v1/namespaces/shop/configmaps?dryRun=All"),
            (Method::POST, "/version"),
            (Method::POST, "/api/v1"),
            (Method::POST, "/apis/apps/v1"),
        ] {
            assert_eq!(target(&method, path), None, "{path}");
        }
    }
}
