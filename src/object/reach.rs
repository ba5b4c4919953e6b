//! The reach of a kind: its objects have a namespace, or they have none.

use std::any::type_name;

use kube::Resource;

use super::ObjectKey;

/// The reach of a kind, as far as its type shows it. Kubernetes calls it *scope*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KindReach {
    /// The objects have no namespace.
    Cluster,
    /// Each object has a namespace.
    Namespaced,
    /// The type is for kinds of both reaches, as `DynamicObject` is.
    Unknown,
}

impl KindReach {
    /// Returns the reach of a type's kind.
    pub fn of<K: Resource>() -> Self {
        // Compare names, because the scope type may not be 'static.
        match type_name::<K::Scope>().rsplit("::").next() {
            Some("ClusterResourceScope") => Self::Cluster,
            Some("NamespaceResourceScope") => Self::Namespaced,
            _ => Self::Unknown,
        }
    }

    /// Returns whether the kind's objects have namespaces although a key has none, or the other way
    /// round. Any object's key shows it, or the type while there is none.
    pub fn excludes(self, any: Option<&ObjectKey>, namespace: Option<&str>) -> bool {
        let namespaced = match (any, self) {
            (Some(key), _) => key.namespace().is_some(),
            (None, Self::Namespaced) => true,
            (None, Self::Cluster) => false,
            (None, Self::Unknown) => return false,
        };
        namespaced != namespace.is_some()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Node, Pod};
    use kube::api::{DynamicObject, PartialObjectMeta};

    use super::*;

    #[test]
    fn types_show_the_reach_of_their_kind() {
        assert_eq!(KindReach::of::<Node>(), KindReach::Cluster);
        assert_eq!(KindReach::of::<Pod>(), KindReach::Namespaced);
        assert_eq!(KindReach::of::<PartialObjectMeta<Node>>(), KindReach::Cluster);
        assert_eq!(KindReach::of::<DynamicObject>(), KindReach::Unknown);
    }
}
