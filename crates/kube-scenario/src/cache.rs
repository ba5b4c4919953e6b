//! The kept caches of a program, which survive its processes.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::connection::Turn;
use crate::schedule::Disturbance;
use crate::world::World;
use kube_informer::warm::{TableName, WarmError, WarmRecord, WarmStore, WarmTable};

/// The objects of a table: the form and the bytes of each, by key.
type Records = BTreeMap<String, (u64, Vec<u8>)>;

/// The tables as they were last written, each with its state. A process begins with them.
#[derive(Default)]
pub(crate) struct Disk(Mutex<HashMap<TableName, (Records, String)>>);

/// The kept cache of one process. When the process has died, or another one has its place, nothing
/// of it is written any more.
#[derive(Clone)]
pub(crate) struct KeptCache {
    pub(crate) world: World,
    pub(crate) death: CancellationToken,
    pub(crate) turn: Turn,
}

struct Table {
    name: TableName,
    cache: KeptCache,
    records: Records,
}

impl KeptCache {
    fn is_written(&self) -> bool {
        !self.death.is_cancelled() && !self.turn.taken.is_cancelled()
    }
}

impl WarmStore for KeptCache {
    fn open(&self, name: &TableName) -> Result<Option<Box<dyn WarmTable>>, WarmError> {
        let (name, cache, records) = (name.clone(), self.clone(), Records::new());
        Ok(Some(Box::new(Table { name, cache, records })))
    }

    fn cluster(&self) -> Option<Arc<str>> {
        Some("the world".into())
    }
}

impl WarmTable for Table {
    fn read(&mut self, visit: &mut dyn FnMut(WarmRecord<'_>)) -> Result<Option<String>, WarmError> {
        let found = self.cache.world.disk().0.lock().get(&self.name).cloned();
        let Some((records, state)) = found else { return Ok(None) };
        self.records = records;
        for (key, (form, bytes)) in &self.records {
            visit(WarmRecord { key, form: *form, bytes });
        }
        Ok(Some(state))
    }

    fn clear(&mut self) -> Result<(), WarmError> {
        self.records.clear();
        Ok(())
    }

    fn put(&mut self, record: WarmRecord<'_>) -> Result<(), WarmError> {
        self.records.insert(record.key.into(), (record.form, record.bytes.into()));
        Ok(())
    }

    fn remove(&mut self, key: &str) -> Result<(), WarmError> {
        self.records.remove(key);
        Ok(())
    }

    fn commit(&mut self, state: &str) -> Result<(), WarmError> {
        if !self.cache.is_written() {
            return Ok(());
        }
        let world = &self.cache.world;
        // The name of a table is a text with the path of its collection in quotes.
        let path = self.name.collection.split('"').find(|part| part.starts_with('/'));
        let disturbance = world.cache_is_written(path.unwrap_or("/"));
        if disturbance == Some(Disturbance::CrashBefore) {
            world.dies();
            return Ok(());
        }
        let table = (self.records.clone(), state.to_owned());
        world.disk().0.lock().insert(self.name.clone(), table);
        if disturbance == Some(Disturbance::CrashAfter) {
            world.dies();
        }
        Ok(())
    }
}
