//! Kinds that run pods for ever.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::pods::{POD_SPEC, TEMPLATE_METADATA};
use super::rows::Rule::{Check, Given, NotNegative, OneOf, Optional, Required, Rows};
use super::rows::{self, Row, child, elements, invalid, is_empty, text, unsupported};
use super::selectors;
use super::storage::CLAIM_SPEC;
use crate::api_server::failure::Cause;
use crate::api_server::rules::{formats, internal_form};

/// A template of pods.
pub(super) const TEMPLATE: &[Row] = &[
    ("metadata", Rows(TEMPLATE_METADATA)),
    ("spec", Rows(POD_SPEC)),
    ("spec.ephemeralContainers", Check(none)),
];

/// The rules for the pods of a kind.
struct Pods {
    /// The kind in the problem of an empty selector.
    selector: &'static str,
    /// The kind in problems of the template.
    kind: &'static str,
}

const OF_REPLICA_SETS: Pods = Pods { selector: "deployment", kind: "ReplicaSet" };
const OF_STATEFUL_SETS: Pods = Pods { selector: "statefulset", kind: "StatefulSet" };
const OF_DAEMON_SETS: Pods = Pods { selector: "daemonset", kind: "DaemonSet" };
const OF_CONTROLLERS: Pods = Pods { selector: "", kind: "ReplicationController" };

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
    ("spec.podManagementPolicy", Given(management)),
    ("spec.updateStrategy", Check(stateful_set_strategy)),
    ("spec.persistentVolumeClaimRetentionPolicy.whenDeleted", OneOf(&["Retain", "Delete"])),
    ("spec.persistentVolumeClaimRetentionPolicy.whenScaled", OneOf(&["Retain", "Delete"])),
    ("spec.volumeClaimTemplates[].spec", Rows(CLAIM_SPEC)),
    ("spec.replicas", NotNegative),
    ("spec.minReadySeconds", NotNegative),
    ("spec.ordinals.start", NotNegative),
    ("spec.serviceName", Optional(formats::label)),
    (
        "spec",
        Check(|spec, path, causes| {
            selected(spec, path, &OF_STATEFUL_SETS, causes);
        }),
    ),
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

pub(super) const REVISION: &[Row] = &[
    (
        "data",
        Check(|data, path, causes| {
            if data.is_null() {
                causes.push(Cause::required(path, "data is mandatory"));
            }
        }),
    ),
    ("revision", NotNegative),
];

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
    (
        "status",
        Check(|status, path, causes| {
            at_most("readyReplicas", &["availableReplicas"], status, path, causes);
        }),
    ),
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
    if pods.selector == "daemonset" {
        selectors::daemons(spec, path, "empty selector is invalid for daemonset", causes);
    } else if !selectors::workload(spec, path, pods.selector, causes) {
        return;
    }
    let path = child(path, "template");
    let template = match pods.kind {
        "StatefulSet" => Cow::Owned(with_claims(spec)),
        _ => Cow::Borrowed(&spec["template"]),
    };
    rows::check(TEMPLATE, &path, &template, causes);
    if pods.kind == "StatefulSet" {
        // A server checks them twice.
        rows::check(TEMPLATE_METADATA, &path, &template["metadata"], causes);
    }
    for_ever(&spec["template"]["spec"], &child(&path, "spec"), pods, causes);
}

/// Returns the template with the volumes that a stateful set makes of its claims, and without the
/// names that it gives to its pods.
fn with_claims(spec: &Value) -> Value {
    let mut template = spec["template"].clone();
    let Some(pod) = template.get_mut("spec").and_then(Value::as_object_mut) else {
        return template;
    };
    pod.remove("hostname");
    pod.remove("subdomain");
    let claims: BTreeSet<&str> = elements(&spec["volumeClaimTemplates"])
        .map(|claim| text(&claim["metadata"], "name"))
        .collect();
    if !claims.is_empty() {
        let of_claim =
            |name: &&str| json!({ "name": name, "persistentVolumeClaim": { "claimName": name } });
        let own = elements(&spec["template"]["spec"]["volumes"]);
        let own = own.filter(|volume| !claims.contains(&text(volume, "name"))).cloned();
        let volumes: Vec<Value> = claims.iter().map(of_claim).chain(own).collect();
        pod.insert("volumes".into(), volumes.into());
    }
    template
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
        _ => {
            let shown = internal_form::shown("Deployment.spec.strategy", strategy);
            causes.push(Cause::unsupported_raw(path, &shown, "\"Recreate\", \"RollingUpdate\""));
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
                causes.push(Cause::required(&path, problem));
            } else if !surge && !missing {
                let path = child(&rolling_path, "maxSurge");
                let problem = "may not be set when maxUnavailable is non-zero";
                causes.push(invalid(&path, &rolling["maxSurge"], problem));
            }
        }
        _ => {
            let shown = internal_form::shown("Deployment.spec.strategy", strategy);
            causes.push(Cause::unsupported_raw(path, &shown, "\"RollingUpdate\", \"OnDelete\""));
        }
    }
}

fn management(policy: &Value, path: &str, causes: &mut Vec<Cause>) {
    if !matches!(policy.as_str(), Some("OrderedReady" | "Parallel")) {
        causes.push(invalid(path, policy, "must be 'OrderedReady' or 'Parallel'"));
    }
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
        _ => {
            let shown = internal_form::shown("StatefulSet.spec.updateStrategy", strategy);
            let problem = "must be 'RollingUpdate' or 'OnDelete'";
            causes.push(Cause::invalid_raw(path, &shown, problem));
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
    rows::check(TEMPLATE, &template_path, template, causes);
}
