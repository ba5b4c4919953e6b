//! Kinds that run pods for ever.

use serde_json::Value;

use super::pods::{POD_SPEC, TEMPLATE_METADATA};
use super::rows::Rule::{Check, NotNegative, OneOf, Required, Rows};
use super::rows::{self, Row, child, invalid, is_empty, text, unsupported};
use super::selectors;
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

/// A template of pods.
pub(super) const TEMPLATE: &[Row] =
    &[("", Rows(LABELED)), ("spec", Rows(POD_SPEC)), ("spec.ephemeralContainers", Check(none))];

/// A template of pods that is not checked as a pod. Volumes of claims are added to it later.
const LABELED: &[Row] = &[("metadata", Rows(TEMPLATE_METADATA))];

/// The rules for the pods of a kind.
struct Pods {
    /// The kind in the problem of an empty selector.
    selector: &'static str,
    /// The kind in problems of the template.
    kind: &'static str,
    template: &'static [Row],
}

const OF_REPLICA_SETS: Pods =
    Pods { selector: "deployment", kind: "ReplicaSet", template: TEMPLATE };
const OF_STATEFUL_SETS: Pods =
    Pods { selector: "statefulset", kind: "StatefulSet", template: LABELED };
const OF_DAEMON_SETS: Pods = Pods { selector: "daemonset", kind: "DaemonSet", template: TEMPLATE };
const OF_CONTROLLERS: Pods =
    Pods { selector: "", kind: "ReplicationController", template: TEMPLATE };

pub(super) const POD_TEMPLATE: &[Row] = &[("template", Rows(TEMPLATE))];

pub(super) const DEPLOYMENT: &[Row] = &[
    ("spec.replicas", NotNegative),
    (
        "spec",
        Check(|spec, path, causes| {
            selected(spec, path, &OF_REPLICA_SETS, causes);
        }),
    ),
    ("spec.strategy", Check(deployment_strategy)),
    ("spec.minReadySeconds", NotNegative),
    ("spec.revisionHistoryLimit", NotNegative),
    ("spec.progressDeadlineSeconds", NotNegative),
    ("spec", Check(progress_after_ready)),
];

pub(super) const REPLICA_SET: &[Row] = &[
    ("spec.replicas", NotNegative),
    ("spec.minReadySeconds", NotNegative),
    (
        "spec",
        Check(|spec, path, causes| {
            selected(spec, path, &OF_REPLICA_SETS, causes);
        }),
    ),
];

pub(super) const REPLICATION_CONTROLLER: &[Row] = &[
    ("spec.minReadySeconds", NotNegative),
    ("spec.selector", Required),
    ("spec.replicas", NotNegative),
    ("spec", Check(controller_template)),
    ("spec.template.spec", Check(|pod, path, causes| for_ever(pod, path, &OF_CONTROLLERS, causes))),
];

pub(super) const STATEFUL_SET: &[Row] = &[
    ("spec.podManagementPolicy", OneOf(&["OrderedReady", "Parallel"])),
    ("spec.updateStrategy", Check(stateful_set_strategy)),
    ("spec.persistentVolumeClaimRetentionPolicy.whenDeleted", OneOf(&["Retain", "Delete"])),
    ("spec.persistentVolumeClaimRetentionPolicy.whenScaled", OneOf(&["Retain", "Delete"])),
    ("spec.replicas", NotNegative),
    ("spec.minReadySeconds", NotNegative),
    ("spec.ordinals.start", NotNegative),
    (
        "spec",
        Check(|spec, path, causes| {
            selected(spec, path, &OF_STATEFUL_SETS, causes);
        }),
    ),
    ("spec.revisionHistoryLimit", NotNegative),
];

pub(super) const DAEMON_SET: &[Row] = &[
    (
        "spec",
        Check(|spec, path, causes| {
            selected(spec, path, &OF_DAEMON_SETS, causes);
        }),
    ),
    ("spec.minReadySeconds", NotNegative),
    ("spec.updateStrategy", Check(daemon_set_strategy)),
    ("spec.revisionHistoryLimit", NotNegative),
];

pub(super) const REVISION: &[Row] = &[("data", Required), ("revision", NotNegative)];

pub(super) const DEPLOYMENT_STATUS: &[Row] = &[
    ("status.observedGeneration", NotNegative),
    ("status.replicas", NotNegative),
    ("status.updatedReplicas", NotNegative),
    ("status.readyReplicas", NotNegative),
    ("status.availableReplicas", NotNegative),
    ("status.unavailableReplicas", NotNegative),
    ("status.collisionCount", NotNegative),
    (
        "status",
        Check(|status, path, causes| {
            at_most(
                "replicas",
                &["updatedReplicas", "readyReplicas", "availableReplicas"],
                status,
                path,
                causes,
            );
        }),
    ),
    ("status", Check(available_of_ready)),
];

pub(super) const REPLICA_SET_STATUS: &[Row] = &[
    ("status.replicas", NotNegative),
    ("status.fullyLabeledReplicas", NotNegative),
    ("status.readyReplicas", NotNegative),
    ("status.availableReplicas", NotNegative),
    ("status.observedGeneration", NotNegative),
    (
        "status",
        Check(|status, path, causes| {
            at_most(
                "replicas",
                &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
                status,
                path,
                causes,
            );
        }),
    ),
    ("status", Check(available_of_ready)),
];

pub(super) const STATEFUL_SET_STATUS: &[Row] = &[
    ("status.replicas", NotNegative),
    ("status.readyReplicas", NotNegative),
    ("status.currentReplicas", NotNegative),
    ("status.updatedReplicas", NotNegative),
    ("status.availableReplicas", NotNegative),
    ("status.observedGeneration", NotNegative),
    ("status.collisionCount", NotNegative),
    (
        "status",
        Check(|status, path, causes| {
            let counts =
                &["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
            at_most("replicas", counts, status, path, causes);
        }),
    ),
    ("status", Check(available_of_ready)),
];

pub(super) const DAEMON_SET_STATUS: &[Row] = &[
    ("status.currentNumberScheduled", NotNegative),
    ("status.numberMisscheduled", NotNegative),
    ("status.desiredNumberScheduled", NotNegative),
    ("status.numberReady", NotNegative),
    ("status.observedGeneration", NotNegative),
    ("status.updatedNumberScheduled", NotNegative),
    ("status.numberAvailable", NotNegative),
    ("status.numberUnavailable", NotNegative),
    ("status.collisionCount", NotNegative),
];

/// Checks the selector of a workload, and its template unless the selector is invalid.
fn selected(spec: &Value, path: &str, pods: &Pods, causes: &mut Vec<Cause>) {
    let empty = format!("empty selector is invalid for {}", pods.selector);
    if !selectors::workload(spec, path, &empty, causes) {
        return;
    }
    let path = child(path, "template");
    rows::check(pods.template, &path, &spec["template"], causes);
    for_ever(&spec["template"]["spec"], &child(&path, "spec"), pods, causes);
}

/// Checks that the pods of a template never end.
fn for_ever(pod: &Value, path: &str, pods: &Pods, causes: &mut Vec<Cause>) {
    let policy = text(pod, "restartPolicy");
    if policy != "Always" {
        causes.push(unsupported(&child(path, "restartPolicy"), policy, &["Always"]));
    }
    if !pod["activeDeadlineSeconds"].is_null() {
        let problem = format!("activeDeadlineSeconds in {} is not Supported", pods.kind);
        causes.push(Cause::forbidden(&child(path, "activeDeadlineSeconds"), &problem));
    }
}

fn none(containers: &Value, path: &str, causes: &mut Vec<Cause>) {
    if !is_empty(containers) {
        causes.push(Cause::forbidden(path, "ephemeral containers not allowed in pod template"));
    }
}

/// Checks that a deployment has time to progress after its pods become available.
fn progress_after_ready(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let deadline = &spec["progressDeadlineSeconds"];
    let ready = spec["minReadySeconds"].as_i64().unwrap_or(0);
    if deadline.as_i64().is_some_and(|deadline| deadline <= ready) {
        let path = child(path, "progressDeadlineSeconds");
        causes.push(invalid(&path, deadline, "must be greater than minReadySeconds"));
    }
}

fn deployment_strategy(strategy: &Value, path: &str, causes: &mut Vec<Cause>) {
    let rolling = &strategy["rollingUpdate"];
    let rolling_path = child(path, "rollingUpdate");
    match text(strategy, "type") {
        "Recreate" if !rolling.is_null() => {
            let problem = "may not be specified when strategy `type` is 'Recreate'";
            causes.push(Cause::forbidden(&rolling_path, problem));
        }
        "Recreate" => {}
        "RollingUpdate" if rolling.is_null() => {
            let problem = "this should be defaulted and never be nil";
            causes.push(Cause::required(&rolling_path, problem));
        }
        "RollingUpdate" => {
            rollout(rolling, &rolling_path, causes);
            if is_none(&rolling["maxSurge"]) && is_none(&rolling["maxUnavailable"]) {
                let path = child(&rolling_path, "maxUnavailable");
                let problem = "may not be 0 when `maxSurge` is 0";
                causes.push(invalid(&path, &rolling["maxUnavailable"], problem));
            }
        }
        other => {
            let supported = ["Recreate", "RollingUpdate"];
            causes.push(unsupported(&child(path, "type"), other, &supported));
        }
    }
}

fn daemon_set_strategy(strategy: &Value, path: &str, causes: &mut Vec<Cause>) {
    let rolling = &strategy["rollingUpdate"];
    let rolling_path = child(path, "rollingUpdate");
    match text(strategy, "type") {
        "OnDelete" => {}
        "RollingUpdate" if rolling.is_null() => causes.push(Cause::required(&rolling_path, "")),
        "RollingUpdate" => {
            rollout(rolling, &rolling_path, causes);
            let (surge, missing) =
                (is_none(&rolling["maxSurge"]), is_none(&rolling["maxUnavailable"]));
            if surge && missing {
                let path = child(&rolling_path, "maxUnavailable");
                let problem = "cannot be 0 when maxSurge is 0";
                causes.push(invalid(&path, &rolling["maxUnavailable"], problem));
            } else if !surge && !missing {
                let path = child(&rolling_path, "maxSurge");
                let problem = "may not be set when maxUnavailable is non-zero";
                causes.push(invalid(&path, &rolling["maxSurge"], problem));
            }
        }
        _ => {
            let found = internal(strategy);
            let supported = "\"RollingUpdate\", \"OnDelete\"";
            causes.push(Cause::unsupported_raw(path, &found, supported));
        }
    }
}

/// Returns a strategy as messages show it.
fn internal(strategy: &Value) -> String {
    let rolling = &strategy["rollingUpdate"];
    let rolling = match rolling {
        Value::Null => "null".to_owned(),
        _ => format!(
            "{{\"MaxUnavailable\":{},\"MaxSurge\":{}}}",
            rolling["maxUnavailable"], rolling["maxSurge"]
        ),
    };
    format!("{{\"Type\":{},\"RollingUpdate\":{rolling}}}", strategy["type"])
}

fn stateful_set_strategy(strategy: &Value, path: &str, causes: &mut Vec<Cause>) {
    let rolling = &strategy["rollingUpdate"];
    match text(strategy, "type") {
        "" => causes.push(Cause::required(path, "")),
        "OnDelete" if !rolling.is_null() => {
            let shown = &rolling["partition"];
            let problem = "only allowed for updateStrategy 'RollingUpdate'";
            causes.push(invalid(&child(path, "rollingUpdate"), shown, problem));
        }
        "OnDelete" => {}
        "RollingUpdate" => {
            let path = child(&child(path, "rollingUpdate"), "partition");
            rows::not_negative(&rolling["partition"], &path, causes);
        }
        other => {
            let problem = "must be 'RollingUpdate' or 'OnDelete'";
            causes.push(Cause::invalid(path, other, problem));
        }
    }
}

/// Checks the numbers of a rolling update.
fn rollout(rolling: &Value, path: &str, causes: &mut Vec<Cause>) {
    for name in ["maxUnavailable", "maxSurge"] {
        count_or_percent(&rolling[name], &child(path, name), causes);
    }
    let most = rolling["maxUnavailable"].as_str().and_then(|text| text.strip_suffix('%'));
    if most.and_then(|most| most.parse::<u64>().ok()).is_some_and(|most| most > 100) {
        let path = child(path, "maxUnavailable");
        causes.push(invalid(&path, &rolling["maxUnavailable"], "must not be greater than 100%"));
    }
}

/// Checks a number or a percentage.
pub(super) fn count_or_percent(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    rows::not_negative(value, path, causes);
    if let Some(text) = value.as_str() {
        rows::is(formats::percent, text, path, causes);
    }
}

/// Returns whether a number or a percentage is zero.
fn is_none(value: &Value) -> bool {
    value.as_i64() == Some(0) || value == "0%" || value.is_null()
}

/// Checks that counts are not greater than another count.
fn at_most(most: &str, counts: &[&str], status: &Value, path: &str, causes: &mut Vec<Cause>) {
    let number = |name: &str| status[name].as_i64().unwrap_or(0);
    for name in counts {
        if number(name) > number(most) {
            let problem = format!("cannot be greater than status.{most}");
            let path = child(path, name);
            causes.push(Cause::invalid_raw(&path, &number(name).to_string(), &problem));
        }
    }
}

fn available_of_ready(status: &Value, path: &str, causes: &mut Vec<Cause>) {
    let number = |name: &str| status[name].as_i64().unwrap_or(0);
    if number("availableReplicas") > number("readyReplicas") {
        let path = child(path, "availableReplicas");
        let found = number("availableReplicas").to_string();
        causes.push(Cause::invalid_raw(&path, &found, "cannot be greater than readyReplicas"));
    }
}

/// Checks the template of a controller, whose selector consists of labels only.
fn controller_template(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let template = &spec["template"];
    let template_path = child(path, "template");
    if template.is_null() {
        return causes.push(Cause::required(&template_path, ""));
    }
    let labels = &template["metadata"]["labels"];
    let missing = rows::members(&spec["selector"]).any(|(key, value)| labels[key] != *value);
    if !is_empty(&spec["selector"]) && missing {
        let path = format!("{template_path}.metadata.labels");
        let problem = "`selector` does not match template `labels`";
        causes.push(invalid(&path, labels, problem));
    }
    rows::check(OF_CONTROLLERS.template, &template_path, template, causes);
}
