//! Views and paths show what their informer keeps, whatever the encoding and the decoder.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{Patch, PatchParams};
use kube_informer::object::Cached;
use kube_informer::reflector::ReflectorOptions;
use serde_json::{Value, json};

use super::*;

fn map(value: &str) -> Value {
    let line = |n| (format!("key-{n}"), json!(format!("the value {value} of {n}")));
    let data: serde_json::Map<_, _> = (0..20).map(line).collect();
    json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "a", "namespace": "shop"}, "data": data})
}

/// Follows the config maps of a server.
async fn follow(
    server: &ApiServer,
    json: bool,
    keep: impl FnOnce(ApiSource<ConfigMap>) -> ApiSource<ConfigMap>,
) -> SharedInformer<ConfigMap> {
    let source = keep(ApiSource::new(server.client()));
    let source = if json { source.json_only() } else { source };
    let options = InformerOptions::new().reflector(ReflectorOptions::new().on_error(|_| {}));
    let maps = SharedInformer::new(Arc::new(source), options);
    maps.start().unwrap();
    maps.wait_for_sync(10 * S).await.unwrap();
    maps
}

#[tokio::test(start_paused = true)]
async fn views_and_paths_have_the_kept_managed_fields() {
    seed_by_test();
    let server = ApiServer::new();
    let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
    for manager in ["one", "other"] {
        let params = PatchParams::apply(manager);
        let applied = json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "a"}, "data": {manager: "x".repeat(600)}});
        api.patch("a", &params, &Patch::Apply(applied)).await.unwrap();
    }
    for json in [false, true] {
        for kept in [0, 1, 2] {
            let maps = follow(&server, json, |source| match kept {
                0 => source,
                1 => source.managed_fields_of("one"),
                _ => source.managed_fields(true),
            });
            let maps = maps.await;
            let (metadata, dynamic) = (
                maps.view::<PartialObjectMeta<ConfigMap>>().unwrap(),
                maps.view::<DynamicObject>().unwrap(),
            );
            let (_, cached) = maps.snapshot().iter_cached().next().map(own).unwrap();
            let whole = cached.get().unwrap();
            assert_eq!(whole.managed_fields().len(), kept, "{json}");
            assert_eq!(metadata.lister().all()[0].metadata, whole.metadata, "{json}, {kept}");
            assert_eq!(dynamic.lister().all()[0].metadata, whole.metadata, "{json}, {kept}");
            let decoded = Cached::from(whole);
            for path in ["metadata", "metadata.managedFields", "metadata.managedFields.manager"] {
                let found = cached.field(path);
                assert_eq!(found, decoded.field(path), "{json}, {kept}");
                assert_eq!(found.is_some(), kept > 0 || path == "metadata");
                let fields = FieldSet::from_paths([path]);
                assert_eq!(cached.project(&fields), decoded.project(&fields), "{json}, {kept}");
            }
            let fields = FieldSet::from_paths(["metadata"]);
            assert_eq!(
                cached.project(&fields).unwrap()["metadata"],
                cached.field("metadata").unwrap()
            );
        }
    }
}

fn own<K>((key, object): (&ObjectKey, Cached<K>)) -> (ObjectKey, Cached<K>) {
    (key.clone(), object)
}

#[tokio::test(start_paused = true)]
async fn part_that_cannot_be_read_spoils_no_event() {
    seed_by_test();
    let server = ApiServer::new();
    let make = |value| {
        let mut map = map(value);
        map["data"]["$serde_json::private::Number"] = json!(value);
        serde_json::from_value::<ConfigMap>(map).unwrap()
    };
    server.create(&make("0")).unwrap();
    for json in [false, true] {
        let maps = follow(&server, json, |source| source).await;
        let log: Arc<Mutex<Vec<&str>>> = Arc::default();
        let told = log.clone();
        let tell = move |_: &ObjectKey, event: CachedEvent<ConfigMap>| {
            let read = event.read();
            assert_eq!(event.object().field("data"), None, "no tree of JSON holds it");
            assert_eq!(event.object().field("metadata.name").unwrap(), "a");
            told.lock().push(match read {
                Some(Event::Added { .. }) => "added",
                Some(Event::Updated { .. }) => "updated",
                _ => "other",
            });
        };
        maps.on_cached_event(tell).unwrap();
        for value in ["1", "2"] {
            sleep(S).await;
            server.replace(&make(value)).unwrap();
        }
        sleep(S).await;
        assert_eq!(*log.lock(), ["added", "updated", "updated"]);
        assert!(maps.status().storage.unwrap().unreadable > 0);
    }
}

/// A decoder that adds an annotation.
struct Marks;
impl Decode<Pod> for Marks {
    fn decode(&self, object: &[u8]) -> Result<Pod, DecodeError> {
        let mut pod: Pod = SerdeDecode::new().decode(object)?;
        pod.metadata.annotations = Some([("mark".into(), "yes".into())].into());
        Ok(pod)
    }
}

#[tokio::test(start_paused = true)]
async fn own_decoder_also_reads_objects_of_its_type() {
    let source = Arc::new(FakeSource::<Pod>::new("pods", "Pod"));
    source.put(pod(0, "node-0"));
    let pods = crate::helpers::informer_of(&source);
    let marked = pods.view_with(Marks).unwrap();
    let same = pods.view::<Pod>().unwrap();
    pods.start().unwrap();
    pods.wait_for_sync(10 * S).await.unwrap();
    let annotated = |pod: &Pod| pod.annotations().contains_key("mark");
    let read = |of: &SharedInformer<Pod>| of.lister().get_by_key(&key(0)).unwrap();
    assert!(annotated(&read(&marked)) && !annotated(&read(&same)));
    assert!(Arc::ptr_eq(&read(&same), &read(&pods)), "nothing is converted");
    // The program itself may put objects into the store.
    let mut write = marked.indexer().transaction();
    write.put(&key(1), Arc::new(pod(1, "node-1")));
    write.commit();
    assert!(annotated(&marked.lister().get_by_key(&key(1)).unwrap()));
}

/// A decoder of which no byte is counted.
struct Uncounted;
impl Decode<Flat> for Uncounted {
    fn decode(&self, object: &[u8]) -> Result<Flat, DecodeError> {
        serde_json::from_slice(object).map_err(|_| DecodeError::new("no pod"))
    }
}

#[tokio::test(start_paused = true)]
async fn limit_bounds_what_an_own_decoder_returns() {
    for json in [true, false] {
        let rig = Rig::of(20, json, false, Storage::packed().hot_limit(10_000)).await;
        let view = rig.pods.view_with(Uncounted).unwrap();
        assert_eq!(view.lister().all().len(), 20);
        let status = rig.view();
        assert!((4..15).contains(&status.hot_objects), "{status:?}");
        assert!(rig.pods.status().storage.unwrap().over_limit > 0);
    }
}

#[tokio::test(start_paused = true)]
async fn unreadable_state_without_bytes_is_reported_once() {
    seed_by_test();
    let source = Arc::new(FakeSource::<Pod>::new("pods", "Pod"));
    source.put(pod(0, "node-0"));
    let told = Arc::new(AtomicUsize::new(0));
    let counted = told.clone();
    let reflector = ReflectorOptions::new().on_error(move |error| {
        assert!(matches!(error.fault(), Fault::Undecodable { key: Some(of), .. } if *of == key(0)));
        counted.fetch_add(1, Relaxed);
    });
    let pods = SharedInformer::new(source.clone(), InformerOptions::new().reflector(reflector));
    let view = pods.view::<Scheduled>().unwrap();
    pods.start().unwrap();
    pods.wait_for_sync(10 * S).await.unwrap();
    for state in 1..3 {
        for _ in 0..5 {
            assert!(view.lister().all().is_empty());
            sleep(S).await;
        }
        assert_eq!(told.load(Relaxed), state);
        assert_eq!(pods.status().storage.unwrap().views[0].unreadable, 5 * state as u64);
        source.put(pod(0, "node-1"));
        sleep(S).await;
    }
}

#[tokio::test(start_paused = true)]
async fn decoder_of_json_reads_objects_in_protobuf() {
    for streaming in [false, true] {
        let rig = Rig::of(2, false, streaming, Storage::packed()).await;
        rig.replace(&pod(1, "node-7")).await;
        let marked = rig.pods.view_with(Marks).unwrap();
        let flat = rig.pods.view_with(Uncounted).unwrap();
        for n in 0..2 {
            let whole = rig.pods.lister().get_by_key(&key(n)).unwrap();
            let read = marked.lister().get_by_key(&key(n)).unwrap();
            assert_eq!((&read.spec, read.annotations()["mark"].as_str()), (&whole.spec, "yes"));
            let read = flat.lister().get_by_key(&key(n)).unwrap();
            assert_eq!(read.metadata, whole.metadata);
            assert_eq!(read.rest["spec"], serde_json::to_value(&whole.spec).unwrap());
        }
        assert!(rig.errors.lock().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn path_finds_what_the_type_of_its_view_lacks() {
    let source = Arc::new(FakeSource::<Pod>::new("pods", "Pod"));
    source.put(pod(0, "node-0"));
    let without_bytes = crate::helpers::informer_of(&source);
    without_bytes.start().unwrap();
    without_bytes.wait_for_sync(10 * S).await.unwrap();
    let packed = Rig::new(1, false).await.pods;
    let fields = FieldSet::from_paths(["spec.containers.image", "spec.nodeName"]);
    for pods in [packed, without_bytes] {
        let placed = pods.view::<Placed>().unwrap().snapshot().get_cached(&key(0)).unwrap();
        let images = placed.field("spec.containers.image");
        assert_eq!(images, Some(json!(["registry.example/server:1"])));
        let whole = pods.snapshot().get_cached(&key(0)).unwrap();
        assert_eq!(placed.project(&fields), whole.project(&fields));
        assert_eq!(placed.field("spec.missing"), None);
    }
}
