//! Namespaces: the check that one exists, and the deletion of one.
//!
//! Deleting a namespace marks it `Terminating`, deletes every object in it, and removes it when it
//! is empty, all within the request. Objects with finalizers delay this. Its pods are deleted
//! without grace, as if their nodes had acted at once.

use serde_json::{Value, json};

use super::{at, purge};
use crate::testing::api_server::failure::Failure;
use crate::testing::api_server::resource::ResourceType;
use crate::testing::api_server::rules::names;
use crate::testing::api_server::store::Store;

/// The namespaces of every cluster.
const INITIAL: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

pub(crate) fn is_namespace(resource: &ResourceType) -> bool {
    resource.group.is_empty() && resource.plural == "namespaces"
}

/// Requires existing namespaces from now on.
pub(crate) fn begin(store: &mut Store) {
    store.namespaces_needed = true;
    let Some(resource) = namespace_type(store) else { return };
    for name in INITIAL {
        let mut object = json!({ "metadata": {
            "name": name, "uid": names::uid(), "creationTimestamp": names::now(),
        }});
        complete(&mut object);
        store.put(&resource, object);
    }
}

/// Returns the type of namespaces.
fn namespace_type(store: &Store) -> Option<std::sync::Arc<ResourceType>> {
    store.served("", "v1", "namespaces").cloned()
}

/// Returns whether an object may be created in a namespace.
pub(crate) fn admit(
    store: &Store,
    resource: &ResourceType,
    namespace: &str,
    name: &str,
) -> Result<(), Failure> {
    if store.terminating.iter().any(|ending| ending == namespace) {
        let problem = format!(
            "unable to create new content in namespace {namespace} because it is being terminated"
        );
        return Err(Failure::forbidden(resource, name, &problem).caused_by_namespace(namespace));
    }
    if !store.namespaces_needed {
        return Ok(());
    }
    let Some(namespaces) = namespace_type(store) else { return Ok(()) };
    let known = store.of(&namespaces).is_some_and(|all| all.objects.contains_key(namespace));
    if known { Ok(()) } else { Err(Failure::not_found(&namespaces, namespace)) }
}

/// Sets the fields of a new namespace that a server sets.
pub(crate) fn complete(object: &mut Value) {
    let name = object["metadata"]["name"].clone();
    at(object, &["metadata", "labels"])["kubernetes.io/metadata.name"] = name;
    at(object, &["spec"])["finalizers"] = json!(["kubernetes"]);
    at(object, &["status"])["phase"] = "Active".into();
}

/// Starts the deletion of a namespace, and returns its new state.
pub(crate) fn delete(
    store: &mut Store,
    resource: &ResourceType,
    mut object: Value,
) -> Option<Value> {
    let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    if object["metadata"]["deletionTimestamp"].is_null() {
        object["metadata"]["deletionTimestamp"] = names::now().into();
        at(&mut object, &["status"])["phase"] = "Terminating".into();
        object = store.put(resource, object)?.value(resource);
        store.terminating.push(name.clone());
    }
    let types: Vec<_> = store.types().filter(|resource| resource.namespaced).cloned().collect();
    for resource in types {
        purge(store, &resource, Some(&name));
    }
    remove_if_empty(store, &name);
    Some(object)
}

/// Removes a namespace that is being deleted, once it is empty.
pub(crate) fn remove_if_empty(store: &mut Store, name: &str) {
    let Some(place) = store.terminating.iter().position(|ending| ending == name) else { return };
    let holds = |collection: &crate::testing::api_server::store::Collection| {
        let first = format!("{name}/");
        let mut of_namespace = collection.objects.range(first.clone()..);
        collection.versions.first().is_some_and(|resource| resource.namespaced)
            && of_namespace.next().is_some_and(|(key, _)| key.starts_with(&first))
    };
    if store.collections.iter().any(holds) {
        return;
    }
    let Some(namespaces) = namespace_type(store) else { return };
    let object = store.of(&namespaces).and_then(|all| all.objects.get(name));
    let finalizers =
        object.map(|object| object.value(&namespaces)["metadata"]["finalizers"].clone());
    if finalizers.is_some_and(|all| all.as_array().is_some_and(|all| !all.is_empty())) {
        return;
    }
    store.terminating.swap_remove(place);
    store.remove(&namespaces, name);
}
