//! The index values of an object, extracted while it is decoded.
//!
//! An index needs an object's values when the object is stored, and again when it is replaced. For
//! a packed object that would take two unpackings. So the packer extracts the values while the
//! object is decoded, and the packed object carries them to the index.

use std::sync::Arc;

/// The values of one object in each index that existed when they were extracted.
///
/// Packed storage extracts them while it decodes an object, and the store's indexes read them from
/// the packed object. Other code cannot create or read them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexValues {
    /// The indexes' names, shared with their store: an index is identified by its name's address.
    indexes: Arc<[Arc<str>]>,
    /// Pairs of an index's position and a value.
    values: Box<[(u32, Box<str>)]>,
}

impl IndexValues {
    /// Collects the values in each of these indexes, in the order of `indexes`.
    pub(crate) fn new<'v>(
        indexes: &Arc<[Arc<str>]>,
        values: impl IntoIterator<Item = &'v [String]>,
    ) -> Self {
        let mut noted = Vec::new();
        for (place, values) in (0..).zip(values) {
            noted.extend(values.iter().map(|value| (place, value.as_str().into())));
        }
        Self { indexes: indexes.clone(), values: noted.into() }
    }

    /// Returns the values in the index with this position and name, or `None` if it did not exist
    /// when they were extracted.
    pub(crate) fn of(&self, place: usize, name: &Arc<str>) -> Option<Vec<String>> {
        let known = self.indexes.get(place).is_some_and(|known| Arc::ptr_eq(known, name));
        let of = |noted: &&(u32, Box<str>)| noted.0 as usize == place;
        known.then(|| self.values.iter().filter(of).map(|(_, value)| value.to_string()).collect())
    }
}
