//! Names of things outside of an object: hosts, drivers, resources and referenced objects.

use serde_json::Value;

use super::rows::Rule::{Given, Is, Named, Optional};
use super::rows::{self, Row, text};
use crate::api_server::failure::Cause;
use crate::api_server::names::path_segment_problems;
use crate::api_server::rules::formats;

/// A reference to an object of a kind that the server need not know.
pub(super) const REFERENCE: &[Row] = &[
    ("apiGroup", Is(formats::subdomain)),
    ("kind", Named(path_segment_problems)),
    ("name", Named(path_segment_problems)),
];

/// A reference to a secret in a namespace.
pub(super) const SECRET: &[Row] =
    &[("name", Named(formats::subdomain)), ("namespace", Named(formats::label))];

/// An entry point of a load balancer.
pub(super) const BALANCED: &[Row] =
    &[("ip", Optional(formats::address)), ("hostname", Given(balanced_host))];

fn balanced_host(host: &Value, path: &str, causes: &mut Vec<Cause>) {
    let host = host.as_str().unwrap_or_default();
    if !host.is_empty() {
        rows::is(formats::subdomain, host, path, causes);
        not_an_address(host, path, causes);
    }
}

/// Checks the name of a host, whose first label may be a star.
pub(super) fn host(host: &Value, path: &str, causes: &mut Vec<Cause>) {
    let host = host.as_str().unwrap_or_default();
    let format = if host.contains('*') { formats::wildcard } else { formats::subdomain };
    rows::is(format, host, path, causes);
}

/// Checks that a name is not an address.
pub(super) fn not_an_address(host: &str, path: &str, causes: &mut Vec<Cause>) {
    if formats::parse_address(host).is_some() {
        causes.push(Cause::invalid(path, host, "must be a DNS name, not an IP address"));
    }
}

/// Checks the address of an endpoint, which is the address of one other machine.
pub(super) fn endpoint(address: &str, path: &str, causes: &mut Vec<Cause>) {
    use std::net::IpAddr::{V4, V6};
    let Some(ip) = formats::parse_address(address) else {
        return causes.push(Cause::invalid(path, address, "must be a valid IP address"));
    };
    let (near, group) = match ip {
        V4(v4) => (v4.is_link_local(), v4.octets()[..3] == [224, 0, 0]),
        V6(v6) => (v6.is_unicast_link_local(), v6.segments()[0] & 0xff0f == 0xff02),
    };
    let unspecified = format!("may not be unspecified ({address})");
    for (reserved, problem) in [
        (ip.is_unspecified(), &*unspecified),
        (ip.is_loopback(), "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
        (near, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
        (group, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"),
    ] {
        if reserved {
            causes.push(Cause::invalid(path, address, problem));
        }
    }
}

/// Checks a domain, a slash and a path.
pub(super) fn prefixed_path(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    let value = value.as_str().unwrap_or_default();
    if value.is_empty() {
        return causes.push(Cause::required(path, ""));
    }
    match value.split_once('/') {
        Some((domain, rest)) if !domain.is_empty() && !rest.is_empty() => {
            rows::is(formats::subdomain, domain, path, causes);
            let known = |c: char| c.is_ascii_alphanumeric() || "/-._~%!$&'()*+,;=:".contains(c);
            if !rest.chars().all(known) {
                let problem = "Invalid path (regex used for validation is \
                               '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
                causes.push(Cause::invalid(path, rest, problem));
            }
        }
        _ => {
            let problem = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            causes.push(Cause::invalid(path, value, problem));
        }
    }
}

/// Checks the name of a driver of volumes, whose letters may be large.
pub(super) fn driver(name: &Value, path: &str, causes: &mut Vec<Cause>) {
    let name = name.as_str().unwrap_or_default();
    if name.is_empty() {
        return causes.push(Cause::required(path, ""));
    }
    if name.len() > 63 {
        causes.push(Cause::too_long(path, 63));
    }
    let problems = formats::subdomain(&name.to_lowercase());
    causes.extend(problems.iter().map(|problem| Cause::invalid(path, name, problem)));
}

/// Checks a reference to the version and kind of an object. The group may be the unnamed one if
/// `any_group` is true.
pub(super) fn target(target: &Value, any_group: bool, path: &str, causes: &mut Vec<Cause>) {
    rows::check(&REFERENCE[1..], path, target, causes);
    let version = text(target, "apiVersion");
    let path = rows::child(path, "apiVersion");
    match version.split('/').count() {
        1 if !any_group => {
            causes.push(Cause::invalid(&path, version, "apiVersion must specify API group"));
        }
        1 | 2 => {}
        _ => {
            let problem = format!("unexpected GroupVersion string: {version}");
            causes.push(Cause::invalid(&path, version, &problem));
        }
    }
}

/// The resources without a domain that quotas and containers have in common.
const COMPUTE: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// The objects that a quota counts by a plain name.
const COUNTED: [&str; 9] = [
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];

/// Returns whether a plain name is that of a resource of containers.
fn is_of_containers(name: &str) -> bool {
    COMPUTE.contains(&name) || name.starts_with("hugepages-")
}

/// Returns whether a plain name is one that quotas limit.
pub(super) fn is_of_quotas(name: &str) -> bool {
    let rest = name.strip_prefix("requests.").or_else(|| name.strip_prefix("limits."));
    COUNTED.contains(&name)
        || is_of_containers(name)
        || name == "requests.storage"
        || name.starts_with("requests.hugepages-")
        || rest.is_some_and(|rest| COMPUTE.contains(&rest))
}

/// Returns whether a resource is one of Kubernetes itself.
pub(super) fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Returns whether a resource is counted in whole numbers.
pub(super) fn is_whole(name: &str) -> bool {
    COUNTED.contains(&name) || (!is_native(name) && !name.starts_with("requests."))
}

/// Checks the name of any resource.
pub(super) fn resource(name: &str, path: &str, causes: &mut Vec<Cause>) {
    let before = causes.len();
    rows::is(formats::label_key, name, path, causes);
    let known = name.contains('/') || name == "storage" || is_of_quotas(name);
    if causes.len() == before && !known {
        let problem = "must be a standard resource type or fully qualified";
        causes.push(Cause::invalid(path, name, problem));
    }
}

/// Checks the name of a resource of containers.
pub(super) fn container_resource(name: &str, path: &str, causes: &mut Vec<Cause>) {
    resource(name, path, causes);
    let quota = format!("requests.{name}");
    if !name.contains('/') && !is_of_containers(name) {
        causes.push(Cause::invalid(path, name, "must be a standard resource for containers"));
    } else if !is_native(name)
        && (name.starts_with("requests.") || !formats::label_key(&quota).is_empty())
    {
        causes.push(Cause::invalid(path, name, "doesn't follow extended resource name standard"));
    }
}

/// Checks the name of a resource that a quota limits.
pub(super) fn quota_resource(name: &str, path: &str, causes: &mut Vec<Cause>) {
    resource(name, path, causes);
    if !name.contains('/') && !is_of_quotas(name) {
        causes.push(Cause::invalid(path, name, "must be a standard resource for quota"));
    }
}
