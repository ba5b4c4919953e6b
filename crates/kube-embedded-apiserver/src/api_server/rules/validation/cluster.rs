//! Nodes, limits, classes, requests for certificates and other kinds of the cluster.

use serde_json::{Value, json};

use super::rows::Rule::{Check, Is, Named, NotNegative, Required, Rows};
use super::rows::{self, Row, child, elements, invalid, text};
use super::scheduling::{EFFECTS, TOLERATION};
use super::{containers, selectors};
use crate::api_server::failure::Cause;
use crate::api_server::rules::{formats, internal_form, metadata};

pub(super) const LEASE: &[Row] =
    &[("spec.leaseDurationSeconds", Check(duration)), ("spec.leaseTransitions", NotNegative)];

pub(super) const NODE: &[Row] = &[
    ("spec.taints", Check(taints)),
    ("spec.podCIDRs[]", Is(formats::address_range)),
    ("spec.podCIDRs", Check(one_range_of_each_family)),
];

fn one_range_of_each_family(ranges: &Value, path: &str, causes: &mut Vec<Cause>) {
    let of_v6 = |range: &Value| range.as_str().is_some_and(|range| range.contains(':'));
    let v6 = elements(ranges).filter(|range| of_v6(range)).count();
    let all = elements(ranges).count();
    if all > 2 || (all == 2 && v6 != 1) {
        let problem = "may specify no more than one CIDR for each IP family";
        causes.push(invalid(path, ranges, problem));
    }
}

pub(super) const NODE_STATUS: &[Row] = &[("status.addresses", Check(addresses))];

pub(super) const NAMESPACE: &[Row] = &[("spec.finalizers[]", Check(finalizer))];

pub(super) const NAMESPACE_STATUS: &[Row] = &[("", Check(phase))];

pub(super) const PRIORITY_CLASS: &[Row] = &[("", Check(priority))];

pub(super) const RUNTIME_CLASS: &[Row] = &[
    ("handler", Named(formats::label)),
    ("overhead", Check(overhead)),
    ("scheduling.nodeSelector", Check(selectors::labels)),
    ("scheduling.tolerations[]", Rows(TOLERATION)),
    ("scheduling.tolerations", Check(unique_tolerations)),
];

/// Checks the resources that a pod takes beside its containers. A server shows them as limits.
fn overhead(overhead: &Value, path: &str, causes: &mut Vec<Cause>) {
    containers::resources(&json!({ "limits": overhead["podFixed"] }), path, causes);
}

fn unique_tolerations(tolerations: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut known = std::collections::HashSet::new();
    for (n, toleration) in elements(tolerations).enumerate() {
        if !known.insert(["key", "operator", "value", "effect"].map(|name| text(toleration, name)))
        {
            let shown = internal_form::shown("Toleration", toleration);
            causes.push(Cause::duplicate(&format!("{path}[{n}]"), &shown));
        }
    }
}

pub(super) const CERTIFICATE_REQUEST: &[Row] = &[
    ("spec.request", Check(certificate_request)),
    ("spec.usages", Required),
    ("spec.signerName", Check(signer)),
];

fn duration(seconds: &Value, path: &str, causes: &mut Vec<Cause>) {
    if seconds.as_i64().is_some_and(|seconds| seconds <= 0) {
        causes.push(invalid(path, seconds, "must be greater than 0"));
    }
}

fn taints(taints: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let mut known = std::collections::HashSet::new();
    for (n, taint) in elements(taints).enumerate() {
        // A server takes taints for metadata.
        let path = format!("metadata.taints[{n}]");
        rows::is(formats::label_key, text(taint, "key"), &child(&path, "key"), causes);
        rows::is(formats::label_value, text(taint, "value"), &child(&path, "value"), causes);
        rows::required_one_of(&EFFECTS, &taint["effect"], &child(&path, "effect"), causes);
        if !known.insert((text(taint, "key"), text(taint, "effect"))) {
            let shown = internal_form::shown("Taint", taint);
            let shown = format!("{shown}: taints must be unique by key and effect pair");
            causes.push(Cause::duplicate(&path, &shown));
        }
    }
}

fn addresses(addresses: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut known = std::collections::HashSet::new();
    for (n, address) in elements(addresses).enumerate() {
        if !known.insert((text(address, "type"), text(address, "address"))) {
            let shown =
                format!("{{\"Type\":{},\"Address\":{}}}", address["type"], address["address"]);
            causes.push(Cause::duplicate(&format!("{path}[{n}]"), &shown));
        }
    }
}

/// Checks a finalizer in the specification of a namespace. The problem names the list.
fn finalizer(finalizer: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let name = finalizer.as_str().unwrap_or_default();
    rows::is(formats::label_key, name, "spec.finalizers", causes);
    causes.extend(metadata::unqualified("spec.finalizers", name));
}

/// Checks the phase. A namespace is active until its deletion begins.
fn phase(namespace: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let phase = text(&namespace["status"], "phase");
    let problem = match (namespace["metadata"]["deletionTimestamp"].is_null(), phase) {
        (true, "Active") | (false, "Terminating") => return,
        (true, _) => "may only be 'Active' if `deletionTimestamp` is empty",
        (false, _) => "may only be 'Terminating' if `deletionTimestamp` is not empty",
    };
    causes.push(Cause::invalid("status.Phase", phase, problem));
}

/// The greatest priority of a class that is not the system's.
const MOST_PRIORITY: i64 = 1_000_000_000;

fn priority(class: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let name = text(&class["metadata"], "name");
    let known = matches!(name, "system-node-critical" | "system-cluster-critical");
    if name.starts_with("system-") && !known {
        let problem = format!(
            "priority class names with 'system-' prefix are reserved for system use only. error: \
             {name} is not a known system priority class"
        );
        causes.push(Cause::forbidden("metadata.name", &problem));
    } else if !known && class["value"].as_i64().is_some_and(|value| value > MOST_PRIORITY) {
        let problem =
            format!("maximum allowed value of a user defined priority is {MOST_PRIORITY}");
        causes.push(Cause::forbidden("value", &problem));
    }
    rows::required_one_of(
        &["PreemptLowerPriority", "Never"],
        &class["preemptionPolicy"],
        "preemptionPolicy",
        causes,
    );
}

/// Checks that the request is a PEM block. Ignores what the block contains.
fn certificate_request(request: &Value, path: &str, causes: &mut Vec<Cause>) {
    if !decoded(request).contains("-----BEGIN CERTIFICATE REQUEST-----") {
        let problem = "PEM block type must be CERTIFICATE REQUEST";
        causes.push(invalid(path, request, problem));
    }
}

fn signer(name: &Value, path: &str, causes: &mut Vec<Cause>) {
    let name = name.as_str().unwrap_or_default();
    match name.split_once('/') {
        _ if name.is_empty() => causes.push(Cause::required(path, "")),
        Some((domain, rest)) if !rest.is_empty() => {
            if !domain.contains('.') {
                let problem = "should be a domain with at least two segments separated by dots";
                causes.push(Cause::invalid(path, domain, problem));
            }
            rows::is(formats::subdomain, domain, path, causes);
        }
        _ => {
            let problem =
                "must be a fully qualified domain and path of the form 'example.com/signer-name'";
            causes.push(Cause::invalid(path, name, problem));
        }
    }
}

pub(super) const CERTIFICATE_STATUS: &[Row] =
    &[("status.conditions", Check(decisions)), ("status.certificate", Check(certificate))];

/// Checks that decisions are true, and that a request is not both approved and denied.
fn decisions(conditions: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (n, condition) in elements(conditions).enumerate() {
        let path = format!("{path}[{n}]");
        let kind = text(condition, "type");
        if kind.is_empty() {
            causes.push(Cause::required(&child(&path, "type"), ""));
        }
        let supported: &[&str] = match kind {
            "Approved" | "Denied" | "Failed" => &["True"],
            _ => &["True", "False", "Unknown"],
        };
        rows::required_one_of(supported, &condition["status"], &child(&path, "status"), causes);
    }
    let has = |kind: &str| elements(conditions).any(|condition| condition["type"] == kind);
    if has("Approved") && has("Denied") {
        let problem = "Approved and Denied conditions are mutually exclusive";
        causes.push(Cause::invalid(path, "Denied", problem));
    }
}

/// Checks that the certificate is a PEM block. Ignores what the block contains.
fn certificate(certificate: &Value, path: &str, causes: &mut Vec<Cause>) {
    if certificate.is_null() || decoded(certificate).contains("-----BEGIN CERTIFICATE-----") {
        return;
    }
    let problem = "must contain at least one CERTIFICATE PEM block";
    causes.push(Cause::invalid(path, "<certificate data>", problem));
}

/// Returns the text that a base64 text encodes.
fn decoded(value: &Value) -> String {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    let bytes = value.as_str().and_then(|text| STANDARD.decode(text).ok()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
