//! Containers: images, ports, variables, mounts, probes and resources.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::projections::descending;
use super::rows::Rule::{AtMost, Check, Given, NotNegative, OneOf, Rows};
use super::rows::{self, Row, between, child, elements, invalid, is_empty, members, text};
use super::volumes::VOLUME;
use super::{fields, names, security};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;
use crate::api_server::rules::quantity::Quantity;

pub(super) const CONTAINER: &[Row] =
    &[("", Rows(COMMON)), ("", Check(restart_policy)), ("", Rows(LIFE))];

pub(super) const INIT_CONTAINER: &[Row] =
    &[("", Rows(COMMON)), ("", Check(restart_policy)), ("", Check(life_of_sidecar))];

/// The members that all containers have.
const COMMON: &[Row] = &[
    ("", Check(name)),
    ("image", Check(image)),
    ("ports", Check(ports)),
    ("env", Check(variables)),
    ("envFrom", Check(variable_sources)),
    ("volumeMounts[]", Check(mount)),
    ("volumeMounts", Check(unique_mounts)),
    ("terminationMessagePolicy", OneOf(&["File", "FallbackToLogsOnError"])),
    ("imagePullPolicy", OneOf(&["Always", "IfNotPresent", "Never"])),
    ("resources", Check(resources)),
    ("securityContext", Check(privileges)),
    ("securityContext", Rows(security::CONTAINER)),
];

/// The members of containers that run as long as their pod.
const LIFE: &[Row] = &[
    ("lifecycle.postStart", Check(handler)),
    ("lifecycle.preStop", Check(handler)),
    ("livenessProbe", Rows(LIVENESS)),
    ("readinessProbe", Rows(READINESS)),
    ("startupProbe", Rows(LIVENESS)),
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

/// Checks the probes and hooks of a container that starts before others.
fn life_of_sidecar(container: &Value, path: &str, causes: &mut Vec<Cause>) {
    if text(container, "restartPolicy") == "Always" {
        return rows::check(LIFE, path, container, causes);
    }
    for name in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
        if !container[name].is_null() {
            let problem = "may not be set for init containers without restartPolicy=Always";
            causes.push(Cause::forbidden(&child(path, name), problem));
        }
    }
}

const PROBE: &[Row] = &[
    ("", Check(handler)),
    ("initialDelaySeconds", NotNegative),
    ("timeoutSeconds", NotNegative),
    ("periodSeconds", NotNegative),
    ("successThreshold", NotNegative),
    ("failureThreshold", NotNegative),
    ("terminationGracePeriodSeconds", Check(positive)),
];

/// A probe that ends a container succeeds once.
const LIVENESS: &[Row] = &[("", Rows(PROBE)), ("successThreshold", Check(once))];

/// A probe that ends no container has no time for that.
const READINESS: &[Row] =
    &[("", Rows(PROBE)), ("terminationGracePeriodSeconds", Given(no_grace_period))];

fn no_grace_period(seconds: &Value, path: &str, causes: &mut Vec<Cause>) {
    causes.push(invalid(path, seconds, "must not be set for readinessProbes"));
}

fn once(threshold: &Value, path: &str, causes: &mut Vec<Cause>) {
    if threshold.as_i64().is_some_and(|number| number != 1) {
        causes.push(invalid(path, threshold, "must be 1"));
    }
}

fn positive(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    if value.as_i64().is_some_and(|number| number <= 0) {
        causes.push(invalid(path, value, "must be greater than 0"));
    }
}

fn name(container: &Value, path: &str, causes: &mut Vec<Cause>) {
    let path = child(path, "name");
    match text(container, "name") {
        "" => causes.push(Cause::required(&path, "")),
        name => rows::is(formats::label, name, &path, causes),
    }
}

fn image(image: &Value, path: &str, causes: &mut Vec<Cause>) {
    match image.as_str().unwrap_or_default() {
        "" => causes.push(Cause::required(path, "")),
        image if image.trim() != image => {
            let problem = "must not have leading or trailing whitespace";
            causes.push(Cause::invalid(path, image, problem));
        }
        _ => {}
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

/// Checks that each mount and each device is that of a valid volume of the pod.
pub(super) fn mounts_of_volumes(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut volumes = HashMap::new();
    for volume in elements(&spec["volumes"]) {
        let mut problems = Vec::new();
        rows::check(VOLUME, "", volume, &mut problems);
        if problems.is_empty() {
            let claimed = ["persistentVolumeClaim", "ephemeral"];
            let claimed = claimed.iter().any(|source| !volume[*source].is_null());
            volumes.insert(text(volume, "name"), claimed);
        }
    }
    for list in ["containers", "initContainers"] {
        for (n, container) in elements(&spec[list]).enumerate() {
            for (m, mount) in elements(&container["volumeMounts"]).enumerate() {
                let name = text(mount, "name");
                if !volumes.contains_key(name) {
                    let path = format!("{}[{n}].volumeMounts[{m}].name", child(path, list));
                    causes.push(Cause::not_found(&path, name));
                }
            }
            let path = format!("{}[{n}].volumeDevices", child(path, list));
            devices(container, &volumes, &path, causes);
        }
    }
}

/// Checks the volumes that a container has as devices, of which none is mounted.
fn devices(container: &Value, volumes: &HashMap<&str, bool>, path: &str, causes: &mut Vec<Cause>) {
    let mounts = || elements(&container["volumeMounts"]);
    let (mut names, mut places) = (HashSet::new(), HashSet::new());
    for (n, device) in elements(&container["volumeDevices"]).enumerate() {
        let (name, place) = (text(device, "name"), text(device, "devicePath"));
        let at = |member: &str| format!("{path}[{n}].{member}");
        for (member, value) in [("name", name), ("devicePath", place)] {
            if value.is_empty() {
                causes.push(Cause::required(&at(member), ""));
            }
        }
        match volumes.get(name) {
            None => causes.push(Cause::not_found(&at("name"), name)),
            Some(true) => {}
            Some(false) => {
                let problem = "can only use volume source type of PersistentVolumeClaim or \
                               Ephemeral for block mode";
                causes.push(Cause::invalid(&at("name"), name, problem));
            }
        }
        for (bad, member, value, problem) in [
            (!name.is_empty() && !names.insert(name), "name", name, "must be unique"),
            (!places.insert(place), "devicePath", place, "must be unique"),
            (
                place.split('/').any(|part| part == ".."),
                "devicePath",
                place,
                "can not contain backsteps ('..')",
            ),
            (
                mounts().any(|mount| text(mount, "name") == name),
                "name",
                name,
                "must not already exist in volumeMounts",
            ),
            (
                mounts().any(|mount| text(mount, "mountPath") == place),
                "devicePath",
                place,
                "must not already exist as a path in volumeMounts",
            ),
        ] {
            if bad {
                causes.push(Cause::invalid(&at(member), value, problem));
            }
        }
    }
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

const SOURCES: [&str; 5] =
    ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];

fn variables(variables: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (n, variable) in elements(variables).enumerate() {
        let path = format!("{path}[{n}]");
        match text(variable, "name") {
            "" => causes.push(Cause::required(&child(&path, "name"), "")),
            name => rows::is(formats::variable, name, &child(&path, "name"), causes),
        }
        let source = &variable["valueFrom"];
        if source.is_null() {
            continue;
        }
        let path = child(&path, "valueFrom");
        let given = SOURCES.iter().filter(|name| !source[**name].is_null()).count();
        let problem = match given {
            0 => Some(
                "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, \
                 `secretKeyRef` or `fileKeyRef`",
            ),
            _ if !text(variable, "value").is_empty() => {
                Some("may not be specified when `value` is not empty")
            }
            1 => None,
            _ => Some("may not have more than one field specified at a time"),
        };
        causes.extend(problem.map(|problem| Cause::invalid(&path, "", problem)));
        for name in ["configMapKeyRef", "secretKeyRef"] {
            let source = &source[name];
            if source.is_null() {
                continue;
            }
            let path = child(&path, name);
            if text(source, "name").is_empty() {
                causes.push(Cause::required(&child(&path, "name"), ""));
            }
            match text(source, "key") {
                "" => causes.push(Cause::required(&child(&path, "key"), "")),
                key => rows::is(formats::config_key, key, &child(&path, "key"), causes),
            }
        }
        let field = &source["fieldRef"];
        if field.is_object() {
            fields::reference(fields::OF_VARIABLES, field, &child(&path, "fieldRef"), causes);
        }
        if source["resourceFieldRef"].is_object() {
            let path = child(&path, "resourceFieldRef.resource");
            fields::resource(&source["resourceFieldRef"]["resource"], &path, causes);
        }
    }
}

/// Checks the objects that variables come from. A server leaves the number of one that has no
/// source out of the path.
fn variable_sources(sources: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (n, source) in elements(sources).enumerate() {
        let at_one = format!("{path}[{n}]");
        let prefix = text(source, "prefix");
        if !prefix.is_empty() {
            rows::is(formats::variable, prefix, &child(&at_one, "prefix"), causes);
        }
        let given =
            ["configMapRef", "secretRef"].into_iter().filter(|name| !source[*name].is_null());
        let given: Vec<&str> = given.collect();
        for name in &given {
            if text(&source[*name], "name").is_empty() {
                causes.push(Cause::required(&format!("{at_one}.{name}.name"), ""));
            }
        }
        let problem = match given.len() {
            0 => "must specify one of: `configMapRef` or `secretRef`",
            1 => continue,
            _ => "may not have more than one field specified at a time",
        };
        causes.push(Cause::invalid(path, "", problem));
    }
}

fn mount(mount: &Value, path: &str, causes: &mut Vec<Cause>) {
    for name in ["name", "mountPath"] {
        if text(mount, name).is_empty() {
            causes.push(Cause::required(&child(path, name), ""));
        }
    }
    descending(text(mount, "subPath"), &child(path, "subPath"), causes);
}

fn unique_mounts(mounts: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut known = HashSet::new();
    for (n, mount) in elements(mounts).enumerate() {
        let place = text(mount, "mountPath");
        if !place.is_empty() && !known.insert(place) {
            let path = format!("{path}[{n}].mountPath");
            causes.push(Cause::invalid(&path, place, "must be unique"));
        }
    }
}

/// The ways to call a container.
const HANDLERS: [&str; 5] = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];

fn handler(handler: &Value, path: &str, causes: &mut Vec<Cause>) {
    if handler.is_null() {
        return;
    }
    let mut given = HANDLERS.iter().filter(|name| !handler[**name].is_null());
    if given.next().is_none() {
        return causes.push(Cause::required(path, "must specify a handler type"));
    }
    for name in given {
        let problem = "may not specify more than 1 handler type";
        causes.push(Cause::forbidden(&child(path, name), problem));
    }
    if handler["exec"].is_object() && is_empty(&handler["exec"]["command"]) {
        causes.push(Cause::required(&child(path, "exec.command"), ""));
    }
    for name in ["httpGet", "tcpSocket"] {
        if handler[name].is_object() {
            port(&handler[name]["port"], &format!("{path}.{name}.port"), causes);
        }
    }
    if handler["httpGet"].is_object() {
        let path = child(path, "httpGet");
        if text(&handler["httpGet"], "path").is_empty() {
            causes.push(Cause::required(&child(&path, "path"), ""));
        }
        let scheme = &handler["httpGet"]["scheme"];
        rows::one_of(&["HTTP", "HTTPS"], scheme, &child(&path, "scheme"), causes);
    }
    if handler["grpc"].is_object() {
        between(1, 65_535, &handler["grpc"]["port"], &child(path, "grpc.port"), causes);
    }
}

/// Checks a port that is a number or a name.
pub(super) fn port(port: &Value, path: &str, causes: &mut Vec<Cause>) {
    match port.as_str() {
        Some(name) => rows::is(formats::port_name, name, path, causes),
        None => between(1, 65_535, port, path, causes),
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
    if context["allowPrivilegeEscalation"] == false && context["privileged"] == true {
        let problem = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
        causes.push(invalid(path, context, problem));
    }
}
