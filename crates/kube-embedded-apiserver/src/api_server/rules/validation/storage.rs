//! Claims, volumes and what they come from.

use std::collections::HashSet;

use serde_json::Value;

use super::rows::Rule::{
    Check, Given, Is, NotNegative, OneOf, Optional, Required, RequiredSince, Rows,
};
use super::rows::{self, Row, child, elements, invalid, is_empty, text};
use super::volumes::{HOST_PATH, persistent_source};
use super::{names, scheduling};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;
use crate::api_server::rules::quantity::Quantity;

pub(super) const MODES: [&str; 4] =
    ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

const VOLUME_MODES: &[&str] = &["Block", "Filesystem"];

pub(super) const CLAIM: &[Row] = &[("spec", Rows(CLAIM_SPEC))];

/// The specification of a claim, which is in templates, too.
pub(super) const CLAIM_SPEC: &[Row] = &[
    ("accessModes", RequiredSince("at least 1 access mode is required")),
    ("selector", Check(super::selectors::selector)),
    ("accessModes", Check(access_modes)),
    ("resources", Check(requested)),
    ("storageClassName", Optional(formats::subdomain)),
    ("volumeMode", OneOf(VOLUME_MODES)),
    ("dataSource", Given(source)),
    ("dataSourceRef", Given(source)),
    ("dataSourceRef.namespace", Optional(formats::label)),
    ("", Check(one_source)),
    ("volumeAttributesClassName", Optional(formats::subdomain)),
];

pub(super) const CLAIM_STATUS: &[Row] = &[
    ("status.capacity", Check(amounts)),
    ("status.allocatedResourceStatuses", Check(resizes)),
    ("status.allocatedResources", Check(amounts)),
];

pub(super) const VOLUME: &[Row] = &[
    ("spec.accessModes", Required),
    ("spec.accessModes", Check(access_modes)),
    ("spec.capacity", Required),
    ("spec.capacity", Check(capacity)),
    ("spec.persistentVolumeReclaimPolicy", OneOf(&["Delete", "Recycle", "Retain"])),
    ("spec.nodeAffinity", Given(node_affinity)),
    ("spec", Check(persistent_source)),
    ("spec.hostPath", Rows(HOST_PATH)),
    ("spec.nfs.server", Required),
    ("spec.nfs.path", Check(absolute)),
    ("spec.local.path", Required),
    ("spec.local.path", Check(descends)),
    ("spec", Check(local)),
    ("spec.csi", Rows(CSI)),
    ("spec", Check(not_the_root)),
    ("spec.storageClassName", Optional(formats::subdomain)),
    ("spec.volumeMode", OneOf(VOLUME_MODES)),
    ("spec", Check(attributes)),
];

const CSI: &[Row] = &[
    ("driver", Check(names::driver)),
    ("volumeHandle", Required),
    ("controllerPublishSecretRef", Rows(names::SECRET)),
    ("controllerExpandSecretRef", Rows(names::SECRET)),
    ("nodePublishSecretRef", Rows(names::SECRET)),
    ("nodeExpandSecretRef", Rows(names::SECRET)),
];

pub(super) const CLASS: &[Row] = &[
    ("provisioner", Required),
    ("provisioner", Check(provisioner)),
    ("parameters", Check(parameters)),
    ("reclaimPolicy", Check(reclaim_policy)),
    ("volumeBindingMode", OneOf(&["Immediate", "WaitForFirstConsumer"])),
    ("allowedTopologies", Check(topologies)),
];

pub(super) const ATTRIBUTES_CLASS: &[Row] = &[
    ("driverName", Required),
    ("driverName", Check(provisioner)),
    ("parameters", Check(parameters)),
    ("parameters", RequiredSince("must contain at least one key/value pair")),
];

pub(super) const DRIVER: &[Row] = &[
    ("spec.fsGroupPolicy", OneOf(&["File", "None", "ReadWriteOnceWithFSType"])),
    ("spec.tokenRequests", Check(token_requests)),
    ("spec.volumeLifecycleModes", Check(lifecycle_modes)),
    ("spec.nodeAllocatableUpdatePeriodSeconds", Check(period)),
    ("spec", Check(tokens_in_secrets)),
];

pub(super) const CAPACITY: &[Row] = &[
    ("nodeTopology", Check(super::selectors::selector)),
    ("storageClassName", Is(formats::subdomain)),
    ("capacity", Check(rows::not_negative_quantity)),
];

pub(super) const NODE: &[Row] = &[("spec.drivers", Check(drivers))];

pub(super) const ATTACHMENT: &[Row] = &[
    ("spec.attacher", Check(names::driver)),
    ("spec.source", Check(attached)),
    ("spec.nodeName", Is(formats::subdomain)),
];

fn access_modes(modes: &Value, path: &str, causes: &mut Vec<Cause>) {
    for mode in elements(modes) {
        rows::one_of(&MODES, mode, path, causes);
    }
    let has = |pod: bool| {
        elements(modes)
            .filter_map(Value::as_str)
            .any(|mode| MODES.contains(&mode) && (mode == "ReadWriteOncePod") == pod)
    };
    if has(true) && has(false) {
        let problem = "may not use ReadWriteOncePod with other access modes";
        causes.push(Cause::forbidden(path, problem));
    }
}

/// Checks the object from which a volume is filled. One of the core group is a claim.
fn source(source: &Value, path: &str, causes: &mut Vec<Cause>) {
    for name in ["name", "kind"] {
        if text(source, name).is_empty() {
            causes.push(Cause::required(&child(path, name), ""));
        }
    }
    match text(source, "apiGroup") {
        "" if text(source, "kind") != "PersistentVolumeClaim" => {
            let problem = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
            causes.push(Cause::invalid(path, text(source, "kind"), problem));
        }
        "" => {}
        group => rows::is(formats::subdomain, group, &child(path, "apiGroup"), causes),
    }
}

/// Checks that the two members for a source say the same. A server shows a path as `{}`.
fn one_source(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (old, new) = (&spec["dataSource"], &spec["dataSourceRef"]);
    if old.is_null() || new.is_null() {
        return;
    }
    if !text(new, "namespace").is_empty() {
        let problem = "may not be specified when dataSourceRef.namespace is specified";
        causes.push(Cause::invalid_raw(path, "{}", problem));
    } else if ["apiGroup", "kind", "name"].iter().any(|name| old[*name] != new[*name]) {
        causes.push(Cause::invalid_raw(path, "{}", "must match dataSourceRef"));
    }
}

fn amounts(list: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (name, value) in rows::members(list) {
        if Quantity::of(value).is_some_and(Quantity::is_negative) {
            let (path, shown) = (format!("{path}[{name}]"), value.as_str().unwrap_or_default());
            causes.push(Cause::invalid_raw(&path, shown, "must be a valid resource quantity"));
        }
    }
}

/// Checks how far a change of a size is. A server shows the resource, not the state.
fn resizes(states: &Value, path: &str, causes: &mut Vec<Cause>) {
    let supported = [
        "ControllerResizeInProgress",
        "ControllerResizeInfeasible",
        "NodeResizeInProgress",
        "NodeResizeInfeasible",
        "NodeResizePending",
    ];
    for (name, state) in rows::members(states) {
        if !supported.contains(&state.as_str().unwrap_or_default()) {
            causes.push(rows::unsupported(path, name, &supported));
        }
    }
}

fn node_affinity(affinity: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (required, path) = (&affinity["required"], child(path, "required"));
    if required.is_null() {
        causes.push(Cause::required(&path, "must specify required node constraints"));
    } else {
        scheduling::node_selector(required, &path, causes);
    }
}

pub(super) fn absolute(place: &Value, path: &str, causes: &mut Vec<Cause>) {
    let place = place.as_str().unwrap_or_default();
    if place.is_empty() {
        causes.push(Cause::required(path, ""));
    }
    if !place.starts_with('/') {
        causes.push(Cause::invalid(path, place, "must be an absolute path"));
    }
}

fn descends(place: &Value, path: &str, causes: &mut Vec<Cause>) {
    let place = place.as_str().unwrap_or_default();
    if place.split('/').any(|part| part == "..") {
        causes.push(Cause::invalid(path, place, "must not contain '..'"));
    }
}

fn local(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    if !spec["local"].is_null() && spec["nodeAffinity"].is_null() {
        let problem = "Local volume requires node affinity";
        causes.push(Cause::required(&child(path, "nodeAffinity"), problem));
    }
}

/// Checks that the root of a node is not emptied for the next claim.
fn not_the_root(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let place = text(&spec["hostPath"], "path");
    let root = place.starts_with('/') && place.split('/').all(|part| matches!(part, "" | "."));
    if root && spec["persistentVolumeReclaimPolicy"] == "Recycle" {
        let problem = "may not be 'recycle' for a hostPath mount of '/'";
        causes.push(Cause::forbidden(&child(path, "persistentVolumeReclaimPolicy"), problem));
    }
}

/// Checks the class of attributes, which only drivers know.
fn attributes(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let Some(class) = spec["volumeAttributesClassName"].as_str() else { return };
    let at_class = child(path, "volumeAttributesClassName");
    match class {
        "" => causes.push(Cause::required(&at_class, "an empty string is disallowed")),
        class => rows::is(formats::subdomain, class, &at_class, causes),
    }
    if spec["csi"].is_null() {
        let problem = "has to be specified when using volumeAttributesClassName";
        causes.push(Cause::required(&child(path, "csi"), problem));
    }
}

/// The most parameters of a class, and the most bytes in them.
const MOST: (usize, usize) = (512, 256 * 1024);

fn parameters(parameters: &Value, path: &str, causes: &mut Vec<Cause>) {
    let all = || rows::members(parameters);
    if all().count() > MOST.0 {
        return causes.push(Cause::too_long(path, MOST.0 as u64));
    }
    if all().any(|(name, _)| name.is_empty()) {
        causes.push(Cause::invalid(path, "", "field can not be empty."));
    }
    let size: usize =
        all().map(|(name, value)| name.len() + value.as_str().map_or(0, str::len)).sum();
    if size > MOST.1 {
        causes.push(Cause::too_long(path, MOST.1 as u64));
    }
}

/// Checks the places of volumes, each of which is listed once.
fn topologies(topologies: &Value, path: &str, causes: &mut Vec<Cause>) {
    // A server begins with as many empty terms as there are terms.
    let mut known: Vec<Vec<(&str, HashSet<&str>)>> = vec![Vec::new(); elements(topologies).count()];
    for (n, term) in elements(topologies).enumerate() {
        let path = format!("{path}[{n}].matchLabelExpressions");
        let mut found = Vec::new();
        for (m, expression) in elements(&term["matchLabelExpressions"]).enumerate() {
            let path = format!("{path}[{m}]");
            let values = || elements(&expression["values"]).filter_map(Value::as_str).enumerate();
            let (key, at_values) = (text(expression, "key"), child(&path, "values"));
            if is_empty(&expression["values"]) {
                causes.push(Cause::required(&at_values, ""));
            }
            rows::unique(values().map(|(n, one)| (format!("{at_values}[{n}]"), one)), causes);
            rows::is(formats::label_key, key, &child(&path, "key"), causes);
            if found.iter().any(|(other, _)| *other == key) {
                causes.push(Cause::duplicate(&child(&path, "key"), &format!("{key:?}")));
            }
            found.push((key, values().map(|(_, value)| value).collect()));
        }
        found.sort_by_key(|(key, _)| *key);
        for _ in known.iter().filter(|term| **term == found) {
            causes.push(Cause::duplicate(&path, "\"\""));
        }
        known.push(found);
    }
}

fn token_requests(requests: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut known = HashSet::new();
    for (n, request) in elements(requests).enumerate() {
        let (path, audience) = (format!("{path}[{n}]"), text(request, "audience"));
        if known.insert(audience) {
            let seconds = child(&path, "expirationSeconds");
            super::projections::lifetime(&request["expirationSeconds"], &seconds, causes);
        } else {
            causes.push(Cause::duplicate(&child(&path, "audience"), &format!("{audience:?}")));
        }
    }
}

fn lifecycle_modes(modes: &Value, path: &str, causes: &mut Vec<Cause>) {
    for mode in elements(modes) {
        rows::one_of(&["Persistent", "Ephemeral"], mode, path, causes);
    }
}

fn period(seconds: &Value, path: &str, causes: &mut Vec<Cause>) {
    if seconds.as_i64().is_some_and(|seconds| seconds < 10) {
        causes.push(invalid(path, seconds, "must be greater than or equal to 10 seconds"));
    }
}

fn tokens_in_secrets(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let chosen = &spec["serviceAccountTokenInSecrets"];
    if !chosen.is_null() && is_empty(&spec["tokenRequests"]) {
        let problem = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
        causes.push(invalid(&child(path, "serviceAccountTokenInSecrets"), chosen, problem));
    }
}

fn requested(resources: &Value, path: &str, causes: &mut Vec<Cause>) {
    let request = &resources["requests"]["storage"];
    if request.is_null() {
        causes.push(Cause::required(&format!("{path}[storage]"), ""));
    } else {
        positive(request, &format!("{path}[storage]"), causes);
    }
}

fn positive(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    let Some(amount) = Quantity::of(value) else { return };
    if amount.is_negative() || amount.is_zero() {
        causes.push(Cause::invalid(path, &amount.canonical(), "must be greater than zero"));
    }
}

fn capacity(capacity: &Value, path: &str, causes: &mut Vec<Cause>) {
    let amounts = capacity.as_object();
    if amounts.is_none_or(|all| all.len() != 1 || !all.contains_key("storage")) {
        causes.push(Cause::unsupported_raw(path, &capacity.to_string(), "\"storage\""));
    }
    for (name, amount) in rows::members(capacity) {
        let path = format!("{path}[{name}]");
        if let Some(amount) = Quantity::of(amount).filter(|amount| amount.is_negative()) {
            let shown = format!("{:.0}", amount.as_f64().floor());
            causes.push(Cause::invalid_raw(&path, &shown, "must be a valid resource quantity"));
        }
        positive(amount, &path, causes);
    }
}

/// Checks the policy of a class. A server takes an empty one.
fn reclaim_policy(policy: &Value, path: &str, causes: &mut Vec<Cause>) {
    if policy != "" {
        rows::one_of(&["Delete", "Retain"], policy, path, causes);
    }
}

fn provisioner(name: &Value, path: &str, causes: &mut Vec<Cause>) {
    if let Some(name) = name.as_str().filter(|name| !name.is_empty()) {
        rows::is(formats::label_key, &name.to_lowercase(), path, causes);
    }
}

/// A driver on a node. A server leaves `topologyKeys` out of their paths.
const NODE_DRIVER: &[Row] = &[
    ("name", Check(names::driver)),
    ("nodeID", Required),
    ("nodeID", Check(node_id)),
    ("allocatable.count", NotNegative),
];

fn node_id(id: &Value, path: &str, causes: &mut Vec<Cause>) {
    let id = id.as_str().unwrap_or_default();
    if id.len() > 256 {
        causes.push(Cause::invalid(path, id, "must be 256 characters or less"));
    }
}

fn drivers(drivers: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (n, driver) in elements(drivers).enumerate() {
        let path = format!("{path}[{n}]");
        rows::check(NODE_DRIVER, &path, driver, causes);
        let mut keys = std::collections::HashSet::new();
        for key in elements(&driver["topologyKeys"]) {
            let key = key.as_str().unwrap_or_default();
            if key.is_empty() {
                causes.push(Cause::required(&path, ""));
            }
            if !keys.insert(key) {
                causes.push(Cause::duplicate(&path, &format!("{key:?}")));
            }
            rows::is(formats::label_key, key, &path, causes);
        }
    }
    let names = elements(drivers).enumerate();
    let names = names.map(|(n, driver)| (format!("{path}[{n}].name"), text(driver, "name")));
    rows::unique(names.filter(|(_, name)| !name.is_empty()), causes);
}

fn attached(source: &Value, path: &str, causes: &mut Vec<Cause>) {
    let problem = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    let (inline, name) = (&source["inlineVolumeSpec"], &source["persistentVolumeName"]);
    match (inline.is_null(), name.as_str()) {
        (true, None) => causes.push(Cause::required(path, problem)),
        (false, Some(_)) => causes.push(Cause::forbidden(path, problem)),
        (true, Some("")) => {
            let problem = "must specify non empty persistentVolumeName";
            causes.push(Cause::required(&child(path, "persistentVolumeName"), problem));
        }
        _ => {}
    }
    if let Some(name) = name.as_str() {
        rows::is(formats::subdomain, name, &child(path, "persistentVolumeName"), causes);
    }
}
