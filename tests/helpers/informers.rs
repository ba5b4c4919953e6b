//! Informers that do not log the errors of their sources, electors and appliers.

use std::sync::Arc;

use kube::{Client, Resource};
use kube_controllers::LeaderElector;
use kube_controllers::writing::{Applied, Applier};
use kube_informer::lister_watcher::ListerWatcher;
use kube_informer::reflector::{ListMode, ReflectorOptions};
use kube_informer::testing::{ApiServer, seed_by_test};
use kube_informer::{InformerOptions, SharedInformer, SharedInformerFactory};
use serde::Serialize;
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

/// Returns an elector for the lease `work` in `shop`.
pub(crate) fn elector(client: Client, identity: &str) -> LeaderElector {
    seed_by_test();
    LeaderElector::builder(client, "shop", "work").identity(identity).build().unwrap()
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

/// Applies until nothing is sent. Returns how often it was sent.
pub(crate) async fn settle<K>(
    server: &ApiServer,
    informer: &SharedInformer<K>,
    applier: &Applier<K>,
    desired: &K,
) -> usize
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Serialize + Send + Sync + 'static,
{
    for sent in 0..5 {
        caught_up(server, informer).await;
        if let Applied::Unchanged(_) = applier.apply(desired).await.unwrap() {
            return sent;
        }
    }
    panic!("it is sent again and again");
}

/// Returns the mode of a test that runs with and without streaming lists.
pub(crate) fn list_mode(streaming: bool) -> ListMode {
    if streaming { ListMode::Streaming } else { ListMode::Auto }
}
