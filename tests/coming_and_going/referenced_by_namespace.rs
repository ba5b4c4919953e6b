//! Referenced objects with one informer for each namespace, where the user chooses it.

use k8s_openapi::api::core::v1::Secret;
use kube_informer::factory::{Reference, Referenced};
use kube_informer::lister::StoreState;
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::AccessRule;
use tokio::time::sleep;

use crate::helpers::{S, factory, factory_of, forbid, until};
use crate::referenced::Told;
use crate::references::{key, secret, tasks};
use crate::watches::Watches;

const SOON: std::time::Duration = S.saturating_mul(30);

fn take(secrets: &Referenced<Secret>, names: &[&str]) -> Vec<Reference> {
    names.iter().map(|name| secrets.reference(key(&format!("shop/{name}")))).collect()
}

fn shop(server: &ApiServer) {
    for name in ["a", "b", "c", "d", "e", "f"] {
        server.create(&secret(&key(&format!("shop/{name}")), name)).unwrap();
    }
    for n in 0..200 {
        server.create(&secret(&key(&format!("shop/other-{n}")), "other")).unwrap();
    }
}

/// Returns the number of lists of the whole namespace.
fn wide_lists(server: &ApiServer) -> usize {
    let wide = |target: &str| target.contains("/secrets?") && !target.contains("fieldSelector");
    server.requests().iter().filter(|one| !one.watch && wide(&one.target)).count()
}

fn state(secrets: &Referenced<Secret>, text: &str) -> Option<StoreState> {
    secrets.get_by_key(&key(text)).err().map(|missing| missing.store)
}

#[tokio::test(start_paused = true)]
async fn names_of_a_namespace_share_a_watch() {
    let server = ApiServer::new();
    shop(&server);
    server.create(&secret(&key("bank/a"), "bank")).unwrap();
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let before = tasks();
    let secrets = factory.referenced::<Secret>().by_namespace();
    let told = Told::follow(&secrets);
    let mut held = take(&secrets, &["a", "b", "c", "absent"]);
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    until("the events", || told.keys().len() == 3).await;
    assert_eq!((watches.open(), wide_lists(&server)), (1, 1));
    let shown = secrets.status();
    assert_eq!((shown.len(), shown[0].objects), (1, 3), "what nothing names is not stored");
    assert_eq!(state(&secrets, "shop/a"), None);
    assert_eq!(state(&secrets, "shop/absent"), Some(StoreState::Synced));
    assert_eq!(state(&secrets, "shop/other-1"), Some(StoreState::NotReferenced));
    server.replace(&secret(&key("shop/a"), "new")).unwrap();
    server.replace(&secret(&key("shop/other-1"), "new")).unwrap();
    server.create(&secret(&key("shop/absent"), "created")).unwrap();
    until("the changes", || told.knows().len() == 4 && told.knows()["shop/a"] == "new").await;
    let late = Told::follow(&secrets);
    until("the late events", || late.knows() == told.knows()).await;

    // A name that is dropped leaves the store. Later names cost a list each time.
    drop(held.remove(0));
    until("the leave", || told.moved_away() == ["shop/a"]).await;
    assert_eq!(secrets.status()[0].objects, 3);
    held.extend(take(&secrets, &["a", "e", "f"]));
    secrets.wait_for_sync(SOON).await.unwrap();
    until("the return", || told.keys().len() == 6 && told.knows()["shop/a"] == "new").await;
    assert_eq!((watches.open(), wide_lists(&server)), (1, 2));
    let bank = secrets.reference(key("bank/a"));
    until("another namespace", || told.keys().len() == 7 && watches.open() == 2).await;

    server.delete(&secret(&key("shop/b"), "")).unwrap();
    until("the delete", || told.keys().len() == 6).await;
    assert!(!told.moved_away().contains(&"shop/b".to_owned()));
    drop(bank);
    until("the end of a namespace", || watches.open() == 1 && secrets.status().len() == 1).await;
    held.clear();
    until("the end of all", || watches.open() == 0 && told.keys().is_empty()).await;
    held.extend(take(&secrets, &["c"]));
    until("another life of the namespace", || told.keys() == ["shop/c"]).await;
    assert_eq!(late.knows(), told.knows());
    drop(secrets);
    until("the end", || tasks() == before && watches.open() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn name_referenced_again_at_once_is_kept() {
    let server = ApiServer::new();
    shop(&server);
    let factory = factory(&server);
    let secrets = factory.referenced::<Secret>().by_namespace();
    let told = Told::follow(&secrets);
    let mut held = take(&secrets, &["a", "b"]);
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    for round in 0..50 {
        drop(held.pop());
        if round % 2 == 0 {
            tokio::task::yield_now().await;
        }
        let value = round.to_string();
        server.replace(&secret(&key("shop/b"), &value)).unwrap();
        for _ in 0..round % 7 {
            tokio::task::yield_now().await;
        }
        held.extend(take(&secrets, &["b"]));
        until("the newest state", || told.knows().get("shop/b") == Some(&value)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn refused_namespace_is_told_and_tried_again() {
    let reads = || AccessRule::new(["list", "watch"], ["secrets"]).namespaces(["shop"]);
    let server = ApiServer::builder().token("t0ken", "gateway", []).build();
    shop(&server);
    let factory = factory_of(server.client_with_token("t0ken"));
    let secrets = factory.referenced::<Secret>().by_namespace();
    let told = Told::follow(&secrets);
    let _held = take(&secrets, &["a", "b"]);
    secrets.start().unwrap();
    let error = secrets.wait_for_sync(SOON).await.unwrap_err().to_string();
    assert!(error.contains("secrets in shop") && error.contains("403"), "{error}");
    assert_eq!(state(&secrets, "shop/a"), Some(StoreState::NotSynced));
    server.grant("gateway", reads());
    secrets.wait_for_sync(2 * SOON).await.unwrap();
    until("the objects", || told.keys().len() == 2).await;
}

#[tokio::test(start_paused = true)]
async fn later_name_that_is_refused_is_told() {
    let server = ApiServer::new();
    shop(&server);
    let factory = factory(&server);
    let secrets = factory.referenced::<Secret>().by_namespace();
    let _a = take(&secrets, &["a"]);
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    forbid(&server, "/secrets");
    let _b = take(&secrets, &["b"]);
    let error = secrets.wait_for_sync(SOON).await.unwrap_err().to_string();
    assert!(error.contains("not listed since shop/b was referenced"), "{error}");
    assert!(error.contains("403") && !error.contains("replica"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn many_watches_of_names_are_told() {
    let server = ApiServer::new();
    shop(&server);
    let factory = factory(&server);
    let secrets = factory.referenced::<Secret>();
    let mut names: Vec<_> = (0..200).map(|n| format!("other-{n}")).collect();
    let follow = |names: &[String]| -> Vec<_> {
        names.iter().map(|name| secrets.reference(key(&format!("shop/{name}")))).collect()
    };
    let _held = follow(&names);
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    sleep(SOON).await;
    assert_eq!((wide_lists(&server), secrets.status().len()), (0, 200), "nothing widens unasked");
    assert!(factory.status().many_watches.is_empty());
    names = vec!["one-more".into()];
    let _more = follow(&names);
    until("the next", || secrets.status().len() == 201).await;
    let many: Vec<_> = factory.status().many_watches.into_iter().collect();
    assert_eq!(many, [("secrets".into(), 201)]);
}
