//! Controllers against a model, under faults: what they follow comes and goes at random.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use fastrand::Rng;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_controllers::controller::{FollowGuard, Presence};
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::factory::Interest;
use kube_informer::lister::StoreState;
use kube_informer::testing::{ApiServer, Faults, Injection};
use kube_informer::{InformerSpec, ObjectKey};
use parking_lot::Mutex;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::following::Saw;
use crate::helpers::{MS, S, factory_of, map_in, spawn, until};
use crate::references::{key, named, naming, secret, tasks, value};
use crate::seeds::{change, play_seeds};
use crate::watches::Watches;

const NAMES: [&str; 3] = ["a", "b", "c"];
/// The controller is built with the first of these.
const OWN: [&str; 3] = ["base", "own-1", "own-2"];
const RELATED: [&str; 2] = ["related-1", "related-2"];

fn of(namespace: &str, name: &str) -> ObjectKey {
    key(&format!("{namespace}/{name}"))
}

/// The truth for reconciles, and the views that they had.
#[derive(Default)]
struct World {
    own: BTreeMap<&'static str, (FollowGuard, Interest<ConfigMap>)>,
    related: BTreeMap<&'static str, (FollowGuard, Interest<Secret>)>,
    /// The values of the maps on the server.
    maps: BTreeMap<ObjectKey, String>,
    deleted: BTreeSet<ObjectKey>,
    /// The maps that a reconcile has seen.
    known: BTreeSet<ObjectKey>,
    /// The view of the last reconcile of each key.
    last: BTreeMap<ObjectKey, View>,
    faults: Vec<String>,
}

/// The view of a reconcile.
struct View {
    object: Option<String>,
    /// The values of the secrets with its name, by namespace.
    related: BTreeMap<&'static str, Option<String>>,
}

impl World {
    fn reconcile(&mut self, request: &ReconcileRequest<ConfigMap>) {
        let (key, saw) = (&request.key, Saw::of(&request.object));
        let namespace = key.namespace().unwrap();
        let held = namespace == OWN[0] || self.own.contains_key(namespace);
        // A map that was created a moment ago is not in the cache.
        let lives = self.known.contains(key) && !self.deleted.contains(key);
        if (!held && !matches!(saw, Saw::Unknown(_))) || (saw == Saw::Gone && lives) {
            self.faults.push(format!("{key} was {saw:?}"));
        }
        let related = self.related.iter().map(|(namespace, (_, secrets))| {
            let secret = secrets.lister().get_by_key(&of(namespace, key.name())).ok();
            (*namespace, secret.map(|secret| value(&secret)))
        });
        let object = match &request.object {
            Presence::Present(map) => {
                self.known.insert(key.clone());
                Some(text(map))
            }
            _ => None,
        };
        self.last.insert(key.clone(), View { object, related: related.collect() });
    }

    /// Compares what reconciles saw last with what the server has. Returns the number of informers.
    fn check(&self, secrets: &BTreeMap<ObjectKey, String>) -> usize {
        assert_eq!(self.faults, [""; 0]);
        for (key, value) in &self.maps {
            let namespace = key.namespace().unwrap();
            if namespace != OWN[0] && !self.own.contains_key(namespace) {
                continue;
            }
            let View { object, related } = &self.last[key];
            assert_eq!(object.as_ref(), Some(value), "{key}");
            for one in self.related.keys().filter(|_| namespace == OWN[0]) {
                assert_eq!(
                    related[one].as_ref(),
                    secrets.get(&of(one, key.name())),
                    "{key}, {one}"
                );
            }
        }
        1 + self.own.len() + self.related.len()
    }
}

fn text(map: &ConfigMap) -> String {
    map.data.iter().flatten().map(|(name, _)| name.clone()).collect()
}

async fn play(seed: u64) {
    fastrand::seed(seed);
    let mut rng = Rng::with_seed(seed);
    let server = ApiServer::new();
    let (faults, watches) = (Faults::new(), Watches::default());
    let factory = factory_of(watches.count(faults.client(server.client())));
    fastrand::seed(seed);
    let before = tasks();
    let base = factory.informer_with(InformerSpec::new().namespace(OWN[0])).unwrap();
    let controller = Controller::builder("maps", &base).sync_timeout(3_600 * S).build();
    let (handle, following) = (controller.handle(), controller.following());
    let (world, stop) = (Arc::<Mutex<World>>::default(), CancellationToken::new());
    let told = world.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        told.lock().reconcile(&request);
        async {
            sleep(50 * MS).await;
            Ok::<_, Infallible>(Action::done())
        }
    }));
    faults.inject_at_random(seed, 0.2, Injection::one_of_each(seed));
    let mut secrets: BTreeMap<ObjectKey, String> = BTreeMap::new();
    for step in 0..150 {
        let name = NAMES[rng.usize(..NAMES.len())];
        match rng.u8(..20) {
            0..3 => {
                let namespace = OWN[rng.usize(1..OWN.len())];
                let mut world = world.lock();
                if world.own.remove(namespace).is_none() {
                    let interest = factory.interest(InformerSpec::new().namespace(namespace));
                    let interest = interest.unwrap();
                    let guard = following.reconciles(&*interest).unwrap();
                    world.own.insert(namespace, (guard, interest));
                }
            }
            3..6 => {
                let namespace = RELATED[rng.usize(..RELATED.len())];
                let mut world = world.lock();
                if world.related.remove(namespace).is_none() {
                    let interest = factory.interest(InformerSpec::new().namespace(namespace));
                    let interest = interest.unwrap();
                    let keys = |secret: &Secret| {
                        secret.metadata.name.as_deref().map(|name| of(OWN[0], name))
                    };
                    let guard = following.watches(&*interest, keys).unwrap();
                    world.related.insert(namespace, (guard, interest));
                    // A secret that was deleted meanwhile queues nothing.
                    handle.reconcile_all();
                }
            }
            6..12 => {
                let key = of(OWN[rng.usize(..OWN.len())], name);
                let new = naming(key.namespace().unwrap(), name, &[&format!("step-{step}")]);
                let mut world = world.lock();
                if change(&server, &mut rng, world.maps.contains_key(&key), &new) {
                    world.maps.insert(key, text(&new));
                } else {
                    world.maps.remove(&key);
                    world.deleted.insert(key);
                }
            }
            12..16 => {
                let key = of(RELATED[rng.usize(..RELATED.len())], name);
                let new = secret(&key, &format!("step {step}"));
                if change(&server, &mut rng, secrets.contains_key(&key), &new) {
                    secrets.insert(key, value(&new));
                } else {
                    secrets.remove(&key);
                }
            }
            16 => server.drop_connections(),
            17 => server.compact(),
            _ => sleep(rng.u32(..5_000) * MS).await,
        }
    }
    faults.clear();
    // A watch that a fault has silenced is noticed after its timeout.
    sleep(1_000 * S).await;
    eprintln!("seed {seed}");
    let informers = world.lock().check(&secrets);
    assert_eq!((factory.status().informers.len(), watches.open()), (informers, informers));
    assert_eq!(handle.status().missing, []);
    if seed.is_multiple_of(2) {
        stop.cancel();
        running.await.unwrap().unwrap();
    } else {
        running.abort();
    }
    let world = std::mem::take(&mut *world.lock());
    drop(world);
    assert!(factory.remove(&base).await);
    until("the end of the tasks", || tasks() == before && watches.open() == 0).await;
}

#[test]
fn changing_controllers_follow_their_model_under_faults() {
    play_seeds(13, play);
}

/// Aborts a controller at each of its awaits, while what it follows comes and goes.
#[test]
fn aborted_controllers_leave_nothing() {
    play_seeds(25, |seed| async move {
        let server = ApiServer::new();
        server.create(&map_in("shop", "a")).unwrap();
        server.create(&secret(&key("bank/a"), "")).unwrap();
        let watches = Watches::default();
        let factory = factory_of(watches.count(server.client()));
        let before = tasks();
        let maps = factory.informer::<ConfigMap>();
        let controller = Controller::builder("maps", &maps).build();
        let following = controller.following();
        let held = Arc::new(());
        let run = controller
            .run(CancellationToken::new(), |_| async { Ok::<_, Infallible>(Action::done()) });
        let mut running = Box::pin(run);
        let secrets = factory.interest(InformerSpec::<Secret>::new()).unwrap();
        let mut guard = None;
        for step in 0..seed {
            let _running = futures::poll!(&mut running);
            let captured = held.clone();
            match step % 7 {
                2 => {
                    let keys = move |_: &Secret| {
                        let _ = &captured;
                        Some(key("shop/a"))
                    };
                    guard = following.watches(&*secrets, keys).ok();
                }
                6 => guard = None,
                _ => tokio::task::yield_now().await,
            }
        }
        drop(running);
        drop((guard, secrets));
        assert!(factory.remove(&maps).await);
        until("the end", || tasks() == before && watches.open() == 0).await;
        assert_eq!(Arc::strong_count(&held), 1, "seed {seed}");
    });
}

async fn play_referenced(seed: u64, by_namespace: bool) {
    fastrand::seed(seed);
    let mut rng = Rng::with_seed(seed);
    let server = ApiServer::new();
    let (faults, watches) = (Faults::new(), Watches::default());
    let factory = factory_of(watches.count(faults.client(server.client())));
    fastrand::seed(seed);
    let before = tasks();
    let maps = factory.informer::<ConfigMap>();
    let values =
        |map: &ConfigMap| named(map).into_iter().map(|key| key.to_string()).collect::<Vec<_>>();
    let by_secret = maps.add_index("secret", values).unwrap();
    let mut secrets = factory.referenced::<Secret>();
    if by_namespace {
        secrets = secrets.by_namespace();
    }
    secrets.feed_from(&maps, named).unwrap();
    let keys = move |secret: &Secret| by_secret.keys(ObjectKey::of(secret).unwrap().as_str());
    let builder = Controller::builder("maps", &maps);
    let (controller, guard) = if seed.is_multiple_of(2) {
        (builder.watches(&secrets, keys).build(), None)
    } else {
        let controller = builder.build();
        let guard = controller.following().watches(&secrets, keys).unwrap();
        (controller, Some(guard))
    };
    let (last, stop) = (Arc::<Mutex<BTreeMap<_, Vec<_>>>>::default(), CancellationToken::new());
    let (noted, read) = (last.clone(), secrets.clone());
    let running = spawn(controller.run(stop.clone(), move |request| {
        let map = request.object.present();
        let read = map.iter().flat_map(|map| named(map)).map(|key| read.get_by_key(&key));
        let read: Vec<_> = read.map(|one| one.map_err(|missing| missing.store)).collect();
        let known = read.iter().all(|one| matches!(one, Ok(_) | Err(StoreState::Synced)));
        let values = read.into_iter().map(|one| one.ok().map(|secret| value(&secret))).collect();
        noted.lock().insert(request.key, values);
        let next = if known { Action::done() } else { Action::requeue_after(5 * S) };
        async move { Ok::<_, Infallible>(next) }
    }));
    faults.inject_at_random(seed, 0.2, Injection::one_of_each(seed));
    let mut exist: BTreeMap<ObjectKey, String> = BTreeMap::new();
    let mut referrers: BTreeMap<ObjectKey, ConfigMap> = BTreeMap::new();
    for step in 0..150 {
        let key = of(["bank", "shop"][rng.usize(..2)], NAMES[rng.usize(..NAMES.len())]);
        match rng.u8(..20) {
            0..7 => {
                let some: Vec<_> = NAMES.into_iter().filter(|_| rng.bool()).collect();
                let map = naming(key.namespace().unwrap(), key.name(), &some);
                if change(&server, &mut rng, referrers.contains_key(&key), &map) {
                    referrers.insert(key, map);
                } else {
                    referrers.remove(&key);
                }
            }
            7..15 => {
                let new = secret(&key, &format!("step {step}"));
                if change(&server, &mut rng, exist.contains_key(&key), &new) {
                    exist.insert(key, value(&new));
                } else {
                    exist.remove(&key);
                }
            }
            15 => server.drop_connections(),
            16 => server.compact(),
            _ => sleep(rng.u32(..5_000) * MS).await,
        }
    }
    faults.clear();
    sleep(1_000 * S).await;
    for (key, map) in &referrers {
        let exist: Vec<_> = named(map).iter().map(|key| exist.get(key).cloned()).collect();
        assert_eq!(last.lock()[key], exist, "seed {seed}: {key}");
    }
    assert_eq!(watches.open(), factory.status().informers.len(), "seed {seed}");
    drop((secrets, guard));
    stop.cancel();
    running.await.unwrap().unwrap();
    assert!(factory.remove(&maps).await);
    until("the end of the tasks", || tasks() == before && watches.open() == 0).await;
}

#[test]
fn controllers_follow_references_like_their_model_under_faults() {
    play_seeds(13, |seed| play_referenced(seed, false));
}

#[test]
fn controllers_follow_references_by_namespace_like_their_model() {
    play_seeds(13, |seed| play_referenced(seed, true));
}
