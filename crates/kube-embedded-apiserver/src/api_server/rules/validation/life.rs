//! Probes and hooks of containers, and the ways in which they call a container.

use serde_json::Value;

use super::rows::Rule::{Check, Given, NotNegative, Rows};
use super::rows::{self, Row, between, child, elements, invalid, is_empty, text};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

/// The members of containers that run as long as their pod.
pub(super) const LIFE: &[Row] = &[
    ("lifecycle.postStart", Check(handler)),
    ("lifecycle.preStop", Check(handler)),
    ("livenessProbe", Rows(LIVENESS)),
    ("readinessProbe", Rows(READINESS)),
    ("startupProbe", Rows(LIVENESS)),
];

/// Checks the probes and hooks of a container that starts before others.
pub(super) fn life_of_sidecar(container: &Value, path: &str, causes: &mut Vec<Cause>) {
    if text(container, "restartPolicy") == "Always" {
        return rows::check(LIFE, path, container, causes);
    }
    for name in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
        if !container[name].is_null() {
            let problem = "may not be set for init containers without restartPolicy=Always";
            causes.push(Cause::forbidden(&child(path, name), problem));
        }
    }
}

const PROBE: &[Row] = &[
    ("", Check(handler)),
    ("initialDelaySeconds", NotNegative),
    ("timeoutSeconds", NotNegative),
    ("periodSeconds", NotNegative),
    ("successThreshold", NotNegative),
    ("failureThreshold", NotNegative),
    ("terminationGracePeriodSeconds", Check(positive)),
];

/// A probe that ends a container succeeds once.
const LIVENESS: &[Row] = &[("", Rows(PROBE)), ("successThreshold", Check(once))];

/// A probe that ends no container has no time for that.
const READINESS: &[Row] =
    &[("", Rows(PROBE)), ("terminationGracePeriodSeconds", Given(no_grace_period))];

fn no_grace_period(seconds: &Value, path: &str, causes: &mut Vec<Cause>) {
    causes.push(invalid(path, seconds, "must not be set for readinessProbes"));
}

fn once(threshold: &Value, path: &str, causes: &mut Vec<Cause>) {
    if threshold.as_i64().is_some_and(|number| number != 1) {
        causes.push(invalid(path, threshold, "must be 1"));
    }
}

fn positive(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    if value.as_i64().is_some_and(|number| number <= 0) {
        causes.push(invalid(path, value, "must be greater than 0"));
    }
}

/// Checks that sleeping hooks end within a pod's grace period.
pub(super) fn sleeps(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let grace = &spec["terminationGracePeriodSeconds"];
    let Some(most) = grace.as_i64() else { return };
    for list in ["containers", "initContainers"] {
        for (n, container) in elements(&spec[list]).enumerate() {
            for hook in ["postStart", "preStop"] {
                let seconds = &container["lifecycle"][hook]["sleep"]["seconds"];
                if seconds.as_i64().is_some_and(|seconds| seconds < 0 || seconds > most) {
                    let path = format!("{}[{n}].lifecycle.{hook}.sleep", child(path, list));
                    let problem = format!(
                        "must be non-negative and less than terminationGracePeriodSeconds ({most})"
                    );
                    causes.push(invalid(&path, seconds, &problem));
                }
            }
        }
    }
}

/// The ways to call a container.
const HANDLERS: [&str; 5] = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];

fn handler(handler: &Value, path: &str, causes: &mut Vec<Cause>) {
    if handler.is_null() {
        return;
    }
    let mut given = HANDLERS.iter().filter(|name| !handler[**name].is_null());
    if given.next().is_none() {
        return causes.push(Cause::required(path, "must specify a handler type"));
    }
    for name in given {
        let problem = "may not specify more than 1 handler type";
        causes.push(Cause::forbidden(&child(path, name), problem));
    }
    if handler["exec"].is_object() && is_empty(&handler["exec"]["command"]) {
        causes.push(Cause::required(&child(path, "exec.command"), ""));
    }
    for name in ["httpGet", "tcpSocket"] {
        if handler[name].is_object() {
            port(&handler[name]["port"], &format!("{path}.{name}.port"), causes);
        }
    }
    if handler["httpGet"].is_object() {
        let path = child(path, "httpGet");
        if text(&handler["httpGet"], "path").is_empty() {
            causes.push(Cause::required(&child(&path, "path"), ""));
        }
        let scheme = &handler["httpGet"]["scheme"];
        rows::one_of(&["HTTP", "HTTPS"], scheme, &child(&path, "scheme"), causes);
    }
    for header in elements(&handler["httpGet"]["httpHeaders"]) {
        let path = child(path, "httpGet.httpHeaders");
        rows::is(formats::header, text(header, "name"), &path, causes);
    }
    if handler["grpc"].is_object() {
        between(1, 65_535, &handler["grpc"]["port"], &child(path, "grpc.port"), causes);
    }
}

/// Checks a port that is a number or a name.
pub(super) fn port(port: &Value, path: &str, causes: &mut Vec<Cause>) {
    match port.as_str() {
        Some(name) => rows::is(formats::port_name, name, path, causes),
        None => between(1, 65_535, port, path, causes),
    }
}
