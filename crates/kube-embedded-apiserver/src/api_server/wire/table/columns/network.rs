//! The columns of networking.

use serde_json::Value;

use super::{
    AGE, BuiltinColumn, NAME, elements, first_of, joined, or_none, or_none_joined, pairs, plain,
    selector, str_of, text, wide,
};

/// The number of endpoints, ports and hosts that are shown.
const MOST: usize = 3;

const SERVICES: &[BuiltinColumn] = &[
    NAME,
    text("Type", |o| o["spec"]["type"].as_str().unwrap_or("ClusterIP").into()),
    text("Cluster-IP", |o| match &o["spec"]["clusterIPs"][0] {
        Value::Null => or_none(&o["spec"]["clusterIP"]),
        first => or_none(first),
    }),
    text("External-IP", external_ip),
    text("Port(s)", ports),
    AGE,
    wide("Selector", |o| pairs(&o["spec"]["selector"])),
];

const ENDPOINTS: &[BuiltinColumn] = &[NAME, text("Endpoints", endpoints), AGE];

const ENDPOINT_SLICES: &[BuiltinColumn] = &[
    NAME,
    text("AddressType", |o| plain(&o["addressType"])),
    text("Ports", |o| {
        let ports = elements(&o["ports"]).map(|port| match (&port["port"], &port["name"]) {
            (Value::Null, Value::Null) => "*".to_owned(),
            (Value::Null, name) => str_of(name).to_owned(),
            (number, _) => number.to_string(),
        });
        unless_empty(&ports.collect::<Vec<_>>())
    }),
    text("Endpoints", |o| {
        let all = elements(&o["endpoints"]).flat_map(|endpoint| elements(&endpoint["addresses"]));
        unless_empty(&all.map(|address| str_of(address).to_owned()).collect::<Vec<_>>())
    }),
    AGE,
];

const INGRESSES: &[BuiltinColumn] = &[
    NAME,
    text("Class", |o| or_none(&o["spec"]["ingressClassName"])),
    text("Hosts", hosts),
    text("Address", |o| joined(balanced(o), ",")),
    text("Ports", |o| {
        let tls = elements(&o["spec"]["tls"]).next().is_some();
        if tls { "80, 443" } else { "80" }.into()
    }),
    AGE,
];

const INGRESS_CLASSES: &[BuiltinColumn] = &[
    text("Name", |o| {
        let default = "ingressclass.kubernetes.io/is-default-class";
        super::storage::with_default(o, &[default])
    }),
    text("Controller", |o| plain(&o["spec"]["controller"])),
    text("Parameters", |o| {
        let parameters = &o["spec"]["parameters"];
        let (kind, name) = (str_of(&parameters["kind"]), str_of(&parameters["name"]));
        match parameters["apiGroup"].as_str() {
            _ if parameters.is_null() => "<none>".into(),
            Some(group) => format!("{kind}.{group}/{name}").into(),
            None => format!("{kind}/{name}").into(),
        }
    }),
    AGE,
];

const NETWORK_POLICIES: &[BuiltinColumn] =
    &[NAME, text("Pod-Selector", |o| or_none(&selector(&o["spec"]["podSelector"]).into())), AGE];

const SERVICE_CIDRS: &[BuiltinColumn] = &[
    NAME,
    text("CIDRs", |o| joined(elements(&o["spec"]["cidrs"]).map(|c| str_of(c).to_owned()), ",")),
    AGE,
];

const IP_ADDRESSES: &[BuiltinColumn] = &[
    NAME,
    text("ParentRef", |o| {
        let parent = &o["spec"]["parentRef"];
        let part = |member: &str, before: &str| match str_of(&parent[member]) {
            "" => String::new(),
            text => format!("{before}{text}"),
        };
        if parent.is_null() {
            return "<none>".into();
        }
        let resource = (part("resource", "") + &part("group", ".")).to_lowercase();
        format!("{resource}{}/{}", part("namespace", "/"), str_of(&parent["name"])).into()
    }),
    AGE,
];

pub(super) fn of(name: &str) -> Option<&'static [BuiltinColumn]> {
    Some(match name {
        "services" => SERVICES,
        "endpoints" => ENDPOINTS,
        "endpointslices.discovery.k8s.io" => ENDPOINT_SLICES,
        "ingresses.networking.k8s.io" => INGRESSES,
        "ingressclasses.networking.k8s.io" => INGRESS_CLASSES,
        "networkpolicies.networking.k8s.io" => NETWORK_POLICIES,
        "servicecidrs.networking.k8s.io" => SERVICE_CIDRS,
        "ipaddresses.networking.k8s.io" => IP_ADDRESSES,
        _ => return None,
    })
}

fn unless_empty(texts: &[String]) -> Value {
    first_of(texts, MOST, ",", "<unset>")
}

/// Returns the sorted addresses of a load balancer.
fn balanced(object: &Value) -> Vec<String> {
    let found = elements(&object["status"]["loadBalancer"]["ingress"]).map(|one| {
        match str_of(&one["ip"]) {
            "" => str_of(&one["hostname"]),
            ip => ip,
        }
        .to_owned()
    });
    let mut found: Vec<String> = found.filter(|address| !address.is_empty()).collect();
    found.sort();
    found.dedup();
    found
}

fn external_ip(service: &Value) -> Value {
    let external = elements(&service["spec"]["externalIPs"]).map(|ip| str_of(ip).to_owned());
    match service["spec"]["type"].as_str() {
        Some("ExternalName") => plain(&service["spec"]["externalName"]),
        Some("LoadBalancer") => {
            let all: Vec<String> = balanced(service).into_iter().chain(external).collect();
            if all.is_empty() { "<pending>".into() } else { joined(all, ",") }
        }
        _ => or_none_joined(external),
    }
}

fn ports(service: &Value) -> Value {
    or_none_joined(elements(&service["spec"]["ports"]).map(|port| {
        let protocol = port["protocol"].as_str().unwrap_or("TCP");
        let number = &port["port"];
        match port["nodePort"].as_u64().filter(|node| *node > 0) {
            Some(node) => format!("{number}:{node}/{protocol}"),
            None => format!("{number}/{protocol}"),
        }
    }))
}

fn endpoints(object: &Value) -> Value {
    let mut all = Vec::new();
    for subset in elements(&object["subsets"]) {
        let addresses = || elements(&subset["addresses"]).map(|address| str_of(&address["ip"]));
        if elements(&subset["ports"]).next().is_none() {
            all.extend(addresses().map(str::to_owned));
        }
        for port in elements(&subset["ports"]) {
            let port = &port["port"];
            all.extend(addresses().map(|ip| {
                if ip.contains(':') { format!("[{ip}]:{port}") } else { format!("{ip}:{port}") }
            }));
        }
    }
    let nothing = if elements(&object["subsets"]).next().is_some() { "" } else { "<none>" };
    first_of(&all, MOST, ",", nothing)
}

fn hosts(ingress: &Value) -> Value {
    let named = elements(&ingress["spec"]["rules"]).map(|rule| str_of(&rule["host"]).to_owned());
    let named: Vec<String> = named.filter(|host| !host.is_empty()).collect();
    first_of(&named, MOST, ",", "*")
}
