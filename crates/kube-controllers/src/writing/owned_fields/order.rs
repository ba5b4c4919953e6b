//! Lists whose order a type does not keep, because it holds a set or sorts.
//!
//! The cache does not show a change of such an order. A type with a `HashSet` even writes one value
//! in another order each time.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::super::digest::Digest;
use super::super::hidden::is_blank;
use super::{OwnedFields, Part};

/// The steps to lists: the name of a member, or `None` for each element of a list.
type Path = Vec<Option<Box<str>>>;

/// Lists inside this many others get no repeated element: each repeats all that is below it.
const MOST_REPEATING: usize = 3;

/// The number of looks at a type that refuses repeated elements.
const TRIES: usize = 16;

/// The lists whose order a type does not keep.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Unordered(Vec<Path>);

impl Unordered {
    /// Returns the lists in the place of a configuration. `seen` is the type's view of an object,
    /// and `read` returns that of another object.
    pub(in super::super) fn of(
        configuration: &Value,
        seen: &Value,
        read: impl Fn(&Value) -> Result<Value, String>,
    ) -> Self {
        let mut found = Self::default();
        let mut look = |repeating| {
            let mut mixed = seen.clone();
            let read = mix_within(&mut mixed, configuration, repeating).then(|| read(&mixed));
            if let Some(Ok(seen)) = &read {
                found.compare(&mixed, seen, &mut Vec::new());
            }
            read.is_some_and(|read| read.is_err())
        };
        // A type may refuse repeated elements. Without them, a set may show any order.
        if look(MOST_REPEATING) {
            let _tries = (0..TRIES).find(|_| look(0));
        }
        found.0.retain(|path| is_within(configuration, path));
        // A list comes before those inside of it.
        found.0.sort_unstable();
        found
    }

    /// Sorts the lists of an object.
    pub(super) fn sort(&self, object: &mut Value) {
        self.0.iter().rev().for_each(|path| sort(object, path));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in super::super) fn to_value(&self) -> Value {
        let paths = self.0.iter();
        paths.map(|path| path.iter().map(Option::as_deref).collect::<Value>()).collect()
    }

    /// Adds the lists of an object that the type's view of it shows in another order, or without
    /// the repeated elements.
    fn compare(&mut self, object: &Value, seen: &Value, path: &mut Path) {
        match (object, seen) {
            (Value::Object(members), Value::Object(seen)) => {
                for (name, value) in members {
                    let Some(seen) = seen.get(name) else { continue };
                    path.push(Some(name.as_str().into()));
                    self.compare(value, seen, path);
                    path.pop();
                }
            }
            (Value::Array(elements), Value::Array(seen)) => {
                let digests = |list: &[Value]| list.iter().map(Digest::as_sets).collect();
                let [before, after]: [Vec<_>; 2] = [digests(elements), digests(seen)];
                let places: HashMap<_, _> = after.iter().zip(seen).collect();
                // Otherwise the type changes elements.
                if before.iter().collect::<BTreeSet<_>>() != after.iter().collect() {
                    return;
                }
                if before != after && !self.0.contains(path) {
                    self.0.push(path.clone());
                }
                path.push(None);
                for (digest, value) in before.iter().zip(elements) {
                    self.compare(value, places[digest], path);
                }
                path.pop();
            }
            _ => {}
        }
    }
}

impl OwnedFields {
    /// Returns the path of a list whose order is part of an owned value, although the type does not
    /// keep it.
    pub(in super::super) fn unseen_order(&self, unordered: &Unordered) -> Option<String> {
        unordered.0.iter().find(|path| self.part.has_order(path)).map(|path| shown(path))
    }
}

impl Part {
    fn has_order(&self, path: &[Option<Box<str>>]) -> bool {
        let Self::Some { members, elements, values } = self else { return true };
        match path {
            // The elements have their own owners.
            [] => false,
            [Some(name), rest @ ..] => {
                members.iter().any(|(known, part)| known == name && part.has_order(rest))
            }
            [None, rest @ ..] => {
                values.is_empty() && elements.iter().any(|(_, part)| part.has_order(rest))
            }
        }
    }
}

fn is_within(configuration: &Value, path: &[Option<Box<str>>]) -> bool {
    match (configuration, path) {
        (Value::Object(members), [Some(name), rest @ ..]) => {
            members.get(&**name).is_some_and(|below| is_within(below, rest))
        }
        _ => true,
    }
}

fn shown(path: &[Option<Box<str>>]) -> String {
    let step = |step: &Option<Box<str>>| match step {
        Some(name) => format!(".{name}"),
        None => "[]".to_owned(),
    };
    path.iter().map(step).collect()
}

/// Reverses the lists in the place of a configuration. Returns whether it has found any. Lists that
/// a server has dropped are added: the type may still write them in any order.
fn mix_within(value: &mut Value, configuration: &Value, repeating: usize) -> bool {
    let (Value::Object(members), Value::Object(configured)) = (&mut *value, configuration) else {
        return mix(value, repeating);
    };
    let mut found = false;
    for (name, below) in configured {
        let member = members.entry(name).or_insert(Value::Null);
        if is_blank(member) {
            member.clone_from(below);
        }
        found |= mix_within(member, below, repeating);
    }
    found
}

/// Reverses all lists, and repeats one element: a set does not keep it.
fn mix(value: &mut Value, repeating: usize) -> bool {
    let mix_all = |below: &mut dyn Iterator<Item = &mut Value>, repeating| {
        below.fold(false, |found, value| mix(value, repeating) || found)
    };
    match value {
        Value::Object(members) => mix_all(&mut members.values_mut(), repeating),
        Value::Array(list) => {
            let found = mix_all(&mut list.iter_mut(), repeating.saturating_sub(1));
            if list.len() < 2 {
                return found;
            }
            list.reverse();
            if repeating > 0 {
                list.push(list[0].clone());
            }
            true
        }
        _ => false,
    }
}

fn sort(value: &mut Value, path: &[Option<Box<str>>]) {
    match (path, value) {
        ([], Value::Array(list)) => list.sort_by_cached_key(Digest::of),
        ([None, rest @ ..], Value::Array(list)) => {
            list.iter_mut().for_each(|element| sort(element, rest));
        }
        ([Some(name), rest @ ..], Value::Object(members)) => {
            if let Some(value) = members.get_mut(&**name) {
                sort(value, rest);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;

    /// Reads a value as a type does whose members `words` change on the way.
    fn changed(value: &Value, change: fn(&mut Vec<Value>)) -> Value {
        let mut read = value.clone();
        let sets = read["spec"]["sets"].as_array_mut().into_iter().flatten();
        sets.filter_map(|set| set["words"].as_array_mut()).for_each(change);
        read
    }

    fn as_set(words: &mut Vec<Value>) {
        let set: HashSet<_> = words.drain(..).collect();
        words.extend(set);
    }

    fn sorted(words: &mut Vec<Value>) {
        words.sort_by_key(Value::to_string);
    }

    #[test]
    fn only_lists_without_order_are_found() {
        let object = json!({"spec": {
            "args": ["b", "a"], "sets": [{"words": ["x", "y"]}, {"words": ["y"]}], "one": ["a"],
        }});
        let set = |value: &Value| Ok(changed(value, as_set));
        let strict = |value: &Value| {
            let words = value.pointer("/spec/sets/1/words").and_then(Value::as_array);
            let repeats = words.is_some_and(|words| words.len() > 2);
            if repeats { Err(String::new()) } else { Ok(changed(value, sorted)) }
        };
        for read in [&set as &dyn Fn(&Value) -> Result<Value, String>, &strict] {
            let dropped = json!({"spec": {"args": ["b", "a"], "sets": []}});
            for (configured, seen) in [(&dropped, &object), (&object, &dropped)] {
                let found = Unordered::of(configured, seen, read);
                let paths: Vec<_> = found.0.iter().map(|path| shown(path)).collect();
                assert_eq!(paths, [".spec.sets[].words"]);
            }
            let found = Unordered::of(&object, &object, read);
            let mut other = json!({"spec": {"args": ["b", "a"], "sets": [{"words": ["y", "x"]}]}});
            found.sort(&mut other);
            let mut first = json!({"spec": {"args": ["b", "a"], "sets": [{"words": ["x", "y"]}]}});
            found.sort(&mut first);
            assert_eq!(other, first);
        }
        assert!(Unordered::of(&json!({"spec": {"args": ["a"]}}), &object, set).is_empty());
        let fields = |words| json!({"f:spec": {"f:sets": {"k:{\"a\":1}": {"f:words": words}}}});
        let found = Unordered::of(&object, &object, set);
        for (words, is_ordered) in [(json!({}), true), (json!({"v:\"x\"": {}}), false)] {
            let owned = OwnedFields::from_fields_v1(&fields(words)).unwrap();
            assert_eq!(owned.unseen_order(&found).is_some(), is_ordered);
        }
    }
}
