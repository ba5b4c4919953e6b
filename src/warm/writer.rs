//! The task that keeps the objects of an informer for its next start.
//!
//! It follows the published states of the store, and never holds up the pipeline. One batch leads
//! from one state to a later one.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::kept::{DELETED, Kept, MOVED, Written, ask, part_name};
use super::pending::PendingDelete;
use super::resume::LIMIT;
use super::{WarmError, WarmRecord, WarmTable};
use crate::indexer::{Indexer, Snapshot};
use crate::object::{AnyObject, Cached, KeyMap, ObjectKey, ShardSelector};
use crate::panic::catch_async;

/// The longest pause after writes that failed.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// The number of objects without the server's bytes from which the table is given up.
const MOST_OMITTED: usize = 1_000;

/// The largest object that is kept, in bytes.
const LARGEST: usize = 16 * 1024 * 1024;

struct Writer {
    table: Box<dyn WarmTable>,
    /// The state that the table has. `None` if that is unknown.
    written: Option<Written>,
    /// The keys of objects that are not in the table.
    omitted: KeyMap<()>,
}

impl Kept {
    /// Writes the states of the store until nothing is stored any more. `stopping` ends the pauses,
    /// and `ended` comes after the last state.
    pub(crate) async fn write(
        self: Arc<Self>,
        store: Indexer,
        stopping: CancellationToken,
        ended: CancellationToken,
    ) {
        let late = async {
            ended.cancelled().await;
            sleep(LIMIT).await;
        };
        tokio::select! {
            // The `Drop` of a table is user code.
            written = catch_async(self.write_states(&store, &stopping, &ended)) => {
                if let Err(message) = written {
                    self.report(&*WarmError::from(format!("the store panicked: {message}")));
                }
            }
            // If the blocked thread ever goes on, it drops the table.
            () = late => self.give_up(&*WarmError::from("the store did not finish its last write")),
        }
    }

    async fn write_states(
        self: &Arc<Self>,
        store: &Indexer,
        stopping: &CancellationToken,
        ended: &CancellationToken,
    ) {
        let interval = match ask(|| self.cluster.store.interval()) {
            Ok(interval) => interval.max(Duration::from_millis(10)),
            Err(problem) => return self.give_up(&*problem),
        };
        let (mut writer, mut pause, mut failed) = (None::<Writer>, interval, false);
        let mut told = false;
        loop {
            let last = stopping.run_until_cancelled(sleep(pause)).await.is_none();
            if last {
                ended.cancelled().await;
            }
            self.forget_gone();
            let state = store.snapshot();
            // An empty shard was given back, and leaves the table as it is.
            let empty = state.shard().is_some_and(ShardSelector::is_empty);
            // Until a complete list, the table has objects that the store lacks and that may exist.
            if self.is_settled() && state.version().is_some() && !empty {
                if self.is_moved() {
                    return self.give_up(&*WarmError::from(MOVED));
                }
                if self.is_unopened() {
                    let _known = self.load(None, None).await;
                    if self.is_unopened() && !std::mem::replace(&mut told, true) {
                        self.report(&*WarmError::from(
                            "the cluster is not known yet, or another informer has the table",
                        ));
                    }
                }
                writer = writer.or_else(|| self.take_table().map(Writer::new));
                let Some(mut writing) = writer.take() else {
                    if last || !self.is_unopened() {
                        return;
                    }
                    continue;
                };
                // After the state was read: it shows no delete that is not noted.
                let pending = self.pending();
                let result = spawn_blocking(move || {
                    let result = ask(|| writing.write(&state, pending)).flatten();
                    (writing, result)
                });
                // The runtime shuts down.
                let Ok((writing, result)) = result.await else { return };
                match result {
                    Ok(true) => (pause, failed) = (interval, false),
                    Ok(false) => {
                        return self.report(&*WarmError::from(
                            "most of them are not stored as the server sent them",
                        ));
                    }
                    Err(error) => {
                        if !std::mem::replace(&mut failed, true) {
                            self.report(&*error);
                        }
                        pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
                    }
                }
                writer = Some(writing);
            }
            if last {
                // Another informer may need the table, although a handle of this one is left.
                drop(self.take_table());
                return;
            }
        }
    }
}

impl Writer {
    fn new((table, written): (Box<dyn WarmTable>, Option<Written>)) -> Self {
        Self { table, written, omitted: KeyMap::default() }
    }

    /// Writes a state, and the pending deletes of objects that it does not have. Returns false if
    /// the table is given up. After an error, the next call writes everything.
    fn write(
        &mut self,
        state: &Snapshot,
        pending: KeyMap<PendingDelete>,
    ) -> Result<bool, WarmError> {
        let Some(version) = state.version() else { return Ok(true) };
        let pending = pending.into_entries().filter(|(key, _)| state.get_cached(key).is_none());
        let pending: KeyMap<_> = pending.collect();
        let mut before = self.written.take();
        if before.as_ref().is_some_and(|before| before.is(state, &pending)) {
            self.written = before;
            return Ok(true);
        }
        if self.table.wants_everything() {
            before = None;
        }
        let before = if let Some(before) = before {
            before
        } else {
            self.omitted = KeyMap::default();
            self.table.clear()?;
            let objects = Indexer::<dyn AnyObject>::new().snapshot();
            Written { objects, deletes: KeyMap::default() }
        };
        for [old, new] in state.differences(&before.objects) {
            if let Some((key, object)) = new
                && !before.objects.get_cached(key).is_some_and(|known| is_same(&known, object))
            {
                self.put(key, object, false)?;
            }
            if let Some((key, _)) = old
                && state.get_cached(key).is_none()
            {
                self.omitted.remove(key);
                if !pending.contains(key) {
                    self.table.remove(key.as_str())?;
                }
            }
        }
        let mut deletes = KeyMap::default();
        for (key, PendingDelete { object, noted }) in pending.iter() {
            if before.deletes.get(key) != Some(noted) {
                self.put(key, object, true)?;
            }
            deletes.add(key.clone(), *noted);
        }
        for (key, _) in before.deletes.iter() {
            if !pending.contains(key) && state.get_cached(key).is_none() {
                self.table.remove(key.as_str())?;
            }
        }
        let whole = self.omitted.len() == 0 && state.stale() == 0 && state.unreadable() == 0;
        let part = if whole { part_name(state.shard()) } else { "some".into() };
        self.table.commit(&format!("{version} {part}"))?;
        if self.omitted.len() > MOST_OMITTED {
            return Ok(false);
        }
        self.written = Some(Written { objects: state.clone(), deletes });
        Ok(true)
    }

    /// Writes an object that is stored, or whose delete is pending.
    fn put(&mut self, key: &ObjectKey, object: &Cached, deleted: bool) -> Result<(), WarmError> {
        let mut put = None;
        object.with_wire(&mut |form, bytes| {
            if bytes.len() <= LARGEST {
                let form = if deleted { form | DELETED } else { form };
                put = Some(self.table.put(WarmRecord { key: key.as_str(), form, bytes }));
            }
        });
        let Some(result) = put else {
            if !deleted {
                self.omitted.insert(key.clone(), ());
            }
            return self.table.remove(key.as_str());
        };
        self.omitted.remove(key);
        result
    }
}

/// Returns whether a table has the same record for both objects. They can be equal and apart after
/// a list.
fn is_same(known: &Cached, object: &Cached) -> bool {
    if known.ptr_eq(object) || known.version() != object.version() {
        return known.ptr_eq(object);
    }
    let (mut record, mut same) = (None, false);
    known.with_wire(&mut |form, bytes| record = Some((form, bytes.to_vec())));
    object.with_wire(&mut |form, bytes| {
        same = record.as_ref().is_some_and(|known| (known.0, &*known.1) == (form, bytes));
    });
    same
}

impl Written {
    /// Returns whether this is the same state, with the same deletes.
    fn is(&self, state: &Snapshot, pending: &KeyMap<PendingDelete>) -> bool {
        let is_written = |(key, delete): &(ObjectKey, PendingDelete)| {
            self.deletes.get(key) == Some(&delete.noted)
        };
        self.objects.is(state)
            && self.deletes.len() == pending.len()
            && pending.iter().all(is_written)
    }
}
