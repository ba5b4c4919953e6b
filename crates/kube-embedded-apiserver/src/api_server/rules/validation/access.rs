//! Roles and their bindings.

use serde_json::Value;

use super::rows::Rule::{Check, Named, OneOf, RequiredSince, Rows};
use super::rows::{self, Row, child, invalid, is_empty, text, unsupported};
use super::selectors;
use crate::api_server::failure::Cause;
use crate::api_server::names::path_segment_problems;
use crate::api_server::rules::formats;

pub(super) const ROLE: &[Row] = &[(
    "rules[]",
    Check(|rule, path, causes| {
        self::rule(rule, path, true, causes);
    }),
)];

pub(super) const CLUSTER_ROLE: &[Row] = &[
    ("rules[]", Check(|rule, path, causes| self::rule(rule, path, false, causes))),
    ("aggregationRule.clusterRoleSelectors", RequiredSince(AGGREGATES_NONE)),
    ("aggregationRule.clusterRoleSelectors[]", Check(aggregated)),
];

const AGGREGATES_NONE: &str =
    "at least one clusterRoleSelector required if aggregationRule is non-nil";

/// Checks the selector of roles that are joined. A server shows null for an invalid one.
fn aggregated(selector: &Value, path: &str, causes: &mut Vec<Cause>) {
    let before = causes.len();
    selectors::selector(selector, path, causes);
    if causes.len() > before {
        causes.push(Cause::invalid_raw(path, "null", "invalid label selector."));
    }
}

const GROUP: &str = "rbac.authorization.k8s.io";

const BINDING: &[Row] =
    &[("roleRef.apiGroup", OneOf(&[GROUP])), ("roleRef.name", Named(path_segment_problems))];

pub(super) const ROLE_BINDING: &[Row] = &[
    ("", Rows(BINDING)),
    ("roleRef.kind", OneOf(&["Role", "ClusterRole"])),
    ("subjects[]", Check(|subject, path, causes| self::subject(subject, path, true, causes))),
];

pub(super) const CLUSTER_ROLE_BINDING: &[Row] = &[
    ("", Rows(BINDING)),
    ("roleRef.kind", OneOf(&["ClusterRole"])),
    ("subjects[]", Check(|subject, path, causes| self::subject(subject, path, false, causes))),
];

fn rule(rule: &Value, path: &str, namespaced: bool, causes: &mut Vec<Cause>) {
    if is_empty(&rule["verbs"]) {
        let problem = "verbs must contain at least one value";
        causes.push(Cause::required(&child(path, "verbs"), problem));
    }
    let urls = &rule["nonResourceURLs"];
    if !is_empty(urls) {
        let path = child(path, "nonResourceURLs");
        if namespaced {
            let problem = "namespaced rules cannot apply to non-resource URLs";
            causes.push(invalid(&path, urls, problem));
        }
        let lists = ["apiGroups", "resources", "resourceNames"];
        if lists.iter().any(|list| !is_empty(&rule[*list])) {
            let problem = "rules cannot apply to both regular resources and non-resource URLs";
            causes.push(invalid(&path, urls, problem));
        }
        return;
    }
    for (list, problem) in [
        ("apiGroups", "resource rules must supply at least one api group"),
        ("resources", "resource rules must supply at least one resource"),
    ] {
        if is_empty(&rule[list]) {
            causes.push(Cause::required(&child(path, list), problem));
        }
    }
}

fn subject(subject: &Value, path: &str, namespaced: bool, causes: &mut Vec<Cause>) {
    if text(subject, "name").is_empty() {
        causes.push(Cause::required(&child(path, "name"), ""));
    }
    let group = text(subject, "apiGroup");
    let at_group = child(path, "apiGroup");
    match text(subject, "kind") {
        "ServiceAccount" => {
            let name = text(subject, "name");
            if !name.is_empty() {
                rows::is(formats::subdomain, name, &child(path, "name"), causes);
            }
            if !group.is_empty() {
                causes.push(Cause::unsupported(&at_group, group, "\"\""));
            }
            if !namespaced && text(subject, "namespace").is_empty() {
                causes.push(Cause::required(&child(path, "namespace"), ""));
            }
        }
        "User" | "Group" => {
            if group != GROUP {
                causes.push(unsupported(&at_group, group, &[GROUP]));
            }
        }
        other => {
            let supported = ["ServiceAccount", "User", "Group"];
            causes.push(unsupported(&child(path, "kind"), other, &supported));
        }
    }
}
