//! The subresources of an object.

use super::resource::ResourceType;

const WRITTEN: &[&str] = &["get", "patch", "update"];

/// A served subresource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subresource {
    Status,
    Scale,
    Eviction,
    Binding,
}

/// The description of a subresource in discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Described {
    pub(super) name: &'static str,
    /// The group, version and kind of its objects; `None` for the object itself. An empty group and
    /// version stand for those of the object.
    pub(super) kind: Option<(&'static str, &'static str, &'static str)>,
    pub(super) verbs: &'static [&'static str],
}

impl Subresource {
    pub(super) fn described(self) -> Described {
        let (name, kind, verbs) = match self {
            Self::Status => ("status", None, WRITTEN),
            Self::Scale => ("scale", Some(("autoscaling", "v1", "Scale")), WRITTEN),
            Self::Eviction => ("eviction", Some(("policy", "v1", "Eviction")), &["create"][..]),
            Self::Binding => ("binding", Some(("", "", "Binding")), &["create"][..]),
        };
        Described { name, kind, verbs }
    }
}

impl ResourceType {
    /// Returns the subresources of the type, in the order of a real server.
    pub(super) fn subresources(&self) -> Vec<Subresource> {
        let mut served = Vec::new();
        if self.qualified() == "pods" {
            served.extend([Subresource::Binding, Subresource::Eviction]);
        }
        served.extend(self.scale.as_ref().map(|_| Subresource::Scale));
        let status = self.status.then_some(Subresource::Status);
        served.extend(status.filter(|_| !self.custom));
        if self.custom {
            served.splice(0..0, status);
        }
        served
    }

    /// Returns the subresource with this name.
    pub(super) fn subresource(&self, name: &str) -> Option<Subresource> {
        self.subresources().into_iter().find(|served| served.described().name == name)
    }
}
