//! Answers that no correct server sends: nothing is lost, shown or stuck because of them.

mod answers;
mod bodies;
mod confused;
mod failures;
mod itemless;
mod keys;
mod proofs;
mod remaining;
mod versions;

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, stream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::client::Body;
use kube_informer::{Event, InformerSpec, SharedInformer, SharedInformerFactory};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use self::answers::{Answer, Requests, answer, client, seconds};
use crate::helpers::is_question;

fn is_watch(query: &str) -> bool {
    query.contains("watch=true")
}

fn map(name: &str, version: &str, value: &str) -> Value {
    let metadata =
        json!({"name": name, "namespace": "shop", "uid": name, "resourceVersion": version});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"v": value}})
}

fn page(version: &str, token: &str, items: &[Value]) -> Answer {
    let metadata = json!({"resourceVersion": version, "continue": token});
    let list =
        json!({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": metadata, "items": items});
    answer(200, list.to_string())
}

fn list(version: &str, items: &[Value]) -> Answer {
    page(version, "", items)
}

fn event(kind: &str, object: &Value) -> String {
    format!("{}\n", json!({"type": kind, "object": object}))
}

fn bookmark(version: &str) -> String {
    let metadata = json!({"resourceVersion": version});
    event("BOOKMARK", &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}))
}

fn failure(code: u16, reason: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure", "code": code,
        "reason": reason, "message": "as the test says"})
}

type Texts = Arc<Mutex<Vec<String>>>;

struct Rig {
    factory: SharedInformerFactory,
    informer: SharedInformer<ConfigMap>,
    requests: Requests,
    events: Texts,
    errors: Texts,
}

impl Rig {
    fn new((client, requests): (kube::Client, Requests), spec: InformerSpec<ConfigMap>) -> Self {
        let (events, errors) = (Texts::default(), Texts::default());
        let (told, failed) = (events.clone(), errors.clone());
        let factory = SharedInformerFactory::builder(client);
        let factory = factory.on_error(move |error| failed.lock().push(error.to_string())).build();
        let informer = factory.informer_with(spec).unwrap();
        let handler = move |event: Event<ConfigMap>| told.lock().push(text(&event));
        informer.on_event(handler).unwrap();
        factory.start().unwrap();
        Self { factory, informer, requests, events, errors }
    }

    fn stored(&self) -> Vec<String> {
        let mut maps: Vec<_> = self.informer.lister().all().iter().map(|map| state(map)).collect();
        maps.sort();
        maps
    }

    fn version(&self) -> Option<String> {
        self.informer.snapshot().version().map(ToString::to_string)
    }

    fn queries(&self, of: impl Fn(&str) -> bool) -> Vec<String> {
        let requests = self.requests.lock();
        requests.iter().filter(|(_, query)| of(query)).map(|(_, query)| query.clone()).collect()
    }

    #[track_caller]
    fn assert_error(&self, part: &str) {
        let errors = self.errors.lock();
        assert!(errors.iter().any(|error| error.contains(part)), "{part:?} in {errors:?}");
    }
}

fn state(map: &ConfigMap) -> String {
    let value = map.data.iter().flatten().map(|(_, value)| &**value).collect::<String>();
    format!("{}={value}", map.metadata.name.as_deref().unwrap_or_default())
}

fn text(event: &Event<ConfigMap>) -> String {
    match event {
        Event::Added { object, .. } => format!("+{}", state(object)),
        Event::Updated { new, .. } => format!("~{}", state(new)),
        Event::Deleted { object, .. } => format!("-{}", state(object)),
        Event::MovedAway { object } => format!(">{}", state(object)),
    }
}
