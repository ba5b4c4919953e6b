//! Sends a request on its way, or not, and lets its answer through the faults.

use std::future::pending;
use std::io;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use tokio::time::sleep;
use tower::Service;

use super::harm::{Harm, Kind};
use super::requests::Asked;
use super::{BoxError, Faults, FaultyBody, body};

/// A service behind [`Faults`].
#[derive(Clone, Debug)]
pub struct Faulty<S> {
    inner: S,
    faults: Faults,
}

impl<S> Faulty<S> {
    pub(super) fn new(inner: S, faults: Faults) -> Self {
        Self { inner, faults }
    }
}

impl<S, Q, B> Service<Request<Q>> for Faulty<S>
where
    S: Service<Request<Q>, Response = Response<B>>,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<FaultyBody>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let asked = Asked::new(request.method(), request.uri());
        let faults = self.faults.clone();
        let harms = faults.harms(&asked);
        if let Some(instead) = harms.iter().find_map(|harm| instead(harm, &asked, &faults)) {
            return async move { Ok(through(instead.await?.map(Full::new), &harms, &faults)) }
                .boxed();
        }
        // Most services begin when they are polled: what delays them comes first.
        let answering = self.inner.call(request);
        async move {
            for harm in &harms {
                if let Kind::Delay(delay) = harm.0 {
                    sleep(delay).await;
                }
            }
            let response = answering.await.map_err(Into::into)?;
            if harms.iter().any(|harm| matches!(harm.0, Kind::LoseAnswer)) {
                return pending().await;
            }
            let wanted = faults.inner.replica.lock().as_ref().and_then(|r| r.wants(&asked));
            let Some(name) = wanted.filter(|_| response.status().is_success()) else {
                return Ok(through(response, &harms, &faults));
            };
            let (head, body) = response.into_parts();
            let whole = body.collect().await.map_err(Into::into)?.to_bytes();
            let response = Response::from_parts(head, whole);
            if let Some(replica) = &mut *faults.inner.replica.lock() {
                replica.keep(name, response.clone());
            }
            Ok(through(response.map(Full::new), &harms, &faults))
        }
        .boxed()
    }
}

type Instead = BoxFuture<'static, Result<Response<Bytes>, BoxError>>;

/// The answer of who is asked instead of the server.
fn instead(harm: &Harm, asked: &Asked, faults: &Faults) -> Option<Instead> {
    match &harm.0 {
        Kind::Refuse => {
            let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
            Some(async move { Err(refused.into()) }.boxed())
        }
        Kind::BlackHole => Some(pending().boxed()),
        Kind::Answer(answer) => {
            let answer = Response::clone(answer);
            Some(async move { Ok(answer) }.boxed())
        }
        Kind::Stale => {
            let answer = faults.inner.replica.lock().as_ref()?.answer(asked)?;
            Some(async move { Ok(answer) }.boxed())
        }
        _ => None,
    }
}

/// The answer as it arrives.
fn through<B>(response: Response<B>, harms: &[Harm], faults: &Faults) -> Response<FaultyBody>
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let (mut head, body) = response.into_parts();
    let media_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let protobuf = media_type.is_some_and(|value| value.contains("protobuf"));
    let streamed = media_type.is_some_and(|value| value.contains("stream=watch"));
    let framing = match (protobuf, streamed) {
        (true, false) => body::Framing::Opaque,
        (true, true) => body::Framing::Lengths,
        (false, _) => body::Framing::Lines,
    };
    if !harms.is_empty() {
        // It may be longer or shorter than it was.
        head.headers.remove(http::header::CONTENT_LENGTH);
    }
    let cuts = faults.inner.cuts.subscribe();
    Response::from_parts(head, body::harmed(body, framing, harms, cuts))
}
