//! Bodies of responses, and failures as responses.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};

use super::form::Encoding;
use super::protobuf;
use crate::api_server::failure::Failure;

/// The body of a response.
///
/// ```
/// use bytes::Bytes;
/// use http::Request;
/// use http_body_util::{BodyExt, Empty};
/// use kube_embedded_apiserver::ApiServer;
/// use kube_embedded_apiserver::api_server::{Aborted, ResponseBody};
///
/// /// Reads a whole response: for a client that is not kube's.
/// async fn read(body: ResponseBody) -> Result<Bytes, Aborted> {
///     Ok(body.collect().await?.to_bytes())
/// }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let request = Request::get("/api/v1/namespaces").body(Empty::<Bytes>::new())?;
/// let response = ApiServer::new().handle(request).await;
/// assert!(read(response.into_body()).await?.starts_with(b"{"));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub type ResponseBody = UnsyncBoxBody<Bytes, Aborted>;

/// The error of a connection that was dropped in the middle of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection was dropped")]
pub struct Aborted;

/// Returns a body that is complete.
pub(crate) fn full(body: impl Into<Bytes>) -> ResponseBody {
    Full::new(body.into()).map_err(|never| match never {}).boxed_unsync()
}

impl Failure {
    pub(crate) fn response(&self, encoding: Encoding) -> Response<ResponseBody> {
        let (media_type, body) = match (&self.status, encoding) {
            (Some(status), Encoding::Json) => {
                (encoding.media_type(false), status.to_string().into_bytes())
            }
            (Some(status), Encoding::Protobuf) => {
                (encoding.media_type(false), protobuf::value(status))
            }
            (None, _) => ("text/plain; charset=utf-8", self.message.clone().into_bytes()),
        };
        let mut response = Response::new(full(body));
        *response.status_mut() =
            StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}
