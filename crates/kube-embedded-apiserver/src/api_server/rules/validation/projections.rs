//! Files that volumes make of keys, fields and tokens.

use serde_json::Value;

use super::fields;
use super::rows::Rule::{Check, Required, Rows};
use super::rows::{Row, child, elements, invalid, text};
use crate::api_server::failure::Cause;

/// A volume with the keys of a config map or a secret.
pub(super) const KEYS: &[Row] = &[("defaultMode", Check(mode)), ("items[]", Check(key_to_path))];

/// A volume with the fields of its pod.
pub(super) const FIELDS: &[Row] = &[("defaultMode", Check(mode)), ("", Check(field_files))];

/// A volume with files of several sources.
pub(super) const PROJECTED: &[Row] =
    &[("defaultMode", Check(mode)), ("sources[]", Rows(PROJECTION)), ("", Check(unique_files))];

const PROJECTION: &[Row] = &[
    ("secret.name", Required),
    ("configMap.name", Required),
    ("secret.items[]", Check(key_to_path)),
    ("configMap.items[]", Check(key_to_path)),
    ("downwardAPI", Check(field_files)),
    ("serviceAccountToken.expirationSeconds", Check(lifetime)),
];

/// Checks that no two sources make the same file. A server shows the object or the path.
fn unique_files(volume: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut known = std::collections::HashSet::new();
    for (n, source) in elements(&volume["sources"]).enumerate() {
        for kind in ["secret", "configMap", "downwardAPI"] {
            for item in elements(&source[kind]["items"]) {
                let file = text(item, "path");
                if !file.is_empty() && !known.insert(file) {
                    let name = text(&source[kind], "name");
                    let shown = if kind == "downwardAPI" { file } else { name };
                    causes.push(Cause::invalid(path, shown, "conflicting duplicate paths"));
                }
            }
        }
        // A server leaves the source out of the path.
        if source["serviceAccountToken"].is_object() {
            file_path(&source["serviceAccountToken"], path, causes);
        }
        let given = ["secret", "configMap", "downwardAPI", "serviceAccountToken"];
        if given.into_iter().filter(|kind| !source[*kind].is_null()).count() > 1 {
            let problem = "may not specify more than 1 volume type per source";
            causes.push(Cause::forbidden(&format!("{path}.sources[{n}]"), problem));
        }
    }
}

/// The greatest mode of a file, which has bits for the owner, the group and others.
const MOST: i64 = 0o777;

fn mode(mode: &Value, path: &str, causes: &mut Vec<Cause>) {
    if mode.as_i64().is_some_and(|mode| !(0..=MOST).contains(&mode)) {
        let problem = "must be a number between 0 and 0777 (octal), both inclusive";
        causes.push(invalid(path, mode, problem));
    }
}

fn key_to_path(item: &Value, path: &str, causes: &mut Vec<Cause>) {
    if text(item, "key").is_empty() {
        causes.push(Cause::required(&child(path, "key"), ""));
    }
    file_path(item, path, causes);
    mode(&item["mode"], &child(path, "mode"), causes);
}

/// Checks files with fields. A server leaves the number of the file out of the path.
fn field_files(source: &Value, path: &str, causes: &mut Vec<Cause>) {
    for file in elements(&source["items"]) {
        file_path(file, path, causes);
        let (field, resource) = (&file["fieldRef"], &file["resourceFieldRef"]);
        if !field.is_null() {
            fields::reference(fields::OF_FILES, field, &child(path, "fieldRef"), causes);
        }
        if !resource.is_null() {
            fields::resource_of_container(resource, &child(path, "resourceFieldRef"), causes);
        }
        if field.is_null() && resource.is_null() {
            let problem = "one of fieldRef and resourceFieldRef is required";
            causes.push(Cause::required(path, problem));
        }
        if !field.is_null() && !resource.is_null() {
            let problem = "fieldRef and resourceFieldRef can not be specified simultaneously";
            causes.push(Cause::invalid(path, "resource", problem));
        }
        mode(&file["mode"], &child(path, "mode"), causes);
    }
}

/// Checks the time for which a token is valid.
pub(super) fn lifetime(seconds: &Value, path: &str, causes: &mut Vec<Cause>) {
    let problem = match seconds.as_i64() {
        Some(..600) => "may not specify a duration less than 10 minutes",
        Some(0x1_0000_0001..) => "may not specify a duration larger than 2^32 seconds",
        _ => return,
    };
    causes.push(invalid(path, seconds, problem));
}

/// Checks the path of a file below a place.
pub(super) fn below(place: &Value, path: &str, causes: &mut Vec<Cause>) {
    let place = place.as_str().unwrap_or_default();
    if place.is_empty() {
        causes.push(Cause::required(path, ""));
    } else if place.split('/').any(|part| part == "..") {
        causes.push(Cause::invalid(path, place, "must not contain '..'"));
    }
}

/// Checks the path of a file inside its volume. A server keeps names with two dots for itself.
fn file_path(file: &Value, path: &str, causes: &mut Vec<Cause>) {
    let path = child(path, "path");
    let place = text(file, "path");
    if place.is_empty() {
        return causes.push(Cause::required(&path, ""));
    }
    descending(place, &path, causes);
    if place.starts_with("..") && place != ".." && !place.starts_with("../") {
        causes.push(Cause::invalid(&path, place, "must not start with '..'"));
    }
}

/// Checks that a path leads downwards.
pub(super) fn descending(place: &str, path: &str, causes: &mut Vec<Cause>) {
    if place.starts_with('/') {
        causes.push(Cause::invalid(path, place, "must be a relative path"));
    }
    if place.split('/').any(|part| part == "..") {
        causes.push(Cause::invalid(path, place, "must not contain '..'"));
    }
}
