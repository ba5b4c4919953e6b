//! Two ways to the same: an object read whole or only looked into, in JSON or in protobuf.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::Resource;
use kube::api::ObjectMeta;
use kube::core::PartialObjectMeta;
use kube_informer::informer::snapshots;
use kube_informer::lister_watcher::{ListHints, ListItem, ListQuery, ListerWatcher};
use kube_informer::object::{KnownObjects, ObjectState};
use kube_informer::reflector::{ListMode, ReflectorOptions};
use kube_informer::testing::encode_protobuf as encode;
use kube_informer::transport::ApiSource;
use kube_informer::transport::protobuf::ProtobufObject;
use kube_informer::{Cached, InformerOptions, ObjectKey, SharedInformer, Storage};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;

use super::{JSON, LIMIT, PROTOBUF, answer, wait_for};

/// An object's metadata: namespace, name, uid and version.
type State = (Option<String>, String, String, String);

/// Knows nothing, but notes what it was asked for.
#[derive(Default)]
struct Asked(Mutex<Option<State>>);

impl KnownObjects for Asked {
    fn get(&self, _: &ObjectKey) -> Option<Cached> {
        None
    }

    fn for_each(&self, _: &mut dyn FnMut(&ObjectKey, &Cached)) {}

    fn unchanged(&self, state: &ObjectState<'_>) -> Option<(ObjectKey, Cached)> {
        let ObjectState { namespace, name, uid, version } = *state;
        let owned = (namespace.map(Into::into), name.into(), uid.into(), version.into());
        *self.0.lock() = Some(owned);
        None
    }
}

/// The body of a list, in JSON or protobuf by the first byte: what was seen of an object before it
/// was decoded is what it turns out to be.
pub fn peeks(data: &[u8]) {
    let Some((kind, body)) = data.split_first() else { return };
    let media_type = if kind % 2 == 0 { JSON } else { PROTOBUF };
    if media_type == JSON && repeats_a_member(body) {
        return;
    }
    wait_for(async {
        let source =
            ApiSource::<Pod>::new(answer(200, media_type, body, &[4096])).object_limit(LIMIT);
        let asked = Arc::new(Asked::default());
        let hints = ListHints::none().known(asked.clone());
        let list = source.list(&ListQuery::default(), &hints).await;
        let Ok(mut items) = list else { return };
        while let Some(item) = items.next().await {
            let seen = asked.0.lock().take();
            if let (Ok(ListItem::Object(Ok(pod))), Some((namespace, name, uid, version))) =
                (item, seen)
            {
                let pod = pod.into_decoded().expect("nothing is known");
                let metadata = &pod.metadata;
                assert_eq!(metadata.name.as_ref(), Some(&name));
                assert_eq!(metadata.uid.as_ref(), Some(&uid));
                assert_eq!(metadata.resource_version.as_ref(), Some(&version));
                // One that comes late is not seen.
                assert!(namespace.is_none() || metadata.namespace == namespace);
            }
        }
    });
}

/// A few fields of a pod, for a view.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Few {
    metadata: ObjectMeta,
    spec: Option<FewOfSpec>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FewOfSpec {
    node_name: Option<String>,
    priority: Option<i32>,
}

impl Resource for Few {
    type DynamicType = ();
    type Scope = <Pod as Resource>::Scope;

    fn kind((): &()) -> Cow<'_, str> {
        Pod::kind(&())
    }

    fn group((): &()) -> Cow<'_, str> {
        Pod::group(&())
    }

    fn version((): &()) -> Cow<'_, str> {
        Pod::version(&())
    }

    fn plural((): &()) -> Cow<'_, str> {
        Pod::plural(&())
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// Takes the body of a list, in JSON or protobuf by the first byte. Views of a packed object return
/// what the decoded object holds, and a path leads to the same value.
pub fn views(data: &[u8]) {
    let Some((kind, body)) = data.split_first() else { return };
    let media_type = if kind % 2 == 0 { JSON } else { PROTOBUF };
    if repeats_a_member(body) {
        return;
    }
    wait_for(async {
        let client = answer(200, media_type, body, &[4096]);
        let source = ApiSource::<Pod>::new(client).object_limit(LIMIT);
        let reflector = ReflectorOptions::new().list_mode(ListMode::Plain);
        let options = InformerOptions::new().reflector(reflector);
        let pods = SharedInformer::new(Arc::new(source), options);
        let few = pods.view::<Few>().expect("it is packed");
        let metadata = pods.view::<PartialObjectMeta<Pod>>().expect("it is packed");
        pods.start().expect("a runtime");
        // A body that breaks off is never a whole list.
        if pods.wait_for_sync(Duration::from_millis(1)).await.is_err() {
            return pods.shutdown().await;
        }
        let (pods_now, few, metadata) = snapshots((&pods, &few, &metadata));
        for (key, pod) in pods_now.iter() {
            let whole = serde_json::to_value(&*pod).expect("a pod");
            let expected: Few = serde_json::from_value(whole.clone()).expect("a part of it");
            assert_eq!(few.get(key).as_deref(), Some(&expected));
            assert_eq!(
                metadata.get(key).map(|read| read.metadata.clone()),
                Some(expected.metadata)
            );
            let node = pods_now.get_cached(key).and_then(|pod| pod.field("spec.nodeName"));
            assert_eq!(node.unwrap_or_default(), whole["spec"]["nodeName"]);
        }
        pods.shutdown().await;
    });
}

/// The body of a list, in JSON or protobuf by the first byte: an object that was packed reads as
/// one that was decoded, and one that can't be decoded is refused.
pub fn packed(data: &[u8]) {
    let Some((kind, body)) = data.split_first() else { return };
    let media_type = if kind % 2 == 0 { JSON } else { PROTOBUF };
    let told = async |hints: ListHints| {
        let source =
            ApiSource::<Pod>::new(answer(200, media_type, body, &[4096])).object_limit(LIMIT);
        let mut told = Vec::new();
        let Ok(mut items) = source.list(&ListQuery::default(), &hints).await else { return told };
        while let Some(item) = items.next().await {
            let pod = match item {
                Ok(ListItem::Object(Ok(pod))) => pod.into_cached().get().expect("it was checked"),
                Ok(ListItem::Object(Err(_))) => continue,
                _ => break,
            };
            // One without a name is refused only where it is packed.
            if ObjectKey::of(&*pod).is_ok() {
                told.push(pod);
            }
        }
        told
    };
    wait_for(async {
        let decoded = told(ListHints::none()).await;
        let packer = Storage::<Pod>::packed().packer("pods");
        assert_eq!(told(ListHints::none().packer(packer)).await, decoded);
    });
}

/// Returns whether a map has a member twice, or one with an escape in its name. No server writes
/// either: the first of such members is seen, and the last is decoded.
fn repeats_a_member(json: &[u8]) -> bool {
    let (mut open, mut at) = (Vec::<HashSet<&[u8]>>::new(), 0);
    while let Some(byte) = json.get(at) {
        match byte {
            b'{' | b'[' => open.push(HashSet::new()),
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                let start = at;
                at += 1;
                while json.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if json[at] == b'\\' { 2 } else { 1 };
                }
                let Some(rest) = json.get(at + 1..) else { return false };
                let (name, names) = (&json[start..at], open.last_mut());
                if rest.trim_ascii_start().starts_with(b":")
                    && names.is_some_and(|names| name.contains(&b'\\') || !names.insert(name))
                {
                    return true;
                }
            }
            _ => {}
        }
        at += 1;
    }
    false
}

/// An object in JSON or protobuf: what is written of what was read is read as the same.
pub fn protobuf(data: &[u8]) {
    let object: Value = match serde_json::from_slice(data) {
        Ok(object) => object,
        Err(_) => match ProtobufObject::from_envelope(data).map(|object| object.decode()) {
            Ok(Ok(object)) => object,
            _ => return,
        },
    };
    let Some(written) = encode(&object) else { return };
    let read = |bytes: &[u8]| -> Value {
        let object = ProtobufObject::from_envelope(bytes).expect("an envelope was written");
        object.decode().expect("an object was written")
    };
    let once = read(&written);
    let again = encode(&once).expect("what was read can be written");
    assert_eq!(read(&again), once);
}
