//! Ownership of fields, as pure functions of objects and their shapes: the fields that an object
//! has, the difference of two objects, their merge, and the removal of fields.
//!
//! Every function walks the objects once. Elements of lists are found by their identity in a map,
//! so that the cost grows with the size of the objects and not with its square.

mod check;
mod compare;
mod fields;
mod identity;
mod merge;
mod remove;
mod set;

pub(crate) use self::check::{problems, problems_of_whole};
pub(crate) use self::compare::{Comparison, compare};
pub(crate) use self::fields::fields;
pub(crate) use self::identity::readable;
pub(crate) use self::merge::merge;
pub(crate) use self::remove::{remove, with_named_members};
pub(crate) use self::set::Set;

use serde_json::{Map, Value};

use crate::api_server::rules::shape::{OwnedParts, Shape};

/// Returns the shape of a member. A member that is not declared may be anything.
fn member<'a>(shape: Shape<'a>, name: &str) -> Shape<'a> {
    shape.member(name).unwrap_or(Shape::ANY)
}

/// Returns the members of a value that has some.
fn members(value: Option<&Value>) -> Option<&Map<String, Value>> {
    value.and_then(Value::as_object).filter(|members| !members.is_empty())
}

/// Returns the elements of a value that has some.
fn elements(value: Option<&Value>) -> Option<&[Value]> {
    value.and_then(Value::as_array).filter(|list| !list.is_empty()).map(Vec::as_slice)
}

/// The ways to walk two values of the same shape: one, or one for each of two different types.
fn ways<'a>(
    shape: Shape<'a>,
    old: Option<&Value>,
    new: Option<&Value>,
) -> [Option<OwnedParts<'a>>; 2] {
    let (old, new) = (old.map(|old| shape.parts(old)), new.map(|new| shape.parts(new)));
    if new.is_none() || old == new { [None, old] } else { [old, new] }
}

#[cfg(test)]
mod tests;
