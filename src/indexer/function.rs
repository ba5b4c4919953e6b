//! The function of an index, and the values that it returns for one object.

use std::cell::OnceCell;
use std::sync::Arc;

use super::contents::IndexContents;
use crate::object::{AnyObject, Cached, FieldSet, PassingRead};
use crate::panic::lend;
use crate::storage::View;

/// A user's function that returns an object's values.
type Values = dyn Fn(&dyn AnyObject) -> Vec<String> + Send + Sync;

/// The function of an index, and how it reads objects.
#[derive(Clone)]
pub(super) struct IndexFunction {
    pub(super) values: Arc<Values>,
    /// The view whose type the function takes, if it is not the stored type.
    pub(super) view: Option<Arc<View>>,
}

impl IndexFunction {
    /// Returns an object as the function takes it: with at least these fields, or whole for `None`.
    pub(super) fn read(
        &self,
        object: &Cached,
        fields: Option<&FieldSet>,
    ) -> Option<Arc<dyn AnyObject>> {
        match &self.view {
            Some(view) => view.read(object, false),
            None => object.read_for(PassingRead::Index, fields),
        }
    }
}

/// The index values of an object. Values that were extracted earlier are used first. Otherwise the
/// object is unpacked, at most once for all indexes.
pub(super) struct ObjectValues<'c> {
    cached: Option<&'c Cached>,
    /// The fields that all index functions read, or `None` for any.
    fields: Option<&'c FieldSet>,
    object: OnceCell<Option<Arc<dyn AnyObject>>>,
}

impl<'c> ObjectValues<'c> {
    pub(super) fn new(cached: Option<&'c Cached>, fields: Option<&'c FieldSet>) -> Self {
        Self { cached, fields, object: OnceCell::new() }
    }

    /// Returns the object's values in an index. Empty if there is no object, or the function
    /// panics, which `panicked` reports. Returns `None` if the object can't be unpacked.
    pub(super) fn values(
        &self,
        place: usize,
        index: &IndexContents,
        panicked: &mut dyn FnMut(String),
    ) -> Option<Vec<String>> {
        let Some(cached) = self.cached else { return Some(Vec::new()) };
        let noted = cached.index_values().and_then(|values| values.of(place, &index.name));
        if noted.is_some() {
            return noted;
        }
        let values = |object: &Arc<dyn AnyObject>| {
            index.values(&**object).unwrap_or_else(|message| {
                panicked(message);
                Vec::new()
            })
        };
        if index.function.view.is_some() {
            return Some(lend(index.function.read(cached, None)?, values));
        }
        let object = self.object.get_or_init(|| index.function.read(cached, self.fields));
        object.as_ref().map(values)
    }
}

/// Each value may own the last reference to an unpacked object, whose `Drop` is user code that may
/// panic. Two values are dropped in a row.
impl Drop for ObjectValues<'_> {
    fn drop(&mut self) {
        if let Some(object) = self.object.take() {
            crate::panic::drop_safely(object);
        }
    }
}
