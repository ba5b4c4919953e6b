//! A few namespaces followed as one, against the embedded API server.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::ObjectMeta;
use kube_informer::indexer::IndexError;
use kube_informer::testing::ApiServer;
use kube_informer::{Event, InformerGroup, InformerSpec, ObjectKey};
use parking_lot::Mutex;
use tokio::time::sleep;

use crate::helpers::{factory, forbid, metadata};

const SOON: Duration = Duration::from_secs(30);

fn map(namespace: &str, name: &str) -> ConfigMap {
    let labels = Some([("app".into(), name.into())].into());
    let metadata = ObjectMeta { labels, ..metadata(namespace, name) };
    ConfigMap { metadata, ..ConfigMap::default() }
}

fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

fn server() -> ApiServer {
    let server = ApiServer::new();
    for (namespace, name) in [("shop", "a"), ("shop", "b"), ("bank", "a"), ("mail", "a")] {
        server.create(&map(namespace, name)).unwrap();
    }
    server
}

#[tokio::test(start_paused = true)]
async fn several_namespaces_are_read_and_followed_as_one() {
    let server = server();
    let factory = factory(&server);
    let maps = factory.in_namespaces::<ConfigMap>(["shop", "bank", "shop"]);
    assert_eq!(maps.informers().len(), 2);
    let app = |map: &ConfigMap| map.labels().get("app").cloned();
    let by_app = maps.add_index("app", app).unwrap();
    let by_label = maps.add_index_on("label", ["metadata.labels"], app).unwrap();
    assert!(matches!(
        maps.add_index("app", |_: &ConfigMap| None::<String>),
        Err(IndexError::Duplicate(_))
    ));
    let heard = Arc::new(Mutex::new(BTreeSet::new()));
    let told = heard.clone();
    maps.on_event(move |event| {
        told.lock().insert(ObjectKey::of(&**event.object()).unwrap());
    })
    .unwrap();
    let cached = Arc::new(Mutex::new(BTreeSet::new()));
    let told = cached.clone();
    maps.on_cached_event(move |key, event| {
        assert_eq!(event.object().get().unwrap().name_any(), key.name());
        told.lock().insert(key.clone());
    })
    .unwrap();
    let mut events = maps.events().unwrap();
    factory.start().unwrap();
    maps.wait_for_sync(SOON).await.unwrap();

    assert!(maps.has_synced());
    assert_eq!((maps.len(), maps.all().len()), (3, 3));
    assert_eq!(maps.list(&"app=a".parse().unwrap()).len(), 2);
    assert_eq!(maps.namespace("shop").unwrap().len(), 2);
    assert!(maps.namespace("mail").is_none(), "it is not held");
    assert!(maps.get_by_key(&key("bank/a")).is_ok());
    let missing = maps.get_by_key(&key("mail/a")).unwrap_err();
    assert_eq!(
        missing.to_string(),
        r#"configmaps "mail"/"a" not found: no informer of the group holds this namespace"#
    );
    assert_eq!(by_app.keys("a"), [key("bank/a"), key("shop/a")]);
    assert_eq!(by_label.keys("a"), by_app.keys("a"));
    assert_eq!((by_app.get("a").len(), by_app.len("b")), (2, 1));
    assert_eq!(by_app.values().len(), 2);

    // A request for one of the namespaces gets the same informer.
    let shop = factory.informer_with(InformerSpec::<ConfigMap>::new().namespace("shop")).unwrap();
    assert_eq!(shop.lister().len(), 2);
    assert_eq!(factory.status().informers.len(), 2);

    for _ in 0..3 {
        events.next().await.unwrap();
    }
    server.create(&map("bank", "new")).unwrap();
    server.create(&map("mail", "new")).unwrap();
    let Some(Event::Added { object, initial: false }) = events.next().await else { panic!() };
    assert_eq!(object.namespace().as_deref(), Some("bank"));
    sleep(Duration::from_secs(1)).await;
    assert_eq!(heard.lock().len(), 4);
    assert_eq!(*heard.lock(), *cached.lock());

    maps.shutdown().await;
    assert!(events.next().await.is_none(), "it ends with the informers");
    assert!(maps.on_event(|_| {}).is_err());
}

#[tokio::test(start_paused = true)]
async fn forbidden_namespace_is_named_and_others_sync() {
    let server = server();
    forbid(&server, "/bank/");
    let factory = factory(&server);
    let maps = factory.in_namespaces::<ConfigMap>(["shop", "bank"]);
    maps.start().unwrap();
    let error = maps.wait_for_sync(SOON).await.unwrap_err();
    assert_eq!(error.unsynced.len(), 1);
    assert!(error.to_string().contains("configmaps in bank"), "{error}");
    assert!(!maps.has_synced());
    assert_eq!(maps.len(), 2, "the other one is there");
    maps.shutdown().await;
}

fn check<T: Send + Sync + std::fmt::Debug>(_: &T) {}

#[tokio::test]
async fn a_group_of_none_or_of_everything() {
    let factory = factory(&ApiServer::new());
    let none = InformerGroup::<ConfigMap>::new([]);
    assert!(none.is_empty());
    assert!(none.get_by_key(&key("shop/a")).is_err());
    let all = factory.informer::<ConfigMap>();
    let shop = factory.informer_with(InformerSpec::<ConfigMap>::new().namespace("shop")).unwrap();
    let group = InformerGroup::new([shop, all]);
    assert_eq!(group.informers().len(), 1, "everything is in the one");
    assert!(group.informer_of(&key("anywhere/a")).is_some());
    check(&group);
}
