//! Two controllers of one informer, in programs that are stopped, killed and started again.
//!
//! Each controller has a ledger of the objects that it knows, which outlives the programs. Only a
//! kept cache can tell it to forget an object that was deleted before the controller came.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::controller::Presence;
use kube_controllers::{Action, Controller};
use kube_informer::testing::ApiServer;
use kube_informer::{SharedInformer, SharedInformerFactory};
use kube_informer_warm::WarmCache;
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::{S, map, spawn};
use crate::seeds::play_seeds;

const SEEDS: u64 = 20;
const ROUNDS: usize = 7;

/// The uid of each object, by name.
type Ledger = Arc<Mutex<BTreeMap<String, String>>>;

/// The fate of a controller's reconciles.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Succeed,
    /// This percentage fails.
    Fail(u8),
    NeverEnd,
}

impl Fate {
    fn draw(rng: &mut Rng) -> Self {
        [Self::Succeed, Self::Succeed, Self::Fail(50), Self::Fail(100), Self::NeverEnd]
            [rng.usize(..5)]
    }

    /// Returns whether each reconcile succeeds in the end.
    fn acts(self) -> bool {
        matches!(self, Self::Succeed | Self::Fail(50))
    }
}

fn change(server: &ApiServer, rng: &mut Rng, most: usize) {
    for _ in 0..rng.usize(..most) {
        let mut object = map(&format!("map-{}", rng.u8(..12)), &rng.u8(..100).to_string());
        if rng.u8(..3) == 0 {
            let _gone = server.delete(&object);
        }
        if rng.bool() {
            object.metadata.finalizers =
                (rng.u8(..4) == 0).then(|| vec!["example.com/hold".into()]);
            let _there = server.create(&object);
        } else {
            let _gone = server.delete(&object);
        }
    }
}

fn uids(server: &ApiServer) -> BTreeMap<String, String> {
    let maps = server.list::<ConfigMap>().unwrap().into_iter();
    maps.map(|map| (map.metadata.name.unwrap(), map.metadata.uid.unwrap())).collect()
}

fn control(
    server: &ApiServer,
    maps: &SharedInformer<ConfigMap>,
    ledger: &Ledger,
    fate: Fate,
    stop: &CancellationToken,
) -> JoinHandle<()> {
    let controller = Controller::builder("maps", maps).grace(2 * S).build();
    let (server, ledger) = (server.clone(), ledger.clone());
    let running = controller.run(stop.clone(), move |request| {
        let (server, ledger) = (server.clone(), ledger.clone());
        async move {
            match fate {
                Fate::NeverEnd => std::future::pending().await,
                Fate::Fail(share) if fastrand::u8(..100) < share => return Err("not today"),
                Fate::Fail(_) | Fate::Succeed => {}
            }
            sleep(Duration::from_millis(fastrand::u64(..30))).await;
            let name = request.key.name().to_owned();
            match &request.object {
                Presence::Present(map) => {
                    if map.metadata.deletion_timestamp.is_some() {
                        let mut free = (**map).clone();
                        (free.metadata.finalizers, free.metadata.resource_version) = (None, None);
                        let _gone = server.replace(&free);
                    }
                    ledger.lock().insert(name, map.metadata.uid.clone().unwrap());
                }
                Presence::Gone => drop(ledger.lock().remove(&name)),
                Presence::Unknown(reason) => panic!("{name} is unknown: {reason}"),
            }
            Ok(Action::done())
        }
    });
    spawn(async move { drop(running.await) })
}

fn files(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = std::fs::read_dir(directory).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "cache"));
    files.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

async fn play(seed: u64) {
    fastrand::seed(seed);
    let mut rng = Rng::with_seed(seed);
    let server = ApiServer::builder().bookmark_interval(20 * S).build();
    let directory = std::env::temp_dir().join(format!("kept-worlds-{seed}-{}", std::process::id()));
    let ledgers: [Ledger; 2] = Default::default();
    change(&server, &mut rng, 40);
    let mut killed = true;
    for round in 1..=ROUNDS {
        let cache = WarmCache::open(&directory).unwrap().cluster("the cluster");
        let cache = cache.interval(Duration::from_millis(100));
        let factory = SharedInformerFactory::builder(server.client()).warm(cache).build();
        let (maps, stop) = (factory.informer::<ConfigMap>(), CancellationToken::new());
        if rng.bool() {
            // The informer comes before the controllers.
            factory.start().unwrap();
            maps.wait_for_sync(60 * S).await.unwrap();
            change(&server, &mut rng, 4);
            sleep(Duration::from_millis(rng.u64(..3_000))).await;
        }
        let mut running = Vec::new();
        let mut fates = [Fate::Succeed; 2];
        for (fate, ledger) in fates.iter_mut().zip(&ledgers) {
            if round < ROUNDS {
                *fate = Fate::draw(&mut rng);
            }
            running.push(control(&server, &maps, ledger, *fate, &stop));
            sleep(Duration::from_millis(rng.u64(..500))).await;
        }
        factory.start().unwrap();
        sleep(30 * S).await;
        let present = uids(&server);
        for (fate, ledger) in fates.iter().zip(&ledgers).filter(|(fate, _)| fate.acts()) {
            if killed {
                // The killed program may have known objects that it had not written.
                ledger.lock().retain(|name, _| present.contains_key(name));
            }
            assert_eq!(*ledger.lock(), present, "seed {seed}, round {round}: {fate:?}");
        }
        let mut image = None;
        for _ in 0..rng.usize(..5) {
            change(&server, &mut rng, 8);
            sleep(Duration::from_millis(rng.u64(..400))).await;
            if rng.u8(..3) == 0 {
                image = Some(files(&directory));
            }
        }
        stop.cancel();
        for running in running {
            running.await.unwrap();
        }
        // The controllers end before the informer does.
        change(&server, &mut rng, 8);
        sleep(Duration::from_millis(rng.u64(..3_000))).await;
        factory.shutdown().await;
        killed = rng.u8(..4) == 0 && image.is_some();
        for (path, bytes) in image.into_iter().filter(|_| killed).flatten() {
            std::fs::write(path, bytes).unwrap();
        }
        change(&server, &mut rng, 8);
        if rng.u8(..4) == 0 {
            server.compact();
        }
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn ledgers_forget_what_was_deleted_at_any_time() {
    play_seeds(SEEDS, play);
}
