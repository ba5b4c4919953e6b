//! What a served type is called, and what it can do.
//!
//! A type is one group, version and kind. Versions of one kind share a collection of the store, so
//! nothing here is compared by version when objects are looked up.

use std::any::TypeId;
use std::cmp::Ordering;

use kube::Resource;
use kube::core::{ApiResource, NamespaceResourceScope};

use super::scale::ScalePaths;

/// A type that the server serves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ResourceType {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    pub(super) list_kind: String,
    pub(super) plural: String,
    pub(super) singular: String,
    pub(super) short_names: Vec<String>,
    pub(super) categories: Vec<String>,
    pub(super) namespaced: bool,
    /// Whether it was defined by a custom resource definition, or could have been.
    pub(super) custom: bool,
    /// Whether its status is written apart from the rest.
    pub(super) status: bool,
    /// Whether its generation counts the changes of what is asked for.
    pub(super) generation: bool,
    /// Whether a delete is answered with the object, not with a `Status`.
    pub(super) deleted_is_returned: bool,
    /// Whether it is a question: it is created to be answered, and not kept.
    pub(super) review: bool,
    /// Where its replicas are counted, if it has some.
    pub(super) scale: Option<ScalePaths>,
    /// Dotted paths whose values are kept at hand for selectors.
    pub(super) fields: Vec<String>,
    /// Those of them that this version's field selectors may name, besides name and namespace.
    pub(super) selectable: Vec<String>,
    /// What a custom type's definition says of its objects; null for all others.
    pub(super) schema: serde_json::Value,
    /// What a custom type shows in tables.
    pub(super) columns: Vec<Column>,
}

/// A column of a custom type's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) format: String,
    pub(super) description: String,
    pub(super) priority: i64,
    pub(super) path: String,
}

impl ResourceType {
    /// A type that is known at compile time.
    pub fn of<K>() -> Self
    where
        K: Resource<DynamicType = ()>,
        K::Scope: 'static,
    {
        let namespaced = TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>();
        Self::from_api_resource(&ApiResource::erase::<K>(&()), namespaced)
    }

    /// A type that is known at run time.
    pub fn from_api_resource(resource: &ApiResource, namespaced: bool) -> Self {
        Self::new(&resource.group, &resource.version, &resource.kind, &resource.plural, namespaced)
    }

    pub(super) fn new(
        group: &str,
        version: &str,
        kind: &str,
        plural: &str,
        namespaced: bool,
    ) -> Self {
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
            list_kind: format!("{kind}List"),
            plural: plural.to_owned(),
            singular: kind.to_lowercase(),
            short_names: Vec::new(),
            categories: Vec::new(),
            namespaced,
            custom: group.contains('.') && !group.ends_with(".k8s.io"),
            status: true,
            generation: true,
            deleted_is_returned: false,
            review: false,
            scale: None,
            fields: Vec::new(),
            selectable: Vec::new(),
            schema: serde_json::Value::Null,
            columns: Vec::new(),
        }
    }

    /// Lets field selectors name this dotted path, such as `spec.nodeName`.
    pub fn selectable(mut self, path: impl Into<String>) -> Self {
        let path = path.into();
        self.fields.push(path.clone());
        self.selectable.push(path);
        self
    }

    /// One more short name, such as `po`.
    pub fn short_name(mut self, name: impl Into<String>) -> Self {
        self.short_names.push(name.into());
        self
    }

    /// One more category, such as `all`.
    pub fn category(mut self, name: impl Into<String>) -> Self {
        self.categories.push(name.into());
        self
    }

    /// Whether the type has a status subresource; it has one unless set. With one, writes of the
    /// object leave its status alone; without, `status` is a member as any other.
    pub fn status_subresource(mut self, declared: bool) -> Self {
        self.status = declared;
        self
    }

    pub(super) fn api_version(&self) -> String {
        group_version(&self.group, &self.version)
    }

    /// The resource as it is named in messages: `pods`, `deployments.apps`.
    pub(super) fn qualified(&self) -> String {
        match &*self.group {
            "" => self.plural.clone(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// Whether both are versions of the same resource, so that they share their objects.
    pub(super) fn shares_objects_with(&self, other: &Self) -> bool {
        self.group == other.group && self.plural == other.plural
    }

    /// What can be done with it, in the order a real server tells it.
    pub(super) fn verbs(&self) -> Vec<&'static str> {
        if self.custom {
            let custom = "delete deletecollection get list patch create update watch";
            return custom.split(' ').collect();
        }
        if self.review {
            return vec!["create"];
        }
        let verbs = "create delete deletecollection get list patch update watch";
        // A namespace is never one of many: a slip would be too dear.
        let all = |verb: &&str| self.qualified() != "namespaces" || *verb != "deletecollection";
        verbs.split(' ').filter(all).collect()
    }
}

/// `v1`, `apps/v1`.
pub(super) fn group_version(group: &str, version: &str) -> String {
    match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    }
}

/// The order in which versions are preferred: v2, v1, v1beta2, v1beta1, v1alpha1, then all others
/// by name.
pub(super) fn by_preference(a: &str, b: &str) -> Ordering {
    match (rank(a), rank(b)) {
        (Some(a), Some(b)) => b.cmp(&a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// Stability, major, minor: greater is better.
fn rank(version: &str) -> Option<(u8, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    for (stability, word) in [(1, "beta"), (0, "alpha")] {
        if let Some((major, minor)) = rest.split_once(word) {
            return Some((stability, major.parse().ok()?, minor.parse().ok()?));
        }
    }
    Some((2, rest.parse().ok()?, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_and_newer_versions_come_first() {
        let mut versions = vec!["foo", "v1alpha1", "v1", "v1beta2", "v10", "v2", "v1beta10", "bar"];
        versions.sort_by(|a, b| by_preference(a, b));
        let sorted = ["v10", "v2", "v1", "v1beta10", "v1beta2", "v1alpha1", "bar", "foo"];
        assert_eq!(versions, sorted);
    }
}
