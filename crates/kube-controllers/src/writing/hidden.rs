//! Fields that a server takes but does not show.
//!
//! A server may drop a field, keep it elsewhere, or never return it. A later change of such a field
//! does not show in the object. So the applier sends it again whenever the object moves.

use std::collections::BTreeSet;

use serde_json::Value;

use super::digest::Digest;
use super::records::Section;
use crate::basics::Mutex;

/// The maximum number of hidden fields that an applier names.
const MOST_NAMED: usize = 32;

/// The part of an object that changes if the applied fields do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// The digest of the values of the fields.
    Fields(Digest),
    /// One of the fields is hidden. The digest of all that tells a change of it.
    State(Digest),
}

impl Evidence {
    /// Returns the evidence of an object with hidden fields.
    pub(super) fn state(object: &Value, section: Section) -> Self {
        let metadata = &object["metadata"];
        let mut members = match object {
            // The generation changes with a hidden field, too, but not with the status.
            Value::Object(members)
                if section == Section::Main && metadata["generation"].is_number() =>
            {
                members.clone()
            }
            _ => return Self::State(Digest::of(&metadata["resourceVersion"])),
        };
        // An item of a list need not state its type.
        members.retain(|name, _| !matches!(&**name, "apiVersion" | "kind" | "status"));
        if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.retain(|name, _| !matches!(&**name, "managedFields" | "resourceVersion"));
        }
        // A type may hold sets. The generation also changes with the order of other lists.
        Self::State(Digest::as_sets(&Value::Object(members)))
    }
}

/// The paths of the hidden fields that an applier has met.
#[derive(Debug, Default)]
pub(super) struct HiddenFields(Mutex<BTreeSet<String>>);

impl HiddenFields {
    /// Notes a field, and warns if it is new.
    pub(super) fn note(&self, resource: &str, manager: &str, field: &str) {
        let mut named = self.0.lock();
        if named.len() >= MOST_NAMED || named.contains(field) {
            return;
        }
        named.insert(field.to_owned());
        drop(named);
        tracing::warn!(
            resource,
            manager,
            field,
            "the server or the cache does not show an applied field: the object is applied again \
             whenever it changes"
        );
    }

    pub(super) fn paths(&self) -> Vec<String> {
        self.0.lock().iter().cloned().collect()
    }
}

/// Returns whether a server may leave out a value because none means the same.
pub(super) fn means_none(value: &Value) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Object(members) => members.values().all(means_none),
        _ => is_blank(value),
    }
}

/// Returns whether a configuration has only values that mean none, and an object shows none there.
pub(super) fn shows_none(configured: &Value, shown: &Value) -> bool {
    match configured {
        Value::Object(members) => {
            members.iter().all(|(name, value)| shows_none(value, &shown[name.as_str()]))
        }
        // The list may have elements of other managers.
        Value::Array(elements) => elements.is_empty(),
        _ => means_none(configured) && means_none(shown),
    }
}

/// Returns whether an object shows nothing in the place of a value.
pub(super) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
