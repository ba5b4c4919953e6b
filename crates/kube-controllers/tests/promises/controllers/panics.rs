//! Whatever of the user's code panics, no key and no worker is lost.

use std::collections::BTreeSet;
use std::convert::identity;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_controllers::controller::{ControllerBuilder, ControllerError, Phase};
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::testing::ApiServer;
use kube_informer::workqueue::{ExponentialBackoff, RateLimiter};
use kube_informer::{EventRef, ObjectKey};
use tokio::time::{Duration, Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

/// An error whose text or drop panics.
#[derive(Clone, Copy, Debug)]
enum Bomb {
    Display,
    Drop,
}

impl fmt::Display for Bomb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        assert!(!matches!(self, Self::Display), "on purpose: display");
        f.write_str("an error")
    }
}

impl std::error::Error for Bomb {}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failure(Bomb);

impl Drop for Failure {
    fn drop(&mut self) {
        assert!(!matches!(self.0, Bomb::Drop), "on purpose: drop");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_that_panics_costs_one_try() {
    for bomb in [Bomb::Display, Bomb::Drop] {
        let server = server_with(&["a"]);
        let maps = factory(&server).informer::<ConfigMap>();
        let controller =
            Controller::builder("bombs", &maps).limiter(ExponentialBackoff::new(S, S)).build();
        let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
        let logged = log.clone();
        let running = spawn(controller.run(stop.clone(), move |request| {
            logged.add(request.failures);
            let fails = request.failures < 3;
            async move { if fails { Err(Failure(bomb)) } else { Ok(Action::done()) } }
        }));
        log.reaches(4).await;
        assert_eq!(log.take(), [0, 1, 2, 3], "{bomb:?}");
        sleep(S).await;
        let status = handle.status();
        assert_eq!((status.failed, status.succeeded, status.restarts), (3, 1, 0), "{bomb:?}");
        stop.cancel();
        running.await.unwrap().unwrap();
    }
}

/// A future that never ends and whose drop panics.
struct DropBomb;

impl Future for DropBomb {
    type Output = Result<Action, std::io::Error>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Pending
    }
}

impl Drop for DropBomb {
    fn drop(&mut self) {
        panic!("on purpose: the future's drop");
    }
}

#[tokio::test(start_paused = true)]
async fn a_future_that_panics_when_dropped_is_retried() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("bombs", &maps)
        .limiter(ExponentialBackoff::new(S, S))
        .timeout(100 * MS)
        .build();
    let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        logged.add(request.failures);
        let fails = request.failures < 2;
        async move { if fails { DropBomb.await } else { Ok(Action::done()) } }
    }));
    log.reaches(3).await;
    assert_eq!(log.take(), [0, 1, 2]);
    sleep(S).await;
    assert_eq!(handle.status().panicked, 2);
    assert_eq!(handle.status().phase, Phase::Working);
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_predicate_that_panics_passes() {
    let server = ApiServer::new();
    let a = server.create(&map("a", "1")).unwrap();
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("predicate", &maps)
        .predicate(|event: &EventRef<'_, ConfigMap>| {
            assert!(matches!(event, EventRef::Added { .. }), "on purpose: updates");
            true
        })
        .build();
    let Noting { handle, log, stop, running } = Noting::run(controller);
    log.reaches(1).await;
    server.replace(&ConfigMap { data: None, ..a }).unwrap();
    log.reaches(2).await;
    assert_eq!(log.take(), [key("a"), key("a")]);
    assert_eq!(handle.status().predicate_panics, 1);
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_mapping_that_panics_loses_one_state() {
    let server = ApiServer::new();
    let maps = factory(&server).informer::<ConfigMap>();
    let secrets = factory(&server).informer::<Secret>();
    let owner = server.create(&map("a", "1")).unwrap();
    let mut secret = secret_of(&owner, "bad");
    secret.type_ = Some("bad".into());
    let bad = server.create(&secret).unwrap();
    let controller = Controller::builder("mapping", &maps)
        .watches(&secrets, |secret: &Secret| {
            assert_ne!(secret.type_.as_deref(), Some("bad"), "on purpose");
            Some(key("mapped"))
        })
        .build();
    let Noting { handle, log, stop, running } = Noting::run(controller);
    log.reaches(1).await;
    server.delete(&bad).unwrap();
    server.create(&secret_of(&owner, "good")).unwrap();
    log.reaches(2).await;
    sleep(S).await;
    let keys: BTreeSet<_> = log.take().into_iter().collect();
    assert_eq!(keys, [key("a"), key("mapped")].into());
    assert_eq!(handle.status().mapping_panics, 2, "the state that was stored, and its end");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_stops_ends_its_controller() {
    for with_standby in [false, true] {
        let server = ApiServer::new();
        let maps = factory(&server).informer::<ConfigMap>();
        let secrets = factory(&server).informer::<Secret>();
        let mut builder =
            Controller::builder("left", &maps).watches(&secrets, |_: &Secret| None::<ObjectKey>);
        if with_standby {
            let rival = kube_controllers::LeaderElector::builder(server.client(), "shop", "left");
            let mut rival = rival.identity("rival").build().unwrap();
            let state = rival.leadership();
            spawn(async move {
                let work = |leading: CancellationToken| async move { leading.cancelled().await };
                rival.run(CancellationToken::new(), work).await.unwrap();
            });
            until("the rival's term", || state.borrow().is_leader).await;
            let elector = kube_controllers::LeaderElector::builder(server.client(), "shop", "left");
            builder = builder.leader_election(elector.identity("ours").build().unwrap());
        }
        let controller = builder.build();
        let handle = controller.handle();
        let running =
            spawn(controller.run(CancellationToken::new(), |_| async {
                Ok::<_, std::io::Error>(Action::done())
            }));
        let phase = if with_standby { Phase::Standby } else { Phase::Working };
        while handle.status().phase != phase {
            sleep(10 * MS).await;
        }
        secrets.shutdown().await;
        let ended = timeout(60 * S, running).await.expect("it notices").unwrap();
        let Err(ControllerError::Stopped { collection, .. }) = ended else { panic!("{ended:?}") };
        assert_eq!(collection, "secrets");
        assert_eq!(handle.status().phase, Phase::Stopped);
    }
}

/// A log that panics at its first line with this text.
struct Fragile(&'static str, Arc<AtomicBool>);

impl std::io::Write for Fragile {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        let told = String::from_utf8_lossy(line).contains(self.0);
        assert!(!told || self.1.swap(true, Ordering::SeqCst), "on purpose: subscriber");
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A limiter whose first delay panics.
struct FirstDelayPanics(bool);

impl RateLimiter<ObjectKey> for FirstDelayPanics {
    fn delay(&mut self, _: &ObjectKey, _: Instant) -> Duration {
        assert!(std::mem::replace(&mut self.0, true), "on purpose: limiter");
        S
    }

    fn forget(&mut self, _: &ObjectKey) {}
}

/// Runs a controller whose log panics at its first line with this text. Returns its runs.
async fn runs_with_fragile_log<Fut>(
    text: &'static str,
    configure: impl FnOnce(ControllerBuilder<ConfigMap>) -> ControllerBuilder<ConfigMap>,
    reconcile: impl Fn(ReconcileRequest<ConfigMap>, usize) -> Fut + Send + Sync + 'static,
) -> usize
where
    Fut: Future<Output = Result<Action, fmt::Error>> + Send + 'static,
{
    let panicked = Arc::new(AtomicBool::new(false));
    let log = panicked.clone();
    let log = tracing_subscriber::fmt().with_writer(move || Fragile(text, log.clone())).finish();
    let _guard = tracing::subscriber::set_default(log);
    let server = server_with(&["a"]);
    let factory = factory(&server);
    let maps = factory.informer::<ConfigMap>();
    let controller = configure(Controller::builder("maps", &maps)).build();
    factory.start().unwrap();
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let running = spawn(controller.run(CancellationToken::new(), move |request| {
        reconcile(request, counted.fetch_add(1, Ordering::SeqCst))
    }));
    sleep(600 * S).await;
    assert!(panicked.load(Ordering::SeqCst), "no line: {text}");
    drop(running);
    runs.load(Ordering::SeqCst)
}

#[tokio::test(start_paused = true)]
async fn subscriber_that_panics_loses_no_key() {
    let hot = runs_with_fragile_log("runs again and again", identity, |_, run| async move {
        Ok(if run < 600 { Action::requeue_after(5 * MS) } else { Action::done() })
    });
    assert_eq!(hot.await, 601);
    let fails_once = |_: ReconcileRequest<ConfigMap>, run| async move {
        if run == 0 { Err(fmt::Error) } else { Ok(Action::done()) }
    };
    let policy = runs_with_fragile_log(
        "error policy panicked",
        |maps| maps.error_policy(|_| panic!("on purpose: policy")),
        fails_once,
    );
    assert_eq!(policy.await, 2);
    let limiter = runs_with_fragile_log(
        "code of the queue's user panicked",
        |maps| maps.limiter(FirstDelayPanics(false)),
        fails_once,
    );
    assert_eq!(limiter.await, 2);
    let tracked = runs_with_fragile_log(
        "work that the reconcile tracks goes on",
        |maps| maps.timeout(S),
        |request, run| async move {
            if run == 0 {
                drop(request.spawn(sleep(3 * S)));
            }
            Ok(Action::done())
        },
    );
    assert_eq!(tracked.await, 2);
}
