//! Informers that do not log the errors of their sources.

use std::sync::Arc;

use kube::{Client, Resource};
use kube_informer::lister_watcher::ListerWatcher;
use kube_informer::reflector::{ListMode, ReflectorOptions};
use kube_informer::testing::{ApiServer, seed_by_test};
use kube_informer::{InformerOptions, SharedInformer, SharedInformerFactory};
use serde::de::DeserializeOwned;

use super::S;

pub(crate) fn factory(server: &ApiServer) -> SharedInformerFactory {
    factory_of(server.client())
}

pub(crate) fn factory_of(client: Client) -> SharedInformerFactory {
    seed_by_test();
    SharedInformerFactory::builder(client).on_error(|_| {}).build()
}

pub(crate) fn informer_of<K>(source: &Arc<impl ListerWatcher<K>>) -> SharedInformer<K>
where
    K: Resource + Send + Sync + 'static,
{
    seed_by_test();
    let options = InformerOptions::new().reflector(ReflectorOptions::new().on_error(|_| {}));
    SharedInformer::new(source.clone(), options)
}

/// Returns an informer that has synced.
pub(crate) async fn synced<K>(client: Client) -> SharedInformer<K>
where
    K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
{
    let informer = factory_of(client).informer::<K>();
    informer.start().unwrap();
    informer.wait_for_sync(10 * S).await.unwrap();
    informer
}

/// Waits until the cache has reached the server's revision.
pub(crate) async fn caught_up<K>(server: &ApiServer, informer: &SharedInformer<K>)
where
    K: Resource + Send + Sync + 'static,
{
    informer.wait_for(&server.revision().into(), 600 * S).await.unwrap();
}

/// Returns the mode of a test that runs with and without streaming lists.
pub(crate) fn list_mode(streaming: bool) -> ListMode {
    if streaming { ListMode::Streaming } else { ListMode::Auto }
}
