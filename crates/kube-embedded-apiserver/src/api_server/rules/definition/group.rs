//! The group and the scope of a definition, and the approval that groups of the community need.

use serde_json::Value;

use super::names::subdomain_problem;
use crate::api_server::failure::Cause;

const APPROVED: &str = "api-approved.kubernetes.io";
const APPROVAL: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

/// Returns the problems of the group and of the scope.
pub(super) fn problems(spec: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let group = spec["group"].as_str().unwrap_or_default();
    if group.is_empty() {
        causes.push(Cause::required("spec.group", ""));
    } else if let Some(problem) = subdomain_problem(group) {
        causes.push(Cause::invalid("spec.group", group, &problem));
    } else if !group.contains('.') {
        let problem = "should be a domain with at least one dot";
        causes.push(Cause::invalid("spec.group", group, problem));
    }
    match spec["scope"].as_str().unwrap_or_default() {
        "Cluster" | "Namespaced" => {}
        "" => causes.push(Cause::required("spec.scope", "")),
        scope => {
            causes.push(Cause::unsupported("spec.scope", scope, "\"Cluster\", \"Namespaced\""));
        }
    }
    causes
}

/// Returns the problem of a definition in a group of the Kubernetes community that lacks approval.
/// A definition that lacked it before may be changed.
pub(super) fn approval_problem(before: Option<&Value>, definition: &Value) -> Option<Cause> {
    let group = definition["spec"]["group"].as_str().unwrap_or_default();
    let is_in = |domain: &str| {
        group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    if !is_in("k8s.io") && !is_in("kubernetes.io") {
        return None;
    }
    let annotation = |definition: &Value| {
        let annotations = &definition["metadata"]["annotations"];
        annotations[APPROVED].as_str().unwrap_or_default().to_owned()
    };
    let value = annotation(definition);
    let approval = Approval::of(&value);
    if before.is_some_and(|before| Approval::of(&annotation(before)) == approval) {
        return None;
    }
    let field = format!("metadata.annotations[{APPROVED}]");
    let needed = format!("protected groups must have approval annotation {APPROVED:?}");
    match approval {
        Approval::Given | Approval::Bypassed => None,
        Approval::Missing => Some(Cause::required(&field, &format!("{needed}, {APPROVAL}"))),
        Approval::Invalid => {
            let problem = format!(
                "{needed} with either a URL or a reason starting with \"unapproved\", {APPROVAL}"
            );
            Some(Cause::invalid(&field, &value, &problem))
        }
    }
}

#[derive(PartialEq, Eq)]
enum Approval {
    Missing,
    Bypassed,
    Given,
    Invalid,
}

impl Approval {
    fn of(annotation: &str) -> Self {
        let host = annotation.split_once("://").map_or("", |(_, rest)| rest);
        match annotation {
            "" => Self::Missing,
            reason if reason.starts_with("unapproved") => Self::Bypassed,
            _ if !host.is_empty() && !host.starts_with('/') => Self::Given,
            _ => Self::Invalid,
        }
    }
}
