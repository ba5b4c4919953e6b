//! Containers: images, ports, policies and resources.

use serde_json::Value;

use super::rows::Rule::{AtMost, Check, OneOf, Required, Rows};
use super::rows::{self, Row, between, child, elements, invalid, is_empty, members, text};
use super::{life, mounts, names, security, variables};
use crate::api_server::failure::Cause;
use crate::api_server::rules::quantity::Quantity;
use crate::api_server::rules::{formats, internal_form};

pub(super) const CONTAINER: &[Row] =
    &[("", Rows(COMMON)), ("", Check(restart_policy)), ("", Rows(life::LIFE))];

pub(super) const INIT_CONTAINER: &[Row] =
    &[("", Rows(COMMON)), ("", Check(restart_policy)), ("", Check(life::life_of_sidecar))];

/// The members that all containers have.
const COMMON: &[Row] = &[
    ("", Check(name)),
    ("image", Required),
    ("ports", Check(ports)),
    ("env[]", Rows(variables::VARIABLE)),
    ("envFrom", Check(variables::sources)),
    ("", Check(mounts::mounts)),
    ("terminationMessagePolicy", OneOf(&["File", "FallbackToLogsOnError"])),
    ("imagePullPolicy", OneOf(&["Always", "IfNotPresent", "Never"])),
    ("resources", Check(resources)),
    ("securityContext", Check(privileges)),
    ("securityContext", Rows(security::CONTAINER)),
];

const RESTART_RULE: &[Row] = &[
    (
        "action",
        Check(|action, path, causes| {
            any_of(&["Restart", "RestartAllContainers"], action, path, causes);
        }),
    ),
    ("exitCodes", Check(exit_codes)),
    ("exitCodes.values", AtMost(255)),
];

/// Checks a text that is one of these, also one that is not there.
fn any_of(supported: &[&str], value: &Value, path: &str, causes: &mut Vec<Cause>) {
    rows::one_of(supported, &Value::from(value.as_str().unwrap_or_default()), path, causes);
}

fn exit_codes(codes: &Value, path: &str, causes: &mut Vec<Cause>) {
    if codes.is_null() {
        causes.push(Cause::required(path, "must be specified"));
    } else {
        any_of(&["In", "NotIn"], &codes["operator"], &child(path, "operator"), causes);
    }
}

/// Checks the policy of a container that has one of its own, and the rules about its exit codes.
fn restart_policy(container: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (policy, at_policy) = (&container["restartPolicy"], child(path, "restartPolicy"));
    let rules = &container["restartPolicyRules"];
    if policy.is_null() && !is_empty(rules) {
        let problem = "must specify restartPolicy when restart rules are used";
        causes.push(Cause::required(&at_policy, problem));
    }
    rows::one_of(&["Always", "Never", "OnFailure"], policy, &at_policy, causes);
    let path = child(path, "restartPolicyRules");
    rows::at_most(20, rules, &path, causes);
    for (n, rule) in elements(rules).enumerate() {
        rows::check(RESTART_RULE, &format!("{path}[{n}]"), rule, causes);
    }
}

fn name(container: &Value, path: &str, causes: &mut Vec<Cause>) {
    let path = child(path, "name");
    match text(container, "name") {
        "" => causes.push(Cause::required(&path, "")),
        name => rows::is(formats::label, name, &path, causes),
    }
}

/// Checks the name of an image in a pod. A template may have spaces around it.
pub(super) fn no_space_around(image: &Value, path: &str, causes: &mut Vec<Cause>) {
    let image = image.as_str().unwrap_or_default();
    if image.trim() != image {
        causes.push(Cause::invalid(path, image, "must not have leading or trailing whitespace"));
    }
}

/// Checks that all containers of a pod have different names.
pub(super) fn unique_names(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let names =
        ["containers", "initContainers", "ephemeralContainers"].into_iter().flat_map(|list| {
            let path = child(path, list);
            elements(&spec[list])
                .enumerate()
                .map(move |(n, container)| (format!("{path}[{n}].name"), text(container, "name")))
        });
    rows::unique(names.filter(|(_, name)| !name.is_empty()), causes);
}

fn ports(ports: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (n, port) in elements(ports).enumerate() {
        let path = format!("{path}[{n}]");
        let name = text(port, "name");
        if !name.is_empty() {
            rows::is(formats::port_name, name, &child(&path, "name"), causes);
        }
        let number = &port["containerPort"];
        if number.as_i64().unwrap_or(0) == 0 {
            causes.push(Cause::required(&child(&path, "containerPort"), ""));
        } else {
            between(1, 65_535, number, &child(&path, "containerPort"), causes);
        }
        between(1, 65_535, &port["hostPort"], &child(&path, "hostPort"), causes);
        let supported = ["SCTP", "TCP", "UDP"];
        rows::required_one_of(&supported, &port["protocol"], &child(&path, "protocol"), causes);
    }
    let names = elements(ports).enumerate();
    let names = names.map(|(n, port)| (format!("{path}[{n}].name"), text(port, "name")));
    rows::unique(names.filter(|(_, name)| !name.is_empty()), causes);
}

/// Checks when containers of a pod start again as their resources change. A server leaves the
/// number of a policy out of some paths.
pub(super) fn resizes(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let never = spec["restartPolicy"] == "Never";
    for list in ["containers", "initContainers"] {
        for (n, container) in elements(&spec[list]).enumerate() {
            let path = format!("{}[{n}].resizePolicy", child(path, list));
            let policies = &container["resizePolicy"];
            for (n, policy) in elements(policies).enumerate() {
                let restarts = &policy["restartPolicy"];
                rows::required_one_of(&["cpu", "memory"], &policy["resourceName"], &path, causes);
                rows::required_one_of(
                    &["NotRequired", "RestartContainer"],
                    restarts,
                    &path,
                    causes,
                );
                if never && restarts != "NotRequired" {
                    let problem = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
                    causes.push(invalid(&path, restarts, problem));
                }
                let sidecar = list == "containers" || text(container, "restartPolicy") == "Always";
                if restarts == "RestartContainer" && !sidecar {
                    let problem =
                        "must not be set to 'RestartContainer' for non-sidecar initContainers";
                    let path = format!("{path}[{n}].restartPolicy");
                    causes.push(invalid(&path, restarts, problem));
                }
            }
            let names = elements(policies).enumerate();
            let names = names.map(|(n, one)| (format!("{path}[{n}]"), text(one, "resourceName")));
            rows::unique(names, causes);
        }
    }
}

/// Checks requests and limits.
pub(super) fn resources(resources: &Value, path: &str, causes: &mut Vec<Cause>) {
    let limits = &resources["limits"];
    for list in ["limits", "requests"] {
        for (name, value) in members(&resources[list]) {
            resource(name, value, &child(path, list), causes);
        }
    }
    for (name, request) in members(&resources["requests"]) {
        let shared = !name.starts_with("hugepages-") && names::is_native(name);
        if limits[name].is_null() && !shared {
            let problem = "Limit must be set for non overcommitable resources";
            causes.push(Cause::required(&child(path, "limits"), problem));
        }
        let (Some(amount), Some(limit)) = (Quantity::of(request), Quantity::of(&limits[name]))
        else {
            continue;
        };
        if amount != limit && !shared {
            let problem = format!("must be equal to {name} limit of {}", limit.canonical());
            causes.push(Cause::invalid(&child(path, "requests"), &amount.canonical(), &problem));
        } else if amount > limit {
            let problem =
                format!("must be less than or equal to {name} limit of {}", limit.canonical());
            causes.push(Cause::invalid(&child(path, "requests"), &amount.canonical(), &problem));
        }
    }
}

/// Checks the name and the amount of a resource of a container.
fn resource(name: &str, value: &Value, path: &str, causes: &mut Vec<Cause>) {
    let path = format!("{path}[{name}]");
    names::container_resource(name, &path, causes);
    let Some(amount) = Quantity::of(value) else { return };
    rows::not_negative_quantity(value, &path, causes);
    if name.contains('/') && !amount.is_whole() {
        causes.push(Cause::invalid(&path, &amount.canonical(), "must be an integer"));
    }
}

fn privileges(context: &Value, path: &str, causes: &mut Vec<Cause>) {
    for name in ["runAsUser", "runAsGroup"] {
        rows::between(0, i64::from(i32::MAX), &context[name], &child(path, name), causes);
    }
    let capabilities = &context["capabilities"]["add"];
    let admin = elements(capabilities).any(|one| one == "CAP_SYS_ADMIN");
    for (bad, given) in [
        (context["privileged"] == true, "`privileged` to true"),
        (admin, "`capabilities.Add` CAP_SYS_ADMIN"),
    ] {
        if bad && context["allowPrivilegeEscalation"] == false {
            let problem = format!("cannot set `allowPrivilegeEscalation` to false and {given}");
            let shown = internal_form::shown("SecurityContext", context);
            causes.push(Cause::invalid_raw(path, &shown, &problem));
        }
    }
}
