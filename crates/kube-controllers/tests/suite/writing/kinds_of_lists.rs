//! Random lists, whose type reads each in its own way, and other managers that change their order:
//! an applier answers that nothing changed only if the order is the applied one.

use std::collections::HashSet;

use fastrand::Rng;
use kube::CustomResource;
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use kube_controllers::writing::Applier;
use kube_informer::testing::ApiServer;
use kube_informer::{ObjectKey, SharedInformer};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::support::*;
use crate::helpers::{caught_up, synced};

#[derive(CustomResource, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Mixed", namespaced, schema = "disabled")]
#[serde(default)]
struct MixedSpec {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    atomic: Vec<Words>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keyed: Vec<Words>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alone: Option<Words>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Words {
    name: String,
    reads: Reads,
    items: Vec<String>,
}

/// The way in which the type reads a list.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
enum Reads {
    AsGiven,
    WithoutRepeats,
    Sorted,
    Reversed,
    /// As a `HashSet`.
    Hashed,
    /// As a tuple, whose first element is of another type.
    Tuple,
}

const ALL: [Reads; 6] = [
    Reads::AsGiven,
    Reads::WithoutRepeats,
    Reads::Sorted,
    Reads::Reversed,
    Reads::Hashed,
    Reads::Tuple,
];

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(decoder: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Raw {
            name: String,
            reads: Reads,
            items: Vec<String>,
        }
        let Raw { name, reads, items: mut words } = Raw::deserialize(decoder)?;
        match reads {
            Reads::WithoutRepeats => {
                let mut known = HashSet::new();
                words.retain(|word| known.insert(word.clone()));
            }
            Reads::Sorted => words.sort(),
            Reads::Reversed => words.reverse(),
            Reads::Hashed => words = hashed(words),
            Reads::Tuple if words.first().is_none_or(|first| first != "first") => {
                return Err(D::Error::custom("no tuple"));
            }
            Reads::AsGiven | Reads::Tuple => {}
        }
        Ok(Self { name, reads, items: words })
    }
}

/// Returns the words in an order that each call draws.
fn hashed(words: Vec<String>) -> Vec<String> {
    words.into_iter().collect::<HashSet<_>>().into_iter().collect()
}

fn words(rng: &mut Rng, n: usize, reads: Reads) -> Words {
    let mut words: Vec<_> = (0..rng.usize(2..5)).map(|n| format!("w{n}")).collect();
    rng.shuffle(&mut words);
    if reads == Reads::Tuple {
        "first".clone_into(&mut words[0]);
    }
    if reads == Reads::AsGiven && rng.bool() {
        words.push(words[0].clone());
    }
    Words { name: format!("n{n}"), reads, items: words }
}

/// Draws a spec: lists that are read alike, or each in its own way.
fn drawn(rng: &mut Rng) -> MixedSpec {
    let shared = rng.choice(ALL).filter(|_| rng.bool());
    let reads = |rng: &mut Rng| shared.or_else(|| rng.choice(ALL)).unwrap_or(Reads::AsGiven);
    let several = |rng: &mut Rng| {
        (0..rng.usize(0..4))
            .map(|n| {
                let reads = reads(rng);
                words(rng, n, reads)
            })
            .collect()
    };
    let (atomic, keyed) = (several(rng), several(rng));
    let last = rng.choice(ALL).unwrap_or(Reads::Sorted);
    let alone = Some(words(rng, 9, last));
    MixedSpec { atomic, keyed, alone }
}

fn lists(spec: &MixedSpec) -> impl Iterator<Item = &Words> {
    spec.atomic.iter().chain(&spec.keyed).chain(&spec.alone)
}

fn lists_mut(spec: &mut MixedSpec) -> Vec<&mut Words> {
    spec.atomic.iter_mut().chain(&mut spec.keyed).chain(&mut spec.alone).collect()
}

/// Returns the words as the server holds them.
fn held(spec: &Value) -> Vec<Vec<String>> {
    let several = |name: &str| spec[name].as_array().cloned().unwrap_or_default();
    let all = [several("atomic"), several("keyed"), vec![spec["alone"].clone()]].concat();
    let words = all.iter().map(|list| serde_json::from_value(list["items"].clone()).unwrap());
    words.collect()
}

struct World {
    server: ApiServer,
    informer: SharedInformer<Mixed>,
    applier: Applier<Mixed>,
    raw: Api<DynamicObject>,
}

impl World {
    async fn new() -> Self {
        let text = json!({"type": "string"});
        let words = json!({"type": "array", "items": text});
        let members = json!({"name": text, "reads": text, "items": words});
        let list = json!({"type": "object", "properties": members});
        let spec = json!({
            "atomic": {"type": "array", "items": list}, "keyed": keyed(&json!(["name"]), &members),
            "alone": list,
        });
        let server = ApiServer::new();
        define(&server, ("mixeds", "Mixed"), spec, json!({})).await;
        let informer = synced::<Mixed>(server.client()).await;
        let applier = Applier::builder(server.client(), &informer, "site").force(true);
        let resource = ApiResource::erase::<Mixed>(&());
        let raw = Api::namespaced_with(server.client(), "shop", &resource);
        Self { applier: applier.build().unwrap(), server, informer, raw }
    }

    /// Applies a spec, as a whole object or as a part. Returns whether it was sent.
    async fn apply(&self, name: &str, spec: &MixedSpec, whole: bool) -> bool {
        caught_up(&self.server, &self.informer).await;
        let applied = if whole {
            let mut spec = spec.clone();
            for list in lists_mut(&mut spec) {
                // Each reconcile makes its own sets.
                if list.reads == Reads::Hashed {
                    list.items = hashed(std::mem::take(&mut list.items));
                }
            }
            let mut mixed = Mixed::new(name, spec);
            mixed.metadata.namespace = Some("shop".into());
            self.applier.apply(&mixed).await
        } else {
            let key = ObjectKey::namespaced("shop", name).unwrap();
            self.applier.apply_partial(&key, json!({ "spec": spec })).await
        };
        applied.unwrap().was_sent()
    }

    async fn held(&self, name: &str) -> Value {
        self.raw.get(name).await.unwrap().data["spec"].clone()
    }
}

/// Returns whether an order counts: not for a type that can hold none.
fn counts(list: &Words, whole: bool) -> bool {
    match list.reads {
        Reads::Hashed => !whole,
        Reads::Sorted => !whole || !list.items.is_sorted(),
        _ => true,
    }
}

#[tokio::test(start_paused = true)]
async fn unchanged_lists_have_the_applied_order() {
    let world = World::new().await;
    let (mut failures, mut told, mut orders) = (Vec::new(), 0, 0);
    for seed in 0..40 {
        let mut rng = Rng::with_seed(seed);
        let (name, whole) = (format!("o{seed}"), rng.bool());
        let mut spec = drawn(&mut rng);
        world.apply(&name, &spec, whole).await;
        world.apply(&name, &spec, whole).await;
        let hashed = whole && lists(&spec).any(|list| list.reads == Reads::Hashed);
        let mut rests = true;
        for _ in 0..3 {
            rests &= !world.apply(&name, &spec, whole).await;
        }
        if !rests && (!hashed || lists(&spec).count() == 1) {
            failures.push(format!("{seed}: it is sent at rest: {spec:?}"));
        }
        for _ in 0..6 {
            // Another manager changes the order of a list, or this one does.
            let n = rng.usize(0..lists(&spec).count());
            let mut changed = spec.clone();
            let list = lists_mut(&mut changed).swap_remove(n);
            let first = usize::from(list.reads == Reads::Tuple);
            rng.shuffle(&mut list.items[first..]);
            if rng.u8(0..4) == 0 {
                spec = changed;
            } else {
                let patch = Patch::Merge(json!({ "spec": changed }));
                world.raw.patch(&name, &PatchParams::default(), &patch).await.unwrap();
            }
            orders += 1;
            told += usize::from(world.apply(&name, &spec, whole).await);
            let held = held(&world.held(&name).await);
            for (list, held) in lists(&spec).zip(held) {
                if counts(list, whole) && list.items != held {
                    failures.push(format!("{seed}, {whole}: {list:?} is {held:?} in {spec:?}"));
                }
            }
        }
    }
    println!("{orders} changes, {told} applies, hidden: {:?}", world.applier.status());
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
    world.informer.shutdown().await;
}
