//! The selection of a list, a watch or a delete: a namespace, labels, fields, a shard.

use super::shard::Shard;
use super::stored::Stored;
use kube_decode::labels::LabelSelector;

/// The selection of objects.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) namespace: Option<String>,
    pub(crate) labels: LabelSelector,
    /// The fields, each with whether it must be equal, and the value.
    pub(crate) fields: Vec<(FieldPath, bool, String)>,
    pub(crate) shard: Option<Shard>,
}

#[derive(Debug)]
pub(crate) enum FieldPath {
    Name,
    Namespace,
    /// The nth selectable field of the type.
    Declared(usize),
}

impl Selection {
    pub(crate) fn matches(&self, object: &Stored) -> bool {
        self.namespace.as_ref().is_none_or(|namespace| *namespace == object.namespace)
            && self.shard.as_ref().is_none_or(|shard| shard.has(object.hash, &object.namespace))
            && (self.labels.is_everything() || self.labels.matches(Some(&object.labels)))
            && self.fields.iter().all(|(path, equal, wanted)| {
                let value = match path {
                    FieldPath::Name => &*object.name,
                    FieldPath::Namespace => &*object.namespace,
                    // An object from before the declaration of the field has no value.
                    FieldPath::Declared(n) => object.fields.get(*n).map_or("", String::as_str),
                };
                (value == wanted) == *equal
            })
    }

    /// Returns whether neither labels nor fields narrow the selection, so that the rest is counted.
    pub(crate) fn is_plain(&self) -> bool {
        self.labels.is_everything() && self.fields.is_empty()
    }

    /// Returns whether the selection has a namespace and everything in it, but for its shard.
    pub(crate) fn has_in_all_shards(&self, object: &Stored) -> bool {
        self.namespace.as_ref().is_none_or(|namespace| *namespace == object.namespace)
    }
}
