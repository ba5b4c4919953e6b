//! Indexes of referenced objects, and referenced objects without a namespace.

use k8s_openapi::api::core::v1::{Node, Secret};
use kube::Client;
use kube::api::ObjectMeta;
use kube::client::Body;
use kube_informer::indexer::IndexError;
use kube_informer::lister::StoreState;
use kube_informer::testing::ApiServer;
use kube_informer::{Event, InformerSpec};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::time::sleep;

use crate::helpers::{S, factory, factory_of, until};
use crate::referenced::Told;
use crate::references::{key, secret, tasks, value};
use crate::watches::Watches;

const SOON: std::time::Duration = S.saturating_mul(30);

#[tokio::test(start_paused = true)]
async fn index_follows_the_references() {
    let server = ApiServer::new();
    for name in ["a", "b", "c", "other"] {
        server.create(&secret(&key(&format!("shop/{name}")), "red")).unwrap();
    }
    let factory = factory(&server);
    let secrets = factory.referenced::<Secret>().by_namespace();
    let by_value = secrets.add_index("value", |one: &Secret| Some(value(one))).unwrap();
    let keys = |value: &str| by_value.keys(value);
    let keys = |value| keys(value).iter().map(ToString::to_string).collect::<Vec<_>>();
    let again = secrets.add_index("value", |one: &Secret| Some(value(one))).unwrap_err();
    assert!(matches!(again, IndexError::Duplicate(_)), "{again}");
    let a = secrets.reference(key("shop/a"));
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    assert_eq!(keys("red"), ["shop/a"]);
    let _more = ["b", "c"].map(|name| secrets.reference(key(&format!("shop/{name}"))));
    until("all", || keys("red") == ["shop/a", "shop/b", "shop/c"]).await;
    server.replace(&secret(&key("shop/b"), "blue")).unwrap();
    until("the change", || keys("blue") == ["shop/b"]).await;
    drop(a);
    until("the leave", || keys("red") == ["shop/c"]).await;
    let late = secrets.add_index("late", |one: &Secret| Some(value(one))).unwrap();
    assert_eq!(late.len("blue"), 1);
}

#[tokio::test(start_paused = true)]
async fn server_without_selectors_tells_no_other_names() {
    let server = ApiServer::new();
    for name in ["a", "b", "other"] {
        server.create(&secret(&key(&format!("shop/{name}")), "red")).unwrap();
    }
    let inner = server.clone();
    let service = tower::service_fn(move |mut request: http::Request<Body>| {
        let target = request.uri().to_string();
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let rest = query.split('&').filter(|part| !part.starts_with("fieldSelector="));
        let target = format!("{path}?{}", rest.collect::<Vec<_>>().join("&"));
        *request.uri_mut() = target.parse().unwrap();
        let client = inner.client();
        async move { client.send(request).await }
    });
    let factory = factory_of(Client::new(service, "shop"));
    let secrets = factory.referenced::<Secret>();
    let told = Told::follow(&secrets);
    let a = secrets.reference(key("shop/a"));
    let _b = secrets.reference(key("shop/b"));
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    until("the events", || told.keys() == ["shop/a", "shop/b"]).await;
    drop(a);
    until("the leave", || told.keys() == ["shop/b"]).await;
    server.replace(&secret(&key("shop/other"), "blue")).unwrap();
    sleep(SOON).await;
    assert_eq!((told.keys(), told.moved_away()), (vec!["shop/b".into()], vec!["shop/a".into()]));
}

fn node(name: &str, phase: &str) -> Node {
    let labels = Some([("phase".to_owned(), phase.to_owned())].into());
    let metadata = ObjectMeta { name: Some(name.into()), labels, ..ObjectMeta::default() };
    Node { metadata, ..Node::default() }
}

#[tokio::test(start_paused = true)]
async fn cluster_scoped_objects_are_followed_by_name() {
    let server = ApiServer::new();
    for name in ["a", "b", "c", "d"] {
        server.create(&node(name, "old")).unwrap();
    }
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let before = tasks();
    let nodes = factory.referenced::<Node>().by_namespace();
    let told = Arc::new(Mutex::new(Vec::new()));
    let noted = told.clone();
    nodes.on_event(move |event| {
        let moved = matches!(event, Event::MovedAway { .. });
        noted.lock().push((event.key().unwrap().to_string(), moved));
    });
    let mut held = vec![nodes.reference(key("a")), nodes.reference(key("absent"))];
    let wrong = nodes.reference(key("shop/a"));
    nodes.start().unwrap();
    nodes.wait_for_sync(SOON).await.unwrap();
    let state = |name| nodes.get_by_key(&key(name)).err().map(|missing| missing.store);
    assert_eq!(state("a"), None);
    assert_eq!(state("absent"), Some(StoreState::Synced));
    assert_eq!(state("b"), Some(StoreState::NotReferenced));
    assert_eq!(state("shop/a"), Some(StoreState::WrongScope));
    until("a watch for all", || watches.open() == 1).await;
    held.extend(["b", "c"].map(|name| nodes.reference(key(name))));
    until("the nodes", || nodes.all().len() == 3).await;
    assert_eq!(nodes.all().len(), 3);
    assert_eq!(nodes.status()[0].objects, 3);
    server.replace(&node("c", "new")).unwrap();
    until("the change", || {
        let labels = nodes.get_by_key(&key("c")).unwrap().metadata.labels.clone();
        labels.unwrap()["phase"] == "new"
    })
    .await;
    held.truncate(1);
    until("the names", || nodes.status().len() == 1 && nodes.all().len() == 1).await;
    sleep(S).await;
    let told: Vec<_> = std::mem::take(&mut *told.lock());
    let expected = ["a", "b", "c", "c"].map(|name| (name.to_owned(), false));
    assert_eq!(told[..4], expected);
    assert_eq!(told[4..].iter().filter(|(_, moved)| *moved).count(), 2, "{told:?}");
    drop((nodes, held, wrong));
    until("the end", || tasks() == before && watches.open() == 0).await;
    let refused = factory.referenced_with(InformerSpec::<Node>::new().namespace("shop"));
    assert!(refused.is_err());
}
