//! Everything the store holds at one moment.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;

use kube::Resource;

use super::IndexFault;
use super::changes::{Changed, Changes};
use super::fields::{self, AskedFields, COMPARED};
use super::persistent_set::PersistentSet;
use super::persistent_vec::{PersistentVec, Slot};
use super::postings::{Posting, Postings};
use super::prefetch::Prefetch;
use super::table::Table;
use super::walk::Walk;
use crate::object::{
    Cached, FieldSet, IndexValues, NotEnough, ObjectKey, ObjectState, ResourceVersion, hash_parts,
};
use crate::yield_budget::YieldBudget;

/// What gives an object's values.
pub(super) type Values<K> = Arc<dyn Fn(&K) -> Vec<String> + Send + Sync>;

/// One moment: cloning it is cheap, whatever it holds.
pub(super) struct State<K> {
    pub(super) version: Option<ResourceVersion>,
    /// Counts the writes that led here. States of one count differ in their indexes alone.
    pub(super) content: u64,
    objects: Table<Arc<Record<K>>>,
    pub(super) namespaces: Postings,
    pub(super) indexes: Arc<Vec<IndexState<K>>>,
    /// The indexes' names, for notes of what is filed under them.
    names: Arc<[Arc<str>]>,
    /// The fields that their functions look at. `None`: at least one may look at any.
    fields: Option<Arc<AskedFields>>,
    pub(super) stale: PersistentSet<Slot>,
    /// Keys of objects that exist and of which no state is stored. Nearly always empty.
    pub(super) unreadable: Arc<HashSet<ObjectKey>>,
    /// Whether the last list named every object of the collection.
    pub(super) complete: bool,
    /// How often the server's history was lost, as where a backup was restored.
    pub(super) epoch: u64,
}

/// An object under its key. One allocation, so that to copy a node is to count one reference each,
/// in memory that is dense: the objects themselves lie far apart.
pub(super) struct Record<K> {
    pub(super) key: ObjectKey,
    pub(super) cached: Cached<K>,
}

/// The objects of one moment with their keys. It holds only those that are still to come.
pub(crate) struct Objects<K>(Walk<Arc<Record<K>>>);

impl<K> Iterator for Objects<K> {
    type Item = (ObjectKey, Cached<K>);

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.0.next()?;
        Some((record.key.clone(), record.cached.clone()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<K> ExactSizeIterator for Objects<K> {}

/// An index: its function, and what it has filed.
pub(super) struct IndexState<K> {
    pub(super) name: Arc<str>,
    values: Values<K>,
    pub(super) postings: Postings,
}

impl<K> State<K> {
    pub(super) fn new() -> Self {
        Self {
            version: None,
            content: 0,
            objects: Table::new(),
            namespaces: Postings::new(),
            indexes: Arc::default(),
            names: Arc::default(),
            fields: Some(Arc::default()),
            stale: PersistentSet::None,
            unreadable: Arc::default(),
            complete: true,
            epoch: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.objects.len()
    }

    pub(super) fn get(&self, key: &ObjectKey) -> Option<&Cached<K>> {
        self.find(key).map(|(_, record)| &record.cached)
    }

    pub(super) fn get_by_name(&self, namespace: Option<&str>, name: &str) -> Option<&Cached<K>> {
        self.find_by_name(namespace, name).map(|(_, record)| &record.cached)
    }

    /// Every object with its key, in the order of their slots.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&ObjectKey, &Cached<K>)> {
        Prefetch::new(self.objects.iter())
    }

    /// The objects of a posting with their keys, in the order of their slots.
    pub(super) fn select<'s>(
        &'s self,
        posting: Option<&'s Posting>,
    ) -> impl Iterator<Item = (&'s ObjectKey, &'s Cached<K>)> + use<'s, K> {
        let slots = posting.map(PersistentSet::iter).unwrap_or_default();
        Prefetch::new(self.objects.select(slots))
    }

    /// Shows the objects from a slot on, until they are `enough` or more; gives where to go on.
    pub(super) fn visit(
        &self,
        from: Slot,
        enough: usize,
        visit: &mut dyn FnMut(&ObjectKey, &Cached<K>),
    ) -> Option<Slot> {
        self.objects.visit(from, enough, &mut |_, record| visit(&record.key, &record.cached))
    }

    /// Every object of this moment with its key, for as long as the caller takes.
    pub(super) fn walk(&self) -> Objects<K> {
        Objects(self.objects.walk())
    }

    /// Frees what nothing else holds, in turns.
    pub(super) async fn free(self) {
        let budget = &mut YieldBudget::new();
        let Self { objects, namespaces, indexes, .. } = self;
        objects.free(budget).await;
        namespaces.free(budget).await;
        for index in Arc::into_inner(indexes).unwrap_or_default() {
            index.postings.free(budget).await;
        }
    }

    /// The object that is stored in this very state, and not marked stale.
    pub(super) fn unchanged(&self, state: &ObjectState<'_>) -> Option<(&ObjectKey, &Cached<K>)>
    where
        K: Resource,
    {
        let (slot, record) = self.find_by_name(state.namespace, state.name)?;
        let same = record.cached.is_in_state(state) && !self.stale.contains(slot);
        same.then_some((&record.key, &record.cached))
    }

    pub(super) fn is_stale(&self, key: &ObjectKey) -> bool {
        !self.stale.is_empty() && self.find(key).is_some_and(|(slot, _)| self.stale.contains(slot))
    }

    pub(super) fn put(
        &mut self,
        key: &ObjectKey,
        object: &Cached<K>,
        faults: &mut Vec<IndexFault>,
    ) -> Option<Cached<K>> {
        self.forget_unreadable(key);
        let present = self.find(key).map(|(slot, record)| (slot, record.clone()));
        let (slot, old) = if let Some((slot, old)) = present {
            // The present instance of the key stays.
            let record = Record { key: old.key.clone(), cached: object.clone() };
            if let Some(place) = self.objects.get_mut(slot) {
                *place = Arc::new(record);
            }
            self.stale.remove(slot);
            (slot, Some(old))
        } else {
            let record = Record { key: key.clone(), cached: object.clone() };
            let slot = self.objects.insert(key.store_hash(), Arc::new(record));
            if let Some(namespace) = key.namespace() {
                self.namespaces.put(namespace, slot);
            }
            (slot, None)
        };
        let old = old.map(|old| old.cached.clone());
        self.file(slot, key, old.as_ref(), Some(object), faults);
        old
    }

    pub(super) fn remove(
        &mut self,
        key: &ObjectKey,
        faults: &mut Vec<IndexFault>,
    ) -> Option<Cached<K>> {
        let (slot, _) = self.find(key)?;
        let old = self.objects.take(key.store_hash(), slot)?.cached.clone();
        self.stale.remove(slot);
        if let Some(namespace) = key.namespace() {
            self.namespaces.remove(namespace, slot);
        }
        self.file(slot, key, Some(&old), None, faults);
        Some(old)
    }

    pub(super) fn mark_stale(&mut self, key: &ObjectKey) {
        if let Some((slot, _)) = self.find(key) {
            self.stale.insert(slot);
        } else {
            Arc::make_mut(&mut self.unreadable).insert(key.clone());
        }
    }

    pub(super) fn forget_unreadable(&mut self, key: &ObjectKey) {
        if self.unreadable.contains(key) {
            Arc::make_mut(&mut self.unreadable).remove(key);
        }
    }

    /// The records, to compare moments.
    pub(super) fn records(&self) -> &PersistentVec<Arc<Record<K>>> {
        self.objects.items()
    }

    /// Adds an index that has filed what this state holds; gives its place.
    pub(super) fn push_index(&mut self, index: IndexState<K>, fields: Option<FieldSet>) -> usize {
        let place = self.indexes.len();
        Arc::make_mut(&mut self.indexes).push(index);
        self.names = self.indexes.iter().map(|index| index.name.clone()).collect();
        let all = fields.and_then(|own| Some(own.and(self.asked_fields()?)));
        self.fields = all.map(|all| Arc::new(AskedFields::new(all)));
        place
    }

    /// Files what this state holds in the indexes that `other` has beyond this one's, in turns.
    /// `base` is what both were made from: `other` holds what it holds.
    pub(super) async fn adopt_indexes(
        &mut self,
        base: &Self,
        other: &Self,
        faults: &mut Vec<IndexFault>,
    ) {
        let mut budget = YieldBudget::new();
        let fields = other.asked_fields();
        for place in self.indexes.len()..other.indexes.len() {
            let mut index = other.indexes[place].clone();
            for change in Changes::new(base.records(), self.records()) {
                budget.spend(1).await;
                index.refile(place, change, fields, faults);
            }
            Arc::make_mut(&mut self.indexes).push(index);
        }
        self.names = other.names.clone();
        self.fields.clone_from(&other.fields);
    }

    /// Whether an index gives the first objects the same values whether it is shown these fields or all.
    pub(super) fn suffice(&self, fields: &FieldSet, index: &IndexState<K>) -> bool {
        let (mut left, mut same) = (COMPARED, true);
        self.objects.visit(0, COMPARED, &mut |_, record| {
            if left > 0
                && record.cached.is_packed()
                && let (Some(part), Some(whole)) =
                    (record.cached.get_fields(fields), record.cached.get())
            {
                same &= index.values(&part) == index.values(&whole);
                left -= 1;
            }
        });
        if !same {
            fields::report(fields);
        }
        same
    }

    /// The fields that index functions look at. `None`: any.
    pub(super) fn asked_fields(&self) -> Option<&FieldSet> {
        self.fields.as_ref()?.get()
    }

    /// Returns the values of an object. `None`: there is no index, or one's function panics, which is
    /// told when the object is stored.
    pub(super) fn values(&self, object: &K) -> Option<IndexValues> {
        if self.indexes.is_empty() {
            return None;
        }
        let values: Result<Vec<_>, _> =
            self.indexes.iter().map(|index| index.values(object)).collect();
        Some(IndexValues::new(&self.names, values.ok()?.iter().map(Vec::as_slice)))
    }

    /// The same, of an object that `read` decodes: so far as to have these fields, or whole.
    pub(super) fn values_of_part(
        &self,
        read: &dyn Fn(Option<&FieldSet>) -> Option<K>,
    ) -> Result<Option<IndexValues>, NotEnough> {
        let fields = self.fields.as_ref().ok_or(NotEnough)?;
        let set = fields.get().ok_or(NotEnough)?;
        if self.indexes.is_empty() {
            return Ok(None);
        }
        let part = self.values(&read(Some(set)).ok_or(NotEnough)?);
        let whole = if fields.to_compare() { read(None) } else { None };
        let Some(whole) = whole else { return Ok(part) };
        let whole = self.values(&whole);
        if part != whole {
            fields.refute();
        }
        Ok(whole)
    }

    fn find(&self, key: &ObjectKey) -> Option<(Slot, &Arc<Record<K>>)> {
        self.objects.find(key.store_hash(), |record| record.key == *key)
    }

    fn find_by_name(&self, namespace: Option<&str>, name: &str) -> Option<(Slot, &Arc<Record<K>>)> {
        self.objects
            .find(hash_parts(namespace, name), |record| record.key.has_parts(namespace, name))
    }

    /// Files an object in every index.
    fn file(
        &mut self,
        slot: Slot,
        key: &ObjectKey,
        old: Option<&Cached<K>>,
        new: Option<&Cached<K>>,
        faults: &mut Vec<IndexFault>,
    ) {
        let Self { indexes, fields, .. } = self;
        let fields = fields.as_ref().and_then(|fields| fields.get());
        let asked = |cached| Asked::new(cached, fields);
        let (before, after) = (asked(old), asked(new));
        for place in 0..indexes.len() {
            let index = &indexes[place];
            // A function that panics on the old object panicked when that was filed, under nothing.
            let had = before.values(place, index, &mut |_| {});
            let has = after.values(place, index, &mut |message| {
                faults.push(index.fault(key, message));
            });
            let has = has.unwrap_or_default();
            // Most updates change no value: then the index is left as it is.
            if had.as_ref() != Some(&has) {
                let postings = &mut Arc::make_mut(indexes)[place].postings;
                if had.is_none() {
                    // It can't be unpacked any more, so nobody knows its values; the slot is not to
                    // be found under them when another object has it.
                    postings.forget(slot);
                }
                postings.change(slot, had.unwrap_or_default(), has);
            }
        }
    }
}

/// An object that is asked for its values. What was noted is not asked; the object is unpacked at most
/// once, however many indexes there are.
struct Asked<'c, K> {
    cached: Option<&'c Cached<K>>,
    /// At which fields all who ask will look. `None`: any.
    fields: Option<&'c FieldSet>,
    object: OnceCell<Option<Arc<K>>>,
}

impl<'c, K> Asked<'c, K> {
    fn new(cached: Option<&'c Cached<K>>, fields: Option<&'c FieldSet>) -> Self {
        Self { cached, fields, object: OnceCell::new() }
    }

    /// Its values: none where there is no object, or the function panics, which is told. `None`: it
    /// can't be unpacked.
    fn values(
        &self,
        place: usize,
        index: &IndexState<K>,
        panicked: &mut dyn FnMut(String),
    ) -> Option<Vec<String>> {
        let Some(cached) = self.cached else { return Some(Vec::new()) };
        let noted = cached.index_values().and_then(|values| values.of(place, &index.name));
        if noted.is_some() {
            return noted;
        }
        let object = self.object.get_or_init(|| cached.read(self.fields)).as_ref()?;
        Some(index.values(object).unwrap_or_else(|message| {
            panicked(message);
            Vec::new()
        }))
    }
}

/// Two are dropped in a row, and each may own the last reference to an object that was unpacked.
impl<K> Drop for Asked<'_, K> {
    fn drop(&mut self) {
        if let Some(object) = self.object.take() {
            crate::panic::let_go(object);
        }
    }
}

impl<K> IndexState<K> {
    /// An index that has filed nothing.
    pub(super) fn new(name: Arc<str>, values: Values<K>) -> Self {
        Self { name, values, postings: Postings::new() }
    }

    /// Files what came into a slot in the place of what was there. This index is, or will be, at
    /// `place`; its function looks at these fields only, `None`: at any.
    pub(super) fn refile(
        &mut self,
        place: usize,
        (slot, before, after): Changed<'_, Arc<Record<K>>>,
        fields: Option<&FieldSet>,
        faults: &mut Vec<IndexFault>,
    ) {
        let before = Asked::new(before.map(|record| &record.cached), fields);
        let asked = Asked::new(after.map(|record| &record.cached), fields);
        let had = before.values(place, self, &mut |_| {});
        let has = asked.values(place, self, &mut |message| {
            faults.extend(after.map(|record| self.fault(&record.key, message)));
        });
        if had.is_none() {
            // It can't be unpacked any more, so nobody knows its values.
            self.postings.forget(slot);
        }
        self.postings.change(slot, had.unwrap_or_default(), has.unwrap_or_default());
    }

    fn values(&self, object: &K) -> Result<Vec<String>, String> {
        crate::panic::catch(|| (self.values)(object))
    }

    /// That the function panicked on the object of this key.
    fn fault(&self, key: &ObjectKey, message: String) -> IndexFault {
        IndexFault { index: self.name.clone(), key: key.clone(), message }
    }
}

// By hand: a derive would ask K to be Clone.
impl<K> Clone for IndexState<K> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            values: self.values.clone(),
            postings: self.postings.clone(),
        }
    }
}

impl<K> Clone for State<K> {
    fn clone(&self) -> Self {
        Self {
            version: self.version.clone(),
            content: self.content,
            objects: self.objects.clone(),
            namespaces: self.namespaces.clone(),
            indexes: self.indexes.clone(),
            names: self.names.clone(),
            fields: self.fields.clone(),
            stale: self.stale.clone(),
            unreadable: self.unreadable.clone(),
            complete: self.complete,
            epoch: self.epoch,
        }
    }
}
