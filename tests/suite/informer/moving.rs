//! Objects that change their controlling owner while the shard of their owners changes.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube_informer::object::{ShardKey, ShardSelector, ring_hash};
use tokio::sync::watch;

use super::*;

const OWNERS: [&str; 4] = ["first", "second", "third", "fourth"];

/// Returns an object with this controlling owner, or none.
fn owned(name: &str, owner: Option<&str>) -> ConfigMap {
    let mut map = object(name);
    map.metadata.owner_references = owner.map(|uid| {
        let (uid, controller) = (uid.to_owned(), Some(true));
        vec![OwnerReference { uid, controller, ..OwnerReference::default() }]
    });
    map
}

/// Returns the shard of these owners' dependents.
fn shard(owners: &[&str]) -> ShardSelector {
    let places = owners.iter().map(|uid| ring_hash(uid));
    ShardSelector::new(ShardKey::ControllerUid, places.map(|place| place..=place))
}

/// An informer of a shard, whose handler checks every event.
struct Sharded {
    rig: Rig,
    fold: Fold,
    shards: watch::Sender<ShardSelector>,
    _registration: HandlerRegistration,
}

impl Sharded {
    /// Starts the informer of an object `x` with this owner.
    async fn start(owner: &str, owners: &[&str], streaming: bool) -> Self {
        Self::start_with(owner, owners, ReflectorOptions::new().list_mode(list_mode(streaming)))
            .await
    }

    async fn start_with(
        owner: &str,
        owners: &[&str],
        reflector: ReflectorOptions<ConfigMap>,
    ) -> Self {
        let (shards, receiver) = watch::channel(shard(owners));
        let reflector = reflector.seed(3).on_error(|_| {}).shard(receiver);
        let rig = Rig::with(&[], InformerOptions::new().reflector(reflector));
        rig.source.put(owned("x", Some(owner)));
        let (fold, registration) = rig.handler();
        rig.start().await;
        Self { rig, fold, shards, _registration: registration }
    }

    fn check(&self, case: &str) {
        let selected = self.shards.borrow().clone();
        let source = self.rig.source.objects().into_iter();
        let state = |(key, map): (_, Arc<ConfigMap>)| (key, version(&map));
        let expected: Vec<_> =
            source.filter(|(_, map)| selected.selects(&map.metadata)).map(state).collect();
        let folded = self.fold.0.lock();
        assert_eq!(folded.wrong, [""; 0], "{case}: {:?}", folded.log);
        let heard: Vec<_> = folded.objects.clone().into_iter().map(state).collect();
        assert_eq!(heard, expected, "{case}: {:?}", folded.log);
    }
}

/// The first watch delivers none of the writes; the watch after the list repeats them.
#[tokio::test(start_paused = true)]
async fn object_adopted_while_its_shard_comes_is_kept() {
    for (streaming, before) in [(false, None), (true, None), (false, Some("third"))] {
        let sharded = Sharded::start("first", &["fourth"], streaming).await;
        sharded.rig.source.put(owned("x", before));
        sharded.rig.source.put(owned("x", Some("second")));
        sharded.shards.send_replace(shard(&["fourth", "second"]));
        seconds(600.0).await;
        sharded.check("adopted");
        assert_eq!(sharded.fold.log(), ["!x"], "one event tells of it");
    }
}

#[tokio::test(start_paused = true)]
async fn object_that_ends_in_an_arriving_shard_leaves() {
    for deleted in [true, false] {
        let sharded = Sharded::start("first", &["first"], false).await;
        sharded.rig.source.put(owned("x", Some("second")));
        if deleted {
            sharded.rig.source.delete(&key("x"));
        } else {
            sharded.rig.source.put(owned("x", Some("third")));
        }
        sharded.shards.send_replace(shard(&["first", "second"]));
        seconds(600.0).await;
        sharded.check("ended");
        assert_eq!(sharded.fold.log()[1..], [">x"]);
    }
}

#[tokio::test(start_paused = true)]
async fn transform_does_not_move_objects() {
    for strange in [None, Some("third")] {
        let reflector = ReflectorOptions::new().transform(move |map: &mut ConfigMap| {
            map.metadata.owner_references = owned("", strange).metadata.owner_references;
        });
        let sharded = Sharded::start_with("first", &["first", "second"], reflector).await;
        sharded.shards.send_replace(shard(&["first"]));
        seconds(600.0).await;
        sharded.check("narrowed");
        assert_eq!(sharded.fold.log(), ["!x"]);
        sharded.shards.send_replace(shard(&["second", "third"]));
        seconds(600.0).await;
        sharded.check("left");
    }
}

#[tokio::test(start_paused = true)]
async fn any_owners_and_shards_converge() {
    for seed in 0..150 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut reflector = ReflectorOptions::new().list_mode(list_mode(rng.bool()));
        if seed % 2 == 0 {
            reflector = reflector.transform(|map: &mut ConfigMap| {
                map.metadata.owner_references = None;
            });
        }
        let sharded = Sharded::start_with("first", &["first"], reflector).await;
        let source = &sharded.rig.source;
        for _ in 0..60 {
            let name = ["x", "y"][rng.usize(..2)];
            match rng.u8(..10) {
                0..=5 => drop(source.put(owned(name, rng.choice(OWNERS)))),
                6 => drop(source.delete(&key(name))),
                7 => {
                    let picked: Vec<_> = OWNERS.into_iter().filter(|_| rng.bool()).collect();
                    sharded.shards.send_replace(shard(&picked));
                }
                8 if rng.bool() => source.compact(),
                8 => source.end_watches(WatchEnd::Ordinary),
                _ => seconds(rng.f64() * 2.0).await,
            }
        }
        seconds(600.0).await;
        sharded.check(&format!("seed {seed}"));
    }
}
