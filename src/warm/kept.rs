//! The objects that an earlier run has kept, until the first list is in the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::cluster::ClusterStore;
use super::pending::Consumers;
use super::{TableName, WarmError, WarmTable};
use crate::indexer::{Indexer, Snapshot};
use crate::object::{
    AnyObject, Cached, KeyMap, KnownChunks, KnownObjects, ObjectKey, ObjectState, ResourceVersion,
    ShardSelector,
};
use crate::packer::Packer;
use crate::panic::{catch, drop_safely};
use crate::sync::Mutex;
use crate::time::{ReadBarrier, after};
use crate::transport::ApiCollection;

/// The time in which an informer that is ending gives its table back, and the pause between two
/// attempts to open it.
const HANDOVER: Duration = Duration::from_secs(1);
const HANDOVER_PAUSE: Duration = Duration::from_millis(20);

/// The time after the first list for which the kept objects that it lacks stay known, and what was
/// deleted since, because some controllers connect later. Also the time after a consumer was
/// dropped for which deletes are noted for its successor.
pub(super) const GONE: Duration = Duration::from_secs(600);

/// The number of objects up to which what was deleted since the first list is known.
const MOST_GONE: usize = 10_000;

/// The bit of a record's form that marks a deleted object whose delete is pending.
pub(super) const DELETED: u64 = 1 << 7;

/// The problem of a table whose objects have another API version than those that the server sends.
pub(super) const MOVED: &str = "the server sends them in another API version than the kept ones";

/// The kept objects of one informer, and its table.
pub(crate) struct Kept {
    pub(super) cluster: Arc<ClusterStore>,
    pub(super) source: Arc<ApiCollection>,
    /// `None` before the table is read, and after a complete list is in the store.
    provisional: ArcSwapOption<Provisional>,
    table: Mutex<Table>,
    /// The number of changes of the kind's API version before the table was opened.
    moves: AtomicU64,
    /// Held while the table is opened and read.
    loading: Arc<tokio::sync::Mutex<()>>,
    /// Cancelled once the first list is in the store.
    consumed: CancellationToken,
    /// The objects that the first list lacks, and those that were deleted since. The time until
    /// which they are known; `None` before a complete list is in the store.
    gone: Mutex<(KeyMap<Cached>, Option<Instant>)>,
    /// The deletes that an earlier run has kept, because it had not acted on them. Empty after a
    /// complete list is in the store.
    unfinished: Mutex<Vec<(ObjectKey, Cached)>>,
    pub(super) consumers: Arc<Mutex<Consumers>>,
    /// True if the first list rests on kept objects.
    pub(super) used: AtomicBool,
    /// True while kept objects are being proved, and after a proof that was given up.
    pub(super) proving: AtomicBool,
}

/// The objects of a table.
pub(super) struct Provisional {
    /// The objects in the shard that was requested when the table was read.
    pub(super) objects: Indexer,
    pub(super) shard: Option<ShardSelector>,
    pub(super) version: ResourceVersion,
    /// True if these are all objects of the shard at this version.
    pub(super) whole: bool,
    /// True if uid and version identify a state: the server's history was not lost since.
    pub(super) trusted: AtomicBool,
}

/// The objects that were found in a table.
struct Found {
    objects: Indexer,
    /// The deleted objects on whose delete the earlier run had not acted.
    unfinished: Vec<(ObjectKey, Cached)>,
    /// The part of the collection that the objects are.
    part: String,
    /// False if some of the records can't be decoded.
    is_readable: bool,
    /// False if some would be written in another form by this run.
    is_current: bool,
}

/// Returns the text by which a table states that it has all objects of a shard.
pub(super) fn part_name(shard: Option<&ShardSelector>) -> String {
    match shard.filter(|shard| !shard.is_everything()) {
        None => "everything".into(),
        Some(shard) => format!("{shard:?}"),
    }
}

/// Returns whether an object is in a shard.
pub(super) fn is_inside(shard: Option<&ShardSelector>, key: &ObjectKey, object: &Cached) -> bool {
    shard.is_none_or(|shard| shard.has(key, |by| object.place(by)) == Some(true))
}

/// Calls a store, which is user code. An error if it panicked.
pub(super) fn ask<T>(call: impl FnOnce() -> T) -> Result<T, WarmError> {
    catch(call).map_err(|message| format!("the store panicked: {message}").into())
}

/// The contents of a table.
pub(super) struct Written {
    pub(super) objects: Snapshot,
    /// The objects whose delete is pending, each with the moment at which this run noted it.
    pub(super) deletes: KeyMap<ReadBarrier>,
}

#[derive(Default)]
pub(super) enum Table {
    #[default]
    Unopened,
    /// The table, and what is in it. `None` if it must be written from nothing.
    Open(Box<dyn WarmTable>, Option<Written>),
    /// The table is not used, or the writer has it.
    Gone,
}

impl Kept {
    pub(crate) fn new(cluster: Arc<ClusterStore>, source: Arc<ApiCollection>) -> Arc<Self> {
        Arc::new(Self {
            cluster,
            source,
            provisional: ArcSwapOption::empty(),
            table: Mutex::default(),
            moves: AtomicU64::new(0),
            loading: Arc::default(),
            consumed: CancellationToken::new(),
            gone: Mutex::default(),
            unfinished: Mutex::default(),
            consumers: Arc::default(),
            used: AtomicBool::new(false),
            proving: AtomicBool::new(false),
        })
    }

    /// Returns the kept objects, until the first list is in the store.
    pub(crate) fn snapshot(&self) -> Option<Snapshot> {
        let provisional = self.provisional().filter(|_| !self.is_consumed())?;
        Some(provisional.objects.snapshot())
    }

    pub(super) fn provisional(&self) -> Option<Arc<Provisional>> {
        self.provisional.load_full()
    }

    /// Returns whether the first list is in the store.
    pub(crate) fn is_consumed(&self) -> bool {
        self.consumed.is_cancelled()
    }

    /// Waits until the first list is in the store. An informer of an empty shard has synced before.
    pub(crate) async fn consumed(&self) {
        self.consumed.cancelled().await;
    }

    /// Notes that the first list of a shard lacks an object. Returns false if the object is outside
    /// of the shard: then it may still exist.
    pub(crate) fn note_gone(
        &self,
        shard: Option<&ShardSelector>,
        key: &ObjectKey,
        object: &Cached,
    ) -> bool {
        let is_gone = is_inside(shard, key, object);
        if is_gone {
            self.gone.lock().0.insert(key.clone(), object.clone());
            self.note_pending(key, object);
        }
        is_gone
    }

    /// Notes that the first list of a shard lacks the objects whose delete an earlier run has kept,
    /// except those that are stored.
    pub(crate) fn note_unfinished(
        &self,
        shard: Option<&ShardSelector>,
        is_stored: impl Fn(&ObjectKey) -> bool,
    ) {
        let unfinished = self.unfinished.lock().clone();
        for (key, object) in &unfinished {
            if !is_stored(key) {
                self.note_gone(shard, key, object);
            }
        }
        drop_safely(unfinished);
    }

    /// Returns the objects of [`note_unfinished`](Self::note_unfinished) that were noted, until
    /// their list is consumed.
    pub(crate) fn unfinished(&self) -> Vec<(ObjectKey, Cached)> {
        let mut unfinished = self.unfinished.lock().clone();
        let gone = self.gone.lock();
        unfinished.retain(|(key, _)| gone.0.contains(key));
        unfinished
    }

    /// Notes the delete of an object that was stored. Call this before the store shows it.
    pub(crate) fn note_deleted(&self, key: &ObjectKey, object: &Cached) {
        let mut gone = self.gone.lock();
        let mut replaced = None;
        if gone.1.is_some_and(|until| Instant::now() < until) && gone.0.len() < MOST_GONE {
            replaced = gone.0.remove(key);
            gone.0.add(key.clone(), object.clone());
        }
        drop(gone);
        // An object's `Drop` is user code.
        drop_safely(replaced);
        self.note_pending(key, object);
    }

    /// Returns the objects with whose deletes a new tap begins: those that are gone since the last
    /// run, and those whose delete is pending.
    pub(crate) fn gone(&self) -> Vec<(ObjectKey, Cached)> {
        self.forget_gone();
        let pending = self.pending();
        let mut recent = self.recently_gone();
        recent.retain(|(key, _)| !pending.contains(key));
        let pending = pending.into_entries().map(|(key, delete)| (key, delete.object));
        pending.chain(recent).filter(|(key, _)| !self.is_unpublished(key)).collect()
    }

    /// Returns the objects that are gone since the last run. Empty once their time is over.
    pub(super) fn recently_gone(&self) -> Vec<(ObjectKey, Cached)> {
        let gone = self.gone.lock();
        let is_over = gone.1.is_some_and(|until| until <= Instant::now());
        if is_over { Vec::new() } else { gone.0.iter().cloned().collect() }
    }

    /// Forgets the objects outside of a shard that are gone.
    pub(super) fn narrow_gone(&self, shard: &ShardSelector) {
        let mut gone = self.gone.lock();
        let outside = gone.0.iter().filter(|(key, object)| !is_inside(Some(shard), key, object));
        let outside: Vec<_> = outside.map(|(key, _)| key.clone()).collect();
        let forgotten: Vec<_> = outside.iter().filter_map(|key| gone.0.remove(key)).collect();
        drop(gone);
        drop_safely(forgotten);
    }

    /// Forgets the objects that are gone since the last run, if their time is over.
    pub(super) fn forget_gone(&self) {
        let mut gone = self.gone.lock();
        let over = gone.1.take_if(|until| *until <= Instant::now());
        let forgotten = over.map(|_| std::mem::take(&mut gone.0));
        drop(gone);
        // An object's `Drop` is user code.
        drop_safely(forgotten);
    }

    /// Returns whether no list can show any more that a kept object was deleted.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_consumed() && self.provisional.load().is_none()
    }

    /// Notes that a list is in the store. Objects that an incomplete one lacks may still exist:
    /// they stay known to the next list.
    pub(crate) fn consume(&self, complete: bool) {
        // A table that is being read shows nothing later.
        let _table = self.table.lock();
        self.consumed.cancel();
        if complete {
            self.provisional.store(None);
            self.gone.lock().1 = Some(after(Instant::now(), GONE));
            self.forget_unfinished();
        }
    }

    fn forget_unfinished(&self) {
        let unfinished = std::mem::take(&mut *self.unfinished.lock());
        drop_safely(unfinished);
    }

    /// Returns whether an audit must follow, because the first list rests on kept objects.
    pub(crate) fn wants_audit(&self) -> bool {
        self.used.load(Relaxed) && ask(|| self.cluster.store.audits()).unwrap_or(true)
    }

    pub(super) fn is_unopened(&self) -> bool {
        matches!(*self.table.lock(), Table::Unopened)
    }

    /// Takes the table for the writer. `None` if there is none.
    pub(super) fn take_table(&self) -> Option<(Box<dyn WarmTable>, Option<Written>)> {
        let mut slot = self.table.lock();
        match std::mem::replace(&mut *slot, Table::Gone) {
            Table::Open(table, known) => Some((table, known)),
            Table::Gone => None,
            Table::Unopened => {
                *slot = Table::Unopened;
                None
            }
        }
    }

    /// Returns whether the server sends objects in another API version than the table's.
    pub(super) fn is_moved(&self) -> bool {
        !self.is_unopened() && self.source.moves() != self.moves.load(Relaxed)
    }

    /// Opens and reads the table, unless an earlier call did. If another informer has the table,
    /// the next call tries again. Returns false if the cluster is not known yet.
    pub(super) async fn load(
        self: &Arc<Self>,
        packer: Option<Packer>,
        shard: Option<ShardSelector>,
    ) -> bool {
        let turn = Arc::new(self.loading.clone().lock_owned().await);
        if !self.is_unopened() {
            return true;
        }
        let cluster = match self.cluster.mark(&self.source.client()).await {
            Ok(mark) => mark,
            Err(Some(problem)) => {
                self.give_up(&*problem);
                return true;
            }
            Err(None) => return false,
        };
        self.moves.store(self.source.moves(), Relaxed);
        let name = TableName { cluster, collection: self.source.table_name().into() };
        let until = Instant::now() + HANDOVER;
        loop {
            let name = name.clone();
            let (this, turn) = (self.clone(), turn.clone());
            let (packer, shard) = (packer.clone(), shard.clone());
            // The read goes on if this future is dropped, so that the next call finds its result.
            let read = spawn_blocking(move || {
                let _turn = turn;
                let read = ask(|| this.read(&name, packer.as_ref(), shard)).flatten();
                read.unwrap_or_else(|error| this.give_up(&*error));
            });
            let _ended = read.await;
            if !self.is_unopened() || Instant::now() >= until {
                return true;
            }
            sleep(HANDOVER_PAUSE).await;
        }
    }

    /// Opens and reads the table of this name. Does nothing while another informer has it.
    fn read(
        &self,
        name: &TableName,
        packer: Option<&Packer>,
        shard: Option<ShardSelector>,
    ) -> Result<(), WarmError> {
        let Some(mut table) = self.cluster.store.open(name)? else { return Ok(()) };
        let mut found = None;
        if !self.is_consumed() {
            found = self.read_objects(&mut *table, packer)?;
        }
        let Some(Found { objects, unfinished, part, is_readable, is_current }) = found else {
            *self.table.lock() = Table::Open(table, None);
            return Ok(());
        };
        let known = objects.snapshot();
        let version = known.version().cloned().unwrap_or(ResourceVersion::ANY);
        let inside = if shard.is_some() {
            let inside = Indexer::<dyn AnyObject>::new();
            let mut write = inside.transaction();
            for (key, object) in known.objects() {
                if is_inside(shard.as_ref(), key, object) {
                    write.put(key, object);
                }
            }
            write.set_version(version.clone());
            write.commit();
            inside
        } else {
            objects
        };
        let enough = [part_name(None), part_name(shard.as_ref())];
        let whole = is_readable && enough.contains(&part);
        let trusted = AtomicBool::new(false);
        let deletes = unfinished.iter().map(|(key, _)| (key.clone(), ReadBarrier::START));
        let written = Written { objects: known, deletes: deletes.collect() };
        let known = (is_readable && is_current).then_some(written);
        let mut slot = self.table.lock();
        if !self.is_consumed() {
            *self.unfinished.lock() = unfinished;
            let provisional = Provisional { objects: inside, shard, version, whole, trusted };
            self.provisional.store(Some(Arc::new(provisional)));
        }
        *slot = Table::Open(table, known);
        Ok(())
    }

    /// Returns all objects of a table. `None` if it has none that can be used.
    fn read_objects(
        &self,
        table: &mut dyn WarmTable,
        packer: Option<&Packer>,
    ) -> Result<Option<Found>, WarmError> {
        let codecs = self.source.kept_decoder(packer);
        let objects = Indexer::<dyn AnyObject>::new();
        let mut write = objects.transaction();
        let (mut is_readable, mut is_current) = (true, true);
        let mut unfinished = Vec::new();
        let state = table.read(&mut |record| {
            let found = codecs.decode(record.form & !DELETED, record.bytes);
            let found = found.filter(|(key, ..)| key.as_str() == record.key);
            let Some((key, object, is_same)) = found else {
                is_readable = false;
                return;
            };
            is_current &= is_same;
            if record.form & DELETED != 0 {
                unfinished.push((key, object));
            } else {
                drop(write.put(&key, object));
            }
        })?;
        let state = state.as_deref().and_then(|state| state.split_once(' '));
        let Some((version, part)) = state else { return Ok(None) };
        write.set_version(version.into());
        write.commit();
        let part = part.to_owned();
        Ok(Some(Found { objects, unfinished, part, is_readable, is_current }))
    }

    #[cold]
    pub(super) fn give_up(&self, problem: &dyn std::error::Error) {
        let table = std::mem::replace(&mut *self.table.lock(), Table::Gone);
        // Its `Drop` is user code.
        drop_safely(table);
        self.provisional.store(None);
        self.forget_unfinished();
        self.report(problem);
    }

    #[cold]
    pub(super) fn report(&self, problem: &dyn std::error::Error) {
        let collection = self.source.name();
        tracing::warn!(
            resource = &*collection.resource,
            namespace = collection.namespace.as_deref(),
            problem = %problem,
            "the objects of this informer are not kept for its next start"
        );
    }
}

/// The objects that are known: those of the store, and the kept ones until a complete list is in
/// the store. Such a list shows which kept objects were deleted.
pub(crate) struct KnownWithKept {
    pub(crate) store: Indexer,
    pub(crate) kept: Arc<Kept>,
}

impl KnownObjects for KnownWithKept {
    fn get(&self, key: &ObjectKey) -> Option<Cached> {
        let kept = || self.kept.provisional()?.objects.get_cached(key);
        KnownObjects::get(&self.store, key).or_else(kept)
    }

    fn for_each(&self, visit: &mut dyn FnMut(&ObjectKey, &Cached)) {
        let mut visit_chunk = self.chunks();
        while visit_chunk(visit) {}
    }

    fn chunks(&self) -> KnownChunks<'_> {
        let Some(kept) = self.kept.provisional() else { return self.store.chunks() };
        let (mut stored, mut kept) = (self.store.chunks(), kept.objects.clone().into_chunks());
        Box::new(move |visit| {
            if stored(visit) {
                return true;
            }
            kept(&mut |key, object| {
                // After an incomplete list, the store has the newer state of a kept object.
                if self.store.get_cached(key).is_none() {
                    visit(key, object);
                }
            })
        })
    }

    fn unchanged(&self, state: &ObjectState<'_>) -> Option<(ObjectKey, Cached)> {
        let kept = || {
            let kept = self.kept.provisional()?;
            if kept.trusted.load(Relaxed) { kept.objects.unchanged(state) } else { None }
        };
        self.store.unchanged(state).or_else(kept)
    }

    fn is_behind(&self, version: &ResourceVersion) -> bool {
        self.store.is_behind(version)
    }
}
