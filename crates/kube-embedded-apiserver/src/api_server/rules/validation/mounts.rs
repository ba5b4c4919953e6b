//! Mounts and devices of containers.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::projections::descending;
use super::rows::{self, child, elements, text};
use super::volumes::VOLUME;
use crate::api_server::failure::Cause;

/// Checks the mounts of a container. A server leaves the number of a mount out of some paths.
pub(super) fn mounts(container: &Value, path: &str, causes: &mut Vec<Cause>) {
    let path = child(path, "volumeMounts");
    let devices = || elements(&container["volumeDevices"]);
    let mut places = HashSet::new();
    for (n, mount) in elements(&container["volumeMounts"]).enumerate() {
        let at = |member: &str| format!("{path}[{n}].{member}");
        let (name, place) = (text(mount, "name"), text(mount, "mountPath"));
        for (member, value) in [("name", name), ("mountPath", place)] {
            if value.is_empty() {
                causes.push(Cause::required(&at(member), ""));
            }
        }
        let (below, expression) = (text(mount, "subPath"), text(mount, "subPathExpr"));
        for (bad, member, value, problem) in [
            (!places.insert(place), "mountPath", place, "must be unique"),
            (
                devices().any(|device| text(device, "name") == name),
                "name",
                name,
                "must not already exist in volumeDevices",
            ),
            (
                devices().any(|device| text(device, "devicePath") == place),
                "mountPath",
                place,
                "must not already exist as a path in volumeDevices",
            ),
            (
                !below.is_empty() && !expression.is_empty(),
                "subPathExpr",
                expression,
                "subPathExpr and subPath are mutually exclusive",
            ),
        ] {
            if bad {
                causes.push(Cause::invalid(&at(member), value, problem));
            }
        }
        descending(below, &child(&path, "subPath"), causes);
        descending(expression, &child(&path, "subPathExpr"), causes);
        propagation(mount, container, &path, causes);
    }
}

/// Checks the ways in which further mounts below a mount are shared.
fn propagation(mount: &Value, container: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (shared, at_shared) = (&mount["mountPropagation"], child(path, "mountPropagation"));
    rows::one_of(&["Bidirectional", "HostToContainer", "None"], shared, &at_shared, causes);
    if shared == "Bidirectional" && container["securityContext"]["privileged"] != true {
        let problem = "Bidirectional mount propagation is available only to privileged containers";
        causes.push(Cause::forbidden(&at_shared, problem));
    }
    let (all, at_all) = (&mount["recursiveReadOnly"], child(path, "recursiveReadOnly"));
    rows::one_of(&["Disabled", "Enabled", "IfPossible"], all, &at_all, causes);
    if !matches!(all.as_str(), Some("Enabled" | "IfPossible")) {
        return;
    }
    for (bad, needed) in [
        (mount["readOnly"] != true, "readOnly is true"),
        (!shared.is_null() && shared != "None", "mountPropagation is None or not specified"),
    ] {
        if bad {
            causes.push(Cause::forbidden(&at_all, &format!("may only be specified when {needed}")));
        }
    }
}

/// Checks that each mount and each device is that of a valid volume of the pod.
pub(super) fn of_volumes(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
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

/// Checks the volumes that a container has as devices. None of them may be mounted.
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
