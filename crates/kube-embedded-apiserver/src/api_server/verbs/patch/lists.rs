//! Lists in a strategic merge patch: objects are merged by a key, plain values as a set.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::strategic::{self, DIRECTIVE, failed, unexpected, unknown_directive};
use crate::api_server::failure::Failure;
use crate::api_server::rules::go_format::{plain, type_name};
use crate::api_server::rules::shape::Shape;

/// The positions of elements in a list, by their keys.
pub(super) struct Order(HashMap<String, usize>);

impl Order {
    pub(super) fn new(list: &[Value], key: &str) -> Self {
        let mut positions = HashMap::new();
        for (n, element) in list.iter().enumerate() {
            positions.entry(key_of(element, key)).or_insert(n);
        }
        Self(positions)
    }

    fn position(&self, element: &Value, key: &str) -> Option<usize> {
        self.0.get(&key_of(element, key)).copied()
    }
}

/// Returns the value that identifies an element: that of its key, or the element itself.
fn key_of(element: &Value, key: &str) -> String {
    if key.is_empty() { element.to_string() } else { element[key].to_string() }
}

/// Returns the members of an element that has a key.
fn keyed<'a>(element: &'a Value, key: &str) -> Result<&'a Map<String, Value>, Failure> {
    let wanted = || Value::Object(Map::new());
    let members = element.as_object().ok_or_else(|| unexpected(&wanted(), element))?;
    if members.contains_key(key) { Ok(members) } else { Err(no_key(element, key)) }
}

fn no_key(element: &Value, key: &str) -> Failure {
    failed(format!("map: {} does not contain declared merge key: {key}", plain(element)))
}

fn is_deletion(element: &Value) -> bool {
    element[DIRECTIVE] == "delete"
}

/// Checks that a patch's list is in the order that the patch gives.
pub(super) fn check_order(patch: &[Value], order: &[Value], key: &str) -> Result<(), Failure> {
    let mut rest = order.iter();
    for element in patch {
        if !key.is_empty() && (is_deletion(element) || element.get(DIRECTIVE).is_some()) {
            continue;
        }
        loop {
            let Some(next) = rest.next() else {
                if order.is_empty() {
                    return Ok(());
                }
                let (patch, order) = (Value::Array(patch.into()), Value::Array(order.into()));
                return Err(failed(format!(
                    "The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
                    plain(&patch),
                    plain(&order)
                )));
            };
            if !key.is_empty() {
                keyed(element, key)?;
                keyed(next, key)?;
            }
            if key_of(element, key) == key_of(next, key) {
                break;
            }
        }
    }
    Ok(())
}

/// Merges a list of a patch into a list. New elements come first, in the order of the patch.
pub(super) fn merge(
    shape: Shape<'_>,
    old: Vec<Value>,
    patch: Vec<Value>,
    key: &str,
    deletes: bool,
) -> Result<Vec<Value>, Failure> {
    if old.is_empty() && patch.is_empty() {
        return Ok(old);
    }
    if !are_objects(&old, &patch)? {
        if deletes {
            let gone: HashSet<String> = patch.iter().map(Value::to_string).collect();
            return Ok(old
                .into_iter()
                .filter(|value| !gone.contains(&value.to_string()))
                .collect());
        }
        let mut known = HashSet::new();
        let merged: Vec<Value> = old.iter().chain(&patch).cloned().collect();
        let merged = merged.into_iter().filter(|value| known.insert(value.to_string())).collect();
        return sorted(merged, &Order::new(&patch, ""), &old, "");
    }
    if key.is_empty() {
        let name = shape.element().type_name();
        return Err(failed(format!("cannot merge lists without merge key for {name}")));
    }
    let (old, patch) = with_directives(old, patch, key)?;
    let mut positions = Order::new(&old, key).0;
    let mut merged: Vec<Option<Value>> = old.iter().cloned().map(Some).collect();
    for element in &patch {
        let members = keyed(element, key).map_err(|_| no_key(element, key))?;
        let position = key_of(element, key);
        let Some(at) = positions.get(&position) else {
            positions.insert(position, merged.len());
            merged.push(Some(element.clone()));
            continue;
        };
        if let Some(Value::Object(found)) = merged[*at].take() {
            let found = strategic::merge(shape.element(), found, members.clone())?;
            merged[*at] = Some(Value::Object(found));
        }
    }
    let merged = merged.into_iter().flatten().collect();
    sorted(merged, &Order::new(&patch, key), &old, key)
}

/// Returns whether the elements are objects. All elements must have the same type.
fn are_objects(old: &[Value], patch: &[Value]) -> Result<bool, Failure> {
    let mut all = old.iter().chain(patch);
    let Some(first) = all.next() else { return Ok(false) };
    if first.is_array() {
        return Err(Failure::rejected());
    }
    if all.all(|value| type_name(value) == type_name(first)) {
        return Ok(first.is_object());
    }
    let lists = Value::Array(vec![Value::Array(old.into()), Value::Array(patch.into())]);
    Err(failed(format!("list element types are not identical: {}", plain(&lists))))
}

/// Carries out the directives among the elements of a patch. Returns the rest of both lists.
fn with_directives(
    mut old: Vec<Value>,
    patch: Vec<Value>,
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>), Failure> {
    let (mut gone, mut rest, mut replaces) = (HashSet::new(), Vec::new(), false);
    for element in patch {
        let Some(directive) = element.get(DIRECTIVE) else {
            rest.push(element);
            continue;
        };
        match directive.as_str() {
            Some("delete") if element.get(key).is_none() => return Err(no_key(&element, key)),
            Some("delete") => drop(gone.insert(key_of(&element, key))),
            Some("replace") => replaces = true,
            Some("merge") => {
                return Err(failed("merging lists cannot yet be specified in the patch"));
            }
            _ => {
                let members = element.as_object().cloned().unwrap_or_default();
                return Err(unknown_directive(directive, &members));
            }
        }
    }
    if replaces {
        return Ok((rest, Vec::new()));
    }
    old.retain(|element| element.get(key).is_none() || !gone.contains(&key_of(element, key)));
    Ok((old, rest))
}

/// Sorts merged elements: those that `order` names by it, all others as in the old list. An element
/// that was before another one stays so where this is possible.
pub(super) fn sorted(
    merged: Vec<Value>,
    order: &Order,
    old: &[Value],
    key: &str,
) -> Result<Vec<Value>, Failure> {
    if !key.is_empty() {
        for element in &merged {
            keyed(element, key)?;
        }
    }
    let before = Order::new(old, key);
    let (mut named, mut others): (Vec<Value>, Vec<Value>) =
        merged.into_iter().partition(|element| order.position(element, key).is_some());
    named.sort_by_cached_key(|element| order.position(element, key));
    others.sort_by_cached_key(|element| before.position(element, key));
    let (mut named, mut others) = (named.into_iter().peekable(), others.into_iter().peekable());
    let mut sorted = Vec::with_capacity(named.len() + others.len());
    while let (Some(one), Some(other)) = (named.peek(), others.peek()) {
        let first = match (before.position(other, key), before.position(one, key)) {
            (Some(other), Some(one)) => other < one,
            _ => false,
        };
        sorted.extend(if first { others.next() } else { named.next() });
    }
    sorted.extend(named);
    sorted.extend(others);
    Ok(sorted)
}
