//! Checks of objects inside of objects: `x-kubernetes-embedded-resource`.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::{flag, member};
use crate::api_server::failure::Cause;
use crate::api_server::names::{letter_label_problems, path_segment_problems};

/// Returns the problems of kind, apiVersion and metadata of all embedded objects.
pub(super) fn problems(schema: &Value, object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    walk(schema, object, &mut String::new(), &mut causes);
    causes
}

fn walk(schema: &Value, value: &Value, path: &mut String, causes: &mut Vec<Cause>) {
    if !schema.is_object() {
        return;
    }
    let above = path.len();
    match value {
        Value::Object(members) => {
            if flag(schema, "x-kubernetes-embedded-resource") {
                embedded(members, path, causes);
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
                walk(member(schema, name), value, path, causes);
                path.truncate(above);
            }
        }
        Value::Array(elements) => {
            let schema = &schema["items"];
            for (n, element) in elements.iter().enumerate().filter(|_| schema.is_object()) {
                let _ = write!(path, "[{n}]");
                walk(schema, element, path, causes);
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
        match members.get(name) {
            None => {}
            Some(Value::String(text)) => {
                let problem = text_problem(name, text);
                causes.extend(problem.map(|problem| Cause::invalid(&field, text, &problem)));
            }
            Some(other) => {
                causes.push(Cause::invalid_raw(&field, &other.to_string(), "must be a string"));
            }
        }
    }
    let name = members.get("metadata").and_then(|metadata| metadata["name"].as_str());
    let field = format!("{path}.metadata.name");
    let name = name.filter(|name| !name.is_empty());
    if let Some(name) = name {
        let problems = path_segment_problems(name);
        causes.extend(problems.iter().map(|problem| Cause::invalid(&field, name, problem)));
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
