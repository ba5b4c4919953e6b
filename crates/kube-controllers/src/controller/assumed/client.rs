//! A client whose answers are laid over the store.

use std::sync::Arc;

use futures::FutureExt;
use http::{Request, Response};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;

use super::overlay::Overlay;
use crate::controller::BoxError;
use crate::controller::own_writes::{Expectation, WriteAnswer, WriteOutcome, WriteTarget};
use kube_informer::object::Cached;
use kube_informer::seams::read_body;

/// Decodes an object from the body of an answer.
pub(super) type DecodeAnswer = fn(&[u8]) -> Option<Cached>;

/// Wraps a client so that the answers to its writes are laid over the store.
pub(super) fn watching(overlay: Arc<Overlay>, decode: DecodeAnswer, client: Client) -> Client {
    let namespace = client.default_namespace().to_owned();
    let valid_until = *client.valid_until();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (overlay, client) = (overlay.clone(), client.clone());
        async move {
            match WriteTarget::of(request.method(), request.uri().path(), request.uri().query()) {
                Some(target) if overlay.cache.holds(&target) => {
                    send(&overlay, decode, &client, target, request).await
                }
                _ => Ok(client.send(request).await?),
            }
        }
        .boxed()
    });
    Client::new(service, namespace).with_valid_until(valid_until)
}

async fn send(
    overlay: &Overlay,
    decode: DecodeAnswer,
    client: &Client,
    mut target: WriteTarget,
    request: Request<Body>,
) -> Result<Response<Body>, BoxError> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let is_dry_run = target.is_dry_run(&body);
    target.name_created(&body);
    let before = overlay.before(&target);
    let (parts, body) = client.send(Request::from_parts(parts, body.into())).await?.into_parts();
    let is_told = parts.status.is_success() && !is_dry_run && !target.deletes_many();
    let Some(before) = before.filter(|_| is_told) else {
        return Ok(Response::from_parts(parts, body));
    };
    let body = read_body(body).await?;
    let answer = WriteAnswer::read(&body, &target);
    // Another kind, such as a scale or only metadata, is not the object. In another version, its
    // fields may have other names.
    let is_object = answer.as_ref().is_some_and(|answer| {
        overlay.is_of_kind(answer.kind()) && overlay.is_of_version(answer.api_version())
    });
    if let Some(answer) = answer
        && let WriteOutcome::Expect(written, expectation) = answer.expectation(&target)
    {
        let creates = target.creates();
        match expectation {
            Expectation::AtLeast(_) if is_object => {
                if let Some(object) = decode(&body) {
                    overlay.lay(&before, &written, expectation, Some(object), creates);
                }
            }
            Expectation::AtLeast(_) => {}
            Expectation::Gone { .. } | Expectation::Absent(_) => {
                overlay.lay(&before, &written, expectation, None, creates);
            }
        }
    }
    Ok(Response::from_parts(parts, body.into()))
}
