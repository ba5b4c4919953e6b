//! The rules of API servers for configurations of webhooks.
//!
//! The rules are those of Kubernetes' `pkg/apis/admissionregistration/validation`.

use std::collections::BTreeSet;

use k8s_openapi::api::admissionregistration::v1::{MatchCondition, RuleWithOperations};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube::core::GroupVersionKind;

use crate::Operation;
use crate::names::{is_kind_name, is_label_value, is_qualified, is_subdomain};

/// Returns whether a configuration can have this path: API servers take only names in it.
pub(crate) fn is_path(path: &str) -> bool {
    let names = |rest: &str| rest.strip_suffix('/').unwrap_or(rest).split('/').all(is_subdomain);
    path == "/" || path.strip_prefix('/').is_some_and(names)
}

/// Returns whether a webhook can have this name.
pub(crate) fn is_name(name: &str) -> bool {
    name.split('.').count() >= 3 && is_subdomain(name)
}

/// Returns whether a configuration can have these match conditions, if their expressions are valid.
pub(crate) fn are_conditions(conditions: &[MatchCondition]) -> bool {
    let names: BTreeSet<_> = conditions.iter().map(|condition| &condition.name).collect();
    let is_one = |of: &MatchCondition| is_qualified(&of.name) && !of.expression.trim().is_empty();
    names.len() == conditions.len() && conditions.len() <= 64 && conditions.iter().all(is_one)
}

/// Returns whether a server can have this kind, and this resource with its sub-resource. An API
/// server takes others, and never calls the webhook.
pub(crate) fn is_kind(kind: &GroupVersionKind, resource: &str) -> bool {
    let is_group = kind.group.is_empty() || is_subdomain(&kind.group);
    let (plural, part) = resource.split_once('/').unwrap_or((resource, "*"));
    let is_part = part == "*" || is_subdomain(part);
    is_group
        && is_subdomain(&kind.version)
        && is_kind_name(&kind.kind)
        && is_subdomain(plural)
        && is_part
}

/// Returns whether a configuration can have this rule.
pub(crate) fn is_rule(rule: &RuleWithOperations) -> bool {
    let RuleWithOperations { operations, api_groups, api_versions, resources, scope } = rule;
    let [operations, groups, versions, resources] =
        [operations, api_groups, api_versions, resources]
            .map(|list| list.as_deref().unwrap_or_default());
    let is_operation = |name: &String| {
        use Operation::{Connect, Create, Delete, Update};
        name == "*" || [Create, Update, Delete, Connect].iter().any(|one| one.name() == name)
    };
    let scopes = ["*", "Cluster", "Namespaced"];
    [operations, groups, versions].iter().all(|list| is_alone("*", list))
        && operations.iter().all(is_operation)
        && versions.iter().all(|version| !version.is_empty())
        && are_resources(resources)
        && scope.as_deref().is_none_or(|scope| scopes.contains(&scope))
}

/// Returns whether a list is not empty, and has this word only as its one element.
fn is_alone(word: &str, list: &[String]) -> bool {
    !list.is_empty() && (list.len() == 1 || !list.iter().any(|one| one == word))
}

/// Returns whether a rule can have these resources, of which none includes a later one.
fn are_resources(resources: &[String]) -> bool {
    let mut wide = Vec::new();
    for name in resources {
        let Some((resource, part)) = name.split_once('/') else { continue };
        let covers = |one: &(&str, &str)| {
            matches!(*one, (r, "*") if r == resource) || matches!(*one, ("*", p) if p == part)
        };
        if wide.iter().any(covers) {
            return false;
        }
        wide.push((resource, part));
    }
    let plain = resources.iter().rfind(|name| !name.contains('/'));
    let is_all = |name: &String| name == "*";
    is_alone("*/*", resources)
        && resources.iter().all(|name| !name.is_empty())
        && (!resources.iter().any(is_all) || plain.is_some_and(is_all))
}

/// Returns whether a configuration can have this selector.
pub(crate) fn is_selector(selector: &LabelSelector) -> bool {
    let is_expression = |one: &LabelSelectorRequirement| {
        let values = one.values.as_deref().unwrap_or_default();
        let takes_values = match &*one.operator {
            "In" | "NotIn" => true,
            "Exists" | "DoesNotExist" => false,
            _ => return false,
        };
        let are_values = values.iter().all(|value| is_label_value(value));
        is_qualified(&one.key) && takes_values != values.is_empty() && are_values
    };
    let labels = selector.match_labels.iter().flatten();
    { labels }.all(|(key, value)| is_qualified(key) && is_label_value(value))
        && selector.match_expressions.iter().flatten().all(is_expression)
}

#[cfg(test)]
mod tests;
