//! Owned fields whose changes a type does not show.
//!
//! The cache holds an object as its type reads it. The type may fold several values into one, drop
//! an element, or leave out a field. Only a default that it leaves out shows again once it changes.

use serde_json::Value;

use super::super::configuration::digests;
use super::super::digest::Digest;
use super::super::hidden::{is_blank, means_none};
use super::{Keys, OwnedFields, Part, counts, is, is_empty, names, with_keys};

/// The maximum number of defaults that are replaced to see what the type shows.
const MOST_REPLACED: usize = 64;

/// The place of a field.
#[derive(Clone, Default)]
struct Place {
    /// The path for errors and logs.
    path: String,
    /// The JSON pointer.
    pointer: String,
}

/// An owned field that an object and its type's view of it do not both show alike.
struct Difference {
    place: Place,
    /// True if the view shows nothing there. It may be a default that the type leaves out.
    is_absent: bool,
}

impl OwnedFields {
    /// Returns the path of a field whose changes a type may not show. The error is the path of one
    /// that the type loses. `seen` is its view of the object, and `read` returns that of another
    /// object.
    pub(in super::super) fn unseen(
        &self,
        object: &Value,
        seen: &Value,
        read: impl Fn(&Value) -> Result<Value, String>,
    ) -> Result<Option<String>, String> {
        let before = self.differences(object, object, seen);
        let (absent, others): (Vec<_>, Vec<_>) = before.iter().partition(|field| field.is_absent);
        let path = |field: &Difference| field.place.path.clone();
        let mut unseen = others.first().or(absent.get(MOST_REPLACED)).map(|field| path(field));
        for field in absent.iter().take(MOST_REPLACED) {
            // A default that the type leaves out shows once it is replaced. Each is replaced by
            // itself, because the type may read the object in another way after two changes.
            let (mut other, pointer) = (object.clone(), &field.place.pointer);
            other.pointer_mut(pointer).map(replace);
            // The type may refuse the value.
            let Ok(seen) = read(&other) else {
                unseen.get_or_insert_with(|| path(field));
                continue;
            };
            let is_new = |left: &Difference| {
                left.place.pointer == *pointer
                    || !before.iter().any(|known| known.place.pointer == left.place.pointer)
            };
            for left in self.differences(object, &other, &seen).iter().filter(|left| is_new(left)) {
                // An empty value may have been replaced by one that the field cannot have.
                let is_lost = left.is_absent && left.place.pointer == *pointer;
                if is_lost && object.pointer(pointer).is_some_and(|before| !is_empty(before)) {
                    return Err(path(left));
                }
                unseen.get_or_insert_with(|| path(left));
            }
        }
        Ok(unseen)
    }

    /// Returns the fields that `whole` has, and `part` does not have or has with other values.
    /// `named` is `whole`, or the object of which it has other values in the same places.
    fn differences(&self, named: &Value, whole: &Value, part: &Value) -> Vec<Difference> {
        let mut found = Vec::new();
        self.part.compare(named, whole, Some(part), Place::default(), &mut found);
        found
    }
}

impl Part {
    fn compare(
        &self,
        named: &Value,
        whole: &Value,
        part: Option<&Value>,
        place: Place,
        found: &mut Vec<Difference>,
    ) {
        if whole.is_null() {
            return;
        }
        let Some(part) = part.filter(|part| !part.is_null()) else {
            return found.push(Difference { place, is_absent: true });
        };
        let Self::Some { members, elements, values } = self else {
            return compare_all(whole, part, place, found);
        };
        for (name, below) in members {
            if let (Some(named), Some(value)) = (named.get(&**name), whole.get(&**name)) {
                below.compare(named, value, part.get(&**name), place.member(name), found);
            }
        }
        let (Some(named), Some(list)) = (named.as_array(), whole.as_array()) else { return };
        let shown = part.as_array().map(Vec::as_slice).unwrap_or_default();
        for (keys, below) in elements {
            let Some(n) = named.iter().position(|element| is(keys, element)) else { continue };
            let (element, place) = (&list[n], place.element(n, &names(keys)));
            let keys: Keys =
                keys.iter().map(|(name, _)| (name.clone(), element[&**name].clone())).collect();
            let [view] = with_keys(&keys, shown)[..] else {
                found.push(Difference { place, is_absent: false });
                continue;
            };
            // The server completes keys, which this manager then does not own by themselves.
            for (name, _) in &keys {
                if view.get(&**name).is_none() && !below.has_member(name) {
                    found.push(Difference { place: place.member(name), is_absent: true });
                }
            }
            below.compare(&named[n], element, Some(view), place, found);
        }
        if counts(values, list) != counts(values, shown) {
            found.push(Difference { place: place.element(0, ""), is_absent: false });
        }
    }

    fn has_member(&self, name: &str) -> bool {
        let Self::Some { members, .. } = self else { return true };
        members.iter().any(|(known, _)| **known == *name)
    }
}

/// Compares values of which everything is owned.
fn compare_all(whole: &Value, part: &Value, place: Place, found: &mut Vec<Difference>) {
    if whole.is_null() || Digest::of(whole) == Digest::of(part) {
        return;
    }
    match (whole, part) {
        _ if means_none(whole) && is_blank(part) => {
            found.push(Difference { place, is_absent: true });
        }
        (Value::Object(whole), Value::Object(part)) => {
            for (name, value) in whole {
                let part = part.get(name).unwrap_or(&Value::Null);
                compare_all(value, part, place.member(name), found);
            }
        }
        // Another order is no difference here: see `Unordered`.
        (Value::Array(whole), Value::Array(part)) if digests(whole) == digests(part) => {}
        (Value::Array(whole), Value::Array(part)) if whole.len() == part.len() => {
            for (n, (value, part)) in whole.iter().zip(part).enumerate() {
                compare_all(value, part, place.element(n, &n.to_string()), found);
            }
        }
        _ => found.push(Difference { place, is_absent: false }),
    }
}

impl Place {
    fn member(&self, name: &str) -> Self {
        let step = name.replace('~', "~0").replace('/', "~1");
        let Self { path, pointer } = self;
        Self { path: format!("{path}.{name}"), pointer: format!("{pointer}/{step}") }
    }

    fn element(&self, n: usize, shown: &str) -> Self {
        let Self { path, pointer } = self;
        Self { path: format!("{path}[{shown}]"), pointer: format!("{pointer}/{n}") }
    }
}

/// Replaces a value by another one of its type.
fn replace(value: &mut Value) {
    match value {
        Value::Array(elements) if elements.is_empty() => elements.push("x".into()),
        Value::Object(members) if members.is_empty() => {
            members.insert("x".into(), "x".into());
        }
        value => change(value),
    }
}

/// Replaces each text, number and truth value by another one.
fn change(value: &mut Value) {
    match value {
        Value::Null => {}
        Value::Bool(value) => *value = !*value,
        Value::Number(number) => *value = if number.as_i64() == Some(1) { 2 } else { 1 }.into(),
        Value::String(text) => text.push('x'),
        Value::Array(elements) => elements.iter_mut().for_each(change),
        Value::Object(members) => members.values_mut().for_each(change),
    }
}
