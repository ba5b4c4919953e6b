//! The objects that an earlier run has kept, until the first list is in the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arc_swap::ArcSwapOption;
use k8s_openapi::api::core::v1::Namespace;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::resume::LIMIT;
use super::{TableName, WarmError, WarmStore, WarmTable};
use crate::indexer::{Indexer, Snapshot};
use crate::object::{Cached, KnownChunks, KnownObjects, ObjectKey, ObjectState, ResourceVersion};
use crate::packer::Packer;
use crate::panic::catch;
use crate::sync::Mutex;
use crate::transport::ApiCollection;
use crate::transport::document::read_document;

/// The path of the namespace whose uid marks a cluster.
const KUBE_SYSTEM: &str = "/api/v1/namespaces/kube-system";

/// The kept objects of one informer, and its table.
pub(crate) struct Kept {
    pub(super) store: Arc<dyn WarmStore>,
    pub(super) source: Arc<ApiCollection>,
    /// `None` before the table is read, and after the first list is in the store.
    provisional: ArcSwapOption<Provisional>,
    table: Mutex<Table>,
    /// Held while the table is opened and read.
    loading: Arc<tokio::sync::Mutex<()>>,
    /// True once the first list is in the store.
    consumed: AtomicBool,
    /// True if the first list rests on kept objects.
    pub(super) used: AtomicBool,
    /// True while kept objects are being proved, and after a proof that was given up.
    pub(super) proving: AtomicBool,
}

/// The objects of a table.
pub(super) struct Provisional {
    pub(super) objects: Indexer,
    pub(super) version: ResourceVersion,
    /// True if these are the whole collection at this version.
    pub(super) whole: bool,
    /// True if uid and version identify a state: the server's history was not lost since.
    pub(super) trusted: AtomicBool,
}

/// Calls a store, which is user code. An error if it panicked.
pub(super) fn ask<T>(call: impl FnOnce() -> T) -> Result<T, WarmError> {
    catch(call).map_err(|message| format!("the store panicked: {message}").into())
}

#[derive(Default)]
pub(super) enum Table {
    #[default]
    Unopened,
    /// The table, and the objects in it. `None` if it must be written from nothing.
    Open(Box<dyn WarmTable>, Option<Snapshot>),
    /// The table is not used, or the writer has it.
    Gone,
}

impl Kept {
    pub(crate) fn new(store: Arc<dyn WarmStore>, source: Arc<ApiCollection>) -> Arc<Self> {
        Arc::new(Self {
            store,
            source,
            provisional: ArcSwapOption::empty(),
            table: Mutex::default(),
            loading: Arc::default(),
            consumed: AtomicBool::new(false),
            used: AtomicBool::new(false),
            proving: AtomicBool::new(false),
        })
    }

    /// Returns the kept objects, until the first list is in the store.
    pub(crate) fn snapshot(&self) -> Option<Snapshot> {
        Some(self.provisional()?.objects.snapshot())
    }

    pub(super) fn provisional(&self) -> Option<Arc<Provisional>> {
        self.provisional.load_full()
    }

    /// Returns whether the first list is in the store.
    pub(super) fn is_consumed(&self) -> bool {
        self.consumed.load(Relaxed)
    }

    /// Notes that the first list is in the store.
    pub(crate) fn consume(&self) {
        // A table that is being read shows nothing later.
        let _table = self.table.lock();
        self.consumed.store(true, Relaxed);
        self.provisional.store(None);
    }

    /// Returns whether the first list rests on kept objects.
    pub(crate) fn was_used(&self) -> bool {
        self.used.load(Relaxed)
    }

    pub(super) fn is_unopened(&self) -> bool {
        matches!(*self.table.lock(), Table::Unopened)
    }

    /// Takes the table for the writer. `None` if there is none.
    pub(super) fn take_table(&self) -> Option<(Box<dyn WarmTable>, Option<Snapshot>)> {
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

    /// Opens and reads the table, unless that was done. If the cluster is not known now, the next
    /// call tries again.
    pub(super) async fn load(self: &Arc<Self>, packer: Option<Packer>) {
        let turn = self.loading.clone().lock_owned().await;
        if !self.is_unopened() {
            return;
        }
        let cluster = match ask(|| self.store.cluster()) {
            Err(problem) => return self.give_up(&*problem),
            Ok(Some(mark)) => mark,
            Ok(None) => match self.cluster().await {
                Ok(uid) => uid,
                Err(Some(problem)) => return self.give_up(&*problem),
                Err(None) => return,
            },
        };
        let name = TableName { cluster, collection: self.source.table_name().into() };
        let this = self.clone();
        // It goes on if the list is given up, so that the next one finds its result.
        let read = spawn_blocking(move || {
            let _turn = turn;
            let read = ask(|| this.read(&name, packer.as_ref())).flatten();
            read.unwrap_or_else(|error| this.give_up(&*error));
        });
        let _ended = read.await;
    }

    /// Returns the uid that marks the cluster.
    ///
    /// # Errors
    /// The problem, if it is not a passing one.
    async fn cluster(&self) -> Result<Arc<str>, Option<WarmError>> {
        let client = self.source.client();
        let reading = read_document::<Namespace>(&client, KUBE_SYSTEM, "application/json");
        match timeout(LIMIT, reading).await.map_err(|_| None)? {
            Ok(namespace) => match namespace.metadata.uid.filter(|uid| !uid.is_empty()) {
                Some(uid) => Ok(uid.into()),
                None => Err(Some("the namespace kube-system has no uid".into())),
            },
            Err(kube::Error::Api(status)) if matches!(status.code, 403 | 404) => Err(Some(
                format!(
                    "the cluster is not known: getting the namespace kube-system was refused with \
                     {}; allow it, or give the cache a mark of the cluster",
                    status.code
                )
                .into(),
            )),
            Err(_) => Err(None),
        }
    }

    fn read(&self, name: &TableName, packer: Option<&Packer>) -> Result<(), WarmError> {
        let mut table = self.store.open(name)?;
        if self.is_consumed() {
            // Too late for what it has.
            *self.table.lock() = Table::Open(table, None);
            return Ok(());
        }
        let codecs = self.source.kept_decoder(packer);
        let objects = Indexer::<dyn crate::object::AnyObject>::new();
        let mut write = objects.transaction();
        let mut readable = true;
        let state = table.read(&mut |record| {
            let found = codecs.decode(record.form, record.bytes);
            match found.filter(|(key, _)| key.as_str() == record.key) {
                Some((key, object)) => drop(write.put(&key, object)),
                None => readable = false,
            }
        })?;
        let Some(state) = state else {
            *self.table.lock() = Table::Open(table, None);
            return Ok(());
        };
        let version = ResourceVersion::from(&*state.version);
        write.set_version(version.clone());
        write.commit();
        let known = readable.then(|| objects.snapshot());
        let whole = state.whole && readable;
        let trusted = AtomicBool::new(false);
        let mut slot = self.table.lock();
        if !self.is_consumed() {
            let provisional = Provisional { objects, version, whole, trusted };
            self.provisional.store(Some(Arc::new(provisional)));
        }
        *slot = Table::Open(table, known);
        Ok(())
    }

    #[cold]
    pub(super) fn give_up(&self, problem: &dyn std::error::Error) {
        *self.table.lock() = Table::Gone;
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

/// The objects that are known: those of the store, and the kept ones until the first list is in the
/// store. A first list then shows which kept objects were deleted.
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
        self.store.for_each(visit);
        if let Some(kept) = self.kept.provisional() {
            kept.objects.for_each(visit);
        }
    }

    fn chunks(&self) -> KnownChunks<'_> {
        let Some(kept) = self.kept.provisional() else { return self.store.chunks() };
        let (mut stored, mut kept) = (self.store.chunks(), kept.objects.clone().into_chunks());
        Box::new(move |visit| stored(visit) || kept(visit))
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
