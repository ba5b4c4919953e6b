//! Two processes of one identity, and what looks like them.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::SignedDuration;
use kube_informer::testing::now;

use super::*;

/// The time within which a candidate that may lead does.
const SOON: Duration = Duration::from_secs(20);

/// A process that renews the lease under the identity `r0` as client-go does: a record with its
/// name is its own. Its clock is an hour behind.
fn greedy(server: &ApiServer) -> JoinHandle<()> {
    let server = server.clone();
    spawn(async move {
        loop {
            let mut lease = lease(&server).await;
            let spec = lease.spec.as_mut().unwrap();
            if spec.holder_identity.as_deref() == Some("r0") {
                spec.renew_time = Some(MicroTime(now() - SignedDuration::from_hours(1)));
                server.replace(&lease).unwrap();
            }
            sleep(Duration::from_secs(2)).await;
        }
    })
}

fn replica(server: &ApiServer, timeline: &Timeline, who: usize) -> Replica {
    Replica::named(server, timeline, who, "r0", Duration::ZERO)
}

#[tokio::test(start_paused = true)]
async fn namesakes_never_work_at_once() {
    let server = ApiServer::new();
    let timeline = Timeline::default();
    let replicas: Vec<_> = (0..2).map(|who| replica(&server, &timeline, who)).collect();
    sleep(Duration::from_secs(300)).await;
    let leader = timeline.at_work().expect("one leads");
    assert_eq!(timeline.terms(), 1);
    let states: Vec<_> = replicas.iter().map(|replica| replica.state.borrow().clone()).collect();
    assert!(states[leader].is_leader && !states[leader].same_identity, "{states:?}");
    assert!(states[1 - leader].same_identity && !states[1 - leader].is_leader, "{states:?}");
    let shown = serde_json::to_value(&states[1 - leader]).unwrap();
    assert_eq!(shown["same_identity"], true);

    // Its lease is given back, or expires.
    let mut replicas: Vec<_> = replicas.into_iter().map(Some).collect();
    assert!(replicas[leader].take().unwrap().stop().await.is_empty());
    sleep(RETRY).await;
    assert_eq!(timeline.at_work(), Some(1 - leader));
    replicas[leader] = Some(replica(&server, &timeline, leader));
    sleep(Duration::from_secs(60)).await;
    assert_eq!(timeline.at_work(), Some(1 - leader));
    let crashed = replicas[1 - leader].take().unwrap();
    crashed.task.abort();
    sleep(LEASE + RETRY).await;
    assert_eq!((timeline.at_work(), timeline.terms()), (Some(leader), 3));
    let last = replicas[leader].take().unwrap();
    assert!(!last.state.borrow().same_identity);
    assert!(last.stop().await.is_empty());
}

/// The lost requests of the first one look like a crash to the second.
#[tokio::test(start_paused = true)]
async fn cut_off_namesake_ends_before_another_begins() {
    for wire in [Wire::Refused, Wire::BlackHole, Wire::AnswersLost] {
        let server = ApiServer::new();
        let timeline = Timeline::default();
        let first = replica(&server, &timeline, 0);
        sleep(SOON).await;
        first.link.set(wire);
        let second = replica(&server, &timeline, 1);
        sleep(LEASE + LEASE + RETRY).await;
        assert_eq!(timeline.at_work(), Some(1), "{wire:?}");
        first.link.set(Wire::Up);
        sleep(Duration::from_secs(60)).await;
        assert_eq!((timeline.at_work(), timeline.terms()), (Some(1), 2), "{wire:?}");
        assert!(first.state.borrow().same_identity);
        assert!(second.stop().await.is_empty());
        let losses = first.stop().await;
        let [LeaderElectionError::Lost { cause: LossCause::RenewDeadline, .. }] = &*losses else {
            panic!("{losses:?}");
        };
    }
}

#[tokio::test(start_paused = true)]
async fn leader_gives_way_to_a_greedy_namesake() {
    let server = ApiServer::new();
    let timeline = Timeline::default();
    let replica = Replica::start(&server, &timeline, 0, Duration::from_secs(60));
    sleep(SOON).await;
    assert_eq!(timeline.at_work(), Some(0));
    let began = Instant::now();
    let namesake = greedy(&server);
    sleep(Duration::from_secs(300)).await;
    assert_eq!((timeline.at_work(), timeline.terms()), (None, 1));
    let overlap = timeline.last(0, false) - began;
    assert!(overlap <= Duration::from_secs(2), "a retry period: {overlap:?}");
    let state = replica.state.borrow().clone();
    assert!(state.same_identity && !state.is_leader, "{state:?}");
    assert_eq!(state.leader.as_deref(), Some("r0"));

    // It leads again when the namesake has ended.
    namesake.abort();
    sleep(LEASE + RETRY).await;
    assert_eq!(timeline.at_work(), Some(0));
    assert!(!replica.state.borrow().same_identity);
    let losses = replica.stop().await;
    let [error @ LeaderElectionError::Lost { cause, work, .. }] = &*losses else {
        panic!("{losses:?}");
    };
    assert_eq!((cause, work), (&LossCause::SameIdentity("r0".into()), &WorkEnd::Dropped));
    let told = error.to_string();
    let expected = "lost the leadership of lease shop/x: another process renewed it under the \
                    identity r0 of this one: give each its own identity; its work was dropped";
    assert!(told.starts_with(expected), "{told}");
}

#[tokio::test(start_paused = true)]
async fn edited_transitions_are_of_a_namesake() {
    let server = ApiServer::new();
    let timeline = Timeline::default();
    let replica = replica(&server, &timeline, 0);
    sleep(SOON).await;
    // Labels and a duration say nothing about a renewal.
    let mut edited = lease(&server).await;
    edited.metadata.labels = Some([("a".to_owned(), "b".to_owned())].into());
    edited.spec.as_mut().unwrap().lease_duration_seconds = Some(14);
    server.replace(&edited).unwrap();
    sleep(SOON).await;
    assert_eq!((timeline.at_work(), timeline.terms()), (Some(0), 1));
    let mut edited = lease(&server).await;
    edited.spec.as_mut().unwrap().lease_transitions = Some(7);
    server.replace(&edited).unwrap();
    sleep(Duration::from_millis(2_100)).await;
    assert_eq!(timeline.at_work(), None);
    sleep(LEASE + RETRY).await;
    assert_eq!(timeline.at_work(), Some(0));
    assert_eq!(replica.stop().await.len(), 1);
}

/// Also while the lease is acquired.
#[tokio::test(start_paused = true)]
async fn own_renewals_with_lost_answers_are_own() {
    let server = ApiServer::new();
    let timeline = Timeline::default();
    let replica = replica(&server, &timeline, 0);
    replica.link.set(Wire::AnswersLost);
    sleep(Duration::from_secs(3)).await;
    replica.link.set(Wire::Up);
    sleep(Duration::from_secs(3)).await;
    replica.link.set(Wire::AnswersLost);
    // A read, and then the acquisition.
    sleep(Duration::from_secs(5)).await;
    replica.link.set(Wire::Up);
    sleep(Duration::from_secs(5) + RETRY).await;
    assert_eq!(timeline.at_work(), Some(0));
    for _ in 0..20 {
        replica.link.set(Wire::AnswersLost);
        sleep(Duration::from_millis(3_300)).await;
        replica.link.set(Wire::Up);
        sleep(Duration::from_millis(7_100)).await;
    }
    assert_eq!((timeline.at_work(), timeline.terms()), (Some(0), 1));
    let state = replica.state.borrow().clone();
    assert!(state.errors > 20 && !state.same_identity, "{state:?}");
    assert!(replica.stop().await.is_empty());
    assert_eq!(holder(&server).await, "");
}

/// As a pod of a `StatefulSet`. The last renewal of the old process arrives late.
#[tokio::test(start_paused = true)]
async fn restart_under_one_name_is_no_namesake() {
    let server = ApiServer::new();
    let timeline = Timeline::default();
    let first = replica(&server, &timeline, 0);
    sleep(SOON).await;
    first.link.set(Wire::Slow(Duration::from_secs(3)));
    sleep(Duration::from_secs(3)).await;
    first.task.abort();
    let crashed = Instant::now();
    let second = replica(&server, &timeline, 1);
    let mut state = second.state.clone();
    let led = state.wait_for(|state| {
        assert!(!state.same_identity, "{state:?}");
        state.is_leader
    });
    drop(led.await.unwrap());
    assert!(crashed.elapsed() >= Duration::from_secs(13), "it cannot know that the first ended");
    assert!(crashed.elapsed() < LEASE + RETRY + RETRY, "{:?}", crashed.elapsed());
    assert!(second.stop().await.is_empty());
    // A clean stop gives the lease back.
    let third = replica(&server, &timeline, 0);
    sleep(Duration::from_millis(10)).await;
    assert_eq!(timeline.at_work(), Some(0));
    assert!(third.stop().await.is_empty());
}
