//! Errors say the whole cause, once; a finalizer leaves other finalizers alone.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams};
use kube_controllers::controller::{Finalize, finalizer};
use kube_controllers::{Action, Controller};
use kube_informer::InformerSpec;
use kube_informer::testing::ApiServer;
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

/// As `{:#}` of `anyhow` prints it.
fn report(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[tokio::test(start_paused = true)]
async fn a_controllers_error_says_each_cause_once() {
    let server = ApiServer::new();
    forbid(&server, "configmaps");
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("forbidden", &maps).sync_timeout(30 * S).build();
    let ended = controller
        .run(CancellationToken::new(), |_| async { Ok::<_, std::io::Error>(Action::done()) })
        .await
        .unwrap_err();
    assert!(ended.to_string().contains("403"), "the text alone is enough: {ended}");
    let report = report(&ended);
    assert_eq!(report.matches("not synced after").count(), 1, "{report}");
    assert_eq!(report.matches("403").count(), 1, "{report}");
}

#[derive(Debug, thiserror::Error)]
#[error("copying the map")]
struct Context(#[source] std::io::Error);

#[tokio::test(start_paused = true)]
async fn a_reconciles_error_keeps_its_cause() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("failing", &maps).build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let running = spawn(controller.run(stop.clone(), |_| async {
        Err::<Action, _>(Context(std::io::Error::other("the disk is full")))
    }));
    let failure = loop {
        if let Some(failure) = handle.status().last_failure {
            break failure;
        }
        tokio::time::sleep(MS).await;
    };
    assert_eq!(failure.error, "copying the map: the disk is full");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_finalizer_keeps_those_that_the_cache_lacks() {
    let server = ApiServer::new();
    let mut made = map("a", "1");
    made.finalizers_mut().push("example.com/another".into());
    server.create(&made).unwrap();
    let spec = InformerSpec::<ConfigMap>::new().transform(|map| map.metadata.finalizers = None);
    let factory = factory(&server);
    let maps = factory.informer_with(spec).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(10 * S).await.unwrap();
    let cached = maps.lister().namespace("shop").get("a").unwrap();
    assert!(cached.finalizers().is_empty(), "the transform dropped them");

    let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
    let apply = |_| async { Ok::<_, std::io::Error>(Action::done()) };
    let _action = finalizer(&api, "example.com/ours", Arc::clone(&cached), apply).await.unwrap();
    let now = api.get("a").await.unwrap();
    assert_eq!(now.finalizers(), ["example.com/another", "example.com/ours"]);
    factory.shutdown().await;
}

/// The cache is behind: the finalizer was put on, and the object is going.
#[tokio::test(start_paused = true)]
async fn finalizer_applies_nothing_to_a_deleted_object() {
    let server = server_with(&["a"]);
    let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
    let cached = Arc::new(api.get("a").await.unwrap());
    let apply = |_| async { Ok::<_, std::io::Error>(Action::done()) };
    let _action = finalizer(&api, "example.com/ours", cached.clone(), apply).await.unwrap();
    api.delete("a", &DeleteParams::default()).await.unwrap();

    let applied = Arc::new(AtomicBool::new(false));
    let apply = async |what: Finalize<ConfigMap>| {
        applied.store(matches!(what, Finalize::Apply(_)), Ordering::SeqCst);
        Ok::<_, std::io::Error>(Action::done())
    };
    let _action = finalizer(&api, "example.com/ours", cached, apply).await.unwrap();
    assert!(!applied.load(Ordering::SeqCst));
}
