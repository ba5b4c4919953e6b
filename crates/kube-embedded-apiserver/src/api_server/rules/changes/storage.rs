//! Changes of claims, volumes and drivers.

use serde_json::Value;

use super::immutable;
use crate::api_server::failure::Cause;
use crate::api_server::rules::internal_form::{self, difference};
use crate::api_server::rules::quantity::Quantity;
use crate::api_server::rules::validation;

/// Checks a claim. Only a bound claim can ask for more, and a claim can be bound once.
pub(super) fn claim(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    let (old, new) = (&before["spec"], &after["spec"]);
    let mut allowed = old.clone();
    let unbound = old["volumeName"].as_str().is_none_or(str::is_empty);
    let bound = before["status"]["phase"] == "Bound";
    let attributes = "volumeAttributesClassName";
    let mut taken = Vec::new();
    if bound {
        taken.push(attributes);
    }
    if unbound {
        taken.push("volumeName");
    }
    let annotation = |object: &Value| {
        object["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"].clone()
    };
    let (was, is) = (annotation(before), annotation(after));
    // A claim that named no class, or named it in the annotation only, can name it later.
    let class = &new["storageClassName"];
    if old["storageClassName"].is_null() && !class.is_null() && (was.is_null() || was == *class) {
        taken.push("storageClassName");
    }
    if was != is && (is != Value::Null || was != *class) {
        let shown = is.as_str().unwrap_or_default();
        let path = "metadata.annotations.volume.beta.kubernetes.io/storage-class";
        causes.push(Cause::invalid(path, shown, "field is immutable"));
    }
    let requests = &new["resources"]["requests"];
    if let (true, Some(asked)) =
        (bound, allowed.pointer_mut("/resources/requests").and_then(Value::as_object_mut))
        && !requests.is_null()
    {
        match &requests["storage"] {
            Value::Null => drop(asked.remove("storage")),
            amount => drop(asked.insert("storage".into(), amount.clone())),
        }
    }
    for name in taken {
        match &new[name] {
            Value::Null => drop(allowed.as_object_mut().map(|spec| spec.remove(name))),
            value => allowed[name] = value.clone(),
        }
    }
    if allowed != *new {
        let shown = difference("PersistentVolumeClaimSpec", old, new);
        let problem = format!(
            "spec is immutable after creation except resources.requests and \
             volumeAttributesClassName for bound claims\n{shown}"
        );
        causes.push(Cause::forbidden("spec", &problem));
    }
    // A claim can ask for less than before, but not for less than it has.
    let amount = |value: &Value| Quantity::of(value).unwrap_or(Quantity::count(0));
    let storage = |spec: &Value| amount(&spec["resources"]["requests"]["storage"]);
    let known = amount(&before["status"]["capacity"]["storage"]);
    if storage(new) < storage(old) && storage(new) <= known {
        let problem = "field can not be less than status.capacity";
        causes.push(Cause::forbidden("spec.resources.requests.storage", problem));
    }
    if !before["status"]["currentVolumeAttributesClassName"].is_null() {
        let shown = match &new[attributes] {
            Value::Null => "nil",
            value if value == "" => "empty string",
            _ => "",
        };
        if old[attributes] != new[attributes] && !shown.is_empty() {
            let problem = format!(
                "update to {shown} is forbidden when status.currentVolumeAttributesClassName is \
                 not nil"
            );
            causes.push(Cause::forbidden("spec.volumeAttributesClassName", &problem));
        }
    }
    // A server leaves `spec` out of the path.
    if old["volumeMode"] != new["volumeMode"] {
        causes.push(immutable("volumeMode", &new["volumeMode"].to_string()));
    }
}

/// The members of a volume's specification that are not its source.
const BESIDE_SOURCE: [&str; 9] = [
    "capacity",
    "accessModes",
    "claimRef",
    "persistentVolumeReclaimPolicy",
    "storageClassName",
    "mountOptions",
    "volumeMode",
    "nodeAffinity",
    "volumeAttributesClassName",
];

/// Checks a volume, whose source stays. A server validates the volume twice.
pub(super) fn volume(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    causes.extend(validation::problems("v1", "PersistentVolume", after));
    let source = |object: &Value| {
        let mut spec = object["spec"].clone();
        if let Some(members) = spec.as_object_mut() {
            members.retain(|name, _| !BESIDE_SOURCE.contains(&name.as_str()));
        }
        spec
    };
    let (old, mut new) = (source(before), source(after));
    let secret = "controllerExpandSecretRef";
    if old["csi"].is_object() && old["csi"][secret].is_null() {
        // It can be added.
        drop(new["csi"].as_object_mut().map(|csi| csi.remove(secret)));
    }
    if old != new {
        let shown = difference("PersistentVolumeSource", &old, &new);
        let path = "spec.persistentvolumesource";
        let problem = format!("{path} is immutable after creation\n{shown}");
        causes.push(Cause::forbidden(path, &problem));
    }
    // A server leaves `spec` out of these paths.
    let (old, new) = (&before["spec"], &after["spec"]);
    if old["volumeMode"] != new["volumeMode"] {
        causes.push(immutable("volumeMode", &new["volumeMode"].to_string()));
    }
    let name = "nodeAffinity";
    if !old[name].is_null() && old[name] != new[name] {
        let shown = internal_form::shown("VolumeNodeAffinity", &new[name]);
        let problem = "field is immutable, except for updating from beta label to GA";
        causes.push(Cause::invalid_raw(name, &shown, problem));
    }
    let class = "volumeAttributesClassName";
    if !old[class].is_null() && new[class].is_null() {
        let problem = "update from non-nil value to nil is forbidden";
        causes.push(Cause::forbidden("spec.volumeAttributesClassName", problem));
    }
}

/// Checks a driver. A server has its own name for one of the members.
pub(super) fn driver(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    for (name, shown) in
        [("attachRequired", "attachedRequired"), ("volumeLifecycleModes", "volumeLifecycleModes")]
    {
        let (old, new) = (&before["spec"][name], &after["spec"][name]);
        if old != new {
            causes.push(immutable(&format!("spec.{shown}"), &new.to_string()));
        }
    }
}

/// Checks the drivers of a node. A driver is replaced by removing it first. The number of volumes
/// that it can have is no part of it.
pub(super) fn node(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    let list = |object: &Value| object["spec"]["drivers"].as_array().cloned().unwrap_or_default();
    let bare = |mut driver: Value| {
        driver["allocatable"] = Value::Null;
        driver
    };
    let drivers: Vec<Value> = list(after).into_iter().map(bare).collect();
    for old in list(before).into_iter().map(bare) {
        let Some(new) = drivers.iter().find(|new| new["name"] == old["name"]) else { continue };
        if *new != old {
            causes.push(immutable("spec.drivers", &internal_form::shown("CSINodeDriver", new)));
        }
    }
}
