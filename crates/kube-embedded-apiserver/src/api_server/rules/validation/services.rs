//! Services.

use std::collections::HashSet;

use serde_json::Value;

use super::life::port;
use super::names;
use super::rows::Rule::{Check, OneOf, Rows};
use super::rows::{self, Row, between, child, elements, invalid, is_empty, text};
use super::selectors;
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

pub(super) const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

const POLICIES: [&str; 2] = ["Cluster", "Local"];

pub(super) const SERVICE: &[Row] = &[
    ("metadata.annotations", Check(topology_mode)),
    ("spec", Check(some_port)),
    ("spec", Check(headless)),
    ("spec", Check(external_name)),
    ("spec.ports", Check(ports)),
    ("spec.selector", Check(selectors::labels)),
    ("spec.sessionAffinity", OneOf(&["ClientIP", "None"])),
    ("spec", Check(affinity)),
    ("spec", Check(addresses)),
    ("spec.externalIPs[]", Check(external_address)),
    ("spec.type", OneOf(&TYPES)),
    ("spec", Check(node_ports)),
    ("spec.ports", Check(unique_ports)),
    ("", Check(source_ranges)),
    ("spec", Check(of_load_balancer)),
    ("spec", Check(traffic)),
    ("spec.internalTrafficPolicy", OneOf(&POLICIES)),
    ("spec.trafficDistribution", OneOf(&["PreferClose", "PreferSameZone", "PreferSameNode"])),
];

pub(super) const STATUS: &[Row] =
    &[("", Check(balanced)), ("status.loadBalancer.ingress[]", Rows(INGRESS))];

const INGRESS: &[Row] =
    &[("", Rows(names::BALANCED)), ("ipMode", OneOf(&["Proxy", "VIP"])), ("", Check(address_mode))];

fn is_headless(spec: &Value) -> bool {
    text(spec, "clusterIP") == "None"
}

/// Checks the two annotations for one choice.
fn topology_mode(annotations: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (new, old) =
        ("service.kubernetes.io/topology-mode", "service.kubernetes.io/topology-aware-hints");
    if let (Some(mode), Some(hints)) = (annotations[new].as_str(), annotations[old].as_str())
        && mode != hints
    {
        let problem = format!("must match annotations[{old}] when both are specified");
        causes.push(Cause::invalid(&format!("{path}[{new}]"), mode, &problem));
    }
}

/// Checks that a service has ports, unless it is headless or an external name.
fn some_port(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    if is_empty(&spec["ports"]) && !is_headless(spec) && text(spec, "type") != "ExternalName" {
        causes.push(Cause::required(&child(path, "ports"), ""));
    }
}

fn headless(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let kind = text(spec, "type");
    if matches!(kind, "NodePort" | "LoadBalancer") && is_headless(spec) {
        let problem = format!("may not be set to 'None' for {kind} services");
        let path = format!("{}[0]", child(path, "clusterIPs"));
        causes.push(Cause::invalid(&path, "None", &problem));
    }
}

fn external_name(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    if text(spec, "type") != "ExternalName" {
        return;
    }
    for name in ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
        if !is_empty(&spec[name]) {
            let problem = "may not be set for ExternalName services";
            causes.push(Cause::forbidden(&child(path, name), problem));
        }
    }
    let path = child(path, "externalName");
    let name = text(spec, "externalName");
    match name.strip_suffix('.').unwrap_or(name) {
        "" => causes.push(Cause::required(&path, "")),
        name => rows::is(formats::subdomain, name, &path, causes),
    }
}

const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

fn ports(ports: &Value, path: &str, causes: &mut Vec<Cause>) {
    let several = ports.as_array().map_or(0, Vec::len) > 1;
    let mut names = HashSet::new();
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
        rows::required_one_of(&PROTOCOLS, &found["protocol"], &at("protocol"), causes);
        port(&number(&found["targetPort"]), &at("targetPort"), causes);
        if let Some(protocol) = found["appProtocol"].as_str() {
            rows::is(formats::label_key, protocol, &at("appProtocol"), causes);
        }
    }
}

/// Returns a number that is zero if it is not there.
fn number(value: &Value) -> Value {
    if value.is_null() { 0.into() } else { value.clone() }
}

/// Checks the ports on nodes, which differ and which a service inside of the cluster lacks.
fn node_ports(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut known = HashSet::new();
    for (n, port) in elements(&spec["ports"]).enumerate() {
        let Some(number) = port["nodePort"].as_i64().filter(|number| *number != 0) else {
            continue;
        };
        let path = format!("{path}.ports[{n}].nodePort");
        if text(spec, "type") == "ClusterIP" {
            let problem = "may not be used when `type` is 'ClusterIP'";
            causes.push(Cause::forbidden(&path, problem));
        }
        if !known.insert((number, text(port, "protocol"))) {
            causes.push(Cause::duplicate(&path, &number.to_string()));
        }
    }
}

fn unique_ports(ports: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut known = HashSet::new();
    for (n, port) in elements(ports).enumerate() {
        if !known.insert((port["port"].as_i64(), text(port, "protocol"))) {
            let shown = format!(
                "{{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{},\
                 \"TargetPort\":0,\"NodePort\":0}}",
                port["protocol"], port["port"]
            );
            causes.push(Cause::duplicate(&format!("{path}[{n}]"), &shown));
        }
    }
}

/// Checks the time for which a client comes back to the same pod.
fn affinity(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let seconds = &spec["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"];
    let outside = seconds.as_i64().is_some_and(|seconds| !(1..=86_400).contains(&seconds));
    if text(spec, "sessionAffinity") == "ClientIP" && outside {
        let path = child(path, "sessionAffinityConfig.clientIP.timeoutSeconds");
        causes.push(invalid(&path, seconds, "must be greater than 0 and less than 86400"));
    }
}

const FAMILIES: [&str; 2] = ["IPv4", "IPv6"];
const FAMILY_POLICIES: [&str; 3] = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/// Checks the addresses of a service and their families.
fn addresses(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    if text(spec, "type") == "ExternalName" {
        return;
    }
    let (single, all) = (text(spec, "clusterIP"), &spec["clusterIPs"]);
    let path_of_all = child(path, "clusterIPs");
    let first = all[0].as_str();
    if !single.is_empty() && first.is_some_and(|first| first != single) {
        causes.push(invalid(&path_of_all, all, "first value must match `clusterIP`"));
    } else if single.is_empty() && first.is_some() {
        let problem = "must be empty when `clusterIP` is not specified";
        causes.push(invalid(&path_of_all, all, problem));
    }
    let families = child(path, "ipFamilies");
    let found = || elements(&spec["ipFamilies"]).enumerate();
    for (n, family) in found() {
        rows::one_of(&FAMILIES, family, &format!("{families}[{n}]"), causes);
    }
    let named = found()
        .map(|(n, family)| (format!("{families}[{n}]"), family.as_str().unwrap_or_default()));
    rows::unique(named, causes);
    let policy = &spec["ipFamilyPolicy"];
    rows::one_of(&FAMILY_POLICIES, policy, &child(path, "ipFamilyPolicy"), causes);
    let before = causes.len();
    for (n, address) in elements(all).enumerate() {
        let address = address.as_str().unwrap_or_default();
        if n > 0 || address != "None" {
            rows::is(formats::address, address, &format!("{path_of_all}[{n}]"), causes);
        } else if elements(all).count() > 1 {
            causes.push(invalid(&path_of_all, all, "'None' must be the first and only value"));
        }
    }
    if elements(all).count() > 2 {
        return causes.push(invalid(&path_of_all, all, "may only hold up to 2 values"));
    }
    if causes.len() > before {
        return;
    }
    let kinds: Vec<bool> = elements(all)
        .filter_map(|address| Some(formats::parse_address(address.as_str()?)?.is_ipv6()))
        .collect();
    if kinds.len() == 2 && kinds[0] == kinds[1] {
        let problem = "may specify no more than one IP for each IP family";
        causes.push(invalid(&path_of_all, all, problem));
    }
    for ((n, family), is_6) in found().zip(kinds) {
        let expected = if is_6 { "IPv6" } else { "IPv4" };
        if let Some(family) = family.as_str().filter(|family| *family != expected) {
            let problem = format!("expected an {family} value as indicated by `ipFamilies[{n}]`");
            causes.push(invalid(&format!("{path_of_all}[{n}]"), &all[n], &problem));
        }
    }
}

fn external_address(address: &Value, path: &str, causes: &mut Vec<Cause>) {
    let address = address.as_str().unwrap_or_default();
    match formats::address(address)[..] {
        [] => names::endpoint(address, path, causes),
        _ => rows::is(formats::address, address, path, causes),
    }
}

const FOR_LOAD_BALANCERS: &str = "may only be used when `type` is 'LoadBalancer'";

/// Checks the addresses whose requests a load balancer takes. A server has its own name for them.
fn source_ranges(service: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let annotation = "service.beta.kubernetes.io/load-balancer-source-ranges";
    let spec = &service["spec"];
    let ranges: Vec<&str> =
        elements(&spec["loadBalancerSourceRanges"]).filter_map(Value::as_str).collect();
    let annotated = service["metadata"]["annotations"][annotation].as_str();
    let annotated = annotated.filter(|_| ranges.is_empty());
    let path = match annotated {
        Some(_) => format!("metadata.annotations[{annotation}]"),
        None => "spec.LoadBalancerSourceRanges".to_owned(),
    };
    let given = annotated.is_some() || !ranges.is_empty();
    if given && text(spec, "type") != "LoadBalancer" {
        causes.push(Cause::forbidden(&path, FOR_LOAD_BALANCERS));
    }
    for (n, range) in ranges.iter().enumerate() {
        rows::is(formats::address_range, range.trim(), &format!("{path}[{n}]"), causes);
    }
    for range in annotated.into_iter().flat_map(|all| all.trim().split(',')) {
        if annotated.is_some_and(|all| !all.trim().is_empty()) {
            rows::is(formats::address_range, range.trim(), &path, causes);
        }
    }
}

fn of_load_balancer(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let balanced = text(spec, "type") == "LoadBalancer";
    for name in ["allocateLoadBalancerNodePorts", "loadBalancerClass"] {
        let path = child(path, name);
        if !spec[name].is_null() && !balanced {
            causes.push(Cause::forbidden(&path, FOR_LOAD_BALANCERS));
        } else if let Some(class) = spec[name].as_str() {
            rows::is(formats::label_key, class, &path, causes);
        }
    }
}

/// Checks the members that only traffic from outside uses.
fn traffic(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (kind, policy) = (text(spec, "type"), &spec["externalTrafficPolicy"]);
    let outside = matches!(kind, "LoadBalancer" | "NodePort")
        || (kind == "ClusterIP" && !is_empty(&spec["externalIPs"]));
    let path_of_policy = child(path, "externalTrafficPolicy");
    if outside {
        rows::one_of(&POLICIES, policy, &path_of_policy, causes);
    } else if !is_empty(policy) {
        let problem = "may only be set for externally-accessible services";
        causes.push(invalid(&path_of_policy, policy, problem));
    }
    let (port, path) = (&spec["healthCheckNodePort"], child(path, "healthCheckNodePort"));
    if kind == "LoadBalancer" && policy == "Local" {
        between(1, 65_535, port, &path, causes);
    } else if port.as_i64().unwrap_or(0) != 0 {
        let problem = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` \
                       is 'Local'";
        causes.push(invalid(&path, port, problem));
    }
}

/// Checks that only a load balancer has addresses outside.
fn balanced(service: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let ingress = &service["status"]["loadBalancer"]["ingress"];
    if !is_empty(ingress) && text(&service["spec"], "type") != "LoadBalancer" {
        let problem = "may only be used when `spec.type` is 'LoadBalancer'";
        causes.push(Cause::forbidden("status.loadBalancer.ingress", problem));
    }
}

fn address_mode(ingress: &Value, path: &str, causes: &mut Vec<Cause>) {
    if !ingress["ipMode"].is_null() && text(ingress, "ip").is_empty() {
        let problem = "may not be specified when `ip` is not set";
        causes.push(Cause::forbidden(&child(path, "ipMode"), problem));
    }
}
