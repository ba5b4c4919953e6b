//! Referenced objects against a model, under faults: random references, secrets and referrers.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_informer::ObjectKey;
use kube_informer::factory::Reference;
use kube_informer::testing::{ApiServer, Faults, Injection};
use tokio::time::sleep;

use crate::helpers::{MS, S, factory_of, until};
use crate::referenced::Told;
use crate::references::{key, named, naming, secret, tasks, value};
use crate::seeds::{change, play_seeds};
use crate::watches::Watches;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn some_key(rng: &mut Rng) -> ObjectKey {
    let namespace = ["bank", "shop"][rng.usize(..2)];
    key(&format!("{namespace}/{}", NAMES[rng.usize(..NAMES.len())]))
}

async fn play(seed: u64, by_namespace: bool) {
    fastrand::seed(seed);
    let mut rng = Rng::with_seed(seed);
    let server = ApiServer::new();
    let (faults, watches) = (Faults::new(), Watches::default());
    let factory = factory_of(watches.count(faults.client(server.client())));
    fastrand::seed(seed);
    let before = tasks();
    let maps = factory.informer::<ConfigMap>();
    let mut secrets = factory.referenced::<Secret>();
    if by_namespace {
        secrets = secrets.by_namespace();
    }
    secrets.feed_from(&maps, named).unwrap();
    let told = Told::follow(&secrets);
    secrets.start().unwrap();
    factory.start().unwrap();
    faults.inject_at_random(seed, 0.2, Injection::one_of_each(seed));
    let mut guards: Vec<Reference> = Vec::new();
    let mut exist: BTreeMap<ObjectKey, String> = BTreeMap::new();
    let mut referrers: BTreeMap<ObjectKey, Vec<&str>> = BTreeMap::new();
    for step in 0..150 {
        match rng.u8(..20) {
            0..4 => guards.push(secrets.reference(some_key(&mut rng))),
            4 => guards.extend(guards.first().cloned()),
            5..8 if !guards.is_empty() => drop(guards.swap_remove(rng.usize(..guards.len()))),
            8..12 => {
                let key = some_key(&mut rng);
                let named: Vec<_> = NAMES.into_iter().filter(|_| rng.u8(..3) == 0).collect();
                let map = naming(key.namespace().unwrap(), key.name(), &named);
                if change(&server, &mut rng, referrers.contains_key(&key), &map) {
                    referrers.insert(key, named);
                } else {
                    referrers.remove(&key);
                }
            }
            12..16 => {
                let key = some_key(&mut rng);
                let new = secret(&key, &format!("step {step}"));
                if change(&server, &mut rng, exist.contains_key(&key), &new) {
                    exist.insert(key, value(&new));
                } else {
                    exist.remove(&key);
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
    secrets.wait_for_sync(600 * S).await.unwrap();
    let mut wanted: BTreeSet<_> = guards.iter().map(|guard| guard.key().clone()).collect();
    for (referrer, names) in &referrers {
        let namespace = referrer.namespace().unwrap();
        wanted.extend(names.iter().map(|name| key(&format!("{namespace}/{name}"))));
    }
    assert_eq!(secrets.keys(), wanted.iter().cloned().collect::<Vec<_>>(), "seed {seed}");
    let held = exist.iter().filter(|(key, _)| wanted.contains(key));
    let held: BTreeMap<_, _> = held.map(|(key, value)| (key.to_string(), value.clone())).collect();
    assert_eq!(told.knows(), held, "seed {seed}");
    let read = secrets.all();
    let read = read.iter().map(|one| (ObjectKey::of(&**one).unwrap().to_string(), value(one)));
    assert_eq!(read.collect::<BTreeMap<_, _>>(), held, "seed {seed}");
    let stored: usize = secrets.status().iter().map(|one| one.objects).sum();
    assert_eq!(stored, held.len(), "seed {seed}: what nothing references is not stored");
    let informers = factory.status().informers.len();
    assert_eq!(watches.open(), informers, "seed {seed}");
    let namespaces: BTreeSet<_> = wanted.iter().map(ObjectKey::namespace).collect();
    let members = if by_namespace { namespaces.len() } else { wanted.len() };
    assert_eq!(informers, 1 + members, "seed {seed}");
    drop(secrets);
    assert!(factory.remove(&maps).await);
    until("the end of the tasks", || tasks() == before && watches.open() == 0).await;
    drop(guards);
    assert!(factory.status().informers.is_empty());
}

#[test]
fn references_follow_their_model_under_faults() {
    play_seeds(13, |seed| play(seed, false));
}

#[test]
fn references_by_namespace_follow_their_model_under_faults() {
    play_seeds(13, |seed| play(seed, true));
}
