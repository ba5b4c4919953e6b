//! Interests against a model, under faults: random holders of a few informers.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::factory::Interest;
use kube_informer::testing::{ApiServer, Faults, Injection};
use kube_informer::{InformerSpec, ObjectKey, SharedInformer};
use tokio::time::sleep;

use crate::helpers::{MS, S, factory_of, map_in, until};
use crate::seeds::play_seeds;
use crate::watches::Watches;

const NAMESPACES: [&str; 3] = ["bank", "mail", "shop"];

/// The holders of one informer, as they should be.
#[derive(Default)]
struct Model {
    guards: Vec<Interest<ConfigMap>>,
    kept: Option<SharedInformer<ConfigMap>>,
    /// Guards of informers that were removed.
    stale: Vec<Interest<ConfigMap>>,
}

impl Model {
    fn lives(&self) -> bool {
        self.kept.is_some() || !self.guards.is_empty()
    }
}

fn keys<'a>(maps: impl IntoIterator<Item = &'a ConfigMap>) -> BTreeSet<ObjectKey> {
    maps.into_iter().map(|map| ObjectKey::of(map).unwrap()).collect()
}

async fn play(seed: u64) {
    fastrand::seed(seed);
    let mut rng = Rng::with_seed(seed);
    let server = ApiServer::new();
    let (faults, watches) = (Faults::new(), Watches::default());
    let factory = factory_of(watches.count(faults.client(server.client())));
    fastrand::seed(seed);
    let before = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let mut models: BTreeMap<&str, Model> = BTreeMap::new();
    let mut stored: BTreeMap<ObjectKey, ConfigMap> = BTreeMap::new();
    faults.inject_at_random(seed, 0.2, Injection::one_of_each(seed));
    for step in 0..200 {
        let namespace = NAMESPACES[rng.usize(..NAMESPACES.len())];
        let spec = InformerSpec::<ConfigMap>::new().namespace(namespace);
        let model = models.entry(namespace).or_default();
        match rng.u8(..20) {
            0..4 => model.guards.push(factory.interest(spec).unwrap()),
            4..6 => model.guards.extend(model.guards.first().cloned()),
            6..11 if !model.guards.is_empty() => {
                drop(model.guards.swap_remove(rng.usize(..model.guards.len())));
            }
            11 => model.kept = Some(factory.informer_with(spec).unwrap()),
            12 => {
                let one = model.kept.take();
                let one = one.or_else(|| model.guards.first().map(|guard| (**guard).clone()));
                if let Some(one) = one {
                    assert!(factory.remove(&one).await);
                    model.stale.append(&mut model.guards);
                }
            }
            13 => drop(model.stale.pop()),
            14..17 => {
                let name = format!("map-{}", rng.u8(..4));
                let map = map_in(namespace, &name);
                let key = ObjectKey::of(&map).unwrap();
                if stored.remove(&key).is_some() {
                    server.delete(&map).unwrap();
                } else {
                    server.create(&map).unwrap();
                    stored.insert(key, map);
                }
            }
            _ => sleep(rng.u32(..5_000) * MS).await,
        }
        factory.start().unwrap();
        let status = factory.status();
        let shown = status.informers.iter().filter_map(|one| one.collection.namespace.clone());
        let lives = models.iter().filter(|(_, model)| model.lives());
        let lives: Vec<_> = lives.map(|(namespace, _)| (*namespace).into()).collect();
        assert_eq!(shown.collect::<Vec<_>>(), lives, "seed {seed}, step {step}");
        for model in models.values() {
            let live = model.guards.iter().map(|guard| &**guard).chain(&model.kept);
            assert!(live.into_iter().all(|one| !one.is_stopped()), "seed {seed}, step {step}");
            assert!(model.stale.iter().all(|one| one.is_stopped()), "seed {seed}, step {step}");
        }
    }
    faults.clear();
    let mut live = 0;
    for (namespace, model) in &models {
        let Some(one) = model.kept.as_ref().or(model.guards.first().map(|one| &**one)) else {
            continue;
        };
        live += 1;
        one.wait_for_sync(600 * S).await.unwrap();
        let wanted = stored.keys().filter(|key| key.namespace() == Some(namespace));
        let wanted: BTreeSet<_> = wanted.cloned().collect();
        until("convergence", || keys(one.lister().all().iter().map(|map| &**map)) == wanted).await;
    }
    until("a watch for each", || watches.open() == live).await;
    for (_, model) in models {
        if let Some(kept) = model.kept {
            assert!(factory.remove(&kept).await);
        }
    }
    assert!(factory.status().informers.is_empty(), "seed {seed}");
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    until("the end of the tasks", || tasks() == before && watches.open() == 0).await;
}

#[test]
fn interests_follow_their_model_under_faults() {
    play_seeds(15, play);
}
