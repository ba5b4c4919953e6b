//! Waiting for the store to come to a version: how a writer reads what it wrote.

use std::pin::pin;
use std::time::Duration;

use kube::Resource;
use tokio::time::{Instant, timeout};

use super::{Indexer, Snapshot};
use crate::object::{Cached, ResourceVersion};

/// The store did not come to the version that was waited for in the time given.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "the store is at version {} after {waited:.1?}, not at {wanted}{}",
    reached_text(.reached.as_ref()),
    if *.stopped { ": its informer was stopped; ask for a new one" } else { "" }
)]
#[non_exhaustive]
pub struct WaitTimeout {
    /// The version waited for.
    pub wanted: ResourceVersion,
    /// The version of the store.
    pub reached: Option<ResourceVersion>,
    /// How long was waited.
    pub waited: Duration,
    /// The informer that fills the store was stopped or failed, so the version will not come.
    pub stopped: bool,
}

fn reached_text(version: Option<&ResourceVersion>) -> String {
    version.map_or_else(|| "none yet".into(), ToString::to_string)
}

impl<K> Indexer<K> {
    /// Waits until the store's version is `version` or newer, and gives the store as of then.
    ///
    /// The version of an answer to a write names a moment of this resource (KEP-5504): from then on
    /// the store shows that write or what came after it. A store moves on with the events and
    /// bookmarks of what it watches; one that is narrowed by a namespace or a selector comes to the
    /// version of a write outside of that only with the next bookmark, a minute later at most on a
    /// real server.
    ///
    /// Cancel safe; any number of tasks may wait.
    ///
    /// # Errors
    /// [`WaitTimeout`] when the time is over, or at once when the informer was stopped. A version that is no number is reached by being equal.
    pub async fn wait_for(
        &self,
        version: &ResourceVersion,
        limit: Duration,
    ) -> Result<Snapshot<K>, WaitTimeout> {
        let reached = |store: &Snapshot<K>| store.has_reached(version).then(|| store.clone());
        self.wait_until(version, limit, reached).await
    }

    /// Waits until `seen` has something to say of the store.
    pub(crate) async fn wait_until<T>(
        &self,
        wanted: &ResourceVersion,
        limit: Duration,
        mut seen: impl FnMut(&Snapshot<K>) -> Option<T>,
    ) -> Result<T, WaitTimeout> {
        let start = Instant::now();
        loop {
            // Before looking, or a commit in between would wake nobody.
            let mut changed = pin!(self.changed());
            changed.as_mut().enable();
            let store = self.snapshot();
            if let Some(found) = seen(&store) {
                return Ok(found);
            }
            let stopped = self.0.ended.is_cancelled();
            let change = async {
                tokio::select! {
                    biased;
                    () = changed => {}
                    () = self.ended() => {}
                }
            };
            let over = stopped || {
                let left = limit.saturating_sub(start.elapsed());
                timeout(left, change).await.is_err()
            };
            if over {
                return Err(WaitTimeout {
                    wanted: wanted.clone(),
                    reached: store.version().cloned(),
                    waited: start.elapsed(),
                    stopped,
                });
            }
        }
    }
}

impl<K> Snapshot<K> {
    /// Whether this is the server's state at `version`, or a newer one.
    pub fn has_reached(&self, version: &ResourceVersion) -> bool {
        self.version().is_some_and(|reached| reached == version || version.is_older_than(reached))
    }
}

/// Whether this object is the state at `version`, or a newer one.
pub(crate) fn is_at_least<K: Resource>(object: &Cached<K>, version: &ResourceVersion) -> bool {
    object.version().is_some_and(|known| known == *version || version.is_older_than(&known))
}
