//! Replicas that share objects.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use kube_controllers::controller::Presence;
use kube_controllers::sharding::ShardBy;
use kube_controllers::{Action, Controller, Sharding};
use kube_informer::{InformerSpec, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::super::harness::{Outcome, Skip};
use super::super::rig::{Rig, eventually};
use super::super::widgets::Widget;

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
