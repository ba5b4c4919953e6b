//! Sources that always have another item.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::error::{Fault, SourceError, Verb};
use kube_informer::lister_watcher::{
    Collection, ListHints, ListItem, ListMetadata, ListQuery, ListStream, ListerWatcher,
    Undecodable, WatchItem, WatchQuery, WatchStream,
};
use kube_informer::reflector::ReflectorState;
use tokio::time::{advance, sleep};

use super::{SOON, object};
use crate::helpers::informer_of;
use crate::helpers::log::Log;

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

/// A source whose lists have pages without end. Each takes a while, and brings a new object.
struct Pages {
    collection: Collection,
    listed: AtomicU64,
}

impl ListerWatcher<ConfigMap> for Pages {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(
        &self,
        _: &ListQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        let page = self.listed.fetch_add(1, Ordering::SeqCst);
        let (version, continue_token) = (Some("5".into()), Some(page.to_string()));
        let metadata = ListMetadata { version, continue_token, ..ListMetadata::default() };
        let items =
            [ListItem::Object(Ok(object(&format!("map-{page}")).into())), ListItem::Meta(metadata)];
        async move {
            sleep(Duration::from_millis(300)).await;
            Ok(stream::iter(items.map(Ok)).boxed())
        }
        .boxed()
    }

    fn watch(
        &self,
        _: &WatchQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        async { Ok(stream::pending().boxed()) }.boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn endless_pages_are_counted_and_warned_of() {
    let log = Log::default();
    let _guard = log.install(tracing::Level::WARN);
    let collection = Endless::new().collection;
    let informer = informer_of(&Arc::new(Pages { collection, listed: AtomicU64::new(0) }));
    informer.start().unwrap();
    for _ in 0..200 {
        let error = informer.wait_for_sync(Duration::from_millis(170)).await.unwrap_err();
        assert!(error.to_string().contains("configmaps has listed "), "{error}");
    }
    assert_eq!(log.text(), "", "half a minute is not long");
    let error = informer.wait_for_sync(Duration::from_secs(3_600)).await.unwrap_err();
    let ReflectorState::Listing { pages, loaded, total: None } = error.unsynced[0].state else {
        panic!("{error}")
    };
    assert!((3_600..3_700).contains(&pages) && loaded == pages, "{error}");
    assert!(error.unsynced[0].state_age > Duration::from_secs(3_600), "{error:?}");
    let text = format!("configmaps has listed {loaded} objects in {pages} pages");
    assert!(error.to_string().ends_with(&text), "{error}");
    let warnings = log.text();
    let told = warnings.lines().filter(|line| line.contains("a list goes on")).count();
    assert_eq!(told, 6, "{warnings}");
    assert!(warnings.contains("list configmaps") && warnings.contains("pages=100 "), "{warnings}");
    tokio::time::timeout(SOON, informer.shutdown()).await.unwrap();
}
