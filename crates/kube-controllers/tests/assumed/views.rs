//! The objects, and the client through which the process writes.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::api::ObjectMeta;
use kube::client::Body;
use kube_informer::ObjectKey;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::time::sleep;

use super::cache::Replica;
use super::ledger::{Content, Ledger};
use super::tally::Tally;

pub(crate) const NAMES: [&str; 3] = ["a", "b", "c"];

pub(crate) fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("shop", name).unwrap()
}

pub(crate) fn map(name: &str, content: u64) -> ConfigMap {
    let (namespace, name) = (Some("shop".into()), Some(name.into()));
    let metadata = ObjectMeta { namespace, name, ..ObjectMeta::default() };
    let data = Some([("n".to_owned(), content.to_string())].into());
    ConfigMap { metadata, data, ..ConfigMap::default() }
}

pub(crate) fn content(map: &ConfigMap) -> u64 {
    map.data.as_ref().unwrap()["n"].parse().unwrap()
}

/// The way of writes to the server.
#[derive(Clone)]
pub(crate) struct Writes {
    pub(crate) replica: Replica,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) rng: Arc<Mutex<Rng>>,
    pub(crate) tally: Arc<Mutex<Tally>>,
}

impl Writes {
    /// Returns a client whose requests may be lost before or after the server has them.
    pub(crate) fn client(&self) -> Client {
        let writes = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let writes = writes.clone();
            async move { writes.send(request).await }
        });
        Client::new(service, "shop")
    }

    fn millis(&self, most: u64) -> Duration {
        Duration::from_millis(self.rng.lock().u64(..most))
    }

    async fn send(
        self,
        request: Request<Body>,
    ) -> Result<http::Response<Full<bytes::Bytes>>, Box<dyn std::error::Error + Send + Sync>> {
        let name = NAMES.into_iter().find(|name| request.uri().path().ends_with(name));
        let deletes = request.method() == Method::DELETE;
        let fate = self.rng.lock().u8(..8);
        sleep(self.millis(if fate < 4 { 5 } else { 2_000 })).await;
        if fate == 0 {
            self.tally.lock().count("lost request", 1);
            return Err("the connection broke".into());
        }
        let (parts, body) = self.replica.answer(request).await.into_parts();
        let body = body.collect().await?.to_bytes();
        if parts.status.is_success() {
            let answer: Value = serde_json::from_slice(&body)?;
            let written: Content = answer["data"]["n"].as_str().map(|n| n.parse().unwrap());
            let name = name
                .or_else(|| NAMES.into_iter().find(|name| answer["metadata"]["name"] == **name));
            assert_eq!(written.is_none(), deletes, "{answer}");
            let name = name.expect("an object of the world");
            self.ledger.written(name, written);
            self.ledger.made(name);
        }
        sleep(self.millis(if fate < 4 { 5 } else { 3_000 })).await;
        if fate == 1 {
            self.tally.lock().count("lost answer", 1);
            return Err("the connection broke".into());
        }
        Ok(http::Response::from_parts(parts, Full::new(body)))
    }
}
