//! Ports and names that a pod takes from its host.

use std::collections::HashSet;

use serde_json::Value;

use super::rows::{self, child, elements, invalid, is_empty, text};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

/// Checks that containers do not ask for the same port of the host.
pub(super) fn unique_ports(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut known = HashSet::new();
    for (n, container) in elements(&spec["containers"]).enumerate() {
        let path = format!("{}[{n}]", child(path, "containers"));
        ports(container, &path, &mut known, causes);
    }
    // Containers that run one after the other can have the same port. A server counts each of them
    // as the first.
    let path = format!("{}[0]", child(path, "initContainers"));
    for container in elements(&spec["initContainers"]) {
        ports(container, &path, &mut HashSet::new(), causes);
    }
}

fn ports(container: &Value, path: &str, known: &mut HashSet<String>, causes: &mut Vec<Cause>) {
    for (n, port) in elements(&container["ports"]).enumerate() {
        let number = port["hostPort"].as_i64().unwrap_or(0);
        let name = format!("{}/{}/{number}", text(port, "protocol"), text(port, "hostIP"));
        if number != 0 && !known.insert(name.clone()) {
            let path = format!("{path}.ports[{n}].hostPort");
            causes.push(Cause::duplicate(&path, &format!("{name:?}")));
        }
    }
}

/// Checks that containers on the network of the host have the ports of the host.
pub(super) fn network(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    if spec["hostNetwork"] != true {
        return;
    }
    for (n, container) in elements(&spec["containers"]).enumerate() {
        for (m, port) in elements(&container["ports"]).enumerate() {
            let asked = port["hostPort"].as_i64().unwrap_or(0);
            if asked != 0 && Some(asked) != port["containerPort"].as_i64() {
                let path = format!("{}[{n}].ports[{m}].hostPort", child(path, "containers"));
                let problem = "must match `containerPort` when `hostNetwork` is true";
                causes.push(invalid(&path, &port["hostPort"], problem));
            }
        }
    }
}

/// Checks that a pod with users of its own has processes of its own.
pub(super) fn isolation(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    if spec["shareProcessNamespace"] == true && spec["hostPID"] == true {
        let path = child(path, "securityContext.shareProcessNamespace");
        let problem = "ShareProcessNamespace and HostPID cannot both be enabled";
        causes.push(Cause::invalid_raw(&path, "true", problem));
    }
    if spec["hostUsers"] == false {
        for (name, shown) in
            [("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")]
        {
            if spec[name] == true {
                causes.push(Cause::forbidden(&child(path, shown), "when `hostUsers` is false"));
            }
        }
    }
    for list in ["containers", "initContainers"] {
        for (n, container) in elements(&spec[list]).enumerate() {
            let path = format!("{}[{n}]", child(path, list));
            if spec["hostUsers"] == false && !is_empty(&container["volumeDevices"]) {
                let path = child(&path, "volumeDevices");
                causes.push(Cause::forbidden(&path, "when `hostUsers` is false"));
            }
            if spec["hostUsers"] != false && container["securityContext"]["procMount"] == "Unmasked"
            {
                let path = child(&path, "securityContext.procMount");
                let problem = "`hostUsers` must be false to use `Unmasked`";
                causes.push(Cause::invalid(&path, "Unmasked", problem));
            }
        }
    }
    let Some(name) = spec["hostnameOverride"].as_str() else { return };
    let path = child(path, "hostnameOverride");
    for other in ["setHostnameAsFQDN", "hostNetwork"] {
        if spec[other] == true {
            let problem = format!("may not be specified when {other} is true");
            causes.push(Cause::forbidden(&path, &problem));
        }
    }
    if name.len() > 64 {
        causes.push(Cause::too_long(&path, 64));
    }
    rows::is(formats::subdomain, name, &path, causes);
}

/// Checks the operating system of a pod.
pub(super) fn system(system: &Value, path: &str, causes: &mut Vec<Cause>) {
    match text(system, "name") {
        "" => causes.push(Cause::required(&child(path, "name"), "")),
        name => rows::one_of(&["linux", "windows"], &name.into(), path, causes),
    }
}

/// Checks that a pod which takes no servers of names from its host has some.
pub(super) fn name_servers(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let config = &spec["dnsConfig"];
    let path = child(path, "dnsConfig");
    let servers = child(&path, "nameservers");
    if text(spec, "dnsPolicy") == "None" {
        if config.is_null() {
            let problem = "must provide `dnsConfig` when `dnsPolicy` is None";
            return causes.push(Cause::required(&path, problem));
        }
        if is_empty(&config["nameservers"]) {
            let problem = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            return causes.push(Cause::required(&servers, problem));
        }
    }
    for (n, option) in elements(&config["options"]).enumerate() {
        if text(option, "name").is_empty() {
            let path = format!("{}[{n}]", child(&path, "options"));
            causes.push(Cause::required(&path, "must not be empty"));
        }
    }
    for (list, most, things) in
        [("nameservers", 3, "nameservers"), ("searches", 32, "search paths")]
    {
        if elements(&config[list]).count() > most {
            let problem = format!("must not have more than {most} {things}");
            causes.push(invalid(&child(&path, list), &config[list], &problem));
        }
    }
    let listed: usize =
        elements(&config["searches"]).map(|name| name.as_str().map_or(0, str::len) + 1).sum();
    if listed > 2049 {
        let problem =
            "must not have more than 2048 characters (including spaces) in the search list";
        causes.push(invalid(&child(&path, "searches"), &config["searches"], problem));
    }
    for (n, search) in elements(&config["searches"]).enumerate() {
        let search = search.as_str().unwrap_or_default();
        if search != "." {
            let path = format!("{}[{n}]", child(&path, "searches"));
            let search = search.strip_suffix('.').unwrap_or(search);
            rows::is(formats::underlined_subdomain, search, &path, causes);
        }
    }
    for (n, server) in elements(&config["nameservers"]).enumerate() {
        let server = server.as_str().unwrap_or_default();
        rows::is(formats::address, server, &format!("{servers}[{n}]"), causes);
    }
}
