//! Conflicts between managers.

use http::Response;
use kube_controllers::writing::{Applier, ApplyError};
use kube_informer::testing::ApiServer;
use serde_json::json;

use super::support::*;
use crate::helpers::{caught_up, settle};

#[tokio::test(start_paused = true)]
async fn conflict_names_managers_and_fields() {
    let server = ApiServer::new();
    let (informer, applier) = applier(&server).await;
    let desired = deployment(3, "1");
    settle(&server, &informer, &applier, &desired).await;
    patch(&server, "scaler", "", json!({"spec": {"replicas": 7}})).await;
    patch(&server, "painter", "", json!({"metadata": {"labels": {"app": "secret-value"}}})).await;
    caught_up(&server, &informer).await;
    let error = applier.apply(&desired).await.unwrap_err();
    let text = error.to_string();
    let ApplyError::Conflict { conflicts, .. } = error else { panic!("{error:?}") };
    let facts = conflicts.iter().map(|conflict| (&*conflict.manager, &*conflict.field));
    assert_eq!(
        facts.collect::<Vec<_>>(),
        [("painter", ".metadata.labels.app"), ("scaler", ".spec.replicas")]
    );
    assert_eq!(conflicts[0].api_version.as_deref(), Some("apps/v1"));
    assert!(!text.contains("secret-value"), "{text}");
    assert_eq!(
        text,
        "deployments.apps web in shop was not applied: .metadata.labels.app belongs to \
         \"painter\", .spec.replicas belongs to \"scaler\""
    );

    // Nothing was written, and nothing is remembered.
    assert!(matches!(applier.apply(&desired).await, Err(ApplyError::Conflict { .. })));
    let forced = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    let taken = forced.apply(&desired).await.unwrap();
    assert_eq!(taken.object().spec.as_ref().unwrap().replicas, Some(3));
    assert_eq!(settle(&server, &informer, &applier, &desired).await, 1);
    informer.shutdown().await;
}

/// An answer of a real server.
#[tokio::test(start_paused = true)]
async fn recorded_conflict_is_read() {
    let server = ApiServer::new();
    let (informer, applier) = applier(&server).await;
    server.intercept(|request| {
        let recorded = include_str!("conflict.json");
        let response = Response::builder().status(409).header("content-type", "application/json");
        (request.method == "PATCH").then(|| response.body(recorded.into()).unwrap())
    });
    let error = applier.apply(&deployment(3, "1")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "deployments.apps web in shop was not applied: \
         .status.conditions[type=\"A\"].status belongs to \"c1\" through status"
    );
    informer.shutdown().await;
}

/// A conflict of versions has no managers.
#[tokio::test(start_paused = true)]
async fn other_refusals_are_requests_that_failed() {
    let server = ApiServer::new();
    let (informer, applier) = applier(&server).await;
    for code in [400, 403, 409, 422, 500] {
        server.intercept(move |request| {
            let response = Response::builder().status(code);
            (request.method == "PATCH").then(|| response.body("a text".into()).unwrap())
        });
        let error = applier.apply(&deployment(3, "1")).await.unwrap_err();
        let ApplyError::Request { source: kube::Error::Api(status), .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!(status.code, code);
    }
    server.stop_intercepting();
    assert_eq!(settle(&server, &informer, &applier, &deployment(3, "1")).await, 1);
    informer.shutdown().await;
}
