//! The merge of an applied object into a live one.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::identity::Index;
use super::{elements, member, members, ways};
use crate::api_server::rules::shape::{OwnedParts, Shape};

/// Merges an applied value into a live one. `None` if nothing is left.
pub(crate) fn merge(
    shape: Shape<'_>,
    live: Option<&Value>,
    applied: Option<&Value>,
) -> Option<Value> {
    let parts = ways(shape, live, applied).into_iter().flatten().last()?;
    match &parts {
        OwnedParts::Members if members(live).is_some() || members(applied).is_some() => {
            Some(Value::Object(merge_members(shape, members(live), members(applied))))
        }
        OwnedParts::Keyed(_) | OwnedParts::Set
            if elements(live).is_some() || elements(applied).is_some() =>
        {
            let (live, applied) = (elements(live), elements(applied));
            let merged = merge_elements(
                shape,
                &parts,
                live.unwrap_or_default(),
                applied.unwrap_or_default(),
            );
            Some(Value::Array(merged))
        }
        _ => applied.or(live).cloned(),
    }
}

fn merge_members(
    shape: Shape<'_>,
    live: Option<&Map<String, Value>>,
    applied: Option<&Map<String, Value>>,
) -> Map<String, Value> {
    let mut merged = Map::new();
    let new = |name: &String| live.is_none_or(|live| !live.contains_key(name));
    let names = live.into_iter().flatten().map(|(name, _)| name);
    let added = applied.into_iter().flatten().map(|(name, _)| name).filter(|name| new(name));
    for name in names.chain(added) {
        let old = live.and_then(|live| live.get(name));
        let new = applied.and_then(|applied| applied.get(name));
        if let Some(value) = merge(member(shape, name), old, new) {
            merged.insert(name.clone(), value);
        }
    }
    merged
}

/// Merges lists: common elements take the order of the applied list, others stay between those that
/// they were between.
fn merge_elements(
    shape: Shape<'_>,
    parts: &OwnedParts<'_>,
    live: &[Value],
    applied: &[Value],
) -> Vec<Value> {
    let (old, new) = (Index::new(parts, live), Index::new(parts, applied));
    let mut common = new.steps.iter().map(|(step, _)| step).filter(|step| old.has(step));
    let mut next = common.next();
    let (mut merged, mut done) = (Vec::with_capacity(live.len()), HashSet::new());
    let mut add = |live: Option<&Value>, applied: Option<&Value>| {
        merged.extend(merge(shape.element(), live, applied));
    };
    let (mut at, mut to) = (0, 0);
    while at < old.steps.len() || to < new.steps.len() {
        let (left, right) = (old.steps.get(at), new.steps.get(to));
        if let (Some((step, _)), Some((wanted, _))) = (left, right) {
            if step == wanted {
                done.insert(step.as_str());
                add(old.only(step), new.first(step));
                (at, to) = (at + 1, to + 1);
                next = common.next();
                continue;
            }
            if new.has(step) && next.is_some_and(|next| next != step) {
                // It has its turn later.
                at += 1;
                continue;
            }
        }
        if let Some((step, element)) = left {
            if !new.has(step) {
                add(Some(element), None);
                at += 1;
                continue;
            }
            if done.contains(step.as_str()) {
                at += 1;
            }
        }
        if let Some((step, element)) = right {
            done.insert(step.as_str());
            add(old.only(step), Some(element));
            to += 1;
            if next == Some(step) {
                next = common.next();
            }
        }
    }
    merged
}
