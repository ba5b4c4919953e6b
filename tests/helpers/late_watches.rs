//! An informer whose watches are late.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use kube::{Client, Resource};
use kube_informer::lister_watcher::{
    Collection, ListHints, ListQuery, ListStream, ListerWatcher, WatchQuery, WatchStream,
};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::transport::ApiSource;
use kube_informer::{InformerOptions, SharedInformer, SourceError};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep_until};

/// A source whose events come late, each after a time of its own, in order.
pub(crate) struct LateWatches<S>(Arc<S>, Arc<dyn Fn() -> Duration + Send + Sync>);

impl<S> LateWatches<S> {
    pub(crate) fn new(
        source: &Arc<S>,
        late: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self(source.clone(), Arc::new(late)))
    }
}

impl<K: Send + Sync + 'static, S: ListerWatcher<K>> ListerWatcher<K> for LateWatches<S> {
    fn collection(&self) -> &Collection {
        self.0.collection()
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<K>, SourceError>> {
        self.0.list(query, hints)
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<K>, SourceError>> {
        let (watch, late) = (self.0.watch(query, hints), self.1.clone());
        let delay = move |item| {
            let due = Instant::now() + late();
            async move {
                sleep_until(due).await;
                item
            }
        };
        async move { Ok(watch.await?.map(delay).buffered(1 << 20).boxed()) }.boxed()
    }
}

/// An informer to which each event comes after the time that `late` gives.
pub(crate) fn late_informer<K>(
    client: Client,
    late: impl Fn() -> Duration + Send + Sync + 'static,
) -> SharedInformer<K>
where
    K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
{
    let source = LateWatches::new(&Arc::new(ApiSource::<K>::new(client)), late);
    let quiet = ReflectorOptions::new().on_error(|_| {});
    SharedInformer::new(source, InformerOptions::new().reflector(quiet))
}
