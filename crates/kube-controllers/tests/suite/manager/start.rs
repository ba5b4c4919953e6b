//! Informers that cannot sync: the error says why, and what to do.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::{Node, Secret};
use kube::CustomResource;
use kube::api::DynamicObject;
use kube::core::ApiResource;
use kube_controllers::Action;
use kube_informer::InformerSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::*;
use crate::helpers::{S, refusal, server_with};

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Gadget", namespaced)]
struct GadgetSpec {}

/// Runs a manager whose factory has the informers that `request` requests. Returns its error and
/// the time that it took.
async fn refused(
    server: &ApiServer,
    request: impl FnOnce(&SharedInformerFactory),
) -> (ManagerError, Duration) {
    let factory = factory(server);
    request(&factory);
    let start = Instant::now();
    let ended = run(Manager::builder(&factory).sync_timeout(60 * S), &CancellationToken::new());
    (ended.await.unwrap().unwrap_err(), start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn namespace_of_a_cluster_scoped_kind_is_refused_early() {
    let server = ApiServer::new();
    let (error, took) = refused(&server, |factory| {
        let shop = InformerSpec::<DynamicObject>::new().namespace("shop");
        drop(factory.dynamic_with(&ApiResource::erase::<Node>(&()), shop).unwrap());
    })
    .await;
    assert!(matches!(error, ManagerError::WrongScope { .. }), "{error}");
    let expected = "nodes is cluster-scoped, but an informer follows namespace \"shop\"";
    assert!(error.to_string().starts_with(expected), "{error}");
    assert!(took < 5 * S, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn kind_that_is_not_served_is_named() {
    let server = ApiServer::new();
    let (error, took) = refused(&server, |factory| drop(factory.informer::<Gadget>())).await;
    assert!(matches!(error, ManagerError::NotServed { .. }), "{error}");
    let expected = "the server does not serve gadgets.example.com in example.com/v1: install";
    assert!(error.to_string().starts_with(expected), "{error}");
    assert!(took >= 60 * S, "it may be installed meanwhile");
}

#[tokio::test(start_paused = true)]
async fn kind_that_is_needed_ends_the_manager_at_once() {
    let (server, discoveries) = (ApiServer::new(), AtomicUsize::new(0));
    server.intercept(move |request| {
        let is_first = request.target.ends_with("/apis/example.com/v1")
            && discoveries.fetch_add(1, Ordering::Relaxed) == 0;
        is_first.then(|| refusal(503, "ServiceUnavailable", "busy"))
    });
    let factory = factory(&server);
    let gadgets = Controller::builder("gadgets", &factory.informer::<Gadget>()).build();
    let manager = Manager::builder(&factory)
        .needs_kinds(true)
        .controller(gadgets, |_| async { Ok::<_, Infallible>(Action::done()) });
    let began = Instant::now();
    let error = run(manager, &CancellationToken::new()).await.unwrap().unwrap_err();
    assert!(matches!(error, ManagerError::NotServed { .. }), "{error}");
    assert!(began.elapsed() < 3 * S, "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn missing_permission_is_named() {
    let server = ApiServer::new();
    forbid(&server, "secrets");
    let (error, _) = refused(&server, |factory| {
        drop(factory.informer_with(InformerSpec::<Secret>::new().namespace("shop")).unwrap());
    })
    .await;
    let ManagerError::Forbidden { collection, .. } = &error else { panic!("{error}") };
    assert_eq!(&*collection.resource, "secrets");
    assert!(error.to_string().contains("allow list and watch on secrets in a role"), "{error}");
}

/// The permission was given meanwhile. Then the list does not end in time.
#[tokio::test(start_paused = true)]
async fn refusal_before_a_long_list_is_no_cause() {
    let (server, requests) = (ApiServer::new(), AtomicUsize::new(0));
    server.intercept(move |request| {
        let is_list = request.target.contains("/secrets");
        let nth = is_list.then(|| requests.fetch_add(1, Ordering::Relaxed))?;
        if nth < 2 {
            return Some(refusal(403, "Forbidden", "not yet"));
        }
        let page = format!(
            r#"{{"kind":"SecretList","apiVersion":"v1","metadata":{{"resourceVersion":"9",
            "continue":"{nth}"}},"items":[{{"metadata":{{"name":"s{nth}","namespace":"shop"}}}}]}}"#
        );
        Some(http::Response::new(page.into()))
    });
    let (error, _) = refused(&server, |factory| drop(factory.informer::<Secret>())).await;
    assert!(matches!(error, ManagerError::NotSynced(_)), "{error}");
    let text = error.to_string();
    assert!(text.contains(" pages (last error, ") && text.contains("not yet"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn controller_that_cannot_sync_is_explained() {
    let server = ApiServer::new();
    let factory = factory(&server);
    let gadgets = Controller::builder("gadgets", &factory.informer::<Gadget>()).build();
    let manager = Manager::builder(&factory)
        .controller(gadgets, |_| async { Ok::<_, Infallible>(Action::done()) });
    let error = run(manager, &CancellationToken::new()).await.unwrap().unwrap_err();
    assert!(matches!(error, ManagerError::NotServed { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn missing_member_of_a_group_holds_nothing_up() {
    let server = server_with(&["a"]);
    forbid(&server, "/namespaces/closed/");
    let factory = factory(&server);
    let group = factory.in_namespaces::<ConfigMap>(["shop", "closed"]);
    let (story, stop) = (Story::default(), CancellationToken::new());
    let reconciled = story.clone();
    let manager = Manager::builder(&factory).controller(
        Controller::builder("maps", group).build(),
        move |request| {
            reconciled.tell(request.key.to_string());
            async { Ok::<_, Infallible>(Action::done()) }
        },
    );
    let running = run(manager, &stop);
    story.reaches("shop/a").await;
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn stop_during_the_sync_ends_it() {
    let server = ApiServer::new();
    forbid(&server, "configmaps");
    let (factory, controller) = maps(&server, "maps");
    let stop = CancellationToken::new();
    let manager = Manager::builder(&factory)
        .controller(controller, |_| async { Ok::<_, Infallible>(Action::done()) });
    let running = run(manager, &stop);
    sleep(S).await;
    stop.cancel();
    let start = Instant::now();
    running.await.unwrap().unwrap();
    assert!(start.elapsed() < S);
}
