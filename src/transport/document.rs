//! A single document, such as one of discovery.

use http::Request;
use http::header::ACCEPT;
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use kube::core::Status;
use serde::de::{DeserializeOwned, Error as _};

/// Reads the document at a path. Not [`Client::request`], which logs and quotes a body that it
/// cannot parse: it may be the answer to another request, and hold Secrets.
pub(crate) async fn read_document<T: DeserializeOwned>(
    client: &Client,
    path: &str,
    accept: &'static str,
) -> Result<T, kube::Error> {
    let request = Request::get(path).header(ACCEPT, accept).body(Body::empty());
    let answer = client.send(request.map_err(kube::Error::HttpError)?).await?;
    let (parts, body) = answer.into_parts();
    let body = body.collect().await?.to_bytes();
    if parts.status.is_success() {
        return kube_decode::json(&body)
            .map_err(|error| kube::Error::SerdeError(serde_json::Error::custom(error)));
    }
    // Another object has no reason and no message that a Status has.
    let refused = kube_decode::json::<Status>(&body).ok();
    let status = refused.filter(|status| !status.message.is_empty()).unwrap_or_else(|| {
        let reason = parts.status.canonical_reason().unwrap_or("refused");
        Status::failure(reason, "").with_code(parts.status.as_u16())
    });
    Err(kube::Error::Api(status.boxed()))
}
