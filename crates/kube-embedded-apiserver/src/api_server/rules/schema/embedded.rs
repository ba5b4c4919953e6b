//! Checks of objects inside of objects: `x-kubernetes-embedded-resource`.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::{flag, member};
use crate::api_server::failure::Cause;
use crate::api_server::names::letter_label_problems;
use crate::api_server::rules::{metadata, shape};

/// Returns the problems of kind, apiVersion and metadata of all embedded objects.
pub(super) fn problems(schema: &Value, object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    walk(schema, object, &mut String::new(), &mut |members, path| {
        embedded(members, path, &mut causes);
    });
    causes
}

/// Returns the first problem of an embedded object whose kind, apiVersion or metadata a server
/// cannot decode.
pub(super) fn undecodable(schema: &Value, object: &Value) -> Option<Cause> {
    let mut found = None;
    walk(schema, object, &mut String::new(), &mut |members, path| {
        let problem = |(name, value): (&String, &Value)| {
            let problem = match &**name {
                "apiVersion" | "kind" if !value.is_string() => "must be a string".to_owned(),
                "metadata" => shape::decode_metadata(&mut value.clone()).err()?,
                _ => return None,
            };
            Some(Cause::invalid_raw(&format!("{path}.{name}"), &value.to_string(), &problem))
        };
        found = found.take().or_else(|| members.iter().find_map(problem));
    });
    found
}

/// Calls a function with the members and the path of each embedded object.
fn walk(
    schema: &Value,
    value: &Value,
    path: &mut String,
    call: &mut impl FnMut(&Map<String, Value>, &str),
) {
    if !schema.is_object() {
        return;
    }
    let above = path.len();
    match value {
        Value::Object(members) => {
            if flag(schema, "x-kubernetes-embedded-resource") {
                call(members, path);
            }
            for (name, value) in members {
                if schema["properties"][name].is_object() {
                    if above > 0 {
                        path.push('.');
                    }
                    path.push_str(name);
                } else {
                    let _ = write!(path, "[{name}]");
                }
                walk(member(schema, name), value, path, call);
                path.truncate(above);
            }
        }
        Value::Array(elements) => {
            let schema = &schema["items"];
            for (n, element) in elements.iter().enumerate().filter(|_| schema.is_object()) {
                let _ = write!(path, "[{n}]");
                walk(schema, element, path, call);
                path.truncate(above);
            }
        }
        _ => {}
    }
}

fn embedded(members: &Map<String, Value>, path: &str, causes: &mut Vec<Cause>) {
    for name in ["apiVersion", "kind"] {
        if !members.contains_key(name) {
            causes.push(Cause::required(&format!("{path}.{name}"), ""));
        }
    }
    for name in ["apiVersion", "kind"] {
        let field = format!("{path}.{name}");
        causes.extend(members.get(name).and_then(|value| match value.as_str() {
            Some(text) => Some(Cause::invalid(&field, text, &text_problem(name, text)?)),
            // An applied value is not decoded before.
            None => Some(Cause::invalid_raw(&field, &value.to_string(), "must be a string")),
        }));
    }
    let Some(metadata) = members.get("metadata") else { return };
    let mut decoded = metadata.clone();
    if let Err(problem) = shape::decode_metadata(&mut decoded) {
        let field = format!("{path}.metadata");
        causes.push(Cause::invalid_raw(&field, &metadata.to_string(), &problem));
    } else {
        let problems = metadata::embedded_problems(&decoded).into_iter();
        causes.extend(problems.map(|cause| cause.below(path)));
    }
}

/// Returns the problem of an apiVersion or a kind.
fn text_problem(name: &str, text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("must not be empty".to_owned());
    }
    if name == "apiVersion" {
        let long = text.matches('/').count() > 1;
        return long.then(|| format!("unexpected GroupVersion string: {text}"));
    }
    let problems = letter_label_problems(&text.to_lowercase()).join(",");
    let problem = format!("may have mixed case, but should otherwise match: {problems}");
    Some(problem).filter(|_| !problems.is_empty())
}
