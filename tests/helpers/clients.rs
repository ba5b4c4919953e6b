//! Servers with objects, and clients and answers as a test wants them.

use std::convert::Infallible;
use std::future::ready;
use std::io;

use bytes::Bytes;
use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use serde_json::json;

use super::map;

/// Returns a server that holds config maps of these names, each with the value `1`.
pub(crate) fn server_with(maps: &[&str]) -> ApiServer {
    let server = ApiServer::new();
    for name in maps {
        server.create(&map(name, "1")).unwrap();
    }
    server
}

/// Returns a client whose every request this function answers.
pub(crate) fn answered_by<B>(
    answer: impl Fn(Request<Body>) -> Response<B> + Send + 'static,
) -> Client
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    kube_informer::testing::seed_by_test();
    let service = tower::service_fn(move |request| ready(Ok::<_, Infallible>(answer(request))));
    Client::new(service, "default")
}

/// Returns a client of the server. `pass` has each request first, and may change it or fail it.
pub(crate) fn passing(
    server: &ApiServer,
    pass: impl Fn(&mut Request<Body>) -> io::Result<()> + Clone + Send + 'static,
) -> Client {
    let server = server.clone();
    let service = tower::service_fn(move |mut request: Request<Body>| {
        let (server, pass) = (server.clone(), pass.clone());
        async move {
            pass(&mut request)?;
            Ok::<_, io::Error>(server.handle(request).await)
        }
    });
    Client::new(service, "default")
}

/// Returns the answer of an API server that refuses a request.
pub(crate) fn refusal(code: u16, reason: &str, message: &str) -> Response<Bytes> {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure",
        "reason": reason, "message": message, "code": code,
    });
    let response = Response::builder().status(code).header("content-type", "application/json");
    response.body(status.to_string().into()).unwrap()
}

/// Refuses every request with this text in its target, until the server stops intercepting.
pub(crate) fn forbid(server: &ApiServer, part: &'static str) {
    server.intercept(move |request| {
        let refuses = request.target.contains(part);
        refuses.then(|| refusal(403, "Forbidden", &format!("{part} is forbidden")))
    });
}

/// Returns whether a query is the question for the version of a quorum.
pub(crate) fn is_question(query: &str) -> bool {
    query.split('&').any(|part| part == "limit=1")
}
