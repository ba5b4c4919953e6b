//! The fields that an object has.

use serde_json::{Map, Value};

use super::identity::Index;
use super::set::{Node, Set};
use super::{elements, member, members};
use crate::api_server::rules::shape::{OwnedParts, Shape};

/// Returns the fields of an object.
pub(crate) fn fields(shape: Shape<'_>, object: &Value) -> Set {
    node(shape, object).below
}

/// Returns the fields of a value: itself, and those below it.
pub(super) fn node(shape: Shape<'_>, value: &Value) -> Node {
    let mut node = Node::default();
    match shape.parts(value) {
        OwnedParts::Scalar(_) | OwnedParts::AtomicMembers | OwnedParts::AtomicElements => {
            node.is_member = true;
        }
        OwnedParts::Members => {
            for (name, value) in members(Some(value)).into_iter().flatten() {
                let mut inner = self::node(member(shape, name), value);
                let empty = value.is_null() || value.as_object().is_some_and(Map::is_empty);
                inner.is_member |= empty || !shape.declares(name);
                node.below.insert(format!("f:{name}"), inner);
            }
        }
        parts @ (OwnedParts::Keyed(_) | OwnedParts::Set) => {
            let index = Index::new(&parts, elements(Some(value)).unwrap_or_default());
            for (step, element) in &index.steps {
                let mut inner = Node::default();
                if !index.is_repeated(step) {
                    inner = self::node(shape.element(), element);
                }
                inner.is_member = true;
                node.below.insert(step.clone(), inner);
            }
        }
    }
    node
}
