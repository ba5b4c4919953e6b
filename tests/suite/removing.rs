//! An informer runs until it is removed: for every holder, and without a trace.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};
use kube::api::ObjectMeta;
use kube_informer::lister::StoreState;
use kube_informer::testing::ApiServer;
use kube_informer::{InformerGroup, ObjectKey, SharedInformer};

use crate::helpers::{caught_up, factory, map_in};

const SOON: Duration = Duration::from_secs(30);

#[tokio::test(start_paused = true)]
async fn dropped_handles_leave_a_factorys_informer_running() {
    let server = ApiServer::new();
    let factory = factory(&server);
    drop(factory.informer::<ConfigMap>());
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert_eq!(factory.status().informers.len(), 1);
    let informer = factory.informer::<ConfigMap>();
    assert!(informer.has_synced(), "the same one");
    drop(factory);
    assert!(!informer.is_stopped(), "the last handle keeps it running");
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn remove_takes_groups_and_leaves_foreign_informers() {
    let server = ApiServer::new();
    let (own, foreign) = (factory(&server), factory(&server));
    let maps = own.in_namespaces::<ConfigMap>(["bank", "shop"]);
    let other = foreign.informer::<Secret>();
    assert!(!own.remove(&other).await && !other.is_stopped());
    assert!(own.remove(&maps).await, "one that was never started leaves, too");
    assert!(maps.informers().iter().all(SharedInformer::is_stopped));
    assert!(own.status().informers.is_empty());
    assert_eq!(foreign.status().informers.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn missing_object_says_why_the_store_lacks_it() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory(&server);
    let maps = factory.informer::<ConfigMap>();
    let shop = maps.lister().namespace("shop");
    let state = |name: &str| shop.get(name).map_or_else(|missing| Some(missing.store), |_| None);

    assert_eq!(state("a"), Some(StoreState::NotStarted));
    let text = shop.get("a").unwrap_err().to_string();
    assert_eq!(
        text,
        "configmaps \"shop\"/\"a\" not found: its informer was not started; call `start` of \
         its factory"
    );
    server.intercept(|_| Some(http::Response::builder().status(503).body("".into()).unwrap()));
    factory.start().unwrap();
    assert_eq!(state("a"), Some(StoreState::NotSynced), "before the first request");
    tokio::time::sleep(SOON).await;
    assert_eq!(state("a"), Some(StoreState::NotSynced));
    server.stop_intercepting();
    factory.wait_for_sync(10 * SOON).await.unwrap();
    assert_eq!((state("a"), state("b")), (None, Some(StoreState::Synced)));
    let key = |namespace| ObjectKey::namespaced(namespace, "b").unwrap();
    assert_eq!(maps.lister().get_by_key(&key("shop")).unwrap_err().store, StoreState::Synced);
    let unscoped = ObjectKey::from_parts(None, "a").unwrap();
    for missing in [maps.lister().get("a"), maps.lister().get_by_key(&unscoped)] {
        let missing = missing.unwrap_err();
        assert_eq!(missing.store, StoreState::WrongScope);
        assert_eq!(
            missing.to_string(),
            "configmaps \"a\" not found: these objects have namespaces; use `namespace(..)`, or a \
             key with one"
        );
    }
    factory.remove(&maps).await;
    assert_eq!((state("a"), state("b")), (None, Some(StoreState::Stopped)));

    let group: InformerGroup<ConfigMap> = factory.in_namespaces(["shop"]);
    assert_eq!(group.get_by_key(&key("bank")).unwrap_err().store, StoreState::NotHeld);
    assert_eq!(group.get_by_key(&unscoped).unwrap_err().store, StoreState::WrongScope);
    assert_eq!(group.get_by_key(&key("shop")).unwrap_err().store, StoreState::NotStarted);
}

#[tokio::test(start_paused = true)]
async fn cluster_scoped_object_is_in_no_namespace() {
    let server = ApiServer::new();
    let factory = factory(&server);
    let nodes = factory.informer::<Node>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let read = |name: &str| nodes.lister().namespace("shop").get(name).unwrap_err();
    assert_eq!(read("a").store, StoreState::WrongScope, "there is no node at all");
    let metadata = ObjectMeta { name: Some("a".into()), ..ObjectMeta::default() };
    server.create(&Node { metadata, ..Node::default() }).unwrap();
    caught_up(&server, &nodes).await;
    assert_eq!(read("a").store, StoreState::WrongScope);
    assert!(read("a").to_string().ends_with("have no namespace; use `get`, or a key without one"));
    assert_eq!(nodes.lister().get("b").unwrap_err().store, StoreState::Synced);
    factory.shutdown().await;
}
