//! The values that a server gives to members which a body leaves out.
//!
//! The values are rows of tables, one table for each kind and for each type inside kinds. A row is
//! a path and a rule. The rows of a table apply in order, so that a row can use the values of the
//! rows before it.

mod cluster;
mod network;
mod pods;
mod storage;
mod workloads;

use serde_json::{Map, Value};

use self::Rule::{Bool, Each, Integer, Text, With};

/// The path of a member, and the default below it. `[]` after a name stands for every element.
type Row = (&'static str, Rule);

/// A default.
#[derive(Clone, Copy, Debug)]
enum Rule {
    Text(&'static str),
    Integer(i64),
    Bool(bool),
    /// An empty object.
    Empty,
    /// The rows of the object at the path, if it is there.
    Each(&'static [Row]),
    /// A function of the object at the path, if it is there.
    With(fn(&mut Map<String, Value>)),
}

/// The tables of the kinds, by API version and kind.
const KINDS: &[(&str, &str, &[Row])] = &[
    ("v1", "Pod", pods::POD),
    ("v1", "PodTemplate", &[("template.spec", Each(pods::POD_SPEC))]),
    ("v1", "ReplicationController", workloads::REPLICATION_CONTROLLER),
    ("apps/v1", "Deployment", workloads::DEPLOYMENT),
    ("apps/v1", "ReplicaSet", workloads::REPLICA_SET),
    ("apps/v1", "StatefulSet", workloads::STATEFUL_SET),
    ("apps/v1", "DaemonSet", workloads::DAEMON_SET),
    ("batch/v1", "Job", workloads::JOB),
    ("batch/v1", "CronJob", workloads::CRON_JOB),
    ("autoscaling/v2", "HorizontalPodAutoscaler", workloads::AUTOSCALER),
    ("autoscaling/v1", "HorizontalPodAutoscaler", &[("spec.minReplicas", Integer(1))]),
    ("v1", "Service", network::SERVICE),
    ("v1", "Endpoints", network::ENDPOINTS),
    ("discovery.k8s.io/v1", "EndpointSlice", network::ENDPOINT_SLICE),
    ("networking.k8s.io/v1", "NetworkPolicy", network::NETWORK_POLICY),
    ("networking.k8s.io/v1", "IngressClass", network::INGRESS_CLASS),
    ("v1", "PersistentVolumeClaim", storage::CLAIM),
    ("v1", "PersistentVolume", storage::VOLUME),
    ("storage.k8s.io/v1", "StorageClass", storage::CLASS),
    ("storage.k8s.io/v1", "CSIDriver", storage::DRIVER),
    ("v1", "Secret", cluster::SECRET),
    ("v1", "Namespace", cluster::NAMESPACE),
    ("v1", "Node", cluster::NODE),
    ("v1", "LimitRange", cluster::LIMIT_RANGE),
    (
        "scheduling.k8s.io/v1",
        "PriorityClass",
        &[("preemptionPolicy", Text("PreemptLowerPriority"))],
    ),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", cluster::BINDING),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", cluster::BINDING),
    (
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        cluster::VALIDATING_HOOKS,
    ),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", cluster::MUTATING_HOOKS),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", cluster::VALIDATING_POLICY),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", cluster::MUTATING_POLICY),
    (
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicyBinding",
        cluster::POLICY_BINDING,
    ),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", cluster::POLICY_BINDING),
    ("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", cluster::PRIORITY_LEVEL),
    ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", cluster::FLOW_SCHEMA),
    ("resource.k8s.io/v1", "ResourceClaim", &[("spec", Each(cluster::DEVICE_CLAIM))]),
    ("resource.k8s.io/v1", "ResourceClaimTemplate", &[("spec.spec", Each(cluster::DEVICE_CLAIM))]),
];

/// Adds the defaults of a kind to an object in normal form.
pub(crate) fn add(api_version: &str, kind: &str, object: &mut Value) {
    let table = KINDS.iter().find(|(version, name, _)| (*version, *name) == (api_version, kind));
    if let (Some((.., rows)), Some(members)) = (table, object.as_object_mut()) {
        apply(rows, members);
    }
}

fn apply(rows: &[Row], members: &mut Map<String, Value>) {
    for (path, rule) in rows {
        follow(path, *rule, members);
    }
}

fn follow(path: &str, rule: Rule, members: &mut Map<String, Value>) {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    if path.is_empty() {
        return run(rule, members);
    }
    if let Some(name) = name.strip_suffix("[]") {
        let elements = members.get_mut(name).and_then(Value::as_array_mut);
        for element in elements.into_iter().flatten() {
            if let Some(members) = element.as_object_mut() {
                follow(rest, rule, members);
            }
        }
        return;
    }
    let value = match (rest, rule) {
        ("", Text(text)) => text.into(),
        ("", Integer(number)) => number.into(),
        ("", Bool(value)) => value.into(),
        ("", Rule::Empty) => Map::new().into(),
        _ => {
            if let Some(members) = members.get_mut(name).and_then(Value::as_object_mut) {
                follow(rest, rule, members);
            }
            return;
        }
    };
    set(members, name, value);
}

fn run(rule: Rule, members: &mut Map<String, Value>) {
    match rule {
        Each(rows) => apply(rows, members),
        With(function) => function(members),
        // A value has a name.
        Text(_) | Integer(_) | Bool(_) | Rule::Empty => {}
    }
}

/// Sets a member that is not there.
fn set(members: &mut Map<String, Value>, name: &str, value: Value) {
    let found = members.entry(name).or_insert(Value::Null);
    if found.is_null() {
        *found = value;
    }
}

/// Returns whether a member is there.
fn has(members: &Map<String, Value>, name: &str) -> bool {
    members.get(name).is_some_and(|value| !value.is_null())
}

/// Returns the member's text.
fn text<'a>(members: &'a Map<String, Value>, name: &str) -> &'a str {
    members.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests;
