//! Leader election by replicas with connections that can be cut, against the embedded API server.

mod ending;
mod namesakes;
mod pace;

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use kube_controllers::leader_election::{
    LeaderElectionError, LeaderElector, LeaderElectorBuilder, LeadershipState, LossCause, Outcome,
    WorkEnd, WorkScope,
};
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::helpers::{forbid, refusal, spawn};

const LEASE: Duration = Duration::from_secs(15);
/// The longest a candidate waits between attempts, and a moment for the requests.
const RETRY: Duration = Duration::from_millis(4_500);

/// The fate of a replica's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    Up,
    /// They fail at once.
    Refused,
    /// They get lost.
    BlackHole,
    /// They are done, but the answers get lost.
    AnswersLost,
    /// They are done after so long.
    Slow(Duration),
}

/// A connection with a switch.
#[derive(Clone)]
struct Link(Arc<Mutex<Wire>>);

impl Link {
    fn new() -> Self {
        Self(Arc::new(Mutex::new(Wire::Up)))
    }

    fn set(&self, wire: Wire) {
        *self.0.lock() = wire;
    }

    fn client(&self, server: &ApiServer) -> kube::Client {
        let (link, server) = (self.clone(), server.clone());
        let service = tower::service_fn(move |request: Request<kube::client::Body>| {
            let (wire, server) = (*link.0.lock(), server.clone());
            async move {
                match wire {
                    Wire::Up => {}
                    Wire::Refused => return Err(io::Error::from(io::ErrorKind::ConnectionRefused)),
                    Wire::BlackHole => pending().await,
                    Wire::AnswersLost => {
                        server.handle(request).await;
                        return pending().await;
                    }
                    Wire::Slow(delay) => sleep(delay).await,
                }
                Ok(server.handle(request).await)
            }
        });
        kube::Client::new(service, "default")
    }
}

/// The terms of work of each replica.
#[derive(Clone, Default)]
struct Timeline(Arc<Mutex<Vec<(Instant, usize, bool)>>>);

/// Somebody is at work while it lives.
struct AtWork(Timeline, usize);

impl Timeline {
    fn begin(&self, who: usize) -> AtWork {
        self.0.lock().push((Instant::now(), who, true));
        AtWork(self.clone(), who)
    }

    /// Returns the replica at work now. Fails if two ever worked at the same time.
    fn at_work(&self) -> Option<usize> {
        let mut at_work = None;
        for (at, who, begins) in self.0.lock().iter() {
            if *begins {
                assert_eq!(at_work, None, "{who} begins at {at:?} beside another");
            }
            at_work = begins.then_some(*who);
        }
        at_work
    }

    /// When somebody last began or ended.
    fn last(&self, who: usize, begins: bool) -> Instant {
        let events = self.0.lock();
        events.iter().rev().find(|event| event.1 == who && event.2 == begins).unwrap().0
    }

    fn terms(&self) -> usize {
        self.0.lock().iter().filter(|event| event.2).count()
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.0.lock().push((Instant::now(), self.1, false));
    }
}

/// A candidate that stands in line again whenever it loses.
struct Replica {
    link: Link,
    stop: CancellationToken,
    state: watch::Receiver<LeadershipState>,
    task: JoinHandle<Vec<LeaderElectionError>>,
}

fn elector(server: &ApiServer, link: &Link, who: usize) -> LeaderElectorBuilder {
    LeaderElector::builder(link.client(server), "shop", "x").identity(format!("r{who}"))
}

impl Replica {
    /// Its work takes so long to end after it was told to.
    fn start(server: &ApiServer, timeline: &Timeline, who: usize, winds_up: Duration) -> Self {
        Self::named(server, timeline, who, &format!("r{who}"), winds_up)
    }

    /// Starts a replica with this identity.
    fn named(
        server: &ApiServer,
        timeline: &Timeline,
        who: usize,
        identity: &str,
        winds_up: Duration,
    ) -> Self {
        let (link, stop) = (Link::new(), CancellationToken::new());
        let mut elector = elector(server, &link, who).identity(identity).build().unwrap();
        let (state, stopped, timeline) = (elector.leadership(), stop.clone(), timeline.clone());
        let task = spawn(async move {
            let mut losses = Vec::new();
            loop {
                let timeline = timeline.clone();
                let work = move |leading: CancellationToken| async move {
                    let _at_work = timeline.begin(who);
                    leading.cancelled().await;
                    sleep(winds_up).await;
                };
                match elector.run(stopped.clone(), work).await {
                    Ok(_) => return losses,
                    Err(error) => losses.push(error),
                }
            }
        });
        Self { link, stop, state, task }
    }

    async fn stop(self) -> Vec<LeaderElectionError> {
        self.stop.cancel();
        self.task.await.unwrap()
    }
}

/// Three replicas, the first of which leads.
async fn three(server: &ApiServer, winds_up: Duration) -> (Timeline, Vec<Replica>) {
    let timeline = Timeline::default();
    let mut replicas = Vec::new();
    for number in 0..3 {
        replicas.push(Replica::start(server, &timeline, number, winds_up));
        sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(timeline.at_work(), Some(0));
    (timeline, replicas)
}

async fn lease(server: &ApiServer) -> Lease {
    Api::namespaced(server.client(), "shop").get("x").await.unwrap()
}

async fn holder(server: &ApiServer) -> String {
    lease(server).await.spec.unwrap().holder_identity.unwrap()
}

/// Work that goes on until it is told to stop.
async fn until_told(leading: CancellationToken) {
    leading.cancelled().await;
}

/// Refuses every write to the lease with a conflict.
fn conflicts(server: &ApiServer, mut times: usize) {
    server.intercept(move |request| {
        if request.method != "PUT" || times == 0 {
            return None;
        }
        times -= 1;
        Some(refusal(409, "Conflict", "modified"))
    });
}

#[tokio::test(start_paused = true)]
async fn one_replica_leads_and_another_follows_its_stop() {
    let server = ApiServer::new();
    let (timeline, mut replicas) = three(&server, Duration::ZERO).await;
    sleep(Duration::from_secs(120)).await;
    assert_eq!((timeline.at_work(), timeline.terms()), (Some(0), 1));
    for (who, replica) in replicas.iter().enumerate() {
        let state = replica.state.borrow();
        assert_eq!(state.leader.as_deref(), Some("r0"));
        assert_eq!((state.is_leader, state.transitions, state.errors), (who == 0, 0, 0));
    }
    let spec = lease(&server).await.spec.unwrap();
    assert_eq!(spec.lease_duration_seconds, Some(15));
    assert!(spec.renew_time > spec.acquire_time);
    let stopped = Instant::now();
    let first = replicas.remove(0);
    let mut state = first.state.clone();
    assert!(first.stop().await.is_empty());
    assert!(stopped.elapsed() < Duration::from_millis(10), "{:?}", stopped.elapsed());
    assert!(!state.borrow_and_update().is_leader);
    assert_eq!(state.borrow().leader, None);
    assert_eq!(holder(&server).await, "");
    assert_eq!(lease(&server).await.spec.unwrap().lease_duration_seconds, Some(1));
    sleep(RETRY).await;
    let next = timeline.at_work().expect("a successor");
    assert_eq!(replicas[next - 1].state.borrow().transitions, 1);
    for replica in replicas {
        assert!(replica.stop().await.is_empty());
    }
    timeline.at_work();
}

#[tokio::test(start_paused = true)]
async fn cut_off_leader_stops_before_another_begins() {
    // Work that does not end when it is told to is dropped.
    for winds_up in [Duration::ZERO, Duration::from_secs(3), Duration::from_secs(3_600)] {
        for wire in [Wire::Refused, Wire::BlackHole, Wire::Slow(Duration::from_secs(20))] {
            let server = ApiServer::new();
            let (timeline, mut replicas) = three(&server, winds_up).await;
            sleep(Duration::from_secs(20)).await;
            let cut = Instant::now();
            replicas[0].link.set(wire);
            sleep(LEASE + RETRY + RETRY).await;
            let ended = timeline.last(0, false);
            assert!(ended > cut + Duration::from_secs(8), "retried until its deadline");
            assert!(ended <= cut + Duration::from_millis(13_500), "{winds_up:?} {wire:?}");
            let next = timeline.at_work().expect("a successor");
            assert!(timeline.last(next, true) > ended);
            assert!(replicas[0].state.borrow().errors > 0);
            assert!(!replicas[0].state.borrow().is_leader);
            // Back again, it stands in line.
            replicas[0].link.set(Wire::Up);
            sleep(Duration::from_secs(60)).await;
            assert_eq!((timeline.at_work(), timeline.terms()), (Some(next), 2));
            let leader = replicas[0].state.borrow().leader.clone();
            assert_eq!(leader.as_deref(), Some(&*format!("r{next}")));
            for other in [2, 1] {
                assert!(replicas.remove(other).stop().await.is_empty());
            }
            sleep(RETRY).await;
            assert_eq!(timeline.at_work(), Some(0));
            let losses = replicas.remove(0).stop().await;
            let [LeaderElectionError::Lost { cause, last_error, work, .. }] = &*losses else {
                panic!("{losses:?}");
            };
            assert_eq!(*cause, LossCause::RenewDeadline);
            assert!(last_error.is_some());
            let patient = winds_up > Duration::from_secs(4);
            assert_eq!(*work, if patient { WorkEnd::Dropped } else { WorkEnd::Ended });
        }
    }
}

#[tokio::test(start_paused = true)]
async fn leader_without_renewal_answers_stops() {
    let server = ApiServer::new();
    let (timeline, replicas) = three(&server, Duration::ZERO).await;
    replicas[0].link.set(Wire::AnswersLost);
    sleep(Duration::from_secs(12)).await;
    assert_eq!(timeline.at_work(), None);
    sleep(LEASE + RETRY + RETRY).await;
    assert_ne!(timeline.at_work(), None);
    assert_ne!(timeline.at_work(), Some(0));
}

#[tokio::test(start_paused = true)]
async fn a_short_interruption_changes_nothing() {
    let server = ApiServer::new();
    let (timeline, replicas) = three(&server, Duration::ZERO).await;
    for wire in [Wire::Refused, Wire::BlackHole, Wire::AnswersLost] {
        replicas[0].link.set(wire);
        sleep(Duration::from_secs(3)).await;
        replicas[0].link.set(Wire::Up);
        sleep(Duration::from_secs(30)).await;
    }
    assert_eq!((timeline.at_work(), timeline.terms()), (Some(0), 1));
    assert!(replicas[0].state.borrow().errors >= 3);
}

#[tokio::test(start_paused = true)]
async fn everyone_cut_off_at_once_recovers() {
    let server = ApiServer::new();
    let (timeline, replicas) = three(&server, Duration::from_secs(1)).await;
    for replica in &replicas {
        replica.link.set(Wire::BlackHole);
    }
    sleep(Duration::from_secs(300)).await;
    assert_eq!(timeline.at_work(), None);
    for replica in &replicas {
        replica.link.set(Wire::Up);
    }
    sleep(Duration::from_secs(5) + RETRY + RETRY).await;
    assert!(timeline.at_work().is_some());
}

#[tokio::test(start_paused = true)]
async fn conflicts_lose_the_lease_only_if_permanent() {
    let server = ApiServer::new();
    let (timeline, mut replicas) = three(&server, Duration::ZERO).await;
    for times in 1..6 {
        conflicts(&server, times);
        sleep(Duration::from_secs(20)).await;
    }
    assert_eq!((timeline.at_work(), timeline.terms()), (Some(0), 1));
    for other in [2, 1] {
        assert!(replicas.remove(other).stop().await.is_empty());
    }
    conflicts(&server, usize::MAX);
    sleep(Duration::from_secs(12)).await;
    assert_eq!(timeline.at_work(), None);
    server.stop_intercepting();
    // The record is still in its name: it need not wait.
    sleep(RETRY).await;
    assert_eq!(timeline.at_work(), Some(0));
    assert_eq!(replicas.remove(0).stop().await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn leader_recreates_a_deleted_lease() {
    let server = ApiServer::new();
    let (timeline, _replicas) = three(&server, Duration::ZERO).await;
    for _ in 0..5 {
        sleep(Duration::from_millis(9_300)).await;
        let before = lease(&server).await;
        server.delete(&before).unwrap();
        sleep(RETRY).await;
        let after = lease(&server).await;
        assert_ne!(after.metadata.uid, before.metadata.uid);
        let (before, after) = (before.spec.unwrap(), after.spec.unwrap());
        assert_eq!(after.holder_identity.as_deref(), Some("r0"));
        assert_eq!(after.acquire_time, before.acquire_time);
    }
    assert_eq!((timeline.at_work(), timeline.terms()), (Some(0), 1));
}

#[tokio::test(start_paused = true)]
async fn manual_handover_ends_the_work_at_once() {
    for (holder, expected) in [("r7", LossCause::TakenBy("r7".into())), ("", LossCause::Cleared)] {
        let server = ApiServer::new();
        let timeline = Timeline::default();
        let replica = Replica::start(&server, &timeline, 0, Duration::from_secs(60));
        sleep(Duration::from_secs(5)).await;
        let mut edited = lease(&server).await;
        edited.spec.as_mut().unwrap().holder_identity = Some(holder.to_owned());
        server.replace(&edited).unwrap();
        let edited = Instant::now();
        sleep(Duration::from_secs(3)).await;
        assert!(timeline.last(0, false) <= edited + Duration::from_secs(2));
        sleep(Duration::from_secs(60)).await;
        let losses = replica.stop().await;
        let [LeaderElectionError::Lost { cause, work, .. }] = &*losses else {
            panic!("{losses:?}");
        };
        assert_eq!((cause, work), (&expected, &WorkEnd::Dropped));
    }
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_no_lease_are_errors() {
    let server = ApiServer::new();
    server.intercept(|_| Some(Response::new(Bytes::from_static(b"{}"))));
    let replica = Replica::start(&server, &Timeline::default(), 0, Duration::ZERO);
    sleep(Duration::from_secs(10)).await;
    let state = replica.state.borrow().clone();
    assert!(state.errors >= 3 && !state.is_leader, "{state:?}");
    assert!(state.last_error.unwrap().to_string().contains("is not this Lease"));
    server.stop_intercepting();
    sleep(RETRY).await;
    assert!(replica.state.borrow().is_leader);
    assert!(replica.stop().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_missing_permission_is_visible() {
    let server = ApiServer::new();
    forbid(&server, "leases");
    let replica = Replica::start(&server, &Timeline::default(), 0, Duration::ZERO);
    sleep(Duration::from_secs(10)).await;
    let state = replica.state.borrow().clone();
    assert!(state.errors >= 3 && !state.is_leader && state.leader.is_none());
    let error = state.last_error.unwrap();
    assert_eq!(
        error.to_string(),
        "cannot get lease shop/x: leases is forbidden (Forbidden, 403) (grant `get` on leases)"
    );
    assert!(error.is_permanent());
    let shown = serde_json::to_value(&*replica.state.borrow()).unwrap();
    assert_eq!(shown["last_error"], error.to_string());
    assert_eq!(shown["is_leader"], false);
    server.stop_intercepting();
    sleep(RETRY).await;
    assert!(replica.state.borrow().is_leader);
    assert!(replica.stop().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn waiting_for_the_state_ends_when_it_changes() {
    let server = ApiServer::new();
    let builder = elector(&server, &Link::new(), 0).grace(Duration::MAX);
    let mut elector = builder.build().unwrap();
    let mut state = elector.leadership();
    let stop = CancellationToken::new();
    let run = spawn({
        let stop = stop.clone();
        async move { elector.run(stop, until_told).await }
    });
    state.wait_for(|state| state.is_leader).await.unwrap();
    // Renewals wake nobody.
    state.borrow_and_update();
    timeout(Duration::from_secs(60), state.changed()).await.unwrap_err();
    stop.cancel();
    assert_eq!(run.await.unwrap().unwrap(), Outcome::Stopped(Some(())));
    assert!(!state.borrow().is_leader);
}
