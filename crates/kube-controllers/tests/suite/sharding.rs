//! Replicas that share slots, with connections that can be cut, against the embedded API server.

mod disturbed;

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use kube::api::ListParams;
use kube_controllers::Sharding;
use kube_controllers::sharding::{MembershipError, ShardBy, ShardingBuilder, ShardingError};
use kube_informer::object::NameRule;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::helpers::spawn;

const SLOTS: usize = 12;
const LEASE: Duration = Duration::from_secs(15);
const RETRY: Duration = Duration::from_secs(2);

/// The replica at work on each slot. Two at a time fail the test.
#[derive(Clone, Default)]
struct Board(Arc<Mutex<[Option<usize>; SLOTS]>>);

/// A replica is at work on a slot while this lives.
struct AtWork(Board, usize);

impl Board {
    fn begin(&self, slot: usize, who: usize) -> AtWork {
        let before = self.0.lock()[slot].replace(who);
        assert_eq!(before, None, "replica {who} begins slot {slot} beside another");
        AtWork(self.clone(), slot)
    }

    /// Returns the number of slots on which each of the first replicas works.
    fn shares<const N: usize>(&self) -> [usize; N] {
        let slots = self.0.lock();
        std::array::from_fn(|who| slots.iter().filter(|slot| **slot == Some(who)).count())
    }

    fn slots(&self) -> [Option<usize>; SLOTS] {
        *self.0.lock()
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.0.lock()[self.1] = None;
    }
}

/// A replica whose work on a slot takes a while to end.
struct Replica {
    sharding: Sharding,
    faults: Faults,
    stop: CancellationToken,
    run: JoinHandle<Result<(), ShardingError>>,
    work: JoinHandle<()>,
}

fn builder(server: &ApiServer, faults: &Faults, who: usize) -> ShardingBuilder {
    let client = faults.client(server.client());
    Sharding::builder(client, "shop", "orders", ShardBy::Namespace)
        .slots(SLOTS)
        .identity(format!("r{who}"))
}

/// Returns a place in the middle of a slot.
fn place(slot: usize) -> u64 {
    u64::MAX / SLOTS as u64 * slot as u64 + u64::MAX / SLOTS as u64 / 2
}

impl Replica {
    fn start(server: &ApiServer, board: &Board, who: usize, winds_up: Duration) -> Self {
        Self::start_with(server, board, who, winds_up, |builder| builder)
    }

    fn start_with(
        server: &ApiServer,
        board: &Board,
        who: usize,
        winds_up: Duration,
        options: impl FnOnce(ShardingBuilder) -> ShardingBuilder,
    ) -> Self {
        let (faults, stop) = (Faults::new(), CancellationToken::new());
        let sharding = options(builder(server, &faults, who)).build().unwrap();
        let run = spawn({
            let (sharding, stop) = (sharding.clone(), stop.clone());
            async move { sharding.run(stop).await }
        });
        let work = spawn(work(sharding.clone(), board.clone(), who, winds_up));
        Self { sharding, faults, stop, run, work }
    }

    async fn stop(self) -> Result<(), ShardingError> {
        self.stop.cancel();
        let result = self.run.await.unwrap();
        self.work.abort();
        result
    }

    /// Ends the replica without a farewell.
    async fn crash(self) {
        self.work.abort();
        self.run.abort();
        let _ = self.run.await;
    }
}

/// Works on each slot of a replica, until the slot's scope is cancelled and a while longer.
async fn work(sharding: Sharding, board: Board, who: usize, winds_up: Duration) {
    let mut status = sharding.watch_status();
    loop {
        status.borrow_and_update();
        for slot in 0..SLOTS {
            let Some(scope) = sharding.scope(place(slot)) else { continue };
            if scope.tracked() > 0 || !scope.may_begin() {
                continue;
            }
            let (board, token) = (board.clone(), scope.token().clone());
            scope.spawn(async move {
                let _at_work = board.begin(slot, who);
                token.cancelled().await;
                sleep(winds_up).await;
            });
        }
        if status.changed().await.is_err() {
            return;
        }
    }
}

async fn leases(server: &ApiServer) -> Vec<Lease> {
    let api: Api<Lease> = Api::namespaced(server.client(), "shop");
    api.list(&ListParams::default()).await.unwrap().items
}

/// Three replicas that have shared the slots.
async fn three(server: &ApiServer, winds_up: Duration) -> (Board, Vec<Replica>) {
    let board = Board::default();
    let replicas: Vec<_> =
        (0..3).map(|who| Replica::start(server, &board, who, winds_up)).collect();
    sleep(Duration::from_secs(5) + winds_up).await;
    assert_eq!(board.shares(), [4, 4, 4]);
    (board, replicas)
}

#[tokio::test(start_paused = true)]
async fn replicas_share_slots_and_follow_each_other() {
    let server = ApiServer::new();
    let (board, mut replicas) = three(&server, Duration::ZERO).await;
    let before = board.slots();
    let mut everything = replicas[0].sharding.objects().borrow().clone();
    for replica in &replicas {
        let (objects, status) = (replica.sharding.objects(), replica.sharding.status());
        assert_eq!(objects.borrow().ranges(), replica.sharding.dependents().borrow().ranges());
        for slot in 0..SLOTS {
            let held = status.held.contains(&slot);
            assert_eq!(objects.borrow().contains(place(slot)), held, "{status:?}");
        }
        assert_eq!((status.members.len(), status.free), (3, 0));
        everything = everything.with(&objects.borrow());
    }
    assert!(everything.is_everything());
    // A fourth replica receives its share, and nothing else moves.
    replicas.push(Replica::start(&server, &board, 3, Duration::ZERO));
    sleep(Duration::from_secs(3)).await;
    assert_eq!(board.shares(), [3, 3, 3, 3]);
    let moved = |before: [Option<usize>; SLOTS]| {
        board.slots().iter().zip(before).filter(|(now, then)| **now != *then).count()
    };
    assert_eq!(moved(before), 3);
    // One leaves.
    let (began, before) = (Instant::now(), board.slots());
    replicas.pop().unwrap().stop().await.unwrap();
    assert!(began.elapsed() < Duration::from_millis(20), "{:?}", began.elapsed());
    sleep(Duration::from_millis(100)).await;
    assert_eq!((board.shares(), moved(before)), ([4, 4, 4], 3));
    // One dies.
    let before = board.slots();
    replicas.remove(0).crash().await;
    sleep(LEASE.saturating_sub(RETRY)).await;
    assert_eq!(board.shares(), [0, 4, 4]);
    sleep(RETRY * 2 + Duration::from_millis(100)).await;
    assert_eq!((board.shares(), moved(before)), ([0, 6, 6], 4));
    for replica in replicas {
        replica.stop().await.unwrap();
    }
    let left = leases(&server).await;
    assert_eq!(left.len(), SLOTS, "{left:?}");
}

#[tokio::test(start_paused = true)]
async fn slow_work_holds_back_the_hand_over() {
    for (winds_up, moves) in [(8, 8), (3_600, 25)] {
        let server = ApiServer::new();
        let board = Board::default();
        let winds_up = Duration::from_secs(winds_up);
        let first = Replica::start(&server, &board, 0, winds_up);
        sleep(Duration::from_secs(1)).await;
        assert_eq!(board.shares(), [SLOTS]);
        let second = Replica::start(&server, &board, 1, winds_up);
        sleep(Duration::from_millis(moves * 1_000 - 100)).await;
        assert_eq!(board.shares(), [12, 0]);
        let status = first.sharding.status();
        assert_eq!((status.held.len(), status.draining.len()), (6, 6));
        assert!(first.sharding.objects().borrow().is_everything());
        sleep(Duration::from_millis(500)).await;
        assert_eq!(board.shares(), [6, 6]);
        assert!(!first.sharding.objects().borrow().is_everything());
        first.crash().await;
        second.crash().await;
    }
}

#[tokio::test(start_paused = true)]
async fn lease_is_renewed_until_blocked_work_ends() {
    for drops in [false, true] {
        let server = ApiServer::new();
        let board = Board::default();
        let first = Replica::start(&server, &board, 0, Duration::ZERO);
        sleep(Duration::from_secs(1)).await;
        let guard = first.sharding.scope(place(3)).unwrap().guard();
        let second = Replica::start(&server, &board, 1, Duration::ZERO);
        sleep(Duration::from_secs(1)).await;
        if drops {
            first.run.abort();
        } else {
            first.stop.cancel();
        }
        sleep(Duration::from_secs(300)).await;
        // All other slots are released, and slot 3 is not claimed.
        assert_eq!(board.shares(), [0, SLOTS - 1]);
        let status = first.sharding.status();
        assert!(status.overdue && status.session.is_some(), "{status:?}");
        assert_eq!((status.draining, first.run.is_finished()), (vec![3], drops));
        drop(guard);
        sleep(Duration::from_secs(1)).await;
        assert_eq!(board.shares(), [0, SLOTS]);
        assert!(!first.sharding.status().overdue);
        if drops {
            // The next run joins.
            let stop = CancellationToken::new();
            let again = first.sharding.run(stop.clone());
            assert!(timeout(Duration::from_secs(5), again).await.is_err());
        } else {
            first.run.await.unwrap().unwrap();
        }
        first.work.abort();
        second.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn blocked_thread_keeps_its_slot() {
    let server = ApiServer::new();
    let board = Board::default();
    let first = Replica::start_with(&server, &board, 0, Duration::ZERO, |builder| {
        builder.abandon_blocked_work(true)
    });
    sleep(Duration::from_secs(1)).await;
    // A guard is what synchronous code holds that cannot be dropped.
    let guards: Vec<_> =
        (0..SLOTS).map(|slot| first.sharding.scope(place(slot)).unwrap().guard()).collect();
    let second = Replica::start(&server, &board, 1, Duration::ZERO);
    sleep(Duration::from_secs(120)).await;
    assert_eq!(board.shares(), [6, 0]);
    assert_eq!(first.sharding.status().draining.len(), 6);
    drop(guards);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(board.shares(), [6, 6]);
    let held = first.sharding.status().held[0];
    let guard = first.sharding.scope(place(held)).unwrap().guard();
    let (sharding, stopped) = (first.sharding.clone(), Instant::now());
    let error = first.stop().await.unwrap_err();
    assert!(matches!(error, ShardingError::StillRunning { slots: 1, .. }), "{error}");
    assert!(stopped.elapsed() < Duration::from_secs(25) + LEASE, "{:?}", stopped.elapsed());
    // The next run waits for the code.
    let stop = CancellationToken::new();
    let again = sharding.run(stop.clone());
    assert!(timeout(Duration::from_secs(60), again).await.is_err());
    assert_eq!(sharding.status().session, None);
    drop(guard);
    let again = sharding.run(stop.clone());
    assert!(timeout(Duration::from_secs(5), again).await.is_err());
    second.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn other_configuration_ends_with_advice() {
    let server = ApiServer::new();
    let (board, replicas) = three(&server, Duration::ZERO).await;
    let before = board.slots();
    let more = builder(&server, &Faults::new(), 7).slots(24).build().unwrap();
    let error = more.run(CancellationToken::new()).await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, ShardingError::OtherConfiguration { .. }), "{text}");
    assert!(
        text.contains("slots=12 by=namespace") && text.contains("another group name"),
        "{text}"
    );
    assert_eq!(board.slots(), before);
    for replica in replicas {
        replica.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn forbidden_leases_are_reported_and_retried() {
    let server = ApiServer::new();
    let board = Board::default();
    for requests in [Requests::all(), Requests::others()] {
        let replica = Replica::start(&server, &board, 0, Duration::ZERO);
        let forbidden = replica.faults.inject(requests, Injection::status(403));
        sleep(Duration::from_secs(30)).await;
        let status = replica.sharding.status();
        match status.last_error.expect("an error") {
            MembershipError::Lease(error) => assert_eq!(error.status(), Some(403)),
            MembershipError::Watch(error) => assert!(error.to_string().contains("403"), "{error}"),
            error => panic!("{error}"),
        }
        assert!(status.session.is_none() && !replica.run.is_finished());
        forbidden.remove();
        sleep(RETRY * 2).await;
        assert_eq!(board.shares(), [SLOTS]);
        replica.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn short_outage_changes_no_ranges() {
    let server = ApiServer::new();
    let (board, replicas) = three(&server, Duration::ZERO).await;
    let before = board.slots();
    let mut ranges: Vec<_> = replicas.iter().map(|replica| replica.sharding.objects()).collect();
    for ranges in &mut ranges {
        ranges.mark_unchanged();
    }
    for seconds in [6, 40] {
        let outages: Vec<_> = replicas
            .iter()
            .map(|replica| {
                replica.faults.cut_now();
                replica.faults.inject(Requests::all(), Injection::refuse())
            })
            .collect();
        sleep(Duration::from_secs(seconds)).await;
        let working = if seconds < 10 { [4, 4, 4] } else { [0, 0, 0] };
        assert_eq!(board.shares(), working);
        outages.iter().for_each(kube_informer::testing::faults::InjectionHandle::remove);
        sleep(Duration::from_secs(10)).await;
        assert_eq!(board.slots(), before, "{seconds}");
        assert!(ranges.iter().all(|ranges| !ranges.has_changed().unwrap()), "{seconds}");
    }
    for replica in replicas {
        assert_eq!(replica.sharding.status().counts.losses, 1);
        replica.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn silent_replica_ends_its_work_before_others_begin() {
    for injection in [Injection::refuse, Injection::black_hole, Injection::lose_answer] {
        let server = ApiServer::new();
        let (board, replicas) = three(&server, Duration::from_secs(2)).await;
        // The board fails the test if two work on one slot.
        let cut = replicas[1].faults.inject(Requests::others(), injection());
        sleep(Duration::from_secs(60)).await;
        assert_eq!(board.shares(), [6, 0, 6]);
        cut.remove();
        // Its joins failed, so it may pause for 32 retry periods and a quarter more.
        sleep(RETRY * 45).await;
        assert_eq!(board.shares(), [4, 4, 4]);
        for replica in replicas {
            replica.stop().await.unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn lost_watch_ends_no_session() {
    let server = ApiServer::new();
    let (board, replicas) = three(&server, Duration::ZERO).await;
    let before = board.slots();
    replicas[0].faults.cut_now();
    let cut = replicas[0].faults.inject(Requests::reads(), Injection::black_hole());
    sleep(Duration::from_secs(300)).await;
    assert_eq!(board.slots(), before);
    cut.remove();
    replicas[1].faults.cut_now();
    sleep(Duration::from_secs(300)).await;
    assert_eq!(board.slots(), before);
    assert_eq!(replicas[0].sharding.status().counts.losses, 0);
}

#[tokio::test(start_paused = true)]
async fn one_membership_runs_once_at_a_time() {
    let server = ApiServer::new();
    let board = Board::default();
    let replica = Replica::start(&server, &board, 0, Duration::ZERO);
    sleep(Duration::from_secs(1)).await;
    let second = replica.sharding.run(CancellationToken::new()).await;
    assert!(matches!(second, Err(ShardingError::AlreadyRunning { .. })));
    let sharding = replica.sharding.clone();
    replica.crash().await;
    assert_eq!(board.shares(), [0]);
    assert!(sharding.scope(0).is_none() && sharding.objects().borrow().is_empty());
    // Under the same identity it does not wait for its old Lease.
    let stop = CancellationToken::new();
    let run = spawn({
        let (sharding, stop) = (sharding.clone(), stop.clone());
        async move { sharding.run(stop).await }
    });
    sleep(Duration::from_secs(1)).await;
    assert!(sharding.objects().borrow().is_everything());
    stop.cancel();
    run.await.unwrap().unwrap();
    assert_eq!(leases(&server).await.len(), SLOTS);
}

#[tokio::test]
async fn invalid_options_are_refused() {
    type Setting = fn(ShardingBuilder) -> ShardingBuilder;
    let build = |namespace: &str, group: &str, set: Setting| {
        let client = ApiServer::new().client();
        set(Sharding::builder(client, namespace, group, ShardBy::Uid)).build().map(drop)
    };
    assert_eq!(build("shop", "orders-2", |builder| builder), Ok(()));
    let refused = build("", "orders", |builder| builder).unwrap_err().to_string();
    assert!(refused.contains("namespace of the leases"), "{refused}");
    for group in ["", "Orders", "-a", "a-", "a.b", &"a".repeat(64)] {
        let refused = build("shop", group, |builder| builder).unwrap_err().to_string();
        let invalid = NameRule::Label.check("group", group).unwrap_err().to_string();
        assert!(refused.starts_with(&invalid), "{refused}");
    }
    let settings: [(Setting, &str); 7] = [
        (|builder| builder.slots(0), "the number of slots (0)"),
        (|builder| builder.slots(1_025), "the number of slots (1025)"),
        (|builder| builder.identity(""), "the identity is empty"),
        (|builder| builder.retry_period(Duration::ZERO), "the retry period"),
        (|builder| builder.renew_deadline(Duration::from_secs(15)), "the lease duration (15s)"),
        (|builder| builder.retry_period(Duration::from_secs(5)), "the renew deadline (10s)"),
        (|builder| builder.lease_duration(Duration::from_secs(1 << 31)), "the lease duration"),
    ];
    for (setting, problem) in settings {
        let refused = build("shop", "orders", setting).unwrap_err().to_string();
        assert!(refused.starts_with(problem), "{refused}");
    }
}

#[test]
fn memberships_are_shared_between_threads() {
    fn check<T: Clone + Send + Sync + std::fmt::Debug>() {}
    check::<Sharding>();
    check::<ShardingError>();
    check::<kube_controllers::sharding::ShardingStatus>();
}

#[tokio::test(start_paused = true)]
async fn controllers_status_shows_its_sharding() {
    let server = ApiServer::new();
    let sharding =
        Sharding::builder(server.client(), "shop", "workers", ShardBy::Namespace).build().unwrap();
    let factory = kube_informer::SharedInformerFactory::builder(server.client()).build();
    let leases = factory.informer::<Lease>();
    let alone = kube_controllers::Controller::builder("alone", &leases).build();
    assert!(alone.handle().status().sharding.is_none());
    let sharded =
        kube_controllers::Controller::builder("sharded", &leases).sharded(&sharding).build();
    let status = sharded.handle().status().sharding.unwrap();
    assert_eq!((&*status.group, &status.session), ("workers", &None));
}

/// Nothing renews its Lease.
#[tokio::test(start_paused = true)]
async fn no_guard_holds_after_the_membership_was_dropped() {
    let server = ApiServer::new();
    let one = |who: &str| {
        let sharding = Sharding::builder(server.client(), "shop", "g", ShardBy::Namespace);
        sharding.slots(1).identity(who).build().unwrap()
    };
    let (first, second) = (one("a"), one("b"));
    let scope = {
        let mut running = std::pin::pin!(first.run(CancellationToken::new()));
        loop {
            tokio::select! {
                _ = &mut running => unreachable!("nothing stops it"),
                () = sleep(RETRY) => {}
            }
            if let Some(scope) = first.scope(0) {
                break scope;
            }
        }
    };
    assert!(!scope.guard().holds());
    let (stop, other) = (CancellationToken::new(), second.clone());
    let running = spawn({
        let stop = stop.clone();
        async move { other.run(stop).await }
    });
    sleep(4 * LEASE).await;
    assert!(second.scope(0).is_some_and(|scope| scope.guard().holds()));
    assert!(!scope.guard().holds(), "both replicas have the slot");
    stop.cancel();
    running.await.unwrap().unwrap();
}
