//! Sets of fields, as `fieldsV1` writes them: `{"f:spec":{"f:replicas":{}}}`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// A set of fields: a tree whose steps are those of `fieldsV1`. `f:name` is a member, `k:{…}` the
/// list element with these keys, `v:…` the list element with this value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Set(BTreeMap<String, Node>);

/// A field that is in the set, or has fields below it that are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) is_member: bool,
    pub(crate) below: Set,
}

impl Node {
    fn is_empty(&self) -> bool {
        !self.is_member && self.below.is_empty()
    }

    fn combine(&self, other: &Self, rule: fn(bool, bool) -> bool) -> Self {
        Self {
            is_member: rule(self.is_member, other.is_member),
            below: self.below.combine(&other.below, rule),
        }
    }
}

impl Set {
    /// Reads a set. Returns `None` if it is not written as `fieldsV1`.
    pub(crate) fn from_fields(fields: &Value) -> Option<Self> {
        let mut set = Self::default();
        for (step, below) in fields.as_object()? {
            if step == "." {
                continue;
            }
            if !matches!(step.as_bytes(), [b'f' | b'k' | b'v' | b'i', b':', ..]) {
                return None;
            }
            let members = below.as_object()?;
            let is_member = members.is_empty() || members.contains_key(".");
            set.insert(step.clone(), Node { is_member, below: Self::from_fields(below)? });
        }
        Some(set)
    }

    pub(crate) fn to_fields(&self) -> Value {
        let written = self.0.iter().map(|(step, node)| {
            let mut below = node.below.to_fields();
            if let Value::Object(members) = &mut below
                && node.is_member
                && !members.is_empty()
            {
                members.insert(".".into(), Value::Object(Map::new()));
            }
            (step.clone(), below)
        });
        Value::Object(written.collect())
    }

    /// Adds a node, unless nothing in it is in the set.
    pub(crate) fn insert(&mut self, step: String, node: Node) {
        if !node.is_empty() {
            self.0.insert(step, node);
        }
    }

    /// Adds the field at a path.
    pub(crate) fn insert_path(&mut self, path: &[&str]) {
        let [first, rest @ ..] = path else { return };
        let node = self.0.entry((*first).to_owned()).or_default();
        if rest.is_empty() {
            node.is_member = true;
        } else {
            node.below.insert_path(rest);
        }
    }

    pub(crate) fn get(&self, step: &str) -> Option<&Node> {
        self.0.get(step)
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = (&String, &Node)> {
        self.0.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn combine(&self, other: &Self, rule: fn(bool, bool) -> bool) -> Self {
        let mut combined = Self::default();
        let nothing = Node::default();
        for (step, node) in &self.0 {
            let other = other.0.get(step).unwrap_or(&nothing);
            combined.insert(step.clone(), node.combine(other, rule));
        }
        for (step, node) in other.0.iter().filter(|(step, _)| !self.0.contains_key(*step)) {
            combined.insert(step.clone(), nothing.combine(node, rule));
        }
        combined
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a || b)
    }

    pub(crate) fn difference(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a && !b)
    }

    pub(crate) fn intersection(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a && b)
    }

    /// Returns the set without the fields of another one and all that is below them.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let mut left = Self::default();
        for (step, node) in &self.0 {
            match other.0.get(step) {
                None => left.insert(step.clone(), node.clone()),
                Some(gone) if gone.is_member => {}
                Some(gone) => left.insert(
                    step.clone(),
                    Node { is_member: node.is_member, below: node.below.without(&gone.below) },
                ),
            }
        }
        left
    }

    /// Returns the paths of all fields.
    pub(crate) fn paths(&self) -> Vec<Vec<&str>> {
        let mut paths = Vec::new();
        self.collect(&mut Vec::new(), &mut paths);
        paths
    }

    fn collect<'a>(&'a self, path: &mut Vec<&'a str>, paths: &mut Vec<Vec<&'a str>>) {
        for (step, node) in &self.0 {
            path.push(step);
            if node.is_member {
                paths.push(path.clone());
            }
            node.below.collect(path, paths);
            path.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn recorded_set_survives_a_round_trip() {
        let list = include_str!("../../../../../../tests/data/transcripts/list-pods-json.json");
        let list: Value = serde_json::from_str(list).unwrap();
        for entry in list["items"][0]["metadata"]["managedFields"].as_array().unwrap() {
            let fields = &entry["fieldsV1"];
            assert_eq!(Set::from_fields(fields).unwrap().to_fields(), *fields);
        }
        assert_eq!(Set::from_fields(&json!({})).unwrap().to_fields(), json!({}));
        for bad in [json!({"x": {}}), json!({"f:a": 1}), json!([])] {
            assert_eq!(Set::from_fields(&bad), None);
        }
    }

    #[test]
    fn sets_are_combined_path_by_path() {
        let set = |fields: Value| Set::from_fields(&fields).unwrap();
        let a = set(json!({"f:a": {".": {}, "f:b": {}}, "f:c": {}}));
        let b = set(json!({"f:a": {"f:b": {}, "f:d": {}}}));
        let union = json!({"f:a": {".": {}, "f:b": {}, "f:d": {}}, "f:c": {}});
        assert_eq!(a.union(&b), set(union));
        assert_eq!(a.difference(&b), set(json!({"f:a": {}, "f:c": {}})));
        assert_eq!(a.intersection(&b), set(json!({"f:a": {"f:b": {}}})));
        assert_eq!(b.without(&a), Set::default());
        assert_eq!(a.paths(), [vec!["f:a"], vec!["f:a", "f:b"], vec!["f:c"]]);
    }
}
