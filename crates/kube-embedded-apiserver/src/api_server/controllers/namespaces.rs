//! The controller of namespaces: it deletes every object in a namespace that is being deleted, and
//! removes the namespace when it is empty.
//!
//! Objects with finalizers delay this. Pods are deleted without grace, as if their nodes had acted
//! at once.

use std::sync::Arc;

use super::super::resource::ResourceType;
use super::super::store::{Collection, Store};
use super::super::verbs::{Part, WriteTarget, purge, update};

pub(super) fn is_namespace(resource: &ResourceType) -> bool {
    resource.group.is_empty() && resource.plural == "namespaces"
}

pub(super) fn namespace_type(store: &Store) -> Option<Arc<ResourceType>> {
    store.served("", "v1", "namespaces").cloned()
}

/// Deletes the objects of a namespace.
pub(super) fn empty(store: &mut Store, name: &str) {
    let types: Vec<_> = store.types().filter(|resource| resource.namespaced).cloned().collect();
    for resource in types {
        purge(store, &resource, Some(name));
    }
    finalize_if_empty(store, name);
}

/// Removes the finalizer of a namespace that is being deleted and holds no object.
pub(super) fn finalize_if_empty(store: &mut Store, name: &str) {
    let Some(resource) = namespace_type(store) else { return };
    let found = store.of(&resource).and_then(|all| all.objects.get(name)).cloned();
    let Some(current) = found.filter(|current| current.deleting) else { return };
    let holds = |collection: &Collection| {
        let first = format!("{name}/");
        let mut of_namespace = collection.objects.range(first.clone()..);
        collection.versions.first().is_some_and(|resource| resource.namespaced)
            && of_namespace.next().is_some_and(|(key, _)| key.starts_with(&first))
    };
    if store.collections.iter().any(holds) {
        return;
    }
    let mut object = current.value(&resource);
    if let Some(finalizers) = object["spec"]["finalizers"].as_array_mut() {
        finalizers.retain(|finalizer| finalizer.as_str() != Some("kubernetes"));
    }
    let target = WriteTarget::direct(&resource, None, Some(name), Part::Finalize);
    // The state was read under the same lock, so no other write conflicts.
    let _ = update(store, target, &current, object);
}
