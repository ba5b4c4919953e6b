//! Views: one informer's objects, read as other types.

mod ends;
mod fidelity;
mod kinds;
mod property;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DynamicObject, ObjectMeta};
use kube::core::PartialObjectMeta;
use kube::{Resource, ResourceExt};
use kube_informer::error::Fault;
use kube_informer::informer::{ViewError, snapshots};
use kube_informer::object::FieldSet;
use kube_informer::reflector::ReflectorOptions;
use kube_informer::storage::ViewStatus;
use kube_informer::testing::{ApiServer, FakeSource, seed_by_test};
use kube_informer::transport::{ApiSource, Decode, DecodeError, SerdeDecode};
use kube_informer::{
    Cached, CachedEvent, Event, InformerOptions, ObjectKey, SharedInformer, SharedInformerFactory,
    Snapshot, Storage,
};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use crate::helpers::{S, caught_up, list_mode};

/// The place of a pod.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, Resource)]
#[resource(inherit = Pod)]
struct Placed {
    metadata: ObjectMeta,
    spec: Place,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    node_name: Option<String>,
}

/// A pod with a field that some pods lack.
#[derive(Clone, Debug, PartialEq, Deserialize, Resource)]
#[resource(inherit = Pod)]
struct Scheduled {
    metadata: ObjectMeta,
    spec: Scheduler,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Scheduler {
    scheduler_name: String,
}

/// A pod that keeps whatever there is.
#[derive(Clone, Debug, Deserialize, Resource)]
#[resource(inherit = Pod)]
struct Flat {
    metadata: ObjectMeta,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

fn pod(n: usize, node: &str) -> Pod {
    let environment: Vec<_> = (0..20)
        .map(|n| serde_json::json!({"name": format!("NAME_{n}"), "value": format!("value {n}")}))
        .collect();
    serde_json::from_value(serde_json::json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": format!("pod-{n}"), "namespace": format!("ns-{}", n % 2),
                     "labels": {"app": format!("app-{}", n % 3)}},
        "spec": {"nodeName": node, "containers": [
            {"name": "server", "image": "registry.example/server:1", "env": environment,
             "resources": {}},
        ]},
        // Protobuf has these whether they are empty or missing.
        "status": {},
    }))
    .unwrap()
}

fn key(n: usize) -> ObjectKey {
    ObjectKey::namespaced(&format!("ns-{}", n % 2), &format!("pod-{n}")).unwrap()
}

/// Returns what a view of the place must show.
fn placed(pod: &Pod) -> Placed {
    serde_json::from_value(serde_json::to_value(pod).unwrap()).unwrap()
}

fn node(pod: &Placed) -> Option<String> {
    pod.spec.node_name.clone()
}

/// A server, an informer of its pods, and what was reported.
struct Rig {
    server: ApiServer,
    pods: SharedInformer<Pod>,
    errors: Arc<Mutex<Vec<Fault>>>,
}

impl Rig {
    /// Follows so many pods, half of them on each of two nodes.
    async fn new(pods: usize, json: bool) -> Self {
        Self::of(pods, json, false, Storage::packed()).await
    }

    async fn of(pods: usize, json: bool, streaming: bool, storage: Storage<Pod>) -> Self {
        seed_by_test();
        let server = ApiServer::new();
        for n in 0..pods {
            server.create(&pod(n, &format!("node-{}", n % 2))).unwrap();
        }
        let mut source = ApiSource::<Pod>::new(server.client());
        if json {
            source = source.json_only();
        }
        let errors: Arc<Mutex<Vec<Fault>>> = Arc::default();
        let noted = errors.clone();
        let note = move |error: &kube_informer::SourceError| {
            if let Fault::Undecodable { key, problem } = error.fault() {
                noted
                    .lock()
                    .push(Fault::Undecodable { key: key.clone(), problem: problem.clone() });
            }
        };
        let reflector = ReflectorOptions::new().list_mode(list_mode(streaming)).on_error(note);
        let options = InformerOptions::new().storage(storage).reflector(reflector);
        let pods = SharedInformer::new(Arc::new(source), options);
        pods.start().unwrap();
        pods.wait_for_sync(10 * S).await.unwrap();
        Self { server, pods, errors }
    }

    async fn replace(&self, pod: &Pod) {
        self.server.replace(pod).unwrap();
        self.arrived().await;
    }

    async fn arrived(&self) {
        caught_up(&self.server, &self.pods).await;
        sleep(Duration::from_millis(1)).await;
    }

    /// Returns the status of the only view.
    fn view(&self) -> ViewStatus {
        let [view] = <[_; 1]>::try_from(self.pods.status().storage.unwrap().views).unwrap();
        view
    }
}

#[tokio::test(start_paused = true)]
async fn view_reads_what_the_informer_holds() {
    for (json, streaming) in [(false, false), (false, true), (true, false), (true, true)] {
        let rig = Rig::of(6, json, streaming, Storage::packed()).await;
        let by_node = rig.pods.add_index("node", |pod: &Pod| pod.spec.as_ref()?.node_name.clone());
        let by_node = by_node.unwrap();
        let view = rig.pods.view::<Placed>().unwrap();
        let read = |n| view.lister().get_by_key(&key(n)).unwrap();
        assert_eq!(*read(1), placed(&rig.pods.lister().get_by_key(&key(1)).unwrap()));
        assert_eq!(view.lister().all().len(), 6);
        assert_eq!(view.lister().namespace("ns-0").list(&"app=app-0".parse().unwrap()).len(), 1);
        assert_eq!(view.indexer().index("node").unwrap().get("node-1").len(), 3);
        assert_eq!(view.snapshot().indexed(&by_node, "node-1").count(), 3);
        assert_eq!(view.snapshot().get_cached(&key(2)).unwrap().get().unwrap(), read(2));
        rig.replace(&pod(1, "node-9")).await;
        assert_eq!(node(&read(1)), Some("node-9".into()));
        rig.server.delete(&pod(1, "")).unwrap();
        rig.arrived().await;
        assert!(view.lister().get_by_key(&key(1)).is_err() && view.lister().len() == 5);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_read_stays_for_its_age() {
    let rig = Rig::new(4, false).await;
    let view = rig.pods.view::<Placed>().unwrap();
    let cold = rig.pods.status().storage.unwrap();
    let all = view.lister().all();
    assert!(Arc::ptr_eq(&all[0], &view.lister().all()[0]));
    assert!(Arc::ptr_eq(&all[0], &rig.pods.view::<Placed>().unwrap().lister().all()[0]));
    let status = rig.view();
    assert_eq!((status.misses, status.hits, status.hot_objects, status.whole), (4, 8, 4, false));
    assert!((1_000..20_000).contains(&status.hot_bytes), "{}", status.hot_bytes);
    // The whole objects stay cold.
    let warm = rig.pods.status().storage.unwrap();
    assert_eq!((warm.misses, warm.hot_objects, warm.bytes), (0, 0, cold.bytes));
    sleep(50 * S).await;
    view.lister().get_by_key(&key(0)).unwrap();
    sleep(45 * S).await;
    let status = rig.view();
    assert_eq!((status.hot_objects, status.misses), (1, 4));
    sleep(100 * S).await;
    let status = rig.view();
    assert_eq!((status.hot_objects, status.hot_bytes), (0, 0));
    drop((view, all));
    assert!(rig.pods.status().storage.unwrap().views.is_empty());
}

#[tokio::test(start_paused = true)]
async fn whole_objects_and_views_cool_apart() {
    let rig = Rig::new(3, false).await;
    let (view, metadata) =
        (rig.pods.view::<Placed>().unwrap(), rig.pods.view::<PartialObjectMeta<Pod>>().unwrap());
    let whole = || rig.pods.status().storage.unwrap().hot_objects;
    for _ in 0..3 {
        rig.pods.lister().all();
        view.lister().all();
        metadata.lister().all();
        assert_eq!(whole(), 3);
        for _ in 0..5 {
            sleep(25 * S).await;
            view.lister().all();
        }
        assert_eq!(whole(), 0);
        let hot: Vec<_> = rig.pods.status().storage.unwrap().views;
        assert_eq!((hot[0].hot_objects, hot[1].hot_objects), (3, 0));
        rig.pods.lister().all();
        metadata.lister().all();
        for _ in 0..5 {
            sleep(25 * S).await;
            rig.pods.lister().all();
        }
        assert!(rig.pods.status().storage.unwrap().views.iter().all(|view| view.hot_objects == 0));
        sleep(200 * S).await;
        assert_eq!(whole(), 0);
    }
    let held = rig.pods.status().storage.unwrap();
    assert_eq!((held.hot_objects, held.hot_bytes), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn group_is_read_by_a_view_of_each_informer() {
    let rig = Rig::new(4, false).await;
    let factory = SharedInformerFactory::builder(rig.server.client()).build();
    let pods = factory.in_namespaces::<Pod>(["ns-0", "ns-1"]);
    let view = pods.view::<Placed>().unwrap();
    let by_node = view.add_index("node", node).unwrap();
    factory.start().unwrap();
    pods.wait_for_sync(10 * S).await.unwrap();
    let moments = snapshots(&view);
    assert_eq!((moments.len(), view.len(), by_node.len("node-1")), (2, 4, 2));
    assert_eq!(*view.get_by_key(&key(1)).unwrap(), placed(&pods.get_by_key(&key(1)).unwrap()));
    assert_eq!(moments.iter().map(Snapshot::len).sum::<usize>(), 4);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn snapshots_of_views_show_one_moment() {
    let rig = Rig::new(4, false).await;
    let (view, dynamic) =
        (rig.pods.view::<Placed>().unwrap(), rig.pods.view::<DynamicObject>().unwrap());
    let (pods, places, objects) = snapshots((&rig.pods, &view, &dynamic));
    rig.replace(&pod(1, "elsewhere")).await;
    let before = pods.get(&key(1)).unwrap();
    assert_eq!(*places.get(&key(1)).unwrap(), placed(&before));
    let object = objects.get(&key(1)).unwrap();
    assert_eq!(object.resource_version(), before.resource_version());
    assert_eq!(object.data["spec"]["nodeName"], "node-1");
    assert_eq!((places.version(), objects.version()), (pods.version(), pods.version()));
    let both = [view.clone(), rig.pods.view_with(SerdeDecode::<Placed>::new()).unwrap()];
    let taken = snapshots(&both);
    rig.replace(&pod(2, "elsewhere")).await;
    assert_eq!(taken[0].version(), taken[1].version());
    assert_eq!(taken[0].get(&key(2)), taken[1].get(&key(2)));
    let (places, _) = snapshots((&view, &rig.pods));
    assert_eq!(node(&places.get(&key(1)).unwrap()), Some("elsewhere".into()));
}

#[tokio::test(start_paused = true)]
async fn handlers_of_a_view_share_each_state() {
    let rig = Rig::new(2, false).await;
    let view = rig.pods.view::<Placed>().unwrap();
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    for _ in 0..3 {
        let log = log.clone();
        let told = move |event: Event<Placed>| {
            let new = node(event.object()).unwrap();
            let old = event.old().and_then(|old| node(old)).unwrap_or_default();
            log.lock().push(format!("{} {old} {new}", event.object().name_any()));
        };
        view.on_event(told).unwrap();
    }
    let mut stream = view.events().unwrap();
    sleep(S).await;
    assert_eq!(std::mem::take(&mut *log.lock()).len(), 6);
    assert_eq!(rig.view().misses, 2);
    for round in 0..3 {
        rig.replace(&pod(1, &format!("node-{}", round + 2))).await;
        let expected = format!("pod-1 node-{} node-{}", round + 1, round + 2);
        assert_eq!(std::mem::take(&mut *log.lock()), vec![expected; 3]);
    }
    assert_eq!(rig.view().misses, 2 + 3, "each state is decoded once");
    let mut streamed = Vec::new();
    while let Some(Some(event)) = stream.next().now_or_never() {
        streamed.push(event.object().name_any());
    }
    assert_eq!(streamed.len(), 2 + 3);
    rig.server.delete(&pod(0, "")).unwrap();
    rig.arrived().await;
    assert_eq!(*log.lock(), vec!["pod-0  node-0"; 3]);
    assert_eq!(rig.pods.status().storage.unwrap().misses, 0, "no whole object was decoded");
}

/// Notes of each update whether it tells the same state twice.
struct Same(Arc<Mutex<Vec<bool>>>);
impl kube_informer::EventHandler<Placed> for Same {
    fn on_cached_event(&mut self, _: &ObjectKey, event: CachedEvent<Placed>) {
        if let CachedEvent::Updated { old, new } = event {
            assert_eq!(old.get(), new.get());
            self.0.lock().push(old.ptr_eq(&new));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn cached_events_of_a_view_show_resyncs() {
    let rig = Rig::new(1, false).await;
    let view = rig.pods.view::<Placed>().unwrap();
    let log: Arc<Mutex<Vec<bool>>> = Arc::default();
    let told = log.clone();
    let options = kube_informer::HandlerOptions::new().resync(100 * S);
    view.add_handler_with(Same(told), options).unwrap();
    sleep(150 * S).await;
    assert_eq!(*log.lock(), [true]);
}

#[tokio::test(start_paused = true)]
async fn unreadable_object_is_missing_from_its_view_only() {
    for json in [false, true] {
        let rig = Rig::new(2, json).await;
        // The embedded server adds no scheduler.
        let mut named = pod(1, "node-1");
        named.spec.as_mut().unwrap().scheduler_name = Some("mine".into());
        rig.replace(&named).await;
        let view = rig.pods.view::<Scheduled>().unwrap();
        let log: Arc<Mutex<Vec<String>>> = Arc::default();
        let told = log.clone();
        let scheduler = |pod: &Scheduled| pod.spec.scheduler_name.clone();
        let tell = move |event: Event<Scheduled>| {
            let text = match &event {
                Event::Added { object, .. } => format!("+{}", scheduler(object)),
                Event::Updated { old, new } => format!("~{} {}", scheduler(old), scheduler(new)),
                event => format!("-{}", scheduler(event.object())),
            };
            told.lock().push(text);
        };
        view.on_event(tell).unwrap();
        rig.arrived().await;
        assert_eq!(view.lister().all().len(), 1);
        assert!(view.lister().get_by_key(&key(0)).is_err());
        let places = rig.pods.view::<Placed>().unwrap();
        assert_eq!((rig.pods.lister().all().len(), places.lister().all().len()), (2, 2));
        let reported = std::mem::take(&mut *rig.errors.lock());
        let [Fault::Undecodable { key: Some(of), problem }] = &*reported else {
            panic!("not one report: {reported:?}");
        };
        assert_eq!(*of, key(0));
        let parts = ["schedulerName", "Scheduled"];
        assert!(parts.iter().all(|part| problem.contains(part)), "{problem}");
        // The events fit together, without the states that the view can't read.
        rig.replace(&pod(1, "node-2")).await;
        named.spec.as_mut().unwrap().scheduler_name = Some("yours".into());
        rig.replace(&named).await;
        rig.replace(&pod(1, "node-2")).await;
        rig.server.delete(&pod(1, "")).unwrap();
        rig.arrived().await;
        assert_eq!(*log.lock(), ["+mine", "~mine yours", "-yours"]);
        let storage = rig.pods.status().storage.unwrap();
        assert_eq!(storage.unreadable, 0);
        assert!(storage.views.iter().any(|view| view.unreadable > 2), "{storage:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn decoded_storage_refuses_views() {
    let rig = Rig::of(1, false, false, Storage::decoded()).await;
    let refused = rig.pods.view::<Placed>().unwrap_err();
    assert!(matches!(&refused, ViewError::Decoded { resource } if **resource == *"pods"));
    assert!(refused.to_string().contains("Storage::packed()"), "{refused}");
    assert!(rig.pods.view_with(SerdeDecode::<Placed>::new()).is_err());
}

/// A type that has little of a pod.
#[derive(Clone, Debug, Deserialize, Serialize, Resource)]
#[resource(inherit = Pod)]
struct Named {
    metadata: ObjectMeta,
}

#[tokio::test(start_paused = true)]
async fn view_of_a_small_type_reads_all_or_is_refused() {
    seed_by_test();
    let server = ApiServer::new();
    let mut draws = fastrand::Rng::with_seed(1);
    for n in 0..12 {
        let mut pod = pod(n, "node-1");
        // The type lacks it, and compression can't make it small.
        let text: String = std::iter::repeat_with(|| draws.alphanumeric()).take(5_000).collect();
        pod.spec.as_mut().unwrap().containers[0].args = Some(vec![text]);
        server.create(&pod).unwrap();
    }
    for early in [true, false] {
        let source = Arc::new(ApiSource::<Named>::new(server.client()));
        let named = SharedInformer::new(source, InformerOptions::new());
        let view = early.then(|| named.view::<Placed>().unwrap());
        named.start().unwrap();
        named.wait_for_sync(10 * S).await.unwrap();
        let storage = named.status().storage.unwrap();
        assert_eq!((storage.refused.is_some(), named.lister().len()), (!early, 12));
        if let Some(view) = view {
            let placed = view.lister().all();
            assert_eq!(placed.iter().filter(|pod| node(pod).is_some()).count(), 12);
        } else {
            let refused = named.view::<Placed>().unwrap_err();
            assert!(matches!(refused, ViewError::Small { .. }), "{refused}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn objects_without_bytes_are_serialised() {
    let source = Arc::new(FakeSource::<Pod>::new("pods", "Pod"));
    source.put(pod(0, "node-0"));
    let pods = crate::helpers::informer_of(&source);
    let view = pods.view::<Placed>().unwrap();
    let by_node = view.add_index("node", node).unwrap();
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = log.clone();
    let tell = move |event: Event<Placed>| {
        let old = event.old().and_then(|old| node(old)).unwrap_or_default();
        told.lock().push(format!("{old} {}", node(event.object()).unwrap()));
    };
    view.on_event(tell).unwrap();
    pods.start().unwrap();
    pods.wait_for_sync(10 * S).await.unwrap();
    source.put(pod(0, "node-1"));
    sleep(S).await;
    assert_eq!(*log.lock(), [" node-0", "node-0 node-1"]);
    let whole = pods.lister().get_by_key(&key(0)).unwrap();
    assert_eq!(*view.lister().get_by_key(&key(0)).unwrap(), placed(&whole));
    assert_eq!((by_node.len("node-0"), by_node.get("node-1").len()), (0, 1));
    // A view of a view reads what the informer stores.
    let again = view.view::<PartialObjectMeta<Pod>>().unwrap();
    assert_eq!(again.lister().get_by_key(&key(0)).unwrap().metadata, whole.metadata);
    assert!(again.view::<Pod>().unwrap().lister().get_by_key(&key(0)).unwrap() == whole);
    let scheduled = pods.view::<Scheduled>().unwrap();
    assert!(scheduled.lister().all().is_empty());
    let views = pods.status().storage.unwrap().views;
    assert!(views.iter().all(|view| view.converted > 0 && view.misses == 0), "{views:?}");
}

#[tokio::test(start_paused = true)]
async fn index_by_view_follows_the_objects() {
    for json in [false, true] {
        for early in [false, true] {
            let storage = Storage::packed().check_on_arrival(json == early);
            let rig = Rig::of(0, json, false, storage).await;
            let view = rig.pods.view::<Placed>().unwrap();
            let by_app = |pod: &Pod| pod.labels().get("app").cloned();
            rig.pods.add_index_on("app", ["metadata.labels"], by_app).unwrap();
            let add = || view.add_index("node", node).unwrap();
            let by_node = early.then(add);
            for n in 0..6 {
                rig.server.create(&pod(n, &format!("node-{}", n % 2))).unwrap();
            }
            rig.arrived().await;
            let by_node = by_node.unwrap_or_else(add);
            assert_eq!((by_node.len("node-0"), by_node.len("node-1")), (3, 3));
            assert_eq!(rig.pods.indexer().index("node").unwrap().get("node-1").len(), 3);
            rig.replace(&pod(1, "node-0")).await;
            rig.server.delete(&pod(0, "")).unwrap();
            rig.arrived().await;
            assert_eq!((by_node.len("node-0"), by_node.len("node-1")), (3, 2));
            assert_eq!(view.snapshot().indexed(&by_node, "node-0").count(), 3);
            assert_eq!(rig.pods.indexer().index("app").unwrap().len("app-1"), 2);
            let audit = rig.pods.audit().await;
            assert!(audit.indexes.is_empty(), "{audit:?}");
        }
    }
}

/// Storing the object would call a function again.
#[tokio::test(start_paused = true)]
async fn index_that_cannot_read_loses_no_values_of_others() {
    let rig = Rig::of(0, false, false, Storage::packed()).await;
    let view = rig.pods.view::<Scheduled>().unwrap();
    view.add_index("scheduler", |pod: &Scheduled| Some(pod.spec.scheduler_name.clone())).unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let by_app = move |pod: &Pod| {
        counted.fetch_add(1, Relaxed);
        pod.labels().get("app").cloned()
    };
    let by_app = rig.pods.add_index("app", by_app).unwrap();
    for n in 0..6 {
        rig.server.create(&pod(n, "node-1")).unwrap();
    }
    rig.arrived().await;
    assert_eq!((by_app.len("app-1"), calls.load(Relaxed)), (2, 6));
    rig.replace(&pod(1, "node-2")).await;
    assert_eq!((by_app.len("app-1"), calls.load(Relaxed)), (2, 7));
}

#[tokio::test(start_paused = true)]
async fn index_by_view_leaves_out_what_it_cannot_read() {
    let rig = Rig::new(2, false).await;
    let view = rig.pods.view::<Scheduled>().unwrap();
    let scheduler = |pod: &Scheduled| Some(pod.spec.scheduler_name.clone());
    let index = view.add_index("scheduler", scheduler).unwrap();
    let mut named = pod(1, "node-1");
    named.spec.as_mut().unwrap().scheduler_name = Some("mine".into());
    rig.replace(&named).await;
    assert_eq!(index.keys("mine"), [key(1)]);
    rig.replace(&pod(1, "node-1")).await;
    assert!(index.values().is_empty());
    assert_eq!(rig.pods.lister().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn index_reads_an_unreadable_state_once() {
    let rig = Rig::new(1, false).await;
    let view = rig.pods.view::<Scheduled>().unwrap();
    let scheduler = |pod: &Scheduled| Some(pod.spec.scheduler_name.clone());
    let index = view.add_index("scheduler", scheduler).unwrap();
    for n in 1..6 {
        rig.replace(&pod(0, &format!("node-{n}"))).await;
    }
    assert_eq!(rig.view().unreadable, 6);
    rig.server.delete(&pod(0, "")).unwrap();
    rig.arrived().await;
    // The next object gets the place of the deleted one.
    for (n, name) in ["mine", "yours", "", "mine"].into_iter().enumerate() {
        let mut named = pod(2, "node-1");
        named.spec.as_mut().unwrap().scheduler_name = Some(name.into()).filter(|_| n != 2);
        if n == 0 { rig.server.create(&named) } else { rig.server.replace(&named) }.unwrap();
        rig.arrived().await;
        let values: Vec<_> = index.values().iter().map(ToString::to_string).collect();
        assert_eq!(values, if n == 2 { vec![] } else { vec![name] });
    }
    assert_eq!(index.keys("mine"), [key(2)]);
}

#[tokio::test(start_paused = true)]
async fn metadata_and_dynamic_objects_are_views() {
    for json in [false, true] {
        let rig = Rig::new(2, json).await;
        rig.replace(&pod(1, "node-1")).await;
        let metadata = rig.pods.view::<PartialObjectMeta<Pod>>().unwrap();
        let dynamic = rig.pods.view::<DynamicObject>().unwrap();
        let flat = rig.pods.view::<Flat>().unwrap();
        for n in 0..2 {
            let whole = rig.pods.lister().get_by_key(&key(n)).unwrap();
            let read = metadata.lister().get_by_key(&key(n)).unwrap();
            assert_eq!(read.metadata, whole.metadata);
            let read = dynamic.lister().get_by_key(&key(n)).unwrap();
            assert_eq!(read.metadata, whole.metadata);
            let spec = serde_json::to_value(&whole.spec).unwrap();
            assert_eq!(read.data["spec"], spec);
            let read = flat.lister().get_by_key(&key(n)).unwrap();
            assert_eq!((&read.metadata, &read.rest["spec"]), (&whole.metadata, &spec));
        }
        let views = rig.pods.status().storage.unwrap().views;
        let whole: Vec<_> = views.iter().map(|view| view.whole).collect();
        assert_eq!(whole, [false, true, true]);
    }
}

/// A decoder of its own, which counts what it decodes.
struct Counting(Arc<Mutex<usize>>);

impl Decode<Placed> for Counting {
    fn decode(&self, object: &[u8]) -> Result<Placed, DecodeError> {
        *self.0.lock() += 1;
        SerdeDecode::new().decode(object)
    }
}

#[tokio::test(start_paused = true)]
async fn view_decodes_in_a_way_of_its_own() {
    let rig = Rig::new(3, true).await;
    let count = Arc::default();
    let view = rig.pods.view_with(Counting(Arc::clone(&count))).unwrap();
    let other = view.clone();
    assert_eq!(view.lister().all(), other.lister().all());
    assert_eq!(*count.lock(), 3);
}

#[tokio::test(start_paused = true)]
async fn taps_and_waits_read_the_view() {
    let rig = Rig::new(1, false).await;
    let view = rig.pods.view::<Placed>().unwrap();
    let (mut tap, stored) = view.tap("test", 8).unwrap();
    assert_eq!(node(&stored.get(&key(0)).unwrap()), Some("node-0".into()));
    rig.replace(&pod(0, "node-1")).await;
    let (_, event) = tap.next().await.unwrap();
    let event = event.read().unwrap();
    assert_eq!(
        (event.old().and_then(|old| node(old)).unwrap(), node(event.object()).unwrap()),
        ("node-0".into(), "node-1".into())
    );
    let version = rig.server.revision().into();
    let lister = view.lister().namespace("ns-0");
    assert_eq!(
        node(&lister.get_at_least("pod-0", &version, S).await.unwrap()),
        Some("node-1".into())
    );
    let mut changes = view.changes().and(&rig.pods);
    changes.changed().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn path_is_read_without_decoding() {
    for json in [false, true] {
        let rig = Rig::new(1, json).await;
        let view = rig.pods.view::<Placed>().unwrap();
        let dynamic = rig.pods.view::<DynamicObject>().unwrap();
        let pod = rig.pods.snapshot().get_cached(&key(0)).unwrap();
        assert_eq!(pod.field("spec.nodeName").unwrap(), "node-0");
        assert_eq!(pod.field("spec.containers.name").unwrap(), serde_json::json!(["server"]));
        assert_eq!(pod.field("spec.hostname"), None);
        let fields = FieldSet::from_paths(["metadata.name", "spec.nodeName", "spec.none"]);
        let row =
            serde_json::json!({"metadata": {"name": "pod-0"}, "spec": {"nodeName": "node-0"}});
        assert_eq!(pod.project(&fields).unwrap(), row);
        // A path is that of the object, whatever a view reads of it.
        let seen = view.snapshot().get_cached(&key(0)).unwrap();
        assert_eq!(seen.field("spec.containers.name"), pod.field("spec.containers.name"));
        assert_eq!(dynamic.snapshot().get_cached(&key(0)).unwrap().project(&fields), Some(row));
        let storage = rig.pods.status().storage.unwrap();
        assert!(storage.misses == 0 && storage.views.iter().all(|view| view.misses == 0));
        let decoded = Cached::from(rig.pods.lister().get_by_key(&key(0)).unwrap());
        assert_eq!(decoded.field("spec.nodeName"), pod.field("spec.nodeName"));
        assert_eq!(decoded.project(&fields), pod.project(&fields));
    }
}

#[tokio::test(start_paused = true)]
async fn limit_bounds_what_is_held() {
    let storage = Storage::packed().hot_limit(20_000);
    let rig = Rig::of(20, false, false, storage).await;
    let view = rig.pods.view::<Placed>().unwrap();
    let held = || {
        let storage = rig.pods.status().storage.unwrap();
        storage.hot_bytes + storage.views[0].hot_bytes
    };
    let most = held();
    assert_eq!(most, 0);
    for _ in 0..3 {
        assert_eq!((view.lister().all().len(), rig.pods.lister().all().len()), (20, 20));
        // The last one may exceed the limit by its size.
        assert!((20_000..200_000).contains(&held()), "{}", held());
    }
    assert!(rig.pods.status().storage.unwrap().over_limit > 20);
    // Handlers of whole objects hold no more, either.
    rig.pods.on_event(drop).unwrap();
    for round in 0..5 {
        for n in 0..20 {
            rig.server.replace(&pod(n, &format!("node-{round}"))).unwrap();
        }
        rig.arrived().await;
        assert!(held() < 200_000, "{}", held());
    }
    sleep(200 * S).await;
    assert_eq!(held(), 0);
    view.lister().all();
    assert!(held() > 0);
}
