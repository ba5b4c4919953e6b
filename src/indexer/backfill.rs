//! Adding an index while the store goes on.
//!
//! The index is filed beside the store, from one moment of it; what changed meanwhile is filed from
//! the difference between that moment and the next. When nothing is left it is published, complete
//! and as of one moment. Only that takes the store's lock, and for no longer than one pointer.

use std::sync::Arc;

use super::changes::Changes;
use super::state::{IndexState, State, Values};
use super::{Index, IndexError, IndexFault, Indexer};
use crate::object::FieldSet;
use crate::sync::Mutex;

/// How often an index catches up before writers have to wait for it.
const ROUNDS: usize = 16;

/// The names of indexes in the making.
#[derive(Debug, Default)]
pub(super) struct Adding(Mutex<Vec<Arc<str>>>);

/// A name that nobody else can give an index.
struct Reserved<'a>(&'a Adding, Arc<str>);

impl Adding {
    fn reserve<K>(&self, store: &Indexer<K>, name: &str) -> Result<Reserved<'_>, IndexError> {
        let mut names = self.0.lock();
        let is_taken = names.iter().any(|other| **other == *name)
            || store.load().indexes.iter().any(|index| *index.name == *name);
        if is_taken {
            return Err(IndexError::Duplicate(name.to_owned()));
        }
        let name: Arc<str> = name.into();
        names.push(name.clone());
        Ok(Reserved(self, name))
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.0.0.lock().retain(|name| !Arc::ptr_eq(name, &self.1));
    }
}

/// An index in the making.
struct Backfill<K> {
    index: IndexState<K>,
    fields: Option<FieldSet>,
    /// The moment that it is filed for.
    seen: Arc<State<K>>,
    faults: Vec<IndexFault>,
}

impl<K> Backfill<K> {
    /// Files what differs between the moment seen and this one.
    fn catch_up(&mut self, now: Arc<State<K>>) {
        let Self { index, fields, seen, faults } = self;
        // No place: nothing can be noted for an index that is not published.
        for change in Changes::new(seen.records(), now.records()) {
            index.refile(usize::MAX, change, fields.as_ref(), faults);
        }
        *seen = now;
    }
}

impl<K> Indexer<K> {
    pub(super) fn backfill(
        &self,
        name: &str,
        fields: Option<FieldSet>,
        values: Values<K>,
    ) -> Result<Index<K>, IndexError> {
        let reserved = self.0.adding.reserve(self, name)?;
        let index = IndexState::new(reserved.1.clone(), values);
        let now = self.load_full();
        let fields = fields.filter(|fields| now.suffice(fields, &index));
        let seen = Arc::new(State::new());
        let mut backfill = Backfill { index, fields, seen, faults: Vec::new() };
        backfill.catch_up(now);
        for _ in 0..ROUNDS {
            let now = self.load_full();
            if now.content == backfill.seen.content {
                break;
            }
            backfill.catch_up(now);
        }
        let place = self.publish_index(backfill, &reserved.1);
        Ok(Index::new(self.clone(), reserved.1.clone(), place))
    }

    /// Publishes an index; gives its place.
    fn publish_index(&self, mut backfill: Backfill<K>, name: &str) -> usize {
        let mut writing = self.0.writing.lock();
        let mut now = self.load_full();
        for _ in 0..ROUNDS {
            if now.content == backfill.seen.content {
                break;
            }
            // A function of the user's is not called under the lock while that can be helped.
            drop(writing);
            backfill.catch_up(now);
            writing = self.0.writing.lock();
            now = self.load_full();
        }
        if now.content != backfill.seen.content {
            tracing::debug!(name, "writers wait for an index that never catches up with them");
            backfill.catch_up(now.clone());
        }
        let Backfill { index, fields, faults, .. } = backfill;
        let mut next = State::clone(&now);
        let place = next.push_index(index, fields);
        self.publish(next);
        drop(writing);
        for fault in faults {
            tracing::error!(%fault, "index function panicked");
        }
        place
    }
}
