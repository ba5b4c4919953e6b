//! Every key that any state names is reconciled, however far behind the user's code is.

use std::collections::BTreeSet;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use futures::stream;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use kube_controllers::controller::Phase;
use kube_controllers::{Action, Controller};
use kube_informer::testing::FakeSource;
use kube_informer::{InformerOptions, ObjectKey, SharedInformer};
use parking_lot::Mutex;
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

/// A source, and the informer of its objects.
type Source<K> = (Arc<FakeSource<K>>, SharedInformer<K>);

fn sources() -> (Source<ConfigMap>, Source<Secret>) {
    let maps = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    let secrets = Arc::new(FakeSource::new("secrets", "Secret"));
    let of_maps = SharedInformer::new(maps.clone(), InformerOptions::new());
    let of_secrets = SharedInformer::new(secrets.clone(), InformerOptions::new());
    ((maps, of_maps), (secrets, of_secrets))
}

fn secret_for(owner: &str, name: &str) -> Secret {
    let owner = ConfigMap {
        metadata: kube::api::ObjectMeta {
            name: Some(owner.into()),
            uid: Some(format!("uid-of-{owner}")),
            ..Default::default()
        },
        ..ConfigMap::default()
    };
    let mut secret = secret_of(&owner, name);
    secret.labels_mut().insert("for".into(), owner.name_any());
    secret
}

/// Waits in real time: what is tested blocks threads.
async fn until(mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(60), waiting).await.expect("in time");
}

#[tokio::test(start_paused = true)]
async fn each_owner_that_a_state_named_is_reconciled() {
    let ((_, of_maps), (secrets, of_secrets)) = sources();
    let controller = Controller::builder("owners", &of_maps).owns(&of_secrets).build();
    let Noting { log, stop, running, .. } = Noting::run(controller);
    of_secrets.wait_for_sync(60 * S).await.unwrap();
    sleep(S).await;
    // Nothing else runs in between: all of it arrives at once.
    for owner in ["a", "b", "c"] {
        secrets.put(secret_for(owner, "moving"));
    }
    secrets.delete(&key("moving"));
    secrets.put(secret_for("d", "brief"));
    secrets.delete(&key("brief"));
    log.reaches(4).await;
    let keys: BTreeSet<_> = log.take().into_iter().collect();
    assert_eq!(keys, ["a", "b", "c", "d"].map(key).into());
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_object_that_came_and_went_is_reconciled() {
    let ((maps, of_maps), _) = sources();
    let controller = Controller::builder("brief", &of_maps).build();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        logged.add((request.key, request.object.is_gone()));
        async { Ok::<_, std::io::Error>(Action::done()) }
    }));
    of_maps.wait_for_sync(60 * S).await.unwrap();
    sleep(S).await;
    maps.put(map("brief", "1"));
    maps.delete(&key("brief"));
    log.reaches(1).await;
    assert_eq!(log.take().last(), Some(&(key("brief"), true)));
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// The mapping blocks until more states wait than its backlog holds. Then the informer waits, says
/// for whom, and no key is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn full_mapping_holds_its_informer_without_loss() {
    let ((_, of_maps), (secrets, of_secrets)) = sources();
    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(Some(gate));
    let controller = Controller::builder("slow-mapping", &of_maps)
        .watches(&of_secrets, move |secret: &Secret| {
            if let Some(gate) = gate.lock().take() {
                // Until the sender is dropped.
                let _ = gate.recv();
            }
            secret.labels().get("for").map(|owner| key(owner))
        })
        .build();
    let handle = controller.handle();
    let (seen, stop) = (Arc::new(Mutex::new(BTreeSet::new())), CancellationToken::new());
    let noted = seen.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        noted.lock().insert(request.key);
        async { Ok::<_, std::io::Error>(Action::done()) }
    }));
    until(|| handle.status().phase == Phase::Working).await;
    secrets.put(secret_for("first", "first"));
    let mut expected: BTreeSet<ObjectKey> = [key("first")].into();
    for n in 0..2_000 {
        let owners = [format!("a-{n}"), format!("b-{n}"), format!("c-{n}")];
        for owner in &owners {
            secrets.put(secret_for(owner, "moving"));
        }
        secrets.delete(&key("moving"));
        expected.extend(owners.iter().map(|owner| key(owner)));
    }
    let held = || of_secrets.status().held_up_by;
    until(|| held().is_some()).await;
    assert_eq!(held().as_deref(), Some("slow-mapping"));
    drop(open);
    until(|| seen.lock().len() >= expected.len()).await;
    assert_eq!(*seen.lock(), expected);
    until(|| held().is_none()).await;
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn blocked_mapping_does_not_hold_up_a_stop() {
    let ((_, of_maps), (secrets, of_secrets)) = sources();
    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let controller = Controller::builder("stuck-mapping", &of_maps)
        .watches(&of_secrets, move |_: &Secret| {
            let _ = gate.lock().recv();
            None::<ObjectKey>
        })
        .build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let running =
        spawn(controller.run(stop.clone(), |_| async { Ok::<_, std::io::Error>(Action::done()) }));
    until(|| handle.status().phase == Phase::Working).await;
    for n in 0..3_000 {
        secrets.put(secret_for("a", &format!("secret-{n}")));
    }
    until(|| of_secrets.status().held_up_by.is_some()).await;
    timeout(Duration::from_secs(60), of_secrets.shutdown()).await.expect("the informer stops");
    stop.cancel();
    let _ended = timeout(Duration::from_secs(60), running).await.expect("the controller stops");
    drop(open);
}

/// Before the store was walked for a request, the next one has come.
#[tokio::test(start_paused = true)]
async fn requests_without_end_hold_up_no_event() {
    let ((maps, of_maps), _) = sources();
    let controller = Controller::builder("busy", &of_maps)
        .predicate(|_| true)
        .reconcile_all_on(stream::repeat(()))
        .build();
    let Noting { stop, running, .. } = Noting::run(controller);
    // Something is always ready, so paused time stands still.
    let stored = async |count: usize| {
        for _ in 0..1_000 {
            yield_now().await;
            if of_maps.has_synced() && of_maps.snapshot().len() == count {
                return;
            }
        }
        panic!(
            "{} objects, held up by {:?}",
            of_maps.snapshot().len(),
            of_maps.status().held_up_by
        );
    };
    stored(0).await;
    for n in 0..3_000 {
        maps.put(map(&format!("map-{n}"), "1"));
    }
    stored(3_000).await;
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_resync_reconciles_everything_each_period() {
    let maps = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    maps.put(map("a", "1"));
    maps.put(map("b", "1"));
    let informer = SharedInformer::new(maps, InformerOptions::new().resync(60 * S));
    let controller = Controller::builder("resyncing", &informer).build();
    let Noting { log, stop, running, .. } = Noting::run(controller);
    log.reaches(2).await;
    sleep(10 * 60 * S + S).await;
    assert_eq!(log.take().len(), 2 + 2 * 10);
    stop.cancel();
    running.await.unwrap().unwrap();
}
