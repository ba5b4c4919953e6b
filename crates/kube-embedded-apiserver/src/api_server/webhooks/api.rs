//! The registration of webhooks by a test.

use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use http::{Request, Response};
use serde_json::{Value, json};

use super::Service;
use crate::api_server::ApiServer;

impl ApiServer {
    /// Registers a service for webhooks. It answers the requests to an address: a URL, or the
    /// `NAMESPACE/NAME` of a Service, each with or without a path.
    ///
    /// Configurations of webhooks and the conversions of definitions decide when the service is
    /// called, as in a cluster. No request leaves the process, and no certificate is checked. The
    /// longest registered address that begins a webhook's address counts. From the first
    /// registration on, a webhook of an address without a service fails. Until then no webhook is
    /// called.
    ///
    /// Writes of the test process itself, such as [`create`](Self::create), call no webhook.
    ///
    /// The service may send requests to this server. A request whose object has changed in the
    /// meantime is reviewed again.
    ///
    /// ```
    /// use http::Response;
    /// use kube_embedded_apiserver::ApiServer;
    ///
    /// let server = ApiServer::new();
    /// server.webhook("https://hooks.example.com", |request| async move {
    ///     assert_eq!(request.uri().path(), "/validate");
    ///     Response::builder().status(503).body("not yet".into()).unwrap()
    /// });
    /// ```
    pub fn webhook<F, R>(&self, address: &str, service: F)
    where
        F: Fn(Request<Bytes>) -> R + Send + Sync + 'static,
        R: Future<Output = Response<Bytes>> + Send + 'static,
    {
        let service: Service = Arc::new(move |request| service(request).boxed());
        self.inner.server.webhooks.register(address, service);
    }

    /// Registers a closure for admission webhooks at an address, as [`webhook`](Self::webhook) does
    /// for a service. The closure gets the `request` of an `AdmissionReview` and returns its
    /// `response`, without the uid.
    ///
    /// ```
    /// use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube::api::{Api, PostParams};
    /// use kube_embedded_apiserver::ApiServer;
    /// use serde_json::json;
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let server = ApiServer::new();
    /// server.admit("shop/hooks", |request| async move {
    ///     let empty = request["object"]["data"].is_null();
    ///     json!({"allowed": !empty, "status": {"code": 422, "message": "no data"}})
    /// });
    /// let hooks: ValidatingWebhookConfiguration = serde_json::from_value(json!({
    ///     "metadata": {"name": "shop"},
    ///     "webhooks": [{
    ///         "name": "maps.shop.example.com",
    ///         "clientConfig": {"service": {"namespace": "shop", "name": "hooks"}},
    ///         "rules": [{
    ///             "operations": ["CREATE", "UPDATE"],
    ///             "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"],
    ///         }],
    ///         "sideEffects": "None",
    ///         "admissionReviewVersions": ["v1"],
    ///     }],
    /// }))?;
    /// let client = server.client();
    /// Api::all(client.clone()).create(&PostParams::default(), &hooks).await?;
    ///
    /// let map: ConfigMap = serde_json::from_value(json!({"metadata": {"name": "a"}}))?;
    /// let refused = Api::default_namespaced(client).create(&PostParams::default(), &map).await;
    /// let message = "admission webhook \"maps.shop.example.com\" denied the request: no data";
    /// assert!(matches!(refused, Err(kube::Error::Api(status)) if status.message == message));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn admit<F, R>(&self, address: &str, answer: F)
    where
        F: Fn(Value) -> R + Send + Sync + 'static,
        R: Future<Output = Value> + Send + 'static,
    {
        self.webhook(address, move |request| {
            let mut review = read(&request);
            let answered = answer(review["request"].clone());
            async move {
                let mut response = answered.await;
                response["uid"] = review["request"]["uid"].take();
                reply(&review, &response)
            }
        });
    }

    /// Registers a closure for conversion webhooks at an address, as [`webhook`](Self::webhook)
    /// does for a service. The closure gets an object and the wanted `apiVersion`, and returns the
    /// object in that version, or the reason why it cannot.
    ///
    /// The closure is called as often as a real server calls a webhook: by a write, for the [watch
    /// cache] of each version; by a read of one object; and by a write in a version other than the
    /// stored one. A list or watch calls it only for what the cache lacks, such as a write by the
    /// test process. The response to a write waits for the cache, for a second at most.
    ///
    /// [watch cache]: crate::api_server::ApiServerBuilder::watch_cache
    ///
    /// ```
    /// use kube_embedded_apiserver::ApiServer;
    ///
    /// let server = ApiServer::new();
    /// server.convert("shop/hooks/convert", |mut object, version| async move {
    ///     let (from, to) = match version.ends_with("/v2") {
    ///         true => ("host", "address"),
    ///         false => ("address", "host"),
    ///     };
    ///     object["spec"][to] = object["spec"][from].take();
    ///     object["apiVersion"] = version.into();
    ///     Ok(object)
    /// });
    /// ```
    pub fn convert<F, R>(&self, address: &str, convert: F)
    where
        F: Fn(Value, String) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, String>> + Send + 'static,
    {
        self.webhook(address, move |request| {
            let mut review = read(&request);
            let version = review["request"]["desiredAPIVersion"].as_str().unwrap_or_default();
            let objects = review["request"]["objects"].as_array().into_iter().flatten();
            let converted = objects.map(|object| convert(object.clone(), version.to_owned()));
            let converted = futures::future::try_join_all(converted.collect::<Vec<_>>());
            async move {
                let uid = review["request"]["uid"].take();
                let response = match converted.await {
                    Ok(objects) => json!({
                        "uid": uid, "result": { "status": "Success" }, "convertedObjects": objects,
                    }),
                    Err(problem) => json!({
                        "uid": uid, "result": { "status": "Failure", "message": problem },
                    }),
                };
                reply(&review, &response)
            }
        });
    }
}

fn read(request: &Request<Bytes>) -> Value {
    serde_json::from_slice(request.body()).unwrap_or_default()
}

/// Returns the review that answers one.
fn reply(review: &Value, response: &Value) -> Response<Bytes> {
    let body = json!({
        "kind": review["kind"], "apiVersion": review["apiVersion"], "response": response,
    });
    let mut response = Response::new(Bytes::from(body.to_string()));
    let json = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(http::header::CONTENT_TYPE, json);
    response
}
