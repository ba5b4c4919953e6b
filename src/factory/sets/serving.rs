//! Informers that follow their kind: they wait until it is served.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use kube::Client;
use kube::api::DynamicObject;
use kube::core::ApiResource;
use tokio::time::{sleep, timeout};

use super::definition::Definition;
use super::discovery::LONG_PAUSE;
use crate::factory::{InformerSpec, Interest, SharedInformerFactory, SpecError};
use crate::indexer::Snapshot;
use crate::informer::SharedInformer;
use crate::reflector::{Serving, ServingState};
use crate::storage::Storage;
use crate::sync::Mutex;
use crate::time::ReadBarrier;
use crate::transport::{VersionInUse, read_resources};

/// The longest time that a discovery request may take, and the pause after a failed one.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(10);
const DISCOVERY_PAUSE: Duration = Duration::from_secs(5);

/// The period of the check whether the definitions can be listed.
const PERIOD: Duration = Duration::from_secs(1);

/// The kind of an informer, and the versions in which it is served.
struct ServedKind {
    definitions: Interest<Definition>,
    client: Client,
    /// The resource in the version that was requested.
    resource: ApiResource,
    /// The name of its definition.
    name: String,
    /// True if another version may be followed.
    moves: bool,
    version: VersionInUse,
    seen: Mutex<KindNotes>,
}

#[derive(Default)]
struct KindNotes {
    /// The last state that was returned.
    verdict: Option<Verdict>,
    /// The uid of the last definition whose version was followed.
    uid: Option<String>,
    /// True if the kind had a definition.
    defined: bool,
    /// True if discovery lists the resource. `None` before it was read.
    discovered: Option<bool>,
    /// True if the definitions had synced before discovery was read.
    had_synced: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    /// By the definition with this uid, or without one.
    Served {
        uid: Option<String>,
        version: String,
    },
    NotServed {
        reason: String,
        gone: bool,
    },
}

impl Verdict {
    /// Returns whether requests that this verdict led to may go on under `other`.
    fn continues_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Served { uid, version }, Self::Served { uid: other, version: moved }) => {
                version == moved && (uid == other || uid.is_none())
            }
            _ => self == other,
        }
    }
}

impl SharedInformerFactory {
    /// Returns the informer of a resource that follows its kind: it waits until the kind is served,
    /// and again after the kind was removed. See [`InformerSpec::when_served`].
    ///
    /// # Errors
    /// [`SpecError::Conflict`] if the factory has this informer without this option.
    pub fn when_served(
        &self,
        resource: &ApiResource,
    ) -> Result<SharedInformer<DynamicObject>, SpecError> {
        self.dynamic_with(resource, InformerSpec::new().when_served())
    }

    /// Returns a guard of the informer of definitions.
    pub(super) fn definitions(&self) -> Interest<Definition> {
        let spec = InformerSpec::<Definition>::new().storage(Storage::decoded());
        let definitions = self.interest(spec);
        definitions.expect("nobody else can name the type, so the options are these")
    }

    /// Returns the kind of a resource, whose version `version` selects.
    pub(in crate::factory) fn served_kind(
        &self,
        resource: ApiResource,
        moves: bool,
        version: VersionInUse,
    ) -> Arc<dyn Serving> {
        Arc::new(ServedKind {
            definitions: self.definitions(),
            client: self.shared.client.clone(),
            name: format!("{}.{}", resource.plural, resource.group),
            resource,
            moves,
            version,
            seen: Mutex::default(),
        })
    }
}

/// Limits the time of a discovery request.
pub(super) async fn in_time<T>(
    request: impl Future<Output = kube::Result<T>> + Send,
) -> kube::Result<T> {
    timeout(DISCOVERY_TIMEOUT, request.boxed())
        .await
        .unwrap_or_else(|_| Err(kube::Error::Service("discovery got no answer".into())))
}

/// Returns whether the server does not have the document.
pub(super) fn is_missing(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404)
}

impl ServedKind {
    /// Returns whether the kind is served, if that is known.
    fn look(&self, store: &Snapshot<Definition>) -> Option<Verdict> {
        let synced = self.definitions.has_synced();
        let mut seen = self.seen.lock();
        if let Some(definition) = store.get_by_name(None, &self.name) {
            seen.defined = true;
            let uid = definition.uid();
            return Some(match definition.version_of(&self.resource, self.moves) {
                Ok(version) => {
                    Verdict::Served { uid: Some(uid.to_owned()), version: version.to_owned() }
                }
                // The objects went with the definition that was followed.
                Err(reason) => {
                    let gone = seen.uid.as_deref().is_some_and(|followed| followed != uid);
                    Verdict::NotServed { reason, gone }
                }
            });
        }
        match seen.discovered {
            _ if synced && seen.defined => {}
            // A definition may have left before the definitions could be listed.
            _ if synced && !seen.had_synced => return None,
            Some(true) => {
                let version = self.resource.version.clone();
                return Some(Verdict::Served { uid: None, version });
            }
            Some(false) => {}
            None => return None,
        }
        let reason = if synced {
            "no definition of it is installed"
        } else {
            "discovery does not name it, and definitions have not synced"
        };
        Some(Verdict::NotServed { reason: reason.into(), gone: synced })
    }

    /// Waits until the definitions have synced or cannot be listed, and reads discovery.
    async fn discover(&self) {
        while !self.definitions.has_synced() && self.definitions.unsynced().last_error.is_none() {
            if self.definitions.is_stopped() {
                // They never sync, and this informer ends with them.
                return pending().await;
            }
            let _synced = self.definitions.wait_for_sync(PERIOD).await;
        }
        if self.look(&self.definitions.snapshot()).is_some() {
            return;
        }
        let had_synced = self.definitions.has_synced();
        let mut listed = self.is_listed().await;
        if matches!(listed, Ok(false)) && self.is_served() {
            // One answer may be an accident, and would report the objects as deleted.
            sleep(DISCOVERY_PAUSE).await;
            listed = self.is_listed().await;
        }
        match listed {
            Ok(listed) => {
                let mut seen = self.seen.lock();
                (seen.discovered, seen.had_synced) = (Some(listed), had_synced);
            }
            Err(error) => {
                tracing::warn!(resource = self.name, %error, "discovery failed");
                sleep(DISCOVERY_PAUSE).await;
            }
        }
    }

    /// Returns whether the last verdict was that the kind is served.
    fn is_served(&self) -> bool {
        matches!(self.seen.lock().verdict, Some(Verdict::Served { .. }))
    }

    /// Reads whether discovery lists the resource.
    async fn is_listed(&self) -> kube::Result<bool> {
        let ApiResource { api_version, plural, .. } = &self.resource;
        match in_time(read_resources(&self.client, api_version)).await {
            Ok(served) => Ok(served.iter().any(|resource| resource.name == *plural)),
            Err(error) if is_missing(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Waits until discovery lists a resource that it did not list and that has no definition. No
    /// event tells of it, so discovery is read from time to time.
    async fn appears(&self) {
        let is_absent = |seen: &KindNotes| seen.discovered == Some(false) && !seen.defined;
        while is_absent(&self.seen.lock()) {
            sleep(LONG_PAUSE).await;
            if matches!(self.is_listed().await, Ok(true)) {
                self.seen.lock().discovered = Some(true);
            }
        }
        if !matches!(self.seen.lock().discovered, Some(true)) || self.is_served() {
            pending::<()>().await;
        }
    }

    async fn next_state(&self) -> ServingState {
        // The factory starts it, too, but this informer may be started alone.
        let _ = self.definitions.start();
        let verdict = loop {
            if let Some(verdict) = self.look(&self.definitions.snapshot()) {
                break verdict;
            }
            let defined = self.definitions.indexer().find_in_changes(|store| self.look(store));
            tokio::select! {
                biased;
                verdict = defined => break verdict,
                () = self.discover() => {}
            }
        };
        let mut seen = self.seen.lock();
        seen.verdict = Some(verdict.clone());
        match verdict {
            Verdict::Served { uid, version } => {
                seen.uid = uid;
                let other = version != self.resource.version;
                let moved = other.then(|| format!("{}/{version}", self.resource.group).into());
                self.version.set(moved);
                ServingState::Served
            }
            Verdict::NotServed { reason, gone } => {
                ServingState::NotServed { reason: reason.into(), gone }
            }
        }
    }

    /// Returns whether the last verdict no longer holds.
    fn has_changed(&self, store: &Snapshot<Definition>) -> bool {
        // A kind that discovery listed may have left.
        let Some(now) = self.look(store) else { return true };
        let mut seen = self.seen.lock();
        let Some(before) = &seen.verdict else { return false };
        if !before.continues_as(&now) {
            return true;
        }
        if let Verdict::Served { uid: uid @ Some(_), .. } = &now {
            seen.uid.clone_from(uid);
            seen.verdict = Some(now);
        }
        false
    }

    async fn next_change(&self) {
        let change = || {
            let changed = |store: &Snapshot<Definition>| self.has_changed(store).then_some(());
            self.definitions.indexer().find_in_changes(changed)
        };
        if !self.definitions.has_synced() {
            // An empty first list changes nothing in the store.
            let synced = async {
                while self.definitions.wait_for_sync(PERIOD).await.is_err() {
                    sleep(PERIOD).await;
                }
            };
            tokio::select! {
                biased;
                () = change() => return,
                () = synced => {}
            }
            if self.has_changed(&self.definitions.snapshot()) {
                return;
            }
        }
        change().await;
    }

    async fn verdict_holds_since(&self, since: ReadBarrier) -> bool {
        if !self.definitions.proof(since).await {
            // They have stopped, so this informer ends, too.
            return pending().await;
        }
        let now = self.look(&self.definitions.snapshot());
        now == self.seen.lock().verdict
    }
}

impl Serving for ServedKind {
    fn state(&self) -> BoxFuture<'_, ServingState> {
        self.next_state().boxed()
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        let changed = async {
            tokio::select! {
                biased;
                () = self.next_change() => {}
                () = self.appears() => {}
            }
        };
        changed.boxed()
    }

    fn holds_since(&self, since: ReadBarrier) -> BoxFuture<'_, bool> {
        self.verdict_holds_since(since).boxed()
    }

    fn freshness(&self) -> Option<Duration> {
        self.definitions.freshness()
    }
}
