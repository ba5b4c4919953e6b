//! Variables of containers, and the objects and fields that their values come from.

use serde_json::Value;

use super::rows::Rule::{Always, Check, Given, Named, Optional, Rows};
use super::rows::{Row, elements, text};
use super::{fields, projections};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

/// A variable.
pub(super) const VARIABLE: &[Row] = &[
    ("name", Named(formats::variable)),
    (
        "valueFrom.fieldRef",
        Given(|field, path, causes| fields::reference(fields::OF_VARIABLES, field, path, causes)),
    ),
    ("valueFrom.resourceFieldRef", Given(fields::resource)),
    ("valueFrom.configMapKeyRef", Rows(KEY)),
    ("valueFrom.secretKeyRef", Rows(KEY)),
    ("valueFrom.fileKeyRef", Rows(KEY_IN_FILE)),
    ("", Check(one_value)),
];

/// A key of an object.
const KEY: &[Row] = &[("name", Always(formats::subdomain)), ("key", Named(formats::config_key))];

/// A key in a file of a volume.
const KEY_IN_FILE: &[Row] = &[
    ("key", Named(formats::variable)),
    ("volumeName", Named(formats::label)),
    ("path", Check(projections::below)),
];

/// Checks that a variable has one value.
fn one_value(variable: &Value, path: &str, causes: &mut Vec<Cause>) {
    const SOURCES: [&str; 5] =
        ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
    let source = &variable["valueFrom"];
    if source.is_null() {
        return;
    }
    let given = SOURCES.iter().filter(|name| !source[**name].is_null()).count();
    let problem = match given {
        0 => {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, \
             `secretKeyRef` or `fileKeyRef`"
        }
        _ if !text(variable, "value").is_empty() => {
            "may not be specified when `value` is not empty"
        }
        1 => return,
        _ => "may not have more than one field specified at a time",
    };
    causes.push(Cause::invalid(&format!("{path}.valueFrom"), "", problem));
}

/// Checks that variables from files name a volume that begins empty.
pub(super) fn files_of_volumes(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    for list in ["containers", "initContainers"] {
        for (n, container) in elements(&spec[list]).enumerate() {
            for (m, variable) in elements(&container["env"]).enumerate() {
                let file = &variable["valueFrom"]["fileKeyRef"];
                if file.is_null() {
                    continue;
                }
                let path = format!("{path}.{list}[{n}].env[{m}].valueFrom.fileKeyRef.volumeName");
                let name = text(file, "volumeName");
                let mut volumes = elements(&spec["volumes"]);
                match volumes.find(|volume| text(volume, "name") == name) {
                    None => causes.push(Cause::not_found(&path, name)),
                    Some(volume) if volume["emptyDir"].is_null() => {
                        let problem = "referenced volume must be of type emptyDir";
                        causes.push(Cause::invalid(&path, name, problem));
                    }
                    Some(_) => {}
                }
            }
        }
    }
}

/// An object that variables come from.
const SOURCE: &[Row] = &[
    ("prefix", Optional(formats::variable)),
    ("configMapRef.name", Named(formats::subdomain)),
    ("secretRef.name", Named(formats::subdomain)),
];

/// Checks the objects that variables come from. A server leaves the number of one that has no
/// source out of the path.
pub(super) fn sources(sources: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (n, source) in elements(sources).enumerate() {
        super::rows::check(SOURCE, &format!("{path}[{n}]"), source, causes);
        let problem = match (source["configMapRef"].is_null(), source["secretRef"].is_null()) {
            (true, true) => "must specify one of: `configMapRef` or `secretRef`",
            (false, false) => "may not have more than one field specified at a time",
            _ => continue,
        };
        causes.push(Cause::invalid(path, "", problem));
    }
}
