//! Endpoints, ingresses and network policies.

use std::net::IpAddr;

use serde_json::Value;

use super::containers;
use super::pods::required_one_of;
use super::rows::Rule::{Check, Given, OneOf};
use super::rows::{self, Row, child, elements, is_empty, text};
use super::selectors;
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

pub(super) const ENDPOINTS: &[Row] = &[("subsets[]", Check(subset))];

pub(super) const ENDPOINT_SLICE: &[Row] = &[
    (
        "addressType",
        Check(|kind, path, causes| {
            required_one_of(&["FQDN", "IPv4", "IPv6"], kind, path, causes);
        }),
    ),
    ("", Check(endpoints)),
    ("ports", Check(slice_ports)),
];

/// The rules that a server does not ask of addresses which were there before.
pub(super) const NEW_ENDPOINT_SLICE: &[Row] = &[("", Check(families))];

pub(super) const INGRESS: &[Row] = &[
    ("spec", Check(some_rule)),
    ("spec.defaultBackend", Given(backend)),
    ("spec.rules[]", Check(ingress_rule)),
    ("spec.ingressClassName", Check(class_name)),
];

pub(super) const NETWORK_POLICY: &[Row] = &[
    ("spec.podSelector", Check(selectors::selector)),
    ("spec.ingress[].ports[]", Check(policy_port)),
    ("spec.ingress[].from[]", Check(peer)),
    ("spec.egress[].ports[]", Check(policy_port)),
    ("spec.egress[].to[]", Check(peer)),
    ("spec.policyTypes[]", OneOf(&["Ingress", "Egress"])),
];

fn subset(subset: &Value, path: &str, causes: &mut Vec<Cause>) {
    let lists = ["addresses", "notReadyAddresses"];
    if lists.iter().all(|list| is_empty(&subset[*list])) {
        let problem = "must specify `addresses` or `notReadyAddresses`";
        causes.push(Cause::required(path, problem));
    }
    for list in lists {
        for (n, address) in elements(&subset[list]).enumerate() {
            let path = format!("{}[{n}].ip", child(path, list));
            let address = text(address, "ip");
            rows::is(formats::address, address, &path, causes);
            // The second check is that of reserved addresses.
            let problem = match formats::parse_address(address) {
                None => Some("must be a valid IP address"),
                Some(ip) if ip.is_loopback() => {
                    Some("may not be in the loopback range (127.0.0.0/8, ::1/128)")
                }
                Some(ip) if ip.is_unspecified() => Some("may not be unspecified (0.0.0.0 or ::)"),
                Some(_) => None,
            };
            causes.extend(problem.map(|problem| Cause::invalid(&path, address, problem)));
        }
    }
    let several = subset["ports"].as_array().map_or(0, Vec::len) > 1;
    for (n, port) in elements(&subset["ports"]).enumerate() {
        let path = format!("{}[{n}]", child(path, "ports"));
        match text(port, "name") {
            "" if several => causes.push(Cause::required(&child(&path, "name"), "")),
            "" => {}
            name => rows::is(formats::label, name, &child(&path, "name"), causes),
        }
        rows::between(1, 65_535, &port["port"], &child(&path, "port"), causes);
        let supported = ["SCTP", "TCP", "UDP"];
        required_one_of(&supported, &port["protocol"], &child(&path, "protocol"), causes);
    }
}

fn endpoints(slice: &Value, path: &str, causes: &mut Vec<Cause>) {
    let path = child(path, "endpoints");
    let kind = text(slice, "addressType");
    for (n, endpoint) in elements(&slice["endpoints"]).enumerate() {
        let path = format!("{path}[{n}].addresses");
        if is_empty(&endpoint["addresses"]) {
            causes.push(Cause::required(&path, "must contain at least 1 address"));
        }
        for (m, address) in elements(&endpoint["addresses"]).enumerate() {
            let path = format!("{path}[{m}]");
            let address = address.as_str().unwrap_or_default();
            let format = if kind == "FQDN" { formats::subdomain } else { formats::address };
            rows::is(format, address, &path, causes);
        }
    }
}

/// Checks that the addresses of a slice are of its type.
fn families(slice: &Value, path: &str, causes: &mut Vec<Cause>) {
    let path = child(path, "endpoints");
    let kind = text(slice, "addressType");
    for (n, endpoint) in elements(&slice["endpoints"]).enumerate() {
        for (m, address) in elements(&endpoint["addresses"]).enumerate() {
            let address = address.as_str().unwrap_or_default();
            let other = match (kind, formats::parse_address(address)) {
                ("IPv4", Some(ip)) => ip.is_ipv6(),
                ("IPv6", Some(ip)) => ip.is_ipv4(),
                _ => false,
            };
            if other {
                let path = format!("{path}[{n}].addresses[{m}]");
                causes.push(Cause::invalid(&path, address, &format!("must be an {kind} address")));
            }
        }
    }
}

fn slice_ports(ports: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut known = std::collections::HashSet::new();
    for (n, port) in elements(ports).enumerate() {
        let path = format!("{path}[{n}]");
        let name = text(port, "name");
        if !name.is_empty() {
            rows::is(formats::label, name, &child(&path, "name"), causes);
        }
        if !known.insert(name) {
            causes.push(Cause::duplicate(&child(&path, "name"), &format!("{name:?}")));
        }
        let supported = ["SCTP", "TCP", "UDP"];
        required_one_of(&supported, &port["protocol"], &child(&path, "protocol"), causes);
        rows::between(1, 65_535, &port["port"], &child(&path, "port"), causes);
    }
}

fn some_rule(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    if is_empty(&spec["rules"]) && spec["defaultBackend"].is_null() {
        let problem = "either `defaultBackend` or `rules` must be specified";
        causes.push(Cause::invalid_raw(path, "null", problem));
    }
}

fn class_name(name: &Value, path: &str, causes: &mut Vec<Cause>) {
    if let Some(name) = name.as_str() {
        rows::is(formats::subdomain, name, path, causes);
    }
}

fn ingress_rule(rule: &Value, path: &str, causes: &mut Vec<Cause>) {
    let host = text(rule, "host");
    if !host.is_empty() {
        let path = child(path, "host");
        let name = host.strip_prefix("*.").unwrap_or(host);
        if formats::parse_address(host).is_some() {
            causes.push(Cause::invalid(&path, host, "must be a DNS name, not an IP address"));
        } else {
            rows::is(formats::subdomain, name, &path, causes);
        }
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
        if found["backend"].is_object() {
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
            let problem = "must specify a service or resource backend";
            causes.push(Cause::required(path, problem));
        }
        (false, false) => {
            let problem = "cannot set both resource and service backends";
            causes.push(Cause::invalid(path, "", problem));
        }
        (false, true) => {
            let path = child(path, "service");
            match text(service, "name") {
                "" => causes.push(Cause::required(&child(&path, "name"), "")),
                name => rows::is(formats::old_label, name, &child(&path, "name"), causes),
            }
            let port = &service["port"];
            let (number, name) = (port["number"].as_i64().unwrap_or(0), text(port, "name"));
            if number == 0 && name.is_empty() {
                let problem = "port name or number is required";
                causes.push(Cause::required(&path, problem));
            } else if number != 0 && !name.is_empty() {
                causes.push(Cause::invalid(&path, "", "cannot set both port name & port number"));
            } else if name.is_empty() {
                rows::between(1, 65_535, &port["number"], &child(&path, "port.number"), causes);
            } else {
                rows::is(formats::port_name, name, &child(&path, "port.name"), causes);
            }
        }
        (true, false) => {}
    }
}

fn policy_port(port: &Value, path: &str, causes: &mut Vec<Cause>) {
    let supported = ["SCTP", "TCP", "UDP"];
    if !text(port, "protocol").is_empty() {
        required_one_of(&supported, &port["protocol"], &child(path, "protocol"), causes);
    }
    let first = &port["port"];
    containers::port(first, &child(path, "port"), causes);
    let last = &port["endPort"];
    let path = child(path, "endPort");
    if last.is_null() {
        return;
    }
    if first.is_null() {
        let problem = "may not be specified when `port` is not specified";
        return causes.push(rows::invalid(&path, last, problem));
    }
    if first.is_string() {
        let problem = "may not be specified when `port` is non-numeric";
        return causes.push(rows::invalid(&path, last, problem));
    }
    if last.as_i64() < first.as_i64() {
        // A server shows the first port, not the last.
        causes.push(rows::invalid(&path, first, "must be greater than or equal to `port`"));
    }
    rows::between(1, 65_535, last, &path, causes);
}

fn peer(peer: &Value, path: &str, causes: &mut Vec<Cause>) {
    let given = ["podSelector", "namespaceSelector", "ipBlock"];
    let count = given.iter().filter(|name| !peer[**name].is_null()).count();
    if count == 0 {
        causes.push(Cause::required(path, "must specify a peer"));
    }
    if count > 1 && !peer["ipBlock"].is_null() {
        causes.push(Cause::forbidden(path, "may not specify both ipBlock and another peer"));
    }
    for name in &given[..2] {
        if peer[*name].is_object() {
            selectors::selector(&peer[*name], &child(path, name), causes);
        }
    }
    if peer["ipBlock"].is_object() {
        block(&peer["ipBlock"], &child(path, "ipBlock"), causes);
    }
}

/// Checks a range of addresses and the ranges that are no part of it.
fn block(block: &Value, path: &str, causes: &mut Vec<Cause>) {
    let range = text(block, "cidr");
    if range.is_empty() {
        return causes.push(Cause::required(&child(path, "cidr"), ""));
    }
    rows::is(formats::address_range, range, &child(path, "cidr"), causes);
    let Some(range) = parse_range(range) else { return };
    for (n, except) in elements(&block["except"]).enumerate() {
        let path = format!("{}[{n}]", child(path, "except"));
        let except = except.as_str().unwrap_or_default();
        rows::is(formats::address_range, except, &path, causes);
        if parse_range(except).is_some_and(|part| !is_part(part, range)) {
            causes.push(Cause::invalid(&path, except, "must be a strict subset of `cidr`"));
        }
    }
}

/// Returns the first bits of a range's addresses, and their number.
fn parse_range(range: &str) -> Option<(IpAddr, u32)> {
    let (address, length) = range.split_once('/')?;
    Some((formats::parse_address(address)?, length.parse().ok()?))
}

/// Returns whether a range is a strict part of another one.
fn is_part((part, longer): (IpAddr, u32), (whole, length): (IpAddr, u32)) -> bool {
    let different = match (part, whole) {
        (IpAddr::V4(part), IpAddr::V4(whole)) => {
            (part.to_bits() ^ whole.to_bits()).leading_zeros() < length
        }
        (IpAddr::V6(part), IpAddr::V6(whole)) => {
            (part.to_bits() ^ whole.to_bits()).leading_zeros() < length
        }
        _ => true,
    };
    !different && longer > length
}
