use futures::{FutureExt, stream};
use kube::runtime::controller::{Config, trigger_owners, trigger_self};
use kube::runtime::reflector::{self, reflector};
use kube::runtime::{WatchStreamExt, applier};
use kube_informer::SharedInformerFactory;
use kube_informer::error::BoxError;

async fn run(client: Client) -> Result<(), BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).build();
    copies(&factory, client).await
}

async fn copies(factory: &SharedInformerFactory, client: Client) -> Result<(), BoxError> {
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    let (store, writer) = reflector::store();
    let own = reflector(writer, maps.events()?.into_watcher()).touched_objects();
    let owned = secrets.events()?.into_watcher().touched_objects();
    let queue = stream::select(trigger_self(own, ()), trigger_owners(owned, (), ()));
    let copy = |map, client| copy(map, client).boxed();
    let copies = applier(copy, retry, Arc::new(client), store, queue, Config::default());
    factory.start()?;
    copies.for_each(async |_| {}).await;
    Ok(())
}
