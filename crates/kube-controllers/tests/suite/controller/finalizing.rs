//! Finalizers: on before anything is made, off when it is undone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, Patch, PatchParams};
use kube::{Client, ResourceExt};
use kube_controllers::controller::{BoxError, Finalize, FinalizerError, Permanent, finalizer};
use kube_controllers::{Action, Controller};
use kube_informer::InformerSpec;
use kube_informer::testing::ApiServer;
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::unserved;
use crate::helpers::*;

const NAME: &str = "example.com/test";

fn api(server: &ApiServer) -> Api<ConfigMap> {
    Api::namespaced(server.client(), "shop")
}

/// Runs one reconcile with the finalizer and records its calls.
async fn reconcile(
    client: &Client,
    object: &ConfigMap,
    fails: bool,
) -> (Option<&'static str>, Result<(), FinalizerError>) {
    let api = Api::<ConfigMap>::namespaced(client.clone(), "shop");
    let asked = parking_lot::Mutex::new(None);
    let outcome =
        finalizer(&api, NAME, Arc::new(object.clone()), |what| {
            let (word, object) = match what {
                Finalize::Apply(object) => ("apply", object),
                Finalize::Cleanup(object) => ("clean up", object),
            };
            assert!(object.finalizers().contains(&NAME.to_owned()), "it is on by then");
            *asked.lock() = Some(word);
            async move {
                if fails { Err(std::io::Error::other("on purpose")) } else { Ok(Action::done()) }
            }
        })
        .await;
    (asked.into_inner(), outcome.map(|action| assert_eq!(action, Action::done())))
}

#[tokio::test]
async fn it_goes_on_first_and_comes_off_last() {
    let server = ApiServer::new();
    let client = server.client();
    let made = server.create(&map("a", "1")).unwrap();

    let (asked, outcome) = reconcile(&client, &made, false).await;
    assert_eq!(asked, Some("apply"));
    outcome.unwrap();
    let stored = api(&server).get("a").await.unwrap();
    assert_eq!(stored.finalizers(), [NAME]);

    api(&server).delete("a", &DeleteParams::default()).await.unwrap();
    let going = api(&server).get("a").await.unwrap();
    assert!(going.metadata.deletion_timestamp.is_some());

    let (asked, outcome) = reconcile(&client, &going, true).await;
    assert_eq!(asked, Some("clean up"));
    assert!(matches!(outcome, Err(FinalizerError::Failed(_))));
    assert!(api(&server).get("a").await.is_ok(), "a failed cleanup takes nothing off");

    let (asked, outcome) = reconcile(&client, &going, false).await;
    assert_eq!(asked, Some("clean up"));
    outcome.unwrap();
    assert!(api(&server).get_opt("a").await.unwrap().is_none());
}

#[tokio::test]
async fn other_finalizers_and_other_changes_are_left_alone() {
    let server = ApiServer::new();
    let client = server.client();
    let mut with_other = map("a", "1");
    with_other.finalizers_mut().push("example.com/other".into());
    let made = server.create(&with_other).unwrap();
    reconcile(&client, &made, false).await.1.unwrap();
    api(&server).delete("a", &DeleteParams::default()).await.unwrap();
    let going = api(&server).get("a").await.unwrap();
    assert_eq!(going.finalizers(), ["example.com/other", NAME]);

    // Changed since it was read: the finalizer comes off all the same.
    let change = Patch::Merge(json!({"data": {"value": "2"}}));
    api(&server).patch("a", &PatchParams::default(), &change).await.unwrap();
    reconcile(&client, &going, false).await.1.unwrap();
    let left = api(&server).get("a").await.unwrap();
    assert_eq!(left.finalizers(), ["example.com/other"]);
    assert_eq!(left.data.unwrap()["value"], "2");
    // Without the finalizer it is nobody's business any more.
    let left = api(&server).get("a").await.unwrap();
    assert_eq!(reconcile(&client, &left, false).await.0, None);
}

#[tokio::test]
async fn it_goes_on_only_what_was_seen() {
    let server = ApiServer::new();
    let seen = server.create(&map("a", "1")).unwrap();
    server.replace(&map("a", "2")).unwrap();
    let (asked, outcome) = reconcile(&server.client(), &seen, false).await;
    assert_eq!(asked, None, "nothing is made for an object that has no finalizer");
    let Err(FinalizerError::NotAdded { key: of, source: kube::Error::Api(status), .. }) = outcome
    else {
        panic!("{outcome:?}")
    };
    assert_eq!((of, status.code), (key("a"), 409));
}

#[tokio::test]
async fn gone_or_replaced_object_needs_no_removal() {
    for replaced in [false, true] {
        let server = ApiServer::new();
        let client = server.client();
        let made = server.create(&map("a", "1")).unwrap();
        reconcile(&client, &made, false).await.1.unwrap();
        api(&server).delete("a", &DeleteParams::default()).await.unwrap();
        let going = api(&server).get("a").await.unwrap();
        let off = Patch::Merge(json!({"metadata": {"finalizers": null}}));
        api(&server).patch("a", &PatchParams::default(), &off).await.unwrap();
        assert!(api(&server).get_opt("a").await.unwrap().is_none());
        if replaced {
            server.create(&map("a", "new")).unwrap();
        }
        reconcile(&client, &going, false).await.1.unwrap();
        let left = api(&server).get_opt("a").await.unwrap();
        assert_eq!(left.is_some(), replaced);
    }
}

#[tokio::test]
async fn unserved_kind_is_no_absent_object() {
    // Some proxies answer anything with 200.
    let others = ["{}", r#"{"metadata": {"name": "b", "uid": "b"}}"#];
    let others = others.map(|other| http::Response::new(other.into()));
    for answer in unserved().into_iter().chain(others) {
        let server = ApiServer::new();
        let client = server.client();
        let made = server.create(&map("a", "1")).unwrap();
        let intercept = |method: http::Method| {
            let answer = answer.clone();
            server.intercept(move |request| (request.method == method).then(|| answer.clone()));
        };
        intercept(http::Method::GET);
        let (_, outcome) = reconcile(&client, &made, false).await;
        assert!(matches!(outcome, Err(FinalizerError::NotRead { .. })), "{outcome:?}");
        intercept(http::Method::PATCH);
        let (_, outcome) = reconcile(&client, &made, false).await;
        assert!(matches!(outcome, Err(FinalizerError::NotAdded { .. })), "{outcome:?}");
        server.stop_intercepting();
        reconcile(&client, &made, false).await.1.unwrap();
        api(&server).delete("a", &DeleteParams::default()).await.unwrap();
        let going = api(&server).get("a").await.unwrap();
        intercept(http::Method::PATCH);
        let (asked, outcome) = reconcile(&client, &going, false).await;
        assert_eq!(asked, Some("clean up"));
        assert!(matches!(outcome, Err(FinalizerError::NotRemoved { .. })), "{outcome:?}");
    }
}

#[tokio::test]
async fn failed_removal_repeats_the_cleanup() {
    let server = ApiServer::new();
    let client = server.client();
    let made = server.create(&map("a", "1")).unwrap();
    reconcile(&client, &made, false).await.1.unwrap();
    api(&server).delete("a", &DeleteParams::default()).await.unwrap();
    let going = api(&server).get("a").await.unwrap();
    let failing = Arc::new(AtomicBool::new(true));
    let fails = failing.clone();
    server.intercept(move |request| {
        (request.method == http::Method::PATCH && fails.load(Ordering::Relaxed)).then(|| {
            let mut response = http::Response::new(Vec::new().into());
            *response.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
            response
        })
    });
    let (asked, outcome) = reconcile(&client, &going, false).await;
    assert_eq!(asked, Some("clean up"));
    assert!(matches!(outcome, Err(FinalizerError::NotRemoved { .. })), "{outcome:?}");
    failing.store(false, Ordering::Relaxed);
    reconcile(&client, &going, false).await.1.unwrap();
    assert!(api(&server).get_opt("a").await.unwrap().is_none());
}

/// A controller that finalizes maps, behind an informer with this transform. Returns the words of
/// its calls after a deletion, and the number of reads of the map.
async fn finalized_behind(transform: fn(&mut ConfigMap)) -> (Vec<&'static str>, usize) {
    let server = server_with(&["a"]);
    let spec = InformerSpec::<ConfigMap>::new().transform(transform);
    let maps = factory(&server).informer_with(spec).unwrap();
    let stop = CancellationToken::new();
    let (log, maps_api) = (Log::new(), api(&server));
    let noted = log.clone();
    let controller = Controller::builder("finalizing", &maps).build();
    let running = spawn(controller.run(stop.clone(), move |request| {
        let (api, log) = (maps_api.clone(), noted.clone());
        async move {
            let Some(object) = request.object.present() else { return Ok(Action::done()) };
            finalizer(&api, NAME, object, |what| async move {
                log.add(if matches!(what, Finalize::Cleanup(_)) { "clean up" } else { "apply" });
                Ok::<_, std::io::Error>(Action::done())
            })
            .await
        }
    }));
    log.reaches(1).await;
    sleep(S).await;
    let before = server.requests().len();
    let change = Patch::Merge(json!({"data": {"value": "2"}}));
    api(&server).patch("a", &PatchParams::default(), &change).await.unwrap();
    sleep(S).await;
    let asked = server.requests()[before..].iter().filter(|one| one.method == "GET").count();
    api(&server).delete("a", &DeleteParams::default()).await.unwrap();
    sleep(S).await;
    assert!(api(&server).get_opt("a").await.unwrap().is_none(), "it is Terminating for ever");
    stop.cancel();
    running.await.unwrap().unwrap();
    (log.take(), asked)
}

#[tokio::test(start_paused = true)]
async fn cleanup_runs_whatever_a_transform_drops() {
    let (words, asked) = finalized_behind(|map| map.binary_data = None).await;
    assert_eq!((words.last(), asked), (Some(&"clean up"), 0), "{words:?}");
    let (words, asked) = finalized_behind(|map| map.metadata.finalizers = None).await;
    assert_eq!((words.last(), asked), (Some(&"clean up"), 1), "{words:?}");
    let (words, asked) = finalized_behind(|map| map.metadata.deletion_timestamp = None).await;
    assert_eq!((words.last(), asked), (Some(&"clean up"), 0), "{words:?}");
    let (words, asked) = finalized_behind(|map| {
        map.metadata.deletion_timestamp = None;
        map.metadata.finalizers = None;
    })
    .await;
    assert_eq!((words.last(), asked), (Some(&"clean up"), 1), "{words:?}");
}

#[tokio::test(start_paused = true)]
async fn permanent_error_of_a_finalizer_waits() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let stop = CancellationToken::new();
    let controller = Controller::builder("finalizing", &maps).build();
    let (handle, api) = (controller.handle(), api(&server));
    let running = spawn(controller.run(stop.clone(), move |request| {
        let api = api.clone();
        async move {
            let Some(object) = request.object.present() else { return Ok(Action::done()) };
            let refuse = |_| async { Err(Permanent::new("wrong")) };
            Ok::<_, BoxError>(finalizer(&api, NAME, object, refuse).await?)
        }
    }));
    sleep(60 * S).await;
    let status = handle.status();
    assert_eq!(status.failed, status.given_up, "none is tried again");
    assert!(status.failed > 0);
    stop.cancel();
    running.await.unwrap().unwrap();
}
