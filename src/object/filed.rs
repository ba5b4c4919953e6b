//! Under which values an object is filed, noted while it was decoded.
//!
//! An index asks each object for its values when it is stored, and again when it is replaced. Of one
//! that is packed that would be two unpackings; so what packs it asks then, and keeps the answers.

use std::sync::Arc;

use super::FieldSet;

/// What will file objects.
#[cfg_attr(not(feature = "compact"), expect(dead_code, reason = "nobody packs"))]
pub(crate) trait Filing<K>: Send + Sync {
    /// Whether it is enough to show it some fields of an object, or none.
    fn asks_for_fields(&self) -> bool;

    /// Under which values an object would be filed. `None`: that can't be said before it is.
    fn note(&self, object: &K) -> Option<Filed>;

    /// The same, of an object that `read` decodes: so far as to have these fields, or whole.
    fn note_fields(
        &self,
        read: &dyn Fn(Option<&FieldSet>) -> Option<K>,
    ) -> Result<Option<Filed>, NotEnough>;
}

/// An object has to be decoded whole: somebody may look at any field, or so far it can't be decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotEnough;

/// The values of one object, of each index that there was when they were noted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filed {
    /// The indexes' names, as their store has them: an index is known by its name's address.
    indexes: Arc<[Arc<str>]>,
    /// An index's place, and a value.
    values: Box<[(u32, Box<str>)]>,
}

impl Filed {
    /// Of these indexes, with what each says, in their order.
    pub(crate) fn new<'v>(
        indexes: &Arc<[Arc<str>]>,
        values: impl IntoIterator<Item = &'v [String]>,
    ) -> Self {
        let noted = (0..).zip(values);
        let noted = noted.flat_map(|(place, values)| {
            values.iter().map(move |value| (place, value.as_str().into()))
        });
        Self { indexes: indexes.clone(), values: noted.collect() }
    }

    /// The values of the index at this place and of this name; `None`: it was not asked.
    pub(crate) fn values(&self, place: usize, name: &Arc<str>) -> Option<Vec<String>> {
        let known = self.indexes.get(place).is_some_and(|known| Arc::ptr_eq(known, name));
        let of = |noted: &&(u32, Box<str>)| noted.0 as usize == place;
        known.then(|| self.values.iter().filter(of).map(|(_, value)| value.to_string()).collect())
    }
}
