//! Fields of a pod that its containers can read.

use serde_json::Value;

use super::rows::{self, child, text, unsupported};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;
use crate::api_server::rules::quantity::Quantity;

/// The fields that a variable can have as its value.
pub(super) const OF_VARIABLES: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// The fields that a file can have as its content.
pub(super) const OF_FILES: &[&str] = &[
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
];

/// The fields that a server knows. Some of them cannot be read in every place.
const KNOWN: &[&str] = &[
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.host",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.phase",
    "status.podIP",
    "status.podIPs",
];

/// The resources of containers that can be read.
const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

/// Checks a reference to a resource of the container itself.
pub(super) fn resource(reference: &Value, path: &str, causes: &mut Vec<Cause>) {
    let name = text(reference, "resource");
    let at_name = child(path, "resource");
    let pages = name.starts_with("limits.hugepages-") || name.starts_with("requests.hugepages-");
    match name {
        "" => causes.push(Cause::required(&at_name, "")),
        _ if pages => {}
        _ => rows::one_of(&RESOURCES, &name.into(), &at_name, causes),
    }
    divisor(reference, path, causes);
}

/// Checks a reference to a resource of any container.
pub(super) fn resource_of_container(reference: &Value, path: &str, causes: &mut Vec<Cause>) {
    if text(reference, "containerName").is_empty() {
        causes.push(Cause::required(&child(path, "containerName"), ""));
        return divisor(reference, path, causes);
    }
    resource(reference, path, causes);
}

/// Checks the unit in which a resource is shown.
fn divisor(reference: &Value, path: &str, causes: &mut Vec<Cause>) {
    const SIZES: &str = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";
    let Some(unit) = Quantity::of(&reference["divisor"]).filter(|unit| !unit.is_zero()) else {
        return;
    };
    let name = text(reference, "resource");
    let (units, resource) = match name.split_once('.') {
        Some(("limits" | "requests", "cpu")) => ("1m and 1", "cpu"),
        Some(("limits" | "requests", "memory")) => (SIZES, "memory"),
        Some(("limits" | "requests", "ephemeral-storage")) => (SIZES, "local ephemeral storage"),
        Some(("limits" | "requests", rest)) if rest.starts_with("hugepages-") => {
            (SIZES, "hugepages")
        }
        _ => return,
    };
    if !units.split([',', ' ']).any(|one| one == unit.canonical()) {
        let problem =
            format!("only divisor's values {units} are supported with the {resource} resource");
        causes.push(Cause::invalid(&child(path, "divisor"), name, &problem));
    }
}

/// Checks a reference to one of these fields.
pub(super) fn reference(fields: &[&str], value: &Value, path: &str, causes: &mut Vec<Cause>) {
    let field = text(value, "fieldPath");
    let at_field = child(path, "fieldPath");
    let version = text(value, "apiVersion");
    if field.is_empty() {
        return causes.push(Cause::required(&at_field, ""));
    }
    let unknown = |problem: &str| {
        Cause::invalid(&at_field, field, &format!("error converting fieldPath: {problem}"))
    };
    if !matches!(version, "" | "v1") {
        return causes.push(unknown(&format!("unsupported pod version: {version}")));
    }
    match subscript(field) {
        Some(("metadata.annotations", key)) => rows::annotation_key(key, path, causes),
        Some(("metadata.labels", key)) => rows::is(formats::label_key, key, path, causes),
        Some(_) => {
            causes.push(unknown(&format!("field label does not support subscript: {field}")));
        }
        None if !KNOWN.contains(&field) => {
            causes.push(unknown(&format!("field label not supported: {field}")));
        }
        None => {
            let field = if field == "spec.host" { "spec.nodeName" } else { field };
            if !fields.contains(&field) {
                causes.push(unsupported(&at_field, field, fields));
            }
        }
    }
}

/// Returns the parts of `metadata.labels['key']`.
fn subscript(field: &str) -> Option<(&str, &str)> {
    let (field, key) = field.strip_suffix("']")?.split_once("['")?;
    (!field.is_empty()).then_some((field, key))
}
