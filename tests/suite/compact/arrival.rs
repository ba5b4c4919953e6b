//! Objects of a server, kept as they arrive and decoded by their readers.

use std::sync::atomic::{AtomicUsize, Ordering};

use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube_informer::object::FieldSet;
use kube_informer::testing::ApiServer;
use kube_informer::transport::protobuf::ProtobufObject;
use kube_informer::transport::{ApiSource, Decode, DecodeError, DecodeProtobuf, SerdeDecode};
use tokio::time::timeout;

use super::*;
use crate::helpers::{S, list_mode};

#[path = "../../../benches/peers/pods.rs"]
#[allow(dead_code, clippy::format_push_string, clippy::expect_used, reason = "the comparison's")]
mod pods;

/// A pod with managed fields, as a server keeps it.
fn pod(n: usize, node: &str) -> Pod {
    serde_json::from_value(serde_json::json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": format!("pod-{n}"), "namespace": format!("ns-{}", n % 3),
                     "labels": {"app": format!("app-{}", n % 4)}},
        "spec": {"nodeName": node, "containers": [{"name": "server", "image": "registry.example/server:1"}]},
    }))
    .unwrap()
}

/// Of one server's pods an informer in decoded storage and one in compact storage.
struct Both {
    way: String,
    decoded: SharedInformer<Pod>,
    compact: SharedInformer<Pod>,
    by_node: Index<Pod>,
}

/// By each way that objects can come.
fn ways(server: &ApiServer) -> Vec<Both> {
    let mut ways = Vec::new();
    let all = [false, true].into_iter().flat_map(|json| [(json, false, false), (json, true, true)]);
    let all = all.flat_map(|(json, streaming, strip)| {
        [true, false].map(|check| (json, streaming, strip, check))
    });
    for (json, streaming, strip, check) in all {
        let informer = |storage| {
            let mut source = ApiSource::<Pod>::new(server.client()).managed_fields(!strip);
            if json {
                source = source.json_only();
            }
            let reflector =
                ReflectorOptions::new().list_mode(list_mode(streaming)).on_error(|_| {});
            let options = InformerOptions::new().storage(storage).reflector(reflector);
            SharedInformer::new(Arc::new(source), options)
        };
        let compact = informer(Storage::packed().hot_for(Duration::ZERO).check_on_arrival(check));
        let node = |pod: &Pod| pod.spec.as_ref()?.node_name.clone();
        let by_node = if check {
            compact.add_index("node", node)
        } else {
            compact.add_index_on("node", ["spec.nodeName"], node)
        };
        let by_node = by_node.unwrap();
        let way = format!("json {json}, streaming {streaming}, strip {strip}, check {check}");
        let decoded = informer(Storage::decoded());
        for informer in [&decoded, &compact] {
            informer.start().unwrap();
        }
        ways.push(Both { way, decoded, compact, by_node });
    }
    ways
}

#[tokio::test(start_paused = true)]
async fn objects_stay_packed_until_read() {
    kept_as_they_came().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn objects_stay_packed_until_read_on_several_threads() {
    kept_as_they_came().await;
}

async fn kept_as_they_came() {
    let server = ApiServer::new();
    let shop = |n: usize| Api::<Pod>::namespaced(server.client(), &format!("ns-{}", n % 3));
    for n in 0..30 {
        shop(n).create(&PostParams::default(), &pod(n, "n-1")).await.unwrap();
    }
    let ways = ways(&server);
    for Both { decoded, compact, .. } in &ways {
        decoded.wait_for_sync(SOON).await.unwrap();
        compact.wait_for_sync(SOON).await.unwrap();
    }
    for n in 10..20 {
        let name = format!("pod-{n}");
        shop(n).delete(&name, &DeleteParams::default().grace_period(0)).await.unwrap();
        if n % 2 == 0 {
            shop(n).create(&PostParams::default(), &pod(n, "n-2")).await.unwrap();
        }
    }
    let patch = serde_json::json!({"metadata": {"labels": {"app": "other"}}});
    for n in 0..10 {
        let name = format!("pod-{n}");
        shop(n).patch(&name, &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    }
    for Both { way, decoded, compact, by_node } in ways {
        for informer in [&decoded, &compact] {
            informer.wait_for(&server.revision().into(), SOON).await.unwrap();
        }
        assert_eq!((by_node.len("n-1"), by_node.len("n-2")), (20, 5), "{way}");
        // Another thread may still be freeing the earlier contents of the store.
        let packed = || compact.status().storage.unwrap().objects;
        let few = async {
            while packed() != 25 {
                sleep(Duration::from_millis(1)).await;
            }
        };
        assert!(timeout(SOON, few).await.is_ok(), "{way}: {} are packed", packed());
        let status = compact.status().storage.unwrap();
        assert_eq!((status.misses, status.kept_decoded), (0, 0), "{way}");
        let (decoded, compact) = (decoded.snapshot(), compact.snapshot());
        let managed = decoded.iter().any(|(_, pod)| pod.metadata.managed_fields.is_some());
        assert_eq!(managed, !way.contains("strip true"), "{way}");
        assert_eq!((decoded.len(), compact.len()), (25, 25));
        for (key, pod) in decoded.iter() {
            let cached = compact.get_cached(key).unwrap();
            assert_eq!(cached.uid(), pod.metadata.uid.as_deref(), "{way}");
            assert_eq!(cached.labels(), pod.metadata.labels.as_ref(), "{way}");
            assert_eq!(cached.get().unwrap(), pod, "{way}");
        }
    }
}

/// Decodes what does not say that it can't be, and counts: whole objects, and parts.
#[derive(Clone, Default)]
struct Counting(Arc<AtomicUsize>, Arc<AtomicUsize>);

impl Decode<Pod> for Counting {
    fn decode(&self, object: &[u8]) -> Result<Pod, DecodeError> {
        SerdeDecode::new().decode(object)
    }

    fn protobuf(&self) -> Option<&dyn DecodeProtobuf<Pod>> {
        Some(self)
    }
}

impl DecodeProtobuf<Pod> for Counting {
    fn decode_protobuf(&self, object: &ProtobufObject<'_>) -> Result<Pod, DecodeError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let pod: Pod = object.decode()?;
        match pod.metadata.name.as_deref() {
            Some("pod-7") => Err(DecodeError::new("this one can't be")),
            _ => Ok(pod),
        }
    }

    fn decode_protobuf_fields(
        &self,
        object: &ProtobufObject<'_>,
        fields: &FieldSet,
    ) -> Result<Pod, DecodeError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        SerdeDecode::new().decode_protobuf_fields(object, fields)
    }
}

#[tokio::test(start_paused = true)]
async fn undecoded_objects_are_decoded_by_their_reader() {
    decoded_by_who_reads().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn undecoded_objects_are_decoded_on_several_threads() {
    decoded_by_who_reads().await;
}

async fn decoded_by_who_reads() {
    let server = ApiServer::new();
    for n in 0..10 {
        let shop = Api::<Pod>::namespaced(server.client(), &format!("ns-{}", n % 3));
        shop.create(&PostParams::default(), &pod(n, "n-1")).await.unwrap();
    }
    for (check, decoded) in [(false, 0), (true, 10)] {
        let counting = Counting::default();
        let source = ApiSource::<Pod>::new(server.client()).decoder(counting.clone());
        let storage = Storage::packed().hot_for(Duration::ZERO).check_on_arrival(check);
        let reflector = ReflectorOptions::new().on_error(|_| {});
        let options = InformerOptions::new().storage(storage).reflector(reflector);
        let informer = SharedInformer::new(Arc::new(source), options);
        informer.start().unwrap();
        informer.wait_for_sync(SOON).await.unwrap();
        assert_eq!(counting.0.swap(0, Ordering::Relaxed), decoded);
        let lister = informer.lister();
        // One that can't be decoded is not stored, or found when it is read.
        assert_eq!(lister.len(), if check { 9 } else { 10 });
        let labelled = lister.list(&"app=app-1".parse().unwrap()).len();
        assert_eq!((labelled, counting.0.swap(0, Ordering::Relaxed)), (3, 3));
        let key = |n: usize| ObjectKey::namespaced(&format!("ns-{}", n % 3), &format!("pod-{n}"));
        assert!(lister.get_by_key(&key(7).unwrap()).is_err());
        let unreadable = informer.status().storage.unwrap().unreadable;
        assert_eq!(unreadable, u64::from(!check));
        // With an index everything is shown to it, and known when it changes.
        let by_node = informer.add_index("node", |pod: &Pod| pod.spec.as_ref()?.node_name.clone());
        assert_eq!(by_node.unwrap().len("n-1"), 9);
        counting.0.store(0, Ordering::Relaxed);
        let patch = serde_json::json!({"metadata": {"labels": {"check": check.to_string()}}});
        let shop = Api::<Pod>::namespaced(server.client(), "ns-1");
        shop.patch("pod-1", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
        informer.wait_for(&server.revision().into(), SOON).await.unwrap();
        // Objects stored before the index have no recorded values.
        assert_eq!(counting.0.swap(0, Ordering::Relaxed), 2);
        informer.shutdown().await;
    }
}

/// Decodes like the default decoder, which can check an object without decoding it, and counts.
#[derive(Clone, Default)]
struct Checking(Arc<AtomicUsize>);

impl Decode<Pod> for Checking {
    fn decode(&self, object: &[u8]) -> Result<Pod, DecodeError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        SerdeDecode::new().decode(object)
    }

    fn protobuf(&self) -> Option<&dyn DecodeProtobuf<Pod>> {
        Some(self)
    }
}

impl DecodeProtobuf<Pod> for Checking {
    fn decode_protobuf(&self, object: &ProtobufObject<'_>) -> Result<Pod, DecodeError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        SerdeDecode::new().decode_protobuf(object)
    }

    fn decode_protobuf_fields(
        &self,
        object: &ProtobufObject<'_>,
        fields: &FieldSet,
    ) -> Result<Pod, DecodeError> {
        SerdeDecode::new().decode_protobuf_fields(object, fields)
    }

    fn check_protobuf(
        &self,
        object: &ProtobufObject<'_>,
        accepted: bool,
        wanted: &mut dyn FnMut(Option<&str>, &str) -> bool,
    ) -> Option<ObjectMeta> {
        SerdeDecode::<Pod>::new().check_protobuf(object, accepted, wanted)
    }
}

#[tokio::test(start_paused = true)]
async fn checked_object_is_decoded_by_its_first_reader() {
    let server = ApiServer::new();
    let shop = |n: usize| Api::<Pod>::namespaced(server.client(), &format!("ns-{}", n % 3));
    for n in 0..20 {
        shop(n).create(&PostParams::default(), &pod(n, "n-1")).await.unwrap();
    }
    let checking = Checking::default();
    let decodes = || checking.0.swap(0, Ordering::Relaxed);
    let source = ApiSource::<Pod>::new(server.client()).decoder(checking.clone());
    let informer = SharedInformer::new(Arc::new(source), InformerOptions::new());
    let node = |pod: &Pod| pod.spec.as_ref()?.node_name.clone();
    let by_node = informer.add_index_on("node", ["spec.nodeName"], node).unwrap();
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    // The index compares the first ones with whole objects.
    assert_eq!((by_node.len("n-1"), decodes()), (20, 8));
    let status = informer.status().storage.unwrap();
    assert_eq!((status.objects, status.kept_decoded), (20, 0));
    let patched = async |n: usize, app: &str| {
        let patch = serde_json::json!({"metadata": {"labels": {"app": app}}});
        let params = PatchParams::default();
        shop(n).patch(&format!("pod-{n}"), &params, &Patch::Merge(&patch)).await.unwrap();
        informer.wait_for(&server.revision().into(), SOON).await.unwrap();
    };
    patched(4, "cold").await;
    assert_eq!(decodes(), 0);
    // An object that was read stays decoded, and so does its next state.
    let lister = informer.lister();
    let read = |n: usize| lister.get_by_key(&key_of(&format!("ns-{}", n % 3), &format!("pod-{n}")));
    assert_eq!(read(4).unwrap().metadata.labels.as_ref().unwrap()["app"], "cold");
    assert_eq!(decodes(), 1);
    patched(4, "hot").await;
    assert_eq!(decodes(), 1);
    assert_eq!(read(4).unwrap().metadata.labels.as_ref().unwrap()["app"], "hot");
    assert_eq!(decodes(), 0);
    // An index that may read anything has everything decoded.
    informer.add_index("name", |pod: &Pod| pod.metadata.name.clone()).unwrap();
    decodes();
    patched(5, "cold").await;
    assert_eq!(decodes(), 2, "itself, and its former state, which has no value");
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn managed_fields_nobody_reads_take_no_memory() {
    const PODS: usize = 200;
    let server = ApiServer::new();
    for n in 0..PODS as u64 {
        server.create(&pods::pod(1, n, 0)).unwrap();
    }
    for json in [false, true] {
        let sizes = [true, false].map(async |keep| {
            let mut source = ApiSource::<Pod>::new(server.client()).managed_fields(keep);
            if json {
                source = source.json_only();
            }
            let informer = SharedInformer::new(Arc::new(source), InformerOptions::new());
            informer.start().unwrap();
            informer.wait_for_sync(SOON).await.unwrap();
            let status = informer.status().storage.unwrap();
            assert_eq!(status.objects, PODS);
            for (_, pod) in informer.snapshot().iter() {
                assert_eq!(pod.metadata.managed_fields.is_some(), keep);
                assert_eq!(pod.spec.as_ref().unwrap().containers.len(), 2);
            }
            informer.shutdown().await;
            status.bytes / PODS
        });
        let [kept, cut] = sizes;
        let (kept, cut) = (kept.await, cut.await);
        println!("json {json}: {kept} bytes a pod with managedFields, {cut} without");
        // They compress well, because the pods of a list have much the same.
        assert!(cut + 40 < kept, "{cut} of {kept} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn index_with_fields_sees_only_these() {
    let server = ApiServer::new();
    let shop = |n: usize| Api::<Pod>::namespaced(server.client(), &format!("ns-{}", n % 3));
    for n in 0..10 {
        shop(n).create(&PostParams::default(), &pod(n, "n-1")).await.unwrap();
    }
    let counting = Counting::default();
    let source = ApiSource::<Pod>::new(server.client()).decoder(counting.clone());
    let storage = Storage::packed().hot_for(Duration::ZERO).check_on_arrival(false);
    let informer = SharedInformer::new(Arc::new(source), InformerOptions::new().storage(storage));
    let node = |pod: &Pod| pod.spec.as_ref()?.node_name.clone();
    let by_node = informer.add_index_on("node", ["spec.nodeName"], node).unwrap();
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    let counted = || {
        let Counting(whole, parts) = &counting;
        (whole.swap(0, Ordering::Relaxed), parts.swap(0, Ordering::Relaxed))
    };
    // The first ones are shown whole, too, for a test.
    assert_eq!((by_node.len("n-1"), counted()), (10, (8, 10)));
    // The index reads objects that come: the marked pod, and the new one. Of those that leave, it
    // reads only those without recorded values: the pod before it was marked.
    shop(3).delete("pod-3", &DeleteParams::default().grace_period(0)).await.unwrap();
    shop(3).create(&PostParams::default(), &pod(3, "n-2")).await.unwrap();
    informer.wait_for(&server.revision().into(), SOON).await.unwrap();
    assert_eq!((by_node.keys("n-2"), counted()), (vec![key_of("ns-0", "pod-3")], (0, 3)));
    // An index that comes later asks those that are there, for what it looks at alone.
    let by_node_too = informer.add_index_on("node too", ["spec.nodeName"], node).unwrap();
    assert_eq!((by_node_too.len("n-1"), counted()), (9, (8, 18)));
    // One that may look at anything has everything decoded, from then on.
    let by_name = informer.add_index("name", |pod: &Pod| pod.metadata.name.clone()).unwrap();
    let (whole, parts) = counted();
    assert_eq!((by_name.len("pod-3"), by_name.len("pod-7"), whole, parts), (1, 0, 10, 0));
    let patch = serde_json::json!({"metadata": {"labels": {"app": "other"}}});
    shop(4).patch("pod-4", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    informer.wait_for(&server.revision().into(), SOON).await.unwrap();
    // Once itself, and once what it was: that had no note of its name.
    assert_eq!((by_node.len("n-1"), by_name.len("pod-4"), counted()), (9, 1, (2, 0)));
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn index_with_wrong_fields_is_detected() {
    let server = ApiServer::new();
    let shop = Api::<Pod>::namespaced(server.client(), "ns-0");
    for n in 0..40 {
        shop.create(&PostParams::default(), &pod(3 * n, "n-1")).await.unwrap();
    }
    let storage = Storage::packed().hot_for(Duration::ZERO).check_on_arrival(false);
    let source = Arc::new(ApiSource::<Pod>::new(server.client()));
    let informer = SharedInformer::new(source, InformerOptions::new().storage(storage));
    let node = |pod: &Pod| pod.spec.as_ref()?.node_name.clone();
    let by_node = informer.add_index_on("node", ["spec.nodename"], node).unwrap();
    let picky = |pod: &Pod| pod.metadata.name.clone().expect("a name");
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    let by_name = informer.add_index_on("name", ["spec"], move |pod| [picky(pod)]).unwrap();
    assert_eq!((by_node.len("n-1"), by_name.len("pod-117")), (40, 1));
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn list_that_unpacks_many_objects_is_counted() {
    let server = ApiServer::new();
    for n in 0..1_500 {
        server.create(&pod(n, "node")).unwrap();
    }
    let pods = SharedInformer::<Pod>::new(
        Arc::new(ApiSource::new(server.client())),
        InformerOptions::new(),
    );
    pods.start().unwrap();
    pods.wait_for_sync(S).await.unwrap();
    let large_lists = || pods.status().storage.unwrap().large_lists;
    assert_eq!(pods.lister().namespace("ns-0").all().len(), 500);
    assert_eq!(large_lists(), 0);
    assert_eq!(pods.lister().all().len(), 1_500);
    assert_eq!(large_lists(), 0, "1,000 of them were cold");
    sleep(120 * S).await;
    for _ in 0..2 {
        assert_eq!(pods.lister().list(&kube_informer::LabelSelector::everything()).len(), 1_500);
        assert_eq!(large_lists(), 1);
    }
}

fn key_of(namespace: &str, name: &str) -> ObjectKey {
    ObjectKey::namespaced(namespace, name).unwrap()
}
