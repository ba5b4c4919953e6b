//! The identity of a list's elements.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::api_server::rules::shape::OwnedParts;

/// Returns the step of `fieldsV1` that leads to an element, or the reason why there is none.
pub(super) fn step(parts: &OwnedParts<'_>, element: &Value) -> Result<String, String> {
    let OwnedParts::Keyed(keys) = parts else {
        return match element {
            Value::Object(_) => {
                Err("associative list without keys has an element that's a map type".into())
            }
            Value::Array(_) => Err("not supported: associative list with lists as elements".into()),
            Value::Null => {
                Err("associative list without keys has an element that's an explicit null".into())
            }
            value => Ok(format!("v:{value}")),
        };
    };
    let members = match element {
        Value::Object(members) => members,
        Value::Null => {
            return Err("associative list with keys may not have a null element".into());
        }
        _ => return Err("associative list with keys may not have non-map elements".into()),
    };
    let mut named = Map::new();
    for (key, default) in keys {
        if let Some(value) = members.get(*key).or(default.as_ref()) {
            named.insert((*key).to_owned(), value.clone());
        }
    }
    if named.is_empty() {
        let keys: Vec<String> = keys.iter().map(|(key, _)| format!("{key:?}")).collect();
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{}] (and \
             doesn't have default values for any key fields)",
            keys.join(" ")
        ));
    }
    Ok(format!("k:{}", Value::Object(named)))
}

/// The elements of a list by their steps.
#[derive(Debug, Default)]
pub(super) struct Index<'v> {
    /// The step of each element, in the order of the list. Elements without identity are missing.
    pub(super) steps: Vec<(String, &'v Value)>,
    by_step: HashMap<String, Vec<&'v Value>>,
}

impl<'v> Index<'v> {
    pub(super) fn new(parts: &OwnedParts<'_>, elements: &'v [Value]) -> Self {
        let mut index = Self::default();
        for element in elements {
            let Ok(step) = step(parts, element) else { continue };
            index.by_step.entry(step.clone()).or_default().push(element);
            index.steps.push((step, element));
        }
        index
    }

    pub(super) fn all(&self, step: &str) -> &[&'v Value] {
        self.by_step.get(step).map_or(&[], Vec::as_slice)
    }

    pub(super) fn has(&self, step: &str) -> bool {
        self.by_step.contains_key(step)
    }

    pub(super) fn is_repeated(&self, step: &str) -> bool {
        self.all(step).len() > 1
    }

    /// Returns the first element with this step.
    pub(super) fn first(&self, step: &str) -> Option<&'v Value> {
        self.all(step).first().copied()
    }

    /// Returns the only element with this step.
    pub(super) fn only(&self, step: &str) -> Option<&'v Value> {
        self.first(step).filter(|_| !self.is_repeated(step))
    }
}

/// Returns a path for people: `.spec.containers[name="a"].image`.
pub(crate) fn readable(path: &[&str]) -> String {
    path.iter().copied().map(readable_step).collect()
}

pub(super) fn readable_step(step: &str) -> String {
    if let Some(name) = step.strip_prefix("f:") {
        return format!(".{name}");
    }
    if let Some(value) = step.strip_prefix("v:") {
        return format!("[={value}]");
    }
    if let Some(index) = step.strip_prefix("i:") {
        return format!("[{index}]");
    }
    let keys = step.strip_prefix("k:").and_then(|keys| serde_json::from_str::<Value>(keys).ok());
    let keys = keys.as_ref().and_then(Value::as_object).into_iter().flatten();
    let keys: Vec<String> = keys.map(|(key, value)| format!("{key}={value}")).collect();
    format!("[{}]", keys.join(","))
}
