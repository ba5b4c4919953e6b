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
use kube_informer::reflector::ReflectorOptions;
use kube_informer::{InformerOptions, SharedInformer};
use tokio::time::advance;

use super::SOON;

/// A source whose watches tell of an object without a name, and then of bookmarks without end.
struct Endless {
    collection: Collection,
    lists: Arc<AtomicUsize>,
}

impl ListerWatcher<ConfigMap> for Endless {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(
        &self,
        _: &ListQuery,
        _: &ListHints<ConfigMap>,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        self.lists.fetch_add(1, Ordering::SeqCst);
        let version = Some("5".into());
        let metadata = ListMetadata { version, ..ListMetadata::default() };
        async move { Ok(stream::iter([Ok(ListItem::Meta(metadata))]).boxed()) }.boxed()
    }

    fn watch(
        &self,
        _: &WatchQuery,
        _: &ListHints<ConfigMap>,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        let error = SourceError::new(self.collection.request_scope(Verb::Watch), Fault::NoVersion);
        let nameless = Undecodable { key: None, version: None, error };
        let bookmark =
            || Ok(WatchItem::Bookmark { version: "6".into(), initial_events_end: false });
        let items = stream::iter([Ok(WatchItem::Modified(Err(nameless)))]);
        async move { Ok(items.chain(stream::repeat_with(bookmark)).boxed()) }.boxed()
    }
}

/// A change that can't be told to any object makes the reflector list again, soon.
#[tokio::test(start_paused = true)]
async fn busy_watch_does_not_put_off_a_relist() {
    let lists = Arc::new(AtomicUsize::new(0));
    let collection =
        Collection { resource: "configmaps".into(), kind: "ConfigMap".into(), namespace: None };
    let source = Endless { collection, lists: lists.clone() };
    let options = InformerOptions::new().reflector(ReflectorOptions::new().on_error(|_| {}));
    let informer = SharedInformer::new(Arc::new(source), options);
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
