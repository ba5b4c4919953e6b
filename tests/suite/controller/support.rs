//! Shared parts of the tests of controllers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::ObjectMeta;
use kube_informer::testing::ApiServer;
use kube_informer::{ObjectKey, SharedInformerFactory};
use parking_lot::Mutex;
use serde_json::json;
use tokio::time::{Instant, sleep};

pub(crate) const MS: Duration = Duration::from_millis(1);
pub(crate) const S: Duration = Duration::from_secs(1);

pub(crate) fn map(name: &str, value: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            namespace: Some("shop".into()),
            name: Some(name.into()),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("value".into(), value.into())])),
        ..ConfigMap::default()
    }
}

/// A secret that a config map controls.
pub(crate) fn secret_of(owner: &ConfigMap, name: &str) -> Secret {
    let owner = OwnerReference {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        name: owner.metadata.name.clone().unwrap_or_default(),
        // An owner that was never created has the uid of no object.
        uid: owner.metadata.uid.clone().unwrap_or_else(|| "none".into()),
        controller: Some(true),
        ..OwnerReference::default()
    };
    Secret {
        metadata: ObjectMeta {
            namespace: Some("shop".into()),
            name: Some(name.into()),
            owner_references: Some(vec![owner]),
            ..ObjectMeta::default()
        },
        ..Secret::default()
    }
}

/// Lets nobody list or watch what has this in its path, until the server stops intercepting.
pub(crate) fn forbid(server: &ApiServer, resource: &'static str) {
    server.intercept(move |request| {
        let body = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden",
            "message": format!("{resource} is forbidden"), "code": 403,
        });
        let forbidden = http::Response::builder()
            .status(403)
            .header("content-type", "application/json")
            .body(body.to_string().into_bytes().into())
            .expect("it is well-formed");
        request.target.contains(resource).then_some(forbidden)
    });
}

/// The answers 404 that name no object: a kind that is no longer served, as text and as a status.
#[allow(dead_code, reason = "a part of the programs uses it")]
pub(crate) fn unserved() -> [http::Response<bytes::Bytes>; 2] {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound",
        "message": "the server could not find the requested resource", "details": {}, "code": 404,
    });
    [("text/plain", "404 page not found\n".to_owned()), ("application/json", status.to_string())]
        .map(|(media_type, body)| {
            let answer = http::Response::builder().status(404).header("content-type", media_type);
            answer.body(body.into_bytes().into()).expect("it is well-formed")
        })
}

pub(crate) fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("shop", name).unwrap()
}

pub(crate) fn factory(server: &ApiServer) -> SharedInformerFactory {
    SharedInformerFactory::builder(server.client()).on_error(|_| {}).build()
}

/// A record of events with their times.
#[derive(Clone)]
pub(crate) struct Log<T>(Arc<Mutex<Vec<(Duration, T)>>>, Instant);

impl<T: Clone> Log<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::default(), Instant::now())
    }

    pub(crate) fn add(&self, entry: T) {
        self.0.lock().push((self.1.elapsed(), entry));
    }

    pub(crate) fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.0.lock()).into_iter().map(|(_, entry)| entry).collect()
    }

    /// Returns the times between entries, in whole seconds.
    pub(crate) fn gaps(&self) -> Vec<u64> {
        let log = self.0.lock();
        log.windows(2).map(|pair| pair[1].0.abs_diff(pair[0].0).as_secs()).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().len()
    }

    /// Lets time pass until there are so many entries.
    pub(crate) async fn reaches(&self, entries: usize) {
        for _ in 0..100_000 {
            if self.len() >= entries {
                return;
            }
            sleep(10 * MS).await;
        }
        panic!("{} entries, not {entries}", self.len());
    }
}
