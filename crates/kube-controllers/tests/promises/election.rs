//! A leader's work is over before another's begins.

use std::future::pending;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::jiff::SignedDuration;
use kube::Api;
use kube::api::ListParams;
use kube_controllers::leader_election::{
    LeaderElectionError, LeaderElector, LeaderElectorBuilder, LossCause, Outcome, WorkEnd,
    WorkScope,
};
use kube_controllers::sharding::ShardBy;
use kube_controllers::{Action, Controller, Sharding};
use kube_informer::SharedInformerFactory;
use kube_informer::testing::{ApiServer, now};
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, advance, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::helpers::{S, passing, spawn};

const LEASE: Duration = Duration::from_secs(15);
/// The longest a candidate waits between attempts, and a moment for the requests.
const RETRY: Duration = Duration::from_millis(4_500);

fn elector(server: &ApiServer, who: &str) -> LeaderElectorBuilder {
    LeaderElector::builder(server.client(), "shop", "x").identity(who)
}

/// An elector whose requests fail while the switch is on.
fn cut_off(server: &ApiServer, cut: &Arc<AtomicBool>) -> LeaderElectorBuilder {
    let cut = cut.clone();
    let client = passing(server, move |_| {
        let refused = cut.load(Ordering::SeqCst);
        if refused { Err(io::ErrorKind::ConnectionRefused.into()) } else { Ok(()) }
    });
    LeaderElector::builder(client, "shop", "x").identity("r0")
}

/// The work waits for renewals without an await, on the only thread of its runtime.
#[test]
fn blocked_runtime_renews_on_another_one() {
    let renewing = tokio::runtime::Builder::new_multi_thread();
    let renewing = { renewing }.worker_threads(1).enable_all().build().unwrap();
    let server = ApiServer::new();
    let elector = renewing.block_on(async { elector(&server, "r0") });
    let elector = elector.retry_period(Duration::from_millis(20));
    let mut elector = elector.renew_on(renewing.handle().clone()).build().unwrap();
    let working = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let seen = server.clone();
    let led = working.block_on(elector.run(CancellationToken::new(), move |_| async move {
        let begun = std::time::Instant::now();
        while renewals(&seen) < 5 {
            assert!(begun.elapsed() < 8 * S, "the lease is renewed");
            std::thread::sleep(Duration::from_millis(5));
        }
    }));
    assert!(matches!(led, Ok(Outcome::Finished(()))), "{led:?}");
}

/// The work's own runtime is free, and the work waits for its token.
#[test]
fn hung_renewals_end_the_work_and_the_run() {
    let renewing = tokio::runtime::Builder::new_multi_thread();
    let renewing = { renewing }.worker_threads(1).enable_all().build().unwrap();
    let server = ApiServer::new();
    let elector = renewing.block_on(async { elector(&server, "r0") });
    let [duration, deadline, retry] = [400, 300, 50].map(Duration::from_millis);
    let elector = elector.lease_duration(duration).renew_deadline(deadline).retry_period(retry);
    let mut elector = elector.renew_on(renewing.handle().clone()).build().unwrap();
    let leadership = elector.leadership();
    let working = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (free, freed) = std::sync::mpsc::channel::<()>();
    let blocks = renewing.handle().clone();
    let led = working.block_on(elector.run(CancellationToken::new(), move |leading| async move {
        blocks.spawn(async move { freed.recv().is_err() });
        while !leading.is_cancelled() {
            sleep(Duration::from_millis(5)).await;
        }
    }));
    assert!(matches!(led, Err(LeaderElectionError::Lost { .. })), "{led:?}");
    assert!(!leadership.borrow().is_leader);
    // A further call waits for a stop, and does not end at once again.
    let stop = CancellationToken::new();
    let again = working.block_on(async {
        let stops = stop.clone();
        spawn(async move {
            sleep(Duration::from_millis(50)).await;
            stops.cancel();
        });
        elector.run(stop.clone(), |_| async {}).await
    });
    assert!(matches!(again, Ok(Outcome::NeverLed)) && stop.is_cancelled(), "{again:?}");
    drop(free);
}

/// The runtime that renews the lease hangs in the request that releases it.
#[test]
fn hung_release_ends_the_run_with_its_outcome() {
    let renewing = tokio::runtime::Builder::new_multi_thread();
    let renewing = { renewing }.worker_threads(1).enable_all().build().unwrap();
    let working = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (free, freed) = std::sync::mpsc::channel::<()>();
    let (freed, releases) = (Arc::new(Mutex::new(freed)), Arc::new(AtomicBool::new(false)));
    let blocks = releases.clone();
    let client = renewing.block_on(async {
        passing(&ApiServer::new(), move |_| {
            if blocks.load(Ordering::SeqCst) {
                let _ = freed.lock().recv();
            }
            Ok(())
        })
    });
    let [duration, deadline, retry] = [400, 300, 100].map(Duration::from_millis);
    let elector = LeaderElector::builder(client, "shop", "x").identity("r0");
    let elector = elector.lease_duration(duration).renew_deadline(deadline).retry_period(retry);
    let mut elector = elector.renew_on(renewing.handle().clone()).build().unwrap();
    let led = working.block_on(elector.run(CancellationToken::new(), move |_| async move {
        releases.store(true, Ordering::SeqCst);
        7
    }));
    assert!(matches!(led, Ok(Outcome::Finished(7))), "{led:?}");
    drop(free);
}

/// The work learns from its own poll that the time is over, and ends before the elector acts.
#[tokio::test(start_paused = true)]
async fn work_that_runs_out_of_time_has_lost_the_lease() {
    let server = ApiServer::new();
    let cut = Arc::new(AtomicBool::new(false));
    let mut elector = cut_off(&server, &cut).build().unwrap();
    let led = elector
        .run_scoped(CancellationToken::new(), move |scope: WorkScope| async move {
            cut.store(true, Ordering::SeqCst);
            // Ready whenever it is polled, and polled with every wake of this thread.
            while !scope.token().is_cancelled() {
                sleep(Duration::from_millis(1)).await;
            }
        })
        .await;
    let Err(LeaderElectionError::Lost { cause, work, .. }) = led else { panic!("{led:?}") };
    assert_eq!((cause, work), (LossCause::RenewDeadline, WorkEnd::Ended));
}

/// The work's future ends, and a task that it tracks does not.
#[tokio::test(start_paused = true)]
async fn dropped_task_of_ended_work_is_told() {
    for (is_cut_off, stops) in [(false, true), (false, false), (true, true), (true, false)] {
        let (stop, cut) = (CancellationToken::new(), Arc::new(AtomicBool::new(false)));
        let mut elector = cut_off(&ApiServer::new(), &cut).build().unwrap();
        let stopping = stop.clone();
        let work = move |scope: WorkScope| async move {
            cut.store(is_cut_off, Ordering::SeqCst);
            scope.spawn(std::future::pending::<()>());
            if stops {
                stopping.cancel();
            }
            7
        };
        let led = elector.run_scoped(stop, work).await;
        let is_told = match &led {
            Ok(led) => *led == Outcome::Stopped(None) && !is_cut_off,
            Err(LeaderElectionError::Lost { work, .. }) => *work == WorkEnd::Dropped && is_cut_off,
            Err(_) => false,
        };
        assert!(is_told, "cut off: {is_cut_off}, stops: {stops}: {led:?}");
    }
}

/// Nothing drives the runtime that should renew the lease.
#[test]
fn stop_ends_an_elector_whose_renewals_never_begin() {
    let renewing = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let working = tokio::runtime::Builder::new_current_thread();
    let working = { working }.enable_all().start_paused(true).build().unwrap();
    let stop = CancellationToken::new();
    stop.cancel();
    let led = working.block_on(async {
        let elector = elector(&ApiServer::new(), "r0").renew_on(renewing.handle().clone());
        elector.build().unwrap().run(stop, |_| async {}).await
    });
    assert!(matches!(led, Ok(Outcome::NeverLed)), "{led:?}");
}

/// The caller tries again at once after each loss.
#[test]
fn elector_whose_renewals_are_shut_down_does_not_spin() {
    let renewing = tokio::runtime::Builder::new_multi_thread();
    let renewing = { renewing }.worker_threads(1).enable_all().build().unwrap();
    let working = tokio::runtime::Builder::new_current_thread();
    let working = { working }.enable_all().start_paused(true).build().unwrap();
    working.block_on(async {
        let elector = elector(&ApiServer::new(), "r0").renew_on(renewing.handle().clone());
        let mut elector = elector.build().unwrap();
        renewing.shutdown_background();
        let began = Instant::now();
        for _ in 0..3 {
            let led = elector.run(CancellationToken::new(), |_| async {}).await;
            assert!(matches!(led, Err(LeaderElectionError::Lost { .. })), "{led:?}");
        }
        assert!(began.elapsed() > S);
    });
}

async fn holder(server: &ApiServer) -> String {
    let lease: Lease = Api::namespaced(server.client(), "shop").get("x").await.unwrap();
    lease.spec.unwrap().holder_identity.unwrap()
}

fn renewals(server: &ApiServer) -> usize {
    server.requests().iter().filter(|request| request.method == "PUT").count()
}

/// Leads as another, and tells when that began.
async fn follow(server: &ApiServer) -> Instant {
    let mut other = elector(server, "r1").build().unwrap();
    let began = other.run(CancellationToken::new(), |_| async { Instant::now() }).await.unwrap();
    let Outcome::Finished(began) = began else { panic!("{began:?}") };
    began
}

#[tokio::test(start_paused = true)]
async fn scope_of_an_ended_term_refuses_work() {
    let server = ApiServer::new();
    let mut elector = elector(&server, "r0").build().unwrap();
    let (sender, held) = oneshot::channel();
    let work = |scope: WorkScope| async move {
        let late = scope.clone();
        spawn(async move {
            late.token().cancelled().await;
            sender.send(late.guard().holds()).unwrap();
        });
        scope
    };
    let led = elector.run_scoped(CancellationToken::new(), work).await.unwrap();
    let Outcome::Finished(scope) = led else { panic!("{led:?}") };
    assert!(!held.await.unwrap(), "nothing waits for it any more");
    assert!(!scope.guard().holds());
    assert!(scope.spawn(async {}).await.unwrap().is_none());
    assert!(scope.spawn_blocking(|| ()).await.unwrap().is_none());
    assert_eq!(scope.tracked(), 0);
}

#[tokio::test(start_paused = true)]
async fn scope_of_a_released_slot_refuses_work() {
    let server = ApiServer::new();
    let builder = Sharding::builder(server.client(), "shop", "orders", ShardBy::Namespace);
    let (sharding, stop) = (builder.slots(1).build().unwrap(), CancellationToken::new());
    let running = spawn({
        let (sharding, stop) = (sharding.clone(), stop.clone());
        async move { sharding.run(stop).await }
    });
    let scope = loop {
        match sharding.scope(0) {
            Some(scope) => break scope,
            None => sleep(S).await,
        }
    };
    assert!(scope.guard().holds());
    stop.cancel();
    running.await.unwrap().unwrap();
    assert!(!scope.guard().holds());
    assert!(scope.spawn_blocking(|| ()).await.unwrap().is_none());
    assert!(scope.spawn(async {}).await.unwrap().is_none());
}

/// A worker blocks its thread; the future that the elector runs has ended long before.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn synchronous_code_in_tracked_task_keeps_lease() {
    let server = ApiServer::new();
    let builder = elector(&server, "r0").retry_period(Duration::from_millis(20));
    let mut elector = builder.build().unwrap();
    let stop = CancellationToken::new();
    let (blocks, blocked) = oneshot::channel();
    let (unblock, until_unblocked) = std::sync::mpsc::channel::<()>();
    let over = Arc::new(AtomicBool::new(false));
    let work = {
        let over = over.clone();
        |scope: WorkScope| async move {
            let mut workers = JoinSet::new();
            workers.spawn(scope.track(async move {
                blocks.send(()).unwrap();
                until_unblocked.recv().unwrap_err();
                over.store(true, Ordering::SeqCst);
                pending::<()>().await;
            }));
            scope.token().cancelled().await;
            // Dropping a set of tasks only asks for their end.
            drop(workers);
        }
    };
    let run = spawn({
        let stop = stop.clone();
        async move { elector.run_scoped(stop, work).await.map(|_| ()) }
    });
    blocked.await.unwrap();
    stop.cancel();
    let before = renewals(&server);
    while renewals(&server) < before + 5 {
        assert!(!run.is_finished(), "it ended beside synchronous code");
        sleep(Duration::from_millis(1)).await;
    }
    assert!(!over.load(Ordering::SeqCst));
    assert_eq!(holder(&server).await, "r0", "renewed, not given back");
    drop(unblock);
    run.await.unwrap().unwrap();
    assert!(over.load(Ordering::SeqCst));
    assert_eq!(holder(&server).await, "");
}

/// As above with one thread for everything: the worker blocks it again and again.
#[tokio::test]
async fn synchronous_code_on_only_thread_keeps_lease() {
    let server = ApiServer::new();
    let mut elector = elector(&server, "r0").build().unwrap();
    let stop = CancellationToken::new();
    let over = Arc::new(AtomicBool::new(false));
    let work = {
        let (stop, over) = (stop.clone(), over.clone());
        |scope: WorkScope| async move {
            drop(scope.spawn(async move {
                stop.cancel();
                for _ in 0..10 {
                    let (unblock, until_unblocked) = std::sync::mpsc::channel::<()>();
                    std::thread::spawn(move || drop(unblock));
                    until_unblocked.recv().unwrap_err();
                    // The elector gets its turn.
                    sleep(Duration::from_millis(1)).await;
                }
                over.store(true, Ordering::SeqCst);
            }));
            scope.token().cancelled().await;
        }
    };
    elector.run_scoped(stop, work).await.unwrap();
    assert!(over.load(Ordering::SeqCst));
    assert_eq!(holder(&server).await, "");
}

#[tokio::test(start_paused = true)]
async fn guard_keeps_the_lease_until_dropped() {
    let server = ApiServer::new();
    let mut first = elector(&server, "r0").build().unwrap();
    let (tell, told) = oneshot::channel();
    let work = |scope: WorkScope| async move {
        let guard = scope.guard();
        assert_eq!(scope.tracked(), 1);
        spawn(async move {
            sleep(20 * S).await;
            tell.send(Instant::now()).unwrap();
            drop(guard);
        });
        7
    };
    let began = Instant::now();
    let next = spawn({
        let server = server.clone();
        async move {
            sleep(S).await;
            follow(&server).await
        }
    });
    let outcome = first.run_scoped(CancellationToken::new(), work).await.unwrap();
    assert_eq!(outcome, Outcome::Finished(7));
    assert_eq!(began.elapsed().as_secs(), 20, "longer than the lease lasts unrenewed");
    assert!(next.await.unwrap() >= told.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn tracked_tasks_end_within_the_grace() {
    for (winds_up, takes, output) in [(20 * S, 20, Some(())), (3_600 * S, 25, None)] {
        let server = ApiServer::new();
        let mut elector = elector(&server, "r0").build().unwrap();
        let stop = CancellationToken::new();
        let work = move |scope: WorkScope| async move {
            let token = scope.token().clone();
            drop(scope.spawn(async move {
                token.cancelled().await;
                sleep(winds_up).await;
            }));
            scope.token().cancelled().await;
        };
        let stopped = stop.clone();
        spawn(async move {
            sleep(30 * S).await;
            stopped.cancel();
        });
        let began = Instant::now();
        let outcome = elector.run_scoped(stop, work).await.unwrap();
        assert_eq!(outcome, Outcome::Stopped(output));
        assert_eq!(began.elapsed().as_secs(), 30 + takes);
        assert_eq!(holder(&server).await, "");
    }
}

#[tokio::test(start_paused = true)]
async fn tracked_tasks_are_dropped_before_the_lease_expires() {
    let server = ApiServer::new();
    let cut = Arc::new(AtomicBool::new(false));
    let mut first = cut_off(&server, &cut).build().unwrap();
    let (give, given) = oneshot::channel::<WorkScope>();
    let (ends, ended) = oneshot::channel::<()>();
    let work = |scope: WorkScope| async move {
        drop(scope.spawn(async move {
            let _ends = ends;
            pending::<()>().await;
        }));
        drop(give.send(scope));
        // Neither heeds the token.
        pending::<()>().await;
    };
    let run = spawn(async move {
        let outcome = first.run_scoped(CancellationToken::new(), work).await;
        outcome.map(|_| ()).unwrap_err()
    });
    let scope = given.await.unwrap();
    sleep(60 * S).await;
    assert!(scope.may_begin() && !scope.is_over());
    let deadline = scope.deadline().unwrap();
    assert!(deadline > Instant::now() + 10 * S, "renewals move it");
    cut.store(true, Ordering::SeqCst);
    let next = spawn({
        let server = server.clone();
        async move { follow(&server).await }
    });
    ended.await.unwrap_err();
    let dropped = Instant::now();
    assert!(scope.is_over() && !scope.may_begin() && scope.token().is_cancelled());
    assert!(dropped.duration_since(deadline) < S, "nine tenths after the last renewal");
    let error = run.await.unwrap();
    let LeaderElectionError::Lost { cause, work, .. } = &error else { panic!("{error}") };
    assert_eq!((cause, work), (&LossCause::RenewDeadline, &WorkEnd::Dropped));
    let next = next.await.unwrap();
    assert!(next > dropped + S, "a tenth of the lease is kept back");
    assert!(next < dropped + LEASE + RETRY);
}

/// The clock goes on, and nobody else does: as if the process was suspended, or the thread blocked.
fn time_jumps(by: Duration) {
    assert!(pin!(advance(by)).now_or_never().is_none(), "it gives way once");
}

#[tokio::test(start_paused = true)]
async fn no_work_begins_after_the_deadline() {
    let server = ApiServer::new();
    let mut elector = elector(&server, "r0").build().unwrap();
    let work = |scope: WorkScope| async move {
        assert!(scope.may_begin() && !scope.is_over());
        time_jumps(11 * S);
        assert!(!scope.token().is_cancelled(), "the elector has not run since");
        assert!(!scope.may_begin(), "its renewal is overdue");
        assert!(!scope.is_over(), "but nobody else leads yet");
        time_jumps(5 * S);
        assert!(scope.is_over(), "another may lead");
    };
    let error = elector.run_scoped(CancellationToken::new(), work).await.unwrap_err();
    let LeaderElectionError::Lost { cause, work, .. } = &error else { panic!("{error}") };
    assert_eq!((cause, work), (&LossCause::RenewDeadline, &WorkEnd::Late));
    assert!(error.to_string().contains("only after the lease had expired"), "{error}");
    assert_eq!(holder(&server).await, "r0", "it has run out, and is not given back");
}

#[tokio::test(start_paused = true)]
async fn stop_does_not_hide_an_expired_lease() {
    let server = ApiServer::new();
    let mut elector = elector(&server, "r0").build().unwrap();
    let stop = CancellationToken::new();
    let work = {
        let stop = stop.clone();
        |_| async move {
            stop.cancel();
            time_jumps(16 * S);
        }
    };
    let error = elector.run(stop, work).await.unwrap_err();
    assert!(matches!(error, LeaderElectionError::Lost { work: WorkEnd::Late, .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn panicking_work_releases_lease_after_tracked_tasks() {
    let server = ApiServer::new();
    let mut elector = elector(&server, "r0").build().unwrap();
    let work = |scope: WorkScope| async move {
        let token = scope.token().clone();
        drop(scope.spawn(async move {
            token.cancelled().await;
            sleep(5 * S).await;
        }));
        panic!("spilt milk");
    };
    let began = Instant::now();
    let ended = elector.run_scoped(CancellationToken::new(), work).await;
    let error = ended.map(|_: Outcome<()>| ()).unwrap_err();
    assert_eq!(error.to_string(), "the work that led on lease shop/x panicked: spilt milk");
    assert_eq!(began.elapsed(), 5 * S);
    assert_eq!(holder(&server).await, "");
}

#[tokio::test(start_paused = true)]
async fn elector_waits_for_tasks_of_a_dropped_run() {
    let server = ApiServer::new();
    let mut elector = elector(&server, "r0").build().unwrap();
    let (give, given) = oneshot::channel();
    let work = |scope: WorkScope| async move {
        drop(scope.spawn(pending::<()>()));
        drop(give.send((scope.guard(), scope.clone())));
        pending::<()>().await;
    };
    let run = elector.run_scoped(CancellationToken::new(), work);
    timeout(S, run).await.unwrap_err();
    let (guard, scope) = given.await.unwrap();
    tokio::task::yield_now().await;
    assert!(!scope.may_begin());
    let again = elector.run(CancellationToken::new(), |_| async {}).await;
    assert!(matches!(again, Err(LeaderElectionError::StillRunning { .. })), "{again:?}");
    assert_eq!(scope.tracked(), 1, "its task was dropped");
    drop(guard);
    elector.run(CancellationToken::new(), |_| async {}).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn lease_taken_by_another_ends_the_scope() {
    let server = ApiServer::new();
    let mut elector = elector(&server, "r0").build().unwrap();
    let (give, given) = oneshot::channel::<WorkScope>();
    let run = spawn(async move {
        let work = |scope: WorkScope| async move {
            drop(give.send(scope.clone()));
            pending::<()>().await;
        };
        elector.run_scoped(CancellationToken::new(), work).await.map(|_| ()).unwrap_err()
    });
    let scope = given.await.unwrap();
    let mut lease: Lease = Api::namespaced(server.client(), "shop").get("x").await.unwrap();
    lease.spec.as_mut().unwrap().holder_identity = Some("r7".to_owned());
    server.replace(&lease).unwrap();
    scope.token().cancelled().await;
    assert!(scope.is_over() && !scope.may_begin());
    run.await.unwrap();
}

#[tokio::test]
async fn scope_without_lease_ends_with_its_token() {
    let token = CancellationToken::new();
    let scope = WorkScope::new(token.clone());
    assert!(scope.may_begin() && scope.deadline().is_none());
    let task = scope.spawn(async { 7 });
    scope.wait_until_idle().await;
    assert_eq!(task.await.unwrap(), Some(7));
    token.cancel();
    assert!(!scope.may_begin() && !scope.is_over());
}

#[tokio::test(start_paused = true)]
async fn durations_of_any_length_are_taken_or_refused() {
    let server = ApiServer::new();
    for long in [Duration::MAX, Duration::from_secs(u64::from(u32::MAX))] {
        assert!(elector(&server, "r0").lease_duration(long).build().is_err());
        assert!(elector(&server, "r0").renew_deadline(long).build().is_err());
        assert!(elector(&server, "r0").retry_period(long).build().is_err());
    }
    let seconds = i32::MAX.unsigned_abs() - 1;
    let longest = Duration::from_secs(seconds.into());
    let builder = elector(&server, "r0").lease_duration(longest).grace(Duration::MAX);
    let mut elector = builder.renew_deadline(longest / 2).build().unwrap();
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let work = |scope: WorkScope| async move {
        assert!(scope.may_begin());
        stopped.cancel();
        sleep(60 * S).await;
    };
    elector.run_scoped(stop, work).await.unwrap();
    assert_eq!(holder(&server).await, "");
}

/// A value that panics when it is dropped.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("on purpose");
    }
}

#[tokio::test(start_paused = true)]
async fn a_value_that_nobody_gets_does_no_harm() {
    let server = ApiServer::new();
    let mut elector = elector(&server, "r0").build().unwrap();
    let work = |_| async {
        time_jumps(16 * S);
        Bomb
    };
    let error =
        elector.run(CancellationToken::new(), work).await.map(std::mem::forget).unwrap_err();
    assert!(matches!(error, LeaderElectionError::Lost { work: WorkEnd::Late, .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_panics_is_a_failed_request() {
    let server = ApiServer::new();
    let broken = Arc::new(AtomicBool::new(true));
    let breaks = broken.clone();
    let client = passing(&server, move |_| {
        assert!(!breaks.load(Ordering::SeqCst), "spilt milk");
        Ok(())
    });
    let mut elector = LeaderElector::builder(client, "shop", "x").build().unwrap();
    let state = elector.leadership();
    let run =
        spawn(async move { elector.run(CancellationToken::new(), |_| async { 7 }).await.unwrap() });
    sleep(10 * S).await;
    assert!(state.borrow().errors > 0);
    assert!(state.borrow().last_error.as_ref().unwrap().to_string().contains("spilt milk"));
    broken.store(false, Ordering::SeqCst);
    assert_eq!(run.await.unwrap(), Outcome::Finished(7));
}

/// Two replicas of a controller. The first is stopped while its reconcile blocks a thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_other_replica_reconciles_beside_synchronous_code() {
    let server = ApiServer::new();
    let mut map = ConfigMap::default();
    map.metadata.name = Some("a".to_owned());
    map.metadata.namespace = Some("shop".to_owned());
    server.create(&map).unwrap();
    let replica = |who: &str| {
        let elector = elector(&server, who).retry_period(Duration::from_millis(20));
        let maps = SharedInformerFactory::builder(server.client()).build().informer::<ConfigMap>();
        let elector = elector.build().unwrap();
        let builder = Controller::builder(who, &maps).grace(Duration::ZERO);
        builder.leader_election(elector).build()
    };
    let at_work = Arc::new(AtomicUsize::new(0));
    let reconciled = Arc::new(AtomicBool::new(false));
    let (unblock, until_unblocked) = std::sync::mpsc::channel::<()>();
    let until_unblocked = Arc::new(Mutex::new(until_unblocked));
    let stop = CancellationToken::new();
    let first = spawn(replica("r0").run(stop.clone(), {
        let at_work = at_work.clone();
        move |_| {
            let (at_work, until_unblocked) = (at_work.clone(), until_unblocked.clone());
            async move {
                at_work.fetch_add(1, Ordering::SeqCst);
                let _ = until_unblocked.lock().recv();
                at_work.fetch_sub(1, Ordering::SeqCst);
                Ok::<_, io::Error>(Action::done())
            }
        }
    }));
    while at_work.load(Ordering::SeqCst) == 0 {
        sleep(Duration::from_millis(1)).await;
    }
    let ends = CancellationToken::new();
    let second = spawn(replica("r1").run(ends.clone(), {
        let (at_work, reconciled, ends) = (at_work.clone(), reconciled.clone(), ends.clone());
        move |_| {
            let (at_work, reconciled, ends) = (at_work.clone(), reconciled.clone(), ends.clone());
            async move {
                // A panic would be caught by the controller.
                reconciled.store(at_work.load(Ordering::SeqCst) == 0, Ordering::SeqCst);
                ends.cancel();
                Ok::<_, io::Error>(Action::done())
            }
        }
    }));
    stop.cancel();
    let before = renewals(&server);
    while renewals(&server) < before + 20 {
        assert!(!first.is_finished() && !ends.is_cancelled(), "it gave way beside its own work");
        sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(holder(&server).await, "r0");
    drop(unblock);
    let _unfinished = first.await.unwrap();
    second.await.unwrap().unwrap();
    assert!(reconciled.load(Ordering::SeqCst), "two replicas were at work at once");
}

/// As the times that the server sets, so that a test can compare both.
#[tokio::test(start_paused = true)]
async fn times_of_leases_follow_a_paused_clock() {
    let server = ApiServer::new();
    let (mut elector, stop) = (elector(&server, "one").build().unwrap(), CancellationToken::new());
    let sharding = Sharding::builder(server.client(), "shop", "group", ShardBy::Namespace);
    let (sharding, ends) = (sharding.slots(4).build().unwrap(), stop.clone());
    let joined = spawn(async move { sharding.run(ends).await });
    let ends = stop.clone();
    let leading = spawn(async move { elector.run(ends, |_| pending::<()>()).await });
    sleep(3600 * S).await;
    let leases = Api::<Lease>::namespaced(server.client(), "shop");
    let leases = leases.list(&ListParams::default()).await.unwrap().items;
    let renewed = |lease: &&Lease| {
        let renewed = lease.spec.as_ref().and_then(|spec| spec.renew_time.as_ref());
        renewed.is_some_and(|at| now().duration_since(at.0).abs() < SignedDuration::from_secs(15))
    };
    assert_eq!(leases.iter().filter(renewed).count(), 2, "leader and member: {leases:#?}");
    stop.cancel();
    let _dropped = leading.await.unwrap();
    joined.await.unwrap().unwrap();
}
