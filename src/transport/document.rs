//! Answers that hold a single document, such as one of discovery.
//!
//! The answer may belong to another request and hold Secrets: no log and no error quotes it.

use std::fmt;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::{ACCEPT, RETRY_AFTER};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIResource, APIResourceList};
use kube::api::Api;
use kube::client::Body;
use kube::core::request::Error as BuildError;
use kube::core::response::{StatusDetails, StatusSummary};
use kube::{Client, Resource, core::Status};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Error as _};
use tokio::time::timeout;

use super::answer::READ_PER_DECODED;
use super::collection::OBJECT_LIMIT;
use crate::error::{AnswerTooLarge, quoted, without_credentials};
use crate::yield_budget::YieldBudget;

/// The time limit for the body of an answer about one object. A server ends such a request after a
/// minute.
const BODY_LIMIT: Duration = Duration::from_secs(60);

/// Reads the document at a path. Not [`Client::request`], which logs and quotes a body that it
/// cannot parse.
#[allow(clippy::missing_errors_doc, reason = "hidden: public for `kube-controllers` only")]
pub async fn read_document<T: DeserializeOwned>(
    client: &Client,
    path: &str,
    accept: &'static str,
) -> Result<T, kube::Error> {
    parsed(&read(client, path, accept).await?)
}

/// Reads a document of discovery. An answer that does not state this kind says nothing about what
/// is served. The lists in the document may be missing or null, because Go writes empty ones so.
pub(crate) async fn read_discovery<T: k8s_openapi::Resource + DeserializeOwned>(
    client: &Client,
    path: &str,
) -> Result<T, kube::Error> {
    #[derive(Deserialize)]
    struct Stated {
        kind: String,
    }
    let body = read(client, path, "application/json").await?;
    if parsed::<Stated>(&body)?.kind != T::KIND {
        return Err(unusable(format_args!("the answer to {path} is no {}", T::KIND)));
    }
    parsed(&body)
}

/// Reads the resources that discovery lists in a group and version.
#[allow(clippy::missing_errors_doc, reason = "hidden: public for `kube-controllers` only")]
pub async fn read_resources(
    client: &Client,
    api_version: &str,
) -> Result<Vec<APIResource>, kube::Error> {
    let root = if api_version.contains('/') { "apis" } else { "api" };
    let path = format!("/{root}/{api_version}");
    let APIResourceList { group_version, resources } = read_discovery(client, &path).await?;
    if group_version != api_version {
        return Err(unusable(format_args!("the answer to {path} is of another group and version")));
    }
    Ok(resources)
}

fn read(
    client: &Client,
    path: &str,
    accept: &'static str,
) -> BoxFuture<'static, Result<Bytes, kube::Error>> {
    let request = Request::get(path).header(ACCEPT, accept).body(Body::empty());
    answered(client.clone(), request.map_err(kube::Error::HttpError))
}

/// Sends a request that is built for the collection of an [`Api`], and reads its answer. Not the
/// functions of [`Api`], which log a body that they cannot parse.
///
/// A refusal has the time of the header `Retry-After`, too: `kube` keeps only the body.
pub fn ask<K: Resource + Clone, T: DeserializeOwned>(
    api: &Api<K>,
    build: impl FnOnce(&kube::core::Request) -> Result<Request<Vec<u8>>, BuildError>,
) -> BoxFuture<'static, Result<T, kube::Error>> {
    let request = build(&kube::core::Request::new(api.resource_url()));
    let request = request.map(|request| request.map(Body::from)).map_err(kube::Error::BuildRequest);
    document(answered(api.clone().into_client(), request))
}

fn document<T: DeserializeOwned>(
    answered: BoxFuture<'static, Result<Bytes, kube::Error>>,
) -> BoxFuture<'static, Result<T, kube::Error>> {
    async { parsed(&answered.await?) }.boxed()
}

/// Sends a request, and returns the body of its answer. Boxed: it is much code for each document.
fn answered(
    client: Client,
    request: Result<Request<Body>, kube::Error>,
) -> BoxFuture<'static, Result<Bytes, kube::Error>> {
    let answered = async move {
        let answer = client.send(request?).await.map_err(without_credentials)?;
        let (parts, body) = answer.into_parts();
        let body = read_body(body).await?;
        if !parts.status.is_success() {
            return Err(kube::Error::Api(refusal(parts.status, &parts.headers, &body).boxed()));
        }
        Ok(body)
    };
    answered.boxed()
}

/// Reads the body of an answer about one object.
#[allow(clippy::missing_errors_doc, reason = "hidden: public for `kube-controllers` only")]
pub async fn read_body(body: Body) -> Result<Bytes, kube::Error> {
    timeout(BODY_LIMIT, read_all(body)).await.unwrap_or_else(|_| {
        let problem =
            format!("the answer began, but was not complete after {} s", BODY_LIMIT.as_secs());
        Err(kube::Error::Service(io::Error::new(io::ErrorKind::TimedOut, problem).into()))
    })
}

/// Reads a body. It yields, because a body in memory always has another frame.
async fn read_all(mut body: Body) -> Result<Bytes, kube::Error> {
    let (mut read, mut budget) = (Vec::new(), YieldBudget::new());
    loop {
        budget.spend(1).await;
        let Some(frame) = body.frame().await else { return Ok(read.into()) };
        // A frame without data has trailers.
        let Ok(data) = frame?.into_data() else { continue };
        if data.len() > OBJECT_LIMIT - read.len() {
            return Err(kube::Error::Service(AnswerTooLarge { limit: OBJECT_LIMIT }.into()));
        }
        budget.charge_bytes(data.len() / READ_PER_DECODED);
        read.extend_from_slice(&data);
    }
}

fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, kube::Error> {
    kube_decode::json(body).map_err(unusable)
}

/// Returns the error of an answer that is not the requested document.
fn unusable(problem: impl fmt::Display) -> kube::Error {
    kube::Error::SerdeError(serde_json::Error::custom(problem))
}

/// Returns the Status of a refusal. It quotes any other body only if that is plain text.
pub fn refusal(code: StatusCode, headers: &HeaderMap, body: &[u8]) -> Status {
    let status = kube_decode::json::<Status>(body).ok();
    // Another object has no status that says failure.
    let status = status.filter(|status| status.status == Some(StatusSummary::Failure));
    let mut status = status.unwrap_or_else(|| Status::failure(&quoted(body), ""));
    if status.message.is_empty() {
        code.canonical_reason().unwrap_or("refused").clone_into(&mut status.message);
    }
    status.code = code.as_u16();
    let seconds =
        headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    if let (Some(seconds), StatusCode::TOO_MANY_REQUESTS) = (seconds, code) {
        let (name, group, kind, uid) = Default::default();
        let details =
            StatusDetails { name, group, kind, uid, causes: Vec::new(), retry_after_seconds: 0 };
        status.details.get_or_insert(details).retry_after_seconds = seconds;
    }
    status
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::{StreamExt, stream};
    use http::Response;
    use http_body::Frame;
    use http_body_util::StreamBody;
    use tokio::time::{Instant, sleep};

    use super::*;

    /// Returns a client whose answers have many frames, with a pause before each, and the number of
    /// frames read.
    fn client(frame: &'static [u8], frames: usize, pause: Duration) -> (Client, Arc<AtomicUsize>) {
        let read = Arc::new(AtomicUsize::new(0));
        let counted = read.clone();
        let service = tower::service_fn(move |_: Request<Body>| {
            let counted = counted.clone();
            let frames = stream::iter(0..frames).then(move |_| {
                counted.fetch_add(1, Ordering::Relaxed);
                async move {
                    if !pause.is_zero() {
                        sleep(pause).await;
                    }
                    Ok::<_, Infallible>(Frame::data(Bytes::from_static(frame)))
                }
            });
            async { Ok::<_, Infallible>(Response::new(StreamBody::new(frames))) }
        });
        (Client::new(service, "default"), read)
    }

    /// Returns a body of many frames, which are ready at once, and the number of frames read.
    async fn body(frame: &'static [u8], frames: usize) -> (Body, Arc<AtomicUsize>) {
        let (client, read) = client(frame, frames, Duration::ZERO);
        (client.send(Request::new(Body::empty())).await.unwrap().into_body(), read)
    }

    #[tokio::test(start_paused = true)]
    async fn dripping_answer_ends_in_time() {
        for (frames, is_complete) in [(50, true), (1_000_000, false)] {
            let (client, _) = client(b"1", frames, Duration::from_secs(1));
            let (path, begun) = ("/api/v1/namespaces/shop/pods/a", Instant::now());
            let answer = read(&client, path, "application/json").await;
            assert!(begun.elapsed() <= Duration::from_secs(61), "{:?}", begun.elapsed());
            if is_complete {
                assert_eq!(answer.unwrap().len(), frames);
                continue;
            }
            let Err(kube::Error::Service(cause)) = answer else { panic!("{answer:?}") };
            let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
            assert_eq!(kind, Some(io::ErrorKind::TimedOut), "{cause}");
        }
    }

    #[tokio::test]
    async fn document_is_bounded() {
        const KIB: &[u8] = &[b' '; 1024];
        let most = OBJECT_LIMIT / KIB.len();
        let whole = read_body(body(KIB, most).await.0).await.unwrap();
        assert_eq!(whole.len(), OBJECT_LIMIT);
        let (endless, read) = body(KIB, 4 * most).await;
        let error = read_body(endless).await.unwrap_err();
        let kube::Error::Service(cause) = &error else { panic!("{error}") };
        let limit = AnswerTooLarge { limit: OBJECT_LIMIT };
        assert_eq!(cause.downcast_ref::<AnswerTooLarge>(), Some(&limit));
        assert!(error.to_string().contains("larger than 16777216 bytes"), "{error}");
        assert_eq!(read.load(Ordering::Relaxed), most + 1);
    }

    #[tokio::test]
    async fn endless_document_gives_way() {
        for frame in [&b""[..], b" ", &[b' '; 4096]] {
            let (endless, read) = body(frame, 1_000_000).await;
            assert!(read_body(endless).now_or_never().is_none());
            let read = read.load(Ordering::Relaxed);
            assert!(read <= 100, "{read} frames of {} bytes", frame.len());
        }
    }
}
