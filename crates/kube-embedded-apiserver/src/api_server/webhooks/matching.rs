//! The webhooks that a request concerns: rules, selectors and match conditions.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1;
use kube_decode::labels::LabelSelector;
use serde_json::Value;

use super::admission::{Admission, Hook, Operation};
use super::text;
use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::schema::cel;
use crate::api_server::store::Store;

/// Returns the version of the request's type in which a webhook sees it, if its rules match. With
/// the policy `Equivalent` that may be another version than the request's.
pub(super) fn seen_version(
    store: &Store,
    admission: &Admission<'_>,
    hook: &Value,
) -> Option<Arc<ResourceType>> {
    let own = admission.target.resource;
    let rules = || hook["rules"].as_array().into_iter().flatten();
    let matches = |version: &str| rules().any(|rule| is_matched(admission, rule, version));
    let versions = &store.of(own)?.versions;
    let exact = versions.iter().find(|known| known.version == own.version);
    if matches(&own.version) {
        return exact.cloned();
    }
    let equivalent = hook["matchPolicy"] != "Exact";
    versions.iter().find(|known| equivalent && matches(&known.version)).cloned()
}

fn is_matched(admission: &Admission<'_>, rule: &Value, version: &str) -> bool {
    let resource = admission.target.resource;
    let has = |member: &str, wanted: &str| {
        let mut all = rule[member].as_array().into_iter().flatten();
        all.any(|one| one == "*" || one == wanted)
    };
    let mut resources = rule["resources"].as_array().into_iter().flatten();
    let named = resources.any(|one| {
        let one = one.as_str().unwrap_or_default();
        let (name, part) = one.split_once('/').unwrap_or((one, ""));
        (name == "*" || name == resource.plural) && (part == "*" || part == admission.subresource)
    });
    let scope = match rule["scope"].as_str() {
        Some("Namespaced") => resource.namespaced,
        Some("Cluster") => !resource.namespaced,
        _ => true,
    };
    named
        && scope
        && has("operations", admission.operation.name())
        && has("apiGroups", &resource.group)
        && has("apiVersions", version)
}

/// Returns whether the selectors of a webhook match a request.
pub(super) fn is_selected(
    store: &Store,
    admission: &Admission<'_>,
    hook: &Value,
    object: Option<&Value>,
) -> bool {
    let selector = |member: &str| {
        let parsed = serde_json::from_value::<v1::LabelSelector>(hook[member].clone());
        parsed.map_or_else(|_| LabelSelector::everything(), LabelSelector::from)
    };
    let namespaces = selector("namespaceSelector");
    let in_namespace = || match admission.target.namespace {
        _ if admission.is_of_namespace() => {
            let seen = object.or(admission.old);
            seen.is_none_or(|seen| namespaces.matches(Some(&labels(seen))))
        }
        // Objects without a namespace match each selector.
        None => true,
        Some(namespace) => namespaces.matches(Some(&labels_of_namespace(store, namespace))),
    };
    let objects = selector("objectSelector");
    let has_labels =
        |one: Option<&Value>| one.is_some_and(|one| objects.matches(Some(&labels(one))));
    (namespaces.is_everything() || in_namespace())
        && (objects.is_everything() || has_labels(object) || has_labels(admission.old))
}

fn labels(object: &Value) -> BTreeMap<String, String> {
    let labels = object["metadata"]["labels"].as_object().into_iter().flatten();
    labels.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// Returns the labels of a namespace. One that a test has not created has its name as a label.
fn labels_of_namespace(store: &Store, name: &str) -> BTreeMap<String, String> {
    let namespaces = store.served("", "v1", "namespaces").and_then(|types| store.of(types));
    let found = namespaces.and_then(|all| all.objects.get(name));
    let named = || BTreeMap::from([("kubernetes.io/metadata.name".to_owned(), name.to_owned())]);
    found.map_or_else(named, |found| found.labels.clone())
}

/// Returns whether the match conditions of a webhook hold. If one does not, errors of the others do
/// not count.
pub(super) fn meets_conditions(
    admission: &Admission<'_>,
    hook: &Hook,
    request: &Value,
) -> Result<bool, Failure> {
    let conditions = hook.spec["matchConditions"].as_array().into_iter().flatten();
    let variables = [
        ("object", &request["object"]),
        ("oldObject", &request["oldObject"]),
        ("request", request),
        ("namespaceObject", &Value::Null),
    ];
    let mut problems = Vec::new();
    for condition in conditions {
        let source = text(condition, "expression");
        match cel::condition(source, &variables) {
            cel::Condition::Holds => {}
            cel::Condition::Fails => return Ok(false),
            cel::Condition::Error(problem) => {
                problems.push(format!("expression '{source}' resulted in error: {problem}"));
            }
            cel::Condition::NotImplemented => {
                let rule = format!("matchConditions: {source:?} is not evaluated");
                return Err(Failure::not_implemented(&rule));
            }
        }
    }
    let problem = match &*problems {
        [] => return Ok(true),
        _ if hook.ignores_failures() => return Ok(false),
        [problem] => problem.clone(),
        problems => format!("[{}]", problems.join(", ")),
    };
    let name = text(request, "name");
    Err(Failure::forbidden(admission.target.resource, name, &problem))
}

/// Returns whether webhooks may be called for a type. Those about webhooks and policies would lock
/// themselves out, and reviews are not objects.
pub(super) fn is_reviewed(resource: &ResourceType, operation: Operation) -> bool {
    let creates_review = resource.review && resource.qualified() != "bindings";
    resource.group != "admissionregistration.k8s.io"
        && !(creates_review && operation == Operation::Create)
}
