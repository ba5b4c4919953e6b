//! Ends of work and of elections, and the release of the Lease.

use super::*;
use crate::helpers::spawn;

#[tokio::test(start_paused = true)]
async fn ended_or_panicked_work_releases_the_lease() {
    let server = ApiServer::new();
    let mut first = elector(&server, &Link::new(), 0).build().unwrap();
    let state = first.leadership();
    let stop = CancellationToken::new();
    let finished = first.run(stop.clone(), |_| async { 7 }).await.unwrap();
    assert_eq!(finished, Outcome::Finished(7));
    assert_eq!(holder(&server).await, "");
    assert!(!state.borrow().is_leader);
    let panicked = first.run(stop.clone(), |_| async { panic!("spilt milk") }).await;
    let error = panicked.map(|_: Outcome<()>| ()).unwrap_err();
    assert_eq!(error.to_string(), "the work that led on lease shop/x panicked: spilt milk");
    assert_eq!(holder(&server).await, "");
    let begins = |_| -> std::future::Ready<()> { panic!("at once") };
    assert!(first.run(stop.clone(), begins).await.is_err());
    let mut second = elector(&server, &Link::new(), 1).build().unwrap();
    let began = Instant::now();
    second.run(stop, |_| async {}).await.unwrap();
    assert!(began.elapsed() < Duration::from_millis(10));
    assert_eq!(lease(&server).await.spec.unwrap().lease_transitions, Some(3));
}

#[tokio::test(start_paused = true)]
async fn end_of_work_cancels_spawned_tasks() {
    let server = ApiServer::new();
    let mut elector = elector(&server, &Link::new(), 0).build().unwrap();
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let work = |leading: CancellationToken| async move { drop(sender.send(leading)) };
    elector.run(CancellationToken::new(), work).await.unwrap();
    assert!(receiver.await.unwrap().is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn ending_work_keeps_the_lease_until_dropped() {
    let server = ApiServer::new();
    let timeline = Timeline::default();
    for (winds_up, takes) in [(20, 20), (3_600, 25)] {
        let first = Replica::start(&server, &timeline, 0, Duration::from_secs(winds_up));
        sleep(RETRY + LEASE).await;
        assert_eq!(timeline.at_work(), Some(0));
        let second = Replica::start(&server, &timeline, 1, Duration::ZERO);
        sleep(Duration::from_secs(30)).await;
        let stopped = Instant::now();
        let state = first.state.clone();
        assert!(first.stop().await.is_empty());
        assert!(!state.borrow().is_leader);
        let took = stopped.elapsed();
        assert_eq!(took.as_secs(), takes, "{took:?}");
        sleep(RETRY).await;
        assert_eq!(timeline.at_work(), Some(1));
        assert!(second.stop().await.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn who_stands_in_line_stops_at_once() {
    let server = ApiServer::new();
    let (timeline, mut replicas) = three(&server, Duration::ZERO).await;
    replicas[1].link.set(Wire::BlackHole);
    sleep(Duration::from_secs(6)).await;
    for _ in 0..2 {
        let stopped = Instant::now();
        assert!(replicas.remove(1).stop().await.is_empty());
        assert!(stopped.elapsed() < Duration::from_millis(10));
    }
    assert_eq!((timeline.at_work(), timeline.terms()), (Some(0), 1));
    let mut never = elector(&server, &Link::new(), 3).build().unwrap();
    let stop = CancellationToken::new();
    stop.cancel();
    let asked = server.requests().len();
    let outcome = never.run(stop, |_| async { unreachable!() }).await.unwrap();
    assert_eq!(outcome, Outcome::<()>::NeverLed);
    assert_eq!(server.requests().len(), asked);
}

#[tokio::test(start_paused = true)]
async fn lease_granted_after_stop_is_released() {
    let server = ApiServer::new();
    let link = Link::new();
    link.set(Wire::Slow(Duration::from_secs(1)));
    let mut elector = elector(&server, &link, 0).build().unwrap();
    let stop = CancellationToken::new();
    let (stopped, run) = (stop.clone(), stop);
    spawn(async move {
        sleep(Duration::from_millis(1_500)).await;
        stopped.cancel();
    });
    let outcome = elector.run(run, |_| async { unreachable!() }).await.unwrap();
    assert_eq!(outcome, Outcome::<()>::NeverLed);
    assert_eq!(holder(&server).await, "");
}

#[tokio::test(start_paused = true)]
async fn unreleased_lease_expires() {
    let server = ApiServer::new();
    let builder = elector(&server, &Link::new(), 0).release_on_stop(false);
    builder.build().unwrap().run(CancellationToken::new(), |_| async {}).await.unwrap();
    assert_eq!(holder(&server).await, "r0");
    // Also for its own name, under which another process may still run.
    let mut again = elector(&server, &Link::new(), 0).release_on_stop(false).build().unwrap();
    let began = Instant::now();
    again.run(CancellationToken::new(), |_| async {}).await.unwrap();
    assert!(began.elapsed() >= LEASE && began.elapsed() < LEASE + RETRY);
    // An elector knows its own record.
    let began = Instant::now();
    again.run(CancellationToken::new(), |_| async {}).await.unwrap();
    assert!(began.elapsed() < Duration::from_millis(10));
    let mut other = elector(&server, &Link::new(), 1).build().unwrap();
    other.run(CancellationToken::new(), |_| async {}).await.unwrap();
    assert!(began.elapsed() >= LEASE && began.elapsed() < LEASE + RETRY);
}

#[tokio::test(start_paused = true)]
async fn whoever_drops_the_run_drops_the_work() {
    let server = ApiServer::new();
    let timeline = Timeline::default();
    let mut first = elector(&server, &Link::new(), 0).build().unwrap();
    let state = first.leadership();
    let told = CancellationToken::new();
    let work = {
        let (timeline, told) = (timeline.clone(), told.clone());
        move |leading: CancellationToken| async move {
            let _at_work = timeline.begin(0);
            // A task that is not awaited hears of it by the token.
            spawn(async move {
                leading.cancelled().await;
                told.cancel();
            });
            pending::<()>().await;
        }
    };
    let run = first.run(CancellationToken::new(), work);
    timeout(Duration::from_secs(60), run).await.unwrap_err();
    assert!(!state.borrow().is_leader);
    timeout(Duration::from_secs(1), told.cancelled()).await.unwrap();
    assert_eq!(timeline.at_work(), None);
    let second = Replica::start(&server, &timeline, 1, Duration::ZERO);
    sleep(LEASE + RETRY).await;
    assert_eq!(timeline.at_work(), Some(1));
    assert!(second.stop().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn elector_may_run_again_after_drop() {
    let server = ApiServer::new();
    let mut elector = elector(&server, &Link::new(), 0).build().unwrap();
    for _ in 0..3 {
        let run = elector.run(CancellationToken::new(), |_| pending::<()>());
        timeout(Duration::from_secs(1), run).await.unwrap_err();
        assert_eq!(holder(&server).await, "r0");
    }
    let began = Instant::now();
    elector.run(CancellationToken::new(), |_| async {}).await.unwrap();
    assert!(began.elapsed() < Duration::from_millis(10));
    assert_eq!(holder(&server).await, "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blocking_work_is_reported_and_keeps_lease() {
    let server = ApiServer::new();
    let builder = elector(&server, &Link::new(), 0).grace(Duration::from_millis(10));
    let builder = builder.abandon_blocked_work(true);
    let builder = builder.lease_duration(Duration::from_secs(2));
    let builder = builder.renew_deadline(Duration::from_millis(1_500));
    let mut elector = builder.retry_period(Duration::from_millis(100)).build().unwrap();
    let stop = CancellationToken::new();
    let (hold, until_let_go) = std::sync::mpsc::channel::<()>();
    let work = {
        let stop = stop.clone();
        |_| async move {
            stop.cancel();
            until_let_go.recv().unwrap_err();
        }
    };
    let error = elector.run(stop.clone(), work).await.unwrap_err();
    let stuck = match &error {
        LeaderElectionError::StillRunning { .. } => true,
        // On a machine that stalls.
        LeaderElectionError::Lost { work, .. } => *work == WorkEnd::StillRunning,
        _ => false,
    };
    assert!(stuck, "{error}");
    assert_eq!(holder(&server).await, "r0");
    // No other work is begun beside it.
    let again = elector.run(CancellationToken::new(), |_| async { unreachable!() }).await;
    assert!(matches!(
        again.map(|_: Outcome<()>| ()),
        Err(LeaderElectionError::StillRunning { .. })
    ));
    drop(hold);
    while elector.run(CancellationToken::new(), |_| async {}).await.is_err() {
        sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(holder(&server).await, "");
}

#[tokio::test(start_paused = true)]
async fn lease_is_renewed_until_blocked_work_ends() {
    for drops in [false, true] {
        let server = ApiServer::new();
        let mut first = elector(&server, &Link::new(), 0).build().unwrap();
        let (state, stop) = (first.leadership(), CancellationToken::new());
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let work = |scope: WorkScope| async move {
            sender.send(scope.guard()).unwrap();
            scope.token().cancelled().await;
        };
        let run = stop.clone();
        let running = spawn(async move { first.run_scoped(run, work).await });
        let guard = receiver.await.unwrap();
        let second = {
            let timeline = Timeline::default();
            (Replica::start(&server, &timeline, 1, Duration::ZERO), timeline)
        };
        sleep(Duration::from_secs(5)).await;
        if drops {
            running.abort();
        } else {
            stop.cancel();
        }
        sleep(Duration::from_secs(300)).await;
        assert!(state.borrow().overdue && !state.borrow().is_leader);
        assert_eq!(holder(&server).await, "r0");
        assert_eq!((second.1.at_work(), running.is_finished()), (None, drops));
        drop(guard);
        if !drops {
            assert_eq!(running.await.unwrap().unwrap(), Outcome::Stopped(Some(())));
        }
        sleep(LEASE + RETRY).await;
        assert!(!state.borrow().overdue);
        assert_eq!(second.1.at_work(), Some(1));
        assert!(second.0.stop().await.is_empty());
    }
}
