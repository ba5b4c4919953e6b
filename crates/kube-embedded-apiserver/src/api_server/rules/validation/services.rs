//! Services.

use std::collections::HashSet;

use serde_json::Value;

use super::containers::port;
use super::rows::Rule::{Check, OneOf};
use super::rows::{self, Row, between, child, elements, is_empty, text};
use super::selectors;
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

pub(super) const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

pub(super) const SERVICE: &[Row] = &[
    ("spec", Check(some_port)),
    ("spec", Check(headless)),
    ("spec.type", OneOf(&TYPES)),
    ("spec", Check(external_name)),
    ("spec.ports", Check(ports)),
    ("spec.selector", Check(selectors::labels)),
    ("spec.sessionAffinity", OneOf(&["ClientIP", "None"])),
    ("spec", Check(addresses)),
    ("spec.externalTrafficPolicy", OneOf(&["Cluster", "Local"])),
    ("spec.internalTrafficPolicy", OneOf(&["Cluster", "Local"])),
];

pub(super) const STATUS: &[Row] = &[("", Check(balanced))];

/// Checks that a service has ports, unless it is headless or an external name.
fn some_port(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let headless = text(spec, "clusterIP") == "None";
    if is_empty(&spec["ports"]) && !headless && text(spec, "type") != "ExternalName" {
        causes.push(Cause::required(&child(path, "ports"), ""));
    }
}

fn headless(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let kind = text(spec, "type");
    let path = format!("{}[0]", child(path, "clusterIPs"));
    if matches!(kind, "NodePort" | "LoadBalancer") && text(spec, "clusterIP") == "None" {
        let problem = format!("may not be set to 'None' for {kind} services");
        causes.push(Cause::invalid(&path, "None", &problem));
    }
    if kind == "ExternalName" && !text(spec, "clusterIP").is_empty() {
        let path = child("spec", "clusterIPs");
        causes.push(Cause::forbidden(&path, "may not be set for ExternalName services"));
    }
}

fn external_name(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    if text(spec, "type") != "ExternalName" {
        return;
    }
    let path = child(path, "externalName");
    match text(spec, "externalName").trim_end_matches('.') {
        "" => causes.push(Cause::required(&path, "")),
        name => rows::is(formats::subdomain, name, &path, causes),
    }
}

fn ports(ports: &Value, path: &str, causes: &mut Vec<Cause>) {
    let several = ports.as_array().map_or(0, Vec::len) > 1;
    let (mut names, mut numbers) = (HashSet::new(), HashSet::new());
    for (n, found) in elements(ports).enumerate() {
        let path = format!("{path}[{n}]");
        let at = |name: &str| child(&path, name);
        let name = text(found, "name");
        if name.is_empty() && several {
            causes.push(Cause::required(&at("name"), ""));
        } else if !name.is_empty() {
            rows::is(formats::label, name, &at("name"), causes);
            if !names.insert(name) {
                causes.push(Cause::duplicate(&at("name"), &format!("{name:?}")));
            }
        }
        between(1, 65_535, &number(&found["port"]), &at("port"), causes);
        let supported = ["SCTP", "TCP", "UDP"];
        match text(found, "protocol") {
            "" => causes.push(Cause::required(&at("protocol"), "")),
            protocol if supported.contains(&protocol) => {}
            protocol => causes.push(rows::unsupported(&at("protocol"), protocol, &supported)),
        }
        port(&number(&found["targetPort"]), &at("targetPort"), causes);
        if !numbers.insert((found["port"].as_i64(), text(found, "protocol"))) {
            let shown = format!(
                "{{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{},\
                 \"TargetPort\":0,\"NodePort\":0}}",
                found["protocol"], found["port"]
            );
            causes.push(Cause::duplicate(&path, &shown));
        }
    }
}

/// Returns a number that is zero if it is not there.
fn number(value: &Value) -> Value {
    if value.is_null() { 0.into() } else { value.clone() }
}

/// Checks the addresses of a service.
fn addresses(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let path_of_all = child(path, "clusterIPs");
    for (n, address) in elements(&spec["clusterIPs"]).enumerate() {
        let address = address.as_str().unwrap_or_default();
        if !matches!(address, "None" | "") {
            rows::is(formats::address, address, &format!("{path_of_all}[{n}]"), causes);
        }
    }
    let path = child(path, "externalIPs");
    for (n, address) in elements(&spec["externalIPs"]).enumerate() {
        let address = address.as_str().unwrap_or_default();
        rows::is(formats::address, address, &format!("{path}[{n}]"), causes);
    }
}

/// Checks the addresses outside, which only a load balancer has.
fn balanced(service: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let ingress = &service["status"]["loadBalancer"]["ingress"];
    if !is_empty(ingress) && text(&service["spec"], "type") != "LoadBalancer" {
        let problem = "may only be used when `spec.type` is 'LoadBalancer'";
        causes.push(Cause::forbidden("status.loadBalancer.ingress", problem));
    }
    for (n, found) in elements(ingress).enumerate() {
        let address = text(found, "ip");
        if !address.is_empty() {
            let path = format!("status.loadBalancer.ingress[{n}].ip");
            rows::is(formats::address, address, &path, causes);
        }
    }
}
