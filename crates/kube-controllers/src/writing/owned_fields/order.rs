//! Lists whose order a type does not keep, because it holds a set or sorts.
//!
//! The cache does not show a change of such an order. A type with a `HashSet` even writes one value
//! in another order each time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::super::digest::Digest;
use super::super::hidden::is_blank;
use super::{OwnedFields, Part};

/// The steps to lists: the name of a member, or `None` for each element of a list.
type Path = Vec<Option<Box<str>>>;

/// Lists inside this many others get no repeated element: each repeats all that is below it.
const MOST_REPEATING: usize = 5;

/// The numbers of looks at lists of two, three, four and more elements. A set that writes its
/// elements in any order then shows the given one each time with a chance below 2^-16.
const TRIES: [usize; 4] = [20, 10, 6, 5];

/// The maximum number of lists that are looked at one by one.
const MOST_ALONE: usize = 64;

/// The lists whose order a type does not keep.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Unordered {
    lists: BTreeSet<Path>,
    /// The lists of which nothing could be learned. Their order counts, but may not show.
    unknown: BTreeSet<Path>,
}

/// Looks at a type through objects with reversed lists.
struct Looks<'a, R> {
    /// The object as the type shows it.
    object: &'a Value,
    read: R,
    /// The lists that the type has shown in another order.
    found: BTreeSet<Path>,
}

impl Unordered {
    /// Returns the lists in the place of a configuration. `seen` is the type's view of an object,
    /// and `read` returns that of another object.
    ///
    /// A list has no order if the type does not show it reversed after it was reversed.
    pub(in super::super) fn of(
        configuration: &Value,
        seen: &Value,
        read: impl Fn(&Value) -> Result<Value, String>,
    ) -> Self {
        let mut object = seen.clone();
        let mut open = BTreeSet::new();
        find_within(&mut object, configuration, &mut Vec::new(), &mut open);
        let mut looks = Looks { object: &object, read, found: BTreeSet::new() };
        looks.rule_out(&mut open);
        if open.is_empty() {
            return Self::default();
        }
        // A type may refuse another order of one list, and then shows nothing of the others.
        let open: Vec<_> = open.into_iter().collect();
        let together = if looks.look(&open).is_ok() { open.len() } else { 1 };
        let mut unknown: BTreeSet<_> = open.iter().skip(together * MOST_ALONE).cloned().collect();
        for lists in open.chunks(together).take(MOST_ALONE) {
            if !looks.look_often(lists) {
                unknown.extend(lists.iter().cloned());
            }
        }
        Self { lists: looks.found, unknown }
    }

    /// Sorts the lists of an object.
    pub(super) fn sort(&self, object: &mut Value) {
        // A list comes before those inside of it.
        for path in self.lists.iter().rev() {
            at(object, path, &mut |list| list.sort_by_cached_key(Digest::of));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    pub(in super::super) fn to_value(&self) -> Value {
        let paths = self.lists.iter();
        paths.map(|path| path.iter().map(Option::as_deref).collect::<Value>()).collect()
    }
}

impl<R: Fn(&Value) -> Result<Value, String>> Looks<'_, R> {
    /// Removes the lists that keep a repeated element in its place, as no set and no sorted list
    /// does. That takes one look at most types.
    fn rule_out(&self, open: &mut BTreeSet<Path>) {
        if open.is_empty() {
            return;
        }
        let mut mixed = self.object.clone();
        for path in open.iter().rev() {
            let repeats = path.iter().filter(|step| step.is_none()).count() < MOST_REPEATING;
            at(&mut mixed, path, &mut |list| {
                list.reverse();
                list.extend(list.first().filter(|_| repeats && list.len() > 1).cloned());
            });
        }
        let Ok(seen) = (self.read)(&mixed) else { return };
        let mut kept = BTreeMap::<Path, usize>::new();
        compare(&mixed, &seen, &mut Vec::new(), &mut |path, before, after| {
            if before == after && before.first() == before.last() {
                *kept.entry(path.clone()).or_default() += 1;
            }
        });
        open.retain(|path| {
            let mut all = 0;
            at(&mut mixed, path, &mut |list| all += usize::from(list.len() > 1));
            kept.get(path) != Some(&all)
        });
    }

    /// Looks until the order of these lists is clear. Returns whether the type took an object.
    fn look_often(&mut self, lists: &[Path]) -> bool {
        let mut object = self.object.clone();
        let mut shortest = usize::MAX;
        for path in lists {
            at(&mut object, path, &mut |list| {
                if list.len() > 1 {
                    shortest = shortest.min(list.len());
                }
            });
        }
        let tries = TRIES[shortest.clamp(2, TRIES.len() + 1) - 2];
        for _ in 0..tries {
            if lists.iter().all(|path| self.found.contains(path)) {
                break;
            }
            // A set may also show another order than that of an unchanged object.
            if self.look(lists).or_else(|_| self.look(&[])).is_err() {
                return false;
            }
        }
        true
    }

    /// Shows the type an object with these lists reversed, and notes each list that it shows in
    /// another order. The error is that of a type that refuses the object.
    fn look(&mut self, lists: &[Path]) -> Result<(), String> {
        let mut mixed = self.object.clone();
        for path in lists.iter().rev() {
            at(&mut mixed, path, &mut |list| list.reverse());
        }
        let seen = (self.read)(&mixed)?;
        compare(&mixed, &seen, &mut Vec::new(), &mut |path, before, after| {
            if before != after && !self.found.contains(path) {
                self.found.insert(path.clone());
            }
        });
        Ok(())
    }
}

impl OwnedFields {
    /// Returns the path of a list whose order is part of an owned value, although the type may not
    /// keep it. Of a whole object, it returns only lists of which that is not known.
    pub(in super::super) fn unseen_order(
        &self,
        unordered: &Unordered,
        is_whole: bool,
    ) -> Option<String> {
        let known = unordered.lists.iter().filter(|_| !is_whole);
        let mut lists = known.chain(&unordered.unknown);
        lists.find(|path| self.part.has_order(path)).map(|path| shown(path))
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

fn shown(path: &[Option<Box<str>>]) -> String {
    let step = |step: &Option<Box<str>>| match step {
        Some(name) => format!(".{name}"),
        None => "[]".to_owned(),
    };
    path.iter().map(step).collect()
}

/// Finds the lists of several elements in the place of a configuration. Lists that a server has
/// dropped are added: the type may still write them in any order.
fn find_within(
    value: &mut Value,
    configuration: &Value,
    path: &mut Path,
    found: &mut BTreeSet<Path>,
) {
    let (Value::Object(members), Value::Object(configured)) = (&mut *value, configuration) else {
        return find(value, path, found);
    };
    for (name, below) in configured {
        let member = members.entry(name).or_insert(Value::Null);
        if is_blank(member) {
            member.clone_from(below);
        }
        path.push(Some(name.as_str().into()));
        find_within(member, below, path, found);
        path.pop();
    }
}

fn find(value: &Value, path: &mut Path, found: &mut BTreeSet<Path>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                path.push(Some(name.as_str().into()));
                find(value, path, found);
                path.pop();
            }
        }
        Value::Array(list) => {
            if list.len() > 1 && !found.contains(path) {
                found.insert(path.clone());
            }
            path.push(None);
            for value in list {
                find(value, path, found);
            }
            path.pop();
        }
        _ => {}
    }
}

/// Calls a function with each list of several elements that a type shows with the same elements:
/// its path, and the digests before and after.
fn compare(
    object: &Value,
    seen: &Value,
    path: &mut Path,
    each: &mut impl FnMut(&Path, &[Digest], &[Digest]),
) {
    match (object, seen) {
        (Value::Object(members), Value::Object(seen)) => {
            for (name, value) in members {
                let Some(seen) = seen.get(name) else { continue };
                path.push(Some(name.as_str().into()));
                compare(value, seen, path, each);
                path.pop();
            }
        }
        (Value::Array(elements), Value::Array(seen)) => {
            let digests = |list: &[Value]| list.iter().map(Digest::as_sets).collect();
            let [before, after]: [Vec<_>; 2] = [digests(elements), digests(seen)];
            // Otherwise the type changes elements.
            if before.iter().collect::<BTreeSet<_>>() != after.iter().collect() {
                return;
            }
            if before.len() > 1 {
                each(path, &before, &after);
            }
            let places: HashMap<_, _> = after.iter().zip(seen).collect();
            path.push(None);
            for (n, (digest, value)) in before.iter().zip(elements).enumerate() {
                let seen = if before == after { &seen[n] } else { places[digest] };
                compare(value, seen, path, each);
            }
            path.pop();
        }
        _ => {}
    }
}

/// Calls a function with each list at a path.
fn at(value: &mut Value, path: &[Option<Box<str>>], each: &mut impl FnMut(&mut Vec<Value>)) {
    match (path, value) {
        ([], Value::Array(list)) => each(list),
        ([None, rest @ ..], Value::Array(list)) => {
            for element in list {
                at(element, rest, each);
            }
        }
        ([Some(name), rest @ ..], Value::Object(members)) => {
            if let Some(value) = members.get_mut(&**name) {
                at(value, rest, each);
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

    #[expect(clippy::ptr_arg, reason = "of the type of `as_set`")]
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
                let paths: Vec<_> = found.lists.iter().map(|path| shown(path)).collect();
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
            assert_eq!(owned.unseen_order(&found, false).is_some(), is_ordered);
        }
    }

    #[test]
    fn list_that_drops_repeated_elements_has_an_order() {
        let object = json!({"spec": {"sets": [{"words": ["x", "y"]}, {"words": ["z", "x", "y"]}]}});
        let first = |words: &mut Vec<Value>| {
            let mut known = Vec::new();
            words.retain(|word| {
                !known.contains(word) && {
                    known.push(word.clone());
                    true
                }
            });
        };
        let last = |words: &mut Vec<Value>| {
            let before = words.clone();
            let is_last = |(n, word): &(usize, &Value)| !before[n + 1..].contains(word);
            let kept = before.iter().enumerate().filter(is_last);
            *words = kept.map(|(_, word)| word.clone()).collect();
        };
        for change in [first, last] {
            let found = Unordered::of(&object, &object, |value| Ok(changed(value, change)));
            assert_eq!(found, Unordered::default());
        }
    }

    #[test]
    fn list_that_refuses_another_order_hides_no_other() {
        let object = json!({"spec": {"sets": [{"words": ["x", "y"]}], "limit": ["cpu", 3]}});
        for change in [as_set, sorted] {
            let read = |value: &Value| {
                let is_tuple = value["spec"]["limit"] == json!(["cpu", 3]);
                if is_tuple { Ok(changed(value, change)) } else { Err(String::new()) }
            };
            let found = Unordered::of(&object, &object, read);
            let paths: Vec<_> = found.lists.iter().map(|path| shown(path)).collect();
            assert_eq!(
                (&paths[..], found.unknown.len()),
                (&[".spec.sets[].words".to_owned()][..], 0)
            );
        }
    }

    #[test]
    fn order_of_which_nothing_is_known_is_named() {
        let lists = (0..=MOST_ALONE).map(|n| (format!("{n:02}"), json!(["a", "b"])));
        let object = json!({"spec": lists.collect::<serde_json::Map<_, _>>()});
        let strict = |value: &Value| {
            if *value == object { Ok(value.clone()) } else { Err(String::new()) }
        };
        let owned = OwnedFields::of_configuration(&object);
        let path = |found: Unordered| owned.unseen_order(&found, true);
        assert_eq!(path(Unordered::of(&object, &object, strict)).as_deref(), Some(".spec.64"));
        let refused = |_: &Value| Err(String::new());
        assert_eq!(path(Unordered::of(&object, &object, refused)).as_deref(), Some(".spec.00"));
    }
}
