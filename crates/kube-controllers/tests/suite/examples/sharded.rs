//! `sharded`: replicas share the orders, and take the place of one that is killed.

#[allow(dead_code, reason = "of the processes of the example")]
#[path = "../../../../../examples/sharded/replica.rs"]
mod replica;

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::Api;
use kube::api::{ListParams, ObjectMeta};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::AccessRule;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use self::replica::{Monitor, Replica, SLOTS, order};
use super::support::eventually;
use crate::helpers::{S, spawn};

const TOKEN: &str = "of-a-replica";

/// A replica that runs. Dropping its task kills it.
struct Working {
    monitor: Monitor,
    stop: CancellationToken,
    task: JoinHandle<Result<(), BoxError>>,
}

impl Working {
    fn begin(server: &ApiServer, name: &str) -> Self {
        let replica = Replica::new(server.client_with_token(TOKEN), name, "shop", None).unwrap();
        let (monitor, stop) = (replica.monitor.clone(), CancellationToken::new());
        Self { monitor, task: spawn(replica.run(stop.clone())), stop }
    }

    async fn kill(self) {
        self.task.abort();
        assert!(self.task.await.unwrap_err().is_cancelled());
    }

    async fn end(self) {
        self.stop.cancel();
        timeout(30 * S, self.task).await.expect("it ends soon").unwrap().unwrap();
    }
}

/// A server whose users have the permissions that the guide lists, and nothing beyond them.
fn server() -> ApiServer {
    let leases = ["get", "list", "watch", "create", "update", "delete"];
    let leases = AccessRule::new(leases, ["leases.coordination.k8s.io"]).namespaces(["shop"]);
    let orders = AccessRule::new(["list", "watch"], ["configmaps"]);
    let receipts = AccessRule::new(["list", "watch", "create", "patch"], ["secrets"]);
    let rules = [leases, orders, receipts];
    let server = ApiServer::builder().token(TOKEN, "replica", rules).build();
    for name in ["shop", "bank"] {
        let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
        server.create(&Namespace { metadata, ..Namespace::default() }).unwrap();
    }
    server
}

fn take_orders(server: &ApiServer, numbers: std::ops::Range<usize>) {
    for number in numbers {
        let namespace = ["shop", "bank"][number % 2];
        server.create(&order(namespace, &format!("order-{number}"))).unwrap();
    }
}

/// Lets time pass until the replicas share all slots and have reconciled all orders.
async fn settled(replicas: &[Working], orders: usize) -> Duration {
    let start = Instant::now();
    eventually(&format!("{orders} orders on {} replicas", replicas.len()), || async {
        let reports: Vec<_> = replicas.iter().map(|replica| replica.monitor.report()).collect();
        let slots = reports.iter().map(|report| report.slots);
        let fair = slots.clone().max()? - slots.clone().min()? <= 1;
        let shared = slots.sum::<usize>() == SLOTS
            && reports.iter().map(|report| report.orders).sum::<usize>() == orders
            && reports.iter().all(|report| report.reconciled == report.orders);
        (fair && shared).then_some(())
    })
    .await;
    start.elapsed()
}

#[tokio::test(start_paused = true)]
async fn replicas_share_orders_and_replace_each_other() {
    let server = server();
    take_orders(&server, 0..60);
    let mut replicas: Vec<_> =
        ["a", "b", "c"].into_iter().map(|name| Working::begin(&server, name)).collect();
    assert!(settled(&replicas, 60).await < 10 * S);

    replicas.remove(1).kill().await;
    take_orders(&server, 60..70);
    let time = settled(&replicas, 70).await;
    // A lease, a retry period, and the requests, which take no time here.
    assert!(time < 5 * S, "the slots of a killed replica had no owner for {time:?}");

    replicas.push(Working::begin(&server, "d"));
    let time = settled(&replicas, 70).await;
    assert!(time < 5 * S, "a new replica got its share after {time:?}");

    for replica in replicas {
        replica.end().await;
    }
    let receipts = Api::<Secret>::all(server.client()).list(&ListParams::default()).await.unwrap();
    assert_eq!(receipts.items.len(), 70);
    let leases = Api::<Lease>::namespaced(server.client(), "shop");
    let members = ListParams::default().labels("kube-informer.dev/sharding-role=member");
    assert_eq!(leases.list(&members).await.unwrap().items, []);
}
