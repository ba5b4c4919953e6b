//! Changes that a kind does not allow, in the words of a server.
//!
//! A table has a row for each member that cannot change. Rules that join members are functions of
//! both states.

mod certificates;
mod jobs;
mod network;
mod pods;
mod storage;
mod workloads;

#[cfg(test)]
mod tests;

use serde_json::Value;

use self::Rule::{Check, Forbidden, Same};
use super::internal_form;
use crate::api_server::failure::Cause;

/// The path of a member, and the rule about changes of it.
type Row = (&'static str, Rule);

/// A rule about changes.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// The member keeps its value.
    Same,
    /// As `Same`, with these words.
    Forbidden(&'static str),
    /// A function of the states before and after.
    Check(fn(&Value, &Value, &mut Vec<Cause>)),
}

/// The tables of the kinds, by API version and kind.
const KINDS: &[(&str, &str, &[Row])] = &[
    ("v1", "Pod", &[("", Check(pods::pod))]),
    ("apps/v1", "Deployment", &[("spec.selector", Same)]),
    ("apps/v1", "ReplicaSet", &[("spec.selector", Same)]),
    ("apps/v1", "DaemonSet", &[("spec.selector", Same)]),
    ("apps/v1", "StatefulSet", &[("", Check(workloads::stateful_set))]),
    ("apps/v1", "ControllerRevision", &[("data", Same)]),
    ("batch/v1", "Job", &[("", Check(jobs::job))]),
    ("v1", "ConfigMap", &[("", Check(sealed))]),
    ("v1", "Secret", &[("type", Same), ("", Check(sealed))]),
    ("v1", "Service", &[("", Check(network::service))]),
    ("v1", "Node", &[("", Check(node))]),
    ("v1", "ResourceQuota", &[("", Check(scopes))]),
    ("v1", "PersistentVolumeClaim", &[("", Check(storage::claim))]),
    ("v1", "PersistentVolume", &[("", Check(storage::volume))]),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", &[("", Check(role))]),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", &[("", Check(role))]),
    (
        "storage.k8s.io/v1",
        "StorageClass",
        &[
            ("parameters", Same),
            ("provisioner", Same),
            ("reclaimPolicy", Same),
            ("volumeBindingMode", Same),
        ],
    ),
    (
        "storage.k8s.io/v1",
        "VolumeAttributesClass",
        &[("driverName", Same), ("parameters", Forbidden("updates to parameters are forbidden."))],
    ),
    ("storage.k8s.io/v1", "CSIDriver", &[("", Check(storage::driver))]),
    ("storage.k8s.io/v1", "CSINode", &[("", Check(storage::node))]),
    (
        "storage.k8s.io/v1",
        "CSIStorageCapacity",
        &[("nodeTopology", Same), ("storageClassName", Same)],
    ),
    ("storage.k8s.io/v1", "VolumeAttachment", &[("spec", Same)]),
    (
        "scheduling.k8s.io/v1",
        "PriorityClass",
        &[("value", Forbidden("may not be changed in an update.")), ("preemptionPolicy", Same)],
    ),
    ("node.k8s.io/v1", "RuntimeClass", &[("handler", Same)]),
    (
        "discovery.k8s.io/v1",
        "EndpointSlice",
        &[("addressType", Same), ("", Check(network::endpoints))],
    ),
    ("networking.k8s.io/v1", "IngressClass", &[("spec.controller", Same)]),
    ("resource.k8s.io/v1", "ResourceClaim", &[("spec", Same)]),
    ("resource.k8s.io/v1", "ResourceClaimTemplate", &[("spec", Same)]),
    ("events.k8s.io/v1", "Event", &[("", Check(event))]),
];

/// The tables of statuses, by API version and kind.
const STATUSES: &[(&str, &str, &[Row])] = &[
    ("v1", "Pod", &[("status.qosClass", Same)]),
    ("batch/v1", "Job", &[("", Check(jobs::status))]),
    ("apps/v1", "Deployment", &[("", Check(workloads::collisions))]),
    ("apps/v1", "StatefulSet", &[("", Check(workloads::collisions))]),
    ("apps/v1", "DaemonSet", &[("", Check(workloads::collisions))]),
    ("certificates.k8s.io/v1", "CertificateSigningRequest", &[("", Check(certificates::status))]),
];

/// Returns the problems of a change, without those of the status.
pub(crate) fn problems(api_version: &str, kind: &str, before: &Value, after: &Value) -> Vec<Cause> {
    run(KINDS, (api_version, kind), before, after)
}

/// Returns the problems of a change of the status.
pub(crate) fn status_problems(
    api_version: &str,
    kind: &str,
    before: &Value,
    after: &Value,
) -> Vec<Cause> {
    run(STATUSES, (api_version, kind), before, after)
}

/// Returns the problems of a certificate request's approval.
pub(crate) fn approval_problems(before: &Value, after: &Value) -> Vec<Cause> {
    certificates::approval(before, after)
}

/// Returns the problems of a change of a pod's ephemeral containers.
pub(crate) fn ephemeral_problems(before: &Value, after: &Value) -> Vec<Cause> {
    pods::ephemeral(before, after)
}

/// Returns the problems of a change of the resources of a pod's containers.
pub(crate) fn resize_problems(before: &Value, after: &Value) -> Vec<Cause> {
    pods::resize(before, after)
}

fn run(
    tables: &[(&str, &str, &'static [Row])],
    (api_version, kind): (&str, &str),
    before: &Value,
    after: &Value,
) -> Vec<Cause> {
    let table = tables.iter().find(|(version, name, _)| (*version, *name) == (api_version, kind));
    let mut causes = Vec::new();
    for (path, rule) in table.into_iter().flat_map(|(.., rows)| *rows) {
        let (old, new) = (member(before, path), member(after, path));
        match rule {
            Check(check) => check(before, after, &mut causes),
            Same if old != new => {
                let shown = internal_form::shown(&format!("{kind}.{path}"), new);
                causes.push(immutable(path, &shown));
            }
            Forbidden(problem) if old != new => causes.push(Cause::forbidden(path, problem)),
            Same | Forbidden(_) => {}
        }
    }
    causes
}

fn member<'a>(object: &'a Value, path: &str) -> &'a Value {
    let names = path.split('.').filter(|name| !name.is_empty());
    names.fold(object, |value, name| &value[name])
}

/// Returns the problem of a value that was changed and cannot be.
fn immutable(path: &str, shown: &str) -> Cause {
    Cause::invalid_raw(path, shown, "field is immutable")
}

/// Checks a config map or a secret, which can be sealed for ever.
fn sealed(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    if before["immutable"] != true {
        return;
    }
    let problem = "field is immutable when `immutable` is set";
    if after["immutable"] != true {
        causes.push(Cause::forbidden("immutable", problem));
    }
    for name in ["data", "binaryData"] {
        if before[name] != after[name] {
            causes.push(Cause::forbidden(name, problem));
        }
    }
}

/// Checks the scopes of a quota, whose order does not count.
fn scopes(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    let set = |object: &Value| -> std::collections::BTreeSet<String> {
        let scopes = object["spec"]["scopes"].as_array().into_iter().flatten();
        scopes.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    if set(before) != set(after) {
        causes.push(immutable("spec.scopes", &after["spec"]["scopes"].to_string()));
    }
}

fn role(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    let reference = &after["roleRef"];
    if before["roleRef"] != *reference {
        let shown = internal_form::shown("RoleRef", reference);
        causes.push(Cause::invalid_raw("roleRef", &shown, "cannot change roleRef"));
    }
}

fn node(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    for (member, shown) in [("podCIDRs", "podCIDR"), ("providerID", "providerID")] {
        let old = &before["spec"][member];
        if !old.is_null() && *old != after["spec"][member] {
            let problem = format!("node updates may not change {shown} except from \"\" to valid");
            causes.push(Cause::forbidden(&format!("spec.{member}"), &problem));
        }
    }
}

/// The members of an event that cannot change, and the names that messages give them.
const EVENT: [(&str, &str); 11] = [
    ("regarding", "involvedObject"),
    ("reason", "reason"),
    ("note", "message"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
    ("action", "action"),
    ("related", "related"),
    ("reportingController", "reportingController"),
    ("reportingInstance", "reportingInstance"),
];

fn event(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    for (member, shown) in EVENT {
        if before[member] != after[member] {
            causes.push(immutable(shown, &after[member].to_string()));
        }
    }
}
