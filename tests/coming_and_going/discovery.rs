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
