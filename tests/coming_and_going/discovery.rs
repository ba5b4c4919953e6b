//! Discovery that fails, or that a proxy answers with something else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::Response;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ApiResource;
use kube::core::GroupVersionKind;
use kube_informer::InformerSpec;
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::ResourceType;
use tokio::time::sleep;

use crate::helpers::log::Log;
use crate::helpers::{S, factory_of, forbid, map_in, refusal, until};
use crate::kinds::register;

const SECRETS: &str = r#"{"kind":"SecretList","metadata":{"resourceVersion":"5"},"items":[
    {"metadata":{"name":"s"},"data":{"password":"aHVudGVyMg=="},"message":"hunter2"}]}"#;

/// Answers the first request for a path.
fn answer_once(
    server: &ApiServer,
    path: &'static str,
    answer: impl Fn() -> Response<Bytes> + Send + Sync + 'static,
) {
    let requests = AtomicUsize::new(0);
    server.intercept(move |request| {
        let is_first = || requests.fetch_add(1, Ordering::Relaxed) == 0;
        (request.target == path && is_first()).then(&answer)
    });
}

/// Follows `ConfigMap` and `Deployment`. Returns the number of kinds that are followed.
async fn kinds(server: &ApiServer) -> usize {
    let factory = factory_of(server.client());
    let kinds = factory.kinds(|kind| ["ConfigMap", "Deployment"].contains(&&*kind.kind));
    kinds.start().unwrap();
    kinds.wait_for_sync(60 * S).await.unwrap();
    let informers = kinds.informers().len();
    factory.shutdown().await;
    informers
}

#[tokio::test(start_paused = true)]
async fn no_log_quotes_an_answer_of_discovery() {
    for (path, code) in
        [("/api", 500), ("/api", 200), ("/apis/apps/v1", 503), ("/apis/apps/v1", 200)]
    {
        for length in [SECRETS.len(), SECRETS.len() - 2] {
            let log = Log::default();
            let _guard = log.install(tracing::Level::TRACE);
            let server = ApiServer::new();
            let body = move || Response::builder().status(code).body(SECRETS[..length].into());
            answer_once(&server, path, move || body().unwrap());
            assert_eq!(kinds(&server).await, 2, "{path} {code}");
            for part in ["hunter2", "aHVudGVyMg"] {
                assert!(!log.text().contains(part), "{path} {code}: {}", log.text());
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn no_log_of_an_awaited_kind_quotes_discovery() {
    for code in [200, 500] {
        let log = Log::default();
        let _guard = log.install(tracing::Level::TRACE);
        let server = ApiServer::new();
        let body = move || Response::builder().status(code).body(SECRETS.into()).unwrap();
        answer_once(&server, "/api/v1", body);
        let factory = factory_of(server.client());
        let resource = ApiResource::erase::<ConfigMap>(&());
        let maps = factory.dynamic_with(&resource, InformerSpec::new().when_served()).unwrap();
        factory.start().unwrap();
        maps.wait_for_sync(60 * S).await.unwrap();
        assert!(log.text().contains("discovery failed"), "{}", log.text());
        assert!(!log.text().contains("hunter2"), "{code}: {}", log.text());
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn group_that_is_refused_once_is_followed() {
    for code in [401, 429, 500, 503] {
        let server = ApiServer::new();
        answer_once(&server, "/apis/apps/v1", move || refusal(code, "Refused", "a moment"));
        assert_eq!(kinds(&server).await, 2, "{code}");
    }
}

/// An answer without a kind, or to another request, says nothing about what is served.
#[tokio::test(start_paused = true)]
async fn answers_without_a_kind_take_no_kind_away() {
    for path in ["/api", "/api/v1", "/apis", "/apis/apps/v1"] {
        for body in [
            "{}",
            "null",
            "[]",
            "",
            r#"{"resources":null,"groups":null,"versions":null}"#,
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}"#,
            r#"{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"batch/v1"}"#,
        ] {
            let server = ApiServer::new();
            answer_once(&server, path, move || Response::new(body.into()));
            assert_eq!(kinds(&server).await, 2, "{path} {body}");
        }
    }
    for body in ["{}", r#"{"kind":"APIResourceList","resources":[]}"#] {
        let log = Log::default();
        let _guard = log.install(tracing::Level::WARN);
        let server = ApiServer::new();
        answer_once(&server, "/api/v1", move || Response::new(body.into()));
        let factory = factory_of(server.client());
        let resource = ApiResource::erase::<ConfigMap>(&());
        let maps = factory.dynamic_with(&resource, InformerSpec::new().when_served()).unwrap();
        factory.start().unwrap();
        maps.wait_for_sync(60 * S).await.unwrap();
        assert!(log.text().contains("discovery failed"), "{}", log.text());
        factory.shutdown().await;
    }
}

/// Answers with which a starting server, or a proxy, takes kinds away that are still served.
const ACCIDENTS: [(&str, u16, &str); 9] = [
    ("/apis/apps/v1", 404, "404 page not found"),
    ("/apis/apps/v1", 404, "<html>404 Not Found</html>"),
    (
        "/apis",
        200,
        r#"{"kind":"APIGroupList","groups":[{"name":"apiregistration.k8s.io","versions":[
            {"groupVersion":"apiregistration.k8s.io/v1","version":"v1"}]}]}"#,
    ),
    ("/apis", 200, r#"{"kind":"APIGroupList","apiVersion":"v1"}"#),
    ("/api", 200, r#"{"kind":"APIVersions"}"#),
    ("/api/v1", 200, r#"{"kind":"APIResourceList","groupVersion":"v1"}"#),
    ("/apis/apps/v1", 200, r#"{"kind":"APIResourceList","groupVersion":"apps/v1"}"#),
    ("/apis/apps/v1", 200, r#"{"kind":"APIResourceList","groupVersion":"apps/v1","resources":[]}"#),
    (
        "/apis/apps/v1",
        200,
        r#"{"kind":"APIResourceList","groupVersion":"apps/v1","resources":[
            {"name":"deployments","singularName":"","namespaced":true,"kind":"Deployment"}]}"#,
    ),
];

fn accident(code: u16, body: &'static str) -> impl Fn() -> Response<Bytes> + Send + Sync {
    move || Response::builder().status(code).body(body.into()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn kind_that_one_first_reading_lacks_is_followed() {
    for (path, code, body) in ACCIDENTS {
        let server = ApiServer::new();
        answer_once(&server, path, accident(code, body));
        assert_eq!(kinds(&server).await, 2, "{path} {body}");
    }
}

#[tokio::test(start_paused = true)]
async fn kind_that_one_later_reading_lacks_stays() {
    let other = r#"{"kind":"APIGroupList","groups":[{"name":"batch","versions":[
        {"groupVersion":"batch/v1","version":"v1"}]}]}"#;
    for (path, code, body) in ACCIDENTS.into_iter().chain([("/apis", 200, other)]) {
        let server = ApiServer::new();
        let factory = factory_of(server.client());
        let kinds = factory.kinds(|kind| ["ConfigMap", "Deployment"].contains(&&*kind.kind));
        kinds.start().unwrap();
        kinds.wait_for_sync(60 * S).await.unwrap();
        answer_once(&server, path, accident(code, body));
        register(&server, false).await;
        for _ in 0..120 {
            sleep(S).await;
            assert_eq!(kinds.informers().len(), 2, "{path} {body}");
        }
        factory.shutdown().await;
    }
}

/// The registration tells that the group is served.
#[tokio::test(start_paused = true)]
async fn registered_group_that_discovery_lacks_is_silent() {
    let server = ApiServer::new();
    let kind = GroupVersionKind::gvk("metrics.example.com", "v1", "Gauge");
    server.register(ResourceType::from_api_resource(&ApiResource::from_gvk(&kind), true));
    register(&server, true).await;
    let factory = factory_of(server.client());
    let kinds = factory.kinds_metadata(|kind| kind.kind == "Gauge");
    server.intercept(|request| {
        let body = r#"{"kind":"APIGroupList","groups":[{"name":"apps","versions":[
            {"groupVersion":"apps/v1","version":"v1"}]}]}"#;
        (request.target == "/apis").then(|| Response::new(body.into()))
    });
    kinds.start().unwrap();
    kinds.wait_for_sync(60 * S).await.unwrap();
    assert!(kinds.informers().is_empty());
    server.stop_intercepting();
    until("the next reading", || kinds.informers().len() == 1).await;
    factory.shutdown().await;
}

/// No definition and no registration tells that a built-in kind is served.
#[tokio::test(start_paused = true)]
async fn awaited_kind_that_discovery_lacked_once_comes() {
    for may_define in [true, false] {
        for (code, body) in [
            (404, "404 page not found"),
            (200, r#"{"kind":"APIResourceList","groupVersion":"v1"}"#),
        ] {
            let server = ApiServer::new();
            let (requests, accident) = (AtomicUsize::new(0), accident(code, body));
            server.intercept(move |request| {
                if request.target.contains("/customresourcedefinitions") {
                    return (!may_define).then(|| refusal(403, "Forbidden", "no definitions"));
                }
                let is_first = || requests.fetch_add(1, Ordering::Relaxed) == 0;
                (request.target == "/api/v1" && is_first()).then(&accident)
            });
            let factory = factory_of(server.client());
            let resource = ApiResource::erase::<ConfigMap>(&());
            let maps = factory.dynamic_with(&resource, InformerSpec::new().when_served()).unwrap();
            factory.start().unwrap();
            assert!(maps.wait_for_sync(60 * S).await.is_err());
            maps.wait_for_sync(600 * S).await.unwrap();
            factory.shutdown().await;
        }
    }
}

/// Discovery is read again when the definitions have synced.
#[tokio::test(start_paused = true)]
async fn served_kind_survives_one_answer_that_lacks_it() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    forbid(&server, "/customresourcedefinitions");
    let factory = factory_of(server.client());
    let resource = ApiResource::erase::<ConfigMap>(&());
    let maps = factory.dynamic_with(&resource, InformerSpec::new().when_served()).unwrap();
    let deleted = Arc::new(AtomicUsize::new(0));
    let counted = deleted.clone();
    maps.on_event(move |event| {
        counted.fetch_add(usize::from(event.is_deleted()), Ordering::Relaxed);
    })
    .unwrap();
    factory.start().unwrap();
    maps.wait_for_sync(60 * S).await.unwrap();
    server.stop_intercepting();
    answer_once(&server, "/api/v1", accident(404, "404 page not found"));
    for _ in 0..300 {
        sleep(S).await;
        assert_eq!((maps.lister().len(), deleted.load(Ordering::Relaxed)), (1, 0));
    }
    let readings = server.requests().iter().filter(|one| one.target == "/api/v1").count();
    assert_eq!(readings, 3);
    factory.shutdown().await;
}

/// Go writes an empty list as null, or leaves it out.
#[tokio::test(start_paused = true)]
async fn document_of_discovery_may_lack_its_list() {
    for list in ["", r#","resources":null"#] {
        let server = ApiServer::new();
        let body = format!(r#"{{"kind":"APIResourceList","groupVersion":"apps/v1"{list}}}"#);
        server.intercept(move |request| {
            (request.target == "/apis/apps/v1").then(|| Response::new(body.clone().into()))
        });
        assert_eq!(kinds(&server).await, 1);
    }
    for list in ["", r#","groups":null"#] {
        let server = ApiServer::new();
        let body = format!(r#"{{"kind":"APIGroupList","apiVersion":"v1"{list}}}"#);
        server.intercept(move |request| {
            (request.target == "/apis").then(|| Response::new(body.clone().into()))
        });
        assert_eq!(kinds(&server).await, 1);
    }
}
