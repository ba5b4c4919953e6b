//! One step of an object's way so many times, and nothing else: for a tool that counts instructions.
//!
//! `valgrind --tool=callgrind <this program> protobuf decode 200`, less the same with 0, divided by
//! 200. `decode`: a whole pod, and freeing it; `bare`: the same without managedFields. Of lists, a pod: `body`: what serving it costs; `frame`:
//! that and cutting it out; `peek`: all that and finding that it is known.

mod support;

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::Resource;
use kube::api::ObjectMeta;
use kube_informer::lister_watcher::{ListQuery, ListerWatcher, Wishes};
use kube_informer::object::{Cached, KnownObjects, ObjectKey, ObjectState};
use kube_informer::transport::protobuf::ProtobufObject;
use kube_informer::transport::{
    ApiSource, Decode, DecodeError, DecodeProtobuf, WithoutManagedFields,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use support::server::PodServer;

/// What is not looked into.
#[derive(Clone, Debug, Default, Deserialize, Resource)]
#[resource(inherit = Pod)]
struct Unread {
    metadata: ObjectMeta,
}

/// Decodes nothing.
struct Nothing;

impl Decode<Unread> for Nothing {
    fn decode(&self, _: &[u8]) -> Result<Unread, DecodeError> {
        Ok(Unread::default())
    }

    fn protobuf(&self) -> Option<&dyn DecodeProtobuf<Unread>> {
        Some(self)
    }
}

impl DecodeProtobuf<Unread> for Nothing {
    fn decode_protobuf(&self, _: &ProtobufObject<'_>) -> Result<Unread, DecodeError> {
        Ok(Unread::default())
    }
}

/// Knows every state.
struct All(ObjectKey, Cached<Unread>);

impl KnownObjects<Unread> for All {
    fn get(&self, _: &ObjectKey) -> Option<Cached<Unread>> {
        None
    }

    fn for_each(&self, _: &mut dyn FnMut(&ObjectKey, &Cached<Unread>)) {}

    fn unchanged(&self, state: &ObjectState<'_>) -> Option<(ObjectKey, Cached<Unread>)> {
        black_box(state);
        Some((self.0.clone(), self.1.clone()))
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [encoding, step, count] = &arguments[..] else {
        println!("json|protobuf decode|bare|body|frame|peek <how often>");
        return;
    };
    let protobuf = encoding == "protobuf";
    let count = count.parse().expect("how often");
    if step == "decode" || step == "bare" {
        decode(protobuf, step == "bare", count);
    } else {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.unwrap().block_on(list(step, &PodServer::new(count, protobuf)));
    }
}

fn decode(protobuf: bool, bare: bool, count: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/decode");
    let pod = std::fs::read(folder.join(if protobuf { "pod.pb" } else { "pod.json" })).unwrap();
    for _ in 0..count {
        if bare {
            drop(black_box(decoded::<WithoutManagedFields<Pod>>(black_box(&pod), protobuf)));
        } else {
            drop(black_box(decoded::<Pod>(black_box(&pod), protobuf)));
        }
    }
}

fn decoded<K: DeserializeOwned>(pod: &[u8], protobuf: bool) -> K {
    if protobuf {
        ProtobufObject::from_envelope(pod).unwrap().decode().unwrap()
    } else {
        serde_json::from_slice(pod).unwrap()
    }
}

async fn list(step: &str, server: &PodServer) {
    if step == "body" {
        return server.list().for_each(async |frame| drop(black_box(frame))).await;
    }
    let source = ApiSource::<Unread>::new(server.client()).decoder(Nothing);
    let query = ListQuery::default();
    let object = Cached::from(Arc::new(Unread::default()));
    let known = All(ObjectKey::cluster("known").unwrap(), object);
    let listing = match step {
        "peek" => source.list_with(&query, Wishes::new().known(Arc::new(known))),
        _ => source.list(&query),
    };
    let mut items = listing.await.unwrap();
    while let Some(item) = items.next().await {
        let _ = black_box(item.unwrap());
    }
}
