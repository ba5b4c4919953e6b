//! Hostile bytes: memory, message sizes and foreign lists stay within bounds.

use std::time::Duration;

use futures::StreamExt;
use http::Response;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use k8s_openapi::api::autoscaling::v1::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::client::Body;
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, PartialObjectMeta};
use kube::{CustomResource, Resource};
use kube_informer::error::{Fault, FaultClass, SourceError};
use kube_informer::lister_watcher::{
    ListHints, ListItem, ListQuery, ListerWatcher, WatchItem, WatchQuery,
};
use kube_informer::testing::encode_protobuf;
use kube_informer::transport::protobuf::ProtobufObject;
use kube_informer::transport::{ApiSource, Decode, SerdeDecode};
use kube_informer::{SharedInformerFactory, Storage};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::helpers::{answered_by, envelope, field};

const JSON: &str = "application/json";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const WATCH: &str = "application/vnd.kubernetes.protobuf;stream=watch";

/// A client of a server that gives this answer to whatever is asked.
fn answering(media_type: &'static str, body: impl Into<Vec<u8>>) -> kube::Client {
    answering_in(media_type, "identity", body)
}

fn answering_in(
    media_type: &'static str,
    encoding: &'static str,
    body: impl Into<Vec<u8>>,
) -> kube::Client {
    let body = body.into();
    answered_by(move |_| {
        let response = Response::builder().header(CONTENT_TYPE, media_type);
        let response = response.header(CONTENT_ENCODING, encoding);
        response.body(Body::from(body.clone())).unwrap()
    })
}

fn metadata_of(name: &str) -> Vec<u8> {
    field(1, [field(1, name), field(3, "shop"), field(5, name), field(6, "7")].concat())
}

/// Each object of a list: its name, or the key and the problem of one that can't be decoded.
async fn listed<K>(source: &ApiSource<K>) -> Result<Vec<Result<K, (String, String)>>, SourceError>
where
    K: kube::Resource + std::fmt::Debug + Send + Sync + 'static,
{
    let mut items = source.list(&ListQuery::default(), &ListHints::none()).await?;
    let mut listed = Vec::new();
    while let Some(item) = items.next().await {
        match item? {
            ListItem::Object(Ok(object)) => listed.push(Ok(object.into_decoded().unwrap())),
            ListItem::Object(Err(bad)) => {
                assert_eq!(bad.error.class(), FaultClass::Undecodable);
                let key = bad.key.map(|key| key.to_string()).unwrap_or_default();
                listed.push(Err((key, bad.error.to_string())));
            }
            ListItem::Meta(_) | ListItem::Outside(_) => {}
        }
    }
    Ok(listed)
}

/// A pod with as many volumes, each of which says only that it is an empty folder.
fn pod_of_volumes(name: &str, volumes: usize) -> Vec<u8> {
    let volume = field(1, [field(1, "a"), field(2, field(2, ""))].concat());
    [metadata_of(name), field(2, volume.repeat(volumes))].concat()
}

fn list_of(items: &[Vec<u8>]) -> Vec<u8> {
    let items: Vec<u8> = items.iter().flat_map(|item| field(2, item)).collect();
    envelope("v1", "PodList", [field(1, field(2, "9")), items].concat())
}

#[tokio::test]
async fn huge_object_is_one_problem() {
    let good = |name| pod_of_volumes(name, 2);
    let body = list_of(&[good("a"), pod_of_volumes("bomb", 100_000), good("b")]);
    assert!(body.len() < 1_600_000, "etcd takes it: {} bytes", body.len());
    let pods = listed(&ApiSource::<Pod>::new(answering(PROTOBUF, body))).await.unwrap();
    assert_eq!(pods.len(), 3);
    let (key, problem) = pods[1].as_ref().unwrap_err();
    assert_eq!(key, "shop/bomb");
    assert!(problem.contains("67108864 bytes of memory"), "{problem}");
    assert!(pods[0].is_ok() && pods[2].is_ok());

    let volume = r#"{"name":"a","emptyDir":{}}"#;
    let volumes = vec![volume; 100_000].join(",");
    let bomb = format!(r#"{{"metadata":{{"name":"bomb"}},"spec":{{"volumes":[{volumes}]}}}}"#);
    let body = format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"9"}},
        "items":[{{"metadata":{{"name":"a"}}}},{bomb},{{"metadata":{{"name":"b"}}}}]}}"#
    );
    let pods = listed(&ApiSource::<Pod>::new(answering(JSON, body))).await.unwrap();
    assert_eq!(pods[1].as_ref().unwrap_err().0, "bomb");
    assert!(pods.len() == 3 && pods[0].is_ok() && pods[2].is_ok());
}

#[tokio::test]
async fn many_small_maps_are_charged_as_well() {
    let maps = vec![r#"{"a":{}}"#; 180_000].join(",");
    let body = format!(
        r#"{{"apiVersion":"example.com/v1","items":[{{"apiVersion":"example.com/v1","kind":"Widget",
        "metadata":{{"name":"bomb"}},"spec":[{maps}]}}],"kind":"WidgetList","metadata":{{}}}}"#
    );
    let kind = GroupVersionKind::gvk("example.com", "v1", "Widget");
    let source = ApiSource::dynamic(answering(JSON, body), ApiResource::from_gvk(&kind));
    let widgets = listed::<DynamicObject>(&source).await.unwrap();
    assert_eq!(widgets[0].as_ref().unwrap_err().0, "bomb");
}

#[tokio::test]
async fn honest_large_objects_pass() {
    let env = |n| field(7, [field(1, format!("V{n}")), field(2, "v")].concat());
    let env: Vec<u8> = (0..30_000).flat_map(env).collect();
    let annotation = |n| field(12, [field(1, format!("a{n}")), field(2, "b")].concat());
    let annotations: Vec<u8> = (0..20_000).flat_map(annotation).collect();
    let container = field(2, [field(1, "main"), env].concat());
    let pod = [field(1, [field(1, "busy"), annotations].concat()), field(2, container)].concat();
    let pods = listed(&ApiSource::<Pod>::new(answering(PROTOBUF, list_of(&[pod])))).await.unwrap();
    let pod = pods[0].as_ref().unwrap();
    let container = &pod.spec.as_ref().unwrap().containers[0];
    assert_eq!(container.env.as_ref().unwrap().len(), 30_000);
    assert_eq!(pod.metadata.annotations.as_ref().unwrap().len(), 20_000);

    let data = json!({"large": "x".repeat(1 << 20)});
    let object = json!({"metadata": {"name": "a"}, "data": data});
    let body = json!({"kind": "ConfigMapList", "metadata": {}, "items": [object]});
    let source = ApiSource::<ConfigMap>::new(answering(JSON, body.to_string()));
    let maps = listed(&source).await.unwrap();
    assert_eq!(maps[0].as_ref().unwrap().data.as_ref().unwrap()["large"].len(), 1 << 20);
}

#[tokio::test]
async fn the_memory_limit_is_the_callers_choice() {
    let body = list_of(&[pod_of_volumes("a", 100)]);
    let source = || ApiSource::<Pod>::new(answering(PROTOBUF, body.clone()));
    let fits = async |source: &ApiSource<Pod>| listed(source).await.unwrap()[0].is_ok();
    assert!(fits(&source()).await);
    assert!(!fits(&source().memory_limit(100_000)).await);
    assert!(!fits(&source().memory_limit(100_000).managed_fields(true)).await);
    assert!(!fits(&source().managed_fields(true).memory_limit(100_000)).await);
    assert!(!fits(&source().memory_limit(100_000).decoder(SerdeDecode::new())).await);
    assert!(!fits(&source().decoder(SerdeDecode::new().memory_limit(100_000))).await);
    assert!(fits(&source().memory_limit(1_000_000)).await);
    // A small object limit says nothing of small objects' memory, a large one allows more.
    assert!(fits(&source().object_limit(4096)).await);
    let large = list_of(&[pod_of_volumes("a", 30_000)]);
    let source = ApiSource::<Pod>::new(answering(PROTOBUF, large));
    assert!(!fits(&source).await);
    assert!(fits(&source.object_limit(64 << 20)).await);
}

#[tokio::test]
async fn factory_keeps_neighbours_of_a_huge_object() {
    let body = list_of(&[pod_of_volumes("a", 1), pod_of_volumes("bomb", 1000)]);
    let client = answering(PROTOBUF, body);
    for storage in [Storage::decoded(), Storage::compact()] {
        let factory =
            SharedInformerFactory::builder(client.clone()).memory_limit(1_000_000).build();
        let spec = kube_informer::InformerSpec::new().storage(storage);
        let pods = factory.informer_with::<Pod>(spec).unwrap();
        factory.start().unwrap();
        factory.wait_for_sync(Duration::from_secs(60)).await.unwrap();
        assert_eq!(pods.lister().list(&kube_informer::LabelSelector::everything()).len(), 1);
        factory.shutdown().await;
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, CustomResource, schemars::JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Widget", namespaced)]
struct WidgetSpec {}

#[tokio::test]
async fn json_list_of_another_kind_names_both_kinds() {
    let items = r#"[{"metadata":{"name":"a"}}]"#;
    let bodies = [
        format!(r#"{{"kind":"ServiceList","apiVersion":"v1","metadata":{{}},"items":{items}}}"#),
        // As a map is written: what it is comes last.
        format!(r#"{{"apiVersion":"v1","items":{items},"kind":"ServiceList","metadata":{{}}}}"#),
        r#"{"kind":"List","apiVersion":"v1","metadata":{},"items":[
            {"kind":"Service","apiVersion":"v1","metadata":{"name":"a"}}]}"#
            .to_owned(),
    ];
    for body in bodies {
        let error =
            listed(&ApiSource::<Pod>::new(answering(JSON, body.clone()))).await.unwrap_err();
        let Fault::WrongKind { expected, found } = error.fault() else { panic!("{error}") };
        assert!(expected.contains("Pod") && found.contains("Service"), "{error}");
        let error = listed(&ApiSource::<Widget>::new(answering(JSON, body))).await.unwrap_err();
        assert!(matches!(error.fault(), Fault::WrongKind { .. }), "{error}");
    }
    let other = r#"{"kind":"PodList","apiVersion":"v2","metadata":{},"items":[]}"#;
    let error = listed(&ApiSource::<Pod>::new(answering(JSON, other))).await.unwrap_err();
    assert!(error.to_string().contains("v2 PodList"), "{error}");
    assert!(error.to_string().contains("v1 PodList"), "{error}");
}

#[tokio::test]
async fn another_version_of_the_kind_is_refused() {
    const V1: &str = "autoscaling/v1";
    let scaler = |version: &str, kind: &str, items: Value| json!({"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, "items": items});
    let list = "HorizontalPodAutoscalerList";
    for (version, is_requested) in [(V1, true), ("autoscaling/v2", false)] {
        let body = scaler(version, list, json!([]));
        for (media_type, body) in
            [(JSON, body.to_string().into_bytes()), (PROTOBUF, encode_protobuf(&body).unwrap())]
        {
            let source = ApiSource::<HorizontalPodAutoscaler>::new(answering(media_type, body));
            let Err(error) = listed(&source).await else {
                assert!(is_requested, "{version} {media_type}");
                continue;
            };
            let error = error.to_string();
            assert!(!is_requested && error.contains(&format!("\"{version} {list}\"")), "{error}");
            assert!(error.contains(&format!("\"{V1} {list}\"")), "{error}");
        }
        let object = scaler(version, "HorizontalPodAutoscaler", Value::Null);
        let event = json!({"type": "ADDED", "object": object}).to_string().into_bytes();
        let object = encode_protobuf(&object).unwrap();
        let encoded = [field(1, "ADDED"), field(2, field(1, object))].concat();
        let length = u32::try_from(encoded.len()).unwrap().to_be_bytes();
        let encoded = [&length[..], &encoded].concat();
        for (media_type, body) in [(JSON, event), (WATCH, encoded)] {
            let item = watched::<HorizontalPodAutoscaler>(media_type, body).await.remove(0);
            match item {
                WatchItem::Added(Ok(_)) => assert!(is_requested, "{version} {media_type}"),
                WatchItem::Failed(error) => {
                    let text = error.to_string();
                    assert!(!is_requested && text.contains(version) && text.contains(V1), "{text}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn malformed_list_metadata_error_has_its_place() {
    let json = r#"{"kind":"PodList","metadata":{"resourceVersion":7},"items":[]}"#;
    let list = envelope("v1", "PodList", field(1, [0x12, 9, 1]));
    let place = list.len() as u64 - 1;
    for (media_type, body, place) in
        [(JSON, json.as_bytes().to_vec(), json.find('7').unwrap() as u64), (PROTOBUF, list, place)]
    {
        let error = listed(&ApiSource::<Pod>::new(answering(media_type, body))).await.unwrap_err();
        assert!(
            matches!(error.fault(), Fault::Malformed { offset, .. } if *offset == place),
            "{error} {place}"
        );
    }
}

#[tokio::test]
async fn json_list_of_plausible_kind_is_accepted() {
    let items = r#"[{"metadata":{"name":"a"}}]"#;
    for head in [
        r#""kind":"PodList","apiVersion":"v1""#,
        r#""kind":"PodList""#,
        r#""kind":"List","apiVersion":"v1""#,
        r#""other":1"#,
    ] {
        let body = format!(r#"{{{head},"metadata":{{}},"items":{items}}}"#);
        let pods = listed(&ApiSource::<Pod>::new(answering(JSON, body))).await.unwrap();
        assert_eq!(pods.len(), 1, "{head}");
    }
    let body = r#"{"apiVersion":"example.com/v1","items":[{"apiVersion":"example.com/v1",
        "kind":"Widget","metadata":{"name":"a"},"spec":{}}],"kind":"WidgetCollection","metadata":{}}"#;
    assert_eq!(listed(&ApiSource::<Widget>::new(answering(JSON, body))).await.unwrap().len(), 1);
    let body = r#"{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},
        "items":[{"kind":"PartialObjectMetadata","metadata":{"name":"a"}}]}"#;
    let source = ApiSource::<PartialObjectMeta<Pod>>::new(answering(JSON, body));
    assert_eq!(listed(&source).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_compressed_answer_is_called_that() {
    let source = ApiSource::<Pod>::new(answering_in(JSON, "gzip", b"\x1f\x8b\x08".to_vec()));
    let error = listed(&source).await.unwrap_err();
    assert!(matches!(error.fault(), Fault::ContentEncoding(encoding) if encoding == "gzip"));
    assert!(error.to_string().contains("Content-Encoding \"gzip\""), "{error}");
}

async fn watched<K>(media_type: &'static str, body: Vec<u8>) -> Vec<WatchItem<K>>
where
    K: Resource<DynamicType = ()> + DeserializeOwned + std::fmt::Debug + Send + Sync + 'static,
{
    let source = ApiSource::<K>::new(answering(media_type, body));
    let timeout = Duration::from_secs(300);
    let query = WatchQuery::new(timeout);
    source.watch(&query, &ListHints::none()).await.unwrap().map(Result::unwrap).collect().await
}

#[tokio::test]
async fn an_error_events_message_is_bounded() {
    let message = "é".repeat(4 << 20);
    let status = json!({"kind": "Status", "code": 410, "reason": "Expired", "message": message});
    let event = json!({"type": "ERROR", "object": status}).to_string();
    let status =
        [field(2, "Failure"), field(3, &message), field(4, "Expired"), vec![0x30, 0x9a, 3]];
    let status = envelope("v1", "Status", status.concat());
    let binary = [field(1, "ERROR"), field(2, field(1, status))].concat();
    let binary = [&u32::try_from(binary.len()).unwrap().to_be_bytes()[..], &binary].concat();
    for (media_type, body) in
        [(JSON, event.into_bytes()), ("application/vnd.kubernetes.protobuf;stream=watch", binary)]
    {
        let items = watched::<Pod>(media_type, body).await;
        let [WatchItem::Failed(error)] = &items[..] else { panic!("{} items", items.len()) };
        assert_eq!(error.class(), FaultClass::Expired);
        assert!(error.to_string().len() < 1200, "{} bytes", error.to_string().len());
        assert!(error.to_string().contains("(cut)"));
        assert!(format!("{error:?}").len() < 2000);
    }
}

#[test]
fn debug_of_protobuf_object_shows_no_bytes() {
    let message =
        [metadata_of("s"), field(2, [field(1, "password"), field(2, "hunter2")].concat())];
    let secret = envelope("v1", "Secret", message.concat());
    let object = ProtobufObject::from_envelope(&secret).unwrap();
    let text = format!("{object:?}");
    assert!(text.contains("Secret") && text.contains("bytes"), "{text}");
    assert!(!text.contains("104, 117"), "{text}");
}

#[test]
fn fields_of_every_supported_release_are_read() {
    // 1.35's reference of a pod to its workload, which later releases have no more.
    let workload = [field(1, "jobs"), field(2, "workers")].concat();
    let message = [metadata_of("a"), field(2, field(42, workload))].concat();
    let object = envelope("v1", "Pod", message);
    let object = ProtobufObject::from_envelope(&object).unwrap();
    let pod: Value = object.decode().unwrap();
    let workload = &pod["spec"]["workloadRef"];
    assert_eq!(workload["name"], "jobs", "{workload}");
    assert_eq!(workload["podGroup"], "workers", "{workload}");
    // A release that does not have it does not trip over it.
    let pod: Pod = object.decode().unwrap();
    assert_eq!(pod.metadata.name.as_deref(), Some("a"));
    assert!(SerdeDecode::<Pod>::new().protobuf().is_some());
}
