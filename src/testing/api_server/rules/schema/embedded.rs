//! Checks of objects inside of objects: `x-kubernetes-embedded-resource`.

use serde_json::{Map, Value};

use super::{flag, member};
use crate::testing::api_server::failure::Cause;

/// The description of labels of DNS that begin with a letter, in messages.
const LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', \
                     start with an alphabetic character, and end with an alphanumeric character \
                     (e.g. 'my-name',  or 'abc-123', regex used for validation is \
                     '[a-z]([-a-z0-9]*[a-z0-9])?')";

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
                    path.push_str(&format!("[{name}]"));
                }
                walk(member(schema, name), value, path, causes);
                path.truncate(above);
            }
        }
        Value::Array(elements) => {
            let schema = &schema["items"];
            for (n, element) in elements.iter().enumerate().filter(|_| schema.is_object()) {
                path.push_str(&format!("[{n}]"));
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
            Some(Value::String(text)) if text.is_empty() => {
                causes.push(Cause::invalid(&field, "", "must not be empty"));
            }
            Some(Value::String(text)) if name == "apiVersion" => {
                if text.matches('/').count() > 1 {
                    let problem = format!("unexpected GroupVersion string: {text}");
                    causes.push(Cause::invalid(&field, text, &problem));
                }
            }
            Some(Value::String(text)) => {
                if !is_dns_label(&text.to_lowercase()) {
                    let problem =
                        format!("may have mixed case, but should otherwise match: {LABEL}");
                    causes.push(Cause::invalid(&field, text, &problem));
                }
            }
            Some(other) => {
                causes.push(Cause::invalid_raw(&field, &other.to_string(), "must be a string"));
            }
        }
    }
    let name = members.get("metadata").and_then(|metadata| metadata["name"].as_str());
    let field = format!("{path}.metadata.name");
    match name {
        Some(name @ ("." | "..")) => {
            causes.push(Cause::invalid(&field, name, &format!("may not be '{name}'")));
        }
        Some(name) => {
            for char in ['/', '%'] {
                if name.contains(char) {
                    let problem = format!("may not contain '{char}'");
                    causes.push(Cause::invalid(&field, name, &problem));
                }
            }
        }
        None => {}
    }
}

fn is_dns_label(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    text.len() <= 63
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(inner)
        && !text.ends_with('-')
}
