//! A shard that changes while the reflector runs.

use super::*;

/// The shard of these namespaces.
fn shard(namespaces: &[&str]) -> ShardSelector {
    let places = namespaces.iter().map(|namespace| ring_hash(namespace));
    ShardSelector::new(ShardKey::Namespace, places.map(|place| place..=place))
}

fn in_namespace(namespace: &str, name: &str) -> ConfigMap {
    let mut object = object(name);
    object.metadata.namespace = Some(namespace.to_owned());
    object
}

/// A reflector of a shard, and the sender that changes it.
fn start(objects: &[(&str, &str)], namespaces: &[&str]) -> (Rig, watch::Sender<ShardSelector>) {
    with(objects, namespaces, ReflectorOptions::new())
}

fn with(
    objects: &[(&str, &str)],
    namespaces: &[&str],
    options: ReflectorOptions<ConfigMap>,
) -> (Rig, watch::Sender<ShardSelector>) {
    let source = source(&[]);
    for (namespace, name) in objects {
        source.put(in_namespace(namespace, name));
    }
    let (sender, receiver) = watch::channel(shard(namespaces));
    (Rig::with(source, options.shard(receiver)), sender)
}

fn keys(rig: &Rig) -> Vec<String> {
    rig.sink.0.lock().1.keys().map(ToString::to_string).collect()
}

const OBJECTS: [(&str, &str); 4] = [("a", "one"), ("b", "one"), ("c", "one"), ("c", "two")];

#[tokio::test(start_paused = true)]
async fn only_arrivals_are_listed() {
    let (rig, shards) = start(&OBJECTS, &["a", "b"]);
    settle().await;
    assert_eq!(keys(&rig), ["a/one", "b/one"]);
    shards.send_replace(shard(&["b", "c"]));
    seconds(5.0).await;
    assert_eq!(keys(&rig), ["b/one", "c/one", "c/two"]);
    assert_eq!(rig.requests(), ["list \"\"", "watch 4", "list \"\"", "watch 4"]);
    assert_eq!(rig.log(), ["=4", "<1", "+=4"]);
    let SourceRequest::List(arrivals) = &rig.source.requests()[2] else { panic!("a list") };
    assert_eq!(arrivals.shard, Some(shard(&["c"])));
    rig.source.put(in_namespace("c", "three"));
    rig.source.put(in_namespace("a", "two"));
    seconds(2.0).await;
    assert_eq!(rig.log()[3..], ["+c/three", "@6"], "a foreign event moves the version");
}

#[tokio::test(start_paused = true)]
async fn empty_shard_makes_no_request() {
    let (rig, shards) = start(&OBJECTS, &[]);
    seconds(3_600.0).await;
    assert!(rig.requests().is_empty());
    assert_eq!(rig.log(), ["<0"]);
    assert_eq!(rig.monitor.status().state, ReflectorState::AwaitingShard);
    shards.send_replace(shard(&["a"]));
    seconds(1.0).await;
    shards.send_replace(shard(&[]));
    seconds(3_600.0).await;
    assert_eq!(rig.requests(), ["list \"\"", "watch 4"]);
    assert_eq!(rig.log(), ["<0", "=4", "<0"]);
    rig.source.put(in_namespace("b", "two"));
    shards.send_replace(shard(&["b"]));
    seconds(1.0).await;
    assert_eq!(keys(&rig), ["b/one", "b/two"]);
}

#[tokio::test(start_paused = true)]
async fn lost_version_lists_the_whole_shard() {
    let (rig, shards) = start(&OBJECTS, &["a"]);
    settle().await;
    rig.source.put(in_namespace("x", "one"));
    rig.source.compact();
    rig.source.delete(&ObjectKey::namespaced("a", "one").unwrap());
    rig.source.compact();
    shards.send_replace(shard(&["a", "b"]));
    seconds(60.0).await;
    assert_eq!(keys(&rig), ["b/one"]);
    let deletes = rig.log().iter().filter(|told| told.starts_with('-')).count();
    assert!(deletes <= 1, "{:?}", rig.log());
}

/// A list of arrivals is newer than the watch. The events in between are not news.
#[tokio::test(start_paused = true)]
async fn deleted_object_does_not_come_back_with_its_shard() {
    let (rig, shards) = start(&OBJECTS, &["a"]);
    settle().await;
    // The watch hears nothing of these three writes before it ends.
    rig.source.put(in_namespace("b", "two"));
    rig.source.delete(&ObjectKey::namespaced("b", "two").unwrap());
    rig.source.put(in_namespace("a", "two"));
    shards.send_replace(shard(&["a", "b"]));
    seconds(5.0).await;
    assert_eq!(keys(&rig), ["a/one", "a/two", "b/one"]);
    let told = rig.log();
    assert!(!told.iter().any(|told| told == "+b/two"), "{told:?}");
}

/// An informer that cannot list holds up only the part that it has not listed.
#[tokio::test(start_paused = true)]
async fn listed_part_goes_on_while_arrivals_cannot_be_listed() {
    for (code, reason) in [(403, "Forbidden"), (429, "TooManyRequests"), (500, "InternalError")] {
        let (rig, shards) = start(&OBJECTS, &["a"]);
        settle().await;
        (0..9).for_each(|_| rig.source.fail_list(fault(code, reason)));
        shards.send_replace(shard(&["a", "b"]));
        for n in 1..10 {
            seconds(9.0).await;
            rig.source.put(in_namespace("b", "new"));
            rig.source.put(in_namespace("a", &n.to_string()));
            seconds(2.0).await;
            assert_eq!(keys(&rig).len(), 1 + n, "{code}: {:?}", rig.log());
            assert!(!keys(&rig).iter().any(|key| key.starts_with('b')), "{code}");
        }
        let asked = rig.requests().len();
        assert!((10..30).contains(&asked), "{code}: {asked} requests in 99 s");
        seconds(600.0).await;
        assert_eq!(keys(&rig).len(), 10 + 2, "{code}: {:?}", rig.log());
    }
}

/// Whatever happens to the shard, and to the source, the sink has the shard of the source.
#[tokio::test(start_paused = true)]
async fn any_changes_converge_to_the_shard() {
    for seed in 0..100 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let namespaces = ["a", "b", "c", "d", "e"];
        let pick = |rng: &mut fastrand::Rng| {
            let picked: Vec<_> = namespaces.into_iter().filter(|_| rng.bool()).collect();
            shard(&picked)
        };
        let options = ReflectorOptions::new().list_mode(list_mode(rng.bool()));
        let options = if rng.bool() { options.page_size(2) } else { options };
        let (rig, shards) = with(&OBJECTS, &["a", "c"], options);
        for _ in 0..30 {
            let namespace = namespaces[rng.usize(..5)];
            let name = ["one", "two", "three"][rng.usize(..3)];
            if rng.u8(..4) == 0 {
                rig.source.fail_list(fault([403, 429, 500, 504][rng.usize(..4)], "x"));
            }
            match rng.u8(..8) {
                0 | 1 => drop(rig.source.put(in_namespace(namespace, name))),
                2 => drop(rig.source.delete(&ObjectKey::namespaced(namespace, name).unwrap())),
                3 | 4 => drop(shards.send_replace(pick(&mut rng))),
                5 => rig.source.compact(),
                6 => rig.source.end_watches(WatchEnd::Ordinary),
                _ => rig.source.end_watches(WatchEnd::Failed(status(410, "Expired"))),
            }
            seconds(rng.f64() * 2.0).await;
        }
        seconds(600.0).await;
        let wanted = shards.borrow().clone();
        let source = rig.source.objects();
        let expected: Vec<_> = source
            .iter()
            .filter(|(_, object)| wanted.selects(&object.metadata))
            .map(|(key, object)| (key.clone(), object.metadata.resource_version.clone().unwrap()))
            .collect();
        let held: Vec<_> = rig.sink.folded().into_iter().collect();
        assert_eq!(held, expected, "seed {seed}: {:?}", rig.log());
        let replayed = rig.monitor.status().relists.of(RelistCause::Replayed);
        assert_eq!(replayed, 0, "seed {seed}: arrivals are ahead of the watch, rightly");
    }
}
