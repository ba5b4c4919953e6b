//! Audits: the comparison of a store with the server, and of all that depends on the store.
//!
//! An audit stops nothing. It lists the metadata of what the server has now, in the informer's own
//! scope, and compares uid and version of each object with a snapshot that was taken before. What
//! differs is judged when the store has reached the version of that list.

mod comparison;
mod listing;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use self::comparison::{Comparison, Differences};
use super::SharedInformer;
use super::pipeline::Pipeline;
use crate::error::SourceError;
use crate::indexer::IndexDifference;
use crate::lister_watcher::{AnySource, Collection, ListerWatcher};
use crate::object::{ObjectKey, ResourceVersion};
use crate::panic::{catch, drop_safely};
use crate::reflector::ReflectorState;
use crate::time::{ReadBarrier, seconds};
use crate::warm::Kept;

/// The time that the store gets to reach the version of the list. Without events, a bookmark brings
/// it, about once a minute.
const PATIENCE: Duration = Duration::from_secs(90);

/// The longest time between a start from kept objects and its audit.
const KEPT_AUDIT: Duration = Duration::from_secs(60);

/// The longest time between two such audits, the first of which could not judge.
const LONGEST_KEPT_AUDIT: Duration = Duration::from_secs(600);

/// The number of objects and of values for which each index is compared with its function.
const SAMPLE: usize = 256;

/// The number of attempts to find a handler without a waiting event, and the pause between them.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);

/// The time that the changes in the queue get to reach the store and the handlers.
const FLUSHING: Duration = Duration::from_secs(10);

/// The number of keys of each kind of difference that a text names.
const NAMED: usize = 5;

/// The result of an audit: see [`SharedInformer::audit`]. It holds keys, and never the contents of
/// objects.
///
/// ```
/// use kube_informer::SharedInformer;
/// use kube_informer::informer::Audit;
///
/// async fn report(informer: &SharedInformer) {
///     let audit: Audit = informer.audit().await;
///     if !audit.passed() {
///         eprintln!("{audit}");
///     }
/// }
/// ```
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct Audit {
    /// The collection that was compared.
    pub collection: Collection,
    /// The version of the server's list. `None` if there is none.
    pub version: Option<ResourceVersion>,
    /// The number of objects in that list.
    pub objects: usize,
    /// The time that the audit took. Serialised as seconds.
    #[serde(with = "seconds")]
    pub duration: Duration,
    /// The objects that the server has and the store lacks.
    pub missing: Vec<ObjectKey>,
    /// The objects that the store has and the server lacks.
    pub extra: Vec<ObjectKey>,
    /// The objects of which the store has another state: an older one, one that the server's
    /// history lacks, or one of another object of the same name.
    pub older: Vec<ObjectKey>,
    /// The version that the store did not reach in 90 s although its watch was open. `None` if it
    /// did, or had nothing to catch up with.
    pub behind: Option<ResourceVersion>,
    /// The differences between indexes and their functions, for a sample of objects and values.
    pub indexes: Vec<IndexDifference>,
    /// The handlers that were told of another number of objects than the store has.
    pub handlers: Vec<HandlerDifference>,
    /// The number of objects whose newest state could not be decoded, which the
    /// [status](super::InformerStatus::unreadable) counts, too. They are no differences.
    pub undecoded: usize,
    /// The parts that could not be judged, and why.
    pub not_judged: Vec<NotJudged>,
}

/// A handler that was told of another number of objects than the store has.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct HandlerDifference {
    /// The handler's name. Empty if it has none.
    pub name: Arc<str>,
    /// The number of objects that the handler knows: its adds, less its deletes and departures.
    pub told: u64,
    /// The number of objects in the store.
    pub stored: u64,
}

/// A part that an audit could not judge, and why.
#[derive(Clone, Debug, serde::Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NotJudged {
    /// Nothing, because the informer was stopped.
    #[error("the informer was stopped")]
    Stopped,
    /// Nothing, because the first list is not in the store.
    #[error("the informer has not synced")]
    NotSynced,
    /// Nothing, because the server refused the list, or the list broke off.
    #[error("the server's list failed: {0}")]
    List(SourceError),
    /// Nothing, because the versions of the collection and its objects have no order, or the list
    /// was older than the store.
    #[error("the versions of store, list and objects have no common order")]
    Unordered,
    /// Nothing, because the server's history was lost meanwhile.
    #[error("the server's history was lost meanwhile")]
    HistoryLost,
    /// This number of objects, because the store was catching up: it had no open watch.
    #[error("{0} objects, because the informer was catching up with the server")]
    CatchingUp(usize),
    /// This number of objects, because they have neither a uid nor a version, or a transform
    /// removed it.
    #[error("{0} objects without uid or version")]
    Unidentified(usize),
    /// The objects that the server lacks, because a listed object had no readable key.
    #[error("deletions, because a listed object has no readable key")]
    Nameless,
    /// Handlers of these names, because events waited for them.
    #[error("handlers that have events to handle: {}", .0.join(", "))]
    Busy(Vec<Arc<str>>),
}

impl Audit {
    fn new(collection: Collection) -> Self {
        Self {
            collection,
            version: None,
            objects: 0,
            duration: Duration::ZERO,
            missing: Vec::new(),
            extra: Vec::new(),
            older: Vec::new(),
            behind: None,
            indexes: Vec::new(),
            handlers: Vec::new(),
            undecoded: 0,
            not_judged: Vec::new(),
        }
    }

    /// Returns whether no difference was found. True, too, if nothing could be
    /// [judged](Self::was_judged).
    pub fn passed(&self) -> bool {
        let Self { behind, indexes, handlers, .. } = self;
        self.agrees() && behind.is_none() && indexes.is_empty() && handlers.is_empty()
    }

    /// Returns whether no object was found to differ.
    fn agrees(&self) -> bool {
        let Self { missing, extra, older, .. } = self;
        [missing, extra, older].iter().all(|keys| keys.is_empty())
    }

    /// Returns whether the objects of the store were compared with those of the server.
    pub fn was_judged(&self) -> bool {
        use NotJudged::{CatchingUp, HistoryLost, List, NotSynced, Stopped, Unordered};
        !self.not_judged.iter().any(|reason| {
            matches!(
                reason,
                Stopped | NotSynced | List(_) | Unordered | HistoryLost | CatchingUp(_)
            )
        })
    }
}

/// One line: what was compared, and what differs.
impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} objects compared", self.collection, self.objects)?;
        let differences =
            [("missing", &self.missing), ("extra", &self.extra), ("older", &self.older)];
        for (what, keys) in differences.iter().filter(|(_, keys)| !keys.is_empty()) {
            write!(f, "; {} {what}: {}", keys.len(), Named(keys))?;
        }
        if let Some(version) = &self.behind {
            write!(f, "; the store did not reach version {version}")?;
        }
        for IndexDifference { index, key, lacks } in self.indexes.iter().take(NAMED) {
            let does = if *lacks { "lacks" } else { "has too many" };
            write!(f, "; index {index} {does} values of {key}")?;
        }
        for HandlerDifference { name, told, stored } in self.handlers.iter().take(NAMED) {
            write!(f, "; handler {name:?} was told of {told} objects of {stored}")?;
        }
        for reason in &self.not_judged {
            write!(f, "; not judged: {reason}")?;
        }
        Ok(())
    }
}

/// The first of some keys.
struct Named<'a>(&'a [ObjectKey]);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, key) in self.0.iter().take(NAMED).enumerate() {
            write!(f, "{}{key}", if place == 0 { "" } else { ", " })?;
        }
        if self.0.len() > NAMED { f.write_str(", …") } else { Ok(()) }
    }
}

impl<K: ?Sized> SharedInformer<K> {
    /// Compares the store with the server, object by object, while the informer goes on.
    ///
    /// The server lists the metadata of the collection, in pages of 5,000, in the informer's
    /// own scope: it needs the permission to `list` that the informer has. Uid and version of each
    /// object are compared with a snapshot that was taken before. What differs may be an event on
    /// its way, so it is judged when the store has reached the list's version: at once, with the
    /// next event, or after a minute with a bookmark. Each index is compared with its function for
    /// a sample of objects, and each idle handler's count of objects with the store's.
    ///
    /// Anything that the server cannot show is [not judged](Audit::not_judged), and the audit says why. A
    /// list of a server that lags behind its storage cannot be told from a current one.
    ///
    /// Costs a list of the metadata, 30 bytes an object while it runs, and a call of each index
    /// function for some 250 objects and values. Cancel safe.
    pub async fn audit(&self) -> Audit {
        self.pipeline.audit().await
    }

    /// Returns a future that audits the informer, and does not keep it running.
    pub(crate) fn audited(&self) -> impl Future<Output = Audit> + Send + use<K> {
        let pipeline = self.pipeline.clone();
        async move { pipeline.audit().await }
    }
}

#[cold]
fn warn(audit: &Audit) {
    tracing::warn!(%audit, "an audit found that the cache differs from the server");
}

impl Pipeline {
    /// Audits a store whose first list rests on kept objects. If it differs, everything is listed.
    ///
    /// A restored server that has passed the kept version looks like one that was never restored.
    pub(super) async fn audit_kept(self: Arc<Self>, kept: Arc<Kept>) {
        let auditing = async {
            kept.consumed().await;
            if !self.synced().await || !kept.wants_audit() {
                return;
            }
            let mut pause = KEPT_AUDIT;
            loop {
                sleep(pause.mul_f64(0.2 + 0.8 * fastrand::f64())).await;
                let audit = self.audit().await;
                if !audit.agrees() {
                    self.listed_since(ReadBarrier::now()).await;
                    return;
                }
                if audit.was_judged() {
                    return;
                }
                // Only a comparison shows a lost history, and the server may be down meanwhile.
                pause = pause.saturating_mul(2).min(LONGEST_KEPT_AUDIT);
            }
        };
        self.stop_token().run_until_cancelled(auditing).await;
    }

    pub(super) async fn audit(&self) -> Audit {
        let began = Instant::now();
        let mut audit = Audit::new(self.collection.clone());
        let done = self.stop_token().run_until_cancelled(self.compare(&mut audit)).await;
        if done.is_none() {
            audit = Audit::new(self.collection.clone());
            audit.not_judged.push(NotJudged::Stopped);
        }
        audit.duration = began.elapsed();
        if !audit.passed() {
            warn(&audit);
        }
        if let Some(metrics) = self.metrics.upgrade() {
            metrics.audited(&audit);
        }
        *self.audited.lock() = Some(Arc::new(audit.clone()));
        audit
    }

    async fn compare(&self, audit: &mut Audit) {
        let Some(source) = self.source() else {
            return audit.not_judged.push(NotJudged::Stopped);
        };
        // User code.
        let metadata = catch(|| source.metadata()).ok().flatten();
        let metadata = metadata.map(|metadata| Arc::new(AnySource(metadata)) as Arc<_>);
        let lister = metadata.unwrap_or_else(|| source.clone());
        // The source belongs to the reflector, which may end meanwhile.
        drop_safely(source);
        if let Err(reason) = self.compare_objects(&lister, audit).await {
            audit.not_judged.push(reason);
        }
        drop_safely(lister);
        if self.has_synced() {
            audit.indexes = self.indexer.snapshot().check_indexes(SAMPLE).await;
            self.compare_handlers(audit).await;
        }
    }

    async fn compare_objects(
        &self,
        lister: &Arc<dyn ListerWatcher>,
        audit: &mut Audit,
    ) -> Result<(), NotJudged> {
        let before = self.indexer.snapshot();
        let version = before.version().filter(|_| self.has_synced());
        let version = version.ok_or(NotJudged::NotSynced)?.clone();
        let epoch = before.epoch();
        let mut comparison = Comparison::new(before, version);
        let answer = listing::list(lister, &mut comparison).await;
        audit.objects = comparison.objects();
        audit.version = comparison.list_version().cloned();
        answer.map_err(NotJudged::List)?;
        comparison.end();
        if !comparison.is_ordered() {
            return Err(NotJudged::Unordered);
        }
        if !comparison.is_complete() {
            audit.not_judged.push(NotJudged::Nameless);
        }
        if comparison.unidentified() > 0 {
            audit.not_judged.push(NotJudged::Unidentified(comparison.unidentified()));
        }
        let watched = self.is_watching();
        let settled = self.indexer.find_in_changes(|store| {
            let found = comparison.judge(store);
            (found.open == 0 || store.epoch() != epoch).then_some(found)
        });
        let settled = timeout(PATIENCE, settled).await;
        let after = self.indexer.snapshot();
        if after.epoch() != epoch {
            return Err(NotJudged::HistoryLost);
        }
        let Ok(found) = settled else {
            let open = comparison.judge(&after).open;
            if watched && self.is_watching() {
                audit.behind.clone_from(&audit.version);
                return Ok(());
            }
            return Err(NotJudged::CatchingUp(open));
        };
        let Differences { missing, extra, older, undecoded, open: _ } = found;
        (audit.missing, audit.extra, audit.older) = (missing, extra, older);
        audit.undecoded = undecoded;
        Ok(())
    }

    fn is_watching(&self) -> bool {
        self.reflector_status().state == ReflectorState::Watching
    }

    /// Compares what idle handlers were told with the store. A change meanwhile is no difference:
    /// then, and while a handler has events to handle, it tries again.
    async fn compare_handlers(&self, audit: &mut Audit) {
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                sleep(PAUSE).await;
            }
            let before = self.indexer.snapshot();
            // Then the handlers have all that is in the store. A full tap holds up the store.
            let flushed = timeout(FLUSHING, self.flushed()).await.is_ok();
            let handlers = self.handlers();
            let now = self.indexer.snapshot();
            let still =
                flushed && now.changes() == before.changes() && now.epoch() == before.epoch();
            let stored = now.len() as u64;
            let (idle, busy): (Vec<_>, Vec<_>) = handlers
                .into_iter()
                .partition(|handler| still && handler.synced && handler.backlog == 0);
            if busy.is_empty() || attempt + 1 == ATTEMPTS {
                let differs = idle.into_iter().filter(|handler| handler.objects != stored);
                audit.handlers = differs
                    .map(|handler| HandlerDifference {
                        name: handler.name,
                        told: handler.objects,
                        stored,
                    })
                    .collect();
                if !busy.is_empty() {
                    let names = busy.into_iter().map(|handler| handler.name).collect();
                    audit.not_judged.push(NotJudged::Busy(names));
                }
                return;
            }
        }
    }
}
