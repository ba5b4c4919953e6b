//! Autoscalers.

use serde_json::Value;

use super::names;
use super::rows::Rule::{
    Check, Given, NotNegative, OneOf, Optional, Positive, RequiredSince, Rows,
};
use super::rows::{self, Row, child, elements, invalid, text, unsupported};
use crate::api_server::failure::Cause;
use crate::api_server::names::path_segment_problems;
use crate::api_server::rules::formats;
use crate::api_server::rules::quantity::Quantity;

pub(super) const AUTOSCALER: &[Row] = &[
    ("spec", Check(limits)),
    (
        "spec.scaleTargetRef",
        Check(|target, path, causes| names::target(target, false, path, causes)),
    ),
    ("spec.metrics[]", Check(metric)),
    ("spec", Check(metrics_of_none)),
    ("spec.behavior.scaleUp", Rows(SCALING)),
    ("spec.behavior.scaleDown", Rows(SCALING)),
];

pub(super) const STATUS: &[Row] =
    &[("status.currentReplicas", NotNegative), ("status.desiredReplicas", NotNegative)];

const SCALING: &[Row] = &[
    ("stabilizationWindowSeconds", Check(window)),
    ("selectPolicy", OneOf(&["Disabled", "Max", "Min"])),
    ("policies", RequiredSince("must specify at least one Policy")),
    ("policies[].type", OneOf(&["Percent", "Pods"])),
    ("policies[].value", Positive),
    ("policies[].periodSeconds", Positive),
    (
        "policies[].periodSeconds",
        Check(|seconds, path, causes| at_most(1800, seconds, path, causes)),
    ),
    ("tolerance", Check(rows::not_negative_quantity)),
];

fn window(seconds: &Value, path: &str, causes: &mut Vec<Cause>) {
    if seconds.as_i64().is_some_and(|seconds| seconds < 0) {
        causes.push(invalid(path, seconds, "must be greater than or equal to zero"));
    }
    at_most(3600, seconds, path, causes);
}

fn at_most(most: i64, seconds: &Value, path: &str, causes: &mut Vec<Cause>) {
    if seconds.as_i64().is_some_and(|seconds| seconds > most) {
        causes.push(invalid(path, seconds, &format!("must be less than or equal to {most}")));
    }
}

fn limits(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (least, most) = (&spec["minReplicas"], spec["maxReplicas"].as_i64().unwrap_or(0));
    if least.as_i64().is_some_and(|least| least < 1) {
        let path = child(path, "minReplicas");
        causes.push(invalid(&path, least, "must be greater than or equal to 1"));
    }
    let path = child(path, "maxReplicas");
    let shown = most.to_string();
    match most {
        0 => causes.push(Cause::required(&path, "must be set and greater than 0")),
        ..0 => {
            let problem = "must be greater than or equal to 1";
            causes.push(Cause::invalid_raw(&path, &shown, problem));
        }
        _ => {}
    }
    if least.as_i64().is_some_and(|least| most < least) {
        let problem = "must be greater than or equal to `minReplicas`";
        causes.push(Cause::invalid_raw(&path, &shown, problem));
    }
}

/// Checks that a metric which needs no pods scales up from none.
fn metrics_of_none(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let outside = |metric: &Value| matches!(text(metric, "type"), "Object" | "External");
    if spec["minReplicas"] == 0 && !elements(&spec["metrics"]).any(outside) {
        let problem = "must specify at least one Object or External metric to support scaling to \
                       zero replicas";
        causes.push(Cause::forbidden(&child(path, "metrics"), problem));
    }
}

/// A type of metrics.
struct Source {
    kind: &'static str,
    /// The member that describes the metric.
    member: &'static str,
    rows: &'static [Row],
    /// The members of its target. Exactly one is set.
    targets: &'static [&'static str],
    /// The reason if there is none, which blames the last member.
    none: &'static str,
    /// The reason if there are several, which blames the first one. Empty if that is allowed.
    several: &'static str,
}

/// The types in the order in which a server looks at them.
const SOURCES: [Source; 5] = [
    Source {
        kind: "Object",
        member: "object",
        rows: OBJECT,
        targets: &["value", "averageValue"],
        none: "must set either a target value or averageValue",
        several: "",
    },
    Source {
        kind: "External",
        member: "external",
        rows: NAMED,
        targets: &["value", "averageValue"],
        none: "must set either a target value for metric or a per-pod target",
        several: "may not set both a target value for metric and a per-pod target",
    },
    Source {
        kind: "Pods",
        member: "pods",
        rows: NAMED,
        targets: &["averageValue"],
        none: "must specify a positive target averageValue",
        several: "",
    },
    Source { kind: "Resource", member: "resource", rows: RESOURCE, ..OF_RESOURCE },
    OF_RESOURCE,
];

const OF_RESOURCE: Source = Source {
    kind: "ContainerResource",
    member: "containerResource",
    rows: CONTAINER_RESOURCE,
    targets: &["averageValue", "averageUtilization"],
    none: "must set either a target raw value or a target utilization",
    several: "may not set both a target raw value and a target utilization",
};

/// The types in the order of messages.
const TYPES: [&str; 5] = ["ContainerResource", "External", "Object", "Pods", "Resource"];

const OBJECT: &[Row] = &[
    ("describedObject", Check(|target, path, causes| names::target(target, true, path, causes))),
    ("", Rows(NAMED)),
];

const NAMED: &[Row] = &[
    ("metric.name", RequiredSince("must specify a metric name")),
    ("metric.name", Optional(path_segment_problems)),
];

const RESOURCE: &[Row] = &[("name", RequiredSince("must specify a resource name"))];

const CONTAINER_RESOURCE: &[Row] = &[
    ("", Rows(RESOURCE)),
    ("name", Given(resource)),
    ("container", RequiredSince("must specify a container")),
    ("container", Optional(formats::label)),
];

const TARGET: &[Row] = &[
    ("type", RequiredSince("must specify a metric target type")),
    ("type", Check(target_type)),
    ("value", Given(positive)),
    ("averageValue", Given(positive)),
    ("averageUtilization", Check(some_use)),
];

fn resource(name: &Value, path: &str, causes: &mut Vec<Cause>) {
    if let Some(name) = name.as_str().filter(|name| !name.is_empty()) {
        names::container_resource(name, path, causes);
    }
}

fn target_type(kind: &Value, path: &str, causes: &mut Vec<Cause>) {
    let kind = kind.as_str().unwrap_or_default();
    if !matches!(kind, "Utilization" | "Value" | "AverageValue") {
        let problem = "must be either Utilization, Value, or AverageValue";
        causes.push(Cause::invalid(path, kind, problem));
    }
}

fn positive(amount: &Value, path: &str, causes: &mut Vec<Cause>) {
    if Quantity::of(amount).is_some_and(|amount| amount.is_negative() || amount.is_zero()) {
        causes.push(invalid(path, amount, "must be positive"));
    }
}

fn some_use(percent: &Value, path: &str, causes: &mut Vec<Cause>) {
    if percent.as_i64().is_some_and(|percent| percent < 1) {
        causes.push(invalid(path, percent, "must be greater than 0"));
    }
}

/// Checks a metric, which has the member of its type and no other one.
fn metric(metric: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (kind, at_type) = (text(metric, "type"), child(path, "type"));
    if kind.is_empty() {
        causes.push(Cause::required(&at_type, "must specify a metric source type"));
    }
    let given: Vec<&Source> =
        SOURCES.iter().filter(|source| !metric[source.member].is_null()).collect();
    if let Some(source) = given.first() {
        describe(source, &metric[source.member], &child(path, source.member), causes);
    }
    let expected = SOURCES.iter().find(|source| source.kind == kind).map(|source| source.member);
    match expected {
        Some(member) if metric[member].is_null() => {
            let problem = "must populate information for the given metric source";
            causes.push(Cause::required(&child(path, member), problem));
        }
        Some(_) => {}
        // A server says it twice.
        None => causes.extend([(); 2].map(|()| unsupported(&at_type, kind, &TYPES))),
    }
    let others = given.iter().filter(|source| given.len() > 1 && Some(source.member) != expected);
    for other in others {
        let problem = "must populate the given metric source only";
        causes.push(Cause::forbidden(&child(path, other.member), problem));
    }
}

fn describe(source: &Source, metric: &Value, path: &str, causes: &mut Vec<Cause>) {
    rows::check(source.rows, path, metric, causes);
    let (target, path) = (&metric["target"], child(path, "target"));
    rows::check(TARGET, &path, target, causes);
    let given = source.targets.iter().filter(|name| !target[**name].is_null()).count();
    match source.targets {
        [.., last] if given == 0 => {
            causes.push(Cause::required(&child(&path, last), source.none));
        }
        [first, ..] if given > 1 && !source.several.is_empty() => {
            causes.push(Cause::forbidden(&child(&path, first), source.several));
        }
        _ => {}
    }
}
