//! The scope of a kind: its objects have a namespace, or they have none.

use std::any::type_name;

use kube::Resource;

/// The scope of a kind, as far as its type tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KindScope {
    Cluster,
    Namespaced,
    /// The type is for kinds of both scopes, as `DynamicObject` is.
    Unknown,
}

impl KindScope {
    pub(crate) fn of<K: Resource>() -> Self {
        // By name, because the scope type need not be 'static.
        match type_name::<K::Scope>().rsplit("::").next() {
            Some("ClusterResourceScope") => Self::Cluster,
            Some("NamespaceResourceScope") => Self::Namespaced,
            _ => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Node, Pod};
    use kube::api::{DynamicObject, PartialObjectMeta};

    use super::*;

    #[test]
    fn types_tell_the_scope_of_their_kind() {
        assert_eq!(KindScope::of::<Node>(), KindScope::Cluster);
        assert_eq!(KindScope::of::<Pod>(), KindScope::Namespaced);
        assert_eq!(KindScope::of::<PartialObjectMeta<Node>>(), KindScope::Cluster);
        assert_eq!(KindScope::of::<DynamicObject>(), KindScope::Unknown);
    }
}
