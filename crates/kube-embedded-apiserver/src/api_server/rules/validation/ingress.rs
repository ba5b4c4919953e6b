//! Ingresses and their classes.

use serde_json::Value;

use super::names;
use super::rows::Rule::{Check, Given, Is, Named, OneOf, Optional, Rows};
use super::rows::{self, Row, child, elements, is_empty, text};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

pub(super) const INGRESS: &[Row] = &[
    ("spec", Check(some_rule)),
    ("spec.defaultBackend", Given(backend)),
    ("spec.rules[]", Check(ingress_rule)),
    ("spec.tls[].hosts[]", Check(names::host)),
    ("spec.tls[].secretName", Optional(formats::subdomain)),
    ("spec.ingressClassName", Is(formats::subdomain)),
];

/// The rules of a new ingress.
pub(super) const NEW: &[Row] = &[("", Check(one_class))];

pub(super) const STATUS: &[Row] = &[("status.loadBalancer.ingress[]", Rows(names::BALANCED))];

pub(super) const CLASS: &[Row] = &[
    ("spec.controller", Check(controller)),
    ("spec.parameters", Rows(names::REFERENCE)),
    ("spec.parameters.scope", OneOf(&["Cluster", "Namespace"])),
    ("spec.parameters", Check(scope)),
];

const SERVICE: &[Row] = &[("name", Named(formats::label))];

/// Checks that the member and the older annotation name the same class.
/// The longest name of a controller, in bytes.
const LONGEST_CONTROLLER: u64 = 250;

fn controller(name: &Value, path: &str, causes: &mut Vec<Cause>) {
    if name.as_str().unwrap_or_default().len() as u64 > LONGEST_CONTROLLER {
        causes.push(Cause::too_long(path, LONGEST_CONTROLLER));
    }
    names::prefixed_path(name, path, causes);
}

fn one_class(ingress: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let key = "kubernetes.io/ingress.class";
    let annotated = ingress["metadata"]["annotations"][key].as_str();
    let class = ingress["spec"]["ingressClassName"].as_str();
    if let (Some(annotated), Some(class)) = (annotated, class)
        && annotated != class
    {
        let problem = "must match `ingressClassName` when both are specified";
        causes.push(Cause::invalid(&format!("annotations.{key}"), annotated, problem));
    }
}

fn scope(parameters: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (namespace, path) = (&parameters["namespace"], child(path, "namespace"));
    match (text(parameters, "scope"), namespace.as_str()) {
        ("Namespace", None) => {
            causes.push(Cause::required(&path, "`parameters.scope` is set to 'Namespace'"));
        }
        ("Namespace", Some(namespace)) => rows::is(formats::label, namespace, &path, causes),
        ("Cluster", Some(_)) => {
            causes.push(Cause::forbidden(&path, "`parameters.scope` is set to 'Cluster'"));
        }
        _ => {}
    }
}

fn some_rule(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    if is_empty(&spec["rules"]) && spec["defaultBackend"].is_null() {
        let problem = "either `defaultBackend` or `rules` must be specified";
        causes.push(Cause::invalid_raw(path, "null", problem));
    }
}

fn ingress_rule(rule: &Value, path: &str, causes: &mut Vec<Cause>) {
    let host = text(rule, "host");
    if !host.is_empty() {
        let path = child(path, "host");
        names::not_an_address(host, &path, causes);
        names::host(&rule["host"], &path, causes);
    }
    let http = &rule["http"];
    if http.is_null() {
        return;
    }
    let path = format!("{path}.http.paths");
    if is_empty(&http["paths"]) {
        causes.push(Cause::required(&path, ""));
    }
    for (n, found) in elements(&http["paths"]).enumerate() {
        let path = format!("{path}[{n}]");
        ingress_path(found, &path, causes);
        if found["pathType"].is_string() {
            backend(&found["backend"], &child(&path, "backend"), causes);
        }
    }
}

fn ingress_path(found: &Value, path: &str, causes: &mut Vec<Cause>) {
    let place = text(found, "path");
    let supported = ["Exact", "ImplementationSpecific", "Prefix"];
    match found["pathType"].as_str() {
        None => {
            let path = child(path, "pathType");
            causes.push(Cause::required(&path, "pathType must be specified"));
        }
        Some("Exact" | "Prefix") if !place.starts_with('/') => {
            causes.push(Cause::invalid(&child(path, "path"), place, "must be an absolute path"));
        }
        Some("Exact" | "Prefix") => {
            for bad in ["//", "/./", "/../", "%2f", "%2F"] {
                if place.contains(bad) {
                    let problem = format!("must not contain '{bad}'");
                    causes.push(Cause::invalid(&child(path, "path"), place, &problem));
                }
            }
            for bad in ["/..", "/."] {
                if place.ends_with(bad) {
                    let problem = format!("cannot end with '{bad}'");
                    causes.push(Cause::invalid(&child(path, "path"), place, &problem));
                }
            }
        }
        Some("ImplementationSpecific") if !place.is_empty() && !place.starts_with('/') => {
            causes.push(Cause::invalid(&child(path, "path"), place, "must be an absolute path"));
        }
        Some("ImplementationSpecific") => {}
        Some(other) => {
            causes.push(rows::unsupported(&child(path, "pathType"), other, &supported));
        }
    }
}

fn backend(backend: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (service, resource) = (&backend["service"], &backend["resource"]);
    match (service.is_null(), resource.is_null()) {
        (true, true) => {
            causes.push(Cause::invalid(path, "", "resource or service backend is required"));
        }
        (false, false) => {
            let problem = "cannot set both resource and service backends";
            causes.push(Cause::invalid(path, "", problem));
        }
        (false, true) => service_backend(service, path, causes),
        (true, false) => rows::check(names::REFERENCE, &child(path, "resource"), resource, causes),
    }
}

fn service_backend(service: &Value, path: &str, causes: &mut Vec<Cause>) {
    rows::check(SERVICE, &child(path, "service"), service, causes);
    let port = &service["port"];
    let (number, name) = (port["number"].as_i64().unwrap_or(0), text(port, "name"));
    let at_port = child(path, "service.port");
    if number == 0 && name.is_empty() {
        causes.push(Cause::required(path, "port name or number is required"));
    } else if number != 0 && !name.is_empty() {
        causes.push(Cause::invalid(path, "", "cannot set both port name & port number"));
    } else if name.is_empty() {
        rows::between(1, 65_535, &port["number"], &child(&at_port, "number"), causes);
    } else {
        rows::is(formats::port_name, name, &child(&at_port, "name"), causes);
    }
}
