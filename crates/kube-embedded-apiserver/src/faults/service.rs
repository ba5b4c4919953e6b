//! The service that applies injections to requests and their responses.

use std::future::pending;
use std::io;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use tokio::time::sleep;
use tower::Service;

use super::injection::{Injection, Kind};
use super::requests::ClassifiedRequest;
use super::{BoxError, Faults, FaultyBody, body};

/// The service of [`Faults`].
///
/// Faults in front of any service of HTTP, without a `kube::Client`:
///
/// ```
/// use std::convert::Infallible;
/// use bytes::Bytes;
/// use http::{Request, Response};
/// use http_body_util::Full;
/// use kube_embedded_apiserver::faults::{Faulty, FaultyBody};
/// use kube_embedded_apiserver::{Faults, Injection, Requests};
/// use tower::{Layer, Service, service_fn};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let answer = |_: Request<()>| async {
///     Ok::<_, Infallible>(Response::new(Full::<Bytes>::default()))
/// };
/// let faults = Faults::new();
/// let mut service: Faulty<_> = faults.layer(service_fn(answer));
///
/// faults.inject(Requests::all(), Injection::status(503));
/// let response: Response<FaultyBody> = service.call(Request::get("/healthz").body(())?).await?;
/// assert_eq!(response.status(), 503);
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(()) }).unwrap();
/// ```
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

    fn call(&mut self, mut request: Request<Q>) -> Self::Future {
        let classified = ClassifiedRequest::new(request.method(), request.uri());
        let faults = self.faults.clone();
        let injections = faults.injections(&classified);
        if let Some(answer) =
            injections.iter().find_map(|injection| replacement(injection, &classified, &faults))
        {
            return async move { Ok(pass_response(answer.await?.map(Full::new), &injections, &faults)) }
                .boxed();
        }
        if injections.iter().any(Injection::needs_content) {
            request.headers_mut().remove(ACCEPT_ENCODING);
        }
        // Most services start when they are polled, so the delay comes first.
        let response = self.inner.call(request);
        async move {
            for injection in &injections {
                if let Kind::Delay(delay) = injection.0 {
                    sleep(delay).await;
                }
            }
            let response = response.await.map_err(Into::into)?;
            if injections.iter().any(|injection| matches!(injection.0, Kind::LoseAnswer)) {
                return pending().await;
            }
            let wanted =
                faults.inner.recorded.lock().as_ref().and_then(|r| r.name_to_record(&classified));
            let Some(name) = wanted.filter(|_| response.status().is_success()) else {
                return Ok(pass_response(response, &injections, &faults));
            };
            let (head, body) = response.into_parts();
            let whole = body.collect().await.map_err(Into::into)?.to_bytes();
            let response = Response::from_parts(head, whole);
            if let Some(recorded) = &mut *faults.inner.recorded.lock() {
                recorded.record(name, response.clone());
            }
            Ok(pass_response(response.map(Full::new), &injections, &faults))
        }
        .boxed()
    }
}

type Replacement = BoxFuture<'static, Result<Response<Bytes>, BoxError>>;

/// Returns the response of an injection that replaces the server.
fn replacement(
    injection: &Injection,
    request: &ClassifiedRequest,
    faults: &Faults,
) -> Option<Replacement> {
    match &injection.0 {
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
            let answer = faults.inner.recorded.lock().as_ref()?.answer(request)?;
            Some(async move { Ok(answer) }.boxed())
        }
        _ => None,
    }
}

/// Returns the response with the injections into its body.
fn pass_response<B>(
    response: Response<B>,
    injections: &[Injection],
    faults: &Faults,
) -> Response<FaultyBody>
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
    if !injections.is_empty() {
        // An injection may change the length.
        head.headers.remove(http::header::CONTENT_LENGTH);
    }
    let cuts = faults.inner.cuts.subscribe();
    Response::from_parts(head, body::with_injections(body, framing, injections, cuts))
}
