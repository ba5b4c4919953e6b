//! Limits of containers, pods and claims, and quotas of namespaces.

use std::collections::BTreeSet;

use serde_json::Value;

use super::names::{self, is_of_quotas};
use super::rows::Rule::{Check, Is};
use super::rows::{self, Row, child, elements, invalid, is_empty, members, text};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;
use crate::api_server::rules::quantity::Quantity;

pub(super) const LIMIT_RANGE: &[Row] = &[("spec.limits", Check(limits))];

pub(super) const QUOTA: &[Row] =
    &[("spec.hard", Check(amounts)), ("spec", Check(scopes)), ("spec", Check(scope_selector))];

pub(super) const QUOTA_STATUS: &[Row] =
    &[("status.hard", Check(amounts)), ("status.used", Check(amounts))];

const LIMIT: &[Row] = &[
    ("type", Is(formats::label_key)),
    ("type", Check(limit_type)),
    ("", Check(resource_names)),
    ("", Check(members_of_type)),
    ("", Check(order)),
];

/// The lists of a limit.
const LISTS: [&str; 5] = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];

fn limits(limits: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut known = BTreeSet::new();
    for (n, limit) in elements(limits).enumerate() {
        let path = format!("{path}[{n}]");
        if !known.insert(text(limit, "type")) {
            let path = child(&path, "type");
            causes.push(Cause::duplicate(&path, &limit["type"].to_string()));
        }
        rows::check(LIMIT, &path, limit, causes);
    }
}

fn limit_type(kind: &Value, path: &str, causes: &mut Vec<Cause>) {
    let kind = kind.as_str().unwrap_or_default();
    let known = matches!(kind, "Pod" | "Container" | "PersistentVolumeClaim");
    if formats::label_key(kind).is_empty() && !kind.contains('/') && !known {
        let problem = "must be a standard limit type or fully qualified";
        causes.push(Cause::invalid(path, kind, problem));
    }
}

fn resource_names(limit: &Value, path: &str, causes: &mut Vec<Cause>) {
    let of_containers = matches!(text(limit, "type"), "Pod" | "Container");
    for list in LISTS {
        let unused = text(limit, "type") == "Pod" && list.starts_with("default");
        for (name, _) in members(&limit[list]).filter(|_| !unused) {
            let path = format!("{path}.{list}[{name}]");
            if of_containers {
                names::container_resource(name, &path, causes);
            } else {
                names::resource(name, &path, causes);
            }
        }
    }
}

fn members_of_type(limit: &Value, path: &str, causes: &mut Vec<Cause>) {
    match text(limit, "type") {
        "Pod" => {
            for list in ["default", "defaultRequest"] {
                if !is_empty(&limit[list]) {
                    let problem = "may not be specified when `type` is 'Pod'";
                    causes.push(Cause::forbidden(&child(path, list), problem));
                }
            }
        }
        "PersistentVolumeClaim"
            if ["min", "max"].iter().all(|list| limit[*list]["storage"].is_null()) =>
        {
            let problem = "either minimum or maximum storage value is required, but neither was \
                           provided";
            causes.push(Cause::required(&child(path, "limits"), problem));
        }
        _ => {}
    }
}

/// Checks that the amounts of each resource have an order.
fn order(limit: &Value, path: &str, causes: &mut Vec<Cause>) {
    let resources: BTreeSet<&String> =
        LISTS.iter().flat_map(|list| members(&limit[*list])).map(|(name, _)| name).collect();
    for name in resources {
        let at = |list: &str| format!("{path}.{list}[{name}]");
        let [most, least, default, request, ratio] =
            LISTS.map(|list| Quantity::of(&limit[list][name]));
        // The list whose value is wrong, the value that is shown, the two values, and their names.
        for (list, shown, small, large, words) in [
            ("min", least, least, most, ("min", "max")),
            ("defaultRequest", request, least, request, ("min", "default request")),
            ("defaultRequest", request, request, most, ("default request", "max")),
            ("defaultRequest", request, request, default, ("default request", "default limit")),
            ("default", least, least, default, ("min", "default")),
            ("default", most, default, most, ("default", "max")),
        ] {
            let (Some(shown), Some(small), Some(large)) = (shown, small, large) else { continue };
            if small > large {
                let problem = format!(
                    "{} value {} is greater than {} value {}",
                    words.0,
                    small.canonical(),
                    words.1,
                    large.canonical()
                );
                causes.push(Cause::invalid(&at(list), &shown.canonical(), &problem));
            }
        }
        if let Some(ratio) = ratio {
            ratios(ratio, least, most, &at("maxLimitRequestRatio"), causes);
        }
        let overcommitted = names::is_native(name) && !name.starts_with("hugepages-");
        if let (Some(default), Some(request)) = (default, request)
            && !overcommitted
            && default != request
        {
            let (default, request) = (default.canonical(), request.canonical());
            let problem = format!(
                "default value {default} must equal to defaultRequest value {request} in {name}"
            );
            causes.push(Cause::invalid(&at("defaultRequest"), &request, &problem));
        }
    }
}

/// Checks how much greater than a request a limit may be.
fn ratios(
    ratio: Quantity,
    least: Option<Quantity>,
    most: Option<Quantity>,
    path: &str,
    causes: &mut Vec<Cause>,
) {
    let shown = ratio.canonical();
    if ratio < Quantity::count(1) {
        causes.push(Cause::invalid(path, &shown, &format!("ratio {shown} is less than 1")));
    }
    if let (Some(least), Some(most)) = (least, most)
        && ratio.as_f64() > most.as_f64() / least.as_f64()
    {
        let widest = most.as_f64() / least.as_f64();
        let problem = format!("ratio {shown} is greater than max/min = {widest:.6}");
        causes.push(Cause::invalid(path, &shown, &problem));
    }
}

fn amounts(hard: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (name, value) in members(hard) {
        let path = format!("{path}[{name}]");
        names::quota_resource(name, &path, causes);
        rows::not_negative_quantity(value, &path, causes);
        let fraction = Quantity::of(value).filter(|amount| !amount.is_whole());
        if let Some(amount) = fraction.filter(|_| names::is_whole(name)) {
            causes.push(Cause::invalid(&path, &amount.canonical(), "must be an integer"));
        }
    }
}

const SCOPES: [&str; 7] = [
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "VolumeAttributesClass",
    "CrossNamespacePodAffinity",
];

/// The scopes that exclude one another.
const OPPOSITES: [[&str; 2]; 2] =
    [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]];

/// Returns whether a scope has objects that use a resource.
fn covers(scope: &str, resource: &str) -> bool {
    let compute = ["cpu", "memory"].contains(
        &resource
            .strip_prefix("requests.")
            .or(resource.strip_prefix("limits."))
            .unwrap_or(resource),
    );
    match scope {
        "BestEffort" => resource == "pods",
        "VolumeAttributesClass" => {
            matches!(resource, "persistentvolumeclaims" | "requests.storage")
        }
        scope if SCOPES.contains(&scope) => resource == "pods" || compute,
        _ => true,
    }
}

/// Returns the number of limited resources that the objects of a scope do not use.
fn uncovered(scope: &str, spec: &Value) -> usize {
    members(&spec["hard"]).filter(|(name, _)| is_of_quotas(name) && !covers(scope, name)).count()
}

fn scopes(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (list, path) = (&spec["scopes"], child(path, "scopes"));
    let all: Vec<&str> = elements(list).filter_map(Value::as_str).collect();
    for scope in &all {
        if !SCOPES.contains(scope) {
            causes.push(invalid(&path, list, "unsupported scope"));
        }
        for _ in 0..uncovered(scope, spec) {
            causes.push(invalid(&path, list, "unsupported scope applied to resource"));
        }
    }
    conflicts(&all, list, &path, causes);
}

fn conflicts(all: &[&str], shown: &Value, path: &str, causes: &mut Vec<Cause>) {
    for pair in OPPOSITES {
        if pair.iter().all(|scope| all.contains(scope)) {
            causes.push(invalid(path, shown, "conflicting scopes"));
        }
    }
}

fn scope_selector(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let expressions = &spec["scopeSelector"]["matchExpressions"];
    let path = child(path, "scopeSelector.matchExpressions");
    let at = |name: &str| child(&path, name);
    for expression in elements(expressions) {
        let (scope, operator) = (text(expression, "scopeName"), text(expression, "operator"));
        if !SCOPES.contains(&scope) {
            causes.push(Cause::invalid(&at("scopeName"), scope, "unsupported scope"));
        }
        for _ in 0..uncovered(scope, spec) {
            let shown = super::super::internal_form::shown(
                "ResourceQuota.spec.scopeSelector",
                &spec["scopeSelector"],
            );
            let problem = "unsupported scope applied to resource";
            causes.push(Cause::invalid_raw(&path, &shown, problem));
        }
        let of_classes = matches!(scope, "PriorityClass" | "VolumeAttributesClass");
        if SCOPES.contains(&scope) && !of_classes && operator != "Exists" {
            let problem = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
                           ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, \
                           ResourceQuotaScopeNotBestEffort or \
                           ResourceQuotaScopeCrossNamespacePodAffinity";
            causes.push(Cause::invalid(&at("operator"), operator, problem));
        }
        let values = &expression["values"];
        match operator {
            "In" | "NotIn" if is_empty(values) => {
                let problem = "must be at least one value when `operator` is 'In' or 'NotIn' for \
                               scope selector";
                causes.push(Cause::required(&at("values"), problem));
            }
            "Exists" | "DoesNotExist" if !is_empty(values) => {
                let problem = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for \
                               scope selector";
                causes.push(invalid(&at("values"), values, problem));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => {
                let problem = "not a valid selector operator";
                causes.push(Cause::invalid(&at("operator"), operator, problem));
            }
        }
    }
    let all: Vec<&str> = elements(expressions).map(|one| text(one, "scopeName")).collect();
    conflicts(&all, &spec["scopes"], &path, causes);
}
