//! The structure of objects for field ownership: which lists are maps or sets, and which parts are
//! owned as a whole. Built-in types follow the tags of their Go types, and custom types follow
//! their schema.

use serde_json::Value;

use crate::testing::api_server::resource::ResourceType;

/// A key of a list's elements, and the default value of that key.
type Key = (String, Option<&'static str>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Members or elements are owned one by one. Elements are identified by these keys, or by their
    /// values if there are no keys.
    Granular(Vec<Key>),
    /// The part is owned as a whole.
    Atomic,
}

/// Returns the rule at a path of members from the root; elements of lists have no name.
pub(super) fn rule(resource: &ResourceType, members: &[&str], value: &Value) -> Rule {
    if members.first() == Some(&"metadata") {
        return metadata(members, value);
    }
    if resource.custom { custom(resource, members, value) } else { builtin(members, value) }
}

fn keys(keys: &[&str]) -> Rule {
    let default = |key: &&str| (*key == "protocol").then_some("TCP");
    Rule::Granular(keys.iter().map(|key| ((*key).to_owned(), default(key))).collect())
}

fn metadata(members: &[&str], value: &Value) -> Rule {
    match members {
        [_, "ownerReferences"] => keys(&["uid"]),
        [_, "finalizers"] => keys(&[]),
        _ if value.is_object() => Rule::Granular(Vec::new()),
        _ => Rule::Atomic,
    }
}

fn builtin(members: &[&str], value: &Value) -> Rule {
    let at = |back: usize| members.len().checked_sub(back).map_or("", |n| members[n]);
    let (field, parent) = (at(1), at(2));
    if value.is_object() {
        let whole = match field {
            // Label selectors, selectors of services, references.
            "selector" | "nodeSelector" | "labelSelector" | "namespaceSelector" | "podSelector"
            | "configMapKeyRef" | "secretKeyRef" | "fieldRef" | "resourceFieldRef" | "claimRef"
            | "targetRef" | "secretRef" | "configMapRef" | "involvedObject" | "roleRef" => true,
            _ => false,
        };
        return if whole { Rule::Atomic } else { Rule::Granular(Vec::new()) };
    }
    let in_container = matches!(parent, "containers" | "initContainers" | "ephemeralContainers");
    match field {
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "volumes"
        | "imagePullSecrets"
        | "resourceClaims"
        | "schedulingGates"
        | "webhooks"
        | "matchConditions"
        | "secrets"
        | "env" => keys(&["name"]),
        "ports" if in_container => keys(&["containerPort", "protocol"]),
        "ports" if parent == "spec" => keys(&["port", "protocol"]),
        "volumeMounts" => keys(&["mountPath"]),
        "volumeDevices" => keys(&["devicePath"]),
        "hostAliases" | "podIPs" | "hostIPs" => keys(&["ip"]),
        "topologySpreadConstraints" => keys(&["topologyKey", "whenUnsatisfiable"]),
        "conditions" | "addresses" if parent == "status" => keys(&["type"]),
        "podCIDRs" => keys(&[]),
        _ => Rule::Atomic,
    }
}

fn custom(resource: &ResourceType, members: &[&str], value: &Value) -> Rule {
    let mut schema = &resource.schema;
    for member in members {
        // Elements of lists are skipped.
        while !schema["items"].is_null() {
            schema = &schema["items"];
        }
        let properties = &schema["properties"][*member];
        schema = if properties.is_null() { &schema["additionalProperties"] } else { properties };
    }
    if value.is_object() {
        while !schema["items"].is_null() {
            schema = &schema["items"];
        }
        let whole = schema["x-kubernetes-map-type"] == "atomic";
        return if whole { Rule::Atomic } else { Rule::Granular(Vec::new()) };
    }
    match schema["x-kubernetes-list-type"].as_str() {
        Some("set") => keys(&[]),
        Some("map") => {
            let named = schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten();
            Rule::Granular(
                named.filter_map(Value::as_str).map(|key| (key.to_owned(), None)).collect(),
            )
        }
        _ => Rule::Atomic,
    }
}
