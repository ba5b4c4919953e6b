//! Sources that always have another item.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::error::{Fault, SourceError, Verb};
use kube_informer::lister_watcher::{
    Collection, ListHints, ListItem, ListMetadata, ListQuery, ListStream, ListerWatcher,
    Undecodable, WatchItem, WatchQuery, WatchStream,
};
use tokio::time::advance;

use super::SOON;
use crate::helpers::informer_of;

/// A source whose watches tell of an object without a name, and then of bookmarks without end.
struct Endless {
    collection: Collection,
    lists: Arc<AtomicUsize>,
    bookmarks: Arc<AtomicUsize>,
}

impl Endless {
    fn new() -> Self {
        let collection =
            Collection { resource: "configmaps".into(), kind: "ConfigMap".into(), namespace: None };
        Self { collection, lists: Arc::default(), bookmarks: Arc::default() }
    }
}

impl ListerWatcher<ConfigMap> for Endless {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(
        &self,
        _: &ListQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        self.lists.fetch_add(1, Ordering::SeqCst);
        let version = Some("5".into());
        let metadata = ListMetadata { version, ..ListMetadata::default() };
        async move { Ok(stream::iter([Ok(ListItem::Meta(metadata))]).boxed()) }.boxed()
    }

    fn watch(
        &self,
        _: &WatchQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        let error = SourceError::new(self.collection.request_name(Verb::Watch), Fault::NoVersion);
        let nameless = Undecodable { key: None, version: None, error };
        let bookmarks = self.bookmarks.clone();
        let bookmark = move || {
            bookmarks.fetch_add(1, Ordering::SeqCst);
            Ok(WatchItem::Bookmark { version: "6".into(), initial_events_end: false })
        };
        let items = stream::iter([Ok(WatchItem::Modified(Err(nameless)))]);
        async move { Ok(items.chain(stream::repeat_with(bookmark)).boxed()) }.boxed()
    }
}

/// A change that can't be told to any object makes the reflector list again, soon.
#[tokio::test(start_paused = true)]
async fn busy_watch_does_not_put_off_a_relist() {
    let source = Endless::new();
    let lists = source.lists.clone();
    let informer = informer_of(&Arc::new(source));
    informer.start().unwrap();
    for _ in 0..300 {
        if lists.load(Ordering::SeqCst) >= 2 {
            break;
        }
        // The stream never waits, so the clock does not move by itself.
        advance(Duration::from_millis(100)).await;
    }
    assert!(lists.load(Ordering::SeqCst) >= 2);
    tokio::time::timeout(SOON, informer.shutdown()).await.unwrap();
}

/// Tokio looks at its timers after 61 turns of tasks, so a turn must be short.
#[tokio::test(start_paused = true)]
async fn each_bookmark_gives_way_to_other_tasks() {
    let source = Endless::new();
    let bookmarks = source.bookmarks.clone();
    let informer = informer_of(&Arc::new(source));
    informer.start().unwrap();
    let mut most = 0;
    for _ in 0..1000 {
        let before = bookmarks.load(Ordering::SeqCst);
        tokio::task::yield_now().await;
        most = most.max(bookmarks.load(Ordering::SeqCst) - before);
    }
    assert!((1..=61).contains(&most), "{most} bookmarks in 61 turns of tasks");
    tokio::time::timeout(SOON, informer.shutdown()).await.unwrap();
}
