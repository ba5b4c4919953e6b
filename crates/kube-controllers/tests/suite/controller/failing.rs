//! Permanent errors, error policies and limits of retries.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::controller::{
    BoxError, ControllerBuilder, ControllerHandle, FailedTry, Permanent,
};
use kube_controllers::{Action, Controller};
use kube_informer::testing::ApiServer;
use kube_informer::workqueue::ExponentialBackoff;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

#[derive(Debug)]
enum Trouble {
    Invalid,
    Busy,
    Other,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "on purpose: {self:?}")
    }
}

impl std::error::Error for Trouble {}

/// Runs a controller whose reconciles fail, for an hour. Returns the failures that each try was
/// told of, and a handle.
async fn failing<E: Into<BoxError> + Send + 'static>(
    build: impl FnOnce(ControllerBuilder<ConfigMap>) -> ControllerBuilder<ConfigMap>,
    error: fn() -> E,
    server: &ApiServer,
) -> (Log<u32>, ControllerHandle, CancellationToken) {
    server.create(&map("a", "1")).unwrap();
    let maps = factory(server).informer::<ConfigMap>();
    let builder = Controller::builder("failing", &maps).limiter(ExponentialBackoff::new(S, 60 * S));
    let controller = build(builder).build();
    let (log, handle, stop) = (Log::new(), controller.handle(), CancellationToken::new());
    let logged = log.clone();
    spawn(controller.run(stop.clone(), move |request| {
        logged.add(request.failures);
        async move { Err::<Action, E>(error()) }
    }));
    sleep(3600 * S).await;
    (log, handle, stop)
}

#[tokio::test(start_paused = true)]
async fn a_permanent_error_waits_for_a_change() {
    let server = ApiServer::new();
    let permanent = || -> BoxError { Permanent::new(Trouble::Invalid).into() };
    let (log, handle, stop) = failing(|builder| builder, permanent, &server).await;
    assert_eq!(log.take(), [0]);
    let status = handle.status();
    assert_eq!((status.failed, status.given_up), (1, 1));
    assert!(status.last_failure.unwrap().error.contains("on purpose: Invalid"));
    server.replace(&map("a", "2")).unwrap();
    log.reaches(1).await;
    stop.cancel();
}

/// A `ConfigMap` has no generation, so its events look like those of a dependency or of the key's
/// own writes.
#[tokio::test(start_paused = true)]
async fn event_ends_a_backoff_after_ten_seconds() {
    let server = ApiServer::new();
    let limiter = ExponentialBackoff::new(1000 * S, 1000 * S);
    let (log, handle, stop) =
        failing(|builder| builder.limiter(limiter), || Trouble::Other, &server).await;
    assert_eq!(log.take(), [0, 1, 2, 3]);
    // The last try was 600 s ago.
    server.replace(&map("a", "2")).unwrap();
    sleep(S).await;
    assert_eq!(log.take(), [4], "at once");
    handle.trigger(key("a"));
    sleep(8 * S).await;
    assert_eq!(log.take(), [0; 0]);
    sleep(2 * S).await;
    assert_eq!(log.take(), [5], "ten seconds after the last try");
    for n in 0..100 {
        server.replace(&map("a", &n.to_string())).unwrap();
        sleep(S).await;
    }
    assert_eq!(log.take().len(), 10, "however many events come");
    stop.cancel();
}

/// An error with a permanent one as its cause.
#[derive(Debug)]
struct Outer(Permanent);

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("outer")
    }
}

impl std::error::Error for Outer {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[tokio::test(start_paused = true)]
async fn a_permanent_cause_counts_too() {
    let server = ApiServer::new();
    let error = || Outer(Permanent::new("the inner one"));
    let (log, handle, stop) = failing(|builder| builder, error, &server).await;
    assert_eq!((log.take(), handle.status().given_up), (vec![0], 1));
    stop.cancel();
}

fn policy(failure: &FailedTry<'_>) -> Action {
    match failure.error.downcast_ref::<Trouble>() {
        Some(Trouble::Invalid) => Action::done(),
        Some(Trouble::Busy) => Action::requeue_after(600 * S),
        _ => Action::retry(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_decides_for_each_error() {
    for (error, tries) in [
        ((|| Trouble::Invalid) as fn() -> Trouble, vec![0]),
        (|| Trouble::Busy, vec![0, 1, 2, 3, 4, 5]),
    ] {
        let server = ApiServer::new();
        let with = |builder: ControllerBuilder<_>| builder.error_policy(policy);
        let (log, _, stop) = failing(with, error, &server).await;
        assert_eq!(log.take(), tries, "failures in a row count, whatever the delay");
        stop.cancel();
    }
    let server = ApiServer::new();
    let with = |builder: ControllerBuilder<_>| builder.error_policy(policy);
    let (log, _, stop) = failing(with, || Trouble::Other, &server).await;
    assert!(log.len() > 30, "{} tries", log.len());
    stop.cancel();
}

#[tokio::test(start_paused = true)]
async fn after_the_last_retry_a_key_waits_for_a_change() {
    let server = ApiServer::new();
    let with = |builder: ControllerBuilder<_>| builder.max_retries(3);
    let (log, handle, stop) = failing(with, || Trouble::Other, &server).await;
    assert_eq!(log.take(), [0, 1, 2, 3]);
    assert_eq!(handle.status().given_up, 1);
    // A change begins again from the first try.
    server.replace(&map("a", "2")).unwrap();
    sleep(3600 * S).await;
    assert_eq!(log.take(), [0, 1, 2, 3]);
    stop.cancel();
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_panics_retries() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let server = ApiServer::new();
    let with = |builder: ControllerBuilder<_>| {
        builder.error_policy(|_| match CALLS.fetch_add(1, Ordering::Relaxed) {
            0 => panic!("on purpose: a policy"),
            _ => Action::done(),
        })
    };
    let (log, handle, stop) = failing(with, || Trouble::Other, &server).await;
    assert_eq!((log.take(), handle.status().given_up), (vec![0, 1], 1));
    stop.cancel();
}
