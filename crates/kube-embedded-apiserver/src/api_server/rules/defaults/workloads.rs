//! Defaults of kinds that run pods.

use serde_json::{Map, Value, json};

use super::Rule::{Bool, Each, Empty, Integer, Text, With};
use super::pods::POD_SPEC;
use super::storage::CLAIM_TEMPLATE;
use super::{Row, has, set, text};

pub(super) const DEPLOYMENT: &[Row] = &[
    ("spec.replicas", Integer(1)),
    ("spec.template.spec", Each(POD_SPEC)),
    ("spec.strategy", Empty),
    ("spec.strategy.type", Text("RollingUpdate")),
    ("spec.strategy", With(deployment_rollout)),
    ("spec.revisionHistoryLimit", Integer(10)),
    ("spec.progressDeadlineSeconds", Integer(600)),
];

pub(super) const REPLICA_SET: &[Row] =
    &[("spec.replicas", Integer(1)), ("spec.template.spec", Each(POD_SPEC))];

pub(super) const REPLICATION_CONTROLLER: &[Row] = &[
    ("", With(copy_template_labels)),
    ("spec.replicas", Integer(1)),
    ("spec.template.spec", Each(POD_SPEC)),
];

pub(super) const STATEFUL_SET: &[Row] = &[
    ("spec.replicas", Integer(1)),
    ("spec.template.spec", Each(POD_SPEC)),
    ("spec.volumeClaimTemplates[]", Each(CLAIM_TEMPLATE)),
    ("spec.podManagementPolicy", Text("OrderedReady")),
    ("spec.updateStrategy", Empty),
    ("spec.updateStrategy", With(stateful_set_rollout)),
    ("spec.revisionHistoryLimit", Integer(10)),
    ("spec.persistentVolumeClaimRetentionPolicy", Empty),
    ("spec.persistentVolumeClaimRetentionPolicy.whenDeleted", Text("Retain")),
    ("spec.persistentVolumeClaimRetentionPolicy.whenScaled", Text("Retain")),
];

pub(super) const DAEMON_SET: &[Row] = &[
    ("metadata", With(count_templates)),
    ("spec.template.spec", Each(POD_SPEC)),
    ("spec.updateStrategy", Empty),
    ("spec.updateStrategy.type", Text("RollingUpdate")),
    ("spec.updateStrategy", With(daemon_set_rollout)),
    ("spec.revisionHistoryLimit", Integer(10)),
];

pub(super) const JOB: &[Row] = &[
    ("spec", With(count_completions)),
    ("spec", With(back_off)),
    ("spec", Each(FAILURES)),
    ("spec.template.spec", Each(POD_SPEC)),
    ("spec.completionMode", Text("NonIndexed")),
    ("spec.suspend", Bool(false)),
    ("spec.manualSelector", Bool(false)),
    ("spec", With(replace_pods)),
    ("", With(copy_job_labels)),
];

const FAILURES: &[Row] = &[("podFailurePolicy.rules[].onPodConditions[].status", Text("True"))];

pub(super) const CRON_JOB: &[Row] = &[
    ("spec.concurrencyPolicy", Text("Allow")),
    ("spec.suspend", Bool(false)),
    ("spec.jobTemplate.spec", Each(FAILURES)),
    ("spec.jobTemplate.spec.template.spec", Each(POD_SPEC)),
    ("spec.successfulJobsHistoryLimit", Integer(3)),
    ("spec.failedJobsHistoryLimit", Integer(1)),
];

pub(super) const AUTOSCALER: &[Row] = &[
    ("spec.minReplicas", Integer(1)),
    ("spec", With(scale_by_processor)),
    ("spec.behavior", With(scaling_rules)),
];

fn deployment_rollout(strategy: &mut Map<String, Value>) {
    if text(strategy, "type") == "RollingUpdate" {
        rolling(strategy, &[("maxUnavailable", json!("25%")), ("maxSurge", json!("25%"))]);
    }
}

fn daemon_set_rollout(strategy: &mut Map<String, Value>) {
    if text(strategy, "type") == "RollingUpdate" {
        rolling(strategy, &[("maxUnavailable", json!(1)), ("maxSurge", json!(0))]);
    }
}

/// Sets the strategy. Only a strategy that was not given gets a partition.
fn stateful_set_rollout(strategy: &mut Map<String, Value>) {
    let given = has(strategy, "type");
    set(strategy, "type", "RollingUpdate".into());
    if text(strategy, "type") == "RollingUpdate" && (!given || has(strategy, "rollingUpdate")) {
        rolling(strategy, &[("partition", json!(0))]);
    }
}

fn rolling(strategy: &mut Map<String, Value>, values: &[(&str, Value)]) {
    set(strategy, "rollingUpdate", json!({}));
    if let Some(rolling) = strategy.get_mut("rollingUpdate").and_then(Value::as_object_mut) {
        for (name, value) in values {
            set(rolling, name, value.clone());
        }
    }
}

/// Adds the annotation that counts the templates of a daemon set.
fn count_templates(metadata: &mut Map<String, Value>) {
    set(metadata, "annotations", json!({}));
    if let Some(all) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
        set(all, "deprecated.daemonset.template.generation", "0".into());
    }
}

/// Sets the numbers of a job. A job without numbers runs one pod to its end.
fn count_completions(spec: &mut Map<String, Value>) {
    if !has(spec, "completions") && !has(spec, "parallelism") {
        set(spec, "completions", 1.into());
    }
    set(spec, "parallelism", 1.into());
}

/// Sets the limit of failures. A limit for each index replaces it.
fn back_off(spec: &mut Map<String, Value>) {
    let limit = if has(spec, "backoffLimitPerIndex") { i64::from(i32::MAX) } else { 6 };
    set(spec, "backoffLimit", limit.into());
}

/// Sets the time of replacements. With a policy about failures, it is the failure.
fn replace_pods(spec: &mut Map<String, Value>) {
    let policy = if has(spec, "podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    set(spec, "podReplacementPolicy", policy.into());
}

fn template_labels(object: &Map<String, Value>) -> Option<Value> {
    let labels = object.get("spec")?.get("template")?.get("metadata")?.get("labels")?;
    labels.as_object().filter(|labels| !labels.is_empty())?;
    Some(labels.clone())
}

fn copy_labels(object: &mut Map<String, Value>, labels: Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
        && !has(metadata, "labels")
    {
        metadata.insert("labels".into(), labels);
    }
}

/// Copies the labels of the template to the job.
fn copy_job_labels(job: &mut Map<String, Value>) {
    if let Some(labels) = template_labels(job) {
        copy_labels(job, labels);
    }
}

/// Copies the labels of the template to the controller, and to its selector.
fn copy_template_labels(controller: &mut Map<String, Value>) {
    let Some(labels) = template_labels(controller) else { return };
    if let Some(spec) = controller.get_mut("spec").and_then(Value::as_object_mut)
        && !has(spec, "selector")
    {
        spec.insert("selector".into(), labels.clone());
    }
    copy_labels(controller, labels);
}

/// Sets the metrics to four fifths of the requested processor time.
fn scale_by_processor(spec: &mut Map<String, Value>) {
    let metric = json!([{
        "type": "Resource",
        "resource": {
            "name": "cpu", "target": { "type": "Utilization", "averageUtilization": 80 },
        },
    }]);
    set(spec, "metrics", metric);
}

/// Sets the rules of both directions as soon as one of them is given.
fn scaling_rules(behavior: &mut Map<String, Value>) {
    let up = json!([
        { "type": "Pods", "value": 4, "periodSeconds": 15 },
        { "type": "Percent", "value": 100, "periodSeconds": 15 },
    ]);
    let down = json!([{ "type": "Percent", "value": 100, "periodSeconds": 15 }]);
    for (direction, window, policies) in [("scaleUp", Some(0), up), ("scaleDown", None, down)] {
        set(behavior, direction, json!({}));
        let Some(rules) = behavior.get_mut(direction).and_then(Value::as_object_mut) else {
            continue;
        };
        if let Some(window) = window {
            set(rules, "stabilizationWindowSeconds", window.into());
        }
        set(rules, "selectPolicy", "Max".into());
        set(rules, "policies", policies);
    }
}
