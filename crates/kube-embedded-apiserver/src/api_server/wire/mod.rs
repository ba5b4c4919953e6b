//! The wire: requests are parsed, passed to the verbs, and answered in the encoding they accept.

mod authorization;
pub(crate) mod body;
mod content;
mod discovery;
mod field_selector;
mod form;
#[cfg(feature = "gzip")]
pub(crate) mod gzip;
mod label_selector;
mod list;
pub(crate) mod listen;
mod openapi;
mod options;
mod pretty;
mod protobuf;
pub(crate) mod query;
mod requests;
mod route;
mod state;
mod table;
#[cfg(feature = "tls")]
mod tls;
mod versions;
mod watches;
mod writes;
mod written;
pub(crate) mod yaml;
mod yaml_keys;

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response};

use self::body::{ResponseBody, full};
use self::form::Encoding;
use self::query::RequestInfo;
pub(crate) use self::state::{Options, Server};

/// Answers a request that was not intercepted.
pub(crate) async fn handle<B>(
    server: &Arc<Server>,
    request: Request<B>,
    info: &RequestInfo,
) -> Response<ResponseBody>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let encoding = Encoding::of_status(request.headers());
    let in_yaml = yaml::is_wanted(request.headers());
    let pretty = pretty::is_wanted(request.uri(), request.headers()) && !info.watch;
    let head = request.method() == Method::HEAD;
    #[cfg(feature = "gzip")]
    let compressible = request.method() == Method::GET && gzip::is_wanted(request.headers());
    #[cfg(feature = "gzip")]
    let read = gzip::Read::of(request.uri(), info.watch);
    let answer = requests::answer(server, request).await;
    let answer = answer.unwrap_or_else(|failure| failure.response(encoding));
    let answer = match (in_yaml, pretty) {
        (true, _) => yaml::written(answer).await,
        (false, true) => pretty::written(answer).await,
        (false, false) => answer,
    };
    #[cfg(feature = "gzip")]
    let answer =
        if compressible { server.options.gzip.written(answer, read).await } else { answer };
    if head { answer.map(|_| full(Bytes::new())) } else { answer }
}
