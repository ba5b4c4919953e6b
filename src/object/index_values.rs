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
    /// Pairs of an index's position and a value. `None` stands for values that are not known.
    values: Box<[(u32, Option<Box<str>>)]>,
}

impl IndexValues {
    /// Collects the values in each of these indexes, in the order of `indexes`. `None` if they are
    /// not known.
    pub(crate) fn new(
        indexes: &Arc<[Arc<str>]>,
        values: impl IntoIterator<Item = Option<Vec<String>>>,
    ) -> Self {
        let mut noted = Vec::new();
        for (place, values) in (0..).zip(values) {
            match values {
                Some(values) => noted.extend(values.into_iter().map(|v| (place, Some(v.into())))),
                None => noted.push((place, None)),
            }
        }
        Self { indexes: indexes.clone(), values: noted.into() }
    }

    /// Returns the values in the index with this position and name. `None` if they are not known,
    /// or the index did not exist when they were extracted.
    pub(crate) fn of(&self, place: usize, name: &Arc<str>) -> Option<Vec<String>> {
        self.indexes.get(place).filter(|known| Arc::ptr_eq(known, name))?;
        let noted = self.values.iter().filter(|noted| noted.0 as usize == place);
        noted.map(|(_, value)| value.as_deref().map(str::to_owned)).collect()
    }
}
