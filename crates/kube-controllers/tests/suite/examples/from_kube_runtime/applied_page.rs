use kube_controllers::writing::{Applier, ApplyError};

async fn copies(factory: &SharedInformerFactory, client: Client) -> Result<(), BoxError> {
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    let applier_of_secrets = Applier::builder(client, &secrets, "copies").build()?;
    let (store, writer) = reflector::store();
    let own = reflector(writer, maps.events()?.into_watcher()).touched_objects();
    let owned = secrets.events()?.into_watcher().touched_objects();
    let queue = stream::select(trigger_self(own, ()), trigger_owners(owned, (), ()));
    let copy = |map, secrets| copy(map, secrets).boxed();
    let context = Arc::new(applier_of_secrets);
    let copies = applier(copy, retry, context, store, queue, Config::default());
    factory.start()?;
    copies.for_each(async |_| {}).await;
    Ok(())
}

async fn copy(map: Arc<ConfigMap>, secrets: Arc<Applier<Secret>>) -> Result<Action, ApplyError> {
    secrets.apply(&secret_of(&map)).await?;
    Ok(Action::await_change())
}

fn retry(_: Arc<ConfigMap>, _: &ApplyError, _: Arc<Applier<Secret>>) -> Action {
    Action::requeue(Duration::from_secs(5))
}
