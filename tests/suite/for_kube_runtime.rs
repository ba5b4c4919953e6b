//! Stores and controllers of kube-runtime that an informer feeds.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, Stream, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::controller::{self, Action, ReconcileRequest, trigger_self};
use kube::runtime::reflector::{self, ObjectRef, Store, reflector};
use kube::runtime::watcher;
use kube::runtime::{WatchStreamExt, applier};
use kube_informer::object::{ShardKey, ShardSelector, ring_hash};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::testing::{ApiServer, FakeSource};
use kube_informer::{HandlerOptions, InformerOptions, InformerSpec, SharedInformer, Storage};
use tokio::sync::{mpsc, watch};

use crate::helpers::{Log, S, caught_up, factory, key, map, server_with, spawn, synced, until};

/// Returns the keys and versions of these objects.
fn contents(objects: Vec<Arc<ConfigMap>>) -> BTreeMap<String, String> {
    let entry = |map: Arc<ConfigMap>| {
        let ConfigMap { metadata, .. } = Arc::unwrap_or_clone(map);
        (metadata.name.unwrap(), metadata.resource_version.unwrap())
    };
    objects.into_iter().map(entry).collect()
}

/// Returns a store that this informer fills.
async fn fed(informer: &SharedInformer<ConfigMap>) -> Store<ConfigMap> {
    let (store, writer) = reflector::store();
    let events = informer.events().unwrap().into_watcher();
    tokio::spawn(reflector(writer, events).for_each(async |_| {}));
    store.wait_until_ready().await.unwrap();
    store
}

/// Waits until the store has what the informer's has, and the server.
async fn agrees(
    server: &ApiServer,
    informer: &SharedInformer<ConfigMap>,
    store: &Store<ConfigMap>,
) {
    caught_up(server, informer).await;
    let ours = contents(informer.lister().all());
    until("the same state", || contents(store.state()) == ours).await;
}

/// Returns an event in short.
fn text(event: watcher::Result<watcher::Event<ConfigMap>>) -> String {
    match event.unwrap() {
        watcher::Event::Init => "init".to_owned(),
        watcher::Event::InitApply(map) => format!("!{}", map.metadata.name.unwrap()),
        watcher::Event::InitDone => "done".to_owned(),
        watcher::Event::Apply(map) => format!("+{}", map.metadata.name.unwrap()),
        watcher::Event::Delete(map) => format!("-{}", map.metadata.name.unwrap()),
    }
}

/// Returns the events that are ready, in short.
async fn told(
    events: &mut (impl Stream<Item = watcher::Result<watcher::Event<ConfigMap>>> + Unpin),
) -> Vec<String> {
    let pause = tokio::time::sleep(Duration::from_millis(1));
    events.take_until(pause).map(text).collect().await
}

#[tokio::test(start_paused = true)]
async fn fed_store_equals_the_informers() {
    for storage in [Storage::packed(), Storage::decoded()] {
        let server = server_with(&["a", "b", "c"]);
        let spec = InformerSpec::new().storage(storage);
        let maps = factory(&server).informer_with(spec).unwrap();
        maps.start().unwrap();
        let store = fed(&maps).await;
        assert_eq!(store.len(), 3);
        server.create(&map("d", "1")).unwrap();
        server.replace(&map("a", "2")).unwrap();
        server.delete(&map("b", "1")).unwrap();
        agrees(&server, &maps, &store).await;

        // A relist finds what changed while the watch was cut and the history was lost.
        server.drop_connections();
        server.delete(&map("c", "1")).unwrap();
        server.delete(&map("d", "1")).unwrap();
        server.create(&map("d", "other")).unwrap();
        server.create(&map("e", "1")).unwrap();
        server.compact();
        agrees(&server, &maps, &store).await;
        assert_eq!(contents(store.state()).keys().collect::<Vec<_>>(), ["a", "d", "e"]);
        maps.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn events_come_as_of_a_watcher() {
    let server = server_with(&["a", "b"]);
    let maps = synced::<ConfigMap>(server.client()).await;
    let options = HandlerOptions::new().resync(3_600 * S);
    let mut resynced = maps.events_with(options).unwrap().into_watcher();
    assert_eq!(told(&mut resynced).await.len(), 4);
    let mut events = maps.events().unwrap().into_watcher();
    assert_eq!(told(&mut events).await, ["init", "!a", "!b", "done"]);
    server.create(&map("c", "1")).unwrap();
    server.delete(&map("a", "1")).unwrap();
    caught_up(&server, &maps).await;
    assert_eq!(told(&mut events).await, ["+c", "-a"]);
    server.drop_connections();
    server.delete(&map("b", "1")).unwrap();
    server.compact();
    caught_up(&server, &maps).await;
    assert_eq!(told(&mut events).await, ["-b"], "a relist gives the missed deletion only");
    // As for every handler with a resync, a relist repeats what is unchanged.
    assert_eq!(told(&mut resynced).await, ["+c", "-a", "-b", "+c"]);
    tokio::time::sleep(3_601 * S).await;
    assert_eq!(told(&mut resynced).await, ["+c"]);
    assert!(told(&mut events).await.is_empty(), "it has no resync");
    maps.shutdown().await;
    assert!(events.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn empty_collection_is_ready() {
    let server = ApiServer::new();
    let maps = synced::<ConfigMap>(server.client()).await;
    assert!(fed(&maps).await.is_empty());
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    let never = SharedInformer::new(source, InformerOptions::new());
    let mut events = never.events().unwrap().into_watcher();
    assert_eq!(told(&mut events).await, ["init"], "nothing is listed");
    never.shutdown().await;
    assert!(events.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn object_deleted_between_initial_adds_is_not_stored() {
    let names: Vec<_> = (0..200).map(|n| format!("m{n:03}")).collect();
    let server = server_with(&names.iter().map(|name| &**name).collect::<Vec<_>>());
    let maps = synced::<ConfigMap>(server.client()).await;
    let (store, writer) = reflector::store();
    let mut events = reflector(writer, maps.events().unwrap().into_watcher()).boxed();
    assert_eq!(events.by_ref().take(100).count().await, 100, "some of the initial adds");
    for name in &names[..150] {
        server.delete(&map(name, "1")).unwrap();
    }
    caught_up(&server, &maps).await;
    spawn(events.for_each(|_| ready(())));
    store.wait_until_ready().await.unwrap();
    agrees(&server, &maps, &store).await;
    assert_eq!(store.len(), 50);
}

#[tokio::test(start_paused = true)]
async fn object_that_moved_away_leaves_the_store() {
    let own = |name: &str| {
        let mut map = map(name, "1");
        map.metadata.uid = Some(name.to_owned());
        map
    };
    let shard = |names: &[&str]| {
        let places = names.iter().map(|uid| ring_hash(uid));
        ShardSelector::new(ShardKey::Uid, places.map(|place| place..=place))
    };
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    let both = ["a", "b"].map(|name| source.put(own(name)));
    let uids = both.map(|map| map.metadata.uid.clone().unwrap());
    let (shards, wanted) = watch::channel(shard(&[&uids[0], &uids[1]]));
    let reflector = ReflectorOptions::new().shard(wanted);
    let maps = SharedInformer::new(source, InformerOptions::new().reflector(reflector));
    maps.start().unwrap();
    let store = fed(&maps).await;
    assert_eq!(store.len(), 2);
    shards.send_replace(shard(&[&uids[0]]));
    until("the departure", || store.len() == 1).await;
    assert_eq!(store.state()[0].metadata.name.as_deref(), Some("a"));
}

#[tokio::test(start_paused = true)]
async fn informer_drives_a_controller_of_kube_runtime() {
    let server = server_with(&["a", "b"]);
    let maps = synced::<ConfigMap>(server.client()).await;
    let (store, writer) = reflector::store();
    let events = reflector(writer, maps.events().unwrap().into_watcher());
    let own = trigger_self(events.touched_objects(), ());
    // `Controller::reconcile_all_on`, as a part of the queue.
    let (all, mut ticks) = mpsc::channel(1);
    let stored = store.clone();
    let ticks = stream::poll_fn(move |cx| ticks.poll_recv(cx)).flat_map(move |()| {
        let requests = stored.state().into_iter().map(|map| ObjectRef::from_obj(&*map).into());
        stream::iter(requests.map(Ok).collect::<Vec<_>>())
    });
    let queue = stream::select(own, ticks.map(|r: Result<ReconcileRequest<_>, watcher::Error>| r));
    let (log, refused) = (Log::new(), Log::new());
    let reconcile = |map: Arc<ConfigMap>, log: Arc<Log<String>>| {
        log.add(map.metadata.name.clone().unwrap());
        ready(Ok::<_, Infallible>(Action::await_change()))
    };
    let (context, not_found) = (Arc::new(log.clone()), refused.clone());
    let config = controller::Config::default();
    let running = applier(reconcile, |_, error, _| match *error {}, context, store, queue, config);
    let running = spawn(running.for_each(move |result| {
        if let Err(controller::Error::ObjectNotFound(object)) = result {
            not_found.add(object.name.clone());
        }
        ready(())
    }));
    log.reaches(2).await;
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    assert_eq!(sorted(log.take()), ["a", "b"]);
    server.replace(&map("b", "2")).unwrap();
    log.reaches(1).await;
    assert_eq!(log.take(), ["b"]);

    // kube-runtime's own watcher does not report this deletion.
    server.drop_connections();
    server.delete(&map("a", "1")).unwrap();
    server.compact();
    refused.reaches(1).await;
    assert_eq!(refused.take(), ["a"]);
    all.send(()).await.unwrap();
    log.reaches(1).await;
    assert_eq!(log.take(), ["b"]);

    let watches = server.requests().iter().filter(|request| request.watch).count();
    assert_eq!(watches, 3, "the first, one that is refused, and one after the list");
    assert!(maps.lister().get_by_key(&key("b")).is_ok());
    // Its work ends when the informer stops.
    drop(all);
    maps.shutdown().await;
    running.await.unwrap();
}
