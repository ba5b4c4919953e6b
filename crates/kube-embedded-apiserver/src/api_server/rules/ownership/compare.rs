//! The difference of two objects.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::identity::Index;
use super::set::{Node, Set};
use super::{elements, member, members, ways};
use crate::api_server::rules::shape::{OwnedParts, Shape};

/// The fields in which two objects differ. No field is in two of these sets.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) added: Set,
    pub(crate) modified: Set,
    pub(crate) removed: Set,
}

impl Comparison {
    /// Returns the difference without these fields and all that is below them.
    pub(crate) fn without(&self, fields: &Set) -> Self {
        Self {
            added: self.added.without(fields),
            modified: self.modified.without(fields),
            removed: self.removed.without(fields),
        }
    }

    /// Returns the fields that are new or have another value.
    pub(crate) fn set(&self) -> Set {
        self.modified.union(&self.added)
    }
}

/// Compares two objects.
pub(crate) fn compare(shape: Shape<'_>, old: &Value, new: &Value) -> Comparison {
    let Nodes { added, modified, removed } = values(shape, Some(old), Some(new));
    Comparison { added: added.below, modified: modified.below, removed: removed.below }
}

#[derive(Default)]
struct Nodes {
    added: Node,
    modified: Node,
    removed: Node,
}

impl Nodes {
    fn insert(&mut self, step: &str, inner: Self) {
        self.added.below.insert(step.to_owned(), inner.added);
        self.modified.below.insert(step.to_owned(), inner.modified);
        self.removed.below.insert(step.to_owned(), inner.removed);
    }
}

fn values(shape: Shape<'_>, old: Option<&Value>, new: Option<&Value>) -> Nodes {
    let mut nodes = Nodes::default();
    for parts in ways(shape, old, new).into_iter().flatten() {
        match &parts {
            OwnedParts::Members if members(old).is_some() || members(new).is_some() => {
                compare_members(shape, members(old), members(new), &mut nodes);
            }
            OwnedParts::Keyed(_) | OwnedParts::Set
                if elements(old).is_some() || elements(new).is_some() =>
            {
                compare_elements(shape, &parts, elements(old), elements(new), &mut nodes);
            }
            // Null and empty values are compared as wholes, too.
            _ => nodes.modified.is_member |= old.is_some() && new.is_some() && old != new,
        }
    }
    nodes.added.is_member = old.is_none();
    nodes.removed.is_member = new.is_none();
    nodes
}

fn compare_members(
    shape: Shape<'_>,
    old: Option<&Map<String, Value>>,
    new: Option<&Map<String, Value>>,
    into: &mut Nodes,
) {
    for (name, value) in new.into_iter().flatten() {
        let before = old.and_then(|old| old.get(name));
        into.insert(&format!("f:{name}"), values(member(shape, name), before, Some(value)));
    }
    let gone = |name: &String| new.is_none_or(|new| !new.contains_key(name));
    for (name, value) in old.into_iter().flatten().filter(|(name, _)| gone(name)) {
        into.insert(&format!("f:{name}"), values(member(shape, name), Some(value), None));
    }
}

fn compare_elements(
    shape: Shape<'_>,
    parts: &OwnedParts<'_>,
    old: Option<&[Value]>,
    new: Option<&[Value]>,
    into: &mut Nodes,
) {
    let old = Index::new(parts, old.unwrap_or_default());
    let new = Index::new(parts, new.unwrap_or_default());
    let steps = old.steps.iter().chain(new.steps.iter().filter(|(step, _)| !old.has(step)));
    let mut done = HashSet::new();
    for (step, _) in steps.filter(|(step, _)| done.insert(step.as_str())) {
        let mut inner = Nodes::default();
        match (old.is_repeated(step), new.is_repeated(step)) {
            (false, false) => {
                inner = values(shape.element(), old.first(step), new.first(step));
            }
            // Elements that are not unique are compared as wholes.
            (true, true) => {
                inner.modified.is_member = old.all(step) != new.all(step);
            }
            (true, false) => {
                if new.has(step) {
                    inner = values(shape.element(), None, new.first(step));
                }
                inner.removed.is_member = true;
            }
            (false, true) => {
                if old.has(step) {
                    inner = values(shape.element(), old.first(step), None);
                }
                inner.added.is_member = true;
            }
        }
        into.insert(step, inner);
    }
}
