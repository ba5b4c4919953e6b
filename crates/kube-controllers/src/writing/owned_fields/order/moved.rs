//! Owned lists that a type shows in another order than an object has them.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::super::super::digest::Digest;
use super::super::super::hidden::means_none;
use super::super::{OwnedFields, Part, with_keys};
use super::{Path, Step};

impl OwnedFields {
    /// Returns the owned lists that a type shows in another order than an object has them. An
    /// element is the same one if the type leaves out what means none.
    pub(super) fn moved(&self, object: &Value, seen: &Value) -> BTreeSet<Path> {
        let mut found = BTreeSet::new();
        let [object, seen] = [object, seen].map(without_none);
        self.part.find_moved(&object, &seen, &mut Vec::new(), &mut found);
        found
    }
}

impl Part {
    fn find_moved(
        &self,
        object: &Value,
        seen: &Value,
        path: &mut Path,
        found: &mut BTreeSet<Path>,
    ) {
        let Self::Some { members, elements, .. } = self else {
            return find_moved(object, seen, path, found);
        };
        for (name, part) in members {
            if let (Some(value), Some(seen)) = (object.get(&**name), seen.get(&**name)) {
                path.push(Step::Member(name.clone()));
                part.find_moved(value, seen, path, found);
                path.pop();
            }
        }
        let (Value::Array(list), Value::Array(seen)) = (object, seen) else { return };
        path.push(Step::Each);
        for (keys, part) in elements {
            if let ([value, ..], [seen, ..]) =
                (&with_keys(keys, list)[..], &with_keys(keys, seen)[..])
            {
                part.find_moved(value, seen, path, found);
            }
        }
        path.pop();
    }
}

/// Returns a value without the members that mean none.
fn without_none(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter(|(_, value)| !means_none(value));
            members.map(|(name, value)| (name.clone(), without_none(value))).collect()
        }
        Value::Array(elements) => elements.iter().map(without_none).collect(),
        value => value.clone(),
    }
}

/// Finds the lists that have the same elements in another order.
fn find_moved(object: &Value, seen: &Value, path: &mut Path, found: &mut BTreeSet<Path>) {
    match (object, seen) {
        (Value::Object(members), Value::Object(seen)) => {
            for (name, value) in members {
                let Some(seen) = seen.get(name) else { continue };
                path.push(Step::Member(name.as_str().into()));
                find_moved(value, seen, path, found);
                path.pop();
            }
        }
        (Value::Array(list), Value::Array(seen)) => {
            let [before, after]: [Vec<_>; 2] =
                [list, seen].map(|list| list.iter().map(Digest::as_sets).collect());
            let places: HashMap<_, _> = after.iter().zip(seen).collect();
            let are_same = before.iter().all(|digest| places.contains_key(digest));
            if are_same && before != after {
                found.insert(path.clone());
            }
            path.push(Step::Each);
            for (n, (digest, value)) in before.iter().zip(list).enumerate() {
                let seen = if are_same && before != after {
                    places.get(digest).copied()
                } else {
                    seen.get(n)
                };
                if let Some(seen) = seen {
                    find_moved(value, seen, path, found);
                }
            }
            path.pop();
        }
        _ => {}
    }
}
