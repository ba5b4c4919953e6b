//! Lists whose order a type does not keep, because it holds a set or sorts.
//!
//! The cache does not show a change of such an order. A type with a `HashSet` even writes one value
//! in another order each time. Only trials of the type show it. An order counts as kept only if the
//! type has shown the list in other orders, or has refused one.

mod moved;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::super::digest::Digest;
use super::super::hidden::is_blank;
use super::{OwnedFields, Part};

/// A step to a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Member(Box<str>),
    Element(usize),
    /// Each element of a list.
    Each,
}

type Path = Vec<Step>;

/// The numbers of further looks at lists of two, three, four and more elements. A set that writes
/// its elements in any order then shows the first one each time with a chance below 2^-16.
const TRIES: [usize; 4] = [20, 10, 6, 5];

/// The number of [ways](mix) to change the order of a list.
const WAYS: usize = 3;

/// The maximum number of looks at lists in another order, of each kind.
const MOST_LOOKS: usize = 128;

/// The lists whose order a type does not keep.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Unordered {
    /// The lists that the type writes in any order.
    random: BTreeSet<Path>,
    /// The lists that the type sorts.
    sorted: BTreeSet<Path>,
    /// The lists of which nothing is proven. Their order counts, but may not show.
    unknown: BTreeSet<Path>,
}

/// The order in which a type shows a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    Kept,
    Sorted,
    Random,
    Unknown,
}

/// A list of several elements.
struct List {
    length: usize,
    order: Order,
}

/// Looks at a type through objects with lists in another order.
struct Looks<'a, R> {
    /// The object as the type shows it.
    object: &'a Value,
    read: R,
    lists: BTreeMap<Path, List>,
    /// The number of looks that are left at lists in another order.
    left: usize,
}

impl Unordered {
    /// Returns the lists in the place of a configuration. `seen` is the type's view of an object,
    /// and `read` returns that of another object.
    pub(in super::super) fn of(
        configuration: &Value,
        seen: &Value,
        read: impl Fn(&Value) -> Result<Value, String>,
    ) -> Self {
        let (mut object, mut lists) = (seen.clone(), BTreeMap::new());
        find_within(&mut object, configuration, &mut Vec::new(), &mut lists);
        let mut looks = Looks { object: &object, read, lists, left: MOST_LOOKS };
        if !looks.all_are_kept() && looks.find_random().is_ok() {
            looks.unknown().iter().for_each(|lists| looks.reorder(lists));
        }
        let mut orders = BTreeMap::<Path, BTreeSet<Order>>::new();
        for (path, list) in &looks.lists {
            orders.entry(general(path)).or_default().insert(list.order);
        }
        let mut found = Self::default();
        for (path, orders) in orders {
            let has = |order| orders.contains(&order);
            if has(Order::Random) && orders.len() == 1 {
                found.random.insert(path);
            } else if has(Order::Random) || has(Order::Unknown) {
                found.unknown.insert(path);
            } else if has(Order::Sorted) {
                found.sorted.insert(path);
            }
        }
        found
    }

    /// Sorts the lists of an object that the type writes in any order.
    pub(super) fn sort(&self, object: &mut Value) {
        // A list comes before those inside of it.
        for path in self.random.iter().rev() {
            at(object, path, &mut |list| list.sort_by_cached_key(Digest::of));
        }
    }

    /// Returns whether [`sort`](Self::sort) changes nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.random.is_empty()
    }

    pub(in super::super) fn to_value(&self) -> Value {
        let step = |step: &Step| match step {
            Step::Member(name) => Some(name.to_string()),
            Step::Element(_) | Step::Each => None,
        };
        self.random.iter().map(|path| path.iter().map(step).collect::<Value>()).collect()
    }
}

impl<R: Fn(&Value) -> Result<Value, String>> Looks<'_, R> {
    /// Returns the lists of which nothing is proven, in groups that one look may change.
    ///
    /// A type may read a value in another way once a part of it has changed, as an untagged enum
    /// does. So each look changes one field, in all elements of the lists around it. Those lists
    /// keep their order meanwhile, because a tuple reads each element in its own way.
    fn unknown(&self) -> Vec<Vec<Path>> {
        let mut groups = BTreeMap::<Path, Vec<Path>>::new();
        for (path, _) in self.lists.iter().filter(|(_, list)| list.order == Order::Unknown) {
            groups.entry(general(path)).or_default().push(path.clone());
        }
        groups.into_values().collect()
    }

    fn note(&mut self, path: &Path, order: Order) {
        if let Some(list) = self.lists.get_mut(path) {
            list.order = order;
        }
    }

    /// Looks at the lists, each reversed and then repeated. No set keeps such a list, and no type
    /// that sorts a part of it does. Returns whether the type keeps all lists, as most types do.
    fn all_are_kept(&mut self) -> bool {
        for lists in self.unknown().into_iter().take(MOST_LOOKS) {
            let mut mixed = self.object.clone();
            for path in &lists {
                at(&mut mixed, path, &mut |list| {
                    list.reverse();
                    list.extend_from_within(..);
                });
            }
            let Ok(seen) = (self.read)(&mixed) else { continue };
            compare(&mixed, &seen, &lists, &mut Vec::new(), &mut |path, before, after| {
                if before == after {
                    self.note(path, Order::Kept);
                }
            });
        }
        self.unknown().is_empty()
    }

    /// Finds the lists that the type writes in several orders, although it reads one. The error is
    /// that of a type that refuses the object.
    fn find_random(&mut self) -> Result<(), String> {
        let unknown = self.lists.values().filter(|list| list.order == Order::Unknown);
        let shortest = unknown.map(|list| list.length).min().unwrap_or(2);
        let tries = TRIES[shortest.clamp(2, TRIES.len() + 1) - 2];
        let lists: Vec<_> = self.lists.keys().cloned().collect();
        let mut first = BTreeMap::<Path, Vec<Digest>>::new();
        for _ in 0..=tries {
            let seen = (self.read)(self.object)?;
            compare(self.object, &seen, &lists, &mut Vec::new(), &mut |path, _, after| {
                if first.entry(path.clone()).or_insert_with(|| after.to_vec()) != after {
                    self.note(path, Order::Random);
                }
            });
            if self.unknown().is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Looks at these lists in other orders. If the type refuses an order, looks at each half of
    /// the lists.
    fn reorder(&mut self, lists: &[Path]) {
        let mut orders = BTreeMap::<_, BTreeSet<_>>::new();
        for way in 0..WAYS {
            let has_order = |path: &&Path| way == 0 || self.lists[*path].length > 2;
            let moved: Vec<_> = lists.iter().filter(has_order).collect();
            if moved.is_empty() {
                continue;
            }
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let mut mixed = self.object.clone();
            for path in moved.iter().rev() {
                at(&mut mixed, path, &mut |list| mix(list, way));
            }
            let Ok(seen) = (self.read)(&mixed) else {
                return match lists {
                    // A refusal shows that the order matters to the type.
                    [list] if way == 0 => self.note(list, Order::Kept),
                    [_] => {}
                    _ => {
                        let (some, others) = lists.split_at(lists.len() / 2);
                        self.reorder(some);
                        self.reorder(others);
                    }
                };
            };
            let mut shown = BTreeMap::new();
            compare(&mixed, &seen, lists, &mut Vec::new(), &mut |path, before, after| {
                let mut first = before.to_vec();
                mix(&mut first, way);
                if before == after {
                    shown.insert(path.clone(), Order::Kept);
                } else if first == after {
                    shown.insert(path.clone(), Order::Sorted);
                }
            });
            for path in moved {
                let order = shown.get(path).copied().unwrap_or(Order::Unknown);
                orders.entry(path).or_default().insert(order);
            }
        }
        for (path, orders) in orders {
            if let (1, Some(order)) = (orders.len(), orders.first()) {
                self.note(path, *order);
            }
        }
    }
}

impl OwnedFields {
    /// Returns the path of a list whose order is part of an owned value, although the type may not
    /// show a change of it. `seen` is the type's view of an object. A whole object has no order in
    /// a list that the type holds as a set, or sorts and shows in the order of the object.
    pub(in super::super) fn unseen_order(
        &self,
        unordered: &Unordered,
        is_whole: bool,
        object: &Value,
        seen: &Value,
    ) -> Option<String> {
        let Unordered { random, sorted, unknown } = unordered;
        let known = random.iter().chain(sorted).filter(|_| !is_whole);
        let mut lists = unknown.iter().chain(known);
        let list = lists.find(|path| self.part.has_order(path)).cloned();
        let list = list.or_else(|| {
            let moved = self.moved(object, seen);
            moved.difference(random).next().cloned()
        });
        list.map(|path| shown(&path))
    }
}

impl Part {
    fn has_order(&self, path: &[Step]) -> bool {
        let Self::Some { members, elements, values } = self else { return true };
        match path {
            // The elements have their own owners.
            [] => false,
            [Step::Member(name), rest @ ..] => {
                members.iter().any(|(known, part)| known == name && part.has_order(rest))
            }
            [_, rest @ ..] => {
                values.is_empty() && elements.iter().any(|(_, part)| part.has_order(rest))
            }
        }
    }
}

/// Changes the order of a list in one of several ways. Each way undoes itself. If a type sorts a
/// part of the list, at least one of the changed orders does not last.
fn mix<T>(list: &mut [T], way: usize) {
    match way {
        0 => list.reverse(),
        // Any two neighbours change places in one of these two ways.
        _ => list[way - 1..].chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1)),
    }
}

/// Returns a path to a list in each element, instead of the one in this element.
fn general(path: &[Step]) -> Path {
    let step = |step: &Step| match step {
        Step::Member(_) => step.clone(),
        Step::Element(_) | Step::Each => Step::Each,
    };
    path.iter().map(step).collect()
}

fn shown(path: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Member(name) => format!(".{name}"),
        Step::Element(_) | Step::Each => "[]".to_owned(),
    };
    path.iter().map(step).collect()
}

/// Finds the lists of several elements in the place of a configuration. Lists that a server has
/// dropped are added: the type may still write them in any order.
fn find_within(
    value: &mut Value,
    configuration: &Value,
    path: &mut Path,
    found: &mut BTreeMap<Path, List>,
) {
    let (Value::Object(members), Value::Object(configured)) = (&mut *value, configuration) else {
        return find(value, path, found);
    };
    for (name, below) in configured {
        let member = members.entry(name).or_insert(Value::Null);
        if is_blank(member) {
            member.clone_from(below);
        }
        path.push(Step::Member(name.as_str().into()));
        find_within(member, below, path, found);
        path.pop();
    }
}

fn find(value: &Value, path: &mut Path, found: &mut BTreeMap<Path, List>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                path.push(Step::Member(name.as_str().into()));
                find(value, path, found);
                path.pop();
            }
        }
        Value::Array(list) => {
            if list.len() > 1 {
                let list = List { length: list.len(), order: Order::Unknown };
                found.insert(path.clone(), list);
            }
            for (n, value) in list.iter().enumerate() {
                path.push(Step::Element(n));
                find(value, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Calls a function for each of these lists that a type shows with the same elements. It gets the
/// path, and the digests before and after. The lists are in the order of their paths.
fn compare(
    object: &Value,
    seen: &Value,
    lists: &[Path],
    path: &mut Path,
    each: &mut impl FnMut(&Path, &[Digest], &[Digest]),
) {
    // The lists at this path and below it follow each other.
    let next = lists.get(lists.partition_point(|list| list < path));
    let Some(next) = next.filter(|next| next.starts_with(path)) else { return };
    match (object, seen) {
        (Value::Object(members), Value::Object(seen)) => {
            for (name, value) in members {
                let Some(seen) = seen.get(name) else { continue };
                path.push(Step::Member(name.as_str().into()));
                compare(value, seen, lists, path, each);
                path.pop();
            }
        }
        (Value::Array(elements), Value::Array(seen)) => {
            let digests = |list: &[Value]| list.iter().map(Digest::as_sets).collect();
            let [before, after]: [Vec<_>; 2] = [digests(elements), digests(seen)];
            // Otherwise the type changes elements.
            let distinct = before.iter().collect::<BTreeSet<_>>();
            let exact = elements.iter().map(Digest::of).collect::<BTreeSet<_>>();
            if distinct.len() < exact.len() || distinct != after.iter().collect() {
                return;
            }
            if next == path {
                each(path, &before, &after);
            }
            let places: HashMap<_, _> = after.iter().zip(seen).collect();
            for (n, (digest, value)) in before.iter().zip(elements).enumerate() {
                let seen = if before == after { &seen[n] } else { places[digest] };
                path.push(Step::Element(n));
                compare(value, seen, lists, path, each);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Calls a function with each list at a path.
fn at(value: &mut Value, path: &[Step], each: &mut impl FnMut(&mut Vec<Value>)) {
    match (path, value) {
        ([], Value::Array(list)) => each(list),
        ([Step::Each, rest @ ..], Value::Array(list)) => {
            for element in list {
                at(element, rest, each);
            }
        }
        ([Step::Element(n), rest @ ..], Value::Array(list)) => {
            if let Some(element) = list.get_mut(*n) {
                at(element, rest, each);
            }
        }
        ([Step::Member(name), rest @ ..], Value::Object(members)) => {
            if let Some(value) = members.get_mut(&**name) {
                at(value, rest, each);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
