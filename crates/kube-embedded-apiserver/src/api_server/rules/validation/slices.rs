//! Slices of endpoints.

use std::collections::HashSet;

use serde_json::Value;

use super::names;
use super::rows::Rule::{Check, Is, OneOf, Optional, RequiredOneOf};
use super::rows::{self, Row, child, elements, is_empty, text};
use crate::api_server::failure::Cause;
use crate::api_server::names::label_value_problems;
use crate::api_server::rules::formats;

pub(super) const ENDPOINT_SLICE: &[Row] =
    &[("addressType", RequiredOneOf(&["FQDN", "IPv4", "IPv6"])), ("ports", Check(ports))];

/// The rules that a server does not ask of endpoints which were there before.
pub(super) const NEW_ENDPOINT_SLICE: &[Row] =
    &[("", Check(addresses)), ("endpoints", Check(endpoints))];

const ENDPOINT: &[Row] = &[
    ("nodeName", Is(formats::subdomain)),
    ("hostname", Is(formats::label)),
    ("hints", Check(hints)),
];

const PORT: &[Row] = &[
    ("name", Optional(formats::label)),
    ("protocol", OneOf(&["SCTP", "TCP", "UDP"])),
    ("appProtocol", Is(formats::label_key)),
];

fn addresses(slice: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let kind = text(slice, "addressType");
    for (n, endpoint) in elements(&slice["endpoints"]).enumerate() {
        let path = format!("endpoints[{n}].addresses");
        if is_empty(&endpoint["addresses"]) {
            causes.push(Cause::required(&path, "must contain at least 1 address"));
        }
        rows::at_most(100, &endpoint["addresses"], &path, causes);
        for (m, address) in elements(&endpoint["addresses"]).enumerate() {
            let at_one = format!("{path}[{m}]");
            let address = address.as_str().unwrap_or_default();
            match kind {
                "FQDN" => full_name(address, &at_one, causes),
                "IPv4" | "IPv6" => of_family(kind, address, &path, &at_one, causes),
                _ => {}
            }
        }
    }
}

/// Checks an address of a family. A server blames the list for an address of the other one.
fn of_family(kind: &str, address: &str, list: &str, path: &str, causes: &mut Vec<Cause>) {
    let Some(ip) = formats::parse_address(address) else {
        return rows::is(formats::address, address, path, causes);
    };
    let canonical = ip.to_string();
    if kind == "IPv6" && canonical != address {
        let problem = format!("must be in canonical form ({canonical:?})");
        return causes.push(Cause::invalid(path, address, &problem));
    }
    if ip.is_ipv6() != (kind == "IPv6") {
        causes.push(Cause::invalid(list, address, &format!("must be an {kind} address")));
    }
    names::endpoint(address, path, causes);
}

fn full_name(name: &str, path: &str, causes: &mut Vec<Cause>) {
    if name.is_empty() {
        return causes.push(Cause::required(path, ""));
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    let problems = formats::subdomain(name);
    if !problems.is_empty() {
        causes.push(Cause::invalid(path, name, &problems.join(",")));
    } else if !name.contains('.') {
        let problem = "should be a domain with at least two segments separated by dots";
        causes.push(Cause::invalid(path, name, problem));
    }
}

fn endpoints(endpoints: &Value, path: &str, causes: &mut Vec<Cause>) {
    if rows::at_most(1000, endpoints, path, causes) {
        return;
    }
    for (n, endpoint) in elements(endpoints).enumerate() {
        rows::check(ENDPOINT, &format!("{path}[{n}]"), endpoint, causes);
    }
}

/// Checks the zones and the nodes for which an endpoint is meant.
fn hints(hints: &Value, path: &str, causes: &mut Vec<Cause>) {
    let lists: [(&str, formats::Format); 2] =
        [("forZones", label_value_problems), ("forNodes", formats::subdomain)];
    for (list, format) in lists {
        let path = child(path, list);
        if rows::at_most(8, &hints[list], &path, causes) {
            return;
        }
        let found = || {
            let all = elements(&hints[list]).enumerate();
            all.map(|(n, hint)| (format!("{path}[{n}].name"), text(hint, "name")))
        };
        rows::unique(found(), causes);
        for (path, name) in found() {
            rows::is(format, name, &path, causes);
        }
    }
}

fn ports(ports: &Value, path: &str, causes: &mut Vec<Cause>) {
    if rows::at_most(20_000, ports, path, causes) {
        return;
    }
    let mut known = HashSet::new();
    for (n, port) in elements(ports).enumerate() {
        let path = format!("{path}[{n}]");
        rows::check(PORT, &path, port, causes);
        let name = text(port, "name");
        if !known.insert(name) {
            causes.push(Cause::duplicate(&child(&path, "name"), &format!("{name:?}")));
        }
    }
}
