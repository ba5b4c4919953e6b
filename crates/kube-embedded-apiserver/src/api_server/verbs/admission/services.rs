//! Addresses and ports of services.
//!
//! The cluster has addresses of IPv4 only. Other services' addresses are read from the store, so
//! that a removed service frees its own.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr};

use serde_json::{Value, json};

use crate::api_server::failure::Cause;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::formats::parse_address;
use crate::api_server::store::Store;
use crate::api_server::verbs::WriteTarget;

/// The first number of all addresses of services. Clusters differ in their ranges, so that a client
/// may ask for any of these.
const RANGE: u8 = 10;
const NODE_PORTS: std::ops::RangeInclusive<u16> = 30_000..=32_767;
/// The number of random tries before all addresses or ports are tried in turn.
const TRIES: usize = 64;

fn text<'a>(spec: &'a Value, name: &str) -> &'a str {
    spec[name].as_str().unwrap_or_default()
}

/// Returns whether a type of service has addresses.
fn has_address(kind: &str) -> bool {
    kind != "ExternalName"
}

/// Returns whether a type of service has ports on nodes.
fn has_node_ports(spec: &Value) -> bool {
    match text(spec, "type") {
        "NodePort" => true,
        "LoadBalancer" => spec["allocateLoadBalancerNodePorts"] != false,
        _ => false,
    }
}

/// Returns whether a load balancer asks nodes for the health of a service.
fn is_checked(spec: &Value) -> bool {
    text(spec, "type") == "LoadBalancer" && spec["externalTrafficPolicy"] == "Local"
}

fn remove(spec: &mut Value, name: &str) {
    if let Some(spec) = spec.as_object_mut() {
        spec.remove(name);
    }
}

/// Makes the addresses of a service agree with its type, and takes over those that it had.
pub(super) fn complete(before: Option<&Value>, service: &mut Value) {
    let Some(service) = service.get_mut("spec").filter(|spec| spec.is_object()) else { return };
    let old = before.map(|before| &before["spec"]);
    if let Some(old) = old {
        keep_addresses(old, service);
        keep_ports(old, service);
        drop_unused(old, service);
        let same = service["healthCheckNodePort"] == old["healthCheckNodePort"];
        if is_checked(old) && !is_checked(service) && same {
            remove(service, "healthCheckNodePort");
        }
    }
    let single = text(service, "clusterIP").to_owned();
    if !single.is_empty() && service["clusterIPs"].is_null() {
        service["clusterIPs"] = json!([single]);
    }
}

/// Keeps the address that an update leaves out.
fn keep_addresses(old: &Value, new: &mut Value) {
    if !has_address(text(old, "type")) || !has_address(text(new, "type")) {
        return;
    }
    let (known, single) = (text(old, "clusterIP"), text(new, "clusterIP").to_owned());
    if single.is_empty() && (new["clusterIPs"].is_null() || new["clusterIPs"] == old["clusterIPs"])
    {
        new["clusterIP"] = known.into();
    } else if single != known && new["clusterIPs"] == old["clusterIPs"] {
        // Only the single address was changed, and the list follows it.
        remove(new, "clusterIPs");
    }
    if text(new, "clusterIP") == known && new["clusterIPs"].is_null() {
        new["clusterIPs"] = old["clusterIPs"].clone();
    }
}

/// Keeps the ports on nodes that an update leaves out.
fn keep_ports(old: &Value, new: &mut Value) {
    if !has_node_ports(old) || !has_node_ports(new) {
        return;
    }
    let taken: HashSet<i64> = ports(new).filter_map(|port| port["nodePort"].as_i64()).collect();
    let free: Vec<i64> = ports(old)
        .filter_map(|port| port["nodePort"].as_i64())
        .filter(|n| !taken.contains(n))
        .collect();
    let by_port: std::collections::HashMap<(Option<i64>, String), i64> =
        ports(old).filter_map(|port| Some((port_key(port), port["nodePort"].as_i64()?))).collect();
    let several = new["ports"].as_array().map_or(0, Vec::len);
    let list = new.get_mut("ports").and_then(Value::as_array_mut);
    let mut used = taken;
    for (n, port) in list.into_iter().flatten().enumerate() {
        if !port.is_object() || port["nodePort"].as_i64().is_some_and(|number| number != 0) {
            continue;
        }
        // The same port, or the only one.
        let only = free.first().filter(|_| several == 1 && free.len() == 1 && n == 0);
        let found = by_port.get(&port_key(port)).or(only).copied();
        if let Some(number) = found.filter(|number| used.insert(*number)) {
            port["nodePort"] = number.into();
        }
    }
}

fn ports(spec: &Value) -> impl Iterator<Item = &Value> {
    spec["ports"].as_array().into_iter().flatten()
}

fn port_key(port: &Value) -> (Option<i64>, String) {
    (port["port"].as_i64(), text(port, "protocol").to_owned())
}

/// Removes what the new type of a service does not use, unless it was changed.
fn drop_unused(old: &Value, new: &mut Value) {
    let changed = text(old, "type") != text(new, "type");
    if !changed {
        return;
    }
    if !has_address(text(new, "type")) {
        for name in
            ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"]
        {
            if new[name] == old[name] || name == "internalTrafficPolicy" {
                remove(new, name);
            }
        }
    }
    if has_node_ports(old) && !has_node_ports(new) {
        let known: HashSet<i64> = ports(old).filter_map(|port| port["nodePort"].as_i64()).collect();
        let list = new.get_mut("ports").and_then(Value::as_array_mut);
        for port in list.into_iter().flatten() {
            if port["nodePort"].as_i64().is_some_and(|number| known.contains(&number)) {
                remove(port, "nodePort");
            }
        }
    }
    let outside = matches!(text(new, "type"), "NodePort" | "LoadBalancer");
    if !outside && new["externalTrafficPolicy"] == old["externalTrafficPolicy"] {
        remove(new, "externalTrafficPolicy");
    }
    if text(new, "type") != "LoadBalancer" {
        for name in ["allocateLoadBalancerNodePorts", "loadBalancerClass"] {
            if new[name] == old[name] {
                remove(new, name);
            }
        }
    }
}

/// Gives a service the addresses and ports that it needs.
pub(super) fn allocate(
    store: &Store,
    target: WriteTarget<'_>,
    before: Option<&Value>,
    service: &mut Value,
) -> Vec<Cause> {
    let own = service["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let namespace = service["metadata"]["namespace"].as_str().unwrap_or_default().to_owned();
    let others = Others { store, resource: target.resource, own: (&namespace, &own) };
    let spec = &mut service["spec"];
    if !has_address(text(spec, "type")) {
        return Vec::new();
    }
    let mut causes = families(spec);
    if !causes.is_empty() {
        return causes;
    }
    let known = before.map(|before| text(&before["spec"], "clusterIP")).unwrap_or_default();
    let wanted = text(spec, "clusterIP").to_owned();
    if wanted != "None" && (wanted.is_empty() || wanted != known) {
        let found = match &*wanted {
            // A dry run takes no address.
            "" if target.dry_run => Ok(IpAddr::from(Ipv4Addr::new(RANGE, 0, 0, 0))),
            wanted => address(&others.addresses(), wanted),
        };
        match found {
            Ok(address) => {
                spec["clusterIP"] = address.to_string().into();
                spec["clusterIPs"] = json!([address.to_string()]);
            }
            Err(problem) => {
                let shown = spec["clusterIPs"].to_string();
                let problem = format!("failed to allocate IP {wanted}: {problem}");
                causes.push(Cause::invalid_raw("spec.clusterIPs", &shown, &problem));
            }
        }
    }
    if causes.is_empty() && has_node_ports(spec) {
        let kept = before.filter(|before| has_node_ports(&before["spec"]));
        causes.extend(node_ports(&others, kept, spec));
    }
    if is_checked(spec) && spec["healthCheckNodePort"].as_i64().unwrap_or(0) == 0 {
        let known = before.map(|before| &before["spec"]["healthCheckNodePort"]);
        spec["healthCheckNodePort"] = match known.filter(|known| !known.is_null()) {
            Some(known) => known.clone(),
            None => free_port(&others, spec).into(),
        };
    }
    causes
}

/// Returns a port on the nodes that no service has.
fn free_port(others: &Others<'_>, spec: &Value) -> Option<u16> {
    let mut taken: HashSet<i64> = others.node_ports().into_iter().map(|(port, _)| port).collect();
    taken.extend(ports(spec).filter_map(|port| port["nodePort"].as_i64()));
    let random = (0..TRIES).map(|_| fastrand::u16(NODE_PORTS));
    random.chain(NODE_PORTS).find(|port| !taken.contains(&i64::from(*port)))
}

/// Sets the families of addresses. A headless service without a selector has both.
fn families(spec: &mut Value) -> Vec<Cause> {
    let free = text(spec, "clusterIP") == "None"
        && spec["selector"].as_object().is_none_or(serde_json::Map::is_empty);
    if free {
        if spec["ipFamilyPolicy"].is_null() {
            let policy = if spec["ipFamilies"][1].is_null() && !spec["ipFamilies"][0].is_null() {
                "SingleStack"
            } else {
                "RequireDualStack"
            };
            spec["ipFamilyPolicy"] = policy.into();
        }
        if spec["ipFamilies"].is_null() {
            let both = spec["ipFamilyPolicy"] != "SingleStack";
            spec["ipFamilies"] = if both { json!(["IPv4", "IPv6"]) } else { json!(["IPv4"]) };
        }
        return Vec::new();
    }
    let given = spec["ipFamilies"].as_array().cloned().unwrap_or_default();
    for (n, family) in given.iter().enumerate() {
        if family == "IPv6" {
            let path = format!("spec.ipFamilies[{n}]");
            return vec![Cause::invalid(&path, "IPv6", "not configured on this cluster")];
        }
    }
    if spec["ipFamilyPolicy"] == "RequireDualStack" {
        let problem = "this cluster is not configured for dual-stack services";
        return vec![Cause::invalid("spec.ipFamilyPolicy", "RequireDualStack", problem)];
    }
    if spec["ipFamilyPolicy"].is_null() {
        spec["ipFamilyPolicy"] = "SingleStack".into();
    }
    if given.is_empty() {
        spec["ipFamilies"] = json!(["IPv4"]);
    }
    Vec::new()
}

/// The other services.
#[derive(Clone, Copy)]
struct Others<'a> {
    store: &'a Store,
    resource: &'a ResourceType,
    own: (&'a str, &'a str),
}

impl Others<'_> {
    fn column(&self, path: &str) -> Option<usize> {
        self.resource.fields.iter().position(|field| field == path)
    }

    /// Returns the addresses that are taken.
    fn addresses(&self) -> HashSet<IpAddr> {
        let Some(column) = self.column("spec.clusterIP") else { return HashSet::new() };
        let all = self.store.of(self.resource).into_iter().flat_map(|all| all.objects.values());
        let others = all.filter(|other| (&*other.namespace, &*other.name) != self.own);
        others.filter_map(|other| parse_address(other.fields.get(column)?)).collect()
    }

    /// Returns the ports on nodes that are taken.
    fn node_ports(&self) -> HashSet<(i64, String)> {
        let column = self.column("spec.type");
        let all = self.store.of(self.resource).into_iter().flat_map(|all| all.objects.values());
        let others = all.filter(|other| (&*other.namespace, &*other.name) != self.own);
        let with_ports = others.filter(|other| {
            let kind = column.and_then(|column| other.fields.get(column));
            matches!(kind.map(String::as_str), Some("NodePort" | "LoadBalancer") | None)
        });
        with_ports
            .flat_map(|other| {
                let value = other.value(self.resource);
                let health = value["spec"]["healthCheckNodePort"].as_i64();
                let health = health.map(|port| (port, "TCP".to_owned()));
                let ports = ports(&value["spec"]);
                let numbers = ports.filter_map(|port| {
                    Some((port["nodePort"].as_i64()?, text(port, "protocol").to_owned()))
                });
                numbers.chain(health).collect::<Vec<_>>()
            })
            .collect()
    }
}

/// Returns a free address, or the wanted one if it is free.
fn address(taken: &HashSet<IpAddr>, wanted: &str) -> Result<IpAddr, &'static str> {
    let at = |n: u16| {
        let [high, low] = n.to_be_bytes();
        IpAddr::from(Ipv4Addr::new(RANGE, 0, high, low))
    };
    if !wanted.is_empty() {
        let address =
            parse_address(wanted).ok_or("the provided network does not match the current range")?;
        let within = matches!(address, IpAddr::V4(v4) if v4.octets()[0] == RANGE);
        return match address {
            _ if !within => Err("the provided network does not match the current range"),
            address if taken.contains(&address) => Err("provided IP is already allocated"),
            address => Ok(address),
        };
    }
    // The addresses of a small range come first. The first one is the API server's own.
    let random = (0..TRIES).map(|_| fastrand::u16(2..255));
    let free = random.chain(2..u16::MAX).map(at).find(|address| !taken.contains(address));
    free.ok_or("range is full")
}

/// Gives every port of a service a port on the nodes.
fn node_ports(others: &Others<'_>, before: Option<&Value>, spec: &mut Value) -> Vec<Cause> {
    let known: HashSet<i64> = before
        .into_iter()
        .flat_map(|before| ports(&before["spec"]))
        .filter_map(|port| port["nodePort"].as_i64())
        .collect();
    let taken = others.node_ports();
    let free = |number: i64, protocol: &str| !taken.contains(&(number, protocol.to_owned()));
    let mut own: HashSet<(i64, String)> = HashSet::new();
    let mut causes = Vec::new();
    let list = spec.get_mut("ports").and_then(Value::as_array_mut);
    for (n, port) in list.into_iter().flatten().enumerate().filter(|(_, port)| port.is_object()) {
        let protocol = text(port, "protocol").to_owned();
        let wanted = port["nodePort"].as_i64().unwrap_or(0);
        if wanted == 0 {
            let random = (0..TRIES).map(|_| i64::from(fastrand::u16(NODE_PORTS)));
            let mut all = random.chain(NODE_PORTS.map(i64::from));
            let found = all.find(|number| {
                free(*number, &protocol) && !own.contains(&(*number, protocol.clone()))
            });
            if let Some(number) = found {
                own.insert((number, protocol));
                port["nodePort"] = number.into();
            }
            continue;
        }
        let problem = match u16::try_from(wanted) {
            Ok(number) if NODE_PORTS.contains(&number) => {
                let taken = !known.contains(&wanted) && !free(wanted, &protocol);
                taken.then(|| "provided port is already allocated".to_owned())
            }
            _ => Some(format!(
                "provided port is not in the valid range. The range of valid ports is {}-{}",
                NODE_PORTS.start(),
                NODE_PORTS.end()
            )),
        };
        match problem {
            None => drop(own.insert((wanted, protocol))),
            Some(problem) => {
                let path = format!("spec.ports[{n}].nodePort");
                causes.push(Cause::invalid_raw(&path, &wanted.to_string(), &problem));
            }
        }
    }
    causes
}
