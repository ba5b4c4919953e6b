//! Adding an index while readers and writers go on.
//!
//! A new index is first filled outside the store, from a snapshot. It then catches up with the
//! difference between that snapshot and the next. When no difference is left, the index is
//! published, complete as of one moment. Only publishing takes the store's lock, usually just to
//! swap one pointer.

use std::sync::Arc;

use super::changes::Changes;
use super::contents::{IndexContents, StoreContents};
use super::function::IndexFunction;
use super::{Index, IndexError, IndexFault, Indexer};
use crate::object::FieldSet;
use crate::sync::Mutex;

/// The number of catch-ups before publishing, and again in it, before writers have to wait.
const MAX_CATCH_UPS: usize = 16;

/// The names of indexes that are being built.
#[derive(Debug, Default)]
pub(super) struct ReservedNames(Mutex<Vec<Arc<str>>>);

/// A name that is reserved until this value is dropped.
struct NameReservation<'a>(&'a ReservedNames, Arc<str>);

impl ReservedNames {
    fn reserve(&self, store: &Indexer, name: &str) -> Result<NameReservation<'_>, IndexError> {
        let mut names = self.0.lock();
        let is_taken = names.iter().any(|other| **other == *name)
            || store.load().indexes.iter().any(|index| *index.name == *name);
        if is_taken {
            return Err(IndexError::Duplicate(name.to_owned()));
        }
        let name: Arc<str> = name.into();
        names.push(name.clone());
        Ok(NameReservation(self, name))
    }
}

impl Drop for NameReservation<'_> {
    fn drop(&mut self) {
        self.0.0.lock().retain(|name| !Arc::ptr_eq(name, &self.1));
    }
}

/// An index that is being built.
struct Backfill {
    index: IndexContents,
    fields: Option<FieldSet>,
    /// The state of the store that the index covers.
    seen: Arc<StoreContents>,
    faults: Vec<IndexFault>,
}

impl Backfill {
    /// Updates the index from the state it covers to `now`.
    fn catch_up(&mut self, now: Arc<StoreContents>) {
        let Self { index, fields, seen, faults } = self;
        // Without a position: no object carries values of an index that is not published.
        for change in Changes::new(seen.records(), now.records()) {
            index.update(usize::MAX, change, fields.as_ref(), faults);
        }
        *seen = now;
    }
}

impl Indexer {
    pub(super) fn backfill(
        &self,
        name: &str,
        fields: Option<FieldSet>,
        function: IndexFunction,
    ) -> Result<Index, IndexError> {
        let reserved = self.store.reserved_names.reserve(self, name)?;
        let index = IndexContents::new(reserved.1.clone(), function);
        let now = self.load_full();
        let fields = fields.filter(|fields| now.fields_suffice(fields, &index));
        let seen = Arc::new(StoreContents::new());
        let mut backfill = Backfill { index, fields, seen, faults: Vec::new() };
        backfill.catch_up(now);
        for _ in 0..MAX_CATCH_UPS {
            let now = self.load_full();
            if now.content == backfill.seen.content {
                break;
            }
            backfill.catch_up(now);
        }
        let place = self.publish_index(backfill, &reserved.1);
        Ok(Index::new(self.clone(), reserved.1.clone(), place))
    }

    /// Publishes an index. Returns its position.
    fn publish_index(&self, mut backfill: Backfill, name: &str) -> usize {
        let mut writing = self.store.writing.lock();
        let mut now = self.load_full();
        for _ in 0..MAX_CATCH_UPS {
            if now.content == backfill.seen.content {
                break;
            }
            // The index function is user code, so it runs without the lock while that is possible.
            drop(writing);
            backfill.catch_up(now);
            writing = self.store.writing.lock();
            now = self.load_full();
        }
        if now.content != backfill.seen.content {
            tracing::debug!(name, "writers wait for an index that never catches up with them");
            backfill.catch_up(now.clone());
        }
        let Backfill { index, fields, faults, .. } = backfill;
        let mut next = StoreContents::clone(&now);
        let place = next.push_index(index, fields);
        self.publish(next);
        drop(writing);
        for fault in faults {
            tracing::error!(%fault, "index function panicked");
        }
        place
    }
}
