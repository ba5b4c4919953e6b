//! Sets of fields, as `fieldsV1` writes them: `{"f:spec":{"f:replicas":{}}}`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// A path in an object, with elements as in `fieldsV1`: `f:name` is a member, `k:{…}` the list
/// element with these keys, `v:…` the list element with this value.
pub(super) type Path = Vec<String>;

/// A set of paths. A path does not include the paths below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(pub(super) BTreeSet<Path>);

impl Set {
    pub(super) fn from_fields(fields: &Value) -> Self {
        let mut set = Self::default();
        set.read(&mut Vec::new(), fields);
        set
    }

    fn read(&mut self, path: &mut Path, fields: &Value) {
        for (element, below) in fields.as_object().into_iter().flatten() {
            if element == "." {
                self.0.insert(path.clone());
                continue;
            }
            path.push(element.clone());
            if below.as_object().is_none_or(Map::is_empty) {
                self.0.insert(path.clone());
            } else {
                self.read(path, below);
            }
            path.pop();
        }
    }

    pub(super) fn to_fields(&self) -> Value {
        let mut root = Map::new();
        // A path sorts before the paths below it, so that it is known not to be a leaf.
        for path in &self.0 {
            insert(&mut root, path, self);
        }
        Value::Object(root)
    }

    /// Returns whether the set has this path or one below it.
    pub(super) fn reaches(&self, path: &Path) -> bool {
        self.0.range(path.clone()..).next().is_some_and(|next| next.starts_with(path))
    }

    pub(super) fn union(&self, other: &Self) -> Self {
        Self(self.0.union(&other.0).cloned().collect())
    }

    pub(super) fn difference(&self, other: &Self) -> Self {
        Self(self.0.difference(&other.0).cloned().collect())
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0).cloned().collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn insert(node: &mut Map<String, Value>, path: &[String], set: &Set) {
    let mut node = node;
    for (n, element) in path.iter().enumerate() {
        let below = node.entry(element.clone()).or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(members) = below else { return };
        // A path in the set that has others below it is marked with a dot.
        if n + 1 < path.len() && members.is_empty() && set.0.contains(&path[..=n]) {
            members.insert(".".into(), Value::Object(Map::new()));
        }
        node = members;
    }
}

/// Returns a path for people: `.spec.containers[name="a"].image`.
pub(super) fn readable(path: &Path) -> String {
    let element = |element: &String| {
        if let Some(name) = element.strip_prefix("f:") {
            return format!(".{name}");
        }
        if let Some(value) = element.strip_prefix("v:") {
            return format!("[={value}]");
        }
        let keys: Value = serde_json::from_str(element.strip_prefix("k:").unwrap_or_default())
            .unwrap_or_default();
        let keys = keys.as_object().into_iter().flatten();
        let keys: Vec<String> = keys.map(|(key, value)| format!("{key}={value}")).collect();
        format!("[{}]", keys.join(","))
    };
    path.iter().map(element).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn recorded_set_survives_a_round_trip() {
        let list: Value = serde_json::from_str(include_str!(
            "../../../../../tests/transcripts/list-pods-json.json"
        ))
        .unwrap();
        for entry in list["items"][0]["metadata"]["managedFields"].as_array().unwrap() {
            let fields = &entry["fieldsV1"];
            assert_eq!(Set::from_fields(fields).to_fields(), *fields);
        }
        let path: Path = ["f:spec", "f:ports", "k:{\"port\":80}", "f:name"].map(Into::into).into();
        assert_eq!(readable(&path), ".spec.ports[port=80].name");
        assert_eq!(Set::from_fields(&json!({})).to_fields(), json!({}));
    }
}
