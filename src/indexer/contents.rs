//! The state of the store at one moment.

use std::sync::Arc;

use super::IndexFault;
use super::changes::{Changed, Changes};
use super::fields::{self, COMPARED, IndexedFields};
use super::function::{IndexFunction, ObjectValues};
use super::persistent_set::PersistentSet;
use super::persistent_vec::{PersistentVec, Row};
use super::postings::{Posting, Postings};
use super::table::Table;
use super::walk::{Prefetch, Walk};
use crate::object::{
    AnyObject, Cached, FieldSet, IndexValues, ObjectKey, ObjectState, PassingRead, ResourceVersion,
    ShardSelector, hash_parts,
};
use crate::packer::{NotEnough, ReadPart, ReadView};
use crate::panic::lend;
use crate::yield_budget::YieldBudget;

/// One state of the store. Cloning is O(1), whatever the store holds.
pub(super) struct StoreContents {
    pub(super) version: Option<ResourceVersion>,
    /// The number of writes that led here. States with the same count differ only in their indexes.
    pub(super) content: u64,
    /// The number of objects that were added, replaced or removed so far. Storing the same object
    /// again does not count.
    pub(super) changes: u64,
    objects: Table<Arc<Record>>,
    pub(super) namespaces: Postings,
    pub(super) indexes: Arc<Vec<IndexContents>>,
    /// The indexes' names, for extracted values.
    names: Arc<[Arc<str>]>,
    /// The fields that the index functions read, or `None` if at least one may read any.
    fields: Option<Arc<IndexedFields>>,
    pub(super) stale: PersistentSet<Row>,
    /// The keys of objects that exist without a stored state. Nearly always empty.
    pub(super) unreadable: Table<ObjectKey>,
    /// True if every item of the last list had a readable key.
    pub(super) complete: bool,
    /// The shard that is stored. `None` for the whole collection.
    pub(super) shard: Option<ShardSelector>,
    /// The number of times that the server's history was lost, for example because a backup was
    /// restored.
    pub(super) epoch: u64,
}

/// An object and its key. They share one allocation, so that copying a node counts one reference
/// for each record, in dense memory. The objects themselves lie far apart.
pub(super) struct Record {
    pub(super) key: ObjectKey,
    pub(super) cached: Cached,
}

/// An iterator over the objects of one state with their keys. It holds only those still to come.
pub(crate) struct Objects(Walk<Arc<Record>>);

impl Iterator for Objects {
    type Item = (ObjectKey, Cached);

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.0.next()?;
        Some((record.key.clone(), record.cached.clone()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Objects {}

/// An index: its function and its postings.
pub(super) struct IndexContents {
    pub(super) name: Arc<str>,
    pub(super) function: IndexFunction,
    pub(super) postings: Postings,
    /// The rows of the objects that can't be read. These have no values.
    unread: PersistentSet<Row>,
}

impl StoreContents {
    pub(super) fn new() -> Self {
        Self {
            version: None,
            content: 0,
            changes: 0,
            objects: Table::new(),
            namespaces: Postings::new(),
            indexes: Arc::default(),
            names: Arc::default(),
            fields: Some(Arc::default()),
            stale: PersistentSet::None,
            unreadable: Table::new(),
            complete: true,
            shard: None,
            epoch: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.objects.len()
    }

    pub(super) fn get(&self, key: &ObjectKey) -> Option<&Cached> {
        self.find(key).map(|(_, record)| &record.cached)
    }

    pub(super) fn get_by_name(&self, namespace: Option<&str>, name: &str) -> Option<&Cached> {
        self.find_by_name(namespace, name).map(|(_, record)| &record.cached)
    }

    /// Returns every object with its key, in row order.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&ObjectKey, &Cached)> {
        Prefetch::new(self.objects.iter())
    }

    /// Returns the records that differ, each as it was in `before` and as it is here.
    pub(super) fn differences<'a>(
        &'a self,
        before: &'a Self,
    ) -> impl Iterator<Item = [Option<(&'a ObjectKey, &'a Cached)>; 2]> {
        let parts =
            |record: Option<&'a Arc<Record>>| record.map(|record| (&record.key, &record.cached));
        let changes = Changes::new(before.records(), self.records());
        changes.map(move |(_, before, after)| [before, after].map(parts))
    }

    /// Returns the objects of a posting with their keys, in row order.
    pub(super) fn select<'s>(
        &'s self,
        posting: Option<&'s Posting>,
    ) -> impl Iterator<Item = (&'s ObjectKey, &'s Cached)> + use<'s> {
        let rows = posting.map(PersistentSet::iter).unwrap_or_default();
        Prefetch::new(self.objects.select(rows))
    }

    /// Calls `visit` for the objects from a row on, until `enough` or more are shown. Returns the
    /// row to continue from.
    pub(super) fn visit(
        &self,
        from: Row,
        enough: usize,
        visit: &mut dyn FnMut(&ObjectKey, &Cached),
    ) -> Option<Row> {
        self.objects.visit(from, enough, &mut |_, record| visit(&record.key, &record.cached))
    }

    /// Returns every object of this state with its key, however long the caller takes.
    pub(super) fn walk(&self) -> Objects {
        Objects(self.objects.walk())
    }

    /// Frees the nodes that nothing else holds, and yields to other tasks in between.
    pub(super) async fn free(self) {
        let budget = &mut YieldBudget::new();
        let Self { objects, namespaces, indexes, stale, unreadable, .. } = self;
        objects.free(budget).await;
        unreadable.free(budget).await;
        stale.free(budget).await;
        namespaces.free(budget).await;
        for index in Arc::into_inner(indexes).unwrap_or_default() {
            index.postings.free(budget).await;
            index.unread.free(budget).await;
        }
    }

    /// Returns the object that is stored in exactly this state and is not stale.
    pub(super) fn unchanged(&self, state: &ObjectState<'_>) -> Option<(&ObjectKey, &Cached)> {
        let (row, record) = self.find_by_name(state.namespace, state.name)?;
        let same = record.cached.is_in_state(state) && !self.stale.contains(row);
        same.then_some((&record.key, &record.cached))
    }

    pub(super) fn is_stale(&self, key: &ObjectKey) -> bool {
        !self.stale.is_empty() && self.find(key).is_some_and(|(row, _)| self.stale.contains(row))
    }

    pub(super) fn put(
        &mut self,
        key: &ObjectKey,
        object: &Cached,
        faults: &mut Vec<IndexFault>,
    ) -> Option<Cached> {
        self.forget_unreadable(key);
        let present = self.find(key).map(|(row, record)| (row, record.clone()));
        let (row, old) = if let Some((row, old)) = present {
            // The stored instance of the key stays, so that clones share it.
            let record = Record { key: old.key.clone(), cached: object.clone() };
            if let Some(place) = self.objects.get_mut(row) {
                *place = Arc::new(record);
            }
            self.stale.remove(row);
            (row, Some(old))
        } else {
            let record = Record { key: key.clone(), cached: object.clone() };
            let row = self.objects.insert(key.store_hash(), Arc::new(record));
            if let Some(namespace) = key.namespace() {
                self.namespaces.put(namespace, row);
            }
            (row, None)
        };
        let old = old.map(|old| old.cached.clone());
        if !old.as_ref().is_some_and(|old| old.ptr_eq(object)) {
            self.changes += 1;
        }
        self.update_indexes(row, key, old.as_ref(), Some(object), faults);
        old
    }

    pub(super) fn remove(
        &mut self,
        key: &ObjectKey,
        faults: &mut Vec<IndexFault>,
    ) -> Option<Cached> {
        let (row, _) = self.find(key)?;
        let old = self.objects.take(key.store_hash(), row)?.cached.clone();
        self.changes += 1;
        self.stale.remove(row);
        if let Some(namespace) = key.namespace() {
            self.namespaces.remove(namespace, row);
        }
        self.update_indexes(row, key, Some(&old), None, faults);
        Some(old)
    }

    pub(super) fn mark_stale(&mut self, key: &ObjectKey) {
        if let Some((row, _)) = self.find(key) {
            self.stale.insert(row);
        } else if !self.is_unreadable(key) {
            self.unreadable.insert(key.store_hash(), key.clone());
        }
    }

    /// Returns whether the object exists without a stored state.
    pub(super) fn is_unreadable(&self, key: &ObjectKey) -> bool {
        self.unreadable.find(key.store_hash(), |other| other == key).is_some()
    }

    pub(super) fn forget_unreadable(&mut self, key: &ObjectKey) {
        let hash = key.store_hash();
        if let Some((row, _)) = self.unreadable.find(hash, |other| other == key) {
            self.unreadable.take(hash, row);
        }
    }

    /// Returns the records, for comparing states.
    pub(super) fn records(&self) -> &PersistentVec<Arc<Record>> {
        self.objects.items()
    }

    /// Adds an index that covers this state. Returns its position.
    pub(super) fn push_index(&mut self, index: IndexContents, fields: Option<FieldSet>) -> usize {
        let place = self.indexes.len();
        let is_of_view = index.function.view.is_some();
        Arc::make_mut(&mut self.indexes).push(index);
        self.names = self.indexes.iter().map(|index| index.name.clone()).collect();
        // An index of a view reads nothing of the stored type.
        let fields = if is_of_view { Some(FieldSet::default()) } else { fields };
        let all = fields.and_then(|own| Some(own.and(self.indexed_fields()?)));
        self.fields = all.map(|all| Arc::new(IndexedFields::new(all)));
        place
    }

    /// Adds the indexes that `other` has and this state lacks, updated to this state, and yields to
    /// other tasks in between. Both were made from `base`, and `other` holds the same objects as
    /// `base`.
    pub(super) async fn adopt_indexes(
        &mut self,
        base: &Self,
        other: &Self,
        faults: &mut Vec<IndexFault>,
    ) {
        let mut budget = YieldBudget::new();
        let fields = other.indexed_fields();
        for place in self.indexes.len()..other.indexes.len() {
            let mut index = other.indexes[place].clone();
            for change in Changes::new(base.records(), self.records()) {
                budget.spend(1).await;
                index.update(place, change, fields, faults);
            }
            Arc::make_mut(&mut self.indexes).push(index);
        }
        self.names = other.names.clone();
        self.fields.clone_from(&other.fields);
    }

    /// Returns whether an index function returns the same values for the first objects if it sees
    /// only these fields. Logs a difference.
    pub(super) fn fields_suffice(&self, fields: &FieldSet, index: &IndexContents) -> bool {
        let (mut left, mut same) = (COMPARED, true);
        self.objects.visit(0, COMPARED, &mut |_, record| {
            if left > 0
                && index.function.view.is_none()
                && record.cached.is_packed()
                && let (Some(part), Some(whole)) = (
                    record.cached.read(Some(fields)),
                    record.cached.read_for(PassingRead::Index, None),
                )
            {
                let values =
                    |object: Arc<dyn AnyObject>| lend(object, |object| index.values(&**object));
                same &= values(part) == values(whole);
                left -= 1;
            }
        });
        if !same {
            fields::report(fields);
        }
        same
    }

    /// Returns the fields that index functions read, or `None` if they may read any.
    pub(super) fn indexed_fields(&self) -> Option<&FieldSet> {
        self.fields.as_ref()?.get()
    }

    /// Returns the values in every index of an object, which views get from `read`. `object` may be
    /// `None` if each index is of a view. Returns `None` if there is no index. If a view can't read
    /// the object or a function panics, the values in that index are not known. That is reported
    /// when the object is stored.
    pub(super) fn values(
        &self,
        object: Option<&dyn AnyObject>,
        read: &ReadView<'_>,
    ) -> Option<IndexValues> {
        if self.indexes.is_empty() {
            return None;
        }
        let values = |index: &IndexContents| match &index.function.view {
            Some(view) => lend(read(view)?, |object| index.values(&**object)).ok(),
            None => index.values(object?).ok(),
        };
        Some(IndexValues::new(&self.names, self.indexes.iter().map(values)))
    }

    /// Returns the [`values`](Self::values) of an object that `part` decodes: at least the given
    /// fields, or whole for `None`.
    pub(super) fn values_of_part(
        &self,
        part: &ReadPart<'_>,
        read: &ReadView<'_>,
    ) -> Result<Option<IndexValues>, NotEnough> {
        let fields = self.fields.as_ref().ok_or(NotEnough)?;
        let set = fields.get().ok_or(NotEnough)?;
        if self.indexes.iter().all(|index| index.function.view.is_some()) {
            return Ok(self.values(None, read));
        }
        let values =
            |object: Arc<dyn AnyObject>| lend(object, |object| self.values(Some(&**object), read));
        let some = values(part(Some(set)).ok_or(NotEnough)?);
        let whole = if fields.should_compare() { part(None) } else { None };
        let Some(whole) = whole else { return Ok(some) };
        let whole = values(whole);
        if some != whole {
            fields.refute();
        }
        Ok(whole)
    }

    pub(super) fn find(&self, key: &ObjectKey) -> Option<(Row, &Arc<Record>)> {
        self.objects.find(key.store_hash(), |record| record.key == *key)
    }

    fn find_by_name(&self, namespace: Option<&str>, name: &str) -> Option<(Row, &Arc<Record>)> {
        self.objects
            .find(hash_parts(namespace, name), |record| record.key.has_parts(namespace, name))
    }

    /// Updates every index for an object that is stored, replaced or removed.
    fn update_indexes(
        &mut self,
        row: Row,
        key: &ObjectKey,
        old: Option<&Cached>,
        new: Option<&Cached>,
        faults: &mut Vec<IndexFault>,
    ) {
        let Self { indexes, fields, .. } = self;
        let fields = fields.as_ref().and_then(|fields| fields.get());
        let values_of = |cached| ObjectValues::new(cached, fields);
        let (before, after) = (values_of(old), values_of(new));
        for place in 0..indexes.len() {
            let index = &indexes[place];
            // A function that panics on the old object also panicked earlier, and gave no values.
            let had = index.values_before(place, row, &before);
            let has = after.values(place, index, &mut |message| {
                faults.push(index.fault(key, message));
            });
            // Most updates change no value, and then the index is not copied.
            let was_unread = index.unread.contains(row);
            let stays = if was_unread { has.is_none() } else { has.is_some() && had == has };
            if !stays {
                Arc::make_mut(indexes)[place].change(row, had, has);
            }
        }
    }
}

impl IndexContents {
    /// Makes an empty index.
    pub(super) fn new(name: Arc<str>, function: IndexFunction) -> Self {
        Self { name, function, postings: Postings::new(), unread: PersistentSet::None }
    }

    /// Updates the index for one changed row. `place` is the position that the index has or will
    /// have. Its function reads only these fields, or any for `None`.
    pub(super) fn update(
        &mut self,
        place: usize,
        (row, before, after): Changed<'_, Arc<Record>>,
        fields: Option<&FieldSet>,
        faults: &mut Vec<IndexFault>,
    ) {
        let before = ObjectValues::new(before.map(|record| &record.cached), fields);
        let new_values = ObjectValues::new(after.map(|record| &record.cached), fields);
        let had = self.values_before(place, row, &before);
        let has = new_values.values(place, self, &mut |message| {
            faults.extend(after.map(|record| self.fault(&record.key, message)));
        });
        self.change(row, had, has);
    }

    /// Returns the values under which a row is found, before it changes. `None` if they are not
    /// known.
    fn values_before(
        &self,
        place: usize,
        row: Row,
        before: &ObjectValues<'_>,
    ) -> Option<Vec<String>> {
        if self.unread.contains(row) {
            return Some(Vec::new());
        }
        before.values(place, self, &mut |_| {})
    }

    /// Moves a row from the values that it had to those it has. `has` is `None` if the object can't
    /// be read.
    fn change(&mut self, row: Row, had: Option<Vec<String>>, has: Option<Vec<String>>) {
        if had.is_none() {
            // The old object can't be read any more, so its values are not known. Its row must not
            // stay under them, because another object may get that row.
            self.postings.forget(row);
        }
        // Finding a row under all values takes long. It is known to have none.
        if has.is_some() {
            self.unread.remove(row);
        } else {
            self.unread.insert(row);
        }
        self.postings.change(row, had.unwrap_or_default(), has.unwrap_or_default());
    }

    pub(super) fn values(&self, object: &dyn AnyObject) -> Result<Vec<String>, String> {
        crate::panic::catch(|| (self.function.values)(object))
    }

    /// Makes the fault of a function that panicked on the object with this key.
    fn fault(&self, key: &ObjectKey, message: String) -> IndexFault {
        IndexFault { index: self.name.clone(), key: key.clone(), message }
    }
}

// Implemented by hand, because a derive would demand `K: Clone`.
impl Clone for IndexContents {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            function: self.function.clone(),
            postings: self.postings.clone(),
            unread: self.unread.clone(),
        }
    }
}

impl Clone for StoreContents {
    fn clone(&self) -> Self {
        Self {
            version: self.version.clone(),
            content: self.content,
            changes: self.changes,
            objects: self.objects.clone(),
            namespaces: self.namespaces.clone(),
            indexes: self.indexes.clone(),
            names: self.names.clone(),
            fields: self.fields.clone(),
            stale: self.stale.clone(),
            unreadable: self.unreadable.clone(),
            complete: self.complete,
            shard: self.shard.clone(),
            epoch: self.epoch,
        }
    }
}
