//! Autoscalers.

use serde_json::Value;

use super::rows::Rule::Check;
use super::rows::{Row, child, elements, invalid, text};
use crate::api_server::failure::Cause;

pub(super) const AUTOSCALER: &[Row] = &[
    ("spec", Check(limits)),
    ("spec.scaleTargetRef", Check(target)),
    ("spec.metrics", Check(metrics)),
];

fn limits(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (least, most) = (&spec["minReplicas"], &spec["maxReplicas"]);
    if least.as_i64().is_some_and(|least| least < 1) {
        let path = child(path, "minReplicas");
        causes.push(invalid(&path, least, "must be greater than or equal to 1"));
    }
    let path = child(path, "maxReplicas");
    if most.as_i64().unwrap_or(0) < 1 {
        causes.push(Cause::required(&path, "must be set and greater than 0"));
    }
    if least.as_i64().is_some_and(|least| most.as_i64().unwrap_or(0) < least) {
        causes.push(invalid(&path, most, "must be greater than or equal to `minReplicas`"));
    }
}

fn target(target: &Value, path: &str, causes: &mut Vec<Cause>) {
    for name in ["kind", "name"] {
        let found = text(target, name);
        let path = child(path, name);
        match found {
            "" => causes.push(Cause::required(&path, "")),
            found if found.contains(['/', '%']) => {
                let character = if found.contains('/') { '/' } else { '%' };
                causes.push(Cause::invalid(
                    &path,
                    found,
                    &format!("may not contain '{character}'"),
                ));
            }
            _ => {}
        }
    }
    let version = text(target, "apiVersion");
    let path = child(path, "apiVersion");
    if version.is_empty() {
        causes.push(Cause::invalid(&path, version, "apiVersion must specify API group"));
    } else if version.split('/').count() > 2 {
        let problem = format!("unexpected GroupVersion string: {version}");
        causes.push(Cause::invalid(&path, version, &problem));
    }
}

/// The types of metrics and the members that describe them.
const METRICS: [(&str, &str); 5] = [
    ("ContainerResource", "containerResource"),
    ("External", "external"),
    ("Object", "object"),
    ("Pods", "pods"),
    ("Resource", "resource"),
];

fn metrics(metrics: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (n, metric) in elements(metrics).enumerate() {
        let path = format!("{path}[{n}]");
        let kind = text(metric, "type");
        if kind.is_empty() {
            causes
                .push(Cause::required(&child(&path, "type"), "must specify a metric source type"));
            continue;
        }
        let Some((_, member)) = METRICS.iter().find(|(known, _)| *known == kind) else {
            let known: Vec<&str> = METRICS.iter().map(|(known, _)| *known).collect();
            causes.push(super::rows::unsupported(&child(&path, "type"), kind, &known));
            continue;
        };
        if metric[*member].is_null() {
            let problem = "must populate information for the given metric source";
            causes.push(Cause::required(&child(&path, member), problem));
        }
        for (_, other) in METRICS.iter().filter(|(_, other)| other != member) {
            if !metric[*other].is_null() {
                let problem = "must populate the given metric source only";
                causes.push(Cause::forbidden(&child(&path, other), problem));
            }
        }
    }
}
