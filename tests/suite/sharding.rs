//! Replicas that share slots, with connections that can be cut, against the embedded API server.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use kube::api::ListParams;
use kube_informer::sharding::{ShardBy, ShardingBuilder, ShardingError};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{Sharding, sharding::MembershipError};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

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

    /// Returns the number of slots on which each of three replicas works.
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
        let (faults, stop) = (Faults::new(), CancellationToken::new());
        let sharding = builder(server, &faults, who).build().unwrap();
        let run = tokio::spawn({
            let (sharding, stop) = (sharding.clone(), stop.clone());
            async move { sharding.run(stop).await }
        });
        let work = tokio::spawn(work(sharding.clone(), board.clone(), who, winds_up));
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
    let mut working = [0_u64; SLOTS];
    loop {
        let acquired = status.borrow_and_update().counts.acquired;
        for slot in 0..SLOTS {
            let Some(scope) = sharding.scope(place(slot)) else { continue };
            if scope.tracked() > 0 || !scope.may_begin() {
                continue;
            }
            working[slot] = acquired;
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
    sleep(LEASE - RETRY).await;
    assert_eq!(board.shares(), [0, 4, 4]);
    sleep(RETRY * 2 + Duration::from_millis(100)).await;
    assert_eq!((board.shares(), moved(before)), ([0, 6, 6], 4));
    for replica in replicas {
        replica.stop().await.unwrap();
    }
    let left = leases(&server).await;
    assert_eq!(left.len(), SLOTS, "{left:?}");
}
