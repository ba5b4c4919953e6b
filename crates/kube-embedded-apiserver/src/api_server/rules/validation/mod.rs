//! Problems of objects of built-in types, in the words of a server.
//!
//! Each kind has a table of rows, and so has each type inside kinds. A row is a path and a rule. A
//! rule that joins members is a function. Objects are in normal form and have their defaults:
//! members that a type always has are there.

mod access;
mod autoscaling;
mod batch;
mod cluster;
mod config;
mod containers;
mod disruption;
mod events;
mod fields;
mod flow;
pub(crate) mod hooks;
mod host;
mod ingress;
mod job_policies;
mod job_status;
mod life;
mod limits;
mod mounts;
mod names;
mod network;
mod pods;
mod projections;
mod rows;
mod scheduling;
mod security;
mod selectors;
mod services;
mod slices;
mod storage;
mod variables;
mod volumes;
mod workloads;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod rule_tests;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub(crate) use self::job_status::is as job_is;
use self::rows::Row;
pub(crate) use self::volumes::{has_unchecked_source, has_unchecked_volume};
use crate::api_server::failure::Cause;

/// The tables of the kinds, by API version and kind.
const KINDS: &[(&str, &str, &[Row])] = &[
    ("v1", "Pod", pods::POD),
    ("v1", "PodTemplate", workloads::POD_TEMPLATE),
    ("v1", "ReplicationController", workloads::REPLICATION_CONTROLLER),
    ("apps/v1", "Deployment", workloads::DEPLOYMENT),
    ("apps/v1", "ReplicaSet", workloads::REPLICA_SET),
    ("apps/v1", "StatefulSet", workloads::STATEFUL_SET),
    ("apps/v1", "DaemonSet", workloads::DAEMON_SET),
    ("apps/v1", "ControllerRevision", workloads::REVISION),
    ("batch/v1", "Job", batch::JOB),
    ("batch/v1", "CronJob", batch::CRON_JOB),
    ("autoscaling/v2", "HorizontalPodAutoscaler", autoscaling::AUTOSCALER),
    ("policy/v1", "PodDisruptionBudget", disruption::BUDGET),
    ("v1", "Service", services::SERVICE),
    ("v1", "Endpoints", network::ENDPOINTS),
    ("discovery.k8s.io/v1", "EndpointSlice", slices::ENDPOINT_SLICE),
    ("networking.k8s.io/v1", "Ingress", ingress::INGRESS),
    ("networking.k8s.io/v1", "IngressClass", ingress::CLASS),
    ("networking.k8s.io/v1", "NetworkPolicy", network::NETWORK_POLICY),
    ("v1", "ConfigMap", config::CONFIG_MAP),
    ("v1", "Secret", config::SECRET),
    ("v1", "PersistentVolumeClaim", storage::CLAIM),
    ("v1", "PersistentVolume", storage::VOLUME),
    ("storage.k8s.io/v1", "StorageClass", storage::CLASS),
    ("storage.k8s.io/v1", "VolumeAttributesClass", storage::ATTRIBUTES_CLASS),
    ("storage.k8s.io/v1", "CSIDriver", storage::DRIVER),
    ("storage.k8s.io/v1", "CSIStorageCapacity", storage::CAPACITY),
    ("storage.k8s.io/v1", "CSINode", storage::NODE),
    ("storage.k8s.io/v1", "VolumeAttachment", storage::ATTACHMENT),
    ("rbac.authorization.k8s.io/v1", "Role", access::ROLE),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", access::CLUSTER_ROLE),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", access::ROLE_BINDING),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", access::CLUSTER_ROLE_BINDING),
    ("coordination.k8s.io/v1", "Lease", cluster::LEASE),
    ("v1", "Namespace", cluster::NAMESPACE),
    ("v1", "Node", cluster::NODE),
    ("v1", "Event", events::OF_CORE),
    ("events.k8s.io/v1", "Event", events::OF_EVENTS),
    ("v1", "LimitRange", limits::LIMIT_RANGE),
    ("v1", "ResourceQuota", limits::QUOTA),
    ("scheduling.k8s.io/v1", "PriorityClass", cluster::PRIORITY_CLASS),
    ("node.k8s.io/v1", "RuntimeClass", cluster::RUNTIME_CLASS),
    ("certificates.k8s.io/v1", "CertificateSigningRequest", cluster::CERTIFICATE_REQUEST),
    ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", flow::FLOW_SCHEMA),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", hooks::HOOKS),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", hooks::HOOKS),
];

/// The tables of statuses, by API version and kind.
const STATUSES: &[(&str, &str, &[Row])] = &[
    ("v1", "Pod", pods::STATUS),
    ("v1", "Namespace", cluster::NAMESPACE_STATUS),
    ("v1", "Node", cluster::NODE_STATUS),
    ("v1", "Service", services::STATUS),
    ("certificates.k8s.io/v1", "CertificateSigningRequest", cluster::CERTIFICATE_STATUS),
    ("apps/v1", "Deployment", workloads::DEPLOYMENT_STATUS),
    ("apps/v1", "ReplicaSet", workloads::REPLICA_SET_STATUS),
    ("v1", "ReplicationController", workloads::REPLICA_SET_STATUS),
    ("apps/v1", "StatefulSet", workloads::STATEFUL_SET_STATUS),
    ("apps/v1", "DaemonSet", workloads::DAEMON_SET_STATUS),
    ("batch/v1", "Job", job_status::STATUS),
    ("autoscaling/v2", "HorizontalPodAutoscaler", autoscaling::STATUS),
    ("networking.k8s.io/v1", "Ingress", ingress::STATUS),
    ("v1", "PersistentVolumeClaim", storage::CLAIM_STATUS),
    ("v1", "ResourceQuota", limits::QUOTA_STATUS),
];

/// The tables of new objects, by API version and kind.
const NEW: &[(&str, &str, &[Row])] = &[
    ("events.k8s.io/v1", "Event", events::NEW),
    ("discovery.k8s.io/v1", "EndpointSlice", slices::NEW_ENDPOINT_SLICE),
    ("batch/v1", "Job", batch::NEW_JOB),
    ("networking.k8s.io/v1", "Ingress", ingress::NEW),
];

/// Returns the problems that only a new object has, or a new part of an object.
pub(crate) fn new_problems(api_version: &str, kind: &str, object: &Value) -> Vec<Cause> {
    run(NEW, api_version, kind, object)
}

/// Returns the problems of an object, without those of its status.
pub(crate) fn problems(api_version: &str, kind: &str, object: &Value) -> Vec<Cause> {
    run(KINDS, api_version, kind, object)
}

/// Returns the problems of a job's specification.
pub(crate) fn job_spec_problems(job: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    rows::check(batch::SPEC, "", job, &mut causes);
    causes
}

/// Returns the problems of a pod's ephemeral containers.
pub(crate) fn ephemeral_problems(pod: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    rows::check(pods::EPHEMERAL, "", pod, &mut causes);
    causes
}

/// Returns the problems of a status.
pub(crate) fn status_problems(api_version: &str, kind: &str, object: &Value) -> Vec<Cause> {
    run(STATUSES, api_version, kind, object)
}

fn run(
    tables: &[(&str, &str, &'static [Row])],
    api_version: &str,
    kind: &str,
    object: &Value,
) -> Vec<Cause> {
    let found = tables.iter().find(|(version, name, _)| (*version, *name) == (api_version, kind));
    let mut causes = Vec::new();
    if let Some((.., rows)) = found {
        rows::check(rows, "", object, &mut causes);
    }
    causes
}
