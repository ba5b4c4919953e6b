//! Informers that sync after their controller began.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_controllers::Controller;
use kube_controllers::controller::{ControllerHandle, Phase};
use kube_informer::lister_watcher::{
    Collection, ListHints, ListQuery, ListStream, ListerWatcher, WatchQuery, WatchStream,
};
use kube_informer::testing::{ApiServer, FakeSource};
use kube_informer::{InformerGroup, InformerOptions, ObjectKey, SharedInformer, SourceError};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

/// The secrets of one namespace, whose lists are answered once the gate is open.
struct Gated {
    collection: Collection,
    source: FakeSource<Secret>,
    gate: CancellationToken,
}

impl ListerWatcher<Secret> for Gated {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<Secret>, SourceError>> {
        let (list, gate) = (self.source.list(query, hints), self.gate.clone());
        async move {
            gate.cancelled().await;
            list.await
        }
        .boxed()
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<Secret>, SourceError>> {
        self.source.watch(query, hints)
    }
}

/// The secrets of `shop`, and those of `bank` behind a gate.
struct Secrets {
    group: InformerGroup<Secret>,
    bank: SharedInformer<Secret>,
    gate: CancellationToken,
}

fn secrets(stored: usize) -> Secrets {
    let gate = CancellationToken::new();
    let open = CancellationToken::new();
    open.cancel();
    let informer = |namespace: &str, gate: &CancellationToken, stored: usize| {
        let source = FakeSource::<Secret>::new("secrets", "Secret");
        for n in 0..stored {
            source.put(secret_of(&map("a", "1"), &format!("secret-{n}")));
        }
        let collection = Collection { namespace: Some(namespace.into()), ..named(&source) };
        let source = Gated { collection, source, gate: gate.clone() };
        SharedInformer::new(Arc::new(source), InformerOptions::new())
    };
    let bank = informer("bank", &gate, 0);
    let group = InformerGroup::new([informer("shop", &open, stored), bank.clone()]);
    Secrets { group, bank, gate }
}

fn named(source: &FakeSource<Secret>) -> Collection {
    ListerWatcher::collection(source).clone()
}

fn in_bank() -> ObjectKey {
    ObjectKey::namespaced("bank", "b").unwrap()
}

/// One config map in `shop`, and one in `bank`.
fn maps() -> SharedInformer<ConfigMap> {
    let source = FakeSource::<ConfigMap>::new("configmaps", "ConfigMap");
    source.put(map("a", "1"));
    let mut b = map("b", "1");
    b.metadata.namespace = Some("bank".into());
    source.put(b);
    SharedInformer::new(Arc::new(source), InformerOptions::new())
}

fn missing(handle: &ControllerHandle) -> usize {
    handle.status().missing.len()
}

#[tokio::test(start_paused = true)]
async fn informer_may_sync_during_standby() {
    let server = ApiServer::new();
    let mut rival = elector(server.client(), "rival");
    let (state, retire) = (rival.leadership(), CancellationToken::new());
    let retired = retire.clone();
    let leading = spawn(async move {
        rival
            .run(retired, |leading: CancellationToken| async move { leading.cancelled().await })
            .await
    });
    until("the rival's term", || state.borrow().is_leader).await;
    let secrets = secrets(0);
    let controller = Controller::builder("standby", &maps())
        .owns(&secrets.group)
        .sync_timeout(S)
        .leader_election(elector(server.client(), "ours"))
        .build();
    let Noting { handle, log, stop, running } = Noting::run(controller);
    while handle.status().phase != Phase::Standby {
        sleep(10 * MS).await;
    }
    assert_eq!(missing(&handle), 1);
    secrets.gate.cancel();
    secrets.bank.wait_for_sync(60 * S).await.unwrap();
    retire.cancel();
    leading.await.unwrap().unwrap();
    log.reaches(2).await;
    let mut keys = log.take();
    keys.sort();
    assert_eq!(keys, [in_bank(), key("a")]);
    assert_eq!(missing(&handle), 0);
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_informer_may_sync_while_its_controller_connects() {
    const STORED: usize = 20_000;
    let secrets = secrets(STORED);
    let (bank, gate, calls) = (secrets.bank.clone(), secrets.gate.clone(), AtomicUsize::new(0));
    let synced = Arc::new(AtomicUsize::new(0));
    let synced_at = synced.clone();
    let controller = Controller::builder("connecting", &maps())
        .watches(&secrets.group, move |_: &Secret| {
            let call = calls.fetch_add(1, Ordering::Relaxed);
            gate.cancel();
            if bank.has_synced() {
                let _first =
                    synced_at.compare_exchange(0, call, Ordering::Relaxed, Ordering::Relaxed);
            }
            None::<ObjectKey>
        })
        .sync_timeout(S)
        .build();
    let Noting { handle, log, stop, running } = Noting::run(controller);
    log.reaches(2).await;
    let synced = synced.load(Ordering::Relaxed);
    assert!((1..STORED - 1).contains(&synced), "it synced at call {synced}, while it connected");
    assert_eq!(missing(&handle), 0);
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// As with two selectors: one kind, one namespace, two informers.
#[tokio::test(start_paused = true)]
async fn equally_named_informers_are_awaited_apart() {
    let (first, second) = (secrets(0), secrets(0));
    let controller = Controller::builder("selectors", &maps())
        .owns(&first.group)
        .owns(&second.group)
        .sync_timeout(S)
        .build();
    let Noting { handle, log, stop, running } = Noting::run(controller);
    log.reaches(1).await;
    assert_eq!((log.take(), missing(&handle)), (vec![key("a")], 2));
    first.gate.cancel();
    first.bank.wait_for_sync(60 * S).await.unwrap();
    sleep(60 * S).await;
    assert_eq!((log.take(), missing(&handle)), (vec![], 1), "the other one is still missing");
    second.gate.cancel();
    log.reaches(1).await;
    assert_eq!((log.take(), missing(&handle)), (vec![in_bank()], 0));
    stop.cancel();
    running.await.unwrap().unwrap();
}
