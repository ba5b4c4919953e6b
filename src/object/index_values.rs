//! The index values of an object, noted while it is decoded.
//!
//! An index asks each object for its values when it is stored, and again when it is replaced. Of one
//! that is packed that would be two unpackings. So whatever packs it asks then, and the values go
//! with the packed object to the index.

use std::sync::Arc;

use super::FieldSet;

/// Says which values the indexes of a store have of an object.
pub(crate) trait IndexExtractor<K>: Send + Sync {
    /// Returns the values of an object. `None`: an index is asked when the object is stored.
    fn values(&self, object: &K) -> Option<IndexValues>;

    /// Returns the values of an object that `read` decodes: so far as to have these fields, or whole.
    ///
    /// # Errors
    /// [`NotEnough`]: some fields are not enough; nothing was decoded where that is known before.
    fn values_of_part(
        &self,
        read: &dyn Fn(Option<&FieldSet>) -> Option<K>,
    ) -> Result<Option<IndexValues>, NotEnough>;
}

/// An object has to be decoded whole: an index may look at any field, or a part of it can't be
/// decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotEnough;

/// The values of one object, for each index that there was when they were noted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexValues {
    /// The indexes' names, as their store has them: an index is known by its name's address.
    indexes: Arc<[Arc<str>]>,
    /// An index's place, and a value.
    values: Box<[(u32, Box<str>)]>,
}

impl IndexValues {
    /// Notes what each of these indexes says, in their order.
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

    /// Returns the values of the index at this place and of this name; `None`: it was not asked.
    pub(crate) fn of(&self, place: usize, name: &Arc<str>) -> Option<Vec<String>> {
        let known = self.indexes.get(place).is_some_and(|known| Arc::ptr_eq(known, name));
        let of = |noted: &&(u32, Box<str>)| noted.0 as usize == place;
        known.then(|| self.values.iter().filter(of).map(|(_, value)| value.to_string()).collect())
    }
}
