//! The removal of fields from an object.

use serde_json::{Map, Value};

use super::identity::step;
use super::set::{Node, Set};
use super::{elements, member, members};
use crate::api_server::rules::shape::{OwnedParts, Shape};

/// Returns an object without these fields. `None` if nothing is left.
pub(crate) fn remove(shape: Shape<'_>, value: &Value, fields: &Set) -> Option<Value> {
    match shape.parts(value) {
        OwnedParts::Scalar(_) => Some(value.clone()),
        OwnedParts::AtomicMembers | OwnedParts::AtomicElements => None,
        OwnedParts::Members => {
            let mut left = Map::new();
            for (name, value) in members(Some(value))? {
                let value = match fields.get(&format!("f:{name}")) {
                    None => Some(value.clone()),
                    Some(gone) if gone.is_member => continue,
                    Some(gone) => remove(member(shape, name), value, &gone.below),
                };
                left.insert(name.clone(), value.unwrap_or_default());
            }
            Some(Value::Object(left)).filter(|left| left.as_object().is_some_and(|m| !m.is_empty()))
        }
        parts @ (OwnedParts::Keyed(_) | OwnedParts::Set) => {
            let mut left = Vec::new();
            for element in elements(Some(value))? {
                let gone = step(&parts, element).ok();
                match gone.and_then(|step| fields.get(&step)) {
                    None => left.push(element.clone()),
                    Some(gone) if gone.is_member => {}
                    Some(gone) => {
                        let element = remove(shape.element(), element, &gone.below);
                        left.push(element.unwrap_or_default());
                    }
                }
            }
            Some(Value::Array(left)).filter(|left| left.as_array().is_some_and(|l| !l.is_empty()))
        }
    }
}

/// Returns the set with all declared members that have fields of the set below them.
pub(crate) fn with_named_members(shape: Shape<'_>, set: &Set) -> Set {
    let mut named = Set::default();
    for (step, node) in set.nodes() {
        let (inner, declared) = match step.strip_prefix("f:") {
            Some(name) => (member(shape, name), shape.declares(name)),
            None => (shape.element(), false),
        };
        let below = with_named_members(inner, &node.below);
        named.insert(step.clone(), Node { is_member: node.is_member || declared, below });
    }
    named
}
