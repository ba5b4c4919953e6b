//! The wire: requests are parsed, passed to the verbs, and answered in the encoding they accept.

mod authorization;
pub(crate) mod body;
mod discovery;
mod form;
mod list;
pub(crate) mod listen;
mod openapi;
mod options;
mod protobuf;
pub(crate) mod query;
mod requests;
mod state;
mod table;
mod watches;
mod written;
mod yaml;
mod yaml_keys;

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};

use self::body::ResponseBody;
use self::form::Encoding;
use self::query::RequestInfo;
pub(crate) use self::state::{Options, Server};
use super::failure::Failure;

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
    let answer = if in_yaml && info.watch {
        Err(Failure::watch_not_acceptable())
    } else {
        requests::answer(server, request).await
    };
    let answer = answer.unwrap_or_else(|failure| failure.response(encoding));
    if in_yaml { yaml::written(answer).await } else { answer }
}
