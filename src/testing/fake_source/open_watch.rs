//! One open watch of a [`FakeSource`](super::FakeSource).

use std::collections::VecDeque;
use std::sync::Arc;

use kube::Resource;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::objects::decoded;
use super::{SourceData, WatchEnd, WatchSignals, shard};
use crate::error::{Fault, SourceError, Verb};
use crate::lister_watcher::{Collection, WatchItem};
use crate::object::ShardSelector;

/// An open watch.
pub(super) struct OpenWatch<K> {
    pub(super) collection: Collection,
    pub(super) state: Arc<Mutex<SourceData<K>>>,
    pub(super) signals: watch::Receiver<WatchSignals>,
    pub(super) generation: u64,
    pub(super) bookmarks: u64,
    /// The requested shard. `None` if everything is requested.
    pub(super) shard: Option<ShardSelector>,
    pub(super) position: u64,
    pub(super) initial: VecDeque<WatchItem<K>>,
    pub(super) until: Instant,
    pub(super) over: bool,
}

/// The result of looking for the next item without waiting.
enum NextItem<K> {
    Item(Result<WatchItem<K>, SourceError>),
    NotYet,
    Over,
}

impl<K> Drop for OpenWatch<K> {
    fn drop(&mut self) {
        self.state.lock().open_watches -= 1;
    }
}

impl<K: Resource + Clone + Send + Sync + 'static> OpenWatch<K> {
    pub(super) async fn next(mut self) -> Option<(Result<WatchItem<K>, SourceError>, Self)> {
        loop {
            if let Some(item) = self.initial.pop_front() {
                return Some((Ok(item), self));
            }
            match self.next_item() {
                NextItem::Item(item) => return Some((item, self)),
                NextItem::Over => return None,
                NextItem::NotYet => {}
            }
            tokio::select! {
                changed = self.signals.changed() => changed.ok()?,
                () = sleep_until(self.until) => return None,
            }
        }
    }

    /// Returns the next item, if there is one.
    fn next_item(&mut self) -> NextItem<K> {
        let signals = *self.signals.borrow_and_update();
        let state = self.state.lock();
        if self.over {
            return NextItem::Over;
        }
        if signals.generation != self.generation {
            self.over = true;
            let error = |fault| SourceError::new(self.collection.request_name(Verb::Watch), fault);
            return match state.end.clone() {
                WatchEnd::Ordinary => NextItem::Over,
                WatchEnd::Broken => {
                    let source = "connection reset by peer".into();
                    NextItem::Item(Err(error(Fault::Interrupted { received: 0, source })))
                }
                WatchEnd::Failed(status) => {
                    NextItem::Item(Ok(WatchItem::Failed(error(Fault::Status(status)))))
                }
            };
        }
        // Versions only increase.
        let next = state.history.partition_point(|entry| entry.version <= self.position);
        if let Some(entry) = state.history.get(next) {
            self.position = entry.version;
            let (key, poisoned) = (entry.key.clone(), state.poisoned.contains(&entry.key));
            let (now, before) = (entry.now.clone(), entry.before.clone());
            // The rest calls user code.
            drop(state);
            let request = self.collection.request_name(Verb::Watch);
            let decoded = |object: &Arc<K>| decoded(object, &key, poisoned, request);
            let requested = self.shard.as_ref();
            let (outside, object) = match (&now, &before) {
                (Some(now), _) => (shard::outside(requested, &**now), now),
                (None, Some(last)) => (shard::outside_deleted(requested, &**last), last),
                (None, None) => return NextItem::NotYet,
            };
            let item = outside.unwrap_or_else(|| match (&now, &before) {
                (Some(_), Some(_)) => WatchItem::Modified(decoded(object)),
                (Some(_), None) => WatchItem::Added(decoded(object)),
                (None, _) => WatchItem::Deleted(decoded(object)),
            });
            return NextItem::Item(Ok(item));
        }
        if signals.bookmarks != self.bookmarks {
            self.bookmarks = signals.bookmarks;
            let version = self.position.into();
            return NextItem::Item(Ok(WatchItem::Bookmark { version, initial_events_end: false }));
        }
        NextItem::NotYet
    }
}
