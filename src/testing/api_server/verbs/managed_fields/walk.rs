//! Walks through objects: lists their fields, compares two of them, and merges two of them.

use serde_json::{Map, Value};

use super::rules::{Rule, rule};
use super::set::{Path, Set};
use crate::testing::api_server::resource::ResourceType;

/// The parts of a value that are owned one by one.
enum Parts<'a> {
    /// No parts: the value is owned as a whole.
    None,
    Members(&'a Map<String, Value>),
    /// Elements, each with its identity.
    Elements(Vec<(String, &'a Value)>),
}

/// The difference of two objects.
#[derive(Debug, Default)]
pub(super) struct Difference {
    /// The fields that were added or changed.
    pub(super) set: Set,
    pub(super) removed: Set,
}

/// The type of an object, which determines its structure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk<'a>(pub(super) &'a ResourceType);

impl Walk<'_> {
    fn parts<'v>(self, path: &Path, value: &'v Value) -> Parts<'v> {
        let members: Vec<&str> = path.iter().filter_map(|at| at.strip_prefix("f:")).collect();
        match (value, rule(self.0, &members, value)) {
            (_, Rule::Atomic) => Parts::None,
            (Value::Object(members), _) if !members.is_empty() => Parts::Members(members),
            (Value::Array(elements), Rule::Granular(keys)) if !elements.is_empty() => {
                let mut known: Vec<(String, &Value)> = Vec::new();
                for element in elements {
                    let Some(name) = name(&keys, element) else { return Parts::None };
                    if known.iter().any(|(other, _)| *other == name) {
                        return Parts::None;
                    }
                    known.push((name, element));
                }
                Parts::Elements(known)
            }
            _ => Parts::None,
        }
    }

    /// Returns the parts of a value with their path elements.
    fn below<'v>(self, path: &Path, value: &'v Value) -> Option<Vec<(String, &'v Value)>> {
        match self.parts(path, value) {
            Parts::None => None,
            Parts::Members(members) => {
                Some(members.iter().map(|(name, value)| (format!("f:{name}"), value)).collect())
            }
            Parts::Elements(elements) => Some(elements),
        }
    }

    /// Returns the fields that an applied object names.
    pub(super) fn fields(self, object: &Value) -> Set {
        let mut set = Set::default();
        self.collect(&mut Vec::new(), object, false, &mut set);
        set
    }

    /// Adds the fields of a value to a set, with the paths between if `all` is true.
    fn collect(self, path: &mut Path, value: &Value, all: bool, set: &mut Set) {
        let element = path.last().is_some_and(|at| !at.starts_with("f:"));
        let below = self.below(path, value);
        if below.is_none() || element || (all && !is_root(self.0, path)) {
            set.0.insert(path.clone());
        }
        for (at, value) in below.into_iter().flatten() {
            path.push(at);
            self.collect(path, value, all, set);
            path.pop();
        }
    }

    pub(super) fn difference(self, before: &Value, after: &Value) -> Difference {
        let mut difference = Difference::default();
        self.compare(&mut Vec::new(), before, after, &mut difference);
        difference
    }

    fn compare(self, path: &mut Path, before: &Value, after: &Value, into: &mut Difference) {
        if before == after {
            return;
        }
        let (old, new) = (self.below(path, before), self.below(path, after));
        let (Some(old), Some(new)) = (&old, &new) else {
            // A root exists in every object, so no manager has set it.
            if before.is_null() {
                self.collect(path, after, true, &mut into.set);
            } else if after.is_null() {
                self.collect(path, before, true, &mut into.removed);
            } else {
                into.set.0.insert(path.clone());
                self.collect(path, after, true, &mut into.set);
                let mut gone = Set::default();
                self.collect(path, before, true, &mut gone);
                into.removed = into.removed.union(&gone.difference(&into.set));
            }
            return;
        };
        for (at, value) in new {
            let found = old.iter().find(|(other, _)| other == at).map(|(_, value)| *value);
            path.push(at.clone());
            self.compare(path, found.unwrap_or(&Value::Null), value, into);
            path.pop();
        }
        for (at, value) in old.iter().filter(|(at, _)| !new.iter().any(|(other, _)| other == at)) {
            path.push(at.clone());
            self.collect(path, value, true, &mut into.removed);
            path.pop();
        }
    }

    /// Merges an applied value into a live one.
    pub(super) fn merge(self, path: &mut Path, live: &mut Value, applied: &Value) {
        match (self.parts(path, live), self.parts(path, applied)) {
            (Parts::Members(_), Parts::Members(applied)) => {
                let Value::Object(live) = live else { return };
                for (name, value) in applied {
                    path.push(format!("f:{name}"));
                    match live.get_mut(name) {
                        Some(found) => self.merge(path, found, value),
                        None => drop(live.insert(name.clone(), value.clone())),
                    }
                    path.pop();
                }
            }
            (Parts::Elements(known), Parts::Elements(applied)) => {
                let names: Vec<String> = known.into_iter().map(|(name, _)| name).collect();
                let Value::Array(live) = live else { return };
                for (name, value) in applied {
                    path.push(name.clone());
                    match names.iter().position(|known| *known == name) {
                        Some(at) => self.merge(path, &mut live[at], value),
                        None => live.push(value.clone()),
                    }
                    path.pop();
                }
            }
            // An empty applied object leaves the parts as they are.
            (Parts::Members(_), _) if applied.as_object().is_some_and(Map::is_empty) => {}
            _ => live.clone_from(applied),
        }
    }

    /// Removes a path from an object, and parents that become empty.
    pub(super) fn remove(self, object: &mut Value, path: &[String]) {
        self.take(&mut Vec::new(), object, path);
    }

    fn take(self, at: &mut Path, value: &mut Value, path: &[String]) {
        let [first, rest @ ..] = path else { return };
        if let Some(name) = first.strip_prefix("f:") {
            let Some(members) = value.as_object_mut() else { return };
            let Some(found) = members.get_mut(name) else { return };
            at.push(first.clone());
            self.take(at, found, rest);
            at.pop();
            let empty = match found {
                Value::Object(members) => members.is_empty(),
                Value::Array(elements) => elements.is_empty(),
                _ => false,
            };
            if rest.is_empty() || empty {
                members.remove(name);
            }
            return;
        }
        let Parts::Elements(elements) = self.parts(at, value) else { return };
        let Some(n) = elements.iter().position(|(name, _)| name == first) else { return };
        let Some(elements) = value.as_array_mut() else { return };
        if rest.is_empty() {
            elements.remove(n);
            return;
        }
        at.push(first.clone());
        self.take(at, &mut elements[n], rest);
        at.pop();
    }
}

/// Returns the identity of an element.
fn name(keys: &[(String, Option<&'static str>)], element: &Value) -> Option<String> {
    if keys.is_empty() {
        return Some(format!("v:{element}"));
    }
    let mut named = Map::new();
    for (key, default) in keys {
        let value = match (element.get(key), default) {
            (Some(value), _) => value.clone(),
            (None, Some(default)) => (*default).into(),
            (None, None) => continue,
        };
        named.insert(key.clone(), value);
    }
    (!named.is_empty()).then(|| format!("k:{}", Value::Object(named)))
}

/// Returns whether a path exists in every Go object, so that no manager sets it.
fn is_root(resource: &ResourceType, path: &Path) -> bool {
    let Some(last) = path.last() else { return true };
    if resource.custom {
        return path.len() == 1 && last == "f:metadata";
    }
    path.len() == 1
        || matches!(
            &**last,
            "f:containers"
                | "f:jobTemplate"
                | "f:metadata"
                | "f:spec"
                | "f:strategy"
                | "f:template"
                | "f:updateStrategy"
        )
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn pods() -> ResourceType {
        ResourceType::new("", "v1", "Pod", "pods", true)
    }

    /// Returns a pod with few names, so that two pods have much in common.
    fn pod() -> impl Strategy<Value = Value> {
        let env = btree_map("[AB]", "[xy]", 0..3);
        let container = ("[abc]", "[12]", env, vec("[pq]", 0..3));
        let labels = btree_map("[kl]", "[vw]", 0..3);
        (vec(container, 0..4), labels, vec("[fg]", 0..3)).prop_map(
            |(containers, labels, finalizers)| {
                let mut known = std::collections::BTreeMap::new();
                for (name, image, env, args) in containers {
                    let env: Vec<Value> = env
                        .iter()
                        .map(|(name, value)| json!({"name": name, "value": value}))
                        .collect();
                    known.insert(
                        name.clone(),
                        json!({
                            "name": name, "image": image, "env": env, "args": args,
                        }),
                    );
                }
                let finalizers: std::collections::BTreeSet<_> = finalizers.into_iter().collect();
                json!({
                    "metadata": {"labels": labels, "finalizers": finalizers},
                    "spec": {"containers": known.into_values().collect::<Vec<_>>()},
                })
            },
        )
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn difference_leads_from_one_to_the_other(a in pod(), b in pod()) {
            let resource = pods();
            let walk = Walk(&resource);
            let same = walk.difference(&a, &a);
            prop_assert!(same.set.is_empty() && same.removed.is_empty());
            let difference = walk.difference(&a, &b);
            prop_assert_eq!(difference.set.is_empty() && difference.removed.is_empty(), a == b);
            let back = walk.difference(&b, &a);
            prop_assert!(difference.removed.difference(&back.set).is_empty(), "comes back");
        }

        #[test]
        fn merge_is_complete_and_idempotent(a in pod(), b in pod()) {
            let resource = pods();
            let walk = Walk(&resource);
            let mut merged = a.clone();
            walk.merge(&mut Vec::new(), &mut merged, &b);
            let mut again = merged.clone();
            walk.merge(&mut Vec::new(), &mut again, &b);
            prop_assert_eq!(&again, &merged);
            let lost = walk.difference(&b, &merged).removed;
            prop_assert!(lost.is_empty(), "{lost:?}");
        }

        #[test]
        fn removed_elements_are_gone(a in pod()) {
            let resource = pods();
            let walk = Walk(&resource);
            let fields = walk.fields(&a);
            prop_assert_eq!(&Set::from_fields(&fields.to_fields()), &fields);
            let mut left = a.clone();
            for path in fields.0.iter().filter(|path| path.last().is_some_and(|at| at.starts_with('k'))) {
                walk.remove(&mut left, path);
            }
            prop_assert!(left["spec"]["containers"].as_array().is_none_or(Vec::is_empty));
        }
    }
}
