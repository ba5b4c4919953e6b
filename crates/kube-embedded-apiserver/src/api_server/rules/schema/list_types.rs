//! Lists whose elements have an identity: sets, and lists of objects with keys.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use serde_json::{Map, Value};

use super::member;
use crate::api_server::failure::Cause;

/// Returns the members that identify the elements of a list. An empty list means their values;
/// `None` means that elements have no identity.
pub(super) fn list_keys(schema: &Value) -> Option<Vec<&str>> {
    match schema["x-kubernetes-list-type"].as_str()? {
        "set" => Some(Vec::new()),
        "map" => {
            let keys = schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten();
            Some(keys.filter_map(Value::as_str).collect())
        }
        _ => None,
    }
}

/// A list of objects, by their keys.
pub(super) struct KeyedList<'a> {
    keys: Vec<&'a str>,
    elements: HashMap<Vec<&'a Value>, &'a Value>,
}

impl<'a> KeyedList<'a> {
    pub(super) fn new(keys: Vec<&'a str>, elements: &'a [Value]) -> Self {
        let by_key = elements.iter().filter_map(|element| Some((key(&keys, element)?, element)));
        let elements = by_key.rev().collect();
        Self { keys, elements }
    }

    /// Returns the element with the same keys as this one.
    pub(super) fn get(&self, element: &'a Value) -> Option<&'a Value> {
        self.elements.get(&key(&self.keys, element)?).copied()
    }
}

/// Returns the values of an element's keys. `None` if one is missing, or is no scalar.
fn key<'a>(keys: &[&str], element: &'a Value) -> Option<Vec<&'a Value>> {
    let scalar = |value: &&Value| value.is_boolean() || value.is_number() || value.is_string();
    keys.iter().map(|key| element.get(*key).filter(scalar)).collect()
}

/// Returns the elements of sets and keyed lists that are there twice.
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
        Value::Array(elements) => {
            match list_keys(schema) {
                Some(keys) if keys.is_empty() => repeated(elements.iter(), path, causes),
                Some(keys) => repeated_keys(&keys, elements, path, causes),
                None => {}
            }
            let schema = &schema["items"];
            for (n, element) in elements.iter().enumerate().filter(|_| schema.is_object()) {
                let _ = write!(path, "[{n}]");
                walk(schema, element, path, causes);
                path.truncate(above);
            }
        }
        Value::Object(members) => {
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
        _ => {}
    }
}

/// Reports the first repetition of each element.
fn repeated<'a>(elements: impl Iterator<Item = &'a Value>, path: &str, causes: &mut Vec<Cause>) {
    let (mut seen, mut reported) = (HashSet::new(), HashSet::new());
    for (n, element) in elements.enumerate() {
        if !seen.insert(element) && reported.insert(element) {
            causes.push(Cause::duplicate(&format!("{path}[{n}]"), &element.to_string()));
        }
    }
}

fn repeated_keys(keys: &[&str], elements: &[Value], path: &str, causes: &mut Vec<Cause>) {
    let strange = elements.iter().position(|element| !element.is_object() && !element.is_null());
    if let Some(n) = strange {
        let problem = "must be an object for an array of list-type map";
        let shown = elements[n].to_string();
        causes.push(Cause::invalid_raw(&format!("{path}[{n}]"), &shown, problem));
        return;
    }
    let keyed = |element: &Value| {
        let present = keys.iter().filter(|key| element.get(**key).is_some());
        let members = present.map(|key| ((*key).to_owned(), element[*key].clone()));
        Value::Object(members.collect::<Map<_, _>>())
    };
    let keyed: Vec<Value> = elements.iter().map(keyed).collect();
    repeated(keyed.iter(), path, causes);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::problems;

    #[test]
    fn each_repeated_element_is_reported_once() {
        let schema = json!({"properties": {
            "set": {"x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "map": {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                    "items": {"type": "object"}},
        }});
        let object = json!({"set": ["a", "b", "a", "a"], "map": [{"k": 1}, {"k": 1, "v": 2}]});
        let told: Vec<String> =
            problems(&schema, &object).iter().map(ToString::to_string).collect();
        assert_eq!(told, ["map[1]: Duplicate value: {\"k\":1}", "set[2]: Duplicate value: \"a\""]);
    }
}
