//! Removes fields that a schema does not know.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::flag;

/// The members of metadata.
const METADATA: [&str; 15] = [
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "managedFields",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// The members of an owner in metadata.
const OWNER: [&str; 6] = ["apiVersion", "blockOwnerDeletion", "controller", "kind", "name", "uid"];

/// Prunes an object that has kind, apiVersion and metadata. Returns the removed paths, sorted.
pub(super) fn object(schema: &Value, object: &mut Value) -> Vec<String> {
    value(schema, true, object)
}

/// Prunes a value. `whole` is true for an object of the API. Returns the removed paths, sorted.
pub(super) fn value(schema: &Value, whole: bool, value: &mut Value) -> Vec<String> {
    let mut pruning = Pruning { path: String::new(), unknown: Vec::new() };
    pruning.value(schema, whole, value);
    pruning.unknown.sort_unstable();
    pruning.unknown
}

struct Pruning {
    /// The current path, such as `spec.ports[0]`.
    path: String,
    unknown: Vec<String>,
}

impl Pruning {
    /// Prunes a value whose schema may keep unknown members.
    fn value(&mut self, schema: &Value, whole: bool, value: &mut Value) {
        let keeps_unknown = flag(schema, "x-kubernetes-preserve-unknown-fields");
        let whole = whole || flag(schema, "x-kubernetes-embedded-resource");
        match value {
            Value::Object(members) => members.retain(|name, value| {
                let above = self.enter(name);
                let kept = self.member(schema, keeps_unknown, whole, name, value);
                if !kept {
                    self.unknown.push(self.path.clone());
                }
                self.path.truncate(above);
                kept
            }),
            Value::Array(elements) if keeps_unknown => self.kept_elements(schema, elements),
            Value::Array(elements) => {
                self.elements(elements, |pruning, element| {
                    pruning.value(&schema["items"], false, element);
                });
            }
            _ => {}
        }
    }

    /// Prunes only the declared members inside of a list that keeps unknown ones.
    fn kept_elements(&mut self, schema: &Value, elements: &mut [Value]) {
        let items = &schema["items"];
        if !items.is_object() {
            return;
        }
        self.elements(elements, |pruning, element| match element {
            Value::Object(members) => {
                let whole = flag(items, "x-kubernetes-embedded-resource");
                for (name, value) in members {
                    let above = pruning.enter(name);
                    pruning.member(items, true, whole, name, value);
                    pruning.path.truncate(above);
                }
            }
            Value::Array(elements) => pruning.kept_elements(items, elements),
            _ => {}
        });
    }

    fn elements(&mut self, elements: &mut [Value], mut prune: impl FnMut(&mut Self, &mut Value)) {
        for (n, element) in elements.iter_mut().enumerate() {
            let above = self.path.len();
            let _ = write!(self.path, "[{n}]");
            prune(self, element);
            self.path.truncate(above);
        }
    }

    /// Prunes a member, and returns whether it is kept.
    fn member(
        &mut self,
        schema: &Value,
        keeps_unknown: bool,
        whole: bool,
        name: &str,
        value: &mut Value,
    ) -> bool {
        match name {
            "apiVersion" | "kind" if whole => return true,
            "metadata" if whole => {
                self.metadata(value);
                return true;
            }
            _ => {}
        }
        let property = &schema["properties"][name];
        let additional = &schema["additionalProperties"];
        if !property.is_null() {
            self.value(property, false, value);
        } else if !additional.is_null() {
            // Without a schema, all members below are unknown.
            self.value(additional, false, value);
        } else {
            return keeps_unknown;
        }
        true
    }

    fn metadata(&mut self, metadata: &mut Value) {
        let Value::Object(members) = metadata else { return };
        self.retain(members, &METADATA);
        members.retain(|name, value| {
            let empty = match value {
                Value::Null => true,
                Value::String(text) => text.is_empty(),
                Value::Array(elements) => elements.is_empty() && name != "managedFields",
                Value::Object(members) => members.is_empty(),
                _ => false,
            };
            !empty
        });
        if let Some(Value::Array(owners)) = members.get_mut("ownerReferences") {
            let above = self.enter("ownerReferences");
            self.elements(owners, Self::owner);
            self.path.truncate(above);
        }
    }

    fn owner(&mut self, owner: &mut Value) {
        if let Value::Object(members) = owner {
            self.retain(members, &OWNER);
        }
    }

    fn retain(&mut self, members: &mut Map<String, Value>, known: &[&str]) {
        members.retain(|name, _| {
            let known = known.contains(&name.as_str());
            if !known {
                self.unknown.push(format!("{}.{name}", self.path));
            }
            known
        });
    }

    /// Enters a member, and returns the length of the path to restore.
    fn enter(&mut self, name: &str) -> usize {
        let above = self.path.len();
        if above > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        above
    }
}
