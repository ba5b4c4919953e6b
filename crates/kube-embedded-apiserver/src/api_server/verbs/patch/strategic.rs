//! Strategic merge patch: a merge patch that knows which lists are merged, and by which key.

use serde_json::{Map, Value};

use super::lists::{self, Order};
use crate::api_server::failure::Failure;
use crate::api_server::rules::go_format::{plain, type_name};
use crate::api_server::rules::shape::Shape;

pub(super) const DIRECTIVE: &str = "$patch";
const RETAIN: &str = "$retainKeys";
const DELETE_FROM: &str = "$deleteFromPrimitiveList";
const ORDER: &str = "$setElementOrder";

type Members = Map<String, Value>;

/// Applies a patch to an object of a built-in kind.
pub(super) fn apply(shape: Shape<'_>, object: &mut Value, patch: &Value) -> Result<(), Failure> {
    let (Value::Object(members), Value::Object(patch)) = (object, patch) else {
        return Err(Failure::bad_request("invalid JSON document"));
    };
    let merged = merge(shape, std::mem::take(members), patch.clone());
    *members = merged?;
    Ok(())
}

/// Returns the failure for a patch that contradicts itself.
pub(super) fn malformed(problem: &str) -> Failure {
    Failure::bad_request(format!("invalid patch format of {problem}"))
}

/// Returns the failure for a patch that does not fit the object.
pub(super) fn failed(problem: impl AsRef<str>) -> Failure {
    Failure::without_reason(problem.as_ref())
}

/// Returns the failure for a value of another type than a list or an object.
pub(super) fn unexpected(wanted: &Value, found: &Value) -> Failure {
    failed(format!("expected a {}, but received a {}", type_name(wanted), type_name(found)))
}

/// Merges the members of a patch into those of an object.
pub(super) fn merge(
    shape: Shape<'_>,
    mut object: Members,
    mut patch: Members,
) -> Result<Members, Failure> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        return match directive.as_str() {
            Some("replace") => {
                patch.remove(DIRECTIVE);
                Ok(patch)
            }
            Some("delete") => Ok(Members::new()),
            _ => Err(unknown_directive(directive, &patch)),
        };
    }
    retain_keys(&mut object, &mut patch)?;
    merge_ordered_lists(shape, &mut object, &mut patch)?;
    for (name, value) in patch {
        merge_member(shape, &mut object, name, value)?;
    }
    Ok(object)
}

pub(super) fn unknown_directive(directive: &Value, patch: &Members) -> Failure {
    let patch = plain(&Value::Object(patch.clone()));
    failed(format!("unknown patch type: {} in map: {patch}", plain(directive)))
}

/// Removes the members that the patch does not list, if it lists any.
fn retain_keys(object: &mut Members, patch: &mut Members) -> Result<(), Failure> {
    let Some(kept) = patch.remove(RETAIN) else { return Ok(()) };
    let kept = kept.as_array().ok_or_else(|| malformed("retainKeys"))?;
    let kept: std::collections::HashSet<&str> = kept.iter().filter_map(Value::as_str).collect();
    let listed = |name: &str, value: &Value| {
        let directive = name.starts_with(DELETE_FROM) || name.starts_with(ORDER);
        value.is_null() || directive || kept.contains(name)
    };
    if !patch.iter().all(|(name, value)| listed(name, value)) {
        return Err(malformed("retainKeys"));
    }
    object.retain(|name, _| kept.contains(&**name));
    Ok(())
}

/// Merges the lists whose order the patch gives, and takes them out of the patch.
fn merge_ordered_lists(
    shape: Shape<'_>,
    object: &mut Members,
    patch: &mut Members,
) -> Result<(), Failure> {
    let orders: Vec<String> =
        patch.keys().filter(|name| name.starts_with(ORDER)).cloned().collect();
    for directive in orders {
        let Some(order) = patch.remove(&directive) else { continue };
        let list = Value::Array(Vec::new());
        let Value::Array(order) = order else { return Err(unexpected(&list, &order)) };
        let name = directive.strip_prefix(ORDER).and_then(|rest| rest.strip_prefix('/'));
        let name = name.ok_or_else(|| malformed("setElementOrder list"))?;
        for value in [object.get(name), patch.get(name)].into_iter().flatten() {
            if !value.is_array() {
                return Err(unexpected(&list, value));
            }
        }
        let inner = shape.member(name).ok_or_else(|| {
            failed(format!("unable to find api field {name:?} in {}", shape.type_name()))
        })?;
        let patched = match patch.remove(name) {
            Some(Value::Array(patched)) => Some(patched),
            _ => None,
        };
        let old = match object.remove(name) {
            Some(Value::Array(old)) => Some(old),
            _ => None,
        };
        let key = inner.merge().key.unwrap_or_default();
        lists::check_order(patched.as_deref().unwrap_or_default(), &order, key)?;
        let merged = match (old.clone(), patched) {
            (None, None) => continue,
            (Some(old), None) => old,
            (None, Some(patched)) => without_directives_in(patched),
            (Some(old), Some(patched)) => merge_lists(inner, old, patched, false)?,
        };
        let by = Order::new(&order, key);
        let sorted = lists::sorted(merged, &by, old.as_deref().unwrap_or_default(), key)?;
        object.insert(name.to_owned(), sorted.into());
    }
    Ok(())
}

fn merge_member(
    shape: Shape<'_>,
    object: &mut Members,
    name: String,
    value: Value,
) -> Result<(), Failure> {
    let (name, deletes) = if name.starts_with(DELETE_FROM) {
        let list = name.strip_prefix(DELETE_FROM).and_then(|rest| rest.strip_prefix('/'));
        (list.ok_or_else(|| malformed("primitive list"))?.to_owned(), true)
    } else {
        (name, false)
    };
    if value.is_null() {
        object.remove(&name);
        return Ok(());
    }
    let inner = shape.member(&name).unwrap_or(Shape::ANY);
    let merged = match (object.remove(&name), value) {
        (Some(Value::Object(old)), Value::Object(patch)) if !inner.merge().replace => {
            Value::Object(merge(inner, old, patch)?)
        }
        (Some(Value::Object(_)), patch @ Value::Object(_)) => patch,
        (Some(Value::Array(old)), Value::Array(patch)) => {
            Value::Array(merge_lists(inner, old, patch, deletes)?)
        }
        (Some(old), _) if deletes => old,
        (None, _) if deletes => return Ok(()),
        (_, mut value) => {
            discard_nulls(&mut value);
            match without_directives(value) {
                Some(value) => value,
                None => return Ok(()),
            }
        }
    };
    object.insert(name, merged);
    Ok(())
}

/// Merges a list of a patch into a list. With `deletes`, its elements are removed instead.
fn merge_lists(
    shape: Shape<'_>,
    old: Vec<Value>,
    patch: Vec<Value>,
    deletes: bool,
) -> Result<Vec<Value>, Failure> {
    match shape.merge().key {
        None if !deletes => Ok(patch),
        key => lists::merge(shape, old, patch, key.unwrap_or_default(), deletes),
    }
}

fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(discard_nulls);
        }
        Value::Array(elements) => elements.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}

/// Returns a value of a patch that stands for itself. Parts with directives are left out.
pub(super) fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(members) if members.contains_key(DIRECTIVE) => None,
        Value::Object(members) => {
            let kept = members
                .into_iter()
                .filter_map(|(name, value)| Some((name, without_directives(value)?)));
            Some(Value::Object(kept.collect()))
        }
        Value::Array(elements) => Some(Value::Array(without_directives_in(elements))),
        other => Some(other),
    }
}

fn without_directives_in(elements: Vec<Value>) -> Vec<Value> {
    elements.into_iter().filter_map(without_directives).collect()
}

#[cfg(test)]
#[path = "strategic_tests.rs"]
mod tests;
