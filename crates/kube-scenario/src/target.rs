//! The object of a request or event, read from its name.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;

/// The characters that are encoded in names.
const IN_A_WORD: &AsciiSet = &CONTROLS.add(b' ');

/// An object or a collection.
pub(crate) struct Target {
    /// The group and the plural, without namespace and version: `apps/deployments`, `/pods`.
    pub(crate) collection: String,
    /// The namespace and name of an object. Empty for a collection.
    pub(crate) name: String,
}

impl Target {
    /// Reads the name of a request or event. `None` for the path of no object.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let mut words = name.splitn(3, ' ');
        let (_verb, path, object) = (words.next()?, words.next()?, words.next());
        let parts: Vec<_> = path.trim_matches('/').split('/').collect();
        let (group, parts) = match &parts[..] {
            ["api", _version, parts @ ..] => ("", parts),
            ["apis", group, _version, parts @ ..] => (*group, parts),
            _ => return None,
        };
        let (plural, name) = match parts {
            ["namespaces", name] | ["namespaces", name, "status" | "finalize"] => {
                ("namespaces", (*name).to_owned())
            }
            ["namespaces", _, plural] | [plural] => (*plural, String::new()),
            ["namespaces", namespace, plural, name, ..] => (*plural, format!("{namespace}/{name}")),
            [plural, name, ..] => (*plural, (*name).to_owned()),
            [] => return None,
        };
        let name = object.map_or(name, str::to_owned);
        Some(Self { collection: format!("{group}/{plural}"), name })
    }

    /// Returns true if no webhook ever reviews writes here: webhooks' own configurations, and
    /// questions about users.
    pub(crate) fn is_never_reviewed(&self) -> bool {
        let group = self.collection.split('/').next().unwrap_or_default();
        matches!(group, "admissionregistration.k8s.io" | "authentication.k8s.io")
            || group == "authorization.k8s.io"
    }

    pub(crate) fn is_of_leases(&self) -> bool {
        self.collection == "coordination.k8s.io/leases"
    }
}

/// Returns a name as a path has it: without spaces, at which a schedule is split.
pub(crate) fn in_one_word(name: &str) -> String {
    utf8_percent_encode(name, IN_A_WORD).to_string()
}

/// Returns true for Leases and Events, which are written at any time.
pub(crate) fn is_background(name: &str) -> bool {
    Target::of(name).is_some_and(|target| {
        let events = matches!(&*target.collection, "/events" | "events.k8s.io/events");
        events || target.is_of_leases()
    })
}

/// Returns true for a Lease or an Event.
pub(crate) fn is_background_object(object: &Value) -> bool {
    let version = object["apiVersion"].as_str().unwrap_or_default();
    let (group, _version) = version.split_once('/').unwrap_or_default();
    let kind = object["kind"].as_str().unwrap_or_default();
    matches!((group, kind), ("" | "events.k8s.io", "Event") | ("coordination.k8s.io", "Lease"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_has_one_name_in_all_requests() {
        let of = |name: &str| {
            let Target { collection, name } = Target::of(name)?;
            Some(format!("{collection} {name}"))
        };
        for (name, expected) in [
            ("PATCH /api/v1/namespaces/shop/secrets/a", "/secrets shop/a"),
            ("EVENT /api/v1/namespaces/shop/secrets shop/a", "/secrets shop/a"),
            ("EVENT /api/v1/secrets shop/a", "/secrets shop/a"),
            ("GET /api/v1/secrets", "/secrets "),
            ("GET /api/v1/namespaces/shop/secrets", "/secrets "),
            ("POST /api/v1/namespaces/shop/pods/a/binding/a", "/pods shop/a"),
            ("PUT /apis/apps/v1/namespaces/shop/deployments/a/status", "apps/deployments shop/a"),
            ("PATCH /apis/apps/v2/namespaces/shop/deployments/a", "apps/deployments shop/a"),
            ("POST /api/v1/namespaces/shop", "/namespaces shop"),
            ("PUT /api/v1/namespaces/shop/finalize", "/namespaces shop"),
            ("EVENT /api/v1/namespaces shop", "/namespaces shop"),
            ("DELETE /api/v1/nodes/n1", "/nodes n1"),
        ] {
            assert_eq!(of(name).as_deref(), Some(expected), "{name}");
        }
        assert_eq!(of("GET /version"), None);
    }

    #[test]
    fn configurations_and_reviews_are_never_reviewed() {
        for (name, never) in [
            ("PATCH /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/a", true),
            ("POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", true),
            ("POST /apis/authentication.k8s.io/v1/tokenreviews", true),
            ("PATCH /apis/apiextensions.k8s.io/v1/customresourcedefinitions/a", false),
            ("PATCH /api/v1/namespaces/shop/configmaps/admissionregistration.k8s.io", false),
        ] {
            assert_eq!(Target::of(name).unwrap().is_never_reviewed(), never, "{name}");
        }
    }

    #[test]
    fn only_leases_and_events_are_background() {
        for name in [
            "POST /api/v1/namespaces/shop/events/a.1",
            "PATCH /apis/events.k8s.io/v1/namespaces/shop/events/a.1",
            "EVENT /api/v1/events shop/a.1",
            "PUT /apis/coordination.k8s.io/v1/namespaces/shop/leases/a",
            "EVENT /apis/coordination.k8s.io/v1/namespaces/shop/leases shop/a",
        ] {
            assert!(is_background(name), "{name}");
        }
        for name in [
            "POST /api/v1/namespaces/events",
            "PUT /api/v1/namespaces/leases/status",
            "POST /api/v1/namespaces/events/pods/a",
            "PATCH /api/v1/namespaces/shop/configmaps/leases",
            "EVENT /api/v1/configmaps events/events",
            "POST /apis/example.com/v1/namespaces/shop/events/a",
            "PUT /apis/example.com/v1/leases/a",
        ] {
            assert!(!is_background(name), "{name}");
        }
    }
}
