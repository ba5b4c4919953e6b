//! Pods, and what pods have in common with their templates.

use serde_json::{Value, json};

use super::containers::{self, CONTAINER, INIT_CONTAINER};
use super::rows::Rule::{Between, Check, Given, Is, OneOf, Required, Rows};
use super::rows::{self, Row, child, elements, invalid, is_empty, members, text};
use super::scheduling::{SPREAD, TOLERATION};
use super::volumes::VOLUME;
use super::{host, life, mounts, scheduling, security, selectors, variables};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

pub(super) const POD: &[Row] = &[
    ("spec", Rows(POD_SPEC)),
    ("", Check(claims)),
    ("spec.volumes[].image.reference", Required),
    ("spec.containers[].image", Check(containers::no_space_around)),
    ("spec.initContainers[].image", Check(containers::no_space_around)),
    ("spec.ephemeralContainers", Check(no_ephemeral)),
    ("spec", Check(token_needs_account)),
];

pub(super) const EPHEMERAL: &[Row] =
    &[("spec.ephemeralContainers[]", Rows(CONTAINER)), ("spec", Check(containers::unique_names))];

/// The metadata of a template.
pub(super) const TEMPLATE_METADATA: &[Row] = &[
    // A server leaves `metadata` out of the path.
    ("", Check(template_labels)),
];

pub(super) const POD_SPEC: &[Row] = &[
    ("volumes[]", Rows(VOLUME)),
    ("", Check(unique_volumes)),
    ("containers", Check(some_container)),
    ("containers[]", Rows(CONTAINER)),
    ("initContainers[]", Rows(INIT_CONTAINER)),
    ("", Check(containers::unique_names)),
    ("", Check(host::unique_ports)),
    ("", Check(mounts::of_volumes)),
    ("", Check(variables::files_of_volumes)),
    ("", Check(life::sleeps)),
    ("", Check(containers::resizes)),
    ("overhead", Check(overhead)),
    ("restartPolicy", OneOf(&["Always", "OnFailure", "Never"])),
    ("dnsPolicy", OneOf(&["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"])),
    ("nodeSelector", Check(selectors::labels)),
    ("securityContext.fsGroup", Between(0, MOST_ID)),
    ("securityContext.runAsUser", Between(0, MOST_ID)),
    ("securityContext.runAsGroup", Between(0, MOST_ID)),
    ("securityContext.supplementalGroups[]", Between(0, MOST_ID)),
    ("securityContext", Rows(security::POD)),
    ("", Check(host::network)),
    ("", Check(host::isolation)),
    ("affinity", Check(scheduling::affinity)),
    ("readinessGates[].conditionType", Is(formats::label_key)),
    ("", Check(host::name_servers)),
    ("topologySpreadConstraints[]", Rows(SPREAD)),
    ("topologySpreadConstraints", Check(scheduling::unique_spreads)),
    ("", Check(names)),
    ("activeDeadlineSeconds", Between(1, i32::MAX as i64)),
    ("tolerations[]", Rows(TOLERATION)),
    ("hostAliases[]", Check(host_alias)),
    ("schedulingGates", Check(gates)),
    ("preemptionPolicy", OneOf(&["Never", "PreemptLowerPriority"])),
    ("os", Given(host::system)),
];

const MOST_ID: i64 = i32::MAX as i64;

pub(super) const STATUS: &[Row] = &[
    ("status.podIPs[]", Check(address)),
    (
        "status.nominatedNodeName",
        Check(|name, path, causes| {
            name_of(name, formats::subdomain, path, causes);
        }),
    ),
];

fn template_labels(metadata: &Value, path: &str, causes: &mut Vec<Cause>) {
    labels(metadata, path.strip_suffix(".metadata").unwrap_or(path), causes);
}

/// Checks the labels and the annotations of a template.
pub(super) fn labels(metadata: &Value, path: &str, causes: &mut Vec<Cause>) {
    selectors::labels(&metadata["labels"], &child(path, "labels"), causes);
    for (key, _) in members(&metadata["annotations"]) {
        rows::annotation_key(key, &child(path, "annotations"), causes);
    }
}

/// Checks the names of the claims that are made for a pod.
fn claims(pod: &Value, _: &str, causes: &mut Vec<Cause>) {
    let pod_name = text(&pod["metadata"], "name");
    for (n, volume) in elements(&pod["spec"]["volumes"]).enumerate() {
        let name = text(volume, "name");
        if volume["ephemeral"].is_null() || name.is_empty() || pod_name.is_empty() {
            continue;
        }
        let claim = format!("{pod_name}-{name}");
        for problem in formats::subdomain(&claim) {
            let problem = format!("PVC name {claim:?}: {problem}");
            causes.push(Cause::invalid(&format!("spec.volumes[{n}].name"), name, &problem));
        }
    }
}

/// Checks the resources that a pod takes beside its containers. A server shows them as limits.
fn overhead(overhead: &Value, path: &str, causes: &mut Vec<Cause>) {
    containers::resources(&json!({ "limits": overhead }), path, causes);
}

fn some_container(containers: &Value, path: &str, causes: &mut Vec<Cause>) {
    if is_empty(containers) {
        causes.push(Cause::required(path, ""));
    }
}

fn unique_volumes(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let path = child(path, "volumes");
    let names = elements(&spec["volumes"])
        .enumerate()
        .map(|(n, volume)| (format!("{path}[{n}].name"), text(volume, "name")))
        .filter(|(_, name)| !name.is_empty());
    rows::unique(names, causes);
}

/// Checks a name that may be empty.
fn name_of(value: &Value, format: formats::Format, path: &str, causes: &mut Vec<Cause>) {
    let text = value.as_str().unwrap_or_default();
    if !text.is_empty() {
        rows::is(format, text, path, causes);
    }
}

/// Checks the names in a pod's specification.
fn names(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (name, format) in [
        ("serviceAccountName", formats::subdomain as formats::Format),
        ("nodeName", formats::subdomain),
        ("hostname", formats::label),
        ("subdomain", formats::label),
        ("priorityClassName", formats::subdomain),
        ("runtimeClassName", formats::subdomain),
    ] {
        name_of(&spec[name], format, &child(path, name), causes);
    }
}

fn host_alias(alias: &Value, path: &str, causes: &mut Vec<Cause>) {
    rows::is(formats::address, text(alias, "ip"), &child(path, "ip"), causes);
    for (n, name) in elements(&alias["hostnames"]).enumerate() {
        let path = format!("{}[{n}]", child(path, "hostnames"));
        rows::is(formats::subdomain, name.as_str().unwrap_or_default(), &path, causes);
    }
}

fn gates(gates: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (n, gate) in elements(gates).enumerate() {
        let path = format!("{path}[{n}]");
        rows::is(formats::label_key, text(gate, "name"), &path, causes);
    }
    let names = elements(gates).enumerate();
    rows::unique(names.map(|(n, gate)| (format!("{path}[{n}]"), text(gate, "name"))), causes);
}

fn no_ephemeral(containers: &Value, path: &str, causes: &mut Vec<Cause>) {
    if !is_empty(containers) {
        causes.push(Cause::forbidden(path, "cannot be set on create"));
    }
}

/// Checks that a pod with a token names an account.
fn token_needs_account(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    if !text(spec, "serviceAccountName").is_empty() {
        return;
    }
    for (n, volume) in elements(&spec["volumes"]).enumerate() {
        for (m, source) in elements(&volume["projected"]["sources"]).enumerate() {
            if !source["serviceAccountToken"].is_null() {
                let path =
                    format!("{path}.volumes[{n}].projected.sources[{m}].serviceAccountToken");
                let problem = "must not be specified when serviceAccountName is not set";
                causes.push(Cause::forbidden(&path, problem));
            }
        }
    }
}

fn address(listed: &Value, path: &str, causes: &mut Vec<Cause>) {
    if !listed["ip"].is_null() {
        rows::is(formats::address, text(listed, "ip"), path, causes);
    }
}

/// Returns the problem of a number that is too small.
pub(super) fn greater_than_zero(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    if value.as_i64().is_some_and(|number| number <= 0) {
        causes.push(invalid(path, value, "must be greater than zero"));
    }
}
