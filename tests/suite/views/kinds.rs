//! Views of every kind, in both encodings: they show what a fresh decoding of the same bytes gives.

use std::convert::Infallible;
use std::fmt::Debug;

use futures::stream::{self, StreamExt};
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use kube::api::ApiResource;
use kube::core::GroupVersionKind;
use kube_informer::reflector::ListMode;
use kube_informer::transport::DecodeProtobuf;
use kube_informer::transport::protobuf::{ProtobufObject, is_built_in};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::*;
use crate::protobuf::{Pair, pairs, published_pairs};

/// A type that names a few fields of several kinds, whatever these hold.
#[derive(Clone, Debug, PartialEq, Deserialize, Resource)]
#[resource(inherit = Pod)]
struct Few {
    metadata: ObjectMeta,
    spec: Option<Parts>,
    status: Option<Parts>,
    data: Option<Value>,
    rules: Option<Value>,
    webhooks: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parts {
    conditions: Option<Value>,
    node_name: Option<Value>,
    replicas: Option<Value>,
    selector: Option<Value>,
    template: Option<Value>,
}

/// Returns a list of one object.
fn list(object: &[u8], (version, kind): (&str, &str), json: bool) -> Vec<u8> {
    if json {
        let object: Value = serde_json::from_slice(object).unwrap();
        return serde_json::to_vec(&json!({
            "apiVersion": version, "kind": format!("{kind}List"),
            "metadata": {"resourceVersion": "7"}, "items": [object],
        }))
        .unwrap();
    }
    let object = ProtobufObject::from_envelope(object).unwrap();
    let types = [part(1, version.as_bytes()), part(2, format!("{kind}List").as_bytes())].concat();
    let items = [part(1, &part(2, b"7")), part(2, object.message())].concat();
    [b"k8s\0".to_vec(), part(1, &types), part(2, &items)].concat()
}

/// Returns a field of a message in protobuf.
fn part(number: u8, content: &[u8]) -> Vec<u8> {
    let (mut part, mut length) = (vec![(number << 3) | 2], content.len());
    while length > 0x7f {
        part.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    part.push(u8::try_from(length).unwrap());
    part.extend_from_slice(content);
    part
}

/// Returns a client whose lists are this one, and whose watches send nothing.
fn client(list: Vec<u8>, json: bool) -> kube::Client {
    let media_type = if json { "application/json" } else { "application/vnd.kubernetes.protobuf" };
    let service = tower::service_fn(move |request: Request<kube::client::Body>| {
        let watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
        let listed = (!watch).then(|| Ok::<_, Infallible>(Frame::data(list.clone().into())));
        let silence = stream::pending().take(usize::from(watch));
        let body = StreamBody::new(stream::iter(listed).chain(silence)).boxed_unsync();
        let response = Response::builder().header(CONTENT_TYPE, media_type).body(body);
        async move { response }
    });
    kube::Client::new(service, "default")
}

/// Compares a view of the only object with a fresh decoding. Returns whether the type fits it.
fn compare<V, P: PartialEq + Debug>(
    view: &SharedInformer<V>,
    pair: &Pair,
    json: bool,
    parts: impl Fn(&V) -> P,
) -> bool
where
    V: Resource + DeserializeOwned + Send + Sync + 'static,
{
    let fresh = SerdeDecode::<V>::new().managed_fields(false);
    let fresh = if json {
        fresh.decode(&pair.json)
    } else {
        fresh.decode_protobuf(&ProtobufObject::from_envelope(&pair.protobuf).unwrap())
    };
    let shown = view.snapshot().iter().next().map(|(_, object)| parts(&object));
    let expected = fresh.as_ref().ok().map(parts);
    assert!(shown == expected, "{}, {json}: {shown:#?}, not {expected:#?}", pair.name);
    shown.is_some()
}

/// Compares the views of one object, cold, warm and cooled. Returns the number of types that fit.
async fn check(pair: &Pair, json: bool) -> usize {
    // Some published kinds are of versions that no server has.
    let Ok(envelope) = ProtobufObject::from_envelope(&pair.protobuf) else { return 0 };
    let object: Value = serde_json::from_slice(&pair.json).unwrap();
    let Some((version, kind)) = envelope.types().filter(|(_, kind)| !kind.is_empty()) else {
        return 0;
    };
    if object["metadata"]["name"].as_str().is_none_or(str::is_empty)
        || !(json || is_built_in(version, kind))
    {
        return 0;
    }
    let of = version.split_once('/').unwrap_or(("", version));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(of.0, of.1, kind));
    let bytes = if json { &pair.json } else { &pair.protobuf };
    let client = client(list(bytes, (version, kind), json), json);
    let source = ApiSource::<DynamicObject>::dynamic(client, resource);
    // The usual decoder of dynamic objects reads JSON only.
    let source = source.decoder(SerdeDecode::<DynamicObject>::new());
    let reflector = ReflectorOptions::new().list_mode(ListMode::Plain).on_error(|_| {});
    let options = InformerOptions::new().reflector(reflector);
    let informer = SharedInformer::new(Arc::new(source), options);
    let metadata = informer.view::<PartialObjectMeta<DynamicObject>>().unwrap();
    let (few, dynamic) = (informer.view::<Few>().unwrap(), informer.view().unwrap());
    informer.start().unwrap();
    if let Err(error) = informer.wait_for_sync(60 * S).await {
        // A review, for example: no server lists it, and protobuf has no such list.
        let error = error.to_string();
        assert!(error.contains("List\" was requested"), "{}, {json}: {error}", pair.name);
        return 0;
    }
    if informer.lister().is_empty() {
        // An object that no server sends: refused as it arrives, so no view has it.
        return 0;
    }
    let mut fits = 0;
    for pause in [0, 0, 300] {
        sleep(pause * S).await;
        fits = usize::from(compare(&metadata, pair, json, |object| object.metadata.clone()))
            + usize::from(compare(&few, pair, json, Few::clone))
            + usize::from(compare(&dynamic, pair, json, |object: &DynamicObject| {
                (object.metadata.clone(), object.data.clone())
            }));
    }
    let storage = informer.status().storage.unwrap();
    // An object that takes no less memory packed has no bytes to read.
    let is_packed = storage.kept_decoded == 0;
    let converts = storage.views.iter().any(|view| view.converted > 0);
    assert!(!(is_packed && converts), "{}: {storage:?}", pair.name);
    informer.shutdown().await;
    fits
}

#[test]
fn views_of_every_kind_show_what_a_fresh_decoding_gives() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    let (mut objects, mut fits) = (0, 0);
    for pair in pairs().iter().chain(&published_pairs()) {
        for json in [true, false] {
            let fit = runtime.block_on(check(pair, json));
            objects += usize::from(fit > 0);
            fits += fit;
        }
    }
    println!("{objects} objects, of which views fitted {fits} times");
    assert!(objects > 500 && fits > 5 * objects / 2, "{objects}, {fits}");
}
