//! The cost to decode a pod, in calls of the allocator and in bytes kept: figures that are the
//! same on every machine, held at what they are.

use std::convert::Infallible;
use std::path::Path;

use futures::StreamExt;
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use k8s_openapi::api::core::v1::Pod;
use kube::client::Body;
use kube_decode::content;
use kube_informer::lister_watcher::{ListHints, ListItem, ListQuery, ListerWatcher};
use kube_informer::object::FieldSet;
use kube_informer::transport::protobuf::ProtobufObject;
use kube_informer::transport::{ApiSource, Decode, DecodeProtobuf, SerdeDecode};
use stats_alloc::Region;

use crate::COUNTED;
use crate::protobuf::{envelope, field};

/// A pod decoded, how many calls that took and how many bytes it keeps.
#[track_caller]
fn costs(what: &str, (calls, kept): (usize, isize), decode: impl Fn() -> Pod) -> Pod {
    drop(decode());
    let region = Region::new(COUNTED);
    let pod = decode();
    let stats = region.change();
    let found = stats.allocations + stats.reallocations;
    let bytes = stats.bytes_allocated.cast_signed() - stats.bytes_deallocated.cast_signed();
    println!("{what}: {found} calls, keeps {bytes} bytes");
    assert!(found <= calls, "{what} takes {found} calls of the allocator, more than {calls}");
    assert!(bytes <= kept, "{what} keeps {bytes} bytes, more than {kept}");
    pod
}

/// The pod in a list, decoded by a source.
async fn listed(media_type: &'static str, body: Vec<u8>, managed_fields: bool) -> Pod {
    let answer = move |_: Request<Body>| {
        let response = Response::builder().header(CONTENT_TYPE, media_type);
        let response = response.body(Body::from(body.clone())).unwrap();
        async { Ok::<_, Infallible>(response) }
    };
    let client = kube::Client::new(tower::service_fn(answer), "default");
    let source = ApiSource::<Pod>::new(client).managed_fields(managed_fields);
    let mut items = source.list(&ListQuery::default(), &ListHints::none()).await.unwrap();
    while let Some(item) = items.next().await {
        if let ListItem::Object(Ok(pod)) = item.unwrap() {
            let pod = pod.into_decoded().unwrap();
            return pod;
        }
    }
    panic!("no pod in the list")
}

pub(crate) fn decoding_a_pod_stays_within_its_bounds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/decode");
    let json = std::fs::read(folder.join("pod.json")).unwrap();
    let protobuf = std::fs::read(folder.join("pod.pb")).unwrap();
    let object = ProtobufObject::from_envelope(&protobuf).unwrap();

    let decoder = SerdeDecode::<Pod>::new();
    let from_json = costs("JSON", JSON, || decoder.decode(&json).unwrap());
    let from_protobuf = costs("protobuf", PROTOBUF, || object.decode().unwrap());
    assert_eq!(from_json, from_protobuf);
    let bare = costs("protobuf without managedFields", BARE, || {
        SerdeDecode::<Pod>::new().managed_fields(false).decode_protobuf(&object).unwrap()
    });

    // Two states are compared without a decode of either.
    let without = FieldSet::from_paths(["metadata.resourceVersion", "metadata.managedFields"]);
    let compares = |encoding: &str, content: &dyn Fn() -> Option<Vec<u8>>| {
        let region = Region::new(COUNTED);
        let (old, new) = (content(), content());
        assert!(old.is_some() && old == new);
        let calls = region.change().allocations;
        println!("comparing two pods in {encoding}: {calls} calls, {} to decode both", 2 * BARE.0);
        assert!(calls <= COMPARED, "{calls} calls of the allocator, more than {COMPARED}");
    };
    compares("JSON", &|| content::json(&json, &without));
    compares("protobuf", &|| content::protobuf(&object, &without));

    let spec = from_protobuf.spec.as_ref().unwrap();
    assert_eq!(spec.containers.capacity(), spec.containers.len(), "vectors are cut to size");
    let conditions = from_protobuf.status.as_ref().unwrap().conditions.as_ref().unwrap();
    assert_eq!(conditions.capacity(), conditions.len(), "vectors are cut to size");

    // Elements are counted before the first of them is built.
    let volume = field(1, [field(1, "a"), field(2, field(2, ""))].concat());
    let bomb = field(2, volume.repeat(100_000));
    let bomb = ProtobufObject::from_message("v1", "Pod", &bomb).unwrap();
    let region = Region::new(COUNTED);
    assert!(bomb.decode::<Pod>().is_err());
    let taken = region.change().bytes_allocated;
    assert!(taken < 2_000_000, "{taken} bytes for an object that is refused");

    // Nor does a tree that is kept as it is take more than the limit.
    let bombs = format!(r#"{{"fieldsV1":[{}0]}},"#, r#"{"":0},"#.repeat(2_000)).repeat(100);
    let bombs = format!(r#"{{"metadata":{{"managedFields":[{bombs}{{}}]}}}}"#);
    let limited = SerdeDecode::<Pod>::new().memory_limit(16_000_000);
    let region = Region::new(COUNTED);
    assert!(limited.decode(bombs.as_bytes()).is_err());
    let taken = region.change().bytes_allocated;
    assert!(taken < 40_000_000, "{taken} bytes for an object that is refused");

    // The decoder skipped only the fields that would have been dropped.
    let mut expected = from_protobuf;
    assert!(expected.metadata.managed_fields.take().is_some_and(|managed| !managed.is_empty()));
    assert_eq!(bare, expected);
    let text = |json: &[u8]| {
        let items =
            [br#"{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":["#, json, b"]}"];
        items.concat()
    };
    let message = [field(1, field(2, "1")), field(2, object.message())].concat();
    let binary = envelope("v1", "PodList", message);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for (media_type, body) in
        [("application/json", text(&json)), ("application/vnd.kubernetes.protobuf", binary)]
    {
        let kept = runtime.block_on(listed(media_type, body.clone(), true));
        assert_eq!(kept.metadata.managed_fields, from_json.metadata.managed_fields);
        let pod = runtime.block_on(listed(media_type, body, false));
        assert_eq!(pod, expected, "{media_type}");
    }
}

/// Calls of the allocator, bytes kept: what they were when set, and a twentieth more.
const JSON: (usize, isize) = (530, 92_500);
const PROTOBUF: (usize, isize) = (535, 92_000);
const BARE: (usize, isize) = (172, 28_900);
/// Calls of the allocator to compare two pods.
const COMPARED: usize = 4;
