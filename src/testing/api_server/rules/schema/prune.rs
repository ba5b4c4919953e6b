//! Removes fields that a schema does not know.

use std::fmt::Write;

use serde_json::Value;

use super::{flag, member};

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

/// Prunes an object that has kind, apiVersion and metadata. Returns the removed paths, sorted.
pub(super) fn object(schema: &Value, object: &mut Value) -> Vec<String> {
    let mut pruning = Pruning { path: String::new(), unknown: Vec::new() };
    pruning.value(schema, true, object);
    pruning.unknown.sort_unstable();
    pruning.unknown
}

struct Pruning {
    /// The current path, such as `spec.ports[0]`.
    path: String,
    unknown: Vec<String>,
}

impl Pruning {
    /// Prunes a value. `whole` is true for an object of the API.
    fn value(&mut self, schema: &Value, whole: bool, value: &mut Value) {
        let whole = whole || flag(schema, "x-kubernetes-embedded-resource");
        match value {
            Value::Object(members) => members.retain(|name, value| {
                let above = self.path.len();
                if above > 0 {
                    self.path.push('.');
                }
                self.path.push_str(name);
                let kept = self.member(schema, whole, name, value);
                if !kept {
                    self.unknown.push(self.path.clone());
                }
                self.path.truncate(above);
                kept
            }),
            Value::Array(elements) => {
                for (n, element) in elements.iter_mut().enumerate() {
                    let above = self.path.len();
                    let _ = write!(self.path, "[{n}]");
                    if !keeps_unknown(schema) || !schema["items"].is_null() {
                        self.value(&schema["items"], false, element);
                    }
                    self.path.truncate(above);
                }
            }
            _ => {}
        }
    }

    fn member(&mut self, schema: &Value, whole: bool, name: &str, value: &mut Value) -> bool {
        match name {
            "apiVersion" | "kind" if whole => return true,
            "metadata" if whole => {
                self.metadata(value);
                return true;
            }
            _ => {}
        }
        let declared = member(schema, name);
        // `additionalProperties: false` counts as absent.
        if declared.is_null() || *declared == false {
            return keeps_unknown(schema);
        }
        self.value(declared, false, value);
        true
    }

    fn metadata(&mut self, metadata: &mut Value) {
        let Value::Object(members) = metadata else { return };
        members.retain(|name, _| {
            let known = METADATA.contains(&name.as_str());
            if !known {
                self.unknown.push(format!("{}.{name}", self.path));
            }
            known
        });
    }
}

fn keeps_unknown(schema: &Value) -> bool {
    flag(schema, "x-kubernetes-preserve-unknown-fields")
}
