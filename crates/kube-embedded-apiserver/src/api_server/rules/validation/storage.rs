//! Claims, volumes and what they come from.

use serde_json::Value;

use super::rows::Rule::{Check, Is, OneOf, Required, RequiredSince};
use super::rows::{self, Row, child, elements, is_empty, text};
use super::volumes::persistent_source;
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;
use crate::api_server::rules::quantity::Quantity;

pub(super) const MODES: [&str; 4] =
    ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

pub(super) const CLAIM: &[Row] = &[
    ("spec.accessModes", RequiredSince("at least 1 access mode is required")),
    ("spec.selector", Check(super::selectors::selector)),
    ("spec.accessModes", Check(access_modes)),
    ("spec.resources", Check(requested)),
    ("spec.storageClassName", Check(class_name)),
    ("spec.volumeMode", OneOf(&["Block", "Filesystem"])),
];

pub(super) const VOLUME: &[Row] = &[
    ("spec.accessModes", Required),
    ("spec.accessModes", Check(access_modes)),
    ("spec.capacity", Required),
    ("spec.capacity", Check(capacity)),
    ("spec", Check(persistent_source)),
    ("spec.persistentVolumeReclaimPolicy", OneOf(&["Delete", "Recycle", "Retain"])),
    ("spec.storageClassName", Check(class_name)),
    ("spec.volumeMode", OneOf(&["Block", "Filesystem"])),
    ("spec.hostPath.path", Required),
];

pub(super) const CLASS: &[Row] = &[
    ("provisioner", Required),
    ("provisioner", Check(provisioner)),
    ("reclaimPolicy", OneOf(&["Delete", "Retain"])),
    ("volumeBindingMode", OneOf(&["Immediate", "WaitForFirstConsumer"])),
];

pub(super) const NODE: &[Row] = &[("spec.drivers", Check(drivers))];

pub(super) const ATTACHMENT: &[Row] = &[
    ("spec.attacher", Required),
    ("spec.source", Check(attached)),
    ("spec.nodeName", Is(formats::subdomain)),
];

fn access_modes(modes: &Value, path: &str, causes: &mut Vec<Cause>) {
    for mode in elements(modes) {
        rows::one_of(&MODES, mode, path, causes);
    }
    let alone = elements(modes).any(|mode| mode == "ReadWriteOncePod");
    if alone && elements(modes).count() > 1 {
        let problem = "may not use ReadWriteOncePod with other access modes";
        causes.push(Cause::forbidden(path, problem));
    }
}

fn class_name(name: &Value, path: &str, causes: &mut Vec<Cause>) {
    if let Some(name) = name.as_str().filter(|name| !name.is_empty()) {
        rows::is(formats::subdomain, name, path, causes);
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
        let shown = match capacity {
            Value::Object(all) => Value::Array(all.keys().map(|key| key.clone().into()).collect()),
            _ => Value::Null,
        };
        causes.push(Cause::unsupported_raw(path, &shown.to_string(), "\"storage\""));
    }
    for (name, amount) in rows::members(capacity) {
        positive(amount, &format!("{path}[{name}]"), causes);
    }
}

fn provisioner(name: &Value, path: &str, causes: &mut Vec<Cause>) {
    if let Some(name) = name.as_str().filter(|name| !name.is_empty()) {
        rows::is(formats::label_key, &name.to_lowercase(), path, causes);
    }
}

fn drivers(drivers: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (n, driver) in elements(drivers).enumerate() {
        let path = format!("{path}[{n}]");
        for name in ["name", "nodeID"] {
            if text(driver, name).is_empty() {
                causes.push(Cause::required(&child(&path, name), ""));
            }
        }
    }
    let names = elements(drivers).enumerate();
    let names = names.map(|(n, driver)| (format!("{path}[{n}].name"), text(driver, "name")));
    rows::unique(names.filter(|(_, name)| !name.is_empty()), causes);
}

fn attached(source: &Value, path: &str, causes: &mut Vec<Cause>) {
    let problem = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    let (inline, name) = (&source["inlineVolumeSpec"], &source["persistentVolumeName"]);
    match (inline.is_null(), is_empty(name)) {
        (true, true) => causes.push(Cause::required(path, problem)),
        (false, false) => causes.push(Cause::forbidden(path, problem)),
        _ => {}
    }
}
