//! Shards, and replicas that share objects.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use kube_controllers::controller::Presence;
use kube_controllers::sharding::ShardBy;
use kube_controllers::{Action, Controller, Sharding};
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::{InformerSpec, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::super::harness::{Outcome, Skip};
use super::super::rig::{Log, Rig, SOON, eventually};
use super::super::widgets::Widget;

/// The lower and the upper part of the ring.
fn parts(border: u64) -> [ShardSelector; 2] {
    let lower = ShardSelector::new(ShardKey::Uid, [0..=border]);
    [lower.clone(), ShardSelector::everything(ShardKey::Uid).without(&lower)]
}

pub(super) async fn a_shard_moves_between_informers(rig: Rig) -> Outcome {
    for n in 0..24 {
        rig.make(&format!("w{n:02}"), "blue").await;
    }
    let (factory, errors) = rig.factory();
    let [lower, upper] = parts(u64::MAX / 2).map(watch::Sender::new);
    let informer = |shard: &watch::Sender<ShardSelector>| {
        let spec = InformerSpec::new().namespace(&*rig.namespace).shard(shard.subscribe());
        factory.informer_with::<Widget>(spec).unwrap()
    };
    let (low, high) = (informer(&lower), informer(&upper));
    let (log_low, log_high) = (Log::of(&low), Log::of(&high));
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert_eq!(low.snapshot().len() + high.snapshot().len(), 24, "each in one of them");
    log_low.reaches(low.snapshot().len()).await;
    log_high.reaches(high.snapshot().len()).await;
    log_low.take();
    log_high.take();
    // A quarter of the ring changes hands: first it is given up.
    let [less, more] = parts(u64::MAX / 4);
    let before = low.snapshot().len();
    lower.send_replace(less);
    eventually("the lower part is smaller", async || {
        low.snapshot().shard().is_some_and(|shard| !shard.contains(u64::MAX / 2))
    })
    .await;
    let moved = before - low.snapshot().len();
    log_low.reaches(moved).await;
    assert!(log_low.what().iter().all(|told| told.starts_with("moved away")));
    upper.send_replace(more);
    eventually("all are there again", async || low.snapshot().len() + high.snapshot().len() == 24)
        .await;
    log_high.reaches(moved).await;
    assert!(log_high.what().iter().all(|told| told.starts_with("added")));
    log_low.take();
    log_high.take();
    for n in 0..24 {
        rig.paint(&format!("w{n:02}"), "red").await;
    }
    log_low.reaches(low.snapshot().len()).await;
    log_high.reaches(high.snapshot().len()).await;
    let told = [log_low.what(), log_high.what()].concat();
    assert_eq!(told.iter().filter(|told| told.starts_with("updated")).count(), 24, "{told:?}");
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}

/// A replica, and the keys that it has reconciled.
struct Replica {
    keys: Arc<Mutex<BTreeSet<String>>>,
    sharding: Sharding,
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
}

impl Replica {
    fn start(rig: &Rig, identity: &str) -> Self {
        let sharding = Sharding::builder(rig.client(), &rig.namespace, "scenario", ShardBy::Uid)
            .slots(8)
            .identity(identity)
            .lease_duration(Duration::from_secs(4))
            .renew_deadline(Duration::from_secs(3))
            .retry_period(Duration::from_millis(500))
            .build()
            .unwrap();
        let factory = SharedInformerFactory::builder(rig.client()).build();
        let spec = InformerSpec::new().namespace(&*rig.namespace).shard(sharding.objects());
        let widgets = factory.informer_with::<Widget>(spec).unwrap();
        let controller = Controller::builder("widgets", &widgets).sharded(&sharding).build();
        let (stop, keys) = (CancellationToken::new(), Arc::new(Mutex::new(BTreeSet::new())));
        let membership = tokio::spawn({
            let (sharding, stop) = (sharding.clone(), stop.clone());
            async move { sharding.run(stop).await.unwrap() }
        });
        let reconciled = keys.clone();
        let controlling = tokio::spawn({
            let stop = stop.clone();
            async move {
                let _factory = factory;
                let reconcile = move |request: kube_controllers::ReconcileRequest<Widget>| {
                    if matches!(request.object, Presence::Present(_)) {
                        reconciled.lock().insert(request.key.to_string());
                    }
                    std::future::ready(Ok::<_, kube::Error>(Action::done()))
                };
                controller.run(stop, reconcile).await.unwrap();
            }
        });
        Self { keys, sharding, stop, tasks: vec![membership, controlling] }
    }

    fn holds(&self, slots: usize) -> bool {
        self.sharding.status().held.len() == slots
    }
}

pub(super) async fn replicas_share_and_take_over(rig: Rig) -> Outcome {
    if !rig.backend.leases {
        return Err(Skip("coordination.k8s.io is not served".into()));
    }
    for n in 0..16 {
        rig.make(&format!("w{n:02}"), "blue").await;
    }
    let a = Replica::start(&rig, "a");
    eventually("a holds everything", async || a.holds(8) && a.keys.lock().len() == 16).await;
    let b = Replica::start(&rig, "b");
    eventually("each holds half", async || a.holds(4) && b.holds(4)).await;
    eventually("b reconciles its half", async || !b.keys.lock().is_empty()).await;
    a.tasks.iter().for_each(JoinHandle::abort);
    eventually("b takes over from a dead one", async || b.holds(8) && b.keys.lock().len() == 16)
        .await;
    b.stop.cancel();
    for task in b.tasks {
        task.await.unwrap();
    }
    Ok(())
}
