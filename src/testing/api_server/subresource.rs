//! The parts of an object that have a path of their own below it.

use super::resource::ResourceType;

const WRITTEN: &[&str] = &["get", "patch", "update"];

/// A subresource that is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subresource {
    Status,
    Scale,
    Eviction,
    Binding,
}

/// What discovery tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Described {
    pub(super) name: &'static str,
    /// Group, version and kind of what it takes and gives, where that is not the object itself; of the
    /// object's own group, where group and version are empty.
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
    /// What is served below its objects, in the order a real server tells it.
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

    /// The subresource of this name.
    pub(super) fn subresource(&self, name: &str) -> Option<Subresource> {
        self.subresources().into_iter().find(|served| served.described().name == name)
    }
}
