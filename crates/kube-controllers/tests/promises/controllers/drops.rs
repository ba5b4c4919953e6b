//! Objects and iterators that panic when a controller drops them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::{Action, Controller};
use kube_informer::testing::FakeSource;
use kube_informer::{InformerOptions, ObjectKey, SharedInformer};
use parking_lot::Mutex;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::bombs::{Bomb, Bombs};
use crate::helpers::*;

fn maps() -> SharedInformer<ConfigMap> {
    let source = FakeSource::<ConfigMap>::new("configmaps", "ConfigMap");
    SharedInformer::new(Arc::new(source), InformerOptions::new())
}

/// A key for one state of an object.
fn state_of(bomb: &Bomb) -> ObjectKey {
    let meta = kube::Resource::meta(bomb);
    let (name, version) = (meta.name.as_deref(), meta.resource_version.as_deref());
    key(&format!("{}-{}", name.unwrap(), version.unwrap()))
}

#[tokio::test(start_paused = true)]
async fn objects_that_panic_when_dropped_lose_no_state() {
    const COUNT: usize = 20;
    let bombs = Bombs::start(COUNT).await;
    let maps = maps();
    let controller = Controller::builder("bombs", &maps)
        .watches(&bombs.informer, |bomb| Some(state_of(bomb)))
        .build();
    let Noting { handle, log, stop, running } = Noting::run(controller);
    log.reaches(COUNT).await;
    bombs.arm(true);
    for _ in 0..3 {
        bombs.put_all();
        sleep(S).await;
    }
    let keys: BTreeSet<_> = log.take().into_iter().collect();
    assert_eq!(keys.len(), 4 * COUNT, "every state was mapped");
    let status = handle.status();
    assert_eq!((status.restarts, status.mapping_panics), (0, 0));
    assert_eq!(bombs.informer.status().drop_faults, 3 * COUNT as u64, "each is counted");
    bombs.arm(false);
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// Real time: the mapping blocks a thread, so that its backlog fills.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn stop_survives_a_backlog_of_panicking_objects() {
    const LONG: Duration = Duration::from_secs(60);
    let bombs = Bombs::start(500).await;
    let maps = maps();
    let (open, gate) = mpsc::channel::<()>();
    let (gate, blocks) = (Mutex::new(gate), CancellationToken::new());
    let (blocked, blocking) = (CancellationToken::new(), blocks.clone());
    let blocked_now = blocked.clone();
    let controller = Controller::builder("bombs", &maps)
        .watches(&bombs.informer, move |bomb| {
            if blocking.is_cancelled() {
                blocked_now.cancel();
                let _closed = gate.lock().recv();
            }
            Some(state_of(bomb))
        })
        .build();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |_| {
        logged.add(());
        async { Ok::<_, std::io::Error>(Action::done()) }
    }));
    let soon = async {
        while log.len() < 500 {
            sleep(5 * MS).await;
        }
    };
    timeout(LONG, soon).await.unwrap();
    bombs.arm(true);
    blocks.cancel();
    bombs.put_all();
    timeout(LONG, blocked.cancelled()).await.unwrap();
    let before = bombs.informer.status().drop_faults;
    let version = bombs.source.version();
    let stored = async {
        while bombs.informer.snapshot().version() != Some(&version.into()) {
            sleep(5 * MS).await;
        }
    };
    timeout(LONG, stored).await.unwrap();
    stop.cancel();
    drop(open);
    timeout(LONG, running).await.unwrap().unwrap().unwrap();
    let freed = async {
        while bombs.informer.status().drop_faults < before + 500 {
            sleep(5 * MS).await;
        }
    };
    timeout(LONG, freed).await.expect("each that waited is dropped on its own");
    bombs.arm(false);
}

/// Gives one key, then panics, in `next` and when it is dropped.
struct Keys(Option<ObjectKey>);

impl Iterator for Keys {
    type Item = ObjectKey;

    fn next(&mut self) -> Option<ObjectKey> {
        Some(self.0.take().expect("on purpose: next"))
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        panic!("on purpose: the iterator's drop");
    }
}

#[tokio::test(start_paused = true)]
async fn keys_before_a_panic_of_their_iterator_count() {
    let source = FakeSource::<ConfigMap>::new("configmaps", "ConfigMap");
    source.put(map("a", "1"));
    let informer = SharedInformer::new(Arc::new(source), InformerOptions::new());
    let maps = maps();
    let controller = Controller::builder("iterators", &maps)
        .watches(&informer, |_: &ConfigMap| Keys(Some(key("mapped"))))
        .build();
    let Noting { handle, log, stop, running } = Noting::run(controller);
    log.reaches(1).await;
    assert_eq!(log.take(), [key("mapped")]);
    let status = handle.status();
    assert_eq!((status.mapping_panics, status.restarts), (1, 0));
    stop.cancel();
    running.await.unwrap().unwrap();
}
