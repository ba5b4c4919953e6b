//! Discovery that fails, or that a proxy answers with something else.

use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::Response;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ApiResource;
use kube_informer::InformerSpec;
use kube_informer::testing::ApiServer;

use crate::helpers::log::Log;
use crate::helpers::{S, factory_of, refusal};

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
