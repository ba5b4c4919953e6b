//! The log and the status tell what is wrong, and do not repeat it at length.

use std::io;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::{Action, Controller, ReconcileRequest};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::log::Log;
use crate::helpers::{factory, server_with, spawn};

/// Returns the lines that contain a text.
fn lines(log: &Log, text: &str) -> Vec<String> {
    log.text().lines().filter(|line| line.contains(text)).map(str::to_owned).collect()
}

#[tokio::test(start_paused = true)]
async fn hung_reconcile_is_logged_once() {
    let log = Log::default();
    let _logging = log.install(tracing::Level::INFO);
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("hung", &maps).grace(Duration::ZERO).build();
    let stop = CancellationToken::new();
    let running = spawn(controller.run(stop.clone(), |_| async {
        std::future::pending::<Result<Action, io::Error>>().await
    }));
    sleep(Duration::from_secs(50)).await;
    assert!(lines(&log, "a reconcile still runs").is_empty());
    sleep(Duration::from_secs(3_600)).await;
    let told = lines(&log, "a reconcile still runs");
    assert!(told.len() == 1 && told[0].contains("key=") && told[0].contains("hung"), "{told:?}");
    stop.cancel();
    running.await.unwrap().unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn work_that_outlives_its_reconcile_is_logged_once() {
    let log = Log::default();
    let _logging = log.install(tracing::Level::INFO);
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("leaky", &maps).grace(Duration::ZERO).build();
    let stop = CancellationToken::new();
    let running = spawn(controller.run(stop.clone(), |request: ReconcileRequest<ConfigMap>| {
        std::mem::forget(request.guard());
        async { Ok::<_, io::Error>(Action::done()) }
    }));
    sleep(Duration::from_secs(50)).await;
    assert!(lines(&log, "work that it tracks still runs").is_empty());
    sleep(Duration::from_secs(3_600)).await;
    let told = lines(&log, "work that it tracks still runs");
    assert!(told.len() == 1 && told[0].contains("shop/a") && told[0].contains("leaky"), "{told:?}");
    stop.cancel();
    running.await.unwrap().unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn long_error_is_logged_whole_only_at_times() {
    let log = Log::default();
    let _logging = log.install(tracing::Level::INFO);
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("failing", &maps).build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let running = spawn(controller.run(stop.clone(), |_| async {
        Err::<Action, _>(io::Error::other(format!("refused: {}", "é".repeat(400))))
    }));
    sleep(Duration::from_secs(3_600)).await;
    let lines = lines(&log, "reconcile failed");
    assert!(lines.len() > 10);
    let whole = lines.iter().filter(|line| line.len() > 800).count();
    assert_eq!(u32::try_from(whole), Ok(lines.len().ilog2() + 1), "of {}", lines.len());
    assert!(lines[2].contains("refused") && lines[2].len() < 500, "{}", lines[2]);
    let kept = handle.status().last_failure.unwrap().error;
    assert!(kept.chars().count() > 400, "the status has the whole text");
    stop.cancel();
    running.await.unwrap().unwrap();
}
