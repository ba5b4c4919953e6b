//! The watch caches of types that a webhook converts.
//!
//! Like a real server, this one keeps a watch cache for each version of such a type:
//!
//! - After a write, the webhook converts the new state of the object once for each other version,
//!   or the last state of a deleted object. The response to the write waits for that, but not for
//!   long, and succeeds also if the webhook fails.
//! - Lists, watches, and reads that name a version come from the cache. A list without a version
//!   waits until the cache has every change. If that takes too long, it reads the store and
//!   converts each object.
//! - Reads without a version and deletes convert the stored object. A replace or patch begins with
//!   the cached one.
//! - A change that cannot be converted holds up the cache, which tries again. Watches, and lists at
//!   version "0", show the state before the change. If the webhook fails for too long, the cache
//!   begins again: its watches end, and lists and watches are answered 429 until the webhook
//!   converts every object.
//!
//! Nothing runs for a cache by itself. Requests that write or read the type, and its open watches,
//! convert what their cache lacks.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::join_all;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use super::conversion::convert;
use super::{DEPTH, Session, Webhooks};
use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::store::stored::Stored;
use crate::api_server::store::{After, Store};

/// The time for which a read waits until a cache has every change.
const READ_PATIENCE: Duration = Duration::from_secs(3);
/// The time for which the response to a write waits for the caches.
const WRITE_PATIENCE: Duration = Duration::from_secs(1);
/// The time after which a failed conversion is tried again.
pub(crate) const RETRY: Duration = Duration::from_millis(100);
/// The time after which a cache whose conversions fail begins again.
const LONGEST_FAILURE: Duration = Duration::from_secs(30);

/// The progress of the watch cache of a type in one version. The converted objects themselves are
/// kept with the stored ones.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    /// The revision up to which every change is converted. `None` until all objects are.
    position: Option<u64>,
    failing_since: Option<Instant>,
    /// The number of times that the cache began again.
    pub(crate) restarts: u64,
}

/// The state of a cache after an attempt to bring it up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Current,
    /// A change could not be converted.
    Behind,
    /// The objects from which the cache begins could not be converted.
    NotReady,
}

/// The objects that a cache has to convert next.
struct Lacking {
    collection: u64,
    objects: Vec<Arc<Stored>>,
    /// The position of the cache once it has them.
    position: u64,
}

impl Webhooks {
    /// Converts what the cache of a type lacks, until it has every change or a conversion fails.
    pub(crate) async fn follow(
        self: &Arc<Self>,
        store: &Mutex<Store>,
        resource: &Arc<ResourceType>,
    ) -> Progress {
        loop {
            let lacking = lacking(&mut store.lock(), resource);
            let Some(lacking) = lacking else { return Progress::Current };
            let converted = lacking.objects.iter().map(|stored| self.cached(resource, stored));
            let converted = join_all(converted).await.iter().all(Result::is_ok);
            let mut store = store.lock();
            let found = store.of_mut(resource).filter(|all| all.id == lacking.collection);
            // A definition that has changed in the meantime has new caches.
            let Some(all) = found else { continue };
            let cache = all.caches.entry(resource.version.clone()).or_default();
            if converted {
                cache.failing_since = None;
                cache.position = cache.position.max(Some(lacking.position));
            } else {
                return cache.fail(Instant::now());
            }
        }
    }

    /// Waits until the cache of a type has every change, but not for long. At version "0" the cache
    /// need not be up to date.
    pub(crate) async fn catch_up(
        self: &Arc<Self>,
        store: &Mutex<Store>,
        resource: &Arc<ResourceType>,
        version: Option<u64>,
    ) {
        let caught_up = async {
            while self.follow(store, resource).await == Progress::Behind && version != Some(0) {
                sleep(RETRY).await;
            }
        };
        // The answer depends on what the cache then has.
        let _ = timeout(READ_PATIENCE, caught_up).await;
    }

    /// Converts what a write has changed, for the caches of all types. The requests of a webhook do
    /// not wait for its own answers.
    pub(crate) async fn follow_all(self: &Arc<Self>, store: &Mutex<Store>) {
        if !self.are_served() || DEPTH.try_with(|_| ()).is_ok() {
            return;
        }
        let types: Vec<Arc<ResourceType>> = {
            let store = store.lock();
            store.types().filter(|resource| self.conversion(resource).is_some()).cloned().collect()
        };
        let all = types.iter().map(|resource| self.follow(store, resource));
        let _ = timeout(WRITE_PATIENCE, join_all(all)).await;
    }

    /// Returns the form of an object in the cache. The webhook converts it once.
    pub(crate) async fn cached(
        self: &Arc<Self>,
        resource: &Arc<ResourceType>,
        stored: &Arc<Stored>,
    ) -> Result<Arc<Stored>, String> {
        if !self.must_convert(resource, stored) {
            return Ok(stored.clone());
        }
        // Others wait for the same call. It does not end when one of them gives up, as a watch does
        // to send a bookmark.
        let call = stored.form(resource, || {
            let (webhooks, resource, stored) = (self.clone(), resource.clone(), stored.clone());
            let call = tokio::spawn(async move { webhooks.read(&resource, stored).await });
            let failed = |error| Err(format!("a conversion did not end: {error}"));
            call.map(move |converted| converted.unwrap_or_else(failed)).boxed()
        });
        call.await
    }
}

impl Cache {
    /// Returns the revision whose state the cache has, unless its history is gone.
    pub(crate) fn position(&self, trimmed: u64) -> Option<u64> {
        self.position.filter(|position| *position >= trimmed)
    }

    /// Notes that a conversion failed.
    fn fail(&mut self, now: Instant) -> Progress {
        let since = *self.failing_since.get_or_insert(now);
        if self.position.is_some() && now - since < LONGEST_FAILURE {
            return Progress::Behind;
        }
        if self.position.take().is_some() {
            self.restarts += 1;
        }
        Progress::NotReady
    }
}

/// Returns what the cache of a type has to convert next: the state after the next change, or all
/// objects if it has none. Nothing if the definition has changed: a watch from before it must not
/// fill the new cache.
fn lacking(store: &mut Store, resource: &Arc<ResourceType>) -> Option<Lacking> {
    let revision = store.revision;
    let all = store.of_mut(resource)?;
    if !all.versions.iter().any(|served| Arc::ptr_eq(served, resource)) {
        return None;
    }
    let cache = all.caches.entry(resource.version.clone()).or_default();
    let Some(position) = cache.position(all.trimmed) else {
        let objects = all.objects.values().cloned().collect();
        return Some(Lacking { collection: all.id, objects, position: revision });
    };
    let next = all.history.partition_point(|change| change.revision <= position);
    let Some(change) = all.history.get(next) else {
        cache.position = Some(revision);
        return None;
    };
    let (After::Present(object) | After::Deleted(object)) = &change.after;
    let objects = vec![object.clone()];
    Some(Lacking { collection: all.id, objects, position: change.revision })
}

/// Returns the cached form of an object for a write. A real server compares it with the stored one,
/// and converts it back for that.
pub(crate) fn cached_for_write(
    session: &Session,
    resource: &ResourceType,
    stored: &Stored,
) -> Result<Option<Arc<Stored>>, Failure> {
    let cached = stored.known_form(resource);
    let (Some(cached), Some(conversion)) = (cached, session.webhooks.conversion(resource)) else {
        return Ok(None);
    };
    let mut object = cached.value(resource);
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("resourceVersion");
    }
    let versions = (&*resource.version, &*conversion.storage);
    let back: Result<Value, String> = convert(session, conversion, resource, versions, object);
    back.map_err(|problem| Failure::without_reason(&problem))?;
    Ok(Some(cached))
}
