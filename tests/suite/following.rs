//! Waiting for an object, one signal for all changes, and snapshots of several informers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{ApiResource, DynamicObject};
use kube_informer::informer::{Changes, snapshots};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{ObjectKey, SharedInformer, SharedInformerFactory, Snapshot};
use tokio::time::{Instant, sleep, timeout};

use crate::helpers::*;

const LONG: Duration = Duration::from_secs(3600);

async fn synced(server: &ApiServer) -> (SharedInformerFactory, SharedInformer<ConfigMap>) {
    let factory = factory(server);
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(LONG).await.unwrap();
    (factory, maps)
}

fn has_value(map: Option<&ConfigMap>, value: &str) -> bool {
    let data = map.and_then(|map| map.data.as_ref());
    data.is_some_and(|data| data.get("value").is_some_and(|found| found == value))
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_when_the_object_meets_the_condition() {
    let server = server_with(&["a"]);
    let (_factory, maps) = synced(&server).await;
    let key = key("a");
    let there = maps.wait_until(&key, LONG, |map| has_value(map, "1")).await.unwrap().unwrap();
    assert_eq!(there.metadata.name.as_deref(), Some("a"));

    let (waiting, calls) = (maps.clone(), Arc::new(AtomicUsize::new(0)));
    let (of, counted) = (key.clone(), calls.clone());
    let waiter = spawn(async move {
        let condition = |map: Option<&ConfigMap>| {
            counted.fetch_add(1, Ordering::Relaxed);
            has_value(map, "3")
        };
        waiting.wait_until(&of, LONG, condition).await
    });
    sleep(S).await;
    for value in ["1", "2", "3"] {
        // Changes of other objects do not ask again.
        server.create(&map(&format!("other-{value}"), value)).unwrap();
        server.replace(&map("a", value)).unwrap();
        sleep(S).await;
    }
    assert!(waiter.await.unwrap().unwrap().is_some());
    assert!(calls.load(Ordering::Relaxed) <= 4, "{calls:?}");

    server.delete(&map("a", "3")).unwrap();
    assert!(maps.wait_until(&key, LONG, |map| map.is_none()).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_fails_says_why() {
    let server = server_with(&["a"]);
    let (factory, maps) = synced(&server).await;
    let never = |_: Option<&ConfigMap>| false;
    let late = maps.wait_until(&key("a"), S, never).await.unwrap_err();
    assert!(late.present && late.synced && !late.stopped, "{late:?}");
    let text = late.to_string();
    assert!(text.contains("shop/a of configmaps did not meet the condition within 1.0s"), "{text}");
    let absent = maps.wait_until(&key("b"), S, never).await.unwrap_err();
    assert!(absent.to_string().ends_with("it is not in the store"), "{absent}");
    let bare = maps.wait_until(&ObjectKey::cluster("a").unwrap(), S, never).await.unwrap_err();
    assert!(bare.to_string().contains("these objects have namespaces; use"), "{bare}");

    let started = Instant::now();
    let (waiting, of) = (maps.clone(), key("a"));
    let waiter = spawn(async move { waiting.wait_until(&of, LONG, never).await });
    sleep(S).await;
    factory.shutdown().await;
    let stopped = waiter.await.unwrap().unwrap_err();
    assert!(stopped.stopped && started.elapsed() < LONG, "{stopped:?}");
    let text = stopped.to_string();
    assert!(text.contains("did not meet the condition: its informer was stopped"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn an_absent_object_is_not_told_before_the_sync() {
    let server = ApiServer::new();
    let faults = Faults::new();
    faults.inject(Requests::lists(), Injection::status(403));
    let client = faults.client(server.client());
    let factory = factory_of(client);
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    let late = maps.wait_until(&key("a"), S, |map| map.is_none()).await.unwrap_err();
    assert!(!late.synced, "{late:?}");
    assert!(late.to_string().contains("has not synced"), "{late}");
}

#[tokio::test(start_paused = true)]
async fn changes_of_several_informers_are_one_signal() {
    let server = server_with(&["a"]);
    let factory = factory(&server);
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    let mut changes = maps.changes().and(&secrets).debounce(10 * S);
    // The first return is the sync of all.
    assert!(timeout(LONG, changes.changed()).await.is_err());
    factory.start().unwrap();
    timeout(LONG, changes.changed()).await.unwrap().unwrap();
    assert_eq!(maps.lister().len(), 1);
    assert!(timeout(LONG, changes.changed()).await.is_err(), "bookmarks are no changes");

    let started = Instant::now();
    server.create(&secret_of(&map("a", "1"), "s")).unwrap();
    timeout(LONG, changes.changed()).await.unwrap().unwrap();
    let waited = started.elapsed();
    assert!((10 * S..12 * S).contains(&waited), "{waited:?}");
    assert_eq!(secrets.lister().len(), 1);

    // Objects that change all the time are told of once a period.
    let (started, mut returns) = (Instant::now(), 0);
    let writer = spawn({
        let server = server.clone();
        async move {
            for value in 0..60 {
                server.replace(&map("a", &value.to_string())).unwrap();
                sleep(S).await;
            }
        }
    });
    while started.elapsed() < 60 * S {
        changes.changed().await.unwrap();
        returns += 1;
    }
    assert!((5..=7).contains(&returns), "{returns} returns in a minute");
    writer.await.unwrap();
    // The last change is told of, here or before.
    let _told = timeout(LONG, changes.changed()).await;
    assert!(has_value(maps.lister().get_by_key(&key("a")).ok().as_deref(), "59"));
    factory.shutdown().await;
    assert!(changes.changed().await.is_err());
}

#[tokio::test(start_paused = true)]
async fn informers_join_and_leave_a_running_signal() {
    let servers = [ApiServer::new(), ApiServer::new(), ApiServer::new()];
    let factories: Vec<_> = servers.iter().map(factory).collect();
    let informers: Vec<_> =
        factories.iter().map(SharedInformerFactory::informer::<ConfigMap>).collect();
    let [first, second, third] = &*informers else { panic!("three clusters") };
    for factory in &factories {
        factory.start().unwrap();
    }
    let mut changes = Changes::of(&informers[..2]);
    timeout(LONG, changes.changed()).await.unwrap().unwrap();
    servers[1].create(&map("a", "1")).unwrap();
    timeout(LONG, changes.changed()).await.unwrap().unwrap();

    servers[2].create(&map("b", "1")).unwrap();
    assert!(timeout(LONG, changes.changed()).await.is_err(), "not followed yet");
    changes.add(third);
    changes.add(third);
    timeout(LONG, changes.changed()).await.unwrap().unwrap();
    assert!(timeout(LONG, changes.changed()).await.is_err(), "its objects are told once");
    let sizes: Vec<_> = snapshots(&informers).iter().map(Snapshot::len).collect();
    assert_eq!(sizes, [0, 1, 1]);

    assert!(changes.remove(second) && !changes.remove(second));
    servers[1].create(&map("c", "1")).unwrap();
    assert!(timeout(LONG, changes.changed()).await.is_err(), "it has left");
    factories[0].shutdown().await;
    assert!(changes.changed().await.is_err());
    assert!(changes.remove(first));
    servers[2].create(&map("d", "1")).unwrap();
    timeout(LONG, changes.changed()).await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_wait_for_changes_loses_none() {
    let server = ApiServer::new();
    let (_factory, maps) = synced(&server).await;
    let mut for_ever = maps.changes().debounce(Duration::MAX);
    for_ever.changed().await.unwrap();
    let mut changes = maps.changes().debounce(10 * S);
    changes.changed().await.unwrap();
    server.create(&map("a", "1")).unwrap();
    assert!(timeout(5 * S, changes.changed()).await.is_err(), "it is still collected");
    assert!(timeout(S, for_ever.changed()).await.is_err(), "and that one collects for ever");
    let started = Instant::now();
    timeout(LONG, changes.changed()).await.unwrap().unwrap();
    assert!(started.elapsed() <= 5 * S, "the period began with the change");
}

#[tokio::test(start_paused = true)]
async fn snapshots_of_several_informers_name_their_versions() {
    let server = server_with(&["a"]);
    let factory = factory(&server);
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    factory.start().unwrap();
    factory.wait_for_sync(LONG).await.unwrap();
    let (maps, secrets) = snapshots((&maps, &secrets));
    assert_eq!((maps.len(), secrets.len()), (1, 0));
    assert!(maps.version().is_some() && secrets.version().is_some());
}

#[tokio::test(start_paused = true)]
async fn ready_indexes_find_by_owner_label_and_field() {
    use kube_informer::indexer::{by_controller, by_field, by_label};
    let server = ApiServer::new();
    let owner = server.create(&map("a", "1")).unwrap();
    let mut secret = secret_of(&owner, "s");
    secret.metadata.labels = Some([("app".into(), "web".into())].into());
    server.create(&secret).unwrap();
    let factory = factory(&server);
    let secrets = factory.informer::<Secret>();
    let dynamic: SharedInformer<DynamicObject> =
        factory.dynamic(&ApiResource::erase::<Secret>(&()));
    let by_owner = secrets.add_index("owner", by_controller).unwrap();
    let by_app = secrets.add_index("app", by_label("app")).unwrap();
    let by_name =
        dynamic.add_index("owner name", by_field("metadata.ownerReferences.name")).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(LONG).await.unwrap();
    let found: Vec<ObjectKey> = by_owner.keys(owner.metadata.uid.as_deref().unwrap());
    assert_eq!(found, [key("s")]);
    assert_eq!(by_app.keys("web"), [key("s")]);
    assert_eq!(by_name.keys("a"), [key("s")]);
}
