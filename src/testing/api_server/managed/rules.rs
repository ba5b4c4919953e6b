//! How the parts of an object hang together: which lists are maps or sets, and which parts are only
//! ever owned whole. For built-in types what their Go types are tagged with, for custom ones what
//! their schema says.

use serde_json::Value;

use super::super::resource::ResourceType;

/// A key of a list's elements, and the value of an element that lacks it.
type Key = (String, Option<&'static str>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Members, or elements, are owned one by one. A list by these keys; no keys: by its values.
    Apart(Vec<Key>),
    /// Owned whole.
    Whole,
}

/// The rule at a place, whose members are named from the root on; elements of lists have no name.
pub(super) fn rule(resource: &ResourceType, members: &[&str], value: &Value) -> Rule {
    if members.first() == Some(&"metadata") {
        return metadata(members, value);
    }
    if resource.custom { custom(resource, members, value) } else { builtin(members, value) }
}

fn keys(keys: &[&str]) -> Rule {
    let default = |key: &&str| (*key == "protocol").then_some("TCP");
    Rule::Apart(keys.iter().map(|key| ((*key).to_owned(), default(key))).collect())
}

fn metadata(members: &[&str], value: &Value) -> Rule {
    match members {
        [_, "ownerReferences"] => keys(&["uid"]),
        [_, "finalizers"] => keys(&[]),
        _ if value.is_object() => Rule::Apart(Vec::new()),
        _ => Rule::Whole,
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
        return if whole { Rule::Whole } else { Rule::Apart(Vec::new()) };
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
        _ => Rule::Whole,
    }
}

fn custom(resource: &ResourceType, members: &[&str], value: &Value) -> Rule {
    let mut schema = &resource.schema;
    for member in members {
        // Elements of lists are passed through.
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
        return if whole { Rule::Whole } else { Rule::Apart(Vec::new()) };
    }
    match schema["x-kubernetes-list-type"].as_str() {
        Some("set") => keys(&[]),
        Some("map") => {
            let named = schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten();
            Rule::Apart(named.filter_map(Value::as_str).map(|key| (key.to_owned(), None)).collect())
        }
        _ => Rule::Whole,
    }
}
