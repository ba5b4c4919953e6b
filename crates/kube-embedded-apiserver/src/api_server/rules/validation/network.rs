//! Endpoints and network policies.

use std::net::IpAddr;

use serde_json::Value;

use super::rows::Rule::{Check, Is, Optional};
use super::rows::{self, Row, child, elements, is_empty, text};
use super::{life, names, selectors};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

pub(super) const ENDPOINTS: &[Row] = &[("subsets[]", Check(subset))];

pub(super) const NETWORK_POLICY: &[Row] = &[
    ("spec.podSelector", Check(selectors::selector)),
    ("spec.ingress[].ports[]", Check(policy_port)),
    ("spec.ingress[].from[]", Check(peer)),
    ("spec.egress[].ports[]", Check(policy_port)),
    ("spec.egress[].to[]", Check(peer)),
    ("spec.policyTypes", Check(policy_types)),
];

fn subset(subset: &Value, path: &str, causes: &mut Vec<Cause>) {
    let lists = ["addresses", "notReadyAddresses"];
    if lists.iter().all(|list| is_empty(&subset[*list])) {
        let problem = "must specify `addresses` or `notReadyAddresses`";
        causes.push(Cause::required(path, problem));
    }
    for list in lists {
        for (n, address) in elements(&subset[list]).enumerate() {
            let path = format!("{}[{n}]", child(path, list));
            rows::check(ENDPOINT, &path, address, causes);
            let (address, path) = (text(address, "ip"), child(&path, "ip"));
            rows::is(formats::address, address, &path, causes);
            names::endpoint(address, &path, causes);
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
        rows::required_one_of(&supported, &port["protocol"], &child(&path, "protocol"), causes);
        rows::check(&[("appProtocol", Is(formats::label_key))], &path, port, causes);
    }
}

const ENDPOINT: &[Row] =
    &[("hostname", Optional(formats::label)), ("nodeName", Is(formats::subdomain))];

fn policy_port(port: &Value, path: &str, causes: &mut Vec<Cause>) {
    let supported = ["TCP", "UDP", "SCTP"];
    rows::one_of(&supported, &port["protocol"], &child(path, "protocol"), causes);
    let first = &port["port"];
    life::port(first, &child(path, "port"), causes);
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

fn policy_types(types: &Value, path: &str, causes: &mut Vec<Cause>) {
    if elements(types).count() > 2 {
        return causes.push(rows::invalid(
            path,
            types,
            "may not specify more than two policyTypes",
        ));
    }
    for (n, kind) in elements(types).enumerate() {
        rows::one_of(&["Ingress", "Egress"], kind, &format!("{path}[{n}]"), causes);
    }
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
