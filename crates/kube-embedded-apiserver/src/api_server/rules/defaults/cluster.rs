//! Defaults of kinds that configure the cluster.

use serde_json::{Map, Value, json};

use super::Rule::{Each, Empty, Integer, Text, With};
use super::{Row, has, set, text};
use crate::api_server::rules::quantity::Quantity;

pub(super) const NODE: &[Row] = &[("spec", With(address_ranges)), ("status", With(allocatable))];

pub(super) const LIMIT_RANGE: &[Row] = &[("spec.limits[]", With(limits))];

pub(super) const BINDING: &[Row] =
    &[("roleRef.apiGroup", Text(RBAC)), ("subjects[]", With(subject_group))];

const RBAC: &str = "rbac.authorization.k8s.io";

const HOOK: &[Row] = &[
    ("failurePolicy", Text("Fail")),
    ("matchPolicy", Text("Equivalent")),
    ("namespaceSelector", Empty),
    ("objectSelector", Empty),
    ("timeoutSeconds", Integer(10)),
    ("clientConfig.service.port", Integer(443)),
    ("rules[].scope", Text("*")),
];

pub(super) const VALIDATING_HOOKS: &[Row] = &[("webhooks[]", Each(HOOK))];

pub(super) const MUTATING_HOOKS: &[Row] =
    &[("webhooks[]", Each(HOOK)), ("webhooks[].reinvocationPolicy", Text("Never"))];

const MATCHED: &[Row] = &[
    ("matchPolicy", Text("Equivalent")),
    ("namespaceSelector", Empty),
    ("objectSelector", Empty),
    ("resourceRules[].scope", Text("*")),
    ("excludeResourceRules[].scope", Text("*")),
];

pub(super) const VALIDATING_POLICY: &[Row] =
    &[("spec.failurePolicy", Text("Fail")), ("spec.matchConstraints", Each(MATCHED))];

pub(super) const MUTATING_POLICY: &[Row] = &[
    ("spec.failurePolicy", Text("Fail")),
    ("spec.reinvocationPolicy", Text("Never")),
    ("spec.matchConstraints", Each(MATCHED)),
];

pub(super) const POLICY_BINDING: &[Row] = &[
    ("spec.paramRef.parameterNotFoundAction", Text("Deny")),
    ("spec.matchResources", Each(MATCHED)),
];

pub(super) const FLOW_SCHEMA: &[Row] = &[("spec.matchingPrecedence", Integer(1000))];

pub(super) const PRIORITY_LEVEL: &[Row] = &[
    ("spec.limited.nominalConcurrencyShares", Integer(30)),
    ("spec.limited.lendablePercent", Integer(0)),
    ("spec.limited.limitResponse.queuing.queues", Integer(64)),
    ("spec.limited.limitResponse.queuing.handSize", Integer(8)),
    ("spec.limited.limitResponse.queuing.queueLengthLimit", Integer(50)),
    ("spec.exempt.nominalConcurrencyShares", Integer(0)),
    ("spec.exempt.lendablePercent", Integer(0)),
];

/// A claim of devices.
pub(super) const DEVICE_CLAIM: &[Row] = &[
    ("devices.requests[].exactly", Each(DEVICE_REQUEST)),
    ("devices.requests[].firstAvailable[]", Each(DEVICE_REQUEST)),
];

const DEVICE_REQUEST: &[Row] = &[
    ("allocationMode", Text("ExactCount")),
    ("", With(device_count)),
    ("tolerations[].operator", Text("Equal")),
];

fn device_count(request: &mut Map<String, Value>) {
    if text(request, "allocationMode") == "ExactCount" {
        set(request, "count", 1.into());
    }
}

/// Sets the member for the first range of addresses, and the list of all ranges.
fn address_ranges(spec: &mut Map<String, Value>) {
    let first = spec.get("podCIDRs").and_then(|all| all.get(0)).cloned();
    match (has(spec, "podCIDR"), first) {
        (true, first) if first.as_ref() != spec.get("podCIDR") => {
            spec.insert("podCIDRs".into(), json!([spec["podCIDR"]]));
        }
        (false, Some(first)) => drop(spec.insert("podCIDR".into(), first)),
        _ => {}
    }
}

/// Makes everything that a node has allocatable.
fn allocatable(status: &mut Map<String, Value>) {
    let Some(Value::Object(capacity)) = status.get("capacity").cloned() else { return };
    if !has(status, "allocatable") {
        status.insert("allocatable".into(), json!({}));
    }
    // A node that states some of it states all of it.
    let known = status.get_mut("allocatable").and_then(Value::as_object_mut);
    if let Some(known) = known.filter(|known| known.is_empty()) {
        known.extend(capacity);
    }
}

/// Sets the API group of users and groups. Accounts have none.
fn subject_group(subject: &mut Map<String, Value>) {
    if matches!(text(subject, "kind"), "User" | "Group") {
        set(subject, "apiGroup", RBAC.into());
    }
}

/// Sets the defaults of a limit on containers. The maximum is the default limit, and the default
/// limit or the minimum is the default request.
fn limits(limit: &mut Map<String, Value>) {
    if text(limit, "type") != "Container" {
        return;
    }
    for (member, sources) in [("default", &["max"][..]), ("defaultRequest", &["default", "min"])] {
        for source in sources {
            let Some(Value::Object(values)) = limit.get(*source).cloned() else { continue };
            set(limit, member, json!({}));
            let Some(target) = limit.get_mut(member).and_then(Value::as_object_mut) else {
                continue;
            };
            for (name, value) in
                values.into_iter().filter(|(_, value)| Quantity::of(value).is_some())
            {
                set(target, &name, value);
            }
        }
    }
}

pub(super) const SECRET: &[Row] = &[("type", Text("Opaque"))];

pub(super) const NAMESPACE: &[Row] = &[("status.phase", Text("Active"))];
