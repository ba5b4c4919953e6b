//! Waiting until the store reaches a version, so that a writer can read its own write.

use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::{Indexer, Snapshot};
use crate::object::ResourceVersion;

/// The store did not reach a version within the given time.
///
/// A wait that lasts while the version can still come:
///
/// ```
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::indexer::WaitTimeout;
/// use kube_informer::{ResourceVersion, SharedInformer, Snapshot};
///
/// async fn reached(
///     pods: &SharedInformer<Pod>,
///     version: &ResourceVersion,
/// ) -> Result<Snapshot<Pod>, WaitTimeout> {
///     loop {
///         match pods.wait_for(version, Duration::from_secs(5)).await {
///             Err(late) if !late.stopped => eprintln!("{late}"),
///             end => return end,
///         }
///     }
/// }
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "the store {} after {waited:.1?}, not version {wanted}{}",
    reached_text(.reached.as_ref()),
    remedy(*.stopped, .reached.is_some())
)]
#[non_exhaustive]
pub struct WaitTimeout {
    wanted: ResourceVersion,
    /// The version of the store, or `None` before the first list.
    reached: Option<ResourceVersion>,
    waited: Duration,
    /// True if the informer that fills the store was stopped or failed, so that the version will
    /// not come.
    pub stopped: bool,
}

impl WaitTimeout {
    /// Creates the error of a caller that waited this long for a version.
    #[doc(hidden)]
    pub fn new(version: ResourceVersion, reached: Option<ResourceVersion>, time: Duration) -> Self {
        Self { wanted: version, reached, waited: time, stopped: false }
    }
}

fn reached_text(version: Option<&ResourceVersion>) -> String {
    version.map_or_else(|| "holds no list".into(), |version| format!("holds version {version}"))
}

fn remedy(stopped: bool, listed: bool) -> &'static str {
    match (stopped, listed) {
        (true, _) => ": its informer was stopped; ask for a new one, or keep its factory",
        (_, false) => ": start its informer, and await `wait_for_sync`",
        _ => "",
    }
}

impl<K: ?Sized> Indexer<K> {
    /// Waits until the store's version is `version` or newer. Returns the store's state as of then.
    ///
    /// Pass the version of the answer to a write: from then on the store shows that write or a
    /// later state (KEP-5504). A store's version advances with the events and bookmarks of its
    /// watch. If a namespace or a selector narrows the store and the write is outside of it, only
    /// the next bookmark brings the version. A real server sends one about once a minute.
    ///
    /// Cancel safe. Any number of tasks may wait.
    ///
    /// # Errors
    /// [`WaitTimeout`] after `limit`, or at once if the informer was stopped. A version that is not
    /// a decimal number is reached only by an equal one.
    pub async fn wait_for(
        &self,
        version: &ResourceVersion,
        limit: Duration,
    ) -> Result<Snapshot<K>, WaitTimeout> {
        let reached = |store: &Snapshot<K>| store.has_reached(version).then(|| store.clone());
        self.wait_until(version, limit, reached).await
    }

    /// Waits until `seen` returns a value for a state of the store, for ever. It is called with the
    /// present state, and then with the newest one after each change.
    pub(crate) async fn find_in_changes<T>(
        &self,
        mut seen: impl FnMut(&Snapshot<K>) -> Option<T>,
    ) -> T {
        loop {
            // Enabled before the state is read, because otherwise a commit in between would not
            // wake this task.
            let mut changed = pin!(self.changed());
            changed.as_mut().enable();
            if let Some(found) = seen(&self.snapshot()) {
                return found;
            }
            changed.await;
        }
    }

    /// Waits until `seen` returns a value for the store's state. `wanted` is only for the error.
    #[doc(hidden)]
    pub async fn wait_until<T>(
        &self,
        wanted: &ResourceVersion,
        limit: Duration,
        seen: impl FnMut(&Snapshot<K>) -> Option<T>,
    ) -> Result<T, WaitTimeout> {
        let start = Instant::now();
        let found = async {
            tokio::select! {
                biased;
                found = self.find_in_changes(seen) => Some(found),
                () = self.writer_ended() => None,
            }
        };
        let ended = timeout(limit, found).await;
        let stopped = ended.is_ok();
        if let Ok(Some(found)) = ended {
            return Ok(found);
        }
        Err(WaitTimeout {
            wanted: wanted.clone(),
            reached: self.snapshot().version().cloned(),
            waited: start.elapsed(),
            stopped,
        })
    }
}

impl<K: ?Sized> Snapshot<K> {
    /// Returns whether the store's version was `version` or newer. False if the two differ and have
    /// no order. [`Indexer::wait_for`] waits until it is so.
    pub fn has_reached(&self, version: &ResourceVersion) -> bool {
        self.version().is_some_and(|reached| reached.is_at_least(version))
    }
}
