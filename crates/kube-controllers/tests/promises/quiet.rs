//! Answers that hold Secrets where a Lease or an event was written: no log, no error quotes them.

use http::Response;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::sharding::ShardBy;
use kube_controllers::writing::EventRecorder;
use kube_controllers::{LeaderElector, Sharding};
use kube_informer::testing::ApiServer;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::helpers::S;
use crate::helpers::log::Log;

const SECRET: &str = r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"hunter2"},
    "data":{"password":"aHVudGVyMg=="},"message":"hunter2"}"#;
const STATUS: &str = r#"{"apiVersion":"v1","kind":"Status","metadata":{"name":"hunter2"},
    "status":"Success","data":{"password":"aHVudGVyMg=="}}"#;

/// Calls `work` with servers that answer each request of a group, but for lists and watches, with
/// something else.
async fn quotes_nothing<F: Future<Output = String>>(group: &str, work: impl Fn(ApiServer) -> F) {
    let group = format!("/apis/{group}/");
    for code in [200, 201, 403, 500] {
        for body in [SECRET, STATUS, &SECRET[..SECRET.len() - 2], "hunter2, aHVudGVyMg=="] {
            if code > 400 && !body.starts_with('{') {
                continue; // The text of a gateway is quoted.
            }
            let log = Log::default();
            let _guard = log.install(tracing::Level::TRACE);
            let (server, group, body) = (ApiServer::new(), group.clone(), body.to_owned());
            server.intercept(move |request| {
                let answer = Response::builder().status(code).body(body.clone().into());
                let lists = request.method == "GET" && request.target.contains("leases?");
                (request.target.starts_with(&group) && !lists).then(|| answer.unwrap())
            });
            let error = work(server).await;
            assert!(!error.is_empty(), "{code}");
            let text = log.text() + &error;
            for part in ["hunter2", "aHVudGVyMg"] {
                assert!(!text.contains(part), "{code}: {text}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn elector_quotes_no_answer_that_is_no_lease() {
    quotes_nothing("coordination.k8s.io", |server| async move {
        let elector = LeaderElector::builder(server.client(), "shop", "x").identity("r0");
        let mut elector = elector.build().unwrap();
        let state = elector.leadership();
        let _ran = timeout(60 * S, elector.run(CancellationToken::new(), |_| async {})).await;
        let error = state.borrow().last_error.clone();
        error.map_or(String::new(), |error| format!("{error:#} {error:?}"))
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn sharding_quotes_no_answer_that_is_no_lease() {
    quotes_nothing("coordination.k8s.io", |server| async move {
        let sharding = Sharding::builder(server.client(), "shop", "maps", ShardBy::Namespace);
        let sharding = sharding.identity("r0").build().unwrap();
        let _ran = timeout(60 * S, sharding.run(CancellationToken::new())).await;
        format!("{:?}", sharding.status())
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn recorder_quotes_no_answer_that_is_no_event() {
    quotes_nothing("events.k8s.io", |server| async move {
        let recorder = EventRecorder::new(server.client(), "shop-controller").unwrap();
        recorder.normal(&ConfigMap::default(), "Made", "a note");
        sleep(600 * S).await;
        format!("{recorder:?}")
    })
    .await;
}
