//! Compact storage is told from decoded storage by what it takes, and by nothing else.

mod arrival;
mod unreadable;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use k8s_openapi::api::events::v1::Event as RecordedEvent;
use k8s_openapi::api::networking::v1::NetworkPolicy;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Resource;
use kube::api::{DynamicObject, ObjectMeta};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::testing::{FakeSource, WatchEnd};
use kube_informer::transport::{Decode, SerdeDecode};
use kube_informer::{
    CachedEvent, Event, Index, InformerOptions, LabelSelector, ObjectKey, ResourceVersion,
    SharedInformer, Storage,
};
use parking_lot::Mutex;
use proptest::collection::vec;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::sleep;

use crate::protobuf::{Pair, pairs};

const SOON: Duration = Duration::from_secs(600);
const RESYNC: Duration = Duration::from_secs(100);

#[derive(Clone, Debug)]
enum Step {
    Put {
        n: usize,
        app: usize,
        size: usize,
    },
    Delete(usize),
    /// The watch breaks, these happen meanwhile, and everything has to be listed again.
    Missed(Vec<Step>),
    /// Every handler is told everything again.
    Resync,
}

fn step() -> impl Strategy<Value = Step> {
    let change = prop_oneof![
        3 => (0usize..12, 0usize..3, 0usize..300)
            .prop_map(|(n, app, size)| Step::Put { n, app, size }),
        1 => (0usize..12).prop_map(Step::Delete),
    ];
    prop_oneof![
        8 => change.clone(),
        1 => vec(change, 0..8).prop_map(Step::Missed),
        1 => Just(Step::Resync),
    ]
}

fn object(n: usize, app: usize, size: usize) -> ConfigMap {
    let metadata = ObjectMeta {
        namespace: Some(format!("ns-{}", n % 3)),
        name: Some(format!("map-{n}")),
        labels: (app > 0).then(|| [("app".into(), format!("app-{app}"))].into()),
        ..ObjectMeta::default()
    };
    let data = Some([("text".into(), "text ".repeat(size))].into());
    ConfigMap { metadata, data, ..ConfigMap::default() }
}

fn key(n: usize) -> ObjectKey {
    ObjectKey::namespaced(&format!("ns-{}", n % 3), &format!("map-{n}")).unwrap()
}

fn do_step(source: &FakeSource<ConfigMap>, step: &Step) {
    match step {
        Step::Put { n, app, size } => drop(source.put(object(*n, *app, *size))),
        Step::Delete(n) => drop(source.delete(&key(*n))),
        Step::Missed(steps) => {
            source.end_watches(WatchEnd::Broken);
            for step in steps {
                do_step(source, step);
            }
            source.compact();
        }
        Step::Resync => {}
    }
}

/// An informer, and all that its handler was told.
struct Follower {
    informer: SharedInformer<ConfigMap>,
    by_app: Index<ConfigMap>,
    told: Arc<Mutex<Vec<Event<ConfigMap>>>>,
}

impl Follower {
    fn new(source: &Arc<FakeSource<ConfigMap>>, storage: Storage<ConfigMap>) -> Self {
        let reflector = ReflectorOptions::new().seed(7).on_error(|_| {});
        let options = InformerOptions::new().storage(storage).resync(RESYNC).reflector(reflector);
        let informer = SharedInformer::new(source.clone(), options);
        let app = |map: &ConfigMap| map.metadata.labels.as_ref()?.get("app").cloned();
        let by_app = informer.add_index("app", app).unwrap();
        let told: Arc<Mutex<Vec<_>>> = Arc::default();
        let telling = told.clone();
        informer.on_event(move |event| telling.lock().push(event)).unwrap();
        informer.start().unwrap();
        Self { informer, by_app, told }
    }

    /// Records the cached events that a handler gets from now on.
    fn cached_events(&self) -> CachedEvents {
        let told = CachedEvents::default();
        let telling = told.clone();
        let tell = move |key: &ObjectKey, event| telling.lock().push((key.clone(), event));
        self.informer.on_cached_event(tell).unwrap();
        told
    }

    /// All that can be read, in one order.
    fn read(&self) -> Vec<Vec<Arc<ConfigMap>>> {
        let lister = self.informer.lister();
        let mut answers = vec![lister.all(), lister.list(&LabelSelector::nothing())];
        for app in 0..3 {
            let app = format!("app-{app}");
            answers.push(self.by_app.get(&app));
            answers.push(lister.list(&format!("app={app}").parse().unwrap()));
            answers.push(lister.namespace("ns-1").list(&format!("app!={app}").parse().unwrap()));
        }
        for answer in &mut answers {
            answer.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
        }
        answers
    }
}

type CachedEvents = Arc<Mutex<Vec<(ObjectKey, CachedEvent<ConfigMap>)>>>;

/// Folds events. The old state of each has to be the one told before.
fn folded(events: &[Event<ConfigMap>]) -> BTreeMap<ObjectKey, Arc<ConfigMap>> {
    let mut known: BTreeMap<ObjectKey, Arc<ConfigMap>> = BTreeMap::new();
    for event in events {
        let key = ObjectKey::of(&**event.object()).unwrap();
        match event {
            Event::Added { object, .. } => {
                assert!(known.insert(key, object.clone()).is_none());
            }
            Event::Updated { old, new } => {
                assert_eq!(known.insert(key, new.clone()).as_ref(), Some(old));
            }
            Event::Deleted { .. } | Event::MovedAway { .. } => {
                assert!(known.remove(&key).is_some());
            }
        }
    }
    known
}

async fn same_as_decoded(before: &[Step], steps: &[Step], storage: Storage<ConfigMap>) {
    let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    for step in before {
        do_step(&source, step);
    }
    let followers = [Storage::decoded(), storage].map(|storage| Follower::new(&source, storage));
    let [decoded, compact] = &followers;
    // No time has passed: these hear what the others hear.
    let cached_events = followers.each_ref().map(Follower::cached_events);
    for step in [&Step::Resync].into_iter().chain(steps) {
        do_step(&source, step);
        if matches!(step, Step::Resync) {
            sleep(RESYNC).await;
        }
        for follower in &followers {
            let version = ResourceVersion::from(source.version());
            follower.informer.wait_for_sync(SOON).await.unwrap();
            follower.informer.wait_for(&version, SOON).await.unwrap();
        }
        // Once nothing is left to be done, time goes on.
        sleep(Duration::from_millis(1)).await;
        assert_eq!(decoded.read(), compact.read());
    }
    let told = compact.told.lock().clone();
    assert_eq!(*decoded.told.lock(), *told);
    assert_eq!(folded(&told), source.objects());
    for cached_events in cached_events {
        let read = cached_events
            .lock()
            .iter()
            .map(|(key, event)| {
                let event = event.read().unwrap();
                assert_eq!(*key, ObjectKey::of(&**event.object()).unwrap());
                event
            })
            .collect::<Vec<_>>();
        assert_eq!(*told, read);
    }
    let status = compact.informer.status().storage.unwrap();
    assert_eq!((status.kept_decoded, status.unreadable, status.refused), (0, 0, None));
    assert!(decoded.informer.status().storage.is_none());
    for follower in &followers {
        follower.informer.shutdown().await;
    }
}

proptest! {
    #![proptest_config(crate::seeds::cases(10))]
    #[test]
    fn events_and_answers_are_those_of_decoded_storage(
        before in vec(step(), 0..20), steps in vec(step(), 1..30),
        age in prop_oneof![Just(0), 1u64..100], zeroize: bool,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time().start_paused(true).build().unwrap();
        let storage = Storage::compact().hot_for(Duration::from_secs(age)).zeroize(zeroize);
        runtime.block_on(same_as_decoded(&before, &steps, storage));
    }
}

#[tokio::test(start_paused = true)]
async fn a_relist_of_what_is_known_keeps_it() {
    let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    for n in 0..100 {
        source.put(object(n, n % 3, 50));
    }
    let follower = Follower::new(&source, Storage::compact());
    follower.informer.wait_for_sync(SOON).await.unwrap();
    let before = follower.informer.snapshot();
    do_step(&source, &Step::Missed(vec![Step::Put { n: 0, app: 0, size: 60 }]));
    follower.informer.wait_for(&source.version().into(), SOON).await.unwrap();
    let after = follower.informer.snapshot();
    for n in 0..100 {
        let [old, new] = [&before, &after].map(|store| store.get_cached(&key(n)).unwrap());
        assert_eq!(old.ptr_eq(&new), n > 0, "{n}");
    }
    drop((before, after));
    follower.told.lock().clear();
    sleep(Duration::from_secs(10)).await;
    let status = follower.informer.status().storage.unwrap();
    assert_eq!(status.objects, 100);
    assert!(status.bytes > 0 && status.hits > 0, "{status:?}");
}

#[tokio::test(start_paused = true)]
async fn keys_only_handler_unpacks_nothing() {
    let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    for n in 0..100 {
        source.put(object(n, n % 3, 50));
    }
    let reads = |informer: &SharedInformer<_>| {
        let status = informer.status().storage.unwrap();
        status.hits + status.misses
    };
    for plain in [false, true] {
        let options = InformerOptions::new().storage(Storage::compact().hot_for(Duration::ZERO));
        let informer = SharedInformer::new(source.clone(), options.resync(RESYNC));
        let told: Arc<Mutex<Vec<_>>> = Arc::default();
        let telling = told.clone();
        let tell = move |key: &ObjectKey, event: CachedEvent<ConfigMap>| {
            let object = event.object();
            assert!(object.uid().is_some() && object.version().is_some());
            telling.lock().push((key.clone(), object.labels().cloned()));
        };
        let registration = informer.on_cached_event(tell).unwrap();
        if plain {
            informer.on_event(drop).unwrap();
        }
        informer.start().unwrap();
        assert!(registration.wait_for_sync().await);
        let packing = reads(&informer);
        source.put(object(1, 2, 60));
        source.delete(&key(2));
        sleep(RESYNC).await;
        source.put(object(2, 2, 50));
        sleep(Duration::from_secs(1)).await;
        let told = std::mem::take(&mut *told.lock());
        assert_eq!(told.len(), 100 + 2 + 99 + 1, "all, two changes, a resync and a change");
        assert!(told.contains(&(key(1), Some([("app".into(), "app-2".into())].into()))));
        if plain {
            assert!(reads(&informer) > packing + 100, "to be told of these costs an unpacking");
        } else {
            assert_eq!(reads(&informer), 0);
        }
        informer.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn readers_share_one_unpacked_object() {
    let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    source.put(object(1, 1, 50));
    let follower = Follower::new(&source, Storage::compact().hot_for(Duration::ZERO));
    follower.informer.wait_for_sync(SOON).await.unwrap();
    follower.told.lock().clear();
    let (store, lister) = (follower.informer.snapshot(), follower.informer.lister());
    let object = lister.get_by_key(&key(1)).unwrap();
    assert!(Arc::ptr_eq(&object, &store.get(&key(1)).unwrap()));
    assert!(Arc::ptr_eq(&object, &follower.by_app.get("app-1")[0]));
}

/// Packs objects and reads them.
fn through<K>(objects: impl IntoIterator<Item = K>)
where
    K: Resource + Serialize + DeserializeOwned + Clone + PartialEq + Debug + Send + Sync + 'static,
{
    let storage = Storage::<K>::compact().hot_for(Duration::ZERO).packer("things");
    for object in objects {
        let packed = storage.pack(object.clone());
        assert!(packed.is_packed(), "kept decoded: {object:?}");
        assert_eq!(*packed.get().unwrap(), object);
    }
}

/// Packs and reads what our own pairs have of a kind.
fn kind<K>(pairs: &[Pair])
where
    K: k8s_openapi::Resource + Resource + Serialize + DeserializeOwned,
    K: Clone + PartialEq + Debug + Send + Sync + 'static,
{
    let group = K::API_VERSION.replace('/', "_");
    let of_kind = pairs.iter().filter(|pair| {
        let words = pair.name.rsplit_once(' ').map(|(words, _)| words.split_once(' '));
        words == Some(Some((&*group, K::KIND)))
    });
    let decoder = SerdeDecode::<K>::new();
    let objects = of_kind.filter_map(|pair| match decoder.decode(&pair.json) {
        Ok(object) => Some(object),
        // A type can be too strict for what Go writes.
        Err(error) => {
            assert!(error.to_string().contains(": found null"), "{}: {error}", pair.name);
            None
        }
    });
    let objects: Vec<K> = objects.collect();
    assert!(objects.len() > 3, "{group} {}: {}", K::KIND, objects.len());
    through(objects);
}

#[test]
fn every_built_in_kind_survives_packing() {
    let pairs = pairs();
    // Options and other messages that are no objects have no metadata.
    let objects = pairs.iter().filter_map(|pair| serde_json::from_slice(&pair.json).ok());
    let objects: Vec<DynamicObject> = objects.collect();
    assert!(objects.len() > 500, "{}", objects.len());
    through(objects);
    // In types, the kinds whose fields have each form that there is: one compiles for seconds.
    kind::<ConfigMap>(&pairs);
    kind::<ControllerRevision>(&pairs);
    kind::<RecordedEvent>(&pairs);
    kind::<CustomResourceDefinition>(&pairs);
    kind::<HorizontalPodAutoscaler>(&pairs);
    kind::<NetworkPolicy>(&pairs);
    kind::<Pod>(&pairs);
    kind::<Secret>(&pairs);
}
